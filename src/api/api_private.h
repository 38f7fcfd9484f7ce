/* SPDX-License-Identifier: Apache-2.0
 * Shared by the files of api/: the state of the frame, the calling app, and the shapes of
 * answers. */
#pragma once

#include <stdatomic.h>

#include "arena.h"
#include "buf.h"
#include "clock.h"
#include "log.h"
#include "random.h"

#include "json.h"
#include "json_write.h"

#include "account.h"
#include "failure.h"
#include "known.h"
#include "request_limits.h"
#include "post.h"
#include "problem.h"
#include "quota.h"
#include "scope.h"

#include "store.h"
#include "store_app.h"
#include "store_connection.h"
#include "store_delivery.h"
#include "store_key.h"
#include "store_media.h"
#include "store_post.h"

#include "http.h"

#include "access.h"
#include "api.h"

#define ANSWER_MAX_BYTES ((size_t)32 << 20)

#define ANSWER_STATUS_MIN 100
#define KEY_NOTE_SLOTS 64
#define ANSWER_STATUS_COUNT 500

struct bearer_known;
struct draft_row;
struct limiter;
struct post_change_result;
struct post_view;
struct publish_request;

struct api {
	struct api_config config;
	_Atomic bool is_closed;             /* api_set_open(false) */
	_Atomic unsigned callbacks_waiting; /* handlers that wait for a platform now */
	struct http_router *router;
	struct arena *arena;        /* route patterns: as long as the router */
	struct access *access;      /* the log of requests, and their figures */
	struct bearer_known *known; /* tokens that were good a moment ago (bearer.c) */
	struct limiter *requests;   /* per app */
	_Atomic uint64_t key_notes[KEY_NOTE_SLOTS]; /* bearer.c: last uses being written */
	int64_t started_at_us;
	_Atomic uint64_t answers[ANSWER_STATUS_COUNT]; /* by status from ANSWER_STATUS_MIN */
	struct limiter *failures; /* of the token endpoint, per client id and per address */
};

enum route_who { WHO_NOBODY, WHO_BASIC, WHO_BEARER };
enum route_body { BODY_NONE, BODY_JSON, BODY_FORM, BODY_STREAM };

struct api_route {
	const char *method;
	const char *path;
	enum route_who who;
	enum route_body body;
	http_handler handler;
	unsigned scopes; /* one of these allows it; SCOPES_NONE where no token is read */
	const char *summary;
	bool refuses_other_sites; /* 403 for a page of another site (http_origin.h) */
};

/* The table and its size, for tests and documents. */
const struct api_route *api_routes(size_t *count_out);

/* Who calls; set by the frame for WHO_BEARER routes. */
struct api_caller {
	struct app_row app;
	unsigned scopes;    /* SCOPES_ANY for an access token, and for the dashboard */
	struct key_row key; /* id is empty when it is no key */
	struct str admin;   /* who works in the dashboard; else empty */
};

static inline const struct api_caller *request_caller(const struct http_request *request)
{
	return request->user;
}

static inline const struct app_row *request_app(const struct http_request *request)
{
	return &request_caller(request)->app;
}

/* Handlers of routes.def. */
#define ROUTE(method, path, who, body, handler, scope, operation, verb, summary) \
	void handler(void *context, struct http_request *request, struct http_response *response);
#include "routes.def"
#undef ROUTE

/* Handlers of pages.def. */
#define PAGE(path, where, handler, runs) \
	void handler(void *context, struct http_request *request, struct http_response *response);
#include "pages.def"
#undef PAGE

/* ---- respond.c: shapes of api-decisions.md 1 ---- */

/* {"message","error"} */
void respond_error(struct http_response *response, int status, const char *code,
		   struct str message);
/* The same with error_description: the token endpoint's errors, so that standard OAuth clients show
 * them. */
void respond_oauth_error(struct http_response *response, int status, const char *code,
			 struct str message);
/* One of the two, by the request's path. */
void respond_error_to(const struct http_request *request, struct http_response *response,
		      int status, const char *code, struct str message);
/* respond_error() with errors: {field: [message]} for one field. */
void respond_field_error(struct http_response *response, int status, const char *code,
			 struct str field, struct str message);
/* Answers an error of a lower layer: ERR_TEMPORARY is 503 with Retry-After, everything else 500,
 * which says of ERR_UNCERTAIN that nobody knows. The error's text goes to the log, not to the
 * caller. */
void respond_failure(const struct api *api, const struct http_request *request,
		     struct http_response *response, enum err_kind kind, const struct error *err);
/* 404, with the kind of thing that the path names. */
void respond_not_found(const struct http_request *request, struct http_response *response);
/* A small page for people: a title and a sentence, both ours. Returns the body, which may be added
 * to. */
struct buf *respond_page(struct http_response *response, int status, const char *title,
			 const char *text);
/* The same in two halves, for a page with more than a sentence. */
struct buf *respond_page_begin(struct http_response *response, int status, const char *title);
void respond_page_end(struct buf *out);
/* meta: {"current_page","per_page","total","last_page"}. */
void respond_write_meta(struct json_writer *w, int64_t page, int64_t per_page, int64_t total);
/* 429 RATE_LIMITED: too many calls of the app wait at once; err->text is for people. */
void respond_too_many(struct http_response *response, const struct error *err);
/* 429 QUOTA_EXCEEDED (design.md 5). */
void respond_over_quota(struct http_response *response, const struct quota_over *over);
/* The answer to problems, by the lowest kind present (api-decisions.md 6). */
void respond_problems(struct http_response *response, const struct problems *problems);
/* respond_failure() and respond_problems() as conditions in a handler. True: answered; with 404
 * when kind is ERR_NOT_FOUND. False: there was nothing to answer. */
bool respond_if_failed(const struct api *api, const struct http_request *request,
		       struct http_response *response, enum err_kind kind, const struct error *err);
bool respond_if_problems(struct http_response *response, const struct problems *problems);
/* A whole error body for handlers that need more members: writes message, error and leaves the
 * object open. */
void respond_error_begin(struct http_response *response, int status, const char *code,
			 struct str message, struct json_writer *w);
/* errors: {...} of the problems of one kind, in order, messages of one field together. */
void respond_write_errors(struct json_writer *w, const struct problems *problems,
			  enum problem_kind kind);
/* limit and actual of a broken rule; null for what has no number. */
void respond_write_limit(struct json_writer *w, const struct problem *problem);
/* "warnings": [...] when there are any. */
void respond_write_warnings(struct json_writer *w, const struct problems *problems);
/* The parameters that queries.def names for the request's route; NULL when it reads no query. */
const char *const *respond_known_query(const struct http_request *request);
/* Empties problems, then adds the query parameters that queries.def does not name for the request's
 * route. */
void respond_problems_init(struct problems *problems, const struct http_request *request);
/* Parses the body as a JSON object in the request's arena. known: the names of its fields (a KNOWN
 * list); another is added to problems. NULL = the caller's reader does it. False: answered (415,
 * 400 MALFORMED_JSON, 413, or 422 when it is not an object). */
bool respond_read_json(struct http_request *request, struct http_response *response,
		       const char *const *known, struct problems *problems,
		       const struct json **body_out);
/* Is the request's Content-Type this media type (parameters aside)? */
bool respond_content_type_is(const struct http_request *request, const char *media_type);

/* ---- limiter.c ---- */

/* Counts by key in windows of a minute, in bounded memory. per_minute 0 or less: never over.
 * Thread-safe. The caller frees it with limiter_free(), which takes NULL. */
struct limiter *limiter_new(int64_t per_minute, const struct clock *clock);
/* From now on; what was counted in this window counts. Any thread. */
void limiter_set(struct limiter *limiter, int64_t per_minute);
/* Is there no limit now? */
bool limiter_is_off(const struct limiter *limiter);
void limiter_free(struct limiter **limiter);
struct limit_state {
	bool is_over;
	int64_t limit;
	int64_t remaining;
	int64_t reset_s; /* seconds until the window ends */
};
/* Counts one more of key. */
struct limit_state limiter_count(struct limiter *limiter, struct str key);
/* Reads the state without counting, and without taking a place in the table. */
struct limit_state limiter_look(struct limiter *limiter, struct str key);

/* ---- bearer.c ---- */

/* Splits the Authorization header into scheme and rest. False when there is none or more than
 * one. */
bool bearer_authorization(const struct http_request *request, struct str *scheme_out,
			  struct str *rest_out);
/* Who the request's headers say is calling: the app of a live access token or key. Reads nothing
 * but headers, so it can be asked before there is a body; app->state and the route's scope are for
 * the caller to judge. Texts live in the request's arena. May block on the database. NOT_FOUND: no
 * token, or none that is valid. */
enum err_kind bearer_find(const struct api *api, const struct http_request *request,
			  struct api_caller *caller_out, struct error *err);
/* The one check of a WHO_BEARER route: is the token or key valid, is its app not suspended, does it
 * have the scope of the route? Leaves a struct api_caller in request->user and notes the use of a
 * key. False: answered already. */
bool bearer_check(struct api *api, struct http_request *request, struct http_response *response);
/* Has the caller that bearer_check() left one of scopes? False: answered. */
bool bearer_may_call(const struct http_request *request, struct http_response *response,
		     unsigned scopes);
/* Decides on the headers whether the caller may send a body: as bearer_check(), but a token that
 * was good a moment ago is not looked up again; the app's rate limit, without counting. Waits for
 * the database only when may_wait. */
enum http_admission bearer_admit(struct api *api, struct http_request *request,
				 struct http_response *response, bool may_wait);
/* NULL when out of memory; the caller frees it. */
struct bearer_known *bearer_known_new(void);
void bearer_known_free(struct bearer_known **known);

/* ---- api.c ---- */

/* Answers 429 when the app is over its rate limit, and adds the headers that say where it stands;
 * is_counted: this request counts. False: answered. */
bool api_is_within_rate(struct api *api, struct str app_id, bool is_counted,
			struct http_response *response);

/* Answers 422 when a route that reads no query is given one. False: answered. */
bool api_has_no_stray_query(const struct http_request *request, struct http_response *response);

/* ---- post_write.c ---- */

/* How a post is shown. */
struct post_view {
	struct arena *arena;
	const struct api *api; /* what GET of one post has; NULL = as lists show it */
};

/* One post. */
void post_write(struct json_writer *w, const struct post_view *view, const struct post_row *post);
/* Its members alone, into an object that the caller began and ends. */
void post_write_members(struct json_writer *w, const struct post_view *view,
			const struct post_row *post);
/* One of its platform posts. */
void post_write_delivery(struct json_writer *w, const struct post_view *view,
			 const struct post_row *post, const struct delivery_row *delivery);

/* ---- posts.c ---- */

/* A hundred posts of a megabyte do not fit into one answer. */
void posts_respond_too_large(struct http_response *response);

/* ---- drafts.c ---- */

/* As GET of one draft shows it, with what publishing it would refuse. */
enum err_kind draft_write(struct api *api, struct arena *arena, const struct draft_row *draft,
			  struct json_writer *w, struct error *err);

/* ---- connections.c ---- */

/* As the accounts endpoint shows them (contract.md 4). */
void api_connection_write(struct json_writer *w, const struct connection_row *connection,
			  const struct account_row *accounts, size_t count, int64_t now_us);
/* As GET of one account shows it: with the state of its token (api-decisions.md 9). */
void api_account_write(struct json_writer *w, struct arena *arena,
		       const struct account_row *account, int64_t now_us);

/* ---- post_change.c ---- */

/* A change that was not made: 409. */
bool post_respond_too_late(struct http_response *response, const struct post_change_result *result);
/* account_ids of a body: 1 to 100 texts, none twice; a problem for what is wrong. NULL = not
 * given. */
const struct str *api_read_account_ids(const struct json *list, struct problems *problems,
				       size_t *count_out);
/* One post with the warnings of its change. */
void post_respond(const struct post_view *view, struct http_response *response, int status,
		  const struct post_row *post, const struct problems *warnings);

/* ---- publish.c ---- */

/* Why an account cannot be published to: a reason of api-decisions.md 1; NULL when it can. */
const char *api_account_unusable_reason(const struct account_row *account, bool is_found);
/* The sentence for such a reason. */
struct str api_account_unusable_text(struct arena *arena, const char *reason, struct str id);
/* The accounts of post, in its order; a problem for each that cannot be published to. */
enum err_kind api_post_accounts(const struct api *api, struct str app_id,
				const struct publish_request *post, struct problems *problems,
				struct account_row **accounts_out, struct error *err);
/* All that is judged once the accounts are known: the two below, for all of them. */
void api_post_check(const struct app_row *app, const struct publish_request *post,
		    const struct account_row *accounts, struct problems *problems);
/* 409 with the first post. */
void publish_respond_duplicate(struct http_response *response,
			       const struct post_accept_result *result);
/* Publishes body, which was made of draft, and takes the draft away. POST_DRAFT_GONE or
 * POST_DRAFT_CHANGED: not answered, and nothing is published. */
enum post_accept_outcome api_publish_draft(struct api *api, struct http_request *request,
					   struct http_response *response, const struct json *body,
					   const struct draft_row *draft);
/* As it is stored. */
struct str api_post_content_text(struct arena *arena, const struct post_content *content);
/* What of the request goes to none of accounts, which stand in its order: a warning for the options
 * of a platform, a problem for an entry of overrides. */
void api_targets_check(const struct publish_request *post, const struct account_row *accounts,
		       struct problems *problems);
/* The rules of the account's platform (rules_check) for what the account gets of content. */
void api_account_check_rules(struct arena *arena, const struct app_row *app,
			     const struct account_row *account, const struct post_content *content,
			     struct problems *problems);

/* ---- media_use.c: uploaded files that posts name ---- */

/* The ids in content, in arena. */
struct media_names media_use_names(struct arena *arena, const struct post_content *content);
/* Adds a PROBLEM_MEDIA for each file that content names and the app has not (unknown_media,
 * not_uploaded), or that cannot be a medium (bad_type); gives media the type of its file where the
 * request left that open. *names_out: all ids. */
enum err_kind media_use_check(const struct api *api, struct str app_id,
			      struct post_content *content, struct problems *problems,
			      struct media_names *names_out, struct error *err);
/* A retry of a post whose file is gone. */
void media_respond_expired(struct http_response *response);

/* ---- events.c ---- */

/* Reads a query parameter that is one whole number from min to max. Returns fallback when it is not
 * given, and also adds a problem when it is invalid. */
int64_t api_cursor_number(const struct http_request *request, struct problems *problems,
			  const char *name, int64_t fallback, int64_t min, int64_t max);
/* Which page of a list the query asks for, as above. */
void api_page_read(const struct http_request *request, struct problems *problems, int64_t *page_out,
		   int64_t *per_page_out);
