/* SPDX-License-Identifier: Apache-2.0
 * Whom --to means. */
#include "person_fixture.h"

#include "person_targets.h"

static enum person_status find(struct desk *desk, struct person_targets *targets)
{
	const enum person_status status = person_targets_find(&desk->person, targets);
	fflush(desk->person.err);
	return status;
}

static void the_only_one(void **state)
{
	struct desk *desk = *state;
	struct person_targets targets;
	DESK_PARSE(desk, "post", "t", "--to", "x");
	DESK_ANSWER(desk, .match = "platform=x&per_page=100&page=1",
		    .body = ACCOUNTS(ACCOUNT_ROW("gone", "b", "disconnected", "true"), "2"));
	DESK_ANSWER(desk, .match = "platform=x&per_page=100&page=2",
		    .body = ACCOUNTS(
			    ACCOUNT_ROW("old", "c", "reauth_required", "true") "," ACCOUNT_ROW(
				    "new", "d", "active",
				    "false") "," ACCOUNT_ROW("good", "jodoe", "expiring", "true"),
			    "2"));
	assert_int_equal(find(desk, &targets), PERSON_DONE);
	assert_int_equal(targets.count, 1);
	assert_true(str_equal_z(targets.ids[0], "good"));
}

static void several(void **state)
{
	struct desk *desk = *state;
	struct person_targets targets;
	DESK_PARSE(desk, "post", "t", "--to", "twitter");
	DESK_ANSWER(desk, .match = "platform=x",
		    .body = ACCOUNTS(ACCOUNT_ROW("id-1", "one", "active", "true") "," ACCOUNT_ROW(
					     "id-2", "two", "active", "true"),
				     "1"));
	assert_int_equal(find(desk, &targets), PERSON_FAILED);
	desk_said(desk->err, "--to twitter: 2 accounts fit");
	desk_said(desk->err, "x:one");
	desk_said(desk->err, "id-2");
}

static void by_name_and_by_id(void **state)
{
	struct desk *desk = *state;
	struct person_targets targets;
	DESK_PARSE(desk, "post", "t", "--to", "x:@TWO, " ID_1, "--to", ID_1 ",x:two");
	DESK_ANSWER(desk, .match = "platform=x", .times = 2,
		    .body = ACCOUNTS(ACCOUNT_ROW("id-1", "one", "active", "true") "," ACCOUNT_ROW(
					     "id-2", "@two", "active", "true"),
				     "1"));
	assert_int_equal(find(desk, &targets), PERSON_DONE);
	assert_int_equal(targets.count, 2); /* each once */
	assert_true(str_equal_z(targets.ids[0], "id-2"));
	assert_true(str_equal_z(targets.ids[1], ID_1));
}

static void none(void **state)
{
	struct desk *desk = *state;
	struct person_targets targets;
	DESK_PARSE(desk, "post", "t", "--to", "x");
	DESK_ANSWER(desk, .match = "platform=x", .body = ACCOUNTS("", "1"));
	assert_int_equal(find(desk, &targets), PERSON_FAILED);
	desk_said(desk->err, "no such account is connected");
	DESK_ANSWER(desk, .match = "platform=x",
		    .body = ACCOUNTS(ACCOUNT_ROW("i", "jo", "reauth_required", "true"), "1"));
	assert_int_equal(find(desk, &targets), PERSON_FAILED);
	desk_said(desk->err, "the account jo is reauth_required; connect it again: posthorn "
			     "connect x --user me");
	DESK_ANSWER(desk, .match = "platform=x",
		    .body = ACCOUNTS(ACCOUNT_ROW("i", "jo", "active", "false"), "1"));
	assert_int_equal(find(desk, &targets), PERSON_FAILED);
	desk_said(desk->err, "the account jo is unconfirmed");
}

static void what_the_service_refuses(void **state)
{
	struct desk *desk = *state;
	struct person_targets targets;
	DESK_PARSE(desk, "post", "t", "--to", "x");
	DESK_ANSWER(desk, .match = "platform=x", .status = 403,
		    .body = "{\"message\":\"No.\",\"error\":\"INSUFFICIENT_SCOPE\"}");
	assert_int_equal(find(desk, &targets), PERSON_FAILED);
	desk_said(desk->err, "INSUFFICIENT_SCOPE");
	DESK_ANSWER(desk, .match = "platform=x", .outcome = TRANSFER_NEVER_SENT,
		    .error_text = "refused");
	assert_int_equal(find(desk, &targets), PERSON_FAILED);
	desk_said(desk->err, "does not answer (refused)");
}

static void wrong(struct desk *desk, const char *to, const char *part)
{
	DESK_PARSE(desk, "post", "t", "--to", to);
	assert_int_equal(person_targets_check(&desk->person), PERSON_WRONG_USE);
	fflush(desk->person.err);
	desk_said(desk->err, part);
}

static void words_that_are_none(void **state)
{
	struct desk *desk = *state;
	wrong(desk, "linkdin", "no such platform; did you mean linkedin?");
	wrong(desk, "facebok:page", "did you mean facebook?");
	wrong(desk, "nonsense-word", "is neither a platform");
	wrong(desk, "x:", "a username is missing after the colon");
	wrong(desk, "x:@", "a username is missing after the colon");
	wrong(desk, "x,", "empty name");
	DESK_PARSE(desk, "post", "t");
	assert_int_equal(person_targets_check(&desk->person), PERSON_WRONG_USE);
	DESK_PARSE(desk, "post", "t", "--to", "x,linkedin:acme," ID_1);
	assert_int_equal(person_targets_check(&desk->person), PERSON_DONE);
	assert_int_equal(fake_count(&desk->fake, ""), 0);
}

static void too_many(void **state)
{
	struct desk *desk = *state;
	struct person_targets *targets = ARENA_NEW(desk->person.arena, struct person_targets);
	char to[8192] = "";
	size_t length = 0;
	for (int i = 0; i <= PERSON_TARGETS_MAX; i++)
		length += (size_t)snprintf(to + length, sizeof(to) - length,
					   "%s01a20639-370a-7763-95f6-da327fcad%03d",
					   i > 0 ? "," : "", i);
	DESK_PARSE(desk, "post", "t", "--to", to);
	assert_int_equal(find(desk, targets), PERSON_WRONG_USE);
	desk_said(desk->err, "at most 100 accounts");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DESK_TEST(the_only_one),
		DESK_TEST(several),
		DESK_TEST(by_name_and_by_id),
		DESK_TEST(none),
		DESK_TEST(what_the_service_refuses),
		DESK_TEST(words_that_are_none),
		DESK_TEST(too_many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
