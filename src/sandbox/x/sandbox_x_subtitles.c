/* SPDX-License-Identifier: Apache-2.0
 * Subtitles on the simulated X (x.md 2.5): a file that was uploaded with the category subtitles is
 * bound to a video, before or after that is posted. A video has one track for each language: a
 * later one takes the place of the one before. */
#include "sandbox_x.h"

#include "str.h"

#include "json.h"
#include "json_write.h"

#define SUBTITLES_LIMIT 100 /* 3.3, per 15 minutes */

static bool is_language_code(struct str text)
{
	return text.len == 2 && text.ptr[0] >= 'A' && text.ptr[0] <= 'Z' && text.ptr[1] >= 'A' &&
	       text.ptr[1] <= 'Z';
}

static struct x_media *uploaded(struct sandbox_call *call, struct str id)
{
	struct x_media *media = sandbox_object_get(call->sandbox, SANDBOX_X, "media", id);
	return media != NULL && media->finalized_us != 0 &&
			       call->now_us - media->finalized_us <= US_PER_DAY
		       ? media
		       : NULL;
}

/* The video that the body names. NULL = the call has been answered. */
static struct x_media *video_of(struct sandbox_call *call)
{
	const struct json *json = sandbox_json(call);
	const struct str id = json_string(json_get(json, "id"));
	const struct str category = json_string(json_get(json, "media_category"));
	if (!str_equal_z(category, "TweetVideo") && !str_equal_z(category, "AmplifyVideo")) {
		sandbox_x_fail_request(call, "media_category", category,
				       "media_category is AmplifyVideo or TweetVideo");
		return NULL;
	}
	struct x_media *video = uploaded(call, id);
	if (video != NULL && video->kind == X_MEDIA_VIDEO)
		return video;
	sandbox_x_fail_not_found(call, "media", id);
	return NULL;
}

/* NULL = the video has none in that language. */
static struct x_track *track_in(struct x_media *video, struct str language_code)
{
	for (size_t i = 0; i < video->track_count; i++) {
		if (str_equal(video->tracks[i].language_code, language_code))
			return &video->tracks[i];
	}
	return NULL;
}

static bool is_subtitles(const struct x_media *file)
{
	const enum sniff_type type = file->media.sniff.type;
	return file->kind == X_MEDIA_SUBTITLES && (type == SNIFF_SRT || type == SNIFF_VTT);
}

/* False: the call has been answered. */
static bool read_track(struct sandbox_call *call, struct x_track *out)
{
	const struct json *given = json_get(sandbox_json(call), "subtitles");
	*out = (struct x_track){
		.id = json_string(json_get(given, "id")),
		.language_code = json_string(json_get(given, "language_code")),
		.display_name = json_string(json_get(given, "display_name")),
	};
	const struct x_media *file = uploaded(call, out->id);
	if (!is_language_code(out->language_code)) {
		sandbox_x_fail_request(call, "subtitles.language_code", out->language_code,
				       "does not match the pattern ^[A-Z]{2}$");
		return false;
	}
	if (str_is_empty(out->display_name)) {
		sandbox_x_fail_request(call, "subtitles.display_name", STR(""),
				       "display_name is missing");
		return false;
	}
	if (file != NULL && is_subtitles(file))
		return true;
	sandbox_x_fail_request(call, "subtitles.id", out->id, "The subtitle file is invalid.");
	return false;
}

static void answer_track(struct sandbox_call *call, const struct x_media *video,
			 const struct x_track *track)
{
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_object(&w);
	json_member_str(&w, "id", video->id);
	json_member_str(&w, "media_category", STR("TweetVideo"));
	json_key(&w, "associated_subtitles");
	json_begin_object(&w);
	json_member_str(&w, "id", track->id);
	json_member_str(&w, "language_code", track->language_code);
	json_member_str(&w, "display_name", track->display_name);
	json_end_object(&w);
	json_end_object(&w);
	json_end_object(&w);
}

void sandbox_x_subtitles_create(struct sandbox_call *call)
{
	struct x_track fresh;
	struct x_media *video;
	if (sandbox_x_user(call, "media.write", "window_subtitles", SUBTITLES_LIMIT) == NULL ||
	    (video = video_of(call)) == NULL || !read_track(call, &fresh))
		return;
	struct x_track *track = track_in(video, fresh.language_code);
	if (track == NULL && video->track_count == X_TRACKS_MAX) {
		sandbox_x_fail_request(call, "id", video->id, "The video has too many subtitles.");
		return;
	}
	if (track == NULL)
		track = &video->tracks[video->track_count++];
	*track = (struct x_track){
		.id = sandbox_keep_str(call->sandbox, fresh.id),
		.language_code = sandbox_keep_str(call->sandbox, fresh.language_code),
		.display_name = sandbox_keep_str(call->sandbox, fresh.display_name),
	};
	answer_track(call, video, track);
}

void sandbox_x_subtitles_delete(struct sandbox_call *call)
{
	struct json_writer w;
	struct x_media *video;
	if (sandbox_x_user(call, "media.write", "window_subtitles_delete", SUBTITLES_LIMIT) ==
		    NULL ||
	    (video = video_of(call)) == NULL)
		return;
	struct x_track *track =
		track_in(video, json_string(json_get(sandbox_json(call), "language_code")));
	if (track != NULL)
		*track = video->tracks[--video->track_count];
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_object(&w);
	json_member_bool(&w, "deleted", track != NULL);
	json_end_object(&w);
	json_end_object(&w);
}
