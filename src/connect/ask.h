/* SPDX-License-Identifier: Apache-2.0
 * A question to a platform on behalf of a caller who waits: is this credential good, is this token
 * good, forget this token. It is a task on the engine of which nothing is durable: the caller
 * stores the outcome. */
#pragma once

#include "connect_private.h"

struct ask_outcome {
	/* false: not in time (the question goes on, and its answer is dropped), or not asked at
	 * all (connector_config.closed_why) */
	bool is_answered;
	bool is_good;             /* the adapter said DONE */
	enum failure_class class; /* answered and not good */
	enum failure_code code;
	struct str message;    /* for people; empty when good */
	struct str avatar_url; /* good: of the account's picture; empty = not told */
};

/* A question for the caller to complete (env) and to pass to ask_run() or ask_drop(). The
 * platform must have the operation. */
struct connect_task *ask_new(struct connector *connector, enum platform_id platform,
			     enum operation operation);
/* Asks, and blocks for at most wait_ms (0: not at all). Takes the task; outcome_out's message lives
 * in arena. */
void ask_run(struct connect_task *task, struct arena *arena, int64_t wait_ms,
	     struct ask_outcome *outcome_out);
/* Frees a question that is not asked after all. */
void ask_drop(struct connect_task *task);
