/* SPDX-License-Identifier: Apache-2.0
 * What one transfer comes to, against a server that lies: whole answers, broken ones, none; that a
 * request which must leave once is received once; and what stands in the request. The waiting, the
 * pools and the guard are transfer_curl_test.c. */
#include "fixture.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "count_of.h"

static void answers_are_told_from_losses(void **state)
{
	static const struct {
		const char *path;
		enum transfer_outcome outcome;
		enum transfer_problem problem;
		int status;
		const char *body;
	} rows[] = {
		{"/ok", TRANSFER_ANSWERED, TRANSFER_OK, 200, "{\"ok\":1}"},
		{"/chunked", TRANSFER_ANSWERED, TRANSFER_OK, 200, "{}"},
		{"/until-close", TRANSFER_ANSWERED, TRANSFER_OK, 200, "{}"},
		{"/interim", TRANSFER_ANSWERED, TRANSFER_OK, 200, "{\"ok\":1}"},
		{"/gzip", TRANSFER_ANSWERED, TRANSFER_OK, 200, "\x1f\x8bxy"},
		{"/500", TRANSFER_ANSWERED, TRANSFER_OK, 500, "oops!"},
		{"/404", TRANSFER_ANSWERED, TRANSFER_OK, 404, "not here!"},
		{"/204", TRANSFER_ANSWERED, TRANSFER_OK, 204, ""},
		{"/417", TRANSFER_ANSWERED, TRANSFER_OK, 417, ""},
		{"/close", TRANSFER_LOST, TRANSFER_CONNECTION_BROKEN, 0, ""},
		{"/reset", TRANSFER_LOST, TRANSFER_CONNECTION_BROKEN, 0, ""},
		{"/truncated", TRANSFER_LOST, TRANSFER_CONNECTION_BROKEN, 0, ""},
		{"/truncated-by-reset", TRANSFER_LOST, TRANSFER_CONNECTION_BROKEN, 0, ""},
		{"/cut-status", TRANSFER_LOST, TRANSFER_CONNECTION_BROKEN, 0, ""},
		{"/cut-header", TRANSFER_LOST, TRANSFER_CONNECTION_BROKEN, 0, ""},
		{"/cut-before-blank-line", TRANSFER_LOST, TRANSFER_CONNECTION_BROKEN, 0, ""},
		{"/cut-chunk", TRANSFER_LOST, TRANSFER_CONNECTION_BROKEN, 0, ""},
		{"/cut-before-last-chunk", TRANSFER_LOST, TRANSFER_CONNECTION_BROKEN, 0, ""},
		{"/bad-chunk", TRANSFER_LOST, TRANSFER_CONNECTION_BROKEN, 0, ""},
		{"/only-interim", TRANSFER_LOST, TRANSFER_CONNECTION_BROKEN, 0, ""},
		{"/endless-interim", TRANSFER_LOST, TRANSFER_TOO_LARGE, 0, ""},
		{"/huge-header", TRANSFER_LOST, TRANSFER_TOO_LARGE, 0, ""},
		{"/endless-body", TRANSFER_LOST, TRANSFER_TOO_LARGE, 0, ""},
		{"/announces-much", TRANSFER_LOST, TRANSFER_TOO_LARGE, 0, ""},
		{"/garbage", TRANSFER_LOST, TRANSFER_OTHER, 0, ""},
	};
	struct fixture *f = *state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		for (int fresh = 0; fresh <= 1; fresh++) {
			struct transfer_request request = fixture_post(f, rows[i].path);
			const unsigned before = lying_requests(f->server);
			request.fresh_connection = fresh;
			print_message("%s%s\n", rows[i].path, fresh ? ", fresh" : "");
			const struct transfer_result result = fixture_call(f, &request);
			fixture_expect(&result, rows[i].outcome, rows[i].problem);
			assert_int_equal(result.status, rows[i].status);
			assert_true(str_equal_z(result.body, rows[i].body));
			if (fresh)
				assert_int_equal(lying_requests(f->server), before + 1);
		}
	}
}

/* The story of finding 4 in rules.md: the second POST on a reused connection is read by the
 * server, which then drops it. The first half shows that libcurl sends it again, so that the second
 * half proves something. */
static void a_fresh_post_is_received_once(void **state)
{
	static const char *const paths[] = {"/second-closes", "/second-resets"};
	struct fixture *f = *state;
	for (size_t i = 0; i < 2; i++) {
		struct transfer_request request = fixture_post(f, paths[i]);
		struct transfer_result result = fixture_call(f, &request);
		fixture_expect(&result, TRANSFER_ANSWERED, TRANSFER_OK);
		unsigned before = lying_requests(f->server);
		request.id++;
		result = fixture_call(f, &request);
		assert_int_equal(lying_requests(f->server), before + 2); /* libcurl sent it twice */

		request.id++;
		fixture_call(f, &request); /* leaves a connection that the next one could reuse */
		before = lying_requests(f->server);
		const unsigned connections = lying_connections(f->server);
		request.id++;
		request.fresh_connection = true;
		result = fixture_call(f, &request);
		fixture_expect(&result, TRANSFER_ANSWERED, TRANSFER_OK);
		assert_int_equal(lying_requests(f->server), before + 1);
		assert_int_equal(lying_connections(f->server), connections + 1);
	}
}

static void a_fresh_connection_serves_nobody_else(void **state)
{
	struct fixture *f = *state;
	struct transfer_request request = fixture_post(f, "/ok");
	request.fresh_connection = true;
	fixture_call(f, &request);
	request.id++;
	request.fresh_connection = false;
	fixture_call(f, &request);
	assert_int_equal(lying_connections(f->server), 2);
	request.id++;
	fixture_call(f, &request);
	assert_int_equal(lying_connections(f->server), 2); /* an ordinary one is kept */
}

static unsigned closed_port(void)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(in);
	const int fd = socket(AF_INET, SOCK_STREAM, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&in, len), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&in, &len), 0);
	close(fd);
	return ntohs(in.sin_port);
}

static void what_never_left_is_told_so(void **state)
{
	struct fixture *f = *state;
	const struct {
		const char *name;
		struct str url;
		enum transfer_problem problem;
	} rows[] = {
		{"connection refused", str_format(f->arena, "http://127.0.0.1:%u/", closed_port()),
		 TRANSFER_CONNECT_FAILED},
		{"no such name", STR("http://none.example.com/"), TRANSFER_NAME_NOT_RESOLVED},
		{"not TLS", str_format(f->arena, "https://" PUBLIC_IP ":%u/", f->server->port),
		 TRANSFER_TLS_FAILED},
		{"no URL", STR("http://"), TRANSFER_OTHER},
		{"other scheme", STR("file:///etc/passwd"), TRANSFER_OTHER},
		{"line end in the URL", STR("http://127.0.0.1/\r\nX: y"), TRANSFER_OTHER},
		{"user name in the URL",
		 str_format(f->arena, "http://u:p@" PUBLIC_IP ":%u/ok", f->server->port),
		 TRANSFER_OTHER},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct transfer_request request = fixture_post(f, "");
		print_message("%s\n", rows[i].name);
		request.url = rows[i].url;
		const struct transfer_result result = fixture_call(f, &request);
		fixture_expect(&result, TRANSFER_NEVER_SENT, rows[i].problem);
	}
	assert_int_equal(lying_requests(f->server), 0);
}

/* A token is in its headers: an address that a platform gave us may not lead it through the
 * open. */
static void platforms_are_called_by_https_alone(void **state)
{
	struct fixture *f = *state;
	const struct transfer_curl_config config = {.https_only = true,
						    .guard = f->guard,
						    .clock = &f->clock,
						    .user_agent = "Posthorn/test"};
	transfer_curl_close(&f->curl);
	assert_int_equal(transfer_curl_open(&config, &f->curl, NULL), ERR_NONE);
	f->transport = transfer_curl_transport(f->curl);
	struct transfer_request request = fixture_post(f, "");
	assert_true(str_has_prefix(request.url, STR("http://")));
	const struct transfer_result result = fixture_call(f, &request);
	fixture_expect(&result, TRANSFER_NEVER_SENT, TRANSFER_OTHER);
	assert_int_equal(lying_requests(f->server), 0);
}

static void a_connection_that_takes_too_long_was_never_used(void **state)
{
	struct fixture *f = *state;
	/* A listener whose queue is full answers no SYN: Linux drops it. */
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(in);
	const int fd = socket(AF_INET, SOCK_STREAM, 0);
	int fillers[4];
	assert_int_equal(bind(fd, (struct sockaddr *)&in, len), 0);
	assert_int_equal(listen(fd, 0), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&in, &len), 0);
	for (size_t i = 0; i < 4; i++) {
		fillers[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
		(void)connect(fillers[i], (struct sockaddr *)&in, len);
	}
	struct transfer_request request = fixture_post(f, "");
	request.url = str_format(f->arena, "http://127.0.0.1:%u/", ntohs(in.sin_port));
	request.timeout_ms = 200;
	const struct transfer_result result = fixture_call(f, &request);
	fixture_expect(&result, TRANSFER_NEVER_SENT, TRANSFER_TIMED_OUT);
	for (size_t i = 0; i < 4; i++)
		close(fillers[i]);
	close(fd);
}

static void a_passed_send_deadline_sends_nothing(void **state)
{
	struct fixture *f = *state;
	static const struct {
		const char *name;
		int64_t boot_us;
		int64_t step_us;
		int64_t deadline_us;
		bool connects;
		enum transfer_outcome outcome;
	} rows[] = {
		{"before it starts", 5000, 0, 4000, false, TRANSFER_NEVER_SENT},
		{"at the instant itself", 5000, 0, 5000, false, TRANSFER_NEVER_SENT},
		{"while it connects", 4000, 1000, 4500, true, TRANSFER_NEVER_SENT},
		{"in time", 4000, 1000, 9000, true, TRANSFER_ANSWERED},
		{"none", 4000, 1000, 0, true, TRANSFER_ANSWERED},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct transfer_request request = fixture_post(f, "/ok");
		const unsigned requests = lying_requests(f->server);
		const unsigned connections = lying_connections(f->server);
		const bool is_sent = rows[i].outcome == TRANSFER_ANSWERED;
		print_message("%s\n", rows[i].name);
		f->boot_us = rows[i].boot_us;
		f->step_us = rows[i].step_us;
		request.fresh_connection = true;
		request.send_deadline_boot_us = rows[i].deadline_us;
		const struct transfer_result result = fixture_call(f, &request);
		fixture_expect(&result, rows[i].outcome,
			       is_sent ? TRANSFER_OK : TRANSFER_TIMED_OUT);
		usleep(20000); /* a connection may be accepted after its end */
		assert_int_equal(lying_requests(f->server), requests + is_sent);
		assert_int_equal(lying_connections(f->server), connections + rows[i].connects);
	}
}

static void an_answer_that_does_not_come_is_lost(void **state)
{
	static const char *const paths[] = {"/silent", "/drip"};
	struct fixture *f = *state;
	for (size_t i = 0; i < 2; i++) {
		struct transfer_request request = fixture_post(f, paths[i]);
		request.timeout_ms = 200;
		request.fresh_connection = true;
		const struct transfer_result result = fixture_call(f, &request);
		fixture_expect(&result, TRANSFER_LOST, TRANSFER_TIMED_OUT);
		assert_true(result.duration_us >= 200 * US_PER_MS);
		assert_int_equal(lying_requests(f->server), i + 1);
	}
}

static void headers_are_those_of_the_final_answer(void **state)
{
	struct fixture *f = *state;
	struct transfer_request request = fixture_post(f, "/interim");
	struct transfer_result result = fixture_call(f, &request);
	assert_int_equal(result.header_count, 5);
	assert_true(str_equal_z(fixture_header(&result, "content-type"), "application/json"));
	assert_null(fixture_header(&result, "x-interim").ptr);
	assert_true(str_equal_z(result.headers[1].value, "a"));
	assert_true(str_equal_z(result.headers[2].value, "b"));
	assert_non_null(result.headers[3].value.ptr);
	assert_true(str_is_empty(result.headers[3].value));
	request = fixture_post(f, "/chunked");
	result = fixture_call(f, &request);
	assert_int_equal(result.header_count, 2);
	assert_null(fixture_header(&result, "x-t").ptr); /* a trailer is no header */
}

static void the_request_says_what_was_asked_and_no_more(void **state)
{
	static const struct transfer_header headers[] = {
		{{"Content-Type", 12}, {"application/json", 16}},
		{{"Authorization", 13}, {"Bearer t", 8}},
		{{"X-Empty", 7}, {"", 0}},
	};
	struct fixture *f = *state;
	struct transfer_request request = fixture_post(f, "/ok?q=%2F../a");
	request.headers = headers;
	request.header_count = 3;
	fixture_call(f, &request);
	char expected[1024];
	snprintf(expected, sizeof(expected),
		 "POST /ok?q=%%2F../a HTTP/1.1\r\nHost: " PUBLIC_IP ":%u\r\n"
		 "User-Agent: Posthorn/test\r\nAccept: */*\r\n"
		 "Accept-Encoding: identity\r\nContent-Type: application/json\r\n"
		 "Authorization: Bearer t\r\nX-Empty:\r\nContent-Length: 7\r\n\r\n{\"a\":1}",
		 f->server->port);
	assert_string_equal(f->server->last, expected);
	request = fixture_post(f, "/x/../%2e%2e/./ok"); /* signed as it is */
	fixture_call(f, &request);
	assert_non_null(strstr(f->server->last, "POST /x/../%2e%2e/./ok HTTP/1.1\r\n"));
	request = fixture_post(f, "/ok");
	request.method = "GET";
	request.body = (struct str){0};
	fixture_call(f, &request);
	assert_null(strstr(f->server->last, "Content-")); /* nothing of the last one is left */
	assert_null(strstr(f->server->last, "Authorization"));
}

static void every_method_has_its_body(void **state)
{
	static const struct {
		const char *method;
		const char *body;
		const char *length; /* NULL = no such header */
	} rows[] = {
		{"GET", "", NULL},   {"DELETE", "", NULL},  {"POST", "", "0"},
		{"PUT", "", "0"},    {"PATCH", "", "0"},    {"POST", "abc", "3"},
		{"PUT", "abc", "3"}, {"PATCH", "abc", "3"}, {"DELETE", "abc", "3"},
		{"HEAD", "", NULL},
	};
	struct fixture *f = *state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct transfer_request request = fixture_post(f, "/204");
		char start[64];
		char length[64];
		request.method = rows[i].method;
		request.body = str_of(rows[i].body);
		const struct transfer_result result = fixture_call(f, &request);
		fixture_expect(&result, TRANSFER_ANSWERED, TRANSFER_OK);
		snprintf(start, sizeof(start), "%s /204 HTTP/1.1\r\n", rows[i].method);
		snprintf(length, sizeof(length), "\r\nContent-Length: %s\r\n",
			 rows[i].length != NULL ? rows[i].length : "");
		assert_ptr_equal(strstr(f->server->last, start), f->server->last);
		if (rows[i].length == NULL)
			assert_null(strstr(f->server->last, "Content-Length"));
		else
			assert_non_null(strstr(f->server->last, length));
		assert_int_equal(f->server->last_body_len, strlen(rows[i].body));
	}
}

static void headers_cannot_smuggle_lines(void **state)
{
	struct fixture *f = *state;
	static const struct transfer_header bad[] = {
		{{"X-A", 3}, {"b\r\nX-C: d", 9}},
		{{"X-A\r\nB", 6}, {"b", 1}},
		{{"X-A", 3}, {"b\0c", 3}},
	};
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		struct transfer_request request = fixture_post(f, "/ok");
		request.headers = &bad[i];
		request.header_count = 1;
		const struct transfer_result result = fixture_call(f, &request);
		fixture_expect(&result, TRANSFER_NEVER_SENT, TRANSFER_OTHER);
	}
	assert_int_equal(lying_requests(f->server), 0);
}

static void a_large_body_goes_without_expectation(void **state)
{
	struct fixture *f = *state;
	const size_t len = 900000;
	char *body = malloc(len);
	memset(body, 'b', len);
	struct transfer_request request = fixture_post(f, "/ok");
	request.body = (struct str){body, len};
	transport_start(&f->transport, &request);
	free(body); /* start() has copied it */
	struct transfer_result result;
	while (transport_poll(&f->transport, f->arena, 100, &result, 1) == 0)
		continue;
	fixture_expect(&result, TRANSFER_ANSWERED, TRANSFER_OK);
	assert_int_equal(f->server->last_body_len, len);
	assert_null(strcasestr(f->server->last, "expect"));
}

static void a_file_range_is_streamed(void **state)
{
	struct fixture *f = *state;
	char path[] = "/tmp/flight_test.XXXXXX";
	const int fd = mkstemp(path);
	char bytes[300000];
	unsigned char sum = 0;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 7);
	for (size_t i = 1000; i < 1000 + 250000; i++)
		sum = (unsigned char)(sum * 31 + (unsigned char)bytes[i]);
	assert_int_equal(write(fd, bytes, sizeof(bytes)), sizeof(bytes));
	static const char *const methods[] = {"PUT", "POST"};
	for (size_t i = 0; i < 2; i++) {
		struct transfer_request request = fixture_post(f, "/ok");
		request.method = methods[i];
		request.body = (struct str){0};
		request.body_path = path;
		request.body_offset_bytes = 1000;
		request.body_length_bytes = 250000;
		const struct transfer_result result = fixture_call(f, &request);
		fixture_expect(&result, TRANSFER_ANSWERED, TRANSFER_OK);
		assert_ptr_equal(strstr(f->server->last, methods[i]), f->server->last);
		assert_int_equal(f->server->last_body_len, 250000);
		assert_int_equal(f->server->last_body_sum, sum);
		assert_null(strcasestr(f->server->last, "transfer-encoding"));
	}
	close(fd);
	unlink(path);
}

/* Multipart uploads: text, a range of a file, text; every length of each, and in one
 * Content-Length. */
static void a_file_range_goes_between_two_texts(void **state)
{
	static const struct {
		size_t head, tail;
		int64_t range;
	} rows[] = {{3, 2, 4}, {0, 5, 4}, {5, 0, 4},         {1, 1, 0},
		    {0, 1, 0}, {0, 0, 4}, {70000, 9, 80000}, {9, 200000, 100000}};
	struct fixture *f = *state;
	char path[] = "/tmp/flight_test.XXXXXX";
	const int fd = mkstemp(path);
	static char bytes[400000];
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (char)(i * 7 + i / 256);
	assert_int_equal(write(fd, bytes, 200000), 200000);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct transfer_request request = fixture_post(f, "/ok");
		unsigned char sum = 0;
		request.id += i;
		request.body = (struct str){bytes + 200000, rows[i].head};
		request.body_path = path;
		request.body_offset_bytes = 100;
		request.body_length_bytes = rows[i].range;
		request.body_tail = (struct str){bytes + 5, rows[i].tail};
		for (size_t at = 0; at < rows[i].head; at++)
			sum = (unsigned char)(sum * 31 + (unsigned char)bytes[200000 + at]);
		for (size_t at = 0; at < (size_t)rows[i].range; at++)
			sum = (unsigned char)(sum * 31 + (unsigned char)bytes[100 + at]);
		for (size_t at = 0; at < rows[i].tail; at++)
			sum = (unsigned char)(sum * 31 + (unsigned char)bytes[5 + at]);
		const struct transfer_result result = fixture_call(f, &request);
		fixture_expect(&result, TRANSFER_ANSWERED, TRANSFER_OK);
		assert_int_equal(f->server->last_body_len,
				 rows[i].head + (size_t)rows[i].range + rows[i].tail);
		assert_int_equal(f->server->last_body_sum, sum);
		assert_null(strcasestr(f->server->last, "transfer-encoding"));
	}
	close(fd);
	unlink(path);
}

/* A reused connection that dies is a case in which libcurl begins again: from the first text on. */
static void a_body_in_three_pieces_is_begun_again_whole(void **state)
{
	struct fixture *f = *state;
	char path[] = "/tmp/flight_test.XXXXXX";
	const int fd = mkstemp(path);
	assert_int_equal(write(fd, "0123456789", 10), 10);
	close(fd);
	struct transfer_request request = fixture_post(f, "/second-resets");
	request.body = STR("head");
	request.body_path = path;
	request.body_length_bytes = 10;
	request.body_tail = STR("tail");
	fixture_call(f, &request);
	request.id++;
	const unsigned before = lying_requests(f->server);
	const struct transfer_result result = fixture_call(f, &request);
	fixture_expect(&result, TRANSFER_ANSWERED, TRANSFER_OK);
	assert_int_equal(lying_requests(f->server), before + 2);
	assert_non_null(strstr(f->server->last, "head0123456789tail"));
	unlink(path);
}

static void a_file_that_is_short_or_gone_is_told(void **state)
{
	struct fixture *f = *state;
	char path[] = "/tmp/flight_test.XXXXXX";
	const int fd = mkstemp(path);
	assert_int_equal(write(fd, "0123456789", 10), 10);
	struct transfer_request request = fixture_post(f, "/ok");
	request.body_path = path;
	request.body_offset_bytes = 5;
	request.body_length_bytes = 6;
	struct transfer_result result = fixture_call(f, &request);
	fixture_expect(&result, TRANSFER_LOST, TRANSFER_DISK_FAILED);
	assert_int_equal(lying_requests(f->server), 0); /* none of it came whole */
	close(fd);
	unlink(path);
	request.id++;
	result = fixture_call(f, &request);
	fixture_expect(&result, TRANSFER_NEVER_SENT, TRANSFER_DISK_FAILED);
}

/* As a_fresh_post_is_received_once(), for a body that libcurl would have to rewind. */
static void a_fresh_file_is_received_once(void **state)
{
	struct fixture *f = *state;
	char path[] = "/tmp/flight_test.XXXXXX";
	const int fd = mkstemp(path);
	assert_int_equal(write(fd, "0123456789", 10), 10);
	close(fd);
	struct transfer_request request = fixture_post(f, "/second-resets");
	request.body_path = path;
	request.body_length_bytes = 10;
	fixture_call(f, &request);
	const unsigned before = lying_requests(f->server);
	request.id++;
	request.fresh_connection = true;
	const struct transfer_result result = fixture_call(f, &request);
	fixture_expect(&result, TRANSFER_ANSWERED, TRANSFER_OK);
	assert_int_equal(lying_requests(f->server), before + 1);
	unlink(path);
}

static void an_answer_may_be_as_large_as_allowed(void **state)
{
	struct fixture *f = *state;
	struct transfer_request request = fixture_post(f, "/ok");
	request.response_max_bytes = 8;
	struct transfer_result result = fixture_call(f, &request);
	fixture_expect(&result, TRANSFER_ANSWERED, TRANSFER_OK);
	static const char *const paths[] = {"/ok", "/chunked", "/until-close"};
	for (size_t i = 0; i < 3; i++) {
		request = fixture_post(f, paths[i]);
		request.response_max_bytes = i == 0 ? 7 : 1;
		result = fixture_call(f, &request);
		fixture_expect(&result, TRANSFER_LOST, TRANSFER_TOO_LARGE);
	}
}

static void fetches_go_to_their_file(void **state)
{
	static const struct {
		const char *path;
		enum transfer_outcome outcome;
		enum transfer_problem problem;
		int64_t size_bytes;
		size_t kept_bytes; /* of what a refusal says */
	} rows[] = {
		{"/ok", TRANSFER_ANSWERED, TRANSFER_OK, 8, 0},
		{"/404", TRANSFER_ANSWERED, TRANSFER_OK, 0, 9},
		{"/truncated", TRANSFER_LOST, TRANSFER_CONNECTION_BROKEN, 10, 0},
	};
	struct fixture *f = *state;
	char path[] = "/tmp/flight_test.XXXXXX";
	close(mkstemp(path));
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct stat status;
		struct transfer_request request = fixture_get(f, PUBLIC_IP, rows[i].path);
		request.save_path = path;
		const struct transfer_result result = fixture_call(f, &request);
		fixture_expect(&result, rows[i].outcome, rows[i].problem);
		assert_int_equal(result.body.len, rows[i].kept_bytes);
		assert_int_equal(stat(path, &status), 0);
		assert_int_equal(status.st_size, rows[i].size_bytes);
	}
	unlink(path);
	struct transfer_request request = fixture_get(f, PUBLIC_IP, "/ok");
	request.save_path = "/nonexistent/x";
	struct transfer_result result = fixture_call(f, &request);
	fixture_expect(&result, TRANSFER_NEVER_SENT, TRANSFER_DISK_FAILED);
	request = fixture_get(f, PUBLIC_IP, "/ok");
	request.save_path = "/dev/full";
	result = fixture_call(f, &request);
	fixture_expect(&result, TRANSFER_LOST, TRANSFER_DISK_FAILED);
}

static void error_texts_hold_no_url(void **state)
{
	static const char *const paths[] = {"/close?access_token=s3cret", "/garbage?k=s3cret",
					    "/truncated?s3cret"};
	struct fixture *f = *state;
	for (size_t i = 0; i < 3; i++) {
		struct transfer_request request = fixture_post(f, paths[i]);
		const struct transfer_result result = fixture_call(f, &request);
		assert_int_equal(result.outcome, TRANSFER_LOST);
		assert_int_equal(str_find(result.error_text, STR("s3cret"), 0), SIZE_MAX);
		assert_int_equal(str_find(result.error_text, STR("http:"), 0), SIZE_MAX);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(answers_are_told_from_losses),
		TEST(a_fresh_post_is_received_once),
		TEST(a_fresh_connection_serves_nobody_else),
		TEST(what_never_left_is_told_so),
		TEST(platforms_are_called_by_https_alone),
		TEST(a_connection_that_takes_too_long_was_never_used),
		TEST(a_passed_send_deadline_sends_nothing),
		TEST(an_answer_that_does_not_come_is_lost),
		TEST(headers_are_those_of_the_final_answer),
		TEST(the_request_says_what_was_asked_and_no_more),
		TEST(every_method_has_its_body),
		TEST(headers_cannot_smuggle_lines),
		TEST(a_large_body_goes_without_expectation),
		TEST(a_file_range_is_streamed),
		TEST(a_file_range_goes_between_two_texts),
		TEST(a_body_in_three_pieces_is_begun_again_whole),
		TEST(a_file_that_is_short_or_gone_is_told),
		TEST(a_fresh_file_is_received_once),
		TEST(an_answer_may_be_as_large_as_allowed),
		TEST(fetches_go_to_their_file),
		TEST(error_texts_hold_no_url),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
