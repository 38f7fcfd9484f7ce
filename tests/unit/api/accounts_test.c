/* SPDX-License-Identifier: Apache-2.0
 * Accounts as a resource: the filters, what check and disconnect answer for each thing the
 * connector may say, and who may ask. */
#include "count_of.h"

#include "api_fixture.h"

struct check_row {
	const char *name;
	enum err_kind kind;
	struct check_outcome outcome;
	int status;
	const char *expected; /* somewhere in the answer */
};

static const struct check_row check_rows[] = {
	{"good", ERR_NONE, {CHECK_GOOD, {NULL, 0}}, 200, "\"ok\":true,\"message\":null"},
	{"refused",
	 ERR_NONE,
	 {CHECK_REFUSED, {"gone", 4}},
	 200,
	 "\"ok\":false,\"message\":\"gone\""},
	{"not known",
	 ERR_NONE,
	 {CHECK_UNKNOWN, {"busy", 4}},
	 200,
	 "\"ok\":null,\"message\":\"busy\""},
	{"as many wait as may", ERR_LIMITED, {CHECK_GOOD, {NULL, 0}}, 429, "RATE_LIMITED"},
	{"the store is full", ERR_TEMPORARY, {CHECK_GOOD, {NULL, 0}}, 503, "UNAVAILABLE"},
	{"broken", ERR_INTERNAL, {CHECK_GOOD, {NULL, 0}}, 500, "INTERNAL_ERROR"},
};

static struct http_response *ask(struct fixture *fx, const char *method, struct str account_id,
				 const char *end)
{
	const struct str target =
		str_format(fx->arena, "/v1/accounts/" STR_FMT "%s", STR_ARG(account_id), end);
	return answer(fx, &(struct sent){.method = method, .target = str_z(fx->arena, target)});
}

static void a_check_answers_what_is_certain(void **state)
{
	struct fixture *fx = *state;
	const struct account_row account = make_account(fx, &fx->app, PLATFORM_X);
	for (size_t i = 0; i < COUNT_OF(check_rows); i++) {
		const struct check_row *row = &check_rows[i];
		fx->connector.kind = row->kind;
		fx->connector.text = "as the test wants";
		fx->connector.check = row->outcome;
		const struct http_response *response = ask(fx, "POST", account.id, "/check");
		const char *body = str_z(fx->arena, buf_str(&response->body));
		if (response->status != row->status || strstr(body, row->expected) == NULL)
			fail_msg("%s: %d %s", row->name, response->status, body);
	}
}

static void a_disconnect_answers_nothing(void **state)
{
	struct fixture *fx = *state;
	const struct account_row account = make_account(fx, &fx->app, PLATFORM_X);
	const struct http_response *response = ask(fx, "DELETE", account.id, "");
	assert_status(response, 204);
	assert_int_equal(response->body.len, 0);
	assert_int_equal(fx->connector.calls, 1);
	fx->connector.kind = ERR_TEMPORARY;
	fx->connector.text = "as the test wants";
	assert_error(ask(fx, "DELETE", account.id, ""), 503, "UNAVAILABLE");
}

static void anothers_account_is_not_asked_about(void **state)
{
	struct fixture *fx = *state;
	struct app_row other = {0};
	make_app(fx, "other@example.com", &other);
	const struct account_row account = make_account(fx, &other, PLATFORM_X);
	assert_error(ask(fx, "DELETE", account.id, ""), 404, "NOT_FOUND");
	assert_error(ask(fx, "GET", account.id, ""), 404, "NOT_FOUND");
	assert_error(ask(fx, "POST", account.id, "/check"), 404, "NOT_FOUND");
	assert_int_equal(fx->connector.calls, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_TEST(a_check_answers_what_is_certain),
		API_TEST(a_disconnect_answers_nothing),
		API_TEST(anothers_account_is_not_asked_about),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
