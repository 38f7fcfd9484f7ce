-- SPDX-License-Identifier: Apache-2.0
-- Holds the number for another branch.
UPDATE meta SET number = number WHERE name = '';
