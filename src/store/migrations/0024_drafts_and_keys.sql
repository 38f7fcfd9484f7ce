-- SPDX-License-Identifier: Apache-2.0
-- Publish calls with an Idempotency-Key (store_idempotency.h), for ever. body_hash: of the request's bytes; answer: the 202 as it was sent.
CREATE TABLE idempotency_keys (
	app_id TEXT NOT NULL REFERENCES apps (id),
	idempotency_key TEXT NOT NULL,
	body_hash TEXT NOT NULL,
	answer TEXT NOT NULL,
	PRIMARY KEY (app_id, idempotency_key)
) {without_rowid};
-- Posts that a person has still to publish (store_draft.h). body: the request as JSON; its bytes count in app_work.post_bytes.
-- review_at_us 0: never rejected, and review_reason and review_by are ''.
CREATE TABLE drafts (
	id TEXT NOT NULL PRIMARY KEY,
	app_id TEXT NOT NULL REFERENCES apps (id),
	body TEXT NOT NULL,
	created_by TEXT NOT NULL,
	created_at_us BIGINT NOT NULL,
	updated_at_us BIGINT NOT NULL,
	review_reason TEXT NOT NULL,
	review_by TEXT NOT NULL,
	review_at_us BIGINT NOT NULL
);
CREATE INDEX drafts_app ON drafts (app_id, created_at_us, id);
