/* SPDX-License-Identifier: Apache-2.0
 * Tests of codec/form.h: decoding once and strictly, limits, encoding, and that what is written is
 * read back the same. */
#include "form.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "arena.h"
#include "buf.h"
#include "count_of.h"

/* From memory of exactly that size, so that reading past the end is seen. */
static enum err_kind parse_exact(struct arena *arena, struct str text, struct form *form,
				 struct error *err)
{
	char *copy = malloc(text.len > 0 ? text.len : 1);
	assert_non_null(copy);
	if (text.len > 0)
		memcpy(copy, text.ptr, text.len);
	const enum err_kind kind = form_parse(arena, (struct str){copy, text.len}, 0, form, err);
	free(copy);
	return kind;
}

static void reads_pairs_in_order(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		const char *pairs; /* [name:value] each */
	} rows[] = {
		{"a=1&b=2", "[a:1][b:2]"},
		{"a=1&a=2&a=", "[a:1][a:2][a:]"},
		{"a", "[a:]"},
		{"a&b", "[a:][b:]"},
		{"a==b=c", "[a:=b=c]"},
		{"=1", "[:1]"},
		{"=", "[:]"},
		{"", ""},
		{"&", ""},
		{"&&a=1&&", "[a:1]"},
		{"a+b=c+d%2B", "[a b:c d+]"},
		{"%61%3D%26=%20%25", "[a=&: %]"},
		{"a=%2525", "[a:%25]"},
		{"a=%c3%A4", "[a:\xc3\xa4]"},
		{"a=\xc3\xa4", "[a:\xc3\xa4]"},
		{"a=1;b=2", "[a:1;b=2]"},
		{"a=1#b?c", "[a:1#b?c]"},
	};
	struct arena *arena = arena_new("test", 1 << 20);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct form form;
		assert_int_equal(parse_exact(arena, str_of(rows[i].text), &form, NULL), ERR_NONE);
		struct str joined = {0};
		for (size_t p = 0; p < form.count; p++)
			joined = str_format(arena, STR_FMT "[" STR_FMT ":" STR_FMT "]",
					    STR_ARG(joined), STR_ARG(form.pairs[p].name),
					    STR_ARG(form.pairs[p].value));
		if (!str_equal_z(joined, rows[i].pairs))
			fail_msg("%s: " STR_FMT, rows[i].text, STR_ARG(joined));
	}
	arena_free(&arena);
}

static void refuses_what_is_broken(void **state)
{
	(void)state;
	static const char *const rows[] = {
		"a=%",    "a=%4",   "%4",       "a=%4g",    "a=%g4",       "a=1&b=%",
		"%=1",    "a=%%41", "a=% 1",    "a=%+1",    "a=%0x41",     "a=%ff",
		"a=\xff", "a=%c3",  "a=%c3%28", "%c0%af=1", "a=%ed%a0%80", "a=%f4%90%80%80"};
	struct arena *arena = arena_new("test", 65536);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct form form = {0};
		struct error err = {0};
		if (parse_exact(arena, str_of(rows[i]), &form, &err) != ERR_INVALID)
			fail_msg("%s", rows[i]);
		assert_int_equal(err.kind, ERR_INVALID);
		assert_null(form.pairs);
	}
	arena_free(&arena);
}

static void a_nul_is_decoded_and_seen(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 4096);
	struct form form;
	assert_int_equal(parse_exact(arena, STR("a%00b=%00"), &form, NULL), ERR_NONE);
	assert_int_equal(form.pairs[0].name.len, 3);
	assert_null(form_find(&form, "a"));
	arena_free(&arena);
}

static void limits_the_number_of_pairs(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 1 << 20);
	struct form form;
	struct error err;
	assert_int_equal(form_parse(arena, STR("a&b&c"), 3, &form, &err), ERR_NONE);
	assert_int_equal(form_parse(arena, STR("a&b&c&d"), 3, &form, &err), ERR_TOO_LARGE);
	struct buf buf;
	buf_init(&buf, arena, 10000);
	for (int i = 0; i < 256; i++)
		form_add(&buf, "k", STR("v"));
	assert_int_equal(form_parse(arena, buf_str(&buf), 0, &form, &err), ERR_NONE);
	assert_int_equal(form.count, 256);
	form_add(&buf, "k", STR("v"));
	assert_int_equal(form_parse(arena, buf_str(&buf), 0, &form, &err), ERR_TOO_LARGE);
	arena_free(&arena);
}

static void the_arenas_ceiling_is_too_large(void **state)
{
	(void)state;
	bool was_enough = false;
	for (size_t ceiling = 1; ceiling < 300; ceiling++) {
		struct arena *arena = arena_new("test", ceiling);
		struct form form;
		const enum err_kind kind =
			form_parse(arena, STR("name=value&other=%61%62"), 0, &form, NULL);
		assert_int_equal(kind, was_enough || kind == ERR_NONE ? ERR_NONE : ERR_TOO_LARGE);
		was_enough = kind == ERR_NONE;
		arena_free(&arena);
	}
	assert_true(was_enough);
}

static void finds_the_first_and_counts_all(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 4096);
	struct form form;
	assert_int_equal(form_parse(arena, STR("a=1&b=2&%61=3"), 0, &form, NULL), ERR_NONE);
	assert_true(str_equal_z(*form_find(&form, "a"), "1"));
	assert_null(form_find(&form, "A"));
	assert_int_equal(form_count(&form, "a"), 2);
	assert_int_equal(form_count(&form, "c"), 0);
	arena_free(&arena);
}

static void encodes_all_but_the_unreserved(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 65536);
	struct buf buf;
	buf_init(&buf, arena, 4096);
	percent_encode(&buf, STR("azAZ09-._~"));
	assert_true(str_equal_z(buf_str(&buf), "azAZ09-._~"));
	buf_clear(&buf);
	percent_encode(&buf, STR(" +&=%/?#[]@!$'()*,;:\"<>\\^`{|}\0\x7f\xc3\xa4"));
	assert_true(str_equal_z(buf_str(&buf),
				"%20%2B%26%3D%25%2F%3F%23%5B%5D%40%21%24%27%28%29%2A%2C%3B%3A"
				"%22%3C%3E%5C%5E%60%7B%7C%7D%00%7F%C3%A4"));
	buf_clear(&buf);
	form_add(&buf, "a b", STR("1&2"));
	form_add_str(&buf, STR("c="), (struct str){0});
	assert_true(str_equal_z(buf_str(&buf), "a%20b=1%262&c%3D="));
	arena_free(&arena);
}

static void what_is_written_is_read_back(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 65536);
	for (unsigned code_point = 0; code_point < 0x800; code_point++) {
		char bytes[2] = {(char)code_point, 0};
		size_t len = 1;
		if (code_point >= 0x80) {
			bytes[0] = (char)(0xc0 | code_point >> 6);
			bytes[1] = (char)(0x80 | (code_point & 0x3f));
			len = 2;
		}
		const struct str text = {bytes, len};
		struct buf buf;
		struct form form;
		struct str again;
		buf_init(&buf, arena, 64);
		form_add_str(&buf, text, text);
		assert_int_equal(form_parse(arena, buf_str(&buf), 0, &form, NULL), ERR_NONE);
		assert_int_equal(form.count, 1);
		assert_true(str_equal(form.pairs[0].name, text));
		assert_true(str_equal(form.pairs[0].value, text));
		buf_clear(&buf);
		percent_encode(&buf, text);
		assert_true(percent_decode(arena, buf_str(&buf), &again));
		assert_true(str_equal(again, text));
		arena_clear(arena);
	}
	arena_free(&arena);
}

static void percent_decode_leaves_plus_and_bytes(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 4096);
	struct str out = STR("untouched");
	assert_false(percent_decode(arena, STR("a%"), &out));
	assert_false(percent_decode(arena, STR("a%1"), &out));
	assert_false(percent_decode(arena, STR("%zz"), &out));
	assert_true(str_equal_z(out, "untouched"));
	assert_true(percent_decode(arena, STR("a+b%2F%ff"), &out));
	assert_true(str_equal_z(out, "a+b/\xff"));
	assert_true(percent_decode(arena, (struct str){0}, &out));
	assert_int_equal(out.len, 0);
	struct arena *small = arena_new("small", 4);
	assert_false(percent_decode(small, STR("12345"), &out));
	arena_free(&small);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_pairs_in_order),
		cmocka_unit_test(refuses_what_is_broken),
		cmocka_unit_test(a_nul_is_decoded_and_seen),
		cmocka_unit_test(limits_the_number_of_pairs),
		cmocka_unit_test(the_arenas_ceiling_is_too_large),
		cmocka_unit_test(finds_the_first_and_counts_all),
		cmocka_unit_test(encodes_all_but_the_unreserved),
		cmocka_unit_test(what_is_written_is_read_back),
		cmocka_unit_test(percent_decode_leaves_plus_and_bytes),
	};
	return cmocka_run_group_tests_name("form", tests, NULL, NULL);
}
