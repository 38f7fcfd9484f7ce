-- SPDX-License-Identifier: Apache-2.0
-- Who did what (design.md 5). A row is written before its change begins, as outcome 'begun', and completed once; nothing else changes it.
-- actor: an e-mail, cli:USER, '' = not known. app_id: apps.id, '' = none; the app may be gone. value_before, value_after: JSON, '' = none.
-- times: how often it happened until last_at_us; more than 1 of refused sign-ins alone.
CREATE TABLE audit (
	seq {serial_key},
	at_us BIGINT NOT NULL,
	actor TEXT NOT NULL,
	source TEXT NOT NULL,
	action TEXT NOT NULL,
	object TEXT NOT NULL,
	app_id TEXT NOT NULL,
	outcome TEXT NOT NULL CHECK (outcome IN ('begun', 'done', 'refused', 'failed')),
	value_before TEXT NOT NULL,
	value_after TEXT NOT NULL,
	times BIGINT NOT NULL,
	last_at_us BIGINT NOT NULL
);
CREATE INDEX audit_age ON audit (at_us);
