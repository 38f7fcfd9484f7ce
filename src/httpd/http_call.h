/* SPDX-License-Identifier: Apache-2.0
 * One HTTP call from its request line to its answer, as libmicrohttpd's callbacks see it. Private
 * to the folder: httpd.c hands these four functions to the daemon. Each call has its own arena,
 * made with the request line and freed when the answer is sent; everything here runs on the worker
 * thread that holds the connection.
 *
 *   http_call_on_target      the request line is in: a call is made
 *   http_call_on_request     first with the headers: guard, route, early refusals; then with each
 *                            piece of the body; then once more at the end: dispatch and answer
 *   http_call_on_completed   the answer is sent, or the connection broke: the call is freed
 *   http_call_on_connection  a connection begins or ends: watched for its deadlines */
#pragma once

#include <microhttpd.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct http_router;
struct log;
struct random_source;
struct watch;

/* State shared by all calls of a listener. */
struct call_context {
	const struct http_router *router;
	const struct log *log;
	const struct random_source *random;
	struct watch *watch;
	size_t arena_max_bytes;
	size_t header_max_bytes;
	unsigned header_timeout_s;
	unsigned idle_timeout_s;
	const char *body_directory; /* NULL = no bodies in files */
	_Atomic size_t running;     /* calls between dispatch and the end of their answer */
	_Atomic bool is_draining;   /* every answer closes its connection */
};

void *http_call_on_target(void *context, const char *target, struct MHD_Connection *connection);
enum MHD_Result http_call_on_request(void *context, struct MHD_Connection *connection,
				     const char *url, const char *method, const char *version,
				     const char *upload_data, size_t *upload_data_size,
				     void **call_slot);
void http_call_on_completed(void *context, struct MHD_Connection *connection, void **call_slot,
			    enum MHD_RequestTerminationCode code);
void http_call_on_connection(void *context, struct MHD_Connection *connection, void **watched_slot,
			     enum MHD_ConnectionNotificationCode code);
