-- SPDX-License-Identifier: Apache-2.0
-- The sandbox of the test apps, where several nodes share this database (store_sandbox.h). One row: the node that has it, until when, and
-- how the others reach it. fence: rises with every change of hands. pass: sealed, renewed with every change of hands; no reseal needs it.
-- oldest_program: 36
CREATE TABLE sandbox_lease (
	id BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
	node_id TEXT NOT NULL,
	address TEXT NOT NULL,
	pass {blob} NOT NULL,
	fence BIGINT NOT NULL,
	until_us BIGINT NOT NULL
);
-- What each test app's platforms were asked: put together by number, a journal (sandbox_journal.c).
CREATE TABLE sandbox_journals (
	app_id TEXT NOT NULL REFERENCES apps (id),
	number BIGINT NOT NULL,
	bytes {blob} NOT NULL,
	PRIMARY KEY (app_id, number)
);
