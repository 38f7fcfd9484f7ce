/* SPDX-License-Identifier: Apache-2.0
 * The shapes of answers: problems, failures of lower layers, and bodies that are no JSON
 * objects. */
#include "count_of.h"

#include "api_fixture.h"

static struct http_response *new_response(struct fixture *fx)
{
	struct http_response *response = ARENA_NEW(fx->arena, struct http_response);
	http_response_init(response, fx->arena, 1 << 20);
	return response;
}

static const struct json *respond(struct fixture *fx, const struct problems *problems, int status,
				  const char *code)
{
	struct http_response *response = new_response(fx);
	respond_problems(response, problems);
	assert_status(response, status);
	assert_text(body_of(response), "error", code);
	return body_of(response);
}

static void the_lowest_kind_names_the_answer(void **state)
{
	static const struct {
		enum problem_kind kind;
		const char *code;
		const char *details;
	} rows[] = {
		{PROBLEM_RULE, "VALIDATION_ERROR", "rules"},
		{PROBLEM_ACCOUNT, "INVALID_ACCOUNT", "accounts"},
		{PROBLEM_SCHEDULE, "INVALID_SCHEDULE", "reason"},
		{PROBLEM_MEDIA, "INVALID_MEDIA", "reason"},
		{PROBLEM_SHAPE, "VALIDATION_ERROR", ""},
	};
	struct fixture *fx = *state;
	struct problems problems;
	problems_init(&problems, fx->arena);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		problem_add(&problems, rows[i].kind, STR("f"), "why", STR("Text."));
		const struct json *body = respond(fx, &problems, 422, rows[i].code);
		assert_text(body, "message", "Text.");
		assert_text(body, "errors.f.0", "Text.");
		assert_string_equal(names_of(fx->arena, json_get(body, "details")),
				    rows[i].details);
	}
}

static void the_message_counts_the_other_errors(void **state)
{
	static const char *const messages[] = {"Zero.", "Zero. (and 1 more error)",
					       "Zero. (and 2 more errors)"};
	static const char *const texts[] = {"Zero.", "One.", "Two."};
	static const char *const fields[] = {"a", "b", "a"};
	struct fixture *fx = *state;
	struct problems problems;
	problems_init(&problems, fx->arena);
	problem_add(&problems, PROBLEM_RULE, STR("r"), "why", STR("Not counted."));
	for (size_t i = 0; i < 3; i++) {
		problem_add(&problems, PROBLEM_SHAPE, str_of(fields[i]), "why", str_of(texts[i]));
		assert_text(respond(fx, &problems, 422, "VALIDATION_ERROR"), "message",
			    messages[i]);
	}
	const struct json *body = respond(fx, &problems, 422, "VALIDATION_ERROR");
	assert_string_equal(names_of(fx->arena, json_get(body, "errors")), "a b");
	assert_text(body, "errors.a.1", "Two.");
}

static void rules_tell_account_and_numbers(void **state)
{
	struct fixture *fx = *state;
	struct problems problems;
	problems_init(&problems, fx->arena);
	problem_add_rule(&problems, STR("content"), "text_too_long", STR("acc-1"), 280, 281,
			 STR("Too long."));
	problem_add_rule(&problems, STR("content"), "text_required", STR("acc-2"), -1, -1,
			 STR("No text."));
	const struct json *body = respond(fx, &problems, 422, "VALIDATION_ERROR");
	assert_text(body, "details.rules.0.account_id", "acc-1");
	assert_text(body, "details.rules.0.rule", "text_too_long");
	assert_text(body, "details.rules.0.field", "content");
	assert_int_equal(json_int(at(body, "details.rules.0.limit"), 0), 280);
	assert_int_equal(json_int(at(body, "details.rules.0.actual"), 0), 281);
	assert_true(json_is(at(body, "details.rules.1.limit"), JSON_TYPE_NULL));
}

static void failures_below_say_nothing_of_the_inside(void **state)
{
	static const struct {
		enum err_kind kind;
		int status;
		const char *code;
	} rows[] = {
		{ERR_TEMPORARY, 503, "UNAVAILABLE"},    {ERR_INTERNAL, 500, "INTERNAL_ERROR"},
		{ERR_CONFLICT, 500, "INTERNAL_ERROR"},  {ERR_UNCERTAIN, 500, "INTERNAL_ERROR"},
		{ERR_TOO_LARGE, 500, "INTERNAL_ERROR"},
	};
	struct fixture *fx = *state;
	const struct http_request request = {.arena = fx->arena, .path = STR("/v1/posts")};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct http_response *response = new_response(fx);
		struct error err = {0};
		error_set(&err, rows[i].kind, "disk /dev/sda of secret");
		respond_failure(fx->api, &request, response, rows[i].kind, &err);
		assert_status(response, rows[i].status);
		assert_text(body_of(response), "error", rows[i].code);
		assert_true(str_find(buf_str(&response->body), STR("secret"), 0) == SIZE_MAX);
		assert_int_equal(header_of(response, "Retry-After").len > 0, rows[i].status == 503);
	}
}

static void bodies_must_be_json_objects(void **state)
{
	static const struct {
		const char *type;
		const char *body;
		int status;
		const char *code;
	} rows[] = {
		{NULL, "{}", 415, "UNSUPPORTED_MEDIA_TYPE"},
		{"text/plain", "{}", 415, "UNSUPPORTED_MEDIA_TYPE"},
		{"application/jsonx", "{}", 415, "UNSUPPORTED_MEDIA_TYPE"},
		{"application/json", "", 400, "MALFORMED_JSON"},
		{"application/json", "{\"a\":1,\"a\":2}", 400, "MALFORMED_JSON"},
		{"application/json", "{\"a\":\"\\ud800\"}", 400, "MALFORMED_JSON"},
		{"application/json", "{\"a\":\"\xff\"}", 400, "MALFORMED_JSON"},
		{"application/json", "[]", 422, "VALIDATION_ERROR"},
		{"application/json", "null", 422, "VALIDATION_ERROR"},
		{"Application/JSON ; charset=utf-8", "\"x\"", 422, "VALIDATION_ERROR"},
	};
	struct fixture *fx = *state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct sent call = {.method = "POST",
					  .target = "/v1/posts/publish",
					  .type = rows[i].type,
					  .body = rows[i].body};
		assert_error(answer(fx, &call), rows[i].status, rows[i].code);
	}
}

static void malformed_json_is_told_with_its_place(void **state)
{
	struct fixture *fx = *state;
	const struct json *body = assert_error(post_json(fx, "/v1/posts/publish", "{\n \"a\": !}"),
					       400, "MALFORMED_JSON");
	assert_int_equal(json_int(at(body, "details.line"), 0), 2);
	assert_true(json_int(at(body, "details.column"), 0) > 1);
}

static void warnings_are_left_out_when_there_are_none(void **state)
{
	struct fixture *fx = *state;
	struct problems problems;
	struct json_writer w;
	struct buf out;
	problems_init(&problems, fx->arena);
	for (int i = 0; i < 2; i++) {
		buf_init(&out, fx->arena, 4096);
		json_writer_init(&w, &out);
		json_begin_object(&w);
		respond_write_warnings(&w, &problems);
		json_end_object(&w);
		assert_string_equal(str_z(fx->arena, buf_str(&out)),
				    i == 0 ? "{}"
					   : "{\"warnings\":[{\"field\":\"a\",\"code\":\"ignored\","
					     "\"message\":\"Text.\"}]}");
		warning_add(&problems, STR("a"), "ignored", STR("Text."));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_TEST(the_lowest_kind_names_the_answer),
		API_TEST(the_message_counts_the_other_errors),
		API_TEST(rules_tell_account_and_numbers),
		API_TEST(failures_below_say_nothing_of_the_inside),
		API_TEST(bodies_must_be_json_objects),
		API_TEST(malformed_json_is_told_with_its_place),
		API_TEST(warnings_are_left_out_when_there_are_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
