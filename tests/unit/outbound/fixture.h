/* SPDX-License-Identifier: Apache-2.0
 * What the tests of the transport share: a lying server on 127.0.0.2, which the guard is told to
 * allow while 127.0.0.1 stays forbidden, a transport, and one-call conveniences. */
#pragma once

#include "transfer_curl.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "arena.h"
#include "clock.h"
#include "count_of.h"

#include "lying_server.h"

#define PUBLIC_IP "127.0.0.2"

struct fixture {
	struct arena *arena;
	struct lying_server *server;
	struct guard *guard;
	struct transfer_curl *curl;
	struct transport transport;
	/* A clock that stands at boot_us, and jumps by step_us with every look. */
	struct clock clock;
	int64_t boot_us;
	int64_t step_us;
	uint64_t next_id;
};

static int64_t fixture_boot_us(void *context)
{
	struct fixture *f = context;
	const int64_t now_us = f->boot_us;
	f->boot_us += f->step_us;
	return now_us;
}

/* Names stand for addresses: "a-10-0-0-5.example.com" resolves to 10.0.0.5, "none" to nothing,
 * "two" to a good and a bad one. */
static const char *fixture_resolve(void *context, const char *host)
{
	(void)context;
	static const struct {
		const char *host;
		const char *addresses;
	} names[] = {
		{"media.example.com", PUBLIC_IP},
		{"other.example.com", PUBLIC_IP},
		{"private.example.com", "127.0.0.1"},
		{"metadata.example.com", "169.254.169.254"},
		{"mapped.example.com", "::ffff:169.254.169.254"},
		{"mixed.example.com", PUBLIC_IP ",10.0.0.5"},
		{"none.example.com", ""},
	};
	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (strcmp(names[i].host, host) == 0)
			return names[i].addresses;
	return "";
}

static inline void fixture_open(struct fixture *f, const char *sandbox_url)
{
	const struct transfer_curl_config config = {
		.sandbox_url = sandbox_url,
		.guard = f->guard,
		.clock = &f->clock,
		.user_agent = "Posthorn/test",
		.resolve = fixture_resolve,
		.resolve_context = f,
	};
	transfer_curl_close(&f->curl);
	assert_int_equal(transfer_curl_open(&config, &f->curl, NULL), ERR_NONE);
	f->transport = transfer_curl_transport(f->curl);
}

static int fixture_set_up(void **state)
{
	static const char *const allow[] = {PUBLIC_IP "/32"};
	const struct guard_config guard = {.allow_cidrs = allow, .allow_cidr_count = 1};
	struct fixture *f = calloc(1, sizeof(*f));
	f->arena = arena_new("test", 32 << 20);
	f->server = lying_start(PUBLIC_IP);
	f->clock = (struct clock){fixture_boot_us, fixture_boot_us, f};
	f->boot_us = 1000;
	assert_int_equal(guard_new(&guard, &f->guard, NULL), ERR_NONE);
	fixture_open(f, NULL);
	*state = f;
	return 0;
}

static int fixture_tear_down(void **state)
{
	struct fixture *f = *state;
	transfer_curl_close(&f->curl);
	guard_free(&f->guard);
	lying_stop(&f->server);
	arena_free(&f->arena);
	free(f);
	return 0;
}

static inline struct str fixture_url(struct fixture *f, const char *host, const char *path)
{
	return str_format(f->arena, "http://%s:%u%s", host, f->server->port, path);
}

/* A POST of {"a":1} to the server. */
static inline struct transfer_request fixture_post(struct fixture *f, const char *path)
{
	return (struct transfer_request){
		.id = ++f->next_id,
		.pool = TRANSFER_PLATFORM,
		.reach = TRANSFER_REAL,
		.method = "POST",
		.url = fixture_url(f, PUBLIC_IP, path),
		.body = STR("{\"a\":1}"),
		.timeout_ms = 5000,
	};
}

static inline struct transfer_request fixture_get(struct fixture *f, const char *host,
						  const char *path)
{
	return (struct transfer_request){
		.id = ++f->next_id,
		.pool = TRANSFER_MEDIA,
		.method = "GET",
		.url = fixture_url(f, host, path),
		.timeout_ms = 5000,
	};
}

/* Starts it and waits for its result; nothing else is running. */
static inline struct transfer_result fixture_call(struct fixture *f,
						  const struct transfer_request *request)
{
	struct transfer_result result = {0};
	size_t count = 0;
	transport_start(&f->transport, request);
	for (int i = 0; i < 600 && count == 0; i++)
		count = transport_poll(&f->transport, f->arena, 100, &result, 1);
	assert_int_equal(count, 1);
	assert_int_equal(result.id, request->id);
	assert_int_equal(f->transport.ops->running(f->transport.context), 0);
	return result;
}

static inline struct str fixture_header(const struct transfer_result *result, const char *name)
{
	for (size_t i = 0; i < result->header_count; i++)
		if (str_equal_nocase(result->headers[i].name, str_of(name)))
			return result->headers[i].value;
	return (struct str){0};
}

static inline void fixture_expect(const struct transfer_result *result,
				  enum transfer_outcome outcome, enum transfer_problem problem)
{
	if (result->outcome != outcome || result->problem != problem)
		print_message("outcome %d, problem %d, status %d: " STR_FMT "\n",
			      (int)result->outcome, (int)result->problem, result->status,
			      STR_ARG(result->error_text));
	assert_int_equal(result->outcome, outcome);
	assert_int_equal(result->problem, problem);
	assert_int_equal(str_is_empty(result->error_text), outcome == TRANSFER_ANSWERED);
	assert_int_equal(result->status != 0, outcome == TRANSFER_ANSWERED);
}
