/* SPDX-License-Identifier: Apache-2.0
 * The sandbox's one lock, and waiting without holding it. */
#include "clock.h"
#include "thread.h"

#include "sandbox_core.h"

/* Anybody can open a page that hangs, and places for browsers are few. */
#define BROWSER_HANGS_MS 5000

void sandbox_lock(struct sandbox *sandbox)
{
	pthread_mutex_lock(&sandbox->lock);
}

void sandbox_unlock(struct sandbox *sandbox)
{
	pthread_mutex_unlock(&sandbox->lock);
}

struct sandbox_tape *sandbox_let_go(struct sandbox *sandbox)
{
	struct sandbox_tape *tape = sandbox->past != NULL ? sandbox->past->tape : NULL;
	if (tape != NULL)
		sandbox->past->tape = NULL;
	sandbox_unlock(sandbox);
	return tape;
}

void sandbox_take_again(struct sandbox *sandbox, struct sandbox_tape *tape)
{
	sandbox_lock(sandbox);
	if (sandbox->past != NULL)
		sandbox->past->tape = tape;
}

bool sandbox_wait(struct sandbox *sandbox, int64_t duration_ms)
{
	struct sandbox_tape *tape = sandbox->past != NULL ? sandbox->past->tape : NULL;
	if (tape != NULL && tape->is_played)
		return true;
	if (tape != NULL && tape->is_browsers && duration_ms > BROWSER_HANGS_MS)
		duration_ms = BROWSER_HANGS_MS;
	const struct timespec deadline = thread_deadline(duration_ms * US_PER_MS);
	while (!sandbox->is_closing &&
	       thread_wait_until(&sandbox->closing, &sandbox->lock, &deadline))
		;
	if (sandbox->past != NULL)
		sandbox->past->tape = tape;
	return !sandbox->is_closing;
}
