/* SPDX-License-Identifier: Apache-2.0
 * The service put together: every layer opened in order, wired by their ports, and closed in
 * reverse. `serve` opens it with its listeners; the command line opens it without them when no
 * service runs, so that both go the same way. */
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

/* What of the service runs. The last two are for a database with several nodes (docs/postgres.md);
 * with another they are INVALID. */
enum service_role {
	SERVICE_COMMAND, /* for one call of the admin API: claims no deliveries, listens nowhere */
	SERVICE_ALL,
	SERVICE_API,   /* takes posts, and leaves them to the workers */
	SERVICE_WORKER /* delivers; answers /healthz, /readyz, /metrics and /media alone */
};

/* Makes DATA (0700), opens key, store, spool, transport, engine; starts the engine's thread.
 * CONFLICT: another service owns DATA. */
enum err_kind service_open(const struct settings *settings, enum service_role role,
			   struct service **service_out, struct error *err);
/* Opens the listener and the control socket. */
enum err_kind service_listen(struct service *service, struct error *err);
/* "http://127.0.0.1:8080" */
const char *service_base_url(const struct service *service);
const struct log *service_log(const struct service *service);
/* Where the first admin is made, while there is none; else empty. After service_listen(). */
struct str service_setup_link(struct service *service);
struct http_router *service_admin_router(struct service *service);
/* Stops accepting, lets running calls end (bounded), stops the engine, closes everything, nulls. */
void service_close(struct service **service);

/* How the world reaches a service at base_url: the public-url setting, else base_url; who listens
 * anywhere is reached at loopback. */
struct str service_public_url(const struct settings *settings, struct arena *arena,
			      struct str base_url);
/* "DATA/control.sock" */
const char *service_control_path(const struct settings *settings);
/* The log as settings say. */
struct log service_make_log(const struct settings *settings);
