/* SPDX-License-Identifier: Apache-2.0
 * Matching and dispatch, without a listener. */
#include "http.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "arena.h"
#include "count_of.h"
#include "random.h"

struct seen {
	int handled;
	int before;
	int after;
	bool refuses; /* what before() answers */
	const void *context;
	struct str method;
};

static void handle(void *context, struct http_request *request, struct http_response *response)
{
	struct seen *seen = request->user;
	seen->handled++;
	seen->context = context;
	seen->method = request->method;
	buf_add_z(http_response_text(response, 200, "text/plain"), "ok");
}

static void handle_badly(void *context, struct http_request *request,
			 struct http_response *response)
{
	(void)context;
	(void)request;
	http_response_header(response, "X-Half", STR("done"));
}

static void handle_status_99(void *context, struct http_request *request,
			     struct http_response *response)
{
	(void)context;
	(void)request;
	response->status = 99;
}

static void handle_too_much(void *context, struct http_request *request,
			    struct http_response *response)
{
	struct buf *body = http_response_json(response, 200);
	(void)context;
	(void)request;
	for (int i = 0; i < 1000; i++)
		buf_add_z(body, "0123456789");
}

static void handle_many_headers(void *context, struct http_request *request,
				struct http_response *response)
{
	(void)context;
	(void)request;
	for (int i = 0; i < 100; i++)
		http_response_header(response, "X-Many", STR("1"));
	response->status = 204;
}

static void handle_drop(void *context, struct http_request *request, struct http_response *response)
{
	(void)context;
	(void)request;
	response->is_dropped = true;
}

static bool before(void *context, struct http_request *request, struct http_response *response)
{
	struct seen *seen = context;
	seen->before++;
	request->user = seen;
	if (seen->refuses)
		http_response_json(response, 401);
	return !seen->refuses;
}

static void after(void *context, const struct http_request *request, struct http_response *response)
{
	struct seen *seen = context;
	(void)request;
	seen->after++;
	http_response_header(response, "X-After", STR("yes"));
}

static void render_fault(void *context, enum http_fault fault, const struct http_request *request,
			 struct http_response *response)
{
	(void)context;
	(void)request;
	buf_addf(http_response_json(response,
				    fault == HTTP_FAULT_NOT_FOUND ? 404 : 405 + (int)fault),
		 "fault %d", (int)fault);
}

static const struct http_route routes[] = {
	{.method = "GET", .pattern = "/", .handler = handle},
	{.method = "GET", .pattern = "/{*rest}", .handler = handle},
	{.method = "GET", .pattern = "/v1/posts/{post_id}", .handler = handle},
	{.method = "DELETE", .pattern = "/v1/posts/{post_id}", .handler = handle},
	{.method = "POST", .pattern = "/v1/posts/validate", .handler = handle},
	{.method = "GET", .pattern = "/v1/posts", .handler = handle},
	{.method = "POST", .pattern = "/v1/posts", .handler = handle},
	{.method = "GET", .pattern = "/v1/posts/latest", .handler = handle},
	{.method = "GET", .pattern = "/v1/{kind}/latest", .handler = handle},
	{.method = "GET", .pattern = "/v1/posts/{id}/timeline", .handler = handle},
	{.method = "POST", .pattern = "/files/{*path}", .handler = handle},
	{.method = "*", .pattern = "/any/{name}", .handler = handle},
	{.method = "PUT", .pattern = "/any/{name}", .handler = handle},
	{.method = "POST", .pattern = "/a/{w}/b/{x}/c/{y}/d/{z}", .handler = handle},
	{.method = "POST", .pattern = "/bad", .handler = handle_badly},
	{.method = "POST", .pattern = "/status", .handler = handle_status_99},
	{.method = "POST", .pattern = "/much", .handler = handle_too_much},
	{.method = "POST", .pattern = "/headers", .handler = handle_many_headers},
	{.method = "POST", .pattern = "/drop", .handler = handle_drop},
};

struct fixture {
	struct arena *arena;
	struct http_router *router;
	struct seen seen;
};

static struct http_router *router_make(struct seen *seen)
{
	struct http_router *router = NULL;
	struct error err = {0};
	const struct http_router_config config = {.context = seen,
						  .before = before,
						  .after = after,
						  .render_fault = render_fault,
						  .response_max_bytes = 1000};
	assert_int_equal(http_router_new(&config, &router, &err), ERR_NONE);
	assert_int_equal(http_router_add(router, routes, COUNT_OF(routes), &err), ERR_NONE);
	return router;
}

static int setup(void **state)
{
	static struct fixture fixture;
	fixture = (struct fixture){.arena = arena_new("test", 1 << 20)};
	fixture.router = router_make(&fixture.seen);
	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;
	http_router_free(&fixture->router);
	assert_null(fixture->router);
	http_router_free(&fixture->router); /* NULL is fine */
	arena_free(&fixture->arena);
	return 0;
}

static struct http_request *request_make(struct fixture *fixture, const char *method,
					 struct str target)
{
	struct http_request *request = ARENA_NEW(fixture->arena, struct http_request);
	request->arena = fixture->arena;
	request->method = str_of(method);
	request->target = target;
	http_request_prepare(request, random_system());
	return request;
}

/* The captures as "name=value;name=value". */
static void captures_text(const struct http_request *request, char *out, size_t size_bytes)
{
	size_t len = 0;
	out[0] = '\0';
	for (size_t i = 0; i < request->capture_count; i++)
		len += (size_t)snprintf(out + len, size_bytes - len, "%s" STR_FMT "=" STR_FMT,
					i > 0 ? ";" : "", STR_ARG(request->captures[i].name),
					STR_ARG(request->captures[i].value));
}

static void paths_find_the_most_exact_route(void **state)
{
	static const struct {
		const char *method;
		const char *target;
		const char *pattern; /* NULL: a fault */
		const char *route_method;
		const char *captures;
		enum http_fault fault;
		const char *allow;
	} rows[] = {
		{"GET", "/v1/posts", "/v1/posts", "GET", "", 0, ""},
		{"POST", "/v1/posts?a=b", "/v1/posts", "POST", "", 0, ""},
		{"HEAD", "/v1/posts", "/v1/posts", "GET", "", 0, ""},
		{"GET", "/v1/posts/7", "/v1/posts/{post_id}", "GET", "post_id=7", 0, ""},
		{"DELETE", "/v1/posts/7", "/v1/posts/{post_id}", "DELETE", "post_id=7", 0, ""},
		/* a literal wins, to the left first */
		{"GET", "/v1/posts/latest", "/v1/posts/latest", "GET", "", 0, ""},
		{"GET", "/v1/accounts/latest", "/v1/{kind}/latest", "GET", "kind=accounts", 0, ""},
		{"POST", "/v1/posts/validate", "/v1/posts/validate", "POST", "", 0, ""},
		/* also where it does not take the method, and a capture would */
		{"GET", "/v1/posts/validate", NULL, NULL, "", HTTP_FAULT_METHOD_NOT_ALLOWED,
		 "POST"},
		{"DELETE", "/v1/posts/validate", NULL, NULL, "", HTTP_FAULT_METHOD_NOT_ALLOWED,
		 "POST"},
		{"GET", "/v1/posts/a/timeline", "/v1/posts/{id}/timeline", "GET", "id=a", 0, ""},
		{"PUT", "/any/x", "/any/{name}", "PUT", "name=x", 0, ""},
		{"BREW", "/any/x", "/any/{name}", "*", "name=x", 0, ""},
		{"POST", "/a/1/b/2/c/3/d/4", "/a/{w}/b/{x}/c/{y}/d/{z}", "POST", "w=1;x=2;y=3;z=4",
		 0, ""},
		/* the rest */
		{"GET", "/", "/", "GET", "", 0, ""},
		{"GET", "/v2", "/{*rest}", "GET", "rest=v2", 0, ""},
		{"GET", "/v1/posts/", "/{*rest}", "GET", "rest=v1/posts/", 0, ""},
		{"GET", "//v1", "/{*rest}", "GET", "rest=/v1", 0, ""},
		{"POST", "/files/a/b%20c/d", "/files/{*path}", "POST", "path=a/b c/d", 0, ""},
		{"POST", "/files/", "/files/{*path}", "POST", "path=", 0, ""},
		{"GET", "/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18", "/{*rest}", "GET",
		 "rest=1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/18", 0, ""},
		/* decoding: once, segment by segment */
		{"GET", "/v1/posts/a%2Fb", "/v1/posts/{post_id}", "GET", "post_id=a/b", 0, ""},
		{"GET", "/v1/posts/a%252Fb", "/v1/posts/{post_id}", "GET", "post_id=a%2Fb", 0, ""},
		{"GET", "/v1/posts/a+b", "/v1/posts/{post_id}", "GET", "post_id=a+b", 0, ""},
		{"GET", "/v1/posts/%C3%A9", "/v1/posts/{post_id}", "GET", "post_id=\xC3\xA9", 0,
		 ""},
		{"GET", "/v1/%70osts", "/{*rest}", "GET", "rest=v1/posts", 0, ""},
		{"GET", "/%76%31/posts", "/{*rest}", "GET", "rest=v1/posts", 0, ""},
		{"GET", "/v1%2Fposts", "/{*rest}", "GET", "rest=v1/posts", 0, ""},
		{"GET", "/v1/posts/%3F", "/v1/posts/{post_id}", "GET", "post_id=?", 0, ""},
		{"GET", "http://host/v1/posts", "/v1/posts", "GET", "", 0, ""},
		/* faults */
		{"POST", "/v2", NULL, NULL, "", HTTP_FAULT_METHOD_NOT_ALLOWED, "GET"},
		{"PUT", "/v1/posts", NULL, NULL, "", HTTP_FAULT_METHOD_NOT_ALLOWED, "GET, POST"},
		{"PUT", "/v1/posts/7", NULL, NULL, "", HTTP_FAULT_METHOD_NOT_ALLOWED,
		 "DELETE, GET"},
		{"PUT", "/v1/posts/validate", NULL, NULL, "", HTTP_FAULT_METHOD_NOT_ALLOWED,
		 "POST"},
		{"get", "/v1/posts", NULL, NULL, "", HTTP_FAULT_METHOD_NOT_ALLOWED, "GET, POST"},
		{"OPTIONS", "*", NULL, NULL, "", HTTP_FAULT_NOT_FOUND, ""},
		{"GET", "", NULL, NULL, "", HTTP_FAULT_NOT_FOUND, ""},
		{"GET", "v1/posts", NULL, NULL, "", HTTP_FAULT_NOT_FOUND, ""},
		{"GET", "/v1/posts/%", NULL, NULL, "", HTTP_FAULT_NOT_FOUND, ""},
		{"GET", "/v1/posts/%4", NULL, NULL, "", HTTP_FAULT_NOT_FOUND, ""},
		{"GET", "/v1/posts/%zz", NULL, NULL, "", HTTP_FAULT_NOT_FOUND, ""},
		{"GET", "/v1/posts/a%00b", NULL, NULL, "", HTTP_FAULT_NOT_FOUND, ""},
		{"GET", "/v1/posts/a%0D%0Ab", NULL, NULL, "", HTTP_FAULT_NOT_FOUND, ""},
		{"GET", "/v1/posts/%FF", NULL, NULL, "", HTTP_FAULT_NOT_FOUND, ""},
		{"POST", "/files/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/%00", NULL, NULL, "",
		 HTTP_FAULT_NOT_FOUND, ""},
	};
	struct fixture *fixture = *state;
	int failed = 0;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		char captures[256];
		enum http_fault fault = HTTP_FAULT_INTERNAL;
		struct str allow = {0};
		struct http_request *request =
			request_make(fixture, rows[i].method, str_of(rows[i].target));
		const struct http_route *route =
			http_router_match(fixture->router, request, &fault, &allow);
		captures_text(request, captures, sizeof(captures));
		const bool is_right =
			rows[i].pattern == NULL
				? route == NULL && fault == rows[i].fault &&
					  str_equal_z(allow, rows[i].allow)
				: route != NULL && strcmp(route->pattern, rows[i].pattern) == 0 &&
					  strcmp(route->method, rows[i].route_method) == 0 &&
					  strcmp(captures, rows[i].captures) == 0;
		if (!is_right) {
			print_error("%s %s: %s %s, captures %s, fault %d, allow " STR_FMT "\n",
				    rows[i].method, rows[i].target,
				    route != NULL ? route->method : "-",
				    route != NULL ? route->pattern : "-", captures, (int)fault,
				    STR_ARG(allow));
			failed++;
		}
	}
	assert_int_equal(failed, 0);
}

/* The order in which routes are added means nothing. */
static void the_order_of_adding_does_not_matter(void **state)
{
	struct fixture *fixture = *state;
	static const char *const targets[] = {
		"/v1/posts/latest", "/v1/posts/7", "/v1/x/latest", "/v1", "/any/x", "/v1/posts"};
	struct http_router *backwards = NULL;
	const struct http_router_config config = {0};
	assert_int_equal(http_router_new(&config, &backwards, NULL), ERR_NONE);
	for (size_t i = COUNT_OF(routes); i > 0; i--)
		assert_int_equal(http_router_add(backwards, &routes[i - 1], 1, NULL), ERR_NONE);
	for (size_t i = 0; i < COUNT_OF(targets); i++) {
		enum http_fault fault;
		struct str allow;
		struct http_request *request = request_make(fixture, "GET", str_of(targets[i]));
		const struct http_route *a =
			http_router_match(fixture->router, request, &fault, &allow);
		const struct http_route *b = http_router_match(backwards, request, &fault, &allow);
		assert_non_null(a);
		assert_string_equal(a->pattern, b->pattern);
		assert_string_equal(a->method, b->method);
	}
	http_router_free(&backwards);
}

static void bad_patterns_are_refused(void **state)
{
	static const struct {
		const char *name;
		struct http_route route;
	} rows[] = {
		{"no slash", {.method = "GET", .pattern = "v1", .handler = handle}},
		{"empty", {.method = "GET", .pattern = "", .handler = handle}},
		{"empty segment", {.method = "GET", .pattern = "/a//b", .handler = handle}},
		{"no name", {.method = "GET", .pattern = "/a/{}", .handler = handle}},
		{"no name for the rest", {.method = "GET", .pattern = "/a/{*}", .handler = handle}},
		{"open brace", {.method = "GET", .pattern = "/a/{b", .handler = handle}},
		{"brace in the middle", {.method = "GET", .pattern = "/a/b{c}", .handler = handle}},
		{"text after the brace",
		 {.method = "GET", .pattern = "/a/{b}c", .handler = handle}},
		{"two braces", {.method = "GET", .pattern = "/a/{{b}}", .handler = handle}},
		{"rest not last", {.method = "GET", .pattern = "/{*a}/b", .handler = handle}},
		{"five captures",
		 {.method = "GET", .pattern = "/{a}/{b}/{c}/{d}/{e}", .handler = handle}},
		{"17 segments",
		 {.method = "GET",
		  .pattern = "/1/2/3/4/5/6/7/8/9/0/1/2/3/4/5/6/7",
		  .handler = handle}},
		{"no handler", {.method = "GET", .pattern = "/x"}},
		{"no method", {.pattern = "/x", .handler = handle}},
		{"there twice", {.method = "GET", .pattern = "/v1/posts", .handler = handle}},
		{"there twice, another name",
		 {.method = "GET", .pattern = "/v1/posts/{other}", .handler = handle}},
	};
	struct fixture *fixture = *state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct error err = {0};
		const enum err_kind kind =
			http_router_add(fixture->router, &rows[i].route, 1, &err);
		if (kind != ERR_INTERNAL)
			print_error("%s was taken\n", rows[i].name);
		assert_int_equal(kind, ERR_INTERNAL);
		assert_true(err.text[0] != '\0');
	}
}

static struct http_response dispatch(struct fixture *fixture, const char *method,
				     const char *target)
{
	struct http_response response;
	struct http_request *request = request_make(fixture, method, str_of(target));
	http_response_init(&response, fixture->arena,
			   http_router_response_max_bytes(fixture->router));
	http_router_dispatch(fixture->router, request, &response);
	return response;
}

static struct str header_of(const struct http_response *response, const char *name)
{
	for (size_t i = 0; i < response->header_count; i++) {
		if (str_equal_z(response->headers[i].name, name))
			return response->headers[i].value;
	}
	return (struct str){0};
}

static void dispatch_runs_before_handler_and_after(void **state)
{
	struct fixture *fixture = *state;
	const struct http_response response = dispatch(fixture, "HEAD", "/v1/posts");
	assert_int_equal(response.status, 200);
	assert_int_equal(fixture->seen.before, 1);
	assert_int_equal(fixture->seen.handled, 1);
	assert_int_equal(fixture->seen.after, 1);
	assert_ptr_equal(fixture->seen.context, &fixture->seen);
	assert_true(str_equal(fixture->seen.method, STR("HEAD")));
	assert_true(str_equal(header_of(&response, "X-After"), STR("yes")));
	assert_int_equal(header_of(&response, "X-Request-Id").len, 36);
}

static void a_route_can_have_its_own_context(void **state)
{
	struct fixture *fixture = *state;
	int own = 0;
	const struct http_route route = {
		.method = "GET", .pattern = "/own", .handler = handle, .context = &own};
	assert_int_equal(http_router_add(fixture->router, &route, 1, NULL), ERR_NONE);
	dispatch(fixture, "GET", "/own");
	assert_ptr_equal(fixture->seen.context, &own);
}

static void before_can_answer_instead(void **state)
{
	struct fixture *fixture = *state;
	fixture->seen.refuses = true;
	const struct http_response response = dispatch(fixture, "GET", "/v1/posts");
	assert_int_equal(response.status, 401);
	assert_int_equal(fixture->seen.handled, 0);
	assert_int_equal(fixture->seen.after, 1);
}

static void faults_are_rendered_with_all_headers(void **state)
{
	struct fixture *fixture = *state;
	const struct http_response response = dispatch(fixture, "PUT", "/v1/posts");
	assert_int_equal(response.status, 405 + (int)HTTP_FAULT_METHOD_NOT_ALLOWED);
	assert_true(str_equal(header_of(&response, "Allow"), STR("GET, POST")));
	assert_true(str_equal(header_of(&response, "X-After"), STR("yes")));
	assert_int_equal(header_of(&response, "X-Request-Id").len, 36);
	assert_int_equal(fixture->seen.before, 0);
}

static void a_handler_without_a_usable_answer_is_our_fault(void **state)
{
	static const char *const targets[] = {"/bad", "/status", "/much"};
	struct fixture *fixture = *state;
	for (size_t i = 0; i < COUNT_OF(targets); i++) {
		const struct http_response response = dispatch(fixture, "POST", targets[i]);
		assert_int_equal(response.status, 405 + (int)HTTP_FAULT_INTERNAL);
		assert_int_equal(header_of(&response, "X-Half").len, 0);
		assert_false(response.body.is_over);
		assert_true(str_equal(buf_str(&response.body), STR("fault 5")));
	}
}

static void a_dropped_answer_stays_dropped(void **state)
{
	const struct http_response response = dispatch(*state, "POST", "/drop");
	assert_true(response.is_dropped);
}

static void the_request_id_always_has_room(void **state)
{
	const struct http_response response = dispatch(*state, "POST", "/headers");
	assert_int_equal(response.header_count, HTTP_RESPONSE_HEADERS_MAX);
	assert_int_equal(header_of(&response, "X-Request-Id").len, 36);
}

/* Without hooks a router still answers. */
static void a_bare_router_answers_faults_itself(void **state)
{
	struct fixture *fixture = *state;
	struct http_response response;
	struct http_router *bare = NULL;
	const struct http_router_config config = {0};
	assert_int_equal(http_router_new(&config, &bare, NULL), ERR_NONE);
	struct http_request *request = request_make(fixture, "GET", STR("/"));
	http_response_init(&response, fixture->arena, http_router_response_max_bytes(bare));
	http_router_dispatch(bare, request, &response);
	assert_int_equal(response.status, 404);
	assert_true(response.body.len > 0);
	http_router_free(&bare);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(paths_find_the_most_exact_route, setup, teardown),
		cmocka_unit_test_setup_teardown(the_order_of_adding_does_not_matter, setup,
						teardown),
		cmocka_unit_test_setup_teardown(bad_patterns_are_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(dispatch_runs_before_handler_and_after, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_route_can_have_its_own_context, setup, teardown),
		cmocka_unit_test_setup_teardown(before_can_answer_instead, setup, teardown),
		cmocka_unit_test_setup_teardown(faults_are_rendered_with_all_headers, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_handler_without_a_usable_answer_is_our_fault,
						setup, teardown),
		cmocka_unit_test_setup_teardown(a_dropped_answer_stays_dropped, setup, teardown),
		cmocka_unit_test_setup_teardown(the_request_id_always_has_room, setup, teardown),
		cmocka_unit_test_setup_teardown(a_bare_router_answers_faults_itself, setup,
						teardown),
	};
	return cmocka_run_group_tests_name("router", tests, NULL, NULL);
}
