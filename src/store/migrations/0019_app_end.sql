-- SPDX-License-Identifier: Apache-2.0
-- Deleted apps (store_app_end.h). end_stage: enum app_end. erased_ordinal: posts up to it have no contents any more.
ALTER TABLE apps ADD COLUMN end_stage BIGINT NOT NULL DEFAULT 0;
ALTER TABLE apps ADD COLUMN deleted_at_us BIGINT NOT NULL DEFAULT 0;
ALTER TABLE apps ADD COLUMN erased_ordinal BIGINT NOT NULL DEFAULT 0;
CREATE INDEX apps_end ON apps (end_stage) WHERE end_stage > 0;
