-- SPDX-License-Identifier: Apache-2.0
-- Roles of admins: root is the first admin with a password (api-decisions.md 3). Links that are good for one use (store_admin_link.h);
-- admin_id '' = of a link that makes the first admin.
ALTER TABLE admins ADD COLUMN role TEXT NOT NULL DEFAULT 'owner' CHECK (role IN ('owner', 'root'));
UPDATE admins SET role = 'root' WHERE id IN
	(SELECT o.id FROM admins o WHERE o.password_hash <> '' ORDER BY o.created_at_us, o.id LIMIT 1);
CREATE TABLE admin_links (
	token_hash TEXT NOT NULL PRIMARY KEY,
	kind TEXT NOT NULL CHECK (kind IN ('setup', 'password', 'sign_in')),
	admin_id TEXT NOT NULL,
	expires_at_us BIGINT NOT NULL
);
