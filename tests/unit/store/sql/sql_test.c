/* SPDX-License-Identifier: Apache-2.0 */
#include "sql.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "arena.h"
#include "count_of.h"

static const struct sql_dialect_word words[] = {
	{"blob", "BYTEA"},
	{"nothing", ""},
	{"list", "(UNNEST @ END @)"},
	{NULL, NULL},
};

static void dialect_words_are_replaced(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		const char *expected;
	} rows[] = {
		{"", ""},
		{"no words", "no words"},
		{"a {blob} b", "a BYTEA b"},
		{"{blob}{blob}", "BYTEABYTEA"},
		{"x{nothing}y", "xy"},
		{"IN {list ?12}.", "IN (UNNEST ?12 END ?12)."},
		{"a } b", "a } b"},
	};
	struct arena *arena = arena_new("test", 65536);
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_string_equal(sql_expand(arena, words, str_of(rows[i].text)),
				    rows[i].expected);
	arena_free(&arena);
}

/* A value written into a statement would be a way in: quotes are there for our own words only. */
static void statements_have_names_and_only_our_own_quotes(void **state)
{
	(void)state;
	for (size_t i = 0; i < SQL_NAME_COUNT; i++) {
		assert_true(strlen(sql_statements[i].name) > 3);
		const char *text = sql_statements[i].text;
		while ((text = strchr(text, '\'')) != NULL) {
			const size_t length = strspn(text + 1, " abcdefghijklmnopqrstuvwxyz_[]"
							       "ABCDEFGHIJKLMNOPQRSTUVWXYZ-%");
			assert_true(text[1 + length] == '\'');
			text += length + 2;
		}
	}
}

struct db {
	struct sql_connection *sql;
	struct arena *arena;
	char path[64];
};

static int open_db(void **state)
{
	struct db *db = calloc(1, sizeof(*db));
	struct error err = {0};
	snprintf(db->path, sizeof(db->path), "/tmp/sql-test-%d.db", (int)getpid());
	unlink(db->path);
	const struct sql_config config = {
		.path = db->path, .role = SQL_ROLE_OWNER, .cache_bytes = 1 << 20};
	assert_int_equal(sql_driver_sqlite.open(&config, &db->sql, &err), ERR_NONE);
	assert_int_equal(sql_driver_sqlite.run_script(
				 db->sql,
				 STR("CREATE TABLE meta (name TEXT NOT NULL PRIMARY"
				     " KEY, number BIGINT NOT NULL CHECK (number <"
				     " 1000));"
				     "CREATE TABLE admins (id TEXT NOT NULL PRIMARY KEY,"
				     " email TEXT NOT NULL UNIQUE, password_hash {blob},"
				     " created_at_us BIGINT REFERENCES meta (number),"
				     " role TEXT);"
				     "CREATE TABLE second_factors (id TEXT);"
				     "CREATE UNIQUE INDEX n ON meta (number);"),
				 &err),
			 ERR_NONE);
	db->arena = arena_new("test", 65536);
	*state = db;
	return 0;
}

static int close_db(void **state)
{
	struct db *db = *state;
	sql_driver_sqlite.close(&db->sql);
	assert_null(db->sql);
	arena_free(&db->arena);
	unlink(db->path);
	free(db);
	return 0;
}

static enum err_kind put_meta(struct db *db, const char *name, int64_t number, struct error *err)
{
	return sql_run(db->sql, SQL_META_PUT, SQL_ARGS(sql_word(name), sql_int(number)), NULL, err);
}

static enum err_kind put_admin(struct db *db, const char *id, struct str email, struct str hash,
			       struct error *err)
{
	return sql_run(db->sql, SQL_ADMIN_INSERT,
		       SQL_ARGS(sql_word(id), sql_text(email), sql_text(hash), sql_int(1)), NULL,
		       err);
}

static void constraints_have_their_kinds(void **state)
{
	struct db *db = *state;
	struct error err = {0};
	assert_int_equal(put_admin(db, "1", STR("a"), STR("h"), &err), ERR_NOT_FOUND);
	assert_int_equal(put_meta(db, "m", 1, &err), ERR_NONE);
	assert_int_equal(put_admin(db, "1", STR("a"), STR("h"), &err), ERR_NONE);
	assert_int_equal(put_admin(db, "1", STR("b"), STR("h"), &err), ERR_CONFLICT);
	assert_int_equal(put_admin(db, "2", STR("a"), STR("secret"), &err), ERR_CONFLICT);
	assert_true(err.native != 0);
	assert_non_null(strstr(err.text, "ADMIN_INSERT"));
	assert_null(strstr(err.text, "secret"));
	assert_int_equal(put_meta(db, "m", 1000, &err), ERR_INTERNAL);
}

static void hostile_values_are_values(void **state)
{
	struct db *db = *state;
	struct error err = {0};
	static const char bytes[] = "x'; DROP TABLE admins; --\0{blob} ?1 \xff";
	const struct str hostile = {bytes, sizeof(bytes) - 1};
	assert_int_equal(put_meta(db, "m", 1, &err), ERR_NONE);
	assert_int_equal(put_admin(db, "1", hostile, STR(""), &err), ERR_NONE);
	struct sql_cursor cursor;
	sql_select(&cursor, db->sql, SQL_ADMIN_FIND, db->arena, SQL_ARGS(sql_text(hostile)), &err);
	assert_true(sql_next(&cursor));
	assert_true(str_equal_z(sql_take_text(&cursor), "1"));
	assert_true(str_equal(sql_take_text(&cursor), hostile));
	assert_true(str_is_empty(sql_take_text(&cursor)));
	assert_int_equal(sql_take_int(&cursor), 1);
	assert_false(sql_next(&cursor));
	assert_int_equal(sql_end(&cursor), ERR_NONE);
	assert_int_equal(sql_end(&cursor), ERR_NONE);
}

static void rows_that_do_not_fit_are_an_error_not_an_end(void **state)
{
	struct db *db = *state;
	struct error err = {0};
	struct arena *tight = arena_new("tight", 512);
	char *big = arena_alloc(db->arena, 4096);
	memset(big, 'y', 4096);
	assert_int_equal(put_meta(db, "m", 1, &err), ERR_NONE);
	assert_int_equal(put_admin(db, "1", STR("a"), (struct str){big, 4096}, &err), ERR_NONE);
	struct str id = {0};
	struct sql_cursor cursor;
	sql_select(&cursor, db->sql, SQL_ADMIN_FIND, tight, SQL_ARGS(sql_word("a")), &err);
	assert_true(sql_next(&cursor));
	id = sql_take_text(&cursor);
	assert_true(str_equal_z(id, "1"));
	sql_take_text(&cursor);
	assert_true(str_is_empty(sql_take_text(&cursor)));
	assert_false(sql_next(&cursor));
	assert_int_equal(sql_end(&cursor), ERR_TOO_LARGE);
	arena_free(&tight);
}

static void what_is_not_there_is_told_by_name(void **state)
{
	struct db *db = *state;
	struct error err = {0};
	assert_int_equal(sql_run_one(db->sql, SQL_ADMIN_DELETE, SQL_ARGS(sql_word("x")),
				     ERR_NOT_FOUND, "admin", &err),
			 ERR_NOT_FOUND);
	assert_string_equal(err.text, "no such admin");
	int64_t number = -1;
	assert_int_equal(
		sql_number(db->sql, SQL_TOKEN_DELETE, SQL_ARGS(sql_word("x")), &number, &err),
		ERR_INTERNAL);
	assert_int_equal(number, -1);
}

/* SQLite ends a transaction by itself after some errors; what follows must not be committed. */
static void a_lost_transaction_takes_no_more_statements(void **state)
{
	struct db *db = *state;
	struct error err = {0};
	assert_int_equal(sql_run(db->sql, SQL_BEGIN_WRITE, SQL_NO_ARGS, NULL, &err), ERR_NONE);
	assert_int_equal(put_meta(db, "one", 1, &err), ERR_NONE);
	assert_int_equal(sql_driver_sqlite.run_script(db->sql, STR("ROLLBACK"), &err), ERR_NONE);
	assert_int_equal(put_meta(db, "two", 2, &err), ERR_TEMPORARY);
	assert_int_equal(sql_run(db->sql, SQL_COMMIT, SQL_NO_ARGS, NULL, &err), ERR_TEMPORARY);
	sql_run(db->sql, SQL_ROLLBACK, SQL_NO_ARGS, NULL, &err);
	assert_int_equal(put_meta(db, "three", 3, &err), ERR_NONE);
}

static void a_second_writer_is_told_to_wait(void **state)
{
	struct db *db = *state;
	struct error err = {0};
	struct sql_connection *other = NULL;
	const struct sql_config config = {
		.path = db->path, .role = SQL_ROLE_WRITER, .cache_bytes = 1 << 20};
	assert_int_equal(sql_driver_sqlite.open(&config, &other, &err), ERR_NONE);
	assert_int_equal(sql_run(db->sql, SQL_BEGIN_WRITE, SQL_NO_ARGS, NULL, &err), ERR_NONE);
	assert_int_equal(sql_run(other, SQL_BEGIN_WRITE, SQL_NO_ARGS, NULL, &err), ERR_TEMPORARY);
	assert_int_equal(sql_run(db->sql, SQL_ROLLBACK, SQL_NO_ARGS, NULL, &err), ERR_NONE);
	assert_int_equal(sql_run(other, SQL_BEGIN_WRITE, SQL_NO_ARGS, NULL, &err), ERR_NONE);
	sql_driver_sqlite.close(&other);
}

static void a_reader_cannot_write(void **state)
{
	struct db *db = *state;
	struct error err = {0};
	struct sql_connection *reader = NULL;
	const struct sql_config config = {
		.path = db->path, .role = SQL_ROLE_READER, .cache_bytes = 1 << 20};
	assert_int_equal(sql_driver_sqlite.open(&config, &reader, &err), ERR_NONE);
	assert_int_equal(
		sql_run(reader, SQL_META_PUT, SQL_ARGS(sql_word("m"), sql_int(1)), NULL, &err),
		ERR_TEMPORARY);
	sql_driver_sqlite.close(&reader);
}

static int64_t pragma(const char *path, struct sql_connection *sql, const char *text)
{
	(void)path;
	struct error err = {0};
	return sql->driver->run_script(sql, str_of(text), &err);
}

/* defensive: the schema cannot be rewritten through writable_schema. */
static void the_schema_cannot_be_forged(void **state)
{
	struct db *db = *state;
	pragma(db->path, db->sql, "PRAGMA writable_schema=ON");
	assert_int_not_equal(
		pragma(db->path, db->sql, "UPDATE sqlite_schema SET sql = '' WHERE name = 'meta'"),
		ERR_NONE);
}

static void a_file_that_is_no_database_is_refused(void **state)
{
	(void)state;
	struct error err = {0};
	struct sql_connection *sql = NULL;
	char path[64];
	snprintf(path, sizeof(path), "/tmp/sql-test-%d.txt", (int)getpid());
	FILE *file = fopen(path, "w");
	for (size_t i = 0; i < 1000; i++)
		fputs("This is not a database. ", file);
	fclose(file);
	const struct sql_config config = {
		.path = path, .role = SQL_ROLE_OWNER, .cache_bytes = 1 << 20};
	assert_int_equal(sql_driver_sqlite.open(&config, &sql, &err), ERR_INTERNAL);
	assert_null(sql);
	unlink(path);
	const struct sql_config nowhere = {.path = "/nonexistent/x.db", .role = SQL_ROLE_OWNER};
	assert_int_equal(sql_driver_sqlite.open(&nowhere, &sql, &err), ERR_TEMPORARY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(dialect_words_are_replaced),
		cmocka_unit_test(statements_have_names_and_only_our_own_quotes),
		cmocka_unit_test_setup_teardown(constraints_have_their_kinds, open_db, close_db),
		cmocka_unit_test_setup_teardown(hostile_values_are_values, open_db, close_db),
		cmocka_unit_test_setup_teardown(rows_that_do_not_fit_are_an_error_not_an_end,
						open_db, close_db),
		cmocka_unit_test_setup_teardown(what_is_not_there_is_told_by_name, open_db,
						close_db),
		cmocka_unit_test_setup_teardown(a_lost_transaction_takes_no_more_statements,
						open_db, close_db),
		cmocka_unit_test_setup_teardown(a_second_writer_is_told_to_wait, open_db, close_db),
		cmocka_unit_test_setup_teardown(a_reader_cannot_write, open_db, close_db),
		cmocka_unit_test_setup_teardown(the_schema_cannot_be_forged, open_db, close_db),
		cmocka_unit_test(a_file_that_is_no_database_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
