/* SPDX-License-Identifier: Apache-2.0
 * What a resolver takes for its own. */
#include "resolver.h"

#include "arena_fixture.h"
#include "clock.h"

#define START_US (INT64_C(1795000000) * US_PER_S)
#define START_MS (START_US / US_PER_MS)

static void two_minutes_before_the_start_still_count(void **state)
{
	(void)state;
	struct flow flow;
	flow_init(&flow, arena, 1);
	const struct env env = {.arena = arena, .started_at_us = START_US};
	assert_true(resolver_is_since_ms(&env, &flow, START_MS));
	assert_true(resolver_is_since_ms(&env, &flow, START_MS - 120000));
	assert_false(resolver_is_since_ms(&env, &flow, START_MS - 120001));
	assert_false(resolver_is_since_ms(&env, &flow, 0));
	assert_false(resolver_is_since_ms(&env, &flow, -1));
	assert_false(resolver_is_since_ms(&env, &flow, INT64_MAX));
	assert_true(resolver_is_since(&env, &flow, STR("2026-11-18T11:04:40Z")));
	assert_false(resolver_is_since(&env, &flow, STR("2026-11-18T11:04:39Z")));
	assert_false(resolver_is_since(&env, &flow, STR("yesterday")));
	assert_false(resolver_is_since(&env, &flow, STR("")));
	assert_true(resolver_is_since(&env, &flow, STR("2099-01-01T00:00:00Z")));
}

/* A call may become uncertain, be sent again and become uncertain again: what the first one made is
 * ours too. */
static void the_first_doubt_of_a_part_is_remembered(void **state)
{
	(void)state;
	struct flow flow;
	flow_init(&flow, arena, 2);
	struct env env = {.arena = arena, .started_at_us = START_US};
	assert_int_equal(resolver_uncertain_us(&flow), 0);
	resolver_since_us(&env, &flow);
	env.started_at_us = START_US + US_PER_HOUR;
	assert_int_equal(resolver_since_us(&env, &flow), START_US - 2 * US_PER_MINUTE);
	flow_part_done(&flow, STR("1"), STR(""));
	assert_int_equal(resolver_uncertain_us(&flow), 0);
	assert_int_equal(resolver_since_us(&env, &flow),
			 START_US + US_PER_HOUR - 2 * US_PER_MINUTE);
}

static void texts_are_compared_as_a_reader_would(void **state)
{
	(void)state;
	assert_true(resolver_texts_equal(arena, STR("a\r\nb "), STR("\na\nb")));
	assert_false(resolver_texts_equal(arena, STR("a b"), STR("a  b")));
	assert_false(resolver_texts_equal(arena, STR("a"), STR("A")));
	assert_true(resolver_texts_equal(arena, STR(""), STR(" \n")));
}

static void candidates_are_bounded(void **state)
{
	(void)state;
	struct flow flow;
	struct step step;
	flow_init(&flow, arena, 1);
	flow.probe = STR("x");
	resolver_matches_begin(&flow, &step);
	for (int i = 0; i < 3 * STEP_MATCHES_MAX; i++)
		resolver_match_add(&step, STR("id"), STR("url"));
	assert_null(resolver_matches_end(&step));
	assert_int_equal(step.kind, STEP_MATCHES);
	assert_int_equal(step.match_count, STEP_MATCHES_MAX);
	assert_true(str_is_empty(flow.probe));
	resolver_matches_begin(&flow, &step);
	resolver_matches_end(&step);
	assert_int_equal(step.kind, STEP_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(two_minutes_before_the_start_still_count, setup,
						teardown),
		cmocka_unit_test_setup_teardown(the_first_doubt_of_a_part_is_remembered, setup,
						teardown),
		cmocka_unit_test_setup_teardown(texts_are_compared_as_a_reader_would, setup,
						teardown),
		cmocka_unit_test_setup_teardown(candidates_are_bounded, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
