/* SPDX-License-Identifier: Apache-2.0
 * A pool of threads for work that may wait: for the database, for a commit, for a platform. The
 * threads that hold connections hand it over and go on (http_call.c). Threads start when they are
 * first needed and stay. The queue is first come, first served; its jobs belong to open
 * connections, so it has their maximum. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "err.h"

struct http_pool;

/* Lies in the caller's own struct, which must live until run is called. run may free it. */
struct http_job {
	struct http_job *next;
	void (*run)(struct http_job *job);
};

/* threads_max >= 1. Starts the first thread. Returns NONE; TEMPORARY: no memory, no thread. */
enum err_kind http_pool_new(const char *name, unsigned threads_max, size_t stack_bytes,
			    struct http_pool **pool_out, struct error *err);
/* Runs job on a thread of the pool, as soon as one is free. Does not block. False: the pool was
 * stopped, and job is not taken. */
bool http_pool_hand(struct http_pool *pool, struct http_job *job);
/* Takes no more jobs, runs what is queued, and waits for the threads to end. Takes NULL. */
void http_pool_stop(struct http_pool *pool);
/* Stops the pool, frees it and nulls; a NULL inside is fine. No other thread may use it any
 * more. */
void http_pool_free(struct http_pool **pool);
