/* SPDX-License-Identifier: Apache-2.0
 * Tests of base/random.h: the kernel's source fills all it is asked for, and random_below() is
 * uniform, in range, and ends even with a source that is stuck. */
#include "count_of.h"
#include "random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void system_source_fills_everything(void **state)
{
	(void)state;
	static unsigned char bytes[1000];
	unsigned char seen[sizeof(bytes)] = {0};
	/* A byte that stays 0 through 16 fillings by chance: 2^-128. */
	for (int round = 0; round < 16; round++) {
		random_fill(random_system(), bytes, sizeof(bytes) - 1);
		for (size_t i = 0; i < sizeof(bytes); i++)
			seen[i] |= bytes[i];
	}
	for (size_t i = 0; i < sizeof(bytes) - 1; i++)
		assert_int_not_equal(seen[i], 0);
	assert_int_equal(bytes[sizeof(bytes) - 1], 0);
	random_fill(random_system(), bytes, 0);
}

struct script {
	const uint64_t *values;
	size_t count;
	size_t used;
};

/* The values in order; the last one for ever. */
static void script_fill(void *context, void *out, size_t size_bytes)
{
	struct script *script = context;
	const size_t at = script->used < script->count ? script->used : script->count - 1;
	assert_int_equal(size_bytes, sizeof(uint64_t));
	memcpy(out, &script->values[at], sizeof(uint64_t));
	script->used++;
}

static void draws_again_where_the_remainder_would_be_unfair(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		uint64_t limit;
		uint64_t values[2];
		uint64_t result;
		size_t used;
	} rows[] = {
		{"one", 1, {UINT64_MAX, 0}, 0, 1},
		{"power of two takes all", 16, {UINT64_MAX, 0}, 15, 1},
		/* 2^64 = 3 * 6148914691236517205 + 1: one value is too many. */
		{"three, the top is refused", 3, {UINT64_MAX, 7}, 1, 2},
		{"three, below the top is taken", 3, {UINT64_MAX - 1, 7}, 2, 1},
		{"large, above is refused",
		 (UINT64_C(1) << 63) + 1,
		 {(UINT64_C(1) << 63) + 1, 5},
		 5,
		 2},
		{"large, the last is taken",
		 (UINT64_C(1) << 63) + 1,
		 {UINT64_C(1) << 63, 5},
		 UINT64_C(1) << 63,
		 1},
		{"everything but one", UINT64_MAX, {UINT64_MAX, 9}, 9, 2},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct script script = {rows[i].values, 2, 0};
		const struct random_source source = {script_fill, &script};
		const uint64_t result = random_below(&source, rows[i].limit);
		if (result != rows[i].result || script.used != rows[i].used)
			fail_msg("%s: %ju after %zu", rows[i].name, (uintmax_t)result, script.used);
	}
}

static void a_stuck_source_does_not_hang(void **state)
{
	(void)state;
	const uint64_t stuck = UINT64_MAX;
	struct script script = {&stuck, 1, 0};
	const struct random_source source = {script_fill, &script};
	assert_true(random_below(&source, 3) < 3);
	assert_true(script.used > 1);
}

static void all_values_come(void **state)
{
	(void)state;
	unsigned seen[10] = {0};
	for (int i = 0; i < 10000; i++)
		seen[random_below(random_system(), 10)]++;
	/* Expected 1,000 each with a deviation of 30: 600 is 13 deviations away. */
	for (size_t i = 0; i < 10; i++)
		assert_in_range(seen[i], 600, 1400);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(system_source_fills_everything),
		cmocka_unit_test(draws_again_where_the_remainder_would_be_unfair),
		cmocka_unit_test(a_stuck_source_does_not_hang),
		cmocka_unit_test(all_values_come),
	};
	return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
