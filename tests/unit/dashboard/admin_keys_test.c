/* SPDX-License-Identifier: Apache-2.0
 * Keys: shown once, kept as a hash, listed without it, revoked for good (api-decisions.md 14). */
#include "count_of.h"

#include "admin_fixture.h"

#include "store_key.h"

#define BODY "{\"name\":\"n8n\",\"scopes\":[\"publish\",\"read\"],\"expires_in\":60}"

static void a_key_is_shown_once_and_kept_as_a_hash(void **state)
{
	struct fixture *fx = *state;
	const struct str id = create_app(fx, true);
	const struct json *made =
		assert_status(send(fx, "POST", app_path(fx, id, "/keys"), BODY), 201);
	const struct str token = json_string(json_get(made, "key"));
	struct key_row key = {0};
	struct app_row app = {0};
	struct error err = {0};
	assert_int_equal(token.len, 47);
	assert_true(str_has_prefix(token, STR("phk_")));
	assert_int_equal(made->count, 7);
	const struct digest digest = digest_token(token);
	ok(store_key_find(fx->store, fx->arena, digest_hex(fx->arena, &digest), NOW, &key, &app,
			  &err),
	   &err);
	assert_true(str_equal(app.client_id, id));
	assert_int_equal(key.scopes, SCOPES_READ | SCOPES_PUBLISH);
	assert_int_equal(key.expires_at_us, NOW + 60 * US_PER_S);
	const struct http_response *list = send(fx, "GET", app_path(fx, id, "/keys"), NULL);
	const struct json *row = json_at(json_get(assert_status(list, 200), "data"), 0);
	assert_int_equal(row->count, 6);
	assert_text(row, "name", "n8n");
	assert_true(json_is_null(json_get(row, "last_used_at")));
	assert_true(str_find(buf_str(&list->body), token, 0) == SIZE_MAX);
	assert_true(str_find(buf_str(&list->body), key.token_hash, 0) == SIZE_MAX);
}

static void what_a_key_needs(void **state)
{
	static const struct {
		const char *body;
		const char *field;
	} rows[] = {
		{"{\"scopes\":[\"read\"]}", "name"},
		{"{\"name\":\"\",\"scopes\":[\"read\"]}", "name"},
		{"{\"name\":\"a\\nb\",\"scopes\":[\"read\"]}", "name"},
		{"{\"name\":\"n\"}", "scopes"},
		{"{\"name\":\"n\",\"scopes\":[]}", "scopes"},
		{"{\"name\":\"n\",\"scopes\":\"read\"}", "scopes"},
		{"{\"name\":\"n\",\"scopes\":[\"read\",\"Publish\"]}", "scopes"},
		{"{\"name\":\"n\",\"scopes\":[\"read\",1]}", "scopes"},
		{"{\"name\":\"n\",\"scopes\":[\"read\"],\"expires_in\":0}", "expires_in"},
		{"{\"name\":\"n\",\"scopes\":[\"read\"],\"expires_in\":-1}", "expires_in"},
		{"{\"name\":\"n\",\"scopes\":[\"read\"],\"expires_in\":\"90d\"}", "expires_in"},
		{"{\"name\":\"n\",\"scopes\":[\"read\"],\"expires_in\":316224001}", "expires_in"},
		{"{\"name\":\"n\",\"scopes\":[\"read\"],\"expires\":1}", "expires"},
	};
	struct fixture *fx = *state;
	const char *path = app_path(fx, create_app(fx, true), "/keys");
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct json *body =
			assert_error(send(fx, "POST", path, rows[i].body), 422, "VALIDATION_ERROR");
		assert_non_null(json_get(json_get(body, "errors"), rows[i].field));
	}
	assert_int_equal(json_get(body_of(send(fx, "GET", path, NULL)), "data")->count, 0);
}

static void a_key_without_an_end(void **state)
{
	struct fixture *fx = *state;
	const char *path = app_path(fx, create_app(fx, true), "/keys");
	const char *body = "{\"name\":\"n\",\"scopes\":[\"read\"],\"expires_in\":null}";
	assert_true(json_is_null(
		json_get(assert_status(send(fx, "POST", path, body), 201), "expires_at")));
}

static void drafts_and_full_apps_get_none(void **state)
{
	struct fixture *fx = *state;
	const char *path = app_path(fx, create_app(fx, true), "/keys");
	assert_error(send(fx, "POST", app_path(fx, create_app(fx, false), "/keys"), BODY), 409,
		     "APP_NOT_LIVE");
	for (int i = 0; i < KEYS_PER_APP_MAX; i++)
		assert_status(send(fx, "POST", path, BODY), 201);
	assert_error(send(fx, "POST", path, BODY), 409, "LIMIT_REACHED");
}

static void revoking(void **state)
{
	struct fixture *fx = *state;
	const char *path = app_path(fx, create_app(fx, true), "/keys");
	const struct str key_id =
		json_string(json_get(assert_status(send(fx, "POST", path, BODY), 201), "id"));
	const char *target = str_z(fx->arena, str_concat(fx->arena, STR("/admin/keys/"), key_id));
	assert_text(assert_status(send(fx, "DELETE", target, NULL), 200), "revoked",
		    str_z(fx->arena, key_id));
	assert_int_equal(json_get(body_of(send(fx, "GET", path, NULL)), "data")->count, 0);
	assert_error(send(fx, "DELETE", target, NULL), 404, "NOT_FOUND");
	assert_error(send(fx, "GET", "/admin/apps/phc_none/keys", NULL), 404, "NOT_FOUND");
	assert_error(send(fx, "POST", "/admin/apps/phc_none/keys", BODY), 404, "NOT_FOUND");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ADMIN_TEST(a_key_is_shown_once_and_kept_as_a_hash),
		ADMIN_TEST(what_a_key_needs),
		ADMIN_TEST(a_key_without_an_end),
		ADMIN_TEST(drafts_and_full_apps_get_none),
		ADMIN_TEST(revoking),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
