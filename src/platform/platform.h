/* SPDX-License-Identifier: Apache-2.0
 * The interface between the engine's side (delivery/, connect/) and the platforms. A platform is
 * data: an OAuth profile, rules, a plan, and for each operation a table of stages (stages.h). The
 * functions in these tables do no I/O and read no clock, randomness, store or log: they turn
 * (environment, flow, last reply) into the next step. So an adapter reads like its platform's
 * documentation, is tested as a transcript (tests/transcripts), and can be replayed after a crash.
 *
 * The conversation. The caller runs platform_run() with reply NULL and carries out the step:
 *
 *   STEP_SEND   store flow and intent, make the call, run again with its reply
 *   STEP_WAIT   run again after wait_ms with reply NULL
 *   STEP_MEDIA  fetch the file, then run again with reply NULL
 *   all others  end the conversation
 *
 * With reply NULL a stage asks again for the very call that flow->stage stands for. That is how a
 * flow is resumed after a crash, a retry or a token refresh. A good adapter to read first is
 * x/x.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

#include "json.h"
#include "sniff.h"

#include "account.h"
#include "app.h"
#include "failure.h"
#include "flow.h"
#include "media_fit.h"
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

/* ---- what an adapter knows ---- */

/* The operator's settings that calls depend on (cli/settings.def). */
struct platform_settings {
	struct str graph_version;    /* "v25.0" (meta.md 1) */
	struct str linkedin_version; /* "202609" (linkedin.md 8) */
};

/* A file of the post. The other members are set once is_ready, after a STEP_MEDIA for it. */
struct media_file {
	bool is_ready;   /* on our disk */
	bool is_missing; /* optional (step_file()) and cannot be fetched: go on without it */
	int64_t size_bytes;
	struct sniff sniff; /* its type, read from the bytes */
	/* an unguessable URL where anyone can fetch our copy for some hours (hosted.h) */
	struct str hosted_url;
	/* what could be done about it has been; until then media_rule_check() may ask for it */
	bool is_fitted;
	bool is_changed;     /* it is not the customer's file any more: only our copy is */
	struct str fit_note; /* why nothing could be done, as a sentence; empty = nothing to say */
};

/* Everything a stage may read. Owned by the caller, and valid until the step has been carried out.
 * An operation reads only the groups that name it; the others may be empty. */
struct env {
	struct arena *arena; /* for everything a step points to */
	int64_t now_us;
	const struct platform *platform; /* set by platform_run() */
	const struct platform_settings *settings;

	/* the app's credentials on this platform */
	struct str client_id;
	struct str client_secret;

	struct str variant; /* verify, connect: of the app's credential (struct oauth_variant) */

	/* connect: what the callback brought */
	struct str code;
	struct str redirect_uri;  /* exactly as sent in the authorize URL; set for verify too */
	struct str pkce_verifier; /* empty where the profile says no PKCE */

	/* refresh, check, revoke, publish, resolve: the account */
	struct str platform_account_id;
	struct str username;
	enum account_type account_type;
	struct str access_token;
	struct str refresh_token;         /* empty = none */
	const struct json *account_extra; /* account_found.extra, or NULL */
	struct str extra_secret;          /* account_found.extra_secret; empty = none */
	struct str scopes;                /* remove: as granted; empty = not known */

	/* publish, resolve: the post */
	const struct post_content *post;
	enum app_tiktok_privacy tiktok_privacy;
	enum post_type post_type;   /* resolved for this platform, never NONE (rules_post_type) */
	const struct json *options; /* the post's options for this platform, or NULL */
	/* by flat index: first post_media_total() entries as post_media_at() counts them, then the
	 * file_count further files that steps asked for by URL (env_file()) */
	const struct media_file *media;
	bool can_fit; /* a STEP_MEDIA may ask for files to be fitted */
	const struct str *file_urls;
	size_t file_count;

	/* resolve: when the uncertain call was started; remove: when the post was accepted */
	int64_t started_at_us;
	/* resolve, with a reply: when it was asked for, by the clock of started_at_us. It may come
	 * much later, to a process that stood still, and says nothing of the time between. */
	int64_t asked_at_us;
	int probe; /* resolve: probes so far, 0 for the first */
};

/* How a call ended. For read and prepare calls the adapter sees every outcome. For publish calls it
 * sees only REPLY_ANSWERED with a status below 500 that is not a redirect: the caller treats
 * everything else as never sent or uncertain. */
enum reply_outcome {
	REPLY_ANSWERED,   /* a complete, well-formed HTTP response */
	REPLY_NEVER_SENT, /* no byte of the request left: name, connect or TLS failed */
	REPLY_LOST        /* sent, at least in part, without a complete response */
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
	struct str transport_error; /* words for after a colon; empty when ANSWERED */
};

/* The value of the first header of that name, in any case; empty when there is none. */
struct str reply_header(const struct reply *reply, const char *name);

/* ---- what an adapter asks for ---- */

enum call_kind {
	CALL_READ, /* may be repeated freely */
	/* makes nothing visible: an upload, a token exchange. A repeat leaves an orphan at worst */
	CALL_PREPARE,
	/* makes something visible, irreversibly: a post or a comment (rules.md 2.2) */
	CALL_PUBLISH
};

struct call_header {
	const char *name;
	struct str value;
};

struct call {
	enum call_kind kind;
	const char *method; /* "GET" */
	/* absolute https URL of the real platform, or one that the platform gave, unchanged */
	struct str url;
	struct call_header headers[CALL_HEADERS_MAX];
	size_t header_count;
	/* The request's body is body; with has_media_body it is body, then a byte range of a media
	 * file streamed from the spool, then body_tail (multipart.h). */
	struct str body;
	struct str body_tail;
	bool has_media_body;
	size_t media_index; /* flat index into env->media */
	int64_t media_offset_bytes;
	int64_t media_length_bytes;
	int64_t timeout_ms; /* 0 = 30,000; step_call_timeout_ms() adds time for a media body */
	/* for calls that work once, such as X's refresh; publish calls always get one */
	bool needs_fresh_connection;
};

/* An account found by connect. The store copies the texts. */
struct account_found {
	struct str platform_account_id;
	struct str username;
	struct str name;
	struct str email;      /* empty = null */
	struct str avatar_url; /* empty = null */
	enum account_type type;
	struct str access_token;
	struct str refresh_token;      /* empty = none: a stored one is kept */
	int64_t expires_at_us;         /* of the access token; 0 = never or unknown */
	int64_t refresh_expires_at_us; /* 0 = unknown */
	int64_t permission_ends_at_us; /* what the user allowed, whatever the tokens; 0 = never */
	struct str scopes;             /* as granted */
	struct str extra; /* JSON object text for account_extra, no secrets; empty = none */
	/* another secret (Meta's user token), sealed by the store; empty = none */
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
	STEP_SEND,  /* make this call */
	STEP_WAIT,  /* run again in wait_ms */
	STEP_MEDIA, /* fetch this media file, or the file at file_url, then run again */
	/* Finished. verify, check: good; connect: accounts; refresh: token; revoke: forgotten;
	 * publish: every part of the flow is done. */
	STEP_DONE,
	STEP_FAIL, /* failure says what may be done next */
	/* publish: the answer to a publish call proves neither success nor refusal */
	STEP_UNCERTAIN,

	/* Answers of resolve. */
	/* proven visible; the adapter has called flow_part_done(), or set flow->stage to the stage
	 * that follows the call */
	STEP_LANDED,
	/* candidates found by comparison: the caller takes the only one that no other post of ours
	 * is bound to, else probes again */
	STEP_MATCHES,
	/* proven absent, or the platform itself refuses duplicates: flow->stage may be sent
	 * again. With a failure: what was sent can never appear, and this is why */
	STEP_SEND_AGAIN,
	STEP_UNKNOWN /* no proof now: probe again later, or give up */
};

struct step {
	enum step_kind kind;
	struct call call;
	int64_t wait_ms;
	size_t media_index;
	/* STEP_MEDIA: a file outside the post's media, such as a thumbnail; empty = media_index */
	struct str file_url;
	/* if it cannot be fetched, it becomes is_missing instead of failing the delivery */
	bool file_is_optional;
	/* STEP_MEDIA for a file that is_ready: make it so, then run again */
	enum media_fit_work fit;
	struct media_fit_order fit_order;
	/* publish, with any kind: JSON object text that replaces account_extra from now on (a
	 * quota, what the account may do); empty = unchanged */
	struct str account_extra;
	struct failure failure;
	bool is_unsupported;   /* remove, FAIL: there is no way to remove this kind of post */
	struct str avatar_url; /* check done: the account's picture now; empty = not told */
	struct account_found *accounts; /* connect done: account_count entries in env->arena */
	size_t account_count;
	struct token_grant token; /* refresh done */
	struct match matches[STEP_MATCHES_MAX];
	size_t match_count;
};

/* ---- building steps (step.c) ----
 * Each step_ function overwrites the whole step. Texts are not copied: they must live as long as
 * env->arena. Nothing here blocks. */

/* Fills a STEP_SEND and returns its call, to be given headers and a body. */
struct call *step_send(struct step *step, enum call_kind kind, const char *method, struct str url);
/* Adds a header; more than CALL_HEADERS_MAX is our bug and asserts. */
void call_header(struct call *call, const char *name, struct str value);
/* Adds "Authorization: Bearer TOKEN". */
void call_bearer(const struct env *env, struct call *call, struct str token);
/* Sets the body and adds its Content-Type. */
void call_form(struct call *call, struct str body);
void call_json(struct call *call, struct str body);
/* Returns how long the call may take, from its intent to the end of its answer, in milliseconds:
 * its own timeout and, with a media body, the time that its bytes may take. The one figure for both
 * the transport's timeout (engine_call.c) and the lease that must outlive it (rules.md 2.2 rule
 * 1). */
int64_t step_call_timeout_ms(const struct call *call);
/* May an upload go to this URL, which an answer gave? Any absolute http or https URL may: the
 * sandbox answers with plain http, and the transport has a policy of its own. */
bool step_call_url_is_usable(const struct env *env, struct str url);

void step_wait(struct step *step, int64_t wait_ms);
void step_media(struct step *step, size_t media_index);
/* Asks for a picture or a film that is here to be fitted. */
void step_fit(struct step *step, size_t media_index, enum media_fit_work fit,
	      const struct media_fit_order *order);
/* Asks for the file at a URL that the post's options or thumbnails name; at most ENV_FILES_MAX
 * different ones in a conversation. */
void step_file(struct step *step, struct str url, bool is_optional);
/* The flat index of the file at url, for env->media and call.media_index; -1 when no step of this
 * run has asked for it. */
int env_file(const struct env *env, struct str url);
void step_done(struct step *step);
/* Fills a STEP_FAIL and returns its failure, to be completed. message is one English sentence of
 * our own, without anything secret. */
struct failure *step_fail(struct step *step, enum failure_class class, enum failure_code code,
			  struct str message);

/* Is there no usable answer: never sent, lost, or a status of 500 and above? */
bool reply_is_broken(const struct reply *reply);
/* For replies to read and prepare calls: true when the reply is broken; step is then a transient
 * failure that heeds Retry-After. Else step is untouched. */
bool step_fail_transport(struct step *step, const struct env *env, const struct reply *reply);
/* For answers that must carry a JSON object: true when this one does not; step is then a transient
 * failure. Else step is untouched. */
bool step_fail_unreadable(struct step *step, const struct reply *reply);

/* ---- what a platform is ---- */

enum pkce_style { PKCE_NONE, PKCE_S256_BASE64URL, PKCE_S256_HEX /* tiktok.md 1.1 */ };

struct oauth_parameter {
	const char *name;
	const char *value;
};

/* A kind of app at the platform: what it may ask for follows from the products it has. */
struct oauth_variant {
	const char *name;          /* "member"; NULL ends a list */
	const char *scopes[16];    /* NULL-ended */
	const char *summary;       /* for which app, in a few words */
	const char *authorize_url; /* where its login begins; NULL = the profile's */
};

/* How the authorize URL is made. connect/ adds state and PKCE values and assembles it. */
struct oauth_profile {
	const char *authorize_url;  /* "{graph_version}" is replaced from platform_settings */
	const char *client_id_name; /* "client_id"; "client_key" on TikTok */
	const char *scopes[16]; /* NULL-ended; those of the first variant, where there are any */
	/* the first is what a credential is that names none; NULL = all apps are of one kind */
	const struct oauth_variant *variants;
	const char *scope_separator; /* " " or "," */
	enum pkce_style pkce;
	/* A set of permissions that was made at the platform may stand in the scopes' place, by its
	 * id; not for variants with an authorize_url of their own (meta.md 2.3). */
	bool takes_config_id;
	struct oauth_parameter extra[6]; /* fixed parameters, NULL-ended */
	/* values of the callback's error parameter that mean the user declined; NULL-ended */
	const char *denied_errors[4];
	/* the value that means: the app may not ask for one of the scopes, and what to do then;
	 * NULL = there is none */
	const char *scope_error;
	const char *scope_remedy;
	/* what the callback's iss must equal if it is present (RFC 9207); NULL = unknown */
	const char *issuer;
};

/* What can be asked of a platform. Each is a conversation with its own flow; RESOLVE alone shares
 * the flow of the PUBLISH that it settles. */
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
	/* proves what became of a publish call whose outcome is uncertain; only CALL_READ */
	OPERATION_RESOLVE,
	/* takes back what is visible of a post (removal.h): every part of the flow that is not
	 * done. The first stage looks whether it is there and this account's; a deletion is a
	 * CALL_PUBLISH, and one with an uncertain outcome is begun again at the first stage.
	 * Missing where the platform gives apps no way to do it */
	OPERATION_REMOVE,
	/* Looks for the id of a post that is out, which the platform had not told when it was
	 * published (flow_lacks_id): flow_id_found and STEP_DONE, STEP_WAIT for not yet (the wait
	 * is the caller's), STEP_UNKNOWN for never. Only CALL_READ. Missing where ids come with the
	 * post */
	OPERATION_LATE_ID,
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
	/* the plan for accounts of the platform's other login; NULL = there is none */
	const struct plan_row *login_plan;
	bool (*is_other_login)(const struct env *env); /* by variant or account_extra */
	/* An access token is renewed when less of it remains, in microseconds; 0 = five minutes.
	 * For tokens that renew themselves, which nothing can renew once they have ended. */
	int64_t refresh_ahead_us;
	/* The stages of each operation (stages.h); NULL = the platform does not have it. VERIFY,
	 * CONNECT, CHECK, PUBLISH and RESOLVE are always there. */
	const struct stage *stages[OPERATION_COUNT];
	/* Runs after every step of PUBLISH and puts what was learned about the account into
	 * step->account_extra; NULL = nothing is learned. */
	void (*publish_learn)(const struct env *env, struct flow *flow, struct step *step);
	/* Who can see a post that is out as it was asked for, where the platform says no more
	 * (flow_see); NULL = unknown. */
	enum post_visibility (*visibility)(const struct env *env);
};

/* Runs one step of an operation that the platform has. With reply NULL it fills step with what the
 * flow stands for, else with what follows from the reply, and moves the flow on: RESOLVE in
 * flow->probe, so that flow->stage still names the publish call, all others in flow->stage. Does
 * not block. A flow at a stage that the table does not have was written by another version and
 * fails as INTERNAL_ERROR. A failure of CONNECT always has a connection_error and is final or
 * transient, since there is no account yet whose token could be refreshed. */
void platform_run(const struct platform *platform, enum operation operation, const struct env *env,
		  struct flow *flow, const struct reply *reply, struct step *step);

/* The variant of that name, NULL when there is none; the empty name is the first's. */
const struct oauth_variant *oauth_variant_find(const struct oauth_profile *profile,
					       struct str name);

/* The platform of that number, of static lifetime; NULL for PLATFORM_NONE and unknown numbers. */
const struct platform *platform_of(enum platform_id id);
