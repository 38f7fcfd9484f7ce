/* SPDX-License-Identifier: Apache-2.0
 * cancel and retry. */
#include "person_fixture.h"

#define LOST .outcome = TRANSFER_LOST, .error_text = "reset"

static void cancel(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "DELETE", LOST);
	DESK_ANSWER(desk, .match = "DELETE http://service.example/v1/posts/a%20b", .status = 204);
	assert_int_equal(DESK_RUN(desk, "cancel", "a b"), PERSON_DONE);
	assert_string_equal(desk->out, "Cancelled: nothing of post a b is published.\n");
	DESK_ANSWER(desk, .match = "DELETE", .status = 409,
		    .body = "{\"message\":\"Too late.\",\"error\":\"TOO_LATE\"}");
	assert_int_equal(DESK_RUN(desk, "cancel", ID_2), PERSON_FAILED);
	desk_said(desk->err, "TOO_LATE");
}

static void retry(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "/retry", .status = 202, .body = PUBLISHED, .times = 3);
	DESK_ANSWER(desk, .match = "GET", .body = PUBLISHED);
	assert_int_equal(DESK_RUN(desk, "retry", ID_2), PERSON_DONE);
	assert_string_equal(fake_nth(&desk->fake, "/retry", 0)->body, "{}");
	desk_said(desk->out, "https://x.com/1");
	assert_int_equal(DESK_RUN(desk, "retry", ID_2, "--account", "a", "--account", "b",
				  "--republish", "--no-wait"),
			 PERSON_DONE);
	assert_string_equal(fake_nth(&desk->fake, "/retry", 1)->body,
			    "{\"account_ids\":[\"a\",\"b\"],\"republish\":true}");
	assert_int_equal(DESK_RUN(desk, "retry", ID_2, "--json"), PERSON_DONE);
	assert_int_equal(fake_count(&desk->fake, "GET"), 1);
}

static void a_retry_is_made_once(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "/retry", LOST, .times = 9);
	assert_int_equal(DESK_RUN(desk, "retry", ID_2, "--republish"), PERSON_FAILED);
	assert_int_equal(fake_count(&desk->fake, "/retry"), 1);
	desk_said(desk->err, "The retry may have begun: look with `posthorn show " ID_2);
	assert_int_equal(DESK_RUN(desk, "retry", ID_2, "--wait", "--no-wait"), PERSON_WRONG_USE);
}

static void what_is_refused(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "/retry", .status = 409,
		    .body = "{\"message\":\"Nothing.\",\"error\":\"NOTHING_TO_RETRY\"}");
	assert_int_equal(DESK_RUN(desk, "retry", ID_2), PERSON_FAILED);
	desk_said(desk->err, "NOTHING_TO_RETRY");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DESK_TEST(cancel),
		DESK_TEST(retry),
		DESK_TEST(a_retry_is_made_once),
		DESK_TEST(what_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
