-- SPDX-License-Identifier: Apache-2.0
-- Events, written in the transaction of what they tell, and the webhooks that carry them (api-decisions.md 9).
-- kind: enum event_kind. due_at_us: when it is to be handed to the app's webhooks, 0 = done or none is there.
-- body: the envelope as first made, '' before.
CREATE TABLE events (
	seq {serial_key},
	id TEXT NOT NULL,
	app_id TEXT NOT NULL,
	kind BIGINT NOT NULL,
	subject_id TEXT NOT NULL,
	post_id TEXT NOT NULL,
	created_at_us BIGINT NOT NULL,
	due_at_us BIGINT NOT NULL,
	body TEXT NOT NULL
);
CREATE INDEX events_app ON events (app_id, seq);
CREATE INDEX events_due ON events (due_at_us) WHERE due_at_us > 0;

-- event_mask: bit N is set when it wants events of kind N. old_secret_sealed is valid until then, for rotation.
-- failing_since_us: the first failure since the last success.
CREATE TABLE webhooks (
	id TEXT NOT NULL PRIMARY KEY,
	app_id TEXT NOT NULL REFERENCES apps (id),
	url TEXT NOT NULL,
	event_mask BIGINT NOT NULL,
	is_enabled BIGINT NOT NULL CHECK (is_enabled IN (0, 1)),
	disabled_reason TEXT NOT NULL,
	secret_sealed {blob} NOT NULL,
	old_secret_sealed {blob} NOT NULL,
	old_secret_until_us BIGINT NOT NULL,
	failing_since_us BIGINT NOT NULL,
	created_at_us BIGINT NOT NULL,
	updated_at_us BIGINT NOT NULL
);
CREATE INDEX webhooks_app ON webhooks (app_id, created_at_us);

-- One row for each event and webhook that wants it: the way there, and the log of it.
-- due_at_us: when it is tried next (a lease running out counts), 0 = over. log: JSON, one entry a try.
CREATE TABLE webhook_deliveries (
	id {serial_key},
	webhook_id TEXT NOT NULL,
	app_id TEXT NOT NULL,
	event_seq BIGINT NOT NULL,
	state BIGINT NOT NULL,
	due_at_us BIGINT NOT NULL,
	is_leased BIGINT NOT NULL,
	attempts BIGINT NOT NULL,
	log TEXT NOT NULL,
	created_at_us BIGINT NOT NULL,
	UNIQUE (webhook_id, event_seq)
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, due_at_us) WHERE due_at_us > 0;
CREATE INDEX webhook_deliveries_next ON webhook_deliveries (due_at_us) WHERE due_at_us > 0;
