/* SPDX-License-Identifier: Apache-2.0
 * One HTTP call. Two habits of libmicrohttpd 0.9.75 shape this file: an answer queued with the
 * headers closes the connection, and while a body comes in none can be queued at all (there the
 * answer is written to the socket by hand, call_abort). */
#include "http_call.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "arena.h"
#include "clock.h"
#include "count_of.h"
#include "log.h"

#include "http_strict.h"
#include "http.h"
#include "http_watch.h"

/* of a body that the route does not take: read and dropped (http.h) */
#define BODY_IGNORED_MAX_BYTES ((size_t)4096)
#define BODY_GRACE_US (10 * US_PER_S) /* rules.md 3.3: body at 1 KB/s after 10 s */
/* the same section: write 30 s, here at 1 KB/s after that */
#define ANSWER_GRACE_US (30 * US_PER_S)
#define BYTES_PER_S_MIN 1024
#define CHUNK_BYTES 16384 /* of a truncated answer */
#define FILE_CHUNK_BYTES ((size_t)128 << 10)

struct call {
	struct call_context *context;
	struct watched *watched; /* borrowed; may be NULL */
	struct arena *arena;
	struct http_request *request;
	struct http_response response;
	/* where it lies in libmicrohttpd's buffer; the bytes are overwritten after on_target */
	struct str target_in_place;
	struct strict_framing framing;
	const char *body_start; /* where the first piece of an unchunked body must lie */
	enum http_fault fault;
	struct str allow;
	struct buf body;
	int body_fd;
	size_t body_max_bytes;
	int64_t began_us; /* the body */
	bool has_headers; /* on_request was called once */
	bool has_fault;   /* found with the headers, answered at the end of the body */
	bool is_running;
};

static int64_t now_us(void)
{
	return clock_boot_us(clock_system());
}

static int64_t seconds_from_now(unsigned seconds)
{
	return now_us() + (int64_t)seconds * US_PER_S;
}

static int socket_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	return info != NULL ? info->connect_fd : -1;
}

static struct watched *watched_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	return info != NULL ? info->socket_context : NULL;
}

void http_call_on_connection(void *context, struct MHD_Connection *connection, void **watched_slot,
			     enum MHD_ConnectionNotificationCode code)
{
	struct call_context *shared = context;
	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		*watched_slot = http_watch_add(shared->watch, socket_of(connection),
					       seconds_from_now(shared->header_timeout_s));
		return;
	}
	struct watched *watched = *watched_slot;
	http_watch_remove(shared->watch, &watched);
	*watched_slot = NULL;
}

void *http_call_on_target(void *context, const char *target, struct MHD_Connection *connection)
{
	struct call_context *shared = context;
	struct arena *arena = arena_new("http request", shared->arena_max_bytes);
	struct call *call = ARENA_NEW(arena, struct call);
	*call = (struct call){
		.context = shared,
		.watched = watched_of(connection),
		.arena = arena,
		.request = ARENA_NEW(arena, struct http_request),
		.target_in_place = str_of(target),
		.body_fd = -1,
	};
	call->request->arena = arena;
	call->request->target = str_copy(arena, call->target_in_place);
	/* Until the answer is sent in full, any end of this connection may leave unread bytes. */
	http_watched_linger_set(call->watched, true);
	http_watched_deadline_set(call->watched, seconds_from_now(shared->header_timeout_s));
	return call;
}

static void body_file_remove(struct call *call)
{
	if (call->body_fd >= 0)
		close(call->body_fd);
	if (call->request->body_path != NULL)
		unlink(call->request->body_path);
}

void http_call_on_completed(void *context, struct MHD_Connection *connection, void **call_slot,
			    enum MHD_RequestTerminationCode code)
{
	struct call *call = *call_slot;
	(void)context;
	(void)connection;
	(void)code;
	if (call == NULL)
		return;
	*call_slot = NULL;
	http_watched_deadline_set(call->watched, seconds_from_now(call->context->idle_timeout_s +
								  call->context->header_timeout_s));
	if (call->is_running)
		atomic_fetch_sub(&call->context->running, 1);
	body_file_remove(call);
	struct arena *arena = call->arena; /* call itself lies in it */
	arena_free(&arena);
}

struct gathering {
	struct http_header *headers; /* HTTP_HEADERS_MAX of them */
	size_t count;                /* may be more */
};

/* Headers as views: they stay in libmicrohttpd's buffer until the call is completed. */
static enum MHD_Result header_gather(void *cls, enum MHD_ValueKind kind, const char *name,
				     size_t name_len, const char *value, size_t value_len)
{
	struct gathering *gathering = cls;
	(void)kind;
	if (gathering->count < HTTP_HEADERS_MAX)
		gathering->headers[gathering->count] =
			(struct http_header){{name, name_len}, {value, value_len}};
	gathering->count++;
	return MHD_YES;
}

static struct str address_text(struct arena *arena, struct MHD_Connection *connection)
{
	char text[INET6_ADDRSTRLEN] = "";
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	if (info == NULL || info->client_addr == NULL)
		return (struct str){0};
	const void *address = info->client_addr;
	if (info->client_addr->sa_family == AF_INET)
		inet_ntop(AF_INET, &((const struct sockaddr_in *)address)->sin_addr, text,
			  sizeof(text));
	else if (info->client_addr->sa_family == AF_INET6)
		inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)address)->sin6_addr, text,
			  sizeof(text));
	struct str result = str_of(text);
	str_skip(&result, STR("::ffff:")); /* an IPv4 client of a dual-stack listener */
	return str_copy(arena, result);
}

static size_t head_size(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
	return info != NULL ? info->header_size : 0;
}

/* The target as it was before libmicrohttpd cut its arguments up, for the rules; where it lies, for
 * the layout. */
static enum strict_verdict headers_judge(struct call *call, struct MHD_Connection *connection,
					 const char *method, const char *version,
					 const char **reason_out)
{
	struct http_request *request = call->request;
	struct gathering gathering = {.headers = request->headers};
	MHD_get_connection_values_n(connection, MHD_HEADER_KIND, header_gather, &gathering);
	struct strict_request raw = {
		.method = str_of(method),
		.target = call->target_in_place,
		.version = str_of(version),
		.headers = request->headers,
		.header_count = gathering.count,
		.header_max_bytes = call->context->header_max_bytes,
		.head_bytes = head_size(connection),
	};
	request->method = raw.method;
	request->header_count =
		raw.header_count < HTTP_HEADERS_MAX ? raw.header_count : HTTP_HEADERS_MAX;
	if (raw.header_count <= HTTP_HEADERS_MAX && !http_strict_layout_is_exact(&raw)) {
		*reason_out = "the header block was not what a strict reading leaves";
		return STRICT_MALFORMED;
	}
	if (raw.header_count > 0 && raw.header_count <= HTTP_HEADERS_MAX)
		call->body_start = http_strict_body_start(&raw);
	raw.target = request->target;
	return http_strict_check(&raw, &call->framing, reason_out);
}

static void response_begin(struct call *call)
{
	http_response_init(&call->response, call->arena,
			   http_router_response_max_bytes(call->context->router));
}

static void fault_render(struct call *call, enum http_fault fault)
{
	response_begin(call);
	http_router_fault(call->context->router, fault, call->allow, call->request,
			  &call->response);
}

static void running_begin(struct call *call)
{
	call->is_running = true;
	atomic_fetch_add(&call->context->running, 1);
}

/* Nothing is sent: the client sees the connection reset (Unix sockets: closed). */
static enum MHD_Result connection_drop(struct call *call, struct MHD_Connection *connection)
{
	const struct linger now = {.l_onoff = 1, .l_linger = 0};
	setsockopt(socket_of(connection), SOL_SOCKET, SO_LINGER, &now, sizeof(now));
	http_watched_linger_set(call->watched, false);
	return MHD_NO;
}

static ssize_t truncated_read(void *cls, uint64_t pos, char *out, size_t max)
{
	const struct call *call = cls;
	const uint64_t end = (uint64_t)call->response.truncate_at_bytes;
	if (pos >= end)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	const size_t count = end - pos < max ? (size_t)(end - pos) : max;
	memcpy(out, call->response.body.ptr + pos, count);
	return (ssize_t)count;
}

/* From the disk, on the worker's thread. */
static ssize_t file_read(void *cls, uint64_t pos, char *out, size_t max)
{
	const struct http_response *response = &((const struct call *)cls)->response;
	const uint64_t left = (uint64_t)response->file_length_bytes - pos;
	const ssize_t count = pread(response->file_fd, out, left < max ? (size_t)left : max,
				    response->file_offset_bytes + (off_t)pos);
	return count > 0 ? count : MHD_CONTENT_READER_END_WITH_ERROR; /* shorter than announced */
}

static bool is_truncated(const struct http_response *response)
{
	return response->truncate_at_bytes >= 0 &&
	       (uint64_t)response->truncate_at_bytes < response->body.len;
}

/* The body stays in the arena until the call is completed. */
static struct MHD_Response *response_make(struct call *call)
{
	const struct http_response *response = &call->response;
	if (response->has_file && response->file_length_bytes > 0)
		return MHD_create_response_from_callback((uint64_t)response->file_length_bytes,
							 FILE_CHUNK_BYTES, file_read, call, NULL);
	if (is_truncated(response))
		return MHD_create_response_from_callback(response->body.len, CHUNK_BYTES,
							 truncated_read, call, NULL);
	return MHD_create_response_from_buffer(response->body.len, response->body.ptr,
					       MHD_RESPMEM_PERSISTENT);
}

/* libmicrohttpd writes these itself, from what it does; a second one would contradict it. */
static bool is_ours_to_send(struct str name)
{
	static const char *const framing[] = {"Content-Length", "Transfer-Encoding", "Connection",
					      "Server"};
	for (size_t i = 0; i < COUNT_OF(framing); i++) {
		if (str_equal_nocase(name, str_of(framing[i])))
			return false;
	}
	return true;
}

static void headers_copy(struct call *call, struct MHD_Response *out)
{
	for (size_t i = 0; i < call->response.header_count; i++) {
		const struct http_header *header = &call->response.headers[i];
		if (is_ours_to_send(header->name))
			MHD_add_response_header(out, str_z(call->arena, header->name),
						str_z(call->arena, header->value));
	}
	if (call->response.close || atomic_load(&call->context->is_draining))
		MHD_add_response_header(out, "Connection", "close");
}

static void answer_deadline_set(struct call *call)
{
	const struct http_response *response = &call->response;
	const int64_t size_bytes =
		response->has_file ? response->file_length_bytes : (int64_t)response->body.len;
	const int64_t size_us = size_bytes / BYTES_PER_S_MIN * US_PER_S;
	http_watched_deadline_set(call->watched, now_us() + ANSWER_GRACE_US + size_us);
}

/* Hands call->response to libmicrohttpd. MHD_NO closes the connection. */
static enum MHD_Result response_send(struct call *call, struct MHD_Connection *connection)
{
	if (call->response.is_dropped)
		return connection_drop(call, connection);
	struct MHD_Response *out = response_make(call);
	if (out == NULL)
		return MHD_NO;
	headers_copy(call, out);
	answer_deadline_set(call);
	const enum MHD_Result result =
		MHD_queue_response(connection, (unsigned)call->response.status, out);
	MHD_destroy_response(out);
	return result;
}

/* Answers with the headers, before any body: the connection closes after it. */
static enum MHD_Result refuse(struct call *call, struct MHD_Connection *connection,
			      enum http_fault fault)
{
	running_begin(call);
	fault_render(call, fault);
	call->response.close = true;
	return response_send(call, connection);
}

/* Answers in the middle of a body, where libmicrohttpd accepts no answer, and closes. Bytes that do
 * not fit into the socket at once are lost; a fault is far smaller than any socket buffer. */
static enum MHD_Result call_abort(struct call *call, struct MHD_Connection *connection,
				  enum http_fault fault)
{
	struct buf out;
	fault_render(call, fault);
	const struct http_response *response = &call->response;
	buf_init(&out, call->arena, response->body.len + 16 * 1024);
	buf_addf(&out, "HTTP/1.1 %d %s\r\n", response->status,
		 MHD_get_reason_phrase_for((unsigned)response->status));
	for (size_t i = 0; i < response->header_count; i++) {
		const struct http_header *header = &response->headers[i];
		if (is_ours_to_send(header->name))
			buf_addf(&out, STR_FMT ": " STR_FMT "\r\n", STR_ARG(header->name),
				 STR_ARG(header->value));
	}
	buf_addf(&out, "Content-Length: %zu\r\nConnection: close\r\n\r\n", response->body.len);
	buf_add(&out, buf_str(&response->body));
	if (!out.is_over)
		send(socket_of(connection), out.ptr, out.len, MSG_NOSIGNAL | MSG_DONTWAIT);
	return MHD_NO;
}

static bool body_file_open(struct call *call)
{
	if (call->context->body_directory == NULL)
		return false;
	char *path = str_z(call->arena, str_format(call->arena, "%s/body-XXXXXX",
						   call->context->body_directory));
	call->body_fd = mkostemp(path, O_CLOEXEC);
	if (call->body_fd >= 0)
		call->request->body_path = path;
	return call->body_fd >= 0;
}

static bool write_all(int fd, const char *data, size_t size_bytes)
{
	while (size_bytes > 0) {
		const ssize_t written = write(fd, data, size_bytes);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return false;
		data += written;
		size_bytes -= (size_t)written;
	}
	return true;
}

/* A fault that is known with the headers: at once when a large body is announced, after the body
 * otherwise, so that the connection can be used again. */
static enum MHD_Result fault_found(struct call *call, struct MHD_Connection *connection,
				   enum http_fault fault)
{
	call->has_fault = true;
	call->fault = fault;
	call->body_max_bytes = BODY_IGNORED_MAX_BYTES;
	if (call->framing.is_chunked || call->framing.expects_continue ||
	    call->framing.content_length > BODY_IGNORED_MAX_BYTES)
		return refuse(call, connection, fault);
	return MHD_YES;
}

static enum MHD_Result body_prepare(struct call *call, struct MHD_Connection *connection)
{
	const struct http_route *route = call->request->route;
	const bool is_ignored = route->body_mode == HTTP_BODY_NONE;
	call->body_max_bytes = is_ignored ? BODY_IGNORED_MAX_BYTES : route->body_max_bytes;
	if (call->framing.content_length > call->body_max_bytes)
		return refuse(call, connection, HTTP_FAULT_BODY_TOO_LARGE);
	buf_init(&call->body, call->arena, call->body_max_bytes);
	if (route->body_mode == HTTP_BODY_FILE && !body_file_open(call))
		return refuse(call, connection, HTTP_FAULT_UNAVAILABLE);
	return MHD_YES;
}

static void body_deadline_set(struct call *call)
{
	const int64_t earned_us = call->request->body_size_bytes / BYTES_PER_S_MIN * US_PER_S;
	http_watched_deadline_set(call->watched, call->began_us + BODY_GRACE_US + earned_us);
}

static enum MHD_Result on_headers(struct call *call, struct MHD_Connection *connection,
				  const char *method, const char *version)
{
	struct http_request *request = call->request;
	const char *reason = NULL;
	enum http_fault fault = HTTP_FAULT_NOT_FOUND;
	call->has_headers = true;
	const enum strict_verdict verdict =
		headers_judge(call, connection, method, version, &reason);
	request->remote_address = address_text(call->arena, connection);
	http_request_prepare(request, call->context->random);
	if (verdict != STRICT_PASS) {
		LOG(call->context->log, DEBUG, "http_request_refused",
		    log_str("reason", str_of(reason)), log_str("address", request->remote_address),
		    log_str("request_id", str_of(request->request_id)));
		return refuse(call, connection,
			      verdict == STRICT_TOO_LARGE ? HTTP_FAULT_HEADERS_TOO_LARGE
							  : HTTP_FAULT_BAD_REQUEST);
	}
	call->began_us = now_us();
	body_deadline_set(call);
	request->route = http_router_match(call->context->router, request, &fault, &call->allow);
	if (request->route == NULL)
		return fault_found(call, connection, fault);
	return body_prepare(call, connection);
}

static enum MHD_Result on_body(struct call *call, struct MHD_Connection *connection,
			       const char *data, size_t *size_bytes)
{
	struct http_request *request = call->request;
	const struct str piece = {data, *size_bytes};
	*size_bytes = 0;
	if (request->body_size_bytes == 0 && !call->framing.is_chunked &&
	    call->body_start != NULL && data != call->body_start)
		return call_abort(call, connection, HTTP_FAULT_BAD_REQUEST);
	request->body_size_bytes += (int64_t)piece.len;
	body_deadline_set(call);
	if ((uint64_t)request->body_size_bytes > call->body_max_bytes)
		return call_abort(call, connection, HTTP_FAULT_BODY_TOO_LARGE);
	if (call->has_fault || request->route->body_mode == HTTP_BODY_NONE)
		return MHD_YES;
	if (call->body_fd >= 0)
		return write_all(call->body_fd, piece.ptr, piece.len)
			       ? MHD_YES
			       : call_abort(call, connection, HTTP_FAULT_UNAVAILABLE);
	buf_add(&call->body, piece);
	return call->body.is_over ? call_abort(call, connection, HTTP_FAULT_BODY_TOO_LARGE)
				  : MHD_YES;
}

/* libmicrohttpd also accepts a bare LF as a line end in the chunk framing, and nothing there shows
 * it. So a chunked request is the last one on its connection: bytes that another parser would see
 * after it are never read as a request. */
static bool must_close(const struct call *call)
{
	return call->framing.is_chunked;
}

static enum MHD_Result on_end(struct call *call, struct MHD_Connection *connection)
{
	struct http_request *request = call->request;
	running_begin(call);
	http_watched_deadline_set(call->watched, 0); /* a handler takes the time it takes */
	if (call->has_fault) {
		fault_render(call, call->fault);
	} else {
		request->body = request->route->body_mode == HTTP_BODY_MEMORY ? buf_str(&call->body)
									      : (struct str){0};
		response_begin(call);
		http_router_dispatch(call->context->router, request, &call->response);
	}
	call->response.close = call->response.close || must_close(call);
	http_watched_linger_set(call->watched, false);
	return response_send(call, connection);
}

enum MHD_Result http_call_on_request(void *context, struct MHD_Connection *connection,
				     const char *url, const char *method, const char *version,
				     const char *upload_data, size_t *upload_data_size,
				     void **call_slot)
{
	struct call *call = *call_slot;
	(void)context;
	(void)url; /* decoded by libmicrohttpd's rules, not ours */
	if (call == NULL)
		return MHD_NO;
	if (!call->has_headers)
		return on_headers(call, connection, method, version);
	if (*upload_data_size > 0)
		return on_body(call, connection, upload_data, upload_data_size);
	return on_end(call, connection);
}
