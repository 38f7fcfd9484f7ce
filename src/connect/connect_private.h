/* SPDX-License-Identifier: Apache-2.0
 * Shared by the files of connect/: connect.c is what other layers call, exchange.c and ask.c are
 * the tasks on the engine, verify.c and check.c what is asked. */
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

#include "connect.h"

#define CONNECT_ARENA_MAX_BYTES ((size_t)16 << 20)
#define CONNECT_TRIES_MAX 3
#define CONNECT_STEPS_PER_TURN_MAX 64

/* A task that waits to be taken by the engine's thread, or is at work there. */
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

	/* This turn. */
	struct arena *turn_arena;
	struct task_plan *plan;
	bool is_finished;
	struct step *step; /* the last one: the outcome when finished */
};

struct connector {
	struct connector_config config;
	pthread_mutex_t mutex;
	pthread_cond_t changed; /* an exchange or a check ended */
	/* counts announcements, so that none falls between a look and a wait */
	uint64_t generation;
	struct connect_task *queue; /* handed over by other threads, under mutex */
};

/* connect.c */
void connector_enqueue(struct connector *connector, struct connect_task *task);
void connector_announce(struct connector *connector);
/* Waits for the next announcement or until deadline_boot_us; mutex is held. False when the deadline
 * has passed. */
bool connector_wait(struct connector *connector, int64_t deadline_boot_us);
struct str connector_client_secret(const struct connector *connector, struct arena *arena,
				   const struct credential_row *credential);

/* drive.c */
/* Asks the adapter, or hands it a reply, until a call, a pause or the end is planned. */
void drive_event(struct connect_task *t, struct arena *arena, const struct task_event *event,
		 struct task_plan *plan);

/* What people are told of a failure: our sentence, and behind it the platform's own words, both
 * without secrets. Lives in this turn's arena. */
struct str drive_told(const struct connect_task *t, const struct failure *failure);

/* exchange.c */
void exchange_enqueue(struct connector *connector, const struct connection_row *connection);
