-- SPDX-License-Identifier: Apache-2.0
-- Apps without an admin are held, and nothing that was made for their former one opens anything (store_admin.h).
DELETE FROM app_tokens WHERE app_id IN
	(SELECT a.id FROM apps a WHERE NOT EXISTS (SELECT 1 FROM admins o WHERE o.id = a.owner_id));
DELETE FROM app_keys WHERE app_id IN
	(SELECT a.id FROM apps a WHERE NOT EXISTS (SELECT 1 FROM admins o WHERE o.id = a.owner_id));
UPDATE app_work SET is_paused = 1 WHERE app_id IN
	(SELECT a.id FROM apps a WHERE NOT EXISTS (SELECT 1 FROM admins o WHERE o.id = a.owner_id));
