-- SPDX-License-Identifier: Apache-2.0
-- How accounts use up their platforms' limits: what was published since, and where. Read from this index alone.
CREATE INDEX deliveries_published ON deliveries (app_id, published_at_us, platform, account_id) WHERE published_at_us > 0;
-- How an app's deliveries ended, by hours (store_tally.h), so that the overview reads a few rows however many posts there were. What nodes
-- of older programs deliver meanwhile is not in it, until posthorn doctor --repair counts again.
-- oldest_program: 41
CREATE TABLE tallies (
	app_id TEXT NOT NULL,
	hour BIGINT NOT NULL,
	kind BIGINT NOT NULL,
	part BIGINT NOT NULL,
	code TEXT NOT NULL,
	count BIGINT NOT NULL,
	most_us BIGINT NOT NULL,
	PRIMARY KEY (app_id, hour, kind, part, code)
) {without_rowid};
CREATE INDEX tallies_age ON tallies (hour);
-- The start counts what there is (counters.c, WRONG_MARK).
INSERT INTO meta (name, number) SELECT 'counters_wrong', 1 WHERE EXISTS (SELECT 1 FROM events) ON CONFLICT (name) DO UPDATE SET number = 1;
