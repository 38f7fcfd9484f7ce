/* SPDX-License-Identifier: Apache-2.0
 * A question to a platform with somebody waiting for its end: is this credential good, is this
 * token good, forget this token. A task on the engine of which nothing is durable: who waits writes
 * the outcome down. */
#pragma once

#include "connect_private.h"

struct ask_outcome {
	bool is_answered;         /* false: not in time; the question goes on and is forgotten */
	bool is_good;             /* the adapter said DONE */
	enum failure_class class; /* answered and not good */
	enum failure_code code;
	struct str message; /* what people are told; empty when good */
};

/* A question, to be completed (env) and given to ask_run(). The platform must have
 * the operation. */
struct connect_task *ask_new(struct connector *connector, enum platform_id platform,
			     enum operation operation);
/* Asks and waits at most wait_ms. The task is not the caller's any more; message lives in arena. */
void ask_run(struct connect_task *task, struct arena *arena, int64_t wait_ms,
	     struct ask_outcome *outcome_out);
