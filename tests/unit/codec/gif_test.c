/* SPDX-License-Identifier: Apache-2.0
 * GIFs that move and GIFs that do not. */
#include "gif.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "count_of.h"

#define HEAD "GIF89a\1\0\1\0\0\0\0"
#define HEAD_WITH_TABLE "GIF89a\1\0\1\0\x80\0\0aaabbb"
#define DELAY "\x21\xf9\4\0\0\0\0\0"
#define LOOP "\x21\xff\x0bNETSCAPE2.0\3\1\0\0\0"
#define PICTURE "\x2c\0\0\0\0\1\0\1\0\0\2\2\x44\1\0"
#define PICTURE_WITH_TABLE \
	"\x2c\0\0\0\0\1\0\1\0\x80" \
	"aaabbb" \
	"\2\2\x44\1\0"
#define END "\x3b"

static const struct {
	const char *name;
	struct str bytes;
	bool is_animated;
} rows[] = {
	{"one picture", {HEAD PICTURE END, sizeof(HEAD PICTURE END) - 1}, false},
	{"two pictures", {HEAD PICTURE PICTURE END, sizeof(HEAD PICTURE PICTURE END) - 1}, true},
	{"with tables",
	 {HEAD_WITH_TABLE LOOP DELAY PICTURE_WITH_TABLE DELAY PICTURE END,
	  sizeof(HEAD_WITH_TABLE LOOP DELAY PICTURE_WITH_TABLE DELAY PICTURE END) - 1},
	 true},
	{"one picture, told to loop",
	 {HEAD LOOP DELAY PICTURE END, sizeof(HEAD LOOP DELAY PICTURE END) - 1},
	 false},
	{"a picture's mark inside an extension",
	 {HEAD "\x21\xfe\2\x2c\x2c\0" PICTURE END,
	  sizeof(HEAD "\x21\xfe\2\x2c\x2c\0" PICTURE END) - 1},
	 false},
	{"the second behind the end",
	 {HEAD PICTURE END PICTURE, sizeof(HEAD PICTURE END PICTURE) - 1},
	 false},
	{"garbage between",
	 {HEAD PICTURE "x" PICTURE, sizeof(HEAD PICTURE "x" PICTURE) - 1},
	 false},
	{"nothing", {HEAD, sizeof(HEAD) - 1}, false},
};

static bool animated(struct str bytes)
{
	const struct byte_source source = byte_source_of(&bytes);
	return gif_is_animated(&source);
}

static void pictures_are_counted(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		if (animated(rows[i].bytes) != rows[i].is_animated)
			fail_msg("%s", rows[i].name);
	}
}

static void a_gif_may_be_cut_anywhere(void **state)
{
	(void)state;
	const struct str whole = rows[1].bytes;
	const size_t mark_at = sizeof(HEAD PICTURE) - 1;
	for (size_t len = 0; len <= whole.len; len++)
		assert_int_equal(animated(str_slice(whole, 0, len)), len > mark_at);
}

/* The first picture's data does not end for 100 MB: it is given up long before. */
static int64_t furthest;

static bool endless(void *context, int64_t at, char *out, size_t len)
{
	static const char start[] = HEAD "\x2c\0\0\0\0\1\0\1\0\0\2";
	(void)context;
	for (size_t i = 0; i < len; i++) {
		const size_t position = (size_t)at + i;
		out[i] = position < sizeof(start) - 1 ? start[position] : '\1';
	}
	furthest = at;
	return true;
}

static void an_endless_picture_is_given_up(void **state)
{
	(void)state;
	const struct byte_source source = {INT64_C(4) << 30, endless, NULL};
	assert_false(gif_is_animated(&source));
	assert_true(furthest > (INT64_C(32) << 20) && furthest < (INT64_C(100) << 20));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pictures_are_counted),
		cmocka_unit_test(a_gif_may_be_cut_anywhere),
		cmocka_unit_test(an_endless_picture_is_given_up),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
