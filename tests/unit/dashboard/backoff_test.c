/* SPDX-License-Identifier: Apache-2.0
 * How the pauses grow, for whom, and how they are forgotten. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "clock.h"
#include "count_of.h"

#include "backoff.h"

struct fixture {
	int64_t now_us;
	struct clock clock;
	struct backoff *backoff;
};

static int64_t now(void *context)
{
	return ((struct fixture *)context)->now_us;
}

static int begin(void **state)
{
	static struct fixture fx;
	fx.now_us = US_PER_DAY;
	fx.clock = (struct clock){now, now, &fx};
	fx.backoff = backoff_new(&fx.clock);
	assert_non_null(fx.backoff);
	*state = &fx;
	return 0;
}

static int end(void **state)
{
	struct fixture *fx = *state;
	backoff_free(&fx->backoff);
	assert_null(fx->backoff);
	backoff_free(&fx->backoff);
	return 0;
}

static const struct backoff_key ann = {"account", {"ann", 3}, 3};
static const struct backoff_key home = {"address", {"10.0.0.1", 8}, 5};

static void pauses_double_up_to_a_minute(void **state)
{
	static const int64_t pauses_s[] = {0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60};
	struct fixture *fx = *state;
	for (size_t i = 0; i < COUNT_OF(pauses_s); i++) {
		const int64_t pause_us = pauses_s[i] * US_PER_S;
		if (pause_us > 0) {
			assert_int_equal(backoff_try(fx->backoff, &ann, 1), pause_us);
			fx->now_us += pause_us - 1;
			assert_int_equal(backoff_try(fx->backoff, &ann, 1), 1);
			fx->now_us += 1;
		}
		assert_int_equal(backoff_try(fx->backoff, &ann, 1), 0);
	}
}

static void a_try_too_early_makes_nothing_longer(void **state)
{
	struct fixture *fx = *state;
	for (int i = 0; i < 3; i++)
		assert_int_equal(backoff_try(fx->backoff, &ann, 1), 0);
	for (int i = 0; i < 100; i++)
		assert_int_equal(backoff_try(fx->backoff, &ann, 1), US_PER_S);
}

static void each_key_waits_for_itself(void **state)
{
	const struct backoff_key bob = {"account", {"bob", 3}, 3};
	const struct backoff_key ann_address = {"address", {"ann", 3}, 3};
	struct fixture *fx = *state;
	for (int i = 0; i < 3; i++)
		assert_int_equal(backoff_try(fx->backoff, &ann, 1), 0);
	assert_true(backoff_try(fx->backoff, &ann, 1) > 0);
	assert_int_equal(backoff_try(fx->backoff, &bob, 1), 0);
	assert_int_equal(backoff_try(fx->backoff, &ann_address, 1), 0);
}

/* Who has to wait for one key counts for none. */
static void several_keys_at_once(void **state)
{
	struct fixture *fx = *state;
	const struct backoff_key both[] = {ann, home};
	for (int i = 0; i < 3; i++)
		assert_int_equal(backoff_try(fx->backoff, both, 2), 0);
	for (int i = 0; i < 9; i++)
		assert_int_equal(backoff_try(fx->backoff, both, 2), US_PER_S);
	assert_int_equal(backoff_try(fx->backoff, &home, 1), 0); /* its fourth of five */
	assert_int_equal(backoff_try(fx->backoff, &home, 1), 0);
	assert_true(backoff_try(fx->backoff, &home, 1) > 0);
}

static void what_was_right_is_forgotten(void **state)
{
	struct fixture *fx = *state;
	for (int i = 0; i < 3; i++)
		backoff_try(fx->backoff, &ann, 1);
	backoff_forget(fx->backoff, &ann);
	for (int i = 0; i < 3; i++)
		assert_int_equal(backoff_try(fx->backoff, &ann, 1), 0);
	assert_true(backoff_try(fx->backoff, &ann, 1) > 0);
	for (int i = 0; i < 40; i++) {
		assert_int_equal(backoff_try(fx->backoff, &home, 1), 0);
		backoff_undo(fx->backoff, &home, 1);
	}
}

static void a_quarter_of_an_hour_forgets(void **state)
{
	struct fixture *fx = *state;
	for (int i = 0; i < 3; i++)
		backoff_try(fx->backoff, &ann, 1);
	fx->now_us += BACKOFF_FORGET_US;
	for (int i = 0; i < 3; i++)
		assert_int_equal(backoff_try(fx->backoff, &ann, 1), 0);
	assert_true(backoff_try(fx->backoff, &ann, 1) > 0);
}

/* The table is bounded: the one that failed longest ago goes, not who fails now. */
static void many_keys(void **state)
{
	struct fixture *fx = *state;
	for (int i = 0; i < 3; i++)
		backoff_try(fx->backoff, &ann, 1);
	for (int i = 0; i < 1500; i++) {
		char text[16];
		snprintf(text, sizeof(text), "%d", i);
		const struct backoff_key key = {"account", str_of(text), 3};
		fx->now_us += 1;
		assert_int_equal(backoff_try(fx->backoff, &key, 1), 0);
		if (i % 300 == 0) {
			backoff_try(fx->backoff, &ann, 1);
			fx->now_us += BACKOFF_WAIT_MAX_US;
			backoff_try(fx->backoff, &ann, 1);
		}
	}
	assert_true(backoff_try(fx->backoff, &ann, 1) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(pauses_double_up_to_a_minute, begin, end),
		cmocka_unit_test_setup_teardown(a_try_too_early_makes_nothing_longer, begin, end),
		cmocka_unit_test_setup_teardown(each_key_waits_for_itself, begin, end),
		cmocka_unit_test_setup_teardown(several_keys_at_once, begin, end),
		cmocka_unit_test_setup_teardown(what_was_right_is_forgotten, begin, end),
		cmocka_unit_test_setup_teardown(a_quarter_of_an_hour_forgets, begin, end),
		cmocka_unit_test_setup_teardown(many_keys, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
