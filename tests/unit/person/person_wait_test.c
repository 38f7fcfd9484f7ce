/* SPDX-License-Identifier: Apache-2.0
 * Waiting for a post: its progress, its end, and a service that goes away meanwhile. */
#include "person_fixture.h"

#include "person_wait.h"

#define UNDER_WAY \
	POST_DATA("processing", "none", \
		  TARGET("published", "all", "null", \
			 "null") "," \
				 "{\"platform\":\"linkedin\",\"handle\":\"acme\",\"state\":" \
				 "\"retrying\"," \
				 "\"waiting\":{\"message\":\"Again in 30 s.\"}}")
#define FAILED \
	POST_DATA("failed", "none", \
		  TARGET("failed", "none", "null", \
			 "{\"code\":\"ACCOUNT_REAUTH_REQUIRED\",\"message\":\"No token.\"}"))

static enum person_status wait_post(struct desk *desk, bool has_patience)
{
	const enum person_status status = person_wait_post(&desk->person, STR(ID_2), has_patience);
	fflush(desk->person.out);
	fflush(desk->person.err);
	return status;
}

static void until_it_is_out(void **state)
{
	struct desk *desk = *state;
	DESK_PARSE(desk, "post", "t", "--to", "x");
	DESK_ANSWER(desk, .match = "GET", .body = UNDER_WAY, .times = 3);
	DESK_ANSWER(desk, .match = "GET", .body = PUBLISHED);
	assert_int_equal(wait_post(desk, false), PERSON_DONE);
	/* a line is said once, not at every turn */
	assert_string_equal(desk->err, "1 of 2 done; linkedin acme: retrying: Again in 30 s.\n");
	desk_said(desk->out, "x         jodoe    published  https://x.com/1\n");
}

static void until_it_has_failed(void **state)
{
	struct desk *desk = *state;
	DESK_PARSE(desk, "post", "t", "--to", "x");
	DESK_ANSWER(desk, .match = "GET", .body = FAILED);
	assert_int_equal(wait_post(desk, false), PERSON_FAILED);
	desk_said(desk->out, "ACCOUNT_REAUTH_REQUIRED: No token.");
	desk_said(desk->out, "x: posthorn connect x, then posthorn retry " ID_2);
}

static void on_a_terminal(void **state)
{
	struct desk *desk = *state;
	DESK_PARSE(desk, "post", "t", "--to", "x");
	desk->person.err_is_terminal = true;
	DESK_ANSWER(desk, .match = "GET", .body = UNDER_WAY, .times = 2);
	DESK_ANSWER(desk, .match = "GET", .body = PUBLISHED);
	assert_int_equal(wait_post(desk, false), PERSON_DONE);
	assert_string_equal(desk->err, "\r\033[K1 of 2 done; linkedin acme: retrying: Again in 30 "
				       "s.\r\033[K");
}

static void for_programs(void **state)
{
	struct desk *desk = *state;
	DESK_PARSE(desk, "post", "t", "--to", "x", "--json");
	DESK_ANSWER(desk, .match = "GET", .body = UNDER_WAY);
	DESK_ANSWER(desk, .match = "GET", .body = FAILED);
	assert_int_equal(wait_post(desk, false), PERSON_FAILED);
	assert_string_equal(desk->out, FAILED "\n");
	assert_int_equal(desk->err_size, 0);
}

static void a_service_that_comes_back(void **state)
{
	struct desk *desk = *state;
	DESK_PARSE(desk, "post", "t", "--to", "x");
	DESK_ANSWER(desk, .match = "GET", .outcome = TRANSFER_NEVER_SENT, .times = 5);
	DESK_ANSWER(desk, .match = "GET", .body = PUBLISHED);
	assert_int_equal(wait_post(desk, false), PERSON_DONE);
	assert_string_equal(desk->err, "the service does not answer; waiting for it\n");
}

static void a_service_that_stays_away(void **state)
{
	struct desk *desk = *state;
	DESK_PARSE(desk, "post", "t", "--to", "x");
	DESK_ANSWER(desk, .match = "GET", .outcome = TRANSFER_NEVER_SENT, .times = 200);
	assert_int_equal(wait_post(desk, true), PERSON_FAILED);
	desk_said(desk->err,
		  "the post " ID_2 " is accepted and goes on without us: do not post it");
	assert_in_range(desk->napped_ms, 60000, 65000);
}

static void patience(void **state)
{
	struct desk *desk = *state;
	DESK_PARSE(desk, "post", "t", "--to", "x");
	DESK_ANSWER(desk, .match = "GET", .body = UNDER_WAY, .times = 1000);
	assert_int_equal(wait_post(desk, false), PERSON_DONE);
	desk_said(desk->err, "The post is accepted and goes on; see `posthorn show " ID_2);
	assert_in_range(desk->napped_ms, 300000, 305000);
	desk->naps_left = 500;
	assert_int_equal(wait_post(desk, true), PERSON_FAILED); /* broken off */
	desk_said(desk->err, "the wait was broken off");
}

static void a_post_that_is_not_there(void **state)
{
	struct desk *desk = *state;
	DESK_PARSE(desk, "show", "t", "--wait");
	DESK_ANSWER(desk, .match = "GET", .status = 404,
		    .body = "{\"message\":\"Not found.\",\"error\":\"NOT_FOUND\"}");
	assert_int_equal(wait_post(desk, true), PERSON_FAILED);
	desk_said(desk->err, "posthorn: Not found. (NOT_FOUND)\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DESK_TEST(until_it_is_out),
		DESK_TEST(until_it_has_failed),
		DESK_TEST(on_a_terminal),
		DESK_TEST(for_programs),
		DESK_TEST(a_service_that_comes_back),
		DESK_TEST(a_service_that_stays_away),
		DESK_TEST(patience),
		DESK_TEST(a_post_that_is_not_there),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
