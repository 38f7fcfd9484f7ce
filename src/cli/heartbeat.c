/* SPDX-License-Identifier: Apache-2.0
 * See heartbeat.h. */
#include "heartbeat.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

/* By the clock that no one sets; lock held. False: stopped. */
static bool wait_for_next(struct heartbeat *heartbeat)
{
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	const int64_t nanoseconds = until.tv_nsec + heartbeat->every_ms % 1000 * 1000000;
	until.tv_sec += heartbeat->every_ms / 1000 + nanoseconds / 1000000000;
	until.tv_nsec = nanoseconds % 1000000000;
	while (!heartbeat->is_stopping) {
		if (pthread_cond_timedwait(&heartbeat->is_stopped, &heartbeat->lock, &until) ==
		    ETIMEDOUT)
			return true;
	}
	return false;
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

static void init_condition(struct heartbeat *heartbeat)
{
	pthread_condattr_t attributes;
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&heartbeat->is_stopped, &attributes);
	pthread_condattr_destroy(&attributes);
	pthread_mutex_init(&heartbeat->lock, NULL);
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
	pthread_attr_t attributes;
	if (heartbeat == NULL)
		return error_set(err, ERR_INTERNAL, "no memory for the heartbeat");
	heartbeat->every_ms = every_ms;
	heartbeat->beat = beat;
	heartbeat->context = context;
	init_condition(heartbeat);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	const int native = pthread_create(&heartbeat->thread, &attributes, run, heartbeat);
	pthread_attr_destroy(&attributes);
	if (native != 0) {
		release(heartbeat);
		return error_set_native(err, ERR_INTERNAL, native,
					"the heartbeat's thread cannot be started: %s",
					strerror(native));
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
