/* SPDX-License-Identifier: Apache-2.0
 * Tests of httpd/http_proxies.h: who the client is, by what trusted proxies and everybody else
 * write. */
#include "http_proxies.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/un.h>

#include <cmocka.h>

#include "arena.h"
#include "count_of.h"

#include "http.h"

static const char *const ranges[] = {"10.0.0.0/8", "fd00::/8"};

static struct http_proxies *make(enum http_proxy_header header)
{
	struct http_proxies *proxies = NULL;
	assert_int_equal(http_proxies_new(ranges, COUNT_OF(ranges), header, &proxies, NULL),
			 ERR_NONE);
	return proxies;
}

static const struct sockaddr *peer_of(const char *text, struct sockaddr_storage *out)
{
	struct sockaddr_in *in = (struct sockaddr_in *)out;
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)out;
	*out = (struct sockaddr_storage){0};
	if (inet_pton(AF_INET, text, &in->sin_addr) == 1)
		in->sin_family = AF_INET;
	else if (inet_pton(AF_INET6, text, &in6->sin6_addr) == 1)
		in6->sin6_family = AF_INET6;
	else
		fail_msg("%s is no address", text);
	return (const struct sockaddr *)out;
}

struct row {
	const char *peer;
	const char *lines[3]; /* of the header, in the order of the request */
	const char *client;
};

static void check_rows(enum http_proxy_header header, const char *name, const struct row *rows,
		       size_t count)
{
	struct http_proxies *proxies = make(header);
	struct arena *arena = arena_new("test", 1 << 20);
	struct http_request *request = ARENA_NEW(arena, struct http_request);
	for (size_t i = 0; i < count; i++) {
		struct sockaddr_storage peer;
		request->header_count = 0;
		for (size_t k = 0; k < 3 && rows[i].lines[k] != NULL; k++)
			request->headers[request->header_count++] =
				(struct http_header){str_of(name), str_of(rows[i].lines[k])};
		const struct str client =
			http_proxies_client(proxies, arena, request, peer_of(rows[i].peer, &peer));
		if (!str_equal_z(client, rows[i].client))
			fail_msg("row %zu: " STR_FMT " for %s", i, STR_ARG(client), rows[i].client);
	}
	arena_free(&arena);
	http_proxies_free(&proxies);
}

static void x_forwarded_for_is_read_from_the_right(void **state)
{
	static const struct row rows[] = {
		/* the peer is no proxy of ours: the header means nothing */
		{"192.0.2.1", {"198.51.100.7"}, "192.0.2.1"},
		{"192.0.2.1", {NULL}, "192.0.2.1"},
		{"2001:db8::1", {"198.51.100.7"}, "2001:db8::1"},
		/* one proxy */
		{"10.0.0.1", {"198.51.100.7"}, "198.51.100.7"},
		{"fd00::1", {"2001:DB8::7"}, "2001:db8::7"},
		{"::ffff:10.0.0.1", {"198.51.100.7"}, "198.51.100.7"},
		{"10.0.0.1", {NULL}, "10.0.0.1"},
		/* what the client invents stands to the left */
		{"10.0.0.1", {"203.0.113.9, 198.51.100.7"}, "198.51.100.7"},
		{"10.0.0.1", {"10.9.9.9, 198.51.100.7"}, "198.51.100.7"},
		{"10.0.0.1", {"203.0.113.9", "198.51.100.7"}, "198.51.100.7"},
		{"10.0.0.1", {"\", 198.51.100.7"}, "198.51.100.7"},
		/* two proxies */
		{"10.0.0.1", {"198.51.100.7, 10.0.0.2"}, "198.51.100.7"},
		{"10.0.0.1", {"203.0.113.9,198.51.100.7 ,10.0.0.2"}, "198.51.100.7"},
		{"10.0.0.1", {"198.51.100.7", "10.0.0.2"}, "198.51.100.7"},
		{"10.0.0.1", {"198.51.100.7, fd00::2", "10.0.0.3", "10.0.0.2"}, "198.51.100.7"},
		/* all are ours: a machine of the operator's */
		{"10.0.0.1", {"10.0.0.3, 10.0.0.2"}, "10.0.0.3"},
		/* empty members are no members */
		{"10.0.0.1", {"198.51.100.7, , "}, "198.51.100.7"},
		{"10.0.0.1", {"", ","}, "10.0.0.1"},
		/* with ports */
		{"10.0.0.1", {"198.51.100.7:4711"}, "198.51.100.7"},
		{"10.0.0.1", {"[2001:db8::7]:4711"}, "2001:db8::7"},
		{"10.0.0.1", {"[2001:db8::7]"}, "2001:db8::7"},
		{"10.0.0.1", {"::ffff:198.51.100.7"}, "198.51.100.7"},
		/* no address: the last proxy that can be told */
		{"10.0.0.1", {"unknown"}, "10.0.0.1"},
		{"10.0.0.1", {"198.51.100.7, unknown, 10.0.0.2"}, "10.0.0.2"},
		{"10.0.0.1", {"198.51.100.7, x"}, "10.0.0.1"},
		{"10.0.0.1", {"[198.51.100.7]"}, "10.0.0.1"},
		{"10.0.0.1", {"198.51.100.7:"}, "10.0.0.1"},
		{"10.0.0.1", {"[2001:db8::7"}, "10.0.0.1"},
		{"10.0.0.1", {"[2001:db8::7]x"}, "10.0.0.1"},
		{"10.0.0.1", {"198.51.100.7 203.0.113.9"}, "10.0.0.1"},
	};
	(void)state;
	check_rows(HTTP_PROXY_X_FORWARDED_FOR, "x-forwarded-FOR", rows, COUNT_OF(rows));
}

static void forwarded_is_read_from_the_right(void **state)
{
	static const struct row rows[] = {
		{"192.0.2.1", {"for=198.51.100.7"}, "192.0.2.1"},
		{"10.0.0.1", {"for=198.51.100.7"}, "198.51.100.7"},
		{"10.0.0.1", {"For=\"198.51.100.7:80\";proto=https"}, "198.51.100.7"},
		{"10.0.0.1", {"proto=https; by=10.0.0.1 ;FOR=198.51.100.7"}, "198.51.100.7"},
		{"10.0.0.1", {"for=\"[2001:db8::7]:4711\""}, "2001:db8::7"},
		{"10.0.0.1", {"for=\"[2001:db8::7]\";by=x"}, "2001:db8::7"},
		{"10.0.0.1", {"for=203.0.113.9, for=198.51.100.7"}, "198.51.100.7"},
		{"10.0.0.1", {"for=198.51.100.7;by=x, for=10.0.0.2"}, "198.51.100.7"},
		{"10.0.0.1", {"for=198.51.100.7", "for=10.0.0.2"}, "198.51.100.7"},
		{"10.0.0.1", {"for=198.51.100.7;host=\"a,b;for=1.1.1.1\""}, "198.51.100.7"},
		/* an open quote to the left swallows nothing */
		{"10.0.0.1", {"for=\"1.1.1.1, for=198.51.100.7"}, "198.51.100.7"},
		{"10.0.0.1", {"for=\"\\\", for=198.51.100.7"}, "198.51.100.7"},
		{"10.0.0.1", {"\"", "for=198.51.100.7"}, "198.51.100.7"},
		/* no address */
		{"10.0.0.1", {"for=unknown"}, "10.0.0.1"},
		{"10.0.0.1", {"for=_hidden"}, "10.0.0.1"},
		{"10.0.0.1", {"by=198.51.100.7"}, "10.0.0.1"},
		{"10.0.0.1", {"for=198.51.100.7;for=1.1.1.1"}, "10.0.0.1"},
		{"10.0.0.1", {"198.51.100.7"}, "10.0.0.1"},
		{"10.0.0.1", {"for = 198.51.100.7"}, "10.0.0.1"},
		{"10.0.0.1", {"for=\"198.51.100.7"}, "10.0.0.1"},
	};
	(void)state;
	check_rows(HTTP_PROXY_FORWARDED, "Forwarded", rows, COUNT_OF(rows));
}

/* The other header is what a client may send past a proxy that sets only one of them. */
static void only_the_named_header_is_read(void **state)
{
	static const struct row rows[] = {{"10.0.0.1", {"198.51.100.7"}, "10.0.0.1"},
					  {"10.0.0.1", {"for=198.51.100.7"}, "10.0.0.1"}};
	(void)state;
	check_rows(HTTP_PROXY_X_FORWARDED_FOR, "Forwarded", rows, COUNT_OF(rows));
	check_rows(HTTP_PROXY_FORWARDED, "X-Forwarded-For", rows, COUNT_OF(rows));
}

static void a_peer_is_one_of_them_or_not(void **state)
{
	struct http_proxies *proxies = make(HTTP_PROXY_X_FORWARDED_FOR);
	struct arena *arena = arena_new("test", 1 << 20);
	struct http_request *request = ARENA_NEW(arena, struct http_request);
	const struct sockaddr_un un = {.sun_family = AF_UNIX};
	const struct sockaddr *local = (const struct sockaddr *)&un;
	struct sockaddr_storage peer;
	(void)state;
	assert_true(http_proxies_has(proxies, peer_of("10.1.2.3", &peer)));
	assert_true(http_proxies_has(proxies, peer_of("fd12::1", &peer)));
	assert_false(http_proxies_has(proxies, peer_of("11.1.2.3", &peer)));
	assert_false(http_proxies_has(proxies, local));
	assert_false(http_proxies_has(NULL, peer_of("10.1.2.3", &peer)));
	assert_true(str_is_empty(http_proxies_client(proxies, arena, request, local)));
	request->headers[request->header_count++] =
		(struct http_header){STR("X-Forwarded-For"), STR("198.51.100.7")};
	assert_true(str_equal_z(
		http_proxies_client(NULL, arena, request, peer_of("10.1.2.3", &peer)), "10.1.2.3"));
	arena_free(&arena);
	http_proxies_free(&proxies);
	http_proxies_free(&proxies);
}

static void a_bad_range_is_named(void **state)
{
	static const char *const bad[] = {"10.0.0.0/8", "10.0.0.5/8"};
	struct http_proxies *proxies = NULL;
	struct error err = {0};
	(void)state;
	assert_int_equal(http_proxies_new(bad, 2, HTTP_PROXY_FORWARDED, &proxies, &err),
			 ERR_INVALID);
	assert_true(str_find(str_of(err.text), STR("10.0.0.5/8"), 0) != SIZE_MAX);
	assert_null(proxies);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(x_forwarded_for_is_read_from_the_right),
		cmocka_unit_test(forwarded_is_read_from_the_right),
		cmocka_unit_test(only_the_named_header_is_read),
		cmocka_unit_test(a_peer_is_one_of_them_or_not),
		cmocka_unit_test(a_bad_range_is_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
