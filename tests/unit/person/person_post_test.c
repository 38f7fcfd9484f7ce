/* SPDX-License-Identifier: Apache-2.0
 * post and validate: an answer that is lost never makes a second post, whatever the repeat
 * meets. */
#include "person_fixture.h"

#include "json.h"

#define LOST .outcome = TRANSFER_LOST, .error_text = "reset"
#define DUPLICATE \
	"{\"message\":\"Used.\",\"error\":\"DUPLICATE_REQUEST\",\"details\":{\"post_id\":\"" ID_2 \
	"\"}}"

/* The request_id of the index-th publish. */
static const char *request_id(struct desk *desk, size_t index)
{
	const struct json *body = NULL;
	const struct fake_sent *sent = fake_nth(&desk->fake, "POST", index);
	assert_int_equal(
		json_parse(desk->person.arena, str_of(sent->body), NULL, &body, NULL, NULL),
		ERR_NONE);
	return str_z(desk->person.arena, json_string(json_get(body, "request_id")));
}

static void accepted_and_waited_for(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "/publish", .status = 202, .body = ACCEPTED);
	DESK_ANSWER(desk, .match = "GET", .body = PUBLISHED);
	assert_int_equal(DESK_RUN(desk, "post", "t", "--to", ID_1), PERSON_DONE);
	desk_said(desk->out, "Accepted: post " ID_2 " for 1 account\n");
	desk_said(desk->out, "https://x.com/1");
	assert_int_equal(strlen(request_id(desk, 0)), 36);
}

static void who_does_not_wait(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "/publish", .status = 202, .body = ACCEPTED, .times = 2);
	assert_int_equal(DESK_RUN(desk, "post", "t", "--to", ID_1, "--no-wait"), PERSON_DONE);
	assert_int_equal(DESK_RUN(desk, "post", "t", "--to", ID_1, "--json"), PERSON_DONE);
	desk_said(desk->out, "\n" ACCEPTED "\n");
	assert_int_equal(fake_count(&desk->fake, "GET"), 0);
	assert_true(strcmp(request_id(desk, 0), request_id(desk, 1)) != 0);
}

static void one_that_is_lost_and_found(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "/publish", LOST);
	DESK_ANSWER(desk, .match = "/publish", .status = 409, .body = DUPLICATE);
	DESK_ANSWER(desk, .match = "GET http://service.example/v1/posts/" ID_2, .body = PUBLISHED);
	assert_int_equal(DESK_RUN(desk, "post", "t", "--to", ID_1, "--json"), PERSON_DONE);
	assert_string_equal(request_id(desk, 0), request_id(desk, 1));
	desk_said(desk->out, "\"post_id\":\"" ID_2 "\"");
	desk_said(desk->out, "\"platform_posts\":[{\"id\":\"d\",\"account_id\":\"" ID_1
			     "\",\"platform_id\":3,\"status\":\"pending\"}]");
}

static void one_whose_repeat_is_refused(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "/publish", LOST);
	DESK_ANSWER(desk, .match = "/publish", .status = 422,
		    .body = "{\"message\":\"No.\",\"error\":\"INVALID_ACCOUNT\"}");
	DESK_ANSWER(desk, .match = "/posts?per_page=100",
		    .body = "{\"data\":[{\"id\":\"other\",\"request_id\":\"q\"},{\"id\":\"" ID_2
			    "\",\"request_id\":\"r\"}]}");
	DESK_ANSWER(desk, .match = "GET http://service.example/v1/posts/" ID_2, .body = PUBLISHED);
	assert_int_equal(DESK_RUN(desk, "post", "t", "--to", ID_1, "--json", "--request-id", "r"),
			 PERSON_DONE);
	desk_said(desk->out, "\"post_id\":\"" ID_2 "\"");
}

static void one_that_was_not_taken(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "/publish", LOST);
	DESK_ANSWER(desk, .match = "/publish", .status = 422,
		    .body = "{\"message\":\"No.\",\"error\":\"INVALID_ACCOUNT\"}");
	DESK_ANSWER(desk, .match = "/posts?per_page=100", .body = "{\"data\":[]}");
	assert_int_equal(DESK_RUN(desk, "post", "t", "--to", ID_1), PERSON_FAILED);
	desk_said(desk->err, "INVALID_ACCOUNT");
}

static void one_that_stays_lost(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "/publish", LOST, .times = 100);
	assert_int_equal(DESK_RUN(desk, "post", "t", "--to", ID_1, "--request-id", "mine"),
			 PERSON_FAILED);
	desk_said(desk->err, "again with --request-id mine");
}

static void one_that_the_service_does_not_know_of(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "/publish", .status = 500,
		    .body = "{\"message\":\"Unknown.\",\"error\":\"INTERNAL_ERROR\"}");
	assert_int_equal(DESK_RUN(desk, "post", "t", "--to", ID_1, "--request-id", "mine"),
			 PERSON_FAILED);
	desk_said(desk->err, "again with --request-id mine");
}

static void a_service_that_stays_busy(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "/publish", .status = 503, .times = 100,
		    .body = "{\"message\":\"Busy.\",\"error\":\"UNAVAILABLE\"}");
	DESK_ANSWER(desk, .match = "/posts?per_page=100", .status = 503, .times = 100,
		    .body = "{\"message\":\"Busy.\",\"error\":\"UNAVAILABLE\"}");
	assert_int_equal(DESK_RUN(desk, "post", "t", "--to", ID_1), PERSON_FAILED);
	desk_said(desk->err, "again with --request-id ");
}

static void accepted_and_unreadable(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "/publish", LOST);
	DESK_ANSWER(desk, .match = "/publish", .status = 409, .body = DUPLICATE);
	DESK_ANSWER(desk, .match = "GET", LOST, .times = 100);
	assert_int_equal(DESK_RUN(desk, "post", "t", "--to", ID_1), PERSON_FAILED);
	desk_said(desk->err,
		  "the post was accepted, and cannot be read now: see `posthorn show " ID_2);
}

static void an_id_of_ones_own_that_is_used(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "/publish", .status = 409, .body = DUPLICATE);
	assert_int_equal(DESK_RUN(desk, "post", "t", "--to", ID_1, "--request-id", "r"),
			 PERSON_FAILED);
	desk_said(desk->err, "DUPLICATE_REQUEST");
	assert_int_equal(fake_count(&desk->fake, "GET"), 0);
}

static void nothing_is_sent_for_wrong_use(void **state)
{
	struct desk *desk = *state;
	assert_int_equal(DESK_RUN(desk, "post", "t"), PERSON_WRONG_USE);
	assert_int_equal(DESK_RUN(desk, "post", "t", "--to", "x", "--wait", "--no-wait"),
			 PERSON_WRONG_USE);
	assert_int_equal(DESK_RUN(desk, "post", "t", "--to", "x", "--media", "a.png"),
			 PERSON_WRONG_USE);
	assert_int_equal(fake_count(&desk->fake, ""), 0);
}

static void validate(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(
		desk, .match = "/validate",
		.body = "{\"data\":{\"ok\":false,\"mode\":\"basic\",\"accounts\":["
			"{\"account_id\":\"a\",\"platform\":\"x\",\"type\":\"post\",\"ok\":true,"
			"\"violations\":[],\"plan\":[{\"method\":\"POST\",\"host_path\":"
			"\"api.x.com/2/tweets\",\"publishes\":true,\"summary\":\"Publish\"}]},"
			"{\"account_id\":\"b\",\"platform\":null,\"type\":null,\"ok\":false,"
			"\"violations\":[{\"field\":\"media\",\"message\":\"Too few.\"}],"
			"\"plan\":[]}]}}");
	assert_int_equal(DESK_RUN(desk, "validate", "t", "--to", ID_1), PERSON_FAILED);
	assert_string_equal(desk->out, "x a: ok, as post\n"
				       "  1. Publish (publishes): POST api.x.com/2/tweets\n"
				       " b: refused, as nothing\n  no: Too few. (media)\n");
	assert_null(strstr(fake_nth(&desk->fake, "POST", 0)->body, "request_id"));
	DESK_ANSWER(desk, .match = "/validate", .body = "{\"data\":{\"ok\":true}}");
	assert_int_equal(DESK_RUN(desk, "validate", "t", "--to", ID_1, "--json"), PERSON_DONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DESK_TEST(accepted_and_waited_for),
		DESK_TEST(who_does_not_wait),
		DESK_TEST(one_that_is_lost_and_found),
		DESK_TEST(one_whose_repeat_is_refused),
		DESK_TEST(one_that_was_not_taken),
		DESK_TEST(one_that_stays_lost),
		DESK_TEST(one_that_the_service_does_not_know_of),
		DESK_TEST(a_service_that_stays_busy),
		DESK_TEST(accepted_and_unreadable),
		DESK_TEST(an_id_of_ones_own_that_is_used),
		DESK_TEST(nothing_is_sent_for_wrong_use),
		DESK_TEST(validate),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
