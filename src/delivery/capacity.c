/* SPDX-License-Identifier: Apache-2.0
 * A delivery at the gate (gate.h): it takes room when it is claimed and before every call, and
 * gives it back with what the call said about the platform. A delivery that finds no room is put
 * back as it stands, without a failed try; the account keeps its place in line. */
#include "delivery_private.h"

#include "fetch_share.h"
#include "gate.h"
#include "policy.h"

static int64_t boot_us(const struct delivery_task *t)
{
	return clock_boot_us(t->deliverer->config.clock);
}

void capacity_leave(struct delivery_task *t)
{
	if (t->capacity.is_in_gate)
		gate_leave(t->deliverer->gate, t->platform->id, t->work.app_id,
			   t->capacity.has_outcome ? t->capacity.outcome : GATE_UNUSED,
			   t->capacity.retry_after_us, boot_us(t));
	t->capacity = (struct delivery_capacity){0};
}

void capacity_note_reply(struct delivery_task *t, const struct reply *reply)
{
	const bool is_answer = reply->outcome == REPLY_ANSWERED;
	t->capacity.has_outcome = true;
	t->capacity.outcome = !is_answer || reply->status >= 500 ? GATE_BROKE
			      : reply->status == 429             ? GATE_LIMITED
								 : GATE_WORKED;
}

/* The adapter knows better than the status: some platforms say "too often" with 400 and "not you"
 * with 200. */
void capacity_note_failure(struct delivery_task *t, const struct failure *failure)
{
	struct delivery_capacity *capacity = &t->capacity;
	/* With an unknown outcome probes must go on: they are few, and close nothing. */
	if (!capacity->has_outcome || capacity->outcome == GATE_BROKE ||
	    t->save.call_state != CALL_STATE_NONE)
		return;
	if (failure->class == FAILURE_APP)
		capacity->outcome = GATE_REFUSED;
	if (failure->class == FAILURE_RATE_LIMITED)
		capacity->outcome = GATE_LIMITED;
	if (failure->retry_after_ms > 0 && failure->retry_after_ms < POLICY_PATIENCE_US / US_PER_MS)
		capacity->retry_after_us = failure->retry_after_ms * US_PER_MS;
}

/* A refusal without a reason, or a success without an id: no proof that calls work. Many in a row
 * close the app's place, before the outcome of all its deliveries is unknown. */
void capacity_note_unreadable(struct delivery_task *t)
{
	if (t->capacity.has_outcome && t->capacity.outcome == GATE_WORKED)
		t->capacity.outcome = GATE_LIMITED;
}

enum capacity capacity_take(struct delivery_task *t, int64_t *wait_us_out)
{
	/* Report the previous call's outcome first: it may close the gate. */
	if (t->capacity.has_outcome)
		capacity_leave(t);
	if (t->work.world.is_test && !t->capacity.is_in_gate)
		gate_set_apart(t->deliverer->gate, t->platform->id, t->work.app_id,
			       t->work.world.time_scale);
	if (!t->capacity.is_in_gate)
		t->capacity.is_in_gate = gate_enter(t->deliverer->gate, t->platform->id,
						    t->work.app_id, boot_us(t), wait_us_out);
	if (t->capacity.is_in_gate)
		return CAPACITY_TAKEN;
	const int64_t waited_us = t->env.now_us - t->work.due_at_us;
	return waited_us > POLICY_PATIENCE_US &&
			       capacity_is_hopeless(t->deliverer, t->work.app_id, t->platform->id)
		       ? CAPACITY_NEVER
		       : CAPACITY_LATER;
}

void capacity_turn_ends(struct delivery_task *t)
{
	if (t->capacity.has_outcome || t->turn.plan->action != TASK_SEND)
		capacity_leave(t);
}

bool capacity_is_hopeless(void *context, struct str app_id, enum platform_id platform)
{
	const struct deliverer *deliverer = context;
	return gate_refused_us(deliverer->gate, platform, app_id,
			       clock_boot_us(deliverer->config.clock)) > POLICY_PATIENCE_US;
}

uint32_t capacity_for_claim(void *context, struct str app_id, enum platform_id platform)
{
	struct deliverer *deliverer = context;
	const int64_t now_us = clock_boot_us(deliverer->config.clock);
	const uint32_t room = gate_room(deliverer->gate, platform, app_id, now_us);
	const uint32_t fetches = fetch_share_room(deliverer->fetch_share, app_id);
	if (room == 0)
		gate_refuse(deliverer->gate, platform, app_id, now_us);
	deliverer->is_capacity_short = deliverer->is_capacity_short || room == 0 || fetches == 0;
	return fetches < room ? fetches : room;
}

uint32_t capacity_shared_for_claim(void *context, struct str app_id, enum platform_id platform)
{
	const struct deliverer *deliverer = context;
	return gate_shared_room(deliverer->gate, platform, app_id,
				clock_boot_us(deliverer->config.clock));
}
