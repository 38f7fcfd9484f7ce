/* SPDX-License-Identifier: Apache-2.0
 * What the files of X's adapter share: x.c (posts), x_login.c (OAuth), x_rules.c (what X takes),
 * x_error.c (what it refuses), x_media.c (uploads), x_article.c, x_resolve.c (what became of a call in
 * doubt). Facts: platforms/x.md; numbers in comments are its sections. */
#pragma once

#include "platform.h"
#include "rules.h"
#include "stages.h"

#define X_API "https://api.x.com"
#define X_BODY_MAX_BYTES (512 * 1024) /* a text of 100,000 bytes, escaped */

extern const struct oauth_profile x_oauth;
extern const struct post_rules x_rules;
extern const struct stage x_verify_stages[];
extern const struct stage x_connect_stages[];
extern const struct stage x_refresh_stages[];
extern const struct stage x_resolve_stages[];
extern const struct stage x_check_stages[];
extern const struct stage x_revoke_stages[];

/* Declares a stage's two functions (stages.h). */
#define X_STAGE(name) \
	const char *x_##name##_ask(const struct env *env, struct flow *flow, struct step *step); \
	const char *x_##name##_answer(const struct env *env, struct flow *flow, \
				      const struct reply *reply, struct step *step)

/* ---- x_login.c ---- */

/* Identifies the app by its id and secret (1.3). */
void x_call_basic(const struct env *env, struct call *call);

/* ---- x_error.c ---- */

/* a, or b when a is empty. */
struct str x_first_of(struct str a, struct str b);
/* What stands behind the last slash. */
struct str x_last_segment(struct str path);
/* X's own words, or one of the three answers that it gives without any (4). */
bool x_is_refusal(const struct reply *reply);
/* Fills step with what the answer, or its absence, means. */
void x_failed(const struct env *env, const struct reply *reply, struct step *step);
/* A 2xx. What errors[] holds beside data is no failure (4). */
bool x_is_ok(const struct reply *reply);

/* ---- x_rules.c ---- */

/* Does the account have one of X's subscriptions (1.6)? extra: what connect left, or NULL. */
bool x_is_premium(const struct json *extra);
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

/* ---- x_media.c: the files of the current part ---- */

/* Called when a part begins: forgets the uploads of the part before. */
void x_media_begin(struct flow *flow);
/* Forgets the uploads of this part, so that they are made once more; false when that was done
 * already. */
bool x_media_begin_again(struct flow *flow);
/* The first stage of a part with files. */
X_STAGE(media);
X_STAGE(upload);
X_STAGE(initialize);
X_STAGE(append);
X_STAGE(finalize);
X_STAGE(status);
X_STAGE(alt_text);
/* How many files the current part has, and X's id for each that is uploaded. */
size_t x_media_count(const struct env *env, const struct flow *flow);
struct str x_media_id(const struct flow *flow, size_t number);

/* ---- x_article.c ---- */

/* Is the current part an article, and not one of the replies to it? */
bool x_is_article(const struct env *env, const struct flow *flow);
/* The option article, or NULL. */
const struct json *x_article_options(const struct env *env);
X_STAGE(draft);
X_STAGE(article);
/* X's id for the article of this flow; empty before it has one. */
struct str x_article_id(const struct flow *flow);

/* ---- x.c ---- */

/* https://x.com/NAME/status/ID */
struct str x_post_url(const struct env *env, struct str id);
/* The post that this part answers: the part before it, or what the option names. Empty for a post
 * of its own. */
struct str x_parent_id(const struct env *env, const struct flow *flow);
