/* SPDX-License-Identifier: Apache-2.0
 * X, API v2 (x.md). A post is one call, after its files were uploaded; every further
 * container is a reply to the one before. X has no idempotency key and reads cost money: an
 * uncertain create call is looked up in the account's own timeline, and what is not found there
 * stays unknown. x_adapter.h names the other files. */
#include "arena.h"
#include "buf.h"
#include "count_of.h"

#include "json.h"
#include "json_write.h"

#include "adapters.h"
#include "answer.h"
#include "resolver.h"
#include "x_adapter.h"

/* How an option goes into the body of POST /2/tweets: under its own name, or inside another
 * object. */
struct placement {
	const char *name;
	const char *parent; /* NULL = at the top */
	const char *member; /* NULL = the option's own name */
};

static const struct placement placements[] = {
	{"community_id", NULL, NULL},
	{"share_with_followers", NULL, NULL},
	{"quote_tweet_id", NULL, NULL},
	{"made_with_ai", NULL, NULL},
	{"paid_partnership", NULL, NULL},
	{"for_super_followers_only", NULL, NULL},
	{"nullcast", NULL, NULL},
	{"card_uri", NULL, NULL},
	{"direct_message_deep_link", NULL, NULL},
	{"reply_settings", NULL, NULL},
	{"geo_place_id", "geo", "place_id"},
	{"in_reply_to_tweet_id", "reply", "in_reply_to_tweet_id"},
	{"exclude_reply_user_ids", "reply", "exclude_reply_user_ids"},
	{"tagged_user_ids", "media", "tagged_user_ids"},
	{"preview_media_id", "media", "preview_media_id"},
	{"media_title", "media", "title"},
	{"media_description", "media", "description"},
	{"media_embeddable", "media", "embeddable"},
	{"call_to_actions", "media", NULL},
	{"edit_options", NULL, NULL},
};

/* ---- one POST /2/tweets for each container (2.1, 2.2) ---- */

static const char *start_ask(const struct env *env, struct flow *flow, struct step *step)
{
	if (flow_part(flow) == flow->part_count) {
		step_done(step);
		return NULL;
	}
	x_media_begin(flow);
	return x_media_count(env, flow) > 0 ? X_STAGE_MEDIA
	       : x_is_article(env, flow)    ? X_STAGE_DRAFT
					    : X_STAGE_CREATE;
}

static bool is_left_out(const struct placement *option, const struct json *value)
{
	/* "everyone" is the absence of the field (x.md 2.1). */
	return json_is_null(value) || (str_equal_z(str_of(option->name), "reply_settings") &&
				       str_equal_z(json_string(value), "everyone"));
}

static void option_write(struct json_writer *w, const struct placement *option,
			 const struct json *value)
{
	json_key(w, option->member != NULL ? option->member : option->name);
	if (str_equal_z(str_of(option->name), "community_id"))
		json_put_str(w, x_community_id(json_string(value)));
	else
		json_put_value(w, value);
}

/* All options that belong under parent (NULL = the top). */
static void options_write(struct json_writer *w, const struct json *options, const char *parent)
{
	for (size_t i = 0; i < COUNT_OF(placements); i++) {
		const struct placement *option = &placements[i];
		const struct json *value = json_get(options, option->name);
		const bool is_here = parent == NULL || option->parent == NULL
					     ? parent == option->parent
					     : str_equal_z(str_of(parent), option->parent);
		if (is_here && !is_left_out(option, value))
			option_write(w, option, value);
	}
}

static bool has_option(const struct json *options, const char *name)
{
	return !json_is_null(json_get(options, name));
}

static void object_write(struct json_writer *w, const struct json *options, const char *name)
{
	json_key(w, name);
	json_begin_object(w);
	options_write(w, options, name);
	json_end_object(w);
}

/* Only what X knows of a poll: it takes no other member. */
static void poll_write(struct json_writer *w, const struct json *poll)
{
	json_key(w, "poll");
	json_begin_object(w);
	json_key(w, "options");
	json_put_value(w, json_get(poll, "options"));
	json_key(w, "duration_minutes");
	json_put_value(w, json_get(poll, "duration_minutes"));
	json_end_object(w);
}

static void first_write(struct json_writer *w, const struct json *options)
{
	options_write(w, options, NULL);
	if (has_option(options, "poll"))
		poll_write(w, json_get(options, "poll"));
	if (has_option(options, "geo_place_id"))
		object_write(w, options, "geo");
	if (has_option(options, "in_reply_to_tweet_id"))
		object_write(w, options, "reply");
}

static void media_write(struct json_writer *w, const struct env *env, const struct flow *flow)
{
	const size_t count = x_media_count(env, flow);
	if (count == 0)
		return;
	json_key(w, "media");
	json_begin_object(w);
	json_key(w, "media_ids");
	json_begin_array(w);
	for (size_t i = 0; i < count; i++)
		json_put_str(w, x_media_id(flow, i));
	json_end_array(w);
	if (flow_part(flow) == 0)
		options_write(w, env->options, "media");
	json_end_object(w);
}

static void reply_write(struct json_writer *w, struct str parent_id)
{
	json_key(w, "reply");
	json_begin_object(w);
	json_member_str(w, "in_reply_to_tweet_id", parent_id);
	json_end_object(w);
}

static struct str create_body(const struct env *env, const struct flow *flow)
{
	const size_t part = flow_part(flow);
	const struct str text = x_text(env->arena, env->post, env->options, part);
	struct buf out;
	struct json_writer w;
	buf_init(&out, env->arena, X_BODY_MAX_BYTES);
	json_writer_init(&w, &out);
	json_begin_object(&w);
	if (!str_is_empty(text))
		json_member_str(&w, "text", text);
	media_write(&w, env, flow);
	if (part == 0)
		first_write(&w, env->options);
	else
		reply_write(&w, x_parent_id(env, flow));
	json_end_object(&w);
	return out.is_over ? (struct str){0} : buf_str(&out);
}

static const char *create_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct str body = create_body(env, flow);
	if (flow_part(flow) > 0 && str_is_empty(x_parent_id(env, flow))) {
		step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_PLATFORM_REJECTED,
			  STR("The previous post is published, but its id is unknown, so it cannot "
			      "be replied to."));
		return NULL;
	}
	if (str_is_empty(body)) {
		step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_CONTENT_REJECTED,
			  STR("The post with its options is too large for X."));
		return NULL;
	}
	struct call *call = step_send(step, CALL_PUBLISH, "POST", STR(X_API X_PATH_TWEETS));
	call_bearer(env, call, env->access_token);
	call_json(call, body);
	return NULL;
}

static const char *create_answer(const struct env *env, struct flow *flow,
				 const struct reply *reply, struct step *step)
{
	const struct str id = answer_id(env, json_get(json_get(reply->json, "data"), "id"));
	if (reply->status / 100 == 2 && !str_is_empty(id)) {
		flow_part_done(flow, id, x_post_url(env, id));
		return X_STAGE_START;
	}
	if (reply->outcome != REPLY_ANSWERED || !x_is_refusal(reply)) {
		*step = (struct step){.kind = STEP_UNCERTAIN};
		return NULL;
	}
	x_failed(env, reply, step);
	/* Uploads live for a day (3.2): those that expired while the post waited are made again,
	 * once. */
	if (step->failure.code == FAILURE_CODE_MEDIA_REJECTED && reply->status == 400 &&
	    x_media_count(env, flow) > 0 && x_media_begin_again(flow)) {
		*step = (struct step){0};
		return X_STAGE_MEDIA;
	}
	/* After a try with an uncertain outcome this is a sign that it landed (section 5): probe,
	 * do not give up. */
	if (step->failure.code == FAILURE_CODE_DUPLICATE_CONTENT &&
	    resolver_uncertain_us(flow) != 0)
		*step = (struct step){.kind = STEP_UNCERTAIN};
	return NULL;
}

static const char *no_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			     struct step *step)
{
	(void)reply;
	return start_ask(env, flow, step);
}

static const struct stage publish_stages[] = {
	{X_STAGE_START, start_ask, no_answer},
	{X_STAGE_MEDIA, x_media_ask, x_media_answer},
	{X_STAGE_UPLOAD, x_upload_ask, x_upload_answer},
	{X_STAGE_INITIALIZE, x_initialize_ask, x_initialize_answer},
	{X_STAGE_APPEND, x_append_ask, x_append_answer},
	{X_STAGE_FINALIZE, x_finalize_ask, x_finalize_answer},
	{X_STAGE_STATUS, x_status_ask, x_status_answer},
	{X_STAGE_ALT_TEXT, x_alt_text_ask, x_alt_text_answer},
	{X_STAGE_SUBTITLES, x_subtitles_ask, x_subtitles_answer},
	{X_STAGE_SUBTITLES_BYTES, x_subtitles_bytes_ask, x_subtitles_bytes_answer},
	{X_STAGE_SUBTITLES_END, x_subtitles_end_ask, x_subtitles_end_answer},
	{X_STAGE_SUBTITLES_STATUS, x_subtitles_status_ask, x_subtitles_status_answer},
	{X_STAGE_SUBTITLES_BIND, x_subtitles_bind_ask, x_subtitles_bind_answer},
	{X_STAGE_CREATE, create_ask, create_answer},
	{X_STAGE_DRAFT, x_draft_ask, x_draft_answer},
	{X_STAGE_ARTICLE, x_article_ask, x_article_answer},
	{.name = NULL},
};

/* ---- the platform ---- */

/* X does not say whether the account is protected. */
static enum post_visibility x_visibility(const struct env *env)
{
	const struct str article = json_string(json_get(x_article_options(env), "status"));
	if (env->post_type == POST_TYPE_ARTICLE && str_equal_z(article, "draft"))
		return POST_VISIBILITY_DRAFT;
	return json_bool(json_get(env->options, "for_super_followers_only"), false)
		       ? POST_VISIBILITY_FOLLOWERS
		       : POST_VISIBILITY_UNKNOWN;
}

const struct platform platform_x = {
	.slug = "x",
	.id = PLATFORM_X,
	.oauth = &x_oauth,
	.rules = &x_rules,
	.plan = x_plan,
	.stages =
		{
			[OPERATION_VERIFY] = x_verify_stages,
			[OPERATION_CONNECT] = x_connect_stages,
			[OPERATION_REFRESH] = x_refresh_stages,
			[OPERATION_CHECK] = x_check_stages,
			[OPERATION_REVOKE] = x_revoke_stages,
			[OPERATION_PUBLISH] = publish_stages,
			[OPERATION_RESOLVE] = x_resolve_stages,
			[OPERATION_REMOVE] = x_remove_stages,
		},
	.visibility = x_visibility,
};
