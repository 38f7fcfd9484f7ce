/* SPDX-License-Identifier: Apache-2.0
 * Is the service fit for work? Answers for /readyz, /metrics, the dashboard and the deliverer. */
#include <sys/statvfs.h>

#include "store_delivery.h"
#include "store_guard.h"

#include "spool.h"

#include "engine.h"

#include "delivery.h"

#include "api.h"

#include "service_private.h"

/* design.md 5: /readyz fails when the oldest due delivery is later than this */
#define LATE_US (60 * US_PER_S)
/* the engine polls every 5 s: when its last turn is this old, its thread hangs */
#define STUCK_US (60 * US_PER_S)
#define DISK_FREE_MIN_BYTES ((uint64_t)64 << 20)

bool health_has_disk_room(void *context)
{
	const struct service *service = context;
	struct statvfs disk;
	return statvfs(service->data, &disk) != 0 ||
	       (uint64_t)disk.f_bavail * disk.f_frsize >= DISK_FREE_MIN_BYTES;
}

bool health_has_key(void *context)
{
	const struct service *service = context;
	return !atomic_load(&service->is_key_other);
}

bool health_may_claim(void *context)
{
	return health_has_key(context) && health_has_disk_room(context);
}

/* A readiness that does not see a stuck queue is worth nothing (rules.md 0 fact 10). */
bool health_is_ready(void *context, char *reason, size_t reason_size)
{
	struct service *service = context;
	struct error err = {0};
	const int64_t now_us = clock_now_us(store_clock(service->store));
	int64_t oldest_due_us = 0;
	reason[0] = '\0';
	if (store_check(service->store, &err) != ERR_NONE ||
	    store_delivery_oldest_due(service->store, now_us, &oldest_due_us, &err) != ERR_NONE) {
		/* the reason is public, and this text may hold paths */
		LOG(&service->log, ERROR, "store_not_ready", log_str("error", str_of(err.text)));
		snprintf(reason, reason_size, "the store does not work");
	} else if (store_is_damaged(service->store))
		snprintf(reason, reason_size, "the database is damaged");
	else if (!health_has_key(service))
		snprintf(reason, reason_size, "stored secrets need another master key");
	else if (!health_has_disk_room(service))
		snprintf(reason, reason_size, "the disk of the data directory is full");
	else if (clock_boot_us(store_clock(service->store)) -
			 engine_last_turn_boot_us(service->engine) >
		 STUCK_US)
		snprintf(reason, reason_size, "the delivery engine does not turn");
	else if (service->role != SERVICE_API && oldest_due_us != 0 &&
		 now_us - oldest_due_us > LATE_US)
		snprintf(reason, reason_size, "the oldest due post is %lld s late",
			 (long long)((now_us - oldest_due_us) / US_PER_S));
	return reason[0] == '\0';
}

int64_t health_held_count(void *context)
{
	struct service *service = context;
	int64_t asking = 0;
	int64_t held = 0;
	store_hold_count(service->store, HOLD_ASKING, &asking, NULL);
	store_hold_count(service->store, HOLD_HELD, &held, NULL);
	return asking + held;
}

void health_read_gauges(void *context, struct api_gauges *out)
{
	const struct service *service = context;
	const struct engine_figures engine = engine_figures(service->engine);
	struct statvfs disk;
	*out = (struct api_gauges){
		.deliveries_in_flight = deliverer_in_flight(service->deliverer),
		.engine_turns = engine.turns,
		.engine_tasks = engine.tasks,
		.engine_turn_age_us =
			clock_boot_us(store_clock(service->store)) - engine.last_turn_boot_us,
		.spool_bytes = spool_used_bytes(service->spool),
		.spool_budget_bytes = settings_number(service->settings, SETTING_ID_spool_budget),
	};
	if (statvfs(service->data, &disk) == 0)
		out->disk_free_bytes = (int64_t)(disk.f_bavail * disk.f_frsize);
}
