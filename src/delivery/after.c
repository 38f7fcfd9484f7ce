/* SPDX-License-Identifier: Apache-2.0
 * The engine's source of what is done for deliveries after their end, and one such row as its task:
 * published posts are taken back, ids that a platform tells later are looked for. It claims, has
 * talk.c carry it out, and writes what came of it. It claims before deliveries do, so that an
 * account with a long line of posts cannot hold it up for ever. */
#include "delivery_private.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "store_late_id.h"
#include "store_removal.h"

#define CLAIM_ARENA_MAX_BYTES ((size_t)64 << 20)
#define CLAIM_MAX 16 /* of each kind */
#define AT_WORK_MAX 64
/* as a delivery's: longer than a plain call */
#define FIRST_LEASE_US (120 * US_PER_S)
/* what could not be claimed for want of room is looked at again */
#define ROOM_POLL_US (250 * US_PER_MS)

struct claimed {
	struct after_work *work;
	size_t count;
};

struct after {
	struct deliverer *deliverer;
	struct arena *claim_arena; /* of the last claim's rows */
	struct claimed claimed[AFTER_KIND_COUNT];
	int64_t due_us;       /* when there will be something to claim; 0 = nothing is known of */
	atomic_bool is_asked; /* somebody asked for a removal since that was looked up */
	size_t at_work;
};

/* ---- one of them ---- */

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
	if (t->is_removal)
		removal_turn_ends(t);
	else
		late_id_turn_ends(t);
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
	if (kind != ERR_NONE)
		return kind;
	return t->is_removal ? store_removal_save(tx, &t->save, t->removal.is_unsupported, err)
			     : store_late_id_save(tx, &t->save, err);
}

static void log_late_id_end(const struct delivery_task *t)
{
	if (t->save.next == DELIVERY_PUBLISHED)
		record_log(t, LOG_INFO,
			   str_is_empty(t->save.remote_id) ? "post_id_given_up" : "post_id_found",
			   NULL, 0);
}

static void log_removal_end(const struct delivery_task *t)
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
		record_log(t, LOG_WARN, t->is_removal ? "removal_lease_lost" : "post_id_lease_lost",
			   NULL, 0);
		return;
	}
	account_token_saved(t);
	task_keep_refresh_single(t);
	if (t->is_removal)
		log_removal_end(t);
	else
		log_late_id_end(t);
}

static void release(struct task *task)
{
	struct delivery_task *t = (struct delivery_task *)task;
	struct after *after = t->deliverer->after;
	capacity_leave(t);
	after->at_work--;
	after->is_asked = true; /* there may be room for another, or for this one again */
	task_dispose(t);
}

static const struct task_ops after_ops = {
	.plan = plan, .save = save, .saved = saved, .free = release};

static void begin(struct after *after, const struct after_work *row)
{
	struct delivery_task *t = delivery_task_new(after->deliverer, &row->delivery);
	t->task.ops = &after_ops;
	t->is_removal = row->kind == AFTER_REMOVAL;
	t->is_late_id = row->kind == AFTER_LATE_ID;
	t->late_id_until_us = row->until_us;
	t->removal = (struct delivery_removal){
		.is_new = row->is_new,
		.is_call_open = row->is_call_open,
		.parts = str_copy(t->arena, row->parts),
		.since_us = row->post_created_at_us,
	};
	after->at_work++;
	engine_task_start(after->deliverer->config.engine, &t->task);
}

/* ---- the source ---- */

static bool may_claim(const struct after *after)
{
	const struct deliverer_config *config = &after->deliverer->config;
	const bool is_due = after->due_us != 0 && after->due_us <= clock_now_us(config->clock);
	return (after->is_asked || is_due) && after->at_work < AT_WORK_MAX &&
	       (config->has_disk_room == NULL || config->has_disk_room(config->disk_context));
}

static void forget_claimed(struct after *after)
{
	memset(after->claimed, 0, sizeof(after->claimed));
	arena_clear(after->claim_arena);
}

static enum err_kind source_claim(void *context, void *tx, size_t max, struct error *err)
{
	struct after *after = context;
	enum err_kind kind = ERR_NONE;
	forget_claimed(after);
	if (!may_claim(after))
		return ERR_NONE;
	struct after_claim claim = {.now_us = clock_now_us(after->deliverer->config.clock),
				    .lease_us = FIRST_LEASE_US,
				    .max = max < CLAIM_MAX ? max : CLAIM_MAX};
	for (int i = 0; i < AFTER_KIND_COUNT && claim.max > 0 && kind == ERR_NONE; i++) {
		struct claimed *claimed = &after->claimed[i];
		claim.kind = (enum after_kind)i;
		kind = store_after_claim(tx, after->claim_arena, &claim, &claimed->work,
					 &claimed->count, err);
		claim.max -= claimed->count;
	}
	return kind;
}

static size_t source_claimed(void *context)
{
	struct after *after = context;
	size_t count = 0;
	for (int i = 0; i < AFTER_KIND_COUNT; i++) {
		for (size_t j = 0; j < after->claimed[i].count; j++, count++)
			begin(after, &after->claimed[i].work[j]);
	}
	forget_claimed(after);
	return count;
}

static int64_t source_next_due_us(void *context)
{
	struct after *after = context;
	const struct deliverer_config *config = &after->deliverer->config;
	const int64_t poll_us = clock_now_us(config->clock) + ROOM_POLL_US / config->time_scale;
	struct error err = {0};
	after->is_asked = false;
	if (store_after_next_due(config->store, &after->due_us, &err) != ERR_NONE) {
		LOG(config->log, WARN, "next_after_unknown", log_str("error", str_of(err.text)));
		after->is_asked = true;
		return 0; /* the engine asks again after its idle poll */
	}
	if (after->due_us == 0 || after->due_us > poll_us)
		return after->due_us;
	return poll_us;
}

struct after *after_new(struct deliverer *deliverer)
{
	struct after *after = calloc(1, sizeof(*after));
	if (after == NULL)
		abort(); /* as arena_alloc: without memory for a small object the program ends */
	after->deliverer = deliverer;
	after->claim_arena = arena_new("after claim", CLAIM_ARENA_MAX_BYTES);
	after->is_asked = true;
	const struct task_source source = {
		.claim = source_claim,
		.claimed = source_claimed,
		.next_due_us = source_next_due_us,
		.context = after,
	};
	engine_add_source(deliverer->config.engine, &source);
	return after;
}

void after_free(struct after **after_pointer)
{
	struct after *after = *after_pointer;
	arena_free(&after->claim_arena);
	free(after);
	*after_pointer = NULL;
}

void after_ask(struct after *after)
{
	after->is_asked = true;
}
