/* SPDX-License-Identifier: Apache-2.0
 * The transport as a whole: many transfers at once, waiting and waking, the two pools, the guard at
 * the socket, redirects, and the sandbox. What a single transfer comes to is flight_test.c. */
#include "fixture.h"

#include <dlfcn.h>
#include <netdb.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <time.h>

#include "count_of.h"

/* Stands before libc's own: libcurl asks us for names. slow.example.com takes a second and a
 * half. */
static atomic_int slow_lookups;

int getaddrinfo(const char *restrict name, const char *restrict service,
		const struct addrinfo *restrict hints, struct addrinfo **restrict out)
{
	int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **) = NULL;
	*(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
	if (name != NULL && strcmp(name, "slow.example.com") == 0) {
		atomic_fetch_add(&slow_lookups, 1);
		usleep(1500000);
		atomic_fetch_sub(&slow_lookups, 1);
		name = "127.0.0.1";
	}
	return real(name, service, hints, out);
}

static int64_t elapsed_since_us(const struct timespec *start)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - start->tv_sec) * US_PER_S + (now.tv_nsec - start->tv_nsec) / 1000;
}

static size_t running(const struct fixture *f)
{
	return f->transport.ops->running(f->transport.context);
}

static void every_started_transfer_ends_once(void **state)
{
	static const char *const paths[] = {"/ok", "/close", "/chunked", "/late", "/truncated"};
	struct fixture *f = *state;
	enum { COUNT = 200 };
	unsigned seen[COUNT] = {0};
	size_t left = COUNT;
	for (size_t i = 0; i < COUNT; i++) {
		struct transfer_request request = fixture_post(f, paths[i % 5]);
		request.id = i;
		request.reach = TRANSFER_REAL;
		request.pool = i % 2 == 0 ? TRANSFER_PLATFORM : TRANSFER_MEDIA;
		request.fresh_connection = i % 3 == 0;
		transport_start(&f->transport, &request);
	}
	assert_int_equal(running(f), COUNT);
	while (left > 0) {
		struct transfer_result results[7];
		const size_t count = transport_poll(&f->transport, f->arena, 10000, results, 7);
		assert_true(count > 0);
		assert_true(count <= 7);
		for (size_t i = 0; i < count; i++) {
			const bool is_good = results[i].id % 5 == 0 || results[i].id % 5 == 2 ||
					     results[i].id % 5 == 3;
			assert_int_equal(results[i].outcome,
					 is_good ? TRANSFER_ANSWERED : TRANSFER_LOST);
			assert_int_equal(++seen[results[i].id], 1);
		}
		left -= count;
		assert_int_equal(running(f), left);
	}
}

static void open_narrow(struct fixture *f, unsigned per_host)
{
	const struct transfer_curl_config config = {
		.guard = f->guard,
		.clock = &f->clock,
		.connections_per_share_max = per_host,
		.resolve = fixture_resolve,
	};
	transfer_curl_close(&f->curl);
	assert_int_equal(transfer_curl_open(&config, &f->curl, NULL), ERR_NONE);
	f->transport = transfer_curl_transport(f->curl);
}

static void a_host_has_no_more_connections_than_allowed(void **state)
{
	struct fixture *f = *state;
	size_t left = 12;
	open_narrow(f, 3);
	for (size_t i = 0; i < left; i++) {
		struct transfer_request request = fixture_post(f, "/late");
		request.fresh_connection = i % 2 == 0;
		transport_start(&f->transport, &request);
	}
	while (left > 0) {
		struct transfer_result results[4];
		const size_t count = transport_poll(&f->transport, f->arena, 10000, results, 4);
		assert_true(count > 0);
		left -= count;
		assert_int_equal(running(f), left);
	}
	assert_int_equal(lying_requests(f->server), 12);
	assert_int_equal(f->server->most_late, 3);
}

/* Three that hang hold the host's places; the others never get to it, and say so in their time.
 * Another host is not held up. */
static void who_waits_for_a_place_is_in_time_too(void **state)
{
	struct fixture *f = *state;
	struct transfer_result results[10];
	struct timespec start;
	size_t count = 0;
	open_narrow(f, 3);
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (size_t i = 0; i < 6; i++) {
		struct transfer_request request = fixture_post(f, "/silent");
		request.timeout_ms = i < 3 ? 60000 : 200;
		transport_start(&f->transport, &request);
	}
	struct transfer_request other = fixture_get(f, "other.example.com", "/ok");
	other.reach = TRANSFER_REAL;
	other.pool = TRANSFER_PLATFORM;
	transport_start(&f->transport, &other);
	while (count < 4)
		count +=
			transport_poll(&f->transport, f->arena, 10000, results + count, 10 - count);
	assert_true(elapsed_since_us(&start) < 20 * US_PER_S);
	assert_int_equal(results[0].id, other.id);
	fixture_expect(&results[0], TRANSFER_ANSWERED, TRANSFER_OK);
	for (size_t i = 1; i < 4; i++)
		fixture_expect(&results[i], TRANSFER_NEVER_SENT, TRANSFER_TIMED_OUT);
	assert_int_equal(running(f), 3);
}

static void failures_are_results_too_and_come_later(void **state)
{
	struct fixture *f = *state;
	struct transfer_request request = fixture_post(f, "/ok");
	struct transfer_result result;
	request.url = STR("gopher://x/");
	transport_start(&f->transport, &request);
	assert_int_equal(running(f), 1);
	assert_int_equal(transport_poll(&f->transport, f->arena, 0, &result, 1), 1);
	fixture_expect(&result, TRANSFER_NEVER_SENT, TRANSFER_OTHER);
	assert_int_equal(running(f), 0);
}

static void poll_without_time_does_not_wait(void **state)
{
	struct fixture *f = *state;
	struct timespec start;
	struct transfer_result result;
	const struct transfer_request request = fixture_post(f, "/silent");
	transport_start(&f->transport, &request);
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (int i = 0; i < 10; i++)
		assert_int_equal(transport_poll(&f->transport, f->arena, 0, &result, 1), 0);
	assert_true(elapsed_since_us(&start) < 2 * US_PER_S);
}

static void *wake_soon(void *context)
{
	const struct fixture *f = context;
	usleep(50000);
	transport_wake(&f->transport);
	return NULL;
}

static void wake_ends_a_wait(void **state)
{
	struct fixture *f = *state;
	struct timespec start;
	struct transfer_result result;
	pthread_t thread;
	clock_gettime(CLOCK_MONOTONIC, &start);
	pthread_create(&thread, NULL, wake_soon, f);
	assert_int_equal(transport_poll(&f->transport, f->arena, 60000, &result, 1), 0);
	pthread_join(thread, NULL);
	transport_wake(&f->transport); /* before a poll it counts as well, and many count as one */
	transport_wake(&f->transport);
	assert_int_equal(transport_poll(&f->transport, f->arena, 60000, &result, 1), 0);
	assert_true(elapsed_since_us(&start) < 20 * US_PER_S);
	clock_gettime(CLOCK_MONOTONIC, &start);
	assert_int_equal(transport_poll(&f->transport, f->arena, 50, &result, 1), 0);
	assert_true(elapsed_since_us(&start) >= 50 * US_PER_MS);
}

static int64_t cpu_us(void)
{
	struct rusage usage;
	getrusage(RUSAGE_THREAD, &usage);
	return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * US_PER_S + usage.ru_utime.tv_usec +
	       usage.ru_stime.tv_usec;
}

/* With connections kept in both pools, one of them closed by the other side, and with a transfer
 * that hangs. */
static void waiting_costs_nothing(void **state)
{
	struct fixture *f = *state;
	struct transfer_result result;
	struct transfer_request request = fixture_post(f, "/ok");
	fixture_call(f, &request);
	request = fixture_get(f, PUBLIC_IP, "/ok");
	fixture_call(f, &request);
	for (int i = 0; i < 3; i++) {
		const int64_t before_us = cpu_us();
		if (i == 1)
			lying_stop(&f->server);
		assert_int_equal(transport_poll(&f->transport, f->arena, 300, &result, 1), 0);
		assert_true(cpu_us() - before_us < 150 * US_PER_MS);
		if (i == 1) {
			f->server = lying_start(PUBLIC_IP);
			request = fixture_post(f, "/silent");
			transport_start(&f->transport, &request);
		}
	}
}

static void results_wait_for_an_arena_with_room(void **state)
{
	struct fixture *f = *state;
	struct transfer_result results[4];
	size_t left = 4;
	for (size_t i = 0; i < 4; i++) {
		const struct transfer_request request = fixture_post(f, "/ok");
		transport_start(&f->transport, &request);
	}
	/* Asked for none, the transport works on and keeps what has ended. */
	for (int i = 0; i < 100; i++) {
		assert_int_equal(transport_poll(&f->transport, f->arena, 5, results, 0), 0);
		usleep(1000);
	}
	while (left > 0) {
		struct arena *small = arena_new("small", 700);
		const size_t count = transport_poll(&f->transport, small, 5000, results, 4);
		assert_true(count >= 1 && count < 4);
		for (size_t i = 0; i < count; i++)
			fixture_expect(&results[i], TRANSFER_ANSWERED, TRANSFER_OK);
		left -= count;
		arena_free(&small);
	}
	const struct transfer_request request = fixture_post(f, "/ok");
	struct arena *tiny = arena_new("tiny", 16);
	transport_start(&f->transport, &request);
	while (transport_poll(&f->transport, tiny, 1000, results, 1) == 0)
		continue;
	fixture_expect(&results[0], TRANSFER_LOST, TRANSFER_TOO_LARGE);
	arena_free(&tiny);
}

static void closing_ends_what_runs(void **state)
{
	struct fixture *f = *state;
	open_narrow(f, 2); /* so that some still wait */
	for (int i = 0; i < 20; i++) {
		struct transfer_request request = fixture_post(f, i % 2 == 0 ? "/silent" : "/ok");
		struct transfer_result result;
		request.reach = TRANSFER_REAL;
		request.pool = i % 4 < 2 ? TRANSFER_PLATFORM : TRANSFER_MEDIA;
		transport_start(&f->transport, &request);
		(void)transport_poll(&f->transport, f->arena, 0, &result, 0);
	}
	transfer_curl_close(&f->curl);
	assert_null(f->curl);
	transfer_curl_close(&f->curl);
}

/* Connections made for a platform stand open to the very address; a customer's transfer must not
 * get one. */
static void pools_share_no_connection(void **state)
{
	struct fixture *f = *state;
	struct transfer_request request = fixture_post(f, "/ok");
	fixture_call(f, &request);
	assert_int_equal(lying_connections(f->server), 1);
	request = fixture_get(f, PUBLIC_IP, "/ok");
	fixture_call(f, &request);
	assert_int_equal(lying_connections(f->server), 2);
	request = fixture_get(f, PUBLIC_IP, "/ok");
	fixture_call(f, &request);
	assert_int_equal(lying_connections(f->server), 2);
}

static void the_guard_stands_at_the_socket(void **state)
{
	static const struct {
		const char *host;
		enum transfer_outcome outcome;
		enum transfer_problem problem;
	} rows[] = {
		{"media.example.com", TRANSFER_ANSWERED, TRANSFER_OK},
		{PUBLIC_IP, TRANSFER_ANSWERED, TRANSFER_OK},
		{"127.0.0.1", TRANSFER_NEVER_SENT, TRANSFER_REFUSED_BY_GUARD},
		{"localhost", TRANSFER_NEVER_SENT, TRANSFER_NAME_NOT_RESOLVED},
		{"private.example.com", TRANSFER_NEVER_SENT, TRANSFER_REFUSED_BY_GUARD},
		{"metadata.example.com", TRANSFER_NEVER_SENT, TRANSFER_REFUSED_BY_GUARD},
		{"mapped.example.com", TRANSFER_NEVER_SENT, TRANSFER_REFUSED_BY_GUARD},
		{"mixed.example.com", TRANSFER_NEVER_SENT, TRANSFER_REFUSED_BY_GUARD},
		{"none.example.com", TRANSFER_NEVER_SENT, TRANSFER_NAME_NOT_RESOLVED},
		{"[::1]", TRANSFER_NEVER_SENT, TRANSFER_REFUSED_BY_GUARD},
		{"[::ffff:127.0.0.1]", TRANSFER_NEVER_SENT, TRANSFER_REFUSED_BY_GUARD},
		{"2130706433", TRANSFER_NEVER_SENT, TRANSFER_REFUSED_BY_GUARD},
		{"x@" PUBLIC_IP, TRANSFER_NEVER_SENT, TRANSFER_REFUSED_BY_GUARD},
	};
	struct fixture *f = *state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct transfer_request request = fixture_get(f, rows[i].host, "/ok");
		print_message("%s\n", rows[i].host);
		const struct transfer_result result = fixture_call(f, &request);
		fixture_expect(&result, rows[i].outcome, rows[i].problem);
	}
	assert_int_equal(lying_requests(f->server), 2);
}

static const char *resolve_by_system(void *context, const char *host)
{
	(void)context;
	(void)host;
	return NULL;
}

static void open_with_system_names(struct fixture *f)
{
	const struct transfer_curl_config config = {
		.guard = f->guard,
		.clock = &f->clock,
		.resolve = resolve_by_system,
	};
	transfer_curl_close(&f->curl);
	assert_int_equal(transfer_curl_open(&config, &f->curl, NULL), ERR_NONE);
	f->transport = transfer_curl_transport(f->curl);
}

/* Here nothing but libcurl has seen the address before the socket is asked for: a server on
 * 127.0.0.1 that would answer. */
static void a_real_name_of_loopback_is_refused_at_the_socket(void **state)
{
	struct fixture *f = *state;
	struct lying_server *inside = lying_start("127.0.0.1");
	open_with_system_names(f);
	struct transfer_request request = fixture_get(f, "", "");
	request.url = str_format(f->arena, "http://localhost:%u/ok", inside->port);
	struct transfer_result result = fixture_call(f, &request);
	fixture_expect(&result, TRANSFER_NEVER_SENT, TRANSFER_REFUSED_BY_GUARD);
	request.id++;
	request.reach = TRANSFER_REAL;
	request.pool = TRANSFER_PLATFORM; /* which proves that it would have answered */
	result = fixture_call(f, &request);
	fixture_expect(&result, TRANSFER_ANSWERED, TRANSFER_OK);
	assert_int_equal(lying_connections(inside), 1); /* one before would be accepted before */
	lying_stop(&inside);
}

/* A customer's name server may take its time; the engine's thread must not wait for it, neither
 * when the transfer's time is up nor when all is closed. */
static void a_slow_name_holds_nobody_up(void **state)
{
	struct fixture *f = *state;
	struct timespec start;
	open_with_system_names(f);
	struct transfer_request request = fixture_get(f, "", "");
	request.url = STR("http://slow.example.com/");
	request.timeout_ms = 100;
	clock_gettime(CLOCK_MONOTONIC, &start);
	const struct transfer_result result = fixture_call(f, &request);
	fixture_expect(&result, TRANSFER_NEVER_SENT, TRANSFER_TIMED_OUT);
	request.id++;
	request.timeout_ms = 60000;
	struct transfer_result none;
	transport_start(&f->transport, &request);
	assert_int_equal(transport_poll(&f->transport, f->arena, 50, &none, 1), 0);
	assert_true(atomic_load(&slow_lookups) > 0);
	transfer_curl_close(&f->curl);
	assert_true(elapsed_since_us(&start) < US_PER_S);
	assert_true(atomic_load(&slow_lookups) > 0);
	while (atomic_load(&slow_lookups) > 0) /* libcurl's threads end by themselves */
		usleep(10000);
	usleep(100000);
}

static const char *resolve_in_turn(void *context, const char *host)
{
	(void)host;
	struct fixture *f = context;
	f->boot_us++;
	return f->boot_us % 2 == 1 ? PUBLIC_IP : "127.0.0.1";
}

/* The first fetch's connection is closed by the server: the second must connect anew. */
static void rebinding_is_refused(void **state)
{
	struct fixture *f = *state;
	const struct transfer_curl_config config = {
		.guard = f->guard,
		.clock = &f->clock,
		.resolve = resolve_in_turn,
		.resolve_context = f,
	};
	transfer_curl_close(&f->curl);
	assert_int_equal(transfer_curl_open(&config, &f->curl, NULL), ERR_NONE);
	f->transport = transfer_curl_transport(f->curl);
	struct transfer_request request = fixture_get(f, "rebind.example.com", "/until-close");
	struct transfer_result result = fixture_call(f, &request);
	fixture_expect(&result, TRANSFER_ANSWERED, TRANSFER_OK);
	request.id++;
	result = fixture_call(f, &request);
	fixture_expect(&result, TRANSFER_NEVER_SENT, TRANSFER_REFUSED_BY_GUARD);
}

/* Behind a proxy the guard would see the proxy's address only. */
static void the_environments_proxy_is_not_used(void **state)
{
	static const char *const names[] = {"http_proxy", "https_proxy", "all_proxy", "ALL_PROXY"};
	struct fixture *f = *state;
	for (size_t i = 0; i < 4; i++)
		setenv(names[i], "http://127.0.0.1:1", 1);
	struct transfer_request request = fixture_get(f, PUBLIC_IP, "/ok");
	struct transfer_result result = fixture_call(f, &request);
	fixture_expect(&result, TRANSFER_ANSWERED, TRANSFER_OK);
	request = fixture_post(f, "/ok");
	result = fixture_call(f, &request);
	fixture_expect(&result, TRANSFER_ANSWERED, TRANSFER_OK);
	for (size_t i = 0; i < 4; i++)
		unsetenv(names[i]);
}

static void without_a_guard_customers_reach_nothing(void **state)
{
	struct fixture *f = *state;
	const struct transfer_curl_config config = {.clock = &f->clock};
	transfer_curl_close(&f->curl);
	assert_int_equal(transfer_curl_open(&config, &f->curl, NULL), ERR_NONE);
	f->transport = transfer_curl_transport(f->curl);
	const struct transfer_request request = fixture_get(f, PUBLIC_IP, "/ok");
	const struct transfer_result result = fixture_call(f, &request);
	fixture_expect(&result, TRANSFER_NEVER_SENT, TRANSFER_REFUSED_BY_GUARD);
}

/* The hop= lines of ssrf_urls.txt that a socket decides, and the forms of Location. %u is the
 * server's port. */
static void redirects_are_followed_only_where_allowed(void **state)
{
	static const struct {
		int status;
		const char *location;
		int redirects_max;
		enum transfer_outcome outcome;
		enum transfer_problem problem;
		unsigned requests;
	} rows[] = {
		{302, "http://other.example.com:%u/ok", 3, TRANSFER_ANSWERED, TRANSFER_OK, 2},
		{301, "/ok", 3, TRANSFER_ANSWERED, TRANSFER_OK, 2},
		{303, "ok?a=1", 3, TRANSFER_ANSWERED, TRANSFER_OK, 2},
		{307, "//other.example.com:%u/ok", 3, TRANSFER_ANSWERED, TRANSFER_OK, 2},
		{308, "/404", 3, TRANSFER_ANSWERED, TRANSFER_OK, 2},
		{308, "/ok", 0, TRANSFER_ANSWERED, TRANSFER_OK, 1},
		{304, "/ok", 3, TRANSFER_ANSWERED, TRANSFER_OK, 1},
		{302, "/truncated", 3, TRANSFER_LOST, TRANSFER_CONNECTION_BROKEN, 2},
		{301, "http://127.0.0.1:%u/ok", 3, TRANSFER_LOST, TRANSFER_REFUSED_BY_GUARD, 1},
		{302, "http://169.254.169.254/", 3, TRANSFER_LOST, TRANSFER_REFUSED_BY_GUARD, 1},
		{303, "http://[::1]/", 3, TRANSFER_LOST, TRANSFER_REFUSED_BY_GUARD, 1},
		{307, "http://2130706433/", 3, TRANSFER_LOST, TRANSFER_REFUSED_BY_GUARD, 1},
		{308, "http://10.0.0.5:8080/", 3, TRANSFER_LOST, TRANSFER_REFUSED_BY_GUARD, 1},
		{302, "file:///etc/passwd", 3, TRANSFER_LOST, TRANSFER_REFUSED_BY_GUARD, 1},
		{302, "gopher://127.0.0.1:6379/_X", 3, TRANSFER_LOST, TRANSFER_REFUSED_BY_GUARD, 1},
		{302, "//127.0.0.1/", 3, TRANSFER_LOST, TRANSFER_REFUSED_BY_GUARD, 1},
		{302, "http://x:y@media.example.com:%u/ok", 3, TRANSFER_LOST,
		 TRANSFER_REFUSED_BY_GUARD, 1},
		{302, "http://private.example.com:%u/ok", 3, TRANSFER_LOST,
		 TRANSFER_REFUSED_BY_GUARD, 1},
		{302, "http://none.example.com/", 3, TRANSFER_LOST, TRANSFER_NAME_NOT_RESOLVED, 1},
		{302, "http://media.example.com\\@127.0.0.1/", 3, TRANSFER_LOST,
		 TRANSFER_REFUSED_BY_GUARD, 1},
		{302, "/redirect", 3, TRANSFER_LOST, TRANSFER_BAD_REDIRECT, 4},
		{302, "", 3, TRANSFER_LOST, TRANSFER_BAD_REDIRECT, 1},
		{302, "http://", 3, TRANSFER_LOST, TRANSFER_REFUSED_BY_GUARD, 1},
	};
	struct fixture *f = *state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct transfer_request request = fixture_get(f, "media.example.com", "/redirect");
		const unsigned before = lying_requests(f->server);
		const char *mark = strstr(rows[i].location, "%u");
		const int head = mark != NULL ? (int)(mark - rows[i].location) : 400;
		char port[8] = "";
		if (mark != NULL)
			snprintf(port, sizeof(port), "%u", f->server->port);
		snprintf(f->server->location, sizeof(f->server->location), "%.*s%s%s", head,
			 rows[i].location, port, mark != NULL ? mark + 2 : "");
		f->server->redirect_status = rows[i].status;
		request.redirects_max = rows[i].redirects_max;
		print_message("%d %s\n", rows[i].status, f->server->location);
		const struct transfer_result result = fixture_call(f, &request);
		fixture_expect(&result, rows[i].outcome, rows[i].problem);
		assert_int_equal(lying_requests(f->server) - before, rows[i].requests);
	}
}

static void a_redirected_fetch_saves_the_last_body_only(void **state)
{
	struct fixture *f = *state;
	char path[] = "/tmp/transfer_test.XXXXXX";
	char saved[64] = "";
	const int fd = mkstemp(path);
	struct transfer_request request = fixture_get(f, "media.example.com", "/redirect");
	snprintf(f->server->location, sizeof(f->server->location), "/ok");
	request.redirects_max = 1;
	request.save_path = path;
	request.fresh_connection = true; /* a hop of its own is no second sending */
	request.response_max_bytes = 8;  /* holds for each hop */
	const struct transfer_result result = fixture_call(f, &request);
	fixture_expect(&result, TRANSFER_ANSWERED, TRANSFER_OK);
	assert_int_equal(result.received_bytes, 8);
	assert_int_equal(pread(fd, saved, sizeof(saved), 0), 8);
	assert_string_equal(saved, "{\"ok\":1}");
	close(fd);
	unlink(path);
}

static void headers_do_not_follow_to_a_stranger(void **state)
{
	static const struct transfer_header headers[] = {{{"Authorization", 13}, {"Bearer t", 8}}};
	static const struct {
		const char *host;
		bool keeps;
	} rows[] = {{"media.example.com", true}, {"other.example.com", false}};
	struct fixture *f = *state;
	for (size_t i = 0; i < 2; i++) {
		struct transfer_request request = fixture_get(f, "media.example.com", "/redirect");
		snprintf(f->server->location, sizeof(f->server->location), "http://%s:%u/ok",
			 rows[i].host, f->server->port);
		request.redirects_max = 1;
		request.headers = headers;
		request.header_count = 1;
		const struct transfer_result result = fixture_call(f, &request);
		fixture_expect(&result, TRANSFER_ANSWERED, TRANSFER_OK);
		assert_int_equal(strstr(f->server->last, "Bearer t") != NULL, rows[i].keeps);
	}
}

static void platforms_redirects_are_answers(void **state)
{
	struct fixture *f = *state;
	struct transfer_request request = fixture_get(f, PUBLIC_IP, "/redirect");
	snprintf(f->server->location, sizeof(f->server->location), "/ok");
	f->server->redirect_status = 307;
	request.reach = TRANSFER_REAL;
	request.pool = TRANSFER_PLATFORM;
	request.redirects_max = 3;
	const struct transfer_result result = fixture_call(f, &request);
	fixture_expect(&result, TRANSFER_ANSWERED, TRANSFER_OK);
	assert_int_equal(result.status, 307);
	assert_true(str_equal_z(fixture_header(&result, "location"), "/ok"));
	assert_int_equal(lying_requests(f->server), 1);
}

/* Whatever address a test app's call names, the server of this fixture, which answers for every
 * name, is never asked: without the socket nothing is. */
static void a_test_apps_call_has_one_way(void **state)
{
	struct fixture *f = *state;
	static const char *const urls[] = {"https://api.x.com/2/tweets", "http://127.0.0.1/",
					   "http://sandbox/api.x.com/"};
	fixture_open(f, NULL);
	transfer_curl_set_test_url(f->curl, "http://127.0.0.1:9/sandbox");
	for (size_t i = 0; i <= sizeof(urls) / sizeof(urls[0]); i++) {
		struct transfer_request request = fixture_post(f, "/ok");
		if (i < sizeof(urls) / sizeof(urls[0]))
			request.url = str_of(urls[i]);
		request.reach = TRANSFER_TEST;
		request.owner = STR("app");
		const struct transfer_result result = fixture_call(f, &request);
		assert_int_equal(result.outcome, TRANSFER_NEVER_SENT);
	}
	struct transfer_request nobodys = fixture_post(f, "/ok");
	nobodys.reach = TRANSFER_NOWHERE;
	const struct transfer_result result = fixture_call(f, &nobodys);
	assert_int_equal(result.outcome, TRANSFER_NEVER_SENT);
	assert_int_equal(lying_requests(f->server), 0);
}

static void in_sandbox_mode_nothing_leaves_for_elsewhere(void **state)
{
	struct fixture *f = *state;
	const char *sandbox = str_z(f->arena, fixture_url(f, PUBLIC_IP, ""));
	fixture_open(f, sandbox);
	struct transfer_request request = fixture_post(f, "");
	request.url = STR("https://api.x.com/2/tweets?a=b");
	struct transfer_result result = fixture_call(f, &request);
	assert_int_equal(result.outcome, TRANSFER_ANSWERED);
	assert_ptr_equal(strstr(f->server->last, "POST /api.x.com/2/tweets?a=b HTTP/1.1"),
			 f->server->last);
	request = fixture_post(f, "/ok"); /* the sandbox's own URL stays as it is */
	result = fixture_call(f, &request);
	fixture_expect(&result, TRANSFER_ANSWERED, TRANSFER_OK);
	const unsigned before = lying_requests(f->server);
	request = fixture_post(f, "");
	request.url = STR("http://api.x.com/2/tweets");
	result = fixture_call(f, &request);
	fixture_expect(&result, TRANSFER_NEVER_SENT, TRANSFER_OTHER);
	assert_int_equal(lying_requests(f->server), before);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_started_transfer_ends_once),
		TEST(a_host_has_no_more_connections_than_allowed),
		TEST(who_waits_for_a_place_is_in_time_too),
		TEST(failures_are_results_too_and_come_later),
		TEST(poll_without_time_does_not_wait),
		TEST(wake_ends_a_wait),
		TEST(waiting_costs_nothing),
		TEST(results_wait_for_an_arena_with_room),
		TEST(closing_ends_what_runs),
		TEST(pools_share_no_connection),
		TEST(the_guard_stands_at_the_socket),
		TEST(a_real_name_of_loopback_is_refused_at_the_socket),
		TEST(a_slow_name_holds_nobody_up),
		TEST(rebinding_is_refused),
		TEST(the_environments_proxy_is_not_used),
		TEST(without_a_guard_customers_reach_nothing),
		TEST(redirects_are_followed_only_where_allowed),
		TEST(a_redirected_fetch_saves_the_last_body_only),
		TEST(headers_do_not_follow_to_a_stranger),
		TEST(platforms_redirects_are_answers),
		TEST(a_test_apps_call_has_one_way),
		TEST(in_sandbox_mode_nothing_leaves_for_elsewhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
