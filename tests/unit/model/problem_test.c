/* SPDX-License-Identifier: Apache-2.0
 * Collecting problems: what is kept, and what gives way when there are too many. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "arena.h"

#include "problem.h"

static struct arena *arena;

static int set_up(void **state)
{
	(void)state;
	arena = arena_new("problem", 1024 * 1024);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static struct problems none(void)
{
	struct problems problems;
	problems_init(&problems, arena);
	return problems;
}

static void problems_keep_all_that_was_said(void **state)
{
	struct problems problems = none();
	(void)state;
	problem_add(&problems, PROBLEM_MEDIA, STR("media.0.url"), "bad_url", STR("Bad."));
	problem_add_rule(&problems, STR("content"), "text_too_long", STR("acc"), 280, 301,
			 STR("Long."));
	assert_int_equal(problems.count, 2);
	assert_int_equal(problems.items[0].kind, PROBLEM_MEDIA);
	assert_int_equal(problems.items[0].limit, -1);
	assert_int_equal(problems.items[0].actual, -1);
	assert_true(str_equal_z(problems.items[0].reason, "bad_url"));
	assert_true(str_is_empty(problems.items[0].account_id));
	assert_int_equal(problems.items[1].kind, PROBLEM_RULE);
	assert_int_equal(problems.items[1].limit, 280);
	assert_int_equal(problems.items[1].actual, 301);
	assert_true(str_equal_z(problems.items[1].account_id, "acc"));
}

static void no_more_than_the_maximum_is_kept_and_the_rest_counted(void **state)
{
	struct problems problems = none();
	(void)state;
	for (int i = 0; i < PROBLEMS_MAX * 3; i++)
		problem_add(&problems, PROBLEM_MEDIA, str_format(arena, "media.%d", i), "bad_url",
			    STR("Bad."));
	assert_int_equal(problems.count, PROBLEMS_MAX);
	assert_int_equal(problems.seen_count, PROBLEMS_MAX * 3);
	for (int i = 0; i < PROBLEMS_MAX; i++)
		assert_true(str_equal(problems.items[i].field, str_format(arena, "media.%d", i)));
}

/* The lowest kind names the answer: it must not be lost behind a hundred of a higher one. */
static void a_lower_kind_takes_the_place_of_a_higher_one(void **state)
{
	struct problems problems = none();
	(void)state;
	for (int i = 0; i < PROBLEMS_MAX; i++)
		problem_add(&problems, PROBLEM_MEDIA, STR("media"), "bad_url", STR("Bad."));
	problem_add(&problems, PROBLEM_RULE, STR("rule"), "rule", STR("Rule."));
	assert_int_equal(problems.items[PROBLEMS_MAX - 1].kind, PROBLEM_MEDIA);
	problem_add(&problems, PROBLEM_SHAPE, STR("shape"), "shape", STR("Shape."));
	assert_int_equal(problems.items[PROBLEMS_MAX - 1].kind, PROBLEM_SHAPE);
	assert_int_equal(problems.count, PROBLEMS_MAX);
}

static void the_same_warning_is_kept_once(void **state)
{
	struct problems problems = none();
	(void)state;
	warning_add(&problems, STR("a"), "ignored", STR("One."));
	warning_add(&problems, STR("a"), "ignored", STR("Two."));
	warning_add(&problems, STR("a"), "other", STR("Three."));
	warning_add(&problems, STR("b"), "ignored", STR("Four."));
	assert_int_equal(problems.warning_count, 3);
	assert_true(str_equal_z(problems.warnings[0].message, "One."));
	for (int i = 0; i < PROBLEMS_MAX * 2; i++)
		warning_add(&problems, str_format(arena, "w%d", i), "ignored", STR("W."));
	assert_int_equal(problems.warning_count, PROBLEMS_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(problems_keep_all_that_was_said, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			no_more_than_the_maximum_is_kept_and_the_rest_counted, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_lower_kind_takes_the_place_of_a_higher_one,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_same_warning_is_kept_once, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
