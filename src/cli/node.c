/* SPDX-License-Identifier: Apache-2.0
 * This process as one of several nodes on one database: its row, and the files that other nodes are
 * done with. */
#include <unistd.h>

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
	struct error err = {0};
	gethostname(name, sizeof(name) - 1);
	const struct node_row node = {
		.name = str_of(name),
		.role = str_of(roles[service->role]),
		.address = str_of(service->base_url),
		.version = STR(POSTHORN_VERSION),
	};
	if (store_node_tell(service->store, &node, &err) != ERR_NONE)
		LOG(&service->log, WARN, "node_not_told", log_str("error", str_of(err.text)));
}

/* CONFLICT: our row belongs to another node now, or was lost with the newest part of the database:
 * it is made again. */
static void beat(void *context)
{
	struct service *service = context;
	struct error err = {0};
	int64_t taken = 0;
	const enum err_kind kind = store_node_beat(service->store, &taken, &err);
	if (kind != ERR_NONE)
		LOG(&service->log, WARN, "node_not_heard", log_str("error", str_of(err.text)));
	if (kind == ERR_CONFLICT)
		node_announce(service);
	if (taken == 0)
		return;
	LOG(&service->log, WARN, "work_of_dead_node_taken", log_int("accounts", taken));
	deliverer_wake(service->deliverer);
}

enum err_kind node_open(struct service *service, struct error *err)
{
	if (!store_is_shared(service->store))
		return ERR_NONE;
	node_announce(service);
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
