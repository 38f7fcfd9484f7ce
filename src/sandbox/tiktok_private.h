/* SPDX-License-Identifier: Apache-2.0
 * What the files of the simulated TikTok share: tiktok.c (Login Kit, the creator, errors, the gate)
 * and tiktok_publish.c (publish tasks, their bytes and their states). They play platforms/tiktok.md
 * 1, 2, 4 and 8. */
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

struct tiktok_state {
	struct tiktok_task *pending; /* not yet over, newest first */
};

/* ---- tiktok.c ---- */

/* One row of 4.2. */
struct tiktok_error {
	int status;
	const char *code;
};

/* The envelope {"data":{},"error":{...}} with an error in it. */
void sandbox_tiktok_refuse(struct sandbox_call *call, struct tiktok_error error,
			   const char *message);
/* Begins {"data":{ of a good answer; sandbox_tiktok_end closes it with "error":{"code":"ok"}. */
void sandbox_tiktok_begin(struct sandbox_call *call, struct json_writer *w);
void sandbox_tiktok_end(struct sandbox_call *call, struct json_writer *w);
/* The caller's token, when it is live and was granted one of the scopes (second may be NULL). NULL
 * = the answer is made. */
const struct sandbox_token *sandbox_tiktok_enter(struct sandbox_call *call, const char *scope,
						 const char *second);
/* What may be chosen as privacy_level now, ended by NULL: the account is public (2.1). */
const char *const *sandbox_tiktok_privacy_options(void);
struct str sandbox_tiktok_avatar_url(struct sandbox_call *call);

/* ---- tiktok_publish.c ---- */

/* A whole number of chunks that cover the file as 2.3 wants it; section 8 words the check. */
bool sandbox_tiktok_chunks_fit(int64_t video_bytes, int64_t chunk_bytes, int64_t chunk_count);

/* Handlers of tiktok.c's table. */
void sandbox_tiktok_video_init(struct sandbox_call *call);
void sandbox_tiktok_inbox_init(struct sandbox_call *call);
void sandbox_tiktok_upload_put(struct sandbox_call *call);
void sandbox_tiktok_status_fetch(struct sandbox_call *call);
/* Puts the tasks that have come to their end by now into the ledger. Every handler of this platform
 * calls it first. */
void sandbox_tiktok_settle(struct sandbox *sandbox);
