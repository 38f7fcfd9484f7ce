/* SPDX-License-Identifier: Apache-2.0
 * Deliveries that may not simply go on (store_guard.h). After a restore: each part is first looked
 * for at the platform, by the same probes that resolve publish calls with an unknown outcome. Found
 * (proven, or the only free match): taken over as published. Everything else, the platform's "it is
 * not here" included, is no proof here: the restored row does not know the last that was done for
 * the post, so the delivery is held until the operator decides. No publish call is made meanwhile,
 * even if the adapter asks for one. A probe leaves no trace: the row keeps the flow that it had.
 *
 * After an unclean end without a sign of a restore what is overdue is looked for once: what is not
 * found goes out in the same turn. What is found shows that there was a restore after all, and the
 * rest of that delivery is treated so.
 *
 * The quarantine: a delivery that stopped the service three times is failed without being read. */
#include "delivery_private.h"

#include "policy.h"

/* At once, after 5 s and after 30 s: most platforms show a post by then, and a long list of held
 * posts costs quota with each probe. */
#define PROBES_MAX 3

static const char held_text[] = "The database was restored from a backup, and it cannot be proven "
				"whether this was published afterwards. It is held until the "
				"operator releases or fails it.";
static const char condemned_text[] =
	"The database was restored from a backup, and it cannot be proven whether this was "
	"published afterwards. The operator decided not to publish it.";
static const char quarantine_text[] =
	"This delivery stopped the service three times; it was set aside.";

static struct failure failure_of(enum failure_code code, const char *text)
{
	return (struct failure){.class = FAILURE_PERMANENT, .code = code, .message = str_of(text)};
}

static void change_state(struct delivery_task *t, enum hold_state state)
{
	t->hold.new_state = state;
	t->hold.has_new_state = true;
}

/* ---- one probe ---- */

/* For the part that is next, no matter what the row's flow was about to do for it. */
static void probe_begin(struct delivery_task *t)
{
	t->hold.flow = flow_write(t->arena, &t->flow);
	t->hold.flow_secrets = flow_write_secrets(t->arena, &t->flow);
	t->hold.is_probing = true;
	t->flow.probe = STR("");
	if (t->save.call_state == CALL_STATE_NONE && t->work.hold != HOLD_LOOKING)
		t->save.call_started_at_us = t->work.hold_due_at_us;
}

int64_t hold_since_us(const struct delivery_task *t)
{
	return t->hold.is_probing ? t->work.hold_due_at_us : 0;
}

static void probe_end(struct delivery_task *t)
{
	struct error err = {0};
	if (t->hold.is_probing)
		flow_read(&t->flow, t->arena, t->hold.flow, t->hold.flow_secrets,
			  t->content.container_count, &err);
	t->hold.is_probing = false;
}

/* It goes out, as if it had never been looked for. */
static enum next look_ends(struct delivery_task *t, const char *decision)
{
	probe_end(t);
	t->work.hold = HOLD_NONE;
	t->save.looks = 0;
	change_state(t, HOLD_NONE);
	record_decision(t, str_of(decision));
	return NEXT_ASK;
}

/* Gives the delivery back until due_at_us, with the flow that the row has. */
static enum next put_back(struct delivery_task *t, int64_t due_at_us, const char *decision)
{
	const struct failure failure = failure_of(FAILURE_CODE_OUTCOME_UNKNOWN, held_text);
	probe_end(t);
	return verdict_retry_at(t, &failure, due_at_us, str_of(decision));
}

enum next hold_for_operator(struct delivery_task *t)
{
	t->save.looks = 0;
	change_state(t, HOLD_HELD);
	return put_back(t, INT64_MAX, "not provable after a restore: held for the operator");
}

enum next hold_give_up(struct delivery_task *t)
{
	return t->work.hold == HOLD_LOOKING
		       ? look_ends(t, "after an unclean end: it could not be looked for, send it")
		       : hold_for_operator(t);
}

static enum next probe_again(struct delivery_task *t, int64_t at_least_ms)
{
	if (t->work.hold == HOLD_LOOKING)
		return look_ends(t, "after an unclean end: it is not there, send it");
	t->save.looks++;
	const int64_t wait_ms = policy_probe_wait_ms(t->save.looks);
	if (t->save.looks >= PROBES_MAX || wait_ms < 0)
		return hold_for_operator(t);
	return put_back(t, verdict_due_us(t, wait_ms > at_least_ms ? wait_ms : at_least_ms),
			"restored: not found yet, look again");
}

/* The part was published. A stage that is set now is a call after the publish call, such as asking
 * how far the platform is. */
static enum next adopt(struct delivery_task *t, const char *decision)
{
	t->hold.is_probing = false;
	t->hold.was_looking |= t->work.hold == HOLD_LOOKING;
	t->work.hold = HOLD_ASKING;
	const enum next next = verdict_settled(t, decision);
	if (flow_part(&t->flow) < t->flow.part_count && t->flow.stage.len == 0)
		probe_begin(t);
	return next;
}

enum next hold_landed(struct delivery_task *t, const struct step *step)
{
	(void)step;
	return adopt(t, "restored: proven, it was published");
}

enum next hold_matches(struct delivery_task *t, const struct step *step)
{
	const struct match *found = resolve_only_match(t, step);
	if (found == NULL)
		return probe_again(t, 0);
	flow_part_done(&t->flow, found->remote_id, found->url);
	return adopt(t, "restored: found at the platform, it was published");
}

enum next hold_too_early(struct delivery_task *t, const struct step *step)
{
	if (t->work.hold == HOLD_LOOKING) {
		probe_end(t);
		record_decision(t, STR("after an unclean end: too early to look"));
		return verdict_wait(t, step->wait_ms);
	}
	return put_back(t, verdict_due_us(t, step->wait_ms), "restored: too early to ask");
}

enum next hold_unproven(struct delivery_task *t, const struct step *step)
{
	(void)step;
	return probe_again(t, 0);
}

enum next hold_refused(struct delivery_task *t, const struct failure *failure)
{
	return failure_is_transient(failure->class) ? probe_again(t, failure->retry_after_ms)
						    : hold_give_up(t);
}

bool hold_forbids(const struct delivery_task *t, const struct call *call)
{
	const bool is_asked =
		t->work.hold == HOLD_ASKING || (t->work.hold == HOLD_LOOKING && t->hold.is_probing);
	return is_asked && call->kind == CALL_PUBLISH;
}

/* ---- beginning and end ---- */

bool hold_quarantine(struct delivery_task *t)
{
	if (t->work.hold != HOLD_POISONED)
		return false;
	const bool is_unknown = t->save.call_state != CALL_STATE_NONE;
	const struct failure failure =
		failure_of(is_unknown ? FAILURE_CODE_OUTCOME_UNKNOWN : FAILURE_CODE_INTERNAL_ERROR,
			   quarantine_text);
	t->is_unreadable = true; /* it is not read: what is stored stays as it is */
	verdict_end_failed(t, &failure);
	change_state(t, HOLD_SET_ASIDE);
	return true;
}

enum next hold_start(struct delivery_task *t)
{
	const struct failure condemned = failure_of(FAILURE_CODE_OUTCOME_UNKNOWN, condemned_text);
	switch (t->work.hold) {
	case HOLD_CONDEMNED:
		change_state(t, HOLD_NONE);
		return verdict_end_failed(t, &condemned);
	case HOLD_HELD:
		return hold_for_operator(t);
	case HOLD_ASKING:
		if (t->work.account.state == ACCOUNT_DISCONNECTED)
			return hold_for_operator(t);
		if (flow_part(&t->flow) < t->flow.part_count)
			probe_begin(t);
		return NEXT_ASK;
	case HOLD_LOOKING:
		if (!account_state_is_usable(t->work.account.state))
			return look_ends(t, "after an unclean end: nobody can look");
		probe_begin(t);
		return NEXT_ASK;
	case HOLD_NONE:
	case HOLD_ADOPTED:
	case HOLD_POISONED:
	case HOLD_SET_ASIDE:
	case HOLD_ENDED:
	case HOLD_STATE_COUNT:
		break;
	}
	return NEXT_ASK;
}

void hold_turn_ends(struct delivery_task *t)
{
	if (t->hold.is_probing)
		t->save.flow = t->hold.flow;
	if (t->work.hold != HOLD_ASKING || t->hold.has_new_state)
		return;
	if (t->hold.was_looking)
		change_state(t, HOLD_ASKING);
	if (t->save.next == DELIVERY_PUBLISHED)
		change_state(t, HOLD_ADOPTED);
	if (t->save.next == DELIVERY_FAILED || t->save.next == DELIVERY_PARTIAL)
		change_state(t, HOLD_NONE);
}

enum err_kind hold_save(struct delivery_task *t, void *tx, struct error *err)
{
	return t->hold.has_new_state ? store_hold_set(tx, t->work.id, t->hold.new_state, err)
				     : ERR_NONE;
}
