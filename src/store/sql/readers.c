/* SPDX-License-Identifier: Apache-2.0
 * The idle connections are a stack. */
#include "readers.h"

#include <pthread.h>
#include <stdlib.h>

#include "thread.h"

/* How long a caller waits for a connection, where the config has a limit at all. */
#define QUEUE_LIMIT_MS 4000
#define HUNG_MS 4000 /* a try to open that fails after so long has met a hang */
#define HUNG_PAUSE_MS 5000
#define HUNG_LIMIT_MS 3000 /* for whoever tries whether it still hangs */

struct readers {
	struct sql_config config;
	const struct sql_driver *driver;
	pthread_mutex_t lock;
	pthread_cond_t is_given_back;
	unsigned max;
	unsigned open_count; /* lent and idle */
	unsigned idle_count;
	bool is_hung;  /* the database, for whoever tried it last */
	bool is_tried; /* somebody tries it since then */
	struct timespec next_try;
	struct sql_connection *idle[];
};

struct readers *readers_new(const struct sql_config *config, unsigned max)
{
	struct readers *readers =
		calloc(1, sizeof(*readers) + max * sizeof(struct sql_connection *));
	if (readers == NULL)
		return NULL;
	readers->config = *config;
	readers->driver = sql_driver_of(config->path);
	readers->max = max;
	if (thread_condition_init(&readers->lock, &readers->is_given_back, NULL) != ERR_NONE) {
		free(readers);
		return NULL;
	}
	return readers;
}

void readers_free(struct readers **readers)
{
	struct readers *own = *readers;
	if (own == NULL)
		return;
	while (own->idle_count > 0)
		own->driver->close(&own->idle[--own->idle_count]);
	pthread_cond_destroy(&own->is_given_back);
	pthread_mutex_destroy(&own->lock);
	free(own);
	*readers = NULL;
}

static bool is_over_full(const struct readers *readers)
{
	return readers->idle_count == 0 && readers->open_count == readers->max;
}

/* Lock held. False: the time is over. */
static bool wait_for_one(struct readers *readers, const struct timespec *until)
{
	if (readers->config.limit_ms > 0)
		return thread_wait_until(&readers->is_given_back, &readers->lock, until);
	return pthread_cond_wait(&readers->is_given_back, &readers->lock) == 0;
}

static bool is_past(const struct timespec *deadline)
{
	const struct timespec now = thread_deadline(0);
	return now.tv_sec > deadline->tv_sec ||
	       (now.tv_sec == deadline->tv_sec && now.tv_nsec >= deadline->tv_nsec);
}

/* Lock held. While the database hangs one caller at a time tries it, with pauses, and the others
 * are not kept. */
static bool may_try(struct readers *readers)
{
	if (readers->is_hung && (readers->is_tried || !is_past(&readers->next_try)))
		return false;
	readers->is_tried = readers->is_hung;
	return true;
}

/* Lock held. */
static void note_outcome(struct readers *readers, bool is_hung)
{
	readers->is_hung = is_hung;
	readers->is_tried = false;
	readers->next_try = thread_deadline(HUNG_PAUSE_MS * 1000);
}

/* An idle connection, or NULL with the right to open one. False: the database hangs, or all are
 * lent for too long. */
static bool take_idle(struct readers *readers, struct sql_connection **out, int64_t *limit_ms_out)
{
	const struct timespec until = thread_deadline(QUEUE_LIMIT_MS * 1000);
	*out = NULL;
	pthread_mutex_lock(&readers->lock);
	*limit_ms_out = readers->is_hung ? HUNG_LIMIT_MS : readers->config.limit_ms;
	bool is_taken = may_try(readers);
	while (is_taken && is_over_full(readers))
		is_taken = wait_for_one(readers, &until) || !is_over_full(readers);
	if (is_taken && readers->idle_count > 0)
		*out = readers->idle[--readers->idle_count];
	else if (is_taken)
		readers->open_count++;
	pthread_mutex_unlock(&readers->lock);
	return is_taken;
}

static void give_up_right_to_open(struct readers *readers, bool is_hung)
{
	pthread_mutex_lock(&readers->lock);
	readers->open_count--;
	note_outcome(readers, is_hung);
	pthread_cond_signal(&readers->is_given_back);
	pthread_mutex_unlock(&readers->lock);
}

enum err_kind readers_take(struct readers *readers, struct sql_connection **out, struct error *err)
{
	int64_t limit_ms = 0;
	if (!take_idle(readers, out, &limit_ms))
		return error_set(err, ERR_TEMPORARY, "the database does not answer");
	if (*out != NULL) {
		if (readers->driver->set_limit != NULL)
			readers->driver->set_limit(*out, limit_ms);
		return ERR_NONE;
	}
	const struct timespec hung = thread_deadline(HUNG_MS * 1000);
	const enum err_kind kind = readers->driver->open(&readers->config, out, err);
	if (kind != ERR_NONE)
		give_up_right_to_open(readers, readers->config.limit_ms > 0 && is_past(&hung));
	return kind;
}

void readers_give_back(struct readers *readers, struct sql_connection **connection)
{
	const bool is_hung =
		readers->driver->is_hung != NULL && readers->driver->is_hung(*connection);
	pthread_mutex_lock(&readers->lock);
	note_outcome(readers, is_hung);
	readers->idle[readers->idle_count++] = *connection;
	pthread_cond_signal(&readers->is_given_back);
	pthread_mutex_unlock(&readers->lock);
	*connection = NULL;
}
