/* SPDX-License-Identifier: Apache-2.0
 * Meta's Graph API as facebook.c and instagram.c share it: calls, errors by number, Facebook Login
 * (meta.md 1, 2, 6). What is published and how stands in those two. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "str.h"

#include "failure.h"

#include "platform.h"
#include "stages.h"

struct buf;
struct multipart;
struct option_rule;

#define GRAPH_HOST "graph.facebook.com"
#define GRAPH_PLAN_HOST GRAPH_HOST "/{version}"  /* as a plan shows it */
#define GRAPH_LOGIN_HOST "graph.instagram.com"   /* of accounts that came by Instagram Login */
#define GRAPH_UPLOAD_HOST "rupload.facebook.com" /* Meta names it in its answers */
#define GRAPH_FORM_MAX_BYTES (512 * 1024)

/* ---- stage names and flow keys: stored, so one may be added but never changed ---- */

#define GRAPH_STAGE_CODE "code"
#define GRAPH_STAGE_LONG "long"
#define GRAPH_STAGE_PERMISSIONS "permissions"
#define GRAPH_STAGE_ME "me"
#define GRAPH_STAGE_PAGES "pages"
#define GRAPH_STAGE_BUSINESSES "businesses"
#define GRAPH_STAGE_PORTFOLIO "portfolio"
#define GRAPH_STAGE_PROBE "probe"
#define GRAPH_STAGE_TARGETS "targets"
#define GRAPH_STAGE_FINISH "finish"
#define GRAPH_STAGE_CHECK "check"
#define GRAPH_STAGE_APP_TOKEN "app_token"
#define GRAPH_STAGE_DEBUG "debug"

#define GRAPH_KEY_APP_TOKEN "app_token"
#define GRAPH_KEY_SHORT_TOKEN "short_token"
#define GRAPH_KEY_USER_TOKEN "user_token"
#define GRAPH_KEY_SCOPES "scopes"
#define GRAPH_KEY_HAS_PORTFOLIOS "has_portfolios"
#define GRAPH_KEY_USER_ID "user_id"
#define GRAPH_KEY_FOUND "found"
#define GRAPH_KEY_AFTER "after"
#define GRAPH_KEY_READS "reads"
#define GRAPH_KEY_BUSINESSES "businesses"
#define GRAPH_KEY_PORTFOLIO_LIST "portfolio_list"
#define GRAPH_KEY_IS_PROBED "is_probed"
#define GRAPH_KEY_TARGETS "targets"
#define GRAPH_KEY_DATA_ACCESS_ENDS "data_access_ends"
#define GRAPH_KEY_READS_AS_USER "reads_as_user" /* enum reader (graph.c) */

/* ---- which login ---- */

#define GRAPH_EXTRA_LOGIN "login" /* in an account's extra; missing = Facebook Login */
#define GRAPH_LOGIN_INSTAGRAM "instagram_login"

/* Of an account that came by Instagram Login, or a credential for it (meta.md 2.8). */
bool graph_is_instagram_login(const struct env *env);

/* ---- calls ---- */

/* An empty list of parameters. */
void graph_form_init(const struct env *env, struct buf *form);
/* A call on /{version}/{path} of the login's host, with the token as bearer and, by Facebook Login,
 * its proof among the parameters; for GET and DELETE they go into the query. */
struct call *graph_call(const struct env *env, struct step *step, enum call_kind kind,
			const char *method, struct str path, struct str token, struct buf *form);
/* The same by POST with a multipart body, which it ends. */
struct call *graph_call_multipart(const struct env *env, struct step *step, enum call_kind kind,
				  struct str path, struct str token, struct multipart *body);
/* The bytes of a media file from offset_bytes to its end, to an address that Meta gave for them. */
struct call *graph_call_upload(const struct env *env, struct step *step, struct str upload_url,
			       struct str token, size_t media_index, int64_t offset_bytes);
/* One option as Graph takes it: text as it is, lists and objects as JSON text; empty when the post
 * does not have it. */
struct str graph_option_text(const struct env *env, const char *name);
/* Every option of the table that the post has, under its own name; lists and objects as JSON text
 * (meta.md 1, "Bodies"). */
void graph_options_add(const struct env *env, struct buf *form, const struct option_rule *options);
/* "+0000" instants as Graph writes them; 0 when unreadable. */
int64_t graph_instant_us(const struct env *env, struct str text);

/* ---- errors ---- */

/* What may be tried before a call fails. */
enum graph_remedy {
	GRAPH_NO_REMEDY, /* nothing */
	GRAPH_REPEAT,    /* the same call again in some seconds */
	GRAPH_CONTAINER, /* a new Instagram container */
	GRAPH_POLL,      /* wait until the container is ready, then the same call again */
	GRAPH_RESOLVE    /* it may be live all the same: resolve */
};

struct graph_error {
	int64_t code;
	int64_t subcode; /* 0 = none */
	enum failure_class class;
	enum failure_code failure_code;
	enum graph_remedy remedy;
};

/* False when the reply holds no error of Graph's form. The HTTP status does not count. */
bool graph_error_read(const struct reply *reply, struct graph_error *error_out);
/* By the subcode alone, as a container's status text names it. */
struct graph_error graph_error_of_subcode(int64_t subcode);
/* Fills a STEP_FAIL for anything that is not a usable answer. */
void graph_step_fail(const struct env *env, const struct reply *reply, struct step *step);
/* The same for an answer to graph_call_upload(), whose errors have a form of their own. */
void graph_step_fail_upload(const struct env *env, const struct reply *reply, struct step *step);
/* A publish call's answer is no refusal that may be believed: unreadable, or an error that says
 * nothing about the outcome. */
bool graph_is_uncertain(const struct reply *reply);
/* Answered with 2xx and without an error. */
bool graph_is_ok(const struct reply *reply);

/* For reads of what is the account's own: the account's token or, after graph_read_as_user() said
 * so, the user's (account_found.extra_secret). */
struct str graph_reader_token(const struct env *env, const struct flow *flow);
/* True when the same read is worth asking again: the answer was 100/33, which some days means only
 * that the account's token may not read (meta.md 6.2). It is the user's turn then; and when that is
 * no good or dead, which says nothing about the account, the account's again, for good. */
bool graph_read_as_user(const struct env *env, struct flow *flow, const struct reply *reply);
/* The same, and also when the account's token is dead: for reads of what is out already, which the
 * user's token may still see. */
bool graph_read_as_user_when_dead(const struct env *env, struct flow *flow,
				  const struct reply *reply);

/* Is that what was sent, to a reader? Not for what is much longer. */
bool graph_text_is(const struct env *env, const struct json *text, struct str sent);
/* The answer of a probe that reads a list: the items for which is_ours is true, with the URL under
 * url_name. A list without a match proves nothing: the post may not be listed yet. Returns NULL, as
 * the stage functions do. */
const char *graph_resolve_list(const struct env *env, struct flow *flow, const struct reply *reply,
			       struct step *step, const char *url_name,
			       bool (*is_ours)(const struct env *env, const struct flow *flow,
					       const struct json *item));

/* ---- app credentials and Facebook Login ---- */

extern const struct stage graph_verify_stages[];
STAGE_FUNCTIONS(graph_app_token);
STAGE_FUNCTIONS(graph_debug);

/* Stages of connect, for the tables of both platforms; each names the next. "permissions" and
 * "finish" are the platform's own. */
STAGE_FUNCTIONS(graph_code);
STAGE_FUNCTIONS(graph_long);
const char *graph_permissions_ask(const struct env *env, struct flow *flow, struct step *step);
/* needed: NULL-ended names. */
const char *graph_permissions_answer(const struct env *env, struct flow *flow,
				     const struct reply *reply, struct step *step,
				     const char *const *needed);
STAGE_FUNCTIONS(graph_me);
STAGE_FUNCTIONS(graph_pages);
STAGE_FUNCTIONS(graph_businesses);
STAGE_FUNCTIONS(graph_portfolio);
/* How long the grant lasts, and which Pages it names: for "finish" to go to when "is_probed" is not
 * set. "targets" follows, which comes back to it. */
STAGE_FUNCTIONS(graph_probe);
/* The Pages of the grant that no list has shown, one by one. */
STAGE_FUNCTIONS(graph_targets);
/* {"user_id", page_id_name: page_id, "data_access_expires_at"}: what is kept of a grant beside the
 * tokens. page_id_name may be NULL; the instant is there if graph_probe_answer() received it. */
struct str graph_account_extra(const struct env *env, const struct flow *flow,
			       const char *page_id_name, struct str page_id);
/* For a stage that asks nothing of the platform. */
const char *graph_no_answer(const struct env *env, struct flow *flow, const struct reply *reply,
			    struct step *step);

/* A Page that was found, as "finish" reads it. All texts may be empty but id and token. */
struct graph_page {
	struct str id;
	struct str name;
	struct str username;
	struct str avatar_url;
	struct str access_token;
	struct str instagram_id;
	struct str instagram_username;
	struct str instagram_name;
	struct str instagram_avatar_url;
};

/* The step of "finish": make fills an account from a page or returns false to leave it out. None =
 * no_accounts. */
void graph_finish(const struct env *env, const struct flow *flow, struct step *step,
		  bool (*make)(const struct env *env, const struct flow *flow,
			       const struct graph_page *page, struct account_found *account));

/* ---- graph_remove.c ---- */

/* The answer to a platform's "removal_look", and by what it is judged. */
struct graph_removal_look {
	const struct reply *reply;
	struct step *step;
	/* does what was read belong to the account? */
	bool (*is_own)(const struct env *env, const struct flow *flow, const struct json *object);
	const char *created_field;
};

/* What comes after the look, as a stage's answer function returns it. */
const char *graph_removal_look_judge(const struct env *env, struct flow *flow,
				     const struct graph_removal_look *look);
/* Stages of remove, for the tables of both platforms; "removal_look" is the platform's own. */
STAGE_FUNCTIONS(graph_removal_proof);
STAGE_FUNCTIONS(graph_removal_delete);

/* ---- graph_check.c ---- */

/* For Pages and Instagram accounts. */
extern const struct stage graph_check_stages[];
