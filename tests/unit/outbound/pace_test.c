/* SPDX-License-Identifier: Apache-2.0 */
#include "pace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "clock.h"
#include "count_of.h"

static void the_speed_that_is_asked_rises_with_time(void **state)
{
	static const struct {
		int64_t running_s;
		int64_t bytes;
		bool is_too_slow;
	} cases[] = {
		{0, 0, false},
		{59, 0, false}, /* a name, a connection and a first byte may take their time */
		{60, 0, true},
		{60, 60 * 4096 - 1, true},
		{60, 60 * 4096, false},
		{119, 119 * 4096, false},
		{120, 120 * 4096, true},
		{120, 120 * 16384, false},
		{300, 300 * 16384, true},
		{300, 300 * 65536, false},
		{1799, 1799 * 65536, false},
		{1800, 1800 * 65536, true},
		{1800, 1800 * 131072, false},
		/* 4 GiB in the six hours that a fetch may last */
		{21600, INT64_C(4) << 30, false},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_int_equal(pace_is_too_slow(cases[i].bytes, cases[i].running_s * US_PER_S, 1),
				 cases[i].is_too_slow);
}

static void a_time_scale_judges_sooner(void **state)
{
	(void)state;
	assert_false(pace_is_too_slow(0, 5 * US_PER_S, 11));
	assert_true(pace_is_too_slow(0, 5 * US_PER_S, 12));
	/* the speed is that of the true time */
	assert_false(pace_is_too_slow(5 * 4096, 5 * US_PER_S, 12));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_speed_that_is_asked_rises_with_time),
		cmocka_unit_test(a_time_scale_judges_sooner),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
