/* SPDX-License-Identifier: Apache-2.0
 * Tests of base/clock.h: the system's clocks against libc's, and a clock handed in. */
#include "clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

static void system_clock_tells_unix_microseconds(void **state)
{
	(void)state;
	const struct clock *clock = clock_system();
	const int64_t before_s = (int64_t)time(NULL);
	const int64_t now_us = clock_now_us(clock);
	const int64_t after_s = (int64_t)time(NULL);
	/* time() may lag by a tick. */
	assert_true(now_us / US_PER_S >= before_s - 1);
	assert_true(now_us / US_PER_S <= after_s + 1);
}

static void boot_clock_never_goes_back(void **state)
{
	(void)state;
	int64_t last_us = clock_boot_us(clock_system());
	assert_true(last_us > 0);
	for (int i = 0; i < 1000; i++) {
		const int64_t now_us = clock_boot_us(clock_system());
		assert_true(now_us >= last_us);
		last_us = now_us;
	}
}

static int64_t counted(void *context)
{
	int64_t *count = context;
	return ++*count;
}

static int64_t constant(void *context)
{
	(void)context;
	return 77;
}

static void asks_the_clock_that_is_handed_in(void **state)
{
	(void)state;
	int64_t count = 0;
	const struct clock clock = {counted, constant, &count};
	assert_int_equal(clock_now_us(&clock), 1);
	assert_int_equal(clock_now_us(&clock), 2);
	assert_int_equal(clock_boot_us(&clock), 77);
	assert_int_equal(US_PER_DAY, INT64_C(86400000000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(system_clock_tells_unix_microseconds),
		cmocka_unit_test(boot_clock_never_goes_back),
		cmocka_unit_test(asks_the_clock_that_is_handed_in),
	};
	return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
