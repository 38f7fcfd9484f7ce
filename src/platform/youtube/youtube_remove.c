/* SPDX-License-Identifier: Apache-2.0
 * Taking a video back from YouTube (youtube.md 2.7). Its comments, captions and places in playlists
 * go with it. */
#include "youtube_adapter.h"

#include "timetext.h"

#include "form.h"

#include "answer.h"
#include "removal.h"
#include "stages.h"

static struct str video_url(const struct env *env, const char *before, struct str id)
{
	struct buf url;
	buf_init(&url, env->arena, YOUTUBE_URL_MAX_BYTES);
	buf_add_z(&url, before);
	percent_encode(&url, id);
	return buf_str(&url);
}

static const char *look_ask(const struct env *env, struct flow *flow, struct step *step)
{
	if (removal_begins(flow, step))
		call_bearer(
			env,
			step_send(step, CALL_READ, "GET",
				  video_url(env,
					    YOUTUBE_API_URL YOUTUBE_PATH_VIDEOS "?part=snippet&id=",
					    flow->parts[0].remote_id)),
			env->access_token);
	return NULL;
}

/* A list leaves out what does not exist (2.4). */
static const char *look_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			       struct step *step)
{
	const struct json *items = json_get(reply->json, "items");
	const struct json *snippet = json_get(json_at(items, 0), "snippet");
	int64_t created_us = 0;
	if (youtube_is_refused(env, reply, step))
		return NULL;
	if (!json_is(items, JSON_TYPE_ARRAY))
		return removal_unreadable(step);
	if (items->count == 0)
		return removal_all_gone(flow);
	timetext_parse_instant(json_string(json_get(snippet, "publishedAt")), &created_us);
	return removal_is_ours(env,
			       str_equal(json_string(json_get(snippet, "channelId")),
					 env->platform_account_id),
			       created_us, step)
		       ? REMOVAL_STAGE_DELETE
		       : NULL;
}

static const char *delete_ask(const struct env *env, struct flow *flow, struct step *step)
{
	if (removal_begins(flow, step))
		call_bearer(env,
			    step_send(step, CALL_PUBLISH, "DELETE",
				      video_url(env, YOUTUBE_API_URL YOUTUBE_PATH_VIDEOS "?id=",
						flow->parts[0].remote_id)),
			    env->access_token);
	return NULL;
}

static const char *delete_answer(const struct env *env, struct flow *flow,
				 const struct reply *reply, struct step *step)
{
	if (reply->status / 100 == 2 || reply->status == 404)
		return removal_all_gone(flow);
	return youtube_publish_refused(env, reply, step);
}

const struct stage youtube_remove_stages[] = {
	{REMOVAL_STAGE_LOOK, look_ask, look_answer},
	{REMOVAL_STAGE_DELETE, delete_ask, delete_answer},
	{0},
};
