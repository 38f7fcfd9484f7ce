/* SPDX-License-Identifier: Apache-2.0
 * What the files of Instagram share. instagram.c is the platform: connecting, and a post up to its
 * comments. instagram_rules.c says what Instagram takes, instagram_container.c makes and watches
 * the containers, instagram_address.c says where Meta fetches from, instagram_resolve.c settles
 * uncertain publish calls. No one else includes this. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

#include "failure.h"

#include "media_rules.h"
#include "plan.h"
#include "platform.h"
#include "rules.h"
#include "stages.h"

/* ---- edges of an account's objects ---- */

#define INSTAGRAM_EDGE_QUOTA "content_publishing_limit"
#define INSTAGRAM_EDGE_MEDIA "media"
#define INSTAGRAM_EDGE_PUBLISH "media_publish"
#define INSTAGRAM_EDGE_COMMENTS "comments"

/* ---- stage names and flow keys: stored, so one may be added but never changed ---- */

#define INSTAGRAM_STAGE_START "start"
#define INSTAGRAM_STAGE_QUOTA "quota"
#define INSTAGRAM_STAGE_CONTAINER "container"
#define INSTAGRAM_STAGE_UPLOAD "upload"
#define INSTAGRAM_STAGE_POLL "poll"
#define INSTAGRAM_STAGE_PUBLISH "publish"
#define INSTAGRAM_STAGE_PERMALINK "permalink"
#define INSTAGRAM_STAGE_COMMENT "comment"
#define INSTAGRAM_STAGE_LOOK "look"
#define INSTAGRAM_STAGE_STATUS "status"
#define INSTAGRAM_STAGE_MEDIA "media"
#define INSTAGRAM_STAGE_STORIES "stories"
#define INSTAGRAM_STAGE_COMMENTS "comments"
#define INSTAGRAM_STAGE_LOGIN_SECRET "login_secret"
#define INSTAGRAM_STAGE_LOGIN_CODE "login_code"
#define INSTAGRAM_STAGE_LOGIN_LONG "login_long"
#define INSTAGRAM_STAGE_LOGIN_ME "login_me"
#define INSTAGRAM_STAGE_LOGIN_REFRESH "login_refresh"

#define INSTAGRAM_KEY_CONTAINER "container"
#define INSTAGRAM_KEY_REPEATS "repeats"
#define INSTAGRAM_KEY_REFUSALS "refusals"
#define INSTAGRAM_KEY_UNKNOWNS "unknowns"
#define INSTAGRAM_KEY_HOSTED "hosted"
#define INSTAGRAM_KEY_READY "ready"
#define INSTAGRAM_KEY_UPLOAD_URL "upload_url"
#define INSTAGRAM_KEY_FETCHES "fetches"
#define INSTAGRAM_KEY_POLLS "polls"
#define INSTAGRAM_KEY_WAITED_MS "waited_ms"
#define INSTAGRAM_KEY_UPLOAD_ITEM "upload_item"
#define INSTAGRAM_KEY_UPLOAD_LOST "upload_lost"
#define INSTAGRAM_KEY_CONTAINERS "containers"
#define INSTAGRAM_KEY_SINCE_US "since_us"
#define INSTAGRAM_KEY_MEDIA_LOOKS "media_looks"
/* the account's extra with the quota that Meta reported */
#define INSTAGRAM_KEY_PUBLISHING_QUOTA "publishing_quota"
#define INSTAGRAM_KEY_CHILD_FORMAT "child%zu" /* a carousel's containers */

/* ---- instagram_rules.c ---- */

/* Where a container stands in a post; what it may say differs (meta.md 4.1). */
enum instagram_place {
	INSTAGRAM_IMAGE = 1,
	INSTAGRAM_REEL = 2,
	INSTAGRAM_STORY = 4,
	INSTAGRAM_CHILD_IMAGE = 8,
	INSTAGRAM_CHILD_VIDEO = 16,
	INSTAGRAM_CAROUSEL = 32
};

extern const struct post_rules instagram_rules;
/* The option belongs to containers in that place. */
bool instagram_option_belongs(const struct option_rule *option, enum instagram_place place);
/* What a file of that type of post must be. */
const struct media_rule *instagram_media_rule(enum post_type type, enum media_type media_type);
/* What the cover of a reel must be. */
extern const struct media_rule instagram_cover_rule;

/* ---- instagram_container.c ---- */

/* Stages of publishing, in this order; "publish" follows the last one. */
STAGE_FUNCTIONS(instagram_container);
STAGE_FUNCTIONS(instagram_upload);
STAGE_FUNCTIONS(instagram_poll);
/* The container that is to be published is not ready, although its status said so: waits and asks
 * for the status again. */
const char *instagram_poll_again(const struct env *env, struct flow *flow, struct step *step);
/* The container that is to be published is of no use: new ones, or when there were enough of them
 * the failure as it stands. */
const char *instagram_container_again(const struct env *env, struct flow *flow, struct step *step,
				      const struct failure *failure);
/* Waits, then goes on at that stage. */
const char *instagram_wait_at(struct flow *flow, struct step *step, const char *stage,
			      int64_t wait_ms);

/* ---- instagram_address.c ---- */

/* Does Meta get our copy: because the world cannot reach the customer's address, or Meta could not
 * ("hosted" in the flow)? */
bool instagram_gives_our_copy(const struct env *env, const struct flow *flow, struct str url,
			      const struct media_file *file);
/* The address as Meta takes it: ASCII only (meta.md 1). */
struct str instagram_fetch_url(const struct env *env, const struct flow *flow, struct str url,
			       const struct media_file *file);

/* ---- instagram.c ---- */

/* "OBJECT/EDGE" */
struct str instagram_edge(const struct env *env, struct str object, const char *edge);
/* A read of those fields, with the Page's token or the user's (meta.md 4, "Token"). Returns
 * NULL, as the stage functions do. */
const char *instagram_read(const struct env *env, const struct flow *flow, struct step *step,
			   struct str path, const char *fields);
/* The answer says that the account's access token is dead. */
bool instagram_token_is_dead(const struct reply *reply);

/* ---- instagram_resolve.c ---- */

extern const struct stage instagram_resolve_stages[];
extern const struct stage instagram_remove_stages[];

/* ---- instagram_login.c: Instagram Login, without a Page ---- */

/* A stage of verify. */
STAGE_FUNCTIONS(instagram_secret);
/* Stages of connect, in this order; the last one ends it. */
STAGE_FUNCTIONS(instagram_login_code);
STAGE_FUNCTIONS(instagram_login_long);
STAGE_FUNCTIONS(instagram_login_me);
extern const struct stage instagram_refresh_stages[];

/* ---- instagram_plan.c ---- */

extern const struct plan_row instagram_plan[];
extern const struct plan_row instagram_login_plan[];
