/* SPDX-License-Identifier: Apache-2.0
 * One HTTP call from its request line to its answer, as libmicrohttpd's callbacks see it. Private
 * to the folder: httpd.c hands these functions to the daemon. Each call has its own arena, made
 * with the request line and freed when the answer is sent. The callbacks run on the worker thread
 * that holds the connection, and wait for nothing: handlers, and admit hooks that must wait, run on
 * the threads of a pool while the connection is suspended.
 *
 *   http_call_on_target      the request line is in: a call is made
 *   http_call_on_request     first with the headers: guard, route, admission, early refusals; then
 *                            with each piece of the body; then at the end: the handler; then with
 *                            its
 *                            answer
 *   http_call_on_completed   the answer is sent, or the connection broke: the call is freed
 *   http_call_on_connection  a connection begins or ends: watched for its deadlines
 *   http_call_on_log         libmicrohttpd complains: a Content-Length that it cannot read is
 *   answered
 *                            here, once and in our shape, before it does so itself */
#pragma once

#include <microhttpd.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "http.h"

struct call;
struct http_hosts;
struct http_pool;
struct http_proxies;
struct http_shares;
struct log;
struct random_source;
struct watch;

/* State shared by all calls of a listener. */
struct call_context {
	const struct http_router *router;
	const struct log *log;
	const struct random_source *random;
	struct watch *watch;
	struct http_shares *shares;
	struct http_pool *pools[HTTP_RUN_INLINE]; /* by enum http_run_mode */
	struct MHD_Response *no_memory; /* the answer to a request that there is no memory for */
	size_t arena_max_bytes;
	size_t header_max_bytes;
	size_t body_bytes_max;            /* of all bodies in memory; 0 = no ceiling */
	size_t body_bytes_of_address_max; /* of one address's; 0 = no ceiling */
	size_t spare_bytes;               /* arena_spare_keep(); 0 = none */
	unsigned header_timeout_s;
	unsigned idle_timeout_s;
	const char *body_directory;         /* NULL = no bodies in files */
	const struct http_hosts *hosts;     /* NULL = any */
	const struct http_proxies *proxies; /* NULL = none */
	_Atomic size_t body_bytes;          /* in memory now, of calls that are not answered yet */
	_Atomic size_t running;             /* calls between dispatch and the end of their answer */
	_Atomic bool is_draining;           /* every answer closes its connection */
};

/* Of one worker; the context of all these functions. */
struct call_worker {
	struct call_context *shared;
	struct call *heads; /* calls whose headers are not all in; the worker's own thread's */
};

/* The answer to a request that there is no memory for: context->no_memory. TEMPORARY: no memory for
 * it either. */
enum err_kind http_call_prepare(struct call_context *context, struct error *err);
void *http_call_on_target(void *context, const char *target, struct MHD_Connection *connection);
enum MHD_Result http_call_on_request(void *context, struct MHD_Connection *connection,
				     const char *url, const char *method, const char *version,
				     const char *upload_data, size_t *upload_data_size,
				     void **call_slot);
void http_call_on_completed(void *context, struct MHD_Connection *connection, void **call_slot,
			    enum MHD_RequestTerminationCode code);
void http_call_on_connection(void *context, struct MHD_Connection *connection, void **watched_slot,
			     enum MHD_ConnectionNotificationCode code);
void http_call_on_log(void *context);
