/* SPDX-License-Identifier: Apache-2.0
 * What the files of YouTube's adapter share: youtube.c (the stages of a post, comments),
 * youtube_login.c (tokens and the channel), youtube_metadata.c (what is said of a video),
 * youtube_upload.c (the session and its bytes), youtube_after.c (what follows the last byte),
 * youtube_extras.c (playlist and captions),
 * youtube_resolve.c (uncertain calls), youtube_remove.c (taking back), youtube_rules.c (what is
 * allowed), youtube_refusal.c (errors). Pure, as platform.h wants it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "str.h"

#include "oauth_exchange.h"
#include "plan.h"
#include "platform.h"
#include "refusal.h"
#include "stages.h"

#include "youtube.h"

#define YOUTUBE_API "www.googleapis.com/youtube/v3"
#define YOUTUBE_API_URL "https://" YOUTUBE_API
#define YOUTUBE_UPLOAD "www.googleapis.com/upload/youtube/v3"
#define YOUTUBE_UPLOAD_URL "https://" YOUTUBE_UPLOAD
#define YOUTUBE_PATH_VIDEOS "/videos"
#define YOUTUBE_PATH_THUMBNAILS "/thumbnails/set"
#define YOUTUBE_PATH_PLAYLIST_ITEMS "/playlistItems"
#define YOUTUBE_PATH_CAPTIONS "/captions"
#define YOUTUBE_PATH_COMMENT_THREADS "/commentThreads"
#define YOUTUBE_SCOPE_URL "https://www.googleapis.com/auth/"

#define YOUTUBE_URL_MAX_BYTES 4096
#define YOUTUBE_BODY_MAX_BYTES (1024 * 1024)
#define YOUTUBE_RESENDS_MAX 10 /* of the last bytes of one session */

struct json_writer;
struct media_rule;
struct post_rules;

/* ---- stage names and flow keys: stored, so one may be added but never changed ---- */

#define YOUTUBE_STAGE_BEGIN "begin"
#define YOUTUBE_STAGE_SESSION "session"
#define YOUTUBE_STAGE_UPLOAD "upload"
#define YOUTUBE_STAGE_QUERY "query"
#define YOUTUBE_STAGE_LOST "lost"
#define YOUTUBE_STAGE_THUMBNAIL "thumbnail"
#define YOUTUBE_STAGE_PLAYLIST "playlist"
#define YOUTUBE_STAGE_PLAYLIST_ADD "playlist_add"
#define YOUTUBE_STAGE_CAPTION "caption"
#define YOUTUBE_STAGE_CAPTION_BYTES "caption_bytes"
#define YOUTUBE_STAGE_PROCESSING "processing"
#define YOUTUBE_STAGE_COMMENT "comment"
#define YOUTUBE_STAGE_CHECK "check"
#define YOUTUBE_STAGE_REVOKE "revoke"
#define YOUTUBE_STAGE_CHANNEL "channel"
#define YOUTUBE_STAGE_DOUBT "doubt"
#define YOUTUBE_STAGE_MADE "made"
#define YOUTUBE_STAGE_UPLOADS "uploads"
#define YOUTUBE_STAGE_THREADS "threads"

#define YOUTUBE_KEY_VIDEO_ID "video_id"
#define YOUTUBE_KEY_SESSION_URI "session_uri"
#define YOUTUBE_KEY_IS_SHORT "is_short"
#define YOUTUBE_KEY_THUMBNAIL_TRIES "thumbnail_tries"
#define YOUTUBE_KEY_EXTRA_TRIES "extra_tries"             /* of the call under way */
#define YOUTUBE_KEY_PLAYLIST_ASKED_US "playlist_asked_us" /* an insert was sent then */
#define YOUTUBE_KEY_CAPTION "caption"                     /* so many are through */
#define YOUTUBE_KEY_CAPTION_URI "caption_uri"
#define YOUTUBE_KEY_CAPTIONS_LACKING "captions_lacking" /* their languages */
#define YOUTUBE_KEY_ACCOUNT_EXTRA "account_extra"
#define YOUTUBE_KEY_POLLS "polls"
#define YOUTUBE_KEY_IN_DOUBT "in_doubt"
#define YOUTUBE_KEY_SIZE_BYTES "size_bytes"
#define YOUTUBE_KEY_OFFSET_BYTES "offset_bytes"
#define YOUTUBE_KEY_RESENDS "resends"
#define YOUTUBE_KEY_QUERIES "queries"
#define YOUTUBE_KEY_BREAKS "breaks"

/* ---- youtube_refusal.c ---- */

extern const struct refusal youtube_token_refusals[];

/* {"error":{"code","message","errors":[{"reason"}],"status"}} */
struct refusal_facts youtube_facts(const struct reply *reply);
/* Fills a STEP_FAIL by section 4; NULL, as the stage functions return it. */
const char *youtube_fail(const struct env *env, const struct reply *reply, struct step *step);
/* For read and prepare calls: true when the answer is of no use and the step says so. */
bool youtube_is_refused(const struct env *env, const struct reply *reply, struct step *step);
/* A refusal of a publish call, or uncertain when it cannot be read as one; NULL. */
const char *youtube_publish_refused(const struct env *env, const struct reply *reply,
				    struct step *step);

/* ---- youtube_login.c ---- */

extern const struct oauth_exchange youtube_exchange;
extern const struct stage youtube_connect_stages[];

/* What later probes and uploads need to know about the channel: account_found.extra. */
enum youtube_audit { YOUTUBE_AUDIT_UNKNOWN, YOUTUBE_AUDIT_PASSED, YOUTUBE_AUDIT_MISSING };
/* The channel's picture by its snippet, the largest; empty = none. */
struct str youtube_channel_avatar(const struct json *snippet);
struct str youtube_extra(const struct env *env, struct str uploads_playlist,
			 struct str long_uploads, enum youtube_audit audit);

/* ---- youtube_metadata.c ---- */

struct str youtube_video_title(const struct env *env);
/* As asked for; a video with publishAt is private until then (2.5). */
struct str youtube_privacy(const struct json *options);
/* "snippet,status" and the other parts that the body holds (2.1: every part must be named). */
struct str youtube_parts(const struct env *env);
/* The video resource of videos.insert. */
struct str youtube_metadata(const struct env *env);
void youtube_call_json(struct call *call, const struct buf *body);

/* ---- youtube_upload.c: stages ---- */

STAGE_FUNCTIONS(youtube_session);
STAGE_FUNCTIONS(youtube_upload);
STAGE_FUNCTIONS(youtube_query);
/* The server takes the last bytes again and again and never has them. */
const char *youtube_lost_ask(const struct env *env, struct flow *flow, struct step *step);
/* The call of 2.3: what has the session? */
void youtube_session_query(const struct env *env, const struct flow *flow, struct step *step);
bool youtube_is_gone(const struct reply *reply);

/* ---- youtube_after.c: stages from the video's id to the part that is done ---- */

/* True when the answer carries the video: its id is remembered, and the part is open until the
 * stages below are through. */
bool youtube_video_made(const struct env *env, struct flow *flow, const struct reply *reply);
/* Of the video that was made; empty before. */
struct str youtube_video_id(const struct flow *flow);
/* The part is done with that video. */
void youtube_video_done(const struct env *env, struct flow *flow);
struct str youtube_watch_url(const struct env *env, struct str video_id);
STAGE_FUNCTIONS(youtube_thumbnail);
STAGE_FUNCTIONS(youtube_processing);
/* After every publish step: gives the engine what was learnt about the account. */
void youtube_extra_give(const struct env *env, struct flow *flow, struct step *step);

/* ---- youtube_extras.c: stages between the thumbnail and processing ---- */

STAGE_FUNCTIONS(youtube_playlist);
STAGE_FUNCTIONS(youtube_playlist_add);
STAGE_FUNCTIONS(youtube_caption);
STAGE_FUNCTIONS(youtube_caption_bytes);
/* A retry of the playlist alone begins. */
void youtube_playlist_again(struct flow *flow);

/* ---- youtube.c ---- */

const struct json *youtube_top_comment(const struct json *thread);
struct str youtube_comment_url(const struct env *env, const struct flow *flow,
			       struct str comment_id);

/* ---- youtube_resolve.c ---- */

extern const struct stage youtube_resolve_stages[];

/* ---- youtube_remove.c ---- */

extern const struct stage youtube_remove_stages[];

/* ---- youtube_rules.c ---- */

extern const struct media_rule youtube_video_rule;
extern const struct media_rule youtube_thumbnail_rule;
extern const struct post_rules youtube_rules;

/* ---- youtube_check.c ---- */

extern const struct stage youtube_check_stages[];
extern const struct stage youtube_revoke_stages[];

/* ---- youtube_plan.c ---- */

extern const struct plan_row youtube_plan[];
