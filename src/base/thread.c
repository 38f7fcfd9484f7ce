/* SPDX-License-Identifier: Apache-2.0
 * See thread.h. */
#include "thread.h"

#include <errno.h>
#include <string.h>

#include "clock.h"
#include "count_of.h"

void thread_block_signals(sigset_t *before_out)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
	sigset_t most;
	sigfillset(&most);
	for (size_t i = 0; i < COUNT_OF(faults); i++)
		sigdelset(&most, faults[i]);
	pthread_sigmask(SIG_SETMASK, &most, before_out);
}

void thread_restore_signals(const sigset_t *before)
{
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* The errno of the call that failed, or 0. */
static int create(const struct thread_config *config, pthread_t *thread_out)
{
	pthread_attr_t attributes;
	int native = pthread_attr_init(&attributes);
	if (native != 0)
		return native;
	native = pthread_attr_setstacksize(&attributes, config->stack_bytes);
	if (native == 0) {
		sigset_t before;
		thread_block_signals(&before);
		native = pthread_create(thread_out, &attributes, config->run, config->context);
		thread_restore_signals(&before);
	}
	pthread_attr_destroy(&attributes);
	return native;
}

enum err_kind thread_start(const struct thread_config *config, pthread_t *thread_out,
			   struct error *err)
{
	const int native = create(config, thread_out);
	if (native == 0)
		return ERR_NONE;
	return error_set_native(err, native == EINVAL ? ERR_INVALID : ERR_TEMPORARY, native,
				"cannot start the %s thread: %s", config->name, strerror(native));
}

void thread_sleep_ms(int64_t ms)
{
	if (ms <= 0)
		return;
	const int64_t us = ms * US_PER_MS;
	const struct timespec pause = {.tv_sec = (time_t)(us / US_PER_S),
				       .tv_nsec = (long)(us % US_PER_S * NS_PER_US)};
	nanosleep(&pause, NULL);
}

static int init_monotonic(pthread_cond_t *condition)
{
	pthread_condattr_t attributes;
	int native = pthread_condattr_init(&attributes);
	if (native != 0)
		return native;
	native = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	if (native == 0)
		native = pthread_cond_init(condition, &attributes);
	pthread_condattr_destroy(&attributes);
	return native;
}

enum err_kind thread_condition_init(pthread_mutex_t *mutex, pthread_cond_t *condition,
				    struct error *err)
{
	int native = pthread_mutex_init(mutex, NULL);
	if (native == 0) {
		native = init_monotonic(condition);
		if (native != 0)
			pthread_mutex_destroy(mutex);
	}
	if (native == 0)
		return ERR_NONE;
	return error_set_native(err, ERR_TEMPORARY, native, "cannot make a lock: %s",
				strerror(native));
}

struct timespec thread_deadline(int64_t us)
{
	struct timespec deadline;
	clock_gettime(CLOCK_MONOTONIC, &deadline);
	if (us <= 0)
		return deadline;
	const int64_t ns = deadline.tv_nsec + us % US_PER_S * NS_PER_US;
	deadline.tv_sec += (time_t)(us / US_PER_S + ns / NS_PER_S);
	deadline.tv_nsec = (long)(ns % NS_PER_S);
	return deadline;
}

bool thread_wait_until(pthread_cond_t *condition, pthread_mutex_t *mutex,
		       const struct timespec *deadline)
{
	return pthread_cond_timedwait(condition, mutex, deadline) != ETIMEDOUT;
}
