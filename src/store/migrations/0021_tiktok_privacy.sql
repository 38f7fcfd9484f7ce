-- SPDX-License-Identifier: Apache-2.0
-- tiktok_privacy: who sees a TikTok post that names no level (model/app.h, enum app_tiktok_privacy; api-decisions.md 6).
ALTER TABLE apps ADD COLUMN tiktok_privacy BIGINT NOT NULL DEFAULT 0;
