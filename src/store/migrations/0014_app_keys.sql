-- SPDX-License-Identifier: Apache-2.0
-- Keys: further bearer tokens of an app (store_key.h). scopes: names with blanks between. expires_at_us 0: never; last_used_at_us 0: not yet.
CREATE TABLE app_keys (
	id TEXT NOT NULL PRIMARY KEY,
	app_id TEXT NOT NULL REFERENCES apps (id),
	name TEXT NOT NULL,
	token_hash TEXT NOT NULL UNIQUE,
	scopes TEXT NOT NULL,
	created_at_us BIGINT NOT NULL,
	expires_at_us BIGINT NOT NULL,
	last_used_at_us BIGINT NOT NULL
);
CREATE INDEX app_keys_app ON app_keys (app_id, created_at_us);
