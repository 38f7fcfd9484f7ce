/* SPDX-License-Identifier: Apache-2.0
 * One delivery as the engine's task. The engine asks for a plan; talk.c makes one, and it lands in
 * t->save, which is written in the turn's transaction before the plan is carried out. */
#include "delivery_private.h"

#include <stdlib.h>

#include "count_of.h"
#include "histogram.h"

#include "seal.h"

#include "store_outcome.h"

/* ---- making a task of a claimed row: its texts live in the claim's arena and are copied ---- */

static void copy_account(struct arena *arena, struct account_row *account)
{
	struct str *const texts[] = {&account->id,
				     &account->app_id,
				     &account->user_id,
				     &account->connection_id,
				     &account->platform_account_id,
				     &account->username,
				     &account->name,
				     &account->email,
				     &account->avatar_url,
				     &account->access_token_sealed,
				     &account->refresh_token_sealed,
				     &account->extra,
				     &account->extra_sealed,
				     &account->scopes,
				     &account->last_error};
	for (size_t i = 0; i < COUNT_OF(texts); i++)
		*texts[i] = str_copy(arena, *texts[i]);
}

static void copy_work(struct arena *arena, struct delivery_work *work)
{
	struct str *const texts[] = {&work->id,
				     &work->post_id,
				     &work->flow,
				     &work->flow_sealed,
				     &work->content,
				     &work->credential_client_id,
				     &work->credential_secret_sealed,
				     &work->app_id,
				     &work->cause};
	for (size_t i = 0; i < COUNT_OF(texts); i++)
		*texts[i] = str_copy(arena, *texts[i]);
	copy_account(arena, &work->account);
}

/* ---- planning ---- */

void task_turn_begins(struct delivery_task *t, struct arena *arena, struct task_plan *plan,
		      const struct task_event *event)
{
	t->env.arena = arena;
	t->env.now_us = clock_now_us(t->deliverer->config.clock);
	t->turn.arena = arena;
	t->turn.plan = plan;
	t->turn.timeline_count = 0;
	t->turn.is_woken = event->kind == TASK_EVENT_WOKEN;
	t->turn.is_quiet = false;
	t->turn.has_new_extra = false;
	t->hold.has_new_state = false;
	account_token_turn_begins(t);
	verdict_turn_begins(t);
}

static void keep_flow(struct delivery_task *t)
{
	const struct seal_place place = {STR("deliveries"), STR("flow_secrets"), t->work.id};
	if (t->unknown_part != 0)
		flow_set_int(&t->flow, FLOW_WAS_UNKNOWN, t->unknown_part);
	const struct str secrets = flow_write_secrets(t->turn.arena, &t->flow);
	t->save.flow = flow_write(t->turn.arena, &t->flow);
	t->save.flow_sealed = secrets.len > 0
				      ? seal_secret(t->deliverer->config.seal, t->turn.arena,
						    &place, secrets, t->deliverer->config.random)
				      : STR("");
}

void task_keep_parts(struct delivery_task *t)
{
	const bool has_parts = t->flow.part_count > 0;
	t->save.parts = record_parts(t, t->save.next == DELIVERY_FAILED ||
						t->save.next == DELIVERY_PARTIAL);
	t->save.remote_id = has_parts ? record_id(t->flow.parts[0].remote_id) : STR("");
	t->save.url = has_parts ? record_id(t->flow.parts[0].url) : STR("");
	t->save.visibility = record_visibility(t);
	t->save.warnings = record_warnings(t);
}

/* What was not read stays as it is, with the ids of what was published before. */
static void keep_unreadable(struct delivery_task *t)
{
	t->save.flow = t->work.flow;
	t->save.flow_sealed = t->work.flow_sealed;
	t->save.parts = STR("");
	t->save.remote_id = STR("");
	t->save.url = STR("");
	t->save.visibility = STR("");
	t->save.warnings = STR("");
}

static void turn_ends(struct delivery_task *t)
{
	t->save.now_us = t->env.now_us;
	t->save.timeline = t->turn.timeline;
	t->save.timeline_count = t->turn.timeline_count;
	if (t->is_unreadable) {
		keep_unreadable(t);
	} else {
		keep_flow(t);
		task_keep_parts(t);
	}
	late_id_ask(t);
	hold_turn_ends(t);
	capacity_turn_ends(t);
}

/* The listener names the delivery if the program dies on it. A quarantined delivery must not be
 * blamed again. */
void task_announce(const struct delivery_task *t, const struct delivery_work *work)
{
	const struct deliverer_config *config = &t->deliverer->config;
	if (config->stepping != NULL && t->work.hold != HOLD_POISONED)
		config->stepping(config->stepping_context, work);
}

static void delivery_plan(struct task *task, struct arena *arena, const struct task_event *event,
			  struct task_plan *plan)
{
	struct delivery_task *t = (struct delivery_task *)task;
	task_turn_begins(t, arena, plan, event);
	task_announce(t, &t->work);
	switch (event->kind) {
	case TASK_EVENT_START:
		talk_start(t);
		break;
	case TASK_EVENT_WOKEN:
		talk_go_on(t);
		break;
	case TASK_EVENT_REPLY:
		talk_reply(t, event);
		break;
	case TASK_EVENT_FETCHED:
		if (media_fetched(t, event->fetched) == NEXT_ASK)
			talk_go_on(t);
		break;
	}
	turn_ends(t);
	task_announce(t, NULL);
}

/* ---- saving ---- */

static enum err_kind save_extra(const struct delivery_task *t, void *tx, struct error *err)
{
	const enum err_kind kind =
		store_account_save_extra(tx, t->work.account.id, t->work.account.token_version,
					 t->turn.new_extra, t->env.now_us, err);
	/* CONFLICT: the account was connected again meanwhile; what we learnt is of the old one. */
	return kind == ERR_CONFLICT ? ERR_NONE : kind;
}

static enum err_kind delivery_save(struct task *task, void *tx, struct error *err)
{
	struct delivery_task *t = (struct delivery_task *)task;
	enum err_kind kind = ERR_NONE;
	t->saving = NULL;
	if (t->turn.is_quiet && !t->save.is_first)
		return ERR_NONE;
	if (t->turn.has_new_extra) /* before the tokens, which change the account's version */
		kind = save_extra(t, tx, err);
	if (kind == ERR_NONE)
		kind = account_token_save(t, tx, err);
	return kind == ERR_NONE ? store_delivery_save_begin(tx, &t->save, &t->saving, err) : kind;
}

static enum err_kind delivery_save_end(struct task *task, void *tx, struct error *err)
{
	struct delivery_task *t = (struct delivery_task *)task;
	if (t->saving == NULL)
		return ERR_NONE;
	const enum err_kind kind = store_delivery_save_end(tx, t->saving, err);
	return kind == ERR_NONE ? hold_save(t, tx, err) : kind;
}

/* ---- saved ---- */

static void log_end(const struct delivery_task *t)
{
	const struct log_field code =
		log_str("code", str_of(failure_code_name(t->turn.failure.code)));
	if (t->save.next == DELIVERY_PUBLISHED)
		record_log(t, LOG_INFO, "delivery_published", NULL, 0);
	else
		record_log(t, LOG_WARN,
			   t->save.next == DELIVERY_PARTIAL ? "delivery_partial"
							    : "delivery_failed",
			   &code, 1);
}

static enum delivery_outcome outcome_of(const struct delivery_task *t)
{
	if (t->save.next == DELIVERY_PUBLISHED)
		return OUTCOME_PUBLISHED;
	return t->save.next == DELIVERY_PARTIAL ? OUTCOME_PARTIAL
						: store_outcome_of(t->turn.failure.code);
}

/* Late is what is visible after its time, whatever it waited for. */
static void count_end(struct delivery_task *t)
{
	const enum platform_id platform = t->work.account.platform;
	const enum delivery_outcome outcome = outcome_of(t);
	store_outcome_note(t->deliverer->config.store, platform, outcome, t->turn.failure.code);
	if (outcome == OUTCOME_PUBLISHED || outcome == OUTCOME_PARTIAL)
		histogram_note(&t->deliverer->lateness[platform - 1], HISTOGRAM_LATENESS,
			       t->save.now_us - t->work.post_date_us);
}

/* A refresh token that works once is not sent when another task has used it up since we read it:
 * the account's next delivery, or this one, claimed a second time when a pause outlived its lease.
 * Checked after the commit, as the last thing before the call, since both may have been in one
 * turn. The lease runs out, and the next claim reads the account again (rules.md T1). */
void task_keep_refresh_single(struct delivery_task *t)
{
	if (delivery_mode(t) == MODE_REFRESH && t->turn.plan->action == TASK_SEND &&
	    account_token_has_changed(t))
		verdict_drop_call(t);
}

static void delivery_saved(struct task *task, enum err_kind kind)
{
	struct delivery_task *t = (struct delivery_task *)task;
	const struct deliverer_config *config = &t->deliverer->config;
	if (!str_is_empty(t->other_key_why) && config->key_is_other != NULL)
		config->key_is_other(config->key_context, t->other_key_why);
	if (kind != ERR_NONE) {
		record_log(t, LOG_WARN, "delivery_lease_lost", NULL, 0);
		media_post_finished(t); /* it may have been cancelled */
		return;
	}
	account_token_saved(t);
	t->save.is_first = false;
	if (t->save.lease_until_us > t->work.lease_until_us)
		t->work.lease_until_us = t->save.lease_until_us;
	if (!t->turn.is_quiet)
		t->held_until_us = t->save.lease_until_us;
	task_keep_refresh_single(t);
	if (t->save.next != DELIVERY_PUBLISHED && t->save.next != DELIVERY_PARTIAL &&
	    t->save.next != DELIVERY_FAILED)
		return;
	log_end(t);
	count_end(t);
	media_post_finished(t);
}

void task_dispose(struct delivery_task *t)
{
	struct arena *arena = t->arena;
	t->deliverer->task_count--;
	free(t);
	arena_free(&arena);
}

static void delivery_free(struct task *task)
{
	struct delivery_task *t = (struct delivery_task *)task;
	media_task_gone(t);
	capacity_leave(t);
	task_dispose(t);
}

static const struct task_ops delivery_ops = {
	.plan = delivery_plan,
	.save = delivery_save,
	.save_end = delivery_save_end,
	.saved = delivery_saved,
	.free = delivery_free,
};

/* A world that nobody read from the app's row has no time scale: then no call may be made. */
static enum transfer_reach reach_of(const struct app_world *world)
{
	if (world->time_scale < 1)
		return TRANSFER_NOWHERE;
	return world->is_test ? TRANSFER_TEST : TRANSFER_REAL;
}

struct delivery_task *delivery_task_new(struct deliverer *deliverer,
					const struct delivery_work *work)
{
	struct delivery_task *t = calloc(1, sizeof(*t));
	if (t == NULL)
		abort(); /* as arena_alloc: without memory for a small object the program ends */
	t->task.ops = &delivery_ops;
	t->deliverer = deliverer;
	deliverer->task_count++;
	t->arena = arena_new("delivery", TASK_ARENA_MAX_BYTES);
	t->work = *work;
	copy_work(t->arena, &t->work);
	t->task.scopes = &t->work.app_id;
	t->task.scope_count = 1;
	t->task.reach = reach_of(&work->world);
	t->task.test_app_id = t->work.app_id;
	t->task.platform = work->account.platform;
	t->platform = platform_of(work->account.platform);
	t->save = (struct delivery_save){
		.id = t->work.id,
		.fence = work->fence,
		.call_state = work->call_state,
		.call_started_at_us = work->call_started_at_us,
		.looks = work->looks,
		.republished = work->republished,
		.attempts = work->attempts,
		.work = &t->work,
	};
	return t;
}
