/* SPDX-License-Identifier: Apache-2.0
 * Tests of codec/cidr.h: ranges, addresses, and how both are written. */
#include "cidr.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cmocka.h>

#include "arena.h"
#include "count_of.h"

static void a_range_has_what_lies_in_it(void **state)
{
	static const struct {
		const char *range;
		const char *address;
		bool is_in;
	} rows[] = {
		{"10.0.0.0/8", "10.255.0.1", true},
		{"10.0.0.0/8", "11.0.0.1", false},
		{"10.0.0.0/9", "10.127.255.255", true},
		{"10.0.0.0/9", "10.128.0.0", false},
		{"10.1.2.3", "10.1.2.3", true},
		{"10.1.2.3", "10.1.2.2", false},
		{"10.1.2.3/32", "10.1.2.3", true},
		{"0.0.0.0/0", "8.8.8.8", true},
		{"0.0.0.0/0", "2001:db8::1", false},
		{"10.0.0.0/8", "::ffff:10.0.0.1", true},
		{"::ffff:10.0.0.0/104", "10.0.0.1", true},
		{"fd00::/8", "fd12::1", true},
		{"fd00::/8", "fe80::1", false},
		{"2001:db8::1", "2001:DB8:0:0::1", true},
		{"::/0", "2001:db8::1", true},
		{"::/0", "10.0.0.1", true},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct cidr cidr;
		uint8_t address[CIDR_ADDRESS_BYTES];
		assert_int_equal(cidr_parse(rows[i].range, &cidr, NULL), ERR_NONE);
		assert_true(cidr_address_parse(str_of(rows[i].address), address));
		if (cidr_has(&cidr, address) != rows[i].is_in)
			fail_msg("%s in %s", rows[i].address, rows[i].range);
		assert_int_equal(cidr_any_has(&cidr, 1, address), rows[i].is_in);
		assert_false(cidr_any_has(&cidr, 0, address));
	}
}

static void what_is_no_range_is_named(void **state)
{
	static const char *const bad[] = {
		"",         "10.0.0.0/33", "10.0.0.0/",   "10.0.0.0/-1", "10.0.0.0/8x",
		"10.0.0/8", "10.0.0.5/8",  "fd00::/129",  "fd00::1/64",  "proxy.local",
		"[::1]",    "fe80::1%lo",  "10.0.0.1:80", " 10.0.0.1",   "1.2.3.4/0",
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		struct cidr cidr;
		struct error err = {0};
		if (cidr_parse(bad[i], &cidr, &err) != ERR_INVALID)
			fail_msg("%s is taken", bad[i]);
		assert_true(str_find(str_of(err.text), str_of(bad[i]), 0) != SIZE_MAX);
	}
}

static void an_address_has_one_text(void **state)
{
	static const struct {
		const char *given;
		const char *text; /* NULL = no address */
	} rows[] = {
		{"127.0.0.1", "127.0.0.1"},
		{"::ffff:127.0.0.1", "127.0.0.1"},
		{"2001:DB8:0::1", "2001:db8::1"},
		{"::1", "::1"},
		{"127.1", NULL},
		{"0x7f.0.0.1", NULL},
		{"", NULL},
		{"[::1]", NULL},
		{"unknown", NULL},
		{"fe80::1%eth0", NULL},
	};
	struct arena *arena = arena_new("test", 4096);
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		uint8_t address[CIDR_ADDRESS_BYTES];
		const bool is_one = cidr_address_parse(str_of(rows[i].given), address);
		assert_int_equal(is_one, rows[i].text != NULL);
		if (is_one)
			assert_true(str_equal_z(cidr_address_text(arena, address), rows[i].text));
	}
	uint8_t address[CIDR_ADDRESS_BYTES];
	assert_false(cidr_address_parse((struct str){"127.0.0.1\0x", 11}, address));
	arena_free(&arena);
}

static void a_socket_has_an_address(void **state)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(80)};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = htons(443)};
	const struct sockaddr_un un = {.sun_family = AF_UNIX};
	uint8_t address[CIDR_ADDRESS_BYTES];
	uint16_t port = 0;
	(void)state;
	inet_pton(AF_INET, "10.0.0.1", &in.sin_addr);
	inet_pton(AF_INET6, "2001:db8::1", &in6.sin6_addr);
	assert_true(cidr_address_of_socket((const struct sockaddr *)&in, address, &port));
	assert_true(cidr_address_is_v4(address) && port == 80);
	assert_true(cidr_address_of_socket((const struct sockaddr *)&in6, address, &port));
	assert_true(!cidr_address_is_v4(address) && port == 443);
	assert_true(cidr_address_of_socket((const struct sockaddr *)&in6, address, NULL));
	assert_false(cidr_address_of_socket((const struct sockaddr *)&un, address, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_range_has_what_lies_in_it),
		cmocka_unit_test(what_is_no_range_is_named),
		cmocka_unit_test(an_address_has_one_text),
		cmocka_unit_test(a_socket_has_an_address),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
