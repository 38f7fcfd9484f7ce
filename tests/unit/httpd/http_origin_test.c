/* SPDX-License-Identifier: Apache-2.0
 * Tests of httpd/http_origin.h: which pages are ours. */
#include "http_origin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "count_of.h"

#include "http.h"

static const struct {
	const char *host;
	const char *url;
	const char *origin;
	bool is_ours;
} rows[] = {
	{"127.0.0.1:8080", "", "http://127.0.0.1:8080", true},
	{"127.0.0.1:8080", "", "https://127.0.0.1:8080", true},
	{"127.0.0.1:8080", "", "http://127.0.0.1", false},
	{"127.0.0.1:8080", "", "http://127.0.0.1:8081", false},
	{"inner:8080", "https://social.example.com/", "https://social.example.com", true},
	{"inner:8080", "https://social.example.com/", "https://social.example.com:443", true},
	{"inner:8080", "https://social.example.com/", "http://social.example.com", false},
	{"inner:8080", "https://social.example.com/", "https://social.example.com.evil.example",
	 false},
	{"inner:8080", "https://social.example.com/", "https://evil.example", false},
	{"inner:8080", "", "null", false},
	{"inner:8080", "", "", false},
	{NULL, "", "http://inner:8080", false},
	{NULL, "https://a.example", "https://a.example", true},
};

static void origins_are_compared(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct arena *arena = arena_new("test", 1 << 20);
		struct http_request *request = ARENA_NEW(arena, struct http_request);
		request->arena = arena;
		if (rows[i].host != NULL)
			request->headers[request->header_count++] =
				(struct http_header){STR("host"), str_of(rows[i].host)};
		if (http_origin_is_ours(request, str_of(rows[i].origin), str_of(rows[i].url)) !=
		    rows[i].is_ours)
			fail_msg("row %zu", i);
		arena_free(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(origins_are_compared)};
	return cmocka_run_group_tests_name("http_origin", tests, NULL, NULL);
}
