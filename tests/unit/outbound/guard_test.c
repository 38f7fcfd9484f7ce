/* SPDX-License-Identifier: Apache-2.0
 * The guard against ssrf_urls.txt (beside this file): every line is refused or allowed by syntax,
 * by the addresses that its name resolves to (dns=), or by where it redirects to (hop=). What needs
 * a socket is in transfer_curl_test.c. */
#include "guard.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <curl/curl.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <sys/un.h>

#include "arena.h"
#include "buf.h"
#include "count_of.h"

#include "ssrf_list.h"

#define REFUSE_LINES 185 /* rules.md 3.7 */
#define ALLOW_LINES 34

static struct guard *make(const char *const *allow, size_t count)
{
	struct guard *guard = NULL;
	const struct guard_config config = {.allow_cidrs = allow, .allow_cidr_count = count};
	assert_int_equal(guard_new(&config, &guard, NULL), ERR_NONE);
	return guard;
}

static bool allows(const struct guard *guard, const char *ip, uint16_t port)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
	if (inet_pton(AF_INET, ip, &v4.sin_addr) == 1)
		return guard_allows_address(guard, (const struct sockaddr *)&v4);
	assert_int_equal(inet_pton(AF_INET6, ip, &v6.sin6_addr), 1);
	return guard_allows_address(guard, (const struct sockaddr *)&v6);
}

static const char *check(const struct guard *guard, const char *url)
{
	struct arena *arena = arena_new("test", 1 << 18);
	const char *reason = guard_check_url(guard, arena, str_of(url));
	arena_free(&arena);
	return reason;
}

/* The value of "; dns=..." in a comment; false when it is not there. */
static bool fixture(struct str comment, struct str name, struct str *value_out)
{
	const size_t at = str_find(comment, name, 0);
	if (at == SIZE_MAX)
		return false;
	struct str rest = str_slice(comment, at + name.len, comment.len);
	if (!str_take_until(&rest, ';', value_out))
		*value_out = rest;
	*value_out = str_trim(*value_out);
	return true;
}

/* At fetch: a name without an address, or with one bad one among several, is refused. */
static bool addresses_pass(struct arena *arena, const struct guard *guard, struct str list,
			   uint16_t port)
{
	struct str rest = list;
	struct str ip;
	size_t count = 0;
	while (str_take_field(&rest, ',', &ip)) {
		if (ip.len == 0 || !allows(guard, str_z(arena, ip), port))
			return false;
		count++;
	}
	return count > 0;
}

/* As libcurl makes Location absolute. */
static struct str absolute(struct arena *arena, struct str base, struct str location)
{
	CURLU *url = curl_url();
	char *text = NULL;
	curl_url_set(url, CURLUPART_URL, str_z(arena, base), 0);
	if (curl_url_set(url, CURLUPART_URL, str_z(arena, location), CURLU_NON_SUPPORT_SCHEME) ==
	    CURLUE_OK)
		curl_url_get(url, CURLUPART_URL, &text, 0);
	const struct str out = str_copy(arena, str_of(text));
	curl_free(text);
	curl_url_cleanup(url);
	return out;
}

/* Three hops may be followed; the one redirect that leads to itself is refused by that count. */
static bool hop_passes(struct arena *arena, const struct guard *guard, struct str url,
		       struct str hop)
{
	const struct str to = absolute(arena, url, str_slice(hop, 4, hop.len));
	if (guard_check_redirect(guard, arena, url, to) != NULL || str_equal(url, to))
		return false;
	return str_find(to, STR("private-a."), 0) == SIZE_MAX || allows(guard, "10.0.0.5", 80);
}

static bool line_passes(struct arena *arena, const struct guard *guard, struct str url,
			struct str comment)
{
	struct str value;
	if (guard_check_url(guard, arena, url) != NULL)
		return false;
	if (fixture(comment, STR("; dns="), &value) && !addresses_pass(arena, guard, value, 443))
		return false;
	return !fixture(comment, STR("; hop="), &value) || hop_passes(arena, guard, url, value);
}

static void every_line_of_the_list_is_judged_rightly(void **state)
{
	(void)state;
	static const char *const own[] = {"198.20.7.7/32"}; /* self= */
	struct guard *guard = NULL;
	const struct guard_config config = {.deny_cidrs = own, .deny_cidr_count = 1};
	assert_int_equal(guard_new(&config, &guard, NULL), ERR_NONE);
	FILE *file = ssrf_open_list();
	char *line = NULL;
	size_t capacity = 0;
	size_t refused = 0;
	size_t allowed = 0;
	size_t wrong = 0;
	ssize_t len;
	while ((len = getline(&line, &capacity, file)) > 0) {
		struct arena *arena = arena_new("test", 1 << 18);
		struct str comment = str_trim((struct str){line, (size_t)len});
		struct str url = {0};
		if (line[0] != '#') {
			comment = str_slice((struct str){line, (size_t)len}, 0, (size_t)len - 1);
			assert_true(str_take_until(&comment, '\t', &url));
			const bool is_allow = str_skip(&comment, STR("\tALLOW"));
			const bool passes =
				line_passes(arena, guard, ssrf_unescape(arena, url), comment);
			if (passes != is_allow) {
				print_message("wrong: %s", line);
				wrong++;
			}
			refused += !is_allow;
			allowed += is_allow;
		}
		arena_free(&arena);
	}
	free(line);
	fclose(file);
	guard_free(&guard);
	assert_int_equal(wrong, 0);
	assert_int_equal(refused, REFUSE_LINES);
	assert_int_equal(allowed, ALLOW_LINES);
}

static void reasons_are_stable(void **state)
{
	(void)state;
	static const struct {
		const char *url;
		const char *reason;
	} rows[] = {
		{"https://media.example.com/a.png", NULL},
		{"https://media.example.com./a.png", NULL},
		{"ftp://media.example.com/", "not_http"},
		{"", "not_http"},
		{"http", "not_http"},
		{"https", "not_http"},
		{"https:", "malformed"},
		{"https://", "malformed"},
		{"http://a b.example.com/", "malformed"},
		{"http://0x7f.1/", "malformed"},
		{"https://u@media.example.com/", "userinfo"},
		{"http://localhost/", "bad_host"},
		{"http://a.onion/", "bad_host"},
		{"http://intranet/", "bad_host"},
		{"http://10.0.0.1/", "private_address"},
		{"http://10.0.0.1:8080/", "private_address"},
		{"http://[::1]/", "private_address"},
		{"http://media.example.com:8080/", "bad_port"},
		{"http://8.8.8.8:8080/", "bad_port"},
	};
	struct guard *guard = make(NULL, 0);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const char *reason = check(guard, rows[i].url);
		print_message("%s: %s\n", rows[i].url, reason != NULL ? reason : "-");
		if (rows[i].reason == NULL)
			assert_null(reason);
		else
			assert_string_equal(reason, rows[i].reason);
	}
	guard_free(&guard);
}

static void length_ends_at_2048(void **state)
{
	(void)state;
	struct guard *guard = make(NULL, 0);
	char url[2050];
	memset(url, 'a', sizeof(url));
	memcpy(url, "https://media.example.com/", 26);
	url[2048] = '\0';
	assert_null(check(guard, url));
	url[2048] = 'a';
	url[2049] = '\0';
	assert_string_equal(check(guard, url), "too_long");
	guard_free(&guard);
}

/* Both ends of what is refused and their public neighbours. */
static void ranges_end_where_they_end(void **state)
{
	(void)state;
	static const struct {
		const char *ip;
		bool is_public;
	} rows[] = {
		{"0.255.255.255", false},
		{"1.0.0.0", true},
		{"9.255.255.255", true},
		{"10.0.0.0", false},
		{"10.255.255.255", false},
		{"11.0.0.0", true},
		{"100.63.255.255", true},
		{"100.64.0.0", false},
		{"100.127.255.255", false},
		{"100.128.0.0", true},
		{"168.63.129.16", false},
		{"168.63.129.17", true},
		{"172.15.255.255", true},
		{"172.31.255.255", false},
		{"172.32.0.0", true},
		{"192.0.0.255", false},
		{"192.0.1.0", true},
		{"198.17.255.255", true},
		{"198.19.255.255", false},
		{"198.20.0.0", true},
		{"223.255.255.255", true},
		{"224.0.0.0", false},
		{"1fff:ffff::1", false},
		{"2000::1", true},
		{"2001:1ff:ffff::1", false},
		{"2001:200::1", true},
		{"2001:db7:ffff::1", true},
		{"2001:db8::1", false},
		{"2001:db9::1", true},
		{"2002::1", false},
		{"2003::1", true},
		{"3ffe:ffff::1", true},
		{"3fff::1", false},
		{"3fff:fff:ffff::1", false},
		{"3fff:1000::1", true},
		{"4000::1", false},
		{"::ffff:8.8.8.8", true},
		{"::ffff:10.0.0.1", false},
		{"::8.8.8.8", false},
		{"64:ff9b::8.8.8.8", true},
		{"64:ff9b::10.0.0.1", false},
		{"64:ff9b::1:8.8.8.8", false},
		{"64:ff9b:1::8.8.8.8", false},
		{"2a00:1450::5efe:10.0.0.1", false},
		{"2a00:1450::200:5efe:8.8.8.8", false},
		{"2a00:1450::5eff:10.0.0.1", true},
	};
	struct guard *guard = make(NULL, 0);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		print_message("%s\n", rows[i].ip);
		assert_int_equal(allows(guard, rows[i].ip, 443), rows[i].is_public);
		assert_false(allows(guard, rows[i].ip, 22));
		assert_false(allows(guard, rows[i].ip, 0));
	}
	guard_free(&guard);
}

static void other_families_are_refused(void **state)
{
	(void)state;
	struct guard *guard = make(NULL, 0);
	const struct sockaddr_un un = {.sun_family = AF_UNIX, .sun_path = "/x"};
	assert_false(guard_allows_address(guard, (const struct sockaddr *)&un));
	guard_free(&guard);
}

static void the_operator_may_allow_ranges(void **state)
{
	(void)state;
	static const char *const allow[] = {"127.0.0.0/8", "fd00::/8", "10.1.2.3"};
	struct guard *guard = make(allow, 3);
	assert_true(allows(guard, "127.0.0.1", 9000));
	assert_true(allows(guard, "::ffff:127.0.0.1", 9000));
	assert_true(allows(guard, "fd12::1", 1));
	assert_true(allows(guard, "10.1.2.3", 80));
	assert_false(allows(guard, "10.1.2.4", 80));
	assert_false(allows(guard, "fe80::1", 80));
	assert_false(allows(guard, "127.0.0.1", 0));
	assert_true(allows(guard, "8.8.8.8", 443));
	assert_false(allows(guard, "8.8.8.8", 9000)); /* other ports only inside the ranges */
	assert_null(check(guard, "http://127.0.0.1:9000/a.png"));
	assert_null(check(guard, "http://minio:9000/a.png")); /* its address will decide */
	assert_string_equal(check(guard, "http://10.1.2.4/"), "private_address");
	assert_string_equal(check(guard, "http://8.8.8.8:9000/"), "bad_port");
	assert_string_equal(check(guard, "http://u@127.0.0.1/"), "userinfo");
	guard_free(&guard);
}

static void the_operator_may_choose_ports(void **state)
{
	(void)state;
	static const uint16_t ports[] = {443, 8443};
	struct guard *guard = NULL;
	const struct guard_config config = {.ports = ports, .port_count = 2};
	assert_int_equal(guard_new(&config, &guard, NULL), ERR_NONE);
	assert_null(check(guard, "https://media.example.com:8443/"));
	assert_string_equal(check(guard, "http://media.example.com/"), "bad_port");
	assert_false(allows(guard, "8.8.8.8", 80));
	guard_free(&guard);
}

static void own_addresses_are_refused(void **state)
{
	(void)state;
	static const char *const deny[] = {"93.184.215.14", "2606:2800::/32"};
	static const char *const allow[] = {"2606:2800:1::/48"};
	struct guard *guard = NULL;
	const struct guard_config config = {
		.allow_cidrs = allow,
		.allow_cidr_count = 1,
		.deny_cidrs = deny,
		.deny_cidr_count = 2,
		.refuse_own_addresses = true,
	};
	assert_int_equal(guard_new(&config, &guard, NULL), ERR_NONE);
	assert_false(allows(guard, "93.184.215.14", 443));
	assert_true(allows(guard, "93.184.215.15", 443));
	assert_false(allows(guard, "2606:2800::1", 443));
	assert_true(allows(guard, "2606:2800:1::1", 443));
	struct ifaddrs *own = NULL;
	assert_int_equal(getifaddrs(&own), 0);
	for (const struct ifaddrs *i = own; i != NULL; i = i->ifa_next)
		if (i->ifa_addr != NULL)
			assert_false(guard_allows_address(guard, i->ifa_addr));
	freeifaddrs(own);
	guard_free(&guard);
	guard_free(&guard);
}

static void bad_ranges_stop_the_start(void **state)
{
	(void)state;
	static const char *const bad[] = {
		"",
		"10.0.0.0/33",
		"10.0.0.0/-1",
		"10.0.0.0/",
		"10.0.0.0/8 ",
		"10/8",
		"10.0.0.5/8",
		"fd00::/129",
		"fd00::1/8",
		"localhost",
		"::1%lo",
		"10.0.0.0/8/8",
		"0x7f.0.0.1/8",
		"fd00::/18446744073709551617",
	};
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		struct guard *guard = NULL;
		struct error err = {0};
		const struct guard_config config = {.allow_cidrs = &bad[i], .allow_cidr_count = 1};
		print_message("%s\n", bad[i]);
		assert_int_equal(guard_new(&config, &guard, &err), ERR_INVALID);
		assert_null(guard);
		assert_non_null(strstr(err.text, bad[i]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_line_of_the_list_is_judged_rightly),
		cmocka_unit_test(reasons_are_stable),
		cmocka_unit_test(length_ends_at_2048),
		cmocka_unit_test(ranges_end_where_they_end),
		cmocka_unit_test(other_families_are_refused),
		cmocka_unit_test(the_operator_may_allow_ranges),
		cmocka_unit_test(the_operator_may_choose_ports),
		cmocka_unit_test(own_addresses_are_refused),
		cmocka_unit_test(bad_ranges_stop_the_start),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
