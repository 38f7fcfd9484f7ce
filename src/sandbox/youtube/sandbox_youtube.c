/* SPDX-License-Identifier: Apache-2.0
 * The simulated YouTube's channel and routes (youtube.md 1, 3, 4). sandbox_youtube.h
 * lists the other files. */
#include "sandbox_youtube.h"

#include "count_of.h"

#include "sandbox_avatar.h"

#define AVATAR_HOST "yt3.ggpht.com"
#define FORM_BYTES_MAX (64 * 1024)
/* Per request. design.md 7: media files up to 4 GiB. */
#define UPLOAD_BYTES_MAX ((size_t)4 << 30)
#define CAPTION_BYTES_MAX ((size_t)100 * 1000 * 1000)  /* 2.9 */
#define THUMBNAIL_BYTES_MAX ((size_t)50 * 1000 * 1000) /* section 0: 50 MB since 2026-09-14 */

/* ---- quota ---- */

static void render_rate_limit(struct sandbox_call *call, int64_t retry_after_s)
{
	sandbox_answer_retry_after(call, retry_after_s);
	sandbox_youtube_refuse(
		call,
		(struct youtube_error){429, "rateLimitExceeded", "global", "RESOURCE_EXHAUSTED"},
		"Quota exceeded for quota metric 'Queries' and limit 'Queries per minute' of "
		"service "
		"'youtube.googleapis.com' for consumer 'project_number:1'.");
}

/* ---- the channel ---- */

static void put_thumbnail(struct json_writer *w, const char *size, int64_t pixels, struct str url)
{
	json_key(w, size);
	json_begin_object(w);
	json_member_str(w, "url", url);
	json_member_int(w, "width", pixels);
	json_member_int(w, "height", pixels);
	json_end_object(w);
}

static void put_channel(struct sandbox_call *call, struct json_writer *w)
{
	const struct str avatar_url = sandbox_url(call, AVATAR_HOST, STR("/channel"));
	json_begin_object(w);
	json_member_str(w, "kind", STR("youtube#channel"));
	json_member_str(w, "etag", STR("sandbox-channel"));
	json_member_str(w, "id", STR(YOUTUBE_CHANNEL_ID));
	if (sandbox_youtube_has_part(call, "snippet")) {
		json_key(w, "snippet");
		json_begin_object(w);
		json_member_str(w, "title", STR(YOUTUBE_CHANNEL_TITLE));
		json_member_str(w, "description", STR(""));
		json_member_str(w, "customUrl", STR(YOUTUBE_CHANNEL_HANDLE));
		json_member_str(w, "publishedAt", STR("2020-01-01T00:00:00Z"));
		json_key(w, "thumbnails");
		json_begin_object(w);
		put_thumbnail(w, "default", 88, avatar_url);
		put_thumbnail(w, "medium", 240, avatar_url);
		put_thumbnail(w, "high", 800, avatar_url);
		json_end_object(w);
		json_end_object(w);
	}
	if (sandbox_youtube_has_part(call, "contentDetails")) {
		json_key(w, "contentDetails");
		json_begin_object(w);
		json_key(w, "relatedPlaylists");
		json_begin_object(w);
		json_member_str(w, "likes", STR(""));
		json_member_str(w, "uploads", STR(YOUTUBE_UPLOADS_ID));
		json_end_object(w);
		json_end_object(w);
	}
	if (sandbox_youtube_has_part(call, "status")) {
		json_key(w, "status");
		json_begin_object(w);
		json_member_str(w, "privacyStatus", STR("public"));
		json_member_bool(w, "isLinked", true);
		json_member_str(w, "longUploadsStatus", STR("allowed"));
		json_end_object(w);
	}
	json_end_object(w);
}

static void channels_list(struct sandbox_call *call)
{
	const bool is_asked = str_equal_z(sandbox_query(call, "mine"), "true") ||
			      sandbox_scope_has(sandbox_query(call, "id"), YOUTUBE_CHANNEL_ID);
	if (!sandbox_youtube_enter(
		    call, YOUTUBE_SCOPE_READONLY | YOUTUBE_SCOPE_FORCE_SSL | YOUTUBE_SCOPE_FULL,
		    YOUTUBE_BUCKET_UNITS, 1))
		return;
	if (str_is_empty(sandbox_query(call, "part"))) {
		sandbox_youtube_refuse_parameter(call, "missingRequiredParameter",
						 "Required parameter: part");
		return;
	}
	if (!is_asked && str_is_empty(sandbox_query(call, "id"))) {
		sandbox_youtube_refuse_parameter(call, "missingRequiredParameter",
						 "No filter selected. Expected one of: mine, id");
		return;
	}
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_member_str(&w, "kind", STR("youtube#channelListResponse"));
	json_member_str(&w, "etag", STR("sandbox-channels"));
	json_key(&w, "pageInfo");
	json_begin_object(&w);
	json_member_int(&w, "totalResults", is_asked ? 1 : 0);
	json_member_int(&w, "resultsPerPage", 5);
	json_end_object(&w);
	/* Google omits "items" when there is none (1.7: "empty or missing"). */
	if (is_asked) {
		json_key(&w, "items");
		json_begin_array(&w);
		put_channel(call, &w);
		json_end_array(&w);
	}
	json_end_object(&w);
}

static void avatar(struct sandbox_call *call)
{
	sandbox_avatar_answer(call, SANDBOX_AVATAR_LOGO, STR("channel"));
}

/* ---- the module ---- */

/* Both hosts are one service: documents name the first, Google's generated clients ask the
 * second. */
#define ROUTES_OF(api, upload) \
	{"GET", api "/channels", channels_list, HTTP_BODY_NONE, 0}, \
		{"POST", upload "/videos", sandbox_youtube_upload_post, HTTP_BODY_FILE, \
		 UPLOAD_BYTES_MAX}, \
		{"PUT", upload "/videos", sandbox_youtube_upload_put, HTTP_BODY_FILE, \
		 UPLOAD_BYTES_MAX}, \
		{"POST", upload "/thumbnails/set", sandbox_youtube_thumbnail_set, HTTP_BODY_FILE, \
		 THUMBNAIL_BYTES_MAX}, \
		{"GET", api "/videos", sandbox_youtube_videos_list, HTTP_BODY_NONE, 0}, \
		{"DELETE", api "/videos", sandbox_youtube_videos_delete, HTTP_BODY_NONE, 0}, \
		{"GET", api "/playlistItems", sandbox_youtube_playlist_items_list, HTTP_BODY_NONE, \
		 0}, \
		{"POST", api "/playlistItems", sandbox_youtube_playlist_items_insert, \
		 HTTP_BODY_MEMORY, 0}, \
		{"POST", upload "/captions", sandbox_youtube_captions_insert, HTTP_BODY_MEMORY, \
		 0}, \
		{"PUT", upload "/captions", sandbox_youtube_captions_put, HTTP_BODY_FILE, \
		 CAPTION_BYTES_MAX}, \
		{"GET", api "/captions", sandbox_youtube_captions_list, HTTP_BODY_NONE, 0}, \
		{"POST", api "/commentThreads", sandbox_youtube_comment_threads_insert, \
		 HTTP_BODY_MEMORY, 0}, \
		{"GET", api "/commentThreads", sandbox_youtube_comment_threads_list, \
		 HTTP_BODY_NONE, 0}, \
	{ \
		"POST", api "/comments", sandbox_youtube_comments_insert, HTTP_BODY_MEMORY, 0 \
	}

static const struct sandbox_route routes[] = {
	{"GET", "/accounts.google.com/o/oauth2/v2/auth", sandbox_youtube_authorize, HTTP_BODY_NONE,
	 0},
	{"POST", "/oauth2.googleapis.com/token", sandbox_youtube_token, HTTP_BODY_MEMORY,
	 FORM_BYTES_MAX},
	{"POST", "/oauth2.googleapis.com/revoke", sandbox_youtube_revoke, HTTP_BODY_MEMORY,
	 FORM_BYTES_MAX},
	ROUTES_OF(YOUTUBE_API, YOUTUBE_UPLOAD),
	ROUTES_OF(YOUTUBE_CLIENT_API, YOUTUBE_CLIENT_UPLOAD),
	{"GET", "/" AVATAR_HOST "/channel", avatar, HTTP_BODY_NONE, 0},
};

static struct str account_name(struct str account_id)
{
	return str_equal_z(account_id, YOUTUBE_CHANNEL_ID) ? STR(YOUTUBE_CHANNEL_TITLE) : STR("");
}

const struct sandbox_module sandbox_youtube = {
	.platform = SANDBOX_YOUTUBE,
	.routes = routes,
	.route_count = COUNT_OF(routes),
	.state_size_bytes = sizeof(struct youtube_state),
	.token_of = sandbox_token_bearer,
	.render_rate_limit = render_rate_limit,
	.render_token_expired = sandbox_youtube_refuse_token,
	.account_name = account_name,
	.render_error = sandbox_youtube_render_error,
};
