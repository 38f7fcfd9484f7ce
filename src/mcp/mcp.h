/* SPDX-License-Identifier: Apache-2.0
 * The agents' door (api-decisions.md 16): the Model Context Protocol over streamable HTTP. It has
 * no verb of its own: a tool is a call of the API, made for the caller of this request by the API's
 * own handler (api_serve_within). No state: a request has all that its answer depends on, in both
 * revisions of the protocol (docs/agents.md). Files: mcp.c is the door and its methods,
 * mcp_message.c reads JSON-RPC, mcp_tool.c has the tools (mcp_tools.def) and mcp_schema.c their
 * arguments, mcp_call.c makes the calls, mcp_result.c words their results and mcp_explain.c the
 * story of a post. */
#pragma once

#include "err.h"

struct api;

/* Adds POST /mcp to api, which has everything else that is needed. Errors as api_door_add(). */
enum err_kind mcp_open(struct api *api, struct error *err);
