-- SPDX-License-Identifier: Apache-2.0
-- What an app may ask for depends on its products at the platform (linkedin.md 1.2).
-- scopes: asked for at consent, separated by blanks; '' = those of the platform's profile.
ALTER TABLE platform_credentials ADD COLUMN scopes TEXT NOT NULL DEFAULT '';

-- What only the operator can mend; emptied at every start, since what mends it are settings.
CREATE TABLE alarms (
	name TEXT NOT NULL PRIMARY KEY,
	message TEXT NOT NULL,
	first_at_us BIGINT NOT NULL,
	last_at_us BIGINT NOT NULL,
	times BIGINT NOT NULL
);
