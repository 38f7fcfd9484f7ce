/* SPDX-License-Identifier: Apache-2.0
 * The real transport: libcurl's multi interface, one curl multi per pool so that a connection made
 * for a platform can never serve a customer's address (measured in dependencies.md E:
 * OPENSOCKETFUNCTION is not asked on reuse). See transfer.h for the contract. */
#pragma once

#include "err.h"
#include "guard.h"
#include "transfer.h"

struct clock;
struct log;
struct transfer_curl;

struct transfer_curl_config {
	/* NULL = real platforms; else every PLATFORM URL is rewritten (rewrite.h) */
	const char *sandbox_url;
	/* The sandbox of the test apps: a Unix socket, and the URL that its answers name it by,
	 * which is reached by the socket too. NULL = there is none, and such calls are refused.
	 * Filled in by transfer_curl_set_test_url() once it is known. */
	const char *test_socket;
	/* "http://USER:PASSWORD@HOST:PORT": PLATFORM and WEBHOOK calls go through this proxy, each
	 * by a tunnel (CONNECT). What the guard judges is resolved here, and the proxy is asked for
	 * the very address that was judged. NULL = none. */
	const char *egress_proxy;
	/* PLATFORM calls carry tokens: none leaves for a plain http address, whoever named it. Not
	 * looked at with a sandbox, nor in tests against local servers */
	bool https_only;
	const struct guard *guard; /* for all but TRANSFER_PLATFORM; must outlive */
	const struct clock *clock;
	const struct log *log;
	const char *user_agent;   /* "Posthorn/0.1.0" */
	unsigned connections_max; /* per pool, 0 = 512 (dependencies.md E) */
	/* of one share (flight_queue.h): an app's, or a host's; 0 = 64, an eighth of the pool */
	unsigned connections_per_share_max;
	int64_t connect_timeout_ms; /* 0 = 10,000 */
	int64_t time_scale;         /* > 1: slow fetches are judged sooner by this; 0 = 1 */
	/* Stands in for DNS in tests: resolved names go to this address ("127.0.0.1"), the guard
	 * still sees it. NULL = real DNS. */
	const char *(*resolve)(void *context, const char *host);
	void *resolve_context;
};

/* What config points to must outlive the transport. INTERNAL: no memory, no descriptors. */
enum err_kind transfer_curl_open(const struct transfer_curl_config *config,
				 struct transfer_curl **out, struct error *err);
/* The URL under which browsers see the sandbox of the test apps. Before the first transfer of a
 * test app; copied. */
void transfer_curl_set_test_url(struct transfer_curl *curl, const char *url);
/* The port (transfer.h) to it, valid until transfer_curl_close(). */
struct transport transfer_curl_transport(struct transfer_curl *curl);
/* How a pool is used, as of the last poll. Any thread. */
struct transfer_figures {
	int64_t running;
	int64_t waiting;
	int64_t oldest_wait_us; /* of the one that waits longest for its turn; 0 = none waits */
};
struct transfer_figures transfer_curl_figures(const struct transfer_curl *curl,
					      enum transfer_pool pool);
/* Ends what runs (results are dropped), frees, nulls. */
void transfer_curl_close(struct transfer_curl **curl);
