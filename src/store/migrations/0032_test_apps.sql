-- SPDX-License-Identifier: Apache-2.0
-- is_test: its platform calls go to the sandbox inside the service (api-decisions.md 14). time_scale: every wait of such an app's deliveries is
-- divided by it.
ALTER TABLE apps ADD COLUMN is_test BIGINT NOT NULL DEFAULT 0;
ALTER TABLE apps ADD COLUMN time_scale BIGINT NOT NULL DEFAULT 1;
