/* SPDX-License-Identifier: Apache-2.0
 * What the files of TikTok's adapter share: tiktok.c (the stages of a post), tiktok_login.c (tokens
 * and the account), tiktok_creator.c (what the creator may do), tiktok_init.c (the task),
 * tiktok_upload.c (its bytes), tiktok_status.c (what becomes of it), tiktok_resolve.c (uncertain
 * calls), tiktok_rules.c (what is allowed), tiktok_refusal.c (errors). Pure, as platform.h wants
 * it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"
#include "str.h"

#include "json_write.h"

#include "oauth_exchange.h"
#include "plan.h"
#include "platform.h"
#include "refusal.h"
#include "stages.h"

#include "tiktok.h"

#define TIKTOK_API "open.tiktokapis.com/v2"
#define TIKTOK_API_URL "https://" TIKTOK_API
#define TIKTOK_PATH_CREATOR "/post/publish/creator_info/query/"
#define TIKTOK_PATH_VIDEO_INIT "/post/publish/video/init/"
#define TIKTOK_PATH_INBOX_INIT "/post/publish/inbox/video/init/"
#define TIKTOK_PATH_CONTENT_INIT "/post/publish/content/init/"
#define TIKTOK_PATH_STATUS "/post/publish/status/fetch/"
#define TIKTOK_URL_MAX_BYTES 4096
#define TIKTOK_BODY_MAX_BYTES (1024 * 1024)
#define TIKTOK_UNAUDITED "unaudited_client_can_only_post_to_private_accounts"

struct arena;
struct media_rule;
struct post_rules;

/* ---- stage names and flow keys: stored, so one may be added but never changed ---- */

#define TIKTOK_STAGE_BEGIN "begin"
#define TIKTOK_STAGE_CREATOR "creator"
#define TIKTOK_STAGE_INIT "init"
#define TIKTOK_STAGE_UPLOAD "upload"
#define TIKTOK_STAGE_PROGRESS "progress"
#define TIKTOK_STAGE_STATUS "status"
#define TIKTOK_STAGE_CHECK "check"
#define TIKTOK_STAGE_REVOKE "revoke"
#define TIKTOK_STAGE_USER "user"
#define TIKTOK_STAGE_ACCOUNT "account"
#define TIKTOK_STAGE_TASK "task"
#define TIKTOK_STAGE_LIST "list"
#define TIKTOK_STAGE_LATE_ID "late_id"

#define TIKTOK_KEY_ACCOUNT_EXTRA "account_extra"
#define TIKTOK_KEY_PRIVACY_LEVEL "privacy_level"
#define TIKTOK_KEY_USERNAME "username"
#define TIKTOK_KEY_DURATION_MAX_S "duration_max_s"
#define TIKTOK_KEY_DISABLE_COMMENT "disable_comment"
#define TIKTOK_KEY_DISABLE_DUET "disable_duet"
#define TIKTOK_KEY_DISABLE_STITCH "disable_stitch"
#define TIKTOK_KEY_SIZE_BYTES "size_bytes"
#define TIKTOK_KEY_PUBLISH_ID "publish_id"
#define TIKTOK_KEY_UPLOAD_URL "upload_url"
#define TIKTOK_KEY_OFFSET_BYTES "offset_bytes"
#define TIKTOK_KEY_OPEN_ID "open_id"
#define TIKTOK_KEY_NAME "name"
#define TIKTOK_KEY_AVATAR_URL "avatar_url"
#define TIKTOK_KEY_RESENDS "resends"
#define TIKTOK_KEY_POLLS "polls"
#define TIKTOK_KEY_IS_COMPLETE "is_complete"
#define TIKTOK_KEY_ID_POLLS "id_polls"
#define TIKTOK_KEY_BREAKS "breaks"
#define TIKTOK_KEY_PROGRESS_LOOKS "progress_looks"
#define TIKTOK_KEY_UPLOAD_REFUSED "upload_refused"
#define TIKTOK_KEY_LAG_LOOKS "lag_looks"

static inline bool tiktok_is_photos(const struct env *env)
{
	return env->post_type == POST_TYPE_CAROUSEL;
}

/* A draft for the creator's inbox instead of a post (2.2, 2.4). */
static inline bool tiktok_is_draft(const struct env *env)
{
	return str_equal_z(json_string(json_get(env->options, "post_mode")), "MEDIA_UPLOAD");
}

/* ---- tiktok_refusal.c ---- */

extern const struct refusal tiktok_token_refusals[];
/* fail_reason of a task that ended as FAILED. */
extern const struct refusal tiktok_task_failures[];
extern const struct refusal tiktok_photo_failures[];

/* Success is the word "ok"; the HTTP status does not count: some refusals come with 200 (2.1). */
bool tiktok_is_ok(const struct reply *reply);
/* True when the answer is of no use and the step says so. */
bool tiktok_is_refused(const struct env *env, const struct reply *reply, struct step *step);
/* The same for a publish call: what cannot be read as a refusal is uncertain. */
bool tiktok_publish_is_refused(const struct env *env, const struct reply *reply, struct step *step);
/* TikTok's word that it has not audited the app, which so may not post like this. */
bool tiktok_is_unaudited_refusal(const struct reply *reply);

/* ---- tiktok_login.c ---- */

extern const struct oauth_exchange tiktok_exchange;
extern const struct stage tiktok_connect_stages[];
/* A call of the API with that token and a JSON body. */
void tiktok_post(const struct env *env, struct str token, struct step *step, enum call_kind kind,
		 struct str url, struct str body);
void tiktok_creator_send(const struct env *env, struct str token, struct step *step);

/* ---- tiktok_creator.c ---- */

STAGE_FUNCTIONS(tiktok_creator);
bool tiktok_option_bool(const struct env *env, const char *name);
/* The sentence of a video that is longer than the creator's may be. */
struct str tiktok_too_long(struct arena *arena, int64_t max_s);
bool tiktok_list_has(const struct json *list, struct str item);
/* account_found.extra of a new connection; creator is what creator_info said, or NULL. */
struct str tiktok_extra_begin(const struct env *env, struct str scope, const struct json *creator);
/* True when the refused post may go out as SELF_ONLY instead: no level was asked for, and the app
 * is not audited. The flow then has that level. */
bool tiktok_level_falls_back(const struct env *env, struct flow *flow, const struct reply *reply);
/* A post that is not SELF_ONLY was taken: the app is audited (2.6, "unaudited"). */
void tiktok_audit_note(const struct env *env, struct flow *flow);
/* After every publish step: gives the engine what was learnt about the account. */
void tiktok_extra_give(const struct env *env, struct flow *flow, struct step *step);

/* ---- tiktok_init.c ---- */

STAGE_FUNCTIONS(tiktok_init);

/* ---- tiktok_upload.c ---- */

STAGE_FUNCTIONS(tiktok_upload);
STAGE_FUNCTIONS(tiktok_progress);
void tiktok_status_send(const struct env *env, const struct flow *flow, struct step *step);
/* Out of a status answer. */
struct str tiktok_task_status(const struct reply *reply);
int64_t tiktok_uploaded_bytes(const struct reply *reply);
bool tiktok_lacks_bytes(const struct flow *flow, const struct reply *reply);
/* Fills a STEP_FAIL with why a task FAILED. */
void tiktok_task_failure(const struct env *env, const struct reply *reply, struct step *step);

/* ---- tiktok_status.c ---- */

STAGE_FUNCTIONS(tiktok_status);
extern const struct stage tiktok_late_id_stages[];
/* Asks the task some time from now; NULL. */
const char *tiktok_status_wait(struct flow *flow, struct step *step);
/* Where a person sees the post with that id; the profile when it is empty. */
struct str tiktok_post_url(const struct env *env, const struct flow *flow, struct str id);

/* ---- tiktok_resolve.c ---- */

extern const struct stage tiktok_resolve_stages[];

/* ---- tiktok_rules.c ---- */

extern const struct media_rule tiktok_video_rule;
extern const struct media_rule tiktok_photo_rule;
extern const struct post_rules tiktok_rules;

/* ---- tiktok_check.c ---- */

extern const struct stage tiktok_check_stages[];
extern const struct stage tiktok_revoke_stages[];

/* ---- tiktok_plan.c ---- */

extern const struct plan_row tiktok_plan[];
