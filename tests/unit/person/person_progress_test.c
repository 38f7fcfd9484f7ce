/* SPDX-License-Identifier: Apache-2.0
 * A line that is replaced, or one under the other where nothing can be replaced. */
#include "person_fixture.h"

#include "person_progress.h"

static void show_all(struct desk *desk)
{
	struct person_progress progress = {0};
	desk->flags = (struct person_flags){0};
	DESK_PARSE(desk, "show", ID_2);
	person_progress_show(&desk->person, &progress, STR("one"));
	person_progress_show(&desk->person, &progress, STR("one"));
	person_progress_show(&desk->person, &progress, STR("two"));
	person_progress_end(&desk->person, &progress);
	person_progress_end(&desk->person, &progress);
}

static void at_a_terminal(void **state)
{
	struct desk *desk = *state;
	desk->person.err_is_terminal = true;
	show_all(desk);
	assert_string_equal(desk->err, "\r\033[Kone\r\033[Ktwo\r\033[K");
}

static void elsewhere(void **state)
{
	struct desk *desk = *state;
	show_all(desk);
	assert_string_equal(desk->err, "one\ntwo\n");
}

static void never_for_a_program(void **state)
{
	struct desk *desk = *state;
	struct person_progress progress = {0};
	DESK_PARSE(desk, "show", ID_2, "--json");
	desk->person.err_is_terminal = true;
	person_progress_show(&desk->person, &progress, STR("one"));
	person_progress_end(&desk->person, &progress);
	assert_string_equal(desk->err, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DESK_TEST(at_a_terminal),
		DESK_TEST(elsewhere),
		DESK_TEST(never_for_a_program),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
