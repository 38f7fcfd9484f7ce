/* SPDX-License-Identifier: Apache-2.0
 * The list of nodes where there are none: a database of one process. Those of a shared one are seen
 * in tests/postgres. */
#include "web_fixture.h"

static void a_database_of_ones_own_has_no_nodes(void **state)
{
	struct browser b;
	browser_open(&b, *state);
	set_up(&b);
	const struct http_response *response = ask(&b, "GET", "/dashboard/api/nodes", "");
	assert_status(response, 200);
	const struct json *body = body_of(response);
	assert_true(json_is(json_get(body, "shared"), JSON_TYPE_BOOL));
	assert_false(json_bool(json_get(body, "shared"), true));
	assert_true(json_is(json_get(body, "answered_by"), JSON_TYPE_NULL));
	assert_true(json_is(json_get(body, "data"), JSON_TYPE_ARRAY));
	assert_int_equal(json_get(body, "data")->count, 0);
	browser_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ADMIN_TEST(a_database_of_ones_own_has_no_nodes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
