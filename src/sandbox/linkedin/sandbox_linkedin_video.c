/* SPDX-License-Identifier: Apache-2.0
 * Videos of the simulated LinkedIn (linkedin.md 2.6): upload addresses for byte ranges, which
 * refuse a bearer token, and one for captions, which wants it; the etags that finalizeUpload must
 * list in order; the upload token that it must repeat; and processing by the clock. */
#include "count_of.h"

#include "sandbox_linkedin.h"

#define PART_BYTES (4 * 1024 * 1024)         /* 2.6 */
#define VIDEO_BYTES_MIN (75 * 1000)          /* section 3 */
#define VIDEO_BYTES_MAX (500 * 1024 * 1024)  /* section 3 */
#define DURATION_MIN_MS 3000                 /* section 3 */
#define DURATION_MAX_MS (30 * 60 * 1000)     /* section 3 */
#define UPLOAD_LIFETIME_US (30 * US_PER_DAY) /* section 3 */
#define RESOURCE_VIDEOS "videos"

struct linkedin_video {
	int64_t size_bytes; /* as announced */
	size_t part_count;
	struct str *etags; /* by part; empty = no bytes yet */
	struct str token;  /* uploadToken; empty for a single part */
	bool wants_thumbnail;
	bool has_thumbnail;
	bool wants_captions;
	bool has_captions;
	/* the etags were listed in another order: the file is assembled that way */
	bool is_scrambled;
};

static bool refuse(struct sandbox_call *call, const char *code, const char *message)
{
	return sandbox_linkedin_refuse_field(call, code, message);
}

/* ---- initializeUpload ---- */

static int64_t part_first(size_t part)
{
	return (int64_t)part * PART_BYTES;
}

/* Up to 4 MiB; less at the end of the file. */
static int64_t part_size(const struct linkedin_video *video, size_t part)
{
	const int64_t left = video->size_bytes - part_first(part);
	return left < PART_BYTES ? left : PART_BYTES;
}

static struct str upload_url(struct sandbox_call *call, const struct linkedin_asset *asset,
			     struct str place)
{
	const struct str id = str_slice(asset->urn, STR("urn:li:video:").len, asset->urn.len);
	return sandbox_url(call, LINKEDIN_UPLOAD_HOST,
			   str_format(call->arena,
				      "/dms-uploads/sp/" STR_FMT "/" STR_FMT
				      "?sau=true&ut=" STR_FMT,
				      STR_ARG(id), STR_ARG(place), STR_ARG(asset->secret)));
}

static void put_instructions(struct sandbox_call *call, struct json_writer *w,
			     const struct linkedin_asset *asset)
{
	json_key(w, "uploadInstructions");
	json_begin_array(w);
	for (size_t part = 0; part < asset->video->part_count; part++) {
		json_begin_object(w);
		json_member_str(w, "uploadUrl",
				upload_url(call, asset,
					   str_format(call->arena, "uploadedVideo/%zu", part)));
		json_member_int(w, "firstByte", part_first(part));
		/* The last range may reach beyond the file (2.6). */
		json_member_int(w, "lastByte", part_first(part) + PART_BYTES - 1);
		json_end_object(w);
	}
	json_end_array(w);
}

static void answer_upload(struct sandbox_call *call, const struct linkedin_asset *asset)
{
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_key(&w, "value");
	json_begin_object(&w);
	json_member_str(&w, "video", asset->urn);
	json_member_str(&w, "uploadToken", asset->video->token);
	json_member_int(&w, "uploadUrlsExpireAt", asset->expires_us / US_PER_MS);
	put_instructions(call, &w, asset);
	if (asset->video->wants_thumbnail)
		json_member_str(&w, "thumbnailUploadUrl",
				upload_url(call, asset, STR("uploadedVideoThumbnail")));
	if (asset->video->wants_captions)
		json_member_str(&w, "captionsUploadUrl",
				upload_url(call, asset, STR("uploadedVideoCaptions")));
	json_end_object(&w);
	json_end_object(&w);
}

static struct linkedin_video *video_new(struct sandbox_call *call, int64_t size_bytes,
					const struct json *asked)
{
	struct linkedin_video *video = sandbox_keep(call->sandbox, sizeof(*video));
	video->size_bytes = size_bytes;
	video->part_count = (size_t)((size_bytes + PART_BYTES - 1) / PART_BYTES);
	video->etags = sandbox_keep(call->sandbox, video->part_count * sizeof(*video->etags));
	video->token =
		video->part_count > 1 ? sandbox_id_text(call->sandbox, "", 10) : (struct str){0};
	video->wants_thumbnail = json_bool(json_get(asked, "uploadThumbnail"), false);
	video->wants_captions = json_bool(json_get(asked, "uploadCaptions"), false);
	return video;
}

static void initialize(struct sandbox_call *call, const struct sandbox_token *token)
{
	const struct json *asked = json_get(sandbox_json(call), "initializeUploadRequest");
	const struct str owner = sandbox_linkedin_upload_owner(call, token, RESOURCE_VIDEOS);
	if (str_is_empty(owner))
		return;
	int64_t size_bytes = 0;
	if (!str_parse_i64(json_text(call->arena, json_get(asked, "fileSizeBytes")), &size_bytes)) {
		sandbox_linkedin_refuse_required(call, "initializeUploadRequest/fileSizeBytes");
		return;
	}
	if (size_bytes < VIDEO_BYTES_MIN || size_bytes > VIDEO_BYTES_MAX) {
		refuse(call, "INVALID_VALUE_FOR_FIELD", "fileSizeBytes is out of range");
		return;
	}
	struct linkedin_asset *asset = sandbox_linkedin_asset_new(
		call, "video", sandbox_id_text(call->sandbox, "D5F", 16), owner);
	asset->expires_us = call->now_us + UPLOAD_LIFETIME_US;
	asset->video = video_new(call, size_bytes, asked);
	if (sandbox_upload_new(call->sandbox, SANDBOX_LINKEDIN, asset->urn, size_bytes) == NULL)
		sandbox_answer_empty(call, 503);
	else
		answer_upload(call, asset);
}

/* ---- the bytes ---- */

/* The asset of an upload address. NULL = the call has been answered. */
static struct linkedin_asset *find_upload(struct sandbox_call *call)
{
	struct linkedin_asset *asset = sandbox_linkedin_asset_find(
		call->sandbox, str_format(call->arena, "urn:li:video:" STR_FMT,
					  STR_ARG(sandbox_capture(call, "asset"))));
	if (asset == NULL || asset->video == NULL ||
	    !str_equal(asset->secret, sandbox_query(call, "ut"))) {
		sandbox_answer_empty(call, 404);
		return NULL;
	}
	if (call->now_us >= asset->expires_us) {
		sandbox_answer_empty(call, 403);
		return NULL;
	}
	return asset;
}

/* The same, where the address alone authorizes: a token is refused (2.6, "Traps"). */
static struct linkedin_asset *enter_upload(struct sandbox_call *call)
{
	if (str_is_empty(sandbox_header(call, "Authorization")))
		return find_upload(call);
	sandbox_answer_empty(call, 403);
	return NULL;
}

void sandbox_linkedin_video_part_put(struct sandbox_call *call)
{
	struct linkedin_asset *asset = enter_upload(call);
	if (asset == NULL)
		return;
	uint64_t part = 0;
	if (!str_parse_u64(sandbox_capture(call, "part"), &part) ||
	    part >= asset->video->part_count) {
		sandbox_answer_empty(call, 404);
		return;
	}
	if ((int64_t)call->body.len != part_size(asset->video, (size_t)part)) {
		refuse(call, "ILLEGAL_ARGUMENT",
		       "The bytes are not those of firstByte to lastByte");
		return;
	}
	struct sandbox_upload *upload =
		sandbox_upload_find(call->sandbox, SANDBOX_LINKEDIN, asset->urn);
	if (upload == NULL ||
	    !sandbox_upload_write(call->sandbox, upload, part_first((size_t)part), call->body)) {
		sandbox_answer_empty(call, 503);
		return;
	}
	asset->video->etags[part] = sandbox_id_text(call->sandbox, "", 32);
	sandbox_answer_header(call, "etag", asset->video->etags[part]);
	sandbox_answer_empty(call, 200);
}

void sandbox_linkedin_video_thumbnail_put(struct sandbox_call *call)
{
	struct linkedin_asset *asset = enter_upload(call);
	if (asset == NULL)
		return;
	if (!asset->video->wants_thumbnail) {
		sandbox_answer_empty(call, 404);
		return;
	}
	if (!str_equal_z(sandbox_header(call, "media-type-family"), "STILLIMAGE")) {
		refuse(call, "ILLEGAL_ARGUMENT", "media-type-family must be STILLIMAGE");
		return;
	}
	struct sandbox_media media = {0};
	sandbox_media_look(call, call->body, &media);
	asset = enter_upload(call); /* the lock was let go: a reset may have come between */
	if (asset == NULL)
		return;
	if (media.sniff.type != SNIFF_JPEG && media.sniff.type != SNIFF_PNG) {
		sandbox_answer_empty(call, 415);
		return;
	}
	asset->video->has_thumbnail = true;
	sandbox_answer_empty(call, 201);
}

/* ---- captions ---- */

static bool is_metadata(struct sandbox_call *call)
{
	const struct sandbox_part *part = sandbox_part(call, "metadata");
	const struct json *json = NULL;
	if (part == NULL ||
	    json_parse(call->arena, part->bytes, NULL, &json, NULL, NULL) != ERR_NONE)
		return false;
	const struct str language = json_string(json_get(json_get(json, "locale"), "language"));
	return str_equal_z(json_string(json_get(json, "format")), "SRT") &&
	       str_equal_z(json_string(json_get(json, "transcriptType")), "CLOSED_CAPTION") &&
	       str_equal_z(json_string(json_get(json, "source")), "USER_PROVIDED") &&
	       !str_is_empty(language);
}

void sandbox_linkedin_video_captions_post(struct sandbox_call *call)
{
	struct linkedin_asset *asset = find_upload(call);
	if (asset == NULL)
		return;
	if (!asset->video->wants_captions) {
		sandbox_answer_empty(call, 404);
		return;
	}
	if (str_is_empty(sandbox_authorization(call, "Bearer"))) {
		sandbox_answer_empty(call, 401);
		return;
	}
	const struct sandbox_part *file = sandbox_part(call, "file");
	if (file == NULL || !is_metadata(call)) {
		refuse(call, "ILLEGAL_ARGUMENT",
		       "metadata must be JSON with format, source, locale and transcriptType, and "
		       "file the captions");
		return;
	}
	if (sniff_media(file->bytes).type != SNIFF_SRT) {
		sandbox_answer_empty(call, 415);
		return;
	}
	asset->video->has_captions = true;
	sandbox_answer_empty(call, 201);
}

/* ---- finalizeUpload ---- */

static bool video_has_etag(const struct linkedin_video *video, struct str etag)
{
	for (size_t i = 0; i < video->part_count; i++) {
		if (str_equal(video->etags[i], etag))
			return true;
	}
	return false;
}

/* All parts must be listed once. Another order gets 200, too, and scrambles the file (2.6,
 * "Traps"). */
static bool check_parts(struct sandbox_call *call, struct linkedin_video *video,
			const struct json *ids)
{
	if (!json_is(ids, JSON_TYPE_ARRAY) || ids->count != video->part_count)
		return refuse(call, "INVALID_VALUE_FOR_FIELD",
			      "uploadedPartIds must name every part");
	for (size_t i = 0; i < ids->count; i++) {
		const struct str id = json_string(json_at(ids, i));
		if (str_is_empty(id) || !video_has_etag(video, id))
			return refuse(call, "INVALID_VALUE_FOR_FIELD",
				      "uploadedPartIds names an unknown part");
		video->is_scrambled = video->is_scrambled || !str_equal(id, video->etags[i]);
	}
	return true;
}

static bool is_fit(const struct linkedin_video *video, const struct sandbox_media *media)
{
	const int64_t duration_ms = media->sniff.duration_ms;
	return !video->is_scrambled && media->sniff.type == SNIFF_MP4 &&
	       (duration_ms == 0 ||
		(duration_ms >= DURATION_MIN_MS && duration_ms <= DURATION_MAX_MS));
}

static void finalize(struct sandbox_call *call, const struct sandbox_token *token)
{
	const struct json *asked = json_get(sandbox_json(call), "finalizeUploadRequest");
	const struct str urn = str_copy(call->arena, json_string(json_get(asked, "video")));
	struct linkedin_asset *asset = sandbox_linkedin_asset_find(call->sandbox, urn);
	if (asset == NULL || asset->video == NULL) {
		refuse(call, "INVALID_VIDEO_ID", "INVALID_VIDEO_ID: no such video");
		return;
	}
	if (!sandbox_linkedin_may_act(call, token, asset->owner,
				      RESOURCE_VIDEOS ".ACTION-finalizeUpload"))
		return;
	if (asset->uploaded_us != 0 ||
	    !str_equal(json_string(json_get(asked, "uploadToken")), asset->video->token)) {
		refuse(call, "INVALID_VALUE_FOR_FIELD",
		       "The upload has ended, or uploadToken is not the one given");
		return;
	}
	if (!check_parts(call, asset->video, json_get(asked, "uploadedPartIds")))
		return;
	struct sandbox_media media = {0};
	if (!sandbox_upload_look(call, SANDBOX_LINKEDIN, urn, &media) ||
	    (asset = sandbox_linkedin_asset_find(call->sandbox, urn)) == NULL) {
		sandbox_answer_empty(call, 503); /* the lock was let go: a reset came between */
		return;
	}
	asset->media = media;
	asset->is_fit = is_fit(asset->video, &media);
	asset->uploaded_us = call->now_us;
	if (asset->video->is_scrambled)
		asset->failure = "the parts are not in order";
	sandbox_answer_empty(call, 200);
}

void sandbox_linkedin_video_action(struct sandbox_call *call)
{
	static const struct {
		const char *name;
		void (*act)(struct sandbox_call *call, const struct sandbox_token *token);
	} actions[] = {
		{"initializeUpload", initialize},
		{"finalizeUpload", finalize},
	};
	const struct sandbox_token *token = sandbox_linkedin_enter(call);
	const struct str asked = sandbox_query(call, "action");
	if (token == NULL)
		return;
	for (size_t i = 0; i < COUNT_OF(actions); i++) {
		if (str_equal_z(asked, actions[i].name)) {
			actions[i].act(call, token);
			return;
		}
	}
	refuse(call, "ILLEGAL_ARGUMENT",
	       "No such action: action must be initializeUpload or finalizeUpload");
}

/* ---- status: members may read it too (2.6) ---- */

void sandbox_linkedin_video_get(struct sandbox_call *call)
{
	const struct sandbox_token *token = sandbox_linkedin_enter(call);
	if (token == NULL)
		return;
	const struct linkedin_asset *asset =
		sandbox_linkedin_asset_find(call->sandbox, sandbox_capture(call, "urn"));
	if (asset == NULL || asset->video == NULL) {
		sandbox_linkedin_refuse_not_found(call);
		return;
	}
	if (!sandbox_linkedin_may_act(call, token, asset->owner, RESOURCE_VIDEOS ".GET"))
		return;
	const enum linkedin_asset_status status =
		sandbox_linkedin_asset_status(asset, call->now_us);
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_member_str(&w, "id", asset->urn);
	json_member_str(&w, "owner", asset->owner);
	json_member_str(&w, "status", str_of(sandbox_linkedin_asset_status_name(status)));
	if (status == LINKEDIN_ASSET_PROCESSING_FAILED)
		json_member_str(&w, "processingFailureReason", str_of(asset->failure));
	if (asset->video->has_captions)
		json_member_str(&w, "captions",
				str_format(call->arena, "https://www.linkedin.com/dms/" STR_FMT,
					   STR_ARG(asset->urn)));
	if (status == LINKEDIN_ASSET_AVAILABLE && asset->media.sniff.duration_ms > 0)
		json_member_int(&w, "duration", asset->media.sniff.duration_ms);
	json_end_object(&w);
}
