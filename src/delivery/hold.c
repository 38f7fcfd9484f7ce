/* SPDX-License-Identifier: Apache-2.0
 * Deliveries that may not simply go on (store_guard.h). After a restore: each part is first looked
 * for at the platform, by the same resolve that settles publish calls in doubt. Found (proven, or
 * the only free match): taken over as published. All else, the platform's "it is not here"
 * included, is no proof here: what the restored row knows is not the last that was done for the
 * post, so the delivery is held until the operator decides. No publish call is made meanwhile,
 * whatever the adapter asks for. A look leaves no trace: the row keeps the flow that it had. */
#include "delivery_private.h"

#include "policy.h"

/* At once, after 5 s and after 30 s: most platforms show a post by then, and a long list of held
 * posts costs quota with each look. */
#define HOLD_LOOKS_MAX 3

static const char held_text[] = "The database was restored from a backup, and it cannot be proven "
				"whether this was published since. It is held until the "
				"operator releases or fails it.";
static const char condemned_text[] =
	"The database was restored from a backup, and it cannot be proven whether this was "
	"published since. The operator decided not "
	"to publish it.";
static const char poisoned_text[] =
	"This delivery stopped the service three times; it was set aside.";

static struct failure failure_of(enum failure_code code, const char *text)
{
	return (struct failure){.class = FAILURE_PERMANENT, .code = code, .message = str_of(text)};
}

static void hold_change(struct delivery_task *t, enum hold_state state)
{
	t->new_hold = state;
	t->has_new_hold = true;
}

/* What the row has of the flow, for as long as a look goes on. */
static void remember_flow(struct delivery_task *t)
{
	t->hold_flow = flow_write(t->arena, &t->flow);
	t->hold_flow_secrets = flow_write_secrets(t->arena, &t->flow);
}

static void forget_look(struct delivery_task *t)
{
	struct error err = {0};
	flow_read(&t->flow, t->arena, t->hold_flow, t->hold_flow_secrets,
		  t->content.container_count, &err);
	t->is_hold_look = false;
}

/* Gives the delivery back: due_at_us INT64_MAX is never due. The account is free meanwhile. */
static void put_off(struct delivery_task *t, int64_t due_at_us, const char *decision)
{
	t->failure = failure_of(FAILURE_CODE_OUTCOME_UNKNOWN, held_text);
	t->save.failure = &t->failure;
	t->save.due_at_us = due_at_us;
	t->save.next = DELIVERY_RETRY;
	t->plan->action = TASK_END;
	record_decision(t, str_of(decision));
}

static bool hold_for_operator(struct delivery_task *t)
{
	if (t->is_hold_look)
		forget_look(t);
	t->save.looks = 0;
	hold_change(t, HOLD_HELD);
	put_off(t, INT64_MAX, "not provable after a restore: held for the operator");
	return true;
}

static bool look_later(struct delivery_task *t, int64_t wait_ms, const char *decision)
{
	if (t->is_hold_look)
		forget_look(t);
	put_off(t, t->env.now_us + course_scaled_ms(t, wait_ms) * US_PER_MS, decision);
	return true;
}

static bool look_again(struct delivery_task *t, int64_t at_least_ms)
{
	t->save.looks++;
	const int64_t wait_ms = policy_look_wait_ms(t->save.looks);
	if (t->save.looks >= HOLD_LOOKS_MAX || wait_ms < 0)
		return hold_for_operator(t);
	return look_later(t, wait_ms > at_least_ms ? wait_ms : at_least_ms,
			  "restored: not found yet, look again");
}

/* The part that is next, whatever the row's flow was about to do for it. */
static void ask_about_part(struct delivery_task *t)
{
	remember_flow(t);
	t->is_hold_look = true;
	t->mode = COURSE_RESOLVE;
	t->flow.probe = STR("");
	if (t->save.call_state == CALL_STATE_NONE)
		t->save.call_started_at_us = t->work.hold_due_at_us;
}

/* A stage that is set now is a call behind the publish call, such as asking how far the platform
 * is. */
static bool adopt(struct delivery_task *t, const char *decision)
{
	t->is_hold_look = false;
	t->mode = COURSE_PUBLISH;
	t->save.call_state = CALL_STATE_NONE;
	t->save.looks = 0;
	t->flow.probe = STR("");
	record_decision(t, str_of(decision));
	if (flow_part(&t->flow) < t->flow.part_count && t->flow.stage.len == 0)
		ask_about_part(t);
	return false;
}

static bool compare(struct delivery_task *t, const struct step *step)
{
	const struct match *found = doubt_only_match(t, step);
	if (found == NULL)
		return look_again(t, 0);
	flow_part_done(&t->flow, found->remote_id, found->url);
	return adopt(t, "restored: found at the platform, it was published");
}

static bool not_asked(struct delivery_task *t, const struct failure *failure)
{
	return failure_is_transient(failure->class) ? look_again(t, failure->retry_after_ms)
						    : hold_for_operator(t);
}

bool hold_take_step(struct delivery_task *t, const struct step *step)
{
	switch (step->kind) {
	case STEP_LANDED:
		return adopt(t, "restored: proven, it was published");
	case STEP_MATCHES:
		return compare(t, step);
	case STEP_WAIT:
		return look_later(t, step->wait_ms, "restored: too early to ask");
	case STEP_FAIL:
		return not_asked(t, &step->failure);
	case STEP_SEND_AGAIN:
	case STEP_UNKNOWN:
	case STEP_DONE:
	case STEP_UNCERTAIN:
	case STEP_MEDIA:
	case STEP_SEND:
		return look_again(t, 0);
	}
	return look_again(t, 0);
}

bool hold_forbids(const struct delivery_task *t, const struct call *call)
{
	return t->work.hold == HOLD_ASKING && call->kind == CALL_PUBLISH;
}

bool hold_keeps_back(struct delivery_task *t)
{
	return hold_for_operator(t);
}

bool hold_sets_aside(struct delivery_task *t)
{
	const bool is_unknown = t->save.call_state != CALL_STATE_NONE;
	const struct failure failure =
		failure_of(is_unknown ? FAILURE_CODE_OUTCOME_UNKNOWN : FAILURE_CODE_INTERNAL_ERROR,
			   poisoned_text);
	if (t->work.hold != HOLD_POISONED)
		return false;
	t->is_unreadable = true; /* it is not read: what is stored stays as it is */
	course_finish_failed(t, &failure);
	hold_change(t, HOLD_SET_ASIDE);
	return true;
}

static bool condemn(struct delivery_task *t)
{
	const struct failure failure = failure_of(FAILURE_CODE_OUTCOME_UNKNOWN, condemned_text);
	course_finish_failed(t, &failure);
	hold_change(t, HOLD_NONE);
	return true;
}

bool hold_begins(struct delivery_task *t)
{
	switch (t->work.hold) {
	case HOLD_CONDEMNED:
		return condemn(t);
	case HOLD_HELD:
		return hold_for_operator(t);
	case HOLD_ASKING:
		if (t->work.account.state == ACCOUNT_DISCONNECTED)
			return hold_for_operator(t);
		if (flow_part(&t->flow) < t->flow.part_count)
			ask_about_part(t);
		return false;
	case HOLD_NONE:
	case HOLD_ADOPTED:
	case HOLD_POISONED:
	case HOLD_SET_ASIDE:
	case HOLD_STATE_COUNT:
		break;
	}
	return false;
}

void hold_plan_ends(struct delivery_task *t)
{
	if (t->is_hold_look)
		t->save.flow = t->hold_flow;
	if (t->work.hold != HOLD_ASKING || t->has_new_hold)
		return;
	if (t->save.next == DELIVERY_PUBLISHED)
		hold_change(t, HOLD_ADOPTED);
	if (t->save.next == DELIVERY_FAILED)
		hold_change(t, HOLD_NONE);
}

enum err_kind hold_save(struct delivery_task *t, void *tx, struct error *err)
{
	return t->has_new_hold ? store_hold_set(tx, t->work.id, t->new_hold, err) : ERR_NONE;
}
