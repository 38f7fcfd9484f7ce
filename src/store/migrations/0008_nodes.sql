-- SPDX-License-Identifier: Apache-2.0
-- Several nodes on one database (docs/postgres.md). Where one process owns the database, all of this stays empty.
-- beat_at_us: when the node was last heard of. address: where its API listens, '' = it has none.
CREATE TABLE nodes (
	id TEXT NOT NULL PRIMARY KEY,
	name TEXT NOT NULL,
	role TEXT NOT NULL,
	address TEXT NOT NULL,
	version TEXT NOT NULL,
	started_at_us BIGINT NOT NULL,
	beat_at_us BIGINT NOT NULL
);

-- One row for each connection that writes, raised in each transaction that wrote: a COMMIT whose answer was lost is looked up here.
CREATE TABLE write_marks (
	id TEXT NOT NULL PRIMARY KEY,
	number BIGINT NOT NULL
);

-- Who works on a lane's delivery, and who exchanges a connection's code.
ALTER TABLE lanes ADD COLUMN node_id TEXT NOT NULL DEFAULT '';
ALTER TABLE connections ADD COLUMN node_id TEXT NOT NULL DEFAULT '';
{postgres CREATE INDEX lanes_busy ON lanes (node_id) WHERE busy_delivery_id <> ''};

-- Rows that are written over and over: room in the page for the next version, and a vacuum that does not wait for a share of a large
-- table. A claim reads open deliveries only, however many are final.
{postgres CREATE INDEX deliveries_open ON deliveries (account_id, due_at_us, id) WHERE is_final = 0};
{postgres ALTER TABLE app_work SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500)};
{postgres ALTER TABLE lanes SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)};
{postgres ALTER TABLE counters SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)};
{postgres ALTER TABLE write_marks SET (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000)};
{postgres ALTER TABLE nodes SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200)};
{postgres ALTER TABLE meta SET (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200)};
{postgres ALTER TABLE deliveries SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000, autovacuum_analyze_scale_factor = 0.02)};
{postgres ALTER TABLE posts SET (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02)};
{postgres ALTER TABLE events SET (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05)};
{postgres ALTER TABLE webhook_deliveries SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)};
