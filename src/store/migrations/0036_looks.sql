-- SPDX-License-Identifier: Apache-2.0
-- Posts that are scheduled ahead and whose files are still to be looked at (store_look.h). lease_until_us 0: nobody is at it. fence rises
-- with each claim and each edit of the post.
CREATE TABLE looks (
	post_id TEXT NOT NULL PRIMARY KEY,
	app_id TEXT NOT NULL,
	due_at_us BIGINT NOT NULL,
	lease_until_us BIGINT NOT NULL,
	node_id TEXT NOT NULL,
	fence BIGINT NOT NULL,
	tries BIGINT NOT NULL
) {without_rowid};
CREATE INDEX looks_app ON looks (app_id, due_at_us);
