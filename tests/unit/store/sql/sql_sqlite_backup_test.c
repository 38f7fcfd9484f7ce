/* SPDX-License-Identifier: Apache-2.0
 * The copy itself: beside an open write, and of a database that is not sound. */
#include "sql_sqlite_backup.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

struct files {
	char source[64];
	char target[64];
};

static void forget(const char *path)
{
	static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
	for (size_t i = 0; i < 4; i++) {
		char name[80];
		snprintf(name, sizeof(name), "%s%s", path, ends[i]);
		unlink(name);
	}
}

static struct files files_make(void)
{
	struct files files;
	snprintf(files.source, sizeof(files.source), "/tmp/backup-test-%d.db", (int)getpid());
	snprintf(files.target, sizeof(files.target), "/tmp/backup-test-%d.copy", (int)getpid());
	forget(files.source);
	forget(files.target);
	close(open(files.target, O_CREAT | O_WRONLY, 0600));
	return files;
}

static sqlite3 *opened(const char *path)
{
	sqlite3 *db = NULL;
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	return db;
}

static void run(sqlite3 *db, const char *sql)
{
	char *why = NULL;
	if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
		fail_msg("%s: %s", sql, why);
}

static int count(sqlite3 *db)
{
	sqlite3_stmt *statement = NULL;
	assert_int_equal(sqlite3_prepare_v2(db, "SELECT COUNT(*) FROM t", -1, &statement, NULL),
			 SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	const int rows = sqlite3_column_int(statement, 0);
	sqlite3_finalize(statement);
	return rows;
}

static void fill(sqlite3 *db)
{
	run(db,
	    "PRAGMA journal_mode=WAL; CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT);"
	    "CREATE INDEX t_b ON t (b); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 "
	    "FROM n WHERE i < 5000) INSERT INTO t (b) SELECT hex(randomblob(40)) FROM n;");
}

static void a_copy_beside_an_open_write_has_what_is_committed(void **state)
{
	(void)state;
	const struct files files = files_make();
	struct error err = {0};
	sqlite3 *writer = opened(files.source);
	sqlite3 *reader = opened(files.source);
	fill(writer);
	run(writer, "BEGIN IMMEDIATE; DELETE FROM t WHERE a > 10;");
	assert_int_equal(sql_sqlite_backup(reader, files.target, &err), ERR_NONE);
	run(writer, "COMMIT");
	sqlite3 *copy = opened(files.target);
	assert_int_equal(count(copy), 5000);
	assert_int_equal(count(writer), 10);
	sqlite3_close(copy);
	sqlite3_close(reader);
	sqlite3_close(writer);
	forget(files.source);
	forget(files.target);
}

/* Bytes of a page overwritten behind SQLite's back: the index no longer fits the table. */
static void a_database_that_is_not_sound_is_told(void **state)
{
	(void)state;
	const struct files files = files_make();
	struct error err = {0};
	char junk[2000];
	sqlite3 *db = opened(files.source);
	fill(db);
	run(db, "PRAGMA wal_checkpoint(TRUNCATE)");
	sqlite3_close(db);
	memset(junk, 'x', sizeof(junk));
	const int fd = open(files.source, O_WRONLY);
	assert_int_equal(pwrite(fd, junk, sizeof(junk), 20 * 4096 + 100), sizeof(junk));
	close(fd);
	db = opened(files.source);
	assert_int_equal(sql_sqlite_backup(db, files.target, &err), ERR_INTERNAL);
	assert_non_null(strstr(err.text, "not sound"));
	sqlite3_close(db);
	forget(files.source);
	forget(files.target);
}

static void a_target_that_is_not_there_is_told(void **state)
{
	(void)state;
	const struct files files = files_make();
	struct error err = {0};
	sqlite3 *db = opened(files.source);
	assert_int_equal(sql_sqlite_backup(db, "/nowhere/copy", &err), ERR_TEMPORARY);
	sqlite3_close(db);
	forget(files.source);
	forget(files.target);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_copy_beside_an_open_write_has_what_is_committed),
		cmocka_unit_test(a_database_that_is_not_sound_is_told),
		cmocka_unit_test(a_target_that_is_not_there_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
