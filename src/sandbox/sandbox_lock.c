/* SPDX-License-Identifier: Apache-2.0
 * The sandbox's one lock, and waiting without holding it. */
#include "clock.h"
#include "thread.h"

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
	const struct timespec deadline = thread_deadline(duration_ms * US_PER_MS);
	while (!sandbox->is_closing &&
	       thread_wait_until(&sandbox->closing, &sandbox->lock, &deadline))
		;
	return !sandbox->is_closing;
}
