/* SPDX-License-Identifier: Apache-2.0
 * Tests of codec/base64.h: RFC 4648's own vectors (section 10), strictness, and every short
 * text. */
#include "base64.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "count_of.h"

static const struct {
	struct str bytes;
	const char *text;
	const char *url_text;
} rows[] = {
	{{"", 0}, "", ""},
	{{"f", 1}, "Zg==", "Zg"},
	{{"fo", 2}, "Zm8=", "Zm8"},
	{{"foo", 3}, "Zm9v", "Zm9v"},
	{{"foob", 4}, "Zm9vYg==", "Zm9vYg"},
	{{"fooba", 5}, "Zm9vYmE=", "Zm9vYmE"},
	{{"foobar", 6}, "Zm9vYmFy", "Zm9vYmFy"},
	{{"\xfb\xff\xfe", 3}, "+//+", "-__-"},
	{{"\0\0\0\0", 4}, "AAAAAA==", "AAAAAA"},
	{{"\xff\xff", 2}, "//8=", "__8"},
};

static void encodes_and_decodes(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 65536);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct str bytes = STR("untouched");
		assert_true(str_equal_z(base64_encode(arena, rows[i].bytes), rows[i].text));
		assert_true(str_equal_z(base64url_encode(arena, rows[i].bytes), rows[i].url_text));
		assert_true(base64_decode(arena, str_of(rows[i].text), &bytes));
		assert_true(str_equal(bytes, rows[i].bytes));
		assert_true(base64url_decode(arena, str_of(rows[i].url_text), &bytes));
		assert_true(str_equal(bytes, rows[i].bytes));
	}
	assert_int_equal(base64_encode(arena, (struct str){0}).len, 0);
	arena_free(&arena);
}

static void refuses_other_spellings(void **state)
{
	(void)state;
	static const char *const standard[] = {
		"Zg",   "Zg=",   "Zg===", "Zg==Zg==", "=",          "==",    "====",
		"Z===", "Zm8",   "Zm8==", "Zm9v=",    "Zm9v====",   "Zh==",  "Zm9=",
		"Z",    "Zm9vY", "Zm9 ",  " Zm9",     "Zm9v\n",     "Zm\n9", "-__-",
		"Zm9*", "Zg=A",  "=Zg=",  "Z=g=",     "\xc3\xa4==",
	};
	static const char *const url_safe[] = {"Zg==", "Zm8=", "Z",    "A",      "AAAAA", "Zm9vY",
					       "Zh",   "Zm9",  "+//+", "Zm9v\n", "Zg=",   "Zm 8"};
	struct arena *arena = arena_new("test", 65536);
	struct str bytes = STR("untouched");
	for (size_t i = 0; i < COUNT_OF(standard); i++) {
		if (base64_decode(arena, str_of(standard[i]), &bytes))
			fail_msg("standard: %s", standard[i]);
	}
	for (size_t i = 0; i < COUNT_OF(url_safe); i++) {
		if (base64url_decode(arena, str_of(url_safe[i]), &bytes))
			fail_msg("URL-safe: %s", url_safe[i]);
	}
	assert_true(str_equal_z(bytes, "untouched"));
	arena_free(&arena);
}

/* Of all texts of 2 bytes those decode that encode a byte: 256, and each to its own. */
static void each_value_has_one_text(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 65536);
	unsigned decoded = 0;
	for (unsigned pair = 0; pair < 0x10000; pair++) {
		const char text[] = {(char)(pair >> 8), (char)(pair & 0xff)};
		struct str bytes;
		if (!base64url_decode(arena, (struct str){text, 2}, &bytes))
			continue;
		decoded++;
		assert_int_equal(bytes.len, 1);
		assert_true(str_equal(base64url_encode(arena, bytes), (struct str){text, 2}));
		arena_clear(arena);
	}
	assert_int_equal(decoded, 256);
	arena_free(&arena);
}

static void every_length_comes_back(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 65536);
	char source[300];
	for (size_t i = 0; i < sizeof(source); i++)
		source[i] = (char)(i * 167 + 13);
	for (size_t len = 0; len <= sizeof(source); len++) {
		const struct str bytes = {source, len};
		struct str again;
		const struct str text = base64_encode(arena, bytes);
		assert_int_equal(text.len, (len + 2) / 3 * 4);
		assert_true(base64_decode(arena, text, &again));
		assert_true(str_equal(again, bytes));
		assert_true(base64url_decode(arena, base64url_encode(arena, bytes), &again));
		assert_true(str_equal(again, bytes));
		arena_clear(arena);
	}
	arena_free(&arena);
}

static void no_room_is_no_value(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 8);
	struct str bytes;
	assert_false(base64_decode(arena, STR("Zm9vYmFyZm9vYmFy"), &bytes));
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(encodes_and_decodes),
		cmocka_unit_test(refuses_other_spellings),
		cmocka_unit_test(each_value_has_one_text),
		cmocka_unit_test(every_length_comes_back),
		cmocka_unit_test(no_room_is_no_value),
	};
	return cmocka_run_group_tests_name("base64", tests, NULL, NULL);
}
