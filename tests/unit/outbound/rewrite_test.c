/* SPDX-License-Identifier: Apache-2.0
 * The sandbox rule: what is rewritten, what stays, and what must not leave. */
#include "rewrite.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "count_of.h"

static void urls_are_rewritten_kept_or_refused(void **state)
{
	(void)state;
	static const char sandbox[] = "http://127.0.0.1:9090";
	static const struct {
		const char *name;
		const char *url;
		const char *out; /* NULL = refused */
	} rows[] = {
		{"path", "https://api.x.com/2/tweets", "http://127.0.0.1:9090/api.x.com/2/tweets"},
		{"query", "https://graph.facebook.com/v25.0/me?fields=id%2Cname&x=%2F",
		 "http://127.0.0.1:9090/graph.facebook.com/v25.0/me?fields=id%2Cname&x=%2F"},
		{"no path", "https://api.x.com", "http://127.0.0.1:9090/api.x.com"},
		{"query without path", "https://api.x.com?a=1",
		 "http://127.0.0.1:9090/api.x.com?a=1"},
		{"port", "https://api.x.com:8443/a", "http://127.0.0.1:9090/api.x.com:8443/a"},
		{"upper-case scheme", "HTTPS://api.x.com/a", "http://127.0.0.1:9090/api.x.com/a"},
		{"below the sandbox", "http://127.0.0.1:9090/upload.x.com/1?s=2",
		 "http://127.0.0.1:9090/upload.x.com/1?s=2"},
		{"the sandbox itself", "http://127.0.0.1:9090", "http://127.0.0.1:9090"},
		{"the sandbox with a query", "http://127.0.0.1:9090?a", "http://127.0.0.1:9090?a"},
		{"plain http", "http://api.x.com/a", NULL},
		{"sandbox as user name", "http://127.0.0.1:9090@api.x.com/a", NULL},
		{"https with userinfo", "https://u:p@api.x.com/a", NULL},
		{"other scheme", "ftp://api.x.com/a", NULL},
		{"no host", "https:///a", NULL},
		{"one slash", "https:/api.x.com/a", NULL},
		{"backslash", "https://api.x.com\\a", NULL},
		{"line end", "https://api.x.com/a\r\nX: y", NULL},
		{"relative", "/a", NULL},
		{"empty", "", NULL},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct arena *arena = arena_new("test", 1 << 16);
		struct str out = STR("untouched");
		print_message("%s\n", rows[i].name);
		const bool is =
			rewrite_to_sandbox(arena, str_of(sandbox), str_of(rows[i].url), &out);
		assert_int_equal(is, rows[i].out != NULL);
		assert_true(str_equal_z(out, is ? rows[i].out : "untouched"));
		arena_free(&arena);
	}
}

static void without_a_sandbox_nothing_is_rewritten(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 1 << 16);
	struct str out;
	assert_false(rewrite_to_sandbox(arena, STR(""), STR("https://api.x.com/"), &out));
	arena_free(&arena);
}

static void an_https_sandbox_is_not_doubled(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 1 << 16);
	struct str out;
	assert_true(rewrite_to_sandbox(arena, STR("https://sandbox.example.com/s"),
				       STR("https://sandbox.example.com/s/api.x.com/2"), &out));
	assert_true(str_equal_z(out, "https://sandbox.example.com/s/api.x.com/2"));
	arena_free(&arena);
}

static void what_only_begins_like_the_sandbox_is_not_it(void **state)
{
	(void)state;
	static const struct {
		const char *sandbox;
		const char *url;
	} rows[] = {
		{"http://127.0.0.1:90", "http://127.0.0.1:9090/a"},
		{"http://127.0.0.1", "http://127.0.0.1:9090/a"},
		{"http://sandbox", "http://sandbox.example.com/a"},
		{"http://sandbox/a", "http://sandbox/ab"},
		{"http://sandbox", "http://sandbox#"},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct arena *arena = arena_new("test", 1 << 16);
		struct str out;
		assert_false(rewrite_to_sandbox(arena, str_of(rows[i].sandbox), str_of(rows[i].url),
						&out));
		arena_free(&arena);
	}
}

static void test_apps_calls_stay_inside(void **state)
{
	(void)state;
	static const struct {
		const char *seen;
		const char *url;
		const char *out; /* NULL = refused */
	} rows[] = {
		{"http://a/sandbox", "https://api.x.com/2/tweets?a=%20",
		 "http://sandbox/api.x.com/2/tweets?a=%20"},
		{"http://a/sandbox", "http://a/sandbox/api.x.com/u/1",
		 "http://sandbox/api.x.com/u/1"},
		{"", "https://api.x.com/2", "http://sandbox/api.x.com/2"},
		{"http://a/sandbox", "http://api.x.com/2", NULL},
		{"http://a/sandbox", "http://a/sandboxed/api.x.com/", NULL},
		{"http://a/sandbox", "http://a/dashboard", NULL},
		{"http://a/sandbox", "http://a@evil.example/sandbox/x", NULL},
		{"http://a/sandbox", "https://user@api.x.com/", NULL},
		{"http://a/sandbox", "http://sandbox/api.x.com/2", NULL},
		{"http://a/sandbox", "file:///etc/passwd", NULL},
		{"http://a/sandbox", "", NULL},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct arena *arena = arena_new("test", 1 << 16);
		struct str out = STR("untouched");
		const bool is = rewrite_to_test_sandbox(arena, str_of(rows[i].seen),
							str_of(rows[i].url), &out);
		assert_int_equal(is, rows[i].out != NULL);
		assert_true(!is || str_equal_z(out, rows[i].out));
		arena_free(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(urls_are_rewritten_kept_or_refused),
		cmocka_unit_test(what_only_begins_like_the_sandbox_is_not_it),
		cmocka_unit_test(without_a_sandbox_nothing_is_rewritten),
		cmocka_unit_test(an_https_sandbox_is_not_doubled),
		cmocka_unit_test(test_apps_calls_stay_inside),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
