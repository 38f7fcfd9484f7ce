/* SPDX-License-Identifier: Apache-2.0
 * Videos, reels and stories of Facebook Pages as the sandbox plays them, and rupload.facebook.com,
 * which takes the bytes of reels, video stories and of Instagram's resumable containers
 * (platforms/meta.md 3.1 to 3.3, 4.1). */
#include "graph_private.h"

#include "arena.h"
#include "str.h"

#include "json_write.h"

#define CHUNK_BYTES INT64_C(1048576)        /* 3.1: what start and transfer ask for next */
#define VIDEO_MAX_BYTES (INT64_C(10) << 30) /* 5 */
#define PROCESSING_POLLS 3                  /* 10: video 3+ */
#define PROCESSING_MAX_US (60 * US_PER_S)
#define FETCH_AGENT "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)"

static const struct graph_error bad_phase = {400, 100, 0, "(#100) upload_phase is invalid"};
static const struct graph_error bad_size = {400, 100, 0,
					    "(#100) file_size must be a positive number"};
static const struct graph_error bad_offset = {400,
					      6001,
					      1363037,
					      "There was a problem uploading your video file.",
					      "Upload problem",
					      "The chunk does not begin where the last one ended."};
static const struct graph_error bad_video = {
	400,
	6000,
	1363024,
	"There was a problem uploading your video file.",
	"Invalid format",
	"The video file you selected is in a format that we do not support."};
static const struct graph_error bad_url = {400, 389, 0,
					   "(#389) Unable to fetch video file from URL."};
static const struct graph_error no_file = {400, 100, 0, "(#100) No video file was given"};
static const struct graph_error no_upload = {400,
					     6000,
					     1363130,
					     "There was a problem uploading your video file.",
					     "Upload incomplete",
					     "The video was not uploaded."};
static const struct graph_error no_video = {400, 100, 33,
					    "Unsupported post request. Object does not exist"};
static const struct graph_error used_photo = {400,
					      100,
					      1366051,
					      "(#100) Invalid parameter",
					      "Already posted",
					      "These photos were already posted."};

static bool is_video(const struct sandbox_media *media)
{
	return media->sniff.is_video;
}

static bool is_story(const struct graph_video *video)
{
	return strcmp(video->edge, "video_stories") == 0;
}

static struct graph_video *video_new(struct sandbox_call *call, const struct graph_page *page,
				     const char *edge)
{
	struct graph_video *video = sandbox_keep(call->sandbox, sizeof(*video));
	struct str path;

	*video = (struct graph_video){
		.node = {GRAPH_VIDEO, sandbox_id_decimal(call->sandbox, "13", 17), page},
		.edge = edge,
		.created_us = call->now_us,
	};
	path = str_format(call->arena, "%s/" STR_FMT,
			  strcmp(edge, "videos") == 0 ? "watch" : "reel", STR_ARG(video->node.id));
	video->permalink =
		sandbox_keep_str(call->sandbox, graph_permalink(call, "www.facebook.com", path));
	graph_node_add(call->sandbox, &video->node);
	return video;
}

static struct graph_video *video_find(struct sandbox_call *call, const struct graph_page *page,
				      struct str id)
{
	struct graph_node *node = graph_node_find(call->sandbox, id);

	return node != NULL && node->kind == GRAPH_VIDEO && node->page == page
		       ? (struct graph_video *)node
		       : NULL;
}

/* The world sees it from here on. A story is known by its post id, the others by the video's. */
static void video_publish(struct sandbox_call *call, struct graph_video *video)
{
	static const struct {
		const char *edge;
		const char *type;
	} types[] = {{"videos", "video"}, {"video_reels", "reel"}, {"video_stories", "story"}};
	const char *type = "video";

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (strcmp(types[i].edge, video->edge) == 0)
			type = types[i].type;
	}
	video->is_published = true;
	video->post_id = sandbox_id_decimal(call->sandbox, "12", 16);
	video->description = sandbox_keep_str(call->sandbox, sandbox_param(call, "description"));
	video->title = sandbox_keep_str(call->sandbox, sandbox_param(call, "title"));
	sandbox_ledger_add(call->sandbox,
			   &(struct sandbox_post){
				   .platform = SANDBOX_FACEBOOK,
				   .account_id = video->node.page->id,
				   .id = is_story(video) ? video->post_id : video->node.id,
				   .type = str_of(type),
				   .text = is_story(video) ? (struct str){0} : video->description,
				   .title = video->title,
				   .media = &video->media,
				   .media_count = 1,
				   .url = video->permalink,
			   });
	if (is_story(video))
		sandbox_object_put(call->sandbox, SANDBOX_FACEBOOK, "story_media", video->post_id,
				   &video->node);
}

/* ---- /videos: by URL, in one body, or in chunks (3.1) ---- */

static void answer_offsets(struct sandbox_call *call, const struct graph_video *video,
			   int64_t received, bool is_start)
{
	int64_t end = received + CHUNK_BYTES < video->file_size_bytes ? received + CHUNK_BYTES
								      : video->file_size_bytes;
	struct json_writer w;

	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	if (is_start) {
		json_member_str(&w, "video_id", video->node.id);
		json_member_str(&w, "upload_session_id", video->node.id);
	}
	json_member_str(&w, "start_offset", str_format(call->arena, "%lld", (long long)received));
	json_member_str(&w, "end_offset", str_format(call->arena, "%lld", (long long)end));
	json_end_object(&w);
}

static void chunk_start(struct sandbox_call *call, const struct graph_page *page)
{
	int64_t size = sandbox_param_int(call, "file_size", 0);

	if (size <= 0 || size > VIDEO_MAX_BYTES) {
		graph_fail(call, &bad_size);
		return;
	}
	struct graph_video *video = video_new(call, page, "videos");
	video->file_size_bytes = size;
	if (sandbox_upload_new(call->sandbox, SANDBOX_FACEBOOK, video->node.id, size) == NULL)
		graph_fail(call, &no_upload);
	else
		answer_offsets(call, video, 0, true);
}

static void chunk_transfer(struct sandbox_call *call, const struct graph_page *page)
{
	struct graph_video *video =
		video_find(call, page, sandbox_param(call, "upload_session_id"));
	const struct sandbox_part *part = sandbox_part(call, "video_file_chunk");
	int64_t offset = sandbox_param_int(call, "start_offset", -1);
	struct sandbox_upload *upload =
		video != NULL ? sandbox_upload_find(call->sandbox, SANDBOX_FACEBOOK, video->node.id)
			      : NULL;

	if (upload == NULL || part == NULL) {
		graph_fail(call, upload == NULL ? &no_video : &no_file);
		return;
	}
	if (offset != upload->received_bytes ||
	    offset + (int64_t)part->bytes.len > video->file_size_bytes ||
	    !sandbox_upload_write(call->sandbox, upload, offset, part->bytes)) {
		graph_fail(call, &bad_offset);
		return;
	}
	answer_offsets(call, video, upload->received_bytes, false);
}

/* All bytes are there: look at them. NULL with the answer given when they are not, or the sandbox
 * was reset meanwhile. */
static struct graph_video *video_complete(struct sandbox_call *call, const struct graph_page *page,
					  struct str id)
{
	struct sandbox_upload *upload = sandbox_upload_find(call->sandbox, SANDBOX_FACEBOOK, id);
	struct graph_video *video = video_find(call, page, id);
	struct sandbox_media media;

	if (video != NULL && video->is_uploaded)
		return video;
	if (video == NULL || upload == NULL || upload->received_bytes != video->file_size_bytes ||
	    !sandbox_upload_look(call, SANDBOX_FACEBOOK, id, &media) ||
	    (video = video_find(call, page, id)) == NULL) {
		graph_fail(call, &no_upload);
		return NULL;
	}
	sandbox_upload_discard(call->sandbox,
			       sandbox_upload_find(call->sandbox, SANDBOX_FACEBOOK, id));
	video->media = media;
	video->is_uploaded = true;
	video->is_bad = !is_video(&media);
	return video;
}

static void chunk_finish(struct sandbox_call *call, const struct graph_page *page)
{
	struct str id = str_copy(call->arena, sandbox_param(call, "upload_session_id"));
	struct graph_video *video = video_complete(call, page, id);

	if (video == NULL)
		return;
	if (video->is_bad) {
		graph_fail(call, &bad_video);
		return;
	}
	if (!video->is_published)
		video_publish(call, video);
	graph_answer_success(call);
}

static bool read_whole(struct sandbox_call *call, struct sandbox_media *media)
{
	struct str url = sandbox_param(call, "file_url");
	const struct sandbox_part *part = sandbox_part_file(call);
	struct sandbox_pull_config config = {
		.url = url, .user_agent = FETCH_AGENT, .follow_redirects = true};

	if (url.len == 0 && part == NULL) {
		graph_fail(call, &no_file);
		return false;
	}
	if (url.len > 0 && sandbox_media_pull(call, &config, media, NULL) != SANDBOX_PULL_OK) {
		graph_fail(call, &bad_url);
		return false;
	}
	if (url.len == 0)
		sandbox_media_look(call, part->bytes, media);
	if (is_video(media))
		return true;
	graph_fail(call, &bad_video);
	return false;
}

static void post_whole(struct sandbox_call *call, const struct graph_page *page)
{
	struct sandbox_media media;

	if (!read_whole(call, &media) || graph_page_token(call, page, "pages_manage_posts") == NULL)
		return;
	struct graph_video *video = video_new(call, page, "videos");
	video->media = media;
	video->is_uploaded = true;
	video_publish(call, video);
	graph_answer_id(call, video->node.id);
}

static void post_videos(struct sandbox_call *call, struct graph_node *node)
{
	struct str phase = sandbox_param(call, "upload_phase");

	if (graph_page_token(call, node->page, "pages_manage_posts") == NULL)
		return;
	if (phase.len == 0)
		post_whole(call, node->page);
	else if (str_equal_z(phase, "start"))
		chunk_start(call, node->page);
	else if (str_equal_z(phase, "transfer"))
		chunk_transfer(call, node->page);
	else if (str_equal_z(phase, "finish"))
		chunk_finish(call, node->page);
	else if (str_equal_z(phase, "cancel"))
		graph_answer_success(call);
	else
		graph_fail(call, &bad_phase);
}

/* ---- Reels and video stories (3.2, 3.3) ---- */

static void session_start(struct sandbox_call *call, const struct graph_page *page,
			  const char *edge)
{
	struct graph_video *video = video_new(call, page, edge);
	struct str version = graph_version(call);
	struct json_writer w;

	if (sandbox_upload_new(call->sandbox, SANDBOX_FACEBOOK, video->node.id, -1) == NULL) {
		graph_fail(call, &no_upload);
		return;
	}
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_member_str(&w, "video_id", video->node.id);
	json_member_str(&w, "upload_url",
			sandbox_url(call, "rupload.facebook.com",
				    str_format(call->arena, "/video-upload/" STR_FMT "/" STR_FMT,
					       STR_ARG(version.len > 0 ? version : STR("v25.0")),
					       STR_ARG(video->node.id))));
	json_end_object(&w);
}

static void session_finish(struct sandbox_call *call, const struct graph_page *page)
{
	struct graph_video *video = video_find(call, page, sandbox_param(call, "video_id"));
	struct json_writer w;

	if (video == NULL || !video->is_uploaded || video->is_bad) {
		graph_fail(call, video == NULL   ? &no_video
				 : video->is_bad ? &bad_video
						 : &no_upload);
		return;
	}
	if (!video->is_published)
		video_publish(call, video);
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_member_bool(&w, "success", true);
	if (is_story(video)) {
		json_key(
			&w,
			"post_id"); /* a number here, text elsewhere: both are seen in life (3.3) */
		json_put_raw(&w, video->post_id);
	}
	json_end_object(&w);
}

static void post_session(struct sandbox_call *call, const struct graph_page *page, const char *edge)
{
	struct str phase = sandbox_param(call, "upload_phase");

	if (graph_page_token(call, page, "pages_manage_posts") == NULL)
		return;
	if (str_equal_z(phase, "start"))
		session_start(call, page, edge);
	else if (str_equal_z(phase, "finish"))
		session_finish(call, page);
	else
		graph_fail(call, &bad_phase);
}

static void post_reels(struct sandbox_call *call, struct graph_node *node)
{
	post_session(call, node->page, "video_reels");
}

static void post_video_stories(struct sandbox_call *call, struct graph_node *node)
{
	post_session(call, node->page, "video_stories");
}

/* ---- rupload ---- */

static void rupload_fail(struct sandbox_call *call, const char *type, const char *message)
{
	struct json_writer w;

	sandbox_answer(call, 400, &w);
	json_begin_object(&w);
	json_key(&w, "debug_info");
	json_begin_object(&w);
	json_member_bool(&w, "retriable", false);
	json_member_str(&w, "type", str_of(type));
	json_member_str(&w, "message", str_of(message));
	json_end_object(&w);
	json_end_object(&w);
}

static bool waits_for_bytes(const struct graph_node *node)
{
	if (node->kind == GRAPH_VIDEO)
		return !((const struct graph_video *)node)->is_uploaded;
	return node->kind == GRAPH_CONTAINER && instagram_container_waits(node);
}

static struct graph_node *rupload_target(struct sandbox_call *call)
{
	struct graph_node *node = graph_node_find(call->sandbox, sandbox_capture(call, "id"));

	if (node != NULL && waits_for_bytes(node))
		return node;
	rupload_fail(call, "ProcessingFailedError", "There is no such upload session.");
	return NULL;
}

static void rupload_fill(struct sandbox_call *call, const struct sandbox_media *media)
{
	struct graph_node *node = rupload_target(call);

	if (node == NULL)
		return;
	if (node->kind == GRAPH_CONTAINER) {
		instagram_container_fill(node, media);
	} else {
		struct graph_video *video = (struct graph_video *)node;

		video->media = *media;
		video->is_uploaded = true;
		video->is_bad = !is_video(media);
	}
	sandbox_answer_json(call, 200, "{\"success\":true,\"message\":\"Upload successful.\"}");
}

static void rupload_url(struct sandbox_call *call, struct str url)
{
	struct sandbox_pull_config config = {
		.url = url, .user_agent = FETCH_AGENT, .follow_redirects = true};
	struct sandbox_media media;

	if (sandbox_media_pull(call, &config, &media, NULL) != SANDBOX_PULL_OK)
		rupload_fail(call, "ProcessingFailedError",
			     "The file could not be fetched from file_url.");
	else
		rupload_fill(call, &media);
}

/* Resumable: each call goes on at offset, which must be where the last one ended. */
static void rupload_bytes(struct sandbox_call *call, const struct graph_node *node)
{
	struct str id = node->id;
	struct sandbox_upload *upload = sandbox_upload_find(call->sandbox, SANDBOX_FACEBOOK, id);
	struct sandbox_media media;
	int64_t offset;
	int64_t size;

	if (!str_parse_i64(sandbox_header(call, "offset"), &offset) ||
	    !str_parse_i64(sandbox_header(call, "file_size"), &size) || size <= 0) {
		rupload_fail(call, "ParameterValidationError",
			     "Header Offset or file_size is missing.");
		return;
	}
	if (upload == NULL)
		upload = sandbox_upload_new(call->sandbox, SANDBOX_FACEBOOK, id, size);
	if (upload == NULL || offset != upload->received_bytes ||
	    offset + (int64_t)call->body.len > size ||
	    !sandbox_upload_write(call->sandbox, upload, offset, call->body)) {
		rupload_fail(call, "OffsetInvalidError",
			     "The offset is not where the last part ended.");
		return;
	}
	if (upload->received_bytes < size) {
		rupload_fail(call, "PartialRequestError", "More bytes are expected.");
		return;
	}
	if (sandbox_upload_look(call, SANDBOX_FACEBOOK, sandbox_capture(call, "id"), &media)) {
		sandbox_upload_discard(call->sandbox,
				       sandbox_upload_find(call->sandbox, SANDBOX_FACEBOOK,
							   sandbox_capture(call, "id")));
		rupload_fill(call, &media);
	} else {
		rupload_fail(call, "ProcessingFailedError", "The upload is gone.");
	}
}

void graph_rupload(struct sandbox_call *call)
{
	const struct sandbox_token *token =
		graph_token_find(call->sandbox, sandbox_authorization(call, "OAuth"));
	const struct graph_node *node = rupload_target(call);
	struct str url = sandbox_header(call, "file_url");

	if (node == NULL)
		return;
	if (token == NULL || !sandbox_token_is_live(call->sandbox, token)) {
		graph_fail_token(call, 463, "Error validating access token: Session has expired.");
		return;
	}
	if (url.len > 0)
		rupload_url(call, url);
	else
		rupload_bytes(call, node);
}

/* ---- Reading videos (3.2) ---- */

static bool is_processed(const struct graph_video *video, int64_t now_us)
{
	return video->polls >= PROCESSING_POLLS || now_us - video->created_us > PROCESSING_MAX_US;
}

static const char *video_status(const struct graph_video *video, int64_t now_us)
{
	if (!video->is_uploaded)
		return "uploading";
	if (!is_processed(video, now_us))
		return "processing";
	return video->is_bad ? "error" : "ready";
}

static void write_phase(struct json_writer *w, const char *name, const char *status)
{
	json_key(w, name);
	json_begin_object(w);
	json_member_str(w, "status", str_of(status));
}

static void write_status(struct sandbox_call *call, struct json_writer *w,
			 struct graph_video *video)
{
	const struct sandbox_upload *upload =
		sandbox_upload_find(call->sandbox, SANDBOX_FACEBOOK, video->node.id);
	const char *status = video_status(video, call->now_us);
	bool is_ready = strcmp(status, "ready") == 0;
	int64_t received = video->is_uploaded ? video->media.size_bytes
			   : upload != NULL   ? upload->received_bytes
					      : 0;

	video->polls += video->is_uploaded ? 1 : 0;
	json_key(w, "status");
	json_begin_object(w);
	json_member_str(w, "video_status", str_of(status));
	write_phase(w, "uploading_phase", video->is_uploaded ? "complete" : "in_progress");
	json_member_int(w, "bytes_transfered", received); /* spelt so (3.2) */
	json_end_object(w);
	write_phase(w, "processing_phase",
		    is_ready             ? "complete"
		    : video->is_bad      ? "error"
		    : video->is_uploaded ? "in_progress"
					 : "not_started");
	if (video->is_bad) {
		json_key(w, "error");
		json_begin_object(w);
		json_member_str(w, "message", str_of(bad_video.user_message));
		json_end_object(w);
	}
	json_end_object(w);
	write_phase(w, "publishing_phase",
		    video->is_published && is_ready ? "complete" : "not_started");
	if (video->is_published && is_ready)
		json_member_str(w, "publish_status", STR("published"));
	json_end_object(w);
	json_end_object(w);
}

static void get_video(struct sandbox_call *call, struct graph_node *node)
{
	struct graph_video *video = (struct graph_video *)node;
	struct json_writer w;

	if (graph_page_reader(call, node->page, "pages_read_engagement") == NULL)
		return;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	if (graph_wants(call, "status", false))
		write_status(call, &w, video);
	if (graph_wants(call, "published", false))
		json_member_bool(&w, "published", video->is_published);
	if (video->is_published && graph_wants(call, "post_id", false))
		json_member_str(&w, "post_id", video->post_id);
	if (graph_wants(call, "permalink_url", false))
		json_member_str(&w, "permalink_url", video->permalink);
	if (graph_wants(call, "description", false))
		json_member_str(&w, "description", video->description);
	json_member_str(&w, "id", node->id);
	json_end_object(&w);
}

static void post_thumbnail(struct sandbox_call *call, struct graph_node *node)
{
	if (graph_page_token(call, node->page, "pages_manage_posts") == NULL)
		return;
	if (sandbox_part_file(call) == NULL)
		graph_fail(call, &no_file);
	else
		graph_answer_success(call);
}

/* ---- Photo stories, and the list of stories (3.3) ---- */

static void post_photo_story(struct sandbox_call *call, struct graph_node *node)
{
	struct graph_photo *photo =
		facebook_photo_find(call, node->page, sandbox_param(call, "photo_id"));
	struct json_writer w;

	if (graph_page_token(call, node->page, "pages_manage_posts") == NULL)
		return;
	if (photo == NULL || photo->is_published || photo->is_used) {
		graph_fail(call, photo == NULL ? &no_video : &used_photo);
		return;
	}
	struct str id = sandbox_id_decimal(call->sandbox, "12", 16);
	photo->is_used = true;
	sandbox_ledger_add(call->sandbox,
			   &(struct sandbox_post){
				   .platform = SANDBOX_FACEBOOK,
				   .account_id = node->page->id,
				   .id = id,
				   .type = STR("story"),
				   .media = &photo->media,
				   .media_count = 1,
				   .url = graph_permalink(call, "www.facebook.com", id),
			   });
	sandbox_object_put(call->sandbox, SANDBOX_FACEBOOK, "story_media", id, &photo->node);
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_member_bool(&w, "success", true);
	json_member_str(&w, "post_id", id);
	json_end_object(&w);
}

static void write_story(struct sandbox_call *call, struct json_writer *w,
			const struct sandbox_post *post)
{
	const struct graph_node *media =
		sandbox_object_get(call->sandbox, SANDBOX_FACEBOOK, "story_media", post->id);
	bool is_moving = post->media_count > 0 && post->media[0].sniff.is_video;

	json_begin_object(w);
	json_member_str(w, "post_id", post->id);
	json_member_str(w, "status", STR("PUBLISHED"));
	json_member_str(w, "creation_time",
			str_format(call->arena, "%lld", (long long)(post->created_us / US_PER_S)));
	json_member_str(w, "media_type", is_moving ? STR("video") : STR("photo"));
	json_member_str(w, "media_id", media != NULL ? media->id : STR(""));
	json_member_str(w, "url", post->url);
	json_end_object(w);
}

static void get_stories(struct sandbox_call *call, struct graph_node *node)
{
	int64_t since_us = graph_time_param(call, "since", 0);
	struct json_writer w;
	unsigned shown = 0;

	if (graph_page_reader(call, node->page, "pages_read_engagement") == NULL)
		return;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_array(&w);
	for (const struct sandbox_post *post =
		     sandbox_ledger_newest(call->sandbox, SANDBOX_FACEBOOK, node->page->id);
	     post != NULL && shown < 100; post = post->older) {
		if (post->is_deleted || !str_equal_z(post->type, "story") ||
		    post->created_us < since_us)
			continue;
		write_story(call, &w, post);
		shown++;
	}
	json_end_array(&w);
	json_end_object(&w);
}

const struct graph_edge facebook_video_edges[] = {
	{"POST", GRAPH_PAGE, "videos", post_videos},
	{"POST", GRAPH_PAGE, "video_reels", post_reels},
	{"POST", GRAPH_PAGE, "video_stories", post_video_stories},
	{"POST", GRAPH_PAGE, "photo_stories", post_photo_story},
	{"GET", GRAPH_PAGE, "stories", get_stories},
	{"GET", GRAPH_VIDEO, "", get_video},
	{"POST", GRAPH_VIDEO, "thumbnails", post_thumbnail},
};
const size_t facebook_video_edge_count =
	sizeof(facebook_video_edges) / sizeof(facebook_video_edges[0]);
