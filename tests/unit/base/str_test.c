/* SPDX-License-Identifier: Apache-2.0
 * Tests of base/str.h: looking, comparing, cutting, cursor readers, numbers. */
#include "count_of.h"
#include "str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"

#define CHECK(name, condition) \
	do { \
		if (!(condition)) \
			fail_msg("%s: %s", (name), #condition); \
	} while (0)

static const struct str empty = {0};

static void compares_bytes_and_lengths(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		struct str a;
		struct str b;
		bool is_equal;
		bool is_equal_nocase;
		int order;
	} rows[] = {
		{"both empty", {NULL, 0}, {"", 0}, true, true, 0},
		{"same", {"abc", 3}, {"abc", 3}, true, true, 0},
		{"prefix", {"ab", 2}, {"abc", 3}, false, false, -1},
		{"longer", {"abc", 3}, {"ab", 2}, false, false, 1},
		{"case", {"aBc", 3}, {"AbC", 3}, false, true, 1},
		{"high bytes are unsigned", {"\xff", 1}, {"a", 1}, false, false, 1},
		{"@ and ` differ by the case bit", {"@", 1}, {"`", 1}, false, false, -1},
		{"[ and { differ by the case bit", {"[", 1}, {"{", 1}, false, false, -1},
		{"NUL is a byte", {"a\0b", 3}, {"a\0c", 3}, false, false, -1},
		{"empty before all", {NULL, 0}, {"\0", 1}, false, false, -1},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const int order = str_compare(rows[i].a, rows[i].b);
		CHECK(rows[i].name, str_equal(rows[i].a, rows[i].b) == rows[i].is_equal);
		CHECK(rows[i].name,
		      str_equal_nocase(rows[i].a, rows[i].b) == rows[i].is_equal_nocase);
		CHECK(rows[i].name, (order > 0) - (order < 0) == rows[i].order);
	}
	assert_true(str_equal_z(STR("ab"), "ab"));
	assert_false(str_equal_z(STR("ab"), "abc"));
	assert_true(str_equal_z(empty, NULL));
}

static void finds(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		struct str in;
		struct str needle;
		size_t from;
		size_t at;
	} rows[] = {
		{"first", {"abcabc", 6}, {"bc", 2}, 0, 1},
		{"after from", {"abcabc", 6}, {"bc", 2}, 2, 4},
		{"overlapping start", {"aaab", 4}, {"aab", 3}, 0, 1},
		{"none", {"abc", 3}, {"d", 1}, 0, SIZE_MAX},
		{"longer needle", {"ab", 2}, {"abc", 3}, 0, SIZE_MAX},
		{"empty needle", {"ab", 2}, {"", 0}, 1, 1},
		{"empty needle at the end", {"ab", 2}, {"", 0}, 2, 2},
		{"from past the end", {"ab", 2}, {"", 0}, 3, SIZE_MAX},
		{"in nothing", {NULL, 0}, {"a", 1}, 0, SIZE_MAX},
		{"through a NUL", {"a\0bc", 4}, {"bc", 2}, 0, 2},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		CHECK(rows[i].name,
		      str_find(rows[i].in, rows[i].needle, rows[i].from) == rows[i].at);
	assert_int_equal(str_find_char(STR("a.b.c"), '.', 0), 1);
	assert_int_equal(str_find_char(STR("a.b.c"), '.', 2), 3);
	assert_int_equal(str_find_char(STR("a.b.c"), '.', 4), SIZE_MAX);
	assert_int_equal(str_find_char(STR("a"), 'a', SIZE_MAX), SIZE_MAX);
	assert_int_equal(str_find_char(empty, 'a', 0), SIZE_MAX);
}

static void slices_are_cut_to_the_length(void **state)
{
	(void)state;
	assert_true(str_equal_z(str_slice(STR("abcd"), 1, 3), "bc"));
	assert_true(str_equal_z(str_slice(STR("abcd"), 2, 99), "cd"));
	assert_int_equal(str_slice(STR("abcd"), 99, 100).len, 0);
	assert_int_equal(str_slice(STR("abcd"), 3, 1).len, 0);
	assert_int_equal(str_slice(empty, 1, 3).len, 0);
	assert_null(str_slice(empty, 1, 3).ptr);
	assert_true(str_has_prefix(STR("abc"), STR("ab")));
	assert_false(str_has_prefix(STR("a"), STR("ab")));
	assert_true(str_has_prefix(STR("a"), STR("")));
	assert_true(str_has_suffix(STR("abc"), STR("bc")));
	assert_false(str_has_suffix(STR("c"), STR("bc")));
	assert_false(str_has_suffix(STR("abx"), STR("b")));
	assert_true(str_has_suffix(empty, STR("")));
}

static void trims_only_the_ends(void **state)
{
	(void)state;
	assert_true(str_equal_z(str_trim(STR(" \t\r\na b\n ")), "a b"));
	assert_int_equal(str_trim(STR(" \t ")).len, 0);
	assert_int_equal(str_trim(empty).len, 0);
	assert_true(str_equal_z(str_trim(STR("\va\f")), "\va\f"));
}

static void knows_control_bytes(void **state)
{
	(void)state;
	assert_false(str_has_control(STR(" ~\x80\xff")));
	assert_true(str_has_control(STR("a\x1f")));
	assert_true(str_has_control(STR("\x7f")));
	assert_true(str_has_control(STR("a\0b")));
	assert_false(str_has_control(empty));
}

static void copies_own_their_bytes(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 4096);
	char source[] = "MiXed";
	const struct str copy = str_copy(arena, str_of(source));
	const char *z = str_z(arena, str_slice(copy, 0, 3));
	source[0] = '!';
	assert_true(str_equal_z(copy, "MiXed"));
	assert_string_equal(z, "MiX");
	assert_string_equal(str_z(arena, empty), "");
	assert_true(str_equal_z(str_lower(arena, STR("AZ[@\xc3\x84"
						     "az")),
				"az[@\xc3\x84"
				"az"));
	assert_true(str_equal_z(str_concat(arena, STR("ab"), STR("cd")), "abcd"));
	assert_true(str_equal_z(str_concat(arena, empty, STR("cd")), "cd"));
	assert_true(str_equal_z(str_concat(arena, STR("ab"), empty), "ab"));
	assert_true(str_equal_z(str_format(arena, "%d-" STR_FMT, 7, STR_ARG(STR("x"))), "7-x"));
	assert_true(str_equal_z(str_format(arena, STR_FMT, STR_ARG(empty)), ""));
	arena_free(&arena);
}

static void formats_long_text_whole(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 65536);
	const struct str text = str_format(arena, "%5000d|", 1);
	assert_int_equal(text.len, 5001);
	assert_int_equal(text.ptr[5000], '|');
	arena_free(&arena);
}

static void readers_advance_only_on_success(void **state)
{
	(void)state;
	struct str in = STR("key=12;rest");
	struct str out = STR("untouched");
	assert_false(str_skip(&in, STR("kex")));
	assert_false(str_take_until(&in, '?', &out));
	assert_true(str_equal_z(in, "key=12;rest"));
	assert_true(str_equal_z(out, "untouched"));
	assert_true(str_take_until(&in, '=', &out));
	assert_true(str_equal_z(out, "key"));
	assert_true(str_equal_z(in, "=12;rest"));
	assert_true(str_skip(&in, STR("=")));
	uint64_t number = 0;
	assert_true(str_take_u64(&in, 20, &number));
	assert_int_equal(number, 12);
	assert_false(str_take_u64(&in, 20, &number));
	assert_true(str_equal_z(in, ";rest"));
}

static void takes_at_most_so_many_digits(void **state)
{
	(void)state;
	struct str in = STR("20261121");
	uint64_t number = 0;
	assert_true(str_take_u64(&in, 4, &number));
	assert_int_equal(number, 2026);
	assert_true(str_equal_z(in, "1121"));
	assert_false(str_take_u64(&in, 0, &number));
	struct str over = STR("18446744073709551616");
	assert_false(str_take_u64(&over, 30, &number));
	assert_int_equal(over.len, 20);
	assert_int_equal(number, 2026);
}

static void takes_fields_to_the_end(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		struct str list;
		const char *joined; /* each field in brackets */
	} rows[] = {
		{"three", {"a,b,c", 5}, "[a][b][c]"},
		{"one", {"a", 1}, "[a]"},
		{"empty between", {"a,,c", 4}, "[a][][c]"},
		{"separator last", {"a,", 2}, "[a][]"},
		{"separator only", {",", 1}, "[][]"},
		{"empty text", {"", 0}, "[]"},
		{"nothing", {NULL, 0}, ""},
	};
	struct arena *arena = arena_new("test", 65536);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct str list = rows[i].list;
		struct str joined = {0};
		struct str field;
		while (str_take_field(&list, ',', &field))
			joined = str_format(arena, STR_FMT "[" STR_FMT "]", STR_ARG(joined),
					    STR_ARG(field));
		CHECK(rows[i].name, str_equal_z(joined, rows[i].joined));
		CHECK(rows[i].name, list.ptr == NULL);
	}
	arena_free(&arena);
}

static void parses_whole_numbers(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		bool is_i64;
		int64_t i64;
		bool is_u64;
		uint64_t u64;
	} rows[] = {
		{"0", true, 0, true, 0},
		{"-0", true, 0, false, 0},
		{"007", true, 7, true, 7},
		{"9223372036854775807", true, INT64_MAX, true, INT64_MAX},
		{"9223372036854775808", false, 0, true, UINT64_C(9223372036854775808)},
		{"-9223372036854775808", true, INT64_MIN, false, 0},
		{"-9223372036854775809", false, 0, false, 0},
		{"18446744073709551615", false, 0, true, UINT64_MAX},
		{"18446744073709551616", false, 0, false, 0},
		{"99999999999999999999", false, 0, false, 0},
		{"", false, 0, false, 0},
		{"-", false, 0, false, 0},
		{"--1", false, 0, false, 0},
		{"+1", false, 0, false, 0},
		{" 1", false, 0, false, 0},
		{"1 ", false, 0, false, 0},
		{"1.0", false, 0, false, 0},
		{"0x1", false, 0, false, 0},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		int64_t i64 = 0;
		uint64_t u64 = 0;
		CHECK(rows[i].text, str_parse_i64(str_of(rows[i].text), &i64) == rows[i].is_i64);
		CHECK(rows[i].text, i64 == rows[i].i64);
		CHECK(rows[i].text, str_parse_u64(str_of(rows[i].text), &u64) == rows[i].is_u64);
		CHECK(rows[i].text, u64 == rows[i].u64);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compares_bytes_and_lengths),
		cmocka_unit_test(finds),
		cmocka_unit_test(slices_are_cut_to_the_length),
		cmocka_unit_test(trims_only_the_ends),
		cmocka_unit_test(knows_control_bytes),
		cmocka_unit_test(copies_own_their_bytes),
		cmocka_unit_test(formats_long_text_whole),
		cmocka_unit_test(readers_advance_only_on_success),
		cmocka_unit_test(takes_at_most_so_many_digits),
		cmocka_unit_test(takes_fields_to_the_end),
		cmocka_unit_test(parses_whole_numbers),
	};
	return cmocka_run_group_tests_name("str", tests, NULL, NULL);
}
