/* SPDX-License-Identifier: Apache-2.0
 * Endpoints 2 to 4: the order of the checks of connect, the callback's pages, and the accounts
 * answer. */
#include "count_of.h"

#include "api_fixture.h"

#define CONNECT "/v1/oauth/x/connect"
#define GOOD "user_id=u&redirect_url=https%3A%2F%2Fcustomer.example%2Fback"

static const char *repeated(struct fixture *fx, const char *before, char c, size_t count,
			    const char *after)
{
	struct buf out;
	buf_init(&out, fx->arena, 1 << 20);
	buf_add_z(&out, before);
	for (size_t i = 0; i < count; i++)
		buf_add_char(&out, c);
	buf_add_z(&out, after);
	return str_z(fx->arena, buf_str(&out));
}

/* ---- connect ---- */

static void a_good_request_is_handed_on_whole(void **state)
{
	struct fixture *fx = *state;
	const struct http_response *response =
		get(fx, CONNECT "?" GOOD "&name=Ann+B&email=ann%40example.com");
	assert_status(response, 200);
	assert_string_equal(names_of(fx->arena, body_of(response)), "redirect_url connection_id");
	assert_text(body_of(response), "redirect_url", "https://platform.example/authorize");
	assert_text(body_of(response), "connection_id", "conn_1");
	const struct connect_request *seen = &fx->connector.request;
	assert_true(str_equal(seen->app->id, fx->app.id));
	assert_int_equal(seen->platform, PLATFORM_X);
	assert_true(str_equal_z(seen->user_id, "u"));
	assert_true(str_equal_z(seen->redirect_url, BACK));
	assert_true(str_equal_z(seen->name, "Ann B"));
	assert_true(str_equal_z(seen->email, "ann@example.com"));
	assert_status(get(fx, "/api/v1/oauth/twitter/connect?" GOOD), 200);
	assert_int_equal(fx->connector.request.platform, PLATFORM_X);
}

/* api-decisions.md 4: slug, presence, redirect_url, credential. Each row has what is behind its own
 * check wrong too. */
static void the_order_of_the_checks(void **state)
{
	static const struct {
		const char *target;
		int status;
		const char *code;
		const char *fields;
	} rows[] = {
		{"/v1/oauth/myspace/connect", 404, "PLATFORM_NOT_FOUND", ""},
		{"/v1/oauth/X/connect", 404, "PLATFORM_NOT_FOUND", ""},
		{"/v1/oauth/myspace/connect?user_id=%ff", 404, "PLATFORM_NOT_FOUND", ""},
		{CONNECT, 400, "MISSING_PARAMETERS", "user_id redirect_url"},
		{CONNECT "?user_id=&redirect_url=", 400, "MISSING_PARAMETERS",
		 "user_id redirect_url"},
		{CONNECT "?redirect_url=nonsense", 400, "MISSING_PARAMETERS", "user_id"},
		{CONNECT "?user_id=u", 400, "MISSING_PARAMETERS", "redirect_url"},
		{CONNECT "?user_id[]=u&redirect_url=nonsense", 400, "MISSING_PARAMETERS",
		 "user_id user_id[]"},
		{CONNECT "?user_id=u&redirect_url=nonsense", 422, "VALIDATION_ERROR",
		 "redirect_url"},
		{CONNECT "?" GOOD, 400, "CREDENTIALS_NOT_FOUND", ""},
	};
	struct fixture *fx = *state;
	fx->connector.kind = ERR_NOT_FOUND;
	fx->connector.text = "The app has no credentials for X.";
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_fields(get(fx, rows[i].target), rows[i].status, rows[i].code,
			      rows[i].fields);
	assert_int_equal(fx->connector.calls, 1);
	const struct sent nobody = {
		.method = "GET", .target = "/v1/oauth/myspace/connect", .authorization = NO_TOKEN};
	assert_error(answer(fx, &nobody), 401, "UNAUTHENTICATED");
}

static void user_id_has_1_to_255_bytes(void **state)
{
	struct fixture *fx = *state;
	const char *rest = "&redirect_url=https%3A%2F%2Fcustomer.example%2Fback";
	assert_status(get(fx, repeated(fx, CONNECT "?user_id=", 'u', 255, rest)), 200);
	assert_fields(get(fx, repeated(fx, CONNECT "?user_id=", 'u', 256, rest)), 400,
		      "MISSING_PARAMETERS", "user_id");
}

/* What no check of contract.md names, but what must not be guessed at or stored without bounds. */
static void doubtful_parameters_are_refused(void **state)
{
	struct fixture *fx = *state;
	const struct {
		const char *target;
		const char *fields;
	} rows[] = {
		{CONNECT "?" GOOD "&user_id=v", "user_id"},
		{CONNECT "?" GOOD "&redirect_url=https%3A%2F%2Fevil.example", "redirect_url"},
		{CONNECT "?" GOOD "&name=a&name=b", "name"},
		{CONNECT "?" GOOD "&email=a&email=b", "email"},
		{CONNECT "?" GOOD "&name=%ff", "query"},
		{CONNECT "?" GOOD "&name=%zz", "query"},
		{CONNECT "?" GOOD "&name=a%0ab", "name"},
		{CONNECT "?user_id=a%00b&redirect_url=https%3A%2F%2Fcustomer.example", "user_id"},
		{repeated(fx, CONNECT "?" GOOD "&name=", 'n', 256, ""), "name"},
		{repeated(fx, CONNECT "?" GOOD "&email=", 'e', 321, ""), "email"},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_fields(get(fx, rows[i].target), 422, "VALIDATION_ERROR", rows[i].fields);
	assert_int_equal(fx->connector.calls, 0);
	assert_status(get(fx, repeated(fx, CONNECT "?" GOOD "&name=", 'n', 255, "")), 200);
	assert_status(get(fx, repeated(fx, CONNECT "?" GOOD "&email=", 'e', 320, "")), 200);
}

static struct http_response *connect_with(struct fixture *fx, const char *redirect_url)
{
	struct buf out;
	buf_init(&out, fx->arena, 1 << 16);
	form_add(&out, "user_id", STR("u"));
	form_add(&out, "redirect_url", str_of(redirect_url));
	return get(fx, str_z(fx->arena, str_concat(fx->arena, STR(CONNECT "?"), buf_str(&out))));
}

static void redirect_urls_by_themselves(void **state)
{
	struct fixture *fx = *state;
	const char *const refused[] = {
		"customer.example/back",
		"/back",
		"//customer.example/back",
		"ftp://customer.example",
		"javascript:alert(1)",
		"http:customer.example",
		"https://",
		"https:///back",
		"https://customer.example\\@evil.example",
		"https://customer.example/\tback",
		"https://customer.example/\nback",
		"https://customer.example/ back",
		"https://user@customer.example/",
		"https://user:pw@customer.example/",
		"https://@customer.example/",
		"https://customer.example/#top",
		"https://customer.example/#",
		"https://b\xc3\xbc"
		"cher.example/",
		"https://customer.example:0/",
		"https://customer.example:99999/",
		"https://0x7f.1/",
		"https://[::1/",
		" https://customer.example/",
		repeated(fx, "https://customer.example/", 'x', 2048 - 24, ""),
	};
	const char *const good[] = {
		"http://customer.example",
		"HTTPS://Customer.Example/Back?a=1&b=%23",
		"http://127.0.0.1:3000/back",
		"http://localhost:3000",
		"http://[::1]:3000/back",
		"https://xn--bcher-kva.example/",
		repeated(fx, "https://customer.example/", 'x', 2048 - 25, ""),
	};
	for (size_t i = 0; i < COUNT_OF(refused); i++)
		assert_fields(connect_with(fx, refused[i]), 422, "VALIDATION_ERROR",
			      "redirect_url");
	for (size_t i = 0; i < COUNT_OF(good); i++)
		assert_status(connect_with(fx, good[i]), 200);
}

static void redirect_urls_on_the_apps_list(void **state)
{
	static const struct {
		const char *list;
		const char *url;
		int status;
	} rows[] = {
		{"", "https://any.example/", 200},
		{"[]", "https://any.example/", 200},
		{"[\"https://a.example/back\"]", "https://a.example/back", 200},
		{"[\"https://a.example/back\"]", "https://a.example/back?x=1", 422},
		{"[\"https://a.example/back\"]", "https://a.example/back/", 422},
		{"[\"https://a.example\"]", "https://a.example/anything?x=1", 200},
		{"[\"https://a.example\"]", "https://A.example:443/anything", 200},
		{"[\"https://A.example:443\"]", "https://a.example/anything", 200},
		{"[\"https://a.example\"]", "http://a.example/", 422},
		{"[\"https://a.example\"]", "https://a.example:8443/", 422},
		{"[\"https://a.example\"]", "https://a.example.evil.example/", 422},
		{"[\"https://a.example\"]", "https://evil.example/?https://a.example", 422},
		{"[\"https://a.example\",\"http://b.example:81\"]", "http://b.example:81/x", 200},
		{"[7]", "https://a.example/", 422},
		{"{\"a\":1}", "https://a.example/", 422},
		/* a list that cannot be read allows nothing */
		{"not json", "https://a.example/", 422},
	};
	struct fixture *fx = *state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct error err = {0};
		struct app_row app = fx->app;
		app.redirect_urls = str_of(rows[i].list);
		ok(store_app_set_settings(fx->store, &app, &err), &err);
		const struct http_response *response = connect_with(fx, rows[i].url);
		if (response->status != rows[i].status)
			fail_msg("%d for %s on %s", response->status, rows[i].url, rows[i].list);
	}
}

static void what_the_connector_says(void **state)
{
	static const struct {
		enum err_kind kind;
		int status;
		const char *code;
	} rows[] = {
		{ERR_NOT_FOUND, 400, "CREDENTIALS_NOT_FOUND"},
		{ERR_FORBIDDEN, 400, "CREDENTIALS_NOT_FOUND"},
		{ERR_INTERNAL, 500, "REDIRECT_URL_ERROR"},
		{ERR_CONFLICT, 500, "REDIRECT_URL_ERROR"},
		{ERR_TEMPORARY, 503, "UNAVAILABLE"},
	};
	struct fixture *fx = *state;
	fx->connector.text = "secret words";
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		fx->connector.kind = rows[i].kind;
		const struct http_response *response = get(fx, CONNECT "?" GOOD);
		assert_error(response, rows[i].status, rows[i].code);
		bool is_told =
			str_find(buf_str(&response->body), STR("secret words"), 0) != SIZE_MAX;
		assert_int_equal(is_told, rows[i].status == 400);
	}
}

static void the_json_form_makes_the_same_checks(void **state)
{
	static const struct {
		const char *body;
		int status;
		const char *code;
		const char *fields;
	} rows[] = {
		{"{}", 400, "MISSING_PARAMETERS", "platform user_id redirect_url"},
		{"{\"platform\":null,\"user_id\":null,\"redirect_url\":null}", 400,
		 "MISSING_PARAMETERS", "platform user_id redirect_url"},
		{"{\"platform\":\"\",\"user_id\":\"u\",\"redirect_url\":\"https://a.example\"}",
		 400, "MISSING_PARAMETERS", "platform"},
		{"{\"platform\":\"myspace\"}", 404, "PLATFORM_NOT_FOUND", ""},
		{"{\"platform\":3,\"user_id\":4,\"redirect_url\":[],\"name\":{},\"email\":true}",
		 422, "VALIDATION_ERROR", "platform user_id redirect_url name email"},
		{"{\"platform\":\"x\",\"user_id\":\"u\",\"redirect_url\":\"/back\"}", 422,
		 "VALIDATION_ERROR", "redirect_url"},
		{"{\"platform\":\"x\",\"user_id\":\"u\",\"redirect_url\":\"https://"
		 "a.example\",\"name\":\"a\\nb\"}",
		 422, "VALIDATION_ERROR", "name"},
	};
	struct fixture *fx = *state;
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_fields(post_json(fx, "/v1/accounts/connect", rows[i].body), rows[i].status,
			      rows[i].code, rows[i].fields);
	const struct http_response *response =
		post_json(fx, "/v1/accounts/connect",
			  "{\"platform\":\"youtube\",\"user_id\":\"u\",\"redirect_url\":\"https://"
			  "a.example\",\"name\":null}");
	assert_status(response, 200);
	assert_string_equal(names_of(fx->arena, body_of(response)), "redirect_url connection_id");
	assert_int_equal(fx->connector.request.platform, PLATFORM_YOUTUBE);
}

/* ---- the callback ---- */

static struct http_response *callback(struct fixture *fx, const char *method, const char *target,
				      struct http_header header)
{
	return answer(fx, &(struct sent){.method = method,
					 .target = target,
					 .authorization = NO_TOKEN,
					 .more = {header}});
}

static void a_known_outcome_redirects(void **state)
{
	struct fixture *fx = *state;
	fx->connector.back = (struct connect_return){CONNECT_RETURN_REDIRECT,
						     STR(BACK "?status=success"), STR("conn_1")};
	const struct http_response *response =
		callback(fx, "GET", "/v1/oauth/x/callback?state=s&code=c", (struct http_header){0});
	assert_status(response, 302);
	assert_true(str_equal_z(header_of(response, "Location"), BACK "?status=success"));
	assert_true(str_equal_z(header_of(response, "Referrer-Policy"), "no-referrer"));
	assert_true(str_equal_z(fx->connector.state, "s"));
}

/* A Location holds ASCII only (RFC 9110 10.2.2); a customer's path may be written in its own
 * letters. */
static void a_location_is_percent_encoded(void **state)
{
	struct fixture *fx = *state;
	fx->connector.back = (struct connect_return){CONNECT_RETURN_REDIRECT,
						     STR("https://a.example/zur\xc3\xbc"
							 "ck?a=%20"),
						     STR("conn_1")};
	const struct http_response *response =
		callback(fx, "GET", "/v1/oauth/x/callback?state=s", (struct http_header){0});
	assert_true(str_equal_z(header_of(response, "Location"),
				"https://a.example/zur%C3%BCck?a=%20"));
}

static void an_unusable_state_is_a_page(void **state)
{
	struct fixture *fx = *state;
	const struct http_response *response =
		callback(fx, "GET", "/v1/oauth/x/callback?state=used", (struct http_header){0});
	assert_status(response, 400);
	assert_true(str_has_prefix(header_of(response, "Content-Type"), STR("text/html")));
	assert_int_equal(header_of(response, "Location").len, 0);
	assert_true(header_of(response, "Content-Security-Policy").len > 0);
	assert_error(callback(fx, "GET", "/v1/oauth/myspace/callback", (struct http_header){0}),
		     404, "PLATFORM_NOT_FOUND");
	assert_status(
		callback(fx, "GET", "/v1/oauth/x/callback?state=%ff", (struct http_header){0}),
		400);
	assert_int_equal(fx->connector.calls, 1);
}

/* api-decisions.md 5: a slow platform never holds up other requests. The page asks again, and then
 * nobody waits at all. */
static void a_slow_platform_gets_a_page_that_asks_again(void **state)
{
	struct fixture *fx = *state;
	fx->connector.back = (struct connect_return){.kind = CONNECT_RETURN_PENDING,
						     .connection_id = STR("conn_9"),
						     .browser_token = STR("pcr_secret")};
	const struct http_response *response =
		callback(fx, "GET", "/v1/oauth/x/callback?state=s", (struct http_header){0});
	assert_status(response, 200);
	assert_true(str_equal_z(header_of(response, "Set-Cookie"),
				"posthorn_conn_9=pcr_secret; Path=/v1/oauth/x/callback; HttpOnly; "
				"SameSite=Lax; Max-Age=900"));
	struct str refresh = header_of(response, "Refresh");
	assert_true(str_has_suffix(refresh, STR("; url=/v1/oauth/x/callback?wait=conn_9")));
	assert_true(fx->connector.wait_ms > 0 && fx->connector.wait_ms <= 2000);
	const struct http_header cookie = {STR("Cookie"), STR("a=b; posthorn_conn_9=pcr_secret")};
	assert_status(callback(fx, "GET", "/v1/oauth/x/callback?wait=conn_9", cookie), 200);
	assert_true(str_equal_z(fx->connector.awaited, "conn_9"));
	assert_true(str_equal_z(fx->connector.browser_token, "pcr_secret"));
	assert_int_equal(fx->connector.wait_ms, 0);
	callback(fx, "GET", "/v1/oauth/x/callback?wait=conn_8", cookie);
	assert_true(str_is_empty(fx->connector.browser_token));
	fx->connector.back.is_https = true;
	response = callback(fx, "GET", "/v1/oauth/x/callback?state=s", (struct http_header){0});
	assert_true(str_has_suffix(header_of(response, "Set-Cookie"), STR("; Secure")));
}

static void only_so_many_wait_at_once(void **state)
{
	struct fixture *fx = *state;
	fx->api->callbacks_waiting = 1000;
	callback(fx, "GET", "/v1/oauth/x/callback?state=s", (struct http_header){0});
	assert_int_equal(fx->connector.wait_ms, 0);
	assert_int_equal(fx->api->callbacks_waiting, 1000);
}

static void a_look_does_not_use_the_state_up(void **state)
{
	static const struct {
		const char *method;
		struct http_header header;
	} rows[] = {
		{"HEAD", {{0}, {0}}},
		{"GET", {{"Sec-Purpose", 11}, {"prefetch;prerender", 18}}},
		{"GET", {{"Purpose", 7}, {"Prefetch", 8}}},
		{"GET", {{"X-Moz", 5}, {"prefetch", 8}}},
	};
	struct fixture *fx = *state;
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		assert_status(callback(fx, rows[i].method, "/v1/oauth/x/callback?state=s",
				       rows[i].header),
			      200);
	assert_int_equal(fx->connector.calls, 0);
}

/* ---- accounts ---- */

static struct http_response *accounts_of(struct fixture *fx, struct str id)
{
	return get(fx,
		   str_z(fx->arena, str_format(fx->arena, "/v1/connections/" STR_FMT "/accounts",
					       STR_ARG(id))));
}

static void a_pending_connection_has_no_accounts(void **state)
{
	struct fixture *fx = *state;
	struct connection_row connection = make_connection(fx, &fx->app, PLATFORM_X);
	const struct http_response *response = accounts_of(fx, connection.id);
	assert_status(response, 200);
	assert_string_equal(names_of(fx->arena, body_of(response)),
			    "connection_id status accounts");
	assert_text(body_of(response), "status", "pending");
	assert_int_equal(at(body_of(response), "accounts")->count, 0);
	fx->now_us += 15 * US_PER_MINUTE + 1;
	response = accounts_of(fx, connection.id);
	assert_text(body_of(response), "status", "failed");
	assert_text(body_of(response), "error", "expired");
}

static void a_connection_that_succeeded(void **state)
{
	struct fixture *fx = *state;
	struct account_row account = make_account(fx, &fx->app, PLATFORM_LINKEDIN);
	const struct http_response *response = accounts_of(fx, account.connection_id);
	assert_status(response, 200);
	const struct json *body = body_of(response);
	assert_text(body, "status", "success");
	assert_string_equal(names_of(fx->arena, at(body, "accounts.0")),
			    "id app_user_id platform_id platform platform_account_id username name "
			    "email avatar_url account_type status");
	assert_text(body, "accounts.0.app_user_id", "user-1");
	assert_int_equal(json_int(at(body, "accounts.0.platform_id"), 0), 4);
	assert_true(json_is(at(body, "accounts.0.email"), JSON_TYPE_NULL));
	assert_true(json_is(at(body, "accounts.0.avatar_url"), JSON_TYPE_NULL));
	assert_text(body, "accounts.0.account_type", "personal");
	assert_text(body, "accounts.0.status", "active");
	assert_true(str_find(buf_str(&response->body), STR("sealed"), 0) == SIZE_MAX);
}

static void a_connection_that_failed(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	struct connection_row connection = make_connection(fx, &fx->app, PLATFORM_X);
	struct fixture_change change = {
		.id = connection.id, .error = STR("access_denied"), .now_us = fx->now_us};
	ok(store_write(fx->store, fixture_fail, &change, &err), &err);
	const struct json *body = body_of(accounts_of(fx, connection.id));
	assert_text(body, "status", "failed");
	assert_text(body, "error", "access_denied");
	assert_text(body, "error_description", "It was refused.");
	assert_int_equal(json_get(body, "accounts")->count, 0);
}

static void foreign_unknown_and_old_connections_answer_alike(void **state)
{
	struct fixture *fx = *state;
	struct app_row other;
	make_app(fx, "other@example.com", &other);
	struct connection_row foreign = make_connection(fx, &other, PLATFORM_X);
	struct connection_row own = make_connection(fx, &fx->app, PLATFORM_X);
	const struct http_response *a = accounts_of(fx, foreign.id);
	const struct http_response *b = accounts_of(fx, STR("conn_none"));
	assert_error(a, 404, "CONNECTION_NOT_FOUND");
	assert_true(str_equal(buf_str(&a->body), buf_str(&b->body)));
	fx->now_us += 23 * US_PER_HOUR;
	assert_status(accounts_of(fx, own.id), 200);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_TEST(a_good_request_is_handed_on_whole),
		API_TEST(the_order_of_the_checks),
		API_TEST(user_id_has_1_to_255_bytes),
		API_TEST(doubtful_parameters_are_refused),
		API_TEST(redirect_urls_by_themselves),
		API_TEST(redirect_urls_on_the_apps_list),
		API_TEST(what_the_connector_says),
		API_TEST(the_json_form_makes_the_same_checks),
		API_TEST(a_known_outcome_redirects),
		API_TEST(a_location_is_percent_encoded),
		API_TEST(an_unusable_state_is_a_page),
		API_TEST(a_slow_platform_gets_a_page_that_asks_again),
		API_TEST(only_so_many_wait_at_once),
		API_TEST(a_look_does_not_use_the_state_up),
		API_TEST(a_pending_connection_has_no_accounts),
		API_TEST(a_connection_that_succeeded),
		API_TEST(a_connection_that_failed),
		API_TEST(foreign_unknown_and_old_connections_answer_alike),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
