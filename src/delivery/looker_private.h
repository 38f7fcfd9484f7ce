/* SPDX-License-Identifier: Apache-2.0
 * Shared by looker.c (one look, as a task of the engine) and looker_source.c (who asks). */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "arena.h"
#include "clock.h"
#include "log.h"

#include "store.h"
#include "store_look.h"

#include "engine.h"

#include "looker.h"

#define LOOKS_AT_WORK_MAX 32
#define LOOKS_OF_APP_MAX 4

/* What a waiting thread and its task share; the last of them to drop it frees it. */
struct look_ticket {
	struct arena *arena; /* it lies in it, and the look's texts */
	unsigned holders;    /* under the looker's mutex; so is_done */
	bool is_done;
	struct look look;
};

struct look_task {
	struct task task; /* first: the engine's handle */
	struct looker *looker;
	struct look_task *next; /* in the looker's queue, or of those at work */
	struct arena *arena;    /* as long as the task */
	struct str app_id;
	struct str key;             /* of its files in the spool */
	int64_t until_boot_us;      /* what is not here then is late */
	struct look_ticket *ticket; /* NULL: for the store */
	struct look *look;
	struct look_file *fetching; /* NULL = none */
	bool is_over;               /* this turn ends it */

	/* for the store */
	struct look_work work;
	struct post_content content;
	struct look_save save;
};

struct looker {
	struct looker_config config;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	struct look_task *queue; /* handed over by other threads; under mutex */
	struct look_task *tasks; /* at work; engine's thread */
	size_t at_work;          /* of those for the store */
	struct look_wait *waits; /* under mutex */
	struct arena *claim_arena;
	struct look_work *claimed;
	size_t claimed_count;
	int64_t due_us; /* when there will be something to claim; 0 = nothing is known of */
	atomic_bool is_asked;
};

/* A thread that waits; lies on its stack. */
struct look_wait {
	struct str app_id;
	struct look_wait *next;
};

/* ---- looker.c ---- */

/* For a claimed row, whose texts it copies; begins with engine_task_start(). Never NULL. */
struct look_task *looker_task_of_work(struct looker *looker, const struct look_work *work);
/* For a waiting thread; look lies in the ticket. */
struct look_task *looker_task_of_ticket(struct looker *looker, struct look_ticket *ticket,
					const struct looker_question *question);
void looker_task_free(struct look_task *t);

/* ---- looker_source.c ---- */

/* The task has ended. Engine's thread. */
void looker_gone(struct looker *looker, struct look_task *t);
/* The look on the ticket is over: its thread may read it. */
void looker_ticket_done(struct looker *looker, struct look_ticket *ticket);
void looker_ticket_drop(struct looker *looker, struct look_ticket *ticket);
