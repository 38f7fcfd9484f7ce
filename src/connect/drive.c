/* SPDX-License-Identifier: Apache-2.0
 * What connecting and verifying have in common: a conversation with a platform that nobody sees, so
 * a passing failure is simply tried again a few times, in memory. */
#include "connect_private.h"

#include "redact.h"

static const int64_t pauses_ms[CONNECT_TRIES_MAX] = {500, 1500, 4000};

static void plan_pause(struct connect_task *t, int64_t wait_ms)
{
	t->plan->action = TASK_SLEEP;
	t->plan->wake_at_us = t->env.now_us + wait_ms * US_PER_MS / t->connector->config.time_scale;
}

static void plan_end(struct connect_task *t, struct step *step)
{
	t->plan->action = TASK_END;
	t->step = step;
	t->is_finished = true;
}

static void take_failure(struct connect_task *t, struct step *step)
{
	if (!failure_is_transient(step->failure.class) || t->tries >= CONNECT_TRIES_MAX) {
		plan_end(t, step);
		return;
	}
	plan_pause(t, pauses_ms[t->tries++]);
}

static void take_step(struct connect_task *t, struct step *step)
{
	switch (step->kind) {
	case STEP_SEND:
		t->plan->action = TASK_SEND;
		t->plan->call = step->call;
		return;
	case STEP_WAIT:
		plan_pause(t, step->wait_ms);
		return;
	case STEP_FAIL:
		take_failure(t, step);
		return;
	case STEP_DONE:
		plan_end(t, step);
		return;
	case STEP_MEDIA:
	case STEP_UNCERTAIN:
	case STEP_LANDED:
	case STEP_MATCHES:
	case STEP_SEND_AGAIN:
	case STEP_UNKNOWN:
		break;
	}
	step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_INTERNAL_ERROR,
		  STR("The adapter gave a step that makes no sense here."));
	plan_end(t, step);
}

void drive_event(struct connect_task *t, struct arena *arena, const struct task_event *event,
		 struct task_plan *plan)
{
	t->turn_arena = arena;
	t->plan = plan;
	t->env.arena = arena;
	t->env.now_us = clock_now_us(t->connector->config.clock);
	struct step *step = ARENA_NEW(arena, struct step);
	platform_run(t->platform, t->operation, &t->env, &t->flow,
		     event->kind == TASK_EVENT_REPLY ? event->reply : NULL, step);
	take_step(t, step);
}

struct str drive_told(const struct connect_task *t, const struct failure *failure)
{
	struct failure told = *failure;
	redact_failure(t->turn_arena, &told, &t->env, &t->flow);
	if (told.platform_message.len == 0)
		return told.message;
	return str_format(t->turn_arena, STR_FMT " (" STR_FMT ")", STR_ARG(told.message),
			  STR_ARG(told.platform_message));
}
