/* SPDX-License-Identifier: Apache-2.0
 * Media on the simulated X: images in one request, videos and GIFs in chunks, processing that takes
 * time, alt text (x.md 2.3 to 2.5, 3.2). */
#include "sandbox_x.h"

#include <stdlib.h>

#include "arena.h"
#include "buf.h"
#include "count_of.h"
#include "str.h"

#include "base64.h"
#include "json.h"
#include "json_write.h"
#include "utf8.h"

#define SEGMENTS_MAX 1000                   /* 2.4: segment_index 0 to 999 */
#define SEGMENT_MAX_BYTES ((size_t)8 << 20) /* 2.4; the most of x_segment_max_bytes */
#define IMAGE_MAX_BYTES (INT64_C(5) << 20)  /* 3.2 */
#define GIF_MAX_BYTES (INT64_C(15) << 20)
#define VIDEO_MAX_BYTES (INT64_C(8) << 30)
#define ALT_TEXT_CHARS_MAX 1000  /* 2.5 */
#define MEDIA_LIFE_US US_PER_DAY /* 3.2 */
#define MEDIA_LIFE_S 86400
#define UPLOAD_LIMIT 500 /* 3.3, per 15 minutes */
#define CHUNK_LIMIT 1875
#define STATUS_LIMIT 1000

struct x_segment {
	int64_t offset; /* in the raw file, where segments lie in the order of arrival */
	int64_t size_bytes;
	bool is_there;
};

static const struct {
	const char *category;
	enum x_media_kind kind;
	int64_t max_bytes;
} categories[] = {
	{"tweet_image", X_MEDIA_IMAGE, IMAGE_MAX_BYTES},
	{"tweet_gif", X_MEDIA_GIF, GIF_MAX_BYTES},
	{"tweet_video", X_MEDIA_VIDEO, VIDEO_MAX_BYTES},
	{"amplify_video", X_MEDIA_VIDEO, VIDEO_MAX_BYTES},
	{"subtitles", X_MEDIA_SUBTITLES, INT64_C(1) << 20},
};
#define CATEGORIES COUNT_OF(categories)

/* The index into categories. CATEGORIES = the call has been answered. */
static size_t read_category(struct sandbox_call *call)
{
	const struct str given = sandbox_param(call, "media_category");
	for (size_t i = 0; i < CATEGORIES; i++) {
		if (str_equal_z(given, categories[i].category))
			return i;
	}
	sandbox_x_fail_request(call, "media_category", given, "is not one of the media categories");
	return CATEGORIES;
}

static struct x_media *media_any(struct sandbox_call *call, struct str id)
{
	return sandbox_object_get(call->sandbox, SANDBOX_X, "media", id);
}

static bool needs_processing(const struct x_media *media)
{
	return media->kind == X_MEDIA_VIDEO || media->kind == X_MEDIA_GIF;
}

static int64_t processing_us(struct sandbox_call *call)
{
	return sandbox_knob(call->sandbox, SANDBOX_KNOB_x_processing_ms) * US_PER_MS;
}

static bool is_processed(struct sandbox_call *call, const struct x_media *media)
{
	return !needs_processing(media) ||
	       call->now_us - media->finalized_us >= processing_us(call);
}

struct x_media *sandbox_x_media_find(struct sandbox_call *call, struct str id)
{
	struct x_media *media = media_any(call, id);
	if (media == NULL || media->finalized_us == 0 || media->is_failed ||
	    media->kind == X_MEDIA_SUBTITLES || !is_processed(call, media) ||
	    call->now_us - media->finalized_us > MEDIA_LIFE_US)
		return NULL;
	return media;
}

static bool type_fits(const struct x_media *media)
{
	const enum sniff_type type = media->media.sniff.type;
	switch (media->kind) {
	case X_MEDIA_IMAGE:
		return type == SNIFF_JPEG || type == SNIFF_PNG || type == SNIFF_WEBP ||
		       type == SNIFF_GIF;
	case X_MEDIA_GIF:
		return type == SNIFF_GIF;
	case X_MEDIA_VIDEO:
		return type == SNIFF_MP4 || type == SNIFF_MOV || type == SNIFF_WEBM;
	case X_MEDIA_SUBTITLES:
		return true;
	}
	return false;
}

/* The prefix of a media key: "3_" for pictures, "13_" for videos, "16_" for GIFs. */
struct str sandbox_x_media_key(struct arena *arena, const struct x_media *media)
{
	static const int prefixes[] = {[X_MEDIA_IMAGE] = 3,
				       [X_MEDIA_GIF] = 16,
				       [X_MEDIA_VIDEO] = 13,
				       [X_MEDIA_SUBTITLES] = 3};
	return str_format(arena, "%d_" STR_FMT, prefixes[media->kind], STR_ARG(media->id));
}

/* check_after_secs: whole seconds until processing ends, at least 1. */
static int64_t check_after_s(struct sandbox_call *call, const struct x_media *media)
{
	const int64_t left_us = processing_us(call) - (call->now_us - media->finalized_us);
	return left_us > US_PER_S ? left_us / US_PER_S : 1;
}

/* It is pending for the first half of the time and in progress for the second. */
static void write_processing(struct sandbox_call *call, struct json_writer *w,
			     const struct x_media *media)
{
	const int64_t age_us = call->now_us - media->finalized_us;
	json_key(w, "processing_info");
	json_begin_object(w);
	if (!is_processed(call, media)) {
		json_member_str(w, "state",
				age_us < processing_us(call) / 2 ? STR("pending")
								 : STR("in_progress"));
		json_member_int(w, "check_after_secs", check_after_s(call, media));
		json_member_int(w, "progress_percent", 100 * age_us / processing_us(call));
	} else if (media->is_failed) {
		json_member_str(w, "state", STR("failed"));
		json_key(w, "error");
		json_begin_object(w);
		json_member_int(w, "code", 1);
		json_member_str(w, "name", STR("InvalidMedia"));
		json_member_str(w, "message", STR("Unsupported video format"));
		json_end_object(w);
	} else {
		json_member_str(w, "state", STR("succeeded"));
		json_member_int(w, "progress_percent", 100);
	}
	json_end_object(w);
}

static void answer_media(struct sandbox_call *call, const struct x_media *media)
{
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_object(&w);
	json_member_str(&w, "id", media->id);
	json_member_str(&w, "media_key", sandbox_x_media_key(call->arena, media));
	if (media->finalized_us != 0)
		json_member_int(&w, "size", media->media.size_bytes);
	json_member_int(&w, "expires_after_secs", MEDIA_LIFE_S);
	if (media->finalized_us != 0 && media->kind == X_MEDIA_IMAGE) {
		json_key(&w, "image");
		json_begin_object(&w);
		json_member_str(&w, "image_type", str_of(media->media.sniff.mime_type));
		json_member_int(&w, "w", media->media.sniff.width);
		json_member_int(&w, "h", media->media.sniff.height);
		json_end_object(&w);
	}
	if (media->finalized_us != 0 && needs_processing(media))
		write_processing(call, &w, media);
	json_end_object(&w);
	json_end_object(&w);
}

static struct x_media *media_new(struct sandbox_call *call, enum x_media_kind kind)
{
	struct x_media *media = sandbox_keep(call->sandbox, sizeof(*media));
	media->id = sandbox_x_next_id(call);
	media->kind = kind;
	sandbox_object_put(call->sandbox, SANDBOX_X, "media", media->id, media);
	return media;
}

/* The bytes: a multipart part named media, or base64 in JSON. */
static bool read_bytes(struct sandbox_call *call, struct str *bytes_out)
{
	const struct sandbox_part *part = sandbox_part(call, "media");
	const struct str text = json_string(json_get(sandbox_json(call), "media"));
	if (part != NULL && part->bytes.len > 0) {
		*bytes_out = part->bytes;
		return true;
	}
	if (text.len > 0 && base64_decode(call->arena, text, bytes_out))
		return true;
	sandbox_x_fail_request(call, "media", STR(""), "The media is missing.");
	return false;
}

void sandbox_x_media_simple(struct sandbox_call *call)
{
	if (sandbox_x_user(call, "media.write", "window_upload", UPLOAD_LIMIT) == NULL)
		return;
	const size_t category = read_category(call);
	struct str bytes;
	if (category == CATEGORIES || !read_bytes(call, &bytes))
		return;
	if (categories[category].kind == X_MEDIA_VIDEO ||
	    (int64_t)bytes.len > categories[category].max_bytes) {
		sandbox_x_fail_request(call, "media", STR(""),
				       "The media is too large or needs a chunked upload.");
		return;
	}
	struct sandbox_media looked;
	sandbox_media_look(call, bytes, &looked);
	struct x_media *media = media_new(call, categories[category].kind);
	media->media = looked;
	if (!type_fits(media)) {
		media->is_failed = true;
		sandbox_x_fail_request(call, "media", STR(""), "media type unrecognized.");
		return;
	}
	media->finalized_us = call->now_us;
	answer_media(call, media);
}

/* ---- chunked (2.4) ---- */

void sandbox_x_media_initialize(struct sandbox_call *call)
{
	const int64_t total = sandbox_param_int(call, "total_bytes", 0);
	if (sandbox_x_user(call, "media.write", "window_initialize", CHUNK_LIMIT) == NULL)
		return;
	const size_t category = read_category(call);
	if (category == CATEGORIES)
		return;
	if (sandbox_param(call, "media_type").len == 0 || total <= 0) {
		sandbox_x_fail_request(call, "total_bytes", sandbox_param(call, "total_bytes"),
				       "media_type and total_bytes are needed");
		return;
	}
	if (total > categories[category].max_bytes) {
		sandbox_x_fail_request(call, "total_bytes", sandbox_param(call, "total_bytes"),
				       "The media is too large.");
		return;
	}
	struct x_media *media = media_new(call, categories[category].kind);
	media->total_bytes = total;
	media->segments = sandbox_keep(call->sandbox, SEGMENTS_MAX * sizeof(*media->segments));
	if (sandbox_upload_new(call->sandbox, SANDBOX_X, media->id, total) == NULL)
		sandbox_x_fail(call, 503, "Service Unavailable", "Service Unavailable", NULL);
	else
		answer_media(call, media);
}

/* The unfinished chunked media of that id. NULL = the call has been answered. */
static struct x_media *find_open(struct sandbox_call *call)
{
	struct x_media *media = media_any(call, sandbox_capture(call, "id"));
	if (media != NULL && media->segments != NULL && media->finalized_us == 0)
		return media;
	sandbox_x_fail_request(call, "id", sandbox_capture(call, "id"), "The media id is invalid.");
	return NULL;
}

void sandbox_x_media_append(struct sandbox_call *call)
{
	const int64_t index = sandbox_param_int(call, "segment_index", -1);
	struct x_media *media;
	struct str bytes;
	if (sandbox_x_user(call, "media.write", "window_append", CHUNK_LIMIT) == NULL ||
	    (media = find_open(call)) == NULL || !read_bytes(call, &bytes))
		return;
	if ((int64_t)bytes.len > sandbox_call_knob(call, SANDBOX_KNOB_x_segment_max_bytes)) {
		sandbox_answer_empty(call, 413); /* 2.4: the edge says no more */
		return;
	}
	if (index < 0 || index >= SEGMENTS_MAX) {
		sandbox_x_fail_request(call, "segment_index", sandbox_param(call, "segment_index"),
				       "The segment is out of range.");
		return;
	}
	struct sandbox_upload *upload = sandbox_upload_find(call->sandbox, SANDBOX_X, media->id);
	const int64_t offset = upload->received_bytes;
	if (!sandbox_upload_write(call->sandbox, upload, offset, bytes)) {
		sandbox_x_fail(call, 503, "Service Unavailable", "Service Unavailable", NULL);
		return;
	}
	/* A repeated segment, as after a broken connection, replaces the first. */
	media->segments[index] = (struct x_segment){offset, (int64_t)bytes.len, true};
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_object(&w);
	json_member_int(&w, "expires_at", (call->now_us + MEDIA_LIFE_US) / US_PER_S);
	json_end_object(&w);
	json_end_object(&w);
}

/* Whether segments 0..n are complete and have the announced length. */
static bool is_complete(const struct x_media *media)
{
	int64_t sum = 0;
	size_t last = 0;
	for (size_t i = 0; i < SEGMENTS_MAX; i++) {
		sum += media->segments[i].is_there ? media->segments[i].size_bytes : 0;
		last = media->segments[i].is_there ? i : last;
	}
	for (size_t i = 0; i <= last; i++) {
		if (!media->segments[i].is_there)
			return false;
	}
	return sum == media->total_bytes;
}

static struct str whole_id(struct sandbox_call *call, const struct x_media *media)
{
	return str_format(call->arena, STR_FMT "-whole", STR_ARG(media->id));
}

/* Copies the segments to a second file, in order. */
static bool assemble(struct sandbox_call *call, const struct x_media *media)
{
	struct sandbox_upload *raw = sandbox_upload_find(call->sandbox, SANDBOX_X, media->id);
	struct sandbox_upload *whole = sandbox_upload_new(
		call->sandbox, SANDBOX_X, whole_id(call, media), media->total_bytes);
	char *piece = malloc(SEGMENT_MAX_BYTES);
	bool is_good = whole != NULL && piece != NULL;
	for (size_t i = 0; is_good && i < SEGMENTS_MAX && media->segments[i].is_there; i++) {
		const struct x_segment *segment = &media->segments[i];
		is_good = sandbox_upload_read(raw, segment->offset, piece,
					      (size_t)segment->size_bytes) &&
			  sandbox_upload_write(call->sandbox, whole, whole->received_bytes,
					       (struct str){piece, (size_t)segment->size_bytes});
	}
	free(piece);
	sandbox_upload_discard(call->sandbox, raw);
	return is_good;
}

void sandbox_x_media_finalize(struct sandbox_call *call)
{
	if (sandbox_x_user(call, "media.write", "window_finalize", CHUNK_LIMIT) == NULL)
		return;
	struct x_media *media = media_any(call, sandbox_capture(call, "id"));
	if (media != NULL && media->finalized_us != 0) {
		answer_media(call, media);
		return;
	}
	if ((media = find_open(call)) == NULL)
		return;
	if (!is_complete(media)) {
		sandbox_x_fail_request(call, "id", media->id,
				       "Segments do not add up to provided total file size.");
		return;
	}
	const struct str id = str_copy(call->arena, media->id);
	const struct str whole = whole_id(call, media);
	struct sandbox_media looked;
	if (!assemble(call, media) || !sandbox_upload_look(call, SANDBOX_X, whole, &looked) ||
	    (media = media_any(call, id)) == NULL) {
		sandbox_x_fail(call, 503, "Service Unavailable", "Service Unavailable", NULL);
		return;
	}
	sandbox_upload_discard(call->sandbox, sandbox_upload_find(call->sandbox, SANDBOX_X, whole));
	media->media = looked;
	media->finalized_us = call->now_us;
	media->is_failed = !type_fits(media);
	answer_media(call, media);
}

void sandbox_x_media_status(struct sandbox_call *call)
{
	struct x_media *media = media_any(call, sandbox_query(call, "media_id"));
	if (sandbox_x_user(call, "media.write", "window_status", STATUS_LIMIT) == NULL)
		return;
	if (media == NULL || media->finalized_us == 0) {
		sandbox_x_fail_request(call, "media_id", sandbox_query(call, "media_id"),
				       "The media id is invalid.");
		return;
	}
	answer_media(call, media);
}

void sandbox_x_media_metadata(struct sandbox_call *call)
{
	const struct json *json = sandbox_json(call);
	const struct str text =
		json_string(json_get(json_get(json_get(json, "metadata"), "alt_text"), "text"));
	struct x_media *media = media_any(call, json_string(json_get(json, "id")));
	if (sandbox_x_user(call, "media.write", "window_metadata", UPLOAD_LIMIT) == NULL)
		return;
	if (media == NULL || media->finalized_us == 0) {
		sandbox_x_fail_request(call, "id", json_string(json_get(json, "id")),
				       "The media id is invalid.");
		return;
	}
	if (text.len == 0 || utf8_code_points(text) > ALT_TEXT_CHARS_MAX) {
		sandbox_x_fail_request(call, "metadata.alt_text.text", STR(""),
				       "The alt text has 1 to 1000 characters.");
		return;
	}
	if (!sandbox_x_spend(call, X_METADATA_MILS))
		return;
	media->media.alt_text = sandbox_keep_str(call->sandbox, text);
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_object(&w);
	json_member_str(&w, "id", media->id);
	json_key(&w, "associated_metadata");
	json_begin_object(&w);
	json_key(&w, "alt_text");
	json_begin_object(&w);
	json_member_str(&w, "text", text);
	json_end_object(&w);
	json_end_object(&w);
	json_end_object(&w);
	json_end_object(&w);
}
