/* SPDX-License-Identifier: Apache-2.0
 * The schedule of api-decisions.md 9, and what counts as taken. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "count_of.h"

#include "webhook_policy.h"

#define MINUTE_MS INT64_C(60000)
#define HOUR_MS (60 * MINUTE_MS)

struct wait_row {
	int attempt;
	int64_t retry_after_ms;
	int64_t expected_ms;
};

static const struct wait_row wait_rows[] = {
	{0, 0, -1},
	{1, 0, 30000},
	{2, 0, 5 * MINUTE_MS},
	{3, 0, 30 * MINUTE_MS},
	{4, 0, 2 * HOUR_MS},
	{5, 0, 8 * HOUR_MS},
	{6, 0, 24 * HOUR_MS},
	{7, 0, -1},
	{8, 0, -1},
	{7, 1000, -1},
	{1, 1000, 30000},             /* sooner than ours: ours */
	{1, 120000, 120000},          /* later: theirs */
	{1, INT64_MAX, 24 * HOUR_MS}, /* for ever: a day */
	{6, 48 * HOUR_MS, 24 * HOUR_MS},
	{1, -5, 30000},
};

static void waits_are_the_schedule_s(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(wait_rows); i++)
		assert_int_equal(
			webhook_retry_wait_ms(wait_rows[i].attempt, wait_rows[i].retry_after_ms),
			wait_rows[i].expected_ms);
}

static void only_two_hundreds_are_taken(void **state)
{
	static const int refused[] = {0, 100, 199, 300, 302, 400, 404, 410, 429, 500, 503};
	(void)state;
	for (int status = 200; status < 300; status++)
		assert_true(webhook_status_is_taken(status));
	for (size_t i = 0; i < COUNT_OF(refused); i++)
		assert_false(webhook_status_is_taken(refused[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_are_the_schedule_s),
		cmocka_unit_test(only_two_hundreds_are_taken),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
