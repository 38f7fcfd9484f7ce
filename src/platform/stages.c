/* SPDX-License-Identifier: Apache-2.0
 * Walking a table of stages, and running an operation of a platform by its table. */
#include "stages.h"

#include "arena.h"

/* More hops in one step than any table has stages: two stages hand over to each other, which is our
 * bug. */
#define HOPS_MAX 64

static const struct stage *stage_find(const struct stage *stages, struct str name)
{
	if (str_is_empty(name))
		return &stages[0];
	for (const struct stage *stage = stages; stage->name != NULL; stage++) {
		if (str_equal_z(name, stage->name))
			return stage;
	}
	return NULL;
}

static void fail_at(const struct env *env, const char *sentence, struct str name, struct step *step)
{
	step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_INTERNAL_ERROR,
		  str_format(env->arena, "%s (stage " STR_FMT ").", sentence, STR_ARG(name)));
}

static void walk(const struct stage *stages, struct str *place, const struct env *env,
		 struct flow *flow, const struct reply *reply, struct step *step)
{
	struct str name = *place;
	for (int hops = 0; hops < HOPS_MAX; hops++) {
		const struct stage *stage = stage_find(stages, name);
		if (stage == NULL) {
			fail_at(env, "This was saved by another version and cannot be resumed",
				name, step);
			return;
		}
		*place = str_of(stage->name);
		const char *next = reply != NULL ? stage->answer(env, flow, reply, step)
						 : stage->ask(env, flow, step);
		if (next == NULL)
			return;
		name = str_of(next);
		reply = NULL;
	}
	fail_at(env, "Internal error: the platform adapter goes round in circles", name, step);
}

const char *stages_answer_unexpected(const struct env *env, struct flow *flow,
				     const struct reply *reply, struct step *step)
{
	(void)env;
	(void)flow;
	(void)reply;
	step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_INTERNAL_ERROR,
		  STR("Internal error: an answer arrived that nothing had asked for."));
	return NULL;
}

/* ---- operations ---- */

/* Without a reason of its own it is platform_error; and a refused token is final, since a
 * connection has no account yet whose token could be refreshed. */
static void complete_connect_failure(struct failure *failure)
{
	if (failure->connection_error == CONNECTION_ERROR_NONE)
		failure->connection_error = CONNECTION_ERROR_PLATFORM_ERROR;
	if (failure->class == FAILURE_TOKEN || failure->class == FAILURE_REAUTH)
		failure->class = FAILURE_PERMANENT;
}

void platform_run(const struct platform *platform, enum operation operation, const struct env *env,
		  struct flow *flow, const struct reply *reply, struct step *step)
{
	const struct stage *stages = platform->stages[operation];
	struct env own = *env;
	own.platform = platform;
	walk(stages, operation == OPERATION_RESOLVE ? &flow->probe : &flow->stage, &own, flow,
	     reply, step);
	if (operation == OPERATION_PUBLISH && platform->publish_learn != NULL)
		platform->publish_learn(&own, flow, step);
	if (operation == OPERATION_CONNECT && step->kind == STEP_FAIL)
		complete_connect_failure(&step->failure);
}
