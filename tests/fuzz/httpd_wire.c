/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes the listener whole, with libmicrohttpd in the loop: httpd/httpd.h on a Unix socket. The
 * bytes of one connection are sent in pieces, and read here once more by the letter of RFC 9112. A
 * handler may see a request only if it is the next one of that reading, with the same method,
 * target and body; nothing behind a request that is refused is ever run. Each request is answered
 * once, in order, by one whole message, and each stream that begins ends once.
 * The input's first byte says how large the pieces are. What ends within a request is filled up
 * with bytes that end anything, since the service waits ten seconds for the rest of a body. */
#include "httpd.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "arena.h"
#include "count_of.h"
#include "log.h"
#include "random.h"

#define INPUT_MAX_BYTES ((size_t)12 << 10)
#define ANSWERS_MAX_BYTES ((size_t)1 << 20)
#define BODY_MAX_BYTES 2000
#define REQUESTS_MAX 64
#define ENDS_WAIT_US 5000000
#define ANSWER_WAIT_S 3
#define FILLER "\r\n0\r\n\r\n"
#define FILLER_COUNT 600 /* more than a body whose bytes nobody wants */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* What a handler saw, or the reading here expects it to see. */
struct wire_request {
	char method[64]; /* the listener takes 32 */
	char target[INPUT_MAX_BYTES + 1];
	char body[BODY_MAX_BYTES];
	size_t body_len;
	bool has_body; /* a handler without a body's bytes knows none */
};

struct wire_list {
	struct wire_request requests[REQUESTS_MAX];
	size_t count;
};

static struct {
	struct http_router *router;
	struct httpd *httpd;
	struct log log;
	char directory[64];
	char path[96];
	pthread_mutex_t lock;
	struct wire_list seen; /* under lock */
	_Atomic int begun;
	_Atomic int ended;
} wire = {.lock = PTHREAD_MUTEX_INITIALIZER, .directory = "/tmp/fuzz-wire-XXXXXX"};

/* ---- the service ---- */

static void copy_text(char *out, size_t size_bytes, struct str text)
{
	assert(text.len < size_bytes);
	memcpy(out, text.ptr, text.len);
	out[text.len] = '\0';
}

static void note(const struct http_request *request, const char *body, size_t body_len,
		 bool has_body)
{
	pthread_mutex_lock(&wire.lock);
	assert(wire.seen.count < REQUESTS_MAX && body_len <= BODY_MAX_BYTES);
	struct wire_request *seen = &wire.seen.requests[wire.seen.count++];
	copy_text(seen->method, sizeof(seen->method), request->method);
	copy_text(seen->target, sizeof(seen->target), request->target);
	if (body_len > 0)
		memcpy(seen->body, body, body_len);
	seen->body_len = body_len;
	seen->has_body = has_body;
	pthread_mutex_unlock(&wire.lock);
}

static void answer_ok(struct http_response *response)
{
	buf_add_z(http_response_text(response, 200, "text/plain"), "seen");
}

static void in_memory(void *context, struct http_request *request, struct http_response *response)
{
	(void)context;
	note(request, request->body.ptr, request->body.len, true);
	answer_ok(response);
}

static void in_file(void *context, struct http_request *request, struct http_response *response)
{
	char body[BODY_MAX_BYTES];
	FILE *file = request->body_path != NULL ? fopen(request->body_path, "rb") : NULL;
	const size_t len = file != NULL ? fread(body, 1, sizeof(body), file) : 0;
	(void)context;
	if (file != NULL)
		fclose(file);
	assert((int64_t)len == request->body_size_bytes);
	note(request, body, len, true);
	answer_ok(response);
}

static void without_body(void *context, struct http_request *request,
			 struct http_response *response)
{
	(void)context;
	note(request, NULL, 0, false);
	answer_ok(response);
}

struct wire_stream {
	char bytes[BODY_MAX_BYTES];
	size_t len;
};

static bool stream_begin(void *context, struct http_request *request,
			 struct http_response *response)
{
	(void)context;
	if (str_find(request->query_text, STR("refuse"), 0) != SIZE_MAX) {
		buf_add_z(http_response_text(response, 403, "text/plain"), "no");
		return false;
	}
	request->stream = calloc(1, sizeof(struct wire_stream));
	atomic_fetch_add(&wire.begun, 1);
	return true;
}

static bool stream_take(void *context, struct http_request *request, struct str piece,
			struct http_response *response)
{
	struct wire_stream *stream = request->stream;
	(void)context;
	if (str_find_char(piece, '!', 0) != SIZE_MAX) {
		buf_add_z(http_response_text(response, 409, "text/plain"), "no more");
		return false;
	}
	assert(stream->len + piece.len <= sizeof(stream->bytes));
	memcpy(stream->bytes + stream->len, piece.ptr, piece.len);
	stream->len += piece.len;
	return true;
}

static void stream_end(void *context, struct http_request *request)
{
	(void)context;
	free(request->stream);
	request->stream = NULL;
	atomic_fetch_add(&wire.ended, 1);
}

static const struct http_stream stream = {stream_begin, stream_take, stream_end};

static void in_stream(void *context, struct http_request *request, struct http_response *response)
{
	const struct wire_stream *came = request->stream;
	(void)context;
	note(request, came != NULL ? came->bytes : NULL, came != NULL ? came->len : 0, true);
	answer_ok(response);
}

static enum http_admission admit(void *context, struct http_request *request,
				 struct http_response *response, bool may_wait)
{
	(void)context;
	if (str_find(request->query_text, STR("wait"), 0) != SIZE_MAX && !may_wait)
		return HTTP_MUST_WAIT;
	if (str_find(request->query_text, STR("refuse"), 0) == SIZE_MAX)
		return HTTP_ADMITTED;
	buf_add_z(http_response_text(response, 401, "text/plain"), "who?");
	return HTTP_REFUSED;
}

static const struct http_route routes[] = {
	{.method = "*",
	 .pattern = "/m/{*rest}",
	 .handler = in_memory,
	 .body_max_bytes = BODY_MAX_BYTES,
	 .body_mode = HTTP_BODY_MEMORY,
	 .admit = admit},
	{.method = "*",
	 .pattern = "/f/{*rest}",
	 .handler = in_file,
	 .body_max_bytes = BODY_MAX_BYTES,
	 .body_mode = HTTP_BODY_FILE},
	{.method = "*",
	 .pattern = "/s/{*rest}",
	 .handler = in_stream,
	 .body_max_bytes = BODY_MAX_BYTES,
	 .body_mode = HTTP_BODY_STREAM,
	 .stream = &stream,
	 .admit = admit},
	{.method = "*", .pattern = "/n/{*rest}", .handler = without_body},
	{.method = "*",
	 .pattern = "/i/{*rest}",
	 .handler = without_body,
	 .run_mode = HTTP_RUN_INLINE},
};

static void wire_close(void)
{
	httpd_close(&wire.httpd, 2000);
	http_router_free(&wire.router);
	unlink(wire.path);
	rmdir(wire.directory);
}

static void listen_anew(void)
{
	struct error err = {0};
	const struct httpd_config config = {
		.unix_path = wire.path,
		.router = wire.router,
		.log = &wire.log,
		.random = random_system(),
		.threads = 1,
		.store_threads = 1,
		.platform_threads = 1,
		.body_directory = wire.directory,
	};
	httpd_close(&wire.httpd, 2000);
	assert(httpd_open(&config, &wire.httpd, &err) == ERR_NONE);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct error err = {0};
	const struct http_router_config router = {.context = NULL};
	(void)argc, (void)argv;
	assert(mkdtemp(wire.directory) != NULL);
	snprintf(wire.path, sizeof(wire.path), "%s/socket", wire.directory);
	wire.log = (struct log){.fd = -1, .level = LOG_ERROR};
	assert(http_router_new(&router, &wire.router, &err) == ERR_NONE);
	assert(http_router_add(wire.router, routes, COUNT_OF(routes), &err) == ERR_NONE);
	listen_anew();
	atexit(wire_close);
	return 0;
}

/* ---- the second reading, by the letter of RFC 9112 ---- */

static bool is_token(struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] <= ' ' || text.ptr[i] >= 0x7f ||
		    strchr("\"(),/:;<=>?@[\\]{}", text.ptr[i]) != NULL)
			return false;
	}
	return text.len > 0;
}

static bool take_line(struct str *rest, struct str *line_out)
{
	const size_t end = str_find(*rest, STR("\r\n"), 0);
	if (end == SIZE_MAX)
		return false;
	*line_out = str_slice(*rest, 0, end);
	*rest = str_slice(*rest, end + 2, rest->len);
	return true;
}

struct framing {
	uint64_t length;
	size_t lengths;
	size_t hosts;
	bool is_1_0;
	bool is_chunked;
	bool is_last; /* nothing may follow it on the connection */
	bool is_kept; /* or it may, even of HTTP/1.0 */
};

static bool read_header(struct str line, struct framing *framing)
{
	struct str name;
	if (!str_take_until(&line, ':', &name) || !str_skip(&line, STR(":")) || !is_token(name) ||
	    str_has_control(str_trim(line)))
		return false;
	const struct str value = str_trim(line);
	framing->hosts += str_equal_nocase(name, STR("host"));
	if (str_equal_nocase(name, STR("content-length"))) {
		framing->lengths++;
		return str_parse_u64(value, &framing->length);
	}
	if (str_equal_nocase(name, STR("transfer-encoding"))) {
		framing->is_chunked = true;
		return str_equal_nocase(value, STR("chunked"));
	}
	if (!str_equal_nocase(name, STR("connection")))
		return true;
	framing->is_last = framing->is_last || str_equal_nocase(value, STR("close"));
	framing->is_kept = framing->is_kept || str_equal_nocase(value, STR("keep-alive"));
	return true;
}

static bool read_request_line(struct str line, struct wire_request *out, struct framing *framing)
{
	struct str method, target;
	if (!str_take_until(&line, ' ', &method) || !str_skip(&line, STR(" ")) ||
	    !str_take_until(&line, ' ', &target) || !str_skip(&line, STR(" ")) ||
	    !is_token(method) || target.len == 0 || method.len >= sizeof(out->method) ||
	    target.len >= sizeof(out->target))
		return false;
	for (size_t i = 0; i < target.len; i++) {
		if (target.ptr[i] <= ' ' || target.ptr[i] >= 0x7f)
			return false;
	}
	copy_text(out->method, sizeof(out->method), method);
	copy_text(out->target, sizeof(out->target), target);
	const bool is_1_0 = str_equal(line, STR("HTTP/1.0"));
	framing->is_1_0 = is_1_0;
	return is_1_0 || str_equal(line, STR("HTTP/1.1"));
}

static bool body_add(struct wire_request *out, struct str bytes)
{
	if (bytes.len > sizeof(out->body) - out->body_len)
		return false;
	if (bytes.len > 0)
		memcpy(out->body + out->body_len, bytes.ptr, bytes.len);
	out->body_len += bytes.len;
	return true;
}

/* A line end of the chunks may be a bare LF: what follows the body is not read (httpd.h). */
static bool take_chunk_line(struct str *rest, struct str *line_out)
{
	if (!str_take_until(rest, '\n', line_out) || !str_skip(rest, STR("\n")))
		return false;
	if (str_has_suffix(*line_out, STR("\r")))
		*line_out = str_slice(*line_out, 0, line_out->len - 1);
	return true;
}

static bool read_chunks(struct str *rest, struct wire_request *out)
{
	struct str line, size;
	while (take_chunk_line(rest, &line)) {
		char hex[32], *end;
		size = str_slice(line, 0, str_find_char(line, ';', 0));
		size = str_trim(size);
		if (size.len == 0 || size.len > 16)
			return false;
		copy_text(hex, sizeof(hex), size);
		const unsigned long long len = strtoull(hex, &end, 16);
		if (*end != '\0' || len > rest->len)
			return false;
		if (len == 0)
			return true; /* trailers end the connection with it */
		if (!body_add(out, str_slice(*rest, 0, (size_t)len)))
			return false;
		*rest = str_slice(*rest, (size_t)len, rest->len);
		if (!take_chunk_line(rest, &line) || line.len > 0)
			return false;
	}
	return false;
}

/* RFC 9112 2.2 lets empty lines before a request pass. libmicrohttpd takes a bare CR or LF for one,
 * and a line that begins with NUL, up to its LF, and nothing shows it (httpd.h): what is dropped so
 * is never run. */
static void skip_empty_lines(struct str *rest)
{
	while (rest->len > 0 && memchr("\r\n", rest->ptr[0], 3) != NULL) {
		const bool is_line = rest->ptr[0] == '\0';
		size_t end = 0;
		while (end < rest->len && (is_line || rest->ptr[end] != '\r') &&
		       rest->ptr[end] != '\n')
			end++;
		if (end == rest->len)
			return;
		*rest = str_slice(*rest, end + 1, rest->len);
	}
}

/* One whole request, or false: from here on nothing may be run. */
static bool read_request(struct str *rest, struct wire_request *out, bool *is_last_out)
{
	struct framing framing = {0};
	struct str line;
	skip_empty_lines(rest);
	*out = (struct wire_request){0};
	if (!take_line(rest, &line) || !read_request_line(line, out, &framing))
		return false;
	while (take_line(rest, &line)) {
		if (line.len == 0)
			break;
		if (!read_header(line, &framing))
			return false;
	}
	if (line.len > 0 || framing.lengths > 1 || framing.hosts > 1 ||
	    (framing.hosts == 0 && !framing.is_1_0) || (framing.is_chunked && framing.lengths > 0))
		return false;
	*is_last_out =
		framing.is_last || framing.is_chunked || (framing.is_1_0 && !framing.is_kept);
	if (framing.is_chunked)
		return read_chunks(rest, out);
	if (framing.length > rest->len)
		return false;
	const struct str body = str_slice(*rest, 0, (size_t)framing.length);
	*rest = str_slice(*rest, body.len, rest->len);
	return body_add(out, body) || true; /* too large a one reaches no handler */
}

/* True: nothing is left over. */
static bool read_all(struct str rest, struct wire_list *expected)
{
	bool is_last = false;
	expected->count = 0;
	while (!is_last && rest.len > 0 && expected->count < REQUESTS_MAX) {
		if (!read_request(&rest, &expected->requests[expected->count], &is_last))
			return false;
		expected->count++;
	}
	return rest.len == 0;
}

static struct str filled_up(struct str bytes, char *out)
{
	static struct wire_list unused;
	size_t len = bytes.len;
	memcpy(out, bytes.ptr, len);
	if (read_all(bytes, &unused))
		return (struct str){out, len};
	for (int i = 0; i < FILLER_COUNT; i++, len += sizeof(FILLER) - 1)
		memcpy(out + len, FILLER, sizeof(FILLER) - 1);
	return (struct str){out, len};
}

/* ---- the exchange ---- */

static void send_pieces(int fd, struct str bytes, size_t piece)
{
	while (bytes.len > 0) {
		const size_t len = piece > 0 && piece < bytes.len ? piece : bytes.len;
		const ssize_t sent = send(fd, bytes.ptr, len, MSG_NOSIGNAL);
		if (sent <= 0)
			return; /* it has closed */
		bytes = str_slice(bytes, (size_t)sent, bytes.len);
	}
	shutdown(fd, SHUT_WR);
}

/* ENDED: the service closed in order, and all that it said is here. */
enum exchange_end { EXCHANGE_ENDED, EXCHANGE_BROKEN, EXCHANGE_OPEN };

static enum exchange_end exchange(struct str bytes, size_t piece, char *out, size_t *len_out)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", wire.path);
	const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const struct timeval wait = {.tv_sec = ANSWER_WAIT_S};
	assert(fd >= 0 && connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	send_pieces(fd, bytes, piece);
	ssize_t count = 1;
	*len_out = 0;
	while (count > 0 && *len_out < ANSWERS_MAX_BYTES) {
		count = recv(fd, out + *len_out, ANSWERS_MAX_BYTES - *len_out, 0);
		*len_out += count > 0 ? (size_t)count : 0;
	}
	const bool is_open = count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
	close(fd);
	return count == 0 ? EXCHANGE_ENDED : is_open ? EXCHANGE_OPEN : EXCHANGE_BROKEN;
}

static void wait_for_ends(void)
{
	for (int waited_us = 0; atomic_load(&wire.begun) != atomic_load(&wire.ended);
	     waited_us += 100) {
		assert(waited_us < ENDS_WAIT_US);
		usleep(100);
	}
}

/* ---- judging ---- */

static bool is_same(const struct wire_request *seen, const struct wire_request *expected)
{
	return strcmp(seen->method, expected->method) == 0 &&
	       strcmp(seen->target, expected->target) == 0 &&
	       (!seen->has_body || (seen->body_len == expected->body_len &&
				    memcmp(seen->body, expected->body, seen->body_len) == 0));
}

static void check_seen(const struct wire_list *seen, const struct wire_list *expected)
{
	size_t next = 0;
	for (size_t i = 0; i < seen->count; i++) {
		while (next < expected->count &&
		       !is_same(&seen->requests[i], &expected->requests[next]))
			next++;
		assert(next < expected->count);
		next++;
	}
}

/* One message off the front, without its body for HEAD. False: the bytes end inside it. */
static bool take_answer(struct str *rest, bool has_body, int *status_out)
{
	struct str line;
	uint64_t status = 0, length = 0;
	assert(str_has_prefix(*rest, STR("HTTP/1.1 ")) || rest->len < 9);
	if (!take_line(rest, &line))
		return false;
	line = str_slice(line, 9, line.len);
	assert(str_take_u64(&line, 3, &status) && status >= 100 && status <= 599);
	*status_out = (int)status;
	while (take_line(rest, &line)) {
		if (line.len == 0) {
			const uint64_t wanted = has_body ? length : 0;
			if (wanted > rest->len)
				return false;
			*rest = str_slice(*rest, (size_t)wanted, rest->len);
			return true;
		}
		if (line.len > 16 &&
		    str_equal_nocase(str_slice(line, 0, 15), STR("content-length:")))
			assert(str_parse_u64(str_trim(str_slice(line, 15, line.len)), &length));
	}
	return false;
}

static bool is_head(const struct wire_list *expected, size_t at)
{
	return at < expected->count && strcmp(expected->requests[at].method, "HEAD") == 0;
}

static void check_answers(struct str rest, const struct wire_list *expected, bool is_whole)
{
	size_t answered = 0;
	int status = 0;
	while (rest.len > 0) {
		const struct str before = rest;
		if (!take_answer(&rest, !is_head(expected, answered), &status)) {
			/* Of what is no request, it is not known that its answer has no body. */
			assert(!is_whole || answered >= expected->count);
			assert(str_find(before, STR("\r\n\r\nHTTP/1.1 "), 0) == SIZE_MAX);
			return;
		}
		answered += status >= 200;
	}
	assert(answered <= expected->count + 1);
}

/* A NUL in the place of a CR, or at the end beside a bare LF, and a colon in the place of the empty
 * line's CR: the repairs that leave no trace (http_strict_test.c, httpd_test.c). */
static bool has_a_hidden_end(struct str bytes)
{
	return str_find(bytes, STR("\0\n"), 0) != SIZE_MAX ||
	       str_find(bytes, STR("\n\0\r\n"), 0) != SIZE_MAX ||
	       str_find(bytes, STR("\0\r\n\n"), 0) != SIZE_MAX ||
	       str_find(bytes, STR("\n:\n"), 0) != SIZE_MAX;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct wire_list expected;
	static char answers[ANSWERS_MAX_BYTES];
	static char sent[INPUT_MAX_BYTES + FILLER_COUNT * sizeof(FILLER)];
	size_t len = 0;
	if (size < 1 || size > INPUT_MAX_BYTES)
		return 0;
	const struct str bytes = filled_up((struct str){(const char *)data + 1, size - 1}, sent);
	wire.seen.count = 0;
	const enum exchange_end end = exchange(bytes, data[0], answers, &len);
	if (end == EXCHANGE_OPEN)
		listen_anew(); /* what it still does must not be seen with the next input */
	wait_for_ends();
	if (has_a_hidden_end(bytes))
		return 0;
	(void)read_all(bytes, &expected);
	pthread_mutex_lock(&wire.lock);
	check_seen(&wire.seen, &expected);
	pthread_mutex_unlock(&wire.lock);
	check_answers((struct str){answers, len}, &expected, end == EXCHANGE_ENDED);
	return 0;
}
