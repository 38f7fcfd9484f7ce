/* SPDX-License-Identifier: Apache-2.0
 * The apps of the simulated LinkedIn: what their products let them ask for, refresh tokens, silent
 * consent, a right that is taken away, and the day's calls. What every app meets is
 * sandbox_linkedin_test.c. */
#include "count_of.h"

#include "linkedin_flow.h"

#define MEMBER_SCOPES "openid profile email w_member_social"
#define PAGE_SCOPES \
	"r_basicprofile w_member_social w_organization_social r_organization_social " \
	"rw_organization_admin"

static struct probe_answer tokens_of(struct probe *probe, const char *client, const char *scope)
{
	const struct probe_answer allowed = authorize(probe, client, REDIRECT, scope, "allow");
	const char *code = probe_z(probe, probe_location_param(probe, &allowed, "code"));
	assert_status(allowed, 302);
	return post_form(probe, WWW "/oauth/v2/accessToken",
			 probe_form(probe, "grant_type", "authorization_code", "code", code,
				    "redirect_uri", REDIRECT, "client_id", client, "client_secret",
				    "sandbox-secret-linkedin", NULL));
}

static struct str token_of_app(struct probe *probe, const char *client, const char *scope)
{
	const struct probe_answer answer = tokens_of(probe, client, scope);
	assert_status(answer, 200);
	return probe_json_string(&answer, "access_token");
}

static void products_decide_what_may_be_asked_for(void **state)
{
	static const struct {
		const char *client;
		const char *scope;
		const char *unknown; /* NULL = all is its own */
	} rows[] = {
		{"sandbox-linkedin-member", MEMBER_SCOPES, NULL},
		{"sandbox-linkedin-member", "openid profile w_organization_social",
		 "w_organization_social"},
		{"sandbox-linkedin-organization", PAGE_SCOPES " w_member_social_feed", NULL},
		{"sandbox-linkedin-organization", "openid profile", "openid"},
		{"sandbox-linkedin", SCOPES " r_basicprofile", NULL},
	};
	struct probe *probe = *state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct probe_answer answer =
			authorize(probe, rows[i].client, REDIRECT, rows[i].scope, "allow");
		const struct str error = probe_location_param(probe, &answer, "error");
		const struct str description =
			probe_location_param(probe, &answer, "error_description");
		print_message("row: %s %s\n", rows[i].client, rows[i].scope);
		assert_status(answer, 302);
		assert_str(error, rows[i].unknown != NULL ? "unauthorized_scope_error" : "");
		assert_true(rows[i].unknown == NULL ||
			    str_find(description, str_of(rows[i].unknown), 0) != SIZE_MAX);
	}
}

static void only_partners_get_refresh_tokens(void **state)
{
	struct probe *probe = *state;
	const struct probe_answer partner = tokens_of(probe, "sandbox-linkedin", SCOPES);
	const struct probe_answer other =
		tokens_of(probe, "sandbox-linkedin-member", MEMBER_SCOPES);
	assert_true(probe_json_string(&partner, "refresh_token").len > 0);
	assert_status(other, 200);
	assert_null(json_get(other.json, "refresh_token"));
	assert_int_equal(json_int(json_get(other.json, "expires_in"), 0), 60 * 24 * 3600);
}

static void one_apps_consent_is_not_the_others(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_of_app(probe, "sandbox-linkedin", SCOPES);
	token_of_app(probe, "sandbox-linkedin-member", MEMBER_SCOPES);
	assert_status(call(probe, "GET", API "/v2/userinfo", token, none), 200);
}

/* With a session in the browser and a consent of before nobody is asked again (1.1). */
static void a_known_consent_is_silent(void **state)
{
	struct probe *probe = *state;
	const struct str query =
		probe_form(probe, "response_type", "code", "client_id", "sandbox-linkedin",
			   "redirect_uri", REDIRECT, "state", "s", "scope", SCOPES, NULL);
	const char *path =
		probe_z(probe, str_format(probe->arena, WWW "/oauth/v2/authorization?" STR_FMT,
					  STR_ARG(query)));
	struct probe_request again = {.method = "GET", .path = path};
	const struct probe_answer allowed =
		authorize(probe, "sandbox-linkedin", REDIRECT, SCOPES, "allow");
	assert_true(str_find(probe_header(&allowed, "Set-Cookie"), STR("li_sandbox=1"), 0) !=
		    SIZE_MAX);
	assert_status(probe_ask(probe, again), 200); /* another browser */
	again.headers[0] = "Cookie: li_sandbox=1";
	assert_status(probe_ask(probe, again), 302);
	assert_status(authorize(probe, "sandbox-linkedin", REDIRECT, "openid profile", NULL), 200);
}

static void a_right_is_taken_away(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_of_app(probe, "sandbox-linkedin-member", MEMBER_SCOPES);
	assert_status(post_form(probe, WWW "/psettings/permitted-services",
				probe_form(probe, "client_id", "nobody", NULL)),
		      404);
	assert_status(post_form(probe, WWW "/psettings/permitted-services",
				probe_form(probe, "client_id", "sandbox-linkedin-member", NULL)),
		      204);
	const struct probe_answer refused = publish(probe, token, MEMBER, "late", NULL);
	assert_status(refused, 401);
	assert_str(probe_json_string(&refused, "code"), "REVOKED_ACCESS_TOKEN");
}

/* Section 3: 150 calls a member and day, until 00:00 UTC, and no Retry-After. */
static void the_days_calls_run_out(void **state)
{
	struct probe *probe = *state;
	const struct str token = token_of_app(probe, "sandbox-linkedin-member", MEMBER_SCOPES);
	const char *path = API "/rest/videos/urn%3Ali%3Avideo%3Anone";
	for (int i = 0; i < 150; i++)
		assert_status(call(probe, "GET", path, token, none), 404);
	const struct probe_answer refused = call(probe, "GET", path, token, none);
	assert_status(refused, 429);
	assert_true(str_find(probe_json_string(&refused, "message"), STR("MEMBER DAY"), 0) !=
		    SIZE_MAX);
	assert_int_equal(probe_header(&refused, "Retry-After").len, 0);
	assert_status(call(probe, "GET", API "/v2/userinfo", token, none), 200);
	assert_status(
		call(probe, "GET", path, token_of_app(probe, "sandbox-linkedin", SCOPES), none),
		404);
	probe_advance(probe, US_PER_DAY);
	assert_status(call(probe, "GET", path, token, none), 404);
}

static void comments_want_a_scope_of_their_own(void **state)
{
	struct probe *probe = *state;
	struct str token = token_of_app(probe, "sandbox-linkedin-member", MEMBER_SCOPES);
	const struct probe_answer made = publish(probe, token, MEMBER, "post", NULL);
	const struct str urn = str_copy(probe->arena, probe_header(&made, "x-restli-id"));
	const char *path = urn_path(probe, API "/rest/socialActions/", urn, "/comments");
	const struct str body = str_format(probe->arena,
					   "{\"actor\":\"" MEMBER "\",\"object\":\"" STR_FMT
					   "\",\"message\":{\"text\":\"c\"}}",
					   STR_ARG(urn));
	assert_status(made, 201);
	assert_status(call(probe, "POST", path, token, body), 403);
	token = token_of_app(probe, "sandbox-linkedin-organization",
			     PAGE_SCOPES " w_member_social_feed");
	assert_status(call(probe, "POST", path, token, body), 201);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(products_decide_what_may_be_asked_for, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(only_partners_get_refresh_tokens, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(one_apps_consent_is_not_the_others, probe_open,
						probe_close),
		cmocka_unit_test_setup_teardown(a_known_consent_is_silent, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(a_right_is_taken_away, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(the_days_calls_run_out, probe_open, probe_close),
		cmocka_unit_test_setup_teardown(comments_want_a_scope_of_their_own, probe_open,
						probe_close),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
