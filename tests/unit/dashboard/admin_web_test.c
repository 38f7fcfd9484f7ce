/* SPDX-License-Identifier: Apache-2.0
 * The door over HTTP: every row of the table asks for what it says, requests of other sites are
 * told from our own, and an app's own API is asked as that app. */
#include "count_of.h"

#include "web_fixture.h"

static struct str path_with(struct arena *arena, const char *pattern, struct str client_id)
{
	struct buf out;
	struct str rest = str_of(pattern);
	struct str literal, name;
	buf_init(&out, arena, 4096);
	while (str_take_until(&rest, '{', &literal)) {
		buf_add(&out, literal);
		str_skip(&rest, STR("{"));
		str_take_until(&rest, '}', &name);
		str_skip(&rest, STR("}"));
		buf_add(&out, str_equal_z(name, "client_id") ? client_id : STR("x"));
	}
	buf_add(&out, rest);
	return buf_str(&out);
}

static const char *method_of(const struct admin_route *row)
{
	return row->method[0] == '*' ? "POST" : row->method;
}

static bool changes(const struct admin_route *row)
{
	return strcmp(row->method, "GET") != 0;
}

/* What root may do is refused before anything is looked at. */
static void assert_refused(struct browser *b, const struct admin_route *row, const char *path,
			   const char *unknown)
{
	const struct http_response *one = ask(b, method_of(row), path, "{}");
	const struct http_response *other = ask(b, method_of(row), unknown, "{}");
	if (row->who == PRINCIPAL_ROOT)
		assert_error(one, 403, "FORBIDDEN");
	else
		assert_error(one, 404, "NOT_FOUND");
	assert_true(str_equal(buf_str(&one->body), buf_str(&other->body)));
}

static void every_row_asks_for_what_it_says(void **state)
{
	struct browser b;
	struct fixture *fx = *state;
	size_t count = 0;
	const struct admin_route *rows = admin_routes(&count);
	browser_open(&b, fx);
	const struct str foreign = create_app(fx, true); /* ann@example.com's */
	set_up(&b);
	become_owner(&b);
	struct browser stranger = b;
	struct browser careless = b;
	stranger.cookie = stranger.csrf = careless.csrf = STR("");
	for (size_t i = 0; i < count; i++) {
		const struct admin_route *row = &rows[i];
		const char *path = str_z(fx->arena, path_with(fx->arena, row->web_path, foreign));
		const char *unknown =
			str_z(fx->arena, path_with(fx->arena, row->web_path, STR("phc_none")));
		if ((row->where & WHERE_WEB) == 0) {
			/* 405 where the path has other methods here */
			const int status = ask(&b, method_of(row), path, "{}")->status;
			assert_true(status == 404 || status == 405);
			continue;
		}
		if (row->who == PRINCIPAL_NONE)
			continue;
		assert_error(ask(&stranger, method_of(row), path, "{}"), 401, "UNAUTHENTICATED");
		if (changes(row))
			assert_error(ask(&careless, method_of(row), path, "{}"), 403, "CSRF");
		if (row->who == PRINCIPAL_OWNER || row->who == PRINCIPAL_ROOT)
			assert_refused(&b, row, path, unknown);
	}
	browser_close(&b);
}

static void whose_page_it_is(void **state)
{
	static const struct {
		const char *fetch_site, *origin, *host;
		bool is_ours;
	} rows[] = {
		{"", "", "", true}, /* no browser */
		{"same-origin", "", "", true},
		/* a proxy nobody told us of */
		{"same-origin", "https://elsewhere.example", "127.0.0.1:8080", true},
		{"same-site", "", "", false},
		{"cross-site", PUBLIC_URL, "posts.example", false},
		{"none", "", "", false},
		{"", PUBLIC_URL, "127.0.0.1:8080", true}, /* behind a proxy that changes Host */
		{"", "https://POSTS.example:443", "", true},
		{"", "http://localhost:8080", "localhost:8080", true},
		{"", "https://localhost:8080", "localhost:8080", true},
		{"", "http://localhost:8081", "localhost:8080", false},
		{"", "http://posts.example", "", false},
		{"", "https://posts.example.evil.example", "posts.example", false},
		{"", "null", "null", false},
		{"", "https://evil.example", "", false},
	};
	struct browser b;
	struct fixture *fx = *state;
	browser_open(&b, fx);
	set_up(&b);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		b.fetch_site = str_of(rows[i].fetch_site);
		b.origin = str_of(rows[i].origin);
		b.host = str_of(rows[i].host);
		const int status =
			ask(&b, "POST", "/dashboard/api/apps", "{\"name\":\"One\"}")->status;
		if (status != (rows[i].is_ours ? 201 : 403))
			fail_msg("row %zu: %d", i, status);
		assert_int_equal(ask(&b, "GET", "/dashboard/api/apps", NULL)->status, 200);
	}
	browser_close(&b);
}

static void bodies(void **state)
{
	static const struct {
		const char *type;
		int status;
	} rows[] = {{"application/json", 201},
		    {"Application/JSON; charset=utf-8", 201},
		    {"text/plain", 415},
		    {"", 415},
		    {"application/jsonx", 415}};
	struct browser b;
	struct fixture *fx = *state;
	browser_open(&b, fx);
	set_up(&b);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		b.content_type = str_of(rows[i].type);
		assert_int_equal(
			ask(&b, "POST", "/dashboard/api/apps", "{\"name\":\"One\"}")->status,
			rows[i].status);
	}
	b.content_type = STR("application/json");
	char *large = arena_alloc(fx->arena, REQUEST_ADMIN_MAX_BYTES + 2);
	memset(large, ' ', REQUEST_ADMIN_MAX_BYTES + 1);
	assert_error(ask(&b, "POST", "/dashboard/api/apps", large), 413, "PAYLOAD_TOO_LARGE");
	browser_close(&b);
}

static void an_apps_own_api(void **state)
{
	struct browser b;
	struct fixture *fx = *state;
	browser_open(&b, fx);
	set_up(&b);
	const struct json *made =
		assert_status(ask(&b, "POST", "/dashboard/api/apps", "{\"name\":\"One\"}"), 201);
	const struct str client_id = json_string(json_get(made, "client_id"));
	const struct str path =
		str_format(fx->arena, "/dashboard/api/apps/" STR_FMT "/v1/posts/a%%2Fb?x=/v1/",
			   STR_ARG(client_id));
	assert_status(ask(&b, "GET", str_z(fx->arena, path), NULL), 200);
	assert_true(str_equal_z(b.app_path, "/v1/posts/a%2Fb"));
	assert_true(str_equal(b.app_id, json_string(json_get(made, "app_id"))));
	browser_close(&b);
}

static void only_own_apps_are_listed(void **state)
{
	struct browser b;
	struct fixture *fx = *state;
	browser_open(&b, fx);
	create_app(fx, true);
	set_up(&b);
	assert_int_equal(
		json_get(assert_status(ask(&b, "GET", "/dashboard/api/apps", NULL), 200), "data")
			->count,
		1); /* root sees those of others */
	become_owner(&b);
	assert_int_equal(
		json_get(assert_status(ask(&b, "GET", "/dashboard/api/apps", NULL), 200), "data")
			->count,
		0);
	assert_status(ask(&b, "POST", "/dashboard/api/apps", "{\"name\":\"One\"}"), 201);
	assert_int_equal(
		json_get(assert_status(ask(&b, "GET", "/dashboard/api/apps", NULL), 200), "data")
			->count,
		1);
	/* The control socket sees all. */
	assert_int_equal(
		json_get(assert_status(send(fx, "GET", "/admin/apps", NULL), 200), "data")->count,
		2);
	browser_close(&b);
}

static void pages_and_faults(void **state)
{
	struct browser b;
	struct fixture *fx = *state;
	browser_open(&b, fx);
	assert_error(ask(&b, "GET", "/dashboard/none.js", NULL), 404, "NOT_FOUND");
	assert_error(ask(&b, "GET", "/dashboard/api/none", NULL), 404, "NOT_FOUND");
	const struct http_response *wrong = ask(&b, "DELETE", "/dashboard/api/login", NULL);
	assert_error(wrong, 405, "METHOD_NOT_ALLOWED");
	assert_true(str_equal_z(*response_header(wrong, "Allow"), "POST"));
	assert_true(str_has_prefix(*response_header(wrong, "Content-Security-Policy"),
				   STR("default-src 'none'; ")));
	browser_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ADMIN_TEST(every_row_asks_for_what_it_says),
		ADMIN_TEST(whose_page_it_is),
		ADMIN_TEST(bodies),
		ADMIN_TEST(an_apps_own_api),
		ADMIN_TEST(only_own_apps_are_listed),
		ADMIN_TEST(pages_and_faults),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
