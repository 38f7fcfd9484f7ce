-- SPDX-License-Identifier: Apache-2.0
-- What an app has of what is limited (store_quota.h), kept in the transactions that change it; and the limits of its own, -1 = the setting's.
-- pending_posts: neither published nor failed. post_bytes: of posts.content. webhook_backlog: webhook_deliveries with due_at_us > 0.
ALTER TABLE app_work ADD COLUMN pending_posts BIGINT NOT NULL DEFAULT 0;
ALTER TABLE app_work ADD COLUMN post_bytes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE app_work ADD COLUMN webhook_backlog BIGINT NOT NULL DEFAULT 0;
ALTER TABLE app_work ADD COLUMN quota_pending_posts BIGINT NOT NULL DEFAULT -1;
ALTER TABLE app_work ADD COLUMN quota_accounts BIGINT NOT NULL DEFAULT -1;
ALTER TABLE app_work ADD COLUMN quota_post_bytes BIGINT NOT NULL DEFAULT -1;
ALTER TABLE app_work ADD COLUMN quota_media_bytes BIGINT NOT NULL DEFAULT -1;
ALTER TABLE app_work ADD COLUMN quota_media_files BIGINT NOT NULL DEFAULT -1;
ALTER TABLE app_work ADD COLUMN quota_webhook_backlog BIGINT NOT NULL DEFAULT -1;
UPDATE app_work SET
	pending_posts = (SELECT COUNT(*) FROM posts p
		WHERE p.app_id = app_work.app_id AND p.status IN ('pending', 'scheduled')),
	post_bytes = (SELECT COALESCE(SUM({bytes p.content}), 0) FROM posts p
		WHERE p.app_id = app_work.app_id),
	webhook_backlog = (SELECT COUNT(*) FROM webhook_deliveries d
		WHERE d.app_id = app_work.app_id AND d.due_at_us > 0);
