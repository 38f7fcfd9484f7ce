/* SPDX-License-Identifier: Apache-2.0
 * This process as one of several nodes on one database: its row, and the files that other nodes are
 * done with. */
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "arena.h"

#include "store_node.h"

#include "delivery.h"

#include "service_private.h"
#include "version.h"

#define SPOOL_SWEEP_US (10 * US_PER_MINUTE)

void node_announce(struct service *service)
{
	static const char *const roles[] = {[SERVICE_COMMAND] = "command",
					    [SERVICE_ALL] = "all",
					    [SERVICE_API] = "api",
					    [SERVICE_WORKER] = "worker"};
	char name[256] = "";
	struct arena *arena = arena_new("node", 4096);
	struct error err = {0};
	gethostname(name, sizeof(name) - 1);
	const struct node_row node = {
		.name = str_of(name),
		.role = str_of(roles[service->role]),
		.address = str_of(service->base_url),
		.version = STR(POSTHORN_VERSION),
		.key_names = identity_key_names(service, arena),
	};
	if (store_node_tell(service->store, &node, &err) != ERR_NONE)
		LOG(&service->log, WARN, "node_not_told", log_str("error", str_of(err.text)));
	arena_free(&arena);
}

/* The process ends as if it had been told to, but with an error. */
static void end_for(struct service *service, const struct error *err)
{
	if (atomic_exchange(&service->must_end, true))
		return;
	LOG(&service->log, ERROR, "node_ends", log_str("error", str_of(err->text)));
	service->end_error = *err;
	kill(getpid(), SIGTERM);
}

static void beat(void *context)
{
	struct service *service = context;
	struct error err = {0};
	int64_t taken = 0;
	const enum err_kind kind = store_node_beat(service->store, &taken, &err);
	if (kind != ERR_NONE)
		LOG(&service->log, WARN, "node_not_heard", log_str("error", str_of(err.text)));
	if (kind == ERR_NOT_FOUND)
		node_announce(service);
	if (kind == ERR_CONFLICT)
		end_for(service, &err);
	if (taken == 0)
		return;
	LOG(&service->log, WARN, "work_of_dead_node_taken", log_int("accounts", taken));
	deliverer_wake(service->deliverer);
}

static void say_durability(struct service *service)
{
	struct str why = {0};
	struct arena *arena = arena_new("durability", 4096);
	if (store_durability(service->store, arena, &why, NULL) == ERR_NONE && !str_is_empty(why))
		LOG(&service->log, WARN, "database_not_durable", log_str("why", why));
	arena_free(&arena);
}

enum err_kind node_open(struct service *service, struct error *err)
{
	if (!store_is_shared(service->store))
		return ERR_NONE;
	node_announce(service);
	say_durability(service);
	service->sweeper = (struct spool_sweeper){
		.spool = service->spool,
		.store = service->store,
		.clock = store_clock(service->store),
		.every_us =
			SPOOL_SWEEP_US / settings_number(service->settings, SETTING_ID_time_scale),
	};
	spool_sweeper_add(&service->sweeper, service->engine);
	return heartbeat_start(NODE_BEAT_MS, beat, service, &service->node_heartbeat, err);
}

void node_close(struct service *service)
{
	heartbeat_stop(&service->node_heartbeat);
}
