-- SPDX-License-Identifier: Apache-2.0
-- Second factors of admins (store_second_factor.h). id: the admin's. A row says that it is on; last_step: no code of that or an earlier
-- step is good again.
CREATE TABLE second_factors (
	id TEXT NOT NULL PRIMARY KEY,
	secret_sealed {blob} NOT NULL,
	last_step BIGINT NOT NULL
);
CREATE TABLE recovery_codes (
	admin_id TEXT NOT NULL,
	code_hash TEXT NOT NULL,
	PRIMARY KEY (admin_id, code_hash)
);
