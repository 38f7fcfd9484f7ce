/* SPDX-License-Identifier: Apache-2.0
 * Decides what comes next for a delivery. The only file that writes the engine's plan and the
 * decision that is stored (save.next, due_at_us, lease_until_us, failure, call_state), so that
 * every decision is found here, no matter which file asked for it. It knows no adapter and calls
 * only record.c and policy.c. */
#include "delivery_private.h"

#include "count_of.h"

#include "redact.h"

#include "policy.h"

/* a lease outlives its call by this much (rules.md 2.2 rule 1) */
#define LEASE_MARGIN_US (60 * US_PER_S)

static enum next decide(struct delivery_task *t, enum delivery_next next, enum task_action action)
{
	t->save.next = next;
	t->turn.plan->action = action;
	return NEXT_PLANNED;
}

static void lease_until(struct delivery_task *t, int64_t busy_until_us)
{
	t->save.lease_until_us = busy_until_us + LEASE_MARGIN_US;
}

void verdict_turn_begins(struct delivery_task *t)
{
	decide(t, DELIVERY_KEEP, TASK_END);
	lease_until(t, t->env.now_us);
	t->save.failure = NULL;
	t->save.due_at_us = 0;
}

/* ---- going on ---- */

enum next verdict_send(struct delivery_task *t, const struct call *call, const char *path)
{
	t->turn.plan->call = *call;
	t->turn.plan->media_path = path;
	lease_until(t, t->env.now_us + step_call_timeout_ms(call) * US_PER_MS);
	const enum delivery_mode mode = delivery_mode(t);
	if ((mode == MODE_PUBLISH || mode == MODE_REMOVE) && call->kind == CALL_PUBLISH) {
		t->save.call_state = CALL_STATE_STARTED;
		t->save.call_started_at_us = t->env.now_us;
	}
	return decide(t, DELIVERY_KEEP, TASK_SEND);
}

enum next verdict_fetch(struct delivery_task *t, const struct transfer_request *request)
{
	t->turn.plan->fetch = *request;
	lease_until(t, t->env.now_us + request->timeout_ms * US_PER_MS);
	return decide(t, DELIVERY_KEEP, TASK_FETCH);
}

enum next verdict_sleep(struct delivery_task *t, int64_t wake_at_us, int64_t busy_until_us)
{
	t->turn.plan->wake_at_us = wake_at_us;
	lease_until(t, busy_until_us);
	return decide(t, DELIVERY_KEEP, TASK_SLEEP);
}

void verdict_drop_call(struct delivery_task *t)
{
	t->turn.plan->action = TASK_END;
}

/* ---- waiting ---- */

int64_t verdict_due_us(const struct delivery_task *t, int64_t wait_ms)
{
	return t->env.now_us + wait_ms / delivery_time_scale(t) * US_PER_MS;
}

enum next verdict_wait_until(struct delivery_task *t, int64_t due_at_us)
{
	t->save.due_at_us = due_at_us;
	return decide(t, DELIVERY_WAIT, TASK_END);
}

enum next verdict_wait(struct delivery_task *t, int64_t wait_ms)
{
	return verdict_wait_until(t, verdict_due_us(t, wait_ms));
}

bool verdict_gives_back(struct delivery_task *t)
{
	if (!engine_is_draining(t->task.engine))
		return false;
	verdict_wait(t, 0);
	return true;
}

/* As it will be shown: some platforms repeat tokens in their messages. */
static void keep_failure(struct delivery_task *t, const struct failure *failure)
{
	t->turn.failure = *failure;
	redact_failure(t->turn.arena, &t->turn.failure, &t->env, &t->flow);
	t->save.failure = &t->turn.failure;
}

enum next verdict_retry_at(struct delivery_task *t, const struct failure *failure,
			   int64_t due_at_us, struct str decision)
{
	keep_failure(t, failure);
	t->save.due_at_us = due_at_us;
	record_decision(t, decision);
	return decide(t, DELIVERY_RETRY, TASK_END);
}

static enum next retry(struct delivery_task *t, const struct failure *failure, int64_t wait_ms)
{
	return verdict_retry_at(
		t, failure, verdict_due_us(t, wait_ms),
		str_format(t->turn.arena, "try again in %lld s", (long long)(wait_ms / 1000)));
}

/* While the service runs, a claim never comes this late for another reason. */
#define OURS_MIN_US (2 * US_PER_HOUR)

void verdict_forgive_our_time(struct delivery_task *t)
{
	static const char *const since[] = {FLOW_LIMITED_SINCE_US, FLOW_PROBING_SINCE_US};
	const int64_t late_us = t->env.now_us - t->work.due_at_us;
	for (size_t i = 0; i < COUNT_OF(since) && late_us >= OURS_MIN_US; i++) {
		const int64_t since_us = flow_get_int(&t->flow, since[i], 0);
		if (since_us == 0)
			continue;
		const int64_t later_us = since_us + late_us;
		flow_set_int(&t->flow, since[i],
			     later_us < t->env.now_us ? later_us : t->env.now_us);
	}
}

/* ---- the end ---- */

/* A post that is out is never told as failed (api-decisions.md 7). */
static bool is_out(const struct delivery_task *t)
{
	return !t->is_removal && !t->is_late_id &&
	       (t->work.is_out || (t->flow.part_count > 0 && t->flow.parts[0].is_done));
}

/* A person had it published again, and an earlier call may have published it all the same: the
 * post, or the part of a post that is out. */
static bool may_be_out(const struct delivery_task *t)
{
	if (t->unknown_part <= 1)
		return t->unknown_part == 1 && !is_out(t);
	const size_t part = flow_part(&t->flow);
	return part < t->flow.part_count && (int64_t)part + 1 == t->unknown_part;
}

/* With a publish call open, or an earlier one never resolved, nobody knows whether the post was
 * published: no other reason may read as if it were not (rules.md P9). */
static void fail_as_unknown(struct delivery_task *t)
{
	struct failure *failure = &t->turn.failure;
	const bool is_open = t->save.call_state != CALL_STATE_NONE;
	const bool is_unknown = is_open || may_be_out(t);
	if (!is_unknown || failure->code == FAILURE_CODE_OUTCOME_UNKNOWN)
		return;
	failure->message = str_format(t->turn.arena, "%s " STR_FMT,
				      is_open ? failure_code_sentence(FAILURE_CODE_OUTCOME_UNKNOWN)
					      : "It is unknown whether an earlier call published "
						"the post; the last one did not.",
				      STR_ARG(failure->message));
	failure->code = FAILURE_CODE_OUTCOME_UNKNOWN;
}

/* The call is over, and yet the post may be published. */
static bool must_probe_first(const struct delivery_task *t, const struct failure *failure)
{
	return t->save.call_state == CALL_STATE_NONE && delivery_mode(t) == MODE_PUBLISH &&
	       flow_is_open(&t->flow) && failure->code != FAILURE_CODE_OUTCOME_UNKNOWN;
}

enum next verdict_end_failed(struct delivery_task *t, const struct failure *failure)
{
	if (must_probe_first(t, failure))
		return verdict_uncertain(t);
	keep_failure(t, failure);
	fail_as_unknown(t);
	if (t->turn.failure.code == FAILURE_CODE_OUTCOME_UNKNOWN)
		t->unknown_part = (int64_t)flow_part(&t->flow) + 1;
	t->save.call_state = CALL_STATE_NONE;
	record_decision(t, str_concat(t->turn.arena,
				      is_out(t) ? STR("published in part: ") : STR("failed: "),
				      str_of(failure_code_name(t->turn.failure.code))));
	return decide(t, is_out(t) ? DELIVERY_PARTIAL : DELIVERY_FAILED, TASK_END);
}

enum next verdict_end_internal(struct delivery_task *t, struct str message)
{
	const struct failure failure = {
		.class = FAILURE_PERMANENT,
		.code = FAILURE_CODE_INTERNAL_ERROR,
		.message = message,
	};
	return verdict_end_failed(t, &failure);
}

enum next verdict_end_published(struct delivery_task *t)
{
	t->save.failure = NULL;
	t->save.attempts++;
	return decide(t, DELIVERY_PUBLISHED, TASK_END);
}

/* ---- failures of the publish conversation ---- */

static enum next wait_out_limit(struct delivery_task *t, const struct failure *failure)
{
	const int64_t since_us = flow_get_int(&t->flow, FLOW_LIMITED_SINCE_US, t->env.now_us);
	flow_set_int(&t->flow, FLOW_LIMITED_SINCE_US, since_us);
	const int64_t met = flow_count(&t->flow, FLOW_LIMITS_MET);
	const int64_t wait_ms = policy_rate_wait_ms(met, failure, t->deliverer->config.random);
	if (t->env.now_us + wait_ms * US_PER_MS - since_us > POLICY_PATIENCE_US)
		return verdict_end_failed(t, failure);
	return retry(t, failure, wait_ms);
}

static enum next try_again(struct delivery_task *t, const struct failure *failure)
{
	t->save.attempts++;
	const int64_t wait_ms = policy_retry_wait_ms(t->save.attempts, failure->retry_after_ms,
						     t->deliverer->config.random);
	return wait_ms < 0 ? verdict_end_failed(t, failure) : retry(t, failure, wait_ms);
}

enum next verdict_failure(struct delivery_task *t, const struct failure *failure)
{
	t->save.call_state = CALL_STATE_NONE;
	switch (failure->class) {
	case FAILURE_RATE_LIMITED:
		return wait_out_limit(t, failure);
	case FAILURE_APP:
		/* Credits are bought, quotas begin again, settings are corrected: none of that uses
		 * up a try. The gate keeps the app's other deliveries back meanwhile. */
		if (failure->code == FAILURE_CODE_QUOTA_EXHAUSTED || failure->needs_operator)
			return wait_out_limit(t, failure);
		return try_again(t, failure);
	case FAILURE_TRANSIENT:
		return try_again(t, failure);
	case FAILURE_PERMANENT:
	case FAILURE_TOKEN:
	case FAILURE_REAUTH:
		/* Tokens: account_token.c has judged them before. */
		t->save.attempts++;
		return verdict_end_failed(t, failure);
	}
	return verdict_end_failed(t, failure);
}

/* ---- the publish call ---- */

void verdict_call_over(struct delivery_task *t)
{
	t->save.call_state = CALL_STATE_NONE;
}

void verdict_call_did_nothing(struct delivery_task *t)
{
	if (may_be_out(t))
		return; /* the call on record stands for the earlier one: nobody can cancel it */
	t->save.call_started_at_us = 0;
}

enum next verdict_uncertain(struct delivery_task *t)
{
	t->save.call_state = CALL_STATE_IN_DOUBT;
	t->save.looks = 0;
	t->flow.probe = STR("");
	flow_set_int(&t->flow, FLOW_UNCERTAIN_US, t->env.now_us);
	flow_unset(&t->flow, FLOW_PROBE_REFUSED);
	flow_unset(&t->flow, FLOW_PROBING_SINCE_US);
	record_verdict(t, STR("in_doubt"));
	record_decision(t, STR("ask the platform what became of it"));
	return verdict_wait(t, policy_probe_wait_ms(0));
}

enum next verdict_settled(struct delivery_task *t, const char *decision)
{
	t->save.call_state = CALL_STATE_NONE;
	t->save.looks = 0;
	t->flow.probe = STR("");
	record_decision(t, str_of(decision));
	return NEXT_ASK;
}
