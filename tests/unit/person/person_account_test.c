/* SPDX-License-Identifier: Apache-2.0
 * accounts show, check and disconnect. */
#include "person_fixture.h"

#define LOST .outcome = TRANSFER_LOST, .error_text = "reset"
#define ACCOUNT(status, confirmed) \
	"{\"id\":\"" ID_1 \
	"\",\"app_user_id\":\"me\",\"platform\":\"x\",\"username\":\"@jo\\u001b\"," \
	"\"name\":\"Jo\",\"account_type\":\"personal\",\"status\":\"" status \
	"\",\"connection_id\":\"conn_1\",\"expires_at\":\"2027-01-15T08:00:00.25Z\"," \
	"\"last_refresh_at\":null,\"last_error\":\"gone\",\"scopes\":[\"a\",\"b\"]," \
	"\"confirmed\":" confirmed ",\"created_at\":\"2027-01-15T08:00:00Z\"}"
#define CHECK(ok, message) \
	"{\"data\":{\"ok\":" ok ",\"message\":" message \
	",\"account\":" ACCOUNT("active", "true") "}}"

static void show(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "GET http://service.example/v1/accounts/a%2Fb",
		    .body = "{\"data\":" ACCOUNT("active", "true") "}");
	assert_int_equal(DESK_RUN(desk, "accounts", "show", "a/b"), PERSON_DONE);
	assert_string_equal(desk->out, "Account     " ID_1 "\n"
				       "--to        x:jo \n"
				       "Name        Jo\n"
				       "Type        personal\n"
				       "Status      active\n"
				       "User        me\n"
				       "Connection  conn_1\n"
				       "Scopes      a, b\n"
				       "Connected   2027-01-15T08:00:00Z\n"
				       "Expires     2027-01-15T08:00:00Z\n"
				       "Last error  gone\n");
}

static void what_to_do(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "GET",
		    .body = "{\"data\":" ACCOUNT("reauth_required", "true") "}");
	assert_int_equal(DESK_RUN(desk, "accounts", "show", ID_1), PERSON_DONE);
	desk_said(desk->out, "Do          connect it again: posthorn connect x\n");
	DESK_ANSWER(desk, .match = "GET", .body = "{\"data\":" ACCOUNT("active", "false") "}");
	assert_int_equal(DESK_RUN(desk, "accounts", "show", ID_1), PERSON_DONE);
	desk_said(desk->out, "Status      unconfirmed\n");
	desk_said(desk->out, "Do          confirm its connection: posthorn confirm conn_1\n");
	DESK_ANSWER(desk, .match = "GET", .status = 404,
		    .body = "{\"message\":\"No.\",\"error\":\"NOT_FOUND\"}");
	assert_int_equal(DESK_RUN(desk, "accounts", "show", ID_1), PERSON_FAILED);
	desk_said(desk->err, "NOT_FOUND");
}

static void check(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "/check", LOST);
	DESK_ANSWER(desk, .match = "POST http://service.example/v1/accounts/" ID_1 "/check",
		    .body = CHECK("true", "null"));
	assert_int_equal(DESK_RUN(desk, "accounts", "check", ID_1), PERSON_DONE);
	assert_string_equal(desk->out, "x @jo : the token works.\nThe account is active.\n");
	DESK_ANSWER(desk, .match = "/check", .body = CHECK("false", "\"Revoked.\""));
	assert_int_equal(DESK_RUN(desk, "accounts", "check", ID_1), PERSON_FAILED);
	desk_said(desk->out, "the token does not work (Revoked.).");
	DESK_ANSWER(desk, .match = "/check", .body = CHECK("null", "\"No answer.\""));
	assert_int_equal(DESK_RUN(desk, "accounts", "check", ID_1), PERSON_FAILED);
	desk_said(desk->out, "it could not be asked (No answer.).");
}

static void for_programs(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "/check", .body = CHECK("false", "null"));
	assert_int_equal(DESK_RUN(desk, "accounts", "check", ID_1, "--json"), PERSON_FAILED);
	assert_string_equal(desk->out, CHECK("false", "null") "\n");
	assert_string_equal(desk->err, "");
}

static void disconnect(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "DELETE", LOST);
	DESK_ANSWER(desk, .match = "DELETE http://service.example/v1/accounts/" ID_1, .status = 204,
		    .times = 2);
	assert_int_equal(DESK_RUN(desk, "accounts", "disconnect", ID_1), PERSON_DONE);
	desk_said(desk->out, "Disconnected: nothing more is published to account " ID_1 ".");
	const size_t size = desk->out_size;
	assert_int_equal(DESK_RUN(desk, "accounts", "disconnect", ID_1, "--json"), PERSON_DONE);
	assert_int_equal(desk->out_size, size);
	DESK_ANSWER(desk, .match = "DELETE", .status = 404,
		    .body = "{\"message\":\"No.\",\"error\":\"NOT_FOUND\"}");
	assert_int_equal(DESK_RUN(desk, "accounts", "disconnect", ID_1), PERSON_FAILED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DESK_TEST(show),         DESK_TEST(what_to_do), DESK_TEST(check),
		DESK_TEST(for_programs), DESK_TEST(disconnect),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
