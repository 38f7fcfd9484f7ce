/* SPDX-License-Identifier: Apache-2.0
 * GET /healthz: the process answers. GET /readyz: the service can do its work; else 503 with the
 * reason. */
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

void api_ready_show(void *context, struct http_request *request, struct http_response *response)
{
	(void)request;
	struct api *api = context;
	char reason[256] = "";
	if (api->config.is_ready == NULL ||
	    api->config.is_ready(api->config.is_ready_context, reason, sizeof(reason))) {
		respond_ready(api, response);
		return;
	}
	http_response_header(response, "Retry-After", STR("1"));
	respond_error(response, 503, "UNAVAILABLE", str_of(reason));
}
