/* SPDX-License-Identifier: Apache-2.0
 * Data shared by the files of delivery/: one delivery at work, cut by the file that writes each
 * part, and what all deliveries share. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "clock.h"
#include "histogram.h"
#include "log.h"
#include "random.h"

#include "post.h"

#include "platform.h"

#include "store.h"
#include "store_delivery.h"

#include "spool.h"

#include "engine.h"

#include "delivery.h"
#include "gate.h"

#define TASK_ARENA_MAX_BYTES ((size_t)16 << 20)
#define TIMELINE_PER_TURN_MAX 4

/* ---- our own variables in a delivery's flow; the names are stored ---- */

/* Since when the publish call's outcome is unknown: the time before is the call's own, the time
 * after is ours. */
#define FLOW_UNCERTAIN_US "delivery.doubt_us"
/* why the platform refused the last probe */
#define FLOW_PROBE_REFUSED "delivery.look_refused"
#define FLOW_PROBES_FAILED "delivery.looks_failed"
/* since when the platform could not be asked about the call */
#define FLOW_PROBING_SINCE_US "delivery.looking_since_us"
/* The part that ended as OUTCOME_UNKNOWN last, counted from 1: what a later call proves is proof of
 * that call alone. */
#define FLOW_WAS_UNKNOWN "delivery.was_unknown"
#define FLOW_LIMITED_SINCE_US "delivery.limited_since_us"
#define FLOW_LIMITS_MET "delivery.limits_met"
#define FLOW_CLOCK_AHEAD_US "delivery.clock_ahead_us"
#define FLOW_REFRESH_LOST "delivery.refresh_lost"
/* with a limit on lateness: when it was to begin, and whether a call has begun */
#define FLOW_TIME_US "delivery.time_us"
#define FLOW_HAS_BEGUN "delivery.has_begun"

/* ---- one delivery at work ---- */

/* Which conversation with the adapter is under way. */
enum delivery_mode {
	MODE_PUBLISH,
	MODE_REFRESH,    /* of the account's access token; the others go on after it */
	MODE_RESOLVE,    /* what became of a publish call? */
	MODE_HOLD_PROBE, /* was a part that is held after a restore published? */
	MODE_REMOVE,     /* a published post is taken back */
	MODE_LATE_ID,    /* which id has a post that is out? */
	MODE_COUNT
};

/* The call under way, for the timeline. */
struct delivery_call {
	struct str stage;
	const char *method;
	struct str host_path;
	enum call_kind kind;
	int64_t planned_at_us;
	struct str request; /* JSON, of a recorded post; else empty */
};

/* Written by media.c. Indexes are flat: the post's own files, then up to ENV_FILES_MAX further
 * ones. */
struct delivery_media {
	struct media_file *files;
	char **paths;
	size_t count; /* of the post's own */
	struct str urls[ENV_FILES_MAX];
	struct delivery_task *next_fetching; /* deliverer->fetching */
	bool has_share;                      /* it counts in deliverer->fetch_share */
	struct str fetch_key;                /* the file being fetched; empty = none */
	size_t fetch_index;
	bool fetch_is_optional;
	int64_t fetch_until_us; /* when the fetch ends at the latest */
};

/* Written by account_token.c. */
struct delivery_token {
	struct flow flow; /* the refresh's own */
	bool is_refreshing;
	bool has_refreshed; /* once per claim: a second refusal of a fresh token means reconnect */
	bool was_refused;   /* the platform refused it: nothing goes on with it */
	/* This turn's: a new pair, sealed, and the account's new state. */
	bool has_new;
	bool is_saved;
	struct str access_sealed;
	struct str refresh_sealed;
	int64_t expires_at_us;
	int64_t refresh_expires_at_us;
	bool has_new_state;
	enum account_state new_state;
	struct str new_error;
};

/* Written by hold.c. */
struct delivery_hold {
	bool is_probing;
	struct str flow; /* while probing: the flow as the row has it */
	struct str flow_secrets;
	bool was_looking; /* HOLD_LOOKING, until a part was found */
	bool has_new_state;
	enum hold_state new_state;
};

/* Of a removal; written by removal.c once it is claimed. */
struct delivery_removal {
	bool is_new;       /* its flow is still the delivery's */
	bool is_call_open; /* as claimed: nobody wrote down what came of a deletion */
	struct str parts;  /* the delivery's */
	int64_t since_us;  /* when the post was accepted */
	bool is_unsupported;
};

/* Written by capacity.c. */
struct delivery_capacity {
	bool is_in_gate;
	bool has_outcome; /* a call has come back */
	enum gate_outcome outcome;
	int64_t retry_after_us;
};

/* This turn only. */
struct delivery_turn {
	struct arena *arena;
	struct task_plan *plan;
	struct failure failure; /* save.failure points to it */
	struct timeline_entry timeline[TIMELINE_PER_TURN_MAX];
	size_t timeline_count;
	bool is_woken;      /* the event is the end of a sleep */
	bool is_quiet;      /* nothing changed: nothing to write */
	bool has_new_extra; /* the account's extra is replaced */
	struct str new_extra;
};

struct delivery_task {
	struct task task; /* first: the engine's handle */
	struct deliverer *deliverer;
	struct arena *arena; /* as long as the task */
	const struct platform *platform;

	struct delivery_work work;      /* as claimed */
	struct delivery_save save;      /* as it will be written; what comes next is verdict.c's */
	struct delivery_saving *saving; /* begun in this turn's transaction; NULL = none */
	int64_t held_until_us;          /* the lease as it was last written */
	bool is_unreadable;             /* what is stored was not read, and stays as it is */
	struct str other_key_why;       /* another master key sealed it; else empty */
	bool is_retried_by_person; /* what earlier tries found out about files does not count */
	bool is_removal; /* work is of a published delivery, fence and flow are the removal's */
	bool is_late_id; /* work is of a published delivery, fence and looks are the late id's */
	int64_t late_id_until_us; /* when it is given up */
	int64_t unknown_part;     /* FLOW_WAS_UNKNOWN, 0 = none; outlives a part begun again */

	struct post_content content;
	struct env env; /* arena and now_us are set for every step */
	struct flow flow;

	struct delivery_call call;
	struct delivery_media media;
	struct delivery_token token;
	struct delivery_hold hold;
	struct delivery_capacity capacity;
	struct delivery_removal removal;
	struct delivery_turn turn;
};

/* Nobody writes the mode: it follows from five facts, each with one writer. */
static inline enum delivery_mode delivery_mode(const struct delivery_task *t)
{
	if (t->token.is_refreshing)
		return MODE_REFRESH;
	if (t->is_removal)
		return MODE_REMOVE;
	if (t->is_late_id)
		return MODE_LATE_ID;
	if (t->hold.is_probing)
		return MODE_HOLD_PROBE;
	return t->save.call_state == CALL_STATE_IN_DOUBT ? MODE_RESOLVE : MODE_PUBLISH;
}

/* ---- all deliveries ---- */

#define FAILED_FETCHES_MAX 64 /* the oldest gives way; its file is fetched again */
#define MEDIA_KEY_MAX_BYTES 100

/* A fetch that failed: for a while, all deliveries of the post get this answer. */
struct failed_fetch {
	char key[MEDIA_KEY_MAX_BYTES];
	char why[256]; /* as struct error has it */
	enum failure_class class;
	int64_t until_boot_us; /* 0 = free */
};

struct deliverer {
	struct deliverer_config config;
	struct arena *claim_arena; /* of the last claim's rows */
	struct delivery_work *claimed;
	size_t claimed_count;
	struct delivery_task *fetching; /* tasks whose media fetch is under way */
	struct failed_fetch failed_fetches[FAILED_FETCHES_MAX];
	size_t failed_fetch_next;
	struct gate *gate;
	struct fetch_share *fetch_share;
	struct fitter *fitter; /* of pictures */
	struct fitter *filmer;
	struct media_bringer *bringer; /* NULL: there is no bucket */
	struct after *after;
	bool is_capacity_short; /* the last claim passed over work for which there is no room */
	bool is_due_mended;     /* once in this run */
	int64_t beside_pauses_boot_us;    /* when it was asked what is due and not paused */
	bool is_row_left;                 /* the last claim left the rows to their first saves */
	bool takes_all;                   /* the last claim took all that was due and had room */
	_Atomic int64_t took_all_boot_us; /* the last such claim, once it was durable */
	int64_t alarm_quiet_until_us[PLATFORM_ID_MAX + 1]; /* boot clock */
	int64_t versions_looked_us;                        /* boot clock: the next look */
	_Atomic int64_t task_count;                        /* deliverer_in_flight() */
	struct histogram lateness[PLATFORM_ID_MAX];        /* deliverer_lateness() */
};
