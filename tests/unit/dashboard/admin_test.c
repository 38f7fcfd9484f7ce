/* SPDX-License-Identifier: Apache-2.0
 * The admin API's frame: faults, bodies, and what the store's kinds of errors become. */
#include "count_of.h"

#include "admin_fixture.h"

static void faults_have_the_one_shape(void **state)
{
	struct fixture *fx = *state;
	assert_error(send(fx, "GET", "/admin/nothing", NULL), 404, "NOT_FOUND");
	assert_error(send(fx, "GET", "/v1/posts", NULL), 404, "NOT_FOUND");
	const struct http_response *response = send(fx, "BREW", "/admin/apps", NULL);
	assert_error(response, 405, "METHOD_NOT_ALLOWED");
}

static void bodies_must_be_json_objects(void **state)
{
	struct fixture *fx = *state;
	assert_error(send(fx, "POST", "/admin/apps", ""), 400, "MALFORMED_JSON");
	assert_error(send(fx, "POST", "/admin/apps", "{\"name\":"), 400, "MALFORMED_JSON");
	assert_error(send(fx, "POST", "/admin/apps", "[]"), 422, "VALIDATION_ERROR");
	assert_error(send(fx, "POST", "/admin/apps", "{\"name\":7,\"owner\":\"a@b\"}"), 422,
		     "VALIDATION_ERROR");
}

static void kinds_of_errors(void **state)
{
	static const struct {
		enum err_kind kind;
		int status;
		const char *code;
	} rows[] = {
		{ERR_NOT_FOUND, 404, "NOT_FOUND"},      {ERR_CONFLICT, 409, "CONFLICT"},
		{ERR_INVALID, 422, "VALIDATION_ERROR"}, {ERR_TEMPORARY, 503, "UNAVAILABLE"},
		{ERR_INTERNAL, 500, "INTERNAL_ERROR"},  {ERR_TOO_LARGE, 500, "INTERNAL_ERROR"},
	};
	struct fixture *fx = *state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct http_response response;
		const struct error err = {.text = "why"};
		http_response_init(&response, fx->arena, 4096);
		admin_respond_failure(&response, rows[i].kind, &err, "app");
		assert_error(&response, rows[i].status, rows[i].code);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ADMIN_TEST(faults_have_the_one_shape),
		ADMIN_TEST(bodies_must_be_json_objects),
		ADMIN_TEST(kinds_of_errors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
