/* SPDX-License-Identifier: Apache-2.0
 * The tools, as data: mcp_tools.def and mcp_arguments.def. Which of them a caller sees is decided
 * by the scopes of its key. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

struct arena;
struct http_request;
struct json;
struct json_writer;
struct problems;

/* Members of a post (api-decisions.md 6, 10), in the order of schemas; mcp_schema.c has their
 * words. */
#define MCP_POST_MEMBERS(MEMBER) \
	MEMBER(ACCOUNT_IDS, account_ids) \
	MEMBER(CONTENT, content) \
	MEMBER(TYPE, type) \
	MEMBER(MEDIA, media) \
	MEMBER(CONTAINERS, containers) \
	MEMBER(PLATFORMS, platforms) \
	MEMBER(OVERRIDES, overrides) \
	MEMBER(SCHEDULED_AT, scheduled_at) \
	MEMBER(MAX_LATENESS, max_lateness) \
	MEMBER(REQUEST_ID, request_id)

enum mcp_post_member {
#define MEMBER(id, name) MCP_MEMBER_##id,
	MCP_POST_MEMBERS(MEMBER)
#undef MEMBER
		MCP_MEMBER_COUNT
};

enum mcp_post_set {
#define MEMBER(id, name) MCP_POST_##id = 1 << MCP_MEMBER_##id,
	MCP_POST_MEMBERS(MEMBER)
#undef MEMBER
		MCP_POST_ALL = (1 << MCP_MEMBER_COUNT) - 1
};

/* The protocol's annotations; what is not set is false. */
enum mcp_hint {
	MCP_HINT_READS = 1 << 0,    /* readOnlyHint */
	MCP_HINT_DESTROYS = 1 << 1, /* destructiveHint: it cannot be undone */
	MCP_HINT_REPEATS = 1 << 2,  /* idempotentHint */
	MCP_HINT_OPEN = 1 << 3      /* openWorldHint: it reaches the platforms */
};

enum mcp_kind {
	MCP_KIND_TEXT,
	MCP_KIND_INTEGER,
	MCP_KIND_BOOLEAN,
	MCP_KIND_CHOICE,
	MCP_KIND_PLATFORM,
	MCP_KIND_TEXTS
};
enum mcp_place { MCP_PLACE_PATH, MCP_PLACE_QUERY, MCP_PLACE_BODY, MCP_PLACE_HERE };

enum mcp_tool_id {
#define TOOL(name, ...) MCP_TOOL_##name,
#include "mcp_tools.def"
#undef TOOL
	MCP_TOOL_COUNT
};

struct mcp_tool {
	const char *name;
	const char *method;
	const char *path;
	unsigned members;
	unsigned needed;
	unsigned hints;
	bool has_outside;
	const char *title;
	const char *description;
	const char *done;
};

struct mcp_argument {
	enum mcp_tool_id tool;
	const char *name;
	const char *parameter;
	enum mcp_kind kind;
	enum mcp_place place;
	bool is_needed;
	int64_t min;
	int64_t max;
	const char *values;
	const char *description;
};

const struct mcp_tool *mcp_tool_of(enum mcp_tool_id id);
enum mcp_tool_id mcp_tool_id_of(const struct mcp_tool *tool);
/* NULL: no tool has that name. */
const struct mcp_tool *mcp_tool_find(struct str name);
/* The rows of mcp_arguments.def for that tool, one after the other. */
const struct mcp_argument *mcp_tool_arguments(const struct mcp_tool *tool, size_t *count_out);
/* "account_ids" */
const char *mcp_post_member_name(enum mcp_post_member member);
/* May the caller of request call it? */
bool mcp_tool_is_allowed(const struct mcp_tool *tool, const struct http_request *request);
/* A problem for each argument that the tool does not take, that is missing, or that has another
 * type. What a post holds is the API's to judge. arguments: an object, or NULL = none. */
void mcp_tool_check(const struct mcp_tool *tool, const struct json *arguments,
		    struct problems *problems);
/* "tools": [...], as tools/list answers, for the caller of request. */
void mcp_tool_write_list(struct json_writer *w, const struct http_request *request);
