/* SPDX-License-Identifier: Apache-2.0
 * The schedules, their ends and their jitter. */
#include "policy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "count_of.h"

#include "fake_random.h"

struct retry_row {
	const char *name;
	int attempt;
	int64_t retry_after_ms;
	int64_t least_ms;
	int64_t most_ms;
};

static const struct retry_row retries[] = {
	{"after the first", 1, 0, 30000, 36000},
	{"after the second", 2, 0, 120000, 144000},
	{"after the third", 3, 0, 600000, 720000},
	{"after the fourth", 4, 0, 1800000, 2160000},
	{"after the fifth", 5, 0, -1, -1},
	{"after the hundredth", 100, 0, -1, -1},
	{"none has failed", 0, 0, -1, -1},
	{"below zero", -1, 0, -1, -1},
	{"advice below the schedule", 1, 5000, 30000, 36000},
	{"advice above the schedule", 1, 90000, 90000, 108000},
	{"advice of a day", 4, 86400000, 86400000, 86700000},
	{"advice longer than patience", 1, INT64_MAX, -1, -1},
	{"advice below zero", 1, -5, 30000, 36000},
};

static void retries_wait_by_the_schedule(void **state)
{
	(void)state;
	struct fake_random random;
	fake_random_init(&random);
	for (size_t i = 0; i < COUNT_OF(retries); i++) {
		int64_t least_ms = INT64_MAX;
		int64_t most_ms = INT64_MIN;
		for (int n = 0; n < 500; n++) {
			const int64_t wait_ms = policy_retry_wait_ms(
				retries[i].attempt, retries[i].retry_after_ms, &random.source);
			least_ms = wait_ms < least_ms ? wait_ms : least_ms;
			most_ms = wait_ms > most_ms ? wait_ms : most_ms;
		}
		if (least_ms < retries[i].least_ms || most_ms > retries[i].most_ms)
			fail_msg("%s: %lld to %lld", retries[i].name, (long long)least_ms,
				 (long long)most_ms);
		if (retries[i].least_ms > 0 && retries[i].least_ms < 3000000 &&
		    most_ms - least_ms < retries[i].least_ms / 10)
			fail_msg("%s: hardly any jitter", retries[i].name);
	}
}

static void looks_come_soon_and_end(void **state)
{
	(void)state;
	static const int64_t waits_ms[] = {2000, 5000, 30000, 120000, 600000, -1, -1};
	for (int look = 0; look < 7; look++)
		assert_int_equal(policy_probe_wait_ms(look), waits_ms[look]);
	assert_int_equal(policy_probe_wait_ms(-1), -1);
	assert_int_equal(policy_probes_waited_ms(0), 2000);
	assert_int_equal(policy_probes_waited_ms(2), 37000);
	assert_int_equal(policy_probes_waited_ms(POLICY_PROBES_MAX), 757000);
}

struct limit_case {
	const char *name;
	struct failure failure;
	int64_t waits_ms[5]; /* after the first limit, the second, ... */
};

#define MINUTE_MS INT64_C(60000)
#define HOUR_MS (60 * MINUTE_MS)

static const struct limit_case limits[] = {
	{"no advice", {0}, {MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, HOUR_MS}},
	{"a floor of a minute",
	 {.retry_floor_ms = MINUTE_MS},
	 {MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, HOUR_MS}},
	{"a floor between two steps",
	 {.retry_floor_ms = 2 * MINUTE_MS},
	 {5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS, HOUR_MS, HOUR_MS}},
	{"a floor above the schedule",
	 {.retry_floor_ms = 6 * HOUR_MS},
	 {6 * HOUR_MS, 6 * HOUR_MS, 6 * HOUR_MS, 6 * HOUR_MS, 6 * HOUR_MS}},
	{"perhaps the day's quota",
	 {.retry_floor_ms = 15 * MINUTE_MS, .retry_reset_ms = 8 * HOUR_MS},
	 {15 * MINUTE_MS, HOUR_MS, 8 * HOUR_MS, 8 * HOUR_MS, 8 * HOUR_MS}},
	{"shortly before its end",
	 {.retry_floor_ms = 15 * MINUTE_MS, .retry_reset_ms = 5 * MINUTE_MS},
	 {5 * MINUTE_MS, 5 * MINUTE_MS, 5 * MINUTE_MS, 5 * MINUTE_MS, 5 * MINUTE_MS}},
	{"the platform's word",
	 {.retry_after_ms = 5000, .retry_floor_ms = HOUR_MS},
	 {5000, 5000, 5000, 5000, 5000}},
	{"an end that is known",
	 {.retry_after_ms = 20 * HOUR_MS},
	 {20 * HOUR_MS, 20 * HOUR_MS, 20 * HOUR_MS, 20 * HOUR_MS, 20 * HOUR_MS}},
};

/* Up to a fifth more, and never more than five minutes. */
static void limits_wait_longer_each_time(void **state)
{
	(void)state;
	struct fake_random random;
	fake_random_init(&random);
	for (size_t i = 0; i < COUNT_OF(limits); i++) {
		for (int64_t met = 1; met <= 5; met++) {
			const int64_t least_ms = limits[i].waits_ms[met - 1];
			const int64_t more_ms =
				least_ms / 5 < 5 * MINUTE_MS ? least_ms / 5 : 5 * MINUTE_MS;
			const int64_t wait_ms =
				policy_rate_wait_ms(met, &limits[i].failure, &random.source);
			if (wait_ms < least_ms || wait_ms > least_ms + more_ms)
				fail_msg("%s, limit %lld: %lld", limits[i].name, (long long)met,
					 (long long)wait_ms);
		}
	}
}

/* What is absurd stays finite: added to an instant it must not overflow. */
static void absurd_advice_stays_finite(void **state)
{
	(void)state;
	const struct failure none = {0};
	const struct failure absurd[] = {{.retry_after_ms = INT64_MAX},
					 {.retry_floor_ms = INT64_MAX},
					 {.retry_reset_ms = INT64_MAX}};
	struct fake_random random;
	fake_random_init(&random);
	assert_in_range(policy_rate_wait_ms(0, &none, &random.source), 60000, 72000);
	assert_in_range(policy_rate_wait_ms(INT64_MAX, &none, &random.source), 3600000, 3900000);
	for (size_t i = 0; i < COUNT_OF(absurd); i++)
		assert_in_range(policy_rate_wait_ms(3, &absurd[i], &random.source), 60000,
				60 * HOUR_MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(retries_wait_by_the_schedule),
		cmocka_unit_test(looks_come_soon_and_end),
		cmocka_unit_test(limits_wait_longer_each_time),
		cmocka_unit_test(absurd_advice_stays_finite),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
