/* SPDX-License-Identifier: Apache-2.0
 * events. */
#include "person_fixture.h"

#define EVENT(seq, type, data) \
	"{\"id\":\"e\",\"type\":\"" type "\",\"event\":\"" type "\",\"seq\":" seq \
	",\"timestamp\":\"2027-01-15T08:00:00.5Z\",\"data\":" data "}"
#define PAGE(events, has_more) \
	"{\"data\":[" events "],\"meta\":{\"next_cursor\":\"9\",\"has_more\":" has_more "}}"
#define POST_EVENT \
	EVENT("3", "post.publish.failed", \
	      "{\"id\":\"p1\",\"status\":\"failed\",\"platform_post\":{\"platform\":\"x\"," \
	      "\"status\":\"failed\"}}")
#define CONNECTION_EVENT \
	EVENT("4", "connection.completed", "{\"connection_id\":\"c1\",\"status\":\"success\"}")
#define ACCOUNT_EVENT \
	EVENT("5", "account.reauth_required", \
	      "{\"id\":\"a1\",\"connection_id\":\"c1\",\"status\":\"reauth_required\"}")
#define TEST_EVENT EVENT("7", "test", "{\"webhook_id\":\"w1\"}")
#define NEW_EVENT EVENT("9", "some\\u001bthing.new", "{}")

static void a_table(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "GET http://service.example/v1/events?after=2&limit=5",
		    .body = PAGE(POST_EVENT "," CONNECTION_EVENT "," ACCOUNT_EVENT "," TEST_EVENT
					    "," NEW_EVENT,
				 "true"));
	assert_int_equal(DESK_RUN(desk, "events", "--after", "2", "--limit", "5"), PERSON_DONE);
	assert_string_equal(
		desk->out,
		"SEQ  WHEN                  EVENT                    RESULT           ABOUT\n"
		"3    2027-01-15T08:00:00Z  post.publish.failed      x failed         post p1\n"
		"4    2027-01-15T08:00:00Z  connection.completed     success          connection "
		"c1\n"
		"5    2027-01-15T08:00:00Z  account.reauth_required  reauth_required  account a1\n"
		"7    2027-01-15T08:00:00Z  test                     -                webhook w1\n"
		"9    2027-01-15T08:00:00Z  some thing.new           -                -\n"
		"later ones: posthorn events --after 9\n");
}

static void for_programs_and_refused(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "GET http://service.example/v1/events",
		    .body = PAGE(TEST_EVENT, "false"), .times = 2);
	assert_int_equal(DESK_RUN(desk, "events", "--json"), PERSON_DONE);
	assert_string_equal(desk->out, PAGE(TEST_EVENT, "false") "\n");
	assert_int_equal(DESK_RUN(desk, "events"), PERSON_DONE);
	assert_null(strstr(desk->out, "later ones"));
	DESK_ANSWER(desk, .match = "GET", .status = 422,
		    .body = "{\"message\":\"No number.\",\"error\":\"VALIDATION_ERROR\"}");
	assert_int_equal(DESK_RUN(desk, "events", "--after", "x"), PERSON_FAILED);
	desk_said(desk->err, "No number. (VALIDATION_ERROR)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DESK_TEST(a_table),
		DESK_TEST(for_programs_and_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
