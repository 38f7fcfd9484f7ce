/* SPDX-License-Identifier: Apache-2.0
 * Tests of codec/json_plain.h: what is plain, and what is left to jansson. That both read the same
 * is also fuzzed (tests/fuzz/codec_json_plain.c). */
#include "json_plain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "buf.h"
#include "count_of.h"

#define CEILING_BYTES ((size_t)16 << 20)

static const struct json_plain_limits usual = {32, 10000};

/* From memory of exactly that size, which is gone afterwards: the tree must not need it. */
static const struct json *plain(struct arena *arena, struct str text,
				const struct json_plain_limits *limits)
{
	const struct json *json = NULL;
	char *copy = malloc(text.len > 0 ? text.len : 1);
	assert_non_null(copy);
	if (text.len > 0)
		memcpy(copy, text.ptr, text.len);
	const bool is_plain = json_plain_parse(arena, (struct str){copy, text.len}, limits, &json);
	memset(copy, 'x', text.len);
	free(copy);
	assert_true(is_plain == (json != NULL));
	return json;
}

static void assert_same(const struct json *a, const struct json *b)
{
	assert_int_equal(a->type, b->type);
	assert_int_equal(a->boolean, b->boolean);
	assert_int_equal(a->integer, b->integer);
	assert_true(str_equal(a->string, b->string));
	assert_int_equal(a->count, b->count);
	for (size_t i = 0; i < a->count; i++) {
		if (a->type == JSON_TYPE_OBJECT)
			assert_true(str_equal(a->keys[i], b->keys[i]));
		assert_same(&a->items[i], &b->items[i]);
	}
}

static const char *const plain_texts[] = {
	"{}",
	"[]",
	"null",
	" \t\r\n[ true , false,null ] ",
	"0",
	"-0",
	"123456789012345678",
	"[-123456789012345678,1]",
	"\"\"",
	"\"1234567\"",
	"\"12345678\"",
	"\"1234567\\n\"",
	"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
	"\"escapes \\n in \\t between, and \\\\\"",
	"\"\x7f\xc2\x80\xc3\xa4\xe2\x82\xac\xf0\x9f\x93\xaf\"",
	"{\"a\":{\"a\":{\"a\":[[[]]]}},\"\":1}",
	"{\"z\":1,\"a\":2,\"\\n\":3}",
	"{\"ids\":[\"1\",\"2\"],\"content\":\"12345678901234567890\",\"at\":null,\"n\":[1,[],{}]}",
};

/* Beside a text with \u the same text goes the other way. */
static void reads_what_jansson_reads(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", CEILING_BYTES);
	for (size_t i = 0; i < COUNT_OF(plain_texts); i++) {
		const struct json *ours = plain(arena, str_of(plain_texts[i]), &usual);
		const struct json *both = NULL;
		if (ours == NULL)
			fail_msg("not plain: %s", plain_texts[i]);
		assert_int_equal(json_parse(arena,
					    str_format(arena, "[%s,\"\\u0061\"]", plain_texts[i]),
					    NULL, &both, NULL, NULL),
				 ERR_NONE);
		assert_same(ours, &both->items[0]);
		arena_clear(arena);
	}
	arena_free(&arena);
}

#define ROW(literal) \
	{ \
		literal, sizeof(literal) - 1 \
	}

static const struct str other_texts[] = {
	ROW(""),
	ROW(" "),
	ROW("{} {}"),
	ROW("[]x"),
	ROW("{}\0"),
	ROW("{}]"),
	ROW("1 2"),
	ROW("\"a\" \"b\""),
	ROW("\xef\xbb\xbf{}"),
	ROW("[1,]"),
	ROW("[,1]"),
	ROW("[1 2]"),
	ROW("[1}"),
	ROW("{\"a\"}"),
	ROW("{\"a\":}"),
	ROW("{\"a\":1,}"),
	ROW("{a:1}"),
	ROW("{\"a\":1,\"a\":2}"),
	ROW("{\"\\n\":1,\"\\n\":2}"),
	ROW("[{\"x\":{\"a\":1,\"b\":1,\"a\":2}}]"),
	ROW("{\"a\":1"),
	ROW("[\"a"),
	ROW("\"12345678"),
	ROW("\"a\\"),
	ROW("\"\\u0061\""),
	ROW("\"\\x\""),
	ROW("\"\\\0\""),
	ROW("\"a\nb\""),
	ROW("\"1234567890\nb\""),
	ROW("\"a\0b\""),
	ROW("\"\xc0\xaf\""),
	ROW("\"\xed\xa0\x80\""),
	ROW("\"\xe2\x82\""),
	ROW("\"\xc3\\n\xa4\""),
	ROW("\"1234567890123456\xff\""),
	ROW("01"),
	ROW("-"),
	ROW("-01"),
	ROW("+1"),
	ROW(".5"),
	ROW("1."),
	ROW("1.5"),
	ROW("1e3"),
	ROW("1E3"),
	ROW("1234567890123456789"),
	ROW("nul"),
	ROW("nulls"),
	ROW("True"),
	ROW("tru"),
	ROW("NaN"),
};

static void leaves_the_rest(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", CEILING_BYTES);
	for (size_t i = 0; i < COUNT_OF(other_texts); i++) {
		if (plain(arena, other_texts[i], &usual) != NULL)
			fail_msg("row %zu is taken for plain: " STR_FMT, i,
				 STR_ARG(other_texts[i]));
		arena_clear(arena);
	}
	arena_free(&arena);
}

/* Before this was seen, a text that went on after its end had a result all the same. */
static void text_that_follows_is_a_fault(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", CEILING_BYTES);
	for (size_t i = 0; i < COUNT_OF(plain_texts); i++) {
		static const char *const more[] = {"{}", " x", ",", "]", "\"", " 1", "\xff"};
		for (size_t j = 0; j < COUNT_OF(more); j++) {
			const struct str text = str_format(arena, "%s%s", plain_texts[i], more[j]);
			const struct json *json = NULL;
			struct error err = {0};
			assert_null(plain(arena, text, &usual));
			assert_int_equal(json_parse(arena, text, NULL, &json, NULL, &err),
					 ERR_INVALID);
			assert_null(json);
		}
		arena_clear(arena);
	}
	arena_free(&arena);
}

/* The parts of a text that has something many times, and its counterpart as often. */
struct series {
	const char *before, *each, *between, *counterpart, *after;
};

static struct str text_of(struct arena *arena, const struct series *series, size_t count)
{
	struct buf out;
	buf_init(&out, arena, CEILING_BYTES);
	buf_add_z(&out, series->before);
	for (size_t i = 0; i < count; i++) {
		struct str each = str_of(series->each);
		struct str head;
		if (str_take_until(&each, '#', &head)) {
			buf_add(&out, head);
			buf_add_i64(&out, (int64_t)i);
			(void)str_skip(&each, STR("#"));
		}
		buf_add(&out, each);
	}
	buf_add_z(&out, series->between);
	for (size_t i = 0; i < count; i++)
		buf_add_z(&out, series->counterpart);
	buf_add_z(&out, series->after);
	return buf_str(&out);
}

/* Each maximum, and one more. */
static void has_maxima(void **state)
{
	(void)state;
	static const struct {
		struct series series; /* # is the number */
		size_t max;
		struct json_plain_limits limits;
	} rows[] = {
		{{"[0", ",#", "", "", "]"}, 63, {32, 10000}},
		{{"{\"a\":0", ",\"#\":0", "", "", "}"}, 63, {32, 10000}},
		{{"", "[", "1", "]", ""}, 32, {100, 10000}},
		{{"", "{\"a\":", "1", "}", ""}, 32, {100, 10000}},
		{{"", "[", "1", "]", ""}, 3, {3, 10000}},
		{{"[0", ",#", "", "", "]"}, 8, {32, 10}},
		{{"[0", ",[[],#]", "", "", "]"}, 61, {32, 10000}},
		{{"{\"", "k", "", "", "\":1}"}, 256, {32, 10000}},
		{{"{\"\\n", "k", "", "", "\":1}"}, 254, {32, 10000}},
		{{"\"", "a", "", "", "\""}, 65534, {32, 10000}},
	};
	struct arena *arena = arena_new("test", CEILING_BYTES);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		for (size_t more = 0; more < 2; more++) {
			const struct str text = text_of(arena, &rows[i].series, rows[i].max + more);
			if ((plain(arena, text, &rows[i].limits) != NULL) != (more == 0))
				fail_msg("row %zu, %zu more", i, more);
			arena_clear(arena);
		}
	}
	arena_free(&arena);
}

/* Arrays in arrays: what is closed no longer counts as open. */
static void closed_containers_are_off_the_stack(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", CEILING_BYTES);
	static const struct series series = {"[[]", ",[#,{\"a\":[1,2,3,4,5]}]", "", "", "]"};
	const struct str text = text_of(arena, &series, 50);
	const struct json *json = plain(arena, text, &usual);
	assert_non_null(json);
	assert_int_equal(json->count, 51);
	for (size_t i = 1; i < json->count; i++) {
		assert_int_equal(json_int(json_at(&json->items[i], 0), -1), (int)i - 1);
		assert_int_equal(json_get(json_at(&json->items[i], 1), "a")->count, 5);
	}
	arena_free(&arena);
}

static void an_arena_without_room_is_not_plain(void **state)
{
	(void)state;
	const struct str text = str_of(plain_texts[COUNT_OF(plain_texts) - 1]);
	bool was_enough = false;
	for (size_t ceiling = 1; ceiling < 4000; ceiling++) {
		struct arena *arena = arena_new("test", ceiling);
		const bool is_plain = plain(arena, text, &usual) != NULL;
		assert_true(is_plain || !was_enough);
		was_enough = is_plain;
		arena_free(&arena);
	}
	assert_true(was_enough);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_jansson_reads),
		cmocka_unit_test(leaves_the_rest),
		cmocka_unit_test(text_that_follows_is_a_fault),
		cmocka_unit_test(has_maxima),
		cmocka_unit_test(closed_containers_are_off_the_stack),
		cmocka_unit_test(an_arena_without_room_is_not_plain),
	};
	return cmocka_run_group_tests_name("json_plain", tests, NULL, NULL);
}
