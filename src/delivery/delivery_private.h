/* SPDX-License-Identifier: Apache-2.0
 * Shared by the files of delivery/: one delivery at work, and the few functions by which its files
 * call each other. */
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
#include "gate.h"

#define TASK_ARENA_MAX_BYTES ((size_t)16 << 20)
#define TIMELINE_PER_TURN_MAX 4
/* When the publish call came into doubt, in the flow: what comes before is the call's own time,
 * what comes after is ours. */
#define FLOW_DOUBT_US "delivery.doubt_us"
/* a lease outlives its call by this much (RELIABILITY.md 2.2 rule 1) */
#define LEASE_MARGIN_US (60 * US_PER_S)

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
	struct env env;   /* arena and now_us are set anew for every step */
	struct flow flow; /* publish and resolve */
	struct flow refresh_flow;
	enum course_mode mode;
	enum course_mode mode_after_refresh;
	bool has_refreshed; /* once per claim: a second refusal of a fresh token means reconnect */

	/* by flat index; behind the post's own there is room for ENV_FILES_MAX further files */
	struct media_file *media;
	char **media_paths;
	size_t media_count; /* of the post's own */
	struct str file_urls[ENV_FILES_MAX];
	struct str fetch_key; /* the file being fetched; empty = none */
	size_t fetch_index;
	bool fetch_is_optional;
	bool is_asked_again;    /* by a person: what others were told of a file does not count */
	int64_t fetch_until_us; /* the fetch's own end */

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
	bool is_unreadable;    /* what is stored could not be read, and stays as it is */
	bool is_woken;         /* the event is the end of a sleep */
	bool is_quiet;         /* nothing changed: nothing to write */
	int64_t held_until_us; /* the lease as it was last written */
	bool has_new_token;
	bool is_token_saved;
	struct str new_access_token_sealed;
	struct str new_refresh_token_sealed;
	int64_t new_expires_at_us;
	int64_t new_refresh_expires_at_us;
	bool is_in_gate;       /* room.c: takes up room at the platform */
	bool has_gate_outcome; /* a call of it has come back */
	enum gate_outcome gate_outcome;
	int64_t gate_retry_after_us;
	bool has_new_hold; /* hold.c */
	enum hold_state new_hold;
	/* the resolve conversation is about a part that is held after a restore */
	bool is_hold_look;
	struct str hold_flow; /* as the row has it, while that goes on */
	struct str hold_flow_secrets;
	bool has_new_extra; /* the account's extra is replaced */
	struct str new_extra;
	bool has_new_account_state;
	enum account_state new_account_state;
	struct str new_account_error;
};

#define DEAD_MEDIA_MAX 64 /* the oldest gives way; who is not told fetches for itself */
#define MEDIA_KEY_MAX_BYTES 100

/* A fetch that brought nothing: for a while its answer is that of all deliveries of the post. */
struct dead_media {
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
	struct dead_media dead_media[DEAD_MEDIA_MAX];
	size_t dead_media_next;
	struct gate *gate;
	bool is_room_short; /* the last claim passed over work for which there is no room */
	bool is_row_left;   /* the last claim left the rows to their first saves */
	int64_t alarm_quiet_until_us[PLATFORM_ID_MAX + 1]; /* boot clock */
	_Atomic int64_t task_count;                        /* deliverer_in_flight() */
};

/* task_load.c */
/* Of a claimed row; its texts are copied, since they live in the claim's arena. */
struct delivery_task *delivery_task_new(struct deliverer *deliverer,
					const struct delivery_work *work);
/* What is stored, into the task, secrets opened. Fails when something of it cannot be read: then
 * the task can only be ended. */
enum err_kind delivery_load(struct delivery_task *t, struct error *err);

/* task.c */
extern const struct task_ops delivery_task_ops;
/* Asks the adapter (reply NULL) or hands it a reply, until something is planned. */
void course_run(struct delivery_task *t, const struct reply *reply);
void course_finish_failed(struct delivery_task *t, const struct failure *failure);
void course_retry(struct delivery_task *t, const struct failure *failure, int64_t wait_ms,
		  int attempts);
/* A transient, rate limited or final failure of the publish conversation: decides which. */
void course_failed(struct delivery_task *t, const struct failure *failure);
/* Gives the lease back until then; the account stays busy. */
void course_wait(struct delivery_task *t, int64_t wait_ms);
int64_t course_scaled_ms(const struct delivery_task *t, int64_t wait_ms);
/* A stopping service begins nothing new: true when the delivery was given back as it stands. */
bool course_gives_back(struct delivery_task *t);
/* The platform refused the account's token for good: true when the account's row now says so; false
 * when it was connected again (or disconnected) meanwhile, so that what was refused is not what it
 * has. */
bool course_flag_account(struct delivery_task *t, struct str why);

/* hold.c */
/* Poisoned: it is failed without being looked at; true. */
bool hold_sets_aside(struct delivery_task *t);
/* After loading: true when the delivery was failed or is held; false to go on, perhaps by asking
 * the platform first. */
bool hold_begins(struct delivery_task *t);
/* A publish call of a delivery that is being asked about: never made. */
bool hold_forbids(const struct delivery_task *t, const struct call *call);
/* Then this: held for the operator; true. */
bool hold_keeps_back(struct delivery_task *t);
/* Takes a step of a look at a held part; as doubt_take_step. */
bool hold_take_step(struct delivery_task *t, const struct step *step);
/* What the plan means for the mark, and for the row's flow. */
void hold_plan_ends(struct delivery_task *t);
/* Writes the mark, after the delivery itself was written. */
enum err_kind hold_save(struct delivery_task *t, void *tx, struct error *err);

/* resolve.c */
/* The one of several matches that belongs to no other delivery or part, or NULL. */
const struct match *doubt_only_match(struct delivery_task *t, const struct step *step);
/* The open publish call's outcome is not known: the first look is planned. */
void doubt_begin(struct delivery_task *t);
/* Ends the delivery as failed with OUTCOME_UNKNOWN; true. */
bool doubt_tell_unknown(struct delivery_task *t);
/* Takes a step of the resolve conversation; true when something is planned, false to ask again. */
bool doubt_take_step(struct delivery_task *t, const struct step *step);

/* room.c */
/* At the claim. *wait_us_out is set when there is no room. */
bool room_enter(struct delivery_task *t, int64_t *wait_us_out);
/* Before a call: false when the delivery was put back, or given up. */
bool room_take(struct delivery_task *t);
void room_note_reply(struct delivery_task *t, const struct reply *reply);
void room_note_failure(struct delivery_task *t, const struct failure *failure);
/* The adapter cannot tell what the answer to its publish call means. */
void room_note_unreadable(struct delivery_task *t);
/* What makes no call takes up no room. */
void room_plan_ends(struct delivery_task *t);
void room_leave(struct delivery_task *t);
/* For struct claim_room; context is the deliverer. */
uint32_t room_for_claim(void *context, struct str app_id, enum platform_id platform);

/* media.c */
/* A STEP_MEDIA: true when a fetch is planned (or the delivery failed), false when the file is there
 * already, or known to be missing, so that the adapter is to be asked again. */
bool media_want(struct delivery_task *t, const struct step *step);
void media_fetched(struct delivery_task *t, const struct transfer_result *result);
void media_task_gone(struct delivery_task *t);
void media_post_finished(struct delivery_task *t);
bool media_key_is_needed(void *context, struct str key);

/* alarm.c */
/* At start: what a new setting may have mended. */
void alarm_forget_all(struct deliverer *deliverer);
/* Tells the operator when failure says so, at most once a minute for a platform. */
void alarm_note_failure(struct delivery_task *t, const struct failure *failure);

/* record.c */
void record_call_begins(struct delivery_task *t, const struct call *call);
void record_call_ended(struct delivery_task *t, const struct task_event *event);
void record_decision(struct delivery_task *t, struct str decision);
/* The adapter knows better than the status what the call came to. */
void record_verdict(struct delivery_task *t, struct str verdict);
/* A platform's id or address, as far as it is stored. */
struct str record_id(struct str id);
struct str record_parts(const struct delivery_task *t, bool is_failed);
