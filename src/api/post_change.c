/* SPDX-License-Identifier: Apache-2.0
 * Changes to an accepted post: cancel and retry (api-decisions.md 7; edit.c has the third,
 * retry_many.c retries across posts). The store decides whether a change is allowed, within the
 * transaction that makes it; this file has the bodies and the answers.
 */
#include "api_private.h"

#include "store_post_change.h"

#include "delivery.h"

struct changing {
	struct api *api;
	struct http_request *request;
	struct http_response *response;
	struct str post_id;
	struct problems problems; /* and warnings */
};

static struct changing changing_begin(void *context, struct http_request *request,
				      struct http_response *response)
{
	struct changing c = {.api = context, .request = request, .response = response};
	c.post_id = http_request_capture(request, "post_id");
	problems_init(&c.problems, request->arena);
	return c;
}

/* ---- bodies ---- */

static void shape(struct changing *c, struct str field, const char *reason, const char *message)
{
	problem_add(&c->problems, PROBLEM_SHAPE, field, reason, str_of(message));
}

/* ---- answers ---- */

static struct str too_late_text(const struct post_change_result *result)
{
	if (result->outcome == POST_HELD)
		return STR("This post is held: the database was restored, and the post "
			   "may have been published since the backup. The operator "
			   "must release or fail it first.");
	if (result->is_cancelled)
		return STR("This post is cancelled: it cannot be changed any more. Publish a new "
			   "one.");
	return STR("It is too late to change this post.");
}

bool post_respond_too_late(struct http_response *response, const struct post_change_result *result)
{
	struct json_writer w;
	if (result->outcome == POST_CHANGED)
		return false;
	respond_error_begin(response, 409, "TOO_LATE", too_late_text(result), &w);
	json_key(&w, "details");
	json_begin_object(&w);
	json_member_str(&w, "status", str_of(post_state_name(result->state)));
	json_end_object(&w);
	json_end_object(&w);
	return true;
}

void post_respond(const struct post_view *view, struct http_response *response, int status,
		  const struct post_row *post, const struct problems *warnings)
{
	struct json_writer w;
	json_writer_init(&w, http_response_json(response, status));
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_object(&w);
	post_write_members(&w, view, post);
	respond_write_warnings(&w, warnings);
	json_end_object(&w);
	json_end_object(&w);
}

/* The post as it is now, with the warnings. */
static void respond_post(struct changing *c, int status)
{
	struct post_row post = {0};
	struct error err = {0};
	const struct post_view view = {c->request->arena, c->api};
	const enum err_kind kind =
		store_post_get(c->api->config.store, c->request->arena, request_app(c->request)->id,
			       c->post_id, &post, &err);
	if (!respond_if_failed(c->api, c->request, c->response, kind, &err))
		post_respond(&view, c->response, status, &post, &c->problems);
}

/* ---- cancel ---- */

void api_post_cancel(void *context, struct http_request *request, struct http_response *response)
{
	struct changing c = changing_begin(context, request, response);
	struct post_change_result result = {0};
	struct error err = {0};
	const enum err_kind kind = store_post_cancel(c.api->config.store, request_app(request)->id,
						     c.post_id, &result, &err);
	if (respond_if_failed(c.api, request, response, kind, &err) ||
	    post_respond_too_late(response, &result))
		return;
	deliverer_wake(c.api->config.deliverer); /* the accounts may be free for their next */
	response->status = 204;
}

/* ---- try again ---- */

static bool is_repeated(const struct str *ids, size_t count, struct str id)
{
	for (size_t i = 0; i < count; i++) {
		if (str_equal(ids[i], id))
			return true;
	}
	return false;
}

const struct str *api_read_account_ids(const struct json *list, struct problems *problems,
				       size_t *count_out)
{
	*count_out = 0;
	if (json_is_null(list))
		return NULL;
	if (!json_is(list, JSON_TYPE_ARRAY) || list->count == 0 ||
	    list->count > POST_ACCOUNTS_MAX) {
		problem_add(problems, PROBLEM_SHAPE, STR("account_ids"), "bad_list",
			    STR("The account_ids must be a list of 1 to 100 account ids."));
		return NULL;
	}
	struct str *ids = ARENA_ARRAY(problems->arena, struct str, list->count);
	for (size_t i = 0; i < list->count; i++) {
		const struct json *item = json_at(list, i);
		const struct str field = str_format(problems->arena, "account_ids.%zu", i);
		if (!json_is(item, JSON_TYPE_STRING))
			problem_add(problems, PROBLEM_SHAPE, field, "not_text",
				    STR("An account id must be a string."));
		else if (is_repeated(ids, *count_out, item->string))
			problem_add(problems, PROBLEM_SHAPE, field, "duplicate",
				    STR("This account is listed twice."));
		else
			ids[(*count_out)++] = item->string;
	}
	return ids;
}

/* Without a body, every failed account is retried. False: answered. */
static bool read_retry(struct changing *c, struct post_retry *retry)
{
	const struct json *body = NULL;
	if (str_is_empty(c->request->body))
		return true;
	if (!respond_read_json(c->request, c->response, KNOWN("account_ids", "republish"),
			       &c->problems, &body))
		return false;
	const struct json *republish = json_get(body, "republish");
	if (!json_is_null(republish) && !json_is(republish, JSON_TYPE_BOOL))
		shape(c, STR("republish"), "not_boolean",
		      "The republish field must be true or false.");
	retry->republish = json_bool(republish, false);
	retry->account_ids = api_read_account_ids(json_get(body, "account_ids"), &c->problems,
						  &retry->account_count);
	return !respond_if_problems(c->response, &c->problems);
}

/* The reason and sentence for an account that is not retried; NULL = it is retried. */
static const struct {
	const char *reason;
	const char *message;
} verdict_words[] = {
	[RETRY_AGAIN] = {NULL, NULL},
	[RETRY_PUBLISHED] = {"published", "Already published; not retried."},
	[RETRY_UNDER_WAY] = {"in_progress", "Still in progress; not retried."},
	[RETRY_TAKEN_BACK] = {"removed", "Removed from the platform, or about to be; not retried."},
	[RETRY_OUTCOME_UNKNOWN] = {"outcome_unknown",
				   "It may already be published; not retried. Check the platform, "
				   "then send republish: true."},
	[RETRY_NOT_A_TARGET] = {"not_a_target", "This post does not target that account."},
	[RETRY_ACCOUNT_UNUSABLE] = {"disconnected",
				    "The account cannot be published to; reconnect it."},
};

static const char *reason_of(const struct post_retry_account *account)
{
	if (account->verdict == RETRY_ACCOUNT_UNUSABLE &&
	    account->account_state == ACCOUNT_REAUTH_REQUIRED)
		return "reauth_required";
	return verdict_words[account->verdict].reason;
}

static void add_problems(struct changing *c, const struct post_retry *retry,
			 const struct post_retry_result *result)
{
	struct arena *arena = c->request->arena;
	const bool is_named = retry->account_count > 0;
	for (size_t i = 0; i < result->account_count; i++) {
		const struct post_retry_account *account = &result->accounts[i];
		const struct str field =
			is_named ? str_format(arena, "account_ids.%zu", i) : STR("account_ids");
		const char *words = verdict_words[account->verdict].message;
		if (account->verdict == RETRY_NOT_A_TARGET)
			shape(c, field, reason_of(account), words);
		else if (account->verdict == RETRY_ACCOUNT_UNUSABLE)
			problem_add_account(&c->problems, field, reason_of(account),
					    account->account_id, str_of(words));
	}
}

static void respond_nothing(struct changing *c, const struct post_retry_result *result)
{
	struct json_writer w;
	respond_error_begin(c->response, 409, "NOTHING_TO_RETRY",
			    STR("Nothing in this post can be retried."), &w);
	json_key(&w, "details");
	json_begin_object(&w);
	json_key(&w, "accounts");
	json_begin_array(&w);
	for (size_t i = 0; i < result->account_count; i++) {
		json_begin_object(&w);
		json_member_str(&w, "id", result->accounts[i].account_id);
		json_member_str(&w, "reason", str_of(reason_of(&result->accounts[i])));
		json_end_object(&w);
	}
	json_end_array(&w);
	json_end_object(&w);
	json_end_object(&w);
}

/* A request that lists accounts gets a warning for each that is not retried. Without a list, only
 * accounts that need republish: true are mentioned. */
static void warn_left_alone(struct changing *c, const struct post_retry *retry,
			    const struct post_retry_result *result)
{
	const bool is_named = retry->account_count > 0;
	for (size_t i = 0; i < result->account_count; i++) {
		const enum post_retry_verdict verdict = result->accounts[i].verdict;
		if (verdict == RETRY_AGAIN || (!is_named && verdict != RETRY_OUTCOME_UNKNOWN))
			continue;
		const struct str field = str_format(
			c->request->arena, is_named ? "account_ids.%zu" : "platform_posts.%zu", i);
		warning_add(&c->problems, field, reason_of(&result->accounts[i]),
			    str_of(verdict_words[verdict].message));
	}
}

void api_post_try_again(void *context, struct http_request *request, struct http_response *response)
{
	struct changing c = changing_begin(context, request, response);
	struct post_retry retry = {.app_id = request_app(request)->id, .post_id = c.post_id};
	struct post_retry_result result = {0};
	struct error err = {0};
	retry.now_us = clock_now_us(c.api->config.clock);
	if (!read_retry(&c, &retry))
		return;
	const enum err_kind kind =
		store_post_retry(c.api->config.store, request->arena, &retry, &result, &err);
	if (respond_if_failed(c.api, request, response, kind, &err))
		return;
	switch (result.outcome) {
	case POST_RETRIED:
		deliverer_wake(c.api->config.deliverer);
		warn_left_alone(&c, &retry, &result);
		respond_post(&c, 202);
		return;
	case POST_RETRY_NOTHING:
		respond_nothing(&c, &result);
		return;
	case POST_RETRY_NOT_TARGETS:
	case POST_RETRY_ACCOUNTS_GONE:
		add_problems(&c, &retry, &result);
		respond_problems(response, &c.problems);
		return;
	case POST_RETRY_MEDIA_EXPIRED:
		media_respond_expired(response);
		return;
	}
}
