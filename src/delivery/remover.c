/* SPDX-License-Identifier: Apache-2.0
 * The engine's source of removals, and one removal as its task: claims what a person asked to take
 * back, has talk.c carry it out, and writes what came of it. It claims before deliveries do, so
 * that an account with a long line of posts cannot hold its removals up for ever. */
#include "delivery_private.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "store_removal.h"

#define CLAIM_ARENA_MAX_BYTES ((size_t)64 << 20)
#define CLAIM_MAX 16
#define REMOVALS_AT_WORK_MAX 64
/* as a delivery's: longer than a plain call */
#define FIRST_LEASE_US (120 * US_PER_S)
/* what could not be claimed for want of room is looked at again */
#define ROOM_POLL_US (250 * US_PER_MS)

struct remover {
	struct deliverer *deliverer;
	struct arena *claim_arena; /* of the last claim's rows */
	struct removal_work *claimed;
	size_t claimed_count;
	int64_t due_us;       /* when there will be something to claim; 0 = nothing is known of */
	atomic_bool is_asked; /* somebody asked for a removal since that was looked up */
	size_t at_work;
};

/* ---- one removal ---- */

static void plan(struct task *task, struct arena *arena, const struct task_event *event,
		 struct task_plan *out)
{
	struct delivery_task *t = (struct delivery_task *)task;
	task_turn_begins(t, arena, out, event);
	task_announce(t, &t->work);
	if (event->kind == TASK_EVENT_START)
		talk_start(t);
	else if (event->kind == TASK_EVENT_REPLY)
		talk_reply(t, event);
	else
		talk_go_on(t);
	removal_turn_ends(t);
	t->save.now_us = t->env.now_us;
	t->save.timeline = t->turn.timeline;
	t->save.timeline_count = t->turn.timeline_count;
	t->save.flow = t->is_unreadable ? t->work.flow : flow_write(t->turn.arena, &t->flow);
	capacity_turn_ends(t);
	task_announce(t, NULL);
}

static enum err_kind save(struct task *task, void *tx, struct error *err)
{
	struct delivery_task *t = (struct delivery_task *)task;
	const enum err_kind kind = account_token_save(t, tx, err);
	return kind == ERR_NONE ? store_removal_save(tx, &t->save, t->removal.is_unsupported, err)
				: kind;
}

static void log_end(const struct delivery_task *t)
{
	const struct log_field code =
		log_str("code", str_of(failure_code_name(t->turn.failure.code)));
	if (t->save.next == DELIVERY_PUBLISHED)
		record_log(t, LOG_INFO, "post_removed", NULL, 0);
	else if (t->save.next == DELIVERY_FAILED || t->save.next == DELIVERY_PARTIAL)
		record_log(t, LOG_WARN, "removal_failed", &code, 1);
}

static void saved(struct task *task, enum err_kind kind)
{
	struct delivery_task *t = (struct delivery_task *)task;
	const struct deliverer_config *config = &t->deliverer->config;
	if (!str_is_empty(t->other_key_why) && config->key_is_other != NULL)
		config->key_is_other(config->key_context, t->other_key_why);
	if (kind != ERR_NONE) {
		record_log(t, LOG_WARN, "removal_lease_lost", NULL, 0);
		return;
	}
	account_token_saved(t);
	task_keep_refresh_single(t);
	log_end(t);
}

static void release(struct task *task)
{
	struct delivery_task *t = (struct delivery_task *)task;
	struct remover *remover = t->deliverer->remover;
	capacity_leave(t);
	remover->at_work--;
	remover->is_asked = true; /* there may be room for another, or for this one again */
	task_dispose(t);
}

static const struct task_ops removal_ops = {
	.plan = plan, .save = save, .saved = saved, .free = release};

static void begin(struct remover *remover, const struct removal_work *removal)
{
	struct delivery_task *t = delivery_task_new(remover->deliverer, &removal->delivery);
	t->task.ops = &removal_ops;
	t->is_removal = true;
	t->removal = (struct delivery_removal){
		.is_new = removal->is_new,
		.is_call_open = removal->is_call_open,
		.parts = str_copy(t->arena, removal->parts),
		.since_us = removal->post_created_at_us,
	};
	remover->at_work++;
	engine_task_start(remover->deliverer->config.engine, &t->task);
}

/* ---- the source ---- */

static bool may_claim(const struct remover *remover)
{
	const struct deliverer_config *config = &remover->deliverer->config;
	const bool is_due = remover->due_us != 0 && remover->due_us <= clock_now_us(config->clock);
	return (remover->is_asked || is_due) && remover->at_work < REMOVALS_AT_WORK_MAX &&
	       (config->has_disk_room == NULL || config->has_disk_room(config->disk_context));
}

static enum err_kind source_claim(void *context, void *tx, size_t max, struct error *err)
{
	struct remover *remover = context;
	arena_clear(remover->claim_arena);
	remover->claimed_count = 0;
	if (!may_claim(remover))
		return ERR_NONE;
	const struct removal_claim claim = {.now_us =
						    clock_now_us(remover->deliverer->config.clock),
					    .lease_us = FIRST_LEASE_US,
					    .max = max < CLAIM_MAX ? max : CLAIM_MAX};
	return store_removal_claim(tx, remover->claim_arena, &claim, &remover->claimed,
				   &remover->claimed_count, err);
}

static size_t source_claimed(void *context)
{
	struct remover *remover = context;
	const size_t count = remover->claimed_count;
	for (size_t i = 0; i < count; i++)
		begin(remover, &remover->claimed[i]);
	remover->claimed_count = 0;
	arena_clear(remover->claim_arena);
	return count;
}

static int64_t source_next_due_us(void *context)
{
	struct remover *remover = context;
	const struct deliverer_config *config = &remover->deliverer->config;
	const int64_t poll_us = clock_now_us(config->clock) + ROOM_POLL_US / config->time_scale;
	struct error err = {0};
	remover->is_asked = false;
	if (store_removal_next_due(config->store, &remover->due_us, &err) != ERR_NONE) {
		LOG(config->log, WARN, "next_removal_unknown", log_str("error", str_of(err.text)));
		remover->is_asked = true;
		return 0; /* the engine asks again after its idle poll */
	}
	if (remover->due_us == 0 || remover->due_us > poll_us)
		return remover->due_us;
	return poll_us;
}

struct remover *remover_new(struct deliverer *deliverer)
{
	struct remover *remover = calloc(1, sizeof(*remover));
	if (remover == NULL)
		abort(); /* as arena_alloc: without memory for a small object the program ends */
	remover->deliverer = deliverer;
	remover->claim_arena = arena_new("removal claim", CLAIM_ARENA_MAX_BYTES);
	remover->is_asked = true;
	const struct task_source source = {
		.claim = source_claim,
		.claimed = source_claimed,
		.next_due_us = source_next_due_us,
		.context = remover,
	};
	engine_add_source(deliverer->config.engine, &source);
	return remover;
}

void remover_free(struct remover **remover_pointer)
{
	struct remover *remover = *remover_pointer;
	arena_free(&remover->claim_arena);
	free(remover);
	*remover_pointer = NULL;
}

void remover_ask(struct remover *remover)
{
	remover->is_asked = true;
}
