/* SPDX-License-Identifier: Apache-2.0
 * The course of one delivery: load, refresh the token if it must be, then step by step what the
 * adapter asks for, until published or failed. Every decision fills t->save, which the engine
 * writes in the turn's transaction before anything is carried out. What a task begins with is
 * task_load.c's, publish calls in doubt are resolve.c's, files are media.c's. */
#include "delivery_private.h"

#include <stdlib.h>

#include "resolver.h"

#include "seal.h"

#include "redact.h"

#include "policy.h"

/* an adapter that asks this often without a call or a wait is broken */
#define STEPS_PER_TURN_MAX 64
#define TOKEN_FRESH_US (5 * US_PER_MINUTE)   /* x.md 1.4 rule 6: refresh when less remains */
#define CLOCK_MOVED_US (30 * US_PER_S)       /* RELIABILITY.md S2 */
#define REFRESH_LOST "delivery.refresh_lost" /* flow variable */

int64_t course_scaled_ms(const struct delivery_task *t, int64_t wait_ms)
{
	return wait_ms / t->deliverer->config.time_scale;
}

/* ---- decisions ---- */

static void decide(struct delivery_task *t, enum delivery_next next, enum task_action action)
{
	t->save.next = next;
	t->plan->action = action;
}

void course_wait(struct delivery_task *t, int64_t wait_ms)
{
	t->save.due_at_us = t->env.now_us + course_scaled_ms(t, wait_ms) * US_PER_MS;
	decide(t, DELIVERY_WAIT, TASK_END);
}

/* As it will be shown: some platforms repeat tokens in their words. */
static void take_reason(struct delivery_task *t, const struct failure *failure)
{
	t->failure = *failure;
	redact_failure(t->turn_arena, &t->failure, &t->env, &t->flow);
	t->save.failure = &t->failure;
}

void course_retry(struct delivery_task *t, const struct failure *failure, int64_t wait_ms,
		  int attempts)
{
	take_reason(t, failure);
	t->save.attempts = attempts;
	t->save.due_at_us = t->env.now_us + course_scaled_ms(t, wait_ms) * US_PER_MS;
	record_decision(
		t, str_format(t->turn_arena, "try again in %lld s", (long long)(wait_ms / 1000)));
	decide(t, DELIVERY_RETRY, TASK_END);
}

/* With a publish call open nobody knows whether the post is out there: no other reason may read as
 * if it were not (RELIABILITY.md P9). */
static void take_open_call(struct delivery_task *t)
{
	if (t->save.call_state == CALL_STATE_NONE ||
	    t->failure.code == FAILURE_CODE_OUTCOME_UNKNOWN)
		return;
	t->failure.message = str_format(t->turn_arena, "%s " STR_FMT,
					failure_code_sentence(FAILURE_CODE_OUTCOME_UNKNOWN),
					STR_ARG(t->failure.message));
	t->failure.code = FAILURE_CODE_OUTCOME_UNKNOWN;
}

/* The call is over, and yet the post may be out there: the platform is asked before anything is
 * told. */
static bool asks_first(struct delivery_task *t, const struct failure *failure)
{
	if (t->save.call_state != CALL_STATE_NONE || t->mode != COURSE_PUBLISH ||
	    !flow_is_open(&t->flow) || failure->code == FAILURE_CODE_OUTCOME_UNKNOWN)
		return false;
	doubt_begin(t);
	return true;
}

void course_finish_failed(struct delivery_task *t, const struct failure *failure)
{
	if (asks_first(t, failure))
		return;
	take_reason(t, failure);
	take_open_call(t);
	t->save.call_state = CALL_STATE_NONE;
	record_decision(t, str_concat(t->turn_arena, STR("failed: "),
				      str_of(failure_code_name(t->failure.code))));
	decide(t, DELIVERY_FAILED, TASK_END);
}

static void course_finish_published(struct delivery_task *t)
{
	t->save.failure = NULL;
	t->save.attempts++;
	decide(t, DELIVERY_PUBLISHED, TASK_END);
}

/* RELIABILITY.md T1: read again before an account is declared dead. */
static bool account_has_changed(const struct delivery_task *t)
{
	const struct account_row *account = &t->work.account;
	struct account_row now = {0};
	bool is_found = false;
	struct error err = {0};
	if (store_account_get_many(t->deliverer->config.store, t->turn_arena, t->work.app_id,
				   &account->id, 1, &now, &is_found, &err) != ERR_NONE)
		return false;
	return is_found &&
	       (now.token_version != account->token_version || now.state == ACCOUNT_DISCONNECTED);
}

bool course_flag_account(struct delivery_task *t, struct str why)
{
	if (account_has_changed(t))
		return false;
	t->has_new_account_state = true;
	t->new_account_state = ACCOUNT_REAUTH_REQUIRED;
	t->new_account_error = redact_secrets(t->turn_arena, why, &t->env, &t->flow);
	return true;
}

static void course_transient(struct delivery_task *t, const struct failure *failure);

static void account_needs_reauth(struct delivery_task *t, const struct failure *failure)
{
	struct failure told = *failure;
	told.code = FAILURE_CODE_ACCOUNT_REAUTH_REQUIRED;
	if (course_flag_account(t, failure->message)) {
		t->save.attempts++;
		course_finish_failed(t, &told);
		return;
	}
	/* Connected again meanwhile: the next try reads the account anew, and one that is gone ends
	 * there. */
	told.class = FAILURE_TRANSIENT;
	course_transient(t, &told);
}

static bool token_can_be_refreshed(const struct delivery_task *t)
{
	return t->platform->stages[OPERATION_REFRESH] != NULL && t->env.refresh_token.len > 0 &&
	       t->env.client_id.len > 0;
}

static void refresh_begin(struct delivery_task *t)
{
	t->mode_after_refresh = t->mode;
	t->mode = COURSE_REFRESH;
	t->has_refreshed = true;
	flow_init(&t->refresh_flow, t->arena, 0);
}

static void course_rate_limited(struct delivery_task *t, const struct failure *failure)
{
	int64_t since_us = flow_get_int(&t->flow, "delivery.limited_since_us", t->env.now_us);
	flow_set_int(&t->flow, "delivery.limited_since_us", since_us);
	int64_t met = flow_count(&t->flow, "delivery.limits_met");
	int64_t wait_ms =
		policy_rate_wait_ms(met, failure->retry_after_ms, t->deliverer->config.random);
	if (t->env.now_us + wait_ms * US_PER_MS - since_us > POLICY_PATIENCE_US) {
		course_finish_failed(t, failure);
		return;
	}
	course_retry(t, failure, wait_ms, t->save.attempts);
}

static void course_transient(struct delivery_task *t, const struct failure *failure)
{
	int attempts = t->save.attempts + 1;
	int64_t wait_ms = policy_retry_wait_ms(attempts, failure->retry_after_ms,
					       t->deliverer->config.random);
	if (wait_ms < 0) {
		t->save.attempts = attempts;
		course_finish_failed(t, failure);
		return;
	}
	course_retry(t, failure, wait_ms, attempts);
}

void course_failed(struct delivery_task *t, const struct failure *failure)
{
	t->save.call_state = CALL_STATE_NONE;
	switch (failure->class) {
	case FAILURE_PERMANENT:
		t->save.attempts++;
		course_finish_failed(t, failure);
		return;
	case FAILURE_RATE_LIMITED:
		course_rate_limited(t, failure);
		return;
	case FAILURE_APP:
		/* Credits are bought, caps begin anew, settings are set: no try is used up on them,
		 * the gate keeps the app's others back meanwhile. */
		if (failure->code == FAILURE_CODE_QUOTA_EXHAUSTED || failure->needs_operator) {
			course_rate_limited(t, failure);
			return;
		}
		course_transient(t, failure);
		return;
	case FAILURE_TRANSIENT:
		course_transient(t, failure);
		return;
	case FAILURE_TOKEN:
	case FAILURE_REAUTH:
		account_needs_reauth(t, failure);
		return;
	}
}

/* ---- steps ---- */

bool course_gives_back(struct delivery_task *t)
{
	if (!engine_is_draining(t->task.engine))
		return false;
	course_wait(t, 0);
	return true;
}

/* By how much the wall clock is ahead of the one that never jumps, at the flow's first publish
 * call; when that has changed (the clock was set, or the machine started anew) nobody can tell how
 * long ago the call was. */
static void note_clock(struct delivery_task *t)
{
	const int64_t ahead_us = t->env.now_us - clock_boot_us(t->deliverer->config.clock);
	const int64_t before_us = flow_get_int(&t->flow, "delivery.clock_ahead_us", INT64_MIN);
	if (before_us == INT64_MIN)
		flow_set_int(&t->flow, "delivery.clock_ahead_us", ahead_us);
	else if (llabs((long long)(ahead_us - before_us)) > CLOCK_MOVED_US)
		flow_set_int(&t->flow, FLOW_CLOCK_MOVED, 1);
}

static void take_send(struct delivery_task *t, const struct step *step)
{
	if (course_gives_back(t) || !room_take(t))
		return;
	const struct call *call = &step->call;
	record_call_begins(t, call);
	t->plan->call = *call;
	if (call->has_media_body)
		t->plan->media_path = t->media_paths[call->media_index];
	t->save.lease_until_us =
		t->env.now_us + call_timeout_ms(call) * US_PER_MS + LEASE_MARGIN_US;
	if (t->mode == COURSE_PUBLISH && call->kind == CALL_PUBLISH) {
		note_clock(t);
		t->save.call_state = CALL_STATE_STARTED;
		t->save.call_started_at_us = t->env.now_us;
	}
	decide(t, DELIVERY_KEEP, TASK_SEND);
}

static void take_new_token(struct delivery_task *t, const struct token_grant *token)
{
	const struct random_source *random = t->deliverer->config.random;
	const struct seal *seal = t->deliverer->config.seal;
	struct seal_place place = {STR("accounts"), STR("access_token"), t->work.account.id};
	t->env.access_token = str_copy(t->arena, token->access_token);
	t->new_access_token_sealed =
		seal_secret(seal, t->turn_arena, &place, token->access_token, random);
	t->new_refresh_token_sealed = STR("");
	if (token->refresh_token.len > 0) {
		place.column = STR("refresh_token");
		t->env.refresh_token = str_copy(t->arena, token->refresh_token);
		t->new_refresh_token_sealed =
			seal_secret(seal, t->turn_arena, &place, token->refresh_token, random);
	}
	t->new_expires_at_us = token->expires_at_us;
	t->new_refresh_expires_at_us = token->refresh_expires_at_us;
	t->has_new_token = true;
	flow_unset(&t->flow, REFRESH_LOST);
	t->mode = t->mode_after_refresh;
	record_decision(t, STR("token refreshed: go on where it stopped"));
}

/* A look that was refused. A token that is dead for good is the account's matter, not when it is
 * the app that was refused. */
static bool take_look_refusal(struct delivery_task *t, const struct failure *failure)
{
	const struct step look = {.kind = STEP_FAIL, .failure = *failure};
	if (failure->class == FAILURE_TOKEN || failure->class == FAILURE_REAUTH)
		course_flag_account(t, failure->message);
	return doubt_take_step(t, &look);
}

/* A platform whose refresh tokens work once may have spent ours on an answer that never came
 * (RELIABILITY.md T2). */
static void note_refresh_reply(struct delivery_task *t, const struct reply *reply)
{
	if (reply->outcome == REPLY_LOST ||
	    (reply->outcome == REPLY_ANSWERED && reply->status >= 500))
		flow_set_int(&t->flow, REFRESH_LOST, 1);
}

/* A token that is dead because an answer was lost is told apart from one that was revoked. */
static struct failure refresh_failure(struct delivery_task *t, const struct failure *failure)
{
	struct failure told = *failure;
	if (failure->class == FAILURE_REAUTH && flow_get_int(&t->flow, REFRESH_LOST, 0) != 0)
		told.message = str_concat(t->turn_arena,
					  STR("The answer to an earlier refresh was lost, and the "
					      "new token with it. "),
					  failure->message);
	return told;
}

/* A refused refresh ends differently by what was in progress: a look at a call in doubt is
 * postponed, a publish is retried or told. */
static bool take_refresh_failure(struct delivery_task *t, const struct failure *failure)
{
	t->mode = t->mode_after_refresh;
	if (t->mode == COURSE_RESOLVE)
		return take_look_refusal(t, failure);
	course_failed(t, failure);
	return true;
}

static bool take_failure(struct delivery_task *t, const struct failure *failure)
{
	room_note_failure(t, failure);
	alarm_note_failure(t, failure);
	if (t->mode == COURSE_REFRESH) {
		const struct failure told = refresh_failure(t, failure);
		return take_refresh_failure(t, &told);
	}
	if (failure->class == FAILURE_TOKEN && !t->has_refreshed && token_can_be_refreshed(t)) {
		t->save.call_state =
			t->mode == COURSE_PUBLISH ? CALL_STATE_NONE : t->save.call_state;
		record_decision(t, STR("refresh the token"));
		refresh_begin(t);
		return false;
	}
	if (t->mode == COURSE_RESOLVE)
		return take_look_refusal(t, failure);
	course_failed(t, failure);
	return true;
}

static bool take_done(struct delivery_task *t, const struct step *step)
{
	if (t->mode == COURSE_REFRESH) {
		take_new_token(t, &step->token);
		return false;
	}
	if (flow_part(&t->flow) < t->flow.part_count) {
		const struct failure failure = {
			.class = FAILURE_PERMANENT,
			.code = FAILURE_CODE_INTERNAL_ERROR,
			.message = STR("The adapter said done with parts left."),
		};
		course_finish_failed(t, &failure);
		return true;
	}
	course_finish_published(t);
	return true;
}

/* True when something is planned, false when the adapter is to be asked again. */
static bool take_step(struct delivery_task *t, const struct step *step)
{
	switch (step->kind) {
	case STEP_SEND:
		if (hold_forbids(t, &step->call))
			return hold_keeps_back(t);
		take_send(t, step);
		return true;
	case STEP_FAIL:
		return take_failure(t, &step->failure);
	case STEP_DONE:
		if (t->mode != COURSE_RESOLVE)
			return take_done(t, step);
		return doubt_take_step(t, step);
	case STEP_WAIT:
		if (t->mode == COURSE_RESOLVE)
			return doubt_take_step(t, step);
		record_decision(t, STR("wait"));
		course_wait(t, step->wait_ms);
		return true;
	case STEP_MEDIA:
		return media_want(t, step);
	case STEP_UNCERTAIN:
		if (t->mode == COURSE_RESOLVE)
			return doubt_take_step(t, step);
		room_note_unreadable(t);
		doubt_begin(t);
		return true;
	case STEP_LANDED:
	case STEP_MATCHES:
	case STEP_SEND_AGAIN:
	case STEP_UNKNOWN:
		return doubt_take_step(t, step);
	}
	return false;
}

/* With a time scale, what an adapter waits for by the clock comes sooner too: the call seems to
 * have begun longer ago. Only our own waits are divided: the time that the call itself took is the
 * world's. */
static int64_t started_for_adapter(const struct delivery_task *t)
{
	const int64_t started_us = t->save.call_started_at_us;
	if (started_us == 0 && !flow_is_open(&t->flow))
		return 0;
	const int64_t doubt_us = flow_get_int(&t->flow, FLOW_DOUBT_US, 0);
	const int64_t ended_us = doubt_us > started_us ? doubt_us : started_us;
	const int64_t waited_us = (t->env.now_us - ended_us) * t->deliverer->config.time_scale;
	return t->env.now_us - waited_us - (ended_us - started_us);
}

/* What an adapter proves of a call that was sent once more is proof of that call alone: the first
 * one stays open, until its part is found. */
static bool has_open_repeat(const struct delivery_task *t)
{
	return t->save.republished && t->mode != COURSE_REFRESH && flow_is_open(&t->flow);
}

static void adapter_ask(struct delivery_task *t, const struct reply *reply, struct step *step)
{
	static const enum operation operations[COURSE_MODE_COUNT] = {
		[COURSE_PUBLISH] = OPERATION_PUBLISH,
		[COURSE_REFRESH] = OPERATION_REFRESH,
		[COURSE_RESOLVE] = OPERATION_RESOLVE,
	};
	t->env.arena = t->turn_arena;
	t->env.now_us = clock_now_us(t->deliverer->config.clock);
	t->env.started_at_us = started_for_adapter(t);
	t->env.probe = t->save.looks;
	if (t->save.call_started_at_us != 0)
		note_clock(t);
	const bool is_open = has_open_repeat(t);
	const size_t part = flow_part(&t->flow);
	platform_run(t->platform, operations[t->mode], &t->env,
		     t->mode == COURSE_REFRESH ? &t->refresh_flow : &t->flow, reply, step);
	if (is_open && flow_part(&t->flow) == part)
		flow_set_open(&t->flow);
}

/* What the adapter has learnt about the account: seen from now on, and written with this turn's
 * decision. */
static void take_account_extra(struct delivery_task *t, const struct step *step)
{
	const struct json *json = NULL;
	if (step->account_extra.len == 0 || t->mode != COURSE_PUBLISH)
		return;
	const struct str extra = str_copy(t->arena, step->account_extra);
	if (json_parse(t->arena, extra, NULL, &json, NULL, NULL) != ERR_NONE ||
	    !json_is(json, JSON_TYPE_OBJECT)) {
		LOG(t->deliverer->config.log, ERROR, "account_extra_unreadable",
		    log_str("delivery", t->work.id));
		return;
	}
	t->env.account_extra = json;
	t->new_extra = extra;
	t->has_new_extra = true;
}

void course_run(struct delivery_task *t, const struct reply *reply)
{
	struct step *step = ARENA_NEW(t->turn_arena, struct step);
	for (int i = 0; i < STEPS_PER_TURN_MAX; i++) {
		memset(step, 0, sizeof(*step));
		adapter_ask(t, reply, step);
		reply = NULL;
		take_account_extra(t, step);
		if (take_step(t, step))
			return;
	}
	const struct failure failure = {
		.class = FAILURE_PERMANENT,
		.code = FAILURE_CODE_INTERNAL_ERROR,
		.message = STR("The adapter does not come to an end."),
	};
	course_finish_failed(t, &failure);
}

/* ---- beginning ---- */

static bool account_is_usable(struct delivery_task *t)
{
	if (account_state_is_usable(t->work.account.state))
		return true;
	/* A call in doubt is worth a look even so: a post that is out there must not be told as
	 * failed. */
	if (t->save.call_state != CALL_STATE_NONE && t->work.account.state != ACCOUNT_DISCONNECTED)
		return true;
	if (t->save.call_state != CALL_STATE_NONE) {
		doubt_tell_unknown(t);
		return false;
	}
	const struct failure failure = {
		.class = FAILURE_PERMANENT,
		.code = FAILURE_CODE_ACCOUNT_REAUTH_REQUIRED,
		.message = str_format(t->turn_arena,
				      "The account is %s and has to be connected again.",
				      account_state_name(t->work.account.state)),
	};
	course_finish_failed(t, &failure);
	return false;
}

/* A token about to end is refreshed before it is used; one that ended and cannot be refreshed ends
 * the delivery. */
static bool token_is_usable(struct delivery_task *t)
{
	int64_t expires_at_us = t->work.account.expires_at_us;
	if (expires_at_us == 0 || expires_at_us - t->env.now_us > TOKEN_FRESH_US)
		return true;
	if (token_can_be_refreshed(t)) {
		refresh_begin(t);
		return true;
	}
	/* In doubt it is tried all the same: no post may be told as failed because nobody could
	 * ask. */
	if (expires_at_us > t->env.now_us || t->mode == COURSE_RESOLVE)
		return true;
	const struct failure failure = {.class = FAILURE_REAUTH,
					.message = STR("The access token has expired.")};
	course_failed(t, &failure);
	return false;
}

static void course_start(struct delivery_task *t)
{
	struct error err = {0};
	if (hold_sets_aside(t))
		return;
	if (delivery_load(t, &err) != ERR_NONE) {
		LOG(t->deliverer->config.log, ERROR, "delivery_unreadable",
		    log_str("delivery", t->work.id), log_str("error", str_of(err.text)));
		t->is_unreadable = true;
		if (t->work.hold == HOLD_ASKING) {
			hold_keeps_back(t);
			return;
		}
		if (t->save.call_state != CALL_STATE_NONE) {
			doubt_tell_unknown(t);
			return;
		}
		const struct failure failure = {
			.class = FAILURE_PERMANENT,
			.code = FAILURE_CODE_INTERNAL_ERROR,
			.message = str_format(t->turn_arena, "What was stored cannot be read: %s",
					      err.text),
		};
		course_finish_failed(t, &failure);
		return;
	}
	if (hold_begins(t))
		return;
	if (!t->is_hold_look && !account_is_usable(t))
		return;
	if (!t->is_hold_look && t->save.call_state == CALL_STATE_STARTED) {
		/* We died, or lost the database, between the intent and the answer. */
		doubt_begin(t);
		return;
	}
	t->mode = t->is_hold_look || t->save.call_state == CALL_STATE_IN_DOUBT ? COURSE_RESOLVE
									       : COURSE_PUBLISH;
	if (token_is_usable(t))
		course_run(t, NULL);
}

static void course_reply(struct delivery_task *t, const struct task_event *event)
{
	const bool is_publish = t->mode == COURSE_PUBLISH && t->call_kind == CALL_PUBLISH;
	record_call_ended(t, event);
	room_note_reply(t, event->reply);
	if (t->mode == COURSE_REFRESH)
		note_refresh_reply(t, event->reply);
	switch (event->verdict) {
	case CALL_FOR_ADAPTER:
		if (t->mode == COURSE_PUBLISH)
			t->save.call_state = CALL_STATE_NONE;
		course_run(t, event->reply);
		if (is_publish && t->save.failure != NULL && !t->save.republished &&
		    !flow_is_open(&t->flow))
			t->save.call_started_at_us = 0; /* refused: it did nothing */
		return;
	case CALL_IN_DOUBT:
		doubt_begin(t);
		return;
	case CALL_NEVER_SENT: {
		const struct failure failure = {
			.class = FAILURE_TRANSIENT,
			.code = FAILURE_CODE_PLATFORM_UNAVAILABLE,
			.message = str_format(t->turn_arena,
					      "The platform could not be reached: " STR_FMT,
					      STR_ARG(event->reply->transport_error)),
		};
		course_failed(t, &failure);
		if (is_publish && !flow_is_open(&t->flow))
			t->save.call_started_at_us = 0;
		return;
	}
	}
}

/* ---- the engine's view ---- */

static void save_begin(struct delivery_task *t)
{
	t->save.next = DELIVERY_KEEP;
	t->save.failure = NULL;
	t->save.due_at_us = 0;
	t->save.lease_until_us = t->env.now_us + LEASE_MARGIN_US;
	t->timeline_count = 0;
	t->is_quiet = false;
	t->has_new_extra = false;
	t->has_new_token = false;
	t->has_new_account_state = false;
	t->has_new_hold = false;
}

static void save_end(struct delivery_task *t)
{
	const struct seal_place place = {STR("deliveries"), STR("flow_secrets"), t->work.id};
	struct str secrets = flow_write_secrets(t->turn_arena, &t->flow);
	t->save.now_us = t->env.now_us;
	t->save.flow = flow_write(t->turn_arena, &t->flow);
	t->save.flow_sealed = secrets.len > 0
				      ? seal_secret(t->deliverer->config.seal, t->turn_arena,
						    &place, secrets, t->deliverer->config.random)
				      : STR("");
	t->save.parts = record_parts(t, t->save.next == DELIVERY_FAILED);
	t->save.remote_id =
		t->flow.part_count > 0 ? record_id(t->flow.parts[0].remote_id) : STR("");
	t->save.url = t->flow.part_count > 0 ? record_id(t->flow.parts[0].url) : STR("");
	t->save.timeline = t->timeline;
	t->save.timeline_count = t->timeline_count;
}

/* What nobody could read stays as it is, with the ids of what was published before. */
static void save_unreadable(struct delivery_task *t)
{
	t->save.flow = t->work.flow;
	t->save.flow_sealed = t->work.flow_sealed;
	t->save.parts = STR("");
	t->save.remote_id = STR("");
	t->save.url = STR("");
}

/* Who is told names the delivery when the program dies on it. What is set aside for that must not
 * be blamed again. */
static void tell_stepping(const struct delivery_task *t, bool is_begin)
{
	const struct deliverer_config *config = &t->deliverer->config;
	if (config->stepping != NULL && t->work.hold != HOLD_POISONED)
		config->stepping(config->stepping_context, is_begin ? &t->work : NULL);
}

static void delivery_plan(struct task *task, struct arena *arena, const struct task_event *event,
			  struct task_plan *plan)
{
	struct delivery_task *t = (struct delivery_task *)task;
	t->turn_arena = arena;
	t->plan = plan;
	t->env.arena = arena;
	t->env.now_us = clock_now_us(t->deliverer->config.clock);
	plan->action = TASK_END;
	t->is_woken = event->kind == TASK_EVENT_WOKEN;
	save_begin(t);
	tell_stepping(t, true);
	switch (event->kind) {
	case TASK_EVENT_START:
		course_start(t);
		break;
	case TASK_EVENT_WOKEN:
		course_run(t, NULL);
		break;
	case TASK_EVENT_REPLY:
		course_reply(t, event);
		break;
	case TASK_EVENT_FETCHED:
		media_fetched(t, event->fetched);
		break;
	}
	save_end(t);
	if (t->is_unreadable)
		save_unreadable(t);
	hold_plan_ends(t);
	room_plan_ends(t);
	tell_stepping(t, false);
}

static enum err_kind delivery_save(struct task *task, void *tx, struct error *err)
{
	struct delivery_task *t = (struct delivery_task *)task;
	enum err_kind kind = ERR_NONE;
	if (t->is_quiet && !t->save.is_first)
		return ERR_NONE;
	if (t->has_new_extra) { /* before the token, whose version would be another then */
		kind = store_account_save_extra(tx, t->work.account.id,
						t->work.account.token_version, t->new_extra,
						t->env.now_us, err);
		if (kind != ERR_NONE && kind != ERR_CONFLICT)
			return kind;
	}
	if (t->has_new_token) {
		kind = store_account_save_token(
			tx, t->work.account.id, t->work.account.token_version,
			t->new_access_token_sealed, t->new_refresh_token_sealed,
			t->new_expires_at_us, t->new_refresh_expires_at_us, t->env.now_us, err);
		/* CONFLICT: the account was connected again meanwhile; its tokens there are newer
		 * than ours. */
		if (kind != ERR_NONE && kind != ERR_CONFLICT)
			return kind;
		t->is_token_saved = kind == ERR_NONE;
	}
	if (t->has_new_account_state) {
		kind = store_account_set_state(tx, t->work.account.id, t->new_account_state,
					       t->new_account_error, t->env.now_us, err);
		if (kind != ERR_NONE && kind != ERR_NOT_FOUND)
			return kind;
	}
	kind = store_delivery_save(tx, &t->save, err);
	return kind == ERR_NONE ? hold_save(t, tx, err) : kind;
}

static void log_end(const struct delivery_task *t)
{
	const struct log *log = t->deliverer->config.log;
	if (t->save.next == DELIVERY_PUBLISHED)
		LOG(log, INFO, "delivery_published", log_str("delivery", t->work.id),
		    log_str("platform", str_of(t->platform->slug)));
	if (t->save.next == DELIVERY_FAILED)
		LOG(log, WARN, "delivery_failed", log_str("delivery", t->work.id),
		    log_str("platform", str_of(t->platform->slug)),
		    log_str("code", str_of(failure_code_name(t->failure.code))));
}

/* A refresh token that works once is not sent when another task has used it up since we read it:
 * an account's next delivery, or this one, claimed a second time when a pause outlived its lease.
 * Looked at behind the commit, as the last thing before the call, since both may have been in one
 * turn. The lease runs out, and the next claim reads the account anew (RELIABILITY.md T1). */
static void keep_refresh_single(struct delivery_task *t)
{
	if (t->mode == COURSE_REFRESH && t->plan->action == TASK_SEND && account_has_changed(t))
		t->plan->action = TASK_END;
}

static void delivery_saved(struct task *task, enum err_kind kind)
{
	struct delivery_task *t = (struct delivery_task *)task;
	if (kind != ERR_NONE) {
		LOG(t->deliverer->config.log, WARN, "delivery_lease_lost",
		    log_str("delivery", t->work.id));
		media_post_finished(t); /* it may have been cancelled */
		return;
	}
	if (t->has_new_token && t->is_token_saved)
		t->work.account.token_version++;
	t->save.is_first = false;
	if (t->save.lease_until_us > t->work.lease_until_us)
		t->work.lease_until_us = t->save.lease_until_us;
	if (!t->is_quiet)
		t->held_until_us = t->save.lease_until_us;
	keep_refresh_single(t);
	if (t->save.next != DELIVERY_PUBLISHED && t->save.next != DELIVERY_FAILED)
		return;
	log_end(t);
	media_post_finished(t);
}

static void delivery_free(struct task *task)
{
	struct delivery_task *t = (struct delivery_task *)task;
	media_task_gone(t);
	room_leave(t);
	t->deliverer->task_count--;
	struct arena *arena = t->arena;
	free(t);
	arena_free(&arena);
}

const struct task_ops delivery_task_ops = {delivery_plan, delivery_save, delivery_saved,
					   delivery_free};
