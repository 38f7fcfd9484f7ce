-- SPDX-License-Identifier: Apache-2.0
-- A credential that was entered beside one that works: it takes the other's place when the platform has accepted it (design.md 5).
-- Sealed as in platform_credentials, so that the row can take that place as it is.
CREATE TABLE credential_candidates (
	app_id TEXT NOT NULL REFERENCES apps (id),
	platform BIGINT NOT NULL,
	client_id TEXT NOT NULL,
	client_secret_sealed {blob} NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('pending', 'failed')),
	message TEXT NOT NULL,
	updated_at_us BIGINT NOT NULL,
	scopes TEXT NOT NULL,
	PRIMARY KEY (app_id, platform)
);

-- The connection proves the candidate, and so was begun with it.
ALTER TABLE connections ADD COLUMN uses_candidate BIGINT NOT NULL DEFAULT 0;
