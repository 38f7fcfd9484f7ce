/* SPDX-License-Identifier: Apache-2.0
 * The conversation with the platform's adapter: it is asked for a step, the step is taken by the
 * handler that the table below names for the conversation under way, and so on until this turn's
 * plan stands. A handler returns NEXT_ASK to ask again, NEXT_PLANNED to stop. */
#include "delivery_private.h"

#include <stdlib.h>

#include "resolver.h"

#include "policy.h"

/* an adapter that asks this often without a call or a wait is broken */
#define STEPS_PER_TURN_MAX 64
#define CLOCK_MOVED_US (30 * US_PER_S) /* rules.md S2 */
#define STEP_KINDS (STEP_UNKNOWN + 1)  /* the last of enum step_kind */

/* ---- every conversation ---- */

/* Notes by how much the wall clock is ahead of the one that never jumps, at the flow's first
 * publish call. When that has changed (the clock was set, or the machine restarted) nobody can say
 * how long ago the call was. */
static void note_clock(struct delivery_task *t)
{
	const int64_t ahead_us = t->env.now_us - clock_boot_us(t->deliverer->config.clock);
	const int64_t before_us = flow_get_int(&t->flow, FLOW_CLOCK_AHEAD_US, INT64_MIN);
	if (before_us == INT64_MIN)
		flow_set_int(&t->flow, FLOW_CLOCK_AHEAD_US, ahead_us);
	else if (llabs((long long)(ahead_us - before_us)) > CLOCK_MOVED_US)
		flow_set_int(&t->flow, FLOW_CLOCK_MOVED, 1);
}

/* No call of this app has been let through for as long as we are patient. */
static enum next give_up_waiting(struct delivery_task *t)
{
	if (t->work.hold == HOLD_ASKING) /* it may be published: it must not be called failed */
		return hold_for_operator(t);
	const struct failure failure = {
		.class = FAILURE_PERMANENT,
		.code = FAILURE_CODE_PLATFORM_UNAVAILABLE,
		.message = STR("No call of this app to the platform could be made for two days."),
	};
	return verdict_end_failed(t, &failure);
}

/* Its time is the one that it was scheduled, accepted or retried by a person for. */
static void note_time(struct delivery_task *t)
{
	const bool is_new = t->work.state == POST_SCHEDULED || t->work.state == POST_PENDING;
	if (t->work.max_lateness_s > 0 && is_new)
		flow_set_int(&t->flow, FLOW_TIME_US, t->work.due_at_us);
}

/* A person retries what is out: what it lacks is wanted too (api-decisions.md 7). */
static void note_missing(struct delivery_task *t)
{
	if (t->work.state == POST_PENDING && t->work.is_out)
		flow_want_missing(&t->flow);
}

/* Nothing that has begun is given up for its lateness, nor what may be published already. */
static bool has_expired(const struct delivery_task *t)
{
	if (t->work.max_lateness_s == 0 || t->work.hold != HOLD_NONE ||
	    delivery_mode(t) == MODE_RESOLVE || flow_get_int(&t->flow, FLOW_HAS_BEGUN, 0) != 0)
		return false;
	const int64_t time_us = flow_get_int(&t->flow, FLOW_TIME_US, t->env.now_us);
	return t->env.now_us - time_us > t->work.max_lateness_s * US_PER_S;
}

static enum next expire(struct delivery_task *t)
{
	const struct failure failure = {
		.class = FAILURE_PERMANENT,
		.code = FAILURE_CODE_EXPIRED,
		.message = str_format(t->turn.arena,
				      "It could not begin within %lld seconds of its time "
				      "(max_lateness), and was not sent.",
				      (long long)t->work.max_lateness_s),
	};
	t->token.is_refreshing = false;
	return verdict_end_failed(t, &failure);
}

/* Nothing new begins for a deleted app; what it did is asked about to the end. */
static enum next end_with_app(struct delivery_task *t)
{
	const struct failure failure = {.class = FAILURE_PERMANENT,
					.code = FAILURE_CODE_CANCELLED,
					.message = STR("The app was deleted.")};
	return verdict_end_failed(t, &failure);
}

static bool is_over_with_app(const struct delivery_task *t, enum call_kind kind)
{
	return t->work.is_app_deleted && delivery_mode(t) == MODE_PUBLISH && kind != CALL_READ;
}

static enum next send_call(struct delivery_task *t, const struct step *step)
{
	const struct call *call = &step->call;
	int64_t wait_us = 0;
	if (is_over_with_app(t, call->kind))
		return end_with_app(t);
	if (hold_forbids(t, call))
		return hold_give_up(t);
	if (verdict_gives_back(t))
		return NEXT_PLANNED;
	if (has_expired(t))
		return expire(t);
	switch (capacity_take(t, &wait_us)) {
	case CAPACITY_TAKEN:
		break;
	case CAPACITY_LATER:
		record_decision(t, STR("wait for room at the platform"));
		return verdict_wait_until(t, t->env.now_us + wait_us);
	case CAPACITY_NEVER:
		return give_up_waiting(t);
	}
	if (t->work.max_lateness_s > 0)
		flow_set_int(&t->flow, FLOW_HAS_BEGUN, 1);
	record_call_begins(t, call);
	if (delivery_mode(t) == MODE_PUBLISH && call->kind == CALL_PUBLISH)
		note_clock(t);
	return verdict_send(t, call,
			    call->has_media_body ? t->media.paths[call->media_index] : NULL);
}

static enum next want_media(struct delivery_task *t, const struct step *step)
{
	return is_over_with_app(t, CALL_PREPARE) ? end_with_app(t) : media_want(t, step);
}

static enum next wait_as_asked(struct delivery_task *t, const struct step *step)
{
	record_decision(t, STR("wait"));
	return verdict_wait(t, step->wait_ms);
}

static void note_failure(struct delivery_task *t, const struct failure *failure)
{
	capacity_note_failure(t, failure);
	alarm_note_failure(t, failure);
}

static bool is_dead_token(const struct failure *failure)
{
	return failure->class == FAILURE_TOKEN || failure->class == FAILURE_REAUTH;
}

static enum next publish_failed(struct delivery_task *t, const struct failure *failure)
{
	if (!is_dead_token(failure))
		return verdict_failure(t, failure);
	const struct failure judged = account_token_refused(t, failure);
	return verdict_failure(t, &judged);
}

/* The end of a conversation that a refresh does not help: a publish is retried or fails, a probe is
 * postponed. A dead token marks the account in both; a refused app does not. */
static enum next conversation_failed(struct delivery_task *t, const struct failure *failure)
{
	const enum delivery_mode mode = delivery_mode(t);
	if (mode == MODE_PUBLISH || mode == MODE_REMOVE)
		return publish_failed(t, failure);
	if (is_dead_token(failure))
		account_token_flag(t, failure->message);
	if (mode == MODE_LATE_ID)
		return late_id_missed(t);
	return mode == MODE_HOLD_PROBE ? hold_refused(t, failure) : resolve_refused(t, failure);
}

static enum next take_failure(struct delivery_task *t, const struct step *step)
{
	const struct failure *failure = &step->failure;
	note_failure(t, failure);
	if (failure->class != FAILURE_TOKEN || t->token.has_refreshed ||
	    !account_token_can_be_refreshed(t))
		return conversation_failed(t, failure);
	record_decision(t, STR("refresh the token"));
	t->token.was_refused = true;
	account_token_refresh_begin(t);
	return NEXT_ASK;
}

/* ---- publish ---- */

static enum next publish_done(struct delivery_task *t, const struct step *step)
{
	(void)step;
	if (flow_part(&t->flow) < t->flow.part_count)
		return verdict_end_internal(t, STR("Internal error: the platform adapter reported "
						   "success with parts left to publish."));
	return verdict_end_published(t);
}

static enum next publish_uncertain(struct delivery_task *t, const struct step *step)
{
	(void)step;
	capacity_note_unreadable(t);
	return verdict_uncertain(t);
}

/* ---- refresh ---- */

static enum next refresh_done(struct delivery_task *t, const struct step *step)
{
	account_token_refreshed(t, &step->token);
	return NEXT_ASK;
}

static enum next refresh_failed(struct delivery_task *t, const struct step *step)
{
	note_failure(t, &step->failure);
	const struct failure failure = account_token_refresh_failed(t, &step->failure);
	if (!account_token_may_wait(t, &failure))
		return conversation_failed(t, &failure);
	record_decision(t, STR("refresh ahead of time failed: go on with the token as it is"));
	return NEXT_ASK;
}

static enum next refresh_misfit(struct delivery_task *t, const struct step *step)
{
	(void)step;
	return verdict_end_internal(t, STR("Internal error: the platform adapter answered a token "
					   "refresh with an unexpected step."));
}

/* ---- remove ---- */

static enum next remove_done(struct delivery_task *t, const struct step *step)
{
	(void)step;
	return removal_done(t);
}

static enum next remove_failed(struct delivery_task *t, const struct step *step)
{
	t->removal.is_unsupported = step->is_unsupported;
	return take_failure(t, step);
}

static enum next remove_uncertain(struct delivery_task *t, const struct step *step)
{
	(void)step;
	capacity_note_unreadable(t);
	return removal_ask_again(t);
}

static enum next remove_misfit(struct delivery_task *t, const struct step *step)
{
	(void)step;
	return verdict_end_internal(t, STR("Internal error: the platform adapter answered a "
					   "removal with an unexpected step."));
}

/* ---- late id ---- */

static enum next late_id_done(struct delivery_task *t, const struct step *step)
{
	(void)step;
	return late_id_found(t);
}

static enum next late_id_not_yet(struct delivery_task *t, const struct step *step)
{
	(void)step;
	return late_id_missed(t);
}

static enum next late_id_never(struct delivery_task *t, const struct step *step)
{
	(void)step;
	return late_id_give_up(t);
}

static enum next late_id_misfit(struct delivery_task *t, const struct step *step)
{
	(void)step;
	record_log(t, LOG_ERROR, "late_id_step_unexpected", NULL, 0);
	return late_id_missed(t);
}

/* ---- the table ---- */

typedef enum next (*step_handler)(struct delivery_task *t, const struct step *step);

static const step_handler handlers[MODE_COUNT][STEP_KINDS] = {
	[MODE_PUBLISH] =
		{
			[STEP_SEND] = send_call,
			[STEP_WAIT] = wait_as_asked,
			[STEP_MEDIA] = want_media,
			[STEP_DONE] = publish_done,
			[STEP_FAIL] = take_failure,
			[STEP_UNCERTAIN] = publish_uncertain,
			[STEP_LANDED] = resolve_landed,
			[STEP_MATCHES] = resolve_matches,
			[STEP_SEND_AGAIN] = resolve_send_again,
			[STEP_UNKNOWN] = resolve_unproven,
		},
	[MODE_REFRESH] =
		{
			[STEP_SEND] = send_call,
			[STEP_WAIT] = wait_as_asked,
			[STEP_MEDIA] = refresh_misfit,
			[STEP_DONE] = refresh_done,
			[STEP_FAIL] = refresh_failed,
			[STEP_UNCERTAIN] = refresh_misfit,
			[STEP_LANDED] = refresh_misfit,
			[STEP_MATCHES] = refresh_misfit,
			[STEP_SEND_AGAIN] = refresh_misfit,
			[STEP_UNKNOWN] = refresh_misfit,
		},
	[MODE_RESOLVE] =
		{
			[STEP_SEND] = send_call,
			[STEP_WAIT] = resolve_too_early,
			[STEP_MEDIA] = media_want,
			[STEP_DONE] = resolve_unproven,
			[STEP_FAIL] = take_failure,
			[STEP_UNCERTAIN] = resolve_unproven,
			[STEP_LANDED] = resolve_landed,
			[STEP_MATCHES] = resolve_matches,
			[STEP_SEND_AGAIN] = resolve_send_again,
			[STEP_UNKNOWN] = resolve_unproven,
		},
	[MODE_HOLD_PROBE] =
		{
			[STEP_SEND] = send_call,
			[STEP_WAIT] = hold_too_early,
			[STEP_MEDIA] = media_want,
			[STEP_DONE] = hold_unproven,
			[STEP_FAIL] = take_failure,
			[STEP_UNCERTAIN] = hold_unproven,
			[STEP_LANDED] = hold_landed,
			[STEP_MATCHES] = hold_matches,
			[STEP_SEND_AGAIN] = hold_unproven,
			[STEP_UNKNOWN] = hold_unproven,
		},
	[MODE_REMOVE] =
		{
			[STEP_SEND] = send_call,
			[STEP_WAIT] = wait_as_asked,
			[STEP_MEDIA] = remove_misfit,
			[STEP_DONE] = remove_done,
			[STEP_FAIL] = remove_failed,
			[STEP_UNCERTAIN] = remove_uncertain,
			[STEP_LANDED] = remove_misfit,
			[STEP_MATCHES] = remove_misfit,
			[STEP_SEND_AGAIN] = remove_misfit,
			[STEP_UNKNOWN] = remove_misfit,
		},
	[MODE_LATE_ID] =
		{
			[STEP_SEND] = send_call,
			[STEP_WAIT] = late_id_not_yet,
			[STEP_MEDIA] = late_id_misfit,
			[STEP_DONE] = late_id_done,
			[STEP_FAIL] = take_failure,
			[STEP_UNCERTAIN] = late_id_misfit,
			[STEP_LANDED] = late_id_misfit,
			[STEP_MATCHES] = late_id_misfit,
			[STEP_SEND_AGAIN] = late_id_misfit,
			[STEP_UNKNOWN] = late_id_never,
		},
};

/* ---- asking the adapter ---- */

/* With a time scale, what an adapter waits for by the clock comes sooner too: the call seems to
 * have begun longer ago. Only our own waits are divided; the time that the call itself took is real
 * time. A call that has not begun yet shows that the clock was set back: then what we waited
 * between the probes is all that is known. */
static int64_t started_for_adapter(const struct delivery_task *t)
{
	if (t->is_removal)
		return t->removal.since_us;
	const int64_t called_us = t->save.call_started_at_us;
	const int64_t started_us = called_us != 0 ? called_us : hold_since_us(t);
	if (started_us == 0 && !flow_is_open(&t->flow))
		return 0;
	if (started_us > t->env.now_us)
		return t->env.now_us - policy_probes_waited_ms(t->save.looks) * US_PER_MS;
	const int64_t uncertain_us = flow_get_int(&t->flow, FLOW_UNCERTAIN_US, 0);
	const int64_t ended_us = uncertain_us > started_us ? uncertain_us : started_us;
	const int64_t waited_us = (t->env.now_us - ended_us) * delivery_time_scale(t);
	return t->env.now_us - waited_us - (ended_us - started_us);
}

/* With a time scale, our waiting since then counts as in started_for_adapter(). */
static int64_t asked_for_adapter(const struct delivery_task *t)
{
	const int64_t waited_us = t->env.now_us - t->call.planned_at_us;
	return t->env.now_us - waited_us * delivery_time_scale(t);
}

/* The only call of an adapter. */
static void adapter_call(struct delivery_task *t, const struct reply *reply, struct step *step)
{
	static const enum operation operations[MODE_COUNT] = {
		[MODE_PUBLISH] = OPERATION_PUBLISH, [MODE_REFRESH] = OPERATION_REFRESH,
		[MODE_RESOLVE] = OPERATION_RESOLVE, [MODE_HOLD_PROBE] = OPERATION_RESOLVE,
		[MODE_REMOVE] = OPERATION_REMOVE,   [MODE_LATE_ID] = OPERATION_LATE_ID,
	};
	const enum delivery_mode mode = delivery_mode(t);
	platform_run(t->platform, operations[mode], &t->env,
		     mode == MODE_REFRESH ? &t->token.flow : &t->flow, reply, step);
}

static void adapter_ask(struct delivery_task *t, const struct reply *reply, struct step *step)
{
	t->env.arena = t->turn.arena;
	t->env.now_us = clock_now_us(t->deliverer->config.clock);
	t->env.started_at_us = started_for_adapter(t);
	t->env.asked_at_us = reply != NULL ? asked_for_adapter(t) : 0;
	t->env.probe = t->save.looks;
	if (t->save.call_started_at_us != 0 && !t->is_removal)
		note_clock(t);
	/* What an adapter proves of a call that was sent once more is proof of that call alone: the
	 * first one stays open until its part is found. */
	const bool stays_open =
		t->save.republished && delivery_mode(t) != MODE_REFRESH && flow_is_open(&t->flow);
	const size_t part = flow_part(&t->flow);
	adapter_call(t, reply, step);
	if (stays_open && flow_part(&t->flow) == part)
		flow_set_open(&t->flow);
}

/* What the adapter has learnt about the account: seen from now on, and written with this turn's
 * decision. */
static void take_account_extra(struct delivery_task *t, const struct step *step)
{
	const struct json *json = NULL;
	if (step->account_extra.len == 0 || delivery_mode(t) != MODE_PUBLISH)
		return;
	const struct str extra = str_copy(t->arena, step->account_extra);
	if (json_parse(t->arena, extra, NULL, &json, NULL, NULL) != ERR_NONE ||
	    !json_is(json, JSON_TYPE_OBJECT)) {
		record_log(t, LOG_ERROR, "account_extra_unreadable", NULL, 0);
		return;
	}
	t->env.account_extra = json;
	t->turn.new_extra = extra;
	t->turn.has_new_extra = true;
}

/* Hands the adapter a reply (NULL: none) and takes its steps until something is planned. */
static void converse(struct delivery_task *t, const struct reply *reply)
{
	struct step *step = ARENA_NEW(t->turn.arena, struct step);
	for (int i = 0; i < STEPS_PER_TURN_MAX; i++) {
		memset(step, 0, sizeof(*step));
		adapter_ask(t, reply, step);
		reply = NULL;
		take_account_extra(t, step);
		if (handlers[delivery_mode(t)][step->kind](t, step) == NEXT_PLANNED)
			return;
	}
	verdict_end_internal(t, STR("Internal error: the platform adapter did not finish."));
}

void talk_go_on(struct delivery_task *t)
{
	converse(t, NULL);
}

/* ---- beginning ---- */

/* What is stored cannot be read. */
static void start_unreadable(struct delivery_task *t, const struct error *err)
{
	const struct log_field why = log_str("error", str_of(err->text));
	record_log(t, LOG_ERROR, "delivery_unreadable", &why, 1);
	t->is_unreadable = true;
	if (t->work.hold == HOLD_ASKING)
		hold_for_operator(t);
	else if (t->save.call_state != CALL_STATE_NONE)
		resolve_give_up(t);
	else
		verdict_end_internal(t, str_format(t->turn.arena,
						   "The stored delivery cannot be read: %s",
						   err->text));
}

/* Sealed with another master key: a matter of this node and its operator, never of the post. It is
 * given back as it stands, for a node that has the key. */
static void give_back_sealed(struct delivery_task *t, const struct error *err)
{
	t->is_unreadable = true;
	t->other_key_why = str_copy(t->arena, str_of(err->text));
	verdict_wait(t, 0);
}

/* ASK: the account's tokens may be used. */
static enum next check_account(struct delivery_task *t)
{
	const enum account_state state = t->work.account.state;
	const bool is_call_open = t->save.call_state != CALL_STATE_NONE;
	/* A call with an unknown outcome is worth a probe all the same: a published post must not
	 * be called failed. */
	if (account_state_is_usable(state) || (is_call_open && state != ACCOUNT_DISCONNECTED))
		return NEXT_ASK;
	if (is_call_open)
		return resolve_give_up(t);
	const struct failure failure = {
		.class = FAILURE_PERMANENT,
		.code = FAILURE_CODE_ACCOUNT_REAUTH_REQUIRED,
		.message = str_format(t->turn.arena, "The account is %s. Connect it again.",
				      account_state_name(state)),
	};
	return verdict_end_failed(t, &failure);
}

/* A token about to end is refreshed before it is used. One that has ended and cannot be refreshed
 * ends the delivery, but not a probe: no post may be called failed because nobody could ask. */
static enum next check_token(struct delivery_task *t)
{
	const struct failure failure = {.class = FAILURE_REAUTH,
					.message = STR("The access token has expired.")};
	switch (account_token_check(t)) {
	case ACCOUNT_TOKEN_GOOD:
		break;
	case ACCOUNT_TOKEN_ENDING:
		account_token_refresh_begin(t);
		break;
	case ACCOUNT_TOKEN_ENDED:
		if (delivery_mode(t) == MODE_PUBLISH || delivery_mode(t) == MODE_REMOVE)
			return publish_failed(t, &failure);
		if (delivery_mode(t) == MODE_LATE_ID)
			return conversation_failed(t, &failure);
		break;
	}
	return NEXT_ASK;
}

void talk_start(struct delivery_task *t)
{
	struct error err = {0};
	if (hold_quarantine(t))
		return;
	const enum err_kind kind = delivery_load(t, &err);
	if (kind == ERR_FORBIDDEN) {
		give_back_sealed(t, &err);
		return;
	}
	if (kind != ERR_NONE) {
		start_unreadable(t, &err);
		return;
	}
	if (t->is_removal) {
		if (removal_begin(t) == NEXT_ASK && check_token(t) == NEXT_ASK)
			converse(t, NULL);
		return;
	}
	if (t->is_late_id) {
		if (late_id_begin(t) == NEXT_ASK && check_token(t) == NEXT_ASK)
			converse(t, NULL);
		return;
	}
	verdict_forgive_our_time(t);
	note_time(t);
	note_missing(t);
	if (hold_start(t) == NEXT_PLANNED)
		return;
	if (!t->hold.is_probing && check_account(t) == NEXT_PLANNED)
		return;
	if (!t->hold.is_probing && t->save.call_state == CALL_STATE_STARTED) {
		/* We died, or lost the database, between the intent and the answer. */
		verdict_uncertain(t);
		return;
	}
	if (check_token(t) == NEXT_ASK)
		converse(t, NULL);
}

/* ---- replies ---- */

static void publish_never_sent(struct delivery_task *t, const struct reply *reply)
{
	const struct failure failure = {
		.class = FAILURE_TRANSIENT,
		.code = FAILURE_CODE_PLATFORM_UNAVAILABLE,
		.message =
			str_format(t->turn.arena, "The platform could not be reached: " STR_FMT ".",
				   STR_ARG(reply->transport_error)),
	};
	publish_failed(t, &failure);
	if (!flow_is_open(&t->flow))
		verdict_call_did_nothing(t);
}

static void answered(struct delivery_task *t, const struct reply *reply)
{
	const bool is_publish = delivery_mode(t) == MODE_PUBLISH;
	if (is_publish || delivery_mode(t) == MODE_REMOVE)
		verdict_call_over(t);
	converse(t, reply);
	const bool is_refused = t->save.failure != NULL && !t->save.republished;
	if (is_publish && t->call.kind == CALL_PUBLISH && is_refused && !flow_is_open(&t->flow))
		verdict_call_did_nothing(t);
}

void talk_reply(struct delivery_task *t, const struct task_event *event)
{
	record_call_ended(t, event);
	capacity_note_reply(t, event->reply);
	if (delivery_mode(t) == MODE_REFRESH)
		account_token_note_reply(t, event->reply);
	switch (event->verdict) {
	case CALL_FOR_ADAPTER:
		answered(t, event->reply);
		return;
	case CALL_UNCERTAIN:
		if (t->is_removal)
			removal_ask_again(t);
		else
			verdict_uncertain(t);
		return;
	case CALL_NEVER_SENT:
		publish_never_sent(t, event->reply);
		return;
	}
}
