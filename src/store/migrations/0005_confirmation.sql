-- SPDX-License-Identifier: Apache-2.0
-- Connection confirmation (api-decisions.md 5): in apps that want it a new account cannot be used until the customer has said that
-- the right user came back. confirm_hash: of the token that was handed to the browser last.
ALTER TABLE accounts ADD COLUMN is_unconfirmed BIGINT NOT NULL DEFAULT 0;
ALTER TABLE connections ADD COLUMN confirm_hash TEXT NOT NULL DEFAULT '';
