/* SPDX-License-Identifier: Apache-2.0
 * See mcp_result.h. */
#include "mcp_result.h"

#include "arena.h"
#include "buf.h"
#include "count_of.h"

#include "json.h"
#include "json_write.h"

#include "platform_id.h"

#include "http.h"

#include "mcp_call.h"
#include "mcp_tool.h"

#define TEXT_MAX_BYTES (MCP_ANSWER_MAX_BYTES + ((size_t)64 << 10))

/* ---- what to do about an error ---- */

/* tool, or else instead, is what to call next; MCP_TOOL_COUNT = the same again. */
struct next_step {
	const char *code;
	enum mcp_tool_id tool;
	enum mcp_tool_id instead;
	const char *advice;
};

static const struct next_step next_steps[] = {
	{"INVALID_ACCOUNT", MCP_TOOL_list_accounts, MCP_TOOL_list_accounts,
	 "it says which accounts can be published to"},
	{"INVALID_MEDIA", MCP_TOOL_validate_post, MCP_TOOL_describe_platforms,
	 "correct the media that are named first"},
	{"INVALID_SCHEDULE", MCP_TOOL_schedule_post, MCP_TOOL_validate_post,
	 "with a scheduled_at in the future, in UTC, as 2027-01-31T09:00:00Z"},
	{"DUPLICATE_REQUEST", MCP_TOOL_get_post, MCP_TOOL_list_posts,
	 "details.post_id is the first post with this request_id; nothing was published again"},
	{"NOT_FOUND", MCP_TOOL_list_posts, MCP_TOOL_list_posts, "it has the ids of the posts"},
	{"TOO_LATE", MCP_TOOL_get_post, MCP_TOOL_list_posts,
	 "the post has begun to go out; see how it ends"},
	{"NOTHING_TO_RETRY", MCP_TOOL_explain_post, MCP_TOOL_list_posts,
	 "details.accounts says for each account why; where it is outcome_unknown, a person must "
	 "look at the account first"},
	{"INSUFFICIENT_SCOPE", MCP_TOOL_create_draft, MCP_TOOL_describe_platforms,
	 "this key may not do that; a person can publish a draft"},
	{"QUOTA_EXCEEDED", MCP_TOOL_list_posts, MCP_TOOL_describe_platforms,
	 "a quota of the app is used up; wait until posts are out, or ask its operator"},
	{"MEDIA_UNREACHABLE", MCP_TOOL_COUNT, MCP_TOOL_COUNT,
	 "with an address that anybody can open, or name the address in the media of a post: it is "
	 "fetched when that is published"},
	{"PAYLOAD_TOO_LARGE", MCP_TOOL_describe_platforms, MCP_TOOL_describe_platforms,
	 "it says how large a file may be; choose a smaller one"},
	{"UNSUPPORTED_MEDIA_TYPE", MCP_TOOL_COUNT, MCP_TOOL_COUNT,
	 "with the address of an image, video or document itself, not of a page that shows it"},
	{"ANSWER_TOO_LARGE", MCP_TOOL_COUNT, MCP_TOOL_COUNT, "with a smaller per_page"},
	{"RATE_LIMITED", MCP_TOOL_COUNT, MCP_TOOL_COUNT, "in a minute"},
	{"UNAVAILABLE", MCP_TOOL_COUNT, MCP_TOOL_COUNT, "in a few seconds; nothing was stored"},
	{"INTERNAL_ERROR", MCP_TOOL_list_posts, MCP_TOOL_describe_platforms,
	 "see whether it happened before you try again"},
};

/* Of VALIDATION_ERROR, for a tool that takes a post and for one that does not. */
static const struct next_step of_post = {"", MCP_TOOL_validate_post, MCP_TOOL_describe_platforms,
					 "correct the fields that are named first"};
static const struct next_step of_platforms = {"", MCP_TOOL_describe_platforms,
					      MCP_TOOL_describe_platforms,
					      "it has the limits; correct the fields that are "
					      "named and validate again"};
static const struct next_step of_arguments = {"", MCP_TOOL_COUNT, MCP_TOOL_COUNT,
					      "with the arguments corrected"};

static const struct next_step *step_of(const struct mcp_call *call, struct str code)
{
	const bool is_upload = mcp_tool_id_of(call->tool) == MCP_TOOL_upload_media_from_url;
	if (is_upload && str_equal_z(code, "INVALID_MEDIA"))
		return &of_arguments;
	for (size_t i = 0; i < COUNT_OF(next_steps); i++) {
		if (str_equal_z(code, next_steps[i].code))
			return &next_steps[i];
	}
	if (mcp_tool_id_of(call->tool) == MCP_TOOL_validate_post)
		return &of_platforms;
	return call->tool->members != 0 ? &of_post : &of_arguments;
}

/* NULL: the key has no tool that helps. */
static const struct mcp_tool *tool_of(const struct mcp_call *call, const struct next_step *step)
{
	if (step->tool == MCP_TOOL_COUNT)
		return call->tool;
	const struct mcp_tool *tool = mcp_tool_of(step->tool);
	if (mcp_tool_is_allowed(tool, call->outer))
		return tool;
	tool = mcp_tool_of(step->instead);
	return mcp_tool_is_allowed(tool, call->outer) ? tool : NULL;
}

static void add_fields(struct buf *text, const struct json *errors)
{
	for (size_t i = 0; errors != NULL && i < errors->count; i++) {
		for (size_t j = 0; json_at(&errors->items[i], j) != NULL; j++)
			buf_addf(text, "\n- " STR_FMT ": " STR_FMT, STR_ARG(errors->keys[i]),
				 STR_ARG(json_string(json_at(&errors->items[i], j))));
	}
}

static void add_details(struct buf *text, const struct json *details)
{
	struct json_writer w;
	if (details == NULL)
		return;
	buf_add_z(text, "\ndetails: ");
	json_writer_init(&w, text);
	json_put_value(&w, details);
}

static void write_error(struct json_writer *w, const struct json *body, const struct mcp_tool *next)
{
	json_key(w, "structuredContent");
	json_begin_object(w);
	for (size_t i = 0; body != NULL && i < body->count; i++) {
		json_key_str(w, body->keys[i]);
		json_put_value(w, &body->items[i]);
	}
	if (next != NULL)
		json_member_str(w, "next_tool", str_of(next->name));
	json_end_object(w);
	json_member_bool(w, "isError", true);
}

static void write_failure(struct json_writer *w, const struct mcp_call *call,
			  const struct json *body)
{
	const struct str code = json_get_string(body, "error");
	const struct next_step *step = step_of(call, code);
	const struct mcp_tool *next = tool_of(call, step);
	struct buf text;
	buf_init(&text, call->outer->arena, TEXT_MAX_BYTES);
	buf_addf(&text, STR_FMT ": " STR_FMT, STR_ARG(code),
		 STR_ARG(json_get_string(body, "message")));
	add_fields(&text, json_get(body, "errors"));
	add_details(&text, json_get(body, "details"));
	if (next != NULL)
		buf_addf(&text, "\nNext: call %s%s; %s.", next->name,
			 next == call->tool ? " again" : "", step->advice);
	mcp_result_write_text(w, buf_str(&text));
	write_error(w, body, next);
}

/* ---- success ---- */

void mcp_result_write_text(struct json_writer *w, struct str text)
{
	json_key(w, "content");
	json_begin_array(w);
	json_begin_object(w);
	json_member_str(w, "type", STR("text"));
	json_member_str(w, "text", text);
	json_end_object(w);
	json_end_array(w);
}

/* The API's answer is one object, as our writer wrote it: "{" and its members. For clients that
 * read members and not the text, the line stands above those too. */
static void write_structure(struct json_writer *w, struct arena *arena, const struct mcp_tool *tool,
			    struct str body)
{
	json_key(w, "structuredContent");
	if (!tool->has_outside) {
		json_put_raw(w, body);
		return;
	}
	json_put_raw(w, str_format(arena, "{\"notice\":\"" MCP_OUTSIDE_LINE "\"," STR_FMT,
				   STR_ARG(str_slice(body, 1, body.len))));
}

static void write_success(struct json_writer *w, const struct mcp_call *call, struct str body)
{
	const struct mcp_tool *tool = call->tool;
	struct buf text;
	buf_init(&text, call->outer->arena, TEXT_MAX_BYTES);
	buf_add_z(&text, tool->done);
	if (!str_is_empty(body)) {
		buf_add_z(&text, tool->has_outside ? "\n" MCP_OUTSIDE_LINE "\n" : "\n");
		buf_add(&text, body);
	}
	mcp_result_write_text(w, buf_str(&text));
	if (!str_is_empty(body))
		write_structure(w, call->outer->arena, tool, body);
	json_member_bool(w, "isError", false);
}

/* ---- one platform of all ---- */

/* The row of data that is about the platform that was asked for; all of them without one. */
static struct str pick_platform(const struct mcp_call *call, struct str answer,
				const struct json *body)
{
	const enum platform_id wanted =
		platform_id_of_slug(json_get_string(call->arguments, "platform"));
	const struct json *data = json_get(body, "data");
	struct buf picked;
	struct json_writer w;
	if (wanted == PLATFORM_NONE)
		return answer;
	buf_init(&picked, call->outer->arena, MCP_ANSWER_MAX_BYTES);
	json_writer_init(&w, &picked);
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_array(&w);
	for (size_t i = 0; json_at(data, i) != NULL; i++) {
		if (json_int(json_get(json_at(data, i), "id"), 0) == wanted)
			json_put_value(&w, json_at(data, i));
	}
	json_end_array(&w);
	json_end_object(&w);
	return buf_str(&picked);
}

void mcp_result_write(struct json_writer *w, const struct mcp_call *call,
		      const struct http_response *answer)
{
	const bool is_error = answer->status >= 400;
	const bool is_platforms = mcp_tool_id_of(call->tool) == MCP_TOOL_describe_platforms;
	const struct str text = buf_str(&answer->body);
	const struct json *body = NULL;
	if (is_error || is_platforms)
		json_parse(call->outer->arena, text, NULL, &body, NULL, NULL);
	if (is_error)
		write_failure(w, call, body);
	else
		write_success(w, call, is_platforms ? pick_platform(call, text, body) : text);
}
