/* SPDX-License-Identifier: Apache-2.0
 * connect: the browser comes back, is confirmed, comes not at all, or the platform says no. */
#include "person_fixture.h"

#include "json.h"

#include "visitor.h"

#define BEGUN "{\"redirect_url\":\"https://x.example/consent\",\"connection_id\":\"conn_1\"}"
#define CONNECTION(status, accounts) \
	"{\"connection_id\":\"conn_1\",\"status\":\"" status "\",\"accounts\":[" accounts "]}"
#define ACCOUNT ACCOUNT_ROW("i", "@jo", "active", "true")

/* What the platform's page and the service make of it. */
static const char *comes_back_with;

static bool open_page(void *context, struct str url)
{
	struct desk *desk = context;
	const struct json *body = NULL;
	const struct fake_sent *sent = fake_nth(&desk->fake, "/v1/accounts/connect", 0);
	char answer[8192];
	assert_true(str_equal_z(url, "https://x.example/consent"));
	assert_int_equal(
		json_parse(desk->person.arena, str_of(sent->body), NULL, &body, NULL, NULL),
		ERR_NONE);
	if (comes_back_with == NULL)
		return false;
	const struct str back = json_string(json_get(body, "redirect_url"));
	visit(str_z(desk->person.arena,
		    str_format(desk->person.arena, STR_FMT "?connection_id=conn_1&%s",
			       STR_ARG(back), comes_back_with)),
	      answer, sizeof(answer));
	return true;
}

static struct desk *ready(void **state, const char *back)
{
	struct desk *desk = *state;
	desk->person.open_browser = open_page;
	comes_back_with = back;
	DESK_ANSWER(desk, .match = "/v1/accounts/connect", .body = BEGUN);
	return desk;
}

static void it_comes_back(void **state)
{
	struct desk *desk = ready(state, "status=success");
	DESK_ANSWER(desk, .match = "/v1/connections/conn_1/accounts",
		    .body = CONNECTION("pending", ""));
	DESK_ANSWER(desk, .match = "/v1/connections/conn_1/accounts",
		    .body = CONNECTION("success", ACCOUNT));
	DESK_ANSWER(desk, .match = "GET http://service.example/v1/accounts/i",
		    .body = "{\"data\":{\"confirmed\":true}}");
	assert_int_equal(DESK_RUN(desk, "connect", "twitter", "--user", "u", "--name", "N",
				  "--email", "e@x.example"),
			 PERSON_DONE);
	desk_said(desk->out, "The browser opens this address");
	desk_said(desk->out, "Connected for user u:\n");
	desk_said(desk->out, "x:jo");
	const char *body = fake_nth(&desk->fake, "/v1/accounts/connect", 0)->body;
	desk_said(body,
		  "{\"platform\":\"x\",\"user_id\":\"u\",\"redirect_url\":\"http://127.0.0.1:");
	desk_said(body, "/\",\"name\":\"N\",\"email\":\"e@x.example\"}");
}

static void it_is_confirmed(void **state)
{
	struct desk *desk = ready(state, "status=success&confirmation_token=pcf_1");
	DESK_ANSWER(desk, .match = "/conn_1/accounts", .body = CONNECTION("success", ACCOUNT));
	DESK_ANSWER(desk, .match = "/conn_1/confirm", .body = CONNECTION("success", ACCOUNT));
	assert_int_equal(DESK_RUN(desk, "connect", "x", "--json"), PERSON_DONE);
	assert_string_equal(fake_nth(&desk->fake, "/conn_1/confirm", 0)->body,
			    "{\"confirmation_token\":\"pcf_1\",\"user_id\":\"me\"}");
	assert_string_equal(desk->out, CONNECTION("success", ACCOUNT) "\n");
}

static void it_does_not_come_and_is_needed(void **state)
{
	struct desk *desk = ready(state, NULL);
	DESK_ANSWER(desk, .match = "/conn_1/accounts", .body = CONNECTION("success", ACCOUNT),
		    .times = 99);
	DESK_ANSWER(desk, .match = "/v1/accounts/i", .body = "{\"data\":{\"confirmed\":false}}");
	assert_int_equal(DESK_RUN(desk, "connect", "x"), PERSON_FAILED);
	desk_said(desk->out,
		  "Open this address in a browser on this machine:\n  https://x.example/");
	desk_said(desk->err, "must be confirmed by the browser that comes back here");
}

static void it_does_not_come_and_is_not_needed(void **state)
{
	struct desk *desk = ready(state, "status=success");
	DESK_ANSWER(desk, .match = "/conn_1/accounts", .body = CONNECTION("success", ACCOUNT),
		    .times = 99);
	DESK_ANSWER(desk, .match = "/v1/accounts/i", .body = "{\"data\":{\"confirmed\":true}}");
	assert_int_equal(DESK_RUN(desk, "connect", "x", "--no-browser"), PERSON_DONE);
	assert_in_range(desk->napped_ms, 5000, 9000);
}

static void the_platform_says_no(void **state)
{
	struct desk *desk = ready(state, "status=failed&error=access_denied");
	DESK_ANSWER(desk, .match = "/conn_1/accounts",
		    .body = "{\"status\":\"failed\",\"accounts\":[],\"error\":\"access_denied\","
			    "\"error_description\":\"The user said no.\"}");
	assert_int_equal(DESK_RUN(desk, "connect", "x"), PERSON_FAILED);
	desk_said(desk->err, "not connected: The user said no. (access_denied)");
}

static void what_the_service_refuses(void **state)
{
	struct desk *desk = *state;
	DESK_ANSWER(desk, .match = "/v1/accounts/connect", .status = 422,
		    .body = "{\"message\":\"Not on the list.\",\"error\":\"VALIDATION_ERROR\","
			    "\"errors\":{\"redirect_url\":[\"Not on the list.\"]}}");
	assert_int_equal(DESK_RUN(desk, "connect", "x"), PERSON_FAILED);
	desk_said(desk->err, "http://127.0.0.1/ must be on the app's list");
	DESK_ANSWER(desk, .match = "/v1/accounts/connect", .body = "{}");
	assert_int_equal(DESK_RUN(desk, "connect", "x"), PERSON_FAILED);
	desk_said(desk->err, "no connection in it");
	assert_int_equal(DESK_RUN(desk, "connect", "linkdin"), PERSON_WRONG_USE);
	desk_said(desk->err, "linkdin is no platform; did you mean linkedin?");
	assert_int_equal(DESK_RUN(desk, "connect", "myspace"), PERSON_WRONG_USE);
}

static void a_service_that_stays_away(void **state)
{
	struct desk *desk = ready(state, "status=success");
	DESK_ANSWER(desk, .match = "/conn_1/accounts", .outcome = TRANSFER_NEVER_SENT,
		    .error_text = "refused", .times = 200);
	assert_int_equal(DESK_RUN(desk, "connect", "x"), PERSON_FAILED);
	desk_said(desk->err, "does not answer (refused)");
	assert_in_range(desk->napped_ms, 60000, 70000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DESK_TEST(it_comes_back),
		DESK_TEST(it_is_confirmed),
		DESK_TEST(it_does_not_come_and_is_needed),
		DESK_TEST(it_does_not_come_and_is_not_needed),
		DESK_TEST(the_platform_says_no),
		DESK_TEST(what_the_service_refuses),
		DESK_TEST(a_service_that_stays_away),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
