/* SPDX-License-Identifier: Apache-2.0
 * One call of the API: what is repeated, what is not, and what is known afterwards. */
#include "person_fixture.h"

#include "json.h"

#include "person_call.h"

#define LOST .outcome = TRANSFER_LOST, .problem = TRANSFER_TIMED_OUT, .error_text = "timed out"
#define NEVER \
	.outcome = TRANSFER_NEVER_SENT, .problem = TRANSFER_CONNECT_FAILED, \
	.error_text = "connection refused"

static const struct person_request publish = {
	.method = "POST", .path = STR("/v1/p"), .body = STR("{\"a\":1}"), .is_repeatable = true};

static enum err_kind call(struct desk *desk, const struct person_request *request,
			  struct person_answer *answer, struct error *err)
{
	return person_call(&desk->person, desk->person.arena, request, answer, err);
}

static void an_answer(void **state)
{
	struct desk *desk = *state;
	struct person_answer answer;
	struct error err = {0};
	DESK_ANSWER(desk, .match = "POST", .status = 409, .body = "{\"error\":\"E\"}");
	assert_int_equal(call(desk, &publish, &answer, &err), ERR_NONE);
	assert_int_equal(answer.status, 409);
	assert_false(answer.was_lost);
	assert_string_equal(str_z(desk->person.arena, json_string(json_get(answer.json, "error"))),
			    "E");
	const struct fake_sent *sent = fake_nth(&desk->fake, "POST", 0);
	assert_string_equal(sent->url, "http://service.example/v1/p");
	assert_string_equal(sent->authorization, "Bearer phk_token");
	assert_string_equal(sent->body, "{\"a\":1}");
	assert_true(sent->fresh_connection); /* libcurl would send it again by itself */
	assert_int_equal(sent->pool, TRANSFER_PLATFORM);
	DESK_ANSWER(desk, .match = "GET", .status = 204);
	assert_int_equal(person_get(&desk->person, desk->person.arena, STR("/x"), &answer, &err),
			 ERR_NONE);
	assert_null(answer.json);
}

static void a_lost_answer_is_fetched_again(void **state)
{
	struct desk *desk = *state;
	struct person_answer answer;
	DESK_ANSWER(desk, .match = "POST", LOST);
	DESK_ANSWER(desk, .match = "POST", NEVER, .times = 3); /* it is being started again */
	DESK_ANSWER(desk, .match = "POST", .status = 503, .body = "<html>proxy</html>");
	DESK_ANSWER(desk, .match = "POST", .status = 202, .body = "{}");
	assert_int_equal(call(desk, &publish, &answer, NULL), ERR_NONE);
	assert_int_equal(answer.status, 202);
	assert_true(answer.was_lost);
	assert_int_equal(fake_count(&desk->fake, "POST"), 6);
}

static void it_gives_up(void **state)
{
	struct desk *desk = *state;
	struct person_answer answer;
	struct error err = {0};
	DESK_ANSWER(desk, .match = "POST", LOST, .times = 100);
	assert_int_equal(call(desk, &publish, &answer, &err), ERR_UNCERTAIN);
	desk_said(err.text, "http://service.example does not answer (timed out)");
	assert_in_range(desk->napped_ms, 29000, 35000);
}

static void what_never_left_is_not_tried_for_long(void **state)
{
	struct desk *desk = *state;
	struct person_answer answer;
	struct error err = {0};
	DESK_ANSWER(desk, .match = "POST", NEVER, .times = 100);
	assert_int_equal(call(desk, &publish, &answer, &err), ERR_TEMPORARY);
	desk_said(err.text, "connection refused");
	assert_int_equal(fake_count(&desk->fake, "POST"), 1);
}

static void what_must_not_be_repeated(void **state)
{
	const struct person_request retry = {
		.method = "POST", .path = STR("/v1/r"), .body = STR("{}")};
	struct desk *desk = *state;
	struct person_answer answer;
	DESK_ANSWER(desk, .match = "POST", LOST, .times = 9);
	assert_int_equal(call(desk, &retry, &answer, NULL), ERR_UNCERTAIN);
	assert_int_equal(fake_count(&desk->fake, "POST"), 1);
}

static void a_rate_limit_is_waited_for(void **state)
{
	struct desk *desk = *state;
	struct person_answer answer;
	DESK_ANSWER(desk, .match = "GET", .status = 429, .body = "{}", .header_name = "retry-after",
		    .header_value = "7");
	DESK_ANSWER(desk, .match = "GET", .status = 429, .body = "{}", .header_name = "retry-after",
		    .header_value = "100000");
	DESK_ANSWER(desk, .match = "GET", .body = "{}");
	assert_int_equal(person_get(&desk->person, desk->person.arena, STR("/x"), &answer, NULL),
			 ERR_NONE);
	assert_int_equal(answer.status, 200);
	assert_int_equal(desk->napped_ms, 67000);
	DESK_ANSWER(desk, .match = "GET", .status = 429, .body = "{}", .times = 9);
	assert_int_equal(person_get(&desk->person, desk->person.arena, STR("/x"), &answer, NULL),
			 ERR_NONE);
	assert_int_equal(answer.status, 429);
}

static void what_is_not_posthorn(void **state)
{
	static const char *const bodies[] = {"<html>", "", "[]", "null", "{\"a\":"};
	struct desk *desk = *state;
	struct person_answer answer;
	struct error err = {0};
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		DESK_ANSWER(desk, .match = "GET", .body = bodies[i]);
		assert_int_equal(
			person_get(&desk->person, desk->person.arena, STR("/x"), &answer, &err),
			ERR_INVALID);
		desk_said(err.text, "is not Posthorn (status 200");
	}
}

static void the_end_comes_during_a_call(void **state)
{
	struct desk *desk = *state;
	struct person_answer answer;
	desk->naps_left = 0;
	assert_int_equal(call(desk, &publish, &answer, NULL), ERR_UNCERTAIN);
}

static void a_hook(void **state)
{
	const struct transfer_header headers[] = {{STR("webhook-id"), STR("1")}};
	struct desk *desk = *state;
	struct str why = STR("");
	int status = -1;
	DESK_ANSWER(desk, .match = "POST http://127.0.0.1:1/", .status = 500);
	person_call_hook(&desk->person, desk->person.arena, STR("http://127.0.0.1:1/"), headers, 1,
			 STR("{}"), &status, &why);
	assert_int_equal(status, 500);
	assert_string_equal(fake_nth(&desk->fake, "POST", 0)->authorization, "");
	DESK_ANSWER(desk, .match = "POST http://127.0.0.1:1/", NEVER);
	person_call_hook(&desk->person, desk->person.arena, STR("http://127.0.0.1:1/"), headers, 1,
			 STR("{}"), &status, &why);
	assert_int_equal(status, 0);
	assert_true(str_equal_z(why, "connection refused"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DESK_TEST(an_answer),
		DESK_TEST(a_lost_answer_is_fetched_again),
		DESK_TEST(it_gives_up),
		DESK_TEST(what_never_left_is_not_tried_for_long),
		DESK_TEST(what_must_not_be_repeated),
		DESK_TEST(a_rate_limit_is_waited_for),
		DESK_TEST(what_is_not_posthorn),
		DESK_TEST(the_end_comes_during_a_call),
		DESK_TEST(a_hook),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
