-- SPDX-License-Identifier: Apache-2.0
-- oldest_program: 34
-- cause: the id of the HTTP request that published the post, and behind a blank the id of its trace, where it had one: for the log.
ALTER TABLE posts ADD COLUMN cause TEXT NOT NULL DEFAULT '';
-- For the figures of accounts, which are counted without their rows.
CREATE INDEX accounts_states ON accounts (app_id, platform, state, ends_at_us);
