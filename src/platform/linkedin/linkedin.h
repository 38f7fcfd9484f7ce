/* SPDX-License-Identifier: Apache-2.0
 * LinkedIn: Posts API under /rest, versioned by month (platforms/linkedin.md, read 2026-11-21).
 * What its files share, for them only: linkedin.c (the publish flow), linkedin_login.c
 * (credentials, consent, accounts, tokens), linkedin_media.c (files on their way up),
 * linkedin_post.c (the body of a post), linkedin_rules.c (what it takes), linkedin_resolve.c (calls
 * in doubt) and linkedin_calls.c (calls and refusals). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "str.h"

#include "media_rules.h"
#include "platform.h"
#include "refusal.h"
#include "stages.h"

struct json_writer;
struct post_rules;

#define LINKEDIN_REST_URL "https://api.linkedin.com/rest"
#define LINKEDIN_USERINFO_URL "https://api.linkedin.com/v2/userinfo" /* 1.6 */
#define LINKEDIN_PERSON_URN "urn:li:person:"
#define LINKEDIN_ORGANIZATION_URN "urn:li:organization:"
#define LINKEDIN_BODY_MAX_BYTES (1024 * 1024)

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
struct str linkedin_created_id(const struct reply *reply);
/* The comments under the first part. */
struct str linkedin_comments_url(const struct env *env, const struct flow *flow);
/* The name of a comment in an answer, or empty. */
struct str linkedin_comment_urn(const struct env *env, const struct json *comment);

/* ---- linkedin_login.c ---- */

extern const struct stage linkedin_verify_stages[];
extern const struct stage linkedin_connect_stages[];
extern const struct stage linkedin_refresh_stages[];
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
 * publish; they end in "post". */
const char *linkedin_asset_ask(const struct env *env, struct flow *flow, struct step *step);
const char *linkedin_init_ask(const struct env *env, struct flow *flow, struct step *step);
const char *linkedin_init_answer(const struct env *env, struct flow *flow,
				 const struct reply *reply, struct step *step);
const char *linkedin_upload_ask(const struct env *env, struct flow *flow, struct step *step);
const char *linkedin_upload_answer(const struct env *env, struct flow *flow,
				   const struct reply *reply, struct step *step);
const char *linkedin_part_ask(const struct env *env, struct flow *flow, struct step *step);
const char *linkedin_part_answer(const struct env *env, struct flow *flow,
				 const struct reply *reply, struct step *step);
const char *linkedin_thumbnail_ask(const struct env *env, struct flow *flow, struct step *step);
const char *linkedin_thumbnail_answer(const struct env *env, struct flow *flow,
				      const struct reply *reply, struct step *step);
const char *linkedin_finalize_ask(const struct env *env, struct flow *flow, struct step *step);
const char *linkedin_finalize_answer(const struct env *env, struct flow *flow,
				     const struct reply *reply, struct step *step);
const char *linkedin_ended_ask(const struct env *env, struct flow *flow, struct step *step);
const char *linkedin_ended_answer(const struct env *env, struct flow *flow,
				  const struct reply *reply, struct step *step);
const char *linkedin_settle_ask(const struct env *env, struct flow *flow, struct step *step);
const char *linkedin_settle_answer(const struct env *env, struct flow *flow,
				   const struct reply *reply, struct step *step);

/* ---- linkedin_post.c ---- */

/* The content of the part that is next. */
struct str linkedin_part_text(const struct env *env, const struct flow *flow);
/* The first part's text as little text, with the mentions of the options in it. */
struct str linkedin_commentary(const struct env *env);
/* The JSON of POST /rest/posts. */
struct str linkedin_post_body(const struct env *env, const struct flow *flow);
/* "@Name" becomes "@[Name](urn)" for every mention of the options. */
struct str linkedin_text_with_mentions(struct arena *arena, struct str text,
				       const struct json *mentions);
/* Where an article's card leads to: the option, else the first link of the text, else empty. */
struct str linkedin_article_source(const struct json *options, struct str text);
/* Is the post a card: of that type, or with the option article? */
bool linkedin_is_article(enum post_type type, const struct json *options);

/* ---- linkedin_rules.c ---- */

extern const struct post_rules linkedin_rules;
extern const struct media_rule linkedin_media_rules[LINKEDIN_KINDS];

/* ---- linkedin_resolve.c ---- */

extern const struct stage linkedin_resolve_stages[];

/* ---- linkedin_check.c ---- */

extern const struct stage linkedin_check_stages[];
