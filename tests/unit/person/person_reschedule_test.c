/* SPDX-License-Identifier: Apache-2.0
 * reschedule. */
#include "person_fixture.h"

#define PATH "PATCH http://service.example/v1/posts/" ID_2
#define LATER \
	"{\"data\":{\"id\":\"" ID_2 \
	"\",\"status\":\"scheduled\",\"scheduled_at\":\"2027-06-01T10:30:00Z\"}}"

static void another_time(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "PATCH", .outcome = TRANSFER_LOST, .error_text = "reset");
	DESK_ANSWER(desk, .match = PATH, .body = LATER, .times = 2);
	assert_int_equal(DESK_RUN(desk, "reschedule", ID_2, "--at", "2027-06-01T12:30+02:00"),
			 PERSON_DONE);
	assert_string_equal(fake_nth(&desk->fake, "PATCH", 1)->body,
			    "{\"scheduled_at\":\"2027-06-01T10:30:00Z\"}");
	assert_string_equal(desk->out, "Post " ID_2 ": scheduled for 2027-06-01T10:30:00Z.\n");
	assert_int_equal(DESK_RUN(desk, "reschedule", ID_2, "--at", "+1h", "--json"), PERSON_DONE);
	desk_said(desk->out, LATER "\n");
}

static void at_once(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = PATH, .body = PUBLISHED);
	assert_int_equal(DESK_RUN(desk, "reschedule", ID_2, "--now"), PERSON_DONE);
	assert_string_equal(fake_nth(&desk->fake, "PATCH", 0)->body,
			    "{\"scheduled_at\":\"2027-01-15T08:00:00Z\"}");
	assert_string_equal(desk->out,
			    "Post " ID_2 ": published now; see posthorn show " ID_2 " --wait\n");
}

static void what_is_wrong(void **state)
{
	struct desk *desk = *state;
	assert_int_equal(DESK_RUN(desk, "reschedule", ID_2), PERSON_WRONG_USE);
	assert_int_equal(DESK_RUN(desk, "reschedule", ID_2, "--now", "--at", "+1h"),
			 PERSON_WRONG_USE);
	desk_said(desk->err, "either --at TIME or --now");
	assert_int_equal(DESK_RUN(desk, "reschedule", ID_2, "--at", "soon"), PERSON_WRONG_USE);
	desk_said(desk->err, "--at soon is no time");
	assert_int_equal(fake_count(&desk->fake, "PATCH"), 0);
	DESK_ANSWER(desk, .match = PATH, .status = 409,
		    .body = "{\"message\":\"Too late.\",\"error\":\"TOO_LATE\"}");
	assert_int_equal(DESK_RUN(desk, "reschedule", ID_2, "--now"), PERSON_FAILED);
	desk_said(desk->err, "TOO_LATE");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DESK_TEST(another_time),
		DESK_TEST(at_once),
		DESK_TEST(what_is_wrong),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
