/* SPDX-License-Identifier: Apache-2.0
 * Which address Meta is given for a file. The conversations are in tests/transcripts. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "arena.h"
#include "count_of.h"

#include "instagram_adapter.h"

#define COPY "https://posthorn.example/media/key"

struct row {
	const char *name;
	const char *url;
	const char *hosted_url;
	int64_t could_not_be_fetched;
	const char *want;
};

static const struct row rows[] = {
	{"a public name", "https://cdn.example/a.jpg?k=1&l=%20", COPY, 0,
	 "https://cdn.example/a.jpg?k=1&l=%20"},
	{"beyond ASCII", "https://cdn.example/\303\244/\346\227\245.jpg?q=\303\274", COPY, 0,
	 "https://cdn.example/%C3%A4/%E6%97%A5.jpg?q=%C3%BC"},
	{"Meta could not fetch it", "https://cdn.example/a.jpg", COPY, 1, COPY},
	{"no copy can be fetched either", "https://cdn.example/a.jpg", "", 1,
	 "https://cdn.example/a.jpg"},
	{"no copy of a private one", "http://10.0.0.1/a.jpg", "", 0, "http://10.0.0.1/a.jpg"},
	{"a public IPv4 address", "http://93.184.216.34/a.jpg", COPY, 0,
	 "http://93.184.216.34/a.jpg"},
	{"loopback", "http://127.0.0.1:8000/a.jpg", COPY, 0, COPY},
	{"10/8", "http://10.255.0.1/a.jpg", COPY, 0, COPY},
	{"172.16/12, its last", "http://172.31.255.255/a.jpg", COPY, 0, COPY},
	{"behind 172.16/12", "http://172.32.0.0/a.jpg", COPY, 0, "http://172.32.0.0/a.jpg"},
	{"192.168/16", "http://192.168.1.1/a.jpg", COPY, 0, COPY},
	{"link-local", "http://169.254.169.254/a.jpg", COPY, 0, COPY},
	{"carrier's", "http://100.64.0.1/a.jpg", COPY, 0, COPY},
	{"before carrier's", "http://100.63.255.255/a.jpg", COPY, 0, "http://100.63.255.255/a.jpg"},
	{"loopback, IPv6", "http://[::1]/a.jpg", COPY, 0, COPY},
	{"unique local, IPv6", "http://[fd00::1]/a.jpg", COPY, 0, COPY},
	{"a public IPv6 address", "http://[2606:2800:220:1::1]/a.jpg", COPY, 0,
	 "http://[2606:2800:220:1::1]/a.jpg"},
	{"localhost", "http://localhost/a.jpg", COPY, 0, COPY},
	{"a name of one house", "http://storage/a.jpg", COPY, 0, COPY},
	{"a name of one house with dots", "http://minio.storage.internal/a.jpg", COPY, 0, COPY},
	{"a name that only looks so", "http://internal.example/a.jpg", COPY, 0,
	 "http://internal.example/a.jpg"},
};

static void meta_is_given_what_it_can_reach(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct arena *arena = arena_new("addresses", 1 << 20);
		const struct env env = {.arena = arena};
		const struct media_file file = {.is_ready = true,
						.hosted_url = str_of(rows[i].hosted_url)};
		struct flow flow;
		flow_init(&flow, arena, 1);
		flow_set_int(&flow, "hosted", rows[i].could_not_be_fetched);
		const struct str got = instagram_fetch_url(&env, &flow, str_of(rows[i].url), &file);
		if (!str_equal_z(got, rows[i].want))
			fail_msg("%s: " STR_FMT, rows[i].name, STR_ARG(got));
		arena_free(&arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(meta_is_given_what_it_can_reach),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
