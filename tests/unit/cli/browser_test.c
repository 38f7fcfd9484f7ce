/* SPDX-License-Identifier: Apache-2.0
 * Pressing a button of a page's first form; calls themselves are made against a server of our
 * own. */
#include "browser.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "count_of.h"
#include "random.h"

#include "http.h"
#include "httpd.h"

#define PAGE_URL "http://127.0.0.1:81/consent?a=1"

static int begin(void **state)
{
	*state = arena_new("test", 8 << 20);
	return 0;
}

static int end(void **state)
{
	struct arena *arena = *state;
	arena_free(&arena);
	return 0;
}

static void hidden_and_ticked_inputs_go_along(void **state)
{
	struct arena *arena = *state;
	struct str url;
	const struct str page = STR(
		"<p><form method=\"get\" action=\"/go\"><input type=\"hidden\" name=\"state\" "
		"value=\"a&amp;b &lt;&quot;\">"
		"<input type=\"checkbox\" name=\"page\" value=\"1\" checked><input "
		"type=\"checkbox\" name=\"page\" value=\"2\">"
		"<button name=\"d\" value=\"deny\">No</button><button name=\"d\" "
		"value=\"allow\">Yes</button></form>"
		"<form action=\"/other\"><input type=\"hidden\" name=\"x\" value=\"y\"></form>");
	assert_true(browser_press(arena, STR(PAGE_URL), page, "d", "allow", &url));
	assert_string_equal(str_z(arena, url),
			    "http://127.0.0.1:81/go?state=a%26b%20%3C%22&page=1&d=allow");
	assert_false(browser_press(arena, STR(PAGE_URL), page, "d", "maybe", &url));
	assert_false(browser_press(arena, STR(PAGE_URL), page, "e", "allow", &url));
}

static void absolute_actions_stay(void **state)
{
	struct arena *arena = *state;
	struct str url;
	const struct str page = STR("<form action=\"https://b.example/go\"><button name=\"d\" "
				    "value=\"allow\">Yes</button></form>");
	assert_true(browser_press(arena, STR(PAGE_URL), page, "d", "allow", &url));
	assert_string_equal(str_z(arena, url), "https://b.example/go?d=allow");
}

static void pages_without_a_whole_form(void **state)
{
	static const char *const pages[] = {"",
					    "<form",
					    "<form action=\"/go\">",
					    "no form at all",
					    "<form ><button name=\"d\"",
					    "<formx a=\"\">"};
	struct arena *arena = *state;
	struct str url;
	for (size_t i = 0; i < COUNT_OF(pages); i++)
		assert_false(
			browser_press(arena, STR(PAGE_URL), str_of(pages[i]), "d", "allow", &url));
}

static void basic(void **state)
{
	assert_string_equal(browser_basic(*state, STR("a"), STR("b")), "Basic YTpi");
}

static void echo(void *context, struct http_request *request, struct http_response *response)
{
	(void)context;
	const struct str *authorization = http_request_header(request, "Authorization");
	struct buf *out =
		http_response_text(response, request->body.len > 0 ? 302 : 200, "text/plain");
	http_response_header(response, "Location", STR("/next"));
	buf_add(out, request->body);
	buf_add(out, authorization != NULL ? *authorization : STR("-"));
}

static void a_call_and_its_answer(void **state)
{
	struct arena *arena = *state;
	struct http_router *router = NULL;
	struct httpd *httpd = NULL;
	struct browser_answer answer = {0};
	struct error err = {0};
	const struct http_router_config config = {0};
	const struct http_route routes[] = {{.method = "GET", .pattern = "/", .handler = echo},
					    {.method = "POST",
					     .pattern = "/",
					     .handler = echo,
					     .body_mode = HTTP_BODY_MEMORY,
					     .body_max_bytes = 100}};
	assert_int_equal(http_router_new(&config, &router, &err), ERR_NONE);
	assert_int_equal(http_router_add(router, routes, 2, &err), ERR_NONE);
	const struct httpd_config listener = {
		.listen = "127.0.0.1:0", .router = router, .random = random_system(), .threads = 1};
	assert_int_equal(httpd_open(&listener, &httpd, &err), ERR_NONE);
	struct str base = str_concat(arena, httpd_base_url(httpd), STR("/"));
	struct browser_request request = {.url = base};
	assert_int_equal(browser_call(arena, &request, &answer, &err), ERR_NONE);
	assert_int_equal(answer.status, 200);
	assert_true(str_equal_z(answer.body, "-"));
	const struct browser_request sent = {.url = base,
					     .authorization = "Bearer x",
					     .content_type = "text/plain",
					     .body = STR("body ")};
	assert_int_equal(browser_call(arena, &sent, &answer, &err), ERR_NONE);
	assert_int_equal(answer.status, 302);
	assert_true(str_equal_z(answer.body, "body Bearer x"));
	assert_true(
		str_equal(answer.location, str_concat(arena, httpd_base_url(httpd), STR("/next"))));
	request.url = str_copy(arena, base);
	httpd_close(&httpd, 1000);
	http_router_free(&router);
	assert_int_equal(browser_call(arena, &request, &answer, &err), ERR_TEMPORARY);
}

#define BROWSER_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BROWSER_TEST(hidden_and_ticked_inputs_go_along),
		BROWSER_TEST(absolute_actions_stay),
		BROWSER_TEST(pages_without_a_whole_form),
		BROWSER_TEST(basic),
		BROWSER_TEST(a_call_and_its_answer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
