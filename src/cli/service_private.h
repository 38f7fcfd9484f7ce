/* SPDX-License-Identifier: Apache-2.0
 * The service's parts, shared by the files of the service: service.c opens and closes them,
 * guarding.c, health.c and node.c are parts with more to them. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "clock.h"

#include "platform.h"

#include "store.h"

#include "hosted.h"

#include "crash_point.h"
#include "heartbeat.h"
#include "service.h"
#include "spool_sweeper.h"

struct admin;
struct api;
struct api_gauges;
struct connector;
struct delivery_work;
struct deliverer;
struct engine;
struct guard;
struct httpd;
struct seal;
struct spool;
struct transfer_curl;
struct webhooker;

/* of a URL from the settings, or "http://" and the address we listen on */
#define SERVICE_URL_BYTES (SETTINGS_URL_MAX_BYTES + 1)

struct service {
	const struct settings *settings;
	struct log log;
	struct arena *arena; /* paths: as long as the service */
	const char *data;
	enum service_role role;
	size_t opened; /* rows of service.c's table of parts */
	/* Others keep a pointer to these three: a free port is filled in after they were given
	 * it. */
	char public_url[SERVICE_URL_BYTES];
	char media_url[SERVICE_URL_BYTES];
	char base_url[SERVICE_URL_BYTES];
	struct platform_settings platform_settings;
	struct seal *seal;
	struct store *store;
	struct guard *guard;
	struct spool *spool;
	struct hosted hosted;
	struct spool_sweeper sweeper;
	struct transfer_curl *curl;
	struct engine *engine;
	/* Never run: takes the sources of a node that leaves deliveries to others. */
	struct engine *idle_engine;
	struct connector *connector;
	struct deliverer *deliverer;
	struct webhooker *webhooker;
	struct api *api;
	struct admin *admin;
	struct httpd *httpd;
	struct httpd *control;
	struct http_router *worker_router;
	struct crash_point crash_point;
	struct heartbeat *guard_heartbeat;
	struct heartbeat *node_heartbeat;
	bool is_guarded;
	int poison_fd;
	pthread_t engine_thread;
	bool has_engine_thread;
};

/* "DATA/NAME", as long as the service. */
static inline const char *service_path(const struct service *service, const char *name)
{
	return str_z(service->arena, str_format(service->arena, "%s/%s", service->data, name));
}

/* ---- service.c, for its test ---- */

/* How the world reaches a service at base_url: the public-url setting, else base_url, with loopback
 * in place of an any-address such as 0.0.0.0. In arena. */
struct str service_public_url(const struct settings *settings, struct arena *arena,
			      struct str base_url);

/* ---- guarding.c: the restore guard and the quarantine ---- */

/* Was the database restored from a backup? Holds what is due then, and raises the epoch from now
 * on. Before anything is delivered. */
enum err_kind guarding_open_epoch(struct service *service, struct error *err);
/* Raises the epoch once more. The store is still open. */
void guarding_close_epoch(struct service *service);
/* Sets aside the deliveries that stopped the service again and again, and begins to note those that
 * stop it from now on. */
enum err_kind guarding_open_quarantine(struct service *service, struct error *err);
void guarding_close_quarantine(struct service *service);
/* deliverer_config.stepping; context is the service. */
void guarding_note_step(void *context, const struct delivery_work *work);

/* ---- health.c: what readiness and metrics ask; context is the service ---- */

bool health_has_disk_room(void *context);
/* api_config.is_ready: fills reason and returns false when the service is not fit for work. */
bool health_is_ready(void *context, char *reason, size_t reason_size);
int64_t health_held_count(void *context);
void health_read_gauges(void *context, struct api_gauges *out);

/* ---- node.c: this process as one of several on one database ---- */

/* Adds our row and renews it from now on. Does nothing where the database is ours alone. */
enum err_kind node_open(struct service *service, struct error *err);
void node_close(struct service *service);
/* Writes our row with the address we are reached at now. */
void node_announce(struct service *service);
