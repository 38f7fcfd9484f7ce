/* SPDX-License-Identifier: Apache-2.0
 * What the files of Facebook Pages share: facebook.c (the platform, connect, posts, photos,
 * comments), facebook_video.c (videos, reels, video stories), facebook_resolve.c (uncertain calls)
 * and facebook_rules.c (what a Page takes). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

#include "post.h"

#include "media_rules.h"
#include "plan.h"
#include "platform.h"
#include "rules.h"
#include "stages.h"

struct buf;

/* ---- edges of a Page's objects ---- */

#define FACEBOOK_EDGE_PHOTOS "photos"
#define FACEBOOK_EDGE_FEED "feed"
#define FACEBOOK_EDGE_VIDEOS "videos"
#define FACEBOOK_EDGE_REELS "video_reels"
#define FACEBOOK_EDGE_PHOTO_STORIES "photo_stories"
#define FACEBOOK_EDGE_VIDEO_STORIES "video_stories"
#define FACEBOOK_EDGE_STORIES "stories"
#define FACEBOOK_EDGE_COMMENTS "comments"

/* ---- stage names and flow keys: stored, so one may be added but never changed ---- */

#define FACEBOOK_STAGE_START "start"
#define FACEBOOK_STAGE_PHOTO "photo"
#define FACEBOOK_STAGE_FEED "feed"
#define FACEBOOK_STAGE_STORY "story"
#define FACEBOOK_STAGE_COMMENT "comment"
#define FACEBOOK_STAGE_CHUNK_START "chunk_start"
#define FACEBOOK_STAGE_CHUNK "chunk"
#define FACEBOOK_STAGE_SESSION_START "session_start"
#define FACEBOOK_STAGE_UPLOAD "upload"
#define FACEBOOK_STAGE_UPLOAD_LOOK "upload_look"
#define FACEBOOK_STAGE_READY "ready"
#define FACEBOOK_STAGE_FINISH "finish"
#define FACEBOOK_STAGE_CHECK "check"
#define FACEBOOK_STAGE_LISTED "listed"
#define FACEBOOK_STAGE_COVER "cover"
#define FACEBOOK_STAGE_SHAPE "shape"
#define FACEBOOK_STAGE_COLLABORATOR "collaborator"
#define FACEBOOK_STAGE_LOOK "look"
#define FACEBOOK_STAGE_POSTS "posts"
#define FACEBOOK_STAGE_VIDEO "video"
#define FACEBOOK_STAGE_STORIES "stories"
#define FACEBOOK_STAGE_COMMENTS "comments"

#define FACEBOOK_KEY_UPLOADS "uploads"
#define FACEBOOK_KEY_PHOTOS_AT_US "photos_at_us"
#define FACEBOOK_KEY_STORY_ID "story_id"
#define FACEBOOK_KEY_POLLS "polls"
#define FACEBOOK_KEY_WAITED_MS "waited_ms"
#define FACEBOOK_KEY_SESSIONS "sessions"
#define FACEBOOK_KEY_VIDEO_ID "video_id"
#define FACEBOOK_KEY_UPLOAD_SESSION "upload_session"
#define FACEBOOK_KEY_UPLOAD_URL "upload_url"
#define FACEBOOK_KEY_OFFSET "offset"
#define FACEBOOK_KEY_END "end"
#define FACEBOOK_KEY_CORRECTIONS "corrections"
#define FACEBOOK_KEY_UPLOAD_TROUBLES "upload_troubles"
#define FACEBOOK_KEY_CHECK_ANSWERED "check_answered"
#define FACEBOOK_KEY_LISTS "lists"
#define FACEBOOK_KEY_IS_REEL "is_reel"
#define FACEBOOK_KEY_COLLABORATORS "collaborators"
#define FACEBOOK_KEY_PHOTO_FORMAT "part%zu_photo%zu" /* ids of a part's photos */

/* ---- facebook_rules.c ---- */

/* What a post becomes on a Page (meta.md 3). */
enum facebook_kind {
	FACEBOOK_FEED,        /* text, a link, photos: POST /feed */
	FACEBOOK_VIDEO,       /* POST /videos, in chunks */
	FACEBOOK_REEL,        /* POST /video_reels */
	FACEBOOK_PHOTO_STORY, /* POST /photo_stories */
	FACEBOOK_VIDEO_STORY  /* POST /video_stories */
};

extern const struct post_rules facebook_rules;
extern const struct media_rule facebook_photo_rule; /* also for thumbnails */

/* By what the request says: a video may turn out to be a reel. */
enum facebook_kind facebook_kind_of(const struct post_content *post, enum post_type type);
/* Would this file be a reel? Facebook keeps an upright video of /videos as a draft (meta.md 3.1).
 */
bool facebook_is_reel(const struct env *env, const struct media_file *file);
/* Of a kind with one video. */
const struct media_rule *facebook_video_rule(enum facebook_kind kind);
/* Every option that the post has and that this kind takes, under its own name. */
void facebook_options_add(const struct env *env, struct buf *form, enum facebook_kind kind);

/* ---- facebook.c ---- */

/* The container of the part that is next. */
const struct container *facebook_container(const struct env *env, const struct flow *flow);
/* The id of the current part's photo with that index, or empty. */
struct str facebook_photo_id(const struct env *env, const struct flow *flow, size_t index);
/* "{page}/edge" */
struct str facebook_edge(const struct env *env, const char *edge);
/* Fills the step for a publish call's answer that is no success. */
void facebook_publish_fail(const struct env *env, const struct flow *flow,
			   const struct reply *reply, struct step *step);
/* True when the answer is one of the two refusals that pass (389, 6001) and there were not too
 * many: the step waits, and the same call is asked again. */
bool facebook_repeats(struct flow *flow, const struct reply *reply, struct step *step);
/* permalink as Graph gives it, whole or from the slash on; without one the address made of id. */
struct str facebook_url(const struct env *env, const struct json *permalink, struct str id);

/* ---- facebook_video.c: stages of the publish table ---- */

/* Which way a video takes, by its file. */
STAGE_FUNCTIONS(facebook_shape);
STAGE_FUNCTIONS(facebook_chunk_start);
STAGE_FUNCTIONS(facebook_chunk);
STAGE_FUNCTIONS(facebook_session_start);
STAGE_FUNCTIONS(facebook_upload);
STAGE_FUNCTIONS(facebook_upload_probe);
STAGE_FUNCTIONS(facebook_ready);
STAGE_FUNCTIONS(facebook_finish);
STAGE_FUNCTIONS(facebook_check);
STAGE_FUNCTIONS(facebook_cover);
/* Invites the Pages that a reel names beside its own. */
STAGE_FUNCTIONS(facebook_collaborator);
/* What a story is known by; for photo stories too. */
STAGE_FUNCTIONS(facebook_listed);

/* What Graph says of a video (meta.md 3.2, step 3). */
struct facebook_video_state {
	bool is_uploaded; /* all bytes are there */
	bool is_processing;
	bool is_failed;    /* in any phase, even if the overall status differs */
	bool is_published; /* or a draft: the finish call has done its work */
	bool is_draft;     /* nobody sees it until a person publishes it at Facebook */
	bool is_done;      /* published, and nothing can go wrong any more */
	int64_t received_bytes;
	struct str words; /* of the phase that failed */
};

struct facebook_video_state facebook_video_state_read(const struct json *video);
/* As asked for: a draft, or public. */
enum post_visibility facebook_visibility(const struct env *env);
void facebook_video_ask(const struct env *env, const struct flow *flow, struct step *step);
/* Asks for the Page's stories since the flow's photo or video was begun. */
void facebook_stories_ask(const struct env *env, const struct flow *flow, struct step *step);
/* The story of the current part's photo or video in that answer, or NULL. */
const struct json *facebook_story_find(const struct env *env, const struct flow *flow,
				       const struct reply *reply);

/* ---- facebook_resolve.c ---- */

extern const struct stage facebook_resolve_stages[];

/* ---- facebook_remove.c ---- */

extern const struct stage facebook_remove_stages[];

/* ---- facebook_plan.c ---- */

extern const struct plan_row facebook_plan[];
