/* SPDX-License-Identifier: Apache-2.0
 * The service as a whole: opens the parts in order, connects them, and closes them in reverse.
 * `serve` opens it with its listeners; a command opens it without them when no service runs, so
 * that both take the same path. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "log.h"
#include "str.h"

#include "settings.h"

struct arena;
struct http_router;
struct service;

/* Which parts run. API and WORKER need a database with several nodes (docs/postgres.md): with
 * another service_open() returns INVALID. */
enum service_role {
	SERVICE_COMMAND, /* for one call of the admin API: delivers nothing, listens nowhere */
	SERVICE_ALL,
	SERVICE_API,   /* accepts posts, and leaves delivery to workers */
	SERVICE_WORKER /* delivers; serves only /healthz, /readyz and /media */
};

/* Makes DATA (0700) and opens every part but the listeners; with COMMAND also starts the engine's
 * thread. settings outlives the service. *service_out is set on NONE only. CONFLICT: another
 * process owns DATA; INVALID: a setting, with its name; others from the parts. Blocks on disk and
 * database. */
enum err_kind service_open(const struct settings *settings, enum service_role role,
			   struct service **service_out, struct error *err);
/* Opens the listener and the control socket, then starts the engine's thread. On an error the
 * caller still closes the service. */
enum err_kind service_listen(struct service *service, struct error *err);
/* Why the service asked the process to end, by SIGTERM to itself; NULL = it did not. */
const struct error *service_end_error(const struct service *service);
/* "http://127.0.0.1:8080": the address that is listened on; final after service_listen(). */
const char *service_base_url(const struct service *service);
/* The same of the listeners for the metrics and for the dashboard; NULL when there is none. */
const char *service_metrics_url(const struct service *service);
const char *service_dashboard_url(const struct service *service);
/* As browsers reach them: the API, and the dashboard. */
const char *service_public_address(const struct service *service);
const char *service_dashboard_address(const struct service *service);
/* The sandbox's page of all posts; NULL = real platforms. */
const char *service_feed_url(const struct service *service);
/* "live" or "sandbox". */
const char *service_mode(const struct service *service);
/* Can nobody sign in to the dashboard with a password yet? */
bool service_needs_setup(struct service *service);
/* A new URL that makes the first admin, good for ten minutes; empty when there is one. After
 * service_listen(). */
struct str service_setup_link(struct service *service);
struct http_router *service_admin_router(struct service *service);
/* Stops accepting, lets running requests end (10 s for each listener) and platform calls (20 s),
 * closes every part and sets the pointer to NULL; a NULL inside is fine. */
void service_close(struct service **service);

/* "DATA/control.sock" */
const char *service_control_path(const struct settings *settings);
/* The log that the settings describe, to standard error. */
struct log service_make_log(const struct settings *settings);
