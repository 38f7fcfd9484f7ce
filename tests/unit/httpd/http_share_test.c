/* SPDX-License-Identifier: Apache-2.0
 * Shares of addresses: one of each address as long as something holds it, IPv6 by its network. */
#include "http_share.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "count_of.h"

static void an_address_has_one_share(void **state)
{
	static const struct {
		const char *a;
		const char *b;
		bool is_one;
	} rows[] = {
		{"192.0.2.1", "192.0.2.1", true},
		{"192.0.2.1", "192.0.2.2", false},
		{"2001:db8:1:2::1", "2001:db8:1:2:ffff::9", true},
		{"2001:db8:1:2::1", "2001:db8:1:3::1", false},
		{"2001:db8::1", "192.0.2.1", false},
		{"not an address", "not an address", true},
		{"", "", true},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct http_shares *shares = http_shares_new();
		struct http_share *a = http_share_take(shares, str_of(rows[i].a));
		struct http_share *b = http_share_take(shares, str_of(rows[i].b));
		assert_int_equal(a == b, rows[i].is_one);
		assert_int_equal(http_shares_count(shares), rows[i].is_one ? 1 : 2);
		assert_ptr_equal(http_share_find(shares, str_of(rows[i].b)), b);
		http_share_drop(shares, &a);
		assert_null(a);
		assert_ptr_equal(http_share_find(shares, str_of(rows[i].b)), b);
		http_share_drop(shares, &b);
		assert_int_equal(http_shares_count(shares), 0);
		assert_null(http_share_find(shares, str_of(rows[i].b)));
		http_share_drop(shares, &b);
		http_shares_free(&shares);
		assert_null(shares);
	}
}

static void many_addresses_come_and_go(void **state)
{
	static struct http_share *held[10000];
	struct http_shares *shares = http_shares_new();
	char text[32];
	(void)state;
	for (size_t i = 0; i < COUNT_OF(held); i++) {
		snprintf(text, sizeof(text), "10.0.%zu.%zu", i / 256, i % 256);
		held[i] = http_share_take(shares, str_of(text));
		atomic_fetch_add(&held[i]->connections, 1);
	}
	assert_int_equal(http_shares_count(shares), COUNT_OF(held));
	assert_int_equal(atomic_load(&http_share_find(shares, STR("10.0.3.7"))->connections), 1);
	for (size_t i = 0; i < COUNT_OF(held); i++)
		http_share_drop(shares, &held[(i * 7919) % COUNT_OF(held)]);
	assert_int_equal(http_shares_count(shares), 0);
	http_shares_free(&shares);
}

static void addresses_are_texts(void **state)
{
	char text[HTTP_ADDRESS_TEXT_BYTES];
	struct sockaddr_in four = {.sin_family = AF_INET};
	struct sockaddr_in6 six = {.sin6_family = AF_INET6};
	const struct sockaddr_un local = {.sun_family = AF_UNIX};
	(void)state;
	inet_pton(AF_INET, "192.0.2.1", &four.sin_addr);
	assert_true(str_equal_z(http_address_text((const void *)&four, text), "192.0.2.1"));
	inet_pton(AF_INET6, "2001:db8::1", &six.sin6_addr);
	assert_true(str_equal_z(http_address_text((const void *)&six, text), "2001:db8::1"));
	inet_pton(AF_INET6, "::ffff:192.0.2.1", &six.sin6_addr);
	assert_true(str_equal_z(http_address_text((const void *)&six, text), "192.0.2.1"));
	assert_true(str_is_empty(http_address_text((const void *)&local, text)));
	assert_true(str_is_empty(http_address_text(NULL, text)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_address_has_one_share),
		cmocka_unit_test(many_addresses_come_and_go),
		cmocka_unit_test(addresses_are_texts),
	};
	return cmocka_run_group_tests_name("shares", tests, NULL, NULL);
}
