/* SPDX-License-Identifier: Apache-2.0
 * The simulated X, shared by its files: sandbox_x.c (users, routes), _call.c (tokens, rate limits,
 * credits, ids), _login.c (OAuth 2.0), _posts.c (creating), _timeline.c (reading), _media.c,
 * _subtitles.c, _articles.c, _errors.c and _text.c (counting). Facts: x.md; the numbers in comments
 * are its sections. */
#pragma once

#include "sandbox_private.h"

#define X_API "api.x.com"
#define X_TEXT_WEIGHT_MAX 280
#define X_TEXT_WEIGHT_PREMIUM_MAX 25000 /* 3.1 */
#define X_POST_MEDIA_MAX 4              /* 2.1 */
#define X_TWEET_MAX_BYTES ((size_t)256 << 10)
#define X_POST_READ_MILS 5 /* 3.4, thousandths of a dollar */
#define X_USER_READ_MILS 10
#define X_METADATA_MILS 5
#define X_ARTICLE_MILS 5
#define X_URLS_MAX 64

struct x_state {
	struct str user_id;
	struct str username;
	struct str name;
	uint64_t last_id;   /* ids rise */
	int64_t spent_mils; /* since the reset */
};

/* ---- sandbox_x_text.c (pure) ---- */

/* A URL that X recognizes in a text: bytes [begin, end). */
struct x_url {
	size_t begin;
	size_t end;
};

/* Finds the URLs of the text, in order; at most max. */
size_t sandbox_x_text_urls(struct str text, struct x_url *out, size_t max);
/* The weight of a text after NFC (3.1): 23 for a URL, 2 for an emoji, 1 for Latin and similar
 * scripts, 2 for others. */
size_t sandbox_x_text_weight(struct arena *arena, struct str text);
/* False when the text contains a character that no post may have (U+FFFE, U+FEFF, U+FFFF). */
bool sandbox_x_text_is_allowed(struct str text);
/* The number of cashtags: '$' and letters, after a blank or at the start. */
size_t sandbox_x_text_cashtags(struct str text);

/* ---- sandbox_x_login.c ---- */

void sandbox_x_authorize(struct sandbox_call *call);
void sandbox_x_token(struct sandbox_call *call);
void sandbox_x_revoke(struct sandbox_call *call);
void sandbox_x_app_token(struct sandbox_call *call);

/* ---- sandbox_x_errors.c ---- */

/* {"title","detail","type","status"}; type NULL = about:blank. */
void sandbox_x_fail(struct sandbox_call *call, int status, const char *title, const char *detail,
		    const char *type);
/* 403 with about:blank. */
void sandbox_x_fail_forbidden(struct sandbox_call *call, const char *detail);
/* 400 with errors[] (4). */
void sandbox_x_fail_request(struct sandbox_call *call, const char *parameter, struct str value,
			    const char *message);
/* 404: no "tweet" or "user" of that id. */
void sandbox_x_fail_not_found(struct sandbox_call *call, const char *what, struct str id);
/* 401: the token is missing or not valid. */
void sandbox_x_fail_token(struct sandbox_call *call);
/* The x-rate-limit-* headers (3.3). */
void sandbox_x_window_put(struct sandbox_call *call, int64_t limit, int64_t remaining,
			  int64_t reset_us);
/* The same for an exhausted window. retry_after_s 0 = one minute. */
void sandbox_x_window_empty(struct sandbox_call *call, int64_t retry_after_s);
/* The module's render_error: section 4 by name. */
bool sandbox_x_render_error(struct sandbox_call *call, struct str name);

/* ---- sandbox_x_call.c ---- */

struct x_state *sandbox_x_state(struct sandbox_call *call);
/* The module's token_of: the user or app token of the call, or NULL. */
struct sandbox_token *sandbox_x_token_of(struct sandbox_call *call);
/* Spends that many of the app's credits. False = there are not enough, and the call has been
 * answered with 402. */
bool sandbox_x_spend(struct sandbox_call *call, int64_t mils);
/* Whether the user has a subscription. */
bool sandbox_x_is_premium_user(struct sandbox_call *call);
/* The call's live user token, when it has that scope and a call left in its window (3.3). Writes
 * the x-rate-limit-* headers. limit is per 15 minutes; kind names the window. NULL = the call
 * has been answered. */
struct sandbox_token *sandbox_x_user(struct sandbox_call *call, const char *scope, const char *kind,
				     int64_t limit);
/* The next id: rising, made of the time as X does. Kept. */
struct str sandbox_x_next_id(struct sandbox_call *call);

/* ---- sandbox_x_posts.c ---- */

/* An address in a post. */
struct x_link {
	struct str short_url; /* t.co */
	struct str expanded;
	struct str display;
};

/* A post as X stores it; the ledger has the rest. */
struct x_post {
	struct str id;
	struct str shown; /* links replaced by t.co */
	struct str reply_to;
	struct x_link links[X_URLS_MAX + 1]; /* and one for what is attached */
	size_t link_count;
	struct str media_keys[X_POST_MEDIA_MAX];
	size_t media_count;
	int edits;        /* so many posts stood in its place before */
	int64_t first_us; /* when the first of them was made */
};

struct x_new_post {
	struct str user_id;
	const char *type;
	struct str text;       /* what a reader sees */
	struct str shown_text; /* what the API shows, before its links are shortened */
	struct str title;
	struct str parent; /* ptr NULL = not a reply */
	const struct sandbox_media *media;
	const struct str *keys; /* NULL = the media are not attached to the post itself */
	size_t media_count;
};

void sandbox_x_tweet_post(struct sandbox_call *call);
/* Makes it visible. */
const struct x_post *sandbox_x_post_create(struct sandbox_call *call,
					   const struct x_new_post *fresh);
/* Escapes & < > as X returns them (5). */
struct str sandbox_x_escaped(struct arena *arena, struct str text);

/* ---- sandbox_x_timeline.c ---- */

void sandbox_x_timeline_get(struct sandbox_call *call);
void sandbox_x_tweet_get(struct sandbox_call *call);
void sandbox_x_tweets_get(struct sandbox_call *call);
void sandbox_x_tweet_delete(struct sandbox_call *call);

/* ---- sandbox_x_articles.c ---- */

void sandbox_x_articles_draft(struct sandbox_call *call);
void sandbox_x_articles_publish(struct sandbox_call *call);

/* ---- sandbox_x_media.c ---- */

#define X_SIMPLE_MAX_BYTES ((size_t)24 << 20) /* 15 MB of GIF, as base64 in JSON */
#define X_APPEND_MAX_BYTES ((size_t)12 << 20) /* 8 MiB a segment, as base64 in JSON */

enum x_media_kind { X_MEDIA_IMAGE, X_MEDIA_GIF, X_MEDIA_VIDEO, X_MEDIA_SUBTITLES };

#define X_TRACKS_MAX 20 /* of one video; X says nothing of a most */

/* Subtitles that are bound to a video. */
struct x_track {
	struct str id; /* of the file */
	struct str language_code;
	struct str display_name;
};

struct x_media {
	struct str id;
	enum x_media_kind kind;
	struct sandbox_media media;
	int64_t total_bytes;        /* as announced */
	struct x_segment *segments; /* X_SEGMENTS_MAX, for chunked ones */
	int64_t finalized_us;       /* 0 = not yet */
	bool is_failed;
	struct x_track tracks[X_TRACKS_MAX]; /* of a video */
	size_t track_count;
};

/* The media of that id, when it may be posted: processed, not failed, at most a day old; or
 * NULL. */
struct x_media *sandbox_x_media_find(struct sandbox_call *call, struct str id);
/* The id with a prefix such as "3_", as posts name their media. */
struct str sandbox_x_media_key(struct arena *arena, const struct x_media *media);
void sandbox_x_media_simple(struct sandbox_call *call);
void sandbox_x_media_initialize(struct sandbox_call *call);
void sandbox_x_media_append(struct sandbox_call *call);
void sandbox_x_media_finalize(struct sandbox_call *call);
void sandbox_x_media_status(struct sandbox_call *call);
void sandbox_x_media_metadata(struct sandbox_call *call);

/* ---- sandbox_x_subtitles.c ---- */

void sandbox_x_subtitles_create(struct sandbox_call *call);
void sandbox_x_subtitles_delete(struct sandbox_call *call);
