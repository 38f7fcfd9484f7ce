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
	{"advice of a day", 4, 86400000, 86400000, 103680000},
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
		if (retries[i].least_ms > 0 && most_ms - least_ms < retries[i].least_ms / 10)
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

static void limits_wait_longer_each_time(void **state)
{
	(void)state;
	static const int64_t waits_ms[] = {60000, 60000, 300000, 900000, 3600000, 3600000};
	struct fake_random random;
	fake_random_init(&random);
	for (int64_t met = 0; met < 6; met++) {
		const int64_t wait_ms = policy_rate_wait_ms(met, 0, &random.source);
		assert_true(wait_ms >= waits_ms[met]);
		assert_true(wait_ms <= waits_ms[met] + waits_ms[met] / 5);
	}
	assert_true(policy_rate_wait_ms(INT64_MAX, 0, &random.source) <= 4320000);
	assert_true(policy_rate_wait_ms(1, 5000, &random.source) >= 5000);
	assert_true(policy_rate_wait_ms(1, 5000, &random.source) <= 6000);
	/* What is absurd stays finite: added to an instant it must not overflow. */
	assert_true(policy_rate_wait_ms(1, INT64_MAX, &random.source) > 0);
	assert_true(policy_rate_wait_ms(1, INT64_MAX, &random.source) <= INT64_C(60) * 3600 * 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(retries_wait_by_the_schedule),
		cmocka_unit_test(looks_come_soon_and_end),
		cmocka_unit_test(limits_wait_longer_each_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
