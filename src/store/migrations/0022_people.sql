-- SPDX-License-Identifier: Apache-2.0
-- What is being erased of a customer's user (store_user.h). platform 0: all of them. user_id: goes with the event that tells
-- of it. code_hash: of the confirmation code that Meta shows the person, '' = none. after_seq: events up to it are done.
-- audit_seq: the row of audit that says who asked, 0 = none. finished_at_us 0: under way.
CREATE TABLE erasures (
	id TEXT NOT NULL PRIMARY KEY,
	app_id TEXT NOT NULL,
	user_id TEXT NOT NULL,
	platform BIGINT NOT NULL,
	code_hash TEXT NOT NULL,
	audit_seq BIGINT NOT NULL,
	after_seq BIGINT NOT NULL,
	begun_at_us BIGINT NOT NULL,
	finished_at_us BIGINT NOT NULL
);
CREATE INDEX erasures_open ON erasures (begun_at_us, id) WHERE finished_at_us = 0;
CREATE INDEX erasures_code ON erasures (code_hash) WHERE code_hash <> '';

-- The accounts of it. after_due_us, after_id: the account's deliveries up to this one, in the order of deliveries_account, are done.
CREATE TABLE erasure_accounts (
	erasure_id TEXT NOT NULL REFERENCES erasures (id),
	account_id TEXT NOT NULL REFERENCES accounts (id),
	is_done BIGINT NOT NULL CHECK (is_done IN (0, 1)),
	after_due_us BIGINT NOT NULL,
	after_id TEXT NOT NULL,
	PRIMARY KEY (erasure_id, account_id)
) {without_rowid};

CREATE INDEX connections_user ON connections (app_id, user_id);
