/* SPDX-License-Identifier: Apache-2.0
 * The simulated Facebook Login: consent, exchange, tokens (meta.md 2). */
#include "count_of.h"

#include "graph_flow.h"

static void consent_page_asks(void **state)
{
	const struct probe_answer answer = graph_dialog_ask(*state, "facebook", FACEBOOK_SCOPE, "");
	assert_status(answer, 200);
	assert_true(str_find(answer.body, STR("name=\"sandbox_decision\" value=\"allow\""), 0) !=
		    SIZE_MAX);
	assert_true(str_find(answer.body, STR("name=\"sandbox_decision\" value=\"deny\""), 0) !=
		    SIZE_MAX);
	assert_true(str_find(answer.body, STR("name=\"state\" value=\"state-1\""), 0) != SIZE_MAX);
	assert_true(str_find(answer.body, STR("value=\"" BAKERY "\" checked"), 0) != SIZE_MAX);
	assert_true(str_find(answer.body, STR("value=\"" CINEMA "\">"), 0) != SIZE_MAX);
	assert_true(str_find(answer.body, STR("action=\"/www.facebook.com/v25.0/dialog/oauth\""),
			     0) != SIZE_MAX);
}

static void denial_comes_back(void **state)
{
	struct probe *probe = *state;
	const struct probe_answer answer =
		graph_dialog_ask(probe, "facebook", FACEBOOK_SCOPE, "&sandbox_decision=deny");
	assert_status(answer, 302);
	assert_true(str_has_prefix(probe_header(&answer, "Location"), STR(GRAPH_CALLBACK "?")));
	assert_str(probe_location_param(probe, &answer, "error"), "access_denied");
	assert_str(probe_location_param(probe, &answer, "error_reason"), "user_denied");
	assert_str(probe_location_param(probe, &answer, "error_code"), "200");
	assert_str(probe_location_param(probe, &answer, "state"), "state-1");
	assert_true(str_is_empty(probe_location_param(probe, &answer, "code")));
}

static void bad_scope_comes_back_without_error_key(void **state)
{
	struct probe *probe = *state;
	const struct probe_answer answer = graph_dialog_ask(
		probe, "facebook", "pages_show_list,fly", "&sandbox_decision=allow");
	assert_status(answer, 302);
	assert_str(probe_location_param(probe, &answer, "error_message"), "Invalid Scopes: fly");
	assert_true(str_is_empty(probe_location_param(probe, &answer, "error")));
}

static void dialog_refuses_strangers(void **state)
{
	static const struct {
		const char *name;
		const char *query;
	} rows[] = {
		{"unknown app", "client_id=1234&redirect_uri=http%3A%2F%2F127.0.0.1%2F"},
		{"another platform's app",
		 "client_id=sandbox-x&redirect_uri=http%3A%2F%2F127.0.0.1%2F"},
		{"redirect URI of a stranger",
		 "client_id=sandbox-facebook&redirect_uri=https%3A%2F%2Fevil.example%2F"},
		{"loopback only by name",
		 "client_id=sandbox-facebook&redirect_uri=http%3A%2F%2F127.0.0.1.evil.example%2F"},
		{"a public address",
		 "client_id=sandbox-facebook&redirect_uri=http%3A%2F%2F8.8.8.8%2F"},
		{"no redirect URI", "client_id=sandbox-facebook"},
	};
	struct probe *probe = *state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct probe_answer answer = probe_ask(
			probe,
			(struct probe_request){
				.method = "GET",
				.path = probe_z(probe, str_format(probe->arena,
								  "/www.facebook.com/dialog/"
								  "oauth?%s&sandbox_decision=allow",
								  rows[i].query))});
		if (answer.status != 400)
			fail_msg("%s: %ld", rows[i].name, answer.status);
	}
}

static void code_works_once_and_for_ten_minutes(void **state)
{
	struct probe *probe = *state;
	struct probe_answer asked =
		graph_dialog_ask(probe, "facebook", FACEBOOK_SCOPE, "&sandbox_decision=allow");
	const struct str code = probe_location_param(probe, &asked, "code");
	const struct probe_answer first = graph_exchange(probe, "facebook", code);
	assert_status(first, 200);
	assert_str(probe_json_string(&first, "token_type"), "bearer");
	assert_true(str_has_prefix(probe_json_string(&first, "access_token"), STR("EAA")));
	const struct probe_answer again = graph_exchange(probe, "facebook", code);
	assert_status(again, 400);
	assert_int_equal(graph_code(&again), 100);
	assert_int_equal(graph_subcode(&again), 36009);
	assert_true(str_has_prefix(probe_header(&again, "WWW-Authenticate"),
				   STR("OAuth \"Facebook Platform\" \"invalid_code\"")));
	asked = graph_dialog_ask(probe, "facebook", FACEBOOK_SCOPE, "&sandbox_decision=allow");
	probe_advance(probe, 600 * US_PER_S);
	const struct probe_answer late =
		graph_exchange(probe, "facebook", probe_location_param(probe, &asked, "code"));
	assert_int_equal(graph_subcode(&late), 36007);
}

static void code_is_bound_to_app_and_redirect(void **state)
{
	struct probe *probe = *state;
	const struct probe_answer asked =
		graph_dialog_ask(probe, "facebook", FACEBOOK_SCOPE, "&sandbox_decision=allow");
	const struct str code = probe_location_param(probe, &asked, "code");
	const struct probe_answer other_app = graph_exchange(probe, "instagram", code);
	assert_status(other_app, 400);
	assert_int_equal(graph_code(&other_app), 100);
	const struct probe_answer moved = probe_ask(
		probe, (struct probe_request){
			       .method = "POST",
			       .path = GRAPH "/oauth/access_token",
			       .body = probe_form(probe, "client_id", "sandbox-facebook",
						  "client_secret", "sandbox-secret-facebook",
						  "redirect_uri", GRAPH_CALLBACK "2", "code",
						  probe_z(probe, code), NULL)});
	assert_int_equal(graph_subcode(&moved), 36008);
	assert_status(graph_exchange(probe, "facebook", code), 200);
}

static void app_credentials_are_checked(void **state)
{
	static const struct {
		const char *name;
		const char *query;
		long status;
		int64_t code;
	} rows[] = {
		{"right", "client_id=sandbox-facebook&client_secret=sandbox-secret-facebook", 200,
		 0},
		{"right, instagram",
		 "client_id=sandbox-instagram&client_secret=sandbox-secret-instagram", 200, 0},
		{"wrong secret", "client_id=sandbox-facebook&client_secret=nope", 400, 1},
		{"the other app's secret",
		 "client_id=sandbox-facebook&client_secret=sandbox-secret-instagram", 400, 1},
		{"no secret", "client_id=sandbox-facebook", 400, 1},
		{"unknown app", "client_id=77&client_secret=sandbox-secret-facebook", 400, 101},
	};
	struct probe *probe = *state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct probe_answer answer = probe_ask(
			probe,
			(struct probe_request){
				.method = "GET",
				.path = probe_z(probe, str_format(probe->arena,
								  "/graph.facebook.com/oauth/"
								  "access_token?%s&grant_type="
								  "client_credentials",
								  rows[i].query))});
		if (answer.status != rows[i].status || graph_code(&answer) != rows[i].code)
			fail_msg("%s: %ld " STR_FMT, rows[i].name, answer.status,
				 STR_ARG(answer.body));
	}
}

static void debug_token_tells_of_tokens(void **state)
{
	struct probe *probe = *state;
	const struct str user = graph_login(probe, "facebook", FACEBOOK_SCOPE);
	const struct str page = graph_page_token_of(probe, user, BAKERY);
	const char *path = probe_z(
		probe,
		str_format(probe->arena,
			   GRAPH
			   "/debug_token?access_token=sandbox-facebook%%7Csandbox-secret-facebook"
			   "&input_token=" STR_FMT,
			   STR_ARG(page)));
	const struct json *data = json_get(graph_get(probe, (struct str){0}, path).json, "data");
	assert_str(json_string(json_get(data, "type")), "PAGE");
	assert_true(json_bool(json_get(data, "is_valid"), false));
	assert_int_equal(json_int(json_get(data, "expires_at"), -1), 0);
	assert_str(json_string(json_get(data, "profile_id")), BAKERY);
	assert_int_equal(json_int(json_get(data, "data_access_expires_at"), 0),
			 PROBE_START_US / US_PER_S + 90 * 86400);
	const struct probe_answer garbage = graph_get(
		probe, (struct str){0},
		GRAPH "/debug_token?access_token=sandbox-facebook%7Csandbox-secret-facebook"
		      "&input_token=junk");
	assert_status(garbage, 200);
	assert_false(json_bool(json_get(json_get(garbage.json, "data"), "is_valid"), true));
	const struct probe_answer stranger = graph_get(
		probe, (struct str){0}, GRAPH "/debug_token?access_token=junk&input_token=junk");
	assert_status(stranger, 400);
}

static void tokens_die_as_they_should(void **state)
{
	struct probe *probe = *state;
	const struct str user = graph_login(probe, "facebook", FACEBOOK_SCOPE);
	const struct str page = graph_page_token_of(probe, user, BAKERY);
	probe_advance(probe, 5183944 * US_PER_S);
	const struct probe_answer expired = graph_get(probe, user, GRAPH "/me");
	assert_status(expired, 400);
	assert_int_equal(graph_code(&expired), 190);
	assert_int_equal(graph_subcode(&expired), 463);
	const struct probe_answer lengthened = graph_lengthen(probe, "facebook", user);
	assert_int_equal(graph_code(&lengthened), 190);
	/* A Page token taken with a long-lived user token outlives it. */
	const struct probe_answer me = graph_get(probe, page, GRAPH "/me?fields=id,name");
	assert_status(me, 200);
	assert_str(probe_json_string(&me, "id"), BAKERY);
	const struct probe_answer junk = graph_get(probe, STR("EAAjunk"), GRAPH "/me");
	assert_int_equal(graph_code(&junk), 190);
	const struct probe_answer none = graph_get(probe, (struct str){0}, GRAPH "/me");
	assert_int_equal(graph_code(&none), 104);
}

static void faults_tell_facebook_from_instagram(void **state)
{
	struct probe *probe = *state;
	const struct str facebook = graph_login(probe, "facebook", FACEBOOK_SCOPE);
	const struct str instagram = graph_login(probe, "instagram", INSTAGRAM_SCOPE);
	probe_fault(probe, "{\"platform\":\"instagram\",\"match\":{\"path\":\"/v25.0/"
			   "me\"},\"effect\":\"rate_limit\","
			   "\"retry_after\":120}");
	assert_status(graph_get(probe, facebook, GRAPH "/me"), 200);
	const struct probe_answer limited = graph_get(probe, instagram, GRAPH "/me");
	assert_status(limited, 400);
	assert_int_equal(graph_code(&limited), 80002);
	assert_true(str_find(probe_header(&limited, "X-Business-Use-Case-Usage"),
			     STR("\"estimated_time_to_regain_access\":2"), 0) != SIZE_MAX);
	probe_fault(probe, "{\"platform\":\"facebook\",\"match\":{\"path\":\"/*/"
			   "me\"},\"effect\":\"expire_token\"}");
	struct probe_answer expired = graph_get(probe, facebook, GRAPH "/me");
	assert_int_equal(graph_subcode(&expired), 463);
	expired = graph_get(probe, facebook, GRAPH "/me/accounts");
	assert_int_equal(graph_code(&expired), 190);
}

static void proof_is_checked_when_sent(void **state)
{
	struct probe *probe = *state;
	const struct str user = graph_login(probe, "facebook", FACEBOOK_SCOPE);
	crypto_auth_hmacsha256_state hmac;
	crypto_auth_hmacsha256_init(&hmac, (const unsigned char *)"sandbox-secret-facebook", 23);
	crypto_auth_hmacsha256_update(&hmac, (const unsigned char *)user.ptr, user.len);
	unsigned char mac[crypto_auth_hmacsha256_BYTES];
	crypto_auth_hmacsha256_final(&hmac, mac);
	const struct str proof =
		hex_encode(probe->arena, (struct str){(const char *)mac, sizeof(mac)});
	assert_status(graph_get(probe, user,
				probe_z(probe, str_format(probe->arena,
							  GRAPH "/me?appsecret_proof=" STR_FMT,
							  STR_ARG(proof)))),
		      200);
	const struct probe_answer wrong = graph_get(probe, user, GRAPH "/me?appsecret_proof=00");
	assert_int_equal(graph_code(&wrong), 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(consent_page_asks, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(denial_comes_back, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(bad_scope_comes_back_without_error_key, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(dialog_refuses_strangers, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(code_works_once_and_for_ten_minutes, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(code_is_bound_to_app_and_redirect, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(app_credentials_are_checked, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(debug_token_tells_of_tokens, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(tokens_die_as_they_should, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(faults_tell_facebook_from_instagram, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(proof_is_checked_when_sent, probe_open,
						probe_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
