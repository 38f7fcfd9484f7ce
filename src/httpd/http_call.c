/* SPDX-License-Identifier: Apache-2.0
 * One HTTP call. Three habits of libmicrohttpd 0.9.75 shape this file: an answer queued with the
 * headers closes the connection; while a body comes in none can be queued at all (there the answer
 * is written to the socket by hand, answer_by_hand); and after it has resumed a suspended
 * connection it calls http_call_on_request() once more, as it did before (enum call_phase). */
#include "http_call.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "arena.h"
#include "clock.h"
#include "count_of.h"
#include "log.h"

#include "http_hosts.h"
#include "http_proxies.h"
#include "http_strict.h"
#include "http.h"
#include "http_pool.h"
#include "http_share.h"
#include "http_watch.h"

/* of a body that the route does not take: read and dropped (http.h) */
#define BODY_IGNORED_MAX_BYTES ((size_t)4096)
/* rules.md 3.3: 1 KB/s after 10 s, and never 10 s without a kilobyte. What was sent fast earns no
 * silence: by the bytes alone a megabyte in the first second would hold its memory for a quarter of
 * an hour. */
#define BODY_GRACE_US (10 * US_PER_S)
#define BODY_PROGRESS_BYTES 1024
/* the same section: write 30 s, here at 1 KB/s after that */
#define ANSWER_GRACE_US (30 * US_PER_S)
#define BYTES_PER_S_MIN 1024
#define CHUNK_BYTES 16384 /* of a truncated answer */
/* Of a streamed body: more than this is handed on; libmicrohttpd gives pieces of its own buffer, of
 * less than half of it. */
#define PIECE_BYTES ((size_t)192 << 10)
#define PIECE_ROOM_BYTES ((size_t)256 << 10)
#define FILE_CHUNK_BYTES ((size_t)128 << 10)
#define NO_MEMORY_STATUS 503
/* Decoded path and query, ids, and the answer to a fault; the target counts beside it. */
#define HEAD_ROOM_BYTES ((size_t)4096)
#define FAULT_ROOM_BYTES ((size_t)4096)

enum call_phase {
	CALL_HEAD,      /* http_call_on_request() was not called yet */
	CALL_ADMITTING, /* suspended: a pool asks the admit hook */
	CALL_BODY,
	CALL_STREAMING, /* suspended: a pool takes a piece of the body */
	CALL_RUNNING,   /* suspended: a pool runs the handler */
	CALL_ANSWERED   /* the answer is with libmicrohttpd */
};

struct call {
	struct http_job job;
	struct call_context *context;
	struct call_worker *worker;
	struct call *next_head; /* of worker->heads */
	struct MHD_Connection *connection;
	enum call_phase phase;
	enum http_admission admission;
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
	/* HTTP_BODY_STREAM: what is to be taken next, and when that began */
	char *piece;
	size_t piece_bytes;
	int64_t taking_since_us;
	_Atomic bool is_taking;    /* a pool has the piece */
	bool has_stream;           /* begun and not ended */
	struct http_share *share;  /* of the address, for its bodies; NULL = not counted */
	size_t body_counted_bytes; /* in the share and the context */
	int64_t began_us;          /* the body */
	int64_t progress_us;       /* when its last whole kilobyte was there */
	bool has_fault;            /* found with the headers, answered at the end of the body */
	bool is_refused;           /* as has_fault, and response is the answer */
	bool is_running;
};

static struct call *call_of(struct http_job *job)
{
	return (struct call *)job; /* its first member */
}

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
	struct call_context *shared = ((struct call_worker *)context)->shared;
	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		*watched_slot = http_watch_add(shared->watch, socket_of(connection),
					       seconds_from_now(shared->header_timeout_s));
		return;
	}
	struct watched *watched = *watched_slot;
	http_watch_remove(shared->watch, &watched);
	*watched_slot = NULL;
}

/* ---- heads that are coming in ---- */

static void head_begin(struct call *call)
{
	call->next_head = call->worker->heads;
	call->worker->heads = call;
}

/* Does nothing when the head has ended already. */
static void head_end(struct call *call)
{
	struct call **place = &call->worker->heads;
	while (*place != NULL && *place != call)
		place = &(*place)->next_head;
	if (*place == call)
		*place = call->next_head;
}

/* ---- a call begins and ends ---- */

/* NULL when there is no memory. All that the worker itself does for the call has room then: it may
 * not wait for memory, since it frees that of its other connections. */
static struct call *call_new(struct call_worker *worker, struct MHD_Connection *connection,
			     size_t target_bytes)
{
	struct arena *arena = arena_try_new("http request", worker->shared->arena_max_bytes);
	if (arena == NULL)
		return NULL;
	struct call *call = arena_try_alloc(arena, sizeof(*call));
	struct http_request *request = arena_try_alloc(arena, sizeof(*request));
	if (call == NULL || request == NULL ||
	    !arena_try_room(arena, HEAD_ROOM_BYTES + 3 * target_bytes)) {
		arena_free(&arena);
		return NULL;
	}
	*call = (struct call){
		.context = worker->shared,
		.worker = worker,
		.connection = connection,
		.watched = watched_of(connection),
		.arena = arena,
		.request = request,
		.body_fd = -1,
	};
	request->arena = arena;
	return call;
}

void *http_call_on_target(void *context, const char *target, struct MHD_Connection *connection)
{
	struct call *call = call_new(context, connection, strlen(target));
	if (call == NULL)
		return NULL;
	call->target_in_place = str_of(target);
	call->request->target = str_copy(call->arena, call->target_in_place);
	head_begin(call);
	/* Until the answer is sent in full, any end of this connection may leave unread bytes. */
	http_watched_linger_set(call->watched, true);
	http_watched_state_set(call->watched, WATCHED_HEAD);
	http_watched_deadline_set(call->watched, seconds_from_now(call->context->header_timeout_s));
	return call;
}

static void body_file_remove(struct call *call)
{
	if (call->body_fd >= 0)
		close(call->body_fd);
	if (call->request->body_path != NULL)
		unlink(call->request->body_path);
}

/* ---- bytes of bodies ---- */

/* Counts bytes of the body that are to be kept in memory. False: there are too many, of all clients
 * or of this one. */
static bool body_count(struct call *call, size_t count)
{
	struct call_context *shared = call->context;
	const size_t of_all = atomic_fetch_add(&shared->body_bytes, count) + count;
	const size_t of_address =
		call->share != NULL ? atomic_fetch_add(&call->share->body_bytes, count) + count : 0;
	call->body_counted_bytes += count;
	return (shared->body_bytes_max == 0 || of_all <= shared->body_bytes_max) &&
	       (shared->body_bytes_of_address_max == 0 ||
		of_address <= shared->body_bytes_of_address_max);
}

static void body_uncount(struct call *call)
{
	atomic_fetch_sub(&call->context->body_bytes, call->body_counted_bytes);
	if (call->share != NULL)
		atomic_fetch_sub(&call->share->body_bytes, call->body_counted_bytes);
	call->body_counted_bytes = 0;
	http_share_drop(call->context->shares, &call->share);
}

static void response_begin(struct call *call)
{
	http_response_init(&call->response, call->arena,
			   http_router_response_max_bytes(call->context->router));
}

/* ---- streamed bodies ---- */

/* On a thread of a pool. False: refused, the response is finished. */
static bool piece_take(struct call *call)
{
	const struct str piece = {call->piece, call->piece_bytes};
	call->piece_bytes = 0;
	if (piece.len == 0)
		return true;
	response_begin(call);
	return http_router_stream_take(call->context->router, call->request, piece,
				       &call->response);
}

static void stream_end(struct call *call)
{
	if (call->has_stream)
		http_router_stream_end(call->context->router, call->request);
	call->has_stream = false;
}

/* The connection broke: what came until then is taken. */
static void stream_abandon_run(struct http_job *job)
{
	struct call *call = call_of(job);
	if (!call->is_refused)
		(void)piece_take(call);
	stream_end(call);
	struct arena *arena = call->arena; /* call itself lies in it */
	arena_free(&arena);
}

/* libmicrohttpd's buffer goes with the connection. */
static void stream_abandon(struct call *call)
{
	struct http_request *request = call->request;
	request->header_count = 0;
	request->method = (struct str){0};
	call->job.run = stream_abandon_run;
	if (!http_pool_hand(call->context->pools[HTTP_RUN_DISK], &call->job))
		stream_abandon_run(&call->job);
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
	head_end(call);
	http_watched_state_set(call->watched, WATCHED_IDLE);
	http_watched_deadline_set(call->watched, seconds_from_now(call->context->idle_timeout_s +
								  call->context->header_timeout_s));
	if (call->is_running)
		atomic_fetch_sub(&call->context->running, 1);
	body_uncount(call);
	body_file_remove(call);
	if (call->has_stream) {
		stream_abandon(call);
		return;
	}
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

static struct str client_address(const struct call *call, struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	if (info == NULL || info->client_addr == NULL)
		return (struct str){0};
	call->request->has_peer_address =
		cidr_address_of_socket(info->client_addr, call->request->peer_address, NULL);
	return http_proxies_client(call->context->proxies, call->arena, call->request,
				   info->client_addr);
}

/* Of a Unix socket; elsewhere the kernel knows nobody. */
static void peer_note(struct http_request *request, int fd)
{
	struct ucred peer = {0};
	socklen_t len = sizeof(peer);
	if (str_is_empty(request->remote_address) &&
	    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 && peer.pid > 0) {
		request->has_peer_uid = true;
		request->peer_uid = peer.uid;
	}
}

/* A target in absolute form names the same host (http_strict.h). The address that the connection
 * was made to is looked up only where the name does not say it already. */
static bool host_is_ours(const struct call *call, struct MHD_Connection *connection)
{
	const struct http_hosts *hosts = call->context->hosts;
	const struct str *host = http_request_header(call->request, "Host");
	struct sockaddr_storage local;
	socklen_t len = sizeof(local);
	if (host == NULL)
		return false;
	if (http_hosts_has(hosts, call->arena, *host, NULL))
		return true;
	return getsockname(socket_of(connection), (struct sockaddr *)&local, &len) == 0 &&
	       http_hosts_has(hosts, call->arena, *host, (const struct sockaddr *)&local);
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
	const struct call *call = cls;
	const struct http_response *response = &call->response;
	http_watched_state_set(call->watched, WATCHED_ANSWER); /* it moves */
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
	call->phase = CALL_ANSWERED;
	http_watched_state_set(call->watched, WATCHED_ANSWER);
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

/* Sends the response with the headers, before any body: the connection closes after it. */
static enum MHD_Result response_send_early(struct call *call, struct MHD_Connection *connection)
{
	running_begin(call);
	call->response.close = true;
	return response_send(call, connection);
}

/* A worker must not wait for memory. */
static bool has_room_for_fault(const struct call *call)
{
	return arena_try_room(call->arena, FAULT_ROOM_BYTES);
}

static enum MHD_Result refuse(struct call *call, struct MHD_Connection *connection,
			      enum http_fault fault)
{
	if (!has_room_for_fault(call)) {
		call->phase = CALL_ANSWERED;
		return MHD_queue_response(connection, NO_MEMORY_STATUS, call->context->no_memory);
	}
	fault_render(call, fault);
	return response_send_early(call, connection);
}

/* Writes the response to the socket where libmicrohttpd accepts none. Bytes that do not fit into it
 * at once are lost; a fault is far smaller than any socket buffer. */
static void answer_by_hand(struct call *call)
{
	struct buf out;
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
		send(socket_of(call->connection), out.ptr, out.len, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Answers in the middle of a body, and closes. */
static enum MHD_Result call_abort(struct call *call, enum http_fault fault)
{
	call->phase = CALL_ANSWERED;
	if (!has_room_for_fault(call))
		return MHD_NO;
	fault_render(call, fault);
	answer_by_hand(call);
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

/* Is it worth reading the body off, so that the connection can be used again after the answer? */
static bool is_body_small(const struct call *call)
{
	return !call->framing.is_chunked && !call->framing.expects_continue &&
	       call->framing.content_length <= BODY_IGNORED_MAX_BYTES;
}

/* A fault that is known with the headers: at once when a large body is announced, after the body
 * otherwise. */
static enum MHD_Result fault_found(struct call *call, struct MHD_Connection *connection,
				   enum http_fault fault)
{
	if (!is_body_small(call))
		return refuse(call, connection, fault);
	call->has_fault = true;
	call->fault = fault;
	call->request->body_max_bytes = BODY_IGNORED_MAX_BYTES;
	return MHD_YES;
}

/* The admit hook has answered; as above. */
static enum MHD_Result refusal_found(struct call *call, struct MHD_Connection *connection)
{
	if (!is_body_small(call))
		return response_send_early(call, connection);
	call->is_refused = true;
	call->request->body_max_bytes = BODY_IGNORED_MAX_BYTES;
	return MHD_YES;
}

/* No byte of it is read when it is known now that there is no room for all. */
static bool has_room(const struct call *call)
{
	const struct call_context *shared = call->context;
	const uint64_t wanted = call->framing.content_length;
	return (shared->body_bytes_max == 0 ||
		atomic_load(&shared->body_bytes) + wanted <= shared->body_bytes_max) &&
	       (shared->body_bytes_of_address_max == 0 || call->share == NULL ||
		atomic_load(&call->share->body_bytes) + wanted <=
			shared->body_bytes_of_address_max);
}

static enum MHD_Result body_prepare(struct call *call, struct MHD_Connection *connection)
{
	struct http_request *request = call->request;
	const enum http_body_mode mode = request->route->body_mode;
	if (call->framing.content_length > request->body_max_bytes)
		return refuse(call, connection, HTTP_FAULT_BODY_TOO_LARGE);
	buf_init(&call->body, call->arena, request->body_max_bytes);
	if (mode == HTTP_BODY_FILE && !body_file_open(call))
		return refuse(call, connection, HTTP_FAULT_UNAVAILABLE);
	if ((mode == HTTP_BODY_MEMORY || mode == HTTP_BODY_STREAM) &&
	    !str_is_empty(request->remote_address))
		call->share = http_share_take(call->context->shares, request->remote_address);
	if (mode == HTTP_BODY_STREAM && call->has_stream && !body_count(call, PIECE_ROOM_BYTES))
		return refuse(call, connection, HTTP_FAULT_UNAVAILABLE);
	return mode != HTTP_BODY_MEMORY || has_room(call)
		       ? MHD_YES
		       : refuse(call, connection, HTTP_FAULT_UNAVAILABLE);
}

static void body_deadline_set(struct call *call)
{
	const int64_t earned_us = call->request->body_size_bytes / BYTES_PER_S_MIN * US_PER_S;
	const int64_t by_rate_us = call->began_us + BODY_GRACE_US + earned_us;
	const int64_t by_progress_us = call->progress_us + BODY_GRACE_US;
	http_watched_deadline_set(call->watched,
				  by_rate_us < by_progress_us ? by_rate_us : by_progress_us);
}

/* ---- work that may wait ---- */

/* The worker goes on with the call, and may free it before this returns. */
static void resume(struct call *call)
{
	MHD_resume_connection(call->connection);
}

/* Once handed over, the call is the pool's until it is resumed. When the listener is closing, it is
 * resumed with a refusal. */
static enum MHD_Result suspend(struct call *call, enum call_phase phase, enum http_run_mode mode,
			       void (*run)(struct http_job *job))
{
	call->phase = phase;
	call->job.run = run;
	http_watched_state_set(call->watched, WATCHED_BUSY);
	http_watched_deadline_set(call->watched, 0); /* a handler takes the time it takes */
	MHD_suspend_connection(call->connection);
	if (http_pool_hand(call->context->pools[mode], &call->job))
		return MHD_YES;
	call->admission = HTTP_REFUSED;
	call->is_refused = phase == CALL_STREAMING;
	atomic_store(&call->is_taking, false);
	fault_render(call, HTTP_FAULT_UNAVAILABLE);
	resume(call);
	return MHD_YES;
}

static void admit_run(struct http_job *job)
{
	struct call *call = call_of(job);
	call->admission =
		http_router_admit(call->context->router, call->request, &call->response, true);
	resume(call);
}

static void dispatch(struct call *call)
{
	struct http_request *request = call->request;
	request->body = request->route->body_mode == HTTP_BODY_MEMORY ? buf_str(&call->body)
								      : (struct str){0};
	response_begin(call);
	if (!call->has_stream || piece_take(call))
		http_router_dispatch(call->context->router, request, &call->response);
	stream_end(call);
}

static void dispatch_run(struct http_job *job)
{
	struct call *call = call_of(job);
	dispatch(call);
	resume(call);
}

/* As admit_run, and then the stream begins, so that nothing is read which nobody takes. */
static void stream_admit_run(struct http_job *job)
{
	struct call *call = call_of(job);
	struct http_request *request = call->request;
	response_begin(call);
	call->admission = http_router_admit(call->context->router, request, &call->response, true);
	const bool is_small_enough = call->framing.content_length <= request->body_max_bytes;
	if (call->admission == HTTP_ADMITTED && is_small_enough) {
		call->piece = arena_alloc(call->arena, PIECE_ROOM_BYTES);
		call->has_stream =
			http_router_stream_begin(call->context->router, request, &call->response);
		if (!call->has_stream)
			call->admission = HTTP_REFUSED;
	}
	resume(call);
}

/* Refused in the middle of the body: the answer is written here, and the worker, which finds the
 * connection at its end, closes it. */
static void piece_run(struct http_job *job)
{
	struct call *call = call_of(job);
	if (!piece_take(call)) {
		call->is_refused = true;
		answer_by_hand(call);
		shutdown(socket_of(call->connection), SHUT_RD);
	}
	atomic_store(&call->is_taking, false);
	resume(call);
}

/* ---- with the headers ---- */

static enum MHD_Result admission_take(struct call *call, struct MHD_Connection *connection)
{
	call->phase = CALL_BODY;
	http_watched_state_set(call->watched, WATCHED_BODY);
	call->began_us = call->progress_us = now_us();
	body_deadline_set(call);
	return call->admission == HTTP_REFUSED ? refusal_found(call, connection)
					       : body_prepare(call, connection);
}

/* The route is known: may it send its body? A request without one is judged when it is complete. */
static enum MHD_Result body_admit(struct call *call, struct MHD_Connection *connection)
{
	struct http_request *request = call->request;
	const struct http_route *route = request->route;
	const bool has_body = call->framing.is_chunked || call->framing.content_length > 0;
	request->body_max_bytes =
		route->body_mode == HTTP_BODY_NONE ? BODY_IGNORED_MAX_BYTES : route->body_max_bytes;
	call->admission = HTTP_ADMITTED;
	if (has_body && route->body_mode == HTTP_BODY_STREAM)
		return suspend(call, CALL_ADMITTING, HTTP_RUN_STORE, stream_admit_run);
	if (has_body && route->body_mode != HTTP_BODY_NONE) {
		response_begin(call);
		call->admission =
			http_router_admit(call->context->router, request, &call->response, false);
	}
	if (call->admission != HTTP_MUST_WAIT)
		return admission_take(call, connection);
	return suspend(call, CALL_ADMITTING, HTTP_RUN_STORE, admit_run);
}

/* When the process had to take its spare memory, only what needs none is served until it is set
 * aside again. */
static bool has_memory(const struct call *call)
{
	const size_t spare_bytes = call->context->spare_bytes;
	return spare_bytes == 0 || !arena_spare_is_spent() || arena_spare_keep(spare_bytes) ||
	       (call->request->route != NULL && call->request->route->run_mode == HTTP_RUN_INLINE);
}

static void log_refusal(const struct call *call, const char *reason)
{
	const struct http_request *request = call->request;
	LOG(call->context->log, DEBUG, "http_request_refused", log_str("reason", str_of(reason)),
	    log_str("address", request->remote_address),
	    log_str("request", str_of(request->request_id)));
}

static enum MHD_Result on_headers(struct call *call, struct MHD_Connection *connection,
				  const char *method, const char *version)
{
	struct http_request *request = call->request;
	const char *reason = NULL;
	enum http_fault fault = HTTP_FAULT_NOT_FOUND;
	head_end(call);
	call->phase = CALL_BODY;
	request->began_boot_us = now_us();
	http_watched_state_set(call->watched, WATCHED_BODY);
	const enum strict_verdict verdict =
		headers_judge(call, connection, method, version, &reason);
	request->remote_address = client_address(call, connection);
	peer_note(request, socket_of(connection));
	http_request_prepare(request, call->context->random);
	if (verdict != STRICT_PASS) {
		log_refusal(call, reason);
		return refuse(call, connection,
			      verdict == STRICT_TOO_LARGE ? HTTP_FAULT_HEADERS_TOO_LARGE
							  : HTTP_FAULT_BAD_REQUEST);
	}
	call->began_us = call->progress_us = now_us();
	body_deadline_set(call);
	request->route = http_router_match(call->context->router, request, &fault, &call->allow);
	const bool takes_any_host = call->context->hosts == NULL ||
				    (request->route != NULL && request->route->takes_any_host);
	if (!takes_any_host && !host_is_ours(call, connection))
		return fault_found(call, connection, HTTP_FAULT_MISDIRECTED);
	if (!has_memory(call))
		return refuse(call, connection, HTTP_FAULT_UNAVAILABLE);
	if (request->route == NULL)
		return fault_found(call, connection, fault);
	return body_admit(call, connection);
}

/* ---- the body ---- */

static bool is_kept(const struct call *call)
{
	return !call->has_fault && !call->is_refused &&
	       call->request->route->body_mode != HTTP_BODY_NONE;
}

static enum MHD_Result piece_keep(struct call *call, struct str bytes)
{
	if (call->piece_bytes + bytes.len > PIECE_ROOM_BYTES)
		return call_abort(call, HTTP_FAULT_INTERNAL);
	memcpy(call->piece + call->piece_bytes, bytes.ptr, bytes.len);
	call->piece_bytes += bytes.len;
	if (call->piece_bytes < PIECE_BYTES)
		return MHD_YES;
	call->taking_since_us = now_us();
	atomic_store(&call->is_taking, true);
	return suspend(call, CALL_STREAMING, HTTP_RUN_DISK, piece_run);
}

static enum MHD_Result body_keep(struct call *call, struct str piece)
{
	if (call->has_stream)
		return piece_keep(call, piece);
	if (call->body_fd >= 0)
		return write_all(call->body_fd, piece.ptr, piece.len)
			       ? MHD_YES
			       : call_abort(call, HTTP_FAULT_UNAVAILABLE);
	if (arena_spare_is_spent() || !body_count(call, piece.len))
		return call_abort(call, HTTP_FAULT_UNAVAILABLE);
	buf_add(&call->body, piece);
	/* within the maximum: it is memory that there is none of */
	return call->body.is_over ? call_abort(call, HTTP_FAULT_UNAVAILABLE) : MHD_YES;
}

static enum MHD_Result on_body(struct call *call, const char *data, size_t *size_bytes)
{
	struct http_request *request = call->request;
	const struct str piece = {data, *size_bytes};
	*size_bytes = 0;
	if (request->body_size_bytes == 0 && !call->framing.is_chunked &&
	    call->body_start != NULL && data != call->body_start)
		return call_abort(call, HTTP_FAULT_BAD_REQUEST);
	const int64_t before_bytes = request->body_size_bytes;
	request->body_size_bytes += (int64_t)piece.len;
	if (before_bytes / BODY_PROGRESS_BYTES != request->body_size_bytes / BODY_PROGRESS_BYTES) {
		call->progress_us = now_us();
		http_watched_state_set(call->watched, WATCHED_BODY);
	}
	body_deadline_set(call);
	if ((uint64_t)request->body_size_bytes > request->body_max_bytes)
		return call_abort(call, HTTP_FAULT_BODY_TOO_LARGE);
	return is_kept(call) ? body_keep(call, piece) : MHD_YES;
}

/* ---- the end ---- */

/* libmicrohttpd also accepts a bare LF as a line end in the chunk framing, and nothing there shows
 * it. So a chunked request is the last one on its connection: bytes that another parser would see
 * after it are never read as a request. */
static bool must_close(const struct call *call)
{
	return call->framing.is_chunked;
}

static enum MHD_Result answer(struct call *call, struct MHD_Connection *connection)
{
	call->response.close = call->response.close || must_close(call);
	http_watched_linger_set(call->watched, false);
	return response_send(call, connection);
}

static enum MHD_Result on_end(struct call *call, struct MHD_Connection *connection)
{
	const struct http_route *route = call->request->route;
	running_begin(call);
	if (call->has_fault)
		fault_render(call, call->fault);
	else if (!call->is_refused && route->run_mode != HTTP_RUN_INLINE)
		return suspend(call, CALL_RUNNING, route->run_mode, dispatch_run);
	else if (!call->is_refused)
		dispatch(call);
	return answer(call, connection);
}

/* The client is not charged for the time that its piece took. */
static bool goes_on_after_piece(struct call *call)
{
	if (call->is_refused)
		return false;
	call->phase = CALL_BODY;
	call->began_us += now_us() - call->taking_since_us;
	call->progress_us = now_us();
	http_watched_state_set(call->watched, WATCHED_BODY);
	body_deadline_set(call);
	return true;
}

enum MHD_Result http_call_on_request(void *context, struct MHD_Connection *connection,
				     const char *url, const char *method, const char *version,
				     const char *upload_data, size_t *upload_data_size,
				     void **call_slot)
{
	struct call *call = *call_slot;
	const struct call_worker *worker = context;
	(void)url; /* decoded by libmicrohttpd's rules, not ours */
	if (call == NULL)
		return MHD_queue_response(connection, NO_MEMORY_STATUS, worker->shared->no_memory);
	/* libmicrohttpd goes on with a chunked body although it is suspended: it keeps the rest. */
	if (call->phase == CALL_STREAMING && atomic_load(&call->is_taking))
		return MHD_YES;
	if (call->phase == CALL_STREAMING && !goes_on_after_piece(call))
		return MHD_NO;
	switch (call->phase) {
	case CALL_HEAD:
		return on_headers(call, connection, method, version);
	case CALL_ADMITTING:
		return admission_take(call, connection);
	case CALL_BODY:
		return *upload_data_size > 0 ? on_body(call, upload_data, upload_data_size)
					     : on_end(call, connection);
	case CALL_RUNNING:
		return answer(call, connection);
	case CALL_STREAMING:
	case CALL_ANSWERED:
		break;
	}
	return MHD_NO;
}

/* ---- answers before libmicrohttpd's own ---- */

/* A Content-Length that is no plain number never gets to http_call_on_request(): libmicrohttpd
 * 0.9.75 answers it itself, with its own page and two heads. It complains to its log before it
 * sends. Of the worker's heads that are coming in, the one that it complains of has such a header;
 * another that has one would get there too. */
static bool is_length_bad(const struct call *call)
{
	struct http_request *request = call->request;
	struct gathering gathering = {.headers = request->headers};
	MHD_get_connection_values_n(call->connection, MHD_HEADER_KIND, header_gather, &gathering);
	request->header_count =
		gathering.count < HTTP_HEADERS_MAX ? gathering.count : HTTP_HEADERS_MAX;
	return !http_strict_length_is_plain(request->headers, request->header_count);
}

void http_call_on_log(void *context)
{
	const struct call_worker *worker = context;
	struct call *next = NULL;
	for (struct call *call = worker->heads; call != NULL; call = next) {
		next = call->next_head;
		if (!is_length_bad(call))
			continue;
		head_end(call);
		call->request->remote_address = client_address(call, call->connection);
		http_request_prepare(call->request, call->context->random);
		log_refusal(call, "the Content-Length is not a plain number");
		(void)call_abort(call, HTTP_FAULT_BAD_REQUEST);
		/* What it sends itself now gets nowhere, and the connection ends. */
		shutdown(socket_of(call->connection), SHUT_WR);
	}
}

enum err_kind http_call_prepare(struct call_context *context, struct error *err)
{
	static const char text[] = "{\"message\":\"The service is temporarily unavailable. Try "
				   "again.\",\"error\":\"UNAVAILABLE\"}";
	context->no_memory = MHD_create_response_from_buffer(
		sizeof(text) - 1, (void *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT);
	if (context->no_memory == NULL ||
	    MHD_add_response_header(context->no_memory, "Content-Type", "application/json") !=
		    MHD_YES ||
	    MHD_add_response_header(context->no_memory, "Retry-After", "1") != MHD_YES)
		return error_set(err, ERR_TEMPORARY, "no memory for the listener");
	return ERR_NONE;
}
