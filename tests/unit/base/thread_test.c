/* SPDX-License-Identifier: Apache-2.0
 * Threads: what they inherit, and how a wait with a deadline ends. */
#include "thread.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "clock.h"
#include "count_of.h"

#define STACK_BYTES ((size_t)256 << 10)

struct seen {
	sigset_t mask;
	size_t stack_bytes;
};

static void *look_around(void *context)
{
	struct seen *seen = context;
	pthread_attr_t attributes;
	pthread_sigmask(SIG_SETMASK, NULL, &seen->mask);
	if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
		pthread_attr_getstacksize(&attributes, &seen->stack_bytes);
		pthread_attr_destroy(&attributes);
	}
	return NULL;
}

static void a_thread_takes_no_signals_of_the_process(void **state)
{
	(void)state;
	struct seen seen = {0};
	struct error err = {0};
	pthread_t thread;
	sigset_t mine;
	sigset_t after;
	const struct thread_config config = {
		.name = "test", .stack_bytes = STACK_BYTES, .run = look_around, .context = &seen};
	pthread_sigmask(SIG_SETMASK, NULL, &mine);
	assert_int_equal(thread_start(&config, &thread, &err), ERR_NONE);
	pthread_join(thread, NULL);
	pthread_sigmask(SIG_SETMASK, NULL, &after);
	assert_true(sigismember(&seen.mask, SIGTERM));
	assert_true(sigismember(&seen.mask, SIGPIPE));
	assert_false(sigismember(&seen.mask, SIGSEGV));
	assert_false(sigismember(&seen.mask, SIGABRT));
	assert_int_equal(seen.stack_bytes, STACK_BYTES);
	assert_int_equal(sigismember(&after, SIGTERM), sigismember(&mine, SIGTERM));
}

static void a_stack_that_is_too_small_is_refused(void **state)
{
	(void)state;
	struct error err = {0};
	pthread_t thread;
	const struct thread_config config = {.name = "tiny", .stack_bytes = 1, .run = look_around};
	assert_int_equal(thread_start(&config, &thread, &err), ERR_INVALID);
	assert_non_null(strstr(err.text, "cannot start the tiny thread: "));
	assert_int_not_equal(err.native, 0);
}

static void no_room_for_a_stack_is_temporary(void **state)
{
	(void)state;
	struct error err = {0};
	pthread_t thread;
	const struct thread_config config = {
		.name = "huge", .stack_bytes = SIZE_MAX / 4, .run = look_around};
	assert_int_equal(thread_start(&config, &thread, &err), ERR_TEMPORARY);
}

static int64_t between_us(const struct timespec *a, const struct timespec *b)
{
	return (b->tv_sec - a->tv_sec) * US_PER_S + (b->tv_nsec - a->tv_nsec) / NS_PER_US;
}

static void a_deadline_is_a_proper_instant(void **state)
{
	(void)state;
	static const int64_t waits_us[] = {0, 1, 999999, US_PER_S, 1999999, US_PER_DAY};
	for (size_t i = 0; i < COUNT_OF(waits_us); i++) {
		struct timespec before;
		clock_gettime(CLOCK_MONOTONIC, &before);
		const struct timespec deadline = thread_deadline(waits_us[i]);
		assert_in_range(deadline.tv_nsec, 0, NS_PER_S - 1);
		const int64_t ahead_us = between_us(&before, &deadline);
		assert_true(ahead_us >= waits_us[i] && ahead_us < waits_us[i] + 10 * US_PER_S);
	}
	struct timespec after;
	const struct timespec past = thread_deadline(-US_PER_DAY);
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert_true(between_us(&past, &after) >= 0);
	assert_true(between_us(&past, &after) < 10 * US_PER_S);
}

struct bell {
	pthread_mutex_t mutex;
	pthread_cond_t condition;
	bool has_rung;
};

static void *ring(void *context)
{
	struct bell *bell = context;
	pthread_mutex_lock(&bell->mutex);
	bell->has_rung = true;
	pthread_cond_signal(&bell->condition);
	pthread_mutex_unlock(&bell->mutex);
	return NULL;
}

static void a_wait_ends_by_signal_or_deadline(void **state)
{
	(void)state;
	struct bell bell = {0};
	struct error err = {0};
	pthread_t thread;
	const struct thread_config config = {
		.name = "ring", .stack_bytes = STACK_BYTES, .run = ring, .context = &bell};
	assert_int_equal(thread_condition_init(&bell.mutex, &bell.condition, &err), ERR_NONE);

	pthread_mutex_lock(&bell.mutex);
	struct timespec before;
	struct timespec after;
	clock_gettime(CLOCK_MONOTONIC, &before);
	const struct timespec soon = thread_deadline(20 * US_PER_MS);
	while (thread_wait_until(&bell.condition, &bell.mutex, &soon))
		;
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert_true(between_us(&before, &after) >= 20 * US_PER_MS);

	const struct timespec late = thread_deadline(US_PER_DAY);
	assert_int_equal(thread_start(&config, &thread, &err), ERR_NONE);
	while (!bell.has_rung)
		assert_true(thread_wait_until(&bell.condition, &bell.mutex, &late));
	pthread_mutex_unlock(&bell.mutex);

	pthread_join(thread, NULL);
	pthread_cond_destroy(&bell.condition);
	pthread_mutex_destroy(&bell.mutex);
}

static void a_sleep_is_as_long_as_it_says(void **state)
{
	(void)state;
	struct timespec before;
	struct timespec after;
	clock_gettime(CLOCK_MONOTONIC, &before);
	thread_sleep_ms(-1);
	thread_sleep_ms(0);
	thread_sleep_ms(20);
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert_true(between_us(&before, &after) >= 20 * US_PER_MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_takes_no_signals_of_the_process),
		cmocka_unit_test(a_stack_that_is_too_small_is_refused),
		cmocka_unit_test(no_room_for_a_stack_is_temporary),
		cmocka_unit_test(a_deadline_is_a_proper_instant),
		cmocka_unit_test(a_wait_ends_by_signal_or_deadline),
		cmocka_unit_test(a_sleep_is_as_long_as_it_says),
	};
	return cmocka_run_group_tests_name("thread", tests, NULL, NULL);
}
