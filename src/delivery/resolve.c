/* SPDX-License-Identifier: Apache-2.0
 * Publish calls in doubt: nobody knows whether the platform did it. They are never repeated blindly. The adapter's resolve asks the
 * platform, look after look by policy_look_wait_ms(), until it is proven landed (go on behind it), proven absent (send the same
 * stage again), or looks and patience are used up: then the delivery fails with OUTCOME_UNKNOWN and a person decides
 * (RELIABILITY.md 2.2, 2.3). */
#include "delivery_private.h"

#include "policy.h"

void doubt_begin(struct delivery_task *t)
{
	t->mode = COURSE_RESOLVE;
	t->save.call_state = CALL_STATE_IN_DOUBT;
	t->save.looks = 0;
	t->flow.probe = STR("");
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

static bool doubt_give_up(struct delivery_task *t)
{
	if (t->work.retry_unknown_once && !t->save.republished) {
		t->save.republished = true;
		return doubt_over(t, "outcome unknown: sent once more, as the app allows");
	}
	const struct failure failure = {
		.class = FAILURE_PERMANENT,
		.code = FAILURE_CODE_OUTCOME_UNKNOWN,
		.message = str_of(failure_code_sentence(FAILURE_CODE_OUTCOME_UNKNOWN)),
	};
	course_finish_failed(t, &failure);
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

/* The platform could not be asked. That says nothing about the post, so it costs no look; but it ends some day. */
static bool doubt_not_asked(struct delivery_task *t, const struct failure *failure)
{
	if (t->env.now_us - t->save.call_started_at_us > POLICY_PATIENCE_US)
		return doubt_give_up(t);
	int64_t met = flow_count(&t->flow, "delivery.looks_failed");
	t->flow.probe = STR("");
	record_decision(t, STR("could not be asked: look again later"));
	course_wait(t, policy_rate_wait_ms(met, failure->retry_after_ms, t->deliverer->config.random));
	return true;
}

/* Of several that look like ours, only one that belongs to no other delivery may be taken, and only when it is the only one. */
static bool doubt_compare(struct delivery_task *t, const struct step *step)
{
	const struct match *found = NULL;
	size_t free_count = 0;
	for (size_t i = 0; i < step->match_count; i++) {
		bool is_bound = false;
		struct error err = {0};
		if (store_delivery_remote_id_is_bound(t->deliverer->config.store, t->work.account.id, step->matches[i].remote_id,
						      t->work.id, &is_bound, &err) != ERR_NONE)
			return doubt_look_again(t);
		if (is_bound)
			continue;
		found = &step->matches[i];
		free_count++;
	}
	if (free_count != 1)
		return doubt_look_again(t);
	flow_part_done(&t->flow, found->remote_id, found->url);
	return doubt_over(t, "found at the platform: it was published");
}

static bool doubt_failed(struct delivery_task *t, const struct failure *failure)
{
	if (failure_is_transient(failure->class))
		return doubt_not_asked(t, failure);
	return doubt_look_again(t);
}

bool doubt_take_step(struct delivery_task *t, const struct step *step)
{
	switch (step->kind) {
	case STEP_LANDED:
		return doubt_over(t, "proven: it was published");
	case STEP_SEND_AGAIN:
		return doubt_over(t, "proven: a repeat publishes nothing twice");
	case STEP_MATCHES:
		return doubt_compare(t, step);
	case STEP_FAIL:
		return doubt_failed(t, &step->failure);
	case STEP_UNKNOWN:
	case STEP_WAIT:
	case STEP_DONE:
	case STEP_UNCERTAIN:
	case STEP_MEDIA:
	case STEP_SEND:
		return doubt_look_again(t);
	}
	return doubt_look_again(t);
}
