/* SPDX-License-Identifier: Apache-2.0
 * The sandbox's one lock, and waiting without holding it. */
#include <errno.h>
#include <time.h>

#include "sandbox_core.h"

void sandbox_lock(struct sandbox *sandbox)
{
	pthread_mutex_lock(&sandbox->lock);
}

void sandbox_unlock(struct sandbox *sandbox)
{
	pthread_mutex_unlock(&sandbox->lock);
}

bool sandbox_wait(struct sandbox *sandbox, int64_t duration_ms)
{
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += (time_t)(duration_ms / 1000);
	until.tv_nsec += (long)(duration_ms % 1000) * 1000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	int rc = 0;
	while (!sandbox->is_closing && rc != ETIMEDOUT)
		rc = pthread_cond_timedwait(&sandbox->closing, &sandbox->lock, &until);
	return !sandbox->is_closing;
}
