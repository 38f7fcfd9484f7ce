/* SPDX-License-Identifier: Apache-2.0
 * What a simulated platform is written with. A platform is one file with one `const struct
 * sandbox_module`: a table of routes and a few callbacks; the core (sandbox.c) does listening, the
 * request log, faults, locking, reset, the clock and the ledger. To add a platform: write NAME.c
 * with `const struct sandbox_module sandbox_NAME`, list it in meson.build and in sandbox_registry.c.
 *
 * THREADS AND LIFETIMES. Handlers and callbacks run with the sandbox's one lock held: they may
 * touch all state freely and need no locks of their own. Only the functions marked "LETS GO OF THE
 * LOCK" release it while they work (pulling media, reading big files) and take it again: after them
 * every pointer into state (tokens, codes, objects, posts, uploads, your own state) may be gone by
 * a reset, so look it up again by its id and answer "not found" when it is gone. What a request
 * needs lives in call->arena. What must live on is made with sandbox_keep*(), and lives until the
 * reset. Strings given to functions here are copied by them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "buf.h"
#include "clock.h"
#include "err.h"
#include "str.h"

#include "form.h"
#include "json.h"
#include "json_write.h"
#include "sniff.h"

#include "http.h"

#include "sandbox.h"

/* The order is that of the columns on the page of GET /. */
enum sandbox_platform {
	SANDBOX_INSTAGRAM,
	SANDBOX_FACEBOOK,
	SANDBOX_X,
	SANDBOX_LINKEDIN,
	SANDBOX_YOUTUBE,
	SANDBOX_TIKTOK,
	SANDBOX_PLATFORM_COUNT
};

const char *sandbox_platform_slug(enum sandbox_platform platform); /* "instagram" */
const char *sandbox_platform_name(enum sandbox_platform platform); /* "Instagram" */

struct sandbox_call;
struct sandbox_token;

/* ---- a platform ---- */

typedef void (*sandbox_handler)(struct sandbox_call *call);

struct sandbox_route {
	const char *method;  /* "GET", "POST", ...; HEAD reaches GET routes */
	const char *pattern; /* host first: "/api.x.com/2/tweets/{id}" (rules: http.h) */
	sandbox_handler handler;
	/* zero = HTTP_BODY_NONE. Either kind of body is read through call->body */
	enum http_body_mode body_mode;
	size_t body_max_bytes; /* 0 = 1 MiB for MEMORY, 64 MiB for FILE */
};

struct sandbox_module {
	enum sandbox_platform platform;
	const struct sandbox_route *routes;
	size_t route_count;
	/* This platform's own state, zeroed, made anew at every reset; 0 = none. Found in
	 * call->state. Fill it in start. */
	size_t state_size_bytes;
	/* Called after opening and after every reset, before any call. May be NULL. */
	void (*start)(struct sandbox *sandbox, void *state);
	/* Which platform a request is for, when several share a host (facebook, instagram). NULL =
	 * module's platform. */
	enum sandbox_platform (*platform_of)(struct sandbox_call *call);
	/* The access token that this request carries, known or NULL: what the fault expire_token
	 * kills. */
	struct sandbox_token *(*token_of)(struct sandbox_call *call);
	/* Brings up to date what time alone changes (processing that has ended makes a post
	 * visible); called before the ledger and the page of GET / are written. May be NULL. */
	void (*settle)(struct sandbox *sandbox);
	/* The platform's real answers for the faults rate_limit (status, headers, body;
	 * retry_after_s 0 = the fault gave none: the platform's own custom) and expire_token. */
	void (*render_rate_limit)(struct sandbox_call *call, int64_t retry_after_s);
	void (*render_token_expired)(struct sandbox_call *call);
	/* Faults that name an error of the platform: answers with it and returns true; false when
	 * there is none of that name. With call NULL it only tells. NULL = it has no names. */
	bool (*render_error)(struct sandbox_call *call, struct str name);
};

/* One request on its way through a handler. */
struct sandbox_call {
	struct sandbox *sandbox;
	const struct sandbox_module *module;
	enum sandbox_platform platform; /* module->platform_of, or the module's */
	struct http_request *request;
	struct http_response *response;
	struct arena *arena; /* the request's */
	/* the module's own state; get it again with sandbox_state() after the lock was let go */
	void *state;
	int64_t now_us;      /* the sandbox's clock when the call began */
	struct str base_url; /* "http://127.0.0.1:40123", by the caller's Host header */
	struct str body;     /* the whole body; a file body is mapped, so this works for any size */
	/* the connection broke there: body is less than was announced, nobody hears the answer */
	bool is_cut;
	/* Filled when first asked for: */
	bool has_read_body;
	struct form form_body;        /* form-urlencoded body */
	const struct json *json_body; /* JSON body, or NULL */
	struct sandbox_part *parts;   /* multipart/form-data body */
	size_t part_count;
};

/* ---- reading a request ---- */

/* A parameter wherever platforms accept it: query, then form body, multipart text part, top-level
 * JSON member (numbers and booleans as text, objects and arrays as JSON text). Empty when absent;
 * sandbox_has_param tells absent from empty. */
struct str sandbox_param(struct sandbox_call *call, const char *name);
bool sandbox_has_param(struct sandbox_call *call, const char *name);
/* Only in the query / only in the body's form fields. */
struct str sandbox_query(struct sandbox_call *call, const char *name);
struct str sandbox_form(struct sandbox_call *call, const char *name);
/* The JSON body, or NULL when there is none or it is broken. */
const struct json *sandbox_json(struct sandbox_call *call);
/* As sandbox_param, as a number; fallback when absent or not a number. */
int64_t sandbox_param_int(struct sandbox_call *call, const char *name, int64_t fallback);
/* A capture of the route's pattern ("{id}" → "id"). */
struct str sandbox_capture(struct sandbox_call *call, const char *name);
/* A request header, empty when absent. */
struct str sandbox_header(struct sandbox_call *call, const char *name);

/* One part of a multipart/form-data body; views into call->body. */
struct sandbox_part {
	struct str name;
	struct str filename;     /* empty = a plain field */
	struct str content_type; /* empty = none given */
	struct str bytes;
};
/* The part of that name, or NULL (also when the body is not multipart). */
const struct sandbox_part *sandbox_part(struct sandbox_call *call, const char *name);
/* The first part with a file name, or NULL. */
const struct sandbox_part *sandbox_part_file(struct sandbox_call *call);

/* "Authorization: SCHEME value" with that scheme (any case), e.g. "Bearer": the value, or empty. */
struct str sandbox_authorization(struct sandbox_call *call, const char *scheme);
/* Authorization: Basic, decoded. False when absent or broken. */
bool sandbox_basic(struct sandbox_call *call, struct str *user_out, struct str *password_out);

/* ---- answering ---- */

/* Sets status and application/json and starts the writer on the body. */
void sandbox_answer(struct sandbox_call *call, int status, struct json_writer *writer_out);
/* A body that is JSON text already. */
void sandbox_answer_json(struct sandbox_call *call, int status, const char *json_text);
/* No body. */
void sandbox_answer_empty(struct sandbox_call *call, int status);
void sandbox_answer_header(struct sandbox_call *call, const char *name, struct str value);
/* "http://127.0.0.1:40123/HOST/PATH": an absolute URL of ours under the sandbox. path starts with
 * '/'. */
struct str sandbox_url(struct sandbox_call *call, const char *host, struct str path);
/* 302 to url with the pairs appended to its query (percent-encoded); a pair with a NULL-ptr value
 * is left out. */
struct sandbox_pair {
	const char *name;
	struct str value;
};
void sandbox_redirect(struct sandbox_call *call, struct str url, const struct sandbox_pair *pairs,
		      size_t count);
/* A page in the platform's name that says why it cannot go on (wrong client, redirect URI, scope):
 * what a browser sees. */
void sandbox_error_page(struct sandbox_call *call, int status, const char *title, struct str text);

/* A profile picture: a small SVG in the platform's colour with the first letter of label. */
void sandbox_answer_avatar(struct sandbox_call *call, struct str label);

/* ---- OAuth ---- */

enum sandbox_client { SANDBOX_CLIENT_OK, SANDBOX_CLIENT_UNKNOWN, SANDBOX_CLIENT_BAD_SECRET };

/* Is it "sandbox-SLUG" / "sandbox-secret-SLUG" of that platform? */
bool sandbox_client_id_is(enum sandbox_platform platform, struct str client_id);
enum sandbox_client sandbox_client_check(enum sandbox_platform platform, struct str client_id,
					 struct str client_secret);
/* Loopback redirect URIs (127.0.0.0/8, ::1, localhost; http or https) count as registered, nothing
 * else does. */
bool sandbox_redirect_is_registered(struct sandbox_call *call, struct str redirect_uri);

/* The consent page. One GET route does it all: sandbox_consent() looks at the query parameter
 * sandbox_decision; without it, it answers the page (an HTML form that comes back to the same path
 * with all parameters, sandbox_decision=allow|deny and sandbox_choice=ID once for every ticked
 * choice) and returns ASKED: the handler is done. With it, returns ALLOWED or DENIED and the
 * handler redirects. Check client, redirect URI and scope BEFORE calling it. */
enum sandbox_consent { SANDBOX_CONSENT_ASKED, SANDBOX_CONSENT_ALLOWED, SANDBOX_CONSENT_DENIED };

struct sandbox_choice {
	struct str id;
	struct str label;
	/* at first, and when a script says sandbox_decision=allow without any sandbox_choice */
	bool is_ticked;
};

struct sandbox_consent_page {
	struct str user_name;    /* who is logged in: "Jo Doe" */
	struct str scope;        /* as asked: blank or comma separated; listed one by one */
	const char *choose_text; /* "Which Pages may it use?" NULL = no choices */
	const struct sandbox_choice *choices;
	size_t choice_count;
};

enum sandbox_consent sandbox_consent(struct sandbox_call *call,
				     const struct sandbox_consent_page *page);
/* After ALLOWED: was this choice ticked? */
bool sandbox_consent_has(struct sandbox_call *call, const struct sandbox_choice *choice);

/* Does a blank or comma separated list hold that word? */
bool sandbox_scope_has(struct str scopes, const char *scope);

enum sandbox_pkce {
	SANDBOX_PKCE_NONE,
	SANDBOX_PKCE_PLAIN,
	SANDBOX_PKCE_S256,    /* base64url without padding (RFC 7636): x, google */
	SANDBOX_PKCE_S256_HEX /* lower-case hex: tiktok */
};

/* An authorization code, as issued and as found. */
struct sandbox_code {
	enum sandbox_platform platform;
	struct str text;   /* made by sandbox_code_issue */
	struct str prefix; /* put before the random part */
	struct str client_id;
	struct str redirect_uri;
	struct str scope;
	struct str subject; /* whose consent: a user id of the platform */
	struct str choices; /* platform's own words, e.g. ids separated by commas */
	enum sandbox_pkce pkce;
	struct str challenge;
	int64_t lifetime_s;
	int64_t expires_us; /* made by sandbox_code_issue */
	bool is_used;
	const void *extra; /* platform's own, in kept memory; may be NULL */
};

/* Makes a code and returns its text. */
struct str sandbox_code_issue(struct sandbox *sandbox, const struct sandbox_code *code);

enum sandbox_redeem {
	SANDBOX_REDEEM_OK, /* the code is used up now */
	SANDBOX_REDEEM_UNKNOWN,
	SANDBOX_REDEEM_EXPIRED,
	SANDBOX_REDEEM_USED,
	SANDBOX_REDEEM_CLIENT,   /* issued to another client */
	SANDBOX_REDEEM_REDIRECT, /* redirect_uri differs */
	SANDBOX_REDEEM_VERIFIER  /* PKCE verifier missing or wrong */
};
/* Checks in the order of the enum; *code_out is set for all but UNKNOWN. Only OK uses the code
 * up. */
enum sandbox_redeem sandbox_code_redeem(struct sandbox *sandbox, enum sandbox_platform platform,
					struct str text, struct str client_id,
					struct str redirect_uri, struct str verifier,
					struct sandbox_code **code_out);

enum sandbox_token_kind { SANDBOX_TOKEN_ACCESS, SANDBOX_TOKEN_REFRESH, SANDBOX_TOKEN_APP };

struct sandbox_token {
	enum sandbox_platform platform;
	enum sandbox_token_kind kind;
	struct str text;      /* made by sandbox_token_issue, unless given */
	struct str prefix;    /* put before the random part: "EAA" */
	size_t random_length; /* characters of the random part, letters and digits; 0 = 64 */
	struct str client_id;
	struct str subject; /* user, Page, ...: an id of the platform */
	struct str scope;
	struct str label;   /* platform's own word, e.g. "long" or "page" */
	struct str choices; /* as in the code */
	int64_t lifetime_s; /* 0 = for ever */
	int64_t issued_us;  /* made by sandbox_token_issue */
	int64_t expires_us; /* made by sandbox_token_issue; 0 = never */
	bool is_expired;    /* killed by the fault expire_token; only a new token helps */
	bool is_revoked;    /* used up (rotation), revoked, replaced */
	/* the refresh token of an access token and the other way round; may be NULL */
	struct sandbox_token *partner;
	const void *extra; /* platform's own, in kept memory; may be NULL */
};

/* Makes a token; the returned one lives until the reset and may be changed in place. */
struct sandbox_token *sandbox_token_issue(struct sandbox *sandbox,
					  const struct sandbox_token *token);
/* The token of that text, of whatever kind and state, or NULL. */
struct sandbox_token *sandbox_token_find(struct sandbox *sandbox, enum sandbox_platform platform,
					 struct str text);
/* Not expired by time or fault, not revoked. */
bool sandbox_token_is_live(const struct sandbox *sandbox, const struct sandbox_token *token);

/* ---- knobs (knobs.def): ways of a platform that its documents leave open ---- */

enum sandbox_knob {
#define SANDBOX_KNOB(name, at_first, least, most, what) SANDBOX_KNOB_##name,
#include "knobs.def"
#undef SANDBOX_KNOB
	SANDBOX_KNOB_COUNT
};

int64_t sandbox_knob(const struct sandbox *sandbox, enum sandbox_knob knob);

/* ---- state that lives until the reset ---- */

int64_t sandbox_now_us(const struct sandbox *sandbox);
void *sandbox_state(struct sandbox *sandbox, enum sandbox_platform platform);
/* Zeroed memory. Never NULL: past the sandbox's ceiling (1 GiB) the program ends with a message.
 * Refuse work before with sandbox_is_full(). */
void *sandbox_keep(struct sandbox *sandbox, size_t size_bytes);
struct str sandbox_keep_str(struct sandbox *sandbox, struct str s);
/* More than 3/4 of the ceiling in use: the core answers 503 by itself then; handlers need not
 * ask. */
bool sandbox_is_full(const struct sandbox *sandbox);

/* One object of a platform by kind ("container", "upload") and id. put replaces; object is kept
 * memory. get gives NULL. */
void sandbox_object_put(struct sandbox *sandbox, enum sandbox_platform platform, const char *kind,
			struct str id, void *object);
void *sandbox_object_get(struct sandbox *sandbox, enum sandbox_platform platform, const char *kind,
			 struct str id);

/* prefix and random decimal digits up to length characters in all; kept. Never twice the same in
 * practice. */
struct str sandbox_id_decimal(struct sandbox *sandbox, const char *prefix, size_t length);
/* Random letters and digits, kept: "abc" + 32 → "abcXXXX...". */
struct str sandbox_id_text(struct sandbox *sandbox, const char *prefix, size_t random_length);
uint64_t sandbox_random_below(struct sandbox *sandbox, uint64_t limit);

/* ---- media ---- */

/* What is known of bytes that came in. A plain value: copy it into what you keep (alt_text: keep
 * it). The bytes themselves are kept for the page of GET / up to 8 MiB each and 512 MiB in all;
 * beyond that only what stands here. */
struct sandbox_media {
	struct sniff sniff; /* what the bytes are: type, mime_type, width, height */
	int64_t size_bytes;
	char sha256[65];     /* lower-case hex */
	struct str alt_text; /* empty when none; yours to set */
};

enum sandbox_pull {
	SANDBOX_PULL_OK,
	SANDBOX_PULL_BAD_URL,     /* not an absolute http(s) URL */
	SANDBOX_PULL_UNREACHABLE, /* no address, no connection, broken off */
	SANDBOX_PULL_TIMEOUT,
	SANDBOX_PULL_STATUS, /* an answer other than 200 */
	SANDBOX_PULL_TOO_LARGE
};

struct sandbox_pull_config {
	struct str url;
	const char *user_agent;
	int64_t max_bytes;     /* 0 = 1 GiB */
	unsigned timeout_ms;   /* 0 = 20,000 */
	bool follow_redirects; /* up to 3 */
};

/* Fetches url and looks at what comes. LETS GO OF THE LOCK. *status_out (may be NULL) is the HTTP
 * status, 0 = none. media_out is filled on OK only. */
enum sandbox_pull sandbox_media_pull(struct sandbox_call *call,
				     const struct sandbox_pull_config *config,
				     struct sandbox_media *media_out, int *status_out);
/* Looks at bytes that came with the request (call->body or a part of it). LETS GO OF THE LOCK when
 * they are over 1 MiB. */
void sandbox_media_look(struct sandbox_call *call, struct str bytes,
			struct sandbox_media *media_out);

/* The bytes of what was pulled or looked at, while they are kept; else empty. */
struct str sandbox_media_bytes(struct sandbox_call *call, const struct sandbox_media *media);

/* A file put together from chunks, in the temporary directory. Found again by id; gone after a
 * reset. */
struct sandbox_upload {
	struct str id;
	int64_t total_bytes;    /* as announced, -1 = not announced */
	int64_t received_bytes; /* the furthest byte written so far + 1 */
	/* sum of all writes: with gaps or repeats it differs from received_bytes */
	int64_t written_bytes;
	void *extra; /* platform's own, in kept memory */
	int fd;      /* the core's */
};

/* id: the platform's, see sandbox_id_*. NULL when the file cannot be made. Closing is the core's,
 * at reset and close. */
struct sandbox_upload *sandbox_upload_new(struct sandbox *sandbox, enum sandbox_platform platform,
					  struct str id, int64_t total_bytes);
struct sandbox_upload *sandbox_upload_find(struct sandbox *sandbox, enum sandbox_platform platform,
					   struct str id);
/* Writes bytes at offset. False when the disk does not take it or all uploads together pass 16
 * GiB. */
bool sandbox_upload_write(struct sandbox *sandbox, struct sandbox_upload *upload, int64_t offset,
			  struct str bytes);
/* Digest and look at the first received_bytes. LETS GO OF THE LOCK. False when the upload is gone
 * or cannot be read. */
bool sandbox_upload_look(struct sandbox_call *call, enum sandbox_platform platform, struct str id,
			 struct sandbox_media *media_out);
/* Exactly len bytes at offset into out; false when they are not there. */
bool sandbox_upload_read(const struct sandbox_upload *upload, int64_t offset, char *out,
			 size_t len);
/* Closes the file and gives its bytes back; the record stays. NULL is fine. */
void sandbox_upload_discard(struct sandbox *sandbox, struct sandbox_upload *upload);

/* ---- the ledger: what the world can see ---- */

#define SANDBOX_POST_MEDIA_MAX 35

struct sandbox_post {
	enum sandbox_platform platform;
	struct str account_id; /* the service's platform_account_id */
	struct str id;         /* what the service reports as platform_post_id */
	/* platform's word; contains "story" for stories only; comments: "comment" */
	struct str type;
	struct str text; /* what a reader sees */
	const struct sandbox_media *media;
	size_t media_count;
	struct str reply_to; /* id of the post or comment it answers; empty = none */
	struct str url;
	/* shown on the page where a platform has titles; not in the ledger's JSON */
	struct str title;
	int64_t created_us; /* 0 = now */
	const void *extra;  /* platform's own, in kept memory */
	/* Made by the core: */
	bool is_deleted;
	struct sandbox_post *older; /* the one before of the same platform and account */
};

/* Adds a copy and returns it. Call it at the moment the thing becomes visible. */
struct sandbox_post *sandbox_ledger_add(struct sandbox *sandbox, const struct sandbox_post *post);
/* By id; NULL when unknown or deleted. */
struct sandbox_post *sandbox_ledger_find(struct sandbox *sandbox, enum sandbox_platform platform,
					 struct str id);
/* The newest of that account, also deleted ones (check is_deleted); go on with ->older. */
struct sandbox_post *sandbox_ledger_newest(struct sandbox *sandbox, enum sandbox_platform platform,
					   struct str account_id);
/* Direct answers to the post of that id, oldest first, deleted ones left out: at most max pointers
 * into out; returns how many. */
size_t sandbox_ledger_replies(struct sandbox *sandbox, enum sandbox_platform platform,
			      struct str id, struct sandbox_post **out, size_t max);
void sandbox_ledger_delete(struct sandbox *sandbox, struct sandbox_post *post);
