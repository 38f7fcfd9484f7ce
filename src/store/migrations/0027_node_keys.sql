-- SPDX-License-Identifier: Apache-2.0
-- Which master keys a node opens: their names with a blank between, the one it seals with first; '' = an older program, which does
-- not say.
-- oldest_program: 26
ALTER TABLE nodes ADD COLUMN key_names TEXT NOT NULL DEFAULT '';
