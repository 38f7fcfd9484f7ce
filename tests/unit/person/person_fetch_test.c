/* SPDX-License-Identifier: Apache-2.0
 * Calls whose refusal is said, and paths. */
#include "person_fixture.h"

#include "person_call.h"
#include "person_fetch.h"

static const char *said(struct desk *desk)
{
	fflush(desk->person.err);
	return desk->err;
}

static void an_answer_or_the_reason(void **state)
{
	struct desk *desk = *state;
	struct person_answer answer = {0};
	DESK_PARSE(desk, "posts");
	DESK_ANSWER(desk, .match = "/v1/a", .body = "{\"data\":1}");
	assert_int_equal(person_fetch(&desk->person, STR("/v1/a"), &answer), PERSON_DONE);
	assert_non_null(answer.json);
	DESK_ANSWER(desk, .match = "/v1/b", .status = 404,
		    .body = "{\"message\":\"No.\",\"error\":\"NOT_FOUND\"}");
	assert_int_equal(person_fetch(&desk->person, STR("/v1/b"), &answer), PERSON_FAILED);
	desk_said(said(desk), "posthorn: No. (NOT_FOUND)");
	DESK_ANSWER(desk, .match = "/v1/c", .outcome = TRANSFER_NEVER_SENT, .error_text = "no",
		    .times = 9);
	assert_int_equal(person_fetch(&desk->person, STR("/v1/c"), &answer), PERSON_FAILED);
	desk_said(said(desk), "does not answer");
}

/* --json prints what the service said, and nothing is left to show. */
static void what_a_person_reads_or_a_program(void **state)
{
	struct desk *desk = *state;
	enum person_status status;
	DESK_PARSE(desk, "posts");
	DESK_ANSWER(desk, .match = "/v1/a", .body = "{\"data\":1}", .times = 2);
	const struct person_answer *answer =
		person_fetch_shown(&desk->person, STR("/v1/a"), &status);
	assert_non_null(answer);
	assert_int_equal(status, PERSON_DONE);
	assert_int_equal(answer->status, 200);
	DESK_PARSE(desk, "posts", "--json");
	assert_null(person_fetch_shown(&desk->person, STR("/v1/a"), &status));
	assert_int_equal(status, PERSON_DONE);
	fflush(desk->person.out);
	desk_said(desk->out, "{\"data\":1}");
	DESK_ANSWER(desk, .match = "/v1/b", .status = 404, .body = "{\"error\":\"NOT_FOUND\"}");
	assert_null(person_fetch_shown(&desk->person, STR("/v1/b"), &status));
	assert_int_equal(status, PERSON_FAILED);
}

static void paths(void **state)
{
	static const struct person_filter filters[] = {{PERSON_FLAG_account, "account_ids[]"},
						       {PERSON_FLAG_page, "page"}};
	struct desk *desk = *state;
	DESK_PARSE(desk, "posts", "--page", "2", "--account", "a&b", "--account", "c");
	struct str path = person_fetch_list_path(&desk->person, STR("/v1/posts"), filters, 2);
	assert_string_equal(str_z(desk->person.arena, path),
			    "/v1/posts?account_ids%5B%5D=a%26b&account_ids%5B%5D=c&page=2");
	DESK_PARSE(desk, "posts");
	path = person_fetch_list_path(&desk->person, STR("/v1/posts"), filters, 2);
	assert_string_equal(str_z(desk->person.arena, path), "/v1/posts");
	DESK_PARSE(desk, "show", "../a b?c");
	path = person_fetch_word_path(&desk->person, "/v1/posts/", "/x");
	assert_string_equal(str_z(desk->person.arena, path), "/v1/posts/..%2Fa%20b%3Fc/x");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DESK_TEST(an_answer_or_the_reason),
		DESK_TEST(what_a_person_reads_or_a_program),
		DESK_TEST(paths),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
