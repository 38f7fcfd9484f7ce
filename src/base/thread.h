/* SPDX-License-Identifier: Apache-2.0
 * Starting a thread, and waiting on a condition with a deadline. Deadlines are instants of
 * CLOCK_MONOTONIC, which nobody sets: a correction of the wall clock moves none. */
#pragma once

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "err.h"

struct thread_config {
	const char *name; /* for the error: "cannot start the NAME thread" */
	/* >= PTHREAD_STACK_MIN; only the pages that are touched cost memory */
	size_t stack_bytes;
	void *(*run)(void *context);
	void *context;
};

/* Starts a joinable thread in which thread_block_signals() holds; the caller's own mask stays as it
 * was. The caller joins it. Returns NONE; TEMPORARY: the system has no memory or no thread left;
 * INVALID: stack_bytes is too small. *thread_out is set on NONE only. */
enum err_kind thread_start(const struct thread_config *config, pthread_t *thread_out,
			   struct error *err);

/* Blocks in the calling thread, and so in the threads it starts from now on, every signal but those
 * of a thread's own faults (SIGSEGV, SIGABRT and so on). Signals to the process then reach the main
 * thread. *before_out is for thread_restore_signals(). */
void thread_block_signals(sigset_t *before_out);
void thread_restore_signals(const sigset_t *before);

/* Blocks for ms milliseconds; a signal may end it early. 0 or less: not at all. */
void thread_sleep_ms(int64_t ms);

/* Makes a mutex and a condition for thread_wait_until(). Both are destroyed by their owner with
 * pthread_mutex_destroy() and pthread_cond_destroy(). On an error neither exists. TEMPORARY: the
 * system lacks memory. */
enum err_kind thread_condition_init(pthread_mutex_t *mutex, pthread_cond_t *condition,
				    struct error *err);

/* The instant us microseconds from now; 0 or less is now. */
struct timespec thread_deadline(int64_t us);

/* Waits until the condition is signalled or the deadline has passed. mutex is held. False: the
 * deadline has passed. True says nothing about the state that is waited for: a condition may wake
 * without a reason, so callers test their state in a loop. The condition must measure by
 * CLOCK_MONOTONIC, as thread_condition_init() makes it. */
bool thread_wait_until(pthread_cond_t *condition, pthread_mutex_t *mutex,
		       const struct timespec *deadline);
