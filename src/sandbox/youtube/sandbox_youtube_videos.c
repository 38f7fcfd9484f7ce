/* SPDX-License-Identifier: Apache-2.0
 * Reading videos on the simulated YouTube, and their comments (youtube.md 2.3 to 2.5,
 * 5): videos.list with processing that takes time, the uploads playlist, commentThreads and
 * comments. */
#include "sandbox_youtube.h"

#include "count_of.h"
#include "timetext.h"

#include "utf8.h"

#define IDS_MAX 50
#define COMMENT_MAX 10000
#define COMMENTS_LISTED_MAX 100
#define PLAYLIST_PAGE_MAX 50

#define READ_SCOPES (YOUTUBE_SCOPE_READONLY | YOUTUBE_SCOPE_FORCE_SSL | YOUTUBE_SCOPE_FULL)

struct youtube_video *sandbox_youtube_video_find(struct sandbox *sandbox, struct str id)
{
	struct youtube_video *video = sandbox_object_get(sandbox, SANDBOX_YOUTUBE, "video", id);
	return video != NULL && video->deleted_us == 0 ? video : NULL;
}

/* As videos.list has it: what was deleted a moment ago may still be in it. */
static struct youtube_video *video_listed(struct sandbox_call *call, struct str id)
{
	struct youtube_video *video =
		sandbox_object_get(call->sandbox, SANDBOX_YOUTUBE, "video", id);
	const int64_t late_us =
		sandbox_knob(call->sandbox, SANDBOX_KNOB_deletions_late_ms) * US_PER_MS;
	const bool is_listed = video != NULL && (video->deleted_us == 0 ||
						 call->now_us < video->deleted_us + late_us);
	return is_listed ? video : NULL;
}

/* The current privacy: publishAt takes effect when its time has come. */
static struct str video_privacy(const struct youtube_video *video, int64_t now_us)
{
	return video->publish_us != 0 && now_us >= video->publish_us ? STR("public")
								     : video->privacy;
}

/* ---- the video resource ---- */

enum progress { PROGRESS_PROCESSING, PROGRESS_SUCCEEDED, PROGRESS_FAILED, PROGRESS_REJECTED };

/* uploadStatus and the processingStatus that belongs to it (2.4). */
static const struct {
	const char *upload;
	const char *processing;
} progress_words[] = {
	[PROGRESS_PROCESSING] = {"uploaded", "processing"},
	[PROGRESS_SUCCEEDED] = {"processed", "succeeded"},
	[PROGRESS_FAILED] = {"failed", "failed"},
	[PROGRESS_REJECTED] = {"rejected", "terminated"},
};

static enum progress progress_of(const struct youtube_video *video, int64_t now_us)
{
	if (now_us < video->created_us + video->processing_us)
		return PROGRESS_PROCESSING;
	if (video->rejection_reason != NULL)
		return PROGRESS_REJECTED;
	return video->failure_reason == NULL ? PROGRESS_SUCCEEDED : PROGRESS_FAILED;
}

static void put_instant(struct sandbox_call *call, struct json_writer *w, const char *key,
			int64_t us)
{
	json_member_str(w, key, timetext_format_instant(call->arena, us - us % US_PER_S));
}

static void put_snippet(struct sandbox_call *call, struct json_writer *w,
			const struct youtube_video *video)
{
	json_key(w, "snippet");
	json_begin_object(w);
	put_instant(call, w, "publishedAt", video->created_us);
	json_member_str(w, "channelId", STR(YOUTUBE_CHANNEL_ID));
	json_member_str(w, "title", video->title);
	json_member_str(w, "description", video->description);
	json_member_str(w, "channelTitle", STR(YOUTUBE_CHANNEL_TITLE));
	if (!str_is_empty(video->tags_json)) {
		json_key(w, "tags");
		json_put_raw(w, video->tags_json);
	}
	json_member_str(w, "categoryId", video->category_id);
	json_member_str(w, "liveBroadcastContent", STR("none"));
	json_end_object(w);
}

static void put_status(struct sandbox_call *call, struct json_writer *w,
		       const struct youtube_video *video)
{
	const enum progress progress = progress_of(video, call->now_us);
	const bool is_waiting = video->publish_us > call->now_us;
	json_key(w, "status");
	json_begin_object(w);
	json_member_str(w, "uploadStatus", str_of(progress_words[progress].upload));
	if (progress == PROGRESS_FAILED)
		json_member_str(w, "failureReason", str_of(video->failure_reason));
	if (progress == PROGRESS_REJECTED)
		json_member_str(w, "rejectionReason", str_of(video->rejection_reason));
	json_member_str(w, "privacyStatus", video_privacy(video, call->now_us));
	if (is_waiting)
		put_instant(call, w, "publishAt", video->publish_us);
	json_member_str(w, "license", video->license);
	json_member_bool(w, "embeddable", video->is_embeddable);
	json_member_bool(w, "publicStatsViewable", video->is_stats_viewable);
	json_member_bool(w, "madeForKids", video->is_made_for_kids);
	if (video->has_made_for_kids)
		json_member_bool(w, "selfDeclaredMadeForKids", video->is_made_for_kids);
	if (video->is_synthetic)
		json_member_bool(w, "containsSyntheticMedia", true);
	json_end_object(w);
}

static void put_processing(struct sandbox_call *call, struct json_writer *w,
			   const struct youtube_video *video)
{
	const enum progress progress = progress_of(video, call->now_us);
	json_key(w, "processingDetails");
	json_begin_object(w);
	json_member_str(w, "processingStatus", str_of(progress_words[progress].processing));
	if (progress == PROGRESS_FAILED)
		json_member_str(w, "processingFailureReason", STR("uploadFailed"));
	/* The numbers are strings that hold uint64 (2.4). */
	if (progress == PROGRESS_PROCESSING) {
		const int64_t left_ms =
			(video->created_us + video->processing_us - call->now_us) / US_PER_MS;
		json_key(w, "processingProgress");
		json_begin_object(w);
		json_member_str(w, "partsTotal", STR("2"));
		json_member_str(w, "partsProcessed", STR("1"));
		json_member_str(w, "timeLeftMs",
				str_format(call->arena, "%lld", (long long)left_ms));
		json_end_object(w);
	}
	json_member_str(w, "fileDetailsAvailability", STR("available"));
	json_end_object(w);
}

static void put_file_details(struct sandbox_call *call, struct json_writer *w,
			     const struct youtube_video *video)
{
	json_key(w, "fileDetails");
	json_begin_object(w);
	json_member_str(w, "fileName", STR("unknown"));
	json_member_str(w, "fileSize",
			str_format(call->arena, "%lld", (long long)video->media.size_bytes));
	json_member_str(w, "fileType", video->media.sniff.is_video ? STR("video") : STR("other"));
	json_end_object(w);
}

void sandbox_youtube_video_put(struct sandbox_call *call, struct json_writer *w,
			       const struct youtube_video *video)
{
	static const struct {
		const char *part;
		void (*put)(struct sandbox_call *call, struct json_writer *w,
			    const struct youtube_video *video);
	} parts[] = {
		{"snippet", put_snippet},
		{"status", put_status},
		{"processingDetails", put_processing},
		{"fileDetails", put_file_details},
	};
	json_begin_object(w);
	json_member_str(w, "kind", STR("youtube#video"));
	json_member_str(w, "etag", str_format(call->arena, "sandbox-" STR_FMT, STR_ARG(video->id)));
	json_member_str(w, "id", video->id);
	for (size_t i = 0; i < COUNT_OF(parts); i++) {
		if (sandbox_youtube_has_part(call, parts[i].part))
			parts[i].put(call, w, video);
	}
	json_end_object(w);
}

/* ---- lists ---- */

static bool has_part_parameter(struct sandbox_call *call)
{
	if (!str_is_empty(sandbox_query(call, "part")))
		return true;
	sandbox_youtube_refuse_parameter(call, "missingRequiredParameter",
					 "Required parameter: part");
	return false;
}

static void put_page_info(struct json_writer *w, int64_t total, int64_t per_page)
{
	json_key(w, "pageInfo");
	json_begin_object(w);
	json_member_int(w, "totalResults", total);
	json_member_int(w, "resultsPerPage", per_page);
	json_end_object(w);
}

static void begin_list(struct sandbox_call *call, struct json_writer *w, const char *kind)
{
	sandbox_answer(call, 200, w);
	json_begin_object(w);
	json_member_str(w, "kind", str_of(kind));
	json_member_str(w, "etag", STR("sandbox-list"));
}

void sandbox_youtube_videos_list(struct sandbox_call *call)
{
	struct str ids = sandbox_query(call, "id");
	if (!sandbox_youtube_enter(call, READ_SCOPES, YOUTUBE_BUCKET_UNITS, 1) ||
	    !has_part_parameter(call))
		return;
	if (str_is_empty(ids)) {
		sandbox_youtube_refuse_parameter(call, "missingRequiredParameter",
						 "No filter selected. Expected one of: id");
		return;
	}
	struct json_writer w;
	begin_list(call, &w, "youtube#videoListResponse");
	json_key(&w, "items");
	json_begin_array(&w);
	int64_t count = 0;
	struct str id;
	while (count < IDS_MAX && str_take_field(&ids, ',', &id)) {
		const struct youtube_video *video = video_listed(call, str_trim(id));
		/* An id that does not exist is left out, without an error. */
		if (video == NULL)
			continue;
		sandbox_youtube_video_put(call, &w, video);
		count++;
	}
	json_end_array(&w);
	put_page_info(&w, count, count);
	json_end_object(&w);
}

static void refuse_not_found(struct sandbox_call *call, const char *reason, const char *domain,
			     const char *message)
{
	sandbox_youtube_refuse(call, (struct youtube_error){404, reason, domain, NULL}, message);
}

void sandbox_youtube_videos_delete(struct sandbox_call *call)
{
	struct youtube_video *video =
		sandbox_youtube_video_find(call->sandbox, sandbox_query(call, "id"));
	if (!sandbox_youtube_enter(call, YOUTUBE_SCOPE_FORCE_SSL | YOUTUBE_SCOPE_FULL,
				   YOUTUBE_BUCKET_UNITS, 50))
		return;
	if (video == NULL) {
		refuse_not_found(call, "videoNotFound", "youtube.video",
				 "The video was not found.");
		return;
	}
	video->deleted_us = call->now_us;
	sandbox_ledger_delete_thread(call->sandbox, SANDBOX_YOUTUBE, video->id);
	sandbox_answer_empty(call, 204);
}

/* ---- the uploads playlist ---- */

static void put_playlist_item(struct sandbox_call *call, struct json_writer *w,
			      const struct youtube_video *video, int64_t position)
{
	json_begin_object(w);
	json_member_str(w, "kind", STR("youtube#playlistItem"));
	json_member_str(w, "etag",
			str_format(call->arena, "sandbox-item-" STR_FMT, STR_ARG(video->id)));
	json_member_str(w, "id", str_format(call->arena, "UUitem" STR_FMT, STR_ARG(video->id)));
	if (sandbox_youtube_has_part(call, "snippet")) {
		json_key(w, "snippet");
		json_begin_object(w);
		put_instant(call, w, "publishedAt", video->created_us);
		json_member_str(w, "channelId", STR(YOUTUBE_CHANNEL_ID));
		json_member_str(w, "title", video->title);
		json_member_str(w, "description", video->description);
		json_member_str(w, "channelTitle", STR(YOUTUBE_CHANNEL_TITLE));
		json_member_str(w, "playlistId", STR(YOUTUBE_UPLOADS_ID));
		json_member_int(w, "position", position);
		json_key(w, "resourceId");
		json_begin_object(w);
		json_member_str(w, "kind", STR("youtube#video"));
		json_member_str(w, "videoId", video->id);
		json_end_object(w);
		json_end_object(w);
	}
	if (sandbox_youtube_has_part(call, "contentDetails")) {
		json_key(w, "contentDetails");
		json_begin_object(w);
		json_member_str(w, "videoId", video->id);
		put_instant(call, w, "videoPublishedAt", video->created_us);
		json_end_object(w);
	}
	if (sandbox_youtube_has_part(call, "status")) {
		json_key(w, "status");
		json_begin_object(w);
		json_member_str(w, "privacyStatus", video_privacy(video, call->now_us));
		json_end_object(w);
	}
	json_end_object(w);
}

static int64_t count_videos(const struct youtube_state *state)
{
	int64_t count = 0;
	for (const struct youtube_video *video = state->newest; video != NULL; video = video->older)
		count += video->deleted_us == 0;
	return count;
}

/* Newest first; the page token is the position of its first item. */
static void put_playlist_page(struct sandbox_call *call, struct json_writer *w, int64_t first,
			      int64_t count)
{
	const struct youtube_state *state = call->state;
	json_key(w, "items");
	json_begin_array(w);
	int64_t position = 0;
	for (const struct youtube_video *video = state->newest; video != NULL;
	     video = video->older) {
		if (video->deleted_us != 0)
			continue;
		if (position >= first && position < first + count)
			put_playlist_item(call, w, video, position);
		position++;
	}
	json_end_array(w);
}

void sandbox_youtube_playlist_items_list(struct sandbox_call *call)
{
	const int64_t count = sandbox_param_int(call, "maxResults", 5);
	const int64_t first = sandbox_param_int(call, "pageToken", 0);
	const int64_t total = count_videos(call->state);
	if (!sandbox_youtube_enter(call, READ_SCOPES, YOUTUBE_BUCKET_UNITS, 1) ||
	    !has_part_parameter(call))
		return;
	if (sandbox_youtube_own_playlist_list(call))
		return;
	if (!str_equal_z(sandbox_query(call, "playlistId"), YOUTUBE_UPLOADS_ID)) {
		refuse_not_found(call, "playlistNotFound", "youtube.playlistItem",
				 "The playlist cannot be found.");
		return;
	}
	if (count < 0 || count > PLAYLIST_PAGE_MAX || first < 0 || first > total) {
		sandbox_youtube_refuse_parameter(call, "invalidParameter",
						 "maxResults or pageToken is out of range");
		return;
	}
	struct json_writer w;
	begin_list(call, &w, "youtube#playlistItemListResponse");
	if (first + count < total && count > 0)
		json_member_str(&w, "nextPageToken",
				str_format(call->arena, "%lld", (long long)(first + count)));
	put_playlist_page(call, &w, first, count);
	put_page_info(&w, total, count);
	json_end_object(&w);
}

/* ---- comments ---- */

struct comment {
	struct str id;
	struct str text;
	struct str video_id;
	struct str parent_id; /* empty for the first of a thread */
	int64_t created_us;
};

static void put_comment(struct sandbox_call *call, struct json_writer *w,
			const struct comment *comment)
{
	json_begin_object(w);
	json_member_str(w, "kind", STR("youtube#comment"));
	json_member_str(w, "etag",
			str_format(call->arena, "sandbox-" STR_FMT, STR_ARG(comment->id)));
	json_member_str(w, "id", comment->id);
	json_key(w, "snippet");
	json_begin_object(w);
	json_member_str(w, "channelId", STR(YOUTUBE_CHANNEL_ID));
	json_member_str(w, "videoId", comment->video_id);
	json_member_str(w, "textDisplay", comment->text);
	json_member_str(w, "textOriginal", comment->text);
	if (!str_is_empty(comment->parent_id))
		json_member_str(w, "parentId", comment->parent_id);
	json_member_str(w, "authorDisplayName", STR(YOUTUBE_CHANNEL_HANDLE));
	json_key(w, "authorChannelId");
	json_begin_object(w);
	json_member_str(w, "value", STR(YOUTUBE_CHANNEL_ID));
	json_end_object(w);
	json_member_bool(w, "canRate", true);
	json_member_int(w, "likeCount", 0);
	put_instant(call, w, "publishedAt", comment->created_us);
	put_instant(call, w, "updatedAt", comment->created_us);
	json_end_object(w);
	json_end_object(w);
}

static void put_thread(struct sandbox_call *call, struct json_writer *w,
		       const struct comment *comment)
{
	struct sandbox_post *replies[COMMENTS_LISTED_MAX];
	const size_t count = sandbox_ledger_replies(call->sandbox, SANDBOX_YOUTUBE, comment->id,
						    replies, COMMENTS_LISTED_MAX);
	json_begin_object(w);
	json_member_str(w, "kind", STR("youtube#commentThread"));
	json_member_str(w, "etag",
			str_format(call->arena, "sandbox-thread-" STR_FMT, STR_ARG(comment->id)));
	json_member_str(w, "id", comment->id);
	json_key(w, "snippet");
	json_begin_object(w);
	json_member_str(w, "channelId", STR(YOUTUBE_CHANNEL_ID));
	json_member_str(w, "videoId", comment->video_id);
	json_key(w, "topLevelComment");
	put_comment(call, w, comment);
	json_member_bool(w, "canReply", true);
	json_member_int(w, "totalReplyCount", (int64_t)count);
	json_member_bool(w, "isPublic", true);
	json_end_object(w);
	json_end_object(w);
}

static void refuse_comment(struct sandbox_call *call, int status, const char *reason,
			   const char *message)
{
	sandbox_youtube_refuse(
		call, (struct youtube_error){status, reason, "youtube.commentThread", NULL},
		message);
}

static bool check_comment_text(struct sandbox_call *call, struct str text)
{
	if (str_is_empty(str_trim(text))) {
		refuse_comment(call, 400, "commentTextRequired", "The comment has no text.");
		return false;
	}
	if (utf8_code_points(text) > COMMENT_MAX) {
		refuse_comment(call, 400, "commentTextTooLong", "The comment text is too long.");
		return false;
	}
	return true;
}

/* Videos made for kids and private videos have no comments (2.5). */
static bool may_comment(struct sandbox_call *call, const struct youtube_video *video)
{
	if (video == NULL) {
		refuse_comment(call, 404, "videoNotFound", "The video was not found.");
		return false;
	}
	if (video->is_made_for_kids || str_equal_z(video_privacy(video, call->now_us), "private")) {
		refuse_comment(call, 403, "commentsDisabled", "The video has disabled comments.");
		return false;
	}
	return true;
}

static const struct comment *make_comment(struct sandbox_call *call, struct str text,
					  struct str video_id, struct str parent_id)
{
	struct comment *comment = sandbox_keep(call->sandbox, sizeof(*comment));
	*comment = (struct comment){
		.id = sandbox_id_text(call->sandbox, "Ug", 24),
		.text = sandbox_keep_str(call->sandbox, text),
		.video_id = sandbox_keep_str(call->sandbox, video_id),
		.parent_id = sandbox_keep_str(call->sandbox, parent_id),
		.created_us = call->now_us,
	};
	sandbox_object_put(call->sandbox, SANDBOX_YOUTUBE, "comment", comment->id, comment);
	const struct sandbox_post post = {
		.platform = SANDBOX_YOUTUBE,
		.account_id = STR(YOUTUBE_CHANNEL_ID),
		.id = comment->id,
		.type = STR("comment"),
		.text = comment->text,
		.reply_to = str_is_empty(parent_id) ? comment->video_id : comment->parent_id,
		.url = str_format(call->arena,
				  "https://www.youtube.com/watch?v=" STR_FMT "&lc=" STR_FMT,
				  STR_ARG(video_id), STR_ARG(comment->id)),
		.created_us = call->now_us,
		.extra = comment,
	};
	sandbox_ledger_add(call->sandbox, &post);
	return comment;
}

static bool begin_comment(struct sandbox_call *call)
{
	return sandbox_youtube_enter(call, YOUTUBE_SCOPE_FORCE_SSL, YOUTUBE_BUCKET_UNITS, 50) &&
	       has_part_parameter(call);
}

void sandbox_youtube_comment_threads_insert(struct sandbox_call *call)
{
	const struct json *snippet = json_get(sandbox_json(call), "snippet");
	const struct str video_id = json_string(json_get(snippet, "videoId"));
	const struct str channel_id = json_string(json_get(snippet, "channelId"));
	const struct str text = json_string(json_get(
		json_get(json_get(snippet, "topLevelComment"), "snippet"), "textOriginal"));
	if (!begin_comment(call))
		return;
	if (str_is_empty(video_id)) {
		refuse_comment(call, 400, "channelOrVideoIdMissing", "The comment names no video.");
		return;
	}
	if (!str_is_empty(channel_id) && !str_equal_z(channel_id, YOUTUBE_CHANNEL_ID)) {
		refuse_comment(call, 404, "channelNotFound", "The channel was not found.");
		return;
	}
	if (!check_comment_text(call, text) ||
	    !may_comment(call, sandbox_youtube_video_find(call->sandbox, video_id)))
		return;
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	put_thread(call, &w, make_comment(call, text, video_id, (struct str){0}));
}

void sandbox_youtube_comments_insert(struct sandbox_call *call)
{
	const struct json *snippet = json_get(sandbox_json(call), "snippet");
	const struct str text = json_string(json_get(snippet, "textOriginal"));
	if (!begin_comment(call))
		return;
	const struct comment *parent =
		sandbox_object_get(call->sandbox, SANDBOX_YOUTUBE, "comment",
				   json_string(json_get(snippet, "parentId")));
	if (parent == NULL ||
	    sandbox_ledger_find(call->sandbox, SANDBOX_YOUTUBE, parent->id) == NULL) {
		refuse_comment(call, 404, "parentCommentNotFound",
			       "The parent comment was not found.");
		return;
	}
	if (!check_comment_text(call, text) ||
	    !may_comment(call, sandbox_youtube_video_find(call->sandbox, parent->video_id)))
		return;
	struct json_writer w;
	sandbox_answer(call, 200, &w);
	put_comment(call, &w, make_comment(call, text, parent->video_id, parent->id));
}

void sandbox_youtube_comment_threads_list(struct sandbox_call *call)
{
	const struct str video_id = sandbox_query(call, "videoId");
	const int64_t max = sandbox_param_int(call, "maxResults", 20);
	if (!sandbox_youtube_enter(call, YOUTUBE_SCOPE_FORCE_SSL, YOUTUBE_BUCKET_UNITS, 1) ||
	    !has_part_parameter(call))
		return;
	if (!may_comment(call, sandbox_youtube_video_find(call->sandbox, video_id)))
		return;
	struct sandbox_post *threads[COMMENTS_LISTED_MAX];
	const size_t count = sandbox_ledger_replies(call->sandbox, SANDBOX_YOUTUBE, video_id,
						    threads, COMMENTS_LISTED_MAX);
	struct json_writer w;
	begin_list(call, &w, "youtube#commentThreadListResponse");
	json_key(&w, "items");
	json_begin_array(&w);
	/* Newest first, as order=time says. */
	for (size_t i = count; i > 0 && (int64_t)(count - i) < max; i--)
		put_thread(call, &w, threads[i - 1]->extra);
	json_end_array(&w);
	put_page_info(&w, (int64_t)count, max);
	json_end_object(&w);
}
