/* SPDX-License-Identifier: Apache-2.0
 * Taking a thread back from X (x.md 2.7): every post of it, the last reply first. Each is read
 * before it is deleted: who wrote it, and when. */
#include "arena.h"
#include "timetext.h"

#include "json.h"

#include "answer.h"
#include "removal.h"
#include "x_adapter.h"

#define STAGE_LOOK_BEFORE "removal_look_before"

static void look(const struct env *env, const struct flow *flow, const char *fields,
		 struct step *step)
{
	const struct str id = removal_part(flow)->remote_id;
	struct call *call = step_send(
		step, CALL_READ, "GET",
		str_format(env->arena, X_API X_PATH_TWEETS "/" STR_FMT "?%s", STR_ARG(id), fields));
	call_bearer(env, call, env->access_token);
}

static const char *look_ask(const struct env *env, struct flow *flow, struct step *step)
{
	if (removal_begins(flow, step))
		look(env, flow, "post.fields=created_at&expansions=author_id", step);
	return NULL;
}

/* By the names that fields had before 2026 (section 0). */
static const char *look_before_ask(const struct env *env, struct flow *flow, struct step *step)
{
	if (removal_begins(flow, step))
		look(env, flow, "tweet.fields=author_id,created_at", step);
	return NULL;
}

/* As a status, or as an error beside data that is missing (4). */
static bool is_missing(const struct reply *reply)
{
	const struct json *first = json_at(json_get(reply->json, "errors"), 0);
	const struct str type = x_last_segment(json_string(json_get(first, "type")));
	if (reply->outcome != REPLY_ANSWERED)
		return false;
	return reply->status == 404 ||
	       (reply->status == 200 && json_get(reply->json, "data") == NULL &&
		str_equal_z(type, "resource-not-found"));
}

static const char *look_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			       struct step *step)
{
	const struct json *post = json_get(reply->json, "data");
	const struct str author = answer_id(env, json_get(post, "author_id"));
	int64_t created_us = 0;
	if (is_missing(reply))
		return removal_part_gone(flow);
	if (reply->outcome == REPLY_ANSWERED && reply->status == 400 &&
	    str_equal_z(flow->stage, REMOVAL_STAGE_LOOK))
		return STAGE_LOOK_BEFORE;
	if (!x_is_ok(reply)) {
		x_failed(env, reply, step);
		return NULL;
	}
	if (!json_is(post, JSON_TYPE_OBJECT))
		return removal_unreadable(step);
	timetext_parse_instant(json_string(json_get(post, "created_at")), &created_us);
	return removal_is_ours(env, str_equal(author, env->platform_account_id), created_us, step)
		       ? REMOVAL_STAGE_DELETE
		       : NULL;
}

static const char *delete_ask(const struct env *env, struct flow *flow, struct step *step)
{
	if (!removal_begins(flow, step))
		return NULL;
	struct call *call = step_send(step, CALL_PUBLISH, "DELETE",
				      str_format(env->arena, X_API X_PATH_TWEETS "/" STR_FMT,
						 STR_ARG(removal_part(flow)->remote_id)));
	call_bearer(env, call, env->access_token);
	return NULL;
}

static const char *delete_answer(const struct env *env, struct flow *flow,
				 const struct reply *reply, struct step *step)
{
	const struct json *deleted = json_get(json_get(reply->json, "data"), "deleted");
	if (is_missing(reply) || (x_is_ok(reply) && json_bool(deleted, false)))
		return removal_part_gone(flow);
	/* "false", or anything else: looked up again before it is repeated. */
	if (x_is_ok(reply) || !x_is_refusal(reply))
		return removal_uncertain(step);
	x_failed(env, reply, step);
	if (step->failure.class == FAILURE_PERMANENT)
		step->failure.message = STR("X refused to remove the post.");
	return NULL;
}

const struct stage x_remove_stages[] = {
	{REMOVAL_STAGE_LOOK, look_ask, look_answer},
	{STAGE_LOOK_BEFORE, look_before_ask, look_answer},
	{REMOVAL_STAGE_DELETE, delete_ask, delete_answer},
	{.name = NULL},
};
