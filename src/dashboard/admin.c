/* SPDX-License-Identifier: Apache-2.0
 * What both doors of the admin API share: the table of routes, bodies, errors. */
#include "admin_private.h"

#include <stdio.h>
#include <stdlib.h>

#include "count_of.h"

#include "token.h"

#include "backoff.h"
#include "password_pool.h"

#define SETUP_TOKEN_CHARACTERS 43 /* 256 bits and 2 more */
/* Two cores' worth of work and 38 MiB at most; who waits waits for 8 others, about 100 ms. */
#define PASSWORDS_AT_ONCE 2
#define PASSWORDS_WAITING_MAX 8

void admin_respond_error(struct http_response *response, int status, const char *code,
			 struct str message)
{
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, status));
	json_begin_object(&w);
	json_member_str(&w, "message", message);
	json_member_str(&w, "error", str_of(code));
	json_end_object(&w);
}

void admin_respond_field_error(struct http_response *response, const char *field,
			       struct str message)
{
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 422));
	json_begin_object(&w);
	json_member_str(&w, "message", message);
	json_member_str(&w, "error", STR("VALIDATION_ERROR"));
	json_key(&w, "errors");
	json_begin_object(&w);
	json_key(&w, field);
	json_begin_array(&w);
	json_put_str(&w, message);
	json_end_array(&w);
	json_end_object(&w);
	json_end_object(&w);
}

void admin_respond_wait(struct http_response *response, int status, const char *code,
			struct str message, int64_t wait_us)
{
	const int64_t wait_s = (wait_us + US_PER_S - 1) / US_PER_S;
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, status));
	json_begin_object(&w);
	json_member_str(&w, "message", message);
	json_member_str(&w, "error", str_of(code));
	json_key(&w, "details");
	json_begin_object(&w);
	json_member_int(&w, "retry_after_s", wait_s);
	json_end_object(&w);
	json_end_object(&w);
	http_response_header(response, "Retry-After",
			     str_format(response->arena, "%lld", (long long)wait_s));
}

void admin_respond_failure(struct http_response *response, enum err_kind kind,
			   const struct error *err, const char *what)
{
	struct arena *arena = response->arena;
	switch (kind) {
	case ERR_NOT_FOUND:
		admin_respond_error(response, 404, "NOT_FOUND",
				    str_format(arena, "There is no such %s.", what));
		return;
	case ERR_CONFLICT:
		admin_respond_error(
			response, 409, "CONFLICT",
			str_format(arena, "This %s is there already, or was changed meanwhile.",
				   what));
		return;
	case ERR_INVALID:
		admin_respond_error(response, 422, "VALIDATION_ERROR", str_of(err->text));
		return;
	case ERR_TEMPORARY:
		http_response_header(response, "Retry-After", STR("1"));
		admin_respond_error(response, 503, "UNAVAILABLE", str_of(err->text));
		return;
	case ERR_NONE:
	case ERR_AUTH:
	case ERR_FORBIDDEN:
	case ERR_TOO_LARGE:
	case ERR_LIMITED:
	case ERR_UNCERTAIN:
	case ERR_INTERNAL:
	case ERR_KIND_COUNT:
		break;
	}
	admin_respond_error(response, 500, "INTERNAL_ERROR", str_of(err->text));
}

const struct json *admin_body(struct http_request *request, struct http_response *response)
{
	const struct json *body = NULL;
	struct error err = {0};
	if (json_parse(request->arena, request->body, NULL, &body, NULL, &err) != ERR_NONE) {
		admin_respond_error(response, 400, "MALFORMED_JSON", str_of(err.text));
		return NULL;
	}
	if (json_is(body, JSON_TYPE_OBJECT))
		return body;
	admin_respond_error(response, 422, "VALIDATION_ERROR",
			    STR("The body must be a JSON object."));
	return NULL;
}

bool admin_text(struct http_response *response, const struct json *body, const char *name,
		size_t max_bytes, struct str *out)
{
	struct str value = json_string(json_get(body, name));
	*out = value;
	if (value.len >= 1 && value.len <= max_bytes && !str_has_control(value))
		return true;
	admin_respond_field_error(
		response, name,
		str_format(response->arena,
			   "%s must be a text of 1 to %zu bytes without control characters.", name,
			   max_bytes));
	return false;
}

bool admin_find_app(struct admin *admin, struct http_request *request,
		    struct http_response *response, struct app_row *app)
{
	const struct caller *caller = request_caller(request);
	struct error err = {0};
	if (caller != NULL && caller->has_app) {
		*app = caller->app;
		return true;
	}
	enum err_kind kind =
		store_app_find_by_client_id(admin->config.store, request->arena,
					    http_request_capture(request, "client_id"), app, &err);
	if (kind != ERR_NONE)
		admin_respond_failure(response, kind, &err, "app");
	return kind == ERR_NONE;
}

void admin_render_fault(void *context, enum http_fault fault, const struct http_request *request,
			struct http_response *response)
{
	(void)context, (void)request;
	static const struct {
		int status;
		const char *code;
	} answers[] = {
		[HTTP_FAULT_NOT_FOUND] = {404, "NOT_FOUND"},
		[HTTP_FAULT_METHOD_NOT_ALLOWED] = {405, "METHOD_NOT_ALLOWED"},
		[HTTP_FAULT_BODY_TOO_LARGE] = {413, "PAYLOAD_TOO_LARGE"},
		[HTTP_FAULT_HEADERS_TOO_LARGE] = {431, "HEADERS_TOO_LARGE"},
		[HTTP_FAULT_BAD_REQUEST] = {400, "BAD_REQUEST"},
		[HTTP_FAULT_INTERNAL] = {500, "INTERNAL_ERROR"},
		[HTTP_FAULT_UNAVAILABLE] = {503, "UNAVAILABLE"},
	};
	admin_respond_error(response, answers[fault].status, answers[fault].code,
			    STR("The admin API cannot do this."));
}

/* ---- the table ---- */

static const struct admin_route table[] = {
#define ADMIN_ROUTE(method, path, where, who, has_body, handler, summary) \
	{#method, "/admin" path, "/dashboard/api" path, WHERE_##where, PRINCIPAL_##who, has_body, \
	 handler, summary},
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
			.handler = row->handler,
			.body_max_bytes = ADMIN_BODY_MAX_BYTES,
			.body_mode = row->has_body ? HTTP_BODY_MEMORY : HTTP_BODY_NONE,
			.tag = row,
		};
		if ((row->where & where) != 0)
			kind = http_router_add(router, &route, 1, err);
	}
	return kind;
}

/* ---- making it ---- */

static void make_setup_token(struct admin *admin)
{
	struct arena *arena = arena_new("setup token", 4096);
	const struct str token =
		token_random(arena, admin->config.random, "", SETUP_TOKEN_CHARACTERS);
	snprintf(admin->setup_token, sizeof(admin->setup_token), STR_FMT, STR_ARG(token));
	admin->setup_digest = digest_token(token);
	arena_free(&arena);
}

enum err_kind admin_new(const struct admin_config *config, struct admin **admin_out,
			struct error *err)
{
	struct admin *admin = calloc(1, sizeof(*admin));
	if (admin == NULL)
		return error_set(err, ERR_INTERNAL, "no memory for the admin API");
	admin->config = *config;
	admin->passwords = password_pool_new(PASSWORDS_AT_ONCE, PASSWORDS_WAITING_MAX);
	admin->backoff = backoff_new(config->clock);
	make_setup_token(admin);
	const struct http_router_config router_config = {
		.context = admin,
		.render_fault = admin_render_fault,
		.response_max_bytes = ADMIN_ANSWER_MAX_BYTES,
	};
	enum err_kind kind = http_router_new(&router_config, &admin->router, err);
	if (kind == ERR_NONE)
		kind = admin_add_routes(admin->router, WHERE_CONTROL, err);
	if (kind == ERR_NONE && (admin->passwords == NULL || admin->backoff == NULL))
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
	free(*admin);
	*admin = NULL;
}

struct http_router *admin_router(struct admin *admin)
{
	return admin->router;
}
