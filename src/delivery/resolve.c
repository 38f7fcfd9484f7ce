/* SPDX-License-Identifier: Apache-2.0
 * Publish calls with an unknown outcome: nobody knows whether the platform did it. They are never
 * repeated blindly. The adapter's resolve asks the platform, probe after probe by
 * policy_probe_wait_ms(), until it is proven landed (go on after it), proven absent (send the same
 * stage again), or probes and patience are used up: then the delivery fails with OUTCOME_UNKNOWN
 * and a person decides (rules.md 2.2, 2.3). */
#include "delivery_private.h"

#include "redact.h"

#include "policy.h"

#define ADAPTER_WAIT_MAX_MS (60 * 60 * 1000)

/* ---- the end without proof ---- */

enum next resolve_give_up(struct delivery_task *t)
{
	struct failure failure = {
		.class = FAILURE_PERMANENT,
		.code = FAILURE_CODE_OUTCOME_UNKNOWN,
		.message = str_of(failure_code_sentence(FAILURE_CODE_OUTCOME_UNKNOWN)),
	};
	const struct str refused =
		t->is_unreadable ? STR("") : flow_get(&t->flow, FLOW_PROBE_REFUSED);
	if (!str_is_empty(refused))
		failure.message = str_format(t->turn.arena,
					     STR_FMT " The platform could not be asked: " STR_FMT,
					     STR_ARG(failure.message), STR_ARG(refused));
	return verdict_end_failed(t, &failure);
}

/* Probes or patience are used up. */
static enum next probes_used_up(struct delivery_task *t)
{
	if (!t->work.retry_unknown_once || t->save.republished)
		return resolve_give_up(t);
	t->save.republished = true;
	flow_set_open(&t->flow);
	return verdict_settled(t, "outcome unknown: sent once more, as the app allows");
}

/* Patience begins with the first probe: the time before it was ours. */
static bool has_patience(struct delivery_task *t)
{
	const int64_t since_us = flow_get_int(&t->flow, FLOW_PROBING_SINCE_US, t->env.now_us);
	flow_set_int(&t->flow, FLOW_PROBING_SINCE_US, since_us);
	return t->env.now_us - since_us <= POLICY_PATIENCE_US;
}

static enum next probe_again(struct delivery_task *t)
{
	t->flow.probe = STR("");
	t->save.looks++;
	const int64_t wait_ms = policy_probe_wait_ms(t->save.looks);
	if (wait_ms < 0)
		return probes_used_up(t);
	record_decision(t, STR("not proven yet: look again"));
	return verdict_wait(t, wait_ms);
}

/* The platform could not be asked. That says nothing about the post, so it costs no probe; but
 * patience ends. */
static enum next probe_later(struct delivery_task *t, const struct failure *failure)
{
	if (!has_patience(t))
		return probes_used_up(t);
	const int64_t met = flow_count(&t->flow, FLOW_PROBES_FAILED);
	t->flow.probe = STR("");
	record_decision(t, STR("could not be asked: look again later"));
	return verdict_wait(t, policy_rate_wait_ms(met, failure, t->deliverer->config.random));
}

/* ---- matches ---- */

/* Another part of this delivery is known by that id: two comments may have the same words. */
static bool is_own_part(const struct delivery_task *t, struct str remote_id)
{
	for (size_t i = 0; i < t->flow.part_count; i++) {
		if (t->flow.parts[i].is_done && str_equal(t->flow.parts[i].remote_id, remote_id))
			return true;
	}
	return false;
}

const struct match *resolve_only_match(struct delivery_task *t, const struct step *step)
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

/* ---- the answers to a probe ---- */

enum next resolve_landed(struct delivery_task *t, const struct step *step)
{
	(void)step;
	return verdict_settled(t, "proven: it was published");
}

enum next resolve_matches(struct delivery_task *t, const struct step *step)
{
	const struct match *found = resolve_only_match(t, step);
	if (found == NULL)
		return probe_again(t);
	flow_part_done(&t->flow, found->remote_id, found->url);
	return verdict_settled(t, "found at the platform: it was published");
}

/* A repeat does no harm, but it is a try like others: a platform that leaves the outcome of every
 * one unknown must not keep us for ever. Then nobody knows: what a probe found absent may have come
 * after the probe (seed 20587 of the simulation), unless the platform has given it up. */
enum next resolve_send_again(struct delivery_task *t, const struct step *step)
{
	t->save.attempts++;
	if (t->save.attempts < POLICY_ATTEMPTS_MAX)
		return verdict_settled(t, "proven: a repeat publishes nothing twice");
	if (step->failure.code == FAILURE_CODE_NONE)
		return resolve_give_up(t);
	t->save.call_state = CALL_STATE_NONE;
	flow_set_closed(&t->flow);
	return verdict_end_failed(t, &step->failure);
}

/* The adapter knows that it is too early to ask. That is no probe. */
enum next resolve_too_early(struct delivery_task *t, const struct step *step)
{
	if (!has_patience(t))
		return probes_used_up(t);
	record_decision(t, STR("too early to ask"));
	return verdict_wait(t, step->wait_ms < ADAPTER_WAIT_MAX_MS ? step->wait_ms
								   : ADAPTER_WAIT_MAX_MS);
}

enum next resolve_unproven(struct delivery_task *t, const struct step *step)
{
	(void)step;
	return probe_again(t);
}

/* A refusal counts as a probe: five of them end it. By then the customer may have connected the
 * account again. */
enum next resolve_refused(struct delivery_task *t, const struct failure *failure)
{
	if (failure_is_transient(failure->class))
		return probe_later(t, failure);
	flow_set(&t->flow, FLOW_PROBE_REFUSED,
		 redact_secrets(t->turn.arena, failure->message, &t->env, &t->flow));
	return probe_again(t);
}
