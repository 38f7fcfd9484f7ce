/* SPDX-License-Identifier: Apache-2.0
 * Making and freeing the connector: see connect.h, and connect_private.h for the other files. */
#include "connect_private.h"

#include <stdlib.h>

#include "thread.h"

#define STARTED_ARENA_MAX_BYTES ((size_t)256 << 20)

static enum err_kind resume_started(struct connector *connector, struct error *err)
{
	struct arena *arena = arena_new("started connections", STARTED_ARENA_MAX_BYTES);
	struct connection_row *connections = NULL;
	size_t count = 0;
	const enum err_kind kind = store_connection_list_started(
		connector->config.store, arena, clock_now_us(connector->config.clock), &connections,
		&count, err);
	for (size_t i = 0; kind == ERR_NONE && i < count; i++)
		exchange_enqueue(connector, &connections[i]);
	arena_free(&arena);
	return kind;
}

enum err_kind connector_new(const struct connector_config *config, struct connector **connector_out,
			    struct error *err)
{
	struct connector *connector = calloc(1, sizeof(*connector));
	if (connector == NULL)
		return error_set(err, ERR_INTERNAL, "no memory for the connector");
	connector->config = *config;
	if (connector->config.time_scale < 1)
		connector->config.time_scale = 1;
	enum err_kind kind = thread_condition_init(&connector->mutex, &connector->changed, err);
	if (kind != ERR_NONE) {
		free(connector);
		return kind;
	}
	kind = avatar_cache_open(&connector->avatars, config->avatar_directory, 0, err);
	if (kind == ERR_NONE)
		kind = resume_started(connector, err);
	if (kind != ERR_NONE) {
		connector_free(&connector);
		return kind;
	}
	connector_queue_open(connector);
	*connector_out = connector;
	return ERR_NONE;
}

void connector_free(struct connector **connector_pointer)
{
	struct connector *connector = *connector_pointer;
	if (connector == NULL)
		return;
	connector_queue_clear(connector);
	avatar_cache_close(&connector->avatars);
	pthread_cond_destroy(&connector->changed);
	pthread_mutex_destroy(&connector->mutex);
	free(connector);
	*connector_pointer = NULL;
}
