/* SPDX-License-Identifier: Apache-2.0
 * See mcp_tool.h. */
#include "mcp_tool.h"

#include "arena.h"
#include "count_of.h"

#include "json.h"
#include "json_write.h"

#include "known.h"
#include "platform_id.h"
#include "problem.h"
#include "request_limits.h"

#include "api.h"

#include "mcp_schema.h"

static const struct mcp_tool tools[] = {
#define TOOL(name, method, path, members, needed, hints, outside, title, description, done) \
	{#name, method, path, members, needed, hints, outside, title, description, done},
#include "mcp_tools.def"
#undef TOOL
};

/* In the order of the tools. */
static const struct mcp_argument arguments_of_tools[] = {
#define ARGUMENT(tool, name, parameter, kind, place, is_needed, min, max, values, description) \
	{MCP_TOOL_##tool, name, parameter, MCP_KIND_##kind, MCP_PLACE_##place, \
	 is_needed,       min,  max,       values,          description},
#include "mcp_arguments.def"
#undef ARGUMENT
};

/* ---- the tables ---- */

const struct mcp_tool *mcp_tool_of(enum mcp_tool_id id)
{
	return &tools[id];
}

enum mcp_tool_id mcp_tool_id_of(const struct mcp_tool *tool)
{
	return (enum mcp_tool_id)(tool - tools);
}

const struct mcp_tool *mcp_tool_find(struct str name)
{
	for (size_t i = 0; i < COUNT_OF(tools); i++) {
		if (str_equal_z(name, tools[i].name))
			return &tools[i];
	}
	return NULL;
}

const struct mcp_argument *mcp_tool_arguments(const struct mcp_tool *tool, size_t *count_out)
{
	const enum mcp_tool_id id = mcp_tool_id_of(tool);
	size_t first = 0;
	while (first < COUNT_OF(arguments_of_tools) && arguments_of_tools[first].tool != id)
		first++;
	size_t end = first;
	while (end < COUNT_OF(arguments_of_tools) && arguments_of_tools[end].tool == id)
		end++;
	*count_out = end - first;
	return &arguments_of_tools[first];
}

const char *mcp_post_member_name(enum mcp_post_member member)
{
	static const char *const names[] = {
#define MEMBER(id, name) #name,
		MCP_POST_MEMBERS(MEMBER)
#undef MEMBER
	};
	return names[member];
}

bool mcp_tool_is_allowed(const struct mcp_tool *tool, const struct http_request *request)
{
	return api_may_call(request, tool->method, tool->path);
}

/* ---- the arguments of a call ---- */

#define NAMES_MAX 32

/* Ends with NULL, as a KNOWN list. */
static void known_names(const struct mcp_tool *tool, const char **names)
{
	size_t count = 0;
	size_t row_count = 0;
	const struct mcp_argument *rows = mcp_tool_arguments(tool, &row_count);
	for (int member = 0; member < MCP_MEMBER_COUNT; member++) {
		if ((tool->members & 1U << member) != 0)
			names[count++] = mcp_post_member_name((enum mcp_post_member)member);
	}
	for (size_t i = 0; i < row_count && count < NAMES_MAX; i++)
		names[count++] = rows[i].name;
	names[count] = NULL;
}

static void missing(struct problems *problems, const struct mcp_tool *tool, const char *name)
{
	problem_add(
		problems, PROBLEM_SHAPE, str_of(name), "required",
		str_format(problems->arena, "The field %s is required by %s.", name, tool->name));
}

static void wrong(struct problems *problems, const char *name, const char *what)
{
	problem_add(problems, PROBLEM_SHAPE, str_of(name), "wrong_type",
		    str_format(problems->arena, "The field %s must be %s.", name, what));
}

static bool are_texts(const struct json *value)
{
	for (size_t i = 0; json_at(value, i) != NULL; i++) {
		if (!json_is(json_at(value, i), JSON_TYPE_STRING))
			return false;
	}
	return json_is(value, JSON_TYPE_ARRAY);
}

/* Ranges and values are the API's to judge. */
static void check_kind(struct problems *problems, const struct mcp_argument *row,
		       const struct json *value)
{
	switch (row->kind) {
	case MCP_KIND_TEXT:
	case MCP_KIND_CHOICE:
		if (!json_is(value, JSON_TYPE_STRING) || str_is_empty(value->string))
			wrong(problems, row->name, "a string that is not empty");
		return;
	case MCP_KIND_INTEGER:
		if (!json_is(value, JSON_TYPE_INT))
			wrong(problems, row->name, "a whole number");
		return;
	case MCP_KIND_BOOLEAN:
		if (!json_is(value, JSON_TYPE_BOOL))
			wrong(problems, row->name, "true or false");
		return;
	case MCP_KIND_PLATFORM:
		if (platform_id_of_slug(json_string(value)) == PLATFORM_NONE)
			wrong(problems, row->name,
			      "one of instagram, facebook, x, linkedin, youtube, tiktok");
		return;
	case MCP_KIND_TEXTS:
		if (!are_texts(value) || value->count == 0 || value->count > (size_t)row->max)
			wrong(problems, row->name,
			      "a list of strings, with at least one and not "
			      "too many");
		return;
	}
}

void mcp_tool_check(const struct mcp_tool *tool, const struct json *arguments,
		    struct problems *problems)
{
	const char *names[NAMES_MAX + 1];
	size_t count = 0;
	const struct mcp_argument *rows = mcp_tool_arguments(tool, &count);
	known_names(tool, names);
	known_check(problems, arguments, STR(""), names);
	for (int member = 0; member < MCP_MEMBER_COUNT; member++) {
		const char *name = mcp_post_member_name((enum mcp_post_member)member);
		if ((tool->needed & 1U << member) != 0 && json_is_null(json_get(arguments, name)))
			missing(problems, tool, name);
	}
	for (size_t i = 0; i < count; i++) {
		const struct json *value = json_get(arguments, rows[i].name);
		if (!json_is_null(value))
			check_kind(problems, &rows[i], value);
		else if (rows[i].is_needed)
			missing(problems, tool, rows[i].name);
	}
}

/* ---- tools/list ---- */

static void write_annotations(struct json_writer *w, const struct mcp_tool *tool)
{
	json_key(w, "annotations");
	json_begin_object(w);
	json_member_str(w, "title", str_of(tool->title));
	json_member_bool(w, "readOnlyHint", (tool->hints & MCP_HINT_READS) != 0);
	json_member_bool(w, "destructiveHint", (tool->hints & MCP_HINT_DESTROYS) != 0);
	json_member_bool(w, "idempotentHint",
			 (tool->hints & (MCP_HINT_REPEATS | MCP_HINT_READS)) != 0);
	json_member_bool(w, "openWorldHint", (tool->hints & MCP_HINT_OPEN) != 0);
	json_end_object(w);
}

void mcp_tool_write_list(struct json_writer *w, const struct http_request *request)
{
	json_key(w, "tools");
	json_begin_array(w);
	for (size_t i = 0; i < COUNT_OF(tools); i++) {
		if (!mcp_tool_is_allowed(&tools[i], request))
			continue;
		json_begin_object(w);
		json_member_str(w, "name", str_of(tools[i].name));
		json_member_str(w, "title", str_of(tools[i].title));
		json_member_str(w, "description", str_of(tools[i].description));
		json_key(w, "inputSchema");
		mcp_schema_write(w, &tools[i]);
		write_annotations(w, &tools[i]);
		json_end_object(w);
	}
	json_end_array(w);
}
