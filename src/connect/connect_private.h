/* SPDX-License-Identifier: Apache-2.0
 * Shared by the files of connect/. connect.h is what other layers call: connect.c makes the
 * connector, begin.c, callback.c, verify.c and check.c are its verbs. exchange.c and ask.c are the
 * two kinds of tasks on the engine; drive.c is the conversation in both, queue.c the way to
 * them. */
#pragma once

#include <pthread.h>

#include "arena.h"
#include "clock.h"
#include "log.h"
#include "random.h"

#include "platform.h"

#include "store.h"
#include "store_app.h"
#include "store_connection.h"
#include "store_credential.h"

#include "engine.h"

#include "avatar_cache.h"
#include "connect.h"

#define CONNECT_ARENA_MAX_BYTES ((size_t)16 << 20)
#define CONNECT_TRIES_MAX 3
#define AVATARS_UNDER_WAY_MAX 32 /* 16 MiB */
#define AVATAR_NOTES_MAX 512

/* A task that is queued for the engine's thread, or runs there. */
struct connect_task {
	struct task task; /* first: the engine's handle */
	struct connector *connector;
	struct connect_task *next_queued;
	struct arena *arena; /* as long as the task */
	const struct platform *platform;
	enum operation operation; /* one that the platform has */
	struct env env;
	struct flow flow;
	int tries;
	int64_t time_scale; /* pauses are divided by it */

	/* This turn. */
	struct arena *turn_arena;
	struct task_plan *plan;
	bool is_finished;
	struct step *step; /* the last one: the outcome when finished */
};

/* A picture that is not to be fetched before that instant. */
struct avatar_note {
	uint64_t mark; /* of account and address */
	int64_t until_boot_us;
};

struct connector {
	struct connector_config config;
	pthread_mutex_t mutex;
	pthread_cond_t changed; /* an exchange or a check ended */
	/* counts announcements, so that none is missed between reading the store and waiting */
	uint64_t generation;
	struct connect_task *queue; /* handed over by other threads, under mutex */
	struct connect_wait *waits; /* under mutex */
	struct avatar_cache avatars;
	struct avatar_note avatar_notes[AVATAR_NOTES_MAX]; /* under mutex */
	unsigned avatars_under_way;                        /* under mutex */
};

/* A caller that waits for a platform; lies on its stack. */
struct connect_wait {
	struct str app_id;
	struct connect_wait *next;
};

/* ---- queue.c: from request threads to the engine's thread, and back ---- */

/* Makes the engine take tasks from the queue. Before the engine's first turn. */
void connector_queue_open(struct connector *connector);
/* Frees the tasks that the engine did not take. */
void connector_queue_clear(struct connector *connector);
/* Hands the task to the engine, which frees it. */
void connector_enqueue(struct connector *connector, struct connect_task *task);
/* Wakes every thread that waits. */
void connector_announce(struct connector *connector);
/* The number of announcements so far: read it before the store, and pass it to
 * connector_wait_after(). */
uint64_t connector_generation(struct connector *connector);
/* Blocks until the next announcement or until deadline_boot_us of the connector's clock; mutex is
 * held. False: the deadline has passed. True may come early, without an announcement. */
bool connector_wait(struct connector *connector, int64_t deadline_boot_us);
/* Blocks until there were more announcements than generation. mutex is not held. False: the
 * deadline has passed. */
bool connector_wait_after(struct connector *connector, uint64_t generation,
			  int64_t deadline_boot_us);

/* Counts one more of the app's calls that wait for platforms, until connector_wait_end(). LIMITED:
 * there are waits_of_app_max already, and it is not counted; err->text is a sentence for people. */
enum err_kind connector_wait_begin(struct connector *connector, struct connect_wait *wait,
				   struct error *err);
void connector_wait_end(struct connector *connector, struct connect_wait *wait);

/* ---- world.c: whose platforms a task's calls reach ---- */

/* Reads the app's world. Until then the task reaches nothing. NOT_FOUND, INTERNAL: err->text. */
enum err_kind connect_task_enter_world(struct connect_task *t, struct str app_id,
				       struct error *err);

/* ---- credential.c ---- */

/* Opens the credential's client secret into arena. INTERNAL: it cannot be opened with this master
 * key; err->text is a sentence for people that names the credential, the reason is logged. */
enum err_kind connector_open_client_secret(const struct connector *connector, struct arena *arena,
					   const struct credential_row *credential,
					   struct str *secret_out, struct error *err);

/* ---- drive.c: what exchange and ask have in common ---- */

/* Asks the adapter, or hands it a reply, until a call, a pause or the end is planned. */
void drive_event(struct connect_task *t, struct arena *arena, const struct task_event *event,
		 struct task_plan *plan);
/* What people read of a failure: our sentence and, in parentheses, the platform's own words, both
 * without secrets. Lives in this turn's arena. */
struct str drive_failure_text(const struct connect_task *t, const struct failure *failure);

/* ---- exchange.c ---- */

/* Turns the connection's code into accounts, on the engine; copies the row. */
void exchange_enqueue(struct connector *connector, const struct connection_row *connection);
