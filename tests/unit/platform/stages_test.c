/* SPDX-License-Identifier: Apache-2.0
 * Walking a table of stages. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "arena.h"

#include "stages.h"

static const char *first_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)env;
	(void)flow;
	step_wait(step, 1);
	return NULL;
}

static const char *first_answer(const struct env *env, struct flow *flow, const struct reply *reply,
				struct step *step)
{
	(void)env;
	(void)flow;
	(void)reply;
	(void)step;
	return "skip";
}

static const char *skip_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)env;
	(void)flow;
	(void)step;
	return "last";
}

static const char *last_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)env;
	(void)flow;
	step_wait(step, 3);
	return NULL;
}

static const char *circle_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)env;
	(void)flow;
	(void)step;
	return "circle";
}

static const struct stage table[] = {
	{"first", first_ask, first_answer},
	{"skip", skip_ask, first_answer},
	{"last", last_ask, first_answer},
	{"circle", circle_ask, first_answer},
	{.name = NULL},
};

static struct step run(const char *stage, const struct reply *reply, struct flow *flow)
{
	const struct env env = {0};
	struct step step = {.kind = STEP_UNKNOWN};
	*flow = (struct flow){.stage = str_of(stage)};
	stages_run(table, &env, flow, reply, &step);
	return step;
}

static void a_flow_starts_at_the_first_stage_and_remembers_it(void **state)
{
	struct flow flow;
	const struct step step = run("", NULL, &flow);
	(void)state;
	assert_int_equal(step.wait_ms, 1);
	assert_true(flow_is_at(&flow, "first"));
}

static void an_answer_leads_on_to_the_stage_that_asks(void **state)
{
	const struct reply reply = {0};
	struct flow flow;
	const struct step step = run("first", &reply, &flow);
	(void)state;
	assert_int_equal(step.wait_ms, 3);
	assert_true(flow_is_at(&flow, "last"));
}

static void an_unknown_stage_and_a_circle_fail(void **state)
{
	struct flow flow;
	(void)state;
	assert_int_equal(run("of another version", NULL, &flow).failure.code,
			 FAILURE_CODE_INTERNAL_ERROR);
	assert_int_equal(run("circle", NULL, &flow).kind, STEP_FAIL);
}

static void the_probe_has_a_place_of_its_own(void **state)
{
	const struct env env = {0};
	struct flow flow = {.stage = STR("publish")};
	struct step step = {.kind = STEP_UNKNOWN};
	(void)state;
	stages_run_probe(table, &env, &flow, NULL, &step);
	assert_true(flow_is_at(&flow, "publish"));
	assert_true(str_equal_z(flow.probe, "first"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_flow_starts_at_the_first_stage_and_remembers_it),
		cmocka_unit_test(an_answer_leads_on_to_the_stage_that_asks),
		cmocka_unit_test(an_unknown_stage_and_a_circle_fail),
		cmocka_unit_test(the_probe_has_a_place_of_its_own),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
