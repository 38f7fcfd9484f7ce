/* SPDX-License-Identifier: Apache-2.0
 * Windows of a minute, and what a flood of keys may not do. */
#include "api_fixture.h"

struct limits {
	struct fixture time; /* only its clock is used */
	struct limiter *limiter;
};

static int begin(void **state)
{
	struct limits *limits = calloc(1, sizeof(*limits));
	assert_non_null(limits);
	limits->time.boot_us = US_PER_HOUR;
	limits->time.clock = (struct clock){fixture_now, fixture_boot, &limits->time};
	limits->limiter = limiter_new(3, &limits->time.clock);
	*state = limits;
	return 0;
}

static int end(void **state)
{
	struct limits *limits = *state;
	limiter_free(&limits->limiter);
	assert_null(limits->limiter);
	limiter_free(&limits->limiter);
	free(limits);
	return 0;
}

static void the_fourth_of_three_is_over(void **state)
{
	struct limits *limits = *state;
	for (int64_t left = 2; left >= 0; left--) {
		struct limit_state now = limiter_count(limits->limiter, STR("a"));
		assert_false(now.is_over);
		assert_int_equal(now.limit, 3);
		assert_int_equal(now.remaining, left);
		assert_int_equal(now.reset_s, 60);
	}
	struct limit_state over = limiter_count(limits->limiter, STR("a"));
	assert_true(over.is_over);
	assert_int_equal(over.remaining, 0);
	assert_false(limiter_count(limits->limiter, STR("b")).is_over);
}

static void a_new_window_begins_after_a_minute(void **state)
{
	struct limits *limits = *state;
	for (int i = 0; i < 4; i++)
		limiter_count(limits->limiter, STR("a"));
	limits->time.boot_us += US_PER_MINUTE - 1;
	assert_true(limiter_look(limits->limiter, STR("a")).is_over);
	assert_int_equal(limiter_look(limits->limiter, STR("a")).reset_s, 1);
	limits->time.boot_us += 1;
	assert_false(limiter_look(limits->limiter, STR("a")).is_over);
	assert_int_equal(limiter_count(limits->limiter, STR("a")).remaining, 2);
}

static void a_look_does_not_count(void **state)
{
	struct limits *limits = *state;
	for (int i = 0; i < 10; i++)
		assert_int_equal(limiter_look(limits->limiter, STR("a")).remaining, 3);
	assert_int_equal(limiter_count(limits->limiter, STR("a")).remaining, 2);
}

static void zero_is_off(void **state)
{
	struct limits *limits = *state;
	struct limiter *off = limiter_new(0, &limits->time.clock);
	for (int i = 0; i < 100; i++)
		assert_false(limiter_count(off, STR("a")).is_over);
	limiter_free(&off);
}

/* Whoever fails under ever new client ids must not push out the count of their own address with
 * them. */
static void a_flood_of_keys_forgets_the_small_counts_first(void **state)
{
	struct limits *limits = *state;
	for (int i = 0; i < 20000; i++) {
		char key[32];
		limits->time.boot_us += 1;
		snprintf(key, sizeof(key), "client %d", i);
		limiter_count(limits->limiter, str_of(key));
		if (i < 3)
			limiter_count(limits->limiter, STR("address"));
	}
	assert_true(limiter_look(limits->limiter, STR("address")).is_over);
}

static void a_flood_of_looks_forgets_nothing(void **state)
{
	struct limits *limits = *state;
	limiter_count(limits->limiter, STR("address"));
	for (int i = 0; i < 20000; i++) {
		char key[32];
		limits->time.boot_us += 1;
		snprintf(key, sizeof(key), "client %d", i);
		limiter_look(limits->limiter, str_of(key));
	}
	assert_int_equal(limiter_look(limits->limiter, STR("address")).remaining, 2);
}

#define LIMIT_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		LIMIT_TEST(the_fourth_of_three_is_over),
		LIMIT_TEST(a_new_window_begins_after_a_minute),
		LIMIT_TEST(a_look_does_not_count),
		LIMIT_TEST(zero_is_off),
		LIMIT_TEST(a_flood_of_keys_forgets_the_small_counts_first),
		LIMIT_TEST(a_flood_of_looks_forgets_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
