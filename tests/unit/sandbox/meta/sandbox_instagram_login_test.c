/* SPDX-License-Identifier: Apache-2.0
 * The simulated Instagram Login (meta.md 2.8): a code for an hour, a token of 60 days that is
 * renewed after its first day, and a host that knows its own tokens only. */
#include "count_of.h"

#include "graph_flow.h"

#define LOGIN "/graph.instagram.com"
#define SCOPES \
	"instagram_business_basic,instagram_business_content_publish," \
	"instagram_business_manage_comments"

static struct probe_answer authorize(struct probe *probe, const char *scope, const char *more)
{
	const struct str query =
		probe_form(probe, "client_id", "sandbox-instagram", "redirect_uri", GRAPH_CALLBACK,
			   "state", "state-1", "response_type", "code", "scope", scope, NULL);
	return probe_ask(
		probe,
		(struct probe_request){.method = "GET",
				       .path = probe_z(probe, str_format(probe->arena,
									 "/www.instagram.com/oauth/"
									 "authorize?" STR_FMT "%s",
									 STR_ARG(query), more))});
}

static struct probe_answer exchange(struct probe *probe, const char *secret, struct str code)
{
	return probe_ask(probe, (struct probe_request){
					.method = "POST",
					.path = "/api.instagram.com/oauth/access_token",
					.body = probe_form(probe, "client_id", "sandbox-instagram",
							   "client_secret", secret, "grant_type",
							   "authorization_code", "redirect_uri",
							   GRAPH_CALLBACK, "code",
							   probe_z(probe, code), NULL)});
}

static struct probe_answer token_call(struct probe *probe, const char *path, const char *type,
				      struct str token)
{
	const struct str query =
		probe_form(probe, "grant_type", type, "client_secret", "sandbox-secret-instagram",
			   "access_token", probe_z(probe, token), NULL);
	return graph_get(probe, (struct str){0},
			 probe_z(probe, str_format(probe->arena, LOGIN "/%s?" STR_FMT, path,
						   STR_ARG(query))));
}

static struct str short_token(struct probe *probe)
{
	const struct probe_answer asked = authorize(probe, SCOPES, "&sandbox_decision=allow");
	assert_status(asked, 302);
	const struct probe_answer answer = exchange(probe, "sandbox-secret-instagram",
						    probe_location_param(probe, &asked, "code"));
	assert_status(answer, 200);
	const struct json *data = json_at(json_get(answer.json, "data"), 0);
	assert_true(str_equal_z(json_string(json_get(data, "user_id")), BAKERY_IG));
	assert_true(str_equal_z(json_string(json_get(data, "permissions")), SCOPES));
	return json_string(json_get(data, "access_token"));
}

static struct str long_token(struct probe *probe)
{
	const struct probe_answer answer =
		token_call(probe, "access_token", "ig_exchange_token", short_token(probe));
	assert_status(answer, 200);
	assert_int_equal(json_int(json_get(answer.json, "expires_in"), 0), 5184000);
	return probe_json_string(&answer, "access_token");
}

static void strangers_are_refused(void **state)
{
	struct probe *probe = *state;
	assert_status(authorize(probe, "instagram_basic", "&sandbox_decision=allow"), 400);
	const struct probe_answer denied = authorize(probe, SCOPES, "&sandbox_decision=deny");
	assert_str(probe_location_param(probe, &denied, "error_reason"), "user_denied");
	const struct probe_answer asked = authorize(probe, SCOPES, "&sandbox_decision=allow");
	const struct str code = probe_location_param(probe, &asked, "code");
	const struct probe_answer wrong = exchange(probe, "nonsense", code);
	assert_status(wrong, 400);
	assert_str(probe_json_string(&wrong, "error_type"), "OAuthException");
	assert_status(exchange(probe, "sandbox-secret-instagram", code), 200);
	const struct probe_answer again = exchange(probe, "sandbox-secret-instagram", code);
	assert_str(probe_json_string(&again, "error_message"),
		   "This authorization code has been used");
}

static void a_token_is_renewed_after_a_day_and_before_it_ends(void **state)
{
	struct probe *probe = *state;
	const struct str token = long_token(probe);
	assert_status(token_call(probe, "refresh_access_token", "ig_refresh_token", token), 400);
	probe_advance(probe, US_PER_DAY + US_PER_S);
	const struct probe_answer renewed =
		token_call(probe, "refresh_access_token", "ig_refresh_token", token);
	assert_status(renewed, 200);
	const struct str fresh = probe_json_string(&renewed, "access_token");
	probe_advance(probe, 59 * US_PER_DAY);
	struct probe_answer answer = graph_get(probe, token, LOGIN "/v25.0/me");
	assert_int_equal(graph_code(&answer), 190);
	assert_status(graph_get(probe, fresh, LOGIN "/v25.0/me"), 200);
	probe_advance(probe, 2 * US_PER_DAY);
	answer = token_call(probe, "refresh_access_token", "ig_refresh_token", fresh);
	assert_int_equal(graph_code(&answer), 190);
}

static void either_host_knows_its_own_tokens(void **state)
{
	struct probe *probe = *state;
	const struct str token = long_token(probe);
	const struct probe_answer me = graph_get(
		probe, token, LOGIN "/v25.0/me?fields=user_id,username,account_type,name");
	assert_str(probe_json_string(&me, "user_id"), BAKERY_IG);
	assert_str(probe_json_string(&me, "account_type"), "BUSINESS");
	assert_true(str_has_prefix(probe_json_string(&me, "id"), STR("26")));
	struct probe_answer answer = graph_get(probe, token, GRAPH "/" BAKERY_IG);
	assert_int_equal(graph_code(&answer), 190);
	const struct str page = graph_page_token_of(
		probe, graph_login(probe, "instagram", INSTAGRAM_SCOPE), BAKERY);
	answer = graph_get(probe, page, LOGIN "/v25.0/" BAKERY_IG);
	assert_int_equal(graph_code(&answer), 190);
	assert_int_not_equal(graph_get(probe, token, LOGIN "/v25.0/" BOOKS_IG).status, 200);
	assert_int_not_equal(graph_get(probe, token, LOGIN "/v25.0/" BAKERY).status, 200);
}

static void there_are_no_resumable_uploads(void **state)
{
	struct probe *probe = *state;
	const struct probe_answer answer = graph_post(
		probe, long_token(probe), LOGIN "/v25.0/" BAKERY_IG "/media",
		probe_form(probe, "media_type", "REELS", "upload_type", "resumable", NULL));
	assert_status(answer, 400);
	assert_int_equal(graph_code(&answer), 100);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, probe_open, probe_close)
	const struct CMUnitTest tests[] = {
		TEST(strangers_are_refused),
		TEST(a_token_is_renewed_after_a_day_and_before_it_ends),
		TEST(either_host_knows_its_own_tokens),
		TEST(there_are_no_resumable_uploads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
