/* SPDX-License-Identifier: Apache-2.0
 * The idle connections are a stack. */
#include "readers.h"

#include <pthread.h>
#include <stdlib.h>

struct readers {
	struct sql_config config;
	const struct sql_driver *driver;
	pthread_mutex_t lock;
	pthread_cond_t is_given_back;
	unsigned max;
	unsigned open_count; /* lent and idle */
	unsigned idle_count;
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
	pthread_mutex_init(&readers->lock, NULL);
	pthread_cond_init(&readers->is_given_back, NULL);
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

/* An idle connection, or NULL with the right to open one. */
static struct sql_connection *take_idle(struct readers *readers)
{
	struct sql_connection *connection = NULL;
	pthread_mutex_lock(&readers->lock);
	while (readers->idle_count == 0 && readers->open_count == readers->max)
		pthread_cond_wait(&readers->is_given_back, &readers->lock);
	if (readers->idle_count > 0)
		connection = readers->idle[--readers->idle_count];
	else
		readers->open_count++;
	pthread_mutex_unlock(&readers->lock);
	return connection;
}

static void give_up_right_to_open(struct readers *readers)
{
	pthread_mutex_lock(&readers->lock);
	readers->open_count--;
	pthread_cond_signal(&readers->is_given_back);
	pthread_mutex_unlock(&readers->lock);
}

enum err_kind readers_take(struct readers *readers, struct sql_connection **out, struct error *err)
{
	*out = take_idle(readers);
	if (*out != NULL)
		return ERR_NONE;
	const enum err_kind kind = readers->driver->open(&readers->config, out, err);
	if (kind != ERR_NONE)
		give_up_right_to_open(readers);
	return kind;
}

void readers_give_back(struct readers *readers, struct sql_connection **connection)
{
	pthread_mutex_lock(&readers->lock);
	readers->idle[readers->idle_count++] = *connection;
	pthread_cond_signal(&readers->is_given_back);
	pthread_mutex_unlock(&readers->lock);
	*connection = NULL;
}
