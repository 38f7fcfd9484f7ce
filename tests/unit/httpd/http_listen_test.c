/* SPDX-License-Identifier: Apache-2.0
 * Reading listen addresses and binding them. Unix sockets and addresses in use are in
 * httpd_test.c. */
#include "http_listen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "count_of.h"

static void addresses_are_read_strictly(void **state)
{
	static const struct {
		const char *address;
		enum err_kind kind;
		const char *url; /* up to the port */
	} rows[] = {
		{"127.0.0.1:0", ERR_NONE, "http://127.0.0.1:"},
		{"localhost:0", ERR_NONE, "http://localhost:"},
		{"0.0.0.0:0", ERR_NONE, "http://0.0.0.0:"},
		{"", ERR_INVALID, ""},
		{"127.0.0.1", ERR_INVALID, ""},
		{"127.0.0.1:", ERR_INVALID, ""},
		{":8080", ERR_INVALID, ""},
		{"127.0.0.1:-1", ERR_INVALID, ""},
		{"127.0.0.1:65536", ERR_INVALID, ""},
		{"127.0.0.1:80x", ERR_INVALID, ""},
		{"127.0.0.1: 80", ERR_INVALID, ""},
		{"::1:8080", ERR_INVALID, ""},
		{"[::1]", ERR_INVALID, ""},
		{"[]:80", ERR_INVALID, ""},
		{"256.1.1.1.1:0", ERR_INVALID, ""},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct listening listening = {.fd = -1};
		struct error err = {0};
		const enum err_kind kind = http_listen_tcp(rows[i].address, &listening, &err);
		if (kind != rows[i].kind)
			print_error("%s: %d %s\n", rows[i].address, (int)kind, err.text);
		assert_int_equal(kind, rows[i].kind);
		if (kind == ERR_NONE) {
			char url[64];
			snprintf(url, sizeof(url), "%s%u", rows[i].url, (unsigned)listening.port);
			assert_string_equal(listening.base_url, url);
			assert_true(listening.port != 0);
			close(listening.fd);
		} else {
			assert_true(strlen(err.text) > 0);
			assert_int_equal(listening.fd, -1);
		}
	}
}

/* Where the machine has no IPv6 this binds nothing; the address must be readable all the same. */
static void ipv6_stands_in_brackets(void **state)
{
	struct listening listening = {.fd = -1};
	struct error err = {0};
	(void)state;
	const enum err_kind kind = http_listen_tcp("[::1]:0", &listening, &err);
	if (kind != ERR_NONE) {
		assert_int_equal(kind, ERR_TEMPORARY);
		return;
	}
	assert_memory_equal(listening.base_url, "http://[::1]:", 13);
	close(listening.fd);
}

static void unix_paths_have_a_length(void **state)
{
	char path[300];
	struct listening listening = {.fd = -1};
	struct error err = {0};
	(void)state;
	memset(path, 'a', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(http_listen_unix(path, &listening, &err), ERR_INVALID);
	assert_int_equal(http_listen_unix("", &listening, &err), ERR_INVALID);
	assert_int_equal(http_listen_unix("/nowhere/at/all", &listening, &err), ERR_TEMPORARY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(addresses_are_read_strictly),
		cmocka_unit_test(ipv6_stands_in_brackets),
		cmocka_unit_test(unix_paths_have_a_length),
	};
	return cmocka_run_group_tests_name("http_listen", tests, NULL, NULL);
}
