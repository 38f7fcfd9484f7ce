/* SPDX-License-Identifier: Apache-2.0
 * The simulated X's OAuth 2.0: consent, PKCE, rotation, app credentials (x.md 1). */
#include "count_of.h"

#include "x_flow.h"

static void consent_page_asks(void **state)
{
	struct probe *probe = *state;
	const struct probe_answer answer = probe_ask(
		probe, (struct probe_request){
			       .method = "GET",
			       .path = probe_z(probe, x_authorize_path(probe, X_SCOPE, NULL))});
	assert_status(answer, 200);
	assert_true(str_find(answer.body, STR("value=\"allow\""), 0) != SIZE_MAX);
	assert_true(str_find(answer.body, STR("value=\"deny\""), 0) != SIZE_MAX);
	assert_true(str_find(answer.body, STR("<code>tweet.write</code>"), 0) != SIZE_MAX);
	assert_true(str_find(answer.body, STR("value=\"s t&amp;=1\""), 0) != SIZE_MAX);
}

static void decisions_come_back(void **state)
{
	struct probe *probe = *state;
	const struct probe_answer allowed = probe_ask(
		probe, (struct probe_request){
			       .method = "GET",
			       .path = probe_z(probe, x_authorize_path(probe, X_SCOPE, "allow"))});
	const struct probe_answer denied = probe_ask(
		probe, (struct probe_request){
			       .method = "GET",
			       .path = probe_z(probe, x_authorize_path(probe, X_SCOPE, "deny"))});
	assert_str(probe_location_param(probe, &allowed, "state"), "s t&=1");
	assert_true(probe_location_param(probe, &allowed, "code").len > 20);
	assert_str(probe_location_param(probe, &denied, "error"), "access_denied");
	assert_str(probe_location_param(probe, &denied, "state"), "s t&=1");
	assert_true(str_is_empty(probe_location_param(probe, &denied, "code")));
}

static void authorize_refusals(void **state)
{
	static const struct {
		const char *name;
		const char *query;
	} rows[] = {
		{"unknown client", "client_id=1&redirect_uri=http%3A%2F%2Flocalhost%2F&response_"
				   "type=code&scope=users.read&state=s&code_challenge=c"},
		{"stranger's address",
		 "client_id=sandbox-x&redirect_uri=https%3A%2F%2Fa.example%2F&response_type=code&"
		 "scope=users.read&state=s&code_challenge=c"},
		{"no PKCE", "client_id=sandbox-x&redirect_uri=http%3A%2F%2Flocalhost%2F&response_"
			    "type=code&scope=users.read&state=s"},
		{"no state", "client_id=sandbox-x&redirect_uri=http%3A%2F%2Flocalhost%2F&response_"
			     "type=code&scope=users.read&code_challenge=c"},
		{"unknown scope", "client_id=sandbox-x&redirect_uri=http%3A%2F%2Flocalhost%2F&"
				  "response_type=code&scope=fly&state=s&code_challenge=c"},
		{"token instead of code",
		 "client_id=sandbox-x&redirect_uri=http%3A%2F%2Flocalhost%2F&response_type=token&"
		 "scope=users.read&state=s&code_challenge=c"},
	};
	struct probe *probe = *state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const char *path = probe_z(
			probe, str_format(probe->arena,
					  "/x.com/i/oauth2/authorize?%s&sandbox_decision=allow",
					  rows[i].query));
		const struct probe_answer answer =
			probe_ask(probe, (struct probe_request){.method = "GET", .path = path});
		if (answer.status != 400)
			fail_msg("%s: %ld", rows[i].name, answer.status);
	}
}

static void exchange_gives_what_was_granted(void **state)
{
	struct probe *probe = *state;
	const struct probe_answer answer =
		x_exchange(probe, x_code(probe, X_SCOPE), X_CALLBACK, X_VERIFIER);
	assert_status(answer, 200);
	assert_str(probe_json_string(&answer, "token_type"), "bearer");
	assert_int_equal(json_int(json_get(answer.json, "expires_in"), 0), 7200);
	assert_str(probe_json_string(&answer, "scope"), X_SCOPE);
	assert_true(probe_json_string(&answer, "refresh_token").len > 0);
	const struct probe_answer online =
		x_exchange(probe, x_code(probe, "tweet.read users.read"), X_CALLBACK, X_VERIFIER);
	assert_null(json_get(online.json, "refresh_token"));
}

static void exchange_refusals(void **state)
{
	struct probe *probe = *state;
	struct str code = x_code(probe, X_SCOPE);
	const struct probe_answer answer = x_exchange(probe, code, X_CALLBACK "x", X_VERIFIER);
	assert_status(answer, 400);
	assert_str(probe_json_string(&answer, "error"), "invalid_request");
	assert_status(x_exchange(probe, code, X_CALLBACK, "another-verifier"), 400);
	assert_status(x_exchange(probe, STR("junk"), X_CALLBACK, X_VERIFIER), 400);
	assert_status(x_exchange(probe, code, X_CALLBACK, X_VERIFIER), 200);
	assert_status(x_exchange(probe, code, X_CALLBACK, X_VERIFIER), 400);
	code = x_code(probe, X_SCOPE);
	probe_advance(probe, 30 * US_PER_S);
	assert_status(x_exchange(probe, code, X_CALLBACK, X_VERIFIER), 400);
}

static void app_credentials_are_checked(void **state)
{
	static const struct {
		const char *name;
		const char *basic;
		long status;
		const char *error;
	} rows[] = {
		{"right, junk token", "sandbox-x:sandbox-secret-x", 400, "invalid_request"},
		{"wrong secret", "sandbox-x:nope", 401, "unauthorized_client"},
		{"secret with a newline", "sandbox-x:sandbox-secret-x\n", 401,
		 "unauthorized_client"},
		{"unknown client", "someone:sandbox-secret-x", 401, "invalid_client"},
	};
	struct probe *probe = *state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct probe_answer answer = x_token_call(
			probe, rows[i].basic,
			STR("grant_type=refresh_token&refresh_token=junk&client_id=sandbox-x"));
		if (answer.status != rows[i].status ||
		    !str_equal_z(probe_json_string(&answer, "error"), rows[i].error))
			fail_msg("%s: %ld " STR_FMT, rows[i].name, answer.status,
				 STR_ARG(answer.body));
	}
	const struct probe_answer in_body = probe_ask(
		probe,
		(struct probe_request){
			.method = "POST",
			.path = "/api.x.com/2/oauth2/token",
			.body = STR(
				"grant_type=refresh_token&refresh_token=junk&client_id=sandbox-x&"
				"client_secret=sandbox-secret-x")});
	assert_status(in_body, 401);
	assert_str(probe_json_string(&in_body, "error"), "unauthorized_client");
}

static struct probe_answer refresh(struct probe *probe, struct str token)
{
	return x_token_call(probe, "sandbox-x:sandbox-secret-x",
			    probe_form(probe, "grant_type", "refresh_token", "refresh_token",
				       probe_z(probe, token), "client_id", "sandbox-x", NULL));
}

static void refresh_tokens_rotate(void **state)
{
	struct probe *probe = *state;
	const struct probe_answer first =
		x_exchange(probe, x_code(probe, X_SCOPE), X_CALLBACK, X_VERIFIER);
	const struct str old = probe_json_string(&first, "refresh_token");
	probe_advance(probe, 7200 * US_PER_S);
	assert_status(
		x_get(probe, probe_json_string(&first, "access_token"), "/api.x.com/2/users/me"),
		401);
	const struct probe_answer second = refresh(probe, old);
	assert_status(second, 200);
	assert_false(str_equal(probe_json_string(&second, "refresh_token"), old));
	assert_status(
		x_get(probe, probe_json_string(&second, "access_token"), "/api.x.com/2/users/me"),
		200);
	const struct probe_answer spent = refresh(probe, old);
	assert_status(spent, 400);
	assert_str(probe_json_string(&spent, "error_description"),
		   "Value passed for the token was invalid.");
	assert_status(refresh(probe, probe_json_string(&second, "refresh_token")), 200);
	/* An access token is no refresh token. */
	assert_status(refresh(probe, probe_json_string(&second, "access_token")), 400);
}

static void revoked_is_dead(void **state)
{
	struct probe *probe = *state;
	const struct probe_answer first =
		x_exchange(probe, x_code(probe, X_SCOPE), X_CALLBACK, X_VERIFIER);
	const struct str refresh_token = probe_json_string(&first, "refresh_token");
	const struct probe_answer revoked = probe_ask(
		probe,
		(struct probe_request){
			.method = "POST",
			.path = "/api.x.com/2/oauth2/revoke",
			.headers = {"Authorization: Basic c2FuZGJveC14OnNhbmRib3gtc2VjcmV0LXg="},
			.body = probe_form(probe, "token", probe_z(probe, refresh_token), NULL)});
	assert_status(revoked, 200);
	assert_status(refresh(probe, refresh_token), 400);
	assert_status(
		x_get(probe, probe_json_string(&first, "access_token"), "/api.x.com/2/users/me"),
		401);
}

static void app_only_token(void **state)
{
	struct probe *probe = *state;
	struct probe_request request = {
		.method = "POST",
		.path = "/api.x.com/oauth2/token",
		.headers = {"Authorization: Basic c2FuZGJveC14OnNhbmRib3gtc2VjcmV0LXg="},
		.body = STR("grant_type=client_credentials")};
	const struct probe_answer first = probe_ask(probe, request);
	const struct probe_answer second = probe_ask(probe, request);
	assert_status(first, 200);
	assert_true(str_equal(first.body, second.body));
	const struct probe_answer me =
		x_get(probe, probe_json_string(&first, "access_token"), "/api.x.com/2/users/me");
	assert_status(me, 403);
	assert_true(
		str_has_suffix(probe_json_string(&me, "type"), STR("unsupported-authentication")));
	request.headers[0] = "Authorization: Basic c2FuZGJveC14Om5vcGU=";
	assert_status(probe_ask(probe, request), 403);
}

static void me_tells_the_account(void **state)
{
	struct probe *probe = *state;
	const struct probe_answer me = x_get(
		probe, x_login(probe),
		"/api.x.com/2/users/me?user.fields=id,name,username,profile_image_url,verified,"
		"verified_type,subscription_type,protected,confirmed_email");
	const struct json *data = json_get(me.json, "data");
	assert_str(json_string(json_get(data, "id")), "1790000000000000123");
	assert_str(json_string(json_get(data, "username")), "jodoe");
	assert_str(json_string(json_get(data, "subscription_type")), "None");
	assert_null(json_get(data, "confirmed_email"));
	assert_str(probe_header(&me, "x-rate-limit-limit"), "75");
	assert_str(probe_header(&me, "x-rate-limit-remaining"), "74");
	assert_status(x_get(probe, (struct str){0},
			    probe_z(probe, json_string(json_get(data, "profile_image_url")))),
		      200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(consent_page_asks, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(decisions_come_back, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(authorize_refusals, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(exchange_gives_what_was_granted, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(exchange_refusals, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(app_credentials_are_checked, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(refresh_tokens_rotate, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(revoked_is_dead, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(app_only_token, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(me_tells_the_account, probe_open, probe_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
