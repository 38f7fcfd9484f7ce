/* SPDX-License-Identifier: Apache-2.0
 * LinkedIn: Posts API under /rest, versioned by month (linkedin.md, read 2026-11-21).
 * What its files share, for them only: linkedin.c (the publish flow), linkedin_login.c
 * (credentials, consent, accounts, tokens), linkedin_media.c (files on their way up),
 * linkedin_captions.c (a video's captions), linkedin_post.c (the body of a post), linkedin_rules.c
 * (what it takes), linkedin_resolve.c (uncertain calls), linkedin_remove.c (taking back) and
 * linkedin_calls.c (calls and refusals). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "str.h"

#include "media_rules.h"
#include "oauth_exchange.h"
#include "plan.h"
#include "platform.h"
#include "refusal.h"
#include "stages.h"

struct json_writer;
struct post_rules;

#define LINKEDIN_REST "api.linkedin.com/rest"
#define LINKEDIN_REST_URL "https://" LINKEDIN_REST
#define LINKEDIN_PATH_POSTS "/posts"
#define LINKEDIN_PATH_IMAGES "/images"
#define LINKEDIN_PATH_VIDEOS "/videos"
#define LINKEDIN_PATH_DOCUMENTS "/documents"
#define LINKEDIN_PATH_SOCIAL_ACTIONS "/socialActions"
#define LINKEDIN_USERINFO_URL "https://api.linkedin.com/v2/userinfo" /* 1.6 */
#define LINKEDIN_PERSON_URN "urn:li:person:"
#define LINKEDIN_ORGANIZATION_URN "urn:li:organization:"
#define LINKEDIN_BODY_MAX_BYTES (1024 * 1024)

/* ---- stage names and flow keys: stored, so one may be added but never changed ---- */

#define LINKEDIN_STAGE_BEGIN "begin"
#define LINKEDIN_STAGE_ASSET "asset"
#define LINKEDIN_STAGE_INIT "init"
#define LINKEDIN_STAGE_UPLOAD "upload"
#define LINKEDIN_STAGE_PART "part"
#define LINKEDIN_STAGE_CAPTIONS "captions"
#define LINKEDIN_STAGE_THUMBNAIL "thumbnail"
#define LINKEDIN_STAGE_FINALIZE "finalize"
#define LINKEDIN_STAGE_ENDED "ended"
#define LINKEDIN_STAGE_SETTLE "settle"
#define LINKEDIN_STAGE_POST "post"
#define LINKEDIN_STAGE_COMMENT "comment"
#define LINKEDIN_STAGE_CHECK "check"
#define LINKEDIN_STAGE_MEMBER "member"
#define LINKEDIN_STAGE_ME "me"
#define LINKEDIN_STAGE_PAGES "pages"
#define LINKEDIN_STAGE_PAGE "page"
#define LINKEDIN_STAGE_ACCOUNTS "accounts"
#define LINKEDIN_STAGE_DOUBT "doubt"
#define LINKEDIN_STAGE_DUPLICATE "duplicate"
#define LINKEDIN_STAGE_POSTS "posts"
#define LINKEDIN_STAGE_COMMENTS "comments"

#define LINKEDIN_KEY_REPEAT_UNTIL_US "repeat_until_us"
#define LINKEDIN_KEY_DUPLICATE_URN "duplicate_urn"
#define LINKEDIN_KEY_EARLY_REFUSALS "early_refusals"
#define LINKEDIN_KEY_MEMBER_ID "member_id"
#define LINKEDIN_KEY_MEMBER_NAME "member_name"
#define LINKEDIN_KEY_MEMBER_EMAIL "member_email"
#define LINKEDIN_KEY_MEMBER_PICTURE "member_picture"
#define LINKEDIN_KEY_MEMBER_VANITY "member_vanity"
#define LINKEDIN_KEY_ROLE "role"
#define LINKEDIN_KEY_START "start"
#define LINKEDIN_KEY_PAGE_IDS "page_ids"
#define LINKEDIN_KEY_PAGE_COUNT "page_count"
#define LINKEDIN_KEY_PAGES_KNOWN "pages_known"
#define LINKEDIN_KEY_PAGES "pages"
#define LINKEDIN_KEY_ASSET "asset"
#define LINKEDIN_KEY_UPLOADS_AGAIN "uploads_again"
#define LINKEDIN_KEY_INSTRUCTIONS "instructions"
#define LINKEDIN_KEY_UPLOAD_TOKEN "upload_token"
#define LINKEDIN_KEY_THUMBNAIL_URL "thumbnail_url"
#define LINKEDIN_KEY_CAPTIONS_URL "captions_url"
#define LINKEDIN_KEY_CAPTIONS_TRIES "captions_tries"
#define LINKEDIN_KEY_CAPTIONS_LACKING "captions_lacking"
#define LINKEDIN_KEY_ETAGS "etags"
#define LINKEDIN_KEY_PART "part"
#define LINKEDIN_KEY_UPLOAD_URL "upload_url"
#define LINKEDIN_KEY_IS_BLIND "is_blind"
#define LINKEDIN_KEY_SETTLED "settled"
#define LINKEDIN_KEY_WAITED "waited"
#define LINKEDIN_KEY_POLLS "polls"
#define LINKEDIN_KEY_REPEATS "repeats"
#define LINKEDIN_KEY_URN_FORMAT "urn%zu" /* of each asset */

/* ---- linkedin_calls.c ---- */

extern const struct refusal linkedin_token_refusals[];
extern const struct refusal linkedin_api_refusals[];

/* A refusal taken apart (section 4). */
struct refusal_facts linkedin_facts(const struct env *env, const struct reply *reply);
/* Fills a STEP_FAIL; returns NULL, as the stage functions do. */
const char *linkedin_fail(const struct env *env, const struct reply *reply, struct step *step);
/* For read and prepare calls: true when the answer is of no use and the step says so. */
bool linkedin_is_refused(const struct env *env, const struct reply *reply, struct step *step);
/* A call under /rest with its three headers (2.1). */
struct call *linkedin_send(const struct env *env, struct str token, struct step *step,
			   enum call_kind kind, const char *method, struct str url);
/* before, the URN percent-encoded, after. */
struct str linkedin_url(const struct env *env, const char *before, struct str urn,
			const char *after);
bool linkedin_is_page(const struct env *env);
struct str linkedin_author_urn(const struct env *env);
/* Where a person sees it. */
struct str linkedin_post_url(const struct env *env, struct str urn);
/* The URN of what was created, or empty. */
struct str linkedin_created_id(const struct env *env, const struct reply *reply);
/* The comments under the first part. */
struct str linkedin_comments_url(const struct env *env, const struct flow *flow);
/* The name of a comment in an answer, or empty. */
struct str linkedin_comment_urn(const struct env *env, const struct json *comment);

/* ---- linkedin_login.c ---- */

extern const struct oauth_exchange linkedin_exchange;
extern const struct stage linkedin_connect_stages[];
extern const struct oauth_profile linkedin_oauth;

/* ---- linkedin_media.c ---- */

enum linkedin_asset_kind { LINKEDIN_IMAGE, LINKEDIN_VIDEO, LINKEDIN_DOCUMENT, LINKEDIN_KINDS };

/* A file that the post shows. */
struct linkedin_asset {
	enum linkedin_asset_kind kind;
	size_t media_index; /* flat, when url is empty */
	struct str url;     /* of a file that an option names */
	struct str alt_text;
};

size_t linkedin_asset_count(const struct env *env);
struct linkedin_asset linkedin_asset_at(const struct env *env, size_t index);
/* The URN under which its bytes were uploaded; empty before. A repeat of the post must carry the
 * same ones, else the guard against duplicates may not know it again (section 5). */
struct str linkedin_asset_urn(const struct env *env, const struct flow *flow, size_t index);

/* Stages "asset", "init", "upload", "part", "thumbnail", "finalize", "ended" and "settle" of
 * publish; they end in "post". A video's go from "init" over "captions" to "part". */
const char *linkedin_asset_ask(const struct env *env, struct flow *flow, struct step *step);
STAGE_FUNCTIONS(linkedin_init);
STAGE_FUNCTIONS(linkedin_upload);
STAGE_FUNCTIONS(linkedin_part);
STAGE_FUNCTIONS(linkedin_thumbnail);
STAGE_FUNCTIONS(linkedin_finalize);
STAGE_FUNCTIONS(linkedin_ended);
STAGE_FUNCTIONS(linkedin_settle);

/* ---- linkedin_captions.c ---- */

enum linkedin_captions {
	/* none were asked for, or they are done without: a warning says so */
	LINKEDIN_CAPTIONS_NONE,
	LINKEDIN_CAPTIONS_HERE,
	LINKEDIN_CAPTIONS_WANTED /* the step asks for their file */
};

/* The file of the post's captions. file_out: its flat index, of HERE. */
enum linkedin_captions linkedin_captions_find(const struct env *env, struct flow *flow,
					      int *file_out, struct step *step);
/* Stage "captions" of publish: before the video's parts. Captions that were announced and are
 * refused lead back to "init", which announces none. */
STAGE_FUNCTIONS(linkedin_captions);

/* ---- linkedin_post.c ---- */

/* The content of the part that is next. */
struct str linkedin_part_text(const struct env *env, const struct flow *flow);
/* The first part's text as little text, with the mentions of the options in it. */
struct str linkedin_commentary(const struct env *env);
/* The JSON of POST /rest/posts. */
struct str linkedin_post_body(const struct env *env, const struct flow *flow);
/* Where an article's card leads to: the option, else the first link of the text, else empty. */
struct str linkedin_article_source(const struct json *options, struct str text);
/* Is the post a card: of that type, or with the option article? */
bool linkedin_is_article(enum post_type type, const struct json *options);

/* ---- linkedin_rules.c ---- */

extern const struct post_rules linkedin_rules;
extern const struct media_rule linkedin_media_rules[LINKEDIN_KINDS];
extern const struct media_rule linkedin_captions_rule;

/* ---- linkedin_resolve.c ---- */

extern const struct stage linkedin_resolve_stages[];

/* ---- linkedin_remove.c ---- */

extern const struct stage linkedin_remove_stages[];

/* ---- linkedin_check.c ---- */

extern const struct stage linkedin_check_stages[];

/* ---- linkedin_plan.c ---- */

extern const struct plan_row linkedin_plan[];
