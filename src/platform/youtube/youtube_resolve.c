/* SPDX-License-Identifier: Apache-2.0
 * Publish calls with an uncertain outcome (youtube.md 2.3, 5): the session proves what
 * became of the last byte; when it is gone, and for comments, lists are compared. */
#include "youtube_adapter.h"

#include "form.h"

#include "answer.h"
#include "resolver.h"
#include "stages.h"

#define NEWEST_COUNT 10 /* newest uploads compared (5) */

static const char *start_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)step;
	if (flow_part(flow) > 0)
		return YOUTUBE_STAGE_THREADS;
	if (!str_is_empty(youtube_video_id(flow)))
		return YOUTUBE_STAGE_MADE;
	if (!str_is_empty(flow_get(flow, YOUTUBE_KEY_SESSION_URI)))
		return YOUTUBE_STAGE_SESSION;
	resolver_since_us(env, flow);
	return YOUTUBE_STAGE_UPLOADS; /* never begun, as far as we know: only comparing is left */
}

/* A probe that failed: its failure says whether a new token or time would help. */
static const char *probe_refused(const struct env *env, struct flow *flow,
				 const struct reply *reply, struct step *step)
{
	return youtube_is_refused(env, reply, step) ? NULL : resolver_end(flow, step, STEP_UNKNOWN);
}

/* The video is there, and its id is known: what was given up is only what follows an upload. */
static const char *made_ask(const struct env *env, struct flow *flow, struct step *step)
{
	youtube_video_done(env, flow);
	return resolver_end(flow, step, STEP_LANDED);
}

static const char *probe_session_ask(const struct env *env, struct flow *flow, struct step *step)
{
	resolver_since_us(env, flow);
	flow_set_int(flow, YOUTUBE_KEY_IN_DOUBT, 1);
	youtube_session_query(env, flow, step);
	return NULL;
}

static const char *probe_session_answer(const struct env *env, struct flow *flow,
					const struct reply *reply, struct step *step)
{
	if (youtube_is_gone(reply))
		return YOUTUBE_STAGE_UPLOADS;
	if (youtube_video_made(env, flow, reply)) {
		flow_set_stage(flow, YOUTUBE_STAGE_THUMBNAIL);
		return resolver_end(flow, step, STEP_LANDED);
	}
	if (reply->status != 308)
		return probe_refused(env, flow, reply, step);
	const int64_t received_bytes = youtube_received_bytes(reply_header(reply, "Range"));
	if (received_bytes >= flow_get_int(flow, YOUTUBE_KEY_SIZE_BYTES, 0))
		return resolver_end(flow, step,
				    STEP_UNKNOWN); /* all there, yet no video reported: ask again */
	flow_set_int(flow, YOUTUBE_KEY_OFFSET_BYTES, received_bytes);
	flow_unset(flow, YOUTUBE_KEY_IN_DOUBT);
	/* the bytes may arrive after this answer: then no failure may be reported */
	flow_set_open(flow);
	if (flow_count(flow, YOUTUBE_KEY_RESENDS) > YOUTUBE_RESENDS_MAX)
		flow_set_stage(flow, YOUTUBE_STAGE_LOST);
	return resolver_end(flow, step, STEP_SEND_AGAIN);
}

/* As connect stored it; else the list of uploads has the channel's name with UU for UC. */
static struct str uploads_playlist(const struct env *env)
{
	const struct str told = json_string(json_get(env->account_extra, "uploads_playlist"));
	struct str channel = env->platform_account_id;
	if (!str_is_empty(told) || !str_skip(&channel, STR("UC")))
		return told;
	return str_concat(env->arena, STR("UU"), channel);
}

static const char *uploads_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct str playlist = uploads_playlist(env);
	if (str_is_empty(playlist))
		return resolver_end(flow, step, STEP_UNKNOWN);
	struct buf url;
	buf_init(&url, env->arena, YOUTUBE_URL_MAX_BYTES);
	buf_add_z(&url, YOUTUBE_API_URL "/playlistItems?part=contentDetails,snippet&playlistId=");
	percent_encode(&url, playlist);
	buf_addf(&url, "&maxResults=%d", NEWEST_COUNT);
	call_bearer(env, step_send(step, CALL_READ, "GET", buf_str(&url)), env->access_token);
	return NULL;
}

static bool probe_is_answered(const struct reply *reply)
{
	return reply->outcome == REPLY_ANSWERED && reply->status == 200 &&
	       json_is(json_get(reply->json, "items"), JSON_TYPE_ARRAY);
}

static const char *uploads_answer(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step)
{
	if (!probe_is_answered(reply))
		return probe_refused(env, flow, reply, step);
	const struct json *items = json_get(reply->json, "items");
	resolver_matches_begin(flow, step);
	for (size_t i = 0; i < items->count; i++) {
		const struct json *snippet = json_get(json_at(items, i), "snippet");
		const struct json *details = json_get(json_at(items, i), "contentDetails");
		const struct str id = json_string(json_get(details, "videoId"));
		if (!str_is_empty(id) &&
		    resolver_is_since(env, flow, json_string(json_get(snippet, "publishedAt"))) &&
		    resolver_texts_equal(env->arena, json_string(json_get(snippet, "title")),
					 youtube_video_title(env)))
			resolver_match_add(step, id, youtube_watch_url(env, id));
	}
	return resolver_matches_end(step);
}

static const char *threads_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf url;
	buf_init(&url, env->arena, YOUTUBE_URL_MAX_BYTES);
	buf_add_z(&url, YOUTUBE_API_URL YOUTUBE_PATH_COMMENT_THREADS "?part=snippet&videoId=");
	percent_encode(&url, flow->parts[0].remote_id);
	buf_add_z(&url, "&order=time&maxResults=100");
	call_bearer(env, step_send(step, CALL_READ, "GET", buf_str(&url)), env->access_token);
	return NULL;
}

static bool is_our_comment(const struct env *env, struct flow *flow, const struct json *comment)
{
	const struct json *snippet = json_get(comment, "snippet");
	const struct str author =
		json_string(json_get(json_get(snippet, "authorChannelId"), "value"));
	return str_equal(author, env->platform_account_id) &&
	       resolver_is_since(env, flow, json_string(json_get(snippet, "publishedAt"))) &&
	       resolver_texts_equal(env->arena, json_string(json_get(snippet, "textOriginal")),
				    env->post->containers[flow_part(flow)].content);
}

static const char *threads_answer(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step)
{
	if (!probe_is_answered(reply))
		return probe_refused(env, flow, reply, step);
	const struct json *items = json_get(reply->json, "items");
	resolver_matches_begin(flow, step);
	for (size_t i = 0; i < items->count; i++) {
		const struct json *comment = youtube_top_comment(json_at(items, i));
		const struct str id = answer_id_of(env, json_string(json_get(comment, "id")));
		if (!str_is_empty(id) && is_our_comment(env, flow, comment))
			resolver_match_add(step, id, youtube_comment_url(env, flow, id));
	}
	return resolver_matches_end(step);
}

const struct stage youtube_resolve_stages[] = {
	{YOUTUBE_STAGE_DOUBT, start_ask, stages_answer_unexpected},
	{YOUTUBE_STAGE_MADE, made_ask, stages_answer_unexpected},
	{YOUTUBE_STAGE_SESSION, probe_session_ask, probe_session_answer},
	{YOUTUBE_STAGE_UPLOADS, uploads_ask, uploads_answer},
	{YOUTUBE_STAGE_THREADS, threads_ask, threads_answer},
	{0},
};
