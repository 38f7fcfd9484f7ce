/* SPDX-License-Identifier: Apache-2.0
 * Apps and admins: secrets are shown once and stored as hashes, states change as api-decisions.md 3
 * says. */
#include "count_of.h"

#include "admin_fixture.h"

static void a_secret_is_shown_once_and_kept_as_a_hash(void **state)
{
	struct fixture *fx = *state;
	const struct http_response *response =
		send(fx, "POST", "/admin/apps", "{\"name\":\"One\",\"owner\":\"Ann@Example.com\"}");
	const struct json *made = assert_status(response, 201);
	struct str client_id = json_string(json_get(made, "client_id"));
	struct str secret = json_string(json_get(made, "client_secret"));
	assert_int_equal(made->count, 3);
	assert_true(str_has_prefix(client_id, STR("phc_")));
	assert_true(str_has_prefix(secret, STR("phs_")));
	struct app_row app = {0};
	struct error err = {0};
	struct digest digest = digest_token(secret);
	ok(store_app_find_by_client_id(fx->store, fx->arena, client_id, &app, &err), &err);
	assert_true(str_equal(app.client_secret_hash, digest_hex(fx->arena, &digest)));
	const struct http_response *shown = send(fx, "GET", app_path(fx, client_id, ""), NULL);
	assert_text(assert_status(shown, 200), "state", "draft");
	assert_text(body_of(shown), "owner", "ann@example.com");
	assert_true(str_find(buf_str(&shown->body), secret, 0) == SIZE_MAX);
	assert_true(str_find(buf_str(&shown->body), app.client_secret_hash, 0) == SIZE_MAX);
}

static void what_an_app_needs(void **state)
{
	static const char *const bodies[] = {
		"{\"owner\":\"a@b.example\"}",
		"{\"name\":\"\",\"owner\":\"a@b.example\"}",
		"{\"name\":\"a\\nb\",\"owner\":\"a@b.example\"}",
		"{\"name\":\"One\"}",
		"{\"name\":\"One\",\"owner\":\"nobody\"}",
		"{\"name\":\"One\",\"owner\":\"@b\"}",
		"{\"name\":\"One\",\"owner\":\"a@\"}",
		"{\"name\":\"One\",\"owner\":\"a@b@c\"}",
		"{\"name\":\"One\",\"owner\":\"a b@c\"}",
	};
	struct fixture *fx = *state;
	for (size_t i = 0; i < COUNT_OF(bodies); i++)
		assert_error(send(fx, "POST", "/admin/apps", bodies[i]), 422, "VALIDATION_ERROR");
	assert_int_equal(json_get(body_of(send(fx, "GET", "/admin/apps", NULL)), "data")->count, 0);
}

static void put_credential(struct fixture *fx, struct str client_id, enum credential_state state)
{
	fx->connector.state = state;
	assert_status(send(fx, "PUT", app_path(fx, client_id, "/credentials/x"),
			   "{\"client_id\":\"id\",\"client_secret\":\"secret\",\"verify\":true}"),
		      200);
}

static void states(void **state)
{
	struct fixture *fx = *state;
	struct str id = create_app(fx, false);
	assert_error(send(fx, "POST", app_path(fx, id, "/activate"), NULL), 409, "APP_NOT_LIVE");
	assert_error(send(fx, "POST", app_path(fx, id, "/go-live"), NULL), 409,
		     "CREDENTIALS_NOT_FOUND");
	put_credential(fx, id, CREDENTIAL_FAILED);
	assert_error(send(fx, "POST", app_path(fx, id, "/go-live"), NULL), 409,
		     "CREDENTIALS_NOT_FOUND");
	put_credential(fx, id, CREDENTIAL_VERIFIED);
	assert_text(assert_status(send(fx, "POST", app_path(fx, id, "/go-live"), NULL), 200),
		    "state", "active");
	assert_text(assert_status(send(fx, "POST", app_path(fx, id, "/suspend"), NULL), 200),
		    "state", "suspended");
	assert_error(send(fx, "POST", app_path(fx, id, "/go-live"), NULL), 409, "APP_NOT_ACTIVE");
	assert_text(assert_status(send(fx, "POST", app_path(fx, id, "/activate"), NULL), 200),
		    "state", "active");
	struct str live = create_app(fx, true);
	assert_text(assert_status(send(fx, "GET", app_path(fx, live, ""), NULL), 200), "state",
		    "active");
}

static void a_new_secret_revokes_the_token(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	struct app_row app = {0};
	struct str id = create_app(fx, true);
	ok(store_app_find_by_client_id(fx->store, fx->arena, id, &app, &err), &err);
	ok(store_token_issue(fx->store, app.id, STR("hash"), NOW + US_PER_DAY, NOW, &err), &err);
	struct app_row found = {0};
	ok(store_token_find(fx->store, fx->arena, STR("hash"), NOW, &found, &err), &err);
	const struct json *turned =
		assert_status(send(fx, "POST", app_path(fx, id, "/rotate-secret"), NULL), 200);
	assert_true(str_has_prefix(json_string(json_get(turned, "client_secret")), STR("phs_")));
	assert_int_equal(store_token_find(fx->store, fx->arena, STR("hash"), NOW, &found, &err),
			 ERR_NOT_FOUND);
}

static void unknown_apps(void **state)
{
	static const char *const rests[] = {"/activate", "/suspend", "/go-live", "/rotate-secret",
					    "/credentials/x/verify"};
	struct fixture *fx = *state;
	for (size_t i = 0; i < COUNT_OF(rests); i++)
		assert_error(send(fx, "POST", app_path(fx, STR("phc_none"), rests[i]), NULL), 404,
			     "NOT_FOUND");
	assert_error(send(fx, "GET", "/admin/apps/phc_none", NULL), 404, "NOT_FOUND");
	assert_error(send(fx, "GET", "/admin/apps/phc_none/credentials", NULL), 404, "NOT_FOUND");
}

static void admins(void **state)
{
	struct fixture *fx = *state;
	assert_error(send(fx, "POST", "/admin/admins",
			  "{\"email\":\"nobody\",\"password\":\"correct horse\"}"),
		     422, "VALIDATION_ERROR");
	assert_error(send(fx, "POST", "/admin/admins",
			  "{\"email\":\"Jo@Example.com\",\"password\":\"short\"}"),
		     422, "VALIDATION_ERROR");
	const struct http_response *made =
		send(fx, "POST", "/admin/admins",
		     "{\"email\":\"Jo@Example.com\",\"password\":\"correct horse\"}");
	assert_text(assert_status(made, 201), "email", "jo@example.com");
	assert_true(json_bool(json_get(body_of(made), "has_password"), false));
	assert_error(send(fx, "POST", "/admin/admins",
			  "{\"email\":\"jo@example.com\",\"password\":\"correct horse\"}"),
		     409, "CONFLICT");
	const struct http_response *list = send(fx, "GET", "/admin/admins", NULL);
	assert_int_equal(json_get(assert_status(list, 200), "data")->count, 1);
	assert_true(str_find(buf_str(&list->body), STR("argon2"), 0) == SIZE_MAX);
	assert_status(send(fx, "DELETE", "/admin/admins/JO%40example.com", NULL), 200);
	assert_error(send(fx, "DELETE", "/admin/admins/jo%40example.com", NULL), 404, "NOT_FOUND");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ADMIN_TEST(a_secret_is_shown_once_and_kept_as_a_hash),
		ADMIN_TEST(what_an_app_needs),
		ADMIN_TEST(states),
		ADMIN_TEST(a_new_secret_revokes_the_token),
		ADMIN_TEST(unknown_apps),
		ADMIN_TEST(admins),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
