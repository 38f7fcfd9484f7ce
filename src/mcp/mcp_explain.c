/* SPDX-License-Identifier: Apache-2.0
 * See mcp_explain.h. */
#include "mcp_explain.h"

#include "arena.h"
#include "buf.h"
#include "count_of.h"

#include "json.h"
#include "json_write.h"

#include "mcp_call.h"
#include "mcp_result.h"

/* One call of a timeline is a few hundred bytes. */
#define STORY_MAX_BYTES MCP_ANSWER_MAX_BYTES

struct story {
	struct arena *arena;
	const struct json *post;
	struct buf ours;
	struct buf outside;
};

/* ---- texts from outside ---- */

/* what: "instagram account 01...: username". Nothing for an empty text. */
static void quote(struct story *story, struct str what, struct str text)
{
	struct json_writer w;
	if (str_is_empty(text))
		return;
	buf_addf(&story->outside, "\n- " STR_FMT ": ", STR_ARG(what));
	json_writer_init(&w, &story->outside);
	json_put_str(&w, text);
}

/* ---- one account ---- */

/* What to do about a failure; the codes are model/failure_codes.def's. */
static const struct {
	const char *code;
	const char *advice;
} advices[] = {
	{"CONTENT_REJECTED", "Change the content and publish it as a new post, with a new "
			     "request_id."},
	{"MEDIA_REJECTED", "Use another file and publish it as a new post, with a new request_id."},
	{"DUPLICATE_CONTENT", "The same content is there already; change it, or leave it."},
	{"MEDIA_UNREACHABLE", "See that the address of the file can be fetched, then call "
			      "retry_post."},
	{"ACCOUNT_REAUTH_REQUIRED", "A person must connect the account again; then call "
				    "retry_post."},
	{"PERMISSION_MISSING", "A person must connect the account again and grant what the "
			       "platform asks; then call retry_post."},
	{"OUTCOME_UNKNOWN", "It may be out. A person must look at the account; only if the post is "
			    "not there, call retry_post with republish: true."},
	{"APP_CREDENTIALS_INVALID", "Whoever runs the service must correct the platform's "
				    "credential; then call retry_post."},
	{"RATE_LIMITED", "Call retry_post later."},
	{"QUOTA_EXHAUSTED", "Call retry_post later."},
	{"PLATFORM_UNAVAILABLE", "Call retry_post later."},
	{"PLATFORM_REJECTED", "The platform's words below say why. Once that is mended, call "
			      "retry_post."},
	{"EXPIRED", "It was too late to begin. Call retry_post to publish it all the same."},
	{"INTERNAL_ERROR", "Whoever runs the service finds the reason in its log; then call "
			   "retry_post."},
};

static void add_advice(struct story *story, struct str code)
{
	for (size_t i = 0; i < COUNT_OF(advices); i++) {
		if (str_equal_z(code, advices[i].code))
			buf_addf(&story->ours, " %s", advices[i].advice);
	}
}

/* "instagram (account 01...)" */
static struct str target_name(struct story *story, const struct json *target)
{
	return str_format(story->arena, STR_FMT " (account " STR_FMT ")",
			  STR_ARG(json_get_string(target, "platform")),
			  STR_ARG(json_get_string(target, "account_id")));
}

static void add_error(struct story *story, const struct json *target)
{
	const struct json *error = json_get(target, "error");
	const struct str code = json_get_string(error, "code");
	if (!json_is(error, JSON_TYPE_OBJECT))
		return;
	buf_addf(&story->ours, " Error " STR_FMT ": " STR_FMT, STR_ARG(code),
		 STR_ARG(json_get_string(error, "message")));
	if (!json_is(json_get(target, "waiting"), JSON_TYPE_OBJECT))
		add_advice(story, code);
	const struct str name = target_name(story, target);
	quote(story, str_format(story->arena, STR_FMT " platform_code", STR_ARG(name)),
	      json_get_string(error, "platform_code"));
	quote(story, str_format(story->arena, STR_FMT " platform_message", STR_ARG(name)),
	      json_get_string(error, "platform_message"));
}

static void add_waiting(struct story *story, const struct json *target)
{
	const struct json *waiting = json_get(target, "waiting");
	const struct str until = json_get_string(waiting, "until");
	if (!json_is(waiting, JSON_TYPE_OBJECT))
		return;
	buf_addf(&story->ours, " It waits (" STR_FMT "): " STR_FMT,
		 STR_ARG(json_get_string(waiting, "reason")),
		 STR_ARG(json_get_string(waiting, "message")));
	if (!str_is_empty(until))
		buf_addf(&story->ours, " The next look is at " STR_FMT ".", STR_ARG(until));
}

static void add_target(struct story *story, const struct json *target)
{
	const struct str name = target_name(story, target);
	const struct str at = json_get_string(target, "published_at");
	const bool is_partial = str_equal_z(json_get_string(target, "outcome"), "partial");
	buf_addf(&story->ours, "\n\n" STR_FMT " is " STR_FMT, STR_ARG(name),
		 STR_ARG(json_get_string(target, "status")));
	if (is_partial)
		buf_add_z(&story->ours, ", but a part of it is missing");
	if (!str_is_empty(at))
		buf_addf(&story->ours, ", since " STR_FMT, STR_ARG(at));
	buf_addf(&story->ours, ", after %lld attempts.",
		 (long long)json_int(json_get(target, "attempts"), 0));
	add_waiting(story, target);
	add_error(story, target);
	quote(story, str_format(story->arena, STR_FMT " handle", STR_ARG(name)),
	      json_get_string(target, "handle"));
	quote(story, str_format(story->arena, STR_FMT " url", STR_ARG(name)),
	      json_get_string(target, "url"));
}

/* ---- calls ---- */

static struct str platform_of_delivery(const struct story *story, struct str delivery)
{
	const struct json *targets = json_get(story->post, "platform_posts");
	for (size_t i = 0; json_at(targets, i) != NULL; i++) {
		const struct json *target = json_at(targets, i);
		if (str_equal(json_get_string(target, "id"), delivery))
			return json_get_string(target, "platform");
	}
	return STR("the service");
}

/* Of "api.x.com/2/tweets": the host. The path may be of a platform's or a customer's making. */
static struct str host_of(struct str host_path)
{
	return str_slice(host_path, 0, str_find_char(host_path, '/', 0));
}

/* "1. At 2027-01-15T08:00:00Z, x, stage tweet. POST to api.x.com. It answered 201 after 120 ms.
 * Judged: done. Decided: continue." */
static void add_call(struct story *story, size_t number, const struct json *row)
{
	const struct str platform =
		platform_of_delivery(story, json_get_string(row, "delivery_id"));
	const struct str method = json_get_string(row, "method");
	const int64_t status = json_int(json_get(row, "status"), 0);
	struct buf *out = &story->ours;
	buf_addf(out, "\n%zu. At " STR_FMT ", " STR_FMT ", stage " STR_FMT ".", number,
		 STR_ARG(json_get_string(row, "at")), STR_ARG(platform),
		 STR_ARG(json_get_string(row, "stage")));
	if (!str_is_empty(method))
		buf_addf(out, " " STR_FMT " to " STR_FMT ".", STR_ARG(method),
			 STR_ARG(host_of(json_get_string(row, "host_path"))));
	if (!str_is_empty(method) && status > 0)
		buf_addf(out, " It answered %lld after %lld ms.", (long long)status,
			 (long long)json_int(json_get(row, "duration_ms"), 0));
	else if (!str_is_empty(method))
		buf_add_z(out, " There was no answer.");
	buf_addf(out, " Judged: " STR_FMT ". Decided: " STR_FMT ".",
		 STR_ARG(json_get_string(row, "verdict")),
		 STR_ARG(json_get_string(row, "decision")));
	quote(story, str_format(story->arena, "%zu called", number),
	      json_get_string(row, "host_path"));
	quote(story, str_format(story->arena, "%zu was answered", number),
	      json_get_string(row, "excerpt"));
}

static void add_calls(struct story *story, const struct json *timeline)
{
	if (json_at(timeline, 0) == NULL) {
		buf_add_z(&story->ours, "\n\nNo call was made for it yet.");
		return;
	}
	buf_add_z(&story->ours, "\n\nWhat was done, oldest first:");
	for (size_t i = 0; json_at(timeline, i) != NULL; i++)
		add_call(story, i + 1, json_at(timeline, i));
}

/* ---- all ---- */

static void add_head(struct story *story)
{
	const struct str scheduled = json_get_string(story->post, "scheduled_at");
	buf_addf(&story->ours, "Post " STR_FMT " is " STR_FMT ". It was accepted at " STR_FMT,
		 STR_ARG(json_get_string(story->post, "id")),
		 STR_ARG(json_get_string(story->post, "status")),
		 STR_ARG(json_get_string(story->post, "created_at")));
	if (str_is_empty(scheduled))
		buf_add_z(&story->ours, ", to be published at once.");
	else
		buf_addf(&story->ours, ", to be published at " STR_FMT ".", STR_ARG(scheduled));
}

struct str mcp_explain(struct arena *arena, const struct json *post, const struct json *timeline)
{
	const struct json *targets = json_get(post, "platform_posts");
	struct story story = {.arena = arena, .post = post};
	buf_init(&story.ours, arena, STORY_MAX_BYTES);
	buf_init(&story.outside, arena, STORY_MAX_BYTES);
	add_head(&story);
	for (size_t i = 0; json_at(targets, i) != NULL; i++)
		add_target(&story, json_at(targets, i));
	add_calls(&story, timeline);
	if (story.outside.len > 0)
		buf_addf(&story.ours, "\n\n" MCP_OUTSIDE_LINE STR_FMT,
			 STR_ARG(buf_str(&story.outside)));
	if (story.ours.is_over || story.outside.is_over)
		return STR("The story is too long to be told here. get_post has the outcome.");
	return buf_str(&story.ours);
}
