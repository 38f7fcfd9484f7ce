/* SPDX-License-Identifier: Apache-2.0
 * connection and confirm. */
#include "person_fixture.h"

#define BASE "http://service.example/v1/connections/conn_1"
#define ACCOUNT ACCOUNT_ROW(ID_1, "@jo\\u001b", "active", "true")
#define SUCCESS "{\"connection_id\":\"conn_1\",\"status\":\"success\",\"accounts\":[" ACCOUNT "]}"
#define TABLE \
	"--to   NAME  TYPE      ID\n" \
	"x:jo   Name  personal  " ID_1 "\n"

static void a_connection(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "GET " BASE "/accounts", .body = SUCCESS, .times = 2);
	assert_int_equal(DESK_RUN(desk, "connection", "conn_1"), PERSON_DONE);
	assert_string_equal(desk->out, "Connection  conn_1\nState       success\n\n" TABLE);
	assert_int_equal(DESK_RUN(desk, "connection", "conn_1", "--json"), PERSON_DONE);
	desk_said(desk->out, SUCCESS "\n");
	DESK_ANSWER(desk, .match = "GET",
		    .body = "{\"connection_id\":\"conn_1\",\"status\":\"failed\",\"accounts\":[],"
			    "\"error\":\"access_denied\",\"error_description\":\"No.\"}");
	assert_int_equal(DESK_RUN(desk, "connection", "conn_1"), PERSON_DONE);
	desk_said(desk->out, "State       failed\nReason      No. (access_denied)\n");
	DESK_ANSWER(desk, .match = "GET", .status = 404,
		    .body = "{\"message\":\"No.\",\"error\":\"NOT_FOUND\"}");
	assert_int_equal(DESK_RUN(desk, "connection", "conn_2"), PERSON_FAILED);
}

static void with_input(struct desk *desk, const char *text)
{
	desk->person.in = fmemopen((char *)(uintptr_t)text, strlen(text), "r");
	assert_non_null(desk->person.in);
}

static void confirming(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "POST", .outcome = TRANSFER_LOST, .error_text = "reset");
	DESK_ANSWER(desk, .match = "POST " BASE "/confirm", .body = SUCCESS, .times = 2);
	with_input(desk, " token\n");
	assert_int_equal(DESK_RUN(desk, "confirm", "conn_1"), PERSON_DONE);
	fclose(desk->person.in);
	assert_string_equal(fake_nth(&desk->fake, "POST", 1)->body,
			    "{\"confirmation_token\":\"token\",\"user_id\":\"me\"}");
	assert_string_equal(desk->out, "Confirmed:\n" TABLE);
	with_input(desk, "token");
	assert_int_equal(DESK_RUN(desk, "confirm", "conn_1", "--user", "jo", "--json"),
			 PERSON_DONE);
	fclose(desk->person.in);
	assert_string_equal(fake_nth(&desk->fake, "POST", 2)->body,
			    "{\"confirmation_token\":\"token\",\"user_id\":\"jo\"}");
	desk_said(desk->out, SUCCESS "\n");
}

static void not_confirmed(void **state)
{
	struct desk *desk = *state;
	static const char *const texts[] = {"\n", "a\x1b b"};
	for (size_t i = 0; i < 2; i++) {
		with_input(desk, texts[i]);
		assert_int_equal(DESK_RUN(desk, "confirm", "conn_1"), PERSON_WRONG_USE);
		fclose(desk->person.in);
	}
	desk_said(desk->err, "put the confirmation_token");
	desk_said(desk->err, "standard input holds no confirmation token");
	assert_int_equal(fake_count(&desk->fake, "POST"), 0);
	DESK_ANSWER(desk, .match = "POST", .status = 422,
		    .body = "{\"message\":\"No match.\",\"error\":\"VALIDATION_ERROR\"}");
	with_input(desk, "secret");
	assert_int_equal(DESK_RUN(desk, "confirm", "conn_1"), PERSON_FAILED);
	fclose(desk->person.in);
	desk_said(desk->err, "No match. (VALIDATION_ERROR)");
	assert_null(strstr(desk->err, "secret"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DESK_TEST(a_connection),
		DESK_TEST(confirming),
		DESK_TEST(not_confirmed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
