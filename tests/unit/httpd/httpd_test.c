/* SPDX-License-Identifier: Apache-2.0
 * The listener over real sockets, with bytes no client library would send: smuggling shapes,
 * limits, timeouts, bodies, broken answers, and the stall of libmicrohttpd 0.9.75 at multiples of
 * 128 connections. Also covers http_call.c and http_watch.c at work. */
#include "httpd.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "arena.h"
#include "clock.h"
#include "count_of.h"
#include "log.h"
#include "random.h"
#include "thread.h"
#include "uuid.h"

#define READ_TIMEOUT_MS 5000
#define BODY_MAX_BYTES 1000
#define FILE_MAX_BYTES 100000
#define DOOR_MAX_BYTES 1000000

#if defined(__SANITIZE_ADDRESS__)
#define STALL_ROUNDS 20
#else
#define STALL_ROUNDS 100
#endif

/* The service under test. */

struct service {
	struct http_router *router;
	struct httpd *httpd;
	struct log log;
	FILE *log_file;
	char directory[64];
	char unix_path[128];
	_Atomic int handled; /* how many requests reached a handler */
	_Atomic int finished;
	_Atomic int asked; /* how often the admit hook was */
	_Atomic bool is_gate_open;
};

static void echo(void *context, struct http_request *request, struct http_response *response)
{
	struct service *service = context;
	atomic_fetch_add(&service->handled, 1);
	buf_add(http_response_text(response, 200, "text/plain"), request->body);
}

static void file_size(void *context, struct http_request *request, struct http_response *response)
{
	struct service *service = context;
	struct stat info = {0};
	atomic_fetch_add(&service->handled, 1);
	assert_non_null(request->body_path);
	assert_int_equal(stat(request->body_path, &info), 0);
	assert_true(str_is_empty(request->body));
	buf_addf(http_response_text(response, 200, "text/plain"), "%lld %lld",
		 (long long)info.st_size, (long long)request->body_size_bytes);
}

static void hello(void *context, struct http_request *request, struct http_response *response)
{
	struct service *service = context;
	atomic_fetch_add(&service->handled, 1);
	buf_addf(http_response_text(response, 200, "text/plain"), "hello " STR_FMT,
		 STR_ARG(http_request_capture(request, "name")));
}

static void drop(void *context, struct http_request *request, struct http_response *response)
{
	(void)context;
	(void)request;
	buf_add_z(http_response_text(response, 200, "text/plain"), "never seen");
	response->is_dropped = true;
}

static void truncate_answer(void *context, struct http_request *request,
			    struct http_response *response)
{
	const struct str *at = form_find(&request->query, "at");
	int64_t bytes = -1;
	(void)context;
	buf_add_z(http_response_text(response, 200, "text/plain"), "0123456789");
	assert_true(at != NULL && str_parse_i64(*at, &bytes));
	response->truncate_at_bytes = bytes;
}

static void close_after(void *context, struct http_request *request, struct http_response *response)
{
	(void)context;
	(void)request;
	buf_add_z(http_response_text(response, 200, "text/plain"), "bye");
	response->close = true;
}

static void split_header(void *context, struct http_request *request,
			 struct http_response *response)
{
	(void)context;
	http_response_header(response, "X-Good", STR("fine"));
	http_response_header(response, "X-Bad", STR("a\r\nX-Injected: yes"));
	http_response_header(response, "Content-Length", STR("99"));
	buf_add(http_response_text(response, 200, "text/plain"), request->remote_address);
}

static void slow(void *context, struct http_request *request, struct http_response *response)
{
	struct service *service = context;
	const struct timespec pause = {.tv_nsec = 400 * 1000 * 1000};
	(void)request;
	atomic_fetch_add(&service->handled, 1);
	nanosleep(&pause, NULL);
	atomic_fetch_add(&service->finished, 1);
	buf_add_z(http_response_text(response, 200, "text/plain"), "done");
}

/* Holds its worker, and so every connection of that worker, until the gate opens. */
static void gate(void *context, struct http_request *request, struct http_response *response)
{
	struct service *service = context;
	const struct timespec pause = {.tv_nsec = 1000 * 1000};
	(void)request;
	atomic_fetch_add(&service->handled, 1);
	while (!atomic_load(&service->is_gate_open))
		nanosleep(&pause, NULL);
	buf_add_z(http_response_text(response, 200, "text/plain"), "open");
}

static void forget(void *context, struct http_request *request, struct http_response *response)
{
	(void)context;
	(void)request;
	(void)response;
}

static void large(void *context, struct http_request *request, struct http_response *response)
{
	struct buf *body = http_response_text(response, 200, "text/plain");
	(void)context;
	(void)request;
	for (int i = 0; i < 100000; i++)
		buf_add_z(body, "0123456789");
}

#define FILE_BYTES ((size_t)3000000)

static char file_byte(size_t at)
{
	return (char)(at * 7 + at / 251);
}

/* A file of FILE_BYTES, announced longer when the query says so. */
static void serve_file(void *context, struct http_request *request, struct http_response *response)
{
	static char bytes[FILE_BYTES];
	FILE *file = tmpfile();
	(void)context;
	assert_non_null(file);
	for (size_t i = 0; i < FILE_BYTES; i++)
		bytes[i] = file_byte(i);
	assert_int_equal(write(fileno(file), bytes, FILE_BYTES), FILE_BYTES);
	const int fd = dup(fileno(file));
	fclose(file);
	const int64_t more = str_equal_z(request->query_text, "short") ? 1 : 0;
	http_response_file(response, request, "video/mp4", STR("\"e\""), fd,
			   (int64_t)FILE_BYTES + more);
}

/* As its query says: "good", "bad", or "wait" and then good. */
static enum http_admission admit(void *context, struct http_request *request,
				 struct http_response *response, bool may_wait)
{
	struct service *service = context;
	atomic_fetch_add(&service->asked, 1);
	if (str_equal_z(request->query_text, "wait") && !may_wait)
		return HTTP_MUST_WAIT;
	if (!str_equal_z(request->query_text, "bad"))
		return HTTP_ADMITTED;
	buf_add_z(http_response_text(response, 401, "text/plain"), "who are you?");
	return HTTP_REFUSED;
}

/* Waits in its pool, and so for no other connection of the worker, until the gate opens. */
static void platform(void *context, struct http_request *request, struct http_response *response)
{
	gate(context, request, response);
}

static void render_fault(void *context, enum http_fault fault, const struct http_request *request,
			 struct http_response *response)
{
	static const int statuses[] = {404, 405, 413, 431, 400, 500, 503};
	(void)context;
	(void)request;
	buf_addf(http_response_json(response, statuses[fault]), "{\"fault\":%d}", (int)fault);
}

static const struct http_route routes[] = {
	{.method = "GET", .pattern = "/hello/{name}", .handler = hello},
	{.method = "POST",
	 .pattern = "/echo",
	 .handler = echo,
	 .body_max_bytes = BODY_MAX_BYTES,
	 .body_mode = HTTP_BODY_MEMORY},
	{.method = "POST",
	 .pattern = "/file",
	 .handler = file_size,
	 .body_max_bytes = FILE_MAX_BYTES,
	 .body_mode = HTTP_BODY_FILE},
	{.method = "POST", .pattern = "/ignore", .handler = hello},
	{.method = "GET", .pattern = "/drop", .handler = drop},
	{.method = "GET", .pattern = "/truncate", .handler = truncate_answer},
	{.method = "GET", .pattern = "/close", .handler = close_after},
	{.method = "GET", .pattern = "/split", .handler = split_header},
	{.method = "GET", .pattern = "/slow", .handler = slow},
	{.method = "GET", .pattern = "/gate", .handler = gate, .run_mode = HTTP_RUN_INLINE},
	{.method = "GET",
	 .pattern = "/platform",
	 .handler = platform,
	 .run_mode = HTTP_RUN_PLATFORM},
	{.method = "GET", .pattern = "/inline", .handler = hello, .run_mode = HTTP_RUN_INLINE},
	{.method = "GET", .pattern = "/probe", .handler = hello, .run_mode = HTTP_RUN_PROBE},
	{.method = "POST",
	 .pattern = "/door",
	 .handler = echo,
	 .body_max_bytes = DOOR_MAX_BYTES,
	 .body_mode = HTTP_BODY_MEMORY,
	 .admit = admit},
	{.method = "GET", .pattern = "/forget", .handler = forget},
	{.method = "GET", .pattern = "/large", .handler = large},
	{.method = "GET", .pattern = "/film", .handler = serve_file},
};

static void service_open(struct service *service, const struct httpd_config *overrides)
{
	struct error err = {0};
	struct httpd_config config = *overrides;
	*service = (struct service){.directory = "/tmp/httpd-test-XXXXXX"};
	assert_non_null(mkdtemp(service->directory));
	service->log_file = tmpfile();
	service->log = (struct log){.fd = fileno(service->log_file), .level = LOG_DEBUG};
	const struct http_router_config router_config = {.context = service,
							 .render_fault = render_fault};
	assert_int_equal(http_router_new(&router_config, &service->router, &err), ERR_NONE);
	assert_int_equal(http_router_add(service->router, routes, COUNT_OF(routes), &err),
			 ERR_NONE);
	config.router = service->router;
	config.log = &service->log;
	config.random = random_system();
	config.body_directory = service->directory;
	if (config.unix_path == NULL && config.listen == NULL)
		config.listen = "127.0.0.1:0";
	assert_int_equal(httpd_open(&config, &service->httpd, &err), ERR_NONE);
}

static void service_close(struct service *service)
{
	httpd_close(&service->httpd, 2000);
	assert_null(service->httpd);
	http_router_free(&service->router);
	fclose(service->log_file);
	assert_int_equal(rmdir(service->directory), 0); /* fails when a body file was left */
}

static int setup(void **state)
{
	static struct service service;
	const struct httpd_config config = {.threads = 4};
	service_open(&service, &config);
	*state = &service;
	return 0;
}

static int teardown(void **state)
{
	service_close(*state);
	return 0;
}

/* A client of plain bytes. */

struct answer {
	char bytes[8192];
	size_t len;
	int status; /* 0: no answer */
	const char *body;
	size_t body_len;
	bool is_closed; /* the server has closed */
	bool is_sent;   /* the whole request went out */
};

static int client_connect(uint16_t port)
{
	const struct sockaddr_in address = {.sin_family = AF_INET,
					    .sin_port = htons(port),
					    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static void clients_connect(uint16_t port, int *fds, int count)
{
	for (int i = 0; i < count; i++)
		fds[i] = client_connect(port);
}

/* False when the server has closed or reset before everything was sent. */
static bool client_send(int fd, const char *bytes, size_t len)
{
	while (len > 0) {
		const ssize_t sent = send(fd, bytes, len, MSG_NOSIGNAL);
		if (sent <= 0)
			return false;
		bytes += sent;
		len -= (size_t)sent;
	}
	return true;
}

static void client_send_z(int fd, const char *text)
{
	client_send(fd, text, strlen(text));
}

/* One read. False at the end of the stream, a reset, or when nothing came in time. */
static bool client_fill(int fd, struct answer *answer, int timeout_ms)
{
	struct pollfd wait = {.fd = fd, .events = POLLIN};
	if (poll(&wait, 1, timeout_ms) <= 0)
		return false;
	const ssize_t got =
		recv(fd, answer->bytes + answer->len, sizeof(answer->bytes) - 1 - answer->len, 0);
	if (got <= 0) {
		answer->is_closed = true;
		return false;
	}
	answer->len += (size_t)got;
	answer->bytes[answer->len] = '\0';
	return true;
}

static size_t content_length(const char *head)
{
	const char *at = strcasestr(head, "\r\nContent-Length:");
	return at != NULL ? (size_t)strtoul(at + 17, NULL, 10) : 0;
}

/* One answer, by its Content-Length; has_body false for HEAD. */
static void client_read(int fd, bool has_body, struct answer *answer)
{
	char *end;
	*answer = (struct answer){0};
	while ((end = strstr(answer->bytes, "\r\n\r\n")) == NULL) {
		if (!client_fill(fd, answer, READ_TIMEOUT_MS))
			return;
	}
	assert_int_equal(sscanf(answer->bytes, "HTTP/1.1 %d", &answer->status), 1);
	answer->body = end + 4;
	const size_t wanted = has_body && answer->status != 100 ? content_length(answer->bytes) : 0;
	while ((size_t)(answer->bytes + answer->len - answer->body) < wanted &&
	       client_fill(fd, answer, READ_TIMEOUT_MS))
		;
	answer->body_len = (size_t)(answer->bytes + answer->len - answer->body);
}

/* Waits for the end; what comes before it is added to the answer. */
static bool client_sees_end(int fd, int timeout_ms)
{
	struct answer rest = {0};
	while (client_fill(fd, &rest, timeout_ms))
		rest.len = 0;
	return rest.is_closed;
}

static void exchange(const struct service *service, const char *bytes, size_t len,
		     struct answer *answer)
{
	const int fd = client_connect(httpd_port(service->httpd));
	const bool is_sent = client_send(fd, bytes, len);
	client_read(fd, true, answer);
	answer->is_sent = is_sent;
	if (!answer->is_closed)
		answer->is_closed = client_sees_end(
			fd, strcasestr(answer->bytes, "\r\nConnection: close") != NULL
				    ? READ_TIMEOUT_MS
				    : 50);
	close(fd);
}

static void header_value(const struct answer *answer, const char *name, char *out,
			 size_t size_bytes)
{
	char needle[64];
	snprintf(needle, sizeof(needle), "\r\n%s: ", name);
	const char *at = strcasestr(answer->bytes, needle);
	out[0] = '\0';
	if (at != NULL)
		snprintf(out, size_bytes, "%.*s", (int)strcspn(at + strlen(needle), "\r"),
			 at + strlen(needle));
}

/* Smuggling shapes (rules.md 3.3). */

struct shape {
	const char *name;
	const char *bytes;
	size_t len;
	int status; /* 400 and 431: and closed. Others: the connection lives on unless closes */
	bool closes;
};

#define SHAPE(name, status, text) \
	{ \
		name, text, sizeof(text) - 1, status, (status) == 400 || (status) == 431 \
	}
#define H "Host: a\r\n"

static const struct shape shapes[] = {
	/* what must pass */
	SHAPE("plain get", 200, "GET /hello/x HTTP/1.1\r\n" H "\r\n"),
	SHAPE("no headers but host, no blank", 200, "GET /hello/x HTTP/1.1\r\nHost:a\r\n\r\n"),
	/* which must not, but libmicrohttpd drops the line, or takes it for the empty one, and
	 * shows nothing (httpd.h) */
	SHAPE("a line of NUL before it", 200, "\0POST /echo\r\nGET /hello/x HTTP/1.1\r\n" H "\r\n"),
	SHAPE("a colon, then a bare LF", 200, "GET /hello/x HTTP/1.1\r\n" H ":\n"),
	SHAPE("empty header value", 200, "GET /hello/x HTTP/1.1\r\n" H "X-A:\r\nX-B: \r\n\r\n"),
	SHAPE("blanks around a value", 200, "GET /hello/x HTTP/1.1\r\n" H "X-A: \t b \t\r\n\r\n"),
	SHAPE("tab and high bytes in a value", 200,
	      "GET /hello/x HTTP/1.1\r\n" H "X-A: a\tb\xC3\xA9\r\n\r\n"),
	SHAPE("empty line before the request", 200, "\r\nGET /hello/x HTTP/1.1\r\n" H "\r\n"),
	SHAPE("query with many arguments", 200, "GET /hello/x?a=1&b=%20&c HTTP/1.1\r\n" H "\r\n"),
	SHAPE("length on a get", 200, "GET /hello/x HTTP/1.1\r\n" H "Content-Length: 3\r\n\r\nabc"),
	SHAPE("length of zero", 200, "POST /echo HTTP/1.1\r\n" H "Content-Length: 0\r\n\r\n"),
	SHAPE("cookies", 200,
	      "GET /hello/x HTTP/1.1\r\n" H "Cookie: a=1; b=2\r\nX-After: y\r\n\r\n"),
	SHAPE("absolute form", 200, "GET http://a/hello/x HTTP/1.1\r\n" H "\r\n"),
	SHAPE("host with a port", 200, "GET /hello/x HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n"),
	{"1.0 without host", "GET /hello/x HTTP/1.0\r\n\r\n", 25, 200, true},
	{"chunked is the last on its connection",
	 "POST /echo HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", 73,
	 200, true},

	/* Content-Length */
	SHAPE("two different lengths", 400,
	      "POST /echo HTTP/1.1\r\n" H "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"),
	SHAPE("two equal lengths", 400,
	      "POST /echo HTTP/1.1\r\n" H "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc"),
	SHAPE("length as a list", 400,
	      "POST /echo HTTP/1.1\r\n" H "Content-Length: 3, 3\r\n\r\nabc"),
	SHAPE("length with plus", 400, "POST /echo HTTP/1.1\r\n" H "Content-Length: +3\r\n\r\nabc"),
	SHAPE("length with minus", 400,
	      "POST /echo HTTP/1.1\r\n" H "Content-Length: -3\r\n\r\nabc"),
	SHAPE("length with garbage", 400,
	      "POST /echo HTTP/1.1\r\n" H "Content-Length: 3abc\r\n\r\nabc"),
	SHAPE("length in hex", 400, "POST /echo HTTP/1.1\r\n" H "Content-Length: 0x3\r\n\r\nabc"),
	SHAPE("length with an inner blank", 400,
	      "POST /echo HTTP/1.1\r\n" H "Content-Length: 3 0\r\n\r\nabc"),
	SHAPE("empty length", 400, "POST /echo HTTP/1.1\r\n" H "Content-Length: \r\n\r\nabc"),
	SHAPE("blank before the colon", 400,
	      "POST /echo HTTP/1.1\r\n" H "Content-Length : 3\r\n\r\nabc"),

	/* Transfer-Encoding */
	SHAPE("length then chunked", 400,
	      "POST /echo HTTP/1.1\r\n" H
	      "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
	SHAPE("chunked then length", 400,
	      "POST /echo HTTP/1.1\r\n" H
	      "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n"),
	SHAPE("xchunked", 400,
	      "POST /echo HTTP/1.1\r\n" H "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"),
	SHAPE("gzip, chunked", 400,
	      "POST /echo HTTP/1.1\r\n" H "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
	SHAPE("identity", 400,
	      "POST /echo HTTP/1.1\r\n" H "Transfer-Encoding: identity\r\n\r\nabc"),
	SHAPE("chunked twice", 400,
	      "POST /echo HTTP/1.1\r\n" H
	      "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
	SHAPE("quoted chunked", 400,
	      "POST /echo HTTP/1.1\r\n" H "Transfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n"),
	SHAPE("vertical tab before chunked", 400,
	      "POST /echo HTTP/1.1\r\n" H "Transfer-Encoding: \vchunked\r\n\r\n0\r\n\r\n"),
	SHAPE("chunked in 1.0", 400,
	      "POST /echo HTTP/1.0\r\n" H "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
	SHAPE("chunk size with garbage", 400,
	      "POST /echo HTTP/1.1\r\n" H
	      "Transfer-Encoding: chunked\r\n\r\n3x\r\nabc\r\n0\r\n\r\n"),
	SHAPE("negative chunk size", 400,
	      "POST /echo HTTP/1.1\r\n" H
	      "Transfer-Encoding: chunked\r\n\r\n-3\r\nabc\r\n0\r\n\r\n"),
	{"chunk size over 64 bits",
	 "POST /echo HTTP/1.1\r\n" H
	 "Transfer-Encoding: chunked\r\n\r\n10000000000000003\r\nabc\r\n0\r\n\r\n",
	 89, 413, true},

	/* Host */
	SHAPE("no host", 400, "GET /hello/x HTTP/1.1\r\nX-A: b\r\n\r\n"),
	SHAPE("no headers at all", 400, "GET /hello/x HTTP/1.1\r\n\r\n"),
	SHAPE("two hosts", 400, "GET /hello/x HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"),
	SHAPE("empty host", 400, "GET /hello/x HTTP/1.1\r\nHost:\r\n\r\n"),
	SHAPE("host with userinfo", 400, "GET /hello/x HTTP/1.1\r\nHost: a@b\r\n\r\n"),
	SHAPE("two hosts in one", 400, "GET /hello/x HTTP/1.1\r\nHost: a, b\r\n\r\n"),
	SHAPE("absolute form, other host", 400, "GET http://b/hello/x HTTP/1.1\r\n" H "\r\n"),

	/* lines */
	SHAPE("bare LF after the request line", 400, "GET /hello/x HTTP/1.1\n" H "\r\n"),
	SHAPE("bare LF between headers", 400, "GET /hello/x HTTP/1.1\r\nHost: a\nX-A: b\r\n\r\n"),
	SHAPE("bare LF everywhere", 400, "GET /hello/x HTTP/1.1\nHost: a\nX-A: b\n\n"),
	SHAPE("bare LF after the last header, body", 400,
	      "POST /echo HTTP/1.1\r\n" H "Content-Length: 3\n\r\nabc"),
	SHAPE("bare LF as the empty line, body", 400,
	      "POST /echo HTTP/1.1\r\n" H "Content-Length: 3\r\n\nabc"),
	SHAPE("bare LF as the empty line, body of NULs", 400,
	      "POST /echo HTTP/1.1\r\n" H "Content-Length: 3\r\n\n\0\0\0"),
	SHAPE("bare LF as the empty line, a request behind it", 400,
	      "GET /hello/x HTTP/1.1\r\nHost: a\n\nGET /hello/y HTTP/1.1\r\nHost: a\r\n\r\n"),
	SHAPE("bare CR in a value", 400, "GET /hello/x HTTP/1.1\r\n" H "X-A: b\rX-C: d\r\n\r\n"),
	SHAPE("CR CR LF", 400, "GET /hello/x HTTP/1.1\r\n" H "X-A: b\r\r\n\r\n"),
	SHAPE("folded value", 400, "GET /hello/x HTTP/1.1\r\n" H "X-A: b\r\n c\r\n\r\n"),
	SHAPE("folded with a tab", 400,
	      "GET /hello/x HTTP/1.1\r\n" H "X-A: b\r\n\tc\r\nX-D: e\r\n\r\n"),
	SHAPE("folded with blanks only", 400, "GET /hello/x HTTP/1.1\r\n" H "X-A: b\r\n \r\n\r\n"),
	SHAPE("folded transfer encoding", 400,
	      "POST /echo HTTP/1.1\r\n" H
	      "Content-Length: 3\r\nTransfer-Encoding:\r\n chunked\r\n\r\nabc"),
	SHAPE("first header folded", 400, "GET /hello/x HTTP/1.1\r\n Host: a\r\n" H "\r\n"),
	SHAPE("header without colon", 400, "GET /hello/x HTTP/1.1\r\n" H "X-A\r\n\r\n"),
	SHAPE("empty header name", 400, "GET /hello/x HTTP/1.1\r\n" H ": b\r\n\r\n"),
	SHAPE("tab before the colon", 400, "GET /hello/x HTTP/1.1\r\n" H "X-A\t: b\r\n\r\n"),
	SHAPE("an empty line of NULs", 400, "GET /hello/x HTTP/1.1\r\n" H "\0\0\r\n"),
	SHAPE("a header behind NULs", 400, "GET /hello/x HTTP/1.1\r\n" H "\0\0X-A: b\r\n\r\n"),
	SHAPE("LF LF, nothing behind", 400, "GET /hello/x HTTP/1.1\r\nHost: a\n\n"),
	SHAPE("NUL in a value", 400, "GET /hello/x HTTP/1.1\r\n" H "X-A: b\0c\r\n\r\n"),
	SHAPE("NUL at the end of a value", 400,
	      "GET /hello/x HTTP/1.1\r\n" H "X-A: b\0\r\nX-C: d\r\n\r\n"),
	SHAPE("NUL in the last value", 400,
	      "GET /hello/x HTTP/1.1\r\nX-A: b\r\nHost: a\0b\r\n\r\n"),
	SHAPE("NUL in a name", 400, "GET /hello/x HTTP/1.1\r\n" H "X\0A: b\r\n\r\n"),
	SHAPE("escape in a value", 400, "GET /hello/x HTTP/1.1\r\n" H "X-A: \x1B[31m\r\n\r\n"),
	SHAPE("DEL in a value", 400, "GET /hello/x HTTP/1.1\r\n" H "X-A: \x7F\r\n\r\n"),
	SHAPE("brackets in a name", 400, "GET /hello/x HTTP/1.1\r\n" H "X(A): b\r\n\r\n"),

	/* request line */
	SHAPE("NUL in the target", 400, "GET /hello/x\0y HTTP/1.1\r\n" H "\r\n"),
	SHAPE("NUL in the query", 400, "GET /hello/x?a=\0b HTTP/1.1\r\n" H "\r\n"),
	SHAPE("tab in the target", 400, "GET /hello/x\ty HTTP/1.1\r\n" H "\r\n"),
	SHAPE("CR in the target", 400, "GET /hello/x\ry HTTP/1.1\r\n" H "\r\n"),
	SHAPE("blank in the target", 400, "GET /hello/x y HTTP/1.1\r\n" H "\r\n"),
	SHAPE("two blanks before the target", 400, "GET  /hello/x HTTP/1.1\r\n" H "\r\n"),
	SHAPE("two blanks before the version", 400, "GET /hello/x  HTTP/1.1\r\n" H "\r\n"),
	SHAPE("fragment in the target", 400, "GET /hello/x#y HTTP/1.1\r\n" H "\r\n"),
	SHAPE("raw UTF-8 in the target", 400, "GET /hello/\xC3\xA9 HTTP/1.1\r\n" H "\r\n"),
	SHAPE("target without slash", 400, "GET hello HTTP/1.1\r\n" H "\r\n"),
	SHAPE("star for a get", 400, "GET * HTTP/1.1\r\n" H "\r\n"),
	SHAPE("bracket in the method", 400, "G[T /hello/x HTTP/1.1\r\n" H "\r\n"),
	SHAPE("version 1.2", 400, "GET /hello/x HTTP/1.2\r\n" H "\r\n"),
	SHAPE("lower case version", 400, "GET /hello/x http/1.1\r\n" H "\r\n"),
};

static void shapes_two_parsers_could_read_differently_are_refused(void **state)
{
	const struct service *service = *state;
	int failed = 0;
	for (size_t i = 0; i < COUNT_OF(shapes); i++) {
		struct answer answer;
		exchange(service, shapes[i].bytes, shapes[i].len, &answer);
		if (answer.status != shapes[i].status || answer.is_closed != shapes[i].closes) {
			print_error("%s: status %d, %s\n%s\n", shapes[i].name, answer.status,
				    answer.is_closed ? "closed" : "open", answer.bytes);
			failed++;
		}
	}
	assert_int_equal(failed, 0);
}

/* Byte by byte the buffer grows under the parser; the layout check must neither refuse nor miss
 * then. */
static void shapes_are_judged_alike_when_they_trickle_in(void **state)
{
	const struct service *service = *state;
	static const char *const names[] = {"plain get",
					    "empty header value",
					    "query with many arguments",
					    "bare LF between headers",
					    "folded value",
					    "NUL in a value"};
	for (size_t i = 0; i < COUNT_OF(shapes); i++) {
		bool is_picked = false;
		for (size_t n = 0; n < COUNT_OF(names); n++)
			is_picked = is_picked || strcmp(names[n], shapes[i].name) == 0;
		if (!is_picked)
			continue;
		struct answer answer;
		const int on = 1;
		const struct timespec pause = {.tv_nsec = 200 * 1000};
		const int fd = client_connect(httpd_port(service->httpd));
		setsockopt(fd, IPPROTO_TCP, 1 /* TCP_NODELAY */, &on, sizeof(on));
		for (size_t at = 0; at < shapes[i].len; at++) {
			client_send(fd, shapes[i].bytes + at, 1);
			nanosleep(&pause, NULL);
		}
		client_read(fd, true, &answer);
		if (answer.status != shapes[i].status)
			print_error("%s: status %d\n", shapes[i].name, answer.status);
		assert_int_equal(answer.status, shapes[i].status);
		close(fd);
	}
}

/* What follows a refused request on the same connection is never run. */
static void nothing_behind_a_refused_request_is_handled(void **state)
{
	struct service *service = *state;
	struct answer answer;
	static const char bytes[] =
		"POST /echo HTTP/1.1\r\n" H
		"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
		"GET /hello/smuggled HTTP/1.1\r\n" H "\r\n";
	static const char chunked[] =
		"POST /echo HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n\r\n0\n\n"
		"GET /hello/smuggled HTTP/1.1\r\n" H "\r\n";
	const int before = atomic_load(&service->handled);
	exchange(service, bytes, sizeof(bytes) - 1, &answer);
	assert_int_equal(answer.status, 400);
	assert_int_equal(atomic_load(&service->handled), before);
	exchange(service, chunked, sizeof(chunked) - 1, &answer);
	assert_null(strstr(answer.bytes, "smuggled"));
	assert_true(answer.is_closed);
}

/* Limits. */

static void many_headers(char *out, size_t size_bytes, int count, size_t value_len)
{
	size_t len = (size_t)snprintf(out, size_bytes, "GET /hello/x HTTP/1.1\r\nHost: a\r\n");
	for (int i = 1; i < count; i++)
		len += (size_t)snprintf(out + len, size_bytes - len, "X-%d: %0*d\r\n", i,
					(int)value_len, 0);
	snprintf(out + len, size_bytes - len, "\r\n");
}

static void headers_have_a_count_and_a_size(void **state)
{
	static const struct {
		const char *name;
		int count;
		size_t value_len;
		int status;
	} rows[] = {
		{"100 headers", 100, 10, 200},
		{"101 headers", 101, 10, 431},
		{"400 headers", 400, 10, 431},
		{"4000 headers", 4000, 1, 431},
		{"under 16 KiB", 100, 140, 200},
		{"over 16 KiB", 100, 170, 431},
		{"one line under 8 KiB", 2, 8000, 200},
		{"one line over 8 KiB", 2, 8200, 431},
		{"far over", 20, 8000, 431},
	};
	const struct service *service = *state;
	static char bytes[256 * 1024];
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct answer answer;
		many_headers(bytes, sizeof(bytes), rows[i].count, rows[i].value_len);
		exchange(service, bytes, strlen(bytes), &answer);
		if (answer.status != rows[i].status)
			print_error("%s: status %d\n", rows[i].name, answer.status);
		assert_int_equal(answer.status, rows[i].status);
		assert_int_equal(answer.is_closed, rows[i].status == 431);
	}
}

static void targets_have_a_size(void **state)
{
	static const struct {
		size_t len;
		int status;
	} rows[] = {{8000, 404}, {8300, 431}, {200 * 1024, 414}};
	const struct service *service = *state;
	static char bytes[256 * 1024];
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct answer answer;
		memset(bytes, 'a', sizeof(bytes));
		memcpy(bytes, "GET /", 5);
		snprintf(bytes + rows[i].len, 100, " HTTP/1.1\r\nHost: a\r\n\r\n");
		exchange(service, bytes, strlen(bytes), &answer);
		assert_int_equal(answer.status, rows[i].status);
	}
}

/* Bodies. */

static void post(const struct service *service, const char *path, const char *extra,
		 size_t announced, size_t sent, struct answer *answer)
{
	static char bytes[4 * 1024 * 1024];
	const int head = snprintf(bytes, sizeof(bytes),
				  "POST %s HTTP/1.1\r\nHost: a\r\n%sContent-Length: %zu\r\n\r\n",
				  path, extra, announced);
	memset(bytes + head, 'b', sent);
	exchange(service, bytes, (size_t)head + sent, answer);
}

static void bodies_over_the_limit_are_413(void **state)
{
	static const struct {
		const char *path;
		size_t size;
		int status;
		bool closes;
	} rows[] = {
		{"/echo", BODY_MAX_BYTES, 200, false},
		{"/echo", BODY_MAX_BYTES + 1, 413, true},
		{"/echo", 3 * 1024 * 1024, 413, true},
		{"/file", FILE_MAX_BYTES, 200, false},
		{"/file", FILE_MAX_BYTES + 1, 413, true},
		{"/ignore", 4096, 200, false},
		{"/ignore", 4097, 413, true},
		{"/nowhere", 4096, 404, false},
		{"/nowhere", 3 * 1024 * 1024, 404, true},
		{"/hello/x", 100, 405, false},
		{"/hello/x", 3 * 1024 * 1024, 405, true},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct answer answer;
		post(*state, rows[i].path, "", rows[i].size, rows[i].size, &answer);
		if (answer.status != rows[i].status || answer.is_closed != rows[i].closes)
			print_error("%s %zu: %d %d\n", rows[i].path, rows[i].size, answer.status,
				    answer.is_closed);
		assert_int_equal(answer.status, rows[i].status);
		assert_int_equal(answer.is_closed, rows[i].closes);
		assert_true(answer.is_sent); /* no reset on a client that sends before it reads */
	}
}

static void a_file_body_is_whole_and_gone_after_the_answer(void **state)
{
	const struct service *service = *state;
	struct answer answer;
	post(service, "/file", "", 70000, 70000, &answer);
	assert_int_equal(answer.status, 200);
	assert_string_equal(answer.body, "70000 70000");
	DIR *directory = opendir(service->directory);
	int count = 0;
	while (readdir(directory) != NULL)
		count++;
	closedir(directory);
	assert_int_equal(count, 2); /* "." and ".." */
}

static void expect_continue_is_answered_before_the_body(void **state)
{
	struct answer answer;
	const struct service *service = *state;
	int fd = client_connect(httpd_port(service->httpd));
	client_send_z(fd, "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: "
			  "100-continue\r\n\r\n");
	client_read(fd, true, &answer);
	assert_int_equal(answer.status, 100);
	client_send_z(fd, "abc");
	client_read(fd, true, &answer);
	assert_int_equal(answer.status, 200);
	assert_string_equal(answer.body, "abc");
	close(fd);

	fd = client_connect(httpd_port(service->httpd));
	client_send_z(fd, "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2000\r\nExpect: "
			  "100-continue\r\n\r\n");
	client_read(fd, true, &answer);
	assert_int_equal(answer.status, 413);
	assert_true(client_sees_end(fd, 1000));
	close(fd);
}

/* A body in chunks of 100 bytes; 0 = without end. */
static void chunked_send(int fd, int chunks)
{
	char chunk[200];
	const int len = snprintf(chunk, sizeof(chunk), "64\r\n%0100d\r\n", 0);
	client_send_z(fd, "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
	for (int i = 0; i < (chunks > 0 ? chunks : 100000); i++)
		client_send(fd, chunk, (size_t)len);
	client_send_z(fd, "0\r\n\r\n");
}

static void chunked_bodies_are_put_together_and_cut_off(void **state)
{
	static const struct {
		int chunks;
		int status;
	} rows[] = {{1, 200}, {10, 200}, {11, 413}, {0, 413}};
	const struct service *service = *state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct answer answer;
		char id[80];
		const int fd = client_connect(httpd_port(service->httpd));
		chunked_send(fd, rows[i].chunks);
		client_read(fd, true, &answer);
		assert_int_equal(answer.status, rows[i].status);
		if (rows[i].status == 200)
			assert_int_equal(answer.body_len, (size_t)rows[i].chunks * 100);
		header_value(&answer, "X-Request-Id", id, sizeof(id));
		assert_int_equal(strlen(id), UUID_TEXT_LEN);
		assert_true(client_sees_end(fd, 1000));
		close(fd);
	}
}

/* Answers. */

static void connections_are_kept_alive_and_pipelined_in_order(void **state)
{
	const struct service *service = *state;
	struct answer answer;
	const int fd = client_connect(httpd_port(service->httpd));
	for (int i = 0; i < 50; i++) {
		client_send_z(fd, i % 2 == 0 ? "GET /hello/x HTTP/1.1\r\nHost: a\r\n\r\n"
					     : "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: "
					       "7\r\n\r\nhello y");
		client_read(fd, true, &answer);
		assert_int_equal(answer.status, 200);
		assert_string_equal(answer.body, i % 2 == 0 ? "hello x" : "hello y");
	}
	client_send_z(fd, "GET /hello/1 HTTP/1.1\r\nHost: a\r\n\r\nGET /hello/2 HTTP/1.1\r\nHost: "
			  "a\r\nConnection: close\r\n\r\n");
	answer = (struct answer){0};
	while (client_fill(fd, &answer, 1000))
		;
	assert_true(answer.is_closed);
	const char *first = strstr(answer.bytes, "hello 1");
	assert_non_null(first);
	assert_non_null(strstr(first, "hello 2"));
	close(fd);
}

static void head_is_get_without_the_body(void **state)
{
	const struct service *service = *state;
	struct answer answer;
	const int fd = client_connect(httpd_port(service->httpd));
	client_send_z(fd, "HEAD /hello/x HTTP/1.1\r\nHost: a\r\n\r\n");
	client_read(fd, false, &answer);
	assert_int_equal(answer.status, 200);
	assert_int_equal(content_length(answer.bytes), 7);
	assert_int_equal(answer.body_len, 0);
	client_send_z(
		fd,
		"GET /hello/z HTTP/1.1\r\nHost: a\r\n\r\n"); /* nothing of a body is in the way */
	client_read(fd, true, &answer);
	assert_string_equal(answer.body, "hello z");
	close(fd);
}

static void faults_are_in_the_services_shape(void **state)
{
	static const struct {
		const char *line;
		int status;
		const char *allow;
	} rows[] = {
		{"GET /nowhere", 404, ""},        {"DELETE /hello/x", 405, "GET"},
		{"OPTIONS /hello/x", 405, "GET"}, {"OPTIONS *", 404, ""},
		{"BREW /hello/x", 405, "GET"},    {"GET /hello/%", 404, ""},
		{"GET /hello/%00", 404, ""},      {"GET /forget", 500, ""},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		char bytes[256];
		char allow[64];
		char type[64];
		struct answer answer;
		snprintf(bytes, sizeof(bytes), "%s HTTP/1.1\r\nHost: a\r\n\r\n", rows[i].line);
		exchange(*state, bytes, strlen(bytes), &answer);
		header_value(&answer, "Allow", allow, sizeof(allow));
		header_value(&answer, "Content-Type", type, sizeof(type));
		assert_int_equal(answer.status, rows[i].status);
		assert_string_equal(allow, rows[i].allow);
		assert_string_equal(type, "application/json");
		assert_false(answer.is_closed);
	}
}

static void every_answer_has_a_request_id(void **state)
{
	static const struct {
		const char *header;
		bool is_kept;
	} rows[] = {
		{"X-Request-Id: abc.DEF_1-2\r\n", true},
		{"X-Request-Id: "
		 "1234567890123456789012345678901234567890123456789012345678901234\r\n",
		 true},
		{"X-Request-Id: "
		 "12345678901234567890123456789012345678901234567890123456789012345\r\n",
		 false},
		{"X-Request-Id: a b\r\n", false},
		{"X-Request-Id: \r\n", false},
		{"X-Request-Id: a\r\nX-Request-Id: b\r\n", false},
		{"", false},
	};
	for (size_t i = 0; i < 2 * COUNT_OF(rows); i++) {
		const char *header = rows[i / 2].header;
		char bytes[512];
		char id[100];
		struct answer answer;
		snprintf(bytes, sizeof(bytes), "GET /%s HTTP/1.1\r\nHost: a\r\n%s\r\n",
			 i % 2 == 0 ? "hello/x" : "nowhere", header);
		exchange(*state, bytes, strlen(bytes), &answer);
		header_value(&answer, "X-Request-Id", id, sizeof(id));
		if (rows[i / 2].is_kept)
			assert_memory_equal(id, header + 14, strlen(header) - 16);
		else
			assert_true(uuid_is_valid(str_of(id)));
	}
}

static void headers_are_never_split_and_framing_is_ours(void **state)
{
	struct answer answer;
	char value[64];
	exchange(*state, "GET /split HTTP/1.1\r\nHost: a\r\n\r\n", 32, &answer);
	header_value(&answer, "X-Good", value, sizeof(value));
	assert_string_equal(value, "fine");
	assert_null(strstr(answer.bytes, "Injected"));
	assert_null(strcasestr(answer.bytes, "\r\nServer:"));
	assert_null(strstr(answer.bytes, ": 99"));
	assert_string_equal(answer.body, "127.0.0.1");
}

static void a_dropped_answer_sends_nothing(void **state)
{
	struct answer answer;
	exchange(*state, "GET /drop HTTP/1.1\r\nHost: a\r\n\r\n", 31, &answer);
	assert_int_equal(answer.len, 0);
	assert_true(answer.is_closed);
}

static void a_truncated_answer_promises_more_than_it_sends(void **state)
{
	static const struct {
		int at;
		size_t body_len;
		bool closes;
	} rows[] = {{0, 0, true},    {4, 4, true},    {9, 9, true},
		    {10, 10, false}, {11, 10, false}, {-1, 10, false}};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct answer answer;
		char bytes[128];
		snprintf(bytes, sizeof(bytes), "GET /truncate?at=%d HTTP/1.1\r\nHost: a\r\n\r\n",
			 rows[i].at);
		exchange(*state, bytes, strlen(bytes), &answer);
		assert_int_equal(answer.status, 200);
		assert_int_equal(content_length(answer.bytes), 10);
		assert_int_equal(answer.body_len, rows[i].body_len);
		assert_int_equal(answer.is_closed, rows[i].closes);
	}
}

static void a_handler_can_close(void **state)
{
	struct answer answer;
	char value[64];
	exchange(*state, "GET /close HTTP/1.1\r\nHost: a\r\n\r\n", 32, &answer);
	header_value(&answer, "Connection", value, sizeof(value));
	assert_string_equal(value, "close");
	assert_true(answer.is_closed);
}

static void large_answers_arrive_whole(void **state)
{
	const struct service *service = *state;
	struct answer answer = {0};
	size_t total = 0;
	const int fd = client_connect(httpd_port(service->httpd));
	client_send_z(fd, "GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
	while (client_fill(fd, &answer, READ_TIMEOUT_MS)) {
		total += answer.len;
		answer.len = 0;
	}
	assert_true(answer.is_closed);
	assert_true(total > 1000000 && total < 1001000);
	close(fd);
}

/* Reads one answer of that many bytes of the file's from an offset; the connection stays open. */
static void expect_file(int fd, int status, size_t offset, size_t len)
{
	char wanted[64];
	char head[4096];
	size_t head_len = 0, at = 0;
	while (head_len < sizeof(head) - 1 && read(fd, head + head_len, 1) == 1) {
		head[++head_len] = '\0';
		if (head_len >= 4 && strcmp(head + head_len - 4, "\r\n\r\n") == 0)
			break;
	}
	snprintf(wanted, sizeof(wanted), "HTTP/1.1 %d ", status);
	assert_memory_equal(head, wanted, strlen(wanted));
	snprintf(wanted, sizeof(wanted), "\r\nContent-Length: %zu\r\n", len);
	assert_non_null(strstr(head, wanted));
	char bytes[65536];
	while (at < len) {
		const size_t left = len - at;
		const ssize_t got = read(fd, bytes, left < sizeof(bytes) ? left : sizeof(bytes));
		assert_true(got > 0);
		for (ssize_t i = 0; i < got; i++, at++)
			assert_int_equal(bytes[i], file_byte(offset + at));
	}
}

static void files_are_sent_whole_and_in_parts_over_one_connection(void **state)
{
	const struct service *service = *state;
	const int fd = client_connect(httpd_port(service->httpd));
	client_send_z(fd, "GET /film HTTP/1.1\r\nHost: a\r\n\r\n");
	expect_file(fd, 200, 0, FILE_BYTES);
	client_send_z(fd, "GET /film HTTP/1.1\r\nHost: a\r\nRange: bytes=1000000-1000009\r\n\r\n");
	expect_file(fd, 206, 1000000, 10);
	client_send_z(fd, "GET /film HTTP/1.1\r\nHost: a\r\nRange: bytes=-200000\r\n\r\n");
	expect_file(fd, 206, FILE_BYTES - 200000, 200000);
	client_send_z(fd, "GET /film HTTP/1.1\r\nHost: a\r\nRange: bytes=3000000-\r\n\r\n");
	expect_file(fd, 416, 0, 0);
	client_send_z(fd, "GET /film HTTP/1.1\r\nHost: a\r\n\r\n");
	expect_file(fd, 200, 0, FILE_BYTES);
	close(fd);
}

static void a_file_shorter_than_announced_ends_the_connection(void **state)
{
	const struct service *service = *state;
	struct answer answer = {0};
	size_t total = 0;
	const int fd = client_connect(httpd_port(service->httpd));
	client_send_z(fd, "GET /film?short HTTP/1.1\r\nHost: a\r\n\r\n");
	while (client_fill(fd, &answer, READ_TIMEOUT_MS)) {
		total += answer.len;
		answer.len = 0;
	}
	assert_true(answer.is_closed);
	assert_true(total > FILE_BYTES && total < FILE_BYTES + 1000);
	close(fd);
}

/* A client that goes away in the middle must cost nothing: no signal, no leak (the sanitizer
 * looks), no stuck call. */
static void clients_that_go_away_are_survived(void **state)
{
	static const char *const beginnings[] = {
		"",
		"GET",
		"GET /hello/x HTTP/1.1\r\n",
		"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc",
		"POST /file HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc",
		"POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
		"GET /large HTTP/1.1\r\nHost: a\r\n\r\n",
		"GET /film HTTP/1.1\r\nHost: a\r\n\r\n",
		"GET /slow HTTP/1.1\r\nHost: a\r\n\r\n"};
	const struct service *service = *state;
	const struct linger reset = {.l_onoff = 1};
	struct answer answer;
	for (size_t i = 0; i < 2 * COUNT_OF(beginnings); i++) {
		const struct timespec pause = {.tv_nsec = 10 * 1000 * 1000};
		const int fd = client_connect(httpd_port(service->httpd));
		client_send_z(fd, beginnings[i / 2]);
		nanosleep(&pause, NULL);
		if (i % 2 == 0)
			setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
		close(fd);
	}
	exchange(service, "GET /hello/x HTTP/1.1\r\nHost: a\r\n\r\n", 34, &answer);
	assert_int_equal(answer.status, 200);
}

/* Nothing of libmicrohttpd's goes past our log, and refusals say why in it. */
static void refusals_are_logged_with_a_reason(void **state)
{
	struct service *service = *state;
	struct answer answer;
	char text[64 * 1024] = "";
	exchange(service, "GET /hello/x HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 43, &answer);
	assert_int_equal(answer.status, 400);
	const ssize_t got = pread(service->log.fd, text, sizeof(text) - 1, 0);
	assert_true(got > 0);
	assert_non_null(strstr(text, "two Host headers"));
}

/* Timeouts. */

static int64_t ms_until_closed(int fd, const char *drip)
{
	const int64_t start = clock_boot_us(clock_system());
	struct answer answer = {0};
	for (int i = 0; i < 100 && !answer.is_closed; i++) {
		client_send_z(fd, drip);
		client_fill(fd, &answer, 100);
	}
	return answer.is_closed ? (clock_boot_us(clock_system()) - start) / US_PER_MS : -1;
}

static void slow_headers_are_cut_off(void **state)
{
	static const struct {
		const char *name;
		const char *begin;
		const char *drip;
	} rows[] = {
		{"nothing at all", "", ""},
		{"request line trickles", "GET /", "a"},
		{"headers trickle", "GET / HTTP/1.1\r\nHost: a\r\n", "X: y\r\n"},
	};
	struct service service;
	const struct httpd_config config = {
		.threads = 2, .header_timeout_s = 1, .idle_timeout_s = 30};
	(void)state;
	service_open(&service, &config);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const int fd = client_connect(httpd_port(service.httpd));
		client_send_z(fd, rows[i].begin);
		const int64_t ms = ms_until_closed(fd, rows[i].drip);
		if (ms < 800 || ms > 8000)
			print_error("%s: %lld ms\n", rows[i].name, (long long)ms);
		assert_in_range(ms, 800, 8000);
		close(fd);
	}
	service_close(&service);
}

static void idle_connections_are_closed(void **state)
{
	struct service service;
	struct answer answer;
	const struct httpd_config config = {
		.threads = 2, .header_timeout_s = 5, .idle_timeout_s = 1};
	(void)state;
	service_open(&service, &config);
	const int fd = client_connect(httpd_port(service.httpd));
	client_send_z(fd, "GET /hello/x HTTP/1.1\r\nHost: a\r\n\r\n");
	client_read(fd, true, &answer);
	assert_int_equal(answer.status, 200);
	assert_in_range(ms_until_closed(fd, ""), 500, 8000);
	close(fd);
	service_close(&service);
}

/* Opening and closing. */

static void *slow_request(void *context)
{
	const struct service *service = context;
	static struct answer answer;
	exchange(service, "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n", 31, &answer);
	return &answer;
}

static void closing_lets_running_calls_end(void **state)
{
	struct service service;
	const struct httpd_config config = {.threads = 2};
	const struct timespec pause = {.tv_nsec = 5 * 1000 * 1000};
	pthread_t client;
	void *result = NULL;
	(void)state;
	service_open(&service, &config);
	assert_int_equal(pthread_create(&client, NULL, slow_request, &service), 0);
	while (atomic_load(&service.handled) == 0)
		nanosleep(&pause, NULL);
	service_close(&service);
	assert_int_equal(atomic_load(&service.finished), 1);
	pthread_join(client, &result);
	assert_int_equal(((struct answer *)result)->status, 200);
	assert_true(((struct answer *)result)->is_closed);
}

static void unix_sockets_work_and_are_private(void **state)
{
	struct service service;
	struct stat info;
	struct answer answer;
	char path[] = "/tmp/httpd-unix-XXXXXX";
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	(void)state;
	assert_non_null(mkdtemp(path));
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/control.sock", path);
	const struct httpd_config config = {.threads = 2, .unix_path = address.sun_path};
	for (int i = 0; i < 2; i++) {
		service_open(&service, &config);
		assert_int_equal(stat(address.sun_path, &info), 0);
		assert_int_equal(info.st_mode & 0777, 0600);
		assert_int_equal(httpd_base_url(service.httpd).len, 0);
		const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
		assert_int_equal(connect(fd, (const struct sockaddr *)&address, sizeof(address)),
				 0);
		client_send_z(fd, "GET /split HTTP/1.1\r\nHost: a\r\n\r\n");
		client_read(fd, true, &answer);
		assert_int_equal(answer.status, 200);
		assert_int_equal(answer.body_len, 0); /* no remote address */
		close(fd);
		service_close(&service);
		assert_int_not_equal(access(address.sun_path, F_OK), 0);
		/* a file left by a killed process is replaced */
		const int left = socket(AF_UNIX, SOCK_STREAM, 0);
		assert_int_equal(bind(left, (const struct sockaddr *)&address, sizeof(address)), 0);
		close(left);
	}
	unlink(address.sun_path);
	assert_int_equal(rmdir(path), 0);
}

static void bad_configurations_are_refused(void **state)
{
	struct service *service = *state;
	char in_use[64];
	snprintf(in_use, sizeof(in_use), "127.0.0.1:%u", (unsigned)httpd_port(service->httpd));
	const struct {
		const char *listen;
		const char *unix_path;
		enum err_kind kind;
	} rows[] = {
		{NULL, NULL, ERR_INVALID},
		{"127.0.0.1", NULL, ERR_INVALID},
		{"127.0.0.1:70000", NULL, ERR_INVALID},
		{in_use, NULL, ERR_TEMPORARY},
		{NULL, "/etc/passwd", ERR_INVALID},
		{"127.0.0.1:0", "/tmp/x", ERR_INVALID},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct error err = {0};
		struct httpd *httpd = NULL;
		const struct httpd_config config = {.listen = rows[i].listen,
						    .unix_path = rows[i].unix_path,
						    .router = service->router,
						    .random = random_system()};
		assert_int_equal(httpd_open(&config, &httpd, &err), rows[i].kind);
		assert_null(httpd);
		assert_true(err.text[0] != '\0');
	}
}

static void the_base_url_names_the_port(void **state)
{
	const struct service *service = *state;
	char expected[64];
	snprintf(expected, sizeof(expected), "http://127.0.0.1:%u",
		 (unsigned)httpd_port(service->httpd));
	assert_true(httpd_port(service->httpd) != 0);
	assert_true(str_equal_z(httpd_base_url(service->httpd), expected));
}

/* The stall: with one epoll loop, 128, 256, 512 ready sockets made libmicrohttpd 0.9.75 wait out a
 * timeout before serving any of them (dependencies.md A: 0.1 instead of 100 thousand requests a
 * second). Here N clients go in step: all send, then all read, so that all sockets are ready at
 * once, round after round. */

static void closed_loop(const struct service *service, int clients)
{
	static int fds[1024];
	struct answer answer;
	clients_connect(httpd_port(service->httpd), fds, clients);
	for (int round = 0; round < STALL_ROUNDS; round++) {
		for (int i = 0; i < clients; i++)
			client_send_z(fds[i], "GET /hello/x HTTP/1.1\r\nHost: a\r\n\r\n");
		for (int i = 0; i < clients; i++) {
			client_read(fds[i], true, &answer);
			assert_int_equal(answer.status, 200);
		}
	}
	for (int i = 0; i < clients; i++)
		close(fds[i]);
}

static void no_number_of_connections_stalls(void **state)
{
	static const int counts[] = {64, 127, 128, 129, 256, 512};
	static const struct {
		const char *name;
		unsigned threads;
		unsigned per_thread;
	} pools[] = {
		{"as shipped", 0, 0},
		{"few threads, as full as they may be", 5, 1000}, /* 1000 becomes 126 */
	};
	const struct rlimit files = {.rlim_cur = 4096, .rlim_max = 4096};
	(void)state;
	setrlimit(RLIMIT_NOFILE, &files);
	for (size_t p = 0; p < COUNT_OF(pools); p++) {
		struct service service;
		const struct httpd_config config = {.threads = pools[p].threads,
						    .connections_per_thread_max =
							    pools[p].per_thread,
						    .idle_timeout_s = 20};
		service_open(&service, &config);
		for (size_t i = 0; i < COUNT_OF(counts); i++) {
			const int64_t start = clock_boot_us(clock_system());
			closed_loop(&service, counts[i]);
			const int64_t ms = (clock_boot_us(clock_system()) - start) / US_PER_MS;
			print_message("%s: %d clients x %d in %lld ms\n", pools[p].name, counts[i],
				      STALL_ROUNDS, (long long)ms);
			assert_true(ms < 20000); /* a stalled round costs the idle timeout, 20 s */
		}
		service_close(&service);
	}
}

/* The same without chance. Both workers are held in a handler while all their other connections
 * become ready, so that the next epoll_wait() of each sees them at once. Were 128 of them let in,
 * they would be answered only after the idle timeout; so there are places for 126, and the six
 * clients too many wait in the backlog until others leave. */
static void a_full_worker_serves_all_its_connections_at_once(void **state)
{
	enum { CLIENTS = 2 * 129, PLACES = 2 * 126 };
	static int fds[CLIENTS];
	struct service service;
	struct answer answer;
	const struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};
	const struct httpd_config config = {
		.threads = 2, .connections_per_thread_max = 1000, .idle_timeout_s = 60};
	(void)state;
	service_open(&service, &config);
	clients_connect(httpd_port(service.httpd), fds, CLIENTS);
	for (int i = 0; i < PLACES; i++) { /* all are with their workers now */
		client_send_z(fds[i], "GET /hello/x HTTP/1.1\r\nHost: a\r\n\r\n");
		client_read(fds[i], true, &answer);
		assert_int_equal(answer.status, 200);
	}
	const int before = atomic_load(&service.handled);
	client_send_z(fds[0], "GET /gate HTTP/1.1\r\nHost: a\r\n\r\n");
	client_send_z(fds[1], "GET /gate HTTP/1.1\r\nHost: a\r\n\r\n");
	for (int i = 0; i < 100 && atomic_load(&service.handled) < before + 2; i++)
		nanosleep(&pause, NULL);
	assert_int_equal(atomic_load(&service.handled), before + 2);
	for (int i = 2; i < CLIENTS; i++)
		client_send_z(fds[i], "GET /hello/x HTTP/1.1\r\nHost: a\r\n\r\n");
	nanosleep(&pause, NULL);
	atomic_store(&service.is_gate_open, true);
	/* Nobody closes before all are answered: any event would wake a stalled loop. */
	for (int i = 0; i < CLIENTS; i++) {
		for (int left = 0; i == PLACES && left < PLACES; left++)
			close(fds[left]);
		client_read(fds[i], true, &answer);
		if (answer.status != 200)
			print_error("client %d was not answered\n", i);
		assert_int_equal(answer.status, 200);
	}
	for (int i = PLACES; i < CLIENTS; i++)
		close(fds[i]);
	service_close(&service);
}

/* When every place is taken the next client waits in the backlog and is served when one leaves. */
static void a_full_house_lets_clients_wait(void **state)
{
	struct service service;
	struct answer answer;
	int fds[4];
	const struct httpd_config config = {.threads = 2, .connections_per_thread_max = 2};
	(void)state;
	service_open(&service, &config);
	for (int i = 0; i < 4; i++) {
		fds[i] = client_connect(httpd_port(service.httpd));
		client_send_z(fds[i], "GET /hello/x HTTP/1.1\r\nHost: a\r\n\r\n");
		client_read(fds[i], true, &answer);
		assert_int_equal(answer.status, 200);
	}
	const int waiting = client_connect(httpd_port(service.httpd));
	client_send_z(waiting, "GET /hello/late HTTP/1.1\r\nHost: a\r\n\r\n");
	answer = (struct answer){0};
	assert_false(client_fill(waiting, &answer, 200));
	assert_false(answer.is_closed);
	close(fds[0]);
	client_read(waiting, true, &answer);
	assert_int_equal(answer.status, 200);
	close(waiting);
	for (int i = 1; i < 4; i++)
		close(fds[i]);
	service_close(&service);
}

/* Bodies and who may send them. */

static void who_may_not_send_a_body_is_refused_with_the_headers(void **state)
{
	struct service *service = *state;
	struct answer answer;
	static const struct {
		const char *bytes;
		int status;
		int handled;
		bool is_closed;
	} rows[] = {
		{"POST /door?good HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", 200, 1,
		 false},
		{"POST /door?wait HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", 200, 1,
		 false},
		{"POST /door?wait HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
		 "3\r\nabc\r\n0\r\n\r\n",
		 200, 1, true},
		/* a body so small is read off, and the connection lives on */
		{"POST /door?bad HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", 401, 0,
		 false},
		/* none of these has sent a byte of its body */
		{"POST /door?bad HTTP/1.1\r\nHost: a\r\nContent-Length: 900000\r\n\r\n", 401, 0,
		 true},
		{"POST /door?bad HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", 401, 0,
		 true},
		{"POST /door?bad HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: "
		 "3\r\n\r\n",
		 401, 0, true},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const int before = atomic_load(&service->handled);
		exchange(service, rows[i].bytes, strlen(rows[i].bytes), &answer);
		assert_int_equal(answer.status, rows[i].status);
		assert_int_equal(atomic_load(&service->handled) - before, rows[i].handled);
		assert_int_equal(answer.is_closed, rows[i].is_closed);
	}
	const int asked = atomic_load(&service->asked);
	const char *bodiless = "POST /door?bad HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n";
	exchange(service, bodiless, strlen(bodiless), &answer);
	assert_int_equal(answer.status, 200); /* there is nothing to refuse */
	assert_int_equal(atomic_load(&service->asked), asked);
}

static void a_malformed_length_is_answered_once(void **state)
{
	struct service *service = *state;
	static const char *const values[] = {"3, 3",
					     "+0",
					     "-1",
					     "0x0",
					     "0 0",
					     "",
					     "1e1",
					     "0 ",
					     "0\t",
					     "18446744073709551615",
					     "18446744073709551616",
					     "99999999999999999999999"};
	for (size_t i = 0; i < COUNT_OF(values); i++) {
		struct answer answer;
		char bytes[256];
		const int len =
			snprintf(bytes, sizeof(bytes),
				 "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: %s\r\n\r\n"
				 "GET /hello/x HTTP/1.1\r\nHost: a\r\n\r\n",
				 values[i]);
		/* whole, and cut in the middle of the header's value: its head is complete later */
		for (int cut = 0; cut < 2; cut++) {
			const int fd = client_connect(httpd_port(service->httpd));
			const size_t first =
				cut == 0 ? (size_t)len : strlen("POST /echo HTTP/1.1\r\n");
			client_send(fd, bytes, first);
			if (cut == 1)
				thread_sleep_ms(20);
			client_send(fd, bytes + first, (size_t)len - first);
			answer = (struct answer){0};
			while (client_fill(fd, &answer, READ_TIMEOUT_MS))
				;
			assert_true(answer.is_closed);
			assert_int_equal(strncmp(answer.bytes, "HTTP/1.1 400 ", 13), 0);
			assert_null(strstr(answer.bytes + 1, "HTTP/1.1"));
			assert_non_null(strstr(answer.bytes, "{\"fault\":4}"));
			assert_non_null(strcasestr(answer.bytes, "\r\nX-Request-Id: "));
			close(fd);
		}
	}
}

static void body_begin(int fd, size_t length, size_t sent)
{
	char head[128];
	static char body[DOOR_MAX_BYTES];
	snprintf(head, sizeof(head),
		 "POST /door?good HTTP/1.1\r\nHost: a\r\nContent-Length: %zu\r\n\r\n", length);
	client_send_z(fd, head);
	client_send(fd, body, sent);
}

/* 503 for what does not fit; what was there is served, and its room is there again afterwards. */
static void bodies_have_a_ceiling_over_all(void **state)
{
	static char body[10000];
	const struct {
		size_t of_all;
		size_t of_address;
	} rows[] = {{25000, 0}, {0, 25000}};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct service service;
		struct answer answer;
		int fds[2];
		const struct httpd_config config = {
			.threads = 2,
			.body_bytes_max = rows[i].of_all,
			.body_bytes_of_address_max = rows[i].of_address,
		};
		service_open(&service, &config);
		clients_connect(httpd_port(service.httpd), fds, 2);
		for (int c = 0; c < 2; c++) {
			body_begin(fds[c], 10001, 10000);
			thread_sleep_ms(100); /* it is counted */
		}
		for (int round = 0; round < 3; round++) {
			const int fd = client_connect(httpd_port(service.httpd));
			body_begin(fd, 9000, 0); /* refused by what it announces */
			client_read(fd, true, &answer);
			assert_int_equal(answer.status, 503);
			close(fd);
		}
		client_send(fds[0], body, 1);
		client_read(fds[0], false, &answer);
		assert_int_equal(answer.status, 200);
		close(fds[0]);
		close(fds[1]);
		thread_sleep_ms(100);
		const int fd = client_connect(httpd_port(service.httpd));
		body_begin(fd, 20000, 20000);
		client_read(fd, false, &answer);
		assert_int_equal(answer.status, 200);
		close(fd);
		service_close(&service);
	}
}

/* One worker: a handler that waits for a platform holds up no other connection of it. */
static void a_handler_that_waits_holds_up_nobody(void **state)
{
	enum { WAITING = 6 };
	struct service service;
	struct answer answer;
	int fds[WAITING];
	const struct httpd_config config = {.threads = 1, .platform_threads = 4};
	(void)state;
	service_open(&service, &config);
	clients_connect(httpd_port(service.httpd), fds, WAITING);
	for (int i = 0; i < WAITING; i++) /* more than the pool has threads */
		client_send_z(fds[i], "GET /platform HTTP/1.1\r\nHost: a\r\n\r\n");
	static const char *const others[] = {"/inline", "/probe", "/hello/x"};
	for (size_t i = 0; i < 3 * COUNT_OF(others); i++) {
		char request[128];
		const int len =
			snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: a\r\n\r\n",
				 others[i % COUNT_OF(others)]);
		exchange(&service, request, (size_t)len, &answer);
		assert_int_equal(answer.status, 200);
	}
	atomic_store(&service.is_gate_open, true);
	for (int i = 0; i < WAITING; i++) {
		client_read(fds[i], true, &answer);
		assert_int_equal(answer.status, 200);
		close(fds[i]);
	}
	service_close(&service);
}

/* Suspended connections whose client has gone, and a listener that closes with some. */
static void closing_answers_those_who_wait(void **state)
{
	struct service service;
	struct answer answer;
	int fds[4];
	const struct httpd_config config = {.threads = 2};
	(void)state;
	service_open(&service, &config);
	clients_connect(httpd_port(service.httpd), fds, 4);
	for (int i = 0; i < 4; i++)
		client_send_z(fds[i], "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n");
	while (atomic_load(&service.handled) < 2)
		thread_sleep_ms(1);
	close(fds[3]);
	service_close(&service); /* waits for 2 s at most, and for handlers that run */
	assert_int_equal(atomic_load(&service.finished), 4);
	for (int i = 0; i < 3; i++) {
		client_read(fds[i], true, &answer);
		assert_int_equal(answer.status, 200);
		close(fds[i]);
	}
}

static bool is_answered(int fd)
{
	struct answer answer;
	client_send_z(fd, "GET /hello/x HTTP/1.1\r\nHost: a\r\n\r\n");
	client_read(fd, true, &answer);
	return answer.status == 200;
}

/* When places run short the connection that is idle the longest gives way, one that works does
 * not. */
static void an_idle_connection_gives_way(void **state)
{
	const struct httpd_config rows[] = {
		{.threads = 2, .connections_per_thread_max = 5, .crowded_percent = 80},
		{.threads = 2, .connections_per_thread_max = 50, .connections_of_address_max = 8},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct service service;
		struct answer answer;
		int fds[40];
		service_open(&service, &rows[i]);
		fds[0] = client_connect(httpd_port(service.httpd));
		client_send_z(fds[0], "GET /platform HTTP/1.1\r\nHost: a\r\n\r\n");
		for (int c = 1; c < 40; c++) {
			fds[c] = client_connect(httpd_port(service.httpd));
			assert_true(is_answered(fds[c]));
		}
		assert_true(client_sees_end(fds[1], READ_TIMEOUT_MS));
		assert_true(is_answered(fds[39]));
		assert_true(is_answered(fds[36]));
		atomic_store(&service.is_gate_open, true);
		client_read(fds[0], true, &answer);
		assert_int_equal(answer.status, 200);
		for (int c = 0; c < 40; c++)
			close(fds[c]);
		service_close(&service);
	}
}

static bool everybody_is_exempt(void *context, const struct sockaddr *address)
{
	atomic_fetch_add((_Atomic int *)context, 1);
	return address->sa_family == AF_INET;
}

static void an_address_has_its_maximum_unless_it_is_exempt(void **state)
{
	_Atomic int asked = 0;
	(void)state;
	for (int is_exempt = 0; is_exempt < 2; is_exempt++) {
		struct service service;
		struct answer answer = {0};
		int fds[4];
		const struct httpd_config config = {
			.threads = 2,
			.connections_of_address_max = 3,
			.address_is_exempt = is_exempt ? everybody_is_exempt : NULL,
			.address_context = &asked,
		};
		service_open(&service, &config);
		clients_connect(httpd_port(service.httpd), fds, 4);
		for (int i = 0; i < 3; i++)
			client_send_z(fds[i], "GET /platform HTTP/1.1\r\nHost: a\r\n\r\n");
		while (atomic_load(&service.handled) < 3)
			thread_sleep_ms(1);
		const int late = client_connect(httpd_port(service.httpd));
		close(fds[3]); /* it sent nothing, so it may have given way */
		if (is_exempt)
			assert_true(is_answered(late));
		else
			assert_false(client_fill(late, &answer, 200));
		atomic_store(&service.is_gate_open, true);
		for (int i = 0; i < 3; i++)
			close(fds[i]);
		close(late);
		service_close(&service);
	}
	assert_true(atomic_load(&asked) > 0);
}

int main(void)
{
	const struct CMUnitTest shared[] = {
		cmocka_unit_test(shapes_two_parsers_could_read_differently_are_refused),
		cmocka_unit_test(shapes_are_judged_alike_when_they_trickle_in),
		cmocka_unit_test(nothing_behind_a_refused_request_is_handled),
		cmocka_unit_test(headers_have_a_count_and_a_size),
		cmocka_unit_test(targets_have_a_size),
		cmocka_unit_test(bodies_over_the_limit_are_413),
		cmocka_unit_test(a_file_body_is_whole_and_gone_after_the_answer),
		cmocka_unit_test(expect_continue_is_answered_before_the_body),
		cmocka_unit_test(chunked_bodies_are_put_together_and_cut_off),
		cmocka_unit_test(connections_are_kept_alive_and_pipelined_in_order),
		cmocka_unit_test(head_is_get_without_the_body),
		cmocka_unit_test(faults_are_in_the_services_shape),
		cmocka_unit_test(every_answer_has_a_request_id),
		cmocka_unit_test(headers_are_never_split_and_framing_is_ours),
		cmocka_unit_test(a_dropped_answer_sends_nothing),
		cmocka_unit_test(a_truncated_answer_promises_more_than_it_sends),
		cmocka_unit_test(a_handler_can_close),
		cmocka_unit_test(files_are_sent_whole_and_in_parts_over_one_connection),
		cmocka_unit_test(a_file_shorter_than_announced_ends_the_connection),
		cmocka_unit_test(large_answers_arrive_whole),
		cmocka_unit_test(clients_that_go_away_are_survived),
		cmocka_unit_test(refusals_are_logged_with_a_reason),
		cmocka_unit_test(bad_configurations_are_refused),
		cmocka_unit_test(the_base_url_names_the_port),
		cmocka_unit_test(who_may_not_send_a_body_is_refused_with_the_headers),
		cmocka_unit_test(a_malformed_length_is_answered_once),
	};
	const struct CMUnitTest own[] = {
		cmocka_unit_test(bodies_have_a_ceiling_over_all),
		cmocka_unit_test(a_handler_that_waits_holds_up_nobody),
		cmocka_unit_test(closing_answers_those_who_wait),
		cmocka_unit_test(an_idle_connection_gives_way),
		cmocka_unit_test(an_address_has_its_maximum_unless_it_is_exempt),
		cmocka_unit_test(slow_headers_are_cut_off),
		cmocka_unit_test(idle_connections_are_closed),
		cmocka_unit_test(closing_lets_running_calls_end),
		cmocka_unit_test(unix_sockets_work_and_are_private),
		cmocka_unit_test(a_full_house_lets_clients_wait),
		cmocka_unit_test(a_full_worker_serves_all_its_connections_at_once),
		cmocka_unit_test(no_number_of_connections_stalls),
	};
	return cmocka_run_group_tests_name("listener", shared, setup, teardown) +
	       cmocka_run_group_tests_name("listeners of their own", own, NULL, NULL);
}
