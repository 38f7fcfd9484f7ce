/* SPDX-License-Identifier: Apache-2.0
 * See mcp_call.h. */
#include "mcp_call.h"

#include "arena.h"
#include "buf.h"

#include "form.h"
#include "json.h"
#include "json_write.h"

#include "problem.h"
#include "request_limits.h"

#include "http.h"

#include "api.h"
#include "api_private.h"

#include "mcp_tool.h"

#define PREFIX "/v1"
#define TARGET_MAX_BYTES ((size_t)64 << 10)
/* Keys may grow by escapes when they are written again. */
#define BODY_MAX_BYTES ((size_t)4 * REQUEST_JSON_MAX_BYTES)

/* ---- the request ---- */

/* "/posts/{post_id}" with the argument of that name in its place. */
static void add_path(struct buf *target, const char *path, const struct json *arguments)
{
	struct str rest = str_of(path);
	struct str piece, name;
	while (str_take_until(&rest, '{', &piece)) {
		buf_add(target, piece);
		rest = str_slice(rest, 1, rest.len);
		str_take_until(&rest, '}', &name);
		rest = str_slice(rest, 1, rest.len);
		percent_encode(target, json_get_string(arguments, "post_id"));
	}
	buf_add(target, rest);
}

static void add_parameter(struct buf *query, const struct mcp_argument *row,
			  const struct json *value, struct arena *arena)
{
	if (row->kind != MCP_KIND_TEXTS) {
		form_add(query, row->parameter, json_text(arena, value));
		return;
	}
	for (size_t i = 0; json_at(value, i) != NULL; i++)
		form_add(query, row->parameter, json_string(json_at(value, i)));
}

static struct str target_of(const struct mcp_call *call, const char *path)
{
	struct arena *arena = call->outer->arena;
	struct buf target;
	struct buf query;
	size_t count = 0;
	const struct mcp_argument *rows = mcp_tool_arguments(call->tool, &count);
	buf_init(&target, arena, TARGET_MAX_BYTES);
	buf_init(&query, arena, TARGET_MAX_BYTES);
	buf_add_z(&target, PREFIX);
	add_path(&target, path, call->arguments);
	for (size_t i = 0; i < count; i++) {
		const struct json *value = json_get(call->arguments, rows[i].name);
		if (rows[i].place == MCP_PLACE_QUERY && !json_is_null(value))
			add_parameter(&query, &rows[i], value, arena);
	}
	if (query.is_over || target.is_over)
		return STR("");
	return query.len == 0 ? buf_str(&target)
			      : str_format(arena, STR_FMT "?" STR_FMT, STR_ARG(buf_str(&target)),
					   STR_ARG(buf_str(&query)));
}

/* A tool with members of a post has no other arguments. Empty: the route reads none. */
static struct str body_of(const struct mcp_call *call)
{
	struct buf body;
	struct json_writer w;
	size_t count = 0;
	const struct mcp_argument *rows = mcp_tool_arguments(call->tool, &count);
	bool has_body = call->tool->members != 0;
	for (size_t i = 0; i < count; i++)
		has_body = has_body || rows[i].place == MCP_PLACE_BODY;
	if (!has_body)
		return STR("");
	buf_init(&body, call->outer->arena, BODY_MAX_BYTES);
	json_writer_init(&w, &body);
	json_begin_object(&w);
	for (size_t i = 0; call->arguments != NULL && i < call->arguments->count; i++) {
		const struct str name = call->arguments->keys[i];
		if (str_equal_z(name, "post_id"))
			continue;
		json_key_str(&w, name);
		json_put_value(&w, &call->arguments->items[i]);
	}
	json_end_object(&w);
	return body.is_over ? STR("") : buf_str(&body);
}

static struct http_request *request_of(const struct mcp_call *call, const char *method,
				       struct str target, struct str body)
{
	struct http_request *request = ARENA_NEW(call->outer->arena, struct http_request);
	request->arena = call->outer->arena;
	request->method = str_of(method);
	request->target = target;
	request->body = body;
	request->body_size_bytes = (int64_t)body.len;
	request->body_max_bytes = REQUEST_JSON_MAX_BYTES;
	request->remote_address = call->outer->remote_address;
	request->headers[request->header_count++] =
		(struct http_header){STR("X-Request-Id"), str_of(call->outer->request_id)};
	request->headers[request->header_count++] =
		(struct http_header){STR("Content-Type"), STR("application/json")};
	http_request_prepare(request, api_random(call->api));
	return request;
}

/* ---- the answer ---- */

static struct http_response *new_response(const struct mcp_call *call)
{
	struct http_response *response = ARENA_NEW(call->outer->arena, struct http_response);
	http_response_init(response, call->outer->arena, MCP_ANSWER_MAX_BYTES);
	return response;
}

static struct http_response *serve(const struct mcp_call *call, struct http_request *request)
{
	struct http_response *response = new_response(call);
	api_serve_within(call->api, call->outer, request, response);
	if (!response->body.is_over)
		return response;
	response = new_response(call);
	respond_error(response, 422, "ANSWER_TOO_LARGE",
		      STR("The answer is too large for a tool. Ask for less, or ask the API."));
	return response;
}

struct http_response *mcp_call_get(const struct mcp_call *call, const char *path)
{
	return serve(call, request_of(call, "GET", target_of(call, path), STR("")));
}

/* There is no route for it: who can call the API can send the bytes. */
static struct http_response *upload(const struct mcp_call *call, struct http_response *response)
{
	const struct api_media_wish wish = {
		.url = json_get_string(call->arguments, "url"),
		.file_name = json_get_string(call->arguments, "file_name"),
	};
	api_media_fetch(call->api, &wish, call->outer, response);
	return response;
}

struct http_response *mcp_call_tool(const struct mcp_call *call)
{
	const struct mcp_tool *tool = call->tool;
	struct http_response *response = new_response(call);
	struct problems problems;
	problems_init(&problems, call->outer->arena);
	/* A key that may not call it is told so, whatever the arguments are. */
	if (mcp_tool_is_allowed(tool, call->outer))
		mcp_tool_check(tool, call->arguments, &problems);
	if (respond_if_problems(response, &problems))
		return response;
	if (mcp_tool_id_of(tool) == MCP_TOOL_upload_media_from_url &&
	    mcp_tool_is_allowed(tool, call->outer))
		return upload(call, response);
	const struct str target = target_of(call, tool->path);
	return serve(call, request_of(call, tool->method, target, body_of(call)));
}
