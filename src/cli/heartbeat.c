/* SPDX-License-Identifier: Apache-2.0
 * See heartbeat.h. */
#include "heartbeat.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "clock.h"
#include "thread.h"

#define STACK_BYTES ((size_t)256 << 10)

struct heartbeat {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t is_stopped;
	bool is_stopping;
	int64_t every_ms;
	void (*beat)(void *context);
	void *context;
};

/* Lock held. False: stopped. */
static bool wait_for_next(struct heartbeat *heartbeat)
{
	const struct timespec next = thread_deadline(heartbeat->every_ms * US_PER_MS);
	while (!heartbeat->is_stopping &&
	       thread_wait_until(&heartbeat->is_stopped, &heartbeat->lock, &next))
		;
	return !heartbeat->is_stopping;
}

static void *run(void *argument)
{
	struct heartbeat *heartbeat = argument;
	pthread_mutex_lock(&heartbeat->lock);
	while (wait_for_next(heartbeat)) {
		pthread_mutex_unlock(&heartbeat->lock);
		heartbeat->beat(heartbeat->context);
		pthread_mutex_lock(&heartbeat->lock);
	}
	pthread_mutex_unlock(&heartbeat->lock);
	return NULL;
}

static void release(struct heartbeat *heartbeat)
{
	pthread_cond_destroy(&heartbeat->is_stopped);
	pthread_mutex_destroy(&heartbeat->lock);
	free(heartbeat);
}

enum err_kind heartbeat_start(int64_t every_ms, void (*beat)(void *context), void *context,
			      struct heartbeat **out, struct error *err)
{
	struct heartbeat *heartbeat = calloc(1, sizeof(*heartbeat));
	if (heartbeat == NULL)
		return error_set(err, ERR_TEMPORARY, "no memory for the heartbeat");
	heartbeat->every_ms = every_ms;
	heartbeat->beat = beat;
	heartbeat->context = context;
	enum err_kind kind = thread_condition_init(&heartbeat->lock, &heartbeat->is_stopped, err);
	if (kind != ERR_NONE) {
		free(heartbeat);
		return kind;
	}
	const struct thread_config config = {
		.name = "heartbeat", .stack_bytes = STACK_BYTES, .run = run, .context = heartbeat};
	kind = thread_start(&config, &heartbeat->thread, err);
	if (kind != ERR_NONE) {
		release(heartbeat);
		return kind;
	}
	*out = heartbeat;
	return ERR_NONE;
}

void heartbeat_stop(struct heartbeat **heartbeat)
{
	if (*heartbeat == NULL)
		return;
	pthread_mutex_lock(&(*heartbeat)->lock);
	(*heartbeat)->is_stopping = true;
	pthread_cond_signal(&(*heartbeat)->is_stopped);
	pthread_mutex_unlock(&(*heartbeat)->lock);
	pthread_join((*heartbeat)->thread, NULL);
	release(*heartbeat);
	*heartbeat = NULL;
}
