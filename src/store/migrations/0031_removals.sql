-- SPDX-License-Identifier: Apache-2.0
-- Published posts that a person takes back (store_removal.h): one row for each platform post of which it was asked. status: enum
-- post_removal. due_at_us: 0 = it is over. is_call_open: a deletion was begun and its answer has not been written down.
CREATE TABLE removals (
	delivery_id TEXT NOT NULL PRIMARY KEY REFERENCES deliveries (id),
	account_id TEXT NOT NULL,
	app_id TEXT NOT NULL,
	status BIGINT NOT NULL CHECK (status IN (1, 2, 3, 4)),
	requested_at_us BIGINT NOT NULL,
	due_at_us BIGINT NOT NULL,
	lease_until_us BIGINT NOT NULL,
	node_id TEXT NOT NULL,
	fence BIGINT NOT NULL,
	attempts BIGINT NOT NULL,
	looks BIGINT NOT NULL,
	is_call_open BIGINT NOT NULL CHECK (is_call_open IN (0, 1)),
	flow TEXT NOT NULL,
	removed_at_us BIGINT NOT NULL,
	error_code TEXT NOT NULL,
	error_message TEXT NOT NULL,
	platform_code TEXT NOT NULL,
	platform_message TEXT NOT NULL,
	error_is_transient BIGINT NOT NULL
);
CREATE INDEX removals_due ON removals (due_at_us) WHERE due_at_us > 0;
CREATE INDEX removals_open ON removals (account_id) WHERE due_at_us > 0;
