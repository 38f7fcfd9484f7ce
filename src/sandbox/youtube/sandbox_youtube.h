/* SPDX-License-Identifier: Apache-2.0
 * The simulated YouTube, shared by its files: sandbox_youtube.c (the channel, routes), _call.c
 * (token, scope and quota), _login.c (Google's OAuth), _metadata.c, _upload.c (resumable sessions,
 * thumbnails), _extras.c (playlists, captions), _videos.c (reading videos, the uploads playlist,
 * comments) and _errors.c (errors by name). Facts: youtube.md 1, 2, 4 and 8. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sandbox_private.h"

#define YOUTUBE_CHANNEL_ID "UCsandboxPosthorn0000001"
#define YOUTUBE_UPLOADS_ID "UUsandboxPosthorn0000001"
#define YOUTUBE_CHANNEL_TITLE "Posthorn Sandbox"
#define YOUTUBE_CHANNEL_HANDLE "@posthorn-sandbox"

#define YOUTUBE_API_HOST "www.googleapis.com"
#define YOUTUBE_API "/" YOUTUBE_API_HOST "/youtube/v3"
#define YOUTUBE_UPLOAD "/" YOUTUBE_API_HOST "/upload/youtube/v3"
#define YOUTUBE_CLIENT_API "/youtube.googleapis.com/youtube/v3"
#define YOUTUBE_CLIENT_UPLOAD "/youtube.googleapis.com/upload/youtube/v3"

/* Scopes as bits, so that a call can name several of which one suffices. */
enum youtube_scope {
	YOUTUBE_SCOPE_UPLOAD = 1,
	YOUTUBE_SCOPE_READONLY = 2,
	YOUTUBE_SCOPE_FORCE_SSL = 4,
	YOUTUBE_SCOPE_FULL = 8
};

#define YOUTUBE_CHANNEL_UPLOADS_MAX 1000 /* the knob's most */

enum youtube_bucket { YOUTUBE_BUCKET_UNITS, YOUTUBE_BUCKET_UPLOADS, YOUTUBE_BUCKET_COUNT };

struct youtube_state {
	bool has_granted;  /* a refresh token was issued before (1.1) */
	int64_t quota_day; /* the Pacific day of the counters */
	int64_t quota_used[YOUTUBE_BUCKET_COUNT];
	/* a ring: the times of the last ones */
	int64_t channel_uploads_us[YOUTUBE_CHANNEL_UPLOADS_MAX];
	size_t channel_upload_count;
	struct youtube_video *newest;
};

/* An uploaded video. */
struct youtube_video {
	struct str id;
	struct str title;
	struct str description;
	struct str tags_json; /* JSON array, empty = none */
	struct str category_id;
	struct str privacy; /* as asked */
	struct str license;
	int64_t publish_us; /* publishAt; 0 = none */
	bool is_made_for_kids;
	bool has_made_for_kids; /* was it declared? */
	bool is_synthetic;
	bool is_embeddable;
	bool is_stats_viewable;
	int64_t deleted_us;           /* 0 = it is there */
	const char *failure_reason;   /* NULL = will be processed well */
	const char *rejection_reason; /* likewise */
	int64_t processing_us;
	struct sandbox_media media;
	int64_t created_us;
	struct youtube_video *older;
};

/* ---- sandbox_youtube_call.c ---- */

/* One row of section 4. */
struct youtube_error {
	int status;
	const char *reason;
	const char *domain;      /* "global", "youtube.video" */
	const char *grpc_status; /* "status" of newer answers; NULL = left out */
};

void sandbox_youtube_refuse(struct sandbox_call *call, struct youtube_error error,
			    const char *message);
/* 400 about one parameter, domain "global". */
void sandbox_youtube_refuse_parameter(struct sandbox_call *call, const char *reason,
				      const char *message);
/* 401, authError. */
void sandbox_youtube_refuse_token(struct sandbox_call *call);
/* Whether the app may ask for that scope. */
bool sandbox_youtube_is_scope(struct str word);
/* Checks token, scope (one of the bits suffices) and quota, and takes the cost from the bucket;
 * invalid calls cost too (section 3). False = the call has been answered. */
bool sandbox_youtube_enter(struct sandbox_call *call, unsigned scopes, enum youtube_bucket bucket,
			   int64_t cost);
/* Checks the token alone, for the bytes of an upload session, which was charged at its start.
 * False = the call has been answered. */
bool sandbox_youtube_enter_session(struct sandbox_call *call);
/* Whether the comma separated parameter "part" contains that word. */
bool sandbox_youtube_has_part(struct sandbox_call *call, const char *part);

/* ---- sandbox_youtube_login.c: handlers of sandbox_youtube.c's table ---- */

void sandbox_youtube_authorize(struct sandbox_call *call);
void sandbox_youtube_token(struct sandbox_call *call);
void sandbox_youtube_revoke(struct sandbox_call *call);

/* ---- sandbox_youtube_errors.c ---- */

/* The module's render_error: "quotaExceeded", "Video Uploads per day", ... */
bool sandbox_youtube_render_error(struct sandbox_call *call, struct str name);

/* ---- sandbox_youtube_videos.c ---- */

struct youtube_video *sandbox_youtube_video_find(struct sandbox *sandbox, struct str id);
/* Writes the resource with the requested parts. */
void sandbox_youtube_video_put(struct sandbox_call *call, struct json_writer *w,
			       const struct youtube_video *video);

/* Handlers of sandbox_youtube.c's table. */
void sandbox_youtube_videos_list(struct sandbox_call *call);
void sandbox_youtube_videos_delete(struct sandbox_call *call);
void sandbox_youtube_playlist_items_list(struct sandbox_call *call);
void sandbox_youtube_comment_threads_insert(struct sandbox_call *call);
void sandbox_youtube_comment_threads_list(struct sandbox_call *call);
void sandbox_youtube_comments_insert(struct sandbox_call *call);

/* ---- sandbox_youtube_extras.c ---- */

/* Answers playlistItems.list for the channel's playlist; false when another is meant. The call has
 * been let in. */
bool sandbox_youtube_own_playlist_list(struct sandbox_call *call);
/* Handlers of sandbox_youtube.c's table. */
void sandbox_youtube_playlist_items_insert(struct sandbox_call *call);
void sandbox_youtube_captions_insert(struct sandbox_call *call);
void sandbox_youtube_captions_put(struct sandbox_call *call);
void sandbox_youtube_captions_list(struct sandbox_call *call);

/* ---- sandbox_youtube_metadata.c ---- */

/* Checks the body of a new upload against "part" and the limits. False = the call has been
 * answered. */
bool sandbox_youtube_metadata_check(struct sandbox_call *call, const struct json *body);
/* Reads a body that passed the check, into kept memory. The video has no id yet. */
struct youtube_video sandbox_youtube_metadata_read(struct sandbox_call *call,
						   const struct json *body);

/* ---- sandbox_youtube_upload.c: handlers of sandbox_youtube.c's table ---- */

void sandbox_youtube_upload_post(struct sandbox_call *call);
void sandbox_youtube_upload_put(struct sandbox_call *call);
void sandbox_youtube_thumbnail_set(struct sandbox_call *call);
