/* SPDX-License-Identifier: Apache-2.0
 * Tests of api/metrics_text.h: the text format 0.0.4, letter for letter. */
#include "metrics_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "clock.h"

static void a_series_adds_its_buckets_up(void **state)
{
	static const char wanted[] = "n_bucket{a=\"b\",le=\"0.005\"} 2\n"
				     "n_bucket{a=\"b\",le=\"0.025\"} 2\n"
				     "n_bucket{a=\"b\",le=\"0.1\"} 2\n"
				     "n_bucket{a=\"b\",le=\"0.5\"} 2\n"
				     "n_bucket{a=\"b\",le=\"1\"} 2\n"
				     "n_bucket{a=\"b\",le=\"2.5\"} 3\n"
				     "n_bucket{a=\"b\",le=\"10\"} 3\n"
				     "n_bucket{a=\"b\",le=\"+Inf\"} 4\n"
				     "n_sum{a=\"b\"} 62.002000\n"
				     "n_count{a=\"b\"} 4\n";
	struct arena *arena = arena_new("test", 1 << 20);
	struct histogram histogram = {0};
	struct buf out;
	(void)state;
	buf_init(&out, arena, 1 << 16);
	histogram_note(&histogram, HISTOGRAM_REQUESTS, US_PER_MS);
	histogram_note(&histogram, HISTOGRAM_REQUESTS, US_PER_MS);
	histogram_note(&histogram, HISTOGRAM_REQUESTS, 2 * US_PER_S);
	histogram_note(&histogram, HISTOGRAM_REQUESTS, US_PER_MINUTE);
	metrics_text_histogram(
		&out, &(struct metrics_histogram){"n", "a=\"b\"", &histogram, HISTOGRAM_REQUESTS});
	assert_true(str_equal_z(buf_str(&out), wanted));
	arena_free(&arena);
}

static void values_have_their_unit(void **state)
{
	struct arena *arena = arena_new("test", 1 << 20);
	struct buf out;
	(void)state;
	buf_init(&out, arena, 1 << 16);
	metrics_text_head(&out, "n", "gauge", "What it is.");
	metrics_text_value(&out, 1500000, METRIC_COUNT);
	metrics_text_value(&out, 1500000, METRIC_US);
	assert_true(str_equal_z(buf_str(&out), "# HELP n What it is.\n# TYPE n gauge\n 1500000\n"
					       " 1.500000\n"));
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_series_adds_its_buckets_up),
		cmocka_unit_test(values_have_their_unit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
