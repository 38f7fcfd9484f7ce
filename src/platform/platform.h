/* SPDX-License-Identifier: Apache-2.0
 * What a platform is: data (slug, OAuth profile, rules) and five pure functions. A platform file
 * does no I/O and reads no clock, no randomness, no store and no log: it turns (environment, flow,
 * last reply) into the next step. So it reads like that platform's documentation, is tested as a
 * transcript, and can be replayed after a crash.
 *
 * The conversation: the engine calls a function with reply == NULL to ask for a step. On STEP_SEND
 * it makes flow and intent durable, performs the call, and calls again with the reply. On STEP_WAIT
 * it calls again later with reply == NULL. With reply == NULL a function must ask again for
 * whatever flow->stage stands for: this is how a flow is resumed after a crash, a retry or a token
 * refresh. A good first one to read is x.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

#include "json.h"
#include "sniff.h"

#include "account.h"
#include "failure.h"
#include "flow.h"
#include "platform_id.h"
#include "post.h"

struct arena;
struct oauth_exchange;
struct plan_row;
struct platform;
struct post_rules;
struct stage;

#define CALL_HEADERS_MAX 12
#define STEP_ACCOUNTS_MAX 200
#define STEP_MATCHES_MAX 20
#define ENV_FILES_MAX 16
#define PLATFORM_MESSAGE_MAX_BYTES 500 /* of failure.platform_message */

/* ---- what an adapter is told ---- */

/* Operator's settings that calls depend on (cli/settings.def). */
struct platform_settings {
	struct str graph_version;    /* "v25.0" (meta.md 1) */
	struct str linkedin_version; /* "202609" (linkedin.md 8) */
};

/* A file of the post. Known only after the adapter asked for it with STEP_MEDIA. */
struct media_file {
	bool is_ready;
	bool is_missing; /* asked for with step_file_optional and not to be had: go on without it */
	int64_t size_bytes;
	struct sniff sniff; /* what the bytes say it is */
	/* where the world can fetch our copy for some hours, unguessable (hosted.h) */
	struct str hosted_url;
};

struct env {
	/* for everything a step points to; lives until the step has been carried out */
	struct arena *arena;
	int64_t now_us;
	const struct platform *platform; /* set by platform_run() */
	const struct platform_settings *settings;

	struct str client_id; /* the app's credentials on this platform */
	struct str client_secret;

	/* connect: what the callback brought. */
	struct str code;
	struct str redirect_uri;  /* exactly as sent in the authorize URL; set for verify too */
	struct str pkce_verifier; /* empty where the profile says no PKCE */

	/* refresh, publish, resolve: the account. */
	struct str platform_account_id;
	struct str username;
	enum account_type account_type;
	struct str access_token;
	struct str refresh_token;         /* empty = none */
	const struct json *account_extra; /* what connect left in account_found.extra, or NULL */
	struct str extra_secret; /* what connect left in account_found.extra_secret; empty = none */

	/* publish, resolve: the post. */
	const struct post_content *post;
	enum post_type post_type; /* resolved for this platform, never NONE (rules_post_type) */
	const struct json
		*options; /* the object under this platform's slug in platforms, or NULL */
	const struct media_file
		*media; /* by flat index: first post_media_total entries by post_media_at, then the
			   further files that steps asked for by address (env_file) */
	const struct str *file_urls; /* the addresses of those further files, file_count entries */
	size_t file_count;

	/* resolve: when the uncertain call was started; probe counts the resolver's probes from
	 * 0. */
	int64_t started_at_us;
	int probe;
};

/* What came back for a call. Publish calls reach the adapter only when ANSWERED with a status below
 * 500 that is not a redirect: the engine takes all else as never sent or in doubt. Read and prepare
 * calls reach it with every outcome. */
enum reply_outcome {
	REPLY_ANSWERED,   /* a whole, well-formed HTTP answer */
	REPLY_NEVER_SENT, /* no byte of the request left: name, connect or TLS failed */
	REPLY_LOST        /* sent, at least in part, and no whole answer came */
};

struct reply_header {
	struct str name;
	struct str value;
};

struct reply {
	enum reply_outcome outcome;
	int status;
	const struct reply_header *headers;
	size_t header_count;
	struct str body;            /* at most 4 MiB */
	const struct json *json;    /* the body when it is JSON, else NULL */
	struct str transport_error; /* a sentence, when not ANSWERED */
};

/* First header of that name in any case, or the empty str. */
struct str reply_header(const struct reply *reply, const char *name);

/* ---- what an adapter asks for ---- */

enum call_kind {
	CALL_READ, /* may be repeated freely */
	/* nothing visible comes of it; a repeat leaves an orphan, no harm. Token exchanges are
	 * PREPARE too */
	CALL_PREPARE,
	/* visible and irreversible: posts and comments. rules.md 2.2 governs it */
	CALL_PUBLISH
};

struct call_header {
	const char *name;
	struct str value;
};

struct call {
	enum call_kind kind;
	const char *method; /* "GET" */
	/* absolute https URL of the real platform, or one the platform gave us, unchanged */
	struct str url;
	struct call_header headers[CALL_HEADERS_MAX];
	size_t header_count;
	struct str body; /* whole body; with has_media_body what goes before the file's bytes */
	/* with has_media_body: what goes behind them (multipart.h); else empty */
	struct str body_tail;
	/* the body is a byte range of a media file, streamed from the spool, between body and
	 * body_tail */
	bool has_media_body;
	size_t media_index; /* flat index */
	int64_t media_offset_bytes;
	int64_t media_length_bytes;
	int64_t timeout_ms; /* 0 = 30,000; call_timeout_ms() adds time for a media body */
	/* set for single-use calls such as X's refresh; publish calls always get one */
	bool needs_fresh_connection;
};

/* An account found by connect. Texts are copied by the store. */
struct account_found {
	struct str platform_account_id;
	struct str username;
	struct str name;
	struct str email;      /* empty = null */
	struct str avatar_url; /* empty = null */
	enum account_type type;
	struct str access_token;
	struct str refresh_token;      /* empty = none: a stored one is kept */
	int64_t expires_at_us;         /* of the access token; 0 = does not expire or unknown */
	int64_t refresh_expires_at_us; /* 0 = unknown */
	struct str scopes;             /* as granted */
	struct str extra; /* JSON object text for account_extra, no secrets; empty = none */
	/* further secret (Meta's user token), sealed by the store; empty = none */
	struct str extra_secret;
};

struct token_grant {
	struct str access_token;
	struct str refresh_token; /* empty = keep the old one */
	int64_t expires_at_us;
	int64_t refresh_expires_at_us;
};

/* Something visible that could be what we sent (resolve). */
struct match {
	struct str remote_id;
	struct str url;
};

enum step_kind {
	STEP_SEND, /* make this call */
	STEP_WAIT, /* call me again in wait_ms */
	/* get this media file, or the file at file_url, onto our disk, then call me again */
	STEP_MEDIA,
	/* finished: verify: good; connect: accounts; refresh: token; publish: all parts of the flow
	 * are done */
	STEP_DONE,
	STEP_FAIL, /* failure says what may be done next */
	/* publish: the answer to a publish call cannot be read as done or refused: in doubt */
	STEP_UNCERTAIN,
	/* answers of resolve only: */
	/* proven visible; the adapter has called flow_part_done() or set the flow to go on behind
	 * the call */
	STEP_LANDED,
	/* candidates by comparison; the keeper takes the only one not bound to another post, else
	 * looks again */
	STEP_MATCHES,
	/* proven absent, or the platform itself refuses a second one: the same stage may be sent
	 * again */
	STEP_SEND_AGAIN,
	STEP_UNKNOWN /* cannot be told now; look again later or give up */
};

struct step {
	enum step_kind kind;
	struct call call;
	int64_t wait_ms;
	size_t media_index;
	/* STEP_MEDIA for a file that is none of the post's media: a thumbnail, a document */
	struct str file_url;
	/* when it cannot be had, env_file says is_missing, instead of the delivery failing */
	bool file_is_optional;
	/* publish: JSON object text that replaces the account's extra from this step on (a quota
	 * asked for, what the account may do); empty = unchanged */
	struct str account_extra;
	struct failure failure;
	struct account_found *accounts; /* connect done: account_count entries in env->arena */
	size_t account_count;
	struct token_grant token; /* refresh done */
	struct match matches[STEP_MATCHES_MAX];
	size_t match_count;
};

/* Fills a STEP_SEND and gives its call for headers and body. */
struct call *step_send(struct step *step, enum call_kind kind, const char *method, struct str url);
void call_header(struct call *call, const char *name, struct str value);
/* How long the call may take, from its intent to the end of its answer, in milliseconds: its own
 * timeout and, with a media body, the time that its bytes may take. The one figure for both the
 * transport's timeout (engine.c) and the lease that must outlive it (rules.md 2.2 rule 1). */
int64_t call_timeout_ms(const struct call *call);
/* "Authorization: Bearer ..." */
void call_bearer(const struct env *env, struct call *call, struct str token);
/* Body and its Content-Type. */
void call_form(struct call *call, struct str body);
void call_json(struct call *call, struct str body);
void step_wait(struct step *step, int64_t wait_ms);
void step_media(struct step *step, size_t media_index);
/* Asks for the file at an address that the post's options or thumbnails name. At most ENV_FILES_MAX
 * different ones. */
void step_file(struct step *step, struct str url, bool is_optional);
/* Index into env->media of the file at url, for call.media_index too; -1 when no step has asked for
 * it in this run. */
int env_file(const struct env *env, struct str url);
void step_done(struct step *step);
/* Fills a STEP_FAIL; message is one English sentence of ours. The failure may be completed by the
 * caller. */
struct failure *step_fail(struct step *step, enum failure_class class, enum failure_code code,
			  struct str message);
/* Is it no usable answer: never sent, lost, or 5xx? */
bool reply_is_broken(const struct reply *reply);
/* For read and prepare replies: true when there is no usable answer (not ANSWERED, or 5xx) and step
 * is now a transient failure. */
bool step_fail_transport(struct step *step, const struct env *env, const struct reply *reply);

/* For answers that must carry JSON: true when this one does not, and step is now a transient
 * failure. */
bool step_fail_unreadable(struct step *step, const struct reply *reply);
/* May an upload go to that address, which an answer gave? Absolute http or https: the sandbox
 * answers with plain http. */
bool call_url_is_usable(const struct env *env, struct str url);

/* ---- what a platform is ---- */

enum pkce_style { PKCE_NONE, PKCE_S256_BASE64URL, PKCE_S256_HEX /* tiktok.md 1.1 */ };

struct oauth_parameter {
	const char *name;
	const char *value;
};

/* How the authorize URL is made; connect/ makes state and PKCE values and puts it together. */
struct oauth_profile {
	const char *authorize_url; /* "{graph_version}" inside is replaced from platform_settings */
	const char *client_id_name;  /* "client_id"; "client_key" on TikTok */
	const char *scopes[16];      /* NULL-ended */
	const char *scope_separator; /* " " or "," */
	enum pkce_style pkce;
	struct oauth_parameter extra[6]; /* fixed parameters, NULL-ended */
	/* values of the callback's error parameter that mean: the user said no */
	const char *denied_errors[4];
	/* what the callback's iss must be when it is there (RFC 9207); NULL = not known */
	const char *issuer;
};

/* What can be asked of a platform; each is a conversation with a flow of its own. */
enum operation {
	/* are the app's credentials good? Asked without a user */
	OPERATION_VERIFY,
	/* the callback's code -> tokens -> accounts */
	OPERATION_CONNECT,
	/* a new access token; missing where tokens cannot be refreshed (Meta's Pages) */
	OPERATION_REFRESH,
	/* does the account's token work? Only CALL_READ; a dead token is FAILURE_TOKEN or
	 * FAILURE_REAUTH */
	OPERATION_CHECK,
	/* asks the platform to forget the account's tokens; missing where that is impossible, or
	 * would take away more than this account */
	OPERATION_REVOKE,
	/* makes the parts of the post visible, one after the other */
	OPERATION_PUBLISH,
	/* finds out what became of a publish call whose outcome is uncertain: only CALL_READ */
	OPERATION_RESOLVE,
	OPERATION_COUNT
};

struct platform {
	const char *slug;
	enum platform_id id;
	const struct oauth_profile *oauth;
	/* oauth_exchange.h; NULL where the token endpoint is asked in the platform's own way */
	const struct oauth_exchange *exchange;
	const struct post_rules *rules; /* rules.h */
	const struct plan_row *plan;    /* plan.h: ends with stage NULL */
	/* The stages of each operation (stages.h); NULL = the platform does not have it. VERIFY,
	 * CONNECT, CHECK, PUBLISH and RESOLVE are always there. */
	const struct stage *stages[OPERATION_COUNT];
	/* Runs after every step of PUBLISH, to hand over in step->account_extra what the answers
	 * taught about the account; NULL = nothing. */
	void (*publish_learn)(const struct env *env, struct flow *flow, struct step *step);
};

/* Runs one step of a conversation that the platform has: with reply NULL it fills step with what
 * flow stands for, else with what follows from the reply. RESOLVE keeps its place in flow->probe,
 * so that flow->stage still names the publish call; all others in flow->stage. Does not block. A
 * flow at a stage that the platform does not have fails as INTERNAL_ERROR. A failed step of CONNECT
 * always has a connection_error, and is final or transient: there is no account yet whose token
 * could be refreshed. */
void platform_run(const struct platform *platform, enum operation operation, const struct env *env,
		  struct flow *flow, const struct reply *reply, struct step *step);

/* The platform of that number, of static lifetime; NULL for PLATFORM_NONE and unknown numbers. */
const struct platform *platform_of(enum platform_id id);
