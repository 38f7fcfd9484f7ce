/* SPDX-License-Identifier: Apache-2.0
 * Videos of simulated Facebook Pages: what all kinds share, uploads in chunks, and reading
 * (meta.md 3.1, 3.2). Reels and stories are in sandbox_facebook_reels.c. */
#include "sandbox_graph.h"

#include "arena.h"
#include "count_of.h"
#include "str.h"

#include "json_write.h"

#define CHUNK_BYTES INT64_C(1048576)        /* 3.1: what start and transfer ask for next */
#define VIDEO_MAX_BYTES (INT64_C(10) << 30) /* 5 */
#define PROCESSING_POLLS 3                  /* 10: video 3+ */
#define PROCESSING_MAX_US (60 * US_PER_S)

const struct graph_error sandbox_facebook_bad_phase = {400, 100, 0,
						       "(#100) upload_phase is invalid"};
static const struct graph_error bad_size = {400, 100, 0,
					    "(#100) file_size must be a positive number"};
const struct graph_error sandbox_facebook_bad_video = {
	400,
	6000,
	1363024,
	"There was a problem uploading your video file.",
	"Invalid format",
	"The video file you selected is in a format that we do not support."};
static const struct graph_error bad_url = {400, 389, 0,
					   "(#389) Unable to fetch video file from URL."};
static const struct graph_error url_with_phase = {
	400, 100, 0, "(#100) file_url cannot be combined with upload_phase"};
static const struct graph_error bad_cover = {400, 324, 2069019,
					     "(#324) Missing or invalid image file"};
static const struct graph_error no_file = {400, 100, 0, "(#100) No video file was given"};
const struct graph_error sandbox_facebook_no_upload = {
	400,
	6000,
	1363130,
	"There was a problem uploading your video file.",
	"Upload incomplete",
	"The video was not uploaded."};
const struct graph_error sandbox_facebook_no_video = {
	400, 100, 33, "Unsupported post request. Object does not exist"};

bool sandbox_facebook_is_video(const struct sandbox_media *media)
{
	return media->sniff.is_video;
}

bool sandbox_facebook_is_story(const struct graph_video *video)
{
	return strcmp(video->edge, "video_stories") == 0;
}

struct graph_video *sandbox_facebook_video_new(struct sandbox_call *call,
					       const struct graph_page *page, const char *edge)
{
	struct graph_video *video = sandbox_keep(call->sandbox, sizeof(*video));
	*video = (struct graph_video){
		.node = {GRAPH_VIDEO, sandbox_id_decimal(call->sandbox, "13", 17), page},
		.edge = edge,
		.created_us = call->now_us,
	};
	const struct str path =
		str_format(call->arena, "%s/" STR_FMT,
			   strcmp(edge, "videos") == 0 ? "watch" : "reel", STR_ARG(video->node.id));
	video->permalink = sandbox_keep_str(
		call->sandbox, sandbox_graph_permalink(call, "www.facebook.com", path));
	sandbox_graph_node_add(call->sandbox, &video->node);
	return video;
}

struct graph_video *sandbox_facebook_video_find(struct sandbox_call *call,
						const struct graph_page *page, struct str id)
{
	struct graph_node *node = sandbox_graph_node_find(call->sandbox, id);
	return node != NULL && node->kind == GRAPH_VIDEO && node->page == page
		       ? (struct graph_video *)node
		       : NULL;
}

/* The video becomes visible. A story is known by its post id, others by the video id. */
/* 3.1: an upright one on /videos is kept for the Page to share as a reel. */
static bool is_kept_as_draft(struct sandbox_call *call, const struct graph_video *video)
{
	const struct sniff *sniff = &video->media.sniff;
	return strcmp(video->edge, "videos") == 0 && sniff->width < sniff->height &&
	       sandbox_knob(call->sandbox, SANDBOX_KNOB_facebook_upright_draft) != 0;
}

void sandbox_facebook_video_publish(struct sandbox_call *call, struct graph_video *video)
{
	static const struct {
		const char *edge;
		const char *type;
	} types[] = {{"videos", "video"}, {"video_reels", "reel"}, {"video_stories", "story"}};
	const char *type = "video";
	for (size_t i = 0; i < COUNT_OF(types); i++) {
		if (strcmp(types[i].edge, video->edge) == 0)
			type = types[i].type;
	}
	video->description = sandbox_keep_str(call->sandbox, sandbox_param(call, "description"));
	video->title = sandbox_keep_str(call->sandbox, sandbox_param(call, "title"));
	if (str_equal_nocase(sandbox_param(call, "video_state"), STR("draft")) ||
	    is_kept_as_draft(call, video)) {
		video->is_draft = true;
		return;
	}
	video->is_draft = false;
	video->is_published = true;
	video->post_id = sandbox_id_decimal(call->sandbox, "12", 16);
	sandbox_ledger_add(
		call->sandbox,
		&(struct sandbox_post){
			.platform = SANDBOX_FACEBOOK,
			.account_id = video->node.page->id,
			.id = sandbox_facebook_is_story(video) ? video->post_id : video->node.id,
			.type = str_of(type),
			.text = sandbox_facebook_is_story(video) ? (struct str){0}
								 : video->description,
			.title = video->title,
			.media = &video->media,
			.media_count = 1,
			.url = video->permalink,
		});
	if (sandbox_facebook_is_story(video))
		sandbox_object_put(call->sandbox, SANDBOX_FACEBOOK, "story_media", video->post_id,
				   &video->node);
}

/* ---- /videos: by URL, in one body, or in chunks (3.1) ---- */

static int64_t chunk_end(const struct graph_video *video, int64_t received)
{
	return received + CHUNK_BYTES < video->file_size_bytes ? received + CHUNK_BYTES
							       : video->file_size_bytes;
}

static void answer_offsets(struct sandbox_call *call, const struct graph_video *video,
			   int64_t received, bool is_start)
{
	const int64_t end = chunk_end(video, received);
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

/* The chunk does not start where the last one ended; the error carries the right offsets (6001). */
static void fail_offset(struct sandbox_call *call, const struct graph_video *video,
			int64_t received)
{
	struct json_writer w;
	sandbox_answer(call, 400, &w);
	json_begin_object(&w);
	json_key(&w, "error");
	json_begin_object(&w);
	json_member_str(&w, "message", STR("There was a problem uploading your video file."));
	json_member_str(&w, "type", STR("OAuthException"));
	json_member_int(&w, "code", 6001);
	json_key(&w, "error_data");
	json_begin_object(&w);
	json_member_int(&w, "start_offset", received);
	json_member_int(&w, "end_offset", chunk_end(video, received));
	json_end_object(&w);
	json_member_int(&w, "error_subcode", 1363037);
	json_member_bool(&w, "is_transient", false);
	json_member_str(&w, "error_user_title", STR("Upload problem"));
	json_member_str(&w, "error_user_msg", STR("Please try to upload the video again."));
	json_member_str(&w, "fbtrace_id", sandbox_id_text(call->sandbox, "A", 22));
	json_end_object(&w);
	json_end_object(&w);
}

static void chunk_start(struct sandbox_call *call, const struct graph_page *page)
{
	const int64_t size = sandbox_param_int(call, "file_size", 0);
	if (size <= 0 || size > VIDEO_MAX_BYTES) {
		sandbox_graph_fail(call, &bad_size);
		return;
	}
	struct graph_video *video = sandbox_facebook_video_new(call, page, "videos");
	video->file_size_bytes = size;
	if (sandbox_upload_new(call->sandbox, SANDBOX_FACEBOOK, video->node.id, size) == NULL)
		sandbox_graph_fail(call, &sandbox_facebook_no_upload);
	else
		answer_offsets(call, video, 0, true);
}

static void chunk_transfer(struct sandbox_call *call, const struct graph_page *page)
{
	struct graph_video *video =
		sandbox_facebook_video_find(call, page, sandbox_param(call, "upload_session_id"));
	const struct sandbox_part *part = sandbox_part(call, "video_file_chunk");
	const int64_t offset = sandbox_param_int(call, "start_offset", -1);
	struct sandbox_upload *upload =
		video != NULL ? sandbox_upload_find(call->sandbox, SANDBOX_FACEBOOK, video->node.id)
			      : NULL;
	if (upload == NULL || part == NULL) {
		sandbox_graph_fail(call, upload == NULL ? &sandbox_facebook_no_video : &no_file);
		return;
	}
	if (offset != upload->received_bytes ||
	    offset + (int64_t)part->bytes.len > video->file_size_bytes ||
	    !sandbox_upload_write(call->sandbox, upload, offset, part->bytes)) {
		fail_offset(call, video, upload->received_bytes);
		return;
	}
	answer_offsets(call, video, upload->received_bytes, false);
}

/* Examines the complete file. NULL = it is incomplete or a reset came between, and the call has
 * been answered. */
static struct graph_video *video_complete(struct sandbox_call *call, const struct graph_page *page,
					  struct str id)
{
	struct sandbox_upload *upload = sandbox_upload_find(call->sandbox, SANDBOX_FACEBOOK, id);
	struct graph_video *video = sandbox_facebook_video_find(call, page, id);
	if (video != NULL && video->is_uploaded)
		return video;
	struct sandbox_media media;
	if (video == NULL || upload == NULL || upload->received_bytes != video->file_size_bytes ||
	    !sandbox_upload_look(call, SANDBOX_FACEBOOK, id, &media) ||
	    (video = sandbox_facebook_video_find(call, page, id)) == NULL) {
		sandbox_graph_fail(call, &sandbox_facebook_no_upload);
		return NULL;
	}
	sandbox_upload_discard(call->sandbox,
			       sandbox_upload_find(call->sandbox, SANDBOX_FACEBOOK, id));
	video->media = media;
	video->is_uploaded = true;
	video->is_bad = !sandbox_facebook_is_video(&media);
	return video;
}

static void chunk_finish(struct sandbox_call *call, const struct graph_page *page)
{
	const struct str id = str_copy(call->arena, sandbox_param(call, "upload_session_id"));
	struct graph_video *video = video_complete(call, page, id);
	if (video == NULL)
		return;
	if (video->is_bad) {
		sandbox_graph_fail(call, &sandbox_facebook_bad_video);
		return;
	}
	if (!video->is_published)
		sandbox_facebook_video_publish(call, video);
	sandbox_graph_answer_success(call);
}

/* Both spellings are seen: the guides write "start", the SDKs "START". */
bool sandbox_facebook_is_phase(struct sandbox_call *call, const char *phase)
{
	return str_equal_nocase(sandbox_param(call, "upload_phase"), str_of(phase));
}

static bool read_whole(struct sandbox_call *call, struct sandbox_media *media)
{
	const struct str url = sandbox_param(call, "file_url");
	const struct sandbox_part *part = sandbox_part_file(call);
	const struct sandbox_pull_config config = {
		.url = url, .user_agent = GRAPH_FETCH_AGENT, .follow_redirects = true};
	if (url.len == 0 && part == NULL) {
		sandbox_graph_fail(call, &no_file);
		return false;
	}
	if (url.len > 0 && sandbox_media_pull(call, &config, media, NULL) != SANDBOX_PULL_OK) {
		sandbox_graph_fail(call, &bad_url);
		return false;
	}
	if (url.len == 0)
		sandbox_media_look(call, part->bytes, media);
	if (sandbox_facebook_is_video(media))
		return true;
	sandbox_graph_fail(call, &sandbox_facebook_bad_video);
	return false;
}

static void post_whole(struct sandbox_call *call, const struct graph_page *page)
{
	struct sandbox_media media;
	if (!read_whole(call, &media) ||
	    sandbox_graph_page_token(call, page, "pages_manage_posts") == NULL)
		return;
	struct graph_video *video = sandbox_facebook_video_new(call, page, "videos");
	video->media = media;
	video->is_uploaded = true;
	sandbox_facebook_video_publish(call, video);
	sandbox_graph_answer_id(call, video->node.id);
}

static void post_videos(struct sandbox_call *call, struct graph_node *node)
{
	const bool has_phase = sandbox_param(call, "upload_phase").len > 0;
	if (sandbox_graph_page_token(call, node->page, "pages_manage_posts") == NULL)
		return;
	if (!has_phase)
		post_whole(call, node->page);
	else if (sandbox_param(call, "file_url").len > 0)
		sandbox_graph_fail(call, &url_with_phase);
	else if (sandbox_facebook_is_phase(call, "start"))
		chunk_start(call, node->page);
	else if (sandbox_facebook_is_phase(call, "transfer"))
		chunk_transfer(call, node->page);
	else if (sandbox_facebook_is_phase(call, "finish"))
		chunk_finish(call, node->page);
	else if (sandbox_facebook_is_phase(call, "cancel"))
		sandbox_graph_answer_success(call);
	else
		sandbox_graph_fail(call, &sandbox_facebook_bad_phase);
}

/* ---- reading videos (3.2) ---- */

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
	const bool is_ready = strcmp(status, "ready") == 0;
	const int64_t received = video->is_uploaded ? video->media.size_bytes
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
		json_member_str(w, "message", str_of(sandbox_facebook_bad_video.user_message));
		json_end_object(w);
	}
	json_end_object(w);
	const bool is_finished = video->is_published || video->is_draft;
	write_phase(w, "publishing_phase", is_finished && is_ready ? "complete" : "not_started");
	if (is_finished && is_ready)
		json_member_str(w, "publish_status",
				video->is_draft ? STR("draft") : STR("published"));
	json_end_object(w);
	json_end_object(w);
}

static void write_video(struct sandbox_call *call, struct json_writer *w, struct graph_video *video)
{
	json_begin_object(w);
	if (sandbox_graph_wants(call, "status", false))
		write_status(call, w, video);
	if (sandbox_graph_wants(call, "published", false))
		json_member_bool(w, "published", video->is_published);
	if (video->is_published && sandbox_graph_wants(call, "post_id", false))
		json_member_str(w, "post_id", video->post_id);
	if (sandbox_graph_wants(call, "permalink_url", false))
		json_member_str(w, "permalink_url", video->permalink);
	if (sandbox_graph_wants(call, "description", false))
		json_member_str(w, "description", video->description);
	if (sandbox_graph_wants(call, "created_time", false))
		sandbox_graph_member_time(w, call->arena, "created_time", video->created_us);
	if (sandbox_graph_wants(call, "from", false))
		sandbox_graph_member_page(w, "from", video->node.page);
	json_member_str(w, "id", video->node.id);
	json_end_object(w);
}

static void delete_video(struct sandbox_call *call, struct graph_node *node)
{
	if (sandbox_graph_page_token(call, node->page, "pages_manage_posts") == NULL)
		return;
	if (sandbox_facebook_is_story((const struct graph_video *)node)) {
		sandbox_graph_fail(call, &sandbox_graph_no_object);
		return;
	}
	sandbox_graph_node_delete(call, SANDBOX_FACEBOOK, node);
	sandbox_graph_answer_success(call);
}

static void get_video(struct sandbox_call *call, struct graph_node *node)
{
	if (sandbox_graph_page_reader(call, node->page, "pages_read_engagement") == NULL)
		return;
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	write_video(call, &w, (struct graph_video *)node);
}

/* The Page's published videos of that type, newest first. */
static void list_videos(struct sandbox_call *call, const struct graph_page *page, const char *type)
{
	const int64_t since_us = sandbox_graph_time_param(call, "since", 0);
	if (sandbox_graph_page_reader(call, page, "pages_read_engagement") == NULL)
		return;
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_array(&w);
	unsigned shown = 0;
	for (const struct sandbox_post *post =
		     sandbox_ledger_newest(call->sandbox, SANDBOX_FACEBOOK, page->id);
	     post != NULL && shown < 100; post = post->older) {
		struct graph_video *video = sandbox_facebook_video_find(call, page, post->id);
		if (post->deleted_us != 0 || video == NULL || !str_equal_z(post->type, type) ||
		    post->created_us < since_us)
			continue;
		write_video(call, &w, video);
		shown++;
	}
	json_end_array(&w);
	json_end_object(&w);
}

static void get_videos(struct sandbox_call *call, struct graph_node *node)
{
	list_videos(call, node->page, "video");
}

static void get_reels(struct sandbox_call *call, struct graph_node *node)
{
	list_videos(call, node->page, "reel");
}

static const struct graph_error no_page = {400, 100, 0,
					   "(#100) target_id must be the id of a Page"};
static const struct graph_error too_many_invitations = {
	400, 100, 0, "(#100) A reel can invite 10 collaborators at most within 24 hours"};

/* 3.2, step 5: one Page is invited by a call; 10 within a day. */
static void post_collaborator(struct sandbox_call *call, struct graph_node *node)
{
	struct graph_video *video = (struct graph_video *)node;
	const struct str target = sandbox_param(call, "target_id");
	int64_t id = 0;
	if (sandbox_graph_page_token(call, node->page, "pages_manage_posts") == NULL)
		return;
	if (strcmp(video->edge, "video_reels") != 0 || !str_parse_i64(target, &id) ||
	    str_equal(target, node->page->id)) {
		sandbox_graph_fail(call, &no_page);
		return;
	}
	if (video->collaborator_count == GRAPH_COLLABORATORS_MAX) {
		sandbox_graph_fail(call, &too_many_invitations);
		return;
	}
	video->collaborator_count++;
	sandbox_graph_answer_success(call);
}

static void post_thumbnail(struct sandbox_call *call, struct graph_node *node)
{
	const struct sandbox_part *part = sandbox_part_file(call);
	if (sandbox_graph_page_token(call, node->page, "pages_manage_posts") == NULL)
		return;
	if (part == NULL) {
		sandbox_graph_fail(call, &no_file);
		return;
	}
	struct sandbox_media media;
	sandbox_media_look(call, part->bytes, &media);
	if (sandbox_facebook_is_photo(&media, part->bytes))
		sandbox_graph_answer_success(call);
	else
		sandbox_graph_fail(call, &bad_cover);
}

const struct graph_edge sandbox_facebook_video_edges[] = {
	{"POST", GRAPH_PAGE, "videos", post_videos},
	{"GET", GRAPH_PAGE, "videos", get_videos},
	{"GET", GRAPH_PAGE, "video_reels", get_reels},
	{"GET", GRAPH_VIDEO, "", get_video},
	{"DELETE", GRAPH_VIDEO, "", delete_video},
	{"POST", GRAPH_VIDEO, "thumbnails", post_thumbnail},
	{"POST", GRAPH_VIDEO, "collaborators", post_collaborator},
};
const size_t sandbox_facebook_video_edge_count = COUNT_OF(sandbox_facebook_video_edges);
