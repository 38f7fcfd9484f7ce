/* SPDX-License-Identifier: Apache-2.0
 * Walking a table of stages, and running the operations of a platform. */
#include "stages.h"

#include "arena_fixture.h"

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

static const struct platform walked = {.stages = {[OPERATION_REFRESH] = table}};

static struct step run(const char *stage, const struct reply *reply, struct flow *flow)
{
	const struct env env = {.arena = arena};
	struct step step = {.kind = STEP_UNKNOWN};
	*flow = (struct flow){.stage = str_of(stage)};
	platform_run(&walked, OPERATION_REFRESH, &env, flow, reply, &step);
	return step;
}

static void a_flow_starts_at_the_first_stage_and_remembers_it(void **state)
{
	struct flow flow;
	const struct step step = run("", NULL, &flow);
	(void)state;
	assert_int_equal(step.wait_ms, 1);
	assert_true(str_equal_z(flow.stage, "first"));
}

static void an_answer_leads_on_to_the_stage_that_asks(void **state)
{
	const struct reply reply = {0};
	struct flow flow;
	const struct step step = run("first", &reply, &flow);
	(void)state;
	assert_int_equal(step.wait_ms, 3);
	assert_true(str_equal_z(flow.stage, "last"));
}

static void an_unknown_stage_and_a_circle_fail(void **state)
{
	struct flow flow;
	(void)state;
	const struct failure unknown = run("new_one", NULL, &flow).failure;
	assert_int_equal(unknown.code, FAILURE_CODE_INTERNAL_ERROR);
	assert_true(str_equal_z(unknown.message,
				"This was saved by another version and cannot be resumed (stage "
				"new_one)."));
	const struct failure circle = run("circle", NULL, &flow).failure;
	assert_int_equal(circle.code, FAILURE_CODE_INTERNAL_ERROR);
	assert_true(str_equal_z(circle.message,
				"Internal error: the platform adapter goes round in circles (stage "
				"circle)."));
}

/* ---- operations ---- */

static struct failure given;

static const char *fail_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)env;
	(void)flow;
	*step_fail(step, given.class, FAILURE_CODE_PLATFORM_REJECTED, STR("x")) = given;
	return NULL;
}

static const struct stage failing[] = {
	{"fail", fail_ask, first_answer},
	{.name = NULL},
};

static void learn(const struct env *env, struct flow *flow, struct step *step)
{
	(void)env;
	(void)flow;
	step->account_extra = STR("{}");
}

static const struct platform platform = {
	.stages =
		{
			[OPERATION_CONNECT] = failing,
			[OPERATION_CHECK] = failing,
			[OPERATION_PUBLISH] = table,
			[OPERATION_RESOLVE] = table,
		},
	.publish_learn = learn,
};

static struct step run_operation(enum operation operation, struct flow *flow)
{
	const struct env env = {.arena = arena};
	struct step step = {.kind = STEP_UNKNOWN};
	*flow = (struct flow){0};
	platform_run(&platform, operation, &env, flow, NULL, &step);
	return step;
}

static void resolve_leaves_the_stage_alone(void **state)
{
	struct flow flow;
	(void)state;
	assert_int_equal(run_operation(OPERATION_RESOLVE, &flow).account_extra.len, 0);
	assert_int_equal(flow.stage.len, 0);
	assert_true(str_equal_z(flow.probe, "first"));
}

static void publish_hands_over_what_it_learned(void **state)
{
	struct flow flow;
	(void)state;
	assert_true(str_equal_z(run_operation(OPERATION_PUBLISH, &flow).account_extra, "{}"));
	assert_true(str_equal_z(flow.stage, "first"));
}

static void a_refused_token_ends_a_connection(void **state)
{
	struct flow flow;
	(void)state;
	given = (struct failure){.class = FAILURE_TOKEN};
	struct failure got = run_operation(OPERATION_CONNECT, &flow).failure;
	assert_int_equal(got.class, FAILURE_PERMANENT);
	assert_int_equal(got.connection_error, CONNECTION_ERROR_PLATFORM_ERROR);
	assert_int_equal(run_operation(OPERATION_CHECK, &flow).failure.class, FAILURE_TOKEN);
	given = (struct failure){.class = FAILURE_TRANSIENT,
				 .connection_error = CONNECTION_ERROR_NO_ACCOUNTS};
	got = run_operation(OPERATION_CONNECT, &flow).failure;
	assert_int_equal(got.class, FAILURE_TRANSIENT);
	assert_int_equal(got.connection_error, CONNECTION_ERROR_NO_ACCOUNTS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_flow_starts_at_the_first_stage_and_remembers_it,
						setup, teardown),
		cmocka_unit_test_setup_teardown(an_answer_leads_on_to_the_stage_that_asks, setup,
						teardown),
		cmocka_unit_test_setup_teardown(an_unknown_stage_and_a_circle_fail, setup,
						teardown),
		cmocka_unit_test_setup_teardown(resolve_leaves_the_stage_alone, setup, teardown),
		cmocka_unit_test_setup_teardown(publish_hands_over_what_it_learned, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_refused_token_ends_a_connection, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
