-- SPDX-License-Identifier: Apache-2.0
-- One platform account that several users of an app have connected is one lane. shared_id: the same for all lanes of it, '' = connected
-- once. While one of them works, the others stand behind it: they have its busy_delivery_id, and are never due (store_lane.c).
ALTER TABLE lanes ADD COLUMN shared_id TEXT NOT NULL DEFAULT '';
CREATE INDEX accounts_same ON accounts (app_id, platform, platform_account_id);
INSERT INTO lanes (account_id, app_id, busy_delivery_id, next_due_us, platform_mask, shared_id)
	SELECT a.id, a.app_id, '', 9223372036854775807, CAST(1 AS BIGINT) << CAST(a.platform AS INTEGER), s.first_id
	FROM accounts a JOIN (SELECT app_id, platform, platform_account_id, MIN(id) AS first_id FROM accounts
		GROUP BY app_id, platform, platform_account_id HAVING COUNT(*) > 1) s
	ON s.app_id = a.app_id AND s.platform = a.platform AND s.platform_account_id = a.platform_account_id WHERE 1 = 1
	ON CONFLICT (account_id) DO UPDATE SET shared_id = excluded.shared_id;
CREATE INDEX lanes_shared ON lanes (shared_id) WHERE shared_id <> '';
