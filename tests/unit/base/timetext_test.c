/* SPDX-License-Identifier: Apache-2.0
 * Tests of base/timetext.h: what scheduled_at may look like (api-decisions.md 6), the calendar
 * against libc's over 600 years, and that formatting and parsing are each other's inverse. */
#include "count_of.h"
#include "timetext.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "arena.h"
#include "clock.h"

#define REFUSED INT64_MIN

static void parses_instants(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int64_t us;
	} rows[] = {
		{"1970-01-01T00:00:00Z", 0},
		{"2026-11-21T05:44:40Z", INT64_C(1795239880000000)},
		{"2000-02-29T12:00:00Z", INT64_C(951825600000000)},
		{"2024-02-29T23:59:59Z", INT64_C(1709251199000000)},
		{"2024-03-01T00:00:00Z", INT64_C(1709251200000000)},
		{"2100-02-28T00:00:00Z", INT64_C(4107456000000000)},
		{"9999-12-31T23:59:59.999999Z", INT64_C(253402300799999999)},
		/* fractions */
		{"1970-01-01T00:00:00.5Z", 500000},
		{"1970-01-01T00:00:00.000001Z", 1},
		{"1970-01-01T00:00:00.0000019Z", 1},
		{"1970-01-01T00:00:00.123456789Z", 123456},
		{"1970-01-01T00:00:00.000000000Z", 0},
		{"1970-01-01T00:00:00.1234567890Z", REFUSED},
		{"1970-01-01T00:00:00.Z", REFUSED},
		{"1970-01-01T00:00:00,5Z", REFUSED},
		{"1970-01-01T00:00:00.5", REFUSED},
		{"1970-01-01T00:00:00.-5Z", REFUSED},
		/* no such day, no such time */
		{"2023-02-29T00:00:00Z", REFUSED},
		{"2100-02-29T00:00:00Z", REFUSED},
		{"2024-02-30T00:00:00Z", REFUSED},
		{"2026-04-31T00:00:00Z", REFUSED},
		{"2026-06-31T00:00:00Z", REFUSED},
		{"2026-09-31T00:00:00Z", REFUSED},
		{"2026-11-31T00:00:00Z", REFUSED},
		{"2026-01-32T00:00:00Z", REFUSED},
		{"2026-00-01T00:00:00Z", REFUSED},
		{"2026-13-01T00:00:00Z", REFUSED},
		{"2026-01-00T00:00:00Z", REFUSED},
		{"2026-01-01T24:00:00Z", REFUSED},
		{"2026-01-01T23:60:00Z", REFUSED},
		{"2016-12-31T23:59:60Z", REFUSED},
		{"2026-01-01T23:59:61Z", REFUSED},
		/* out of the years */
		{"1969-12-31T23:59:59Z", REFUSED},
		{"0000-01-01T00:00:00Z", REFUSED},
		{"10000-01-01T00:00:00Z", REFUSED},
		{"-2026-01-01T00:00:00Z", REFUSED},
		{"+2026-01-01T00:00:00Z", REFUSED},
		/* other spellings */
		{"2026-11-21t05:44:40Z", REFUSED},
		{"2026-11-21T05:44:40z", REFUSED},
		{"2026-11-21 05:44:40Z", REFUSED},
		{"2026-11-21T05:44:40+00:00", REFUSED},
		{"2026-11-21T05:44:40-00:00", REFUSED},
		{"2026-11-21T05:44:40+01:00", REFUSED},
		{"2026-11-21T05:44:40", REFUSED},
		{"2026-11-21T05:44Z", REFUSED},
		{"20261121T054440Z", REFUSED},
		{"2026-11-21", REFUSED},
		{"2026-1-21T05:44:40Z", REFUSED},
		{"2026-11-21T5:44:40Z", REFUSED},
		{"2026-11-21T05:44:4Z", REFUSED},
		{"2026-11-021T05:44:40Z", REFUSED},
		{" 2026-11-21T05:44:40Z", REFUSED},
		{"2026-11-21T05:44:40Z ", REFUSED},
		{"2026-11-21T05:44:40ZZ", REFUSED},
		{"2026-11-21T05:44:40.5Z5", REFUSED},
		{"2026/11/21T05:44:40Z", REFUSED},
		{"2026-W47-6T05:44:40Z", REFUSED},
		{"1795239880", REFUSED},
		{"", REFUSED},
		{"Z", REFUSED},
		{"\xef\xbc\x92\xef\xbc\x90-11-21T05:44:40Z", REFUSED},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		int64_t us = REFUSED;
		const bool is_parsed = timetext_parse_instant(str_of(rows[i].text), &us);
		if (is_parsed != (rows[i].us != REFUSED) || us != rows[i].us)
			fail_msg("\"%s\": %jd", rows[i].text, (intmax_t)us);
	}
}

static void refuses_every_truncation(void **state)
{
	(void)state;
	const struct str text = STR("2026-11-21T05:44:40.123456789Z");
	for (size_t len = 0; len < text.len; len++) {
		int64_t us;
		/* A copy of its own, so that reading past the end is seen. */
		char *copy = test_malloc(len + 1);
		memcpy(copy, text.ptr, len);
		assert_false(timetext_parse_instant((struct str){copy, len}, &us));
		test_free(copy);
	}
	int64_t us;
	assert_false(timetext_parse_instant((struct str){"2026-11-21T05:44:40Z\0", 21}, &us));
}

static void parses_dates(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		bool is_valid;
		struct civil_date date;
	} rows[] = {
		{"2026-11-21", true, {2026, 11, 21}},
		{"0001-01-01", true, {1, 1, 1}},
		{"9999-12-31", true, {9999, 12, 31}},
		{"2000-02-29", true, {2000, 2, 29}},
		{"1900-02-29", false, {0}},
		{"2026-02-29", false, {0}},
		{"0000-12-31", false, {0}},
		{"2026-11-21T", false, {0}},
		{"2026-11-2", false, {0}},
		{"2026-11-211", false, {0}},
		{"26-11-21", false, {0}},
		{"2026-11--1", false, {0}},
		{"", false, {0}},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct civil_date date = {0};
		if (timetext_parse_date(str_of(rows[i].text), &date) != rows[i].is_valid ||
		    memcmp(&date, &rows[i].date, sizeof(date)) != 0)
			fail_msg("\"%s\"", rows[i].text);
	}
	assert_false(timetext_date_is_valid((struct civil_date){10000, 1, 1}));
	assert_false(timetext_date_is_valid((struct civil_date){2026, 13, 1}));
	assert_false(timetext_date_is_valid((struct civil_date){2026, 1, -1}));
}

static void formats_instants(void **state)
{
	(void)state;
	static const struct {
		int64_t us;
		const char *text;
	} rows[] = {
		{0, "1970-01-01T00:00:00Z"},
		{INT64_C(1795239880000000), "2026-11-21T05:44:40Z"},
		{INT64_C(1795239880500000), "2026-11-21T05:44:40.5Z"},
		{INT64_C(1795239880000001), "2026-11-21T05:44:40.000001Z"},
		{INT64_C(1795239880120000), "2026-11-21T05:44:40.12Z"},
		{INT64_C(-1), "1969-12-31T23:59:59.999999Z"},
		{INT64_C(-86400000000), "1969-12-31T00:00:00Z"},
		{INT64_C(253402300799999999), "9999-12-31T23:59:59.999999Z"},
		{INT64_MAX, "294247-01-10T04:00:54.775807Z"},
	};
	struct arena *arena = arena_new("test", 65536);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct str text = timetext_format_instant(arena, rows[i].us);
		char out[TIMETEXT_INSTANT_BYTES];
		assert_int_equal(timetext_write_instant(out, rows[i].us), text.len);
		assert_string_equal(out, rows[i].text);
		assert_true(str_equal_z(text, rows[i].text));
	}
	/* Far before year 0: whatever it says, it must fit. */
	(void)timetext_format_instant(arena, INT64_MIN);
	arena_free(&arena);
}

static void agrees_with_libc_on_every_day_of_600_years(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 4096);
	for (int64_t day = -36500; day < 182500; day++) {
		const time_t seconds = (time_t)(day * 86400 + 86399);
		struct tm tm;
		gmtime_r(&seconds, &tm);
		const int64_t us = (int64_t)seconds * US_PER_S;
		const struct civil_date date = timetext_date(us);
		assert_int_equal(date.year, tm.tm_year + 1900);
		assert_int_equal(date.month, tm.tm_mon + 1);
		assert_int_equal(date.day, tm.tm_mday);
		assert_int_equal(timetext_date_us(date), day * US_PER_DAY);
		assert_int_equal(timetext_day_number(us), day);
		if (day < 0 || day % 17 != 0)
			continue;
		int64_t again_us = 0;
		assert_true(timetext_parse_instant(timetext_format_instant(arena, us + 12345),
						   &again_us));
		assert_int_equal(again_us, us + 12345);
		arena_clear(arena);
	}
	arena_free(&arena);
}

static void day_numbers_round_down(void **state)
{
	(void)state;
	assert_int_equal(timetext_day_number(0), 0);
	assert_int_equal(timetext_day_number(US_PER_DAY - 1), 0);
	assert_int_equal(timetext_day_number(US_PER_DAY), 1);
	assert_int_equal(timetext_day_number(-1), -1);
	assert_int_equal(timetext_day_number(-US_PER_DAY), -1);
	assert_int_equal(timetext_day_number(-US_PER_DAY - 1), -2);
	assert_int_equal(timetext_day_number(INT64_MIN), -106751992);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_instants),
		cmocka_unit_test(refuses_every_truncation),
		cmocka_unit_test(parses_dates),
		cmocka_unit_test(formats_instants),
		cmocka_unit_test(agrees_with_libc_on_every_day_of_600_years),
		cmocka_unit_test(day_numbers_round_down),
	};
	return cmocka_run_group_tests_name("timetext", tests, NULL, NULL);
}
