/* SPDX-License-Identifier: Apache-2.0
 * Instagram's publish calls with an uncertain outcome (meta.md 7). The container knows
 * whether it was published: that is the proof. Which of the account's media came of it only
 * comparing can tell: caption and time in the feed, kind and time among the stories, which show no
 * text and are in a list of their own. It is never simply the newest. Comments are compared by
 * text, author and time. */
#include "instagram_adapter.h"

#include "arena.h"
#include "buf.h"
#include "clock.h"

#include "form.h"
#include "json.h"

#include "graph.h"
#include "resolver.h"
#include "stages.h"

/* meta.md 7: FINISHED is believed after 2 to 5 minutes */
#define LANDING_US (120 * US_PER_S)
#define PROBES_FOR_MEDIA 2 /* then PUBLISHED counts without a media id */
#define LAST_PROBE 4       /* env.probe: there are five (rules.md 2.3) */

/* The earliest time at which something may be ours: the first uncertain call counts, also when the
 * same container was sent again. */
static void since_note(const struct env *env, struct flow *flow)
{
	flow_set_int(flow, INSTAGRAM_KEY_SINCE_US, resolver_since_us(env, flow));
}

static const char *start_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)step;
	since_note(env, flow);
	return flow_part(flow) == 0 ? INSTAGRAM_STAGE_STATUS : INSTAGRAM_STAGE_COMMENTS;
}

/* ---- the container ---- */

static bool has_container(const struct flow *flow)
{
	return !str_is_empty(flow_get(flow, INSTAGRAM_KEY_CONTAINER));
}

static const char *status_ask(const struct env *env, struct flow *flow, struct step *step)
{
	if (!has_container(flow))
		/* never begun, as far as we know: only comparing is left */
		return INSTAGRAM_STAGE_MEDIA;
	return instagram_read(env, flow, step, flow_get(flow, INSTAGRAM_KEY_CONTAINER),
			      "status_code");
}

/* FINISHED after a publish call means that it did not land, or that Meta has not noticed yet. The
 * same container goes out again, since it can be published once only; "repeats" makes the caller
 * probe before it believes a refusal of that. */
static const char *status_finished(const struct env *env, struct flow *flow, struct step *step)
{
	if (env->asked_at_us < env->started_at_us + LANDING_US)
		return resolver_end(flow, step, STEP_UNKNOWN);
	flow_count(flow, INSTAGRAM_KEY_REPEATS);
	flow_set_stage(flow, INSTAGRAM_STAGE_PUBLISH);
	return resolver_end(flow, step, STEP_SEND_AGAIN);
}

static const char *status_answer(const struct env *env, struct flow *flow,
				 const struct reply *reply, struct step *step)
{
	const struct str status = json_string(json_get(reply->json, "status_code"));
	if (graph_read_as_user(env, flow, reply))
		return INSTAGRAM_STAGE_STATUS;
	if (!graph_is_ok(reply)) {
		graph_step_fail(env, reply, step);
		return NULL;
	}
	if (str_equal_z(status, "PUBLISHED"))
		return INSTAGRAM_STAGE_MEDIA;
	if (str_equal_z(status, "FINISHED"))
		return status_finished(env, flow, step);
	if (str_equal_z(status, "ERROR") || str_equal_z(status, "EXPIRED")) {
		flow_restart_part(flow); /* not live, and never will be: a new container */
		resolver_end(flow, step, STEP_SEND_AGAIN);
		step->failure = (struct failure){
			.class = FAILURE_PERMANENT,
			.code = FAILURE_CODE_PLATFORM_REJECTED,
			.message = STR("Instagram gave the media container up before it was "
				       "published."),
			.platform_message = status,
		};
		return NULL;
	}
	return resolver_end(flow, step, STEP_UNKNOWN);
}

/* ---- the media that came of it ---- */

static bool is_story(const struct env *env)
{
	return env->post_type == POST_TYPE_STORY;
}

static const char *media_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const int64_t since_us = flow_get_int(flow, INSTAGRAM_KEY_SINCE_US, 0);
	struct buf form;
	if (is_story(env))
		return INSTAGRAM_STAGE_STORIES;
	graph_form_init(env, &form);
	form_add(&form, "fields", STR("id,caption,timestamp,permalink,media_product_type"));
	form_add(&form, "since", str_format(env->arena, "%lld", (long long)(since_us / US_PER_S)));
	graph_call(env, step, CALL_READ, "GET",
		   instagram_edge(env, env->platform_account_id, INSTAGRAM_EDGE_MEDIA),
		   graph_reader_token(env, flow), &form);
	return NULL;
}

static bool is_since(const struct env *env, const struct flow *flow, const struct json *item)
{
	return graph_instant_us(env, json_string(json_get(item, "timestamp"))) >=
	       flow_get_int(flow, INSTAGRAM_KEY_SINCE_US, INT64_MAX);
}

static bool is_our_media(const struct env *env, const struct flow *flow, const struct json *media)
{
	const struct str caption = env->post->containers[0].content;
	return is_since(env, flow, media) &&
	       (has_container(flow) || !str_is_empty(str_trim(caption))) &&
	       graph_text_is(env, json_get(media, "caption"), caption);
}

/* The probes for it that may end without an answer; the last of all must not. */
static bool may_probe_again(const struct env *env, struct flow *flow)
{
	return flow_count(flow, INSTAGRAM_KEY_MEDIA_LOOKS) <= PROBES_FOR_MEDIA &&
	       env->probe < LAST_PROBE;
}

/* Success stands; only the media's id may stay unknown, and with it the way to comment. */
static const char *media_compared(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step,
				  bool (*is_ours)(const struct env *env, const struct flow *flow,
						  const struct json *item))
{
	const bool may_wait = !has_container(flow) || may_probe_again(env, flow);
	const bool is_first = flow_get_int(flow, INSTAGRAM_KEY_MEDIA_LOOKS, 0) <= 1;
	if (graph_is_ok(reply))
		graph_resolve_list(env, flow, reply, step, "permalink", is_ours);
	else
		resolver_end(flow, step, STEP_UNKNOWN);
	if (may_wait || (is_first && step->match_count == 1))
		return NULL;
	flow_part_done(flow, (struct str){0}, (struct str){0});
	return resolver_end(flow, step, STEP_LANDED);
}

static const char *media_answer(const struct env *env, struct flow *flow, const struct reply *reply,
				struct step *step)
{
	if (graph_read_as_user(env, flow, reply))
		return INSTAGRAM_STAGE_MEDIA;
	return media_compared(env, flow, reply, step, is_our_media);
}

/* Without its container a story cannot be distinguished from others: it has no text. */
static const char *stories_ask(const struct env *env, struct flow *flow, struct step *step)
{
	if (!has_container(flow))
		return resolver_end(flow, step, STEP_UNKNOWN);
	return instagram_read(env, flow, step,
			      instagram_edge(env, env->platform_account_id, "stories"),
			      "id,timestamp,permalink,media_type");
}

static bool is_our_story(const struct env *env, const struct flow *flow, const struct json *story)
{
	const bool is_video = env->post->containers[0].media[0].type == MEDIA_VIDEO;
	const struct str kind = json_string(json_get(story, "media_type"));
	return is_since(env, flow, story) && str_equal_z(kind, is_video ? "VIDEO" : "IMAGE");
}

static const char *stories_answer(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step)
{
	if (graph_read_as_user(env, flow, reply))
		return INSTAGRAM_STAGE_STORIES;
	return media_compared(env, flow, reply, step, is_our_story);
}

/* ---- comments ---- */

static const char *comments_ask(const struct env *env, struct flow *flow, struct step *step)
{
	return instagram_read(
		env, flow, step,
		instagram_edge(env, flow->parts[0].remote_id, INSTAGRAM_EDGE_COMMENTS),
		"id,text,timestamp,username");
}

static bool is_our_comment(const struct env *env, const struct flow *flow,
			   const struct json *comment)
{
	const struct str sent = env->post->containers[flow_part(flow)].content;
	const struct str author = json_string(json_get(comment, "username"));
	return is_since(env, flow, comment) &&
	       graph_text_is(env, json_get(comment, "text"), sent) &&
	       (str_is_empty(author) || str_equal(author, env->username));
}

static const char *comments_answer(const struct env *env, struct flow *flow,
				   const struct reply *reply, struct step *step)
{
	if (graph_read_as_user(env, flow, reply))
		return INSTAGRAM_STAGE_COMMENTS;
	return graph_resolve_list(env, flow, reply, step, "permalink", is_our_comment);
}

const struct stage instagram_resolve_stages[] = {
	{INSTAGRAM_STAGE_LOOK, start_ask, graph_no_answer},
	{INSTAGRAM_STAGE_STATUS, status_ask, status_answer},
	{INSTAGRAM_STAGE_MEDIA, media_ask, media_answer},
	{INSTAGRAM_STAGE_STORIES, stories_ask, stories_answer},
	{INSTAGRAM_STAGE_COMMENTS, comments_ask, comments_answer},
	{.name = NULL},
};
