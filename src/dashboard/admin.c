/* SPDX-License-Identifier: Apache-2.0
 * The admin API's frame: routes, bodies, errors. */
#include "admin_private.h"

#include <stdlib.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define BODY_MAX_BYTES 65536
#define ANSWER_MAX_BYTES ((size_t)8 << 20)

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
	admin_respond_error(
		response, 422, "VALIDATION_ERROR",
		str_format(response->arena,
			   "%s must be a text of 1 to %zu bytes without control characters.", name,
			   max_bytes));
	return false;
}

bool admin_find_app(struct admin *admin, struct http_request *request,
		    struct http_response *response, struct app_row *app)
{
	struct error err = {0};
	enum err_kind kind =
		store_app_find_by_client_id(admin->config.store, request->arena,
					    http_request_capture(request, "client_id"), app, &err);
	if (kind != ERR_NONE)
		admin_respond_failure(response, kind, &err, "app");
	return kind == ERR_NONE;
}

static void render_fault(void *context, enum http_fault fault, const struct http_request *request,
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

static const struct http_route routes[] = {
#define ADMIN_ROUTE(name, path, has_body, function, summary)                                       \
	{.method = #name,                                                                          \
	 .pattern = path,                                                                          \
	 .handler = function,                                                                      \
	 .body_max_bytes = BODY_MAX_BYTES,                                                         \
	 .body_mode = (has_body) ? HTTP_BODY_MEMORY : HTTP_BODY_NONE},
#include "admin_routes.def"
#undef ADMIN_ROUTE
};

enum err_kind admin_new(const struct admin_config *config, struct admin **admin_out,
			struct error *err)
{
	struct admin *admin = calloc(1, sizeof(*admin));
	if (admin == NULL)
		return error_set(err, ERR_INTERNAL, "no memory for the admin API");
	admin->config = *config;
	const struct http_router_config router_config = {
		.context = admin,
		.render_fault = render_fault,
		.response_max_bytes = ANSWER_MAX_BYTES,
	};
	enum err_kind kind = http_router_new(&router_config, &admin->router, err);
	if (kind == ERR_NONE)
		kind = http_router_add(admin->router, routes, COUNT_OF(routes), err);
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
	free(*admin);
	*admin = NULL;
}

struct http_router *admin_router(struct admin *admin)
{
	return admin->router;
}
