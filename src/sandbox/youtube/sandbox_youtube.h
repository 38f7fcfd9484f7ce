/* SPDX-License-Identifier: Apache-2.0
 * What the files of the simulated YouTube share: sandbox_youtube.c (Google's OAuth, the channel,
 * errors, quota and the gate), sandbox_youtube_upload.c (resumable sessions, metadata checks) and
 * sandbox_youtube_videos.c (reading videos, the uploads playlist, comments). It plays youtube.md 1,
 * 2, 4 and 8. */
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

/* Bits of scopes, so that a call can name those of which one will do. */
enum youtube_scope {
	YOUTUBE_SCOPE_UPLOAD = 1,
	YOUTUBE_SCOPE_READONLY = 2,
	YOUTUBE_SCOPE_FORCE_SSL = 4,
	YOUTUBE_SCOPE_FULL = 8
};

#define YOUTUBE_CHANNEL_UPLOADS_MAX 1000 /* the knob's most */

enum youtube_bucket { YOUTUBE_BUCKET_UNITS, YOUTUBE_BUCKET_UPLOADS, YOUTUBE_BUCKET_COUNT };

struct youtube_state {
	bool has_granted;  /* a refresh token was given out before (1.1) */
	int64_t quota_day; /* number of the Pacific day the counters are of */
	int64_t quota_used[YOUTUBE_BUCKET_COUNT];
	/* a ring: when the last ones came */
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
	bool is_deleted;
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
/* 400 about one parameter or one missing thing, domain "global". */
void sandbox_youtube_refuse_parameter(struct sandbox_call *call, const char *reason,
				      const char *message);
/* 401, authError. */
void sandbox_youtube_refuse_token(struct sandbox_call *call);
/* May the app ask for that scope? */
bool sandbox_youtube_is_scope(struct str word);
/* Checks token, scope (any of the bits) and quota, and takes the cost from the bucket; invalid
 * calls cost too (section 3). False = the answer is made. */
bool sandbox_youtube_enter(struct sandbox_call *call, unsigned scopes, enum youtube_bucket bucket,
			   int64_t cost);
/* The token alone: for the bytes of an upload session, whose start was charged. */
bool sandbox_youtube_enter_session(struct sandbox_call *call);
/* Is that word in the comma separated parameter "part"? */
bool sandbox_youtube_has_part(struct sandbox_call *call, const char *part);

/* ---- sandbox_youtube_login.c: handlers of sandbox_youtube.c's table ---- */

void sandbox_youtube_authorize(struct sandbox_call *call);
void sandbox_youtube_token(struct sandbox_call *call);
void sandbox_youtube_revoke(struct sandbox_call *call);

/* ---- sandbox_youtube_errors.c ---- */

/* The faults' named errors: "quotaExceeded", "Video Uploads per day", ... */
bool sandbox_youtube_render_error(struct sandbox_call *call, struct str name);

/* ---- sandbox_youtube_videos.c ---- */

struct youtube_video *sandbox_youtube_video_find(struct sandbox *sandbox, struct str id);
/* The resource with the parts asked for. */
void sandbox_youtube_video_put(struct sandbox_call *call, struct json_writer *w,
			       const struct youtube_video *video);

/* Handlers of sandbox_youtube.c's table. */
void sandbox_youtube_videos_list(struct sandbox_call *call);
void sandbox_youtube_videos_delete(struct sandbox_call *call);
void sandbox_youtube_playlist_items_list(struct sandbox_call *call);
void sandbox_youtube_comment_threads_insert(struct sandbox_call *call);
void sandbox_youtube_comment_threads_list(struct sandbox_call *call);
void sandbox_youtube_comments_insert(struct sandbox_call *call);

/* ---- sandbox_youtube_metadata.c ---- */

/* Checks the body of a new upload against "part" and the limits. False = the answer is made. */
bool sandbox_youtube_metadata_check(struct sandbox_call *call, const struct json *body);
/* The video that a body which passed the check describes, in kept memory; no id yet. */
struct youtube_video sandbox_youtube_metadata_read(struct sandbox_call *call,
						   const struct json *body);

/* ---- sandbox_youtube_upload.c: handlers of sandbox_youtube.c's table ---- */

void sandbox_youtube_upload_start(struct sandbox_call *call);
void sandbox_youtube_upload_put(struct sandbox_call *call);
void sandbox_youtube_thumbnail_set(struct sandbox_call *call);
