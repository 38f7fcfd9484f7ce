/* SPDX-License-Identifier: Apache-2.0
 * LinkedIn: the publish flow (linkedin.md 2). First the files, one after the
 * other (linkedin_media.c); then the post, one call whose answer names it in a header; then
 * comments under it. linkedin_adapter.h says where the rest stands. */
#include "linkedin_adapter.h"

#include "adapters.h"

#include "arena.h"
#include "buf.h"

#include "json_write.h"

#include "resolver.h"
#include "stages.h"

/* ---- publish: 2.2 and 2.10 ---- */

static const char *begin_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)env;
	const size_t part = flow_part(flow);
	if (part < flow->part_count)
		return part == 0 ? LINKEDIN_STAGE_ASSET : LINKEDIN_STAGE_COMMENT;
	step_done(step);
	return NULL;
}

/* A repeat was allowed only while LinkedIn's guard would refuse a second one. When it was held up
 * for longer, by a limit or a lost connection, it is uncertain again. If it is asked for a third
 * time, somebody has accepted the risk. */
static bool repeat_is_late(const struct env *env, struct flow *flow)
{
	const int64_t until_us = flow_get_int(flow, LINKEDIN_KEY_REPEAT_UNTIL_US, INT64_MAX);
	if (env->now_us <= until_us && (until_us == INT64_MAX || !resolver_clock_has_moved(flow)))
		return false;
	flow_unset(flow, LINKEDIN_KEY_REPEAT_UNTIL_US);
	return true;
}

static const char *post_ask(const struct env *env, struct flow *flow, struct step *step)
{
	if (repeat_is_late(env, flow)) {
		*step = (struct step){.kind = STEP_UNCERTAIN};
		return NULL;
	}
	struct call *call = linkedin_send(env, env->access_token, step, CALL_PUBLISH, "POST",
					  STR(LINKEDIN_REST_URL LINKEDIN_PATH_POSTS));
	call_json(call, linkedin_post_body(env, flow));
	return NULL;
}

static bool is_urn_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == ':';
}

/* "...Content is a duplicate of urn:li:share:7000000000000000001": the URN, or empty. */
static struct str duplicate_urn(struct str message)
{
	const size_t start = str_find(message, STR("urn:li:"), 0);
	if (start == SIZE_MAX)
		return (struct str){0};
	size_t end = start;
	while (end < message.len && is_urn_char(message.ptr[end]))
		end++;
	return str_slice(message, start, end);
}

static const char *part_landed(const struct env *env, struct flow *flow, struct str urn)
{
	flow_part_done(flow, urn, linkedin_post_url(env, urn));
	return LINKEDIN_STAGE_BEGIN;
}

/* The guard's answer (5). Normally it says that this text was posted before. After an uncertain
 * call it most likely names what that call made; the caller takes that, unless the URN belongs to
 * another post of ours. */
static const char *post_duplicate(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step)
{
	const struct str urn = duplicate_urn(json_string(json_get(reply->json, "message")));
	if (resolver_uncertain_us(flow) != 0 && !str_is_empty(urn)) {
		flow_set(flow, LINKEDIN_KEY_DUPLICATE_URN, urn);
		*step = (struct step){.kind = STEP_UNCERTAIN};
		return NULL;
	}
	linkedin_fail(env, reply, step);
	if (!str_is_empty(urn))
		step->failure.message =
			str_format(env->arena,
				   "LinkedIn says this content was already posted, as " STR_FMT ".",
				   STR_ARG(urn));
	return NULL;
}

/* A refusal of a publish call, or uncertain when it cannot be read as one. */
static const char *publish_refused(const struct env *env, const struct reply *reply,
				   struct step *step)
{
	const struct refusal_facts facts = linkedin_facts(env, reply);
	if (!refusal_is_certain(&facts) && reply->status != 426) {
		*step = (struct step){.kind = STEP_UNCERTAIN};
		return NULL;
	}
	return linkedin_fail(env, reply, step);
}

static const char *post_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			       struct step *step)
{
	if (reply->status == 200 || reply->status == 201) {
		const struct str urn = linkedin_created_id(env, reply);
		if (!str_is_empty(urn))
			return part_landed(env, flow, urn);
		*step = (struct step){.kind = STEP_UNCERTAIN}; /* 5: like a lost answer */
		return NULL;
	}
	const struct refusal_facts facts = linkedin_facts(env, reply);
	if (refusal_find(linkedin_api_refusals, &facts)->code == FAILURE_CODE_DUPLICATE_CONTENT)
		return post_duplicate(env, flow, reply, step);
	return publish_refused(env, reply, step);
}

static const char *comment_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf body;
	struct json_writer w;
	buf_init(&body, env->arena, LINKEDIN_BODY_MAX_BYTES);
	json_writer_init(&w, &body);
	json_begin_object(&w);
	json_member_str(&w, "actor", linkedin_author_urn(env));
	json_member_str(&w, "object", flow->parts[0].remote_id);
	json_key(&w, "message");
	json_begin_object(&w);
	json_member_str(&w, "text",
			linkedin_part_text(env, flow)); /* plain: no escaping in comments (2.9) */
	json_end_object(&w);
	json_end_object(&w);
	struct call *call = linkedin_send(env, env->access_token, step, CALL_PUBLISH, "POST",
					  linkedin_comments_url(env, flow));
	call_json(call, buf_str(&body));
	return NULL;
}

/* Some apps may post but not comment: the scopes for that have names of their own (2.10). */
static const char *comment_refused(const struct env *env, const struct reply *reply,
				   struct step *step)
{
	publish_refused(env, reply, step);
	if (step->kind == STEP_FAIL && step->failure.code == FAILURE_CODE_PERMISSION_MISSING)
		step->failure.message = str_format(
			env->arena,
			"The post is published, but LinkedIn does not let this app comment on it; "
			"the scope %s may be missing.",
			linkedin_is_page(env) ? "w_organization_social_feed"
					      : "w_member_social_feed");
	return NULL;
}

static const char *comment_answer(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step)
{
	if (reply->status != 200 && reply->status != 201)
		return comment_refused(env, reply, step);
	struct str urn = linkedin_comment_urn(env, reply->json);
	if (str_is_empty(urn))
		urn = linkedin_created_id(env, reply);
	if (str_is_empty(urn)) {
		*step = (struct step){.kind = STEP_UNCERTAIN};
		return NULL;
	}
	flow_part_done(flow, urn, flow->parts[0].url);
	return LINKEDIN_STAGE_BEGIN;
}

static const struct stage publish_stages[] = {
	{LINKEDIN_STAGE_BEGIN, begin_ask, stages_answer_unexpected},
	{LINKEDIN_STAGE_ASSET, linkedin_asset_ask, stages_answer_unexpected},
	{LINKEDIN_STAGE_INIT, linkedin_init_ask, linkedin_init_answer},
	{LINKEDIN_STAGE_UPLOAD, linkedin_upload_ask, linkedin_upload_answer},
	{LINKEDIN_STAGE_CAPTIONS, linkedin_captions_ask, linkedin_captions_answer},
	{LINKEDIN_STAGE_PART, linkedin_part_ask, linkedin_part_answer},
	{LINKEDIN_STAGE_THUMBNAIL, linkedin_thumbnail_ask, linkedin_thumbnail_answer},
	{LINKEDIN_STAGE_FINALIZE, linkedin_finalize_ask, linkedin_finalize_answer},
	{LINKEDIN_STAGE_ENDED, linkedin_ended_ask, linkedin_ended_answer},
	{LINKEDIN_STAGE_SETTLE, linkedin_settle_ask, linkedin_settle_answer},
	{LINKEDIN_STAGE_POST, post_ask, post_answer},
	{LINKEDIN_STAGE_COMMENT, comment_ask, comment_answer},
	{0},
};
/* LOGGED_IN: every member, but nobody without an account. */
static enum post_visibility linkedin_visibility(const struct env *env)
{
	const struct str asked = json_string(json_get(env->options, "visibility"));
	return str_equal_z(asked, "CONNECTIONS") ? POST_VISIBILITY_FOLLOWERS
						 : POST_VISIBILITY_PUBLIC;
}

const struct platform platform_linkedin = {
	.slug = "linkedin",
	.id = PLATFORM_LINKEDIN,
	.oauth = &linkedin_oauth,
	.exchange = &linkedin_exchange,
	.rules = &linkedin_rules,
	.plan = linkedin_plan,
	.stages =
		{
			[OPERATION_VERIFY] = oauth_verify_stages,
			[OPERATION_CONNECT] = linkedin_connect_stages,
			[OPERATION_REFRESH] = oauth_refresh_stages,
			[OPERATION_CHECK] = linkedin_check_stages,
			[OPERATION_PUBLISH] = publish_stages,
			[OPERATION_RESOLVE] = linkedin_resolve_stages,
			[OPERATION_REMOVE] = linkedin_remove_stages,
		},
	.visibility = linkedin_visibility,
};
