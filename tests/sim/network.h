/* SPDX-License-Identifier: Apache-2.0
 * The way to the platforms and back, as the engine's transport port: everything that can go wrong
 * there does (rules.md 3.2), drawn from the seed for each call. A call has two instants, when
 * it takes effect in the world and when its answer is told; a crash of ours takes the second away,
 * and the first perhaps. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transfer.h"

#include "sim.h"
#include "world.h"

struct network;

/* For what a process waits. */
enum network_wait {
	NETWORK_WAIT_ANSWER,  /* until an answer for it is due, or it is woken, too */
	NETWORK_WAIT_ASLEEP,  /* one thread of it sleeps */
	NETWORK_WAIT_STOPPED, /* all of it stands still */
	NETWORK_WAIT_DOWN     /* it is dead, and will be started again */
};

/* Where a process of ours is tied to the network. */
struct network_end {
	struct network *network;
	const struct clock *clock; /* the process's */
	bool is_woken;
	/* Called with the refresh token of every refresh that is sent. */
	void (*saw_refresh)(void *context, struct str refresh_token);
	/* Called with the id of everything that is asked to be deleted. */
	void (*saw_deletion)(void *context, struct str remote_id);
	void *saw_context;
	/* Gives the turn to other nodes until then at the latest. NULL = there are none: time just
	 * passes. */
	void (*wait)(void *context, enum network_wait how, int64_t until_us);
	void *wait_context;
};

struct network *network_new(struct sim *sim, struct world *world);
struct transport network_transport(struct network_end *end);
/* This process died: nobody waits for what is under way any more. */
void network_forget(struct network_end *end);
/* The process waits so long. */
void network_end_pass(struct network_end *end, enum network_wait how, int64_t us);
/* Time passes without us; what is under way reaches the world. */
void network_pass(struct network *network, int64_t us);

/* For who hands the turns to several nodes. What is under way takes effect up to now. */
void network_arrive(struct network *network);
/* When the next does; INT64_MAX = none. */
int64_t network_next_effect_us(const struct network *network);
/* When the next answer for that process is due; INT64_MAX = none. */
int64_t network_next_answer_us(const struct network_end *end);
