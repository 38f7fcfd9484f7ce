/* SPDX-License-Identifier: Apache-2.0
 * The admin API: what an operator or app owner does before the first call of the public API. JSON
 * over HTTP, served on the control socket (DATA/control.sock, 0600: who may open the file may do
 * everything) and dispatched directly by the command line while the service is down, so that
 * `posthorn app|credential|admin` has one code path. Whether a caller may is decided by who holds
 * the router: no check here. */
#pragma once

#include "err.h"

#include "http.h"

struct admin;
struct clock;
struct connector;
struct log;
struct random_source;
struct seal;
struct store;

struct admin_config {
	struct store *store;
	struct seal *seal;
	struct connector *connector;
	const struct clock *clock;
	const struct random_source *random;
	const struct log *log;
};

enum err_kind admin_new(const struct admin_config *config, struct admin **admin_out,
			struct error *err);
void admin_free(struct admin **admin);
struct http_router *admin_router(struct admin *admin);
