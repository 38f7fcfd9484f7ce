/* SPDX-License-Identifier: Apache-2.0
 * See mcp_schema.h. */
#include "mcp_schema.h"

#include <stdint.h>

#include "count_of.h"

#include "json_write.h"

#include "platform_id.h"
#include "post.h"
#include "publish_request.h"
#include "request_limits.h"

#include "platform.h"
#include "rules.h"

#include "mcp_tool.h"

/* ---- pieces: each is a schema, or a member of one ---- */

typedef void (*write_schema)(struct json_writer *w);

struct member {
	const char *name;
	write_schema write;
};

static void begin(struct json_writer *w, const char *type)
{
	json_begin_object(w);
	json_member_str(w, "type", str_of(type));
}

static void describe(struct json_writer *w, const char *description)
{
	if (description != NULL)
		json_member_str(w, "description", str_of(description));
}

static void limit(struct json_writer *w, const char *key, int64_t value)
{
	if (value > 0)
		json_member_int(w, key, value);
}

static void write_text(struct json_writer *w, int64_t min, int64_t max, const char *description)
{
	begin(w, "string");
	limit(w, "minLength", min);
	limit(w, "maxLength", max);
	describe(w, description);
	json_end_object(w);
}

static void write_integer(struct json_writer *w, int64_t min, int64_t max, const char *description)
{
	begin(w, "integer");
	limit(w, "minimum", min);
	limit(w, "maximum", max);
	describe(w, description);
	json_end_object(w);
}

/* key: ["a", "b"] from "a|b" */
static void write_words(struct json_writer *w, const char *key, const char *words)
{
	struct str rest = str_of(words);
	struct str value;
	json_key(w, key);
	json_begin_array(w);
	while (rest.ptr != NULL && str_take_field(&rest, '|', &value))
		json_put_str(w, value);
	json_end_array(w);
}

static void write_choice(struct json_writer *w, const char *values, const char *description)
{
	begin(w, "string");
	write_words(w, "enum", values);
	describe(w, description);
	json_end_object(w);
}

/* A list of names that a table gives: those from first up to end. */
static void write_named(struct json_writer *w, int first, int end, const char *(*name_of)(int))
{
	json_key(w, "enum");
	json_begin_array(w);
	for (int i = first; i < end; i++)
		json_put_str(w, str_of(name_of(i)));
	json_end_array(w);
}

static void begin_properties(struct json_writer *w)
{
	json_key(w, "properties");
	json_begin_object(w);
}

static void close_object(struct json_writer *w)
{
	json_end_object(w); /* properties */
	json_member_bool(w, "additionalProperties", false);
	json_end_object(w);
}

/* The members of a closed object; its begin and its other words are the caller's. */
static void write_members(struct json_writer *w, const struct member *members, size_t count)
{
	begin_properties(w);
	for (size_t i = 0; i < count; i++) {
		json_key(w, members[i].name);
		members[i].write(w);
	}
	close_object(w);
}

/* The items of an array, which ends with them. */
static void write_items(struct json_writer *w, write_schema item)
{
	json_key(w, "items");
	item(w);
	json_end_object(w);
}

static void write_any_text(struct json_writer *w)
{
	begin(w, "string");
	json_end_object(w);
}

static void write_any_object(struct json_writer *w)
{
	begin(w, "object");
	json_end_object(w);
}

/* ---- a post ---- */

static const char *type_name(int type)
{
	return post_type_name((enum post_type)type);
}

static const char *fit_name(int fit)
{
	return post_media_fit_name((enum media_fit)fit);
}

static const char *slug_name(int platform)
{
	return platform_id_slug((enum platform_id)platform);
}

static void write_content(struct json_writer *w)
{
	write_text(w, 0, POST_CONTENT_MAX_BYTES, "The text of the post. Or give containers.");
}

static void write_type(struct json_writer *w)
{
	begin(w, "string");
	write_named(w, POST_TYPE_NONE + 1, POST_TYPE_COUNT, type_name);
	describe(w, "Left out, each platform takes what fits the media.");
	json_end_object(w);
}

static void write_fit(struct json_writer *w)
{
	begin(w, "string");
	write_named(w, MEDIA_FIT_AUTO, MEDIA_FIT_COUNT, fit_name);
	describe(w, "What may be done to a picture that a platform would refuse. auto, when left "
		    "out: format and size; pad and crop: its shape too; off: nothing.");
	json_end_object(w);
}

static void write_url(struct json_writer *w)
{
	write_text(w, 0, HTTP_URL_MAX_BYTES,
		   "Public http(s) address of the file; give its type too. Or give media_id.");
}

static void write_media_id(struct json_writer *w)
{
	write_text(w, 0, 0, "Id of an uploaded file, as upload_media_from_url gives it.");
}

static void write_media_type(struct json_writer *w)
{
	write_choice(w, "image|video", NULL);
}

static void write_alt_text(struct json_writer *w)
{
	write_text(w, 0, 0, "What it shows, for people who cannot see it.");
}

static void write_thumbnail_url(struct json_writer *w)
{
	write_text(w, 0, HTTP_URL_MAX_BYTES, "Cover of a video.");
}

static void write_mime_type(struct json_writer *w)
{
	write_text(w, 0, 0, "As image/jpeg, where you know it.");
}

static void write_duration(struct json_writer *w)
{
	write_integer(w, 0, 0, "Seconds of a video, where you know them.");
}

static void write_file(struct json_writer *w)
{
	static const struct member members[] = {
		{"url", write_url},
		{"type", write_media_type},
		{"media_id", write_media_id},
		{"alt_text", write_alt_text},
		{"fit", write_fit},
		{"thumbnail_url", write_thumbnail_url},
		{"mime_type", write_mime_type},
		{"duration", write_duration},
	};
	begin(w, "object");
	json_key(w, "anyOf");
	json_begin_array(w);
	json_begin_object(w);
	write_words(w, "required", "url|type");
	json_end_object(w);
	json_begin_object(w);
	write_words(w, "required", "media_id");
	json_end_object(w);
	json_end_array(w);
	write_members(w, members, COUNT_OF(members));
}

static void write_media(struct json_writer *w)
{
	begin(w, "array");
	limit(w, "maxItems", POST_MEDIA_MAX);
	write_items(w, write_file);
}

static void write_container(struct json_writer *w)
{
	static const struct member members[] = {
		{"type", write_type}, {"content", write_content}, {"media", write_media}};
	begin(w, "object");
	write_words(w, "required", "content");
	write_members(w, members, COUNT_OF(members));
}

static void write_containers(struct json_writer *w)
{
	begin(w, "array");
	limit(w, "minItems", 1);
	limit(w, "maxItems", POST_CONTAINERS_MAX);
	describe(w, "Instead of content, media and type: the first is the post, the others are "
		    "comments or replies under it. Only the first has a type.");
	write_items(w, write_container);
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
		write_words(w, "enum", option->values);
	if (limits[option->type] != NULL)
		limit(w, limits[option->type], option->max);
	if (option->type == OPTION_STRING_LIST)
		write_items(w, write_any_text);
	else if (option->type == OPTION_OBJECT_LIST)
		write_items(w, write_any_object);
	else
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

static void write_override_options(struct json_writer *w)
{
	begin(w, "object");
	describe(w, "As in platforms, for this entry alone.");
	json_end_object(w);
}

static void write_override(struct json_writer *w)
{
	static const struct member members[] = {
		{"content", write_content}, {"media", write_media},
		{"type", write_type},       {"containers", write_containers},
		{"fit", write_fit},         {"options", write_override_options}};
	begin(w, "object");
	limit(w, "minProperties", 1);
	write_members(w, members, COUNT_OF(members));
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
	write_items(w, write_any_text);
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
	write_integer(w, MAX_LATENESS_LEAST_S, MAX_LATENESS_MOST_S,
		      "Seconds after its time from which it is not published any more.");
}

static void write_request_id(struct json_writer *w)
{
	write_text(w, 1, REQUEST_ID_MAX_CHARACTERS,
		   "Your own id for this one post, unique for ever; the same again never "
		   "publishes twice.");
}

static void write_post(struct json_writer *w, unsigned members)
{
	static const write_schema writers[] = {
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
		write_words(w, "enum", row->values);
	if (row->kind == MCP_KIND_PLATFORM)
		write_named(w, 1, PLATFORM_ID_MAX + 1, slug_name);
	if (limits[row->kind][0] != NULL) {
		limit(w, limits[row->kind][0], row->min);
		limit(w, limits[row->kind][1], row->max);
	}
	describe(w, row->description);
	if (row->kind == MCP_KIND_TEXTS)
		write_items(w, write_any_text);
	else
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
