/* SPDX-License-Identifier: Apache-2.0
 * Tests of codec/utf8.h: validity against a second, different check over all short byte strings,
 * lengths, cuts. */
#include "utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "count_of.h"

static size_t encode(uint32_t code_point, char out[4])
{
	if (code_point < 0x80) {
		out[0] = (char)code_point;
		return 1;
	}
	const size_t len = code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
	static const uint32_t marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
	for (size_t i = len - 1; i > 0; i--) {
		out[i] = (char)(0x80 | (code_point & 0x3f));
		code_point >>= 6;
	}
	out[0] = (char)(marks[len] | code_point);
	return len;
}

static void takes_exactly_the_scalar_values(void **state)
{
	(void)state;
	for (uint32_t code_point = 0; code_point < 0x120000; code_point++) {
		char bytes[4];
		struct str in = {bytes, encode(code_point, bytes)};
		uint32_t taken = 0;
		const bool is_scalar =
			code_point <= 0x10ffff && (code_point < 0xd800 || code_point > 0xdfff);
		if (utf8_is_valid(in) != is_scalar || utf8_take(&in, &taken) != is_scalar)
			fail_msg("U+%04X", code_point);
		if (is_scalar && (taken != code_point || in.len != 0))
			fail_msg("U+%04X is taken as U+%04X", code_point, taken);
	}
}

/* Of all strings of 1 to 3 bytes as many are valid as encodings say: nothing overlong, nothing
 * stray. */
static void nothing_else_is_valid(void **state)
{
	(void)state;
	size_t valid[3] = {0};
	for (unsigned a = 0; a < 256; a++) {
		char bytes[3] = {(char)a, 0, 0};
		valid[0] += utf8_is_valid((struct str){bytes, 1});
		for (unsigned b = 0; b < 256; b++) {
			bytes[1] = (char)b;
			valid[1] += utf8_is_valid((struct str){bytes, 2});
			for (unsigned c = 0; c < 256; c++) {
				bytes[2] = (char)c;
				valid[2] += utf8_is_valid((struct str){bytes, 3});
			}
		}
	}
	const size_t one = 128;
	const size_t two = 0x800 - 0x80;
	const size_t three = 0x10000 - 0x800 - 0x800;
	assert_int_equal(valid[0], one);
	assert_int_equal(valid[1], one * one + two);
	assert_int_equal(valid[2], one * one * one + 2 * one * two + three);
}

static void refuses(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		struct str text;
	} rows[] = {
		{"overlong slash", {"\xc0\xaf", 2}},
		{"overlong NUL", {"\xc0\x80", 2}},
		{"overlong of three", {"\xe0\x9f\xbf", 3}},
		{"overlong of four", {"\xf0\x8f\xbf\xbf", 4}},
		{"surrogate", {"\xed\xa0\x80", 3}},
		{"last surrogate", {"\xed\xbf\xbf", 3}},
		{"above U+10FFFF", {"\xf4\x90\x80\x80", 4}},
		{"five bytes", {"\xf8\x88\x80\x80\x80", 5}},
		{"cut after one", {"a\xf0", 2}},
		{"cut after three", {"\xf0\x9f\x93", 3}},
		{"stray continuation", {"\x80", 1}},
		{"bad third byte", {"\xe2\x82\x41", 3}},
		{"bad fourth byte", {"\xf0\x9f\x93\x41", 4}},
		{"valid, then not", {"abc\xc3\xa4\xff", 6}},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		if (utf8_is_valid(rows[i].text))
			fail_msg("%s", rows[i].name);
	}
	assert_true(utf8_is_valid((struct str){0}));
	struct str in = {"\xff", 1};
	uint32_t code_point = 7;
	assert_false(utf8_take(&in, &code_point));
	assert_int_equal(in.len, 1);
	assert_int_equal(code_point, 7);
	in = (struct str){0};
	assert_false(utf8_take(&in, &code_point));
}

static void counts_and_cuts(void **state)
{
	(void)state;
	const struct str text = STR("a\xc3\xa4\xe2\x82\xac\xf0\x9f\x93\xaf"
				    "b"); /* 1 + 2 + 3 + 4 + 1 bytes */
	assert_int_equal(utf8_code_points(text), 5);
	assert_int_equal(utf8_utf16_units(text), 6);
	assert_int_equal(utf8_code_points((struct str){0}), 0);
	assert_int_equal(utf8_utf16_units((struct str){0}), 0);
	static const size_t ends[] = {0, 1, 3, 6, 10, 11, 11};
	for (size_t count = 0; count < 7; count++)
		assert_int_equal(utf8_cut(text, count).len, ends[count]);
	static const size_t byte_ends[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11};
	for (size_t max = 0; max < 13; max++)
		assert_int_equal(utf8_cut_bytes(text, max).len, byte_ends[max]);
	assert_int_equal(utf8_cut_bytes(text, SIZE_MAX).len, 11);
	assert_int_equal(utf8_cut((struct str){0}, 3).len, 0);
}

/* Counted eight bytes at once: every place of a character among them, and every length. */
static void counts_at_every_place(void **state)
{
	(void)state;
	static const char *const characters[] = {"\x7f", "\xc2\x80", "\xe2\x82\xac",
						 "\xf0\x9f\x93\xaf"};
	for (size_t before = 0; before < 20; before++) {
		for (size_t after = 0; after < 20; after++) {
			for (size_t i = 0; i < COUNT_OF(characters); i++) {
				char bytes[64];
				const size_t len = strlen(characters[i]);
				memset(bytes, 'a', sizeof(bytes));
				memcpy(bytes + before, characters[i], len);
				const struct str text = {bytes, before + len + after};
				assert_true(utf8_is_valid(text));
				assert_int_equal(utf8_code_points(text), before + 1 + after);
				assert_int_equal(utf8_utf16_units(text),
						 before + (len == 4 ? 2 : 1) + after);
				bytes[before] = (char)0xff;
				assert_false(utf8_is_valid(text));
			}
		}
	}
}

static void knows_controls(void **state)
{
	(void)state;
	for (uint32_t code_point = 0; code_point < 0x3000; code_point++) {
		char bytes[5] = "a";
		const struct str text = {bytes, 1 + encode(code_point, bytes + 1)};
		const bool is_control =
			code_point < 0x20 || (code_point >= 0x7f && code_point < 0xa0);
		if (utf8_has_control(text) != is_control)
			fail_msg("U+%04X", code_point);
	}
	assert_false(utf8_has_control((struct str){"\xc2", 1}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_exactly_the_scalar_values),
		cmocka_unit_test(nothing_else_is_valid),
		cmocka_unit_test(refuses),
		cmocka_unit_test(counts_and_cuts),
		cmocka_unit_test(counts_at_every_place),
		cmocka_unit_test(knows_controls),
	};
	return cmocka_run_group_tests_name("utf8", tests, NULL, NULL);
}
