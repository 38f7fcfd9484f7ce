/* SPDX-License-Identifier: Apache-2.0
 * Where the browser comes back to: only its own connection counts, and nothing is repeated. */
#include "person_back.h"

#include "arena_fixture.h"
#include "random.h"

#include "visitor.h"

static struct person_back *back;
static char answer[8192];

static int begin(void **state)
{
	setup(state);
	assert_int_equal(person_back_open(random_system(), &back, NULL), ERR_NONE);
	return 0;
}

static int end(void **state)
{
	person_back_close(&back);
	assert_null(back);
	person_back_close(&back); /* again is nothing */
	return teardown(state);
}

static int come(const char *query)
{
	const struct str url = person_back_url(back);
	return visit(str_z(arena, str_format(arena, STR_FMT "%s", STR_ARG(url), query)), answer,
		     sizeof(answer));
}

static void its_own_connection(void **state)
{
	struct person_returned returned = {0};
	(void)state;
	person_back_expect(back, STR("conn_1"));
	assert_false(person_back_take(back, arena, &returned));
	assert_int_equal(come("?connection_id=conn_1&status=success&confirmation_token=pcf_a"),
			 200);
	assert_non_null(strstr(answer, "<h1>Connected</h1>"));
	assert_non_null(strstr(answer, "Cache-Control: no-store"));
	assert_null(strstr(answer, "pcf_a"));
	assert_true(person_back_take(back, arena, &returned));
	assert_true(str_equal_z(returned.confirmation_token, "pcf_a"));
	/* a reload, or somebody who knows the id, changes nothing any more */
	assert_int_equal(come("?connection_id=conn_1&status=failed&confirmation_token=pcf_b"), 200);
	assert_non_null(strstr(answer, "<h1>Not connected</h1>"));
	assert_true(person_back_take(back, arena, &returned));
	assert_true(str_equal_z(returned.confirmation_token, "pcf_a"));
}

static void others(void **state)
{
	struct person_returned returned = {0};
	(void)state;
	assert_int_equal(come("?connection_id=&status=success"), 404); /* nothing is expected yet */
	person_back_expect(back, STR("conn_1"));
	assert_int_equal(come("?connection_id=conn_2&status=%3Cscript%3E"), 404);
	assert_null(strstr(answer, "script"));
	assert_int_equal(come(""), 404);
	assert_int_equal(come("favicon.ico"), 404);
	assert_false(person_back_take(back, arena, &returned));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(its_own_connection, begin, end),
		cmocka_unit_test_setup_teardown(others, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
