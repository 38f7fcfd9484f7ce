/* SPDX-License-Identifier: Apache-2.0
 * Reels and stories of simulated Facebook Pages, and rupload.facebook.com, which receives reels,
 * video stories and Instagram's resumable containers (meta.md 3.2, 3.3, 4.1). */
#include "sandbox_graph.h"

#include "arena.h"
#include "count_of.h"
#include "str.h"

#include "json_write.h"
#include "url.h"

static const struct graph_error bad_ratio = {400,
					     100,
					     1363040,
					     "(#100) Invalid parameter",
					     "Unsupported aspect ratio",
					     "A reel is between 16:9 and 9:16."};
static const struct graph_error bad_resolution = {400,
						  100,
						  1363127,
						  "(#100) Invalid parameter",
						  "Resolution too low",
						  "A reel has at least 540 x 960 pixels."};
static const struct graph_error bad_duration = {
	400,
	100,
	1363128,
	"(#100) Invalid parameter",
	"Unsupported duration",
	"A reel lasts 3 to 90 seconds, a story at most 60."};

/* ---- reels and video stories (3.2, 3.3) ---- */

static void session_start(struct sandbox_call *call, const struct graph_page *page,
			  const char *edge)
{
	struct graph_video *video = sandbox_facebook_video_new(call, page, edge);
	const struct str version = sandbox_graph_version(call);
	if (sandbox_upload_new(call->sandbox, SANDBOX_FACEBOOK, video->node.id, -1) == NULL) {
		sandbox_graph_fail(call, &sandbox_facebook_no_upload);
		return;
	}
	struct json_writer w;
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

#define REEL_MIN_MS 3000
#define REEL_MAX_MS 90000  /* 5 */
#define STORY_MAX_MS 60000 /* 5 */
#define REEL_SIDE_MIN 540  /* 5: at least 540 x 960, or the other way round */

/* The reason why it is not a valid reel or story, or NULL. Facts that the file header lacks are
 * taken as valid. */
static const struct graph_error *reel_complaint(const struct graph_video *video)
{
	const struct sniff *sniff = &video->media.sniff;
	const int64_t longest_ms = sandbox_facebook_is_story(video) ? STORY_MAX_MS : REEL_MAX_MS;
	const uint64_t width = sniff->width;
	const uint64_t height = sniff->height;
	if (sniff->duration_ms > 0 &&
	    (sniff->duration_ms < REEL_MIN_MS || sniff->duration_ms > longest_ms))
		return &bad_duration;
	if (width == 0 || height == 0 || sandbox_facebook_is_story(video))
		return NULL;
	if (width * 1000 < height * 562 || width * 1000 > height * 1778)
		return &bad_ratio;
	return width < REEL_SIDE_MIN || height < REEL_SIDE_MIN ? &bad_resolution : NULL;
}

static void session_finish(struct sandbox_call *call, const struct graph_page *page)
{
	struct graph_video *video =
		sandbox_facebook_video_find(call, page, sandbox_param(call, "video_id"));
	if (video == NULL || !video->is_uploaded || video->is_bad) {
		sandbox_graph_fail(call, video == NULL   ? &sandbox_facebook_no_video
					 : video->is_bad ? &sandbox_facebook_bad_video
							 : &sandbox_facebook_no_upload);
		return;
	}
	if (reel_complaint(video) != NULL) {
		sandbox_graph_fail(call, reel_complaint(video));
		return;
	}
	if (!video->is_published)
		sandbox_facebook_video_publish(call, video);
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_member_bool(&w, "success", true);
	if (sandbox_facebook_is_story(video) && video->is_published) {
		json_key(
			&w,
			"post_id"); /* a number here, text elsewhere: both are seen in life (3.3) */
		json_put_raw(&w, video->post_id);
	}
	json_end_object(&w);
}

static void post_session(struct sandbox_call *call, const struct graph_page *page, const char *edge)
{
	if (sandbox_graph_page_token(call, page, "pages_manage_posts") == NULL)
		return;
	if (sandbox_facebook_is_phase(call, "start"))
		session_start(call, page, edge);
	else if (sandbox_facebook_is_phase(call, "finish"))
		session_finish(call, page);
	else
		sandbox_graph_fail(call, &sandbox_facebook_bad_phase);
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
	return node->kind == GRAPH_CONTAINER && sandbox_instagram_container_waits(node);
}

static struct graph_node *rupload_target(struct sandbox_call *call)
{
	struct graph_node *node =
		sandbox_graph_node_find(call->sandbox, sandbox_capture(call, "id"));
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
		sandbox_instagram_container_fill(node, media);
	} else {
		struct graph_video *video = (struct graph_video *)node;
		video->media = *media;
		video->is_uploaded = true;
		video->is_bad = !sandbox_facebook_is_video(media);
	}
	sandbox_answer_json(call, 200, "{\"success\":true,\"message\":\"Upload successful.\"}");
}

/* Applies one line of robots.txt. The longest rule that matches the path wins. */
struct robots {
	struct str path;
	bool is_ours;      /* the current group applies to us */
	bool is_in_agents; /* its User-agent lines are being read */
	size_t longest;
	bool is_allowed;
};

static void robots_line(struct robots *robots, struct str line)
{
	struct str value = str_trim(str_slice(line, 0, str_find_char(line, '#', 0)));
	struct str name;
	if (!str_take_until(&value, ':', &name))
		return;
	name = str_trim(name);
	value = str_trim(str_slice(value, 1, value.len));
	if (str_equal_nocase(name, STR("user-agent"))) {
		const bool is_named = str_equal_z(value, "*") ||
				      str_equal_nocase(value, STR("facebookexternalhit"));
		robots->is_ours = is_named || (robots->is_in_agents && robots->is_ours);
		robots->is_in_agents = true;
		return;
	}
	robots->is_in_agents = false;
	const bool is_allow = str_equal_nocase(name, STR("allow"));
	if (!robots->is_ours || (!is_allow && !str_equal_nocase(name, STR("disallow"))) ||
	    value.len == 0 || value.len < robots->longest || !str_has_prefix(robots->path, value))
		return;
	robots->longest = value.len;
	robots->is_allowed = is_allow;
}

/* The host's robots.txt must let facebookexternalhit in (1). LETS GO OF THE LOCK. */
static bool robots_let_in(struct sandbox_call *call, const struct url *url)
{
	const struct str origin = url_origin(call->arena, url);
	const struct sandbox_pull_config config = {
		.url = str_concat(call->arena, origin, STR("/robots.txt")),
		.user_agent = GRAPH_FETCH_AGENT,
		.max_bytes = 1 << 16,
		.follow_redirects = true};
	struct robots robots = {.path = url->path.len > 0 ? url->path : STR("/"),
				.is_allowed = true};
	struct sandbox_media media;
	if (sandbox_media_pull(call, &config, &media, NULL) != SANDBOX_PULL_OK)
		return true;
	struct str text = sandbox_media_bytes(call, &media);
	for (struct str line; str_take_field(&text, '\n', &line);)
		robots_line(&robots, line);
	return robots.is_allowed;
}

/* Facebook does not fetch from its own delivery network (1). */
static bool is_fetched(struct sandbox_call *call, struct str text)
{
	struct url url;
	if (url_parse(call->arena, text, &url, NULL) != ERR_NONE ||
	    str_has_suffix(url.host, STR(".fbcdn.net"))) {
		rupload_fail(call, "ProcessingFailedError", "This file_url cannot be used.");
		return false;
	}
	if (robots_let_in(call, &url))
		return true;
	rupload_fail(call, "ProcessingFailedError",
		     "The file_url is restricted by the robots.txt of its host.");
	return false;
}

static void rupload_url(struct sandbox_call *call, struct str url)
{
	const struct sandbox_pull_config config = {
		.url = url, .user_agent = GRAPH_FETCH_AGENT, .follow_redirects = true};
	if (!is_fetched(call, url))
		return;
	struct sandbox_media media;
	if (sandbox_media_pull(call, &config, &media, NULL) != SANDBOX_PULL_OK)
		rupload_fail(call, "ProcessingFailedError",
			     "The file could not be fetched from file_url.");
	else
		rupload_fill(call, &media);
}

/* Resumable: each call must continue at the offset where the last one ended. */
static void rupload_bytes(struct sandbox_call *call, const struct graph_node *node)
{
	const struct str id = node->id;
	struct sandbox_upload *upload = sandbox_upload_find(call->sandbox, SANDBOX_FACEBOOK, id);
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
	struct sandbox_media media;
	if (sandbox_upload_look(call, SANDBOX_FACEBOOK, sandbox_capture(call, "id"), &media)) {
		sandbox_upload_discard(call->sandbox,
				       sandbox_upload_find(call->sandbox, SANDBOX_FACEBOOK,
							   sandbox_capture(call, "id")));
		rupload_fill(call, &media);
	} else {
		rupload_fail(call, "ProcessingFailedError", "The upload is gone.");
	}
}

void sandbox_graph_rupload(struct sandbox_call *call)
{
	const struct sandbox_token *token =
		sandbox_graph_token_find(call->sandbox, sandbox_authorization(call, "OAuth"));
	const struct graph_node *node = rupload_target(call);
	const struct str url = sandbox_header(call, "file_url");
	if (node == NULL)
		return;
	if (token == NULL || !sandbox_token_is_live(call->sandbox, token)) {
		sandbox_graph_fail_token(call, 463,
					 "Error validating access token: Session has expired.");
		return;
	}
	if (url.len > 0)
		rupload_url(call, url);
	else
		rupload_bytes(call, node);
}

/* ---- photo stories, and the list of stories (3.3) ---- */

static void post_photo_story(struct sandbox_call *call, struct graph_node *node)
{
	struct graph_photo *photo =
		sandbox_facebook_photo_find(call, node->page, sandbox_param(call, "photo_id"));
	if (sandbox_graph_page_token(call, node->page, "pages_manage_posts") == NULL)
		return;
	if (photo == NULL || photo->is_published || photo->is_used) {
		sandbox_graph_fail(call, photo == NULL ? &sandbox_facebook_no_video
						       : &sandbox_facebook_used_photo);
		return;
	}
	const struct str id = sandbox_id_decimal(call->sandbox, "12", 16);
	photo->is_used = true;
	sandbox_ledger_add(call->sandbox,
			   &(struct sandbox_post){
				   .platform = SANDBOX_FACEBOOK,
				   .account_id = node->page->id,
				   .id = id,
				   .type = STR("story"),
				   .media = &photo->media,
				   .media_count = 1,
				   .url = sandbox_graph_permalink(call, "www.facebook.com", id),
			   });
	sandbox_object_put(call->sandbox, SANDBOX_FACEBOOK, "story_media", id, &photo->node);
	struct json_writer w;
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
	const bool is_moving = post->media_count > 0 && post->media[0].sniff.is_video;
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
	const int64_t since_us = sandbox_graph_time_param(call, "since", 0);
	if (sandbox_graph_page_reader(call, node->page, "pages_read_engagement") == NULL)
		return;
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_array(&w);
	unsigned shown = 0;
	for (const struct sandbox_post *post =
		     sandbox_ledger_newest(call->sandbox, SANDBOX_FACEBOOK, node->page->id);
	     post != NULL && shown < 100; post = post->older) {
		if (post->deleted_us != 0 || !str_equal_z(post->type, "story") ||
		    post->created_us < since_us)
			continue;
		write_story(call, &w, post);
		shown++;
	}
	json_end_array(&w);
	json_end_object(&w);
}

const struct graph_edge sandbox_facebook_reel_edges[] = {
	{"POST", GRAPH_PAGE, "video_reels", post_reels},
	{"POST", GRAPH_PAGE, "video_stories", post_video_stories},
	{"POST", GRAPH_PAGE, "photo_stories", post_photo_story},
	{"GET", GRAPH_PAGE, "stories", get_stories},
};
const size_t sandbox_facebook_reel_edge_count = COUNT_OF(sandbox_facebook_reel_edges);
