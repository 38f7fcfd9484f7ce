/* SPDX-License-Identifier: Apache-2.0
 * Names of events on the command line. */
#include "person_fixture.h"

#include "event.h"

#include "person_event.h"

static void names(void **state)
{
	struct desk *desk = *state;
	int64_t mask = 0;
	DESK_PARSE(desk, "listen");
	assert_int_equal(person_event_read(&desk->person, &mask), PERSON_DONE);
	assert_int_equal(mask, EVENT_MASK_ALL);
	DESK_PARSE(desk, "listen", "--events", "test, post.completed", "--events", "test");
	assert_int_equal(person_event_read(&desk->person, &mask), PERSON_DONE);
	assert_int_equal(mask, INT64_C(1) << event_kind_of_name(STR("test")) |
				       INT64_C(1) << event_kind_of_name(STR("post.completed")));
}

static void what_is_wrong(void **state)
{
	struct desk *desk = *state;
	int64_t mask = 0;
	DESK_PARSE(desk, "listen", "--events", "test,post.complete");
	assert_int_equal(person_event_read(&desk->person, &mask), PERSON_WRONG_USE);
	DESK_PARSE(desk, "listen", "--events=");
	assert_int_equal(person_event_read(&desk->person, &mask), PERSON_WRONG_USE);
	fflush(desk->person.err);
	desk_said(desk->err, "called \"post.complete\"; did you mean post.completed?");
	desk_said(desk->err, "called \"\"\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DESK_TEST(names),
		DESK_TEST(what_is_wrong),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
