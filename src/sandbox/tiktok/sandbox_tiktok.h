/* SPDX-License-Identifier: Apache-2.0
 * The simulated TikTok, shared by its files: sandbox_tiktok.c (routes), _call.c (answers, the token
 * check), _login.c (Login Kit), _creator.c (the creator and the posting limits), _task.c (the state
 * of a publish task), _publish.c (opening tasks, status), _upload.c (video bytes), _photos.c (photo
 * posts), _errors.c (errors by name). Facts: tiktok.md 1, 2, 4 and 8. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sandbox_private.h"

#define TIKTOK_OPEN_ID "5a0db0c5-7d3e-4f52-9b1c-20261121c0de"
#define TIKTOK_USERNAME "posthorn.sandbox"
#define TIKTOK_NAME "Posthorn Sandbox"

#define TIKTOK_API "/open.tiktokapis.com"
#define TIKTOK_UPLOAD_HOST "open-upload.tiktokapis.com"
#define TIKTOK_AVATAR_HOST "p16-sign.tiktokcdn.com"

/* Calls that are counted by the minute (section 3). */
enum tiktok_counted {
	TIKTOK_COUNTED_INIT,
	TIKTOK_COUNTED_CREATOR,
	TIKTOK_COUNTED_STATUS,
	TIKTOK_COUNTED_COUNT
};

#define TIKTOK_VIDEO_BYTES_MAX INT64_C(4294967296) /* section 3: 4 GB, the larger reading */
#define TIKTOK_CALLS_REMEMBERED 32
#define TIKTOK_POSTS_REMEMBERED 1000 /* the knob's most */
#define TIKTOK_DRAFTS_MAX 5          /* section 3: pending in 24 hours */

/* The times of the last calls of a kind: a ring. */
struct tiktok_window {
	int64_t at_us[TIKTOK_CALLS_REMEMBERED];
	size_t count;
};

struct tiktok_state {
	struct tiktok_task *pending; /* not yet over, newest first */
	struct tiktok_window calls[TIKTOK_COUNTED_COUNT];
	struct tiktok_window drafts;
	int64_t posts_us[TIKTOK_POSTS_REMEMBERED];
	size_t post_count;
};

/* One publish_id. uploaded_us and the clock decide its stage: waiting for bytes, processing, or
 * ended. */
struct tiktok_task {
	struct str publish_id;
	struct str token_client; /* who may ask for it */
	struct str text;         /* caption or description */
	bool is_public;
	bool is_draft; /* for the inbox: never in the ledger */
	bool is_pull;
	bool is_photos;
	struct str upload_id;
	struct str upload_secret;
	int64_t created_us;
	int64_t processing_us;
	int64_t video_bytes;
	int64_t chunk_bytes;
	int64_t chunk_count;
	int64_t received_bytes; /* also downloaded bytes */
	int64_t uploaded_us;    /* when the last byte came; 0 = not yet */
	/* known with the last byte, reported when processing ends; NULL = success */
	const char *fail_reason;
	struct sandbox_media *media;
	size_t media_count;
	struct str post_id; /* of a public post, decided at its end */
	bool is_in_ledger;
	struct tiktok_task *next_pending;
};

/* ---- sandbox_tiktok_call.c ---- */

/* One row of 4.2. */
struct tiktok_error {
	int status;
	const char *code;
};

/* The envelope {"data":{},"error":{...}} with an error in it. */
void sandbox_tiktok_refuse(struct sandbox_call *call, struct tiktok_error error,
			   const char *message);
/* Begins a good answer, {"data":{; sandbox_tiktok_end() closes it with "error":{"code":"ok"}. */
void sandbox_tiktok_begin(struct sandbox_call *call, struct json_writer *w);
void sandbox_tiktok_end(struct sandbox_call *call, struct json_writer *w);
/* A new log_id; every answer carries one. */
struct str sandbox_tiktok_log_id(struct sandbox_call *call);
/* 401, access_token_invalid. */
void sandbox_tiktok_refuse_token(struct sandbox_call *call);
/* The live token of the call, when it was granted one of the scopes (second may be NULL). NULL =
 * the call has been answered. */
const struct sandbox_token *sandbox_tiktok_enter(struct sandbox_call *call, const char *scope,
						 const char *second);
bool sandbox_tiktok_refuse_params(struct sandbox_call *call, const char *message);

/* ---- sandbox_tiktok_login.c: handlers of sandbox_tiktok.c's table ---- */

void sandbox_tiktok_authorize(struct sandbox_call *call);
void sandbox_tiktok_token(struct sandbox_call *call);
void sandbox_tiktok_revoke(struct sandbox_call *call);

/* ---- sandbox_tiktok_errors.c ---- */

bool sandbox_tiktok_render_error(struct sandbox_call *call, struct str name);

/* ---- sandbox_tiktok_creator.c ---- */

/* Counts the call. False = too many in this minute, and the call has been answered. */
bool sandbox_tiktok_count(struct sandbox_call *call, enum tiktok_counted kind);
/* Whether the creator may post now. False = the call has been answered, with that HTTP status. */
bool sandbox_tiktok_may_post(struct sandbox_call *call, int status);
bool sandbox_tiktok_take_draft(struct sandbox_call *call);
/* Checks privacy_level and the app's audit. False = the call has been answered. */
bool sandbox_tiktok_check_level(struct sandbox_call *call, struct str level);
void sandbox_tiktok_user_info(struct sandbox_call *call);
void sandbox_tiktok_creator_info(struct sandbox_call *call);

/* ---- sandbox_tiktok_task.c ---- */

enum tiktok_stage {
	TIKTOK_STAGE_WAITING,
	TIKTOK_STAGE_PROCESSING,
	TIKTOK_STAGE_ENDED,
	TIKTOK_STAGE_LOST
};

/* Creates a task with the fields that all kinds have. A post counts towards the daily limit. */
struct tiktok_task *sandbox_tiktok_task_new(struct sandbox_call *call, struct str client_id,
					    const char *prefix, bool is_draft);
enum tiktok_stage sandbox_tiktok_task_stage(const struct tiktok_task *task, int64_t now_us);
/* fail_reason of the status; NULL = the task has not failed. */
const char *sandbox_tiktok_task_failure(const struct tiktok_task *task, int64_t now_us);
/* The status that TikTok reports (2.6). */
const char *sandbox_tiktok_task_status(const struct tiktok_task *task, int64_t now_us);
/* Whether the upload address has expired. */
bool sandbox_tiktok_upload_is_over(const struct tiktok_task *task, int64_t now_us);
/* The fail_reason of a video that TikTok rejects; NULL = it is valid. */
const char *sandbox_tiktok_video_complaint(struct sandbox *sandbox,
					   const struct sandbox_media *media);
/* Adds the tasks that have ended by now to the ledger. Every handler of this platform calls it
 * first. */
void sandbox_tiktok_settle(struct sandbox *sandbox);

/* ---- sandbox_tiktok_publish.c ---- */

void sandbox_tiktok_answer_task(struct sandbox_call *call, const struct tiktok_task *task);
/* Whether the address may be pulled. False = the call has been answered. */
bool sandbox_tiktok_may_pull(struct sandbox_call *call, struct str address);
bool sandbox_tiktok_check_flags(struct sandbox_call *call, const struct json *post_info,
				const char *const *flags);
/* Checks that the body is a JSON object. False = the call has been answered. */
bool sandbox_tiktok_check_body(struct sandbox_call *call);
/* Handlers of sandbox_tiktok.c's table. */
void sandbox_tiktok_video_init(struct sandbox_call *call);
void sandbox_tiktok_inbox_init(struct sandbox_call *call);
void sandbox_tiktok_status_fetch(struct sandbox_call *call);
void sandbox_tiktok_cancel(struct sandbox_call *call);
void sandbox_tiktok_video_list(struct sandbox_call *call);

/* ---- sandbox_tiktok_upload.c ---- */

/* Whether the chunks cover the file as 2.3 demands; section 8 words the check. */
bool sandbox_tiktok_chunks_fit(int64_t video_bytes, int64_t chunk_bytes, int64_t chunk_count);
void sandbox_tiktok_upload_put(struct sandbox_call *call);

/* ---- sandbox_tiktok_photos.c ---- */

void sandbox_tiktok_content_init(struct sandbox_call *call);
