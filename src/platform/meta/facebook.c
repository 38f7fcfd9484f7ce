/* SPDX-License-Identifier: Apache-2.0
 * Facebook Pages (meta.md 2, 3): connecting, and posts of text, link and photos with
 * their comments. Photos are put up unpublished first, so that the one call that people can see is
 * POST /{page}/feed, for a text, a link and photos alike; every further container is a comment.
 * Videos are facebook_video.c's, uncertain calls facebook_resolve.c's, limits
 * facebook_rules.c's. */
#include "arena.h"
#include "buf.h"
#include "clock.h"

#include "form.h"
#include "json.h"
#include "utf8.h"

#include "request_limits.h"

#include "adapters.h"
#include "answer.h"
#include "facebook_adapter.h"
#include "graph.h"
#include "resolver.h"
#include "multipart.h"

#define UPLOAD_AGAIN_MAX 3 /* meta.md 6.1: 389 and 6001, one or two retries */
#define UPLOAD_AGAIN_MS 5000
#define PHOTOS_LAST_US (23 * US_PER_HOUR) /* meta.md 3: unpublished photos, about 24 h */

/* ---- connect (meta.md 2) ---- */

static const struct oauth_profile facebook_oauth = {
	.authorize_url = "https://www.facebook.com/{graph_version}/dialog/oauth",
	.client_id_name = "client_id",
	.scopes = {"pages_show_list", "pages_manage_posts", "pages_read_engagement",
		   "pages_manage_engagement", "business_management"},
	.scope_separator = ",",
	.pkce = PKCE_NONE,
	.takes_config_id = true,
	/* Else Meta does not ask again for what was declined before (meta.md 2.3). */
	.extra = {{"auth_type", "rerequest"}},
	.denied_errors = {"access_denied"},
};

/* business_management is asked for but not demanded: without it only the portfolios' Pages are
 * missing. */
static const char *const facebook_needed[] = {"pages_show_list", "pages_manage_posts",
					      "pages_read_engagement", "pages_manage_engagement",
					      NULL};

static const char *facebook_permissions_answer(const struct env *env, struct flow *flow,
					       const struct reply *reply, struct step *step)
{
	return graph_permissions_answer(env, flow, reply, step, facebook_needed);
}

static bool facebook_account(const struct env *env, const struct flow *flow,
			     const struct graph_page *page, struct account_found *account)
{
	*account = (struct account_found){
		.platform_account_id = page->id,
		.username = str_is_empty(page->username) ? page->id : page->username,
		.name = page->name,
		.avatar_url = page->avatar_url,
		.type = ACCOUNT_PAGE,
		.access_token = page->access_token, /* without an expiry date (meta.md 2.7) */
		.scopes = flow_get(flow, GRAPH_KEY_SCOPES),
		.extra = graph_account_extra(env, flow, NULL, (struct str){0}),
		.extra_secret = flow_get(flow, GRAPH_KEY_USER_TOKEN),
	};
	return true;
}

static const char *facebook_connected_ask(const struct env *env, struct flow *flow,
					  struct step *step)
{
	if (flow_get_int(flow, GRAPH_KEY_IS_PROBED, 0) == 0)
		return GRAPH_STAGE_PROBE;
	graph_finish(env, flow, step, facebook_account);
	return NULL;
}

static const struct stage facebook_connect_stages[] = {
	{GRAPH_STAGE_CODE, graph_code_ask, graph_code_answer},
	{GRAPH_STAGE_LONG, graph_long_ask, graph_long_answer},
	{GRAPH_STAGE_PERMISSIONS, graph_permissions_ask, facebook_permissions_answer},
	{GRAPH_STAGE_ME, graph_me_ask, graph_me_answer},
	{GRAPH_STAGE_PAGES, graph_pages_ask, graph_pages_answer},
	{GRAPH_STAGE_BUSINESSES, graph_businesses_ask, graph_businesses_answer},
	{GRAPH_STAGE_PORTFOLIO, graph_portfolio_ask, graph_portfolio_answer},
	{GRAPH_STAGE_PROBE, graph_probe_ask, graph_probe_answer},
	{GRAPH_STAGE_TARGETS, graph_targets_ask, graph_targets_answer},
	{GRAPH_STAGE_FINISH, facebook_connected_ask, graph_no_answer},
	{.name = NULL},
};

/* ---- what the flows share ---- */

const struct container *facebook_container(const struct env *env, const struct flow *flow)
{
	return &env->post->containers[flow_part(flow)];
}

struct str facebook_edge(const struct env *env, const char *edge)
{
	return str_format(env->arena, STR_FMT "/%s", STR_ARG(env->platform_account_id), edge);
}

struct str facebook_url(const struct env *env, const struct json *permalink, struct str id)
{
	const struct str site = STR("https://www.facebook.com");
	const struct str text = json_string(permalink);
	const bool is_path = str_has_prefix(text, STR("/"));
	const struct str url = answer_url(env, is_path ? str_concat(env->arena, site, text) : text);
	return str_is_empty(url)
		       ? str_format(env->arena, STR_FMT "/" STR_FMT, STR_ARG(site), STR_ARG(id))
		       : url;
}

void facebook_publish_fail(const struct env *env, const struct flow *flow,
			   const struct reply *reply, struct step *step)
{
	if (graph_is_uncertain(reply)) {
		*step = (struct step){.kind = STEP_UNCERTAIN};
		return;
	}
	graph_step_fail(env, reply, step);
	/* 506, or a photo that is used up, after an unknown outcome is evidence that the first try
	 * landed (meta.md 6.1): probe, do not give up. */
	if (step->failure.code == FAILURE_CODE_DUPLICATE_CONTENT &&
	    resolver_uncertain_us(flow) != 0)
		*step = (struct step){.kind = STEP_UNCERTAIN};
}

bool facebook_repeats(struct flow *flow, const struct reply *reply, struct step *step)
{
	struct graph_error error;
	if (!graph_error_read(reply, &error) || error.remedy != GRAPH_REPEAT ||
	    flow_count(flow, FACEBOOK_KEY_UPLOADS) >= UPLOAD_AGAIN_MAX)
		return false;
	step_wait(step, UPLOAD_AGAIN_MS);
	return true;
}

/* Where a part begins. */
static const char *first_stage(const struct env *env)
{
	switch (facebook_kind_of(env->post, env->post_type)) {
	case FACEBOOK_FEED:
	case FACEBOOK_PHOTO_STORY:
		return FACEBOOK_STAGE_PHOTO;
	case FACEBOOK_VIDEO:
		return FACEBOOK_STAGE_SHAPE;
	case FACEBOOK_REEL:
	case FACEBOOK_VIDEO_STORY:
		return FACEBOOK_STAGE_SESSION_START;
	}
	return FACEBOOK_STAGE_PHOTO;
}

static const char *facebook_start_ask(const struct env *env, struct flow *flow, struct step *step)
{
	if (flow_part(flow) == flow->part_count) {
		if (flow_wants(flow, FLOW_THUMBNAIL_REFUSED))
			return FACEBOOK_STAGE_COVER;
		step_done(step);
		return NULL;
	}
	return flow_part(flow) == 0 ? first_stage(env) : FACEBOOK_STAGE_PHOTO;
}

/* ---- photos, unpublished ---- */

static const char *photo_name(const struct env *env, const struct flow *flow, size_t index)
{
	return str_z(env->arena,
		     str_format(env->arena, FACEBOOK_KEY_PHOTO_FORMAT, flow_part(flow), index));
}

struct str facebook_photo_id(const struct env *env, const struct flow *flow, size_t index)
{
	return flow_get(flow, photo_name(env, flow, index));
}

/* The first photo that has no id yet. */
static size_t photo_next(const struct env *env, const struct flow *flow)
{
	const size_t count = facebook_container(env, flow)->media_count;
	size_t index = 0;
	while (index < count && !str_is_empty(facebook_photo_id(env, flow, index)))
		index++;
	return index;
}

/* The call that makes the photos of this part visible, or the text alone. */
static const char *publish_stage(const struct env *env, const struct flow *flow)
{
	if (flow_part(flow) > 0)
		return FACEBOOK_STAGE_COMMENT;
	return facebook_kind_of(env->post, env->post_type) == FACEBOOK_PHOTO_STORY
		       ? FACEBOOK_STAGE_STORY
		       : FACEBOOK_STAGE_FEED;
}

/* Of the post's photos; a comment's has none. */
static struct str photo_caption(const struct env *env, size_t flat_index)
{
	const struct json *captions = json_get(env->options, "photo_captions");
	return flat_index < env->post->containers[0].media_count
		       ? json_string(json_at(captions, flat_index))
		       : (struct str){0};
}

static void photo_send(const struct env *env, const struct media *photo, size_t flat_index,
		       struct step *step)
{
	const struct media_file *file = &env->media[flat_index];
	const struct str caption = photo_caption(env, flat_index);
	struct multipart body;
	multipart_begin(&body, env, str_concat(env->arena, photo->url, photo->alt_text));
	multipart_field(&body, "published", STR("false"));
	if (!str_is_empty(caption))
		multipart_field(&body, "caption", caption);
	if (!str_is_empty(photo->alt_text))
		multipart_field(&body, "alt_text_custom", photo->alt_text);
	multipart_file(&body, "source", "photo", file->sniff.mime_type, flat_index, 0,
		       file->size_bytes);
	graph_call_multipart(env, step, CALL_PREPARE, facebook_edge(env, FACEBOOK_EDGE_PHOTOS),
			     env->access_token, &body);
}

/* As bytes: so the file need not be reachable for Meta, and is checked here first. It is gone in a
 * day if nothing uses it (meta.md 3). */
static const char *facebook_photo_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct container *container = facebook_container(env, flow);
	const size_t index = photo_next(env, flow);
	const size_t flat_index = post_media_base(env->post, flow_part(flow)) + index;
	if (index == container->media_count)
		return publish_stage(env, flow);
	if (!env->media[flat_index].is_ready)
		step_media(step, flat_index);
	else if (media_rule_check(&facebook_photo_rule, env, flat_index, step))
		photo_send(env, &container->media[index], flat_index, step);
	return NULL;
}

static const char *facebook_photo_answer(const struct env *env, struct flow *flow,
					 const struct reply *reply, struct step *step)
{
	const struct str id = answer_id(env, json_get(reply->json, "id"));
	const size_t index = photo_next(env, flow);
	if (graph_is_ok(reply) && !str_is_empty(id)) {
		if (index == 0)
			flow_set_int(flow, FACEBOOK_KEY_PHOTOS_AT_US, env->now_us);
		flow_set(flow, photo_name(env, flow, index), id);
		return FACEBOOK_STAGE_PHOTO;
	}
	if (!facebook_repeats(flow, reply, step))
		graph_step_fail(env, reply, step);
	return NULL;
}

/* Photos that Facebook has thrown away by now are forgotten here too, unless an uncertain call is
 * known by them. True when there were such. */
static bool photos_forget_old(const struct env *env, struct flow *flow)
{
	const size_t count = facebook_container(env, flow)->media_count;
	const int64_t at_us = flow_get_int(flow, FACEBOOK_KEY_PHOTOS_AT_US, 0);
	if (count == 0 || resolver_uncertain_us(flow) != 0 || env->now_us - at_us < PHOTOS_LAST_US)
		return false;
	for (size_t i = 0; i < count; i++)
		flow_unset(flow, photo_name(env, flow, i));
	return true;
}

/* ---- the post ---- */

static void photos_add(const struct env *env, const struct flow *flow, struct buf *form)
{
	for (size_t i = 0; i < facebook_container(env, flow)->media_count; i++) {
		const struct str id = facebook_photo_id(env, flow, i);
		const struct str name = str_format(env->arena, "attached_media[%zu]", i);
		form_add_str(
			form, name,
			str_format(env->arena, "{\"media_fbid\":\"" STR_FMT "\"}", STR_ARG(id)));
	}
}

static void form_send(const struct env *env, struct step *step, struct str object, const char *edge,
		      struct buf *form)
{
	graph_call(env, step, CALL_PUBLISH, "POST",
		   str_format(env->arena, STR_FMT "/%s", STR_ARG(object), edge), env->access_token,
		   form);
	if (form->is_over)
		step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_CONTENT_REJECTED,
			  STR("The post with its options is too large."));
}

static const char *facebook_feed_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct str message = facebook_container(env, flow)->content;
	struct buf form;
	if (photos_forget_old(env, flow))
		return FACEBOOK_STAGE_PHOTO;
	graph_form_init(env, &form);
	if (!str_is_empty(message))
		form_add(&form, "message", message);
	photos_add(env, flow, &form);
	facebook_options_add(env, &form, FACEBOOK_FEED);
	form_add(&form, "fields", STR("id,permalink_url"));
	form_send(env, step, env->platform_account_id, FACEBOOK_EDGE_FEED, &form);
	return NULL;
}

static const char *facebook_feed_answer(const struct env *env, struct flow *flow,
					const struct reply *reply, struct step *step)
{
	const struct str id = answer_id(env, json_get(reply->json, "id"));
	if (!graph_is_ok(reply) || str_is_empty(id)) {
		facebook_publish_fail(env, flow, reply, step);
		return NULL;
	}
	flow_part_done(flow, id, facebook_url(env, json_get(reply->json, "permalink_url"), id));
	return FACEBOOK_STAGE_START;
}

/* ---- photo story (meta.md 3.3) ---- */

static const char *facebook_story_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	if (photos_forget_old(env, flow))
		return FACEBOOK_STAGE_PHOTO;
	graph_form_init(env, &form);
	form_add(&form, "photo_id", facebook_photo_id(env, flow, 0));
	form_send(env, step, env->platform_account_id, FACEBOOK_EDGE_PHOTO_STORIES, &form);
	return NULL;
}

static const char *facebook_story_answer(const struct env *env, struct flow *flow,
					 const struct reply *reply, struct step *step)
{
	const struct str id = answer_id(env, json_get(reply->json, "post_id"));
	if (!graph_is_ok(reply) || !json_bool(json_get(reply->json, "success"), false)) {
		facebook_publish_fail(env, flow, reply, step);
		return NULL;
	}
	flow_set(flow, FACEBOOK_KEY_STORY_ID, id);
	flow_set_open(flow);
	return FACEBOOK_STAGE_LISTED;
}

/* ---- comments ---- */

static const char *facebook_comment_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct container *comment = facebook_container(env, flow);
	struct buf form;
	if (str_is_empty(flow->parts[0].remote_id)) {
		step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_PLATFORM_REJECTED,
			  STR("The post is published, but its id is unknown, so it cannot be "
			      "commented on."));
		return NULL;
	}
	if (photos_forget_old(env, flow))
		return FACEBOOK_STAGE_PHOTO;
	graph_form_init(env, &form);
	if (!str_is_empty(comment->content))
		form_add(&form, "message", comment->content);
	if (comment->media_count > 0)
		form_add(&form, "attachment_id", facebook_photo_id(env, flow, 0));
	form_send(env, step, flow->parts[0].remote_id, FACEBOOK_EDGE_COMMENTS, &form);
	return NULL;
}

static const char *facebook_comment_answer(const struct env *env, struct flow *flow,
					   const struct reply *reply, struct step *step)
{
	const struct str id = answer_id(env, json_get(reply->json, "id"));
	if (!graph_is_ok(reply) || str_is_empty(id)) {
		facebook_publish_fail(env, flow, reply, step);
		return NULL;
	}
	flow_part_done(flow, id, (struct str){0});
	return FACEBOOK_STAGE_START;
}

/* ---- the platform ---- */

static const struct stage facebook_publish_stages[] = {
	{FACEBOOK_STAGE_START, facebook_start_ask, graph_no_answer},
	/* text, link, photos; photo stories; comments */
	{FACEBOOK_STAGE_PHOTO, facebook_photo_ask, facebook_photo_answer},
	{FACEBOOK_STAGE_FEED, facebook_feed_ask, facebook_feed_answer},
	{FACEBOOK_STAGE_STORY, facebook_story_ask, facebook_story_answer},
	{FACEBOOK_STAGE_COMMENT, facebook_comment_ask, facebook_comment_answer},
	/* videos in chunks; reels and video stories */
	{FACEBOOK_STAGE_SHAPE, facebook_shape_ask, graph_no_answer},
	{FACEBOOK_STAGE_CHUNK_START, facebook_chunk_start_ask, facebook_chunk_start_answer},
	{FACEBOOK_STAGE_CHUNK, facebook_chunk_ask, facebook_chunk_answer},
	{FACEBOOK_STAGE_SESSION_START, facebook_session_start_ask, facebook_session_start_answer},
	{FACEBOOK_STAGE_UPLOAD, facebook_upload_ask, facebook_upload_answer},
	{FACEBOOK_STAGE_UPLOAD_LOOK, facebook_upload_probe_ask, facebook_upload_probe_answer},
	{FACEBOOK_STAGE_READY, facebook_ready_ask, facebook_ready_answer},
	{FACEBOOK_STAGE_FINISH, facebook_finish_ask, facebook_finish_answer},
	{FACEBOOK_STAGE_CHECK, facebook_check_ask, facebook_check_answer},
	{FACEBOOK_STAGE_LISTED, facebook_listed_ask, facebook_listed_answer},
	{FACEBOOK_STAGE_COVER, facebook_cover_ask, facebook_cover_answer},
	{FACEBOOK_STAGE_COLLABORATOR, facebook_collaborator_ask, facebook_collaborator_answer},
	{.name = NULL},
};

const struct platform platform_facebook = {
	.slug = "facebook",
	.id = PLATFORM_FACEBOOK,
	.oauth = &facebook_oauth,
	.rules = &facebook_rules,
	.plan = facebook_plan,
	.stages =
		{
			[OPERATION_VERIFY] = graph_verify_stages,
			[OPERATION_CONNECT] = facebook_connect_stages,
			[OPERATION_CHECK] = graph_check_stages,
			[OPERATION_PUBLISH] = facebook_publish_stages,
			[OPERATION_RESOLVE] = facebook_resolve_stages,
			[OPERATION_REMOVE] = facebook_remove_stages,
		},
	.visibility = facebook_visibility,
};
