-- SPDX-License-Identifier: Apache-2.0
-- Published posts whose id the platform has not told yet (store_late_id.h): one row until it is found, or until_us is over.
-- oldest_program: 39
CREATE TABLE late_ids (
	delivery_id TEXT NOT NULL PRIMARY KEY REFERENCES deliveries (id),
	account_id TEXT NOT NULL,
	app_id TEXT NOT NULL,
	due_at_us BIGINT NOT NULL,
	until_us BIGINT NOT NULL,
	lease_until_us BIGINT NOT NULL,
	node_id TEXT NOT NULL,
	fence BIGINT NOT NULL,
	looks BIGINT NOT NULL
) {without_rowid};
CREATE INDEX late_ids_due ON late_ids (due_at_us);
CREATE INDEX late_ids_account ON late_ids (account_id);
