/* SPDX-License-Identifier: Apache-2.0 */
#include "heartbeat.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

static void beat(void *context)
{
	atomic_int *count = context;
	atomic_fetch_add(count, 1);
}

static void sleep_ms(long ms)
{
	const struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
	nanosleep(&pause, NULL);
}

static void it_beats_until_it_is_stopped(void **state)
{
	(void)state;
	struct heartbeat *heartbeat = NULL;
	struct error err = {0};
	atomic_int count = 0;
	assert_int_equal(heartbeat_start(5, beat, &count, &heartbeat, &err), ERR_NONE);
	for (int i = 0; i < 2000 && atomic_load(&count) < 3; i++)
		sleep_ms(5);
	heartbeat_stop(&heartbeat);
	assert_null(heartbeat);
	const int stopped_at = atomic_load(&count);
	assert_true(stopped_at >= 3);
	sleep_ms(30);
	assert_int_equal(atomic_load(&count), stopped_at);
	heartbeat_stop(&heartbeat);
}

static void a_stop_does_not_wait_for_the_next(void **state)
{
	(void)state;
	struct heartbeat *heartbeat = NULL;
	struct error err = {0};
	atomic_int count = 0;
	assert_int_equal(heartbeat_start(3600000, beat, &count, &heartbeat, &err), ERR_NONE);
	heartbeat_stop(&heartbeat); /* the test's own time limit would tell */
	assert_int_equal(atomic_load(&count), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_beats_until_it_is_stopped),
		cmocka_unit_test(a_stop_does_not_wait_for_the_next),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
