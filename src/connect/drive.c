/* SPDX-License-Identifier: Apache-2.0
 * The conversation with a platform that exchanges and questions have in common. Nobody sees a call
 * twice, so a transient failure is retried a few times, in memory. */
#include "connect_private.h"

#include "redact.h"

static const int64_t pauses_ms[CONNECT_TRIES_MAX] = {500, 1500, 4000};

static void plan_pause(struct connect_task *t, int64_t wait_ms)
{
	t->plan->action = TASK_SLEEP;
	t->plan->wake_at_us = t->env.now_us + wait_ms * US_PER_MS / t->time_scale;
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
		  STR("Internal error: the platform adapter returned an unexpected step."));
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

struct str drive_failure_text(const struct connect_task *t, const struct failure *failure)
{
	struct failure clean = *failure;
	redact_failure(t->turn_arena, &clean, &t->env, &t->flow);
	if (str_is_empty(clean.platform_message))
		return clean.message;
	return str_format(t->turn_arena, STR_FMT " (" STR_FMT ")", STR_ARG(clean.message),
			  STR_ARG(clean.platform_message));
}
