-- SPDX-License-Identifier: Apache-2.0
-- The first schema. Written for every driver alike: words in braces are the driver's (sql.h).
-- Instants are microseconds since 1970 UTC. There is no NULL: '' and 0 mean none.
-- Sealed columns hold what the caller sealed; the store cannot read them.

CREATE TABLE meta (
	name TEXT NOT NULL PRIMARY KEY,
	number BIGINT NOT NULL
);

CREATE TABLE admins (
	id TEXT NOT NULL PRIMARY KEY,
	email TEXT NOT NULL UNIQUE,
	password_hash TEXT NOT NULL,
	created_at_us BIGINT NOT NULL
);

-- owner_id without a reference: an app outlives its admin (api-decisions.md 3).
CREATE TABLE apps (
	id TEXT NOT NULL PRIMARY KEY,
	name TEXT NOT NULL,
	client_id TEXT NOT NULL UNIQUE,
	client_secret_hash TEXT NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('draft', 'active', 'suspended')),
	owner_id TEXT NOT NULL,
	redirect_urls TEXT NOT NULL,
	retry_unknown_once BIGINT NOT NULL CHECK (retry_unknown_once IN (0, 1)),
	connect_confirmation BIGINT NOT NULL CHECK (connect_confirmation IN (0, 1)),
	created_at_us BIGINT NOT NULL
);

-- One live token an app.
CREATE TABLE app_tokens (
	app_id TEXT NOT NULL PRIMARY KEY REFERENCES apps (id),
	token_hash TEXT NOT NULL UNIQUE,
	expires_at_us BIGINT NOT NULL,
	issued_at_us BIGINT NOT NULL
);

CREATE TABLE platform_credentials (
	app_id TEXT NOT NULL REFERENCES apps (id),
	platform BIGINT NOT NULL,
	client_id TEXT NOT NULL,
	client_secret_sealed {blob} NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('pending', 'verified', 'failed')),
	message TEXT NOT NULL,
	verified_at_us BIGINT NOT NULL,
	updated_at_us BIGINT NOT NULL,
	PRIMARY KEY (app_id, platform)
);

CREATE TABLE connections (
	id TEXT NOT NULL PRIMARY KEY,
	app_id TEXT NOT NULL REFERENCES apps (id),
	platform BIGINT NOT NULL,
	user_id TEXT NOT NULL,
	redirect_url TEXT NOT NULL,
	name TEXT NOT NULL,
	email TEXT NOT NULL,
	state_hash TEXT NOT NULL,
	callback_url TEXT NOT NULL,
	pkce_sealed {blob} NOT NULL,
	state TEXT NOT NULL CHECK (state IN ('pending', 'success', 'failed')),
	error TEXT NOT NULL,
	error_description TEXT NOT NULL,
	code_sealed {blob} NOT NULL,
	flow TEXT NOT NULL,
	flow_sealed {blob} NOT NULL,
	created_at_us BIGINT NOT NULL,
	finished_at_us BIGINT NOT NULL
);
CREATE UNIQUE INDEX connections_state_hash ON connections (state_hash) WHERE state_hash <> '';
CREATE INDEX connections_started ON connections (created_at_us)
	WHERE state = 'pending' AND state_hash = '';

CREATE TABLE accounts (
	id TEXT NOT NULL PRIMARY KEY,
	app_id TEXT NOT NULL REFERENCES apps (id),
	platform BIGINT NOT NULL,
	user_id TEXT NOT NULL,
	connection_id TEXT NOT NULL,
	platform_account_id TEXT NOT NULL,
	username TEXT NOT NULL,
	name TEXT NOT NULL,
	email TEXT NOT NULL,
	avatar_url TEXT NOT NULL,
	type TEXT NOT NULL,
	state TEXT NOT NULL
		CHECK (state IN ('active', 'expiring', 'reauth_required', 'disconnected')),
	access_token_sealed {blob} NOT NULL,
	refresh_token_sealed {blob} NOT NULL,
	extra TEXT NOT NULL,
	extra_sealed {blob} NOT NULL,
	scopes TEXT NOT NULL,
	expires_at_us BIGINT NOT NULL,
	refresh_expires_at_us BIGINT NOT NULL,
	token_version BIGINT NOT NULL,
	last_refresh_at_us BIGINT NOT NULL,
	last_error TEXT NOT NULL,
	created_at_us BIGINT NOT NULL,
	updated_at_us BIGINT NOT NULL,
	UNIQUE (app_id, user_id, platform, platform_account_id)
);

CREATE TABLE connection_accounts (
	connection_id TEXT NOT NULL REFERENCES connections (id),
	ordinal BIGINT NOT NULL,
	account_id TEXT NOT NULL REFERENCES accounts (id),
	PRIMARY KEY (connection_id, ordinal)
) {without_rowid};

-- ordinal: number of the post in its app, from 1, in the order of acceptance. Lists go by it.
-- status: the word of the four that state shows as. date_us: scheduled_at_us, else created_at_us.
-- platform_mask: bit N is set when a target is on platform N.
CREATE TABLE posts (
	id TEXT NOT NULL PRIMARY KEY,
	app_id TEXT NOT NULL REFERENCES apps (id),
	ordinal BIGINT NOT NULL,
	request_id TEXT NOT NULL,
	external_user_id TEXT NOT NULL,
	state TEXT NOT NULL,
	status TEXT NOT NULL CHECK (status IN ('pending', 'scheduled', 'published', 'failed')),
	mode BIGINT NOT NULL,
	platform_mask BIGINT NOT NULL,
	scheduled_at_us BIGINT NOT NULL,
	created_at_us BIGINT NOT NULL,
	date_us BIGINT NOT NULL,
	content TEXT NOT NULL,
	UNIQUE (app_id, request_id)
);
-- What lists read, without the row. A list of all statuses is made of the four.
CREATE INDEX posts_order ON posts (app_id, status, ordinal, date_us, platform_mask);

-- post_ordinal: the post's. ordinal: place in account_ids. fence goes up with every claim. is_final: published or failed.
CREATE TABLE deliveries (
	id TEXT NOT NULL PRIMARY KEY,
	post_id TEXT NOT NULL REFERENCES posts (id),
	post_ordinal BIGINT NOT NULL,
	ordinal BIGINT NOT NULL,
	app_id TEXT NOT NULL,
	account_id TEXT NOT NULL REFERENCES accounts (id),
	platform BIGINT NOT NULL,
	state TEXT NOT NULL CHECK (state IN
		('pending', 'scheduled', 'processing', 'retrying', 'published', 'failed')),
	is_final BIGINT NOT NULL CHECK (is_final IN (0, 1)),
	due_at_us BIGINT NOT NULL,
	lease_until_us BIGINT NOT NULL,
	fence BIGINT NOT NULL,
	attempts BIGINT NOT NULL,
	flow TEXT NOT NULL,
	flow_sealed {blob} NOT NULL,
	call_state BIGINT NOT NULL,
	call_started_at_us BIGINT NOT NULL,
	looks BIGINT NOT NULL,
	republished BIGINT NOT NULL,
	remote_id TEXT NOT NULL,
	url TEXT NOT NULL,
	published_at_us BIGINT NOT NULL,
	error_code TEXT NOT NULL,
	error_message TEXT NOT NULL,
	platform_code TEXT NOT NULL,
	platform_message TEXT NOT NULL,
	error_is_transient BIGINT NOT NULL,
	parts TEXT NOT NULL,
	UNIQUE (post_id, account_id)
);
-- An account's open deliveries, oldest first; and all of its posts, for lists.
CREATE INDEX deliveries_account ON deliveries
	(account_id, is_final, due_at_us, id, post_ordinal);

-- Where the work stands, by account: busy_delivery_id is the one that is begun and not finished
-- ('' = none). next_due_us: when this account has something to claim (a lease running out counts),
-- the largest number when never. A claim reads lanes, not deliveries, so that an account with
-- thousands of posts waiting costs as much as one with a single post.
CREATE TABLE lanes (
	account_id TEXT NOT NULL PRIMARY KEY REFERENCES accounts (id),
	app_id TEXT NOT NULL,
	busy_delivery_id TEXT NOT NULL,
	next_due_us BIGINT NOT NULL
) {without_rowid};
CREATE INDEX lanes_due ON lanes (app_id, next_due_us);

-- One row an app, changed with every post: numbers the posts, and is what a claim goes round.
-- next_due_us: the earliest of the app's lanes.
-- scheduled_count: deliveries in state scheduled.
CREATE TABLE app_work (
	app_id TEXT NOT NULL PRIMARY KEY REFERENCES apps (id),
	is_paused BIGINT NOT NULL CHECK (is_paused IN (0, 1)),
	next_due_us BIGINT NOT NULL,
	scheduled_count BIGINT NOT NULL CHECK (scheduled_count >= 0),
	last_ordinal BIGINT NOT NULL,
	last_created_at_us BIGINT NOT NULL
) {without_rowid};

-- Every call made for a delivery; only ever added to.
CREATE TABLE timeline (
	delivery_id TEXT NOT NULL REFERENCES deliveries (id),
	ordinal BIGINT NOT NULL,
	at_us BIGINT NOT NULL,
	stage TEXT NOT NULL,
	method TEXT NOT NULL,
	host_path TEXT NOT NULL,
	status BIGINT NOT NULL,
	duration_us BIGINT NOT NULL,
	verdict TEXT NOT NULL,
	decision TEXT NOT NULL,
	excerpt TEXT NOT NULL,
	PRIMARY KEY (delivery_id, ordinal)
) {without_rowid};

-- What one who had lost the fence still had to tell (rules.md 2.2 rule 4).
CREATE TABLE evidence (
	delivery_id TEXT NOT NULL REFERENCES deliveries (id),
	ordinal BIGINT NOT NULL,
	at_us BIGINT NOT NULL,
	fence BIGINT NOT NULL,
	remote_id TEXT NOT NULL,
	url TEXT NOT NULL,
	parts TEXT NOT NULL,
	PRIMARY KEY (delivery_id, ordinal)
) {without_rowid};

-- Which delivery a platform's post id belongs to: posts and comments alike.
CREATE TABLE remote_ids (
	account_id TEXT NOT NULL,
	remote_id TEXT NOT NULL,
	delivery_id TEXT NOT NULL,
	PRIMARY KEY (account_id, remote_id, delivery_id)
) {without_rowid};

-- How many posts: by status in a bucket of a scale. Scale 0: UTC days of date_us. Scale 1 and 2:
-- ordinals / 128 and ordinals / 8192, by which a list finds a page without reading what it skips.
CREATE TABLE counters (
	app_id TEXT NOT NULL,
	scale BIGINT NOT NULL,
	status TEXT NOT NULL,
	bucket BIGINT NOT NULL,
	count BIGINT NOT NULL CHECK (count >= 0),
	PRIMARY KEY (app_id, scale, status, bucket)
) {without_rowid};
