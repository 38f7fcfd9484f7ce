/* SPDX-License-Identifier: Apache-2.0
 * Uploads to the simulated YouTube (youtube.md 2.1 to 2.5, 5): the resumable session, its
 * bytes, the video that the last byte creates, uploads in one call, and thumbnails. No video exists
 * before the last byte. */
#include "sandbox_youtube.h"

#include "count_of.h"

#include "sandbox_content_range.h"
#include "sandbox_multipart.h"

#define CHUNK_MULTIPLE_BYTES 262144            /* 2.2 */
#define FILE_BYTES_MAX (INT64_C(256) << 30)    /* section 3 */
#define SESSION_LIFETIME_US (7 * US_PER_DAY)   /* 2.3 [U] */
#define THUMBNAIL_BYTES_MAX (50 * 1000 * 1000) /* section 0 */

/* A resumable session, attached to the upload. */
struct session {
	struct youtube_video video; /* what the metadata said; id is empty until the last byte */
	struct str part;
	int64_t total_bytes; /* -1 = unknown */
	int64_t received_bytes;
	int64_t created_us;
	struct youtube_video *made; /* after the last byte */
};

/* ---- starting a session ---- */

/* X-Upload-Content-Length and -Type (2.1). */
static bool check_upload_headers(struct sandbox_call *call, int64_t *total_bytes_out)
{
	const struct str length = sandbox_header(call, "X-Upload-Content-Length");
	const struct str type = sandbox_header(call, "X-Upload-Content-Type");
	*total_bytes_out = -1;
	if (!str_is_empty(type) && !str_has_prefix(type, STR("video/")) &&
	    !str_equal_z(type, "application/octet-stream")) {
		sandbox_youtube_refuse(
			call, (struct youtube_error){400, "badContent", "global", NULL},
			"This media type is not supported: video/* or application/octet-stream");
		return false;
	}
	if (!str_is_empty(length) && (!str_parse_i64(length, total_bytes_out) ||
				      *total_bytes_out < 0 || *total_bytes_out > FILE_BYTES_MAX)) {
		sandbox_youtube_refuse_parameter(call, "invalidHeader",
						 "X-Upload-Content-Length is out of range");
		return false;
	}
	return true;
}

/* body: the metadata; NULL where it is none. */
static bool check_metadata(struct sandbox_call *call, const struct json *body)
{
	if (str_is_empty(sandbox_query(call, "part"))) {
		sandbox_youtube_refuse_parameter(call, "missingRequiredParameter",
						 "Required parameter: part");
		return false;
	}
	if (!json_is(body, JSON_TYPE_OBJECT)) {
		sandbox_youtube_refuse_parameter(call, "parseError",
						 "The body is not a JSON object");
		return false;
	}
	return sandbox_youtube_metadata_check(call, body);
}

static void answer_location(struct sandbox_call *call, struct str id)
{
	struct buf path;
	buf_init(&path, call->arena, 4096);
	buf_add_z(&path, "/upload/youtube/v3/videos?uploadType=resumable");
	form_add(&path, "upload_id", id);
	form_add(&path, "part", sandbox_query(call, "part"));
	sandbox_answer_header(call, "Location",
			      sandbox_url(call, YOUTUBE_API_HOST, buf_str(&path)));
	sandbox_answer_header(call, "X-GUploader-UploadID", id);
	sandbox_answer_empty(call, 200);
}

static void refuse_backend(struct sandbox_call *call)
{
	sandbox_youtube_refuse(call,
			       (struct youtube_error){500, "backendError", "global", "INTERNAL"},
			       "Backend Error");
}

/* The channel's upload limit, for all kinds of uploads together. It covers the last 24 hours, not
 * the day (section 3). */
static bool take_channel_upload(struct sandbox_call *call)
{
	struct youtube_state *state = call->state;
	const size_t cap =
		(size_t)sandbox_knob(call->sandbox, SANDBOX_KNOB_youtube_channel_uploads);
	const size_t count = state->channel_upload_count;
	if (cap > 0 && count >= cap &&
	    state->channel_uploads_us[(count - cap) % YOUTUBE_CHANNEL_UPLOADS_MAX] + US_PER_DAY >
		    call->now_us) {
		const struct youtube_error error = {400, "uploadLimitExceeded", "youtube.video",
						    NULL};
		sandbox_youtube_refuse(
			call, error, "The user has exceeded the number of videos they may upload.");
		return false;
	}
	state->channel_uploads_us[count % YOUTUBE_CHANNEL_UPLOADS_MAX] = call->now_us;
	state->channel_upload_count++;
	return true;
}

static struct sandbox_upload *session_new(struct sandbox_call *call, const struct json *metadata,
					  int64_t total_bytes)
{
	struct sandbox_upload *upload =
		sandbox_upload_new(call->sandbox, SANDBOX_YOUTUBE,
				   sandbox_id_text(call->sandbox, "AD-", 60), total_bytes);
	if (upload == NULL) {
		refuse_backend(call);
		return NULL;
	}
	struct session *session = sandbox_keep(call->sandbox, sizeof(*session));
	*session = (struct session){
		.video = sandbox_youtube_metadata_read(call, metadata),
		.part = sandbox_keep_str(call->sandbox, sandbox_query(call, "part")),
		.total_bytes = total_bytes,
		.created_us = call->now_us,
	};
	upload->extra = session;
	return upload;
}

static void start_session(struct sandbox_call *call)
{
	const struct json *metadata = sandbox_json(call);
	int64_t total_bytes;
	if (!check_metadata(call, metadata) || !check_upload_headers(call, &total_bytes) ||
	    !take_channel_upload(call))
		return;
	const struct sandbox_upload *upload = session_new(call, metadata, total_bytes);
	if (upload != NULL)
		answer_location(call, upload->id);
}

/* ---- bytes ---- */

static void refuse_bytes(struct sandbox_call *call, const char *message)
{
	buf_add_z(http_response_text(call->response, 400, "text/plain; charset=utf-8"), message);
}

static void answer_gone(struct sandbox_call *call)
{
	buf_add_z(http_response_text(call->response, 404, "text/plain; charset=utf-8"),
		  "Not Found");
}

/* The live session of that id, or NULL. */
static struct session *find_session(struct sandbox_call *call, struct str id,
				    struct sandbox_upload **upload_out)
{
	struct sandbox_upload *upload = sandbox_upload_find(call->sandbox, SANDBOX_YOUTUBE, id);
	struct session *session = upload != NULL ? upload->extra : NULL;
	if (session == NULL || call->now_us >= session->created_us + SESSION_LIFETIME_US ||
	    sandbox_knob(call->sandbox, SANDBOX_KNOB_youtube_sessions_lost) != 0)
		return NULL;
	*upload_out = upload;
	return session;
}

/* 308 with the stored range; without Range when nothing is stored (2.2). */
static void answer_progress(struct sandbox_call *call, const struct session *session)
{
	/* Clients that cannot tell 308 from a redirect ask for another status (Google's media
	 * protocol; googleapis/google-api-go-client gensupport/resumable.go). */
	const bool no_308 = str_equal_z(sandbox_header(call, "X-GUploader-No-308"), "yes");
	if (session->received_bytes > 0)
		sandbox_answer_header(call, "Range",
				      str_format(call->arena, "bytes=0-%lld",
						 (long long)session->received_bytes - 1));
	if (no_308)
		sandbox_answer_header(call, "X-HTTP-Status-Code-Override", STR("308"));
	sandbox_answer_empty(call, no_308 ? 200 : 308);
}

static void answer_video(struct sandbox_call *call, int status, const struct youtube_video *video)
{
	struct json_writer w;
	sandbox_answer(call, status, &w);
	sandbox_youtube_video_put(call, &w, video);
}

/* The range of this PUT. Without a Content-Range it is the whole file. False = the call has been
 * answered. */
static bool read_range(struct sandbox_call *call, const struct session *session,
		       struct content_range *range_out)
{
	const struct str header = sandbox_header(call, "Content-Range");
	const int64_t length = (int64_t)call->body.len;
	if (str_is_empty(header)) {
		*range_out = (struct content_range){.last = length - 1, .total = length};
	} else if (!sandbox_content_range_parse(header, range_out)) {
		refuse_bytes(call, "Failed to parse Content-Range header.");
		return false;
	}
	if (sandbox_content_range_bytes(range_out) != length) {
		refuse_bytes(call, "Content-Range and Content-Length do not agree.");
		return false;
	}
	if (range_out->total >= 0 && session->total_bytes >= 0 &&
	    range_out->total != session->total_bytes) {
		refuse_bytes(call,
			     "The length of the file is not the one the upload was started with.");
		return false;
	}
	return true;
}

/* Contiguous, and in multiples of 256 KiB except at the end (2.2). A chunk may overlap stored
 * bytes. */
static bool check_chunk(struct sandbox_call *call, const struct session *session,
			const struct content_range *range, bool is_final)
{
	if (range->first > session->received_bytes) {
		refuse_bytes(
			call,
			"Invalid request: the upload offset exceeds the size uploaded already.");
		return false;
	}
	if (!is_final && sandbox_content_range_bytes(range) % CHUNK_MULTIPLE_BYTES != 0) {
		refuse_bytes(call, "Invalid request: but for the last one, chunks must be "
				   "multiples of 262144 bytes.");
		return false;
	}
	return true;
}

/* The outcome of processing, by the bytes and by the knob (2.4). */
static void decide_end(struct sandbox_call *call, struct youtube_video *video)
{
	static const struct {
		const char *failure;
		const char *rejection;
	} ends[] = {{NULL, NULL}, {"conversion", NULL}, {NULL, "duplicate"}, {NULL, "length"}};
	const int64_t end = sandbox_knob(call->sandbox, SANDBOX_KNOB_youtube_processing_end);
	video->processing_us =
		sandbox_knob(call->sandbox, SANDBOX_KNOB_youtube_processing_ms) * US_PER_MS;
	video->failure_reason = ends[end].failure;
	video->rejection_reason = ends[end].rejection;
	if (video->media.size_bytes == 0)
		video->failure_reason = "emptyFile";
	else if (!video->media.sniff.is_video)
		video->failure_reason = "invalidFile";
	/* 2.6: uploads of a project without an audit stay private. */
	if (sandbox_call_knob(call, SANDBOX_KNOB_youtube_audited) == 0) {
		video->privacy = STR("private");
		video->publish_us = 0;
	}
}

/* 2.5: square or taller and at most 180 s. A file without these facts is not one. */
static bool is_short(const struct sniff *sniff)
{
	return sniff->width > 0 && sniff->height >= sniff->width && sniff->duration_ms > 0 &&
	       sniff->duration_ms <= 180000;
}

static void show(struct sandbox_call *call, const struct youtube_video *video)
{
	const struct sandbox_post post = {
		.platform = SANDBOX_YOUTUBE,
		.account_id = STR(YOUTUBE_CHANNEL_ID),
		.id = video->id,
		.type = STR("video"),
		/* The ledger has no titles: without a description, the title is the text. */
		.text = str_is_empty(video->description) ? video->title : video->description,
		.media = &video->media,
		.media_count = 1,
		.url = str_format(
			call->arena, "https://www.youtube.com/%s" STR_FMT,
			is_short(&video->media.sniff) ? "shorts/" : "watch?v=", STR_ARG(video->id)),
		.title = video->title,
		.created_us = call->now_us,
		.extra = video,
	};
	sandbox_ledger_add(call->sandbox, &post);
}

static struct youtube_video *make_video(struct sandbox_call *call, const struct session *session,
					const struct sandbox_media *media)
{
	struct youtube_state *state = sandbox_state(call->sandbox, SANDBOX_YOUTUBE);
	struct youtube_video *video = sandbox_keep(call->sandbox, sizeof(*video));
	*video = session->video;
	video->id = sandbox_id_text(call->sandbox, "", 11);
	video->media = *media;
	decide_end(call, video);
	video->created_us = call->now_us;
	video->older = state->newest;
	state->newest = video;
	sandbox_object_put(call->sandbox, SANDBOX_YOUTUBE, "video", video->id, video);
	/* A file that is not a video or was rejected never becomes visible. */
	if (video->failure_reason == NULL && video->rejection_reason == NULL)
		show(call, video);
	return video;
}

/* The last byte has arrived: creates the video, once. */
static void finish(struct sandbox_call *call, const struct sandbox_upload *upload, int status)
{
	const struct str id = str_copy(call->arena, upload->id);
	struct sandbox_media media = {0};
	const bool is_read = sandbox_upload_look(call, SANDBOX_YOUTUBE, id, &media);
	struct sandbox_upload *now;
	struct session *session = find_session(call, id, &now); /* the lock was let go */
	if (session == NULL) {
		answer_gone(call);
		return;
	}
	if (session->made == NULL && !is_read) {
		refuse_backend(call);
		return;
	}
	if (session->made == NULL) {
		session->made = make_video(call, session, &media);
		sandbox_upload_discard(call->sandbox, now);
	}
	answer_video(call, status, session->made);
}

/* The connection broke within the chunk: whole blocks that arrived are kept (2.2: "the server
 * may keep part of a chunk"). */
static void keep_part(struct sandbox_call *call, struct session *session,
		      struct sandbox_upload *upload)
{
	struct str part = call->body;
	part.len -= part.len % CHUNK_MULTIPLE_BYTES;
	struct content_range range = {0};
	if (!str_is_empty(sandbox_header(call, "Content-Range")) &&
	    (!sandbox_content_range_parse(sandbox_header(call, "Content-Range"), &range) ||
	     range.is_query))
		return;
	if (session->made != NULL || part.len == 0 || range.first > session->received_bytes ||
	    !sandbox_upload_write(call->sandbox, upload, range.first, part))
		return;
	if (range.first + (int64_t)part.len > session->received_bytes)
		session->received_bytes = range.first + (int64_t)part.len;
}

static void take_bytes(struct sandbox_call *call, struct session *session,
		       struct sandbox_upload *upload, const struct content_range *range)
{
	const bool is_final = range->total >= 0 && range->last + 1 == range->total;
	if (!check_chunk(call, session, range, is_final))
		return;
	if (call->body.len > 0 &&
	    !sandbox_upload_write(call->sandbox, upload, range->first, call->body)) {
		refuse_backend(call);
		return;
	}
	if (range->total >= 0)
		session->total_bytes = range->total;
	if (range->last + 1 > session->received_bytes)
		session->received_bytes = range->last + 1;
	/* Both 200 and 201 are said to occur (2.2): 200 for a file in one piece, 201 for chunks. */
	if (is_final)
		finish(call, upload,
		       str_is_empty(sandbox_header(call, "Content-Range")) ? 200 : 201);
	else
		answer_progress(call, session);
}

static void take_chunk(struct sandbox_call *call)
{
	struct sandbox_upload *upload;
	struct session *session = find_session(call, sandbox_query(call, "upload_id"), &upload);
	if (session == NULL) {
		answer_gone(call);
		return;
	}
	if (call->is_cut) {
		keep_part(call, session, upload);
		sandbox_answer_empty(call, 503); /* nobody hears it */
		return;
	}
	if (session->made != NULL) {
		answer_video(call, 201, session->made);
		return;
	}
	struct content_range range = {0};
	if (!read_range(call, session, &range))
		return;
	if (range.is_query)
		answer_progress(call, session);
	else
		take_bytes(call, session, upload, &range);
}

void sandbox_youtube_upload_put(struct sandbox_call *call)
{
	if (sandbox_youtube_enter_session(call))
		take_chunk(call);
}

/* ---- in one call ---- */

/* The two parts of multipart/related: metadata as JSON, then the file. False = the call has been
 * answered. */
static bool read_related(struct sandbox_call *call, const struct json **metadata_out,
			 struct sandbox_part *file_out)
{
	struct sandbox_part *parts;
	size_t count = 0;
	if (!sandbox_multipart_parse(call->arena, sandbox_header(call, "Content-Type"), call->body,
				     &parts, &count) ||
	    count != 2 ||
	    json_parse(call->arena, str_trim(parts[0].bytes), NULL, metadata_out, NULL, NULL) !=
		    ERR_NONE) {
		sandbox_youtube_refuse_parameter(call, "badRequest",
						 "Malformed multipart body: it must be "
						 "multipart/related with metadata in JSON "
						 "and one file");
		return false;
	}
	*file_out = parts[1];
	if (str_has_prefix(file_out->content_type, STR("video/")) ||
	    str_has_prefix(file_out->content_type, STR("application/octet-stream")))
		return true;
	sandbox_youtube_refuse(
		call, (struct youtube_error){400, "badContent", "global", NULL},
		"Media type of the file must be video/* or application/octet-stream");
	return false;
}

static void insert_related(struct sandbox_call *call)
{
	const struct json *metadata = NULL;
	struct sandbox_part file = {0};
	if (!read_related(call, &metadata, &file) || !check_metadata(call, metadata) ||
	    !take_channel_upload(call))
		return;
	struct sandbox_upload *upload = session_new(call, metadata, (int64_t)file.bytes.len);
	if (upload == NULL)
		return;
	struct session *session = upload->extra;
	session->received_bytes = (int64_t)file.bytes.len;
	if (file.bytes.len > 0 && !sandbox_upload_write(call->sandbox, upload, 0, file.bytes))
		refuse_backend(call);
	else
		finish(call, upload, 200);
}

void sandbox_youtube_upload_post(struct sandbox_call *call)
{
	static const struct {
		const char *type;
		void (*take)(struct sandbox_call *call);
	} ways[] = {{"resumable", start_session}, {"multipart", insert_related}};
	/* Chunks may come as POST: Google's Go client sends them so. */
	if (!str_is_empty(sandbox_query(call, "upload_id"))) {
		sandbox_youtube_upload_put(call);
		return;
	}
	if (!sandbox_youtube_enter(
		    call, YOUTUBE_SCOPE_UPLOAD | YOUTUBE_SCOPE_FORCE_SSL | YOUTUBE_SCOPE_FULL,
		    YOUTUBE_BUCKET_UPLOADS, 1))
		return;
	for (size_t i = 0; i < COUNT_OF(ways); i++) {
		if (str_equal_z(sandbox_query(call, "uploadType"), ways[i].type)) {
			ways[i].take(call);
			return;
		}
	}
	sandbox_youtube_refuse_parameter(call, "badRequest",
					 "uploadType must be resumable or multipart here");
}

/* ---- thumbnails ---- */

static void refuse_thumbnail(struct sandbox_call *call, const char *reason, const char *message)
{
	sandbox_youtube_refuse(call, (struct youtube_error){400, reason, "youtube.thumbnail", NULL},
			       message);
}

static void answer_thumbnail(struct sandbox_call *call, struct str id,
			     const struct sandbox_media *media)
{
	const struct str path = str_format(call->arena, "/vi/" STR_FMT "/default.jpg", STR_ARG(id));
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_member_str(&w, "kind", STR("youtube#thumbnailSetResponse"));
	json_member_str(&w, "etag", STR("sandbox-thumbnail"));
	json_key(&w, "items");
	json_begin_array(&w);
	json_begin_object(&w);
	json_key(&w, "default");
	json_begin_object(&w);
	json_member_str(&w, "url", sandbox_url(call, "i.ytimg.com", path));
	json_member_int(&w, "width", media->sniff.width);
	json_member_int(&w, "height", media->sniff.height);
	json_end_object(&w);
	json_end_object(&w);
	json_end_array(&w);
	json_end_object(&w);
}

void sandbox_youtube_thumbnail_set(struct sandbox_call *call)
{
	const struct str id = sandbox_query(call, "videoId");
	if (!sandbox_youtube_enter(
		    call, YOUTUBE_SCOPE_UPLOAD | YOUTUBE_SCOPE_FORCE_SSL | YOUTUBE_SCOPE_FULL,
		    YOUTUBE_BUCKET_UNITS, 50))
		return;
	if (sandbox_youtube_video_find(call->sandbox, id) == NULL) {
		sandbox_youtube_refuse(
			call,
			(struct youtube_error){404, "videoNotFound", "youtube.thumbnail", NULL},
			"The video was not found.");
		return;
	}
	if (sandbox_knob(call->sandbox, SANDBOX_KNOB_youtube_custom_thumbnails) == 0) {
		sandbox_youtube_refuse(
			call, (struct youtube_error){403, "forbidden", "youtube.thumbnail", NULL},
			"The authenticated user doesn't have permissions to upload and set custom "
			"video thumbnails.");
		return;
	}
	if (call->body.len == 0) {
		refuse_thumbnail(call, "mediaBodyRequired",
				 "The request does not include the image content.");
		return;
	}
	struct sandbox_media media = {0};
	sandbox_media_look(call, call->body, &media);
	if ((media.sniff.type != SNIFF_JPEG && media.sniff.type != SNIFF_PNG) ||
	    media.size_bytes > THUMBNAIL_BYTES_MAX) {
		refuse_thumbnail(call, "invalidImage", "The provided image content is invalid.");
		return;
	}
	answer_thumbnail(call, id, &media);
}
