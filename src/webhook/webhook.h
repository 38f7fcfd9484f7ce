/* SPDX-License-Identifier: Apache-2.0
 * Webhooks at work (api-decisions.md 9): a source of the engine that hands each event to the app's
 * webhooks and carries it there by signed HTTP calls until it was taken or given up. At least once:
 * webhook-id stays the same, so that a receiver can recognise what it has seen. Files:
 * webhook_source.c what is due, webhook_dispatch.c an event becomes webhook deliveries,
 * webhook_attempt.c one call, webhook_policy.c when to try again, webhook_sign.c secrets and
 * signatures. What an event says is not known here. */
#pragma once

#include <stdint.h>

#include "err.h"
#include "str.h"

#include "store_retention.h"

struct arena;
struct clock;
struct engine;
struct event_row;
struct log;
struct random_source;
struct seal;
struct store;
struct webhooker;

/* Writes what an event is about: the envelope's data, JSON. An empty text when it is gone. Called
 * on the engine's thread. */
struct event_data_port {
	enum err_kind (*data)(void *context, struct arena *arena, const struct event_row *event,
			      struct str *json_out, struct error *err);
	void *context;
};

struct webhooker_config {
	struct store *store;
	const struct seal *seal;
	struct engine *engine;
	const struct clock *clock;
	const struct random_source *random;
	const struct log *log;
	struct event_data_port port;
	/* Asked before each claim of webhook deliveries: false = none. NULL = always. */
	bool (*may_claim)(void *context);
	/* Told that another master key sealed a webhook's secret; its delivery waits for its lease
	 * to end. NULL = nobody. Both on the engine's thread. */
	void (*key_is_other)(void *context, struct str why);
	void *key_context;
	struct store_retention retention; /* what its turns remove */
	int64_t time_scale; /* > 1: waits are shorter by this factor, for tests; 0 = 1 */
};

/* Adds itself to the engine's sources, so before the engine's first turn. */
enum err_kind webhooker_new(const struct webhooker_config *config, struct webhooker **webhooker_out,
			    struct error *err);
/* After the engine is gone. */
void webhooker_free(struct webhooker **webhooker);
/* Something is due now. From any thread. */
void webhooker_wake(struct webhooker *webhooker);
