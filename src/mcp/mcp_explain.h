/* SPDX-License-Identifier: Apache-2.0
 * The story of a post in sentences: what it is, where it is out or why it is not, and each call
 * that was made for it. What platforms said stands at the end, each text as a JSON string on a line
 * of its own, below MCP_OUTSIDE_LINE. */
#pragma once

#include "str.h"

struct arena;
struct json;

/* post: data of GET /v1/posts/{post_id}; timeline: data of its timeline, oldest first. The text
 * lives in arena. Pure. */
struct str mcp_explain(struct arena *arena, const struct json *post, const struct json *timeline);
