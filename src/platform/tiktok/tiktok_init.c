/* SPDX-License-Identifier: Apache-2.0
 * Opening a task (tiktok.md 2.2, 2.4, 2.5): of a video whose bytes we send, of a video
 * that TikTok pulls, of photos, which it always pulls; as a post, or as a draft for the creator's
 * inbox. Init of the first prepares, for without its
 * bytes nothing is posted; init of a pull publishes. The task's publish_id is kept right after. */
#include "tiktok_adapter.h"

#include "media_id.h"

#include "answer.h"
#include "media_rules.h"

#define MS_PER_S 1000

static bool has_own_source(const struct env *env)
{
	return str_equal_z(json_string(json_get(env->options, "source")), "PULL_FROM_URL");
}

static bool is_pull(const struct env *env)
{
	return tiktok_is_photos(env) || has_own_source(env);
}

/* ---- the files ---- */

/* True when all files are here and fit; else the step says what is wanted or wrong. */
static bool files_are_fit(const struct env *env, struct step *step)
{
	const size_t count = env->post->containers[0].media_count;
	for (size_t i = 0; i < count; i++) {
		if (!env->media[i].is_ready) {
			step_media(step, i);
			return false;
		}
		if (!media_rule_check(tiktok_is_photos(env) ? &tiktok_photo_rule
							    : &tiktok_video_rule,
				      env, i, step))
			return false;
	}
	return true;
}

/* A second more is not held against it: TikTok counts for itself. */
static bool is_too_long(const struct env *env, const struct flow *flow)
{
	const int64_t max_s = flow_get_int(flow, TIKTOK_KEY_DURATION_MAX_S, 0);
	return !tiktok_is_photos(env) && max_s > 0 &&
	       env->media[0].sniff.duration_ms >= (max_s + 1) * MS_PER_S;
}

/* Where TikTok finds a file: the customer's own address when it was asked for so, else our copy of
 * it. */
static struct str pull_url(const struct env *env, size_t index)
{
	const struct str hosted = env->media[index].hosted_url;
	const struct str own = post_media_at(env->post, index)->url;
	const bool is_own =
		has_own_source(env) && !env->media[index].is_changed && !media_id_is(own);
	return is_own || str_is_empty(hosted) ? own : hosted;
}

/* ---- the body ---- */

static void shared_write(const struct env *env, const struct flow *flow, struct json_writer *w)
{
	json_member_bool(w, "disable_comment",
			 flow_get_int(flow, TIKTOK_KEY_DISABLE_COMMENT, 0) != 0);
	json_member_bool(w, "brand_content_toggle",
			 tiktok_option_bool(env, "brand_content_toggle"));
	json_member_bool(w, "brand_organic_toggle",
			 tiktok_option_bool(env, "brand_organic_toggle"));
}

static void video_info_write(const struct env *env, const struct flow *flow, struct json_writer *w)
{
	const struct json *cover_ms = json_get(env->options, "video_cover_timestamp_ms");
	json_begin_object(w);
	json_member_str(w, "title", env->post->containers[0].content);
	json_member_str(w, "privacy_level", flow_get(flow, TIKTOK_KEY_PRIVACY_LEVEL));
	json_member_bool(w, "disable_duet", flow_get_int(flow, TIKTOK_KEY_DISABLE_DUET, 0) != 0);
	json_member_bool(w, "disable_stitch",
			 flow_get_int(flow, TIKTOK_KEY_DISABLE_STITCH, 0) != 0);
	shared_write(env, flow, w);
	json_member_bool(w, "is_aigc", tiktok_option_bool(env, "is_aigc"));
	if (!json_is_null(cover_ms))
		json_member_int(w, "video_cover_timestamp_ms", json_int(cover_ms, 0));
	json_end_object(w);
}

static void photo_info_write(const struct env *env, const struct flow *flow, struct json_writer *w)
{
	const struct str title = json_string(json_get(env->options, "title"));
	json_begin_object(w);
	if (!str_is_empty(title))
		json_member_str(w, "title", title);
	json_member_str(w, "description", env->post->containers[0].content);
	if (tiktok_is_draft(env)) {
		json_end_object(w);
		return;
	}
	json_member_str(w, "privacy_level", flow_get(flow, TIKTOK_KEY_PRIVACY_LEVEL));
	shared_write(env, flow, w);
	json_member_bool(w, "auto_add_music", tiktok_option_bool(env, "auto_add_music"));
	json_end_object(w);
}

static void upload_source_write(const struct env *env, struct json_writer *w)
{
	const int64_t size_bytes = env->media[0].size_bytes;
	const struct tiktok_chunks chunks = tiktok_chunks_of(size_bytes);
	json_begin_object(w);
	json_member_str(w, "source", STR("FILE_UPLOAD"));
	json_member_int(w, "video_size", size_bytes);
	json_member_int(w, "chunk_size", chunks.chunk_bytes);
	json_member_int(w, "total_chunk_count", chunks.count);
	json_end_object(w);
}

static void pull_source_write(const struct env *env, struct json_writer *w)
{
	json_begin_object(w);
	json_member_str(w, "source", STR("PULL_FROM_URL"));
	json_member_str(w, "video_url", pull_url(env, 0));
	json_end_object(w);
}

static void photo_source_write(const struct env *env, struct json_writer *w)
{
	const size_t count = env->post->containers[0].media_count;
	json_begin_object(w);
	json_member_str(w, "source", STR("PULL_FROM_URL"));
	json_member_int(w, "photo_cover_index",
			json_int(json_get(env->options, "photo_cover_index"), 0));
	json_key(w, "photo_images");
	json_begin_array(w);
	for (size_t i = 0; i < count; i++)
		json_put_str(w, pull_url(env, i));
	json_end_array(w);
	json_end_object(w);
}

static struct str init_body(const struct env *env, const struct flow *flow)
{
	struct buf body;
	struct json_writer w;
	buf_init(&body, env->arena, TIKTOK_BODY_MAX_BYTES);
	json_writer_init(&w, &body);
	json_begin_object(&w);
	if (tiktok_is_photos(env)) {
		json_member_str(&w, "media_type", STR("PHOTO"));
		json_member_str(&w, "post_mode",
				tiktok_is_draft(env) ? STR("MEDIA_UPLOAD") : STR("DIRECT_POST"));
	}
	/* The draft of a video has no post_info: TikTok takes none (2.2). */
	if (tiktok_is_photos(env) || !tiktok_is_draft(env)) {
		json_key(&w, "post_info");
		(tiktok_is_photos(env) ? photo_info_write : video_info_write)(env, flow, &w);
	}
	json_key(&w, "source_info");
	if (tiktok_is_photos(env))
		photo_source_write(env, &w);
	else if (is_pull(env))
		pull_source_write(env, &w);
	else
		upload_source_write(env, &w);
	json_end_object(&w);
	return buf_str(&body);
}

static struct str init_url(const struct env *env)
{
	if (tiktok_is_photos(env))
		return STR(TIKTOK_API_URL TIKTOK_PATH_CONTENT_INIT);
	return tiktok_is_draft(env) ? STR(TIKTOK_API_URL TIKTOK_PATH_INBOX_INIT)
				    : STR(TIKTOK_API_URL TIKTOK_PATH_VIDEO_INIT);
}

const char *tiktok_init_ask(const struct env *env, struct flow *flow, struct step *step)
{
	if (!files_are_fit(env, step))
		return NULL;
	if (is_too_long(env, flow)) {
		step_fail(step, FAILURE_PERMANENT, FAILURE_CODE_MEDIA_REJECTED,
			  tiktok_too_long(env->arena,
					  flow_get_int(flow, TIKTOK_KEY_DURATION_MAX_S, 0)));
		return NULL;
	}
	flow_set_int(flow, TIKTOK_KEY_SIZE_BYTES, env->media[0].size_bytes);
	tiktok_post(env, env->access_token, step, is_pull(env) ? CALL_PUBLISH : CALL_PREPARE,
		    init_url(env), init_body(env, flow));
	return NULL;
}

/* ---- the answer ---- */

static const char *pull_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			       struct step *step)
{
	if (tiktok_publish_is_refused(env, reply, step))
		return NULL;
	const struct str publish_id = answer_id_of(
		env, json_string(json_get(json_get(reply->json, "data"), "publish_id")));
	if (str_is_empty(publish_id)) {
		*step = (struct step){.kind = STEP_UNCERTAIN};
		return NULL;
	}
	flow_set(flow, TIKTOK_KEY_PUBLISH_ID, publish_id);
	flow_set_open(flow);
	return tiktok_status_wait(flow, step);
}

const char *tiktok_init_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			       struct step *step)
{
	if (tiktok_level_falls_back(env, flow, reply))
		return TIKTOK_STAGE_INIT;
	if (is_pull(env))
		return pull_answer(env, flow, reply, step);
	if (tiktok_is_refused(env, reply, step))
		return NULL;
	const struct json *data = json_get(reply->json, "data");
	const struct str publish_id = answer_id_of(env, json_string(json_get(data, "publish_id")));
	const struct str upload_url = json_string(json_get(data, "upload_url"));
	if (str_is_empty(publish_id) || !step_call_url_is_usable(env, upload_url)) {
		step_fail(step, FAILURE_TRANSIENT, FAILURE_CODE_PLATFORM_UNAVAILABLE,
			  STR("TikTok's answer contains no usable upload URL."));
		return NULL;
	}
	flow_set(flow, TIKTOK_KEY_PUBLISH_ID, publish_id);
	flow_set_secret(flow, TIKTOK_KEY_UPLOAD_URL, upload_url);
	flow_set_int(flow, TIKTOK_KEY_OFFSET_BYTES, 0);
	return TIKTOK_STAGE_UPLOAD;
}
