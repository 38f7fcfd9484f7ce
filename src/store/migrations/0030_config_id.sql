-- SPDX-License-Identifier: Apache-2.0
-- The id of a set of permissions that was made at Meta (Facebook Login for Business, meta.md 2.3); '' = scopes are asked for.
-- oldest_program: 29
ALTER TABLE platform_credentials ADD COLUMN config_id TEXT NOT NULL DEFAULT '';
ALTER TABLE credential_candidates ADD COLUMN config_id TEXT NOT NULL DEFAULT '';
