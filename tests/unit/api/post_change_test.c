/* SPDX-License-Identifier: Apache-2.0
 * Cancel, reschedule, retry: the bodies that are read and the answers that are given. What the
 * store decides is tests/store/change_part.c's. */
#include "count_of.h"

#include "api_fixture.h"

#include "store_post_change.h"

struct post_of {
	struct account_row account;
	struct str id;
};

/* A post for one account; scheduled_at "" = now. */
static struct post_of make_post(struct fixture *fx, const char *scheduled_at)
{
	struct post_of post = {.account = make_account(fx, &fx->app, PLATFORM_X)};
	struct str time = scheduled_at[0] != '\0'
				  ? str_format(fx->arena, ",\"scheduled_at\":\"%s\"", scheduled_at)
				  : STR("");
	struct str body = str_format(
		fx->arena, "{\"account_ids\":[\"" STR_FMT "\"],\"content\":\"a\"" STR_FMT "}",
		STR_ARG(post.account.id), STR_ARG(time));
	const struct http_response *response =
		post_json(fx, "/v1/posts/publish", str_z(fx->arena, body));
	assert_status(response, 202);
	post.id = json_string(at(body_of(response), "data.post_id"));
	fx->deliverer.wakes = 0;
	return post;
}

/* body NULL = none. */
static const struct http_response *change(struct fixture *fx, const char *method,
					  struct str post_id, const char *end, const char *body)
{
	const struct str target =
		str_format(fx->arena, "/v1/posts/" STR_FMT "%s", STR_ARG(post_id), end);
	return answer(fx, &(struct sent){.method = method,
					 .target = str_z(fx->arena, target),
					 .type = body != NULL ? "application/json" : NULL,
					 .body = body != NULL ? body : ""});
}

static void a_cancel_answers_without_a_body_and_wakes_the_engine(void **state)
{
	struct fixture *fx = *state;
	const struct post_of post = make_post(fx, "2027-02-01T00:00:00Z");
	const struct http_response *response = change(fx, "DELETE", post.id, "", NULL);
	assert_status(response, 204);
	assert_int_equal(response->body.len, 0);
	assert_int_equal(fx->deliverer.wakes, 1);
	assert_status(change(fx, "DELETE", post.id, "", NULL), 204);
}

struct schedule_row {
	const char *body;
	int status;
	const char *error;
	const char *field;
	const char *scheduled_at; /* afterwards; "" = null */
};

static const struct schedule_row schedule_rows[] = {
	{"{\"scheduled_at\":\"2027-03-01T00:00:00Z\"}", 200, "", "", "2027-03-01T00:00:00Z"},
	{"{\"scheduled_at\":null}", 422, "VALIDATION_ERROR", "scheduled_at", ""},
	{"{\"scheduled_at\":\"2027-01-15T08:00:00Z\"}", 200, "", "", ""},
	{"{\"scheduled_at\":\"2027-01-15T07:55:00Z\"}", 200, "", "", ""},
	{"{\"scheduled_at\":\"2027-01-15T07:54:59Z\"}", 422, "INVALID_SCHEDULE", "scheduled_at",
	 ""},
	{"{\"scheduled_at\":\"2037-01-01T00:00:00Z\"}", 422, "INVALID_SCHEDULE", "scheduled_at",
	 ""},
	{"{\"scheduled_at\":7}", 422, "INVALID_SCHEDULE", "scheduled_at", ""},
	{"{}", 422, "VALIDATION_ERROR", "body", ""},
};

static void a_new_time_follows_the_rules_of_publish(void **state)
{
	struct fixture *fx = *state;
	for (size_t i = 0; i < COUNT_OF(schedule_rows); i++) {
		const struct schedule_row *row = &schedule_rows[i];
		const struct post_of post = make_post(fx, "2027-02-01T00:00:00Z");
		const struct http_response *response = change(fx, "PATCH", post.id, "", row->body);
		assert_int_equal(fx->deliverer.wakes, row->status == 200);
		if (row->status == 200)
			assert_text(body_of(response), "data.scheduled_at", row->scheduled_at);
		else
			assert_fields(response, row->status, row->error, row->field);
		assert_int_equal(response->status, row->status);
	}
	assert_error(change(fx, "PATCH", make_post(fx, "").id, "", "[]"), 422, "VALIDATION_ERROR");
	assert_error(change(fx, "PATCH", make_post(fx, "").id, "", "{"), 400, "MALFORMED_JSON");
	assert_error(change(fx, "PATCH", make_post(fx, "").id, "", NULL), 415,
		     "UNSUPPORTED_MEDIA_TYPE");
}

static void what_is_not_known_is_refused(void **state)
{
	struct fixture *fx = *state;
	const struct post_of post = make_post(fx, "2027-02-01T00:00:00Z");
	const struct json *body =
		assert_error(change(fx, "PATCH", post.id, "",
				    "{\"when\":1,\"scheduled_at\":\"2027-03-01T00:00:00Z\"}"),
			     422, "VALIDATION_ERROR");
	assert_text(body, "errors.when.0", "Unknown field.");
	assert_null(at(body_of(change(fx, "PATCH", post.id, "", "{\"content\":\"a\"}")),
		       "data.warnings"));
}

struct retry_row {
	const char *body; /* A stands for the account, NULL = none */
	int status;
	const char *error;
	const char *field;
};

/* Each on a post that was cancelled. */
static const struct retry_row retry_rows[] = {
	{NULL, 202, "", ""},
	{"{}", 202, "", ""},
	{"{\"account_ids\":null,\"republish\":null}", 202, "", ""},
	{"{\"account_ids\":[\"A\"],\"republish\":true}", 202, "", ""},
	{"{\"account_ids\":[]}", 422, "VALIDATION_ERROR", "account_ids"},
	{"{\"account_ids\":\"A\"}", 422, "VALIDATION_ERROR", "account_ids"},
	{"{\"account_ids\":[1]}", 422, "VALIDATION_ERROR", "account_ids.0"},
	{"{\"account_ids\":[\"A\",\"A\"]}", 422, "VALIDATION_ERROR", "account_ids.1"},
	{"{\"account_ids\":[\"A\",\"other\"]}", 422, "VALIDATION_ERROR", "account_ids.1"},
	{"{\"republish\":\"true\"}", 422, "VALIDATION_ERROR", "republish"},
};

/* text with every A replaced by the id. */
static const char *with_account(struct fixture *fx, const char *text, struct str id)
{
	struct buf out;
	buf_init(&out, fx->arena, 4096);
	for (; *text != '\0'; text++) {
		if (*text == 'A')
			buf_add(&out, id);
		else
			buf_add_char(&out, *text);
	}
	return str_z(fx->arena, buf_str(&out));
}

static void a_retry_reads_its_body(void **state)
{
	struct fixture *fx = *state;
	for (size_t i = 0; i < COUNT_OF(retry_rows); i++) {
		const struct retry_row *row = &retry_rows[i];
		const struct post_of post = make_post(fx, "2027-02-01T00:00:00Z");
		assert_status(change(fx, "DELETE", post.id, "", NULL), 204);
		const char *body =
			row->body != NULL ? with_account(fx, row->body, post.account.id) : NULL;
		const struct http_response *response = change(fx, "POST", post.id, "/retry", body);
		assert_int_equal(fx->deliverer.wakes, 1 + (row->status == 202));
		if (row->status == 202)
			assert_text(body_of(response), "data.status", "pending");
		else
			assert_fields(response, row->status, row->error, row->field);
		assert_int_equal(response->status, row->status);
	}
}

static void a_retry_without_work_says_why(void **state)
{
	struct fixture *fx = *state;
	const struct post_of post = make_post(fx, "");
	const struct json *body =
		assert_error(change(fx, "POST", post.id, "/retry", NULL), 409, "NOTHING_TO_RETRY");
	assert_text(body, "details.accounts.0.reason", "in_progress");
	assert_true(str_equal(json_string(at(body, "details.accounts.0.id")), post.account.id));
}

static void a_retry_needs_an_account_that_can_be_used(void **state)
{
	struct fixture *fx = *state;
	static const struct {
		enum account_state state;
		const char *reason;
	} rows[] = {{ACCOUNT_REAUTH_REQUIRED, "reauth_required"},
		    {ACCOUNT_DISCONNECTED, "disconnected"}};
	for (size_t i = 0; i < 2; i++) {
		const struct post_of post = make_post(fx, "2027-02-01T00:00:00Z");
		assert_status(change(fx, "DELETE", post.id, "", NULL), 204);
		set_account_state(fx, post.account.id, rows[i].state);
		const struct json *body = assert_fields(change(fx, "POST", post.id, "/retry", "{}"),
							422, "INVALID_ACCOUNT", "account_ids");
		assert_text(body, "details.accounts.0.reason", rows[i].reason);
	}
}

static void a_foreign_post_is_as_good_as_none(void **state)
{
	struct fixture *fx = *state;
	struct app_row other;
	const struct post_of post = make_post(fx, "2027-02-01T00:00:00Z");
	const struct str ids[] = {post.id, STR("01a1fcda-7451-7617-8dc3-203f49eaf280")};
	fx->bearer = make_app(fx, "other@example.com", &other);
	static const struct {
		const char *method, *end, *body;
	} calls[] = {{"DELETE", "", NULL},
		     {"PATCH", "", "{\"content\":\"a\"}"},
		     {"POST", "/retry", NULL}};
	for (size_t i = 0; i < 3; i++) {
		struct str texts[2];
		for (size_t k = 0; k < 2; k++) {
			const struct http_response *response =
				change(fx, calls[i].method, ids[k], calls[i].end, calls[i].body);
			assert_error(response, 404, "NOT_FOUND");
			texts[k] = buf_str(&response->body);
		}
		assert_true(str_equal(texts[0], texts[1]));
	}
	assert_int_equal(fx->deliverer.wakes, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_TEST(a_cancel_answers_without_a_body_and_wakes_the_engine),
		API_TEST(a_new_time_follows_the_rules_of_publish),
		API_TEST(what_is_not_known_is_refused),
		API_TEST(a_retry_reads_its_body),
		API_TEST(a_retry_without_work_says_why),
		API_TEST(a_retry_needs_an_account_that_can_be_used),
		API_TEST(a_foreign_post_is_as_good_as_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
