-- SPDX-License-Identifier: Apache-2.0
-- A claim passes over platforms that have no room for more calls of an app, so a lane says which one it is on:
-- platform_mask has bit N set, N being the platform (as in posts). It stands in the index, so that what is passed over is not read.
ALTER TABLE lanes ADD COLUMN platform_mask BIGINT NOT NULL DEFAULT 0;
UPDATE lanes SET platform_mask = (SELECT CASE a.platform WHEN 1 THEN 2 WHEN 2 THEN 4 WHEN 3 THEN 8
	WHEN 4 THEN 16 WHEN 5 THEN 32 ELSE 64 END FROM accounts a WHERE a.id = lanes.account_id);
DROP INDEX lanes_due;
CREATE INDEX lanes_due ON lanes (app_id, next_due_us, platform_mask);
