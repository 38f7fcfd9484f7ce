/* SPDX-License-Identifier: Apache-2.0
 * A Page's publish calls with an uncertain outcome (meta.md 7). Graph has no
 * idempotency key; what a call is known by is the video's id, the photos' ids, or at last its words
 * and the time. Never the newest post of the Page. */
#include "arena.h"
#include "buf.h"
#include "clock.h"

#include "form.h"
#include "json.h"

#include "facebook_adapter.h"
#include "graph.h"
#include "answer.h"
#include "resolver.h"

#define LOOK_BACK_US (120 * US_PER_S) /* rules.md 2.3: created since started_at - 2 min */
/* As long a video that is still not published may only be late. finish names the one video that was
 * uploaded, so that asking again cannot make a second one, even if a clock is wrong. */
#define LANDING_US (150 * US_PER_S)

static const char *start_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)step;
	resolver_since_us(env, flow); /* remembers when this part became uncertain */
	if (flow_part(flow) > 0)
		return FACEBOOK_STAGE_COMMENTS;
	switch (facebook_kind_of(env->post, env->post_type)) {
	case FACEBOOK_FEED:
		return FACEBOOK_STAGE_POSTS;
	case FACEBOOK_PHOTO_STORY:
		return FACEBOOK_STAGE_STORIES;
	case FACEBOOK_VIDEO:
	case FACEBOOK_REEL:
	case FACEBOOK_VIDEO_STORY:
		return FACEBOOK_STAGE_VIDEO;
	}
	return FACEBOOK_STAGE_POSTS;
}

/* ---- posts ---- */

static const char *posts_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	graph_form_init(env, &form);
	form_add(&form, "fields",
		 STR("id,message,created_time,permalink_url,"
		     "attachments{target,unshimmed_url,subattachments}"));
	form_add(&form, "limit", STR("25"));
	graph_call(env, step, CALL_READ, "GET", facebook_edge(env, "published_posts"),
		   graph_reader_token(env, flow), &form);
	return NULL;
}

/* Created since the part became uncertain, less 2 minutes (rules.md 2.3). */
static bool is_since(const struct env *env, const struct flow *flow, const struct json *item)
{
	return graph_instant_us(env, json_string(json_get(item, "created_time"))) >=
	       resolver_uncertain_us(flow) - LOOK_BACK_US;
}

static bool says(const struct env *env, const struct json *item, struct str text)
{
	return !str_is_empty(str_trim(text)) && graph_text_is(env, json_get(item, "message"), text);
}

static bool is_photo_of_ours(const struct env *env, const struct flow *flow,
			     const struct json *attachment)
{
	const struct str id = answer_id(env, json_get(json_get(attachment, "target"), "id"));
	for (size_t i = 0; i < facebook_container(env, flow)->media_count; i++) {
		if (!str_is_empty(id) && str_equal(id, facebook_photo_id(env, flow, i)))
			return true;
	}
	return false;
}

static bool any_photo_is_ours(const struct env *env, const struct flow *flow,
			      const struct json *attachments)
{
	const struct json *list = json_get(attachments, "data");
	for (size_t i = 0; json_is(list, JSON_TYPE_ARRAY) && i < list->count; i++) {
		const struct json *inner =
			json_get(json_get(&list->items[i], "subattachments"), "data");
		if (is_photo_of_ours(env, flow, &list->items[i]))
			return true;
		for (size_t j = 0; json_is(inner, JSON_TYPE_ARRAY) && j < inner->count; j++) {
			if (is_photo_of_ours(env, flow, &inner->items[j]))
				return true;
		}
	}
	return false;
}

/* A post of nothing but a link. */
static bool shares_our_link(const struct env *env, const struct flow *flow, const struct json *post)
{
	const struct json *first = json_at(json_get(json_get(post, "attachments"), "data"), 0);
	const struct str link = json_string(json_get(env->options, "link"));
	return !str_is_empty(link) &&
	       str_is_empty(str_trim(facebook_container(env, flow)->content)) &&
	       str_is_empty(str_trim(json_string(json_get(post, "message")))) &&
	       str_equal(json_string(json_get(first, "unshimmed_url")), link);
}

/* Our photos: nobody else can have used them. */
static bool has_our_photos(const struct env *env, const struct flow *flow, const struct json *post)
{
	return is_since(env, flow, post) &&
	       any_photo_is_ours(env, flow, json_get(post, "attachments"));
}

/* Our words or our link since then. */
static bool has_our_words(const struct env *env, const struct flow *flow, const struct json *post)
{
	return is_since(env, flow, post) &&
	       (says(env, post, facebook_container(env, flow)->content) ||
		shares_our_link(env, flow, post));
}

typedef bool (*comparison)(const struct env *env, const struct flow *flow, const struct json *item);

/* Proof goes before resemblance; the latter is tried because nobody has promised that photos keep
 * their ids (meta.md 11, 8). */
static const char *resolve_twice(const struct env *env, struct flow *flow,
				 const struct reply *reply, struct step *step, comparison sure,
				 comparison alike)
{
	const struct str probe = flow->probe;
	graph_resolve_list(env, flow, reply, step, "permalink_url", sure);
	if (step->kind != STEP_UNKNOWN)
		return NULL;
	flow->probe = probe;
	return graph_resolve_list(env, flow, reply, step, "permalink_url", alike);
}

static const char *posts_answer(const struct env *env, struct flow *flow, const struct reply *reply,
				struct step *step)
{
	if (graph_read_as_user_when_dead(env, flow, reply))
		return FACEBOOK_STAGE_POSTS;
	return resolve_twice(env, flow, reply, step, has_our_photos, has_our_words);
}

/* ---- videos ---- */

static const char *video_ask(const struct env *env, struct flow *flow, struct step *step)
{
	facebook_video_ask(env, flow, step);
	return NULL;
}

static const char *video_answer(const struct env *env, struct flow *flow, const struct reply *reply,
				struct step *step)
{
	const struct facebook_video_state state = facebook_video_state_read(reply->json);
	if (graph_read_as_user_when_dead(env, flow, reply))
		return FACEBOOK_STAGE_VIDEO;
	if (!graph_is_ok(reply) || !json_is(reply->json, JSON_TYPE_OBJECT)) {
		graph_step_fail(env, reply, step);
		return NULL;
	}
	if (state.is_published || state.is_failed) {
		/* The flow goes on after the call: it waits for the end of processing, and reports
		 * when that fails. */
		flow_set_open(flow);
		flow_set_stage(flow, FACEBOOK_STAGE_CHECK);
		return resolver_end(flow, step, STEP_LANDED);
	}
	if (env->asked_at_us < env->started_at_us + LANDING_US ||
	    !json_is(json_get(reply->json, "published"), JSON_TYPE_BOOL))
		return resolver_end(flow, step, STEP_UNKNOWN);
	flow_set_stage(flow, FACEBOOK_STAGE_FINISH);
	return resolver_end(flow, step, STEP_SEND_AGAIN);
}

/* ---- photo stories ---- */

static const char *stories_ask(const struct env *env, struct flow *flow, struct step *step)
{
	facebook_stories_ask(env, flow, step);
	return NULL;
}

static const char *stories_answer(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step)
{
	const struct json *story = facebook_story_find(env, flow, reply);
	const struct str id = answer_id(env, json_get(story, "post_id"));
	if (graph_read_as_user_when_dead(env, flow, reply))
		return FACEBOOK_STAGE_STORIES;
	if (!graph_is_ok(reply) || !json_is(json_get(reply->json, "data"), JSON_TYPE_ARRAY)) {
		graph_step_fail(env, reply, step);
		return NULL;
	}
	if (story == NULL)
		return resolver_end(flow, step, STEP_UNKNOWN);
	flow_part_done(flow, id,
		       str_is_empty(id) ? (struct str){0}
					: facebook_url(env, json_get(story, "url"), id));
	return resolver_end(flow, step, STEP_LANDED);
}

/* ---- comments ---- */

static const char *comments_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf form;
	graph_form_init(env, &form);
	form_add(&form, "fields", STR("id,message,from,created_time,attachment{target}"));
	form_add(&form, "order", STR("reverse_chronological"));
	form_add(&form, "limit", STR("100"));
	graph_call(env, step, CALL_READ, "GET",
		   str_format(env->arena, STR_FMT "/" FACEBOOK_EDGE_COMMENTS,
			      STR_ARG(flow->parts[0].remote_id)),
		   graph_reader_token(env, flow), &form);
	return NULL;
}

static bool has_our_photo(const struct env *env, const struct flow *flow,
			  const struct json *comment)
{
	return is_since(env, flow, comment) &&
	       is_photo_of_ours(env, flow, json_get(comment, "attachment"));
}

/* Our words, by the Page itself, since then. Who wrote it may be left out of the answer. */
static bool is_our_comment(const struct env *env, const struct flow *flow,
			   const struct json *comment)
{
	const struct str author = answer_id(env, json_get(json_get(comment, "from"), "id"));
	return is_since(env, flow, comment) &&
	       says(env, comment, facebook_container(env, flow)->content) &&
	       (str_is_empty(author) || str_equal(author, env->platform_account_id));
}

static const char *comments_answer(const struct env *env, struct flow *flow,
				   const struct reply *reply, struct step *step)
{
	if (graph_read_as_user_when_dead(env, flow, reply))
		return FACEBOOK_STAGE_COMMENTS;
	return resolve_twice(env, flow, reply, step, has_our_photo, is_our_comment);
}

const struct stage facebook_resolve_stages[] = {
	{FACEBOOK_STAGE_LOOK, start_ask, graph_no_answer},
	{FACEBOOK_STAGE_POSTS, posts_ask, posts_answer},
	{FACEBOOK_STAGE_VIDEO, video_ask, video_answer},
	{FACEBOOK_STAGE_STORIES, stories_ask, stories_answer},
	{FACEBOOK_STAGE_COMMENTS, comments_ask, comments_answer},
	{.name = NULL},
};
