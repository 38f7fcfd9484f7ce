/* SPDX-License-Identifier: Apache-2.0
 * listen: where it begins, what it sends, how it is signed, and that it goes on. */
#include "person_fixture.h"

#define HOOK "POST http://127.0.0.1:3000/hook"
#define EVENT(seq, type) \
	"{\"id\":\"e" seq "\",\"type\":\"" type "\",\"event\":\"" type "\",\"seq\":" seq \
	",\"app_id\":\"a\",\"timestamp\":\"2027-01-15T08:00:00.5Z\",\"data\":{\"n\":" seq "}}"
#define PAGE(events, has_more) \
	"{\"data\":[" events "],\"meta\":{\"next_cursor\":\"0\",\"has_more\":" has_more "}}"
#define NOTHING PAGE("", "false")

/* The service of find_newest: events with these seqs. */
static void with_events(struct desk *desk, const int *seqs, size_t count, int64_t probed_to)
{
	static char bodies[256][512];
	static char matches[256][64];
	for (int64_t after = 0; after <= probed_to; after++) {
		size_t next = 0;
		while (next < count && seqs[next] <= after)
			next++;
		snprintf(matches[after], sizeof(matches[after]), "after=%d&limit=1", (int)after);
		if (next == count)
			snprintf(bodies[after], sizeof(bodies[after]), NOTHING);
		else
			snprintf(bodies[after], sizeof(bodies[after]),
				 "{\"data\":[{\"seq\":%d}],\"meta\":{\"has_more\":%s}}", seqs[next],
				 next + 1 < count ? "true" : "false");
		/* "&limit=1" also begins "&limit=10": the URL ends there */
		DESK_ANSWER(desk, .match = matches[after], .body = bodies[after]);
	}
}

static void new_ones_only(void **state)
{
	static const int seqs[] = {3, 4, 9, 17, 18, 40, 77};
	struct desk *desk = *state;
	with_events(desk, seqs, 7, 200);
	DESK_ANSWER(desk, .match = "after=77&limit=25", .body = NOTHING);
	DESK_ANSWER(desk, .match = "after=77&limit=25",
		    .body = PAGE(EVENT("78", "post.completed") "," EVENT("80", "test"), "true"));
	DESK_ANSWER(desk, .match = "after=80&limit=25", .body = NOTHING, .times = 9);
	DESK_ANSWER(desk, .match = HOOK, .status = 204);
	DESK_ANSWER(desk, .match = HOOK, .outcome = TRANSFER_NEVER_SENT, .error_text = "refused");
	desk->naps_left = 3;
	assert_int_equal(DESK_RUN(desk, "listen", "--forward-to", "127.0.0.1:3000/hook"),
			 PERSON_DONE);
	assert_string_equal(fake_nth(&desk->fake, HOOK, 0)->body, EVENT("78", "post.completed"));
	assert_int_equal(fake_count(&desk->fake, HOOK), 2);
	desk_said(desk->out, "Events of http://service.example go to http://127.0.0.1:3000/hook");
	desk_said(desk->out, "Signing secret: whsec_");
	desk_said(desk->out, "08:00:00  post.completed  seq 78  -> 204\n");
	desk_said(desk->out, "08:00:00  test  seq 80  -> no answer: refused\n");
}

static void nothing_happened_ever(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "after=0&limit=1", .body = NOTHING);
	DESK_ANSWER(desk, .match = "after=0&limit=25", .body = NOTHING, .times = 9);
	desk->naps_left = 2;
	assert_int_equal(DESK_RUN(desk, "listen", "--forward-to", "http://127.0.0.1:3000/hook"),
			 PERSON_DONE);
}

static void chosen_ones_from_there_on(void **state)
{
	struct desk *desk = *state;
	desk->naps_left = 2;
	DESK_ANSWER(desk, .match = "after=5&",
		    .body = PAGE(EVENT("6", "test") "," EVENT("7", "post.completed") "," EVENT(
					 "8", "something.new"),
				 "false"));
	DESK_ANSWER(desk, .match = "after=8&", .body = NOTHING, .times = 9);
	DESK_ANSWER(desk, .match = HOOK);
	assert_int_equal(DESK_RUN(desk, "listen", "--forward-to", "127.0.0.1:3000/hook", "--after",
				  "5", "--json", "--events",
				  "post.completed, connection.completed"),
			 PERSON_DONE);
	assert_string_equal(desk->out, EVENT("7", "post.completed") "\n");
	desk_said(desk->err, "Signing secret: whsec_");
	assert_int_equal(fake_count(&desk->fake, HOOK), 1);
}

static void a_service_that_comes_back(void **state)
{
	struct desk *desk = *state;
	desk->naps_left = 4;
	DESK_ANSWER(desk, .match = "after=5&", .outcome = TRANSFER_NEVER_SENT);
	DESK_ANSWER(desk, .match = "after=5&", .outcome = TRANSFER_NEVER_SENT);
	DESK_ANSWER(desk, .match = "after=5&", .body = NOTHING, .times = 9);
	assert_int_equal(
		DESK_RUN(desk, "listen", "--forward-to", "127.0.0.1:3000/hook", "--after", "5"),
		PERSON_DONE);
	assert_string_equal(desk->err, "posthorn: the service does not answer; waiting for it\n"
				       "posthorn: the service answers again\n");
}

static void what_ends_it(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "/v1/events", .status = 401, .times = 2,
		    .body = "{\"message\":\"No.\",\"error\":\"UNAUTHENTICATED\"}");
	assert_int_equal(DESK_RUN(desk, "listen", "--forward-to", "127.0.0.1:3000"), PERSON_FAILED);
	assert_int_equal(DESK_RUN(desk, "listen", "--forward-to", "127.0.0.1:3000", "--after", "1"),
			 PERSON_FAILED);
	assert_int_equal(DESK_RUN(desk, "listen"), PERSON_WRONG_USE);
	assert_int_equal(DESK_RUN(desk, "listen", "--forward-to", "http://a@b.example/"),
			 PERSON_WRONG_USE);
	assert_int_equal(DESK_RUN(desk, "listen", "--forward-to", "a:1", "--events", "tset"),
			 PERSON_WRONG_USE);
	desk_said(desk->err, "no event is called \"tset\"; did you mean test?");
	assert_int_equal(DESK_RUN(desk, "listen", "--forward-to", "a:1", "--after", "x"),
			 PERSON_WRONG_USE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DESK_TEST(new_ones_only),
		DESK_TEST(nothing_happened_ever),
		DESK_TEST(chosen_ones_from_there_on),
		DESK_TEST(a_service_that_comes_back),
		DESK_TEST(what_ends_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
