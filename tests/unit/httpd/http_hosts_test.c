/* SPDX-License-Identifier: Apache-2.0
 * Tests of httpd/http_hosts.h: which Host is ours. */
#include "http_hosts.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "arena.h"
#include "count_of.h"

static struct http_hosts *make(const char *listen)
{
	static const char *const urls[] = {"https://Social.example.com/", "", NULL,
					   "http://[2001:db8::9]:8443"};
	static const char *const names[] = {"api.example.net.", "192.0.2.5", "fd00::5", "[fd00::6]",
					    "my_service"};
	const struct http_hosts_config config = {.listen = listen,
						 .urls = urls,
						 .url_count = COUNT_OF(urls),
						 .names = names,
						 .name_count = COUNT_OF(names)};
	struct http_hosts *hosts = NULL;
	struct error err = {0};
	if (http_hosts_new(&config, &hosts, &err) != ERR_NONE)
		fail_msg("%s", err.text);
	return hosts;
}

static void check(const struct http_hosts *hosts, const char *host, bool is_ours)
{
	struct arena *arena = arena_new("test", 1 << 16);
	if (http_hosts_has(hosts, arena, str_of(host), NULL) != is_ours)
		fail_msg("%s is %sours", host, is_ours ? "not " : "");
	arena_free(&arena);
}

static void what_was_named_is_ours_with_any_port(void **state)
{
	static const struct {
		const char *host;
		bool is_ours;
	} rows[] = {
		{"social.example.com", true},
		{"SOCIAL.EXAMPLE.COM:443", true},
		{"social.example.com.", true},
		{"social.example.com:8443", true},
		{"[2001:db8::9]", true},
		{"[2001:DB8:0::9]:1", true},
		{"api.example.net", true},
		{"192.0.2.5:80", true},
		{"[fd00::5]", true},
		{"[fd00::6]", true},
		{"my_service:9090", true},
		{"203.0.113.1:8080", true},
		{"evil.example", false},
		{"example.com", false},
		{"xsocial.example.com", false},
		{"social.example.com.evil.example", false},
		{"192.0.2.6", false},
		{"[2001:db8::8]", false},
		{"localhost", false},
		{"127.0.0.1", false},
		{"", false},
		{":80", false},
		{"social.example.com:", true},
		{"social.example.com:x", false},
		{"social.example.com/a", false},
		{"u@social.example.com", false},
		{"social.example.com#", false},
		{"social.example.com?", false},
		{"social.example.com evil", false},
		{"2001:db8::9", false},
		{"0xcb.0.113.1", false},
		{"203.0.113.01", false},
	};
	struct http_hosts *hosts = make("203.0.113.1:8080");
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		check(hosts, rows[i].host, rows[i].is_ours);
	http_hosts_free(&hosts);
	http_hosts_free(&hosts);
}

static void loopback_is_called_localhost_too(void **state)
{
	static const char *const listens[] = {"127.0.0.1:0", "[::1]:8080", "localhost:8080"};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(listens); i++) {
		struct http_hosts *hosts = make(listens[i]);
		check(hosts, "localhost:9999", true);
		check(hosts, "localhost.evil.example", false);
		http_hosts_free(&hosts);
	}
}

static void everywhere_is_every_address_of_this_machine(void **state)
{
	static const char *const listens[] = {"0.0.0.0:8080", "[::]:8080"};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(listens); i++) {
		struct http_hosts *hosts = make(listens[i]);
		check(hosts, "127.0.0.1:8080", true);
		check(hosts, "localhost", true);
		check(hosts, "203.0.113.77", false);
		check(hosts, "0.0.0.0", false);
		http_hosts_free(&hosts);
	}
}

/* An address that came after the start, and the one that a container's clients see. */
static void the_address_that_was_called_is_ours(void **state)
{
	struct http_hosts *hosts = make("0.0.0.0:8080");
	struct arena *arena = arena_new("test", 1 << 16);
	struct sockaddr_in local = {.sin_family = AF_INET};
	const struct sockaddr *address = (const struct sockaddr *)&local;
	(void)state;
	inet_pton(AF_INET, "198.51.100.7", &local.sin_addr);
	assert_true(http_hosts_has(hosts, arena, STR("198.51.100.7:80"), address));
	assert_false(http_hosts_has(hosts, arena, STR("198.51.100.8:80"), address));
	assert_false(http_hosts_has(hosts, arena, STR("evil.example"), address));
	assert_true(http_hosts_has(NULL, arena, STR("evil.example"), address));
	arena_free(&arena);
	http_hosts_free(&hosts);
}

static void what_is_no_host_is_named(void **state)
{
	static const char *const bad[] = {"https://a.example", "a.example:80/", "a b", "", "*",
					  "a.example/x",       "u@a.example"};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		const struct http_hosts_config config = {
			.listen = "127.0.0.1:80", .names = &bad[i], .name_count = 1};
		struct http_hosts *hosts = NULL;
		struct error err = {0};
		if (http_hosts_new(&config, &hosts, &err) != ERR_INVALID)
			fail_msg("%s is taken", bad[i]);
		assert_null(hosts);
		assert_true(str_find(str_of(err.text), str_of(bad[i]), 0) != SIZE_MAX);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_named_is_ours_with_any_port),
		cmocka_unit_test(loopback_is_called_localhost_too),
		cmocka_unit_test(everywhere_is_every_address_of_this_machine),
		cmocka_unit_test(the_address_that_was_called_is_ours),
		cmocka_unit_test(what_is_no_host_is_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
