/* SPDX-License-Identifier: Apache-2.0
 * What may be chosen for an app, and that connect/ and delivery/ will find it in the store. */
#include "count_of.h"

#include "admin_fixture.h"

static struct app_row stored(struct fixture *fx, struct str client_id)
{
	struct app_row app = {0};
	struct error err = {0};
	ok(store_app_find_by_client_id(fx->store, fx->arena, client_id, &app, &err), &err);
	return app;
}

static void only_what_is_given_changes(void **state)
{
	struct fixture *fx = *state;
	struct str id = create_app(fx, true);
	const char *path = app_path(fx, id, "");
	assert_status(send(fx, "PATCH", path, "{}"), 200);
	assert_false(stored(fx, id).retry_unknown_once);
	assert_status(
		send(fx, "PATCH", path,
		     "{\"redirect_urls\":[\"https://a.example\",\"https://b.example/back?x=1\"]}"),
		200);
	const struct json *app = assert_status(
		send(fx, "PATCH", path, "{\"on_unknown\":\"retry_once\",\"name\":null}"), 200);
	assert_text(app, "name", "One");
	assert_text(app, "on_unknown", "retry_once");
	assert_int_equal(json_get(app, "redirect_urls")->count, 2);
	assert_true(stored(fx, id).retry_unknown_once);
	assert_true(str_equal_z(stored(fx, id).redirect_urls,
				"[\"https://a.example\",\"https://b.example/back?x=1\"]"));
	assert_status(send(fx, "PATCH", path,
			   "{\"redirect_urls\":[],\"on_unknown\":\"hold\",\"name\":\"Two\"}"),
		      200);
	app = assert_status(send(fx, "GET", path, NULL), 200);
	assert_text(app, "name", "Two");
	assert_text(app, "on_unknown", "hold");
	assert_text(app, "state", "active");
	assert_int_equal(stored(fx, id).redirect_urls.len, 0);
}

static void what_is_refused_changes_nothing(void **state)
{
	static const char *const bodies[] = {
		"{\"name\":\"\"}",
		"{\"name\":7}",
		"{\"name\":\"Two\",\"on_unknown\":\"maybe\"}",
		"{\"on_unknown\":true}",
		"{\"redirect_urls\":\"https://a.example\"}",
		"{\"redirect_urls\":[7]}",
		"{\"redirect_urls\":[\"/back\"]}",
		"{\"redirect_urls\":[\"https://u@a.example\"]}",
		"{\"name\":\"Two\",\"redirect_urls\":[\"https://a.example/#x\"]}",
	};
	struct fixture *fx = *state;
	struct str id = create_app(fx, true);
	for (size_t i = 0; i < COUNT_OF(bodies); i++)
		assert_error(send(fx, "PATCH", app_path(fx, id, ""), bodies[i]), 422,
			     "VALIDATION_ERROR");
	assert_true(str_equal_z(stored(fx, id).name, "One"));
	assert_int_equal(stored(fx, id).redirect_urls.len, 0);
	assert_error(send(fx, "PATCH", "/admin/apps/phc_none", "{}"), 404, "NOT_FOUND");
}

static void at_most_100_redirect_urls(void **state)
{
	struct fixture *fx = *state;
	struct str id = create_app(fx, true);
	for (int count = 100; count <= 101; count++) {
		struct buf body;
		buf_init(&body, fx->arena, 65536);
		buf_add_z(&body, "{\"redirect_urls\":[");
		for (int i = 0; i < count; i++)
			buf_addf(&body, "%s\"https://a%d.example\"", i > 0 ? "," : "", i);
		buf_add_z(&body, "]}");
		const struct http_response *response =
			send(fx, "PATCH", app_path(fx, id, ""), str_z(fx->arena, buf_str(&body)));
		assert_status(response, count == 100 ? 200 : 422);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ADMIN_TEST(only_what_is_given_changes),
		ADMIN_TEST(what_is_refused_changes_nothing),
		ADMIN_TEST(at_most_100_redirect_urls),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
