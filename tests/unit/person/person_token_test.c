/* SPDX-License-Identifier: Apache-2.0
 * token and revoke. */
#include "person_fixture.h"

#define TOKEN_PATH "POST http://service.example/v1/oauth/token"
#define REVOKE_PATH "POST http://service.example/v1/oauth/revoke"
#define ANSWER(seconds) \
	"{\"access_token\":\"pht_new\",\"token_type\":\"Bearer\",\"expires_in\":" seconds "}"

static enum person_status run(struct desk *desk, const char *id, const char *secret,
			      const char *token)
{
	char variables[3][5000];
	char *environment[4] = {variables[0], variables[1], variables[2], NULL};
	snprintf(variables[0], sizeof(variables[0]), "POSTHORN_CLIENT_ID=%s", id);
	snprintf(variables[1], sizeof(variables[1]), "POSTHORN_CLIENT_SECRET=%s", secret);
	snprintf(variables[2], sizeof(variables[2]), "POSTHORN_TOKEN=%s", token);
	const enum person_status status = person_run(&desk->person, environment);
	fflush(desk->person.out);
	fflush(desk->person.err);
	return status;
}

static void a_token(void **state)
{
	struct desk *desk = *state;
	DESK_PARSE(desk, "token", "--url", "http://service.example");
	DESK_ANSWER(desk, .match = TOKEN_PATH, .outcome = TRANSFER_LOST, .error_text = "reset");
	DESK_ANSWER(desk, .match = TOKEN_PATH, .body = ANSWER("31536000"));
	assert_int_equal(run(desk, " id\n", "se:cret", ""), PERSON_DONE);
	const struct fake_sent *sent = fake_nth(&desk->fake, TOKEN_PATH, 1);
	assert_string_equal(sent->body, "grant_type=client_credentials");
	assert_string_equal(sent->authorization, "Basic aWQ6c2U6Y3JldA==");
	assert_string_equal(desk->out, "pht_new\n");
	desk_said(desk->err, "Valid for 365 days.");
	DESK_PARSE(desk, "token", "--json", "--url", "http://service.example");
	DESK_ANSWER(desk, .match = TOKEN_PATH, .body = ANSWER("60"), .times = 2);
	assert_int_equal(run(desk, "id", "s", ""), PERSON_DONE);
	assert_string_equal(desk->out, "pht_new\n" ANSWER("60") "\n");
	DESK_PARSE(desk, "token", "--url", "http://service.example");
	assert_int_equal(run(desk, "id", "s", ""), PERSON_DONE);
	desk_said(desk->err, "Valid for 60 seconds.");
}

static void what_is_missing(void **state)
{
	struct desk *desk = *state;
	static char long_text[4098];
	memset(long_text, 'a', sizeof(long_text) - 1);
	DESK_PARSE(desk, "token");
	assert_int_equal(run(desk, "", "s", "t"), PERSON_WRONG_USE);
	desk_said(desk->err, "POSTHORN_CLIENT_ID is not set");
	assert_int_equal(run(desk, "id", "", "t"), PERSON_WRONG_USE);
	desk_said(desk->err, "POSTHORN_CLIENT_SECRET is not set");
	assert_int_equal(run(desk, "a:b", "s", "t"), PERSON_WRONG_USE);
	desk_said(desk->err, "POSTHORN_CLIENT_ID is no client id");
	assert_int_equal(run(desk, "id", long_text, "t"), PERSON_WRONG_USE);
	desk_said(desk->err, "POSTHORN_CLIENT_SECRET is no client secret");
	DESK_PARSE(desk, "revoke");
	assert_int_equal(run(desk, "id", "s", ""), PERSON_WRONG_USE);
	desk_said(desk->err, "POSTHORN_TOKEN is not set");
	assert_int_equal(fake_count(&desk->fake, "POST"), 0);
}

static void refused(void **state)
{
	struct desk *desk = *state;
	DESK_PARSE(desk, "token", "--url", "http://service.example");
	DESK_ANSWER(desk, .match = TOKEN_PATH, .status = 401,
		    .body = "{\"message\":\"The client secret is wrong.\",\"error\":"
			    "\"invalid_client_secret\"}");
	assert_int_equal(run(desk, "id", "hidden", "t"), PERSON_FAILED);
	assert_string_equal(desk->err, "posthorn: The client secret is wrong. "
				       "(invalid_client_secret)\n");
	DESK_ANSWER(desk, .match = TOKEN_PATH, .body = "{}");
	assert_int_equal(run(desk, "id", "hidden", "t"), PERSON_FAILED);
	desk_said(desk->err, "has no token in it");
	assert_null(strstr(desk->err, "hidden"));
}

static void revoking(void **state)
{
	struct desk *desk = *state;
	DESK_PARSE(desk, "revoke", "--url", "http://service.example");
	DESK_ANSWER(desk, .match = REVOKE_PATH, .body = "{}", .times = 2);
	assert_int_equal(run(desk, "id", "s", "phk_a+b"), PERSON_DONE);
	const struct fake_sent *sent = fake_nth(&desk->fake, REVOKE_PATH, 0);
	assert_string_equal(sent->body, "token=phk_a%2Bb");
	assert_string_equal(sent->authorization, "Basic aWQ6cw==");
	desk_said(desk->out, "Revoked: ");
	assert_null(strstr(desk->out, "phk_a"));
	DESK_PARSE(desk, "revoke", "--json", "--url", "http://service.example");
	assert_int_equal(run(desk, "id", "s", "phk_a"), PERSON_DONE);
	desk_said(desk->out, "{}\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DESK_TEST(a_token),
		DESK_TEST(what_is_missing),
		DESK_TEST(refused),
		DESK_TEST(revoking),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
