/* SPDX-License-Identifier: Apache-2.0
 * GET /healthz: the process answers. GET /readyz: the service can do its work; else 503 with the
 * reason. GET /readyz?delivery: and no delivery that has room to run is late. */
#include "api_private.h"

void api_health_show(void *context, struct http_request *request, struct http_response *response)
{
	(void)context, (void)request;
	buf_add_z(http_response_json(response, 200), "{\"status\":\"ok\"}");
}

static void respond_ready(const struct api *api, struct http_response *response)
{
	const int64_t held = api->config.held_count != NULL
				     ? api->config.held_count(api->config.is_ready_context)
				     : 0;
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_member_str(&w, "status", STR("ready"));
	if (held > 0)
		json_member_int(&w, "held", held);
	json_end_object(&w);
}

/* Delivery is a question of its own: a node that delivers late can still accept posts. */
static bool is_ready(const struct api *api, const struct http_request *request, char *reason,
		     size_t reason_size)
{
	bool (*ask)(void *context, char *reason, size_t reason_size) = api->config.is_ready;
	if (form_find(&request->query, "delivery") != NULL && api->config.is_delivering != NULL)
		ask = api->config.is_delivering;
	return ask == NULL || ask(api->config.is_ready_context, reason, reason_size);
}

void api_ready_show(void *context, struct http_request *request, struct http_response *response)
{
	struct api *api = context;
	char reason[256] = "";
	if (is_ready(api, request, reason, sizeof(reason))) {
		respond_ready(api, response);
		return;
	}
	http_response_header(response, "Retry-After", STR("1"));
	respond_error(response, 503, "UNAVAILABLE", str_of(reason));
}
