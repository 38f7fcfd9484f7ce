-- SPDX-License-Identifier: Apache-2.0
-- The browser that came back from the platform (api-decisions.md 5): only the one whose cookie has this hash may ask how its
-- connection ended, and is given the confirmation token.
ALTER TABLE connections ADD COLUMN browser_hash TEXT NOT NULL DEFAULT '';
