-- SPDX-License-Identifier: Apache-2.0
-- max_lateness_s: a post whose first call could not begin so long after its time fails instead (api-decisions.md 6); 0 = no limit.
-- In posts as accepted: the request's, else the app's of that time.
ALTER TABLE posts ADD COLUMN max_lateness_s BIGINT NOT NULL DEFAULT 0;
ALTER TABLE apps ADD COLUMN max_lateness_s BIGINT NOT NULL DEFAULT 0;
