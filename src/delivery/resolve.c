/* SPDX-License-Identifier: Apache-2.0
 * Publish calls in doubt: nobody knows whether the platform did it. They are never repeated
 * blindly. The adapter's resolve asks the platform, look after look by policy_look_wait_ms(), until
 * it is proven landed (go on behind it), proven absent (send the same stage again), or looks and
 * patience are used up: then the delivery fails with OUTCOME_UNKNOWN and a person decides
 * (RELIABILITY.md 2.2, 2.3). */
#include "delivery_private.h"

#include "redact.h"

#include "policy.h"

#define ADAPTER_WAIT_MAX_MS (60 * 60 * 1000)
/* why the platform would not be asked, the last time */
#define LOOK_REFUSED "delivery.look_refused"

void doubt_begin(struct delivery_task *t)
{
	t->mode = COURSE_RESOLVE;
	t->save.call_state = CALL_STATE_IN_DOUBT;
	t->save.looks = 0;
	t->flow.probe = STR("");
	flow_set_int(&t->flow, FLOW_DOUBT_US, t->env.now_us);
	flow_unset(&t->flow, LOOK_REFUSED);
	record_verdict(t, STR("in_doubt"));
	record_decision(t, STR("ask the platform what became of it"));
	course_wait(t, policy_look_wait_ms(0));
}

/* The call is settled: the publish conversation goes on from the flow as it stands now. */
static bool doubt_over(struct delivery_task *t, const char *decision)
{
	t->mode = COURSE_PUBLISH;
	t->save.call_state = CALL_STATE_NONE;
	t->save.looks = 0;
	t->flow.probe = STR("");
	record_decision(t, str_of(decision));
	return false;
}

/* What is known of it: also why nobody could be asked. */
static struct str unknown_text(const struct delivery_task *t)
{
	const struct str sentence = str_of(failure_code_sentence(FAILURE_CODE_OUTCOME_UNKNOWN));
	const struct str refused = t->is_unreadable ? STR("") : flow_get(&t->flow, LOOK_REFUSED);
	if (str_is_empty(refused))
		return sentence;
	return str_format(t->turn_arena, STR_FMT " The platform could not be asked: " STR_FMT,
			  STR_ARG(sentence), STR_ARG(refused));
}

bool doubt_tell_unknown(struct delivery_task *t)
{
	const struct failure failure = {
		.class = FAILURE_PERMANENT,
		.code = FAILURE_CODE_OUTCOME_UNKNOWN,
		.message = unknown_text(t),
	};
	course_finish_failed(t, &failure);
	return true;
}

static bool doubt_give_up(struct delivery_task *t)
{
	if (!t->work.retry_unknown_once || t->save.republished)
		return doubt_tell_unknown(t);
	t->save.republished = true;
	flow_set_open(&t->flow);
	return doubt_over(t, "outcome unknown: sent once more, as the app allows");
}

/* A repeat does no harm, but it is a try like others: a platform that leaves every one of them in
 * doubt must not keep us for ever. Then nobody knows: what a look found absent may have come after
 * the look (seed 20587 of the simulation). */
static bool doubt_send_again(struct delivery_task *t)
{
	t->save.attempts++;
	if (t->save.attempts >= POLICY_ATTEMPTS_MAX)
		return doubt_tell_unknown(t);
	return doubt_over(t, "proven: a repeat publishes nothing twice");
}

static bool has_patience(const struct delivery_task *t)
{
	return t->env.now_us - t->save.call_started_at_us <= POLICY_PATIENCE_US;
}

/* The adapter knows that it is too early to ask. That is no look. */
static bool doubt_wait(struct delivery_task *t, int64_t wait_ms)
{
	if (!has_patience(t))
		return doubt_give_up(t);
	record_decision(t, STR("too early to ask"));
	course_wait(t, wait_ms < ADAPTER_WAIT_MAX_MS ? wait_ms : ADAPTER_WAIT_MAX_MS);
	return true;
}

static bool doubt_look_again(struct delivery_task *t)
{
	t->flow.probe = STR("");
	t->save.looks++;
	int64_t wait_ms = policy_look_wait_ms(t->save.looks);
	if (wait_ms < 0)
		return doubt_give_up(t);
	record_decision(t, STR("not proven yet: look again"));
	course_wait(t, wait_ms);
	return true;
}

/* The platform could not be asked. That says nothing about the post, so it costs no look; but it
 * ends some day. */
static bool doubt_not_asked(struct delivery_task *t, const struct failure *failure)
{
	if (!has_patience(t))
		return doubt_give_up(t);
	int64_t met = flow_count(&t->flow, "delivery.looks_failed");
	t->flow.probe = STR("");
	record_decision(t, STR("could not be asked: look again later"));
	course_wait(t,
		    policy_rate_wait_ms(met, failure->retry_after_ms, t->deliverer->config.random));
	return true;
}

/* Another part of this delivery is known by that id: two comments may have the same words. */
static bool is_own_part(const struct delivery_task *t, struct str remote_id)
{
	for (size_t i = 0; i < t->flow.part_count; i++) {
		if (t->flow.parts[i].is_done && str_equal(t->flow.parts[i].remote_id, remote_id))
			return true;
	}
	return false;
}

/* Of several that look like ours, only one that belongs to no other delivery may be taken, and only
 * when it is the only one. */
const struct match *doubt_only_match(struct delivery_task *t, const struct step *step)
{
	const struct match *found = NULL;
	size_t free_count = 0;
	for (size_t i = 0; i < step->match_count; i++) {
		bool is_bound = false;
		struct error err = {0};
		if (store_delivery_remote_id_is_bound(
			    t->deliverer->config.store, t->work.account.id,
			    step->matches[i].remote_id, t->work.id, &is_bound, &err) != ERR_NONE)
			return NULL;
		if (is_bound || is_own_part(t, step->matches[i].remote_id))
			continue;
		found = &step->matches[i];
		free_count++;
	}
	return free_count == 1 ? found : NULL;
}

static bool doubt_compare(struct delivery_task *t, const struct step *step)
{
	const struct match *found = doubt_only_match(t, step);
	if (found == NULL)
		return doubt_look_again(t);
	flow_part_done(&t->flow, found->remote_id, found->url);
	return doubt_over(t, "found at the platform: it was published");
}

/* A refusal is a look: five of them end it. By then the customer may have connected the account
 * again. */
static bool doubt_failed(struct delivery_task *t, const struct failure *failure)
{
	if (failure_is_transient(failure->class))
		return doubt_not_asked(t, failure);
	flow_set(&t->flow, LOOK_REFUSED,
		 redact_secrets(t->turn_arena, failure->message, &t->env, &t->flow));
	return doubt_look_again(t);
}

bool doubt_take_step(struct delivery_task *t, const struct step *step)
{
	if (t->is_hold_look)
		return hold_take_step(t, step);
	switch (step->kind) {
	case STEP_LANDED:
		return doubt_over(t, "proven: it was published");
	case STEP_SEND_AGAIN:
		return doubt_send_again(t);
	case STEP_WAIT:
		return doubt_wait(t, step->wait_ms);
	case STEP_MATCHES:
		return doubt_compare(t, step);
	case STEP_FAIL:
		return doubt_failed(t, &step->failure);
	case STEP_UNKNOWN:
	case STEP_DONE:
	case STEP_UNCERTAIN:
	case STEP_MEDIA:
	case STEP_SEND:
		return doubt_look_again(t);
	}
	return doubt_look_again(t);
}
