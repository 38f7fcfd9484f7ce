/* SPDX-License-Identifier: Apache-2.0
 * The admin API as a whole: its table of routes, and the state that all handlers share. */
#include "admin_private.h"

#include <stdlib.h>

#include "count_of.h"

#include "backoff.h"
#include "password_pool.h"
#include "refusals.h"

/* 38 MiB and two cores' worth of work at most, one of which is for those we know; who waits waits
 * for 8 others, about 200 ms. */
#define PASSWORDS_AT_ONCE 2
#define PASSWORDS_WAITING_MAX 8

/* ---- the table ---- */

static const struct admin_route table[] = {
#define ADMIN_ROUTE(method, path, where, who, has_body, handler, summary, action, view) \
	{#method,       "/admin" path,   "/dashboard/api" path, \
	 WHERE_##where, PRINCIPAL_##who, has_body, \
	 handler,       summary,         action, \
	 view},
#include "admin_routes.def"
#undef ADMIN_ROUTE
};

const struct admin_route *admin_routes(size_t *count_out)
{
	*count_out = COUNT_OF(table);
	return table;
}

enum err_kind admin_add_routes(struct http_router *router, enum route_where where,
			       struct error *err)
{
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < COUNT_OF(table) && kind == ERR_NONE; i++) {
		const struct admin_route *row = &table[i];
		const struct http_route route = {
			.method = row->method,
			.pattern = where == WHERE_WEB ? row->web_path : row->control_path,
			.handler = row->action[0] != '\0' ? admin_audit_serve : row->handler,
			.body_max_bytes = REQUEST_ADMIN_MAX_BYTES,
			.body_mode = row->has_body ? HTTP_BODY_MEMORY : HTTP_BODY_NONE,
			.tag = row,
		};
		if ((row->where & where) != 0)
			kind = http_router_add(router, &route, 1, err);
	}
	return kind;
}

/* ---- making it ---- */

enum err_kind admin_new(const struct admin_config *config, struct admin **admin_out,
			struct error *err)
{
	struct admin *admin = calloc(1, sizeof(*admin));
	*admin_out = NULL;
	if (admin == NULL)
		return error_set(err, ERR_INTERNAL, "no memory for the admin API");
	admin->config = *config;
	admin->passwords = password_pool_new(PASSWORDS_AT_ONCE, PASSWORDS_WAITING_MAX);
	admin->backoff = backoff_new(config->clock);
	admin->refusals = refusals_new(config->store, config->clock);
	const struct http_router_config router_config = {
		.context = admin,
		.render_fault = admin_respond_fault,
		.response_max_bytes = ADMIN_ANSWER_MAX_BYTES,
	};
	enum err_kind kind = http_router_new(&router_config, &admin->router, err);
	if (kind == ERR_NONE)
		kind = admin_add_routes(admin->router, WHERE_CONTROL, err);
	if (kind == ERR_NONE &&
	    (admin->passwords == NULL || admin->backoff == NULL || admin->refusals == NULL))
		kind = error_set(err, ERR_INTERNAL, "no memory for the admin API");
	if (kind != ERR_NONE)
		admin_free(&admin);
	*admin_out = admin;
	return kind;
}

void admin_free(struct admin **admin)
{
	if (*admin == NULL)
		return;
	http_router_free(&(*admin)->router);
	http_router_free(&(*admin)->web_router);
	password_pool_free(&(*admin)->passwords);
	backoff_free(&(*admin)->backoff);
	refusals_free(&(*admin)->refusals);
	free(*admin);
	*admin = NULL;
}

struct http_router *admin_router(struct admin *admin)
{
	return admin->router;
}
