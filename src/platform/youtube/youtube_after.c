/* SPDX-License-Identifier: Apache-2.0
 * From the last byte to the part that is done (youtube.md 2.4, 2.5, 2.6): the video
 * exists, so nothing here may fail or repeat the upload. The thumbnail is best effort; processing
 * is watched for some minutes, because a video that YouTube cannot use or rejects is never seen by
 * anyone; all else that goes wrong is passed over. Until then the part is open (flow_set_open), so
 * that what the engine itself gives up is settled by youtube_resolve.c: the video's id is known. */
#include "youtube_adapter.h"

#include "clock.h"
#include "count_of.h"

#include "form.h"

#include "answer.h"
#include "media_rules.h"

#define WATCH_URL "https://www.youtube.com/watch?v="
#define SHORTS_URL "https://www.youtube.com/shorts/"
#define THUMBNAIL_TRIES_MAX 4
#define THUMBNAIL_WAIT_MS 5000

/* ---- the video ---- */

bool youtube_video_made(const struct env *env, struct flow *flow, const struct reply *reply)
{
	const struct str id = answer_id_of(env, json_string(json_get(reply->json, "id")));
	if ((reply->status != 200 && reply->status != 201) || str_is_empty(id))
		return false;
	flow_set(flow, YOUTUBE_KEY_VIDEO_ID, id);
	flow_unset(flow, YOUTUBE_KEY_SESSION_URI); /* it has served */
	flow_set_open(flow);
	return true;
}

struct str youtube_video_id(const struct flow *flow)
{
	return flow_get(flow, YOUTUBE_KEY_VIDEO_ID);
}

struct str youtube_watch_url(const struct env *env, struct str video_id)
{
	return str_concat(env->arena, STR(WATCH_URL), video_id);
}

void youtube_video_done(const struct env *env, struct flow *flow)
{
	const struct str id = youtube_video_id(flow);
	const bool is_short = flow_get_int(flow, YOUTUBE_KEY_IS_SHORT, 0) != 0;
	flow_part_done(flow, id,
		       is_short ? str_concat(env->arena, STR(SHORTS_URL), id)
				: youtube_watch_url(env, id));
}

static struct str video_call_url(const struct env *env, const struct flow *flow, const char *before)
{
	struct buf url;
	buf_init(&url, env->arena, YOUTUBE_URL_MAX_BYTES);
	buf_add_z(&url, before);
	percent_encode(&url, youtube_video_id(flow));
	return buf_str(&url);
}

static bool is_answered(const struct reply *reply)
{
	return reply->outcome == REPLY_ANSWERED && reply->status < 500;
}

/* ---- the thumbnail: 2.5 ---- */

static struct str thumbnail_url(const struct env *env)
{
	return post_media_at(env->post, 0)->thumbnail_url;
}

/* Goes on without the thumbnail, or with it; on a retry of the thumbnail nothing follows. */
static const char *thumbnail_over(const struct flow *flow)
{
	return flow_part(flow) == 0 ? YOUTUBE_STAGE_PLAYLIST : YOUTUBE_STAGE_BEGIN;
}

static const char *thumbnail_lacks(struct flow *flow, struct str why)
{
	flow_lacks_thumbnail(flow, why);
	return thumbnail_over(flow);
}

/* Why its file cannot be the thumbnail; empty when it can. */
static struct str thumbnail_complaint(const struct env *env, const struct media_file *file)
{
	return file->is_missing ? STR("The file could not be fetched.")
				: media_rule_complaint(&youtube_thumbnail_rule, env->arena,
						       &file->sniff, file->size_bytes);
}

const char *youtube_thumbnail_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct str url = thumbnail_url(env);
	const int index = env_file(env, url);
	if (str_is_empty(url))
		return thumbnail_over(flow);
	if (index < 0 || (!env->media[index].is_ready && !env->media[index].is_missing)) {
		step_file(step, url, true);
		return NULL;
	}
	const struct media_file *file = &env->media[index];
	const struct str complaint = thumbnail_complaint(env, file);
	if (!str_is_empty(complaint))
		return thumbnail_lacks(flow, complaint);
	struct call *call = step_send(
		step, CALL_PREPARE, "POST",
		video_call_url(env, flow, YOUTUBE_UPLOAD_URL YOUTUBE_PATH_THUMBNAILS "?videoId="));
	call_bearer(env, call, env->access_token);
	call_header(call, "Content-Type", str_of(file->sniff.mime_type));
	call->has_media_body = true;
	call->media_index = (size_t)index;
	call->media_length_bytes = file->size_bytes;
	return NULL;
}

static struct str thumbnail_refusal(const struct reply *reply)
{
	if (reply->status == 403)
		return STR("YouTube does not let this channel set thumbnails: verify its phone "
			   "number at youtube.com/verify, then retry the post.");
	if (reply->status == 429)
		return STR("YouTube takes no more thumbnails of this channel for now; retry the "
			   "post later.");
	return is_answered(reply) ? STR("YouTube refused the file.")
				  : STR("YouTube did not answer; retry the post.");
}

/* A repeat overwrites (5), so what may pass by itself is tried again. */
const char *youtube_thumbnail_answer(const struct env *env, struct flow *flow,
				     const struct reply *reply, struct step *step)
{
	if (is_answered(reply) && reply->status == 401)
		return youtube_fail(env, reply, step);
	if (is_answered(reply) && reply->status < 300) {
		flow_unwarn(flow, FLOW_THUMBNAIL_REFUSED);
		return thumbnail_over(flow);
	}
	const bool may_pass = !is_answered(reply) || reply->status == 429;
	const int64_t tries = flow_count(flow, YOUTUBE_KEY_THUMBNAIL_TRIES);
	if (!may_pass || tries >= THUMBNAIL_TRIES_MAX)
		return thumbnail_lacks(flow, thumbnail_refusal(reply));
	step_wait(step, tries * THUMBNAIL_WAIT_MS);
	return NULL;
}

/* ---- processing: 2.4 ---- */

#define MEDIA_ROW(marker, sentence) \
	REFUSAL(0, marker, NULL, PERMANENT, MEDIA_REJECTED, BY_SCHEDULE, sentence)
#define REJECTED_ROW(marker, code, sentence) \
	REFUSAL(0, marker, NULL, PERMANENT, code, BY_SCHEDULE, sentence)

/* failureReason and rejectionReason. */
static const struct refusal ends[] = {
	MEDIA_ROW("conversion", "YouTube could not convert the video."),
	MEDIA_ROW("invalidFile", "YouTube does not recognise the file as a video."),
	MEDIA_ROW("emptyFile", "YouTube says the video is empty."),
	MEDIA_ROW("tooSmall", "YouTube says the file is too small."),
	MEDIA_ROW("codec", "YouTube does not support the video's codec."),
	MEDIA_ROW("length", "The video is longer than YouTube allows this channel."),
	REJECTED_ROW("uploadAborted", PLATFORM_REJECTED, "YouTube aborted the upload."),
	REJECTED_ROW("duplicate", DUPLICATE_CONTENT, "YouTube already has this video."),
	REJECTED_ROW("copyright", CONTENT_REJECTED,
		     "YouTube rejected the video for copyright infringement."),
	REJECTED_ROW("claim", CONTENT_REJECTED,
		     "YouTube rejected the video because of a claim on it."),
	REJECTED_ROW("trademark", CONTENT_REJECTED,
		     "YouTube rejected the video for trademark infringement."),
	REJECTED_ROW("inappropriate", CONTENT_REJECTED,
		     "YouTube rejected the video as inappropriate."),
	REJECTED_ROW("legal", CONTENT_REJECTED, "YouTube rejected the video for legal reasons."),
	REJECTED_ROW("termsOfUse", CONTENT_REJECTED,
		     "YouTube rejected the video for violating its terms of use."),
	REJECTED_ROW("uploaderAccountSuspended", PERMISSION_MISSING,
		     "The YouTube account is suspended."),
	REJECTED_ROW("uploaderAccountClosed", PERMISSION_MISSING, "The YouTube account is closed."),
	REJECTED_ROW(NULL, PLATFORM_REJECTED, "YouTube did not accept the video."),
	{0},
};

/* Five minutes in all: what takes longer is processed without us, and the account's next post need
 * not wait for it. */
static const int64_t poll_waits_ms[] = {10000, 20000, 40000, 80000, 150000};
#define POLLS_MAX (int64_t)(COUNT_OF(poll_waits_ms))

const char *youtube_processing_ask(const struct env *env, struct flow *flow, struct step *step)
{
	const struct str url = video_call_url(env, flow,
					      YOUTUBE_API_URL YOUTUBE_PATH_VIDEOS
					      "?part=status,processingDetails&id=");
	call_bearer(env, step_send(step, CALL_READ, "GET", url), env->access_token);
	return NULL;
}

static void visibility_note(const struct env *env, struct flow *flow, const struct json *status)
{
	flow_see(flow, post_visibility_of_name(json_string(json_get(status, "privacyStatus"))),
		 post_visibility_of_name(youtube_privacy(env->options)),
		 STR("platforms.youtube.privacyStatus"),
		 STR("YouTube keeps the video more private than was asked for; it does so for API "
		     "projects that have not passed its audit. The channel's owner can change it "
		     "in YouTube Studio where YouTube allows that."));
}

/* Is every video of this app private, regardless of the requested privacy (2.6)? Stored with the
 * account when it has changed. */
static void privacy_note(const struct env *env, struct flow *flow, const struct json *status)
{
	const struct str wanted = youtube_privacy(env->options);
	const struct str got = json_string(json_get(status, "privacyStatus"));
	const struct json *known = json_get(env->account_extra, "private_only");
	const bool is_private = str_equal_z(got, "private");
	const bool is_news = known == NULL || is_private != json_bool(known, false);
	if (str_equal_z(wanted, "private") || str_is_empty(got) || !is_news)
		return;
	flow_set(flow, YOUTUBE_KEY_ACCOUNT_EXTRA,
		 youtube_extra(env, json_string(json_get(env->account_extra, "uploads_playlist")),
			       json_string(json_get(env->account_extra, "long_uploads")),
			       is_private ? YOUTUBE_AUDIT_MISSING : YOUTUBE_AUDIT_PASSED));
}

static const char *processing_over(const struct env *env, struct flow *flow)
{
	youtube_video_done(env, flow);
	return YOUTUBE_STAGE_BEGIN;
}

static const char *processing_failed(const struct env *env, struct flow *flow,
				     const struct reply *reply, const struct json *status,
				     struct step *step)
{
	struct refusal_facts facts = {.status = reply->status, .is_readable = true};
	refusal_marker_add(&facts, json_string(json_get(status, "failureReason")));
	refusal_marker_add(&facts, json_string(json_get(status, "rejectionReason")));
	flow_set_closed(flow);
	refusal_fail(ends, env, &facts, reply, step);
	return NULL;
}

const char *youtube_processing_answer(const struct env *env, struct flow *flow,
				      const struct reply *reply, struct step *step)
{
	if (is_answered(reply) && reply->status == 401)
		return youtube_fail(env, reply, step);
	const bool is_told = is_answered(reply) && reply->status == 200;
	const struct json *video = is_told ? json_at(json_get(reply->json, "items"), 0) : NULL;
	const struct json *status = json_get(video, "status");
	const struct str state = json_string(json_get(status, "uploadStatus"));
	privacy_note(env, flow, status);
	visibility_note(env, flow, status);
	if (str_equal_z(state, "processed") || str_equal_z(state, "deleted"))
		return processing_over(env, flow);
	if (str_equal_z(state, "failed") || str_equal_z(state, "rejected"))
		return processing_failed(env, flow, reply, status, step);
	const int64_t polls = flow_count(flow, YOUTUBE_KEY_POLLS);
	if (polls > POLLS_MAX)
		return processing_over(env, flow);
	step_wait(step, poll_waits_ms[polls - 1]);
	return NULL;
}

void youtube_extra_give(const struct env *env, struct flow *flow, struct step *step)
{
	const struct str extra = flow_get(flow, YOUTUBE_KEY_ACCOUNT_EXTRA);
	if (str_is_empty(extra))
		return;
	step->account_extra = str_copy(env->arena, extra);
	flow_unset(flow, YOUTUBE_KEY_ACCOUNT_EXTRA);
}
