/* SPDX-License-Identifier: Apache-2.0
 * Who is calling. */
#include "count_of.h"

#include "api_fixture.h"

static void assert_unauthenticated(const struct http_response *response)
{
	const struct json *body = assert_error(response, 401, "UNAUTHENTICATED");
	assert_int_equal(body->count, 2);
	assert_true(str_has_prefix(header_of(response, "WWW-Authenticate"), STR("Bearer")));
}

/* A token that is sent and not valid is told from none (RFC 6750, 3.1). */
static void no_token_and_a_bad_one_are_told_apart(void **state)
{
	static const struct {
		const char *authorization;
		const char *header;
		const char *says;
	} rows[] = {
		{NO_TOKEN, "Bearer", "No access token was sent."},
		{"Basic YTpi", "Bearer", "No access token was sent."},
		{"Bearer pht_x", "Bearer error=\"invalid_token\"",
		 "This access token is not valid"},
	};
	struct fixture *fx = *state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct http_response *response =
			answer(fx, &(struct sent){.method = "GET",
						  .target = "/v1/posts",
						  .authorization = rows[i].authorization});
		const struct json *body = assert_error(response, 401, "UNAUTHENTICATED");
		assert_true(str_equal_z(header_of(response, "WWW-Authenticate"), rows[i].header));
		assert_true(str_has_prefix(json_string(json_get(body, "message")),
					   str_of(rows[i].says)));
	}
}

static void what_is_no_token_of_ours_is_refused(void **state)
{
	static const char *const values[] = {
		NO_TOKEN,     "Bearer",
		"Bearer ",    "Bearer  ",
		" ",          "Bearer pht_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		"Basic YTpi", "Token x",
		"Bearer\tx",  "Bearer a b",
		"Bearerx",    "bearer",
		"\xff\xfe",   "Bearer \xff",
	};
	struct fixture *fx = *state;
	for (size_t i = 0; i < COUNT_OF(values); i++)
		assert_unauthenticated(answer(fx, &(struct sent){.method = "GET",
								 .target = "/v1/posts",
								 .authorization = values[i]}));
}

static void the_scheme_may_be_in_any_case_the_token_not(void **state)
{
	struct fixture *fx = *state;
	struct str token = str_slice(str_of(fx->bearer), 7, SIZE_MAX);
	const char *lower = str_z(fx->arena, str_concat(fx->arena, STR("bEARER "), token));
	const char *changed = str_z(fx->arena, str_lower(fx->arena, str_of(fx->bearer)));
	assert_status(answer(fx, &(struct sent){.method = "GET",
						.target = "/v1/posts",
						.authorization = lower}),
		      200);
	assert_unauthenticated(answer(
		fx,
		&(struct sent){.method = "GET", .target = "/v1/posts", .authorization = changed}));
}

static void two_headers_are_refused_though_both_are_right(void **state)
{
	struct fixture *fx = *state;
	const struct sent call = {.method = "GET",
				  .target = "/v1/posts",
				  .more = {{STR("AUTHORIZATION"), str_of(fx->bearer)}}};
	assert_unauthenticated(answer(fx, &call));
}

static void a_token_elsewhere_is_not_read(void **state)
{
	struct fixture *fx = *state;
	struct str token = str_slice(str_of(fx->bearer), 7, SIZE_MAX);
	struct str target =
		str_format(fx->arena, "/v1/posts?access_token=" STR_FMT, STR_ARG(token));
	struct str form = str_format(fx->arena, "access_token=" STR_FMT, STR_ARG(token));
	struct str json =
		str_format(fx->arena, "{\"access_token\":\"" STR_FMT "\"}", STR_ARG(token));
	const struct sent calls[] = {
		{.method = "GET", .target = str_z(fx->arena, target), .authorization = NO_TOKEN},
		{.method = "POST",
		 .target = "/v1/posts/publish",
		 .authorization = NO_TOKEN,
		 .type = "application/x-www-form-urlencoded",
		 .body = str_z(fx->arena, form)},
		{.method = "POST",
		 .target = "/v1/posts/publish",
		 .authorization = NO_TOKEN,
		 .type = "application/json",
		 .body = str_z(fx->arena, json)},
		{.method = "GET",
		 .target = "/v1/posts",
		 .authorization = NO_TOKEN,
		 .more = {{STR("Cookie"), form}, {STR("X-Access-Token"), token}}},
	};
	for (size_t i = 0; i < COUNT_OF(calls); i++)
		assert_unauthenticated(answer(fx, &calls[i]));
}

static void a_token_ends_with_its_life(void **state)
{
	struct fixture *fx = *state;
	fx->now_us += US_PER_DAY - 1;
	assert_status(get(fx, "/v1/posts"), 200);
	fx->now_us += 1;
	assert_unauthenticated(get(fx, "/v1/posts"));
}

static void a_suspended_app_is_told_so_everywhere(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	ok(store_app_set_state(fx->store, fx->app.id, APP_SUSPENDED, &err), &err);
	assert_error(get(fx, "/v1/posts"), 403, "app_not_active");
	assert_error(get(fx, "/v1/platforms"), 403, "app_not_active");
	assert_error(post_json(fx, "/v1/posts/publish", "{"), 403, "app_not_active");
}

static void every_authenticated_answer_tells_the_rate(void **state)
{
	struct fixture *fx = *state;
	fx->config.rate_limit_per_minute = 2;
	fixture_restart_api(fx);
	const struct http_response *first = get(fx, "/v1/posts/none");
	assert_error(first, 404, "NOT_FOUND");
	assert_true(str_equal_z(header_of(first, "X-RateLimit-Limit"), "2"));
	assert_true(str_equal_z(header_of(first, "X-RateLimit-Remaining"), "1"));
	assert_true(str_equal_z(header_of(first, "X-RateLimit-Reset"), "1800000060"));
	assert_status(get(fx, "/v1/posts"), 200);
	const struct http_response *third = get(fx, "/v1/posts");
	assert_error(third, 429, "RATE_LIMITED");
	assert_true(str_equal_z(header_of(third, "Retry-After"), "60"));
	assert_true(str_equal_z(header_of(third, "X-RateLimit-Remaining"), "0"));
	struct app_row other;
	const char *bearer = make_app(fx, "other@example.com", &other);
	assert_status(answer(fx, &(struct sent){.method = "GET",
						.target = "/v1/posts",
						.authorization = bearer}),
		      200);
	assert_unauthenticated(answer(
		fx,
		&(struct sent){.method = "GET", .target = "/v1/posts", .authorization = NO_TOKEN}));
}

/* ---- keys ---- */

struct key {
	struct key_row row;
	const char *bearer;
};

static struct key make_key(struct fixture *fx, unsigned scopes)
{
	const struct str token = token_new(fx->arena, &fx->random, TOKEN_KEY);
	const struct digest digest = digest_token(token);
	const struct uuid id = uuid_v7(fx->now_us, &fx->random);
	struct error err = {0};
	const struct key key = {
		.row = {.id = uuid_str(fx->arena, id),
			.app_id = fx->app.id,
			.name = STR("agent"),
			.token_hash = digest_hex(fx->arena, &digest),
			.scopes = scopes,
			.created_at_us = fx->now_us,
			.expires_at_us = fx->now_us + US_PER_DAY},
		.bearer = str_z(fx->arena, str_concat(fx->arena, STR("Bearer "), token))};
	ok(store_key_create(fx->store, &key.row, &err), &err);
	return key;
}

static const struct http_response *call_with(struct fixture *fx, const struct key *key,
					     const char *method, const char *target)
{
	return answer(fx, &(struct sent){.method = method,
					 .target = target,
					 .authorization = key->bearer,
					 .type = "application/json",
					 .body = strcmp(method, "GET") == 0 ? NULL : "{}"});
}

static int64_t last_use(struct fixture *fx, const struct key *key)
{
	struct key_row row = {0};
	struct app_row app = {0};
	struct error err = {0};
	ok(store_key_find(fx->store, fx->arena, key->row.token_hash, fx->now_us, &row, &app, &err),
	   &err);
	return row.last_used_at_us;
}

static void a_key_may_what_its_scopes_say(void **state)
{
	struct fixture *fx = *state;
	const struct key key = make_key(fx, SCOPES_READ | SCOPES_MEDIA);
	assert_status(call_with(fx, &key, "GET", "/v1/posts"), 200);
	assert_status(call_with(fx, &key, "GET", "/v1/platforms"), 200);
	const struct http_response *refused = call_with(fx, &key, "POST", "/v1/posts/publish");
	const struct json *body = assert_error(refused, 403, "INSUFFICIENT_SCOPE");
	assert_true(str_equal_z(json_string(json_get(json_get(body, "details"), "required")),
				"publish"));
	assert_true(str_equal_z(json_string(json_get(body, "message")),
				"This key lacks the scope publish, which this call needs. It has: "
				"read, media."));
	assert_true(str_equal_z(header_of(refused, "WWW-Authenticate"),
				"Bearer error=\"insufficient_scope\", scope=\"publish\""));
}

static void a_key_ends_with_its_life_or_before(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct key key = make_key(fx, SCOPES_READ);
	const struct key revoked = make_key(fx, SCOPES_READ);
	ok(store_key_revoke(fx->store, fx->app.id, revoked.row.id, &err), &err);
	assert_unauthenticated(call_with(fx, &revoked, "GET", "/v1/posts"));
	fx->now_us += US_PER_DAY - 1;
	assert_status(call_with(fx, &key, "GET", "/v1/posts"), 200);
	fx->now_us += 1;
	assert_unauthenticated(call_with(fx, &key, "GET", "/v1/posts"));
}

static void a_use_is_noted_once_a_minute(void **state)
{
	struct fixture *fx = *state;
	const struct key key = make_key(fx, SCOPES_READ);
	const int64_t begin_us = fx->now_us;
	assert_int_equal(last_use(fx, &key), 0);
	call_with(fx, &key, "GET", "/v1/posts");
	assert_int_equal(last_use(fx, &key), begin_us);
	fx->now_us = begin_us + KEY_USE_WRITTEN_EVERY_S * US_PER_S - 1;
	call_with(fx, &key, "GET", "/v1/posts");
	assert_int_equal(last_use(fx, &key), begin_us);
	fx->now_us += 1;
	call_with(fx, &key, "POST",
		  "/v1/posts/publish"); /* refused for its scope: used all the same */
	assert_int_equal(last_use(fx, &key), fx->now_us);
}

/* More keys than there are places to note them, all within one second. */
static void every_key_has_its_use_noted(void **state)
{
	struct fixture *fx = *state;
	struct key keys[KEYS_PER_APP_MAX];
	assert_true(COUNT_OF(keys) > KEY_NOTE_SLOTS);
	for (size_t i = 0; i < COUNT_OF(keys); i++)
		keys[i] = make_key(fx, SCOPES_READ);
	for (size_t i = 0; i < COUNT_OF(keys); i++)
		call_with(fx, &keys[i], "GET", "/v1/platforms");
	for (size_t i = 0; i < COUNT_OF(keys); i++)
		assert_int_equal(last_use(fx, &keys[i]), fx->now_us);
}

/* The headers alone decide, so that it can be asked before there is a body. */
static void who_calls_is_found_by_headers_alone(void **state)
{
	struct fixture *fx = *state;
	const struct key key = make_key(fx, SCOPES_PEOPLE);
	struct http_request request = {.arena = fx->arena, .header_count = 1};
	struct api_caller caller = {0};
	struct error err = {0};
	request.headers[0] = (struct http_header){STR("authorization"), str_of(key.bearer)};
	ok(bearer_find(fx->api, &request, &caller, &err), &err);
	assert_true(str_equal(caller.app.id, fx->app.id) && str_equal(caller.key.id, key.row.id));
	assert_int_equal(caller.scopes, SCOPES_PEOPLE);
	request.headers[0].value = str_of(fx->bearer);
	ok(bearer_find(fx->api, &request, &caller, &err), &err);
	assert_true(str_equal(caller.app.id, fx->app.id) && str_is_empty(caller.key.id));
	assert_int_equal(caller.scopes, SCOPES_ANY);
	request.headers[0].value = STR("Bearer phk_x");
	assert_int_equal(bearer_find(fx->api, &request, &caller, &err), ERR_NOT_FOUND);
	request.header_count = 0;
	assert_int_equal(bearer_find(fx->api, &request, &caller, &err), ERR_NOT_FOUND);
}

/* ---- with the headers ---- */

static enum http_admission admitted(struct fixture *fx, const char *bearer, const char *path,
				    bool may_wait, struct http_response **response_out)
{
	struct http_request *request = ARENA_NEW(fx->arena, struct http_request);
	enum http_fault fault;
	struct str allow;
	request->arena = fx->arena;
	request->method = STR("POST");
	request->target = str_of(path);
	if (bearer[0] != '\0')
		request->headers[request->header_count++] =
			(struct http_header){STR("Authorization"), str_of(bearer)};
	http_request_prepare(request, &fx->random);
	*response_out = ARENA_NEW(fx->arena, struct http_response);
	http_response_init(*response_out, fx->arena, 65536);
	request->route = http_router_match(api_router(fx->api), request, &fault, &allow);
	assert_non_null(request->route);
	return http_router_admit(api_router(fx->api), request, *response_out, may_wait);
}

/* Only a token that was good a moment ago is known without the database, and not for long. */
static void a_body_is_admitted_by_its_token(void **state)
{
	struct fixture *fx = *state;
	const char *const path = "/v1/posts/publish";
	const char *wrong = "Bearer pht_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
	struct http_response *response;
	assert_int_equal(admitted(fx, "", path, false, &response), HTTP_REFUSED);
	assert_unauthenticated(response);
	assert_false(str_is_empty(header_of(response, "X-Request-Id")));
	for (int i = 0; i < 2; i++) { /* a bad token is never known */
		assert_int_equal(admitted(fx, wrong, path, false, &response), HTTP_MUST_WAIT);
		assert_int_equal(admitted(fx, wrong, path, true, &response), HTTP_REFUSED);
		assert_unauthenticated(response);
	}
	assert_int_equal(admitted(fx, fx->bearer, path, false, &response), HTTP_MUST_WAIT);
	assert_int_equal(admitted(fx, fx->bearer, path, true, &response), HTTP_ADMITTED);
	assert_int_equal(admitted(fx, fx->bearer, path, false, &response), HTTP_ADMITTED);
	assert_int_equal(admitted(fx, wrong, path, false, &response), HTTP_MUST_WAIT);
	fx->boot_us += 11 * US_PER_S;
	assert_int_equal(admitted(fx, fx->bearer, path, false, &response), HTTP_MUST_WAIT);
	assert_int_equal(admitted(fx, "", "/v1/oauth/token", false, &response), HTTP_ADMITTED);
	api_set_open(fx->api, false);
	assert_int_equal(admitted(fx, fx->bearer, path, true, &response), HTTP_REFUSED);
	assert_error(response, 503, "UNAVAILABLE");
}

/* An app over its limit sends no body, and being refused does not count. */
static void who_is_over_the_limit_sends_no_body(void **state)
{
	struct fixture *fx = *state;
	struct http_response *response;
	const char *const path = "/v1/posts/publish";
	fx->config.rate_limit_per_minute = 2;
	fixture_restart_api(fx);
	assert_int_equal(admitted(fx, fx->bearer, path, true, &response), HTTP_ADMITTED);
	assert_true(str_is_empty(header_of(response, "X-RateLimit-Limit")));
	assert_status(get(fx, "/v1/posts"), 200);
	assert_int_equal(admitted(fx, fx->bearer, path, false, &response), HTTP_ADMITTED);
	assert_status(get(fx, "/v1/posts"), 200);
	assert_int_equal(admitted(fx, fx->bearer, path, false, &response), HTTP_REFUSED);
	assert_error(response, 429, "RATE_LIMITED");
	assert_false(str_is_empty(header_of(response, "Retry-After")));
	assert_true(str_equal(header_of(response, "X-RateLimit-Remaining"), STR("0")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_TEST(what_is_no_token_of_ours_is_refused),
		API_TEST(no_token_and_a_bad_one_are_told_apart),
		API_TEST(the_scheme_may_be_in_any_case_the_token_not),
		API_TEST(two_headers_are_refused_though_both_are_right),
		API_TEST(a_token_elsewhere_is_not_read),
		API_TEST(a_token_ends_with_its_life),
		API_TEST(a_suspended_app_is_told_so_everywhere),
		API_TEST(every_authenticated_answer_tells_the_rate),
		API_TEST(a_key_may_what_its_scopes_say),
		API_TEST(a_key_ends_with_its_life_or_before),
		API_TEST(a_use_is_noted_once_a_minute),
		API_TEST(every_key_has_its_use_noted),
		API_TEST(who_calls_is_found_by_headers_alone),
		API_TEST(a_body_is_admitted_by_its_token),
		API_TEST(who_is_over_the_limit_sends_no_body),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
