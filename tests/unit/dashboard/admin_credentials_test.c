/* SPDX-License-Identifier: Apache-2.0
 * Platform credentials: secrets go in sealed and never come out. */
#include "count_of.h"

#include "admin_fixture.h"

#define GOOD "{\"client_id\":\" id \",\"client_secret\":\"top-secret\\n\"}"

static void a_secret_is_write_only(void **state)
{
	struct fixture *fx = *state;
	struct str id = create_app(fx, false);
	const struct http_response *made =
		send(fx, "PUT", app_path(fx, id, "/credentials/linkedin"), GOOD);
	const struct json *credential = assert_status(made, 200);
	assert_text(credential, "platform", "linkedin");
	assert_text(credential, "client_id", "id");
	assert_text(credential, "state", "pending");
	assert_text(credential, "redirect_uri", "http://public/v1/oauth/linkedin/callback");
	const struct http_response *const answers[] = {
		made, send(fx, "GET", app_path(fx, id, "/credentials"), NULL),
		send(fx, "GET", app_path(fx, id, ""), NULL)};
	for (size_t i = 0; i < 3; i++)
		assert_true(str_find(buf_str(&answers[i]->body), STR("top-secret"), 0) == SIZE_MAX);
	assert_int_equal(fx->connector.calls, 0);
}

/* The seal's place is the contract with connect/ (store_app.h). */
static void the_secret_opens_under_its_own_row_only(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	struct app_row app = {0};
	struct credential_row row = {0};
	struct str secret, id = create_app(fx, false);
	assert_status(send(fx, "PUT", app_path(fx, id, "/credentials/twitter"), GOOD), 200);
	ok(store_app_find_by_client_id(fx->store, fx->arena, id, &app, &err), &err);
	ok(store_credential_find(fx->store, fx->arena, app.id, PLATFORM_X, &row, &err), &err);
	struct seal_place place = {STR("platform_credentials"), STR("client_secret"),
				   str_format(fx->arena, STR_FMT "/x", STR_ARG(app.id))};
	ok(seal_open_secret(fx->seal, fx->arena, &place, row.client_secret_sealed, &secret, &err),
	   &err);
	assert_true(str_equal_z(secret, "top-secret"));
	place.row_id = STR("other/x");
	assert_int_not_equal(seal_open_secret(fx->seal, fx->arena, &place, row.client_secret_sealed,
					      &secret, &err),
			     ERR_NONE);
}

static void what_is_no_credential(void **state)
{
	static const char *const bodies[] = {
		"{}",
		"{\"client_id\":\"id\"}",
		"{\"client_secret\":\"s\"}",
		"{\"client_id\":\" \",\"client_secret\":\"s\"}",
		"{\"client_id\":\"id\",\"client_secret\":\"\\n\"}",
		"{\"client_id\":\"i\\nd\",\"client_secret\":\"s\"}",
		"{\"client_id\":7,\"client_secret\":8}",
	};
	struct fixture *fx = *state;
	struct str id = create_app(fx, false);
	for (size_t i = 0; i < COUNT_OF(bodies); i++)
		assert_error(send(fx, "PUT", app_path(fx, id, "/credentials/x"), bodies[i]), 422,
			     "VALIDATION_ERROR");
	assert_error(send(fx, "PUT", app_path(fx, id, "/credentials/myspace"), GOOD), 404,
		     "PLATFORM_NOT_FOUND");
	assert_error(send(fx, "POST", app_path(fx, id, "/credentials/x/verify"), NULL), 404,
		     "NOT_FOUND");
}

static void a_check_tells_the_platforms_words(void **state)
{
	struct fixture *fx = *state;
	struct str id = create_app(fx, false);
	fx->connector.state = CREDENTIAL_FAILED;
	fx->connector.message = "invalid_client";
	const struct json *failed =
		assert_status(send(fx, "PUT", app_path(fx, id, "/credentials/x"),
				   "{\"client_id\":\"i\",\"client_secret\":\"s\",\"verify\":true}"),
			      200);
	assert_text(failed, "state", "failed");
	assert_text(failed, "message", "invalid_client");
	fx->connector.state = CREDENTIAL_VERIFIED;
	fx->connector.message = "";
	const struct json *good = assert_status(
		send(fx, "POST", app_path(fx, id, "/credentials/x/verify"), NULL), 200);
	assert_text(good, "state", "verified");
	assert_text(good, "verified_at", "2027-01-15T08:00:00Z");
	fx->connector.kind = ERR_CONFLICT;
	assert_error(send(fx, "POST", app_path(fx, id, "/credentials/x/verify"), NULL), 409,
		     "CONFLICT");
}

static void scopes_are_kept_until_others_are_named(void **state)
{
	static const struct {
		const char *body;
		const char *scopes; /* NULL = null */
	} rows[] = {
		{GOOD, NULL},
		{"{\"client_id\":\"i\",\"client_secret\":\"s\",\"scopes\":\" openid,profile,  "
		 "email \"}",
		 "openid profile email"},
		{GOOD, "openid profile email"},
		{"{\"client_id\":\"i\",\"client_secret\":\"s\",\"scopes\":\"https://"
		 "www.googleapis.com/auth/youtube\"}",
		 "https://www.googleapis.com/auth/youtube"},
		{"{\"client_id\":\"i\",\"client_secret\":\"s\",\"scopes\":\"\"}", NULL},
	};
	static const char *const bad[] = {"7", "[\"openid\"]", "\"a\\\"b\"", "\"a\\nb\"",
					  "\"\\u00e9\""};
	struct fixture *fx = *state;
	struct str id = create_app(fx, false);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct json *credential = assert_status(
			send(fx, "PUT", app_path(fx, id, "/credentials/linkedin"), rows[i].body),
			200);
		if (rows[i].scopes == NULL)
			assert_true(json_is_null(json_get(credential, "scopes")));
		else
			assert_text(credential, "scopes", rows[i].scopes);
	}
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		const struct str body = str_format(
			fx->arena, "{\"client_id\":\"i\",\"client_secret\":\"s\",\"scopes\":%s}",
			bad[i]);
		assert_error(send(fx, "PUT", app_path(fx, id, "/credentials/linkedin"),
				  str_z(fx->arena, body)),
			     422, "VALIDATION_ERROR");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ADMIN_TEST(a_secret_is_write_only),
		ADMIN_TEST(the_secret_opens_under_its_own_row_only),
		ADMIN_TEST(what_is_no_credential),
		ADMIN_TEST(a_check_tells_the_platforms_words),
		ADMIN_TEST(scopes_are_kept_until_others_are_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
