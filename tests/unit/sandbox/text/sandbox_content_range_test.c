/* SPDX-License-Identifier: Apache-2.0
 * The Content-Range reader: whole, cut off at every byte, and what it must not take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "count_of.h"
#include "str.h"

#include "sandbox_content_range.h"

static const struct {
	const char *text;
	bool is_good;
	struct content_range range;
	int64_t bytes;
} rows[] = {
	{"bytes 0-99/1000", true, {false, 0, 99, 1000}, 100},
	{"bytes 100-199/200", true, {false, 100, 199, 200}, 100},
	{"bytes 0-0/1", true, {false, 0, 0, 1}, 1},
	{"bytes 0-99/*", true, {false, 0, 99, -1}, 100},
	{"bytes */1000", true, {true, 0, 0, 1000}, 0},
	{"bytes */*", true, {true, 0, 0, -1}, 0},
	{"  bytes 0-99/1000 ", true, {false, 0, 99, 1000}, 100},
	{"bytes 0-4294967295/4294967296", true, {false, 0, 4294967295, 4294967296}, 4294967296},
	{"", false, {0}, 0},
	{"bytes", false, {0}, 0},
	{"bytes=0-99/1000", false, {0}, 0},
	{"bytes 99-0/1000", false, {0}, 0},
	{"bytes 0-1000/1000", false, {0}, 0},
	{"bytes 0-99", false, {0}, 0},
	{"bytes 0-99/", false, {0}, 0},
	{"bytes -99/1000", false, {0}, 0},
	{"bytes 0-99/1000,", false, {0}, 0},
	{"bytes 0-99/-1", false, {0}, 0},
	{"bytes 0-99999999999999999999/*", false, {0}, 0},
	{"items 0-99/1000", false, {0}, 0},
};

static void reads_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct content_range range = {.first = -7};
		const bool is_good = sandbox_content_range_parse(str_of(rows[i].text), &range);
		if (is_good != rows[i].is_good)
			fail_msg("%s", rows[i].text);
		if (!is_good) {
			assert_int_equal(range.first, -7);
			continue;
		}
		assert_int_equal(range.is_query, rows[i].range.is_query);
		assert_int_equal(range.first, rows[i].range.first);
		assert_int_equal(range.last, rows[i].range.last);
		assert_int_equal(range.total, rows[i].range.total);
		assert_int_equal(sandbox_content_range_bytes(&range), rows[i].bytes);
	}
}

static void refuses_every_cut(void **state)
{
	(void)state;
	const struct str whole = STR("bytes 0-9/1");
	struct content_range range;
	for (size_t len = 0; len <= whole.len; len++)
		assert_false(sandbox_content_range_parse(str_slice(whole, 0, len), &range));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_rows),
		cmocka_unit_test(refuses_every_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
