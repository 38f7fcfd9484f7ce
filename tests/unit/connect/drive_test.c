/* SPDX-License-Identifier: Apache-2.0
 * The conversation that connecting and verifying share, with an adapter of the test's own that
 * follows a script: tries, pauses and their ends. No engine, no store. */
#include "connect_private.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "stages.h"

#include "fake_clock.h"

struct bench {
	struct fake_clock clock;
	struct connector connector;
	struct connect_task task;
	struct arena *arena;
	struct task_plan plan;
};

static int bench_setup(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));
	assert_non_null(b);
	b->arena = arena_new("drive", 1 << 22);
	fake_clock_init(&b->clock);
	b->connector.config.clock = &b->clock.clock;
	b->task.time_scale = 1;
	b->task.connector = &b->connector;
	flow_init(&b->task.flow, b->arena, 0);
	*state = b;
	return 0;
}

static int bench_teardown(void **state)
{
	struct bench *b = *state;
	arena_free(&b->arena);
	free(b);
	return 0;
}

typedef const char *(*asking)(const struct env *env, struct flow *flow, struct step *step);

static void drive(struct bench *b, asking ask)
{
	const struct task_event event = {.kind = TASK_EVENT_WOKEN};
	const struct stage stages[] = {{"probe", ask, NULL}, {.name = NULL}};
	const struct platform platform = {.stages = {[OPERATION_VERIFY] = stages}};
	b->plan = (struct task_plan){.action = TASK_FETCH};
	b->task.platform = &platform;
	b->task.operation = OPERATION_VERIFY;
	drive_event(&b->task, b->arena, &event, &b->plan);
}

static const char *sends(const struct env *env, struct flow *flow, struct step *step)
{
	(void)env, (void)flow;
	step_send(step, CALL_PREPARE, "POST", STR("https://platform.example/"));
	return NULL;
}

static const char *waits(const struct env *env, struct flow *flow, struct step *step)
{
	(void)env, (void)flow;
	step_wait(step, 10000);
	return NULL;
}

static const char *passes(const struct env *env, struct flow *flow, struct step *step)
{
	(void)env, (void)flow;
	step_fail(step, FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE, STR("not now"));
	return NULL;
}

static const char *refuses(const struct env *env, struct flow *flow, struct step *step)
{
	(void)env, (void)flow;
	step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_PLATFORM_REJECTED, STR("no"))
		->platform_message = STR("the-client-secret is wrong");
	return NULL;
}

static const char *ends(const struct env *env, struct flow *flow, struct step *step)
{
	(void)env, (void)flow;
	step_done(step);
	return NULL;
}

static const char *asks_for_media(const struct env *env, struct flow *flow, struct step *step)
{
	(void)env, (void)flow;
	step_media(step, 0);
	return NULL;
}

static void a_call_is_planned(void **state)
{
	struct bench *b = *state;
	drive(b, sends);
	assert_int_equal(b->plan.action, TASK_SEND);
	assert_int_equal(b->plan.call.kind, CALL_PREPARE);
	assert_false(b->task.is_finished);
}

static void waits_are_scaled(void **state)
{
	struct bench *b = *state;
	drive(b, waits);
	assert_int_equal(b->plan.action, TASK_SLEEP);
	assert_int_equal(b->plan.wake_at_us, FAKE_NOW_US + 10 * US_PER_S);
	b->task.time_scale = 100;
	drive(b, waits);
	assert_int_equal(b->plan.wake_at_us, FAKE_NOW_US + 100 * US_PER_MS);
}

static void what_passes_is_tried_three_times_more(void **state)
{
	struct bench *b = *state;
	static const int64_t pauses_ms[] = {500, 1500, 4000};
	for (size_t i = 0; i < 3; i++) {
		drive(b, passes);
		assert_int_equal(b->plan.action, TASK_SLEEP);
		assert_int_equal(b->plan.wake_at_us, FAKE_NOW_US + pauses_ms[i] * US_PER_MS);
	}
	drive(b, passes);
	assert_int_equal(b->plan.action, TASK_END);
	assert_true(b->task.is_finished);
	assert_int_equal(b->task.step->failure.code, FAILURE_CODE_PLATFORM_UNAVAILABLE);
}

static void what_is_refused_ends_at_once_and_is_told_clean(void **state)
{
	struct bench *b = *state;
	b->task.env.client_secret = STR("the-client-secret");
	drive(b, refuses);
	assert_int_equal(b->plan.action, TASK_END);
	assert_true(b->task.is_finished);
	assert_true(str_equal_z(drive_failure_text(&b->task, &b->task.step->failure),
				"no (*** is wrong)"));
	const struct failure plain = {.message = STR("no")};
	assert_true(str_equal_z(drive_failure_text(&b->task, &plain), "no"));
}

static void the_end_is_the_end(void **state)
{
	struct bench *b = *state;
	drive(b, ends);
	assert_int_equal(b->plan.action, TASK_END);
	assert_true(b->task.is_finished);
	assert_int_equal(b->task.step->kind, STEP_DONE);
}

static void a_step_without_sense_is_our_fault(void **state)
{
	struct bench *b = *state;
	drive(b, asks_for_media);
	assert_int_equal(b->plan.action, TASK_END);
	assert_int_equal(b->task.step->kind, STEP_FAIL);
	assert_int_equal(b->task.step->failure.code, FAILURE_CODE_INTERNAL_ERROR);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_setup, bench_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_call_is_planned),
		TEST(waits_are_scaled),
		TEST(what_passes_is_tried_three_times_more),
		TEST(what_is_refused_ends_at_once_and_is_told_clean),
		TEST(the_end_is_the_end),
		TEST(a_step_without_sense_is_our_fault),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
