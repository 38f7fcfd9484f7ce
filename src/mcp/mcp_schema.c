/* SPDX-License-Identifier: Apache-2.0
 * See mcp_schema.h. */
#include "mcp_schema.h"

#include <stdint.h>

#include "json_write.h"

#include "platform_id.h"
#include "post.h"
#include "publish_request.h"
#include "request_limits.h"

#include "platform.h"
#include "rules.h"

#include "mcp_tool.h"

/* ---- pieces ---- */

static void begin(struct json_writer *w, const char *type)
{
	json_begin_object(w);
	json_member_str(w, "type", str_of(type));
}

static void describe(struct json_writer *w, const char *description)
{
	json_member_str(w, "description", str_of(description));
}

static void close_object(struct json_writer *w)
{
	json_end_object(w); /* properties */
	json_member_bool(w, "additionalProperties", false);
	json_end_object(w);
}

static void begin_properties(struct json_writer *w)
{
	json_key(w, "properties");
	json_begin_object(w);
}

static void limit(struct json_writer *w, const char *key, int64_t value)
{
	if (value > 0)
		json_member_int(w, key, value);
}

/* "a|b" */
static void write_values(struct json_writer *w, const char *values)
{
	struct str rest = str_of(values);
	struct str value;
	json_key(w, "enum");
	json_begin_array(w);
	while (rest.ptr != NULL && str_take_field(&rest, '|', &value))
		json_put_str(w, value);
	json_end_array(w);
}

static void write_platforms(struct json_writer *w)
{
	json_key(w, "enum");
	json_begin_array(w);
	for (int id = 1; id <= PLATFORM_ID_MAX; id++)
		json_put_str(w, str_of(platform_id_slug((enum platform_id)id)));
	json_end_array(w);
}

static void member_text(struct json_writer *w, const char *name, int64_t max,
			const char *description)
{
	json_key(w, name);
	begin(w, "string");
	limit(w, "maxLength", max);
	describe(w, description);
	json_end_object(w);
}

/* ---- a post ---- */

static void write_content(struct json_writer *w)
{
	begin(w, "string");
	limit(w, "maxLength", POST_CONTENT_MAX_BYTES);
	describe(w, "The text of the post. Or give containers.");
	json_end_object(w);
}

static void write_type(struct json_writer *w)
{
	begin(w, "string");
	json_key(w, "enum");
	json_begin_array(w);
	for (int type = POST_TYPE_NONE + 1; type < POST_TYPE_COUNT; type++)
		json_put_str(w, str_of(post_type_name((enum post_type)type)));
	json_end_array(w);
	describe(w, "Left out, each platform takes what fits the media.");
	json_end_object(w);
}

static void write_file(struct json_writer *w)
{
	begin(w, "object");
	begin_properties(w);
	member_text(w, "url", HTTP_URL_MAX_BYTES, "Public http(s) address of the file.");
	json_key(w, "type");
	begin(w, "string");
	write_values(w, "image|video");
	json_end_object(w);
	member_text(w, "alt_text", 0, "What it shows, for people who cannot see it.");
	member_text(w, "thumbnail_url", HTTP_URL_MAX_BYTES, "Cover of a video.");
	member_text(w, "mime_type", 0, "As image/jpeg, where you know it.");
	json_key(w, "duration");
	begin(w, "integer");
	describe(w, "Seconds of a video, where you know them.");
	json_end_object(w);
	json_end_object(w);
	json_key(w, "required");
	json_begin_array(w);
	json_put_str(w, STR("url"));
	json_put_str(w, STR("type"));
	json_end_array(w);
	json_member_bool(w, "additionalProperties", false);
	json_end_object(w);
}

static void write_media(struct json_writer *w)
{
	begin(w, "array");
	limit(w, "maxItems", POST_MEDIA_MAX);
	json_key(w, "items");
	write_file(w);
	json_end_object(w);
}

static void write_containers(struct json_writer *w)
{
	begin(w, "array");
	limit(w, "minItems", 1);
	limit(w, "maxItems", POST_CONTAINERS_MAX);
	describe(w, "Instead of content, media and type: the first is the post, the others are "
		    "comments or replies under it. Only the first has a type.");
	json_key(w, "items");
	begin(w, "object");
	begin_properties(w);
	json_key(w, "type");
	write_type(w);
	json_key(w, "content");
	write_content(w);
	json_key(w, "media");
	write_media(w);
	json_end_object(w);
	json_key(w, "required");
	json_begin_array(w);
	json_put_str(w, STR("content"));
	json_end_array(w);
	json_member_bool(w, "additionalProperties", false);
	json_end_object(w);
	json_end_object(w);
}

static void write_option(struct json_writer *w, const struct option_rule *option)
{
	static const char *const types[] = {
		[OPTION_STRING] = "string", [OPTION_BOOL] = "boolean",
		[OPTION_INT] = "integer",   [OPTION_STRING_LIST] = "array",
		[OPTION_OBJECT] = "object", [OPTION_OBJECT_LIST] = "array",
		[OPTION_ENUM] = "string",
	};
	static const char *const limits[] = {
		[OPTION_STRING] = "maxLength",
		[OPTION_INT] = "maximum",
		[OPTION_STRING_LIST] = "maxItems",
		[OPTION_OBJECT_LIST] = "maxItems",
		[OPTION_ENUM] = NULL,
	};
	json_key(w, option->name);
	begin(w, types[option->type]);
	if (option->values != NULL)
		write_values(w, option->values);
	if (limits[option->type] != NULL)
		limit(w, limits[option->type], option->max);
	if (option->type == OPTION_STRING_LIST || option->type == OPTION_OBJECT_LIST) {
		json_key(w, "items");
		begin(w, option->type == OPTION_STRING_LIST ? "string" : "object");
		json_end_object(w);
	}
	json_end_object(w);
}

static void write_options(struct json_writer *w, enum platform_id id)
{
	const struct option_rule *option = platform_of(id)->rules->options;
	begin(w, "object");
	begin_properties(w);
	for (; option->name != NULL; option++)
		write_option(w, option);
	close_object(w);
}

static void write_platform_options(struct json_writer *w)
{
	begin(w, "object");
	describe(w, "Options of single platforms; describe_platforms says what each does.");
	begin_properties(w);
	for (int id = 1; id <= PLATFORM_ID_MAX; id++) {
		json_key(w, platform_id_slug((enum platform_id)id));
		write_options(w, (enum platform_id)id);
	}
	close_object(w);
}

static void write_override(struct json_writer *w)
{
	begin(w, "object");
	limit(w, "minProperties", 1);
	begin_properties(w);
	json_key(w, "content");
	write_content(w);
	json_key(w, "media");
	write_media(w);
	json_key(w, "type");
	write_type(w);
	json_key(w, "containers");
	write_containers(w);
	json_key(w, "options");
	begin(w, "object");
	describe(w, "As in platforms, for this entry alone.");
	json_end_object(w);
	close_object(w);
}

/* Its keys are platforms or accounts: named by the one, and by the form of the other. */
static void write_overrides(struct json_writer *w)
{
	begin(w, "object");
	limit(w, "maxProperties", POST_OVERRIDES_MAX);
	describe(w, "Other content for a platform or an account: the key is a slug or an id of "
		    "account_ids.");
	json_key(w, "additionalProperties");
	write_override(w);
	json_end_object(w);
}

static void write_account_ids(struct json_writer *w)
{
	begin(w, "array");
	limit(w, "minItems", 1);
	limit(w, "maxItems", POST_ACCOUNTS_MAX);
	json_member_bool(w, "uniqueItems", true);
	describe(w, "Where it goes: ids of list_accounts.");
	json_key(w, "items");
	begin(w, "string");
	json_end_object(w);
	json_end_object(w);
}

static void write_scheduled_at(struct json_writer *w)
{
	begin(w, "string");
	json_member_str(w, "format", STR("date-time"));
	describe(w, "When it is published, in UTC: 2027-01-31T09:00:00Z. At most 5 years ahead.");
	json_end_object(w);
}

static void write_max_lateness(struct json_writer *w)
{
	begin(w, "integer");
	limit(w, "minimum", MAX_LATENESS_LEAST_S);
	limit(w, "maximum", MAX_LATENESS_MOST_S);
	describe(w, "Seconds after its time from which it is not published any more.");
	json_end_object(w);
}

static void write_request_id(struct json_writer *w)
{
	begin(w, "string");
	limit(w, "minLength", 1);
	limit(w, "maxLength", REQUEST_ID_MAX_CHARACTERS);
	describe(w, "Your own id for this one post, unique for ever; the same again never "
		    "publishes twice.");
	json_end_object(w);
}

static void write_post(struct json_writer *w, unsigned members)
{
	static void (*const writers[])(struct json_writer * w) = {
		[MCP_MEMBER_ACCOUNT_IDS] = write_account_ids,
		[MCP_MEMBER_CONTENT] = write_content,
		[MCP_MEMBER_TYPE] = write_type,
		[MCP_MEMBER_MEDIA] = write_media,
		[MCP_MEMBER_CONTAINERS] = write_containers,
		[MCP_MEMBER_PLATFORMS] = write_platform_options,
		[MCP_MEMBER_OVERRIDES] = write_overrides,
		[MCP_MEMBER_SCHEDULED_AT] = write_scheduled_at,
		[MCP_MEMBER_MAX_LATENESS] = write_max_lateness,
		[MCP_MEMBER_REQUEST_ID] = write_request_id,
	};
	for (int member = 0; member < MCP_MEMBER_COUNT; member++) {
		if ((members & 1U << member) == 0)
			continue;
		json_key(w, mcp_post_member_name((enum mcp_post_member)member));
		writers[member](w);
	}
}

/* ---- other arguments ---- */

static void write_argument(struct json_writer *w, const struct mcp_argument *row)
{
	static const char *const types[] = {
		[MCP_KIND_TEXT] = "string",     [MCP_KIND_INTEGER] = "integer",
		[MCP_KIND_BOOLEAN] = "boolean", [MCP_KIND_CHOICE] = "string",
		[MCP_KIND_PLATFORM] = "string", [MCP_KIND_TEXTS] = "array",
	};
	static const char *const limits[][2] = {
		[MCP_KIND_TEXT] = {"minLength", "maxLength"},
		[MCP_KIND_INTEGER] = {"minimum", "maximum"},
		[MCP_KIND_BOOLEAN] = {NULL, NULL},
		[MCP_KIND_CHOICE] = {NULL, NULL},
		[MCP_KIND_PLATFORM] = {NULL, NULL},
		[MCP_KIND_TEXTS] = {"minItems", "maxItems"},
	};
	json_key(w, row->name);
	begin(w, types[row->kind]);
	if (row->kind == MCP_KIND_CHOICE)
		write_values(w, row->values);
	if (row->kind == MCP_KIND_PLATFORM)
		write_platforms(w);
	if (limits[row->kind][0] != NULL) {
		limit(w, limits[row->kind][0], row->min);
		limit(w, limits[row->kind][1], row->max);
	}
	if (row->kind == MCP_KIND_TEXTS) {
		json_key(w, "items");
		begin(w, "string");
		json_end_object(w);
	}
	describe(w, row->description);
	json_end_object(w);
}

static void write_required(struct json_writer *w, const struct mcp_tool *tool)
{
	size_t count = 0;
	const struct mcp_argument *rows = mcp_tool_arguments(tool, &count);
	json_key(w, "required");
	json_begin_array(w);
	for (int member = 0; member < MCP_MEMBER_COUNT; member++) {
		if ((tool->needed & 1U << member) != 0)
			json_put_str(w, str_of(mcp_post_member_name((enum mcp_post_member)member)));
	}
	for (size_t i = 0; i < count; i++) {
		if (rows[i].is_needed)
			json_put_str(w, str_of(rows[i].name));
	}
	json_end_array(w);
}

void mcp_schema_write(struct json_writer *w, const struct mcp_tool *tool)
{
	size_t count = 0;
	const struct mcp_argument *rows = mcp_tool_arguments(tool, &count);
	begin(w, "object");
	begin_properties(w);
	write_post(w, tool->members);
	for (size_t i = 0; i < count; i++)
		write_argument(w, &rows[i]);
	json_end_object(w);
	write_required(w, tool);
	json_member_bool(w, "additionalProperties", false);
	json_end_object(w);
}
