/* SPDX-License-Identifier: Apache-2.0
 * YouTube: Data API v3 (youtube.md, read 2026-11-21). The stages of a post: its video
 * through a resumable session (youtube_upload.c), what follows the last byte (youtube_after.c),
 * then comments as comment threads of their own. */
#include "youtube_adapter.h"

#include "json_write.h"

#include "adapters.h"
#include "answer.h"
#include "rules.h"
#include "stages.h"

static const char *begin_ask(const struct env *env, struct flow *flow, struct step *step)
{
	(void)env;
	const size_t part = flow_part(flow);
	if (part < flow->part_count)
		return part == 0 ? YOUTUBE_STAGE_SESSION : YOUTUBE_STAGE_COMMENT;
	if (flow_wants(flow, FLOW_THUMBNAIL_REFUSED)) {
		flow_set(flow, YOUTUBE_KEY_VIDEO_ID, flow->parts[0].remote_id);
		flow_unset(flow, YOUTUBE_KEY_THUMBNAIL_TRIES);
		return YOUTUBE_STAGE_THUMBNAIL;
	}
	if (flow_wants(flow, FLOW_PLAYLIST_REFUSED)) {
		youtube_playlist_again(flow);
		return YOUTUBE_STAGE_PLAYLIST;
	}
	step_done(step);
	return NULL;
}

static const char *comment_ask(const struct env *env, struct flow *flow, struct step *step)
{
	struct buf body;
	struct json_writer w;
	buf_init(&body, env->arena, YOUTUBE_BODY_MAX_BYTES);
	json_writer_init(&w, &body);
	json_begin_object(&w);
	json_key(&w, "snippet");
	json_begin_object(&w);
	json_member_str(&w, "channelId", env->platform_account_id);
	json_member_str(&w, "videoId", flow->parts[0].remote_id);
	json_key(&w, "topLevelComment");
	json_begin_object(&w);
	json_key(&w, "snippet");
	json_begin_object(&w);
	json_member_str(&w, "textOriginal", env->post->containers[flow_part(flow)].content);
	json_end_object(&w);
	json_end_object(&w);
	json_end_object(&w);
	json_end_object(&w);
	struct call *call =
		step_send(step, CALL_PUBLISH, "POST",
			  STR(YOUTUBE_API_URL YOUTUBE_PATH_COMMENT_THREADS "?part=snippet"));
	call_bearer(env, call, env->access_token);
	youtube_call_json(call, &body);
	return NULL;
}

const struct json *youtube_top_comment(const struct json *thread)
{
	return json_get(json_get(thread, "snippet"), "topLevelComment");
}

struct str youtube_comment_url(const struct env *env, const struct flow *flow,
			       struct str comment_id)
{
	const struct str video = youtube_watch_url(env, flow->parts[0].remote_id);
	return str_format(env->arena, STR_FMT "&lc=" STR_FMT, STR_ARG(video), STR_ARG(comment_id));
}

static const char *comment_answer(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step)
{
	const struct str id =
		answer_id_of(env, json_string(json_get(youtube_top_comment(reply->json), "id")));
	if (reply->status >= 300)
		return youtube_publish_refused(env, reply, step);
	if (str_is_empty(id)) {
		*step = (struct step){.kind = STEP_UNCERTAIN};
		return NULL;
	}
	flow_part_done(flow, id, youtube_comment_url(env, flow, id));
	return YOUTUBE_STAGE_BEGIN;
}

static const struct stage publish_stages[] = {
	{YOUTUBE_STAGE_BEGIN, begin_ask, stages_answer_unexpected},
	{YOUTUBE_STAGE_SESSION, youtube_session_ask, youtube_session_answer},
	{YOUTUBE_STAGE_UPLOAD, youtube_upload_ask, youtube_upload_answer},
	{YOUTUBE_STAGE_QUERY, youtube_query_ask, youtube_query_answer},
	{YOUTUBE_STAGE_LOST, youtube_lost_ask, stages_answer_unexpected},
	{YOUTUBE_STAGE_THUMBNAIL, youtube_thumbnail_ask, youtube_thumbnail_answer},
	{YOUTUBE_STAGE_PLAYLIST, youtube_playlist_ask, youtube_playlist_answer},
	{YOUTUBE_STAGE_PLAYLIST_ADD, youtube_playlist_add_ask, youtube_playlist_add_answer},
	{YOUTUBE_STAGE_CAPTION, youtube_caption_ask, youtube_caption_answer},
	{YOUTUBE_STAGE_CAPTION_BYTES, youtube_caption_bytes_ask, youtube_caption_bytes_answer},
	{YOUTUBE_STAGE_PROCESSING, youtube_processing_ask, youtube_processing_answer},
	{YOUTUBE_STAGE_COMMENT, comment_ask, comment_answer},
	{0},
};

static const struct oauth_profile youtube_oauth = {
	.authorize_url = "https://accounts.google.com/o/oauth2/v2/auth",
	.client_id_name = "client_id",
	.scopes = {YOUTUBE_SCOPE_URL "youtube.upload", YOUTUBE_SCOPE_URL "youtube.readonly",
		   YOUTUBE_SCOPE_URL "youtube.force-ssl"},
	.scope_separator = " ",
	.pkce = PKCE_S256_BASE64URL,
	.extra = {{"access_type", "offline"},
		  {"prompt", "consent"}}, /* both: else no refresh token (1.1) */
	.denied_errors = {"access_denied"},
	.issuer = "https://accounts.google.com", /* as in Google's discovery document */
};

const struct platform platform_youtube = {
	.slug = "youtube",
	.id = PLATFORM_YOUTUBE,
	.oauth = &youtube_oauth,
	.exchange = &youtube_exchange,
	.rules = &youtube_rules,
	.plan = youtube_plan,
	.stages =
		{
			[OPERATION_VERIFY] = oauth_verify_stages,
			[OPERATION_CONNECT] = youtube_connect_stages,
			[OPERATION_REFRESH] = oauth_refresh_stages,
			[OPERATION_CHECK] = youtube_check_stages,
			[OPERATION_REVOKE] = youtube_revoke_stages,
			[OPERATION_PUBLISH] = publish_stages,
			[OPERATION_RESOLVE] = youtube_resolve_stages,
			[OPERATION_REMOVE] = youtube_remove_stages,
		},
	.publish_learn = youtube_extra_give,
};
