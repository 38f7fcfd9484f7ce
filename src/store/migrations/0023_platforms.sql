-- SPDX-License-Identifier: Apache-2.0
-- The kind of app that a credential is of, at platforms that have several (platform.h, struct oauth_variant); '' = the platform's first.
ALTER TABLE platform_credentials ADD COLUMN variant TEXT NOT NULL DEFAULT '';
ALTER TABLE credential_candidates ADD COLUMN variant TEXT NOT NULL DEFAULT '';
-- LinkedIn's usual scopes were those of members and pages together: a credential that works with them keeps them, since another set
-- would end its users' tokens.
UPDATE platform_credentials SET variant = 'both' WHERE platform = 4 AND scopes = '' AND state = 'verified'
  AND EXISTS (SELECT 1 FROM accounts a WHERE a.app_id = platform_credentials.app_id AND a.platform = 4);
-- When an account ends that only its user can renew, and how many of its two notices were given (store_account.c).
ALTER TABLE accounts ADD COLUMN ends_at_us BIGINT NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN endings_told BIGINT NOT NULL DEFAULT 0;
UPDATE accounts SET ends_at_us = CASE WHEN length(refresh_token_sealed) = 0 THEN expires_at_us ELSE refresh_expires_at_us END;
CREATE INDEX accounts_ending ON accounts (ends_at_us) WHERE ends_at_us > 0 AND endings_told < 2;
