-- SPDX-License-Identifier: Apache-2.0
-- The restore guard and the quarantine (store_guard.h). The guard's numbers stand in meta.
-- state: enum hold_state. due_at_us: when the delivery was due before it was held.
CREATE TABLE holds (
	delivery_id TEXT NOT NULL PRIMARY KEY REFERENCES deliveries (id),
	platform BIGINT NOT NULL,
	state BIGINT NOT NULL,
	due_at_us BIGINT NOT NULL
) {without_rowid};
CREATE INDEX holds_state ON holds (state, platform);
