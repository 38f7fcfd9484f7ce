/* SPDX-License-Identifier: Apache-2.0
 * Tests of codec/json.h: what is read and what is refused, where, and at what cost; the readers. A
 * part of the refusals follows rules.md 3.2 (10,000-deep JSON, duplicate keys, invalid UTF-8,
 * ids above 2^53). */
#include "json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "arena.h"
#include "count_of.h"

#define CEILING_BYTES ((size_t)16 << 20)

/* From memory of exactly that size, so that reading past the end is seen. */
static enum err_kind parse_exact(struct arena *arena, struct str text,
				 const struct json_limits *limits, const struct json **json,
				 struct json_position *position, struct error *err)
{
	char *copy = malloc(text.len > 0 ? text.len : 1);
	assert_non_null(copy);
	if (text.len > 0)
		memcpy(copy, text.ptr, text.len);
	const enum err_kind kind =
		json_parse(arena, (struct str){copy, text.len}, limits, json, position, err);
	free(copy);
	return kind;
}

static const struct json *parsed(struct arena *arena, const char *text)
{
	const struct json *json = NULL;
	struct error err = {0};
	if (parse_exact(arena, str_of(text), NULL, &json, NULL, &err) != ERR_NONE)
		fail_msg("%s: %s", text, err.text);
	assert_non_null(json);
	return json;
}

static void reads_every_type(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", CEILING_BYTES);
	const struct json *root =
		parsed(arena, " {\"n\":null,\"t\":true,\"f\":false,\"i\":-12,\"r\":1.5e2,"
			      "\"s\":\"a\\u00e4\\ud83d\\udcef\\n\",\"a\":[1,[],{}],\"\":0} \n");
	assert_true(json_is(root, JSON_TYPE_OBJECT));
	assert_int_equal(root->count, 8);
	assert_true(str_equal_z(root->keys[0], "n"));
	assert_true(str_equal_z(root->keys[6], "a"));
	assert_true(json_is(json_get(root, "n"), JSON_TYPE_NULL));
	assert_true(json_bool(json_get(root, "t"), false));
	assert_false(json_bool(json_get(root, "f"), true));
	assert_int_equal(json_int(json_get(root, "i"), 0), -12);
	assert_true(json_is(json_get(root, "r"), JSON_TYPE_REAL));
	assert_true(json_get(root, "r")->real == 150.0);
	assert_true(str_equal_z(json_string(json_get(root, "s")), "a\xc3\xa4\xf0\x9f\x93\xaf\n"));
	const struct json *array = json_get(root, "a");
	assert_int_equal(array->count, 3);
	assert_int_equal(json_int(json_at(array, 0), 0), 1);
	assert_true(json_is(json_at(array, 1), JSON_TYPE_ARRAY));
	assert_int_equal(json_at(array, 1)->count, 0);
	assert_true(json_is(json_at(array, 2), JSON_TYPE_OBJECT));
	assert_int_equal(json_int(json_get(root, ""), 9), 0);
	arena_free(&arena);
}

static void a_root_may_be_any_value(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", CEILING_BYTES);
	assert_true(str_equal_z(json_string(parsed(arena, "\"x\"")), "x"));
	assert_int_equal(json_int(parsed(arena, "7"), 0), 7);
	assert_true(json_is_null(parsed(arena, "null")));
	assert_int_equal(parsed(arena, "[]")->count, 0);
	arena_free(&arena);
}

static void order_and_ids_are_kept(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", CEILING_BYTES);
	const struct json *root =
		parsed(arena, "{\"z\":9007199254740993,\"a\":-9223372036854775808,"
			      "\"m\":\"9223372036854775807\"}");
	assert_true(str_equal_z(root->keys[0], "z"));
	assert_true(str_equal_z(root->keys[1], "a"));
	assert_true(str_equal_z(root->keys[2], "m"));
	assert_int_equal(json_int(json_get(root, "z"), 0), INT64_C(9007199254740993));
	assert_int_equal(json_int(json_get(root, "a"), 0), INT64_MIN);
	assert_int_equal(json_int(json_get(root, "m"), 0), INT64_MAX);
	arena_free(&arena);
}

#define ROW(name, literal, line, column) \
	{ \
		name, {literal, sizeof(literal) - 1}, \
		{ \
			line, column \
		} \
	}

static const struct {
	const char *name;
	struct str text;
	struct json_position position; /* line 0 = not looked at */
} refused_rows[] = {
	ROW("nothing", "", 1, 1),
	ROW("blanks", "  ", 0, 0),
	ROW("trailing value", "{} {}", 0, 0),
	ROW("trailing comma", "[1,]", 0, 0),
	ROW("trailing byte", "1x", 0, 0),
	ROW("trailing NUL", "{}\0", 0, 0),
	ROW("byte order mark", "\xef\xbb\xbf{}", 0, 0),
	ROW("unclosed object", "{\"a\":1", 0, 0),
	ROW("unclosed string", "\"abc", 0, 0),
	ROW("ends in an escape", "\"abc\\", 0, 0),
	ROW("wrong bracket", "[1}", 0, 0),
	ROW("only closed", "]", 0, 0),
	ROW("missing colon", "{\"a\" 1}", 0, 0),
	ROW("key is no string", "{a:1}", 0, 0),
	ROW("single quotes", "{'a':1}", 0, 0),
	ROW("comment", "[1] // x", 0, 0),
	ROW("duplicate key", "{\"a\":1,\"a\":2}", 0, 0),
	ROW("duplicate key by escape", "{\"a\":1,\"\\u0061\":2}", 0, 0),
	ROW("duplicate key inside", "[{\"x\":{\"a\":1,\"b\":1,\"a\":2}}]", 0, 0),
	ROW("lone high surrogate", "\"\\ud83d\"", 0, 0),
	ROW("lone low surrogate", "\"\\udcef\"", 0, 0),
	ROW("high surrogate and text", "\"\\ud83dx\"", 0, 0),
	ROW("escaped NUL", "\"a\\u0000b\"", 0, 0),
	ROW("escaped NUL in a key", "{\"a\\u0000\":1}", 0, 0),
	ROW("raw control", "\"a\nb\"", 0, 0),
	ROW("raw NUL in a string", "\"a\0b\"", 0, 0),
	ROW("unknown escape", "\"\\x41\"", 0, 0),
	ROW("overlong UTF-8", "\"\xc0\xaf\"", 0, 0),
	ROW("raw surrogate", "\"\xed\xa0\x80\"", 0, 0),
	ROW("cut UTF-8", "\"\xe2\x82\"", 0, 0),
	ROW("stray byte", "\"\xff\"", 0, 0),
	ROW("UTF-16", "\0{\0}", 0, 0),
	ROW("integer above int64", "9223372036854775808", 0, 0),
	ROW("integer below int64", "[-9223372036854775809]", 0, 0),
	ROW("real out of range", "1e400", 0, 0),
	ROW("leading zero", "01", 0, 0),
	ROW("leading plus", "+1", 0, 0),
	ROW("no digit before the point", ".5", 0, 0),
	ROW("no digit after the point", "1.", 0, 0),
	ROW("hexadecimal", "0x10", 0, 0),
	ROW("NaN", "NaN", 0, 0),
	ROW("Infinity", "-Infinity", 0, 0),
	ROW("capital literal", "True", 0, 0),
	ROW("third line", "{\n \"a\": 1,\n \"b\": x\n}", 3, 7),
	ROW("behind wide characters", "[\"\xc3\xa4\xe2\x82\xac\", x]", 1, 8),
};

static void refuses_what_is_not_strict_json(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", CEILING_BYTES);
	for (size_t i = 0; i < COUNT_OF(refused_rows); i++) {
		const struct json *json = NULL;
		struct json_position position = {0};
		struct error err = {0};
		const enum err_kind kind =
			parse_exact(arena, refused_rows[i].text, NULL, &json, &position, &err);
		const struct json_position wanted = refused_rows[i].position;
		if (kind != ERR_INVALID || err.kind != ERR_INVALID || json != NULL ||
		    err.text[0] == '\0')
			fail_msg("%s: not refused", refused_rows[i].name);
		if (position.line < 1 || position.column < 1 ||
		    (wanted.line > 0 &&
		     (position.line != wanted.line || position.column != wanted.column)))
			fail_msg("%s: line %u, column %u", refused_rows[i].name, position.line,
				 position.column);
		arena_clear(arena);
	}
	arena_free(&arena);
}

static void error_texts_do_not_quote_the_input(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", CEILING_BYTES);
	static const char *const texts[] = {"{\"access_token\":\"hunter2\" hunter2}",
					    "{\"hunter2\":1,\"hunter2\":2}", "hunter2",
					    "[\"hunter2"};
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		const struct json *json;
		struct error err;
		assert_int_equal(json_parse(arena, str_of(texts[i]), NULL, &json, NULL, &err),
				 ERR_INVALID);
		assert_null(strstr(err.text, "hunter2"));
	}
	arena_free(&arena);
}

/* count times open, "1", count times close. */
static struct str nested(struct arena *arena, const char *open, const char *close, size_t count)
{
	struct str text = {0};
	char *bytes = arena_alloc(arena, count * (strlen(open) + strlen(close)) + 2);
	size_t len = 0;
	for (size_t i = 0; i < count; i++, len += strlen(open))
		memcpy(bytes + len, open, strlen(open));
	bytes[len++] = '1';
	for (size_t i = 0; i < count; i++, len += strlen(close))
		memcpy(bytes + len, close, strlen(close));
	text = (struct str){bytes, len};
	return text;
}

static void refuses_depth_before_recursing(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", CEILING_BYTES);
	const struct json *json = NULL;
	struct json_position position;
	struct error err;
	static const struct {
		const char *open;
		const char *close;
		size_t count;
		unsigned depth_max;
		enum err_kind kind;
	} rows[] = {
		{"[", "]", 32, 0, ERR_NONE},        {"[", "]", 33, 0, ERR_INVALID},
		{"{\"a\":", "}", 32, 0, ERR_NONE},  {"{\"a\":", "}", 33, 0, ERR_INVALID},
		{"[", "]", 3, 3, ERR_NONE},         {"[", "]", 4, 3, ERR_INVALID},
		{"[", "]", 10000, 0, ERR_INVALID},  {"[", "]", 1000000, 0, ERR_INVALID},
		{"[", "", 1000000, 0, ERR_INVALID}, {"{\"a\":[", "]}", 100000, 0, ERR_INVALID},
		{"[", "]", 40, 100, ERR_NONE},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct json_limits limits = {.depth_max = rows[i].depth_max};
		const struct str text = nested(arena, rows[i].open, rows[i].close, rows[i].count);
		if (parse_exact(arena, text, &limits, &json, &position, &err) != rows[i].kind)
			fail_msg("row %zu", i);
		arena_clear(arena);
	}
	assert_int_equal(
		parse_exact(arena, nested(arena, "[", "]", 33), NULL, &json, &position, &err),
		ERR_INVALID);
	assert_int_equal(position.line, 1);
	assert_int_equal(position.column, 33);
	/* Lines and columns as people count them: characters, not bytes. */
	const struct json_limits flat = {.depth_max = 1};
	assert_int_equal(parse_exact(arena, STR("[1,\n\"\xc3\xa4\xe2\x82\xac\",[]]"), &flat, &json,
				     &position, &err),
			 ERR_INVALID);
	assert_int_equal(position.line, 2);
	assert_int_equal(position.column, 6);
	arena_free(&arena);
}

static void brackets_in_strings_are_no_depth(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", CEILING_BYTES);
	const struct json_limits limits = {.depth_max = 1, .nodes_max = 3};
	const struct json *json = NULL;
	const struct str text = STR("[\"[[[{{{,,,,\\\"[[[[,,\\\\\", \"]]]\"]");
	assert_int_equal(parse_exact(arena, text, &limits, &json, NULL, NULL), ERR_NONE);
	assert_int_equal(json->count, 2);
	/* An escaped backslash ends before the quote: the bracket behind it is one. */
	assert_int_equal(parse_exact(arena, STR("[\"\\\\\",[]]"), &limits, &json, NULL, NULL),
			 ERR_INVALID);
	arena_free(&arena);
}

static void counts_values_exactly(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", CEILING_BYTES);
	static const struct {
		const char *text;
		unsigned nodes;
	} rows[] = {
		{"1", 1},          {"[]", 1},   {"[ \n ]", 1},  {"{ }", 1},
		{"[1]", 2},        {"[[]]", 2}, {"[1,2,3]", 4}, {"{\"a\":1,\"b\":[true,null]}", 5},
		{"[[],[],{}]", 4},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct json *json;
		const struct json_limits enough = {.nodes_max = rows[i].nodes};
		const struct json_limits less = {.nodes_max = rows[i].nodes - 1};
		assert_int_equal(
			json_parse(arena, str_of(rows[i].text), &enough, &json, NULL, NULL),
			ERR_NONE);
		if (less.nodes_max > 0)
			assert_int_equal(
				json_parse(arena, str_of(rows[i].text), &less, &json, NULL, NULL),
				ERR_INVALID);
	}
	/* The default: 10,000 with the array itself. */
	char text[20002] = "[";
	for (size_t i = 0; i < 10000; i++)
		memcpy(text + 1 + 2 * i, "1,", 2);
	const struct json *json;
	struct error err;
	text[2 * 9999] = ']';
	assert_int_equal(
		json_parse(arena, (struct str){text, 2 * 9999 + 1}, NULL, &json, NULL, &err),
		ERR_NONE);
	assert_int_equal(json->count, 9999);
	text[2 * 9999] = ',';
	text[2 * 10000] = ']';
	assert_int_equal(
		json_parse(arena, (struct str){text, 2 * 10000 + 1}, NULL, &json, NULL, &err),
		ERR_INVALID);
	arena_free(&arena);
}

static void keys_have_a_maximum(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", CEILING_BYTES);
	const struct json *json;
	struct json_position position;
	struct error err;
	for (size_t len = 255; len <= 257; len++) {
		const struct str text = str_format(arena, "{\"%0*d\":\"%0400d\"}", (int)len, 7, 8);
		assert_int_equal(json_parse(arena, text, NULL, &json, &position, &err),
				 len <= 256 ? ERR_NONE : ERR_INVALID);
	}
	assert_int_equal(position.column, 1 + 1 + 257 + 2);
	arena_free(&arena);
}

static void the_arenas_ceiling_is_too_large(void **state)
{
	(void)state;
	/* Every ceiling from far too small to enough: never a crash, never half a tree, nothing
	 * leaked. */
	const struct str text =
		STR("{\"a\":[1,2,3,{\"b\":\"some text\"}],\"c\":\"more text\",\"d\":{}}");
	bool was_enough = false;
	for (size_t ceiling = 1; ceiling < 2000; ceiling++) {
		struct arena *arena = arena_new("test", ceiling);
		const struct json *json = NULL;
		struct error err = {0};
		const enum err_kind kind = json_parse(arena, text, NULL, &json, NULL, &err);
		if (kind == ERR_NONE) {
			was_enough = true;
			assert_true(str_equal_z(json_string(json_get(json, "c")), "more text"));
		} else {
			assert_int_equal(kind, ERR_TOO_LARGE);
			assert_null(json);
			assert_false(was_enough);
		}
		arena_free(&arena);
	}
	assert_true(was_enough);
}

static void every_truncation_is_refused(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", CEILING_BYTES);
	const struct str text =
		STR("{\"a\":[1,-2.5e1,\"\\u00e4\xe2\x82\xac\\\\\"],\"b\":{\"c\":null,\"d\":true}}");
	const struct json *json;
	for (size_t len = 0; len < text.len; len++) {
		assert_int_equal(
			parse_exact(arena, str_slice(text, 0, len), NULL, &json, NULL, NULL),
			ERR_INVALID);
		arena_clear(arena);
	}
	assert_int_equal(parse_exact(arena, text, NULL, &json, NULL, NULL), ERR_NONE);
	arena_free(&arena);
}

static void many_keys_are_no_quadratic_work(void **state)
{
	(void)state;
	/* 9,998 keys in one object; with a scan for each this takes visibly long under the
	 * sanitizers, so the point is that it ends and is right. */
	struct arena *arena = arena_new("test", CEILING_BYTES);
	char *text = malloc(300000);
	size_t len = 0;
	assert_non_null(text);
	text[len++] = '{';
	for (int i = 0; i < 9998; i++)
		len += (size_t)snprintf(text + len, 64, "%s\"key%d\":%d", i > 0 ? "," : "", i, i);
	text[len++] = '}';
	const struct json *json;
	assert_int_equal(json_parse(arena, (struct str){text, len}, NULL, &json, NULL, NULL),
			 ERR_NONE);
	free(text);
	assert_int_equal(json->count, 9998);
	assert_int_equal(json_int(json_get(json, "key9997"), 0), 9997);
	assert_true(str_equal_z(json->keys[5000], "key5000"));
	arena_free(&arena);
}

static void readers_take_absence_and_wrong_types(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", CEILING_BYTES);
	const struct json *root = parsed(
		arena,
		"{\"s\":\"12\",\"i\":12,\"r\":1.0,\"n\":null,\"a\":[1],\"x\":\"12a\",\"e\":\"\"}");
	assert_null(json_get(NULL, "a"));
	assert_null(json_get(json_get(root, "a"), "b"));
	assert_null(json_get(root, "nothing"));
	assert_null(json_at(root, 0));
	assert_null(json_at(json_get(root, "a"), 1));
	assert_null(json_at(NULL, 0));
	assert_int_equal(json_string(json_get(root, "i")).len, 0);
	assert_null(json_string(NULL).ptr);
	assert_false(json_is(NULL, JSON_TYPE_NULL));
	assert_true(json_is_null(NULL));
	assert_true(json_is_null(json_get(root, "n")));
	assert_false(json_is_null(json_get(root, "e")));
	assert_int_equal(json_int(json_get(root, "s"), -1), 12);
	assert_int_equal(json_int(json_get(root, "x"), -1), -1);
	assert_int_equal(json_int(json_get(root, "e"), -1), -1);
	assert_int_equal(json_int(json_get(root, "r"), -1), -1);
	assert_int_equal(json_int(NULL, -1), -1);
	assert_true(json_bool(json_get(root, "i"), true));
	assert_true(str_equal_z(json_text(arena, json_get(root, "s")), "12"));
	assert_true(str_equal_z(json_text(arena, json_get(root, "i")), "12"));
	assert_int_equal(json_text(arena, json_get(root, "r")).len, 0);
	assert_int_equal(json_text(arena, json_get(root, "n")).len, 0);
	assert_int_equal(json_text(arena, NULL).len, 0);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_every_type),
		cmocka_unit_test(a_root_may_be_any_value),
		cmocka_unit_test(order_and_ids_are_kept),
		cmocka_unit_test(refuses_what_is_not_strict_json),
		cmocka_unit_test(error_texts_do_not_quote_the_input),
		cmocka_unit_test(refuses_depth_before_recursing),
		cmocka_unit_test(brackets_in_strings_are_no_depth),
		cmocka_unit_test(counts_values_exactly),
		cmocka_unit_test(keys_have_a_maximum),
		cmocka_unit_test(the_arenas_ceiling_is_too_large),
		cmocka_unit_test(every_truncation_is_refused),
		cmocka_unit_test(many_keys_are_no_quadratic_work),
		cmocka_unit_test(readers_take_absence_and_wrong_types),
	};
	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
