/* SPDX-License-Identifier: Apache-2.0
 * A tool's call of the API: the request that its row and its arguments make, answered by the API's
 * own handler for the caller of the outer request. */
#pragma once

#include "str.h"

struct api;
struct http_request;
struct http_response;
struct json;
struct mcp_tool;

/* Of the API's answer to a tool. */
#define MCP_ANSWER_MAX_BYTES ((size_t)4 << 20)

struct mcp_call {
	struct api *api;
	struct http_request *outer; /* the message's; its arena holds all that is made here */
	const struct mcp_tool *tool;
	const struct json *arguments; /* an object, or NULL = none */
};

/* Checks the arguments and calls the tool's route. The answer is the API's, errors too; one that is
 * too large is a 422. May block as the route does. */
struct http_response *mcp_call_tool(const struct mcp_call *call);
/* The same for another GET with the same post_id: path as in routes.def. */
struct http_response *mcp_call_get(const struct mcp_call *call, const char *path);
