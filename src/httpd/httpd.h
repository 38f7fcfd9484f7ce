/* SPDX-License-Identifier: Apache-2.0
 * The listener: HTTP/1.1 over libmicrohttpd on a TCP address or a Unix socket, in front of a router
 * (http.h). It owns limits, timeouts and the strict header checks (http_strict.h); TLS is the
 * reverse proxy's. Two guards are ours (design.md 6): a pool of worker threads that each
 * hold at most 100 connections, because libmicrohttpd 0.9.75's epoll loop stalls when the number of
 * ready sockets is a multiple of 128; and 400-and-close for every request that two parsers could
 * read differently (duplicate or malformed Content-Length, Content-Length with Transfer-Encoding, a
 * Transfer-Encoding other than chunked, none or two Hosts, control characters in headers or target,
 * folded headers, bare LF, white space before the colon). Three things libmicrohttpd 0.9.75 does
 * not let us see: a bare LF in the chunk framing (so a chunked request is the last one on its
 * connection), one as the very end of a bodiless header block while nothing follows it, and lines
 * before a request that end in a bare CR or LF or begin with NUL: it drops them as empty ones.
 * libmicrohttpd itself answers, without the service's error shape and without X-Request-Id,
 * requests that it cannot parse at all: no colon in a header, no version, headers over its buffer
 * (400, 414, 431, 505) and a chunk size that is not a number (400, 413).
 *
 * Workers wait for nothing. A handler runs on a thread of a pool, by what its route may wait for
 * (enum http_run_mode), while its connection is suspended; so one that hangs holds up no other
 * connection. A body is read only when the route's admit hook allows it, and the bytes of all
 * bodies, and of each address's, have a ceiling (docs/adr/0011).
 *
 * Descriptors: two a worker, one a connection; the caller sees to RLIMIT_NOFILE. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "http.h"
#include "str.h"

struct http_hosts;
struct http_proxies;
struct log;
struct random_source;
struct sockaddr;
struct httpd;

/* The defaults of httpd_config. */
#define HTTPD_HEADER_MAX_BYTES ((size_t)16 * 1024) /* design.md 7, as the next two */
#define HTTPD_HEADER_TIMEOUT_S 10
#define HTTPD_IDLE_TIMEOUT_S 60

struct httpd_config {
	/* "127.0.0.1:8080", "[::1]:0"; port 0 picks a free one. NULL when unix_path is set */
	const char *listen;
	/* A TCP socket that listens already, of whoever started this process; taken over. 0 = none:
	 * listen says where */
	int listen_fd;
	const char *unix_path; /* control socket, made 0600; an old file there is replaced */
	const struct http_router *router;
	const struct log *log;
	const struct random_source *random;  /* for request ids */
	unsigned threads;                    /* 0 = 64 */
	unsigned connections_per_thread_max; /* 0 = 100, never more than 126 (the stall) */
	size_t arena_max_bytes;              /* 0 = 16 MiB per request */
	size_t header_max_bytes;             /* 0 = HTTPD_HEADER_MAX_BYTES */
	unsigned header_timeout_s;           /* 0 = HTTPD_HEADER_TIMEOUT_S */
	unsigned idle_timeout_s;             /* 0 = HTTPD_IDLE_TIMEOUT_S */
	const struct http_hosts *hosts;      /* others are 421; NULL = any host is ours */
	const struct http_proxies *proxies;  /* NULL = every peer is the client */
	const char *body_directory; /* where HTTP_BODY_FILE bodies go; NULL = no such routes */
	/* Handlers that run at once: of HTTP_RUN_STORE (0 = threads) and of HTTP_RUN_PLATFORM (0 =
	 * four times threads). */
	unsigned store_threads;
	unsigned platform_threads;
	/* Bytes of bodies in memory, from their first byte until their answer is sent: of all
	 * requests and of one address. More is 503. 0 = no ceiling. */
	size_t body_bytes_max;
	size_t body_bytes_of_address_max;
	/* Open connections of one address: one more closes the one of them that is idle the
	 * longest, or is closed itself. 0 = no ceiling. */
	unsigned connections_of_address_max;
	/* From this share of all places on, each new connection closes the one of all that is idle
	 * the longest. 0 = never: then clients wait in the backlog when all places are taken. */
	unsigned crowded_percent;
	/* Addresses that connections_of_address_max does not count: proxies that many clients
	 * share. Called by the accepting thread; must not block. NULL = none. */
	bool (*address_is_exempt)(void *context, const struct sockaddr *address);
	void *address_context;
	size_t spare_bytes; /* arena_spare_keep(); 0 = none */
};

/* Listens and starts the threads. Returns NONE, INVALID (address not readable), TEMPORARY (address
 * in use) with err->text. */
enum err_kind httpd_open(const struct httpd_config *config, struct httpd **httpd_out,
			 struct error *err);
/* The port in use; for tests that listen on port 0. */
uint16_t httpd_port(const struct httpd *httpd);
/* "http://127.0.0.1:8080" as printed in the ready line; empty for Unix sockets. */
struct str httpd_base_url(const struct httpd *httpd);
/* Stops accepting, lets running handlers end (at most timeout_ms), closes, frees, nulls. */
void httpd_close(struct httpd **httpd, unsigned timeout_ms);
