/* SPDX-License-Identifier: Apache-2.0
 * Opening: who may, what is refused, what the file is like. What the verbs do is tests/store. */
#include "store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "arena.h"
#include "clock.h"
#include "count_of.h"

#include "migrate.h"
#include "sql.h"

static void remove_all(void)
{
	static const char *const ends[] = {"", "-wal", "-shm", ".lock"};
	for (size_t i = 0; i < 4; i++) {
		char path[80];
		snprintf(path, sizeof(path), "/tmp/store-open-test-%d.db%s", (int)getpid(),
			 ends[i]);
		unlink(path);
	}
}

static int clean(void **state)
{
	(void)state;
	remove_all();
	return 0;
}

static enum err_kind open_at(bool is_owner, struct store **store, struct error *err)
{
	char url[80];
	snprintf(url, sizeof(url), "sqlite:/tmp/store-open-test-%d.db", (int)getpid());
	const struct store_config config = {
		.url = url, .clock = clock_system(), .is_owner = is_owner};
	return store_open(&config, store, err);
}

static void a_file_has_one_owner(void **state)
{
	(void)state;
	struct error err = {0};
	struct store *first = NULL;
	struct store *second = NULL;
	assert_int_equal(open_at(true, &first, &err), ERR_NONE);
	assert_int_equal(open_at(true, &second, &err), ERR_CONFLICT);
	assert_null(second);
	assert_non_null(strstr(err.text, "in use by process"));
	assert_int_equal(open_at(false, &second, &err), ERR_NONE);
	assert_int_equal(store_check(second, &err), ERR_NONE);
	store_close(&second);
	assert_int_equal(store_check(first, &err), ERR_NONE);
	store_close(&first);
	assert_null(first);
	store_close(&first);
	assert_int_equal(open_at(true, &first, &err), ERR_NONE);
	store_close(&first);
}

static void the_file_is_ours_alone(void **state)
{
	(void)state;
	static const char *const ends[] = {"", "-wal", "-shm", ".lock"};
	struct error err = {0};
	struct store *store = NULL;
	assert_int_equal(open_at(true, &store, &err), ERR_NONE);
	assert_int_equal(store_check(store, &err), ERR_NONE);
	for (size_t i = 0; i < 4; i++) {
		char path[80];
		struct stat info;
		snprintf(path, sizeof(path), "/tmp/store-open-test-%d.db%s", (int)getpid(),
			 ends[i]);
		assert_int_equal(stat(path, &info), 0);
		assert_int_equal(info.st_mode & 0777, 0600);
	}
	store_close(&store);
}

static void what_cannot_be_opened_is_told(void **state)
{
	(void)state;
	static const struct {
		const char *url;
		enum err_kind kind;
	} rows[] = {
		{"", ERR_INVALID},
		{"sqlite:", ERR_INVALID},
		{"mysql://h/d", ERR_INVALID},
		{"postgres://127.0.0.1:1/d", ERR_TEMPORARY},
		{"postgres://127.0.0.1:1/d?no_such_option=1", ERR_INVALID},
		{"/tmp/x.db", ERR_INVALID},
		{"sqlite:/nonexistent/x.db", ERR_TEMPORARY},
		{"sqlite:/tmp", ERR_TEMPORARY},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct error err = {0};
		struct store *store = NULL;
		const struct store_config config = {.url = rows[i].url, .clock = clock_system()};
		assert_int_equal(store_open(&config, &store, &err), rows[i].kind);
		assert_null(store);
		assert_true(err.text[0] != '\0');
	}
}

static void many_open_one_after_the_other_without_leaks(void **state)
{
	(void)state;
	for (int i = 0; i < 20; i++) {
		struct error err = {0};
		struct store *store = NULL;
		assert_int_equal(open_at(true, &store, &err), ERR_NONE);
		assert_int_equal(store_schema_version(store),
				 migrations[migrations_count - 1].number);
		store_close(&store);
	}
}

/* What runs for each delivery must not read a table from end to end, nor sort: at a million waiting
 * posts that would be the end of it. The planner has no statistics, as in a new store. */
static const enum sql_name hot[] = {
	SQL_WORK_LIST_DUE,   SQL_LANES_LIST_DUE, SQL_LANES_WORK,     SQL_DELIVERY_CLAIM,
	SQL_DELIVERY_BEGIN,  SQL_DELIVERY_KEEP,  SQL_DELIVERY_SAVE,  SQL_DELIVERY_ACCOUNT,
	SQL_LANE_CLAIM,      SQL_LANE_FREE,      SQL_LANE_KEEP,      SQL_POST_STATES,
	SQL_TIMELINE_INSERT, SQL_WORK_NEXT_DUE,  SQL_BACKLOG_OLDEST, SQL_RETRY_LIST,
};

static void assert_indexed(sqlite3 *db, enum sql_name name)
{
	static const struct sql_dialect_word words[] = {
		{"skip_locked", ""}, {"list", "(SELECT value FROM json_each(@))"}, {NULL, NULL}};
	struct arena *arena = arena_new("plan", 1 << 20);
	sqlite3_stmt *plan = NULL;
	const char *text = sql_expand(arena, words, str_of(sql_statements[name].text));
	const char *asked = str_z(arena, str_format(arena, "EXPLAIN QUERY PLAN %s", text));
	assert_int_equal(sqlite3_prepare_v2(db, asked, -1, &plan, NULL), SQLITE_OK);
	while (sqlite3_step(plan) == SQLITE_ROW) {
		const char *detail = (const char *)sqlite3_column_text(plan, 3);
		/* app_work has one row an app, pauses (z) a few in all; a subquery's result is what
		 * its own rows gave, and json_each what was asked for. */
		const bool is_scan =
			strncmp(detail, "SCAN ", 5) == 0 && strncmp(detail, "SCAN w", 6) != 0 &&
			strncmp(detail, "SCAN f", 6) != 0 && strncmp(detail, "SCAN z", 6) != 0 &&
			strncmp(detail, "SCAN app_work", 13) != 0 &&
			strncmp(detail, "SCAN json_each", 14) != 0;
		if (is_scan || strstr(detail, "TEMP B-TREE") != NULL)
			fail_msg("%s: %s", sql_statements[name].name, detail);
	}
	sqlite3_finalize(plan);
	arena_free(&arena);
}

static void what_runs_for_each_delivery_reads_by_index(void **state)
{
	(void)state;
	struct error err = {0};
	struct store *store = NULL;
	sqlite3 *db = NULL;
	char path[80];
	assert_int_equal(open_at(true, &store, &err), ERR_NONE);
	snprintf(path, sizeof(path), "/tmp/store-open-test-%d.db", (int)getpid());
	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
	for (size_t i = 0; i < COUNT_OF(hot); i++)
		assert_indexed(db, hot[i]);
	sqlite3_close(db);
	store_close(&store);
}

static void a_new_store_holds_no_secrets(void **state)
{
	(void)state;
	struct error err = {0};
	struct store *store = NULL;
	bool holds = true;
	assert_int_equal(open_at(true, &store, &err), ERR_NONE);
	assert_int_equal(store_holds_secrets(store, &holds, &err), ERR_NONE);
	assert_false(holds);
	store_close(&store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_file_has_one_owner, clean, clean),
		cmocka_unit_test_setup_teardown(the_file_is_ours_alone, clean, clean),
		cmocka_unit_test(what_cannot_be_opened_is_told),
		cmocka_unit_test_setup_teardown(what_runs_for_each_delivery_reads_by_index, clean,
						clean),
		cmocka_unit_test_setup_teardown(a_new_store_holds_no_secrets, clean, clean),
		cmocka_unit_test_setup_teardown(many_open_one_after_the_other_without_leaks, clean,
						clean),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
