/* SPDX-License-Identifier: Apache-2.0 */
#include "migrate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "count_of.h"

#include "sql.h"

static void path_make(char out[64])
{
	snprintf(out, 64, "/tmp/migrate-test-%d.db", (int)getpid());
}

static struct sql_connection *open_db(void)
{
	char path[64];
	struct error err = {0};
	struct sql_connection *sql = NULL;
	path_make(path);
	const struct sql_config config = {
		.path = path, .role = SQL_ROLE_OWNER, .cache_bytes = 1 << 20};
	assert_int_equal(sql_driver_sqlite.open(&config, &sql, &err), ERR_NONE);
	return sql;
}

static int remove_db(void **state)
{
	(void)state;
	char path[64];
	path_make(path);
	unlink(path);
	return 0;
}

static void numbers_go_up_without_gaps(void **state)
{
	(void)state;
	assert_true(migrations_count > 0);
	for (size_t i = 0; i < migrations_count; i++) {
		assert_int_equal(migrations[i].number, i + 1);
		assert_true(strlen(migrations[i].name) > 0);
		assert_true(strstr(migrations[i].text, "CREATE ") != NULL ||
			    strstr(migrations[i].text, "ALTER ") != NULL ||
			    strstr(migrations[i].text, "UPDATE ") != NULL);
	}
}

static void running_again_changes_nothing(void **state)
{
	(void)state;
	struct error err = {0};
	struct sql_connection *sql = open_db();
	for (size_t i = 0; i < 3; i++) {
		int version = 0;
		assert_int_equal(migrate(sql, &version, &err), ERR_NONE);
		assert_int_equal(version, (int)migrations_count);
		assert_int_equal(
			sql_run(sql, SQL_META_PUT, SQL_ARGS(sql_word("x"), sql_int(1)), NULL, &err),
			ERR_NONE);
	}
	sql_driver_sqlite.close(&sql);
}

/* All names of the list must be statements of this schema. */
static void every_statement_can_be_prepared(void **state)
{
	(void)state;
	struct error err = {0};
	int version = 0;
	struct sql_connection *sql = open_db();
	assert_int_equal(migrate(sql, &version, &err), ERR_NONE);
	for (int name = 0; name < SQL_NAME_COUNT; name++) {
		const struct sql_value zeros[SQL_ARGS_MAX] = {{0}};
		const char *text = sql_statements[name].text;
		size_t count = 0;
		for (int i = 1; i < SQL_ARGS_MAX; i++) {
			char mark[8];
			snprintf(mark, sizeof(mark), "?%d", i);
			count = strstr(text, mark) != NULL ? (size_t)i : count;
		}
		struct sql_cursor cursor;
		sql_select(&cursor, sql, (enum sql_name)name, NULL, (struct sql_args){zeros, count},
			   &err);
		if (sql_end(&cursor) != ERR_NONE)
			fail_msg("%s: %s", sql_statements[name].name, err.text);
	}
	sql_driver_sqlite.close(&sql);
}

/* Unless it says that programs as old as this one can work with it. */
static void a_newer_database_is_left_alone(void **state)
{
	(void)state;
	struct error err = {0};
	int version = 0;
	struct sql_connection *sql = open_db();
	assert_int_equal(migrate(sql, &version, &err), ERR_NONE);
	assert_int_equal(sql_run(sql, SQL_MIGRATION_INSERT,
				 SQL_ARGS(sql_int(9000), sql_word("future")), NULL, &err),
			 ERR_NONE);
	assert_int_equal(migrate(sql, &version, &err), ERR_NONE);
	assert_int_equal(version, 9000);
	const struct sql_value name = sql_word(MIGRATE_OLDEST_PROGRAM);
	static const int oldest[] = {9000, 0};
	for (size_t i = 0; i < COUNT_OF(oldest); i++) {
		err = (struct error){0};
		assert_int_equal(
			sql_run(sql, SQL_META_PUT, SQL_ARGS(name, sql_int(oldest[i])), NULL, &err),
			ERR_NONE);
		assert_int_equal(migrate(sql, &version, &err), ERR_INVALID);
		assert_non_null(strstr(err.text, "9000"));
	}
	sql_driver_sqlite.close(&sql);
}

/* A table that is in the way fails the migration; nothing of it stays. */
static void a_failed_migration_leaves_no_trace(void **state)
{
	(void)state;
	struct error err = {0};
	int version = -1;
	struct sql_connection *sql = open_db();
	assert_int_equal(
		sql_driver_sqlite.run_script(sql, STR("CREATE TABLE posts (x TEXT)"), &err),
		ERR_NONE);
	assert_int_not_equal(migrate(sql, &version, &err), ERR_NONE);
	assert_non_null(strstr(err.text, "migration 0001_start"));
	assert_int_not_equal(sql_driver_sqlite.run_script(sql, STR("SELECT 1 FROM admins"), &err),
			     ERR_NONE);
	assert_int_equal(sql_driver_sqlite.run_script(sql, STR("DROP TABLE posts"), &err),
			 ERR_NONE);
	assert_int_equal(migrate(sql, &version, &err), ERR_NONE);
	sql_driver_sqlite.close(&sql);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_go_up_without_gaps),
		cmocka_unit_test_setup_teardown(running_again_changes_nothing, remove_db,
						remove_db),
		cmocka_unit_test_setup_teardown(every_statement_can_be_prepared, remove_db,
						remove_db),
		cmocka_unit_test_setup_teardown(a_newer_database_is_left_alone, remove_db,
						remove_db),
		cmocka_unit_test_setup_teardown(a_failed_migration_leaves_no_trace, remove_db,
						remove_db),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
