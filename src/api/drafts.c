/* SPDX-License-Identifier: Apache-2.0
 * Drafts (api-decisions.md 13): publish's body, which may still be incomplete, kept until a person
 * publishes it. Its types are checked when it is written, all else is told as problems. */
#include "api_private.h"

#include "count_of.h"
#include "uuid.h"

#include "publish_request.h"

#include "store_draft.h"

#include "delivery.h"

#include "etag.h"

/* Others may write a draft at the same time; then the call is made again on what they left. */
#define WRITE_TRIES 8
#define REASON_MAX_BYTES 1000
#define BODY_MAX_BYTES ((size_t)4 * REQUEST_JSON_MAX_BYTES)
#define DRAFT_ARENA_BYTES ((size_t)32 << 20)

/* In the order in which answers show them. */
static const char *const members[] = {
	"request_id", "account_ids", "content",   "type",         "media",
	"containers", "platforms",   "overrides", "scheduled_at", "max_lateness",
};
#define DRAFT_KNOWN \
	KNOWN("request_id", "account_ids", "content", "type", "media", "containers", "platforms", \
	      "overrides", "scheduled_at", "max_lateness")

struct drafts_call {
	struct api *api;
	struct http_request *request;
	struct http_response *response;
	struct problems problems;
	struct draft_row draft;
};

static struct drafts_call begin(void *context, struct http_request *request,
				struct http_response *response)
{
	struct drafts_call c = {.api = context, .request = request, .response = response};
	problems_init(&c.problems, request->arena);
	return c;
}

/* Whoever writes: a key, or who works in the dashboard; empty = the app's admin. */
static struct str author(const struct http_request *request)
{
	const struct api_caller *caller = request_caller(request);
	return !str_is_empty(caller->key.id) ? caller->key.name : caller->admin;
}

/* ---- what publishing would refuse ---- */

/* The rules of the accounts that can be published to. */
static void check_rules(const struct app_row *app, const struct publish_request *post,
			const struct account_row *accounts, struct problems *problems)
{
	struct publish_request usable = *post;
	struct account_row rows[POST_ACCOUNTS_MAX];
	struct str ids[POST_ACCOUNTS_MAX];
	usable.account_ids = ids;
	usable.account_count = 0;
	for (size_t i = 0; i < post->account_count; i++) {
		if (accounts[i].platform == PLATFORM_NONE)
			continue;
		rows[usable.account_count] = accounts[i];
		ids[usable.account_count++] = post->account_ids[i];
	}
	if (usable.account_count == post->account_count)
		api_targets_check(post, accounts, problems);
	for (size_t i = 0; i < usable.account_count; i++)
		api_account_check_rules(problems->arena, app, &rows[i], &post->content, problems);
}

static enum err_kind find_problems(struct api *api, struct str app_id, const struct json *body,
				   struct problems *problems, struct error *err)
{
	struct publish_request post;
	struct account_row *accounts = NULL;
	publish_request_read(problems->arena, body, STR(""), clock_now_us(api->config.clock),
			     &api->config.media_url_check, &post, problems);
	struct media_names names;
	struct app_row app = {0};
	enum err_kind kind = media_use_check(api, app_id, &post.content, problems, &names, err);
	const bool is_whole = problems->count == 0;
	if (kind != ERR_NONE || post.account_count == 0)
		return kind;
	kind = api_post_accounts(api, app_id, &post, problems, &accounts, err);
	if (kind == ERR_NONE && is_whole)
		kind = store_app_find(api->config.store, problems->arena, app_id, &app, err);
	if (kind == ERR_NONE && is_whole)
		check_rules(&app, &post, accounts, problems);
	return kind;
}

static void write_problems(struct json_writer *w, const struct problems *problems)
{
	json_key(w, "problems");
	json_begin_array(w);
	for (size_t i = 0; i < problems->count; i++) {
		json_begin_object(w);
		json_member_str(w, "field", problems->items[i].field);
		json_member_str(w, "code", problems->items[i].reason);
		json_member_str(w, "message", problems->items[i].message);
		json_end_object(w);
	}
	json_end_array(w);
}

/* ---- one draft ---- */

static void write_review(struct json_writer *w, const struct draft_row *draft)
{
	const bool is_rejected = draft->review_at_us != 0;
	json_key(w, "review");
	json_begin_object(w);
	json_member_str(w, "state", is_rejected ? STR("rejected") : STR("open"));
	json_member_str_or_null(w, "reason", draft->review_reason);
	json_member_str_or_null(w, "by", draft->review_by);
	json_member_instant(w, "at", draft->review_at_us);
	json_end_object(w);
}

enum err_kind draft_write(struct api *api, struct arena *arena, const struct draft_row *draft,
			  struct json_writer *w, struct error *err)
{
	const struct json *body = NULL;
	struct problems problems;
	problems_init(&problems, arena);
	enum err_kind kind = json_parse(arena, draft->body, NULL, &body, NULL, err);
	if (kind == ERR_NONE)
		kind = find_problems(api, draft->app_id, body, &problems, err);
	if (kind != ERR_NONE)
		return kind;
	json_begin_object(w);
	json_member_str(w, "id", draft->id);
	json_member_str_or_null(w, "created_by", draft->created_by);
	json_member_instant(w, "created_at", draft->created_at_us);
	json_member_instant(w, "updated_at", draft->updated_at_us);
	write_review(w, draft);
	for (size_t i = 0; i < COUNT_OF(members); i++) {
		const struct json *value = json_get(body, members[i]);
		json_key(w, members[i]);
		if (value != NULL)
			json_put_value(w, value);
		else
			json_put_null(w);
	}
	write_problems(w, &problems);
	respond_write_warnings(w, &problems);
	json_end_object(w);
	return ERR_NONE;
}

static void respond_draft(struct drafts_call *c, int status)
{
	struct error err = {0};
	struct json_writer w;
	json_writer_init(&w, http_response_json(c->response, status));
	json_begin_object(&w);
	json_key(&w, "data");
	const enum err_kind kind = draft_write(c->api, c->request->arena, &c->draft, &w, &err);
	json_end_object(&w);
	if (kind != ERR_NONE)
		respond_failure(c->api, c->request, c->response, kind, &err);
}

/* As the draft is after a call that wrote it. */
static void respond_written(struct drafts_call *c, int status)
{
	http_response_header(c->response, "ETag", etag_of_draft(c->request->arena, &c->draft));
	respond_draft(c, status);
}

static struct str draft_of(const struct http_request *request)
{
	return http_request_capture(request, "draft_id");
}

/* False: answered. */
static bool load(struct drafts_call *c, struct str draft_id)
{
	struct error err = {0};
	const enum err_kind kind =
		store_draft_find(c->api->config.store, c->request->arena,
				 request_app(c->request)->id, draft_id, &c->draft, &err);
	return !respond_if_failed(c->api, c->request, c->response, kind, &err);
}

static bool is_refused(struct drafts_call *c)
{
	return etag_refused(c->request, c->response, etag_of_draft(c->request->arena, &c->draft));
}

/* As it was written; false: answered. Changed meanwhile: the same call again finds the new one. */
static bool is_written(struct drafts_call *c, enum err_kind kind, const struct draft_result *result,
		       const struct error *err)
{
	if (respond_if_failed(c->api, c->request, c->response, kind, err))
		return false;
	if (result->outcome == DRAFT_DONE)
		return true;
	if (result->outcome == DRAFT_OVER_QUOTA)
		respond_over_quota(c->response, &result->over);
	else
		respond_error(c->response, 412, "PRECONDITION_FAILED",
			      STR("Somebody else changed this draft at the same time. Read it "
				  "again."));
	return false;
}

/* ---- writing ---- */

/* Only what no later change of the draft can make right: types, and names that nobody knows. */
static bool is_wrong_type(const struct problem *problem)
{
	static const char *const reasons[] = {"not_text",     "not_a_list",   "not_an_object",
					      "not_a_number", "out_of_range", "unknown"};
	for (size_t i = 0; problem->kind == PROBLEM_SHAPE && i < COUNT_OF(reasons); i++) {
		if (str_equal_z(problem->reason, reasons[i]))
			return true;
	}
	return false;
}

/* The body without nulls, as it is stored; false: answered. */
static bool check_types(struct drafts_call *c, const struct json *body)
{
	struct publish_request post;
	struct problems found;
	const struct json *at = json_get(body, "scheduled_at");
	problems_init(&found, c->request->arena);
	publish_request_read(c->request->arena, body, STR(""), clock_now_us(c->api->config.clock),
			     NULL, &post, &found);
	c->draft.media = media_use_names(c->request->arena, &post.content);
	for (size_t i = 0; i < found.count; i++) {
		if (is_wrong_type(&found.items[i]))
			problem_add_whole(&c->problems, &found.items[i]);
	}
	if (!json_is_null(at) && !json_is(at, JSON_TYPE_STRING))
		problem_add(&c->problems, PROBLEM_SHAPE, STR("scheduled_at"), "not_text",
			    STR("This must be a string."));
	return !respond_if_problems(c->response, &c->problems);
}

/* base with patch over it: a null of patch takes a member away. */
static struct json merge(struct arena *arena, const struct json *base, const struct json *patch)
{
	struct json *items = ARENA_ARRAY(arena, struct json, COUNT_OF(members));
	struct str *keys = ARENA_ARRAY(arena, struct str, COUNT_OF(members));
	struct json merged = {.type = JSON_TYPE_OBJECT, .items = items, .keys = keys};
	for (size_t i = 0; i < COUNT_OF(members); i++) {
		const struct json *value = json_get(patch, members[i]);
		if (value == NULL)
			value = json_get(base, members[i]);
		if (json_is_null(value))
			continue;
		keys[merged.count] = str_of(members[i]);
		items[merged.count++] = *value;
	}
	return merged;
}

static struct str text_of(struct arena *arena, const struct json *body)
{
	struct buf out;
	struct json_writer w;
	buf_init(&out, arena, BODY_MAX_BYTES);
	json_writer_init(&w, &out);
	json_put_value(&w, body);
	return buf_str(&out);
}

void api_draft_create(void *context, struct http_request *request, struct http_response *response)
{
	struct drafts_call c = begin(context, request, response);
	const struct json *given = NULL;
	struct draft_result result = {0};
	struct error err = {0};
	if (!respond_read_json(request, response, NULL, &c.problems, &given) ||
	    !check_types(&c, given))
		return;
	const struct json body = merge(request->arena, NULL, given);
	const int64_t now_us = clock_now_us(c.api->config.clock);
	c.draft = (struct draft_row){
		.id = uuid_str(request->arena, uuid_v7(now_us, c.api->config.random)),
		.app_id = request_app(request)->id,
		.body = text_of(request->arena, &body),
		.created_by = author(request),
		.created_at_us = now_us,
		.media = c.draft.media,
	};
	const enum err_kind kind = store_draft_create(c.api->config.store, &c.draft, &result, &err);
	if (is_written(&c, kind, &result, &err) && load(&c, c.draft.id))
		respond_written(&c, 201);
}

/* Writes it once, as c->draft was read. False: answered. */
typedef bool (*draft_step)(struct drafts_call *c, const struct json *body,
			   struct draft_result *result);

/* As often as another write comes first; If-Match is held against what it left. False: answered. */
static bool write_draft(struct drafts_call *c, draft_step step, const struct json *body)
{
	struct draft_result result = {.outcome = DRAFT_CHANGED_BEFORE};
	for (int i = 0; i < WRITE_TRIES && result.outcome == DRAFT_CHANGED_BEFORE; i++) {
		if (!load(c, draft_of(c->request)) || is_refused(c) || !step(c, body, &result))
			return false;
	}
	return is_written(c, ERR_NONE, &result, NULL);
}

static bool change_once(struct drafts_call *c, const struct json *patch,
			struct draft_result *result)
{
	struct arena *arena = c->request->arena;
	const struct json *base = NULL;
	struct error err = {0};
	enum err_kind kind = json_parse(arena, c->draft.body, NULL, &base, NULL, &err);
	if (respond_if_failed(c->api, c->request, c->response, kind, &err))
		return false;
	const struct json body = merge(arena, base, patch);
	if (!check_types(c, &body))
		return false;
	kind = store_draft_change(c->api->config.store, &c->draft, text_of(arena, &body),
				  clock_now_us(c->api->config.clock), result, &err);
	return !respond_if_failed(c->api, c->request, c->response, kind, &err);
}

void api_draft_change(void *context, struct http_request *request, struct http_response *response)
{
	struct drafts_call c = begin(context, request, response);
	const struct json *patch = NULL;
	if (!respond_read_json(request, response, DRAFT_KNOWN, &c.problems, &patch) ||
	    respond_if_problems(response, &c.problems))
		return;
	if (write_draft(&c, change_once, patch) && load(&c, draft_of(request)))
		respond_written(&c, 200);
}

static bool delete_once(struct drafts_call *c, const struct json *body, struct draft_result *result)
{
	struct error err = {0};
	(void)body;
	const enum err_kind kind =
		store_draft_delete(c->api->config.store, &c->draft, result, &err);
	return !respond_if_failed(c->api, c->request, c->response, kind, &err);
}

void api_draft_delete(void *context, struct http_request *request, struct http_response *response)
{
	struct drafts_call c = begin(context, request, response);
	if (write_draft(&c, delete_once, NULL))
		response->status = 204;
}

/* ---- reading ---- */

void api_draft_get(void *context, struct http_request *request, struct http_response *response)
{
	struct drafts_call c = begin(context, request, response);
	if (!load(&c, draft_of(request)) ||
	    etag_is_known(request, response, etag_of_draft(request->arena, &c.draft)))
		return;
	respond_draft(&c, 200);
}

/* Each in an arena of its own: a hundred of a megabyte do not fit into one. */
static enum err_kind write_page(struct api *api, struct json_writer *w,
				const struct draft_row *drafts, size_t count, struct error *err)
{
	struct arena *arena = arena_new("draft of a list", DRAFT_ARENA_BYTES);
	enum err_kind kind = ERR_NONE;
	json_begin_array(w);
	for (size_t i = 0; i < count && kind == ERR_NONE; i++) {
		kind = draft_write(api, arena, &drafts[i], w, err);
		arena_clear(arena);
	}
	json_end_array(w);
	arena_free(&arena);
	return kind;
}

void api_draft_list(void *context, struct http_request *request, struct http_response *response)
{
	struct drafts_call c = begin(context, request, response);
	struct draft_row *rows = NULL;
	size_t count = 0;
	int64_t total = 0;
	struct error err = {0};
	struct json_writer w;
	respond_problems_init(&c.problems, request);
	int64_t page = 0, per_page = 0;
	api_page_read(request, &c.problems, &page, &per_page);
	if (respond_if_problems(response, &c.problems))
		return;
	enum err_kind kind =
		store_draft_list(c.api->config.store, request->arena, request_app(request)->id,
				 page, per_page, &rows, &count, &total, &err);
	if (respond_if_failed(c.api, request, response, kind, &err))
		return;
	json_writer_init(&w, http_response_json(response, 200));
	json_begin_object(&w);
	json_key(&w, "data");
	kind = write_page(c.api, &w, rows, count, &err);
	respond_write_meta(&w, page, per_page, total);
	json_end_object(&w);
	if (kind != ERR_NONE)
		respond_failure(c.api, request, response, kind, &err);
}

/* ---- reviewing ---- */

static bool reject_once(struct drafts_call *c, const struct json *body, struct draft_result *result)
{
	struct error err = {0};
	c->draft.review_reason = json_string(json_get(body, "reason"));
	c->draft.review_by = author(c->request);
	c->draft.review_at_us = clock_now_us(c->api->config.clock);
	const enum err_kind kind =
		store_draft_reject(c->api->config.store, &c->draft, result, &err);
	return !respond_if_failed(c->api, c->request, c->response, kind, &err);
}

void api_draft_reject(void *context, struct http_request *request, struct http_response *response)
{
	struct drafts_call c = begin(context, request, response);
	const struct json *body = NULL;
	if (!respond_read_json(request, response, KNOWN("reason"), &c.problems, &body))
		return;
	const struct str reason = json_string(json_get(body, "reason"));
	if (str_is_empty(str_trim(reason)) || reason.len > REASON_MAX_BYTES)
		problem_add(&c.problems, PROBLEM_SHAPE, STR("reason"), "required",
			    STR("Give the reason as a text of at most 1,000 bytes."));
	if (respond_if_problems(response, &c.problems))
		return;
	if (write_draft(&c, reject_once, body) && load(&c, draft_of(request)))
		respond_written(&c, 200);
}

/* ---- publishing ---- */

/* False: answered. A call without a body changes nothing of the draft. */
static bool read_wish(struct drafts_call *c, const struct json **wish)
{
	*wish = NULL;
	if (str_is_empty(c->request->body))
		return true;
	return respond_read_json(c->request, c->response, KNOWN("request_id", "scheduled_at"),
				 &c->problems, wish) &&
	       !respond_if_problems(c->response, &c->problems);
}

/* Published already, by somebody else or by this call whose answer was lost: the post says so. */
static void respond_gone(struct drafts_call *c, const struct json *wish)
{
	struct post_accept_result first = {0};
	struct error err = {0};
	const struct str given = json_string(json_get(wish, "request_id"));
	const struct str request_id = !str_is_empty(given) ? given : draft_of(c->request);
	const enum err_kind kind =
		store_post_of_request(c->api->config.store, c->request->arena,
				      request_app(c->request)->id, request_id, &first, &err);
	if (!respond_if_failed(c->api, c->request, c->response, kind, &err))
		publish_respond_duplicate(c->response, &first);
}

/* POST_ACCEPTED: answered. */
static enum post_accept_outcome publish_once(struct drafts_call *c, const struct json *wish)
{
	const struct json *base = NULL;
	struct error err = {0};
	enum err_kind kind = store_draft_find(c->api->config.store, c->request->arena,
					      request_app(c->request)->id, draft_of(c->request),
					      &c->draft, &err);
	if (kind == ERR_NOT_FOUND)
		return POST_DRAFT_GONE;
	if (kind == ERR_NONE)
		kind = json_parse(c->request->arena, c->draft.body, NULL, &base, NULL, &err);
	if (respond_if_failed(c->api, c->request, c->response, kind, &err) || is_refused(c))
		return POST_ACCEPTED;
	const struct json body = merge(c->request->arena, base, wish);
	return api_publish_draft(c->api, c->request, c->response, &body, &c->draft);
}

void api_draft_publish(void *context, struct http_request *request, struct http_response *response)
{
	struct drafts_call c = begin(context, request, response);
	const struct json *wish = NULL;
	enum post_accept_outcome outcome = POST_DRAFT_CHANGED;
	if (!read_wish(&c, &wish))
		return;
	for (int i = 0; i < WRITE_TRIES && outcome == POST_DRAFT_CHANGED; i++)
		outcome = publish_once(&c, wish);
	if (outcome == POST_DRAFT_GONE)
		respond_gone(&c, wish);
	else if (outcome == POST_DRAFT_CHANGED)
		(void)is_written(&c, ERR_NONE,
				 &(struct draft_result){.outcome = DRAFT_CHANGED_BEFORE}, NULL);
}
