/* SPDX-License-Identifier: Apache-2.0
 * What the files of X's adapter share: x.c (posts), x_login.c (OAuth), x_rules.c (what X takes),
 * x_error.c (what it refuses), x_media.c (uploads), x_subtitles.c, x_article.c, x_resolve.c (what
 * became of an uncertain call), x_remove.c (taking back). Facts: x.md; numbers in comments are its
 * sections. */
#pragma once

#include "plan.h"
#include "platform.h"
#include "rules.h"
#include "stages.h"

#define X_HOST "api.x.com"
#define X_API "https://" X_HOST
#define X_PATH_TWEETS "/2/tweets"
#define X_PATH_UPLOAD "/2/media/upload"
#define X_PATH_METADATA "/2/media/metadata"
#define X_PATH_SUBTITLES "/2/media/subtitles"
#define X_PATH_ARTICLES "/2/articles"
#define X_PATH_ME "/2/users/me"
#define X_BODY_MAX_BYTES (512 * 1024) /* a text of 100,000 bytes, escaped */

/* ---- stage names and flow keys: stored, so one may be added but never changed ---- */

#define X_STAGE_START "start"
#define X_STAGE_MEDIA "media"
#define X_STAGE_UPLOAD "upload"
#define X_STAGE_INITIALIZE "initialize"
#define X_STAGE_APPEND "append"
#define X_STAGE_FINALIZE "finalize"
#define X_STAGE_STATUS "status"
#define X_STAGE_ALT_TEXT "alt_text"
#define X_STAGE_SUBTITLES "subtitles"
#define X_STAGE_SUBTITLES_BYTES "subtitles_bytes"
#define X_STAGE_SUBTITLES_END "subtitles_end"
#define X_STAGE_SUBTITLES_STATUS "subtitles_status"
#define X_STAGE_SUBTITLES_BIND "subtitles_bind"
#define X_STAGE_CREATE "create"
#define X_STAGE_DRAFT "draft"
#define X_STAGE_ARTICLE "article"
#define X_STAGE_CHECK "check"
#define X_STAGE_REVOKE "revoke"
#define X_STAGE_PROBE "probe"
#define X_STAGE_TOKEN "token"
#define X_STAGE_ME "me"
#define X_STAGE_REFRESH "refresh"
#define X_STAGE_LOOK "look"
#define X_STAGE_LOOK_BEFORE "look_before"

#define X_KEY_PART "x.part"                   /* whose uploads these are */
#define X_KEY_MEDIA_DONE "x.media_done"       /* so many files are uploaded */
#define X_KEY_MEDIA_ID "x.media_id"           /* of the file under way */
#define X_KEY_SEGMENT "x.segment"             /* the next one of that file */
#define X_KEY_SEGMENT_BYTES "x.segment_bytes" /* of each but the last */
#define X_KEY_SEGMENT_MOST "x.segment_most"   /* larger ones were refused */
#define X_KEY_FINALIZE_OPEN "x.finalize_open" /* the answer to its finalize was lost */
#define X_KEY_FINALIZES "x.finalizes"         /* how often finalize was asked for */
#define X_KEY_PROCESSING_US "x.processing_us" /* since when it is processed */
#define X_KEY_ALT_TRIES "x.alt_tries"
#define X_KEY_SUBTITLES "x.subtitles"                 /* so many are through */
#define X_KEY_SUBTITLES_ID "x.subtitles_id"           /* of the file under way */
#define X_KEY_SUBTITLES_TRIES "x.subtitles_tries"     /* of that file */
#define X_KEY_SUBTITLES_LACKING "x.subtitles_lacking" /* their languages */
#define X_KEY_MEDIA_AGAIN "x.media_again"      /* the uploads were lost and made again, once */
#define X_KEY_MEDIA_ID_FORMAT "x.media_id_%zu" /* of an uploaded file, by its number */
#define X_KEY_ARTICLE_ID "x.article_id"        /* of the draft */

extern const struct oauth_profile x_oauth;
extern const struct post_rules x_rules;
extern const struct stage x_verify_stages[];
extern const struct stage x_connect_stages[];
extern const struct stage x_refresh_stages[];
extern const struct stage x_resolve_stages[];
extern const struct stage x_check_stages[];
extern const struct stage x_revoke_stages[];
extern const struct stage x_remove_stages[];

/* ---- x_login.c ---- */

/* Identifies the app by its id and secret (1.3). */
void x_call_basic(const struct env *env, struct call *call);

/* ---- x_error.c ---- */

/* a, or b when a is empty. */
struct str x_first_of(struct str a, struct str b);
/* What follows the last slash. */
struct str x_last_segment(struct str path);
/* X's own words, or one of the three answers that it gives without any (4). */
bool x_is_refusal(const struct reply *reply);
/* Fills step with what the answer, or its absence, means. */
void x_failed(const struct env *env, const struct reply *reply, struct step *step);
/* A 2xx. What errors[] holds beside data is no failure (4). */
bool x_is_ok(const struct reply *reply);

/* ---- x_post.c ---- */

/* Is the current part an article, and not one of the replies to it? */
bool x_is_article(const struct env *env, const struct flow *flow);
/* The option article, or NULL. */
const struct json *x_article_options(const struct env *env);
/* https://x.com/NAME/status/ID */
struct str x_post_url(const struct env *env, struct str id);
/* The post that this part replies to: the part before it, or what the option names. Empty for a
 * post that is no reply. */
struct str x_parent_id(const struct env *env, const struct flow *flow);

/* ---- x_rules.c ---- */

/* The text of that container as it is sent: without its addresses where the option strip_links says
 * so. */
struct str x_text(struct arena *arena, const struct post_content *post, const struct json *options,
		  size_t container);
/* The id in what the option community_id gives: an id or the community's address (6). */
struct str x_community_id(struct str given);

/* What the bytes are to X (3.2). */
enum x_media_kind { X_MEDIA_IMAGE, X_MEDIA_GIF, X_MEDIA_VIDEO };
enum x_media_kind x_media_kind(const struct media_file *file);
/* True when that file may be uploaded; else step is the refusal. is_alone: the container's only
 * file. */
bool x_media_check(const struct env *env, size_t index, bool is_alone, struct step *step);
/* A file of subtitles. */
extern const struct media_rule x_subtitles_rule;

/* ---- x_media.c: the files of the current part ---- */

/* Called when a part begins: forgets the uploads of the part before. */
void x_media_begin(struct flow *flow);
/* Forgets the uploads of this part, so that they are made once more; false when that was done
 * already. */
bool x_media_begin_again(struct flow *flow);
/* The first stage of a part with files. */
STAGE_FUNCTIONS(x_media);
STAGE_FUNCTIONS(x_upload);
STAGE_FUNCTIONS(x_initialize);
STAGE_FUNCTIONS(x_append);
STAGE_FUNCTIONS(x_finalize);
STAGE_FUNCTIONS(x_status);
STAGE_FUNCTIONS(x_alt_text);
/* The steps of a chunked upload (2.4). */
struct x_upload {
	struct str type;
	const char *category;
	size_t media_index;
	int64_t size_bytes;
};
void x_upload_begin(const struct env *env, const struct x_upload *upload, struct step *step);
struct x_segment {
	struct str upload_id;
	size_t media_index;
	int64_t number;
	int64_t offset_bytes;
	int64_t length_bytes;
};
void x_upload_append(const struct env *env, const struct x_segment *segment, struct step *step);
void x_upload_end(const struct env *env, struct str upload_id, struct step *step);
void x_upload_status(const struct env *env, struct str upload_id, struct step *step);
/* The id that an answer names; empty when it is a refusal or names none. */
struct str x_upload_answered_id(const struct env *env, const struct reply *reply);
/* How long to wait until it is asked for again. */
int64_t x_upload_wait_ms(const struct json *processing_info);
/* A post is better without what goes with a file than not at all. True when what was refused is to
 * be left out: for ever, or after some tries that tries_key counts. What concerns every call of the
 * account or the app is not for here. */
bool x_can_do_without(struct flow *flow, const struct failure *failure, const char *tries_key);
/* Notes that the file under way is at X, and goes on with the next. */
const char *x_media_file_done(struct flow *flow);
/* How many files the current part has, and X's id for each that is uploaded. */
size_t x_media_count(const struct env *env, const struct flow *flow);
struct str x_media_id(const struct flow *flow, size_t number);

/* ---- x_subtitles.c: what goes with the video of the first part, before it is posted ---- */

STAGE_FUNCTIONS(x_subtitles);
STAGE_FUNCTIONS(x_subtitles_bytes);
STAGE_FUNCTIONS(x_subtitles_end);
STAGE_FUNCTIONS(x_subtitles_status);
STAGE_FUNCTIONS(x_subtitles_bind);
/* The video is uploaded anew, and its subtitles too. */
void x_subtitles_forget(struct flow *flow);

/* ---- x_article.c ---- */

STAGE_FUNCTIONS(x_draft);
STAGE_FUNCTIONS(x_article);
/* X's id for the article of this flow; empty before it has one. */
struct str x_article_id(const struct flow *flow);

/* ---- x_plan.c ---- */

extern const struct plan_row x_plan[];
