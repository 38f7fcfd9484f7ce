/* SPDX-License-Identifier: Apache-2.0
 * See worker_router.h. */
#include "worker_router.h"

#include <string.h>

#include "count_of.h"

#include "json_write.h"

#include "http.h"

#include "api.h"

#define ANSWER_MAX_BYTES ((size_t)4 << 20)

/* The handler of the same path in the API's own router fills the answer. */
static void pass_on(void *context, struct http_request *request, struct http_response *response)
{
	struct api *api = context;
	enum http_fault fault = HTTP_FAULT_NOT_FOUND;
	struct str allow = {0};
	const struct http_route *route =
		http_router_match(api_router(api), request, &fault, &allow);
	if (route != NULL)
		route->handler(route->context != NULL ? route->context : api, request, response);
}

static void render_fault(void *context, enum http_fault fault, const struct http_request *request,
			 struct http_response *response)
{
	static const struct {
		int status;
		const char *code;
		const char *message;
	} faults[] = {
		[HTTP_FAULT_NOT_FOUND] = {404, "NOT_FOUND", "This node only delivers."},
		[HTTP_FAULT_METHOD_NOT_ALLOWED] = {405, "METHOD_NOT_ALLOWED",
						   "Method not allowed."},
		[HTTP_FAULT_BODY_TOO_LARGE] = {413, "PAYLOAD_TOO_LARGE", "The body is too large."},
		[HTTP_FAULT_MISDIRECTED] = {421, "MISDIRECTED_REQUEST",
					    "The Host of this request is not one of this node."},
		[HTTP_FAULT_HEADERS_TOO_LARGE] = {431, "HEADERS_TOO_LARGE",
						  "The headers are too large."},
		[HTTP_FAULT_BAD_REQUEST] = {400, "BAD_REQUEST", "The request cannot be read."},
		[HTTP_FAULT_INTERNAL] = {500, "SERVER_ERROR", "Something went wrong."},
		[HTTP_FAULT_UNAVAILABLE] = {503, "UNAVAILABLE", "The service is not available."},
	};
	struct json_writer w;
	(void)context;
	(void)request;
	json_writer_init(&w, http_response_json(response, faults[fault].status));
	json_begin_object(&w);
	json_member_str(&w, "message", str_of(faults[fault].message));
	json_member_str(&w, "error", str_of(faults[fault].code));
	json_end_object(&w);
}

enum err_kind worker_router_new(struct api *api, struct http_router **router_out, struct error *err)
{
	static const struct {
		const char *path;
		enum http_run_mode run_mode;
		bool takes_any_host; /* health, as in pages.def */
	} rows[] = {
		{"/healthz", HTTP_RUN_INLINE, true},
		{"/readyz", HTTP_RUN_PROBE, true},
		{"/media/{token}", HTTP_RUN_STORE, false},
	};
	const struct http_router_config config = {.context = api,
						  .render_fault = render_fault,
						  .response_max_bytes = ANSWER_MAX_BYTES};
	enum err_kind kind = http_router_new(&config, router_out, err);
	for (size_t i = 0; i < COUNT_OF(rows) && kind == ERR_NONE; i++) {
		const struct http_route route = {.method = "GET",
						 .pattern = rows[i].path,
						 .handler = pass_on,
						 .run_mode = rows[i].run_mode,
						 .takes_any_host = rows[i].takes_any_host};
		kind = http_router_add(*router_out, &route, 1, err);
	}
	return kind;
}
