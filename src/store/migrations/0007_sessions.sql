-- SPDX-License-Identifier: Apache-2.0
-- Who is signed in to the dashboard. token_hash: of what the browser's cookie holds. is_secure: the cookie is one of https.
-- admin_id without a reference: a session whose admin is gone is worth nothing, and is removed with the next sign-in.
CREATE TABLE dashboard_sessions (
	token_hash TEXT NOT NULL PRIMARY KEY,
	admin_id TEXT NOT NULL,
	is_secure BIGINT NOT NULL CHECK (is_secure IN (0, 1)),
	address TEXT NOT NULL,
	user_agent TEXT NOT NULL,
	created_at_us BIGINT NOT NULL,
	last_seen_us BIGINT NOT NULL
);
CREATE INDEX dashboard_sessions_admin ON dashboard_sessions (admin_id, created_at_us);
