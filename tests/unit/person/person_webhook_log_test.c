/* SPDX-License-Identifier: Apache-2.0
 * webhooks test and webhooks log. */
#include "person_fixture.h"

#define LOG "GET http://service.example/v1/webhooks/" ID_1 "/deliveries"
#define ROW(id, event_id, state, attempts, next, tries) \
	"{\"id\":" id ",\"event_id\":\"" event_id "\",\"event\":\"test\",\"state\":\"" state \
	"\",\"attempts\":" attempts ",\"next_attempt_at\":" next \
	",\"created_at\":\"2027-01-15T08:00:00.5Z\",\"tries\":[" tries "]}"
#define TRY(status, error) \
	"{\"at\":\"2027-01-15T08:00:00Z\",\"status\":" status \
	",\"duration_ms\":12,\"error\":" error "}"
#define ROWS(rows, has_more) "{\"data\":[" rows "],\"meta\":{\"has_more\":" has_more "}}"
#define WAITING ROW("9", "e9", "pending", "0", "null", "")
#define TAKEN ROW("9", "e9", "succeeded", "1", "null", TRY("204", "null"))
#define REFUSED ROW("9", "e9", "pending", "1", "null", TRY("500", "null"))

static void with_test(struct desk *desk)
{
	DESK_ANSWER(desk, .match = "POST http://service.example/v1/webhooks/" ID_1 "/test",
		    .status = 202, .body = "{\"data\":{\"event_id\":\"e9\"}}");
}

static void a_test_that_is_taken(void **state)
{
	struct desk *desk = *state;
	with_test(desk);
	DESK_ANSWER(desk, .match = LOG, .body = ROWS("", "false"));
	DESK_ANSWER(desk, .match = LOG, .body = ROWS(WAITING, "false"));
	DESK_ANSWER(
		desk, .match = LOG,
		.body = ROWS(ROW("10", "e10", "failed", "1", "null", TRY("500", "null")) "," TAKEN,
			     "false"));
	assert_int_equal(DESK_RUN(desk, "webhooks", "test", ID_1), PERSON_DONE);
	assert_string_equal(desk->out, "The receiver took it: 204 in 12 ms.\n");
	assert_int_equal(desk->napped_ms, 500);
}

static void a_test_that_is_not(void **state)
{
	struct desk *desk = *state;
	with_test(desk);
	DESK_ANSWER(desk, .match = LOG, .body = ROWS(REFUSED, "false"));
	assert_int_equal(DESK_RUN(desk, "webhooks", "test", ID_1), PERSON_FAILED);
	assert_string_equal(desk->out, "The receiver did not take it: 500 in 12 ms.\n");
}

static void a_test_whose_answer_nobody_knows(void **state)
{
	struct desk *desk = *state;
	with_test(desk);
	DESK_ANSWER(desk, .match = LOG, .body = ROWS(WAITING, "false"), .times = 99);
	assert_int_equal(DESK_RUN(desk, "webhooks", "test", ID_1), PERSON_FAILED);
	assert_string_equal(desk->out,
			    "Sent, and no answer is known yet: look with posthorn webhooks "
			    "log " ID_1 "\n");
	assert_int_equal(desk->napped_ms, 15000);
}

static void a_key_that_may_not_read(void **state)
{
	struct desk *desk = *state;
	with_test(desk);
	DESK_ANSWER(desk, .match = LOG, .status = 403,
		    .body = "{\"message\":\"No.\",\"error\":\"INSUFFICIENT_SCOPE\"}");
	assert_int_equal(DESK_RUN(desk, "webhooks", "test", ID_1), PERSON_DONE);
	desk_said(desk->out, "Accepted: see what the receiver answers with");
	assert_int_equal(desk->napped_ms, 0);
}

static void a_test_without_a_wait(void **state)
{
	struct desk *desk = *state;
	with_test(desk);
	with_test(desk);
	assert_int_equal(DESK_RUN(desk, "webhooks", "test", ID_1, "--no-wait"), PERSON_DONE);
	desk_said(desk->out, "Accepted: ");
	assert_int_equal(DESK_RUN(desk, "webhooks", "test", ID_1, "--json"), PERSON_DONE);
	desk_said(desk->out, "{\"data\":{\"event_id\":\"e9\"}}\n");
	assert_int_equal(fake_count(&desk->fake, "GET"), 0);
	DESK_ANSWER(desk, .match = "/test", .status = 409,
		    .body = "{\"message\":\"No.\",\"error\":\"WEBHOOK_DISABLED\"}");
	assert_int_equal(DESK_RUN(desk, "webhooks", "test", ID_1), PERSON_FAILED);
	desk_said(desk->err, "WEBHOOK_DISABLED");
}

static void the_log(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(
		desk, .match = LOG "?before=12&limit=2",
		.body = ROWS(TAKEN
			     "," ROW("7", "e7", "pending", "2", "\"2027-01-15T08:30:00Z\"",
				     TRY("500", "null") "," TRY("null", "\"No\\u001b answer.\"")),
			     "true"));
	assert_int_equal(DESK_RUN(desk, "webhooks", "log", ID_1, "--limit", "2", "--before", "12"),
			 PERSON_DONE);
	desk_said(desk->out, "2027-01-15T08:00:00Z  test   succeeded  1      204 in 12 ms  -  ");
	desk_said(desk->out, "pending    2      No  answer.   2027-01-15T08:30:00Z  e7\n");
	desk_said(desk->out, "older ones: posthorn webhooks log " ID_1 " --before 7\n");
	DESK_ANSWER(desk, .match = LOG, .body = ROWS("", "false"), .times = 2);
	assert_int_equal(DESK_RUN(desk, "webhooks", "log", ID_1, "--json"), PERSON_DONE);
	desk_said(desk->out, ROWS("", "false") "\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DESK_TEST(a_test_that_is_taken),
		DESK_TEST(a_test_that_is_not),
		DESK_TEST(a_test_whose_answer_nobody_knows),
		DESK_TEST(a_key_that_may_not_read),
		DESK_TEST(a_test_without_a_wait),
		DESK_TEST(the_log),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
