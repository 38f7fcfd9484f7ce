/* SPDX-License-Identifier: Apache-2.0
 * Shared by the files of delivery/: one delivery at work, and the few functions by which its files call each other. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "clock.h"
#include "log.h"
#include "random.h"

#include "post.h"

#include "platform.h"

#include "store.h"
#include "store_delivery.h"

#include "spool.h"

#include "engine.h"

#include "delivery.h"

#define TASK_ARENA_MAX_BYTES ((size_t)16 << 20)
#define TIMELINE_PER_TURN_MAX 4
#define LEASE_MARGIN_US (60 * US_PER_S) /* a lease outlives its call by this much (RELIABILITY.md 2.2 rule 1) */

/* What the delivery is busy with; each has its own conversation with the adapter. */
enum course_mode { COURSE_PUBLISH, COURSE_REFRESH, COURSE_RESOLVE, COURSE_MODE_COUNT };

struct delivery_task {
	struct task task; /* first: the engine's handle */
	struct deliverer *deliverer;
	struct delivery_task *next_fetching; /* deliverer->fetching */
	struct arena *arena;                 /* as long as the task */
	struct delivery_work work;
	const struct platform *platform;

	struct post_content content;
	struct env env;              /* arena and now_us are set anew for every step */
	struct flow flow;            /* publish and resolve */
	struct flow refresh_flow;
	enum course_mode mode;
	enum course_mode mode_after_refresh;
	bool has_refreshed;          /* once per claim: a second refusal of a fresh token means reconnect */

	struct media_file *media;    /* by flat index */
	char **media_paths;
	size_t media_count;
	struct str fetch_key;        /* the file being fetched; empty = none */
	size_t fetch_index;
	int64_t fetch_until_us;      /* the fetch's own end */

	/* The call under way, for the timeline. */
	struct str call_stage;
	const char *call_method;
	struct str call_host_path;
	enum call_kind call_kind;

	/* This turn's decision. */
	struct arena *turn_arena;
	struct task_plan *plan;
	struct delivery_save save;
	struct failure failure;
	struct timeline_entry timeline[TIMELINE_PER_TURN_MAX];
	size_t timeline_count;
	bool is_unreadable;          /* what is stored could not be read, and stays as it is */
	bool is_woken;               /* the event is the end of a sleep */
	bool is_quiet;               /* nothing changed: nothing to write */
	int64_t held_until_us;       /* the lease as it was last written */
	bool has_new_token;
	bool is_token_saved;
	struct str new_access_token_sealed;
	struct str new_refresh_token_sealed;
	int64_t new_expires_at_us;
	int64_t new_refresh_expires_at_us;
	bool has_new_account_state;
	enum account_state new_account_state;
	struct str new_account_error;
};

struct deliverer {
	struct deliverer_config config;
	struct arena *claim_arena;       /* of the last claim's rows */
	struct delivery_work *claimed;
	size_t claimed_count;
	struct delivery_task *fetching;  /* tasks whose media fetch is under way */
};

/* task.c */
extern const struct task_ops delivery_task_ops;
struct delivery_task *delivery_task_new(struct deliverer *deliverer, const struct delivery_work *work);
/* Asks the adapter (reply NULL) or hands it a reply, until something is planned. */
void course_run(struct delivery_task *t, const struct reply *reply);
void course_finish_failed(struct delivery_task *t, const struct failure *failure);
void course_retry(struct delivery_task *t, const struct failure *failure, int64_t wait_ms, int attempts);
/* A transient, rate limited or final failure of the publish conversation: decides which. */
void course_failed(struct delivery_task *t, const struct failure *failure);
/* Gives the lease back until then; the account stays busy. */
void course_wait(struct delivery_task *t, int64_t wait_ms);
int64_t course_scaled_ms(const struct delivery_task *t, int64_t wait_ms);
/* A stopping service begins nothing new: true when the delivery was given back as it stands. */
bool course_gives_back(struct delivery_task *t);
/* The platform refused the account's token for good: true when the account's row now says so; false when it was connected again
 * (or disconnected) meanwhile, so that what was refused is not what it has. */
bool course_flag_account(struct delivery_task *t, struct str why);

/* resolve.c */
/* The open publish call's outcome is not known: the first look is planned. */
void doubt_begin(struct delivery_task *t);
/* Ends the delivery as failed with OUTCOME_UNKNOWN; true. */
bool doubt_tell_unknown(struct delivery_task *t);
/* Takes a step of the resolve conversation; true when something is planned, false to ask again. */
bool doubt_take_step(struct delivery_task *t, const struct step *step);

/* media.c */
/* Media index is wanted on disk: true when a fetch is planned (or the delivery failed), false when it is there already. */
bool media_want(struct delivery_task *t, size_t index);
void media_fetched(struct delivery_task *t, const struct transfer_result *result);
void media_task_gone(struct delivery_task *t);
void media_post_finished(struct delivery_task *t);
bool media_key_is_needed(void *context, struct str key);

/* record.c */
void record_call_begins(struct delivery_task *t, const struct call *call);
void record_call_ended(struct delivery_task *t, const struct task_event *event);
void record_decision(struct delivery_task *t, struct str decision);
/* The adapter knows better than the status what the call came to. */
void record_verdict(struct delivery_task *t, struct str verdict);
/* A platform's id or address, as far as it is stored. */
struct str record_id(struct str id);
struct str record_parts(const struct delivery_task *t, bool is_failed);
