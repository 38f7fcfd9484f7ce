/* SPDX-License-Identifier: Apache-2.0
 * One HTTP request and its answer, and the router between them. The routes come from the tables of
 * api/, dashboard/ and sandbox/. The listener is httpd.h; a router also works without one
 * (http_router_dispatch), which is how the command line calls the admin API while the service is
 * down, and how handlers are unit-tested. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "cidr.h"
#include "err.h"
#include "form.h"
#include "str.h"

#define HTTP_CAPTURES_MAX 4
#define HTTP_HEADERS_MAX 100 /* design.md 7 */
#define HTTP_RESPONSE_HEADERS_MAX 24
#define HTTP_REQUEST_ID_MAX 64 /* api-decisions.md 1 */
#define HTTP_TRACE_ID_CHARS 32 /* W3C Trace Context, 3.2.2.3 */

struct arena;

struct http_header {
	struct str name; /* requests: as sent */
	struct str value;
};

struct http_capture {
	struct str name;  /* "post_id" for "{post_id}" */
	struct str value; /* percent-decoded once */
};

struct http_request {
	struct arena *arena; /* lives until the answer is sent */
	/* "GET"; HEAD is routed as GET with is_head set, and the listener drops the body */
	struct str method;
	bool is_head;
	struct str target; /* as sent: path and query */
	/* as sent, without query, not decoded; for captures, segments are decoded one by one */
	struct str path;
	struct str query_text; /* without '?' */
	struct form query;     /* decoded; empty when the query is broken (then has_bad_query) */
	bool has_bad_query;
	struct http_header headers[HTTP_HEADERS_MAX];
	size_t header_count;
	struct str body; /* the whole body, or empty when it went to a file */
	/* file with the body for routes with HTTP_BODY_FILE, else NULL; removed after the answer */
	const char *body_path;
	int64_t body_size_bytes;
	/* The most that is read of the body: the route's, which its admit hook may lower. */
	size_t body_max_bytes;
	/* "127.0.0.1": the client's, as trusted proxies say it (http_proxies.h); empty for Unix
	 * sockets and direct dispatch */
	struct str remote_address;
	/* Who holds the other end of the connection, whatever proxies say; of the Internet. */
	bool has_peer_address;
	uint8_t peer_address[CIDR_ADDRESS_BYTES];
	/* Who holds the other end of a Unix socket, as the kernel says it; who dispatches
	 * directly. */
	bool has_peer_uid;
	unsigned peer_uid;
	char request_id[HTTP_REQUEST_ID_MAX + 1]; /* the caller's valid X-Request-Id or a new one */
	/* of the caller's valid traceparent; else empty */
	char trace_id[HTTP_TRACE_ID_CHARS + 1];
	int64_t began_boot_us; /* when its head was complete; 0 with direct dispatch */
	/* For the access log, set by whoever knows it: who calls, and what it is about. */
	struct str caller;
	struct str about;
	struct http_capture captures[HTTP_CAPTURES_MAX];
	size_t capture_count;
	const struct http_route *route; /* set when matched */
	void *stream; /* of a route with HTTP_BODY_STREAM: what its begin hook made; else NULL */
	void *user; /* for the before hook to leave something for the handler (who the caller is) */
};

struct http_response {
	struct arena *arena;
	int status; /* 0 until set */
	struct http_header headers[HTTP_RESPONSE_HEADERS_MAX];
	size_t header_count;
	struct buf body; /* ceiling set by the router's config */
	bool has_file;   /* the body is this range of a file instead (http_response_file) */
	int file_fd;
	int64_t file_offset_bytes;
	int64_t file_length_bytes;
	bool close; /* close the connection after this answer */
	/* For the sandbox's faults only: answer nothing and drop the connection; or send this many
	 * bytes of the body, then drop. */
	bool is_dropped;
	int64_t truncate_at_bytes; /* -1 = whole body */
};

/* A request that the router or the listener refuses; render_fault() writes it in the service's
 * error shape. */
enum http_fault {
	HTTP_FAULT_NOT_FOUND,          /* 404 no such path */
	HTTP_FAULT_METHOD_NOT_ALLOWED, /* 405, Allow is set already */
	HTTP_FAULT_BODY_TOO_LARGE,     /* 413 */
	HTTP_FAULT_HEADERS_TOO_LARGE,  /* 431 */
	HTTP_FAULT_BAD_REQUEST,        /* 400, e.g. a smuggling shape; the connection is closed */
	HTTP_FAULT_INTERNAL,           /* 500 */
	HTTP_FAULT_UNAVAILABLE,        /* 503 */
	HTTP_FAULT_MISDIRECTED         /* 421, for a host that is not ours */
};

typedef void (*http_handler)(void *context, struct http_request *request,
			     struct http_response *response);

enum http_body_mode {
	HTTP_BODY_NONE,
	HTTP_BODY_MEMORY,
	HTTP_BODY_FILE,
	HTTP_BODY_STREAM /* goes to the route's stream as it comes, and is never whole in memory */
};

/* What a handler may wait for, and so which threads run it. The listener's own thread holds a
 * hundred connections: what runs there waits for nothing. */
enum http_run_mode {
	HTTP_RUN_STORE,    /* the database and its commits */
	HTTP_RUN_PLATFORM, /* answers of platforms: for many seconds */
	HTTP_RUN_PROBE,    /* a second at most; on threads of its own, so that it always has one */
	HTTP_RUN_DISK,     /* pieces of bodies on their way to the disk; for no handler */
	HTTP_RUN_INLINE    /* nothing: on the listener's thread */
};

enum http_admission {
	HTTP_ADMITTED, /* its body may be read; the before hook still decides when it is there */
	HTTP_REFUSED,  /* the response is complete */
	HTTP_MUST_WAIT /* cannot be said without waiting: to be asked again with may_wait */
};

/* Decides on the headers whether a request's body is read at all. Returns MUST_WAIT only when
 * may_wait is false. */
typedef enum http_admission (*http_admit)(void *context, struct http_request *request,
					  struct http_response *response, bool may_wait);

/* Where a body goes, piece by piece. The functions run on threads of a pool, never two at once for
 * one request; they may wait for the disk and the database. context is the route's. The connection
 * is held while one runs, so a sender that is faster than the disk waits. */
struct http_stream {
	/* With the headers of a request that has a body, once it is admitted: sets request->stream.
	 * False: the response is complete, and the other two are not called. */
	bool (*begin)(void *context, struct http_request *request, struct http_response *response);
	/* False: the response is complete, and no more is read. */
	bool (*take)(void *context, struct http_request *request, struct str piece,
		     struct http_response *response);
	/* After the handler, or when the connection broke before: then the request's headers and
	 * method are gone. Once for each begin that returned true. */
	void (*end)(void *context, struct http_request *request);
};

struct http_route {
	const char *method; /* "GET"; "*" = any */
	/* "/v1/posts/{post_id}"; a last segment "{*rest}" takes all that is left, slashes
	 * included */
	const char *pattern;
	http_handler handler;
	void *context;         /* handed to handler; NULL = the router's context */
	size_t body_max_bytes; /* more is 413; HTTP_BODY_NONE routes read and drop up to 4 KiB */
	enum http_body_mode body_mode;
	enum http_run_mode run_mode;
	http_admit admit; /* of requests with a body, before it is read; NULL = all are admitted */
	/* with HTTP_BODY_STREAM; its handler runs when all was taken, and never INLINE */
	const struct http_stream *stream;
	const void *tag;     /* for the before hook: which check this route wants */
	bool takes_any_host; /* answers whatever Host says (httpd_config.hosts) */
};

struct http_router_config {
	void *context;
	/* Called after the match and before the handler; false = the response is complete already
	 * (401, 429). May be NULL. */
	bool (*before)(void *context, struct http_request *request, struct http_response *response);
	/* Called after every answer is complete, faults included: common headers, access log,
	 * metrics. May be NULL. */
	void (*after)(void *context, const struct http_request *request,
		      struct http_response *response);
	void (*render_fault)(void *context, enum http_fault fault,
			     const struct http_request *request, struct http_response *response);
	size_t response_max_bytes; /* ceiling of a response body */
};

struct http_router;

/* Patterns are checked here; a bad or doubled one is INTERNAL. Routes are copied; strings must
 * outlive the router. */
enum err_kind http_router_new(const struct http_router_config *config,
			      struct http_router **router_out, struct error *err);
enum err_kind http_router_add(struct http_router *router, const struct http_route *routes,
			      size_t count, struct error *err);
void http_router_free(struct http_router **router);
/* The route for method and path, or NULL with *fault_out (NOT_FOUND, METHOD_NOT_ALLOWED). Fills the
 * captures of request. A literal segment wins over a capture for all methods: a path that fits a
 * more exact pattern is never tried against a less exact one. A literal is compared with the bytes
 * as sent: /%6detrics is not /metrics, so that what a reverse proxy decides by path holds. A path
 * with broken percent-encoding, control characters or invalid UTF-8 is NOT_FOUND. HEAD matches GET
 * routes. On METHOD_NOT_ALLOWED *allow_out lists the methods ("GET, POST"). */
const struct http_route *http_router_match(const struct http_router *router,
					   struct http_request *request, enum http_fault *fault_out,
					   struct str *allow_out);
/* Match (unless request->route is set already), before, handler, after; adds X-Request-Id. request
 * has method, target and body set (http_request_prepare does the rest). Never fails: the response
 * is always complete; a handler that leaves no usable status (200 to 599) or overruns the body's
 * ceiling is answered with HTTP_FAULT_INTERNAL. */
void http_router_dispatch(const struct http_router *router, struct http_request *request,
			  struct http_response *response);
/* Asks the route's admit hook; request->route is set. A refusal's response is finished (after,
 * X-Request-Id). */
enum http_admission http_router_admit(const struct http_router *router,
				      struct http_request *request, struct http_response *response,
				      bool may_wait);
/* Asks the stream of the request's route. Where they return false the response is finished. */
bool http_router_stream_begin(const struct http_router *router, struct http_request *request,
			      struct http_response *response);
bool http_router_stream_take(const struct http_router *router, struct http_request *request,
			     struct str piece, struct http_response *response);
void http_router_stream_end(const struct http_router *router, struct http_request *request);
/* Answers a fault: render_fault, then after. allow is for METHOD_NOT_ALLOWED, else empty. What
 * response held before is dropped. */
void http_router_fault(const struct http_router *router, enum http_fault fault, struct str allow,
		       const struct http_request *request, struct http_response *response);
/* The ceiling to give http_response_init(): response_max_bytes of the config, or 4 MiB when that
 * was 0. */
size_t http_router_response_max_bytes(const struct http_router *router);
struct random_source;
/* Fills path, query, is_head, request_id and trace_id from method, target and headers. */
void http_request_prepare(struct http_request *request, const struct random_source *random);
/* Makes an empty response whose texts and body, of at most body_max_bytes, live in arena. */
void http_response_init(struct http_response *response, struct arena *arena, size_t body_max_bytes);

/* Readers and writers for handlers. */
/* The network that the client is counted under where guesses are slowed: its IPv4 address, or the
 * /64 of its IPv6 one, of which one client may have every address. In the request's arena. */
struct str http_request_network(const struct http_request *request);
/* The first header of that name (in any case), or NULL. Valid as long as the request. */
const struct str *http_request_header(const struct http_request *request, const char *name);
/* How many headers have that name (in any case). */
size_t http_request_header_count(const struct http_request *request, const char *name);
/* The capture of that name; empty when the pattern has none. */
struct str http_request_capture(const struct http_request *request, const char *name);
/* Adds a header. A value with CR, LF or NUL is dropped entirely (it could split the response), and
 * so is a header beyond HTTP_RESPONSE_HEADERS_MAX. */
void http_response_header(struct http_response *response, const char *name, struct str value);
/* Set status and content type, and return the body to write into. */
struct buf *http_response_json(struct http_response *response, int status);
struct buf *http_response_text(struct http_response *response, int status,
			       const char *content_type);
/* Answers with an open file of size_bytes, streamed: whole (200), or the range of the request (206,
 * 416; RFC 9110 14.2: one range; ignored when If-Range has another etag). etag includes its quotes.
 * Takes ownership of fd, which is closed with the response's arena. */
void http_response_file(struct http_response *response, const struct http_request *request,
			const char *content_type, struct str etag, int fd, int64_t size_bytes);
