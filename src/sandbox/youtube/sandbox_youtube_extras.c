/* SPDX-License-Identifier: Apache-2.0
 * What goes with a video on the simulated YouTube (youtube.md 2.8, 2.9): playlists, of which the
 * channel has one and a stranger another, and caption tracks through a resumable session. */
#include "sandbox_youtube.h"

#define PLAYLIST_OWN "PLsandboxPosthorn0000001"
#define PLAYLIST_OTHER "PLsandboxStranger0000001"
#define ITEMS_MAX 200 /* of one playlist; YouTube says only that there is a most */
#define CAPTIONS_MAX 100
#define CAPTION_BYTES_MAX (100 * 1000 * 1000) /* 2.9 */
#define READ_SCOPES (YOUTUBE_SCOPE_READONLY | YOUTUBE_SCOPE_FORCE_SSL | YOUTUBE_SCOPE_FULL)

static void refuse(struct sandbox_call *call, int status, const char *reason, const char *domain,
		   const char *message)
{
	sandbox_youtube_refuse(call, (struct youtube_error){status, reason, domain, NULL}, message);
}

/* ---- playlists: 2.8 ---- */

struct item {
	struct str id;
	struct str video_id;
};

struct playlist {
	struct item items[ITEMS_MAX];
	size_t count;
};

static struct playlist *own_playlist(struct sandbox_call *call)
{
	struct playlist *playlist =
		sandbox_object_get(call->sandbox, SANDBOX_YOUTUBE, "playlist", STR(PLAYLIST_OWN));
	if (playlist != NULL)
		return playlist;
	playlist = sandbox_keep(call->sandbox, sizeof(*playlist));
	sandbox_object_put(call->sandbox, SANDBOX_YOUTUBE, "playlist", STR(PLAYLIST_OWN), playlist);
	return playlist;
}

static void put_item(struct json_writer *w, const struct item *item)
{
	json_begin_object(w);
	json_member_str(w, "kind", STR("youtube#playlistItem"));
	json_member_str(w, "id", item->id);
	json_key(w, "snippet");
	json_begin_object(w);
	json_member_str(w, "playlistId", STR(PLAYLIST_OWN));
	json_key(w, "resourceId");
	json_begin_object(w);
	json_member_str(w, "kind", STR("youtube#video"));
	json_member_str(w, "videoId", item->video_id);
	json_end_object(w);
	json_end_object(w);
	json_end_object(w);
}

/* Lists by playlist, and by video where one is named. */
bool sandbox_youtube_own_playlist_list(struct sandbox_call *call)
{
	const struct str video_id = sandbox_query(call, "videoId");
	struct json_writer w;
	int64_t total = 0;
	if (!str_equal_z(sandbox_query(call, "playlistId"), PLAYLIST_OWN))
		return false;
	const struct playlist *playlist = own_playlist(call);
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_member_str(&w, "kind", STR("youtube#playlistItemListResponse"));
	json_key(&w, "items");
	json_begin_array(&w);
	for (size_t i = 0; i < playlist->count; i++) {
		const struct item *item = &playlist->items[i];
		if (!str_is_empty(video_id) && !str_equal(item->video_id, video_id))
			continue;
		total++;
		put_item(&w, item);
	}
	json_end_array(&w);
	json_key(&w, "pageInfo");
	json_begin_object(&w);
	json_member_int(&w, "totalResults", total);
	json_member_int(&w, "resultsPerPage", 50);
	json_end_object(&w);
	json_end_object(&w);
	return true;
}

/* False: the call has been answered. */
static bool may_insert(struct sandbox_call *call, struct str playlist_id,
		       const struct json *resource)
{
	const char *domain = "youtube.playlistItem";
	if (str_is_empty(playlist_id) ||
	    !str_equal_z(json_string(json_get(resource, "kind")), "youtube#video")) {
		refuse(call, 400, "playlistIdRequired", domain,
		       "The playlist item names no playlist or no video.");
		return false;
	}
	if (str_equal_z(playlist_id, PLAYLIST_OTHER)) {
		refuse(call, 403, "playlistItemsNotAccessible", domain,
		       "Forbidden: the playlist is another channel's.");
		return false;
	}
	if (!str_equal_z(playlist_id, PLAYLIST_OWN)) {
		refuse(call, 404, "playlistNotFound", domain, "The playlist cannot be found.");
		return false;
	}
	if (sandbox_youtube_video_find(call->sandbox, json_string(json_get(resource, "videoId"))) ==
	    NULL) {
		refuse(call, 404, "videoNotFound", domain, "The video cannot be found.");
		return false;
	}
	if (own_playlist(call)->count < ITEMS_MAX)
		return true;
	refuse(call, 403, "playlistContainsMaximumNumberOfVideos", domain,
	       "The playlist already contains the maximum allowed number of items.");
	return false;
}

/* A video may be in a playlist more than once. */
void sandbox_youtube_playlist_items_insert(struct sandbox_call *call)
{
	const struct json *snippet = json_get(sandbox_json(call), "snippet");
	const struct json *resource = json_get(snippet, "resourceId");
	struct json_writer w;
	if (!sandbox_youtube_enter(call, YOUTUBE_SCOPE_FORCE_SSL | YOUTUBE_SCOPE_FULL,
				   YOUTUBE_BUCKET_UNITS, 50))
		return;
	if (!sandbox_youtube_has_part(call, "snippet")) {
		sandbox_youtube_refuse_parameter(call, "missingRequiredParameter",
						 "Required parameter: part");
		return;
	}
	if (!may_insert(call, json_string(json_get(snippet, "playlistId")), resource))
		return;
	struct playlist *playlist = own_playlist(call);
	struct item *item = &playlist->items[playlist->count++];
	*item = (struct item){
		.id = sandbox_id_text(call->sandbox, "UEx", 40),
		.video_id =
			sandbox_keep_str(call->sandbox, json_string(json_get(resource, "videoId"))),
	};
	sandbox_answer(call, 200, &w);
	put_item(&w, item);
}

/* ---- captions: 2.9 ---- */

struct caption {
	struct str id; /* empty until its bytes are there */
	struct str video_id;
	struct str language;
	struct str name;
	int64_t size_bytes;
};

struct captions {
	struct caption *all[CAPTIONS_MAX];
	size_t count;
};

static struct captions *captions_of(struct sandbox_call *call)
{
	struct captions *captions =
		sandbox_object_get(call->sandbox, SANDBOX_YOUTUBE, "captions", STR("all"));
	if (captions != NULL)
		return captions;
	captions = sandbox_keep(call->sandbox, sizeof(*captions));
	sandbox_object_put(call->sandbox, SANDBOX_YOUTUBE, "captions", STR("all"), captions);
	return captions;
}

static void put_caption(struct json_writer *w, const struct caption *caption)
{
	json_begin_object(w);
	json_member_str(w, "kind", STR("youtube#caption"));
	json_member_str(w, "id", caption->id);
	json_key(w, "snippet");
	json_begin_object(w);
	json_member_str(w, "videoId", caption->video_id);
	json_member_str(w, "trackKind", STR("standard"));
	json_member_str(w, "language", caption->language);
	json_member_str(w, "name", caption->name);
	json_member_bool(w, "isDraft", false);
	json_member_str(w, "status", STR("serving"));
	json_end_object(w);
	json_end_object(w);
}

static bool is_known(struct sandbox_call *call, const struct caption *caption)
{
	const struct captions *captions = captions_of(call);
	for (size_t i = 0; i < captions->count; i++) {
		const struct caption *other = captions->all[i];
		if (str_equal(other->video_id, caption->video_id) &&
		    str_equal(other->language, caption->language) &&
		    str_equal(other->name, caption->name))
			return true;
	}
	return false;
}

/* False: the call has been answered. */
static bool check_caption(struct sandbox_call *call, const struct caption *caption)
{
	const char *domain = "youtube.caption";
	if (str_is_empty(caption->language) || str_is_empty(caption->name)) {
		refuse(call, 400, "invalidMetadata", domain,
		       "The request contains invalid metadata values.");
		return false;
	}
	if (sandbox_youtube_video_find(call->sandbox, caption->video_id) == NULL) {
		refuse(call, 404, "videoNotFound", domain, "The video could not be found.");
		return false;
	}
	if (!is_known(call, caption))
		return true;
	refuse(call, 409, "captionExists", domain,
	       "The video already has a caption track with the given language and name.");
	return false;
}

void sandbox_youtube_captions_insert(struct sandbox_call *call)
{
	const struct json *snippet = json_get(sandbox_json(call), "snippet");
	if (!sandbox_youtube_enter(call, YOUTUBE_SCOPE_FORCE_SSL, YOUTUBE_BUCKET_UNITS, 400))
		return;
	if (!str_equal_z(sandbox_query(call, "uploadType"), "resumable") ||
	    !sandbox_youtube_has_part(call, "snippet")) {
		sandbox_youtube_refuse_parameter(call, "badRequest",
						 "The sandbox takes captions with part=snippet "
						 "and uploadType=resumable");
		return;
	}
	struct caption *caption = sandbox_keep(call->sandbox, sizeof(*caption));
	*caption = (struct caption){
		.video_id =
			sandbox_keep_str(call->sandbox, json_string(json_get(snippet, "videoId"))),
		.language =
			sandbox_keep_str(call->sandbox, json_string(json_get(snippet, "language"))),
		.name = sandbox_keep_str(call->sandbox, json_string(json_get(snippet, "name"))),
	};
	if (!check_caption(call, caption))
		return;
	const struct str session = sandbox_id_text(call->sandbox, "AC-", 60);
	sandbox_object_put(call->sandbox, SANDBOX_YOUTUBE, "caption_session", session, caption);
	sandbox_answer_header(
		call, "Location",
		sandbox_url(call, YOUTUBE_API_HOST,
			    str_format(call->arena,
				       "/upload/youtube/v3/"
				       "captions?uploadType=resumable&upload_id=" STR_FMT,
				       STR_ARG(session))));
	sandbox_answer_empty(call, 200);
}

void sandbox_youtube_captions_put(struct sandbox_call *call)
{
	struct captions *captions = captions_of(call);
	struct caption *caption =
		sandbox_object_get(call->sandbox, SANDBOX_YOUTUBE, "caption_session",
				   sandbox_query(call, "upload_id"));
	struct json_writer w;
	if (!sandbox_youtube_enter_session(call))
		return;
	if (caption == NULL || captions->count == CAPTIONS_MAX) {
		sandbox_answer_empty(call, 404);
		return;
	}
	if (call->body.len == 0 || call->body.len > CAPTION_BYTES_MAX) {
		refuse(call, 400, "contentRequired", "youtube.caption",
		       "The request does not contain the caption track contents.");
		return;
	}
	if (str_is_empty(caption->id)) {
		if (!check_caption(call, caption))
			return;
		caption->id = sandbox_id_text(call->sandbox, "AUie", 30);
		caption->size_bytes = (int64_t)call->body.len;
		captions->all[captions->count++] = caption;
	}
	sandbox_answer(call, 200, &w);
	put_caption(&w, caption);
}

void sandbox_youtube_captions_list(struct sandbox_call *call)
{
	const struct captions *captions = captions_of(call);
	struct json_writer w;
	if (!sandbox_youtube_enter(call, YOUTUBE_SCOPE_FORCE_SSL, YOUTUBE_BUCKET_UNITS, 50))
		return;
	sandbox_answer(call, 200, &w);
	json_begin_object(&w);
	json_member_str(&w, "kind", STR("youtube#captionListResponse"));
	json_key(&w, "items");
	json_begin_array(&w);
	for (size_t i = 0; i < captions->count; i++) {
		if (str_equal(captions->all[i]->video_id, sandbox_query(call, "videoId")))
			put_caption(&w, captions->all[i]);
	}
	json_end_array(&w);
	json_end_object(&w);
}
