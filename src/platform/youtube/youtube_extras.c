/* SPDX-License-Identifier: Apache-2.0
 * What goes with a video that is out: its playlist and its captions (youtube.md 2.8, 2.9). Both are
 * best effort: what YouTube refuses is a warning, and what may pass is tried again. A playlist
 * takes a video twice, so an insert whose answer is missing is looked up before it is repeated;
 * captions of the same language and name are taken once. */
#include "youtube_adapter.h"

#include "arena.h"
#include "count_of.h"

#include "form.h"
#include "json_write.h"

#define TRIES_MAX 4
#define WAIT_MS 5000
#define CAPTION_MAX_BYTES (100 * 1000 * 1000) /* 2.9 */

static bool is_answered(const struct reply *reply)
{
	return reply->outcome == REPLY_ANSWERED && reply->status < 500;
}

static bool is_ok(const struct reply *reply)
{
	return is_answered(reply) && reply->status / 100 == 2;
}

/* ---- refusals of both ---- */

static const struct {
	const char *reason;
	const char *sentence;
} reasons[] = {
	{"playlistNotFound", "YouTube does not know the playlist."},
	{"playlistItemsNotAccessible", "The playlist belongs to another channel."},
	{"playlistContainsMaximumNumberOfVideos", "The playlist is full."},
	{"insufficientPermissions",
	 "A permission is missing; connect the account again and grant it."},
	{"quotaExceeded", "The Google project's YouTube quota for today is used up."},
	{"rateLimitExceeded", "YouTube's rate limit is reached."},
	{"invalidMetadata", "YouTube refused the captions' language or name."},
	{"contentRequired", "The file is empty."},
};

static struct str refusal_words(const struct reply *reply)
{
	const struct refusal_facts facts = youtube_facts(reply);
	if (!is_answered(reply))
		return STR("YouTube did not answer.");
	for (size_t i = 0; i < COUNT_OF(reasons); i++) {
		if (facts.marker_count > 0 && str_equal_z(facts.markers[0], reasons[i].reason))
			return str_of(reasons[i].sentence);
	}
	return STR("YouTube refused it.");
}

/* True when the step says what comes next: a new token, or another try. */
static bool goes_on(const struct env *env, struct flow *flow, const struct reply *reply,
		    struct step *step)
{
	if (is_answered(reply) && reply->status == 401) {
		youtube_fail(env, reply, step);
		return true;
	}
	const bool may_pass = !is_answered(reply) || reply->status == 429;
	const int64_t tries = flow_count(flow, YOUTUBE_KEY_EXTRA_TRIES);
	if (!may_pass || tries >= TRIES_MAX)
		return false;
	step_wait(step, tries * WAIT_MS);
	return true;
}

/* ---- the playlist: 2.8 ---- */

static const char *playlist_over(struct flow *flow)
{
	flow_unset(flow, YOUTUBE_KEY_EXTRA_TRIES);
	flow_unset(flow, YOUTUBE_KEY_PLAYLIST_ASKED_US);
	return flow_part(flow) == 0 ? YOUTUBE_STAGE_CAPTION : YOUTUBE_STAGE_BEGIN;
}

static const char *playlist_lacks(const struct env *env, struct flow *flow,
				  const struct reply *reply)
{
	flow_warn(flow, &(struct flow_warning){
				.code = STR(FLOW_PLAYLIST_REFUSED),
				.field = STR("platforms.youtube.playlistId"),
				.message = str_concat(env->arena,
						      STR("The video is out, but not in its "
							  "playlist. "),
						      refusal_words(reply)),
				.is_repeatable = true,
			});
	return playlist_over(flow);
}

static const char *playlist_reached(struct flow *flow)
{
	flow_unwarn(flow, FLOW_PLAYLIST_REFUSED);
	return playlist_over(flow);
}

void youtube_playlist_again(struct flow *flow)
{
	flow_set(flow, YOUTUBE_KEY_VIDEO_ID, flow->parts[0].remote_id);
	flow_unset(flow, YOUTUBE_KEY_EXTRA_TRIES);
	flow_set_int(flow, YOUTUBE_KEY_PLAYLIST_ASKED_US, 1);
}

/* Looks whether the video is there, once an insert was sent. */
const char *youtube_playlist_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct str id = json_string(json_get(env->options, "playlistId"));
	struct buf url;
	if (str_is_empty(id))
		return playlist_over(flow);
	if (flow_get_int(flow, YOUTUBE_KEY_PLAYLIST_ASKED_US, 0) == 0)
		return YOUTUBE_STAGE_PLAYLIST_ADD;
	buf_init(&url, env->arena, YOUTUBE_URL_MAX_BYTES);
	buf_add_z(&url, YOUTUBE_API_URL YOUTUBE_PATH_PLAYLIST_ITEMS "?part=id&maxResults=1");
	form_add(&url, "playlistId", id);
	form_add(&url, "videoId", youtube_video_id(flow));
	call_bearer(env, step_send(step, CALL_READ, "GET", buf_str(&url)), env->access_token);
	return NULL;
}

const char *youtube_playlist_answer(const struct env *env, struct flow *flow,
				    const struct reply *reply, struct step *step)
{
	if (!is_ok(reply))
		return goes_on(env, flow, reply, step) ? NULL : playlist_lacks(env, flow, reply);
	if (json_at(json_get(reply->json, "items"), 0) != NULL)
		return playlist_reached(flow);
	flow_unset(flow, YOUTUBE_KEY_PLAYLIST_ASKED_US);
	return YOUTUBE_STAGE_PLAYLIST_ADD;
}

const char *youtube_playlist_add_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const int64_t asked_us = flow_get_int(flow, YOUTUBE_KEY_PLAYLIST_ASKED_US, 0);
	struct buf body;
	struct json_writer w;
	/* Sent before, and resumed without its answer. */
	if (asked_us != 0 && asked_us != env->now_us)
		return YOUTUBE_STAGE_PLAYLIST;
	flow_set_int(flow, YOUTUBE_KEY_PLAYLIST_ASKED_US, env->now_us);
	buf_init(&body, env->arena, YOUTUBE_BODY_MAX_BYTES);
	json_writer_init(&w, &body);
	json_begin_object(&w);
	json_key(&w, "snippet");
	json_begin_object(&w);
	json_member_str(&w, "playlistId", json_string(json_get(env->options, "playlistId")));
	json_key(&w, "resourceId");
	json_begin_object(&w);
	json_member_str(&w, "kind", STR("youtube#video"));
	json_member_str(&w, "videoId", youtube_video_id(flow));
	json_end_object(&w);
	json_end_object(&w);
	json_end_object(&w);
	struct call *call =
		step_send(step, CALL_PREPARE, "POST",
			  STR(YOUTUBE_API_URL YOUTUBE_PATH_PLAYLIST_ITEMS "?part=snippet"));
	call->needs_fresh_connection = true; /* else it is sent again when an old one dies */
	call_bearer(env, call, env->access_token);
	youtube_call_json(call, &body);
	return NULL;
}

const char *youtube_playlist_add_answer(const struct env *env, struct flow *flow,
					const struct reply *reply, struct step *step)
{
	if (is_ok(reply))
		return playlist_reached(flow);
	if (is_answered(reply))
		flow_unset(flow, YOUTUBE_KEY_PLAYLIST_ASKED_US); /* it did nothing */
	return goes_on(env, flow, reply, step) ? NULL : playlist_lacks(env, flow, reply);
}

/* ---- captions: 2.9, one file after the other ---- */

static size_t caption_index(const struct flow *flow)
{
	const int64_t index = flow_get_int(flow, YOUTUBE_KEY_CAPTION, 0);
	return index > 0 ? (size_t)index : 0;
}

/* The file under way; NULL when all are through. */
static const struct json *caption_now(const struct env *env, const struct flow *flow)
{
	return json_at(json_get(env->options, "captions"), caption_index(flow));
}

static const char *caption_next(struct flow *flow)
{
	flow_unset(flow, YOUTUBE_KEY_EXTRA_TRIES);
	flow_unset(flow, YOUTUBE_KEY_CAPTION_URI);
	flow_count(flow, YOUTUBE_KEY_CAPTION);
	return YOUTUBE_STAGE_CAPTION;
}

/* One warning for all of them, with the reason of the last. */
static const char *caption_lacks(const struct env *env, struct flow *flow, struct str why)
{
	const struct str language = json_string(json_get(caption_now(env, flow), "language"));
	const struct str before = flow_get(flow, YOUTUBE_KEY_CAPTIONS_LACKING);
	const struct str all = str_is_empty(before)
				       ? language
				       : str_format(env->arena, STR_FMT ", " STR_FMT,
						    STR_ARG(before), STR_ARG(language));
	flow_set(flow, YOUTUBE_KEY_CAPTIONS_LACKING, all);
	flow_warn(flow,
		  &(struct flow_warning){
			  .code = STR(FLOW_CAPTIONS_REFUSED),
			  .field = STR("platforms.youtube.captions"),
			  .message = str_format(env->arena,
						"The video is out without these captions: " STR_FMT
						". " STR_FMT,
						STR_ARG(all), STR_ARG(why)),
		  });
	return caption_next(flow);
}

/* Its file; NULL when the step asks for it. */
static const struct media_file *caption_file(const struct env *env, const struct flow *flow,
					     struct step *step)
{
	const struct str url = json_string(json_get(caption_now(env, flow), "url"));
	const int index = env_file(env, url);
	if (index >= 0 && (env->media[index].is_ready || env->media[index].is_missing))
		return &env->media[index];
	step_file(step, url, true);
	return NULL;
}

static struct buf caption_body(const struct env *env, const struct flow *flow)
{
	const struct json *caption = caption_now(env, flow);
	const struct str language = json_string(json_get(caption, "language"));
	const struct str name = json_string(json_get(caption, "name"));
	struct buf body;
	struct json_writer w;
	buf_init(&body, env->arena, YOUTUBE_BODY_MAX_BYTES);
	json_writer_init(&w, &body);
	json_begin_object(&w);
	json_key(&w, "snippet");
	json_begin_object(&w);
	json_member_str(&w, "videoId", youtube_video_id(flow));
	json_member_str(&w, "language", language);
	json_member_str(&w, "name", str_is_empty(name) ? language : name);
	json_end_object(&w);
	json_end_object(&w);
	return body;
}

const char *youtube_caption_ask(const struct env *env, struct flow *flow, struct step *step)
{
	if (caption_now(env, flow) == NULL)
		return YOUTUBE_STAGE_PROCESSING;
	const struct media_file *file = caption_file(env, flow, step);
	if (file == NULL)
		return NULL;
	if (file->is_missing)
		return caption_lacks(env, flow, STR("The file could not be fetched."));
	if (file->size_bytes > CAPTION_MAX_BYTES)
		return caption_lacks(env, flow, STR("The file is larger than 100 MB."));
	const struct buf body = caption_body(env, flow);
	struct call *call = step_send(
		step, CALL_PREPARE, "POST",
		STR(YOUTUBE_UPLOAD_URL YOUTUBE_PATH_CAPTIONS "?uploadType=resumable&part=snippet"));
	call_bearer(env, call, env->access_token);
	call_header(call, "X-Upload-Content-Length",
		    str_format(env->arena, "%lld", (long long)file->size_bytes));
	call_header(call, "X-Upload-Content-Type", STR("application/octet-stream"));
	youtube_call_json(call, &body);
	return NULL;
}

/* A repeat after a lost answer meets what that made. */
static bool is_there(const struct reply *reply)
{
	const struct refusal_facts facts = youtube_facts(reply);
	return is_ok(reply) || (reply->status == 409 && facts.marker_count > 0 &&
				str_equal_z(facts.markers[0], "captionExists"));
}

const char *youtube_caption_answer(const struct env *env, struct flow *flow,
				   const struct reply *reply, struct step *step)
{
	const struct str uri = reply_header(reply, "Location");
	if (is_ok(reply) && step_call_url_is_usable(env, uri)) {
		flow_set_secret(flow, YOUTUBE_KEY_CAPTION_URI, uri);
		return YOUTUBE_STAGE_CAPTION_BYTES;
	}
	if (is_answered(reply) && !is_ok(reply) && is_there(reply))
		return caption_next(flow);
	if (goes_on(env, flow, reply, step))
		return NULL;
	return caption_lacks(env, flow, refusal_words(reply));
}

const char *youtube_caption_bytes_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct media_file *file = caption_file(env, flow, step);
	if (file == NULL)
		return NULL;
	if (file->is_missing)
		return caption_lacks(env, flow, STR("The file could not be fetched."));
	struct call *call =
		step_send(step, CALL_PREPARE, "PUT", flow_get(flow, YOUTUBE_KEY_CAPTION_URI));
	call_bearer(env, call, env->access_token);
	call_header(call, "Content-Type", STR("application/octet-stream"));
	call->has_media_body = true;
	call->media_index = (size_t)(file - env->media);
	call->media_length_bytes = file->size_bytes;
	return NULL;
}

const char *youtube_caption_bytes_answer(const struct env *env, struct flow *flow,
					 const struct reply *reply, struct step *step)
{
	if (is_answered(reply) && is_there(reply))
		return caption_next(flow);
	if (goes_on(env, flow, reply, step)) {
		if (step->kind == STEP_WAIT) /* a new session, which says what is there */
			flow_set_stage(flow, YOUTUBE_STAGE_CAPTION);
		return NULL;
	}
	return caption_lacks(env, flow, refusal_words(reply));
}
