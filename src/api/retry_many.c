/* SPDX-License-Identifier: Apache-2.0
 * POST /v1/posts/retry (api-decisions.md 12): what failed in many posts. The brakes: a dry run
 * counts and does nothing, and what may be out already is retried only where its number is what a
 * dry run gave. The store finds and retries; this file has the body and the answer. */
#include "api_private.h"

#include "timetext.h"

#include "store_retry_many.h"

#include "delivery.h"

#define SINCE_DEFAULT_US US_PER_DAY
#define SINCE_MOST_US (30 * US_PER_DAY)
/* As for a post's time: who reckons 30 days by another clock is not refused. */
#define SINCE_TOLERANCE_US (5 * US_PER_MINUTE)

struct retrying {
	struct api *api;
	struct http_request *request;
	struct http_response *response;
	struct problems problems; /* and warnings */
	const struct json *body;
	struct retry_many many;
	bool is_dry;
};

/* ---- the body ---- */

static void shape(struct retrying *r, struct str field, const char *reason, const char *message)
{
	problem_add(&r->problems, PROBLEM_SHAPE, field, reason, str_of(message));
}

static bool read_switch(struct retrying *r, const char *name)
{
	const struct json *value = json_get(r->body, name);
	if (!json_is_null(value) && !json_is(value, JSON_TYPE_BOOL))
		shape(r, str_of(name), "not_boolean", "This must be true or false.");
	return json_bool(value, false);
}

static bool has_code(const struct retry_many *many, enum failure_code code)
{
	for (size_t i = 0; i < many->code_count; i++) {
		if (failure_code_of_name(many->error_codes[i]) == code)
			return true;
	}
	return false;
}

static void read_code(struct retrying *r, const struct json *item, size_t index)
{
	const struct str field = str_format(r->request->arena, "error_codes.%zu", index);
	const struct str name = json_string(item);
	const enum failure_code code = failure_code_of_name(name);
	if (!json_is(item, JSON_TYPE_STRING))
		shape(r, field, "not_text", "An error code must be a string.");
	else if (code == FAILURE_CODE_NONE)
		shape(r, field, "unknown",
		      "No such error code. It is the code in error of a platform post, for example "
		      "PLATFORM_UNAVAILABLE.");
	else if (has_code(&r->many, code))
		shape(r, field, "duplicate", "This error code is listed twice.");
	else
		r->many.error_codes[r->many.code_count++] = name;
}

static void read_codes(struct retrying *r, const struct json *list)
{
	if (json_is_null(list))
		return;
	if (!json_is(list, JSON_TYPE_ARRAY) || list->count == 0 || list->count > RETRY_CODES_MAX) {
		shape(r, STR("error_codes"), "bad_list",
		      "The error_codes must be a list of error codes, with at least one.");
		return;
	}
	for (size_t i = 0; i < list->count; i++)
		read_code(r, json_at(list, i), i);
}

static void read_since(struct retrying *r, const struct json *value)
{
	int64_t since_us = 0;
	r->many.since_us = r->many.now_us - SINCE_DEFAULT_US;
	if (json_is_null(value))
		return;
	if (!timetext_parse_instant(json_string(value), &since_us)) {
		shape(r, STR("since"), "bad_instant",
		      "Write the time like this: 2026-11-21T15:04:05Z.");
		return;
	}
	r->many.since_us = since_us;
	if (since_us < r->many.now_us - SINCE_MOST_US - SINCE_TOLERANCE_US)
		shape(r, STR("since"), "out_of_range",
		      "This is more than 30 days ago. Retry older ones post by post.");
}

static void read_expected(struct retrying *r, const struct json *value)
{
	if (json_is_null(value))
		return;
	r->many.has_expected = true;
	if (json_is(value, JSON_TYPE_INT) && value->integer >= 0 &&
	    value->integer <= RETRY_MANY_MAX)
		r->many.expected = value->integer;
	else
		shape(r, STR("expect"), "out_of_range",
		      "This must be the count that a dry run gave: a whole number from 0 to 1000.");
}

/* What may be out already can appear twice: whoever takes that risk names it, and its number. */
static void check_brakes(struct retrying *r)
{
	const bool is_unknown_alone =
		r->many.code_count == 1 && has_code(&r->many, FAILURE_CODE_OUTCOME_UNKNOWN);
	if (!r->many.republish)
		return;
	if (!is_unknown_alone)
		shape(r, STR("error_codes"), "required",
		      "With republish: true this must be [\"OUTCOME_UNKNOWN\"] and nothing else.");
	if (!r->is_dry && !r->many.has_expected)
		shape(r, STR("expect"), "required",
		      "With republish: true give the count that a dry run (dry_run: true) gave.");
}

static void warn_of_skipped(struct retrying *r)
{
	if (has_code(&r->many, FAILURE_CODE_OUTCOME_UNKNOWN) && !r->many.republish)
		warning_add(&r->problems, STR("error_codes"), "outcome_unknown",
			    STR("Posts that may already be published are not retried. Check the "
				"platforms, then send republish: true with the count of a dry "
				"run."));
	if (has_code(&r->many, FAILURE_CODE_CANCELLED))
		warning_add(&r->problems, STR("error_codes"), "cancelled",
			    STR("Posts that were cancelled are never retried."));
}

/* False: answered. */
static bool read_body(struct retrying *r)
{
	const struct json *since;
	if (!respond_read_json(
		    r->request, r->response,
		    KNOWN("account_ids", "error_codes", "since", "republish", "expect", "dry_run"),
		    &r->problems, &r->body))
		return false;
	since = json_get(r->body, "since");
	r->is_dry = read_switch(r, "dry_run");
	r->many.republish = read_switch(r, "republish");
	r->many.account_ids = api_read_account_ids(json_get(r->body, "account_ids"), &r->problems,
						   &r->many.account_count);
	read_codes(r, json_get(r->body, "error_codes"));
	read_since(r, since);
	read_expected(r, json_get(r->body, "expect"));
	if (json_is_null(json_get(r->body, "account_ids")) &&
	    json_is_null(json_get(r->body, "error_codes")) && json_is_null(since))
		shape(r, STR("account_ids"), "required",
		      "Say which: give at least one of account_ids, error_codes and since.");
	check_brakes(r);
	warn_of_skipped(r);
	return !respond_if_problems(r->response, &r->problems);
}

/* ---- the answer ---- */

static void respond_changed(struct retrying *r, size_t count)
{
	struct json_writer w;
	respond_error_begin(r->response, 409, "COUNT_CHANGED",
			    STR("It is another number of posts than expected, so nothing was "
				"retried. Make a dry run again and look at what it counts."),
			    &w);
	json_key(&w, "details");
	json_begin_object(&w);
	json_member_int(&w, "expected", r->many.expected);
	json_member_int(&w, "count", (int64_t)count);
	json_end_object(&w);
	json_end_object(&w);
}

static void respond_counted(struct retrying *r, const struct retry_many_result *result)
{
	struct json_writer w;
	json_writer_init(&w, http_response_json(r->response, r->is_dry ? 200 : 202));
	json_begin_object(&w);
	json_key(&w, "data");
	json_begin_object(&w);
	json_member_int(&w, "count", (int64_t)result->count);
	json_key(&w, "post_ids");
	json_begin_array(&w);
	for (size_t i = 0; i < result->post_count; i++)
		json_put_str(&w, result->post_ids[i]);
	json_end_array(&w);
	json_member_bool(&w, "more", result->has_more);
	respond_write_warnings(&w, &r->problems);
	json_end_object(&w);
	json_end_object(&w);
}

void api_post_retry_many(void *context, struct http_request *request,
			 struct http_response *response)
{
	struct retrying r = {.api = context, .request = request, .response = response};
	struct retry_many_result result = {0};
	struct error err = {0};
	problems_init(&r.problems, request->arena);
	r.many.app_id = request_app(request)->id;
	r.many.now_us = clock_now_us(r.api->config.clock);
	if (!read_body(&r))
		return;
	const enum err_kind kind = (r.is_dry ? store_retry_many_count : store_retry_many)(
		r.api->config.store, request->arena, &r.many, &result, &err);
	if (!r.is_dry)
		deliverer_wake(
			r.api->config.deliverer); /* what was retried before an error stays so */
	if (respond_if_failed(r.api, request, response, kind, &err))
		return;
	if (result.is_count_changed)
		respond_changed(&r, result.count);
	else
		respond_counted(&r, &result);
}
