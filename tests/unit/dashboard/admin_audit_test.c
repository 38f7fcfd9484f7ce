/* SPDX-License-Identifier: Apache-2.0
 * The audit trail of the admin API: every route that changes something has an action, its row is
 * there before the change, says what changed, and holds no secret. */
#include <string.h>

#include "web_fixture.h"

#include "store_audit.h"

static struct audit_row newest(struct fixture *fx)
{
	const struct audit_filter filter = {.max = 1};
	struct audit_row *rows = NULL;
	size_t count = 0;
	struct error err = {0};
	ok(store_audit_list(fx->store, fx->arena, &filter, &rows, &count, &err), &err);
	return count > 0 ? rows[0] : (struct audit_row){0};
}

static void assert_str(struct str got, const char *wanted)
{
	if (!str_equal_z(got, wanted))
		fail_msg("\"" STR_FMT "\", not \"%s\"", STR_ARG(got), wanted);
}

/* A POST for the sake of its body. It reads no more than that. */
static const char *const only_asks[] = {"/dashboard/api/count"};

static bool is_only_asked(const struct admin_route *route)
{
	for (size_t i = 0; i < COUNT_OF(only_asks); i++) {
		if (strcmp(route->web_path, only_asks[i]) == 0)
			return true;
	}
	return false;
}

static void a_route_that_changes_has_an_action(void **state)
{
	size_t count = 0;
	const struct admin_route *routes = admin_routes(&count);
	(void)state;
	for (size_t i = 0; i < count; i++) {
		const bool changes =
			strcmp(routes[i].method, "GET") != 0 && !is_only_asked(&routes[i]);
		if (changes != (routes[i].action[0] != '\0'))
			fail_msg("%s %s: in admin_routes.def, give what changes something an "
				 "action and what only reads none",
				 routes[i].method, routes[i].web_path);
	}
}

/* One handler has one action and one view wherever it stands, and every view is a GET. */
static void a_view_is_a_get(void **state)
{
	size_t count = 0;
	const struct admin_route *routes = admin_routes(&count);
	(void)state;
	for (size_t i = 0; i < count; i++) {
		bool is_get = routes[i].view == NULL;
		for (size_t k = 0; k < count && !is_get; k++)
			is_get = routes[k].handler == routes[i].view &&
				 strcmp(routes[k].method, "GET") == 0;
		if (!is_get)
			fail_msg("%s %s: its view is not a GET", routes[i].method,
				 routes[i].web_path);
	}
}

/* No route writes to the trail but by being called. */
static void the_trail_itself_can_only_be_read(void **state)
{
	size_t count = 0;
	const struct admin_route *routes = admin_routes(&count);
	(void)state;
	for (size_t i = 0; i < count; i++) {
		if (strstr(routes[i].web_path, "/audit") != NULL)
			assert_string_equal(routes[i].method, "GET");
	}
}

static void what_changed_is_in_the_row(void **state)
{
	struct fixture *fx = *state;
	const struct str id = create_app(fx, true);
	struct audit_row row = newest(fx);
	assert_str(row.action, "app.create");
	assert_str(row.actor, "cli");
	assert_str(row.source, "control socket");
	assert_true(str_equal(row.client_id, id));
	assert_true(str_find(row.object, id, 0) == 4);
	assert_str(row.before, "");
	assert_true(str_find(row.after, STR("\"state\":\"active\""), 0) != SIZE_MAX);
	assert_status(send(fx, "POST", app_path(fx, id, "/suspend"), NULL), 200);
	row = newest(fx);
	assert_str(row.action, "app.suspend");
	assert_int_equal(row.outcome, AUDIT_DONE);
	assert_int_equal(row.at_us, NOW);
	assert_str(row.before, "{\"state\":\"active\",\"live\":true}");
	assert_str(row.after, "{\"state\":\"suspended\",\"live\":false}");
	assert_status(send(fx, "PATCH", app_path(fx, id, ""), "{\"name\":\"Two\"}"), 200);
	row = newest(fx);
	assert_str(row.before, "{\"name\":\"One\"}");
	assert_str(row.after, "{\"name\":\"Two\"}");
}

static void refused_calls_are_rows_too(void **state)
{
	struct fixture *fx = *state;
	const struct str id = create_app(fx, true);
	send(fx, "PATCH", app_path(fx, id, ""), "{\"namen\":\"Two\"}");
	struct audit_row row = newest(fx);
	assert_str(row.action, "app.change");
	assert_int_equal(row.outcome, AUDIT_REFUSED);
	assert_str(row.after, "");
	assert_error(send(fx, "POST", "/admin/apps/phc_no/suspend", NULL), 404, "NOT_FOUND");
	row = newest(fx);
	assert_str(row.object, "app phc_no");
	assert_str(row.app_id, "");
	assert_int_equal(row.outcome, AUDIT_REFUSED);
	send(fx, "POST", "/admin/pauses", "{\"account\":\"\\u001b[2J\"}");
	row = newest(fx);
	assert_str(row.object, "account ?[2J");
	assert_str(row.app_id, "");
}

struct seen {
	struct fixture *fx;
	struct audit_row row;
};

static void serve_and_see(void *context, const struct app_row *app, struct http_request *request,
			  struct http_response *response, struct str admin)
{
	struct seen *seen = context;
	(void)app;
	(void)admin;
	(void)request;
	seen->row = newest(seen->fx);
	buf_add_z(http_response_json(response, 202), "{}");
}

static void the_row_is_there_before_the_change(void **state)
{
	struct fixture *fx = *state;
	struct browser b;
	struct seen seen = {.fx = fx};
	struct audit_row row;
	browser_open(&b, fx);
	fx->admin->web.app_port = (struct admin_app_port){.serve = serve_and_see, .context = &seen};
	set_up(&b);
	const struct json *app =
		body_of(ask(&b, "POST", "/dashboard/api/apps", "{\"name\":\"A\"}"));
	const struct str id = json_string(json_get(app, "client_id"));
	const char *path = str_z(
		fx->arena, str_format(fx->arena, "/dashboard/api/apps/" STR_FMT "/v1/posts/publish",
				      STR_ARG(id)));
	assert_int_equal(ask(&b, "POST", path, "{}")->status, 202);
	assert_int_equal(seen.row.outcome, AUDIT_BEGUN);
	assert_str(seen.row.action, "app.api");
	row = newest(fx);
	assert_int_equal(row.seq, seen.row.seq);
	assert_int_equal(row.outcome, AUDIT_DONE);
	assert_str(row.object,
		   str_z(fx->arena, str_format(fx->arena, "app " STR_FMT " POST /v1/posts/publish",
					       STR_ARG(id))));
	browser_close(&b);
}

static void no_secret_is_in_a_row(void **state)
{
	struct fixture *fx = *state;
	const struct str id = create_app(fx, true);
	const char *credential = "{\"client_id\":\"cid\",\"client_secret\":\"hush-hush\"}";
	send(fx, "PUT", app_path(fx, id, "/credentials/x"), credential);
	send(fx, "POST", app_path(fx, id, "/rotate-secret"), NULL);
	send(fx, "POST", app_path(fx, id, "/keys"), "{\"name\":\"n\",\"scopes\":[\"read\"]}");
	send(fx, "POST", "/admin/admins", "{\"email\":\"b@x.io\",\"password\":\"correct horse\"}");
	static const char *const secrets[] = {"hush-hush", "phs_", "phk_", "correct horse",
					      "argon2"};
	const struct http_response *list = send(fx, "GET", "/admin/audit", NULL);
	const struct json *rows = json_get(assert_status(list, 200), "data");
	assert_int_equal(rows->count, 5);
	assert_text(json_at(rows, 0), "object", "admin b@x.io");
	assert_text(json_at(rows, 1), "action", "key.create");
	for (size_t i = 0; i < COUNT_OF(secrets); i++)
		assert_true(str_find(buf_str(&list->body), str_of(secrets[i]), 0) == SIZE_MAX);
	assert_true(str_find(buf_str(&list->body), STR("\"client_id\":\"cid\""), 0) != SIZE_MAX);
}

static void pages_and_filters(void **state)
{
	static const char *const bad[] = {"since=yesterday", "limit=0", "limit=501", "before=x",
					  "action=a&action=b"};
	struct fixture *fx = *state;
	const struct str id = create_app(fx, true);
	for (int i = 0; i < 3; i++)
		send(fx, "POST", app_path(fx, id, "/suspend"), NULL);
	const struct json *page = body_of(send(fx, "GET", "/admin/audit?limit=3", NULL));
	assert_int_equal(json_get(page, "data")->count, 3);
	const char *next =
		str_z(fx->arena, str_format(fx->arena, "/admin/audit?limit=3&before=%lld",
					    (long long)json_int(json_get(page, "next"), 0)));
	page = body_of(send(fx, "GET", next, NULL));
	assert_int_equal(json_get(page, "data")->count, 1);
	assert_true(json_is_null(json_get(page, "next")));
	page = body_of(send(fx, "GET", "/admin/audit?action=app.suspend&actor=cli", NULL));
	assert_int_equal(json_get(page, "data")->count, 3);
	page = body_of(send(fx, "GET", "/admin/audit?since=2027-01-15", NULL));
	assert_int_equal(json_get(page, "data")->count, 4);
	page = body_of(send(fx, "GET", "/admin/audit?since=2027-01-15T08:00:01Z", NULL));
	assert_int_equal(json_get(page, "data")->count, 0);
	for (size_t i = 0; i < COUNT_OF(bad); i++)
		assert_error(
			send(fx, "GET",
			     str_z(fx->arena, str_format(fx->arena, "/admin/audit?%s", bad[i])),
			     NULL),
			422, "VALIDATION_ERROR");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_route_that_changes_has_an_action),
		cmocka_unit_test(a_view_is_a_get),
		cmocka_unit_test(the_trail_itself_can_only_be_read),
		ADMIN_TEST(what_changed_is_in_the_row),
		ADMIN_TEST(refused_calls_are_rows_too),
		ADMIN_TEST(the_row_is_there_before_the_change),
		ADMIN_TEST(no_secret_is_in_a_row),
		ADMIN_TEST(pages_and_filters),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
