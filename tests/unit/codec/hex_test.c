/* SPDX-License-Identifier: Apache-2.0
 * Tests of codec/hex.h: every byte there and back, and nothing but lower case. */
#include "hex.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "count_of.h"

static void encodes_every_byte(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 65536);
	assert_true(str_equal_z(hex_encode(arena, STR("\x00\x01\x09\x0a\x0f\x10\x7f\x80\xff")),
				"0001090a0f107f80ff"));
	assert_int_equal(hex_encode(arena, (struct str){0}).len, 0);
	for (unsigned byte = 0; byte < 256; byte++) {
		const char c = (char)byte;
		struct str again;
		assert_true(hex_decode(arena, hex_encode(arena, (struct str){&c, 1}), &again));
		assert_true(str_equal(again, (struct str){&c, 1}));
	}
	arena_free(&arena);
}

/* Of all texts of 2 bytes exactly 256 are hexadecimal. */
static void decodes_nothing_else(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 65536);
	unsigned decoded = 0;
	for (unsigned pair = 0; pair < 0x10000; pair++) {
		const char text[] = {(char)(pair >> 8), (char)(pair & 0xff)};
		struct str bytes;
		decoded += hex_decode(arena, (struct str){text, 2}, &bytes);
		arena_clear(arena);
	}
	assert_int_equal(decoded, 256);
	static const char *const refused[] = {"0",    "000", "0g",  "AB",  "aB",
					      "0x12", " 12", "12 ", "1-2-"};
	struct str bytes = STR("untouched");
	for (size_t i = 0; i < COUNT_OF(refused); i++) {
		if (hex_decode(arena, str_of(refused[i]), &bytes))
			fail_msg("%s", refused[i]);
	}
	assert_true(str_equal_z(bytes, "untouched"));
	assert_true(hex_decode(arena, (struct str){0}, &bytes));
	assert_int_equal(bytes.len, 0);
	arena_free(&arena);
}

static void no_room_is_no_value(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 4);
	struct str bytes;
	assert_false(hex_decode(arena, STR("00112233445566"), &bytes));
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(encodes_every_byte),
		cmocka_unit_test(decodes_nothing_else),
		cmocka_unit_test(no_room_is_no_value),
	};
	return cmocka_run_group_tests_name("hex", tests, NULL, NULL);
}
