/* SPDX-License-Identifier: Apache-2.0
 * A delivery at the gate (gate.h): room is taken when it is claimed and before every call, and
 * given back with what the call told about the platform. Who finds no room is put back as it
 * stands, without a failed try; the account keeps its place in line. */
#include "delivery_private.h"

#include "gate.h"
#include "policy.h"

static int64_t boot_us(const struct delivery_task *t)
{
	return clock_boot_us(t->deliverer->config.clock);
}

bool room_enter(struct delivery_task *t, int64_t *wait_us_out)
{
	if (!t->is_in_gate)
		t->is_in_gate = gate_enter(t->deliverer->gate, t->platform->id, t->work.app_id,
					   boot_us(t), wait_us_out);
	return t->is_in_gate;
}

static void leave(struct delivery_task *t, enum gate_outcome outcome)
{
	if (t->is_in_gate)
		gate_leave(t->deliverer->gate, t->platform->id, t->work.app_id, outcome,
			   t->gate_retry_after_us, boot_us(t));
	t->is_in_gate = false;
	t->has_gate_outcome = false;
	t->gate_retry_after_us = 0;
}

void room_leave(struct delivery_task *t)
{
	leave(t, t->has_gate_outcome ? t->gate_outcome : GATE_UNUSED);
}

void room_note_reply(struct delivery_task *t, const struct reply *reply)
{
	const bool is_answer = reply->outcome == REPLY_ANSWERED;
	t->has_gate_outcome = true;
	t->gate_outcome = !is_answer || reply->status >= 500 ? GATE_BROKE
			  : reply->status == 429             ? GATE_LIMITED
							     : GATE_WORKED;
}

/* The adapter knows better than the status: some platforms say "too often" with 400 and "not you"
 * with 200. */
void room_note_failure(struct delivery_task *t, const struct failure *failure)
{
	/* With a call in doubt looks must go on: they are few, and close nothing. */
	if (!t->has_gate_outcome || t->gate_outcome == GATE_BROKE ||
	    t->save.call_state != CALL_STATE_NONE)
		return;
	if (failure->class == FAILURE_APP)
		t->gate_outcome = GATE_REFUSED;
	if (failure->class == FAILURE_RATE_LIMITED)
		t->gate_outcome = GATE_LIMITED;
	if (failure->retry_after_ms > 0 && failure->retry_after_ms < POLICY_PATIENCE_US / US_PER_MS)
		t->gate_retry_after_us = failure->retry_after_ms * US_PER_MS;
}

/* A refusal without a reason, or a success without an id: no proof that calls work. Many in a row
 * close the app's place, before every delivery of it has come into doubt. */
void room_note_unreadable(struct delivery_task *t)
{
	if (t->has_gate_outcome && t->gate_outcome == GATE_WORKED)
		t->gate_outcome = GATE_LIMITED;
}

/* Nothing worked there for as long as we are patient: it has to come to an end. */
static void give_up(struct delivery_task *t)
{
	if (t->work.hold == HOLD_ASKING) {
		hold_keeps_back(t); /* what may be out there is not told as failed */
		return;
	}
	const struct failure failure = {
		.class = FAILURE_PERMANENT,
		.code = FAILURE_CODE_PLATFORM_UNAVAILABLE,
		.message = STR("The platform took no calls of this app for two days."),
	};
	course_finish_failed(t, &failure);
}

bool room_take(struct delivery_task *t)
{
	int64_t wait_us = 0;
	/* What the call before told is told first: it may be what closes the door. */
	if (t->has_gate_outcome)
		room_leave(t);
	if (room_enter(t, &wait_us))
		return true;
	if (t->env.now_us - t->work.due_at_us > POLICY_PATIENCE_US) {
		give_up(t);
		return false;
	}
	record_decision(t, STR("wait for room at the platform"));
	course_wait(t, 0);
	t->save.due_at_us = t->env.now_us + wait_us; /* the gate's waits are scaled already */
	return false;
}

void room_plan_ends(struct delivery_task *t)
{
	if (t->has_gate_outcome || t->plan->action != TASK_SEND)
		room_leave(t);
}

uint32_t room_for_claim(void *context, struct str app_id, enum platform_id platform)
{
	struct deliverer *deliverer = context;
	const uint32_t room = gate_room(deliverer->gate, platform, app_id,
					clock_boot_us(deliverer->config.clock));
	deliverer->is_room_short = deliverer->is_room_short || room == 0;
	return room;
}
