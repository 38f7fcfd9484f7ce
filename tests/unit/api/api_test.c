/* SPDX-License-Identifier: Apache-2.0
 * What holds for every row of routes.def, and the operator's pages. */
#include "count_of.h"

#include "api_fixture.h"

static const char *const prefixes[] = {"/v1", "/api/v1"};

/* "{platform}" becomes a platform, other captures become "none". */
static const char *target_of(struct fixture *fx, const char *prefix, const char *path)
{
	struct str rest = str_of(path), part;
	struct buf out;
	buf_init(&out, fx->arena, 1024);
	buf_add_z(&out, prefix);
	while (rest.ptr != NULL && str_take_field(&rest, '/', &part)) {
		if (part.len == 0)
			continue;
		buf_add_char(&out, '/');
		if (part.ptr[0] == '{')
			part = str_equal_z(part, "{platform}") ? STR("x") : STR("none");
		buf_add(&out, part);
	}
	return str_z(fx->arena, buf_str(&out));
}

static void every_route_answers_under_both_prefixes(void **state)
{
	struct fixture *fx = *state;
	size_t count = 0;
	const struct api_route *routes = api_routes(&count);
	assert_true(count >= 9);
	for (size_t i = 0; i < count; i++) {
		for (size_t p = 0; p < 2; p++) {
			const struct sent call = {
				.method = routes[i].method,
				.target = target_of(fx, prefixes[p], routes[i].path)};
			const struct http_response *response = answer(fx, &call);
			assert_int_not_equal(response->status, 405);
			const bool is_page = str_has_prefix(header_of(response, "Content-Type"),
							    STR("text/html"));
			if (response->status == 404 && is_page)
				assert_non_null(strstr(routes[i].path, "{code}"));
			else if (response->status == 404 &&
				 str_equal_z(json_string(json_get(body_of(response), "message")),
					     API_NO_SUCH_PATH))
				assert_non_null(strstr(routes[i].path, "{token}"));
			assert_true(header_of(response, "X-Request-Id").len > 0);
			assert_true(str_equal_z(header_of(response, "Cache-Control"), "no-store"));
			assert_true(str_equal_z(header_of(response, "X-Content-Type-Options"),
						"nosniff"));
		}
	}
}

static void bearer_routes_need_a_token_before_all_else(void **state)
{
	struct fixture *fx = *state;
	size_t count = 0;
	const struct api_route *routes = api_routes(&count);
	for (size_t i = 0; i < count; i++) {
		for (size_t p = 0; p < 2 && routes[i].who == WHO_BEARER; p++) {
			const struct sent call = {
				.method = routes[i].method,
				.target = target_of(fx, prefixes[p], routes[i].path),
				.authorization = NO_TOKEN,
				.type = "text/plain",
				.body = "{"};
			assert_error(answer(fx, &call), 401, "UNAUTHENTICATED");
		}
	}
}

static bool has_route(const char *method, const char *path)
{
	size_t count = 0;
	const struct api_route *routes = api_routes(&count);
	for (size_t i = 0; i < count; i++) {
		if (strcmp(routes[i].method, method) == 0 && strcmp(routes[i].path, path) == 0)
			return true;
	}
	return false;
}

/* GET /posts/publish is the page of a post called "publish". */
static bool is_also_an_id(const char *path)
{
	static const char *const paths[] = {"/posts/publish", "/posts/validate",
					    "/accounts/connect", "/media/uploads", "/media/links"};
	for (size_t i = 0; i < COUNT_OF(paths); i++) {
		if (strcmp(path, paths[i]) == 0)
			return true;
	}
	return false;
}

/* Clients of the tus protocol ask what there is (api_tus_options). */
static bool is_told_its_options(const char *path)
{
	const struct str text = str_of(path);
	return str_has_prefix(text, STR("/media/uploads")) ||
	       str_has_prefix(text, STR("/media/links/"));
}

static void other_methods_are_told_which_are_allowed(void **state)
{
	static const char *const methods[] = {"GET",    "POST",    "PUT", "PATCH",
					      "DELETE", "OPTIONS", "BREW"};
	struct fixture *fx = *state;
	size_t count = 0;
	const struct api_route *routes = api_routes(&count);
	for (size_t i = 0; i < count; i++) {
		for (size_t m = 0; m < COUNT_OF(methods); m++) {
			if (has_route(methods[m], routes[i].path) ||
			    is_also_an_id(routes[i].path) ||
			    (strcmp(methods[m], "OPTIONS") == 0 &&
			     is_told_its_options(routes[i].path)))
				continue;
			const struct sent call = {.method = methods[m],
						  .target = target_of(fx, "/v1", routes[i].path)};
			const struct http_response *response = answer(fx, &call);
			assert_error(response, 405, "METHOD_NOT_ALLOWED");
			assert_true(str_find(header_of(response, "Allow"), str_of(routes[i].method),
					     0) != SIZE_MAX);
		}
	}
}

static void unknown_paths_are_404_with_and_without_a_token(void **state)
{
	static const char *const paths[] = {"/v1",        "/v2/posts",       "/v1/nothing",
					    "/v1/posts/", "/v1/posts/a/b/c", "/V1/posts",
					    "/admin/apps"};
	struct fixture *fx = *state;
	for (size_t i = 0; i < COUNT_OF(paths); i++) {
		const struct http_response *with = get(fx, paths[i]);
		const struct http_response *without =
			answer(fx, &(struct sent){.method = "GET",
						  .target = paths[i],
						  .authorization = NO_TOKEN});
		assert_error(with, 404, "NOT_FOUND");
		assert_true(str_equal(buf_str(&with->body), buf_str(&without->body)));
	}
}

static void head_is_routed_as_get(void **state)
{
	struct fixture *fx = *state;
	const struct http_response *response =
		answer(fx, &(struct sent){.method = "HEAD", .target = "/v1/posts"});
	assert_status(response, 200);
	assert_true(str_equal_z(header_of(response, "Content-Type"), "application/json"));
}

static void a_callers_request_id_is_kept(void **state)
{
	struct fixture *fx = *state;
	struct sent call = {.method = "GET",
			    .target = "/v1/posts",
			    .more = {{STR("X-Request-Id"), STR("mine-1")}}};
	assert_true(str_equal_z(header_of(answer(fx, &call), "X-Request-Id"), "mine-1"));
	call.more[0].value = STR("not mine");
	assert_false(str_equal_z(header_of(answer(fx, &call), "X-Request-Id"), "not mine"));
}

static void every_fault_has_the_one_shape(void **state)
{
	static const struct {
		enum http_fault fault;
		int status;
	} rows[] = {
		{HTTP_FAULT_NOT_FOUND, 404},      {HTTP_FAULT_METHOD_NOT_ALLOWED, 405},
		{HTTP_FAULT_BODY_TOO_LARGE, 413}, {HTTP_FAULT_HEADERS_TOO_LARGE, 431},
		{HTTP_FAULT_MISDIRECTED, 421},    {HTTP_FAULT_BAD_REQUEST, 400},
		{HTTP_FAULT_INTERNAL, 500},       {HTTP_FAULT_UNAVAILABLE, 503},
	};
	struct fixture *fx = *state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct http_request request = {
			.arena = fx->arena, .target = STR("/v1/posts"), .method = STR("GET")};
		struct http_response response;
		http_request_prepare(&request, &fx->random);
		http_response_init(&response, fx->arena, 4096);
		http_router_fault(api_router(fx->api), rows[i].fault, STR("GET"), &request,
				  &response);
		const struct json *body = body_of(&response);
		assert_status(&response, rows[i].status);
		assert_string_equal(names_of(fx->arena, body), "message error");
		assert_int_equal(header_of(&response, "Retry-After").len > 0,
				 rows[i].status == 503);
	}
}

/* ---- the operator's pages ---- */

static bool not_ready(void *context, char *reason, size_t reason_size)
{
	snprintf(reason, reason_size, "%s", (const char *)context);
	return false;
}

static void a_closed_api_answers_nothing_but_503(void **state)
{
	struct fixture *fx = *state;
	api_set_open(fx->api, false);
	const struct http_response *response = get(fx, "/v1/posts");
	assert_error(response, 503, "UNAVAILABLE");
	assert_true(header_of(response, "Retry-After").len > 0);
	api_set_open(fx->api, true);
	assert_status(get(fx, "/v1/posts"), 200);
}

static void health_and_readiness(void **state)
{
	struct fixture *fx = *state;
	const struct sent health = {
		.method = "GET", .target = "/healthz", .authorization = NO_TOKEN};
	const struct sent ready = {.method = "GET", .target = "/readyz", .authorization = NO_TOKEN};
	assert_status(answer(fx, &health), 200);
	assert_text(body_of(answer(fx, &ready)), "status", "ready");
	fx->config.is_ready = not_ready;
	static char reason[] = "the disk is full";
	fx->config.is_ready_context = reason;
	fixture_restart_api(fx);
	assert_status(answer(fx, &health), 200);
	const struct http_response *response = answer(fx, &ready);
	const struct json *body = assert_error(response, 503, "UNAVAILABLE");
	assert_text(body, "message", "the disk is full");
	assert_true(header_of(response, "Retry-After").len > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		API_TEST(every_route_answers_under_both_prefixes),
		API_TEST(bearer_routes_need_a_token_before_all_else),
		API_TEST(other_methods_are_told_which_are_allowed),
		API_TEST(unknown_paths_are_404_with_and_without_a_token),
		API_TEST(head_is_routed_as_get),
		API_TEST(a_callers_request_id_is_kept),
		API_TEST(every_fault_has_the_one_shape),
		API_TEST(a_closed_api_answers_nothing_but_503),
		API_TEST(health_and_readiness),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
