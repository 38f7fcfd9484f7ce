/* SPDX-License-Identifier: Apache-2.0
 * Taking a published post back (api-decisions.md 12): what becomes of the steps of a removal. The
 * adapter reads before it deletes, so a deletion with an uncertain outcome is settled by beginning
 * again: what is gone is removed, what is there is deleted once more. The waits, the tries and the
 * patience are those of publishing (verdict.c). */
#include "delivery_private.h"

#include "clock.h"

#include "policy.h"

/* A deletion's answer was lost, and nothing has settled it since: so many parts were there then. A
 * look that still shows the post settles nothing: the platform may show it for a while, and a
 * deletion may arrive late. */
#define FLOW_UNCERTAIN "removal.uncertain"
/* our own variables of the delivery's flow */
#define DELIVERY_PREFIX "delivery."

static enum next fail(struct delivery_task *t, enum failure_code code, struct str message)
{
	const struct failure failure = {
		.class = FAILURE_PERMANENT, .code = code, .message = message};
	return verdict_end_failed(t, &failure);
}

/* ---- beginning ---- */

/* What publishing knew of waits and doubts says nothing about the removal. */
static void forget_publishing(struct flow *flow)
{
	for (size_t i = flow->var_count; i > 0; i--) {
		if (str_has_prefix(flow->vars[i - 1].name, STR(DELIVERY_PREFIX)))
			flow->vars[i - 1] = flow->vars[--flow->var_count];
	}
	flow->stage = STR("");
	flow->probe = STR("");
	flow->warning_count = 0;
}

/* In the flow of a removal a part is done that is not there (removal.h of platform/). What is there
 * is read from the delivery's row: a person may have said so. */
static enum err_kind read_parts(struct delivery_task *t, struct error *err)
{
	const struct json *parts = NULL;
	const enum err_kind kind = json_parse(t->arena, t->removal.parts, NULL, &parts, NULL, err);
	if (kind != ERR_NONE)
		return kind;
	for (size_t i = 0; i < t->flow.part_count; i++) {
		const struct json *part = json_at(parts, i);
		const bool is_there =
			str_equal_z(json_string(json_get(part, "state")), "published");
		t->flow.parts[i] = (struct flow_part){
			.is_done = !is_there,
			.remote_id = is_there ? json_string(json_get(part, "remote_id")) : STR("")};
	}
	return ERR_NONE;
}

static int64_t open_parts(const struct delivery_task *t)
{
	int64_t count = 0;
	for (size_t i = 0; i < t->flow.part_count; i++)
		count += !t->flow.parts[i].is_done;
	return count;
}

static enum next begin_new(struct delivery_task *t)
{
	struct error err = {0};
	forget_publishing(&t->flow);
	if (read_parts(t, &err) == ERR_NONE)
		return NEXT_ASK;
	return fail(t, FAILURE_CODE_INTERNAL_ERROR,
		    str_format(t->turn.arena, "What is published cannot be read: %s", err.text));
}

enum next removal_begin(struct delivery_task *t)
{
	const enum account_state state = t->work.account.state;
	t->unknown_part = 0;
	if (t->removal.is_new && begin_new(t) == NEXT_PLANNED)
		return NEXT_PLANNED;
	if (t->removal.is_call_open) /* we died before its answer was written */
		flow_set_int(&t->flow, FLOW_UNCERTAIN, open_parts(t));
	if (t->work.is_app_deleted)
		return fail(t, FAILURE_CODE_CANCELLED, STR("The app was deleted."));
	if (!account_state_is_usable(state))
		return fail(t, FAILURE_CODE_ACCOUNT_REAUTH_REQUIRED,
			    str_format(t->turn.arena,
				       "The account is %s. Connect it again, then ask again.",
				       account_state_name(state)));
	if (t->platform->stages[OPERATION_REMOVE] == NULL) {
		t->removal.is_unsupported = true;
		return fail(t, FAILURE_CODE_PLATFORM_REJECTED,
			    STR("This platform gives apps no way to remove a post."));
	}
	return t->removal.is_call_open ? removal_ask_again(t) : NEXT_ASK;
}

/* ---- steps ---- */

enum next removal_done(struct delivery_task *t)
{
	t->save.call_state = CALL_STATE_NONE;
	flow_unset(&t->flow, FLOW_UNCERTAIN);
	record_decision(t, STR("removed"));
	return verdict_end_published(t);
}

enum next removal_ask_again(struct delivery_task *t)
{
	t->removal.is_call_open = false;
	t->save.call_state = CALL_STATE_NONE;
	t->flow.stage = STR("");
	flow_set_int(&t->flow, FLOW_UNCERTAIN, open_parts(t));
	record_verdict(t, STR("in_doubt"));
	const int64_t wait_ms = policy_probe_wait_ms(t->save.looks);
	t->save.looks++;
	if (wait_ms < 0)
		return fail(t, FAILURE_CODE_OUTCOME_UNKNOWN,
			    STR("The platform did not say what became of the deletion."));
	record_decision(t, STR("look whether it is gone"));
	return verdict_wait(t, wait_ms);
}

/* With the outcome of a deletion unknown no other reason may read as if the post were still
 * there. */
static void fail_as_unknown(struct delivery_task *t)
{
	struct failure *failure = &t->turn.failure;
	const bool is_unread = t->is_unreadable && t->removal.is_call_open;
	if (flow_get_int(&t->flow, FLOW_UNCERTAIN, 0) == 0 && !is_unread)
		return;
	failure->code = FAILURE_CODE_OUTCOME_UNKNOWN;
	failure->message = str_format(
		t->turn.arena,
		"It is unknown whether the post was removed: the answer to the deletion was lost. "
		"Look at the platform, or ask again. " STR_FMT,
		STR_ARG(failure->message));
}

void removal_turn_ends(struct delivery_task *t)
{
	/* That part is gone; what is said of the next one is said of a part that is there. */
	if (open_parts(t) < flow_get_int(&t->flow, FLOW_UNCERTAIN, 0))
		flow_unset(&t->flow, FLOW_UNCERTAIN);
	if (t->save.failure != NULL &&
	    (t->save.next == DELIVERY_FAILED || t->save.next == DELIVERY_PARTIAL))
		fail_as_unknown(t);
}
