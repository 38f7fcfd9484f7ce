-- SPDX-License-Identifier: Apache-2.0
-- Who can see what is out, and what it lacks (api-decisions.md 7): a word, and a JSON array; '' = unknown, and nothing.
ALTER TABLE deliveries ADD COLUMN visibility TEXT NOT NULL DEFAULT '';
ALTER TABLE deliveries ADD COLUMN warnings TEXT NOT NULL DEFAULT '';
