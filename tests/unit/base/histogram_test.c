/* SPDX-License-Identifier: Apache-2.0
 * Tests of base/histogram.h: what falls into which bucket, and many threads at once. */
#include "histogram.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define THREADS 4
#define NOTES 20000

static void bounds_ascend(void **state)
{
	(void)state;
	for (enum histogram_scale scale = 0; scale < HISTOGRAM_SCALE_COUNT; scale++) {
		const int64_t *bounds = NULL;
		const size_t count = histogram_bounds(scale, &bounds);
		assert_in_range(count, 1, HISTOGRAM_BOUNDS_MAX);
		for (size_t i = 0; i < count; i++)
			assert_true(bounds[i] > (i > 0 ? bounds[i - 1] : 0));
	}
}

static void a_bound_belongs_to_its_bucket(void **state)
{
	const int64_t *bounds = NULL;
	const size_t count = histogram_bounds(HISTOGRAM_CALLS, &bounds);
	(void)state;
	for (size_t i = 0; i < count; i++) {
		struct histogram histogram = {0};
		histogram_note(&histogram, HISTOGRAM_CALLS, bounds[i]);
		histogram_note(&histogram, HISTOGRAM_CALLS, bounds[i] + 1);
		assert_int_equal(histogram.counts[i], 1);
		assert_int_equal(histogram.counts[i + 1], 1);
		assert_int_equal(histogram.sum_us, 2 * bounds[i] + 1);
	}
}

static void less_than_nothing_is_nothing(void **state)
{
	struct histogram histogram = {0};
	(void)state;
	histogram_note(&histogram, HISTOGRAM_LATENESS, -5);
	histogram_note(&histogram, HISTOGRAM_LATENESS, INT64_MAX / 2);
	assert_int_equal(histogram.counts[0], 1);
	assert_int_equal(histogram.counts[12], 1);
	assert_int_equal(histogram.sum_us, INT64_MAX / 2);
}

static void *note_many(void *argument)
{
	for (int i = 0; i < NOTES; i++)
		histogram_note(argument, HISTOGRAM_REQUESTS, i % 2 == 0 ? 1 : 60000000);
	return NULL;
}

static void threads_lose_nothing(void **state)
{
	struct histogram histogram = {0};
	pthread_t threads[THREADS];
	(void)state;
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, note_many, &histogram), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(histogram.counts[0], THREADS * NOTES / 2);
	assert_int_equal(histogram.counts[7], THREADS * NOTES / 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds_ascend),
		cmocka_unit_test(a_bound_belongs_to_its_bucket),
		cmocka_unit_test(less_than_nothing_is_nothing),
		cmocka_unit_test(threads_lose_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
