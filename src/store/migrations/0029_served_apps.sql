-- SPDX-License-Identifier: Apache-2.0
-- Several nodes on one database: when a claim last looked at the app and left nothing for want of room (docs/adr/0017). 0 = never.
-- oldest_program: 28
ALTER TABLE app_work ADD COLUMN served_at_us BIGINT NOT NULL DEFAULT 0;
