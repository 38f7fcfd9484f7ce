-- SPDX-License-Identifier: Apache-2.0
-- Where nothing new may begin (design.md 5): all that is named must fit. platform 0, app_id '' and account_id '': any.
CREATE TABLE pauses (
	platform BIGINT NOT NULL,
	app_id TEXT NOT NULL,
	account_id TEXT NOT NULL,
	paused_at_us BIGINT NOT NULL,
	actor TEXT NOT NULL,
	PRIMARY KEY (platform, app_id, account_id)
) {without_rowid};
