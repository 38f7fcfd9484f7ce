/* SPDX-License-Identifier: Apache-2.0
 * Tests of base/buf.h: building, the maximum, the arena's ceiling, and that nothing is added once
 * something did not fit. */
#include "buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"

static void builds_text(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 65536);
	struct buf buf;
	buf_init(&buf, arena, 1000);
	assert_int_equal(buf_str(&buf).len, 0);
	buf_add(&buf, STR("ab"));
	buf_add(&buf, (struct str){0});
	buf_add_z(&buf, "cd");
	buf_add_z(&buf, NULL);
	buf_add_char(&buf, '|');
	buf_add_i64(&buf, INT64_MAX);
	buf_add_char(&buf, '|');
	buf_add_i64(&buf, INT64_MIN);
	buf_addf(&buf, "|%s|%d", "x", -3);
	assert_true(
		str_equal_z(buf_str(&buf), "abcd|9223372036854775807|-9223372036854775808|x|-3"));
	assert_int_equal(buf.ptr[buf.len], 0);
	assert_false(buf.is_over);
	buf_clear(&buf);
	assert_int_equal(buf_str(&buf).len, 0);
	buf_add_i64(&buf, 0);
	buf_add_i64(&buf, -10);
	assert_true(str_equal_z(buf_str(&buf), "0-10"));
	buf_clear(&buf);
	buf_add_z(&buf, "again");
	assert_true(str_equal_z(buf_str(&buf), "again"));
	arena_free(&arena);
}

static void grows_and_keeps_what_was_there(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 1 << 20);
	struct buf buf;
	buf_init(&buf, arena, 100000);
	for (unsigned i = 0; i < 10000; i++)
		buf_addf(&buf, "%07u", i);
	assert_false(buf.is_over);
	assert_int_equal(buf_str(&buf).len, 70000);
	assert_true(str_equal_z(str_slice(buf_str(&buf), 34 * 7, 35 * 7), "0000034"));
	assert_true(str_equal_z(str_slice(buf_str(&buf), 69993, 70000), "0009999"));
	/* Doubling wastes at most as much again. */
	assert_true(arena_used_bytes(arena) <= 2 * 131072 + 1024);
	arena_free(&arena);
}

static void stops_at_the_maximum(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 65536);
	struct buf buf;
	buf_init(&buf, arena, 5);
	buf_add_z(&buf, "12345");
	assert_false(buf.is_over);
	assert_int_equal(buf.len, 5);
	buf_add_char(&buf, '6');
	assert_true(buf.is_over);
	assert_int_equal(buf.len, 5);

	buf_clear(&buf);
	assert_false(buf.is_over);
	buf_add_z(&buf, "123");
	buf_addf(&buf, "%03d", 7);
	assert_true(buf.is_over);
	assert_string_equal(buf.ptr, "123");
	/* A short piece that would fit must not follow one that did not: the text would have a
	 * hole. */
	buf_add_char(&buf, 'x');
	buf_addf(&buf, "%s", "");
	assert_true(str_equal_z(buf_str(&buf), "123"));
	arena_free(&arena);
}

static void a_maximum_of_nothing_takes_nothing(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 4096);
	struct buf buf;
	buf_init(&buf, arena, 0);
	buf_add(&buf, STR(""));
	assert_false(buf.is_over);
	buf_add_char(&buf, 'a');
	assert_true(buf.is_over);
	assert_int_equal(buf_str(&buf).len, 0);
	arena_free(&arena);
}

static void stops_at_the_arenas_ceiling(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 1000);
	struct buf buf;
	buf_init(&buf, arena, SIZE_MAX);
	for (int i = 0; i < 1000 && !buf.is_over; i++)
		buf_add_z(&buf, "0123456789");
	assert_true(buf.is_over);
	assert_true(buf.len >= 500);
	assert_true(arena_used_bytes(arena) <= 1000);
	assert_int_equal(buf.ptr[buf.len], 0);
	arena_free(&arena);
}

static void asks_for_just_enough_where_doubling_is_too_much(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 700);
	struct buf buf;
	buf_init(&buf, arena, SIZE_MAX);
	buf_addf(&buf, "%0100d", 1);
	buf_addf(&buf, "%0450d", 2);
	assert_false(buf.is_over);
	assert_int_equal(buf_str(&buf).len, 550);
	assert_int_equal(buf.ptr[549], '2');
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(builds_text),
		cmocka_unit_test(grows_and_keeps_what_was_there),
		cmocka_unit_test(stops_at_the_maximum),
		cmocka_unit_test(a_maximum_of_nothing_takes_nothing),
		cmocka_unit_test(stops_at_the_arenas_ceiling),
		cmocka_unit_test(asks_for_just_enough_where_doubling_is_too_much),
	};
	return cmocka_run_group_tests_name("buf", tests, NULL, NULL);
}
