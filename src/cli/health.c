/* SPDX-License-Identifier: Apache-2.0
 * Is the service fit for work? Answers for /readyz, /metrics, the dashboard and the deliverer.
 * Nobody who asks waits for the store: a thread of its own asks it, every few seconds and when it
 * is woken, and what it found is the answer, as long as it is not too old. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "arena.h"
#include "count_of.h"
#include "thread.h"

#include "version_end.h"

#include "store_delivery.h"
#include "store_guard.h"

#include "spool.h"
#include "transfer_curl.h"

#include "engine.h"

#include "delivery.h"
#include "due.h"

#include "api.h"

#include "process_figures.h"
#include "service_private.h"
#include "test_apps.h"

/* design.md 5: a due delivery that has room to run is late after this */
#define LATE_US (60 * US_PER_S)
/* the engine polls every 5 s: when its last turn is this old, its thread hangs */
#define STUCK_US (60 * US_PER_S)
#define DISK_FREE_MIN_BYTES ((uint64_t)64 << 20)
/* Unasked; each probe is one small write. */
#define PROBE_EVERY_US (10 * US_PER_S)
/* What is found is good for this long; then the store hangs. */
#define FINDINGS_GOOD_US (15 * US_PER_S)
/* Younger findings are answered as they are; for newer ones a request waits this long. */
#define FRESH_US (100 * US_PER_MS)
#define WAIT_FRESH_US (500 * US_PER_MS)
#define STACK_BYTES ((size_t)512 << 10)
#define PROBE_ARENA_BYTES ((size_t)1 << 20)
#define GROUPS_ARENA_BYTES ((size_t)16 << 20)
#define ALARMS_MAX 32 /* apps on platforms that wait at a gate; more are not logged */
#define ID_MAX_BYTES 48
#define HOLDINGS_SHARE 20 /* one part of the time in so many */

struct findings {
	int64_t at_boot_us; /* when the probe ended */
	bool is_store_ok;
	int64_t held_count;
	int64_t oldest_due_us; /* of what has room to run; 0 = nothing is due */
	struct api_gate_wait waits[API_GATE_WAITS_MAX];
	size_t wait_count;
};

/* An app whose work waits late at a platform's gate. */
struct gate_alarm {
	char app_id[ID_MAX_BYTES];
	enum platform_id platform;
	bool is_seen; /* by this probe */
};

struct health {
	pthread_t thread;
	pthread_mutex_t lock;       /* of what follows, but for the thread's own */
	pthread_cond_t has_changed; /* something of what follows */
	bool is_stopping;
	bool is_wanted;
	bool is_figures_wanted; /* with the next probe */
	int64_t began_boot_us;  /* the probe under way, 0 = none */
	struct findings found;
	struct api_gauges gauges; /* what of them the store knows, and what belongs to it */
	int64_t gauges_boot_us;   /* when they were read */
	/* the thread's own */
	struct store_holdings holdings;
	int64_t holdings_next_boot_us; /* not read again before */
	struct gate_alarm alarms[ALARMS_MAX];
	size_t alarm_count;
};

static const struct clock *clock_of(const struct service *service)
{
	return store_clock(service->store);
}

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

bool health_is_turning(void *context)
{
	const struct service *service = context;
	const int64_t age_us =
		clock_boot_us(clock_of(service)) - engine_last_turn_boot_us(service->engine);
	return age_us <= STUCK_US;
}

bool health_may_claim(void *context)
{
	return health_has_key(context) && health_has_disk_room(context);
}

/* ---- the alarms of gates ---- */

static struct gate_alarm *alarm_find(struct health *health, const struct due_at_gate *wait)
{
	for (size_t i = 0; i < health->alarm_count; i++) {
		struct gate_alarm *alarm = &health->alarms[i];
		if (alarm->platform == wait->platform && str_equal_z(wait->app_id, alarm->app_id))
			return alarm;
	}
	return NULL;
}

static void alarm_log(const struct service *service, const struct gate_alarm *alarm,
		      const struct due_at_gate *wait)
{
	LOG(&service->log, WARN, "posts_wait_at_gate", log_str("app", str_of(alarm->app_id)),
	    log_str("platform", str_of(platform_id_slug(alarm->platform))),
	    log_str("reason", str_of(gate_reason_name(wait->closing.reason))),
	    log_int("accounts", wait->account_count));
}

static void alarm_note(struct service *service, const struct due_at_gate *wait, int64_t now_us)
{
	struct health *health = service->health;
	struct gate_alarm *alarm = alarm_find(health, wait);
	if (alarm != NULL)
		alarm->is_seen = true;
	if (alarm != NULL || now_us - wait->oldest_us <= LATE_US ||
	    health->alarm_count == ALARMS_MAX || wait->app_id.len >= ID_MAX_BYTES)
		return;
	alarm = &health->alarms[health->alarm_count++];
	*alarm = (struct gate_alarm){.platform = wait->platform, .is_seen = true};
	memcpy(alarm->app_id, wait->app_id.ptr, wait->app_id.len);
	alarm_log(service, alarm, wait);
}

/* One line when a wait is late, and one when it is over. */
static void note_alarms(struct service *service, const struct due_backlog *due, int64_t now_us)
{
	struct health *health = service->health;
	for (size_t i = 0; i < health->alarm_count; i++)
		health->alarms[i].is_seen = false;
	for (size_t i = 0; i < due->at_gate_count; i++)
		alarm_note(service, &due->at_gates[i], now_us);
	size_t kept = 0;
	for (size_t i = 0; i < health->alarm_count; i++) {
		const struct gate_alarm *alarm = &health->alarms[i];
		if (alarm->is_seen)
			health->alarms[kept++] = *alarm;
		else
			LOG(&service->log, INFO, "posts_wait_no_more",
			    log_str("app", str_of(alarm->app_id)),
			    log_str("platform", str_of(platform_id_slug(alarm->platform))));
	}
	health->alarm_count = kept;
}

/* ---- probing ---- */

static struct api_gate_wait *wait_of(struct findings *found, const struct due_at_gate *wait)
{
	for (size_t i = 0; i < found->wait_count; i++) {
		if (found->waits[i].platform == wait->platform &&
		    found->waits[i].reason == wait->closing.reason)
			return &found->waits[i];
	}
	if (found->wait_count == API_GATE_WAITS_MAX)
		return NULL;
	found->waits[found->wait_count] =
		(struct api_gate_wait){.platform = wait->platform, .reason = wait->closing.reason};
	return &found->waits[found->wait_count++];
}

static void take_due(struct findings *found, const struct due_backlog *due, int64_t now_us)
{
	found->oldest_due_us = due->oldest_us;
	for (size_t i = 0; i < due->at_gate_count; i++) {
		const struct due_at_gate *at_gate = &due->at_gates[i];
		struct api_gate_wait *wait = wait_of(found, at_gate);
		const int64_t late_us = now_us - at_gate->oldest_us;
		if (wait == NULL)
			continue;
		wait->account_count += at_gate->account_count;
		if (late_us > wait->late_us)
			wait->late_us = late_us;
	}
}

static int64_t count_held(struct service *service)
{
	int64_t asking = 0;
	int64_t held = 0;
	store_hold_count(service->store, HOLD_ASKING, &asking, NULL);
	store_hold_count(service->store, HOLD_HELD, &held, NULL);
	return asking + held;
}

static struct findings probe(struct service *service)
{
	struct findings found = {0};
	struct due_backlog due = {0};
	struct error err = {0};
	struct arena *arena = arena_new("health", PROBE_ARENA_BYTES);
	const int64_t now_us = clock_now_us(clock_of(service));
	enum err_kind kind = store_check(service->store, &err);
	if (kind == ERR_NONE)
		kind = due_list(service->store, service->deliverer, arena, now_us, &due, &err);
	found.is_store_ok = kind == ERR_NONE;
	if (found.is_store_ok) {
		take_due(&found, &due, now_us);
		note_alarms(service, &due, now_us);
		found.held_count = count_held(service);
	} else {
		/* /readyz is public, and this text may hold paths */
		LOG(&service->log, ERROR, "store_not_ready", log_str("error", str_of(err.text)));
	}
	arena_free(&arena);
	found.at_boot_us = clock_boot_us(clock_of(service));
	return found;
}

static int64_t late_us(const struct service *service, const struct findings *found)
{
	const struct due_backlog due = {.oldest_us = found->oldest_due_us};
	return due_late_us(&due, service->deliverer, clock_now_us(clock_of(service)));
}

/* They cost more the more accounts there are, so they are read the less often the longer it
 * takes. */
static enum err_kind renew_holdings(struct service *service, struct arena *arena, int64_t now_us,
				    struct error *err)
{
	struct health *health = service->health;
	const int64_t began_boot_us = clock_boot_us(clock_of(service));
	struct store_holdings holdings;
	if (began_boot_us < health->holdings_next_boot_us)
		return ERR_NONE;
	const enum err_kind kind =
		store_holdings_read(service->store, arena, now_us, &holdings, err);
	const int64_t ended_boot_us = clock_boot_us(clock_of(service));
	if (kind == ERR_NONE)
		health->holdings = holdings;
	health->holdings_next_boot_us =
		ended_boot_us + HOLDINGS_SHARE * (ended_boot_us - began_boot_us);
	return kind;
}

/* What is in flight is counted first: what ends meanwhile is among the published. */
static enum err_kind read_figures(struct service *service, const struct findings *found,
				  struct api_gauges *out, struct error *err)
{
	const int64_t now_us = clock_now_us(clock_of(service));
	*out = (struct api_gauges){
		.deliveries_in_flight = deliverer_in_flight(service->deliverer),
		.late_us = late_us(service, found),
		.gate_wait_count = found->wait_count,
	};
	memcpy(out->gate_waits, found->waits, sizeof(out->gate_waits));
	enum err_kind kind = store_figures_read(service->store, now_us, &out->figures, err);
	struct arena *arena = arena_new("waiting", GROUPS_ARENA_BYTES);
	if (kind == ERR_NONE)
		kind = due_waiting_count(service->store, service->deliverer, arena, now_us,
					 out->waiting, err);
	if (kind == ERR_NONE)
		kind = renew_holdings(service, arena, now_us, err);
	out->holdings = service->health->holdings;
	arena_free(&arena);
	return kind;
}

/* For a scrape that waits. What cannot be read leaves what was read before. */
static void renew_figures(struct service *service, const struct findings *found)
{
	struct health *health = service->health;
	struct api_gauges gauges;
	struct error err = {0};
	const int64_t began_boot_us = clock_boot_us(clock_of(service));
	if (!found->is_store_ok)
		return;
	if (read_figures(service, found, &gauges, &err) != ERR_NONE) {
		LOG(&service->log, WARN, "figures_not_read", log_str("error", str_of(err.text)));
		return;
	}
	pthread_mutex_lock(&health->lock);
	health->gauges = gauges;
	health->gauges_boot_us = began_boot_us;
	pthread_mutex_unlock(&health->lock);
}

/* Lock held. False: stopped. */
static bool wait_for_call(struct health *health)
{
	const struct timespec next = thread_deadline(PROBE_EVERY_US);
	while (!health->is_stopping && !health->is_wanted &&
	       thread_wait_until(&health->has_changed, &health->lock, &next))
		;
	return !health->is_stopping;
}

static void *run(void *argument)
{
	struct service *service = argument;
	struct health *health = service->health;
	pthread_mutex_lock(&health->lock);
	while (wait_for_call(health)) {
		const bool wants_figures = health->is_figures_wanted;
		health->is_wanted = false;
		health->is_figures_wanted = false;
		health->began_boot_us = clock_boot_us(clock_of(service));
		pthread_mutex_unlock(&health->lock);
		const struct findings found = probe(service);
		if (wants_figures)
			renew_figures(service, &found);
		pthread_mutex_lock(&health->lock);
		health->found = found;
		health->began_boot_us = 0;
		pthread_cond_broadcast(&health->has_changed);
	}
	pthread_mutex_unlock(&health->lock);
	return NULL;
}

static void release(struct service *service)
{
	pthread_cond_destroy(&service->health->has_changed);
	pthread_mutex_destroy(&service->health->lock);
	free(service->health);
	service->health = NULL;
}

enum err_kind health_open(struct service *service, struct error *err)
{
	const struct thread_config config = {
		.name = "health", .stack_bytes = STACK_BYTES, .run = run, .context = service};
	struct health *health = calloc(1, sizeof(*health));
	if (health == NULL)
		return error_set(err, ERR_TEMPORARY, "no memory for the health probe");
	enum err_kind kind = thread_condition_init(&health->lock, &health->has_changed, err);
	if (kind != ERR_NONE) {
		free(health);
		return kind;
	}
	service->health = health;
	health->found = probe(service);
	renew_figures(service, &health->found);
	kind = thread_start(&config, &health->thread, err);
	if (kind != ERR_NONE)
		release(service);
	return kind;
}

void health_close(struct service *service)
{
	if (service->health == NULL)
		return;
	pthread_mutex_lock(&service->health->lock);
	service->health->is_stopping = true;
	pthread_cond_broadcast(&service->health->has_changed);
	pthread_mutex_unlock(&service->health->lock);
	pthread_join(service->health->thread, NULL);
	release(service);
}

/* ---- answers ---- */

/* The newest findings: those of a probe that this call may start, if it ends soon. A probe that
 * hangs is waited for once. */
static struct findings newest(const struct service *service)
{
	struct health *health = service->health;
	const struct timespec until = thread_deadline(WAIT_FRESH_US);
	pthread_mutex_lock(&health->lock);
	const int64_t boot_us = clock_boot_us(clock_of(service));
	const bool hangs =
		health->began_boot_us != 0 && boot_us - health->began_boot_us >= WAIT_FRESH_US / 2;
	const int64_t fresh_us = hangs ? 0 : boot_us - FRESH_US;
	if (health->found.at_boot_us < fresh_us) {
		health->is_wanted = true;
		pthread_cond_broadcast(&health->has_changed);
	}
	while (health->found.at_boot_us < fresh_us &&
	       thread_wait_until(&health->has_changed, &health->lock, &until))
		;
	const struct findings found = health->found;
	pthread_mutex_unlock(&health->lock);
	return found;
}

static void judge(struct service *service, const struct findings *found, char *reason,
		  size_t reason_size)
{
	const int64_t boot_us = clock_boot_us(clock_of(service));
	const int64_t age_us = boot_us - found->at_boot_us;
	reason[0] = '\0';
	if (age_us > FINDINGS_GOOD_US)
		snprintf(reason, reason_size, "the store has not answered for %lld s",
			 (long long)(age_us / US_PER_S));
	else if (!found->is_store_ok)
		snprintf(reason, reason_size, "the store does not work");
	else if (store_is_damaged(service->store))
		snprintf(reason, reason_size, "the database is damaged");
	else if (!health_has_key(service))
		snprintf(reason, reason_size, "stored secrets need another master key");
	else if (!health_has_disk_room(service))
		snprintf(reason, reason_size, "the disk of the data directory is full");
	else if (!health_is_turning(service))
		snprintf(reason, reason_size, "the delivery engine does not turn");
}

bool health_is_ready(void *context, char *reason, size_t reason_size)
{
	struct service *service = context;
	const struct findings found = newest(service);
	judge(service, &found, reason, reason_size);
	return reason[0] == '\0';
}

/* A readiness that does not see a stuck queue is worth nothing (rules.md 0 fact 10). */
bool health_is_delivering(void *context, char *reason, size_t reason_size)
{
	struct service *service = context;
	const struct findings found = newest(service);
	judge(service, &found, reason, reason_size);
	const int64_t late = late_us(service, &found);
	if (reason[0] == '\0' && late > LATE_US)
		snprintf(reason, reason_size,
			 "the oldest due post that has room to run is %lld s late",
			 (long long)(late / US_PER_S));
	return reason[0] == '\0';
}

int64_t health_held_count(void *context)
{
	return newest(context).held_count;
}

void health_media_use(void *context, struct str app_id, int64_t *bytes_out, int64_t *files_out)
{
	const struct service *service = context;
	spool_share_use(service->spool, app_id, bytes_out, files_out);
	*bytes_out += test_apps_bytes(service, app_id);
}

/* Lock held. As newest(), of the figures. */
static void wait_for_figures(struct service *service)
{
	struct health *health = service->health;
	const struct timespec until = thread_deadline(WAIT_FRESH_US);
	const int64_t boot_us = clock_boot_us(clock_of(service));
	const int64_t fresh_us = boot_us - FRESH_US;
	if (health->began_boot_us != 0 && boot_us - health->began_boot_us >= WAIT_FRESH_US / 2)
		return;
	if (health->gauges_boot_us < fresh_us) {
		health->is_wanted = true;
		health->is_figures_wanted = true;
		pthread_cond_broadcast(&health->has_changed);
	}
	while (health->gauges_boot_us < fresh_us &&
	       thread_wait_until(&health->has_changed, &health->lock, &until))
		;
}

static const char *const pool_names[] = {
	[TRANSFER_PLATFORM] = "platforms",
	[TRANSFER_MEDIA] = "media",
	[TRANSFER_WEBHOOK] = "webhooks",
};
static_assert(API_CALL_KINDS == ENGINE_CALL_KINDS, "the API knows the kinds of calls");
static_assert(COUNT_OF(pool_names) == API_POOLS_MAX, "every pool has a name");

static void read_pools(const struct service *service, struct api_gauges *out)
{
	for (size_t i = 0; i < COUNT_OF(pool_names); i++) {
		const struct transfer_figures figures =
			transfer_curl_figures(service->curl, (enum transfer_pool)i);
		out->pools[i] = (struct api_pool){pool_names[i], figures.running, figures.waiting,
						  figures.oldest_wait_us};
	}
}

static void read_version_ends(const struct service *service, struct api_gauges *out)
{
	struct version_end ends[VERSION_ENDS_MAX];
	const size_t count = version_ends(&service->platform_settings, ends);
	for (size_t i = 0; i < count && i < COUNT_OF(out->version_ends); i++) {
		out->version_ends[i].setting = ends[i].setting;
		out->version_ends[i].ends_at_us = ends[i].ends_at_us;
		snprintf(out->version_ends[i].version, sizeof(out->version_ends[i].version),
			 STR_FMT, STR_ARG(ends[i].version));
	}
}

static void read_histograms(const struct service *service, struct api_gauges *out)
{
	for (size_t i = 0; i < PLATFORM_ID_MAX; i++) {
		const enum platform_id platform = (enum platform_id)(i + 1);
		out->lateness[i] = deliverer_lateness(service->deliverer, platform);
		for (size_t kind = 0; kind < API_CALL_KINDS; kind++)
			out->calls[i][kind] =
				engine_calls(service->engine, platform, (enum call_kind)kind);
	}
}

void health_read_gauges(void *context, struct api_gauges *out)
{
	struct service *service = context;
	struct health *health = service->health;
	const struct engine_figures engine = engine_figures(service->engine);
	struct statvfs disk;
	pthread_mutex_lock(&health->lock);
	wait_for_figures(service);
	*out = health->gauges;
	out->figures_age_us = clock_boot_us(clock_of(service)) - health->gauges_boot_us;
	pthread_mutex_unlock(&health->lock);
	out->engine_turns = engine.turns;
	out->engine_tasks = engine.tasks;
	out->engine_turn_age_us = clock_boot_us(clock_of(service)) - engine.last_turn_boot_us;
	out->spool_bytes = spool_used_bytes(service->spool);
	out->spool_budget_bytes = settings_number(service->settings, SETTING_ID_spool_budget);
	read_pools(service, out);
	read_histograms(service, out);
	read_version_ends(service, out);
	process_figures_read(&out->process);
	if (statvfs(service->data, &disk) == 0)
		out->disk_free_bytes = (int64_t)(disk.f_bavail * disk.f_frsize);
}
