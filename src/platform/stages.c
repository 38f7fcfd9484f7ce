/* SPDX-License-Identifier: Apache-2.0
 * Walking a table of stages, and running an operation of a platform by its table. */
#include "stages.h"

/* More hops in one call than any table has: then two stages send each other round in a circle,
 * which is our bug. */
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

static void walk(const struct stage *stages, struct str *place, const struct env *env,
		 struct flow *flow, const struct reply *reply, struct step *step)
{
	struct str name = *place;
	for (int hops = 0; hops < HOPS_MAX; hops++) {
		const struct stage *stage = stage_find(stages, name);
		if (stage == NULL)
			break;
		*place = str_of(stage->name);
		const char *next = reply != NULL ? stage->answer(env, flow, reply, step)
						 : stage->ask(env, flow, step);
		if (next == NULL)
			return;
		name = str_of(next);
		reply = NULL;
	}
	step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_INTERNAL_ERROR,
		  STR("The work on this post cannot be taken up again: its stage is not known."));
}

void stages_run(const struct stage *stages, const struct env *env, struct flow *flow,
		const struct reply *reply, struct step *step)
{
	walk(stages, &flow->stage, env, flow, reply, step);
}

void stages_run_probe(const struct stage *stages, const struct env *env, struct flow *flow,
		      const struct reply *reply, struct step *step)
{
	walk(stages, &flow->probe, env, flow, reply, step);
}

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
	if (operation == OPERATION_RESOLVE)
		stages_run_probe(stages, &own, flow, reply, step);
	else
		stages_run(stages, &own, flow, reply, step);
	if (operation == OPERATION_PUBLISH && platform->publish_learn != NULL)
		platform->publish_learn(&own, flow, step);
	if (operation == OPERATION_CONNECT && step->kind == STEP_FAIL)
		complete_connect_failure(&step->failure);
}
