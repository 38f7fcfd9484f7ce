/* SPDX-License-Identifier: Apache-2.0
 * Guards against doing harm twice: the restore guard (store_guard.h), and the quarantine of
 * deliveries that stop the program (poison.h). */
#include <unistd.h>

#include "arena.h"
#include "random.h"

#include "store_delivery.h"
#include "store_guard.h"

#include "delivery.h"

#include "fatal.h"
#include "poison.h"
#include "service_private.h"

#define BEAT_MS 60000 /* rules.md 2.6: the epoch is raised every minute */
#define POISON_ARENA_MAX_BYTES ((size_t)1 << 20)

/* ---- the restore guard ---- */

static void raise_epoch(void *context)
{
	struct service *service = context;
	struct error err = {0};
	if (store_guard_beat(service->store, clock_now_us(store_clock(service->store)), &err) !=
	    ERR_NONE)
		LOG(&service->log, WARN, "epoch_not_raised", log_str("error", str_of(err.text)));
}

enum err_kind guarding_open_epoch(struct service *service, struct error *err)
{
	struct guard_start start = {0};
	const int64_t lineage = (int64_t)random_below(random_system(), (uint64_t)INT64_MAX) + 1;
	const enum err_kind kind = store_guard_start(
		service->store, lineage, clock_now_us(store_clock(service->store)), &start, err);
	if (kind != ERR_NONE)
		return error_add(err, "epoch");
	service->is_guarded = true;
	if (epoch_means_restore(start.finding))
		LOG(&service->log, WARN, "database_restored",
		    log_str("why", str_of(epoch_sentence(start.finding))),
		    log_int("deliveries_held", start.marked_count));
	if (start.look_count > 0)
		LOG(&service->log, WARN, "unclean_end",
		    log_str("why", STR("the last run was not stopped, and ended minutes ago")),
		    log_int("deliveries_looked_for", start.look_count));
	return heartbeat_start(BEAT_MS, raise_epoch, service, &service->guard_heartbeat, err);
}

void guarding_close_epoch(struct service *service)
{
	struct error err = {0};
	heartbeat_stop(&service->guard_heartbeat);
	if (!service->is_guarded)
		return;
	/* from here on, a copy made while we ran is the older one */
	if (store_guard_end(service->store, clock_now_us(store_clock(service->store)), &err) !=
	    ERR_NONE)
		LOG(&service->log, WARN, "epoch_not_raised", log_str("error", str_of(err.text)));
}

/* ---- the quarantine ---- */

static bool set_aside(void *context, struct str delivery_id)
{
	struct service *service = context;
	struct error err = {0};
	bool is_marked = false;
	if (store_hold_poison(service->store, delivery_id, &is_marked, &err) != ERR_NONE)
		return false;
	if (is_marked)
		LOG(&service->log, ERROR, "delivery_set_aside", log_str("delivery", delivery_id),
		    log_str("why", STR("it stopped the service three times")));
	return true;
}

enum err_kind guarding_open_quarantine(struct service *service, struct error *err)
{
	const char *directory = service_path(service, "poison");
	struct arena *arena = arena_new("poison", POISON_ARENA_MAX_BYTES);
	enum err_kind kind = poison_sweep(arena, directory, set_aside, service, err);
	if (kind == ERR_NONE)
		kind = poison_open(arena, directory, &service->poison_fd, err);
	arena_free(&arena);
	if (kind == ERR_NONE)
		fatal_install(service->poison_fd);
	return kind;
}

void guarding_close_quarantine(struct service *service)
{
	if (service->poison_fd < 0)
		return;
	fatal_install(-1);
	close(service->poison_fd);
	service->poison_fd = -1;
}

void guarding_note_step(void *context, const struct delivery_work *work)
{
	const struct service *service = context;
	fatal_set_delivery(work != NULL ? work->id : STR(""));
	crash_point_step(&service->crash_point, work);
}
