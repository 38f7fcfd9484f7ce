-- SPDX-License-Identifier: Apache-2.0
-- When a platform post failed, or ended with something missing that can be repeated (store_retry_many.h); 0 = there is nothing to retry.
-- Of older ones the last call says it, and where there was none their time.
ALTER TABLE deliveries ADD COLUMN failed_at_us BIGINT NOT NULL DEFAULT 0;
UPDATE deliveries SET failed_at_us = COALESCE((SELECT MAX(t.at_us) FROM timeline t WHERE t.delivery_id = deliveries.id), due_at_us)
	WHERE is_final = 1 AND error_code <> 'CANCELLED'
	AND (state = 'failed' OR error_code <> '' OR warnings LIKE '%"repeatable":true}%');
CREATE INDEX deliveries_failed ON deliveries (app_id, failed_at_us, id, error_code) WHERE failed_at_us > 0;
CREATE INDEX deliveries_failed_account ON deliveries (account_id, failed_at_us, id, error_code) WHERE failed_at_us > 0;
