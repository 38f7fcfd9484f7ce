/* SPDX-License-Identifier: Apache-2.0
 * X as the sandbox plays it, shared by x.c (posts), x_login.c (OAuth 2.0) and x_text.c (counting).
 * Facts: platforms/x.md; numbers in comments are its sections. */
#pragma once

#include "sandbox_private.h"

#define X_API "api.x.com"
#define X_TEXT_WEIGHT_MAX 280
#define X_URLS_MAX 64

struct x_state {
	struct str user_id;
	struct str username;
	struct str name;
	uint64_t last_id; /* ids rise */
};

/* ---- x_text.c (pure) ---- */

/* A URL in a text, as X finds it: bytes [begin, end). */
struct x_url {
	size_t begin;
	size_t end;
};

/* At most max URLs of the text, in order. */
size_t x_text_urls(struct str text, struct x_url *out, size_t max);
/* 3.1: every URL 23, every emoji 2, Latin and the like 1, all else 2; after NFC. */
size_t x_text_weight(struct arena *arena, struct str text);
/* False when a character stands in it that no post may hold (U+FFFE, U+FEFF, U+FFFF). */
bool x_text_is_allowed(struct str text);
/* How many cashtags: '$' and letters, after a blank or at the start. */
size_t x_text_cashtags(struct str text);

/* ---- x_login.c ---- */

void x_authorize(struct sandbox_call *call);
void x_token(struct sandbox_call *call);
void x_revoke(struct sandbox_call *call);
void x_app_token(struct sandbox_call *call);

/* ---- x.c ---- */

struct x_state *x_state(struct sandbox_call *call);
/* {"title","detail","type","status"}; type NULL = about:blank. */
void x_fail(struct sandbox_call *call, int status, const char *title, const char *detail,
	    const char *type);
/* 400 with errors[] (4). */
void x_fail_request(struct sandbox_call *call, const char *parameter, struct str value,
		    const char *message);
/* The call's live user token with that scope and a call left in its window (3.3), or NULL with the
 * answer given. limit is per 15 minutes; kind names the window. Puts the x-rate-limit-* headers. */
struct sandbox_token *x_user(struct sandbox_call *call, const char *scope, const char *kind,
			     int64_t limit);
/* The next id: rising, made of the time as X's are. Kept. */
struct str x_next_id(struct sandbox_call *call);

/* ---- x_media.c ---- */

#define X_SIMPLE_MAX_BYTES ((size_t)24 << 20) /* 15 MB of GIF, as base64 in JSON */
#define X_APPEND_MAX_BYTES ((size_t)12 << 20) /* 8 MiB a segment, as base64 in JSON */

enum x_media_kind { X_MEDIA_IMAGE, X_MEDIA_GIF, X_MEDIA_VIDEO, X_MEDIA_SUBTITLES };

struct x_media {
	struct str id;
	enum x_media_kind kind;
	struct sandbox_media media;
	int64_t total_bytes;        /* as announced */
	struct x_segment *segments; /* X_SEGMENTS_MAX, for chunked ones */
	int64_t finalized_us;       /* 0 = not yet */
	unsigned polls;
	bool is_failed;
};

/* Media that may be posted: processed, not failed, not older than a day; or NULL. */
struct x_media *x_media_find(struct sandbox_call *call, struct str id);
void x_media_simple(struct sandbox_call *call);
void x_media_initialize(struct sandbox_call *call);
void x_media_append(struct sandbox_call *call);
void x_media_finalize(struct sandbox_call *call);
void x_media_status(struct sandbox_call *call);
void x_media_metadata(struct sandbox_call *call);
