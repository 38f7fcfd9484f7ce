/* SPDX-License-Identifier: Apache-2.0
 * libcurl's callbacks while a flight's bytes move. Everything hangs on one fact: libcurl asks
 * on_prerequest() when the connection stands (TLS included) and before the first byte of the
 * request; so has_begun tells NEVER_SENT from LOST, the send deadline is looked at there, and a
 * request that must leave once is let through once. */
#include "flight_private.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"

#include "guard.h"

#define HEAD_MAX_BYTES ((size_t)64 << 10)

static bool bytes_add(struct bytes *bytes, const char *ptr, size_t len)
{
	size_t capacity = bytes->capacity > 0 ? bytes->capacity : 1024;
	while (capacity < bytes->len + len)
		capacity *= 2;
	if (capacity > bytes->capacity) {
		char *grown = realloc(bytes->ptr, capacity);
		if (grown == NULL)
			return false;
		bytes->ptr = grown;
		bytes->capacity = capacity;
	}
	if (len > 0)
		memcpy(bytes->ptr + bytes->len, ptr, len);
	bytes->len += len;
	return true;
}

bool flight_is_past_send_deadline(const struct flight *flight)
{
	const int64_t deadline_us = flight->request.send_deadline_boot_us;
	return deadline_us != 0 && clock_boot_us(flight->env->clock) >= deadline_us;
}

bool flight_guard_allows(const struct flight *flight, const char *ip, int port)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
	const struct guard *guard = flight->env->guard;
	if (inet_pton(AF_INET, ip, &v4.sin_addr) == 1)
		return guard_allows_address(guard, (const struct sockaddr *)&v4);
	if (inet_pton(AF_INET6, ip, &v6.sin6_addr) == 1)
		return guard_allows_address(guard, (const struct sockaddr *)&v6);
	return false;
}

/* Asked on new and on reused connections, after TLS, before the request. The guard is asked again
 * because a reused connection never comes by on_open_socket() (dependencies.md E). A request that
 * must leave once is stopped when libcurl would begin it again. */
static int on_prerequest(void *context, char *ip, char *local_ip, int port, int local_port)
{
	(void)local_ip;
	(void)local_port;
	struct flight *flight = context;
	if (flight->pool != TRANSFER_PLATFORM && !flight->is_by_proxy &&
	    !flight_guard_allows(flight, ip, port))
		flight->is_refused = true;
	if (flight_is_past_send_deadline(flight))
		flight->is_late = true;
	if (flight->is_refused || flight->is_late)
		return CURL_PREREQFUNC_ABORT;
	if (flight->request.fresh_connection && flight->has_begun_hop)
		return CURL_PREREQFUNC_ABORT;
	flight->has_begun = true;
	flight->has_begun_hop = true;
	return CURL_PREREQFUNC_OK;
}

/* One bad address among several of a name condemns it, where libcurl comes to try it; it never gets
 * a socket in any case. */
static curl_socket_t on_open_socket(void *context, curlsocktype purpose,
				    struct curl_sockaddr *address)
{
	(void)purpose;
	struct flight *flight = context;
	if (!flight->is_by_proxy && !guard_allows_address(flight->env->guard, &address->addr))
		flight->is_refused = true;
	if (flight->is_looking_up && !flight->is_refused)
		flight_lookup_note(flight, &address->addr);
	if (flight->is_refused || flight->is_looking_up)
		return CURL_SOCKET_BAD;
	return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/* The socket that a test app's call goes by is one of this machine's files: whatever a URL says, no
 * other kind is made. */
static curl_socket_t on_open_test_socket(void *context, curlsocktype purpose,
					 struct curl_sockaddr *address)
{
	(void)purpose;
	struct flight *flight = context;
	if (address->family != AF_UNIX)
		flight->is_refused = true;
	if (flight->is_refused)
		return CURL_SOCKET_BAD;
	return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

int64_t flight_body_bytes(const struct flight *flight)
{
	const struct transfer_request *request = &flight->request;
	return (int64_t)request->body.len + request->body_length_bytes +
	       (int64_t)request->body_tail.len;
}

/* What stands at position of a text, at most room bytes. */
static ssize_t read_text(struct str text, int64_t position, char *out, size_t room)
{
	const size_t left = text.len - (size_t)position;
	const size_t count = left < room ? left : room;
	memcpy(out, text.ptr + position, count);
	return (ssize_t)count;
}

static ssize_t read_file(const struct flight *flight, int64_t position, char *out, size_t room)
{
	const int64_t left = flight->request.body_length_bytes - position;
	const size_t count = left < (int64_t)room ? (size_t)left : room;
	return pread(flight->body_fd, out, count, flight->request.body_offset_bytes + position);
}

/* From one of the body's three pieces: libcurl asks again for what follows. */
static ssize_t read_body(const struct flight *flight, char *out, size_t room)
{
	const struct transfer_request *request = &flight->request;
	int64_t position = flight->body_read_bytes;
	if (position >= flight_body_bytes(flight))
		return 0;
	if (position < (int64_t)request->body.len)
		return read_text(request->body, position, out, room);
	position -= (int64_t)request->body.len;
	if (position < request->body_length_bytes) {
		const ssize_t got = read_file(flight, position, out, room);
		return got > 0 ? got : -1; /* unreadable, or shorter than announced */
	}
	return read_text(request->body_tail, position - request->body_length_bytes, out, room);
}

static size_t on_read(char *out, size_t size, size_t count, void *context)
{
	struct flight *flight = context;
	const ssize_t got = read_body(flight, out, size * count);
	if (got < 0) {
		flight->is_disk_bad = true;
		return CURL_READFUNC_ABORT;
	}
	flight->body_read_bytes += got;
	return (size_t)got;
}

/* libcurl rewinds a body in order to send it again. */
static int on_seek(void *context, curl_off_t offset, int origin)
{
	struct flight *flight = context;
	if (flight->request.fresh_connection || origin != SEEK_SET || offset < 0 ||
	    offset > flight_body_bytes(flight))
		return CURL_SEEKFUNC_FAIL;
	flight->body_read_bytes = offset;
	return CURL_SEEKFUNC_OK;
}

/* "HTTP/1.1 200 OK": libcurl has checked the form. */
static int status_of(struct str line)
{
	struct str version;
	uint64_t status;
	if (!str_take_until(&line, ' ', &version) || !str_skip(&line, STR(" ")) ||
	    !str_take_u64(&line, 3, &status))
		return 0;
	return (int)status;
}

/* "bytes A-B/N" -> A; without the header, 0. */
static int64_t range_begin(const struct flight *flight)
{
	struct str text = flight_header(flight, STR("Content-Range"));
	uint64_t from = 0;
	if (!str_skip(&text, STR("bytes ")) || !str_take_u64(&text, 18, &from))
		return 0;
	return (int64_t)from;
}

/* An answer whose body is to be kept: does it continue what is saved, or start over? */
static bool save_begin(struct flight *flight)
{
	const int64_t from = flight->status == 206 ? range_begin(flight) : 0;
	flight->has_save_begun = true;
	flight->is_other_range = from != 0 && from != flight->save.mark.size_bytes;
	return from == flight->save.mark.size_bytes || save_restart(&flight->save);
}

static bool head_ends(struct flight *flight)
{
	flight->has_whole_head = flight->status >= 200;
	const bool is_saved = flight->save.fd >= 0 && flight->status >= 200 && flight->status < 300;
	if (!is_saved || save_begin(flight))
		return true;
	flight->is_disk_bad = true;
	return false;
}

/* Lines of every answer come by: of 1xx ones, of the final one, and trailers after its body. What
 * stays is the final one's. */
static size_t on_header(char *ptr, size_t size, size_t count, void *context)
{
	struct flight *flight = context;
	const struct str line = {ptr, size * count};
	flight->head_total_bytes += line.len;
	if (flight->head_total_bytes > HEAD_MAX_BYTES) {
		flight->is_over_size = true;
		return 0;
	}
	if (flight->has_whole_head)
		return line.len; /* a trailer */
	if (str_has_prefix(line, STR("HTTP/"))) {
		flight->head.len = 0;
		flight->status = status_of(line);
		return line.len;
	}
	if (str_is_empty(str_trim(line))) {
		return head_ends(flight) ? line.len : 0;
	}
	return bytes_add(&flight->head, line.ptr, line.len) ? line.len : 0;
}

#define REFUSAL_KEPT_BYTES ((size_t)4096)

/* A file gets only what was asked for: of the bodies of redirects and refusals the beginning is
 * kept, for who can read what it says, and the rest is counted and dropped. */
static size_t on_body(char *ptr, size_t size, size_t count, void *context)
{
	struct flight *flight = context;
	const size_t len = size * count;
	flight->received_bytes += (int64_t)len;
	if (flight->received_bytes > flight->request.response_max_bytes) {
		flight->is_over_size = true;
		return CURL_WRITEFUNC_ERROR;
	}
	if (flight->save.fd < 0)
		return bytes_add(&flight->body, ptr, len) ? len : CURL_WRITEFUNC_ERROR;
	const bool is_wanted = flight->status >= 200 && flight->status < 300;
	if (!is_wanted && flight->body.len + len <= REFUSAL_KEPT_BYTES)
		return bytes_add(&flight->body, ptr, len) ? len : CURL_WRITEFUNC_ERROR;
	if (is_wanted && !save_write(&flight->save, ptr, len)) {
		flight->is_disk_bad = true;
		return CURL_WRITEFUNC_ERROR;
	}
	return len;
}

void flight_wire(struct flight *flight)
{
	CURL *easy = flight->easy;
	curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(easy, CURLOPT_HEADERDATA, flight);
	curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
	curl_easy_setopt(easy, CURLOPT_WRITEDATA, flight);
	curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, on_prerequest);
	curl_easy_setopt(easy, CURLOPT_PREREQDATA, flight);
	if (flight->pool == TRANSFER_PLATFORM && flight->request.reach == TRANSFER_TEST) {
		curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open_test_socket);
		curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, flight);
	}
	if (flight->pool != TRANSFER_PLATFORM) {
		curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open_socket);
		curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, flight);
	}
	if (flight->request.body_path != NULL) {
		curl_easy_setopt(easy, CURLOPT_READFUNCTION, on_read);
		curl_easy_setopt(easy, CURLOPT_READDATA, flight);
		curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, on_seek);
		curl_easy_setopt(easy, CURLOPT_SEEKDATA, flight);
	}
}
