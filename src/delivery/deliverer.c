/* SPDX-License-Identifier: Apache-2.0
 * The engine's source of deliveries: claims due rows inside the engine's turn and makes tasks of
 * them. */
#include "delivery_private.h"

#include <stdlib.h>

#include "store_pause.h"

#include "media_bring.h"

#include "fetch_share.h"
#include "policy.h"

#define CLAIM_ARENA_MAX_BYTES ((size_t)256 << 20)
/* the gate reopens by itself, without a wake-up */
/* A film takes two threads of the processor, and up to a gigabyte. */
#define PICTURES_AT_ONCE 2
#define FILMS_AT_ONCE 2
#define CAPACITY_POLL_US (250 * US_PER_MS)
/* as long as a plain call's, with a margin: the save before it need not make it longer */
#define FIRST_LEASE_US (120 * US_PER_S)
/* Fewer than the engine's tasks (service.c), so that webhooks and connections always find room. */
#define DELIVERIES_AT_WORK_MAX 1024

/* The outcome of a publish call has to be written down: none is begun on a disk that is nearly full
 * (rules.md 2.2 rule 1). */
static bool has_disk_room(const struct deliverer *deliverer)
{
	const struct deliverer_config *config = &deliverer->config;
	return config->has_disk_room == NULL || config->has_disk_room(config->disk_context);
}

static enum err_kind claim(struct deliverer *deliverer, void *tx, size_t max, struct error *err)
{
	arena_clear(deliverer->claim_arena);
	deliverer->claimed_count = 0;
	deliverer->takes_all = false;
	const int64_t at_work = deliverer->task_count;
	deliverer->is_capacity_short =
		!has_disk_room(deliverer) || at_work >= DELIVERIES_AT_WORK_MAX;
	if (deliverer->is_capacity_short)
		return ERR_NONE;
	const size_t room = (size_t)(DELIVERIES_AT_WORK_MAX - at_work);
	const int64_t now_us = clock_now_us(deliverer->config.clock);
	const struct delivery_claim wish = {.now_us = now_us,
					    .lease_us = FIRST_LEASE_US,
					    .max = max < room ? max : room,
					    .slots = capacity_for_claim,
					    .shared_slots = capacity_shared_for_claim,
					    .context = deliverer,
					    .gives_up = capacity_is_hopeless,
					    .overdue_us = now_us - POLICY_PATIENCE_US,
					    .leaves_rows = deliverer->is_row_left,
					    /* the engine splits a turn after one that failed */
					    .isolates = !deliverer->is_row_left,
					    .takes_all = &deliverer->takes_all};
	return store_delivery_claim(tx, deliverer->claim_arena, &wish, &deliverer->claimed,
				    &deliverer->claimed_count, err);
}

static enum err_kind source_claim(void *context, void *tx, size_t max, struct error *err)
{
	struct deliverer *deliverer = context;
	deliverer->is_row_left = false;
	return claim(deliverer, tx, max, err);
}

static enum err_kind source_claim_begun(void *context, void *tx, size_t max, struct error *err)
{
	struct deliverer *deliverer = context;
	deliverer->is_row_left = true;
	return claim(deliverer, tx, max, err);
}

static size_t source_claimed(void *context)
{
	struct deliverer *deliverer = context;
	const size_t count = deliverer->claimed_count;
	for (size_t i = 0; i < count; i++) {
		int64_t wait_us = 0;
		struct delivery_task *t = delivery_task_new(deliverer, &deliverer->claimed[i]);
		t->save.is_first = deliverer->is_row_left;
		capacity_take(t, &wait_us); /* it asks again before its call */
		engine_task_start(deliverer->config.engine, &t->task);
	}
	deliverer->claimed_count = 0;
	/* the tasks have copies; an idle service keeps no content in memory */
	arena_clear(deliverer->claim_arena);
	return count;
}

/* Posts for at once that were accepted under a wrong time must not wait for it. */
static void mend_due(struct deliverer *deliverer)
{
	const struct deliverer_config *config = &deliverer->config;
	struct error err = {0};
	int64_t count = 0;
	if (store_delivery_mend_due(config->store, clock_now_us(config->clock),
				    !deliverer->is_due_mended, &count, &err) == ERR_NONE)
		deliverer->is_due_mended = true;
	else
		LOG(config->log, WARN, "due_not_mended", log_str("error", str_of(err.text)));
	if (count > 0)
		LOG(config->log, WARN, "accepted_under_a_wrong_clock",
		    log_int("deliveries", count));
}

/* Counters that lists go by: wrong ones hold nothing up, and are counted again here. */
static void mend_counters(struct deliverer *deliverer)
{
	const struct deliverer_config *config = &deliverer->config;
	struct error err = {0};
	bool is_mended = false;
	if (store_counters_mend(config->store, !deliverer->is_due_mended, &is_mended, &err) !=
	    ERR_NONE)
		LOG(config->log, WARN, "counters_not_mended", log_str("error", str_of(err.text)));
	else if (is_mended)
		LOG(config->log, WARN, "counters_mended", log_str("by", STR("counting again")));
}

static bool has_pauses(const struct deliverer *deliverer)
{
	struct error err = {0};
	int64_t count = 0;
	return store_pause_count(deliverer->config.store, &count, &err) == ERR_NONE && count > 0;
}

/* What is paused is due all the same, and claims pass over it: when the rest is due costs a look at
 * every account, so a busy deliverer polls, and only one at rest asks. Returns 0 when there is no
 * rest: a new post and the end of a pause wake the engine. */
static int64_t due_beside_pauses_us(struct deliverer *deliverer, int64_t due_us)
{
	const struct deliverer_config *config = &deliverer->config;
	const int64_t now_us = clock_now_us(config->clock);
	const int64_t boot_us = clock_boot_us(config->clock);
	const int64_t poll_us = CAPACITY_POLL_US / config->time_scale;
	const int64_t asked_us = deliverer->beside_pauses_boot_us;
	struct error err = {0};
	if (due_us > now_us || !has_pauses(deliverer))
		return due_us;
	if (boot_us < asked_us + poll_us)
		return now_us + asked_us + poll_us - boot_us;
	deliverer->beside_pauses_boot_us = boot_us;
	if (store_pause_next_due(config->store, &due_us, &err) != ERR_NONE)
		return now_us + poll_us;
	return due_us;
}

/* Asked once the claim is durable. */
static int64_t source_next_due_us(void *context)
{
	struct deliverer *deliverer = context;
	mend_counters(deliverer);
	mend_due(deliverer);
	int64_t due_us = 0;
	struct error err = {0};
	alarm_note_version_ends(deliverer);
	if (deliverer->takes_all)
		deliverer->took_all_boot_us = clock_boot_us(deliverer->config.clock);
	if (store_delivery_next_due(deliverer->config.store, &due_us, &err) != ERR_NONE) {
		LOG(deliverer->config.log, WARN, "next_due_unknown",
		    log_str("error", str_of(err.text)));
		return 0; /* the engine asks again after its idle poll */
	}
	if (due_us != 0)
		due_us = due_beside_pauses_us(deliverer, due_us);
	if (!deliverer->is_capacity_short)
		return due_us;
	/* Due work found no room: do not claim again at once. */
	const int64_t poll_us = clock_now_us(deliverer->config.clock) +
				CAPACITY_POLL_US / deliverer->config.time_scale;
	return due_us > poll_us ? due_us : poll_us;
}

enum err_kind deliverer_new(const struct deliverer_config *config, struct deliverer **deliverer_out,
			    struct error *err)
{
	struct deliverer *deliverer = calloc(1, sizeof(*deliverer));
	if (deliverer == NULL)
		return error_set(err, ERR_INTERNAL, "no memory for the deliverer");
	deliverer->config = *config;
	if (deliverer->config.time_scale < 1)
		deliverer->config.time_scale = 1;
	const struct gate_config gate = {.log = config->log,
					 .time_scale = deliverer->config.time_scale};
	deliverer->gate = gate_new(&gate);
	deliverer->fetch_share = fetch_share_new();
	deliverer->fitter = fitter_new(&config->fit, PICTURES_AT_ONCE);
	deliverer->filmer = fitter_new(&config->fit, FILMS_AT_ONCE);
	if (config->media_files != NULL)
		deliverer->bringer = media_bringer_new(config->media_files);
	deliverer->took_all_boot_us = clock_boot_us(config->clock);
	deliverer->claim_arena = arena_new("delivery claim", CLAIM_ARENA_MAX_BYTES);
	const struct task_source source = {
		.claim = source_claim,
		.claimed = source_claimed,
		.next_due_us = source_next_due_us,
		.context = deliverer,
		.claim_begun = source_claim_begun,
	};
	deliverer->after = after_new(deliverer);
	engine_add_source(config->engine, &source);
	alarm_forget_all(deliverer);
	spool_sweep(config->spool, media_key_is_needed, deliverer);
	*deliverer_out = deliverer;
	return ERR_NONE;
}

void deliverer_free(struct deliverer **deliverer_pointer)
{
	struct deliverer *deliverer = *deliverer_pointer;
	if (deliverer == NULL)
		return;
	after_free(&deliverer->after);
	arena_free(&deliverer->claim_arena);
	gate_free(&deliverer->gate);
	fetch_share_free(&deliverer->fetch_share);
	fitter_free(&deliverer->fitter);
	fitter_free(&deliverer->filmer);
	media_bringer_free(&deliverer->bringer);
	free(deliverer);
	*deliverer_pointer = NULL;
}

int64_t deliverer_in_flight(const struct deliverer *deliverer)
{
	return deliverer->task_count;
}

const struct histogram *deliverer_lateness(const struct deliverer *deliverer,
					   enum platform_id platform)
{
	return &deliverer->lateness[platform - 1];
}

bool deliverer_is_idle(const struct deliverer *deliverer)
{
	return deliverer->config.is_idle;
}

int64_t deliverer_behind_us(const struct deliverer *deliverer)
{
	return clock_boot_us(deliverer->config.clock) - deliverer->took_all_boot_us;
}

struct gate_closing deliverer_closing_of(const struct deliverer *deliverer,
					 enum platform_id platform, struct str app_id)
{
	const struct gate_closing closing = gate_closing_of(deliverer->gate, platform, app_id,
							    clock_boot_us(deliverer->config.clock));
	if (closing.reason == GATE_OPEN && fetch_share_room(deliverer->fetch_share, app_id) == 0)
		return (struct gate_closing){.reason = GATE_MEDIA_LIMIT};
	return closing;
}

bool deliverer_fitting_of(const struct deliverer *deliverer, struct str delivery_id,
			  struct fitter_progress *out)
{
	return fitter_find(deliverer->filmer, delivery_id, out);
}

void deliverer_wake(struct deliverer *deliverer)
{
	engine_wake(deliverer->config.engine);
}

void deliverer_wake_for(struct deliverer *deliverer, int64_t due_us)
{
	engine_wake_for(deliverer->config.engine, due_us);
}

void deliverer_wake_removals(struct deliverer *deliverer)
{
	after_ask(deliverer->after);
	engine_wake(deliverer->config.engine);
}
