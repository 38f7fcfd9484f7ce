/* SPDX-License-Identifier: Apache-2.0
 * Tests of store/sql/sql_postgres_many.h: the texts, the arrays, and what may pass what. That the
 * server takes them is the store's conformance on PostgreSQL. */
#include "sql_postgres_many.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "count_of.h"

#define ARENA_BYTES ((size_t)4 << 20)

static void a_statement_over_many_rows_follows_from_its_own(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		const char *many;
	} rows[] = {
		{"UPDATE t SET a = ?2, b = (SELECT MAX(x) FROM u WHERE u.id = ?1) WHERE id = ?1",
		 "UPDATE t SET a = given.v2, b = (SELECT MAX(x) FROM u WHERE u.id = given.v1)"
		 " FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS given(v1, v2, place)"
		 " WHERE id = given.v1 RETURNING given.place"},
		{"UPDATE t SET a = ?2 FROM u WHERE u.t = id AND u.b = ?1",
		 "UPDATE t SET a = given.v2 FROM u, unnest($1::text[], $2::bigint[])"
		 " WITH ORDINALITY AS given(v1, v2, place) WHERE u.t = id AND u.b = given.v1"
		 " RETURNING given.place"},
		{"INSERT INTO t (a, b) VALUES (?1, (SELECT COUNT(*) FROM u WHERE c = ?2))"
		 " ON CONFLICT (a) DO UPDATE SET b = t.b + excluded.b",
		 "INSERT INTO t (a, b) SELECT given.v1, (SELECT COUNT(*) FROM u WHERE c = given.v2)"
		 " FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS given(v1, v2, place)"
		 " ORDER BY given.place ON CONFLICT (a) DO UPDATE SET b = t.b + excluded.b"},
	};
	struct arena *arena = arena_new("test", ARENA_BYTES);
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_string_equal(
			sql_many_text(arena, rows[i].text, SQL_ARGS(sql_word("k"), sql_int(1))),
			rows[i].many);
	arena_free(&arena);
}

/* array_send of PostgreSQL, by hand. */
static void parameters_become_arrays(void **state)
{
	(void)state;
	static const char numbers[] =
		"\0\0\0\1\0\0\0\0\0\0\0\24\0\0\0\2\0\0\0\1"
		"\0\0\0\10\0\0\0\0\0\0\0\7\0\0\0\10\377\377\377\377\377\377\377\376";
	static const char texts[] = "\0\0\0\1\0\0\0\0\0\0\0\31\0\0\0\2\0\0\0\1"
				    "\0\0\0\2ab\0\0\0\0";
	const struct sql_args rows[] = {SQL_ARGS(sql_int(7), sql_word("ab")),
					SQL_ARGS(sql_int(-2), sql_word(""))};
	struct arena *arena = arena_new("test", ARENA_BYTES);
	struct sql_many_bound bound;
	assert_true(sql_many_bind(arena, rows, COUNT_OF(rows), &bound));
	assert_int_equal(bound.count, 2);
	assert_int_equal(bound.lengths[0], sizeof(numbers) - 1);
	assert_memory_equal(bound.values[0], numbers, sizeof(numbers) - 1);
	assert_int_equal(bound.lengths[1], sizeof(texts) - 1);
	assert_memory_equal(bound.values[1], texts, sizeof(texts) - 1);
	arena_free(&arena);
}

static void every_statement_of_the_table_has_a_text(void **state)
{
	(void)state;
	struct sql_value values[SQL_ARGS_MAX];
	struct arena *arena = arena_new("test", ARENA_BYTES);
	size_t count = 0;
	for (size_t i = 0; i < SQL_ARGS_MAX; i++)
		values[i] = sql_int((int64_t)i);
	for (int name = 0; name < SQL_NAME_COUNT; name++) {
		if (!sql_many_is_joined((enum sql_name)name))
			continue;
		/* Asserts where there is no place for the rows. */
		sql_many_text(arena, sql_statements[name].text,
			      (struct sql_args){values, SQL_ARGS_MAX});
		count++;
	}
	assert_true(count > 10);
	arena_free(&arena);
}

/* ---- what is kept ---- */

static void add(struct sql_many *many, enum sql_name name, const char *key)
{
	assert_true(sql_many_add(
		many, name,
		SQL_ARGS(sql_word(key), sql_word("value"), sql_int(1), sql_word("node"))));
}

static void expect(const struct sql_many *many, size_t at, enum sql_name name, size_t count)
{
	const struct sql_many_batch *batch = sql_many_batch(many, at);
	assert_non_null(batch);
	assert_int_equal(batch->name, name);
	assert_int_equal(batch->count, count);
}

static void statements_of_a_kind_gather(void **state)
{
	(void)state;
	struct sql_many *many = sql_many_new();
	for (int i = 0; i < 3; i++) {
		const char key[] = {(char)('a' + i), '\0'};
		add(many, SQL_POST_SET_STATE, key);
		add(many, SQL_TIMELINE_INSERT, key);
		add(many, SQL_LANE_FREE, key);
		add(many, SQL_LANES_FREE_BEHIND, key);
	}
	expect(many, 0, SQL_POST_SET_STATE, 3);
	expect(many, 1, SQL_TIMELINE_INSERT, 3);
	expect(many, 2, SQL_LANE_FREE, 3);
	expect(many, 3, SQL_LANES_FREE_BEHIND, 3);
	assert_null(sql_many_batch(many, 4));
	assert_true(str_equal_z(sql_many_batch(many, 0)->rows[1].values[0].bytes, "b"));
	sql_many_clear(many);
	assert_null(sql_many_batch(many, 0));
	sql_many_free(&many);
	assert_null(many);
}

/* PostgreSQL writes a row once for a statement. */
static void a_row_that_is_written_again_goes_later(void **state)
{
	(void)state;
	struct sql_many *many = sql_many_new();
	add(many, SQL_POST_SET_STATE, "a");
	add(many, SQL_POST_SET_STATE, "b");
	add(many, SQL_POST_SET_STATE, "a");
	add(many, SQL_POST_SET_STATE, "c");
	expect(many, 0, SQL_POST_SET_STATE, 2);
	expect(many, 1, SQL_POST_SET_STATE, 2);
	/* Events only add. */
	add(many, SQL_EVENT_ADD, "a");
	add(many, SQL_EVENT_ADD, "a");
	expect(many, 2, SQL_EVENT_ADD, 2);
	sql_many_free(&many);
}

static void nothing_passes_what_its_order_matters_to(void **state)
{
	(void)state;
	struct sql_many *many = sql_many_new();
	add(many, SQL_LANE_FREE, "a");
	add(many, SQL_WORK_DUE, "app"); /* reads lanes */
	add(many, SQL_LANE_FREE, "b");
	expect(many, 0, SQL_LANE_FREE, 1);
	expect(many, 1, SQL_WORK_DUE, 1);
	expect(many, 2, SQL_LANE_FREE, 1);
	sql_many_clear(many);
	add(many, SQL_POST_SET_STATE, "a");
	add(many, SQL_POST_SET_STATUS, "a");
	add(many, SQL_POST_SET_STATE, "b");
	expect(many, 0, SQL_POST_SET_STATE, 1);
	expect(many, 1, SQL_POST_SET_STATUS, 1);
	expect(many, 2, SQL_POST_SET_STATE, 1);
	sql_many_free(&many);
}

static void what_is_kept_has_a_ceiling(void **state)
{
	(void)state;
	static char text[SQL_MANY_BYTES_MAX / 2];
	memset(text, 'x', sizeof(text));
	struct sql_many *many = sql_many_new();
	const struct sql_args large =
		SQL_ARGS(sql_word(""), sql_text((struct str){text, sizeof(text)}));
	const struct sql_args too_large = SQL_ARGS(sql_text((struct str){text, sizeof(text)}),
						   sql_text((struct str){text, sizeof(text)}));
	assert_false(sql_many_add(many, SQL_EVENT_ADD, too_large));
	int count = 0;
	while (sql_many_add(many, SQL_EVENT_ADD, large))
		assert_true(count++ < 100);
	assert_true(count >= 4);
	sql_many_clear(many);
	assert_true(sql_many_add(many, SQL_EVENT_ADD, large));
	for (size_t i = 0; i < SQL_MANY_ROWS_MAX; i++)
		assert_true(sql_many_add(many, SQL_POST_SET_STATE, SQL_ARGS(sql_int((int64_t)i))));
	expect(many, 1, SQL_POST_SET_STATE, SQL_MANY_ROWS_MAX);
	assert_true(sql_many_add(many, SQL_POST_SET_STATE, SQL_ARGS(sql_int(-1))));
	expect(many, 2, SQL_POST_SET_STATE, 1);
	sql_many_free(&many);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_statement_over_many_rows_follows_from_its_own),
		cmocka_unit_test(parameters_become_arrays),
		cmocka_unit_test(every_statement_of_the_table_has_a_text),
		cmocka_unit_test(statements_of_a_kind_gather),
		cmocka_unit_test(a_row_that_is_written_again_goes_later),
		cmocka_unit_test(nothing_passes_what_its_order_matters_to),
		cmocka_unit_test(what_is_kept_has_a_ceiling),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
