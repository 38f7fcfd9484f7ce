/* SPDX-License-Identifier: Apache-2.0
 * Times as people write them. */
#include "person_time.h"

#include "arena_fixture.h"
#include "clock.h"
#include "count_of.h"
#include "timetext.h"

#define NOW_US INT64_C(1800000000000000) /* 2027-01-15T08:00:00Z */

static void good_times(void **state)
{
	static const char *const rows[][2] = {
		{"2027-01-01T09:00Z", "2027-01-01T09:00:00Z"},
		{"2027-01-01t09:00z", "2027-01-01T09:00:00Z"},
		{"2027-01-01 09:00:30Z", "2027-01-01T09:00:30Z"},
		{"2027-01-01T09:00:30.25Z", "2027-01-01T09:00:30.25Z"},
		{"2027-01-01T00:30+01:00", "2026-12-31T23:30:00Z"},
		{"2027-01-01T09:00:00-05:30", "2027-01-01T14:30:00Z"},
		{"+0m", "2027-01-15T08:00:00Z"},
		{"+30m", "2027-01-15T08:30:00Z"},
		{"+2h", "2027-01-15T10:00:00Z"},
		{"+1d", "2027-01-16T08:00:00Z"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		int64_t us = 0;
		assert_true(person_time_parse(str_of(rows[i][0]), NOW_US, &us));
		assert_string_equal(str_z(arena, timetext_format_instant(arena, us)), rows[i][1]);
	}
}

static void bad_times(void **state)
{
	static const char *const texts[] = {
		"",
		"now",
		"tomorrow",
		"+",
		"+h",
		"+1",
		"+1w",
		"+1hour",
		"-1h",
		"+999999d",
		"+9999999m",
		"2027-01-01",
		"2027-01-01T09:00",
		"2027-01-01T09Z",
		"2027-02-30T09:00Z",
		"2027-01-01T24:00Z",
		"2027-01-01T09:00:60Z",
		"2027-01-01T09:00+0100",
		"2027-01-01T09:00+24:00",
		"2027-01-01T09:00+01:60",
		"2027-01-01T09:00+01:00x",
		"2027-01-01T09:00Zx",
		"2027-01-01T09:00:00.Z",
		"1970-01-01T00:00+01:00",
		"2027-01-01x09:00Z",
		"2027-01-01T09:00:00.0000000000000000000000000000000Z",
	};
	int64_t us = 0;
	(void)state;
	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		if (person_time_parse(str_of(texts[i]), NOW_US, &us))
			fail_msg("\"%s\" was taken", texts[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(good_times, setup, teardown),
		cmocka_unit_test_setup_teardown(bad_times, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
