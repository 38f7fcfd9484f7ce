/* SPDX-License-Identifier: Apache-2.0
 * The one door to the outside, as a port: requests go in, results come out, nothing here knows what
 * they mean. The real one is transfer_curl.h (libcurl); tests and the simulation bring their own. A
 * transfer is never repeated by this layer, follows no redirect (media fetches: see fetch), sends
 * no Expect, and ends by its deadline. Thread rule: all functions but wake() belong to one thread,
 * the engine's. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "str.h"

struct arena;
struct save_mark;
struct save_room;

/* Where TRANSFER_PLATFORM calls go. Zero is nowhere: whoever makes such a call has to know which
 * world it is for. */
enum transfer_reach {
	TRANSFER_NOWHERE,
	TRANSFER_REAL, /* the platforms; with sandbox_url, that sandbox */
	/* the sandbox inside the service, for the app that owner names: by its Unix socket alone,
	 * whatever the URL says (api-decisions.md 14) */
	TRANSFER_TEST
};

/* Who chose the address decides which connections and which checks. */
enum transfer_pool {
	/* fixed platform hosts: no guard, but see enum transfer_reach; in sandbox mode rewritten to
	 * the sandbox (rewrite.h) */
	TRANSFER_PLATFORM,
	/* media, from addresses that customers gave: guard.h on every connection */
	TRANSFER_MEDIA,
	/* calls to customers' webhooks: guard.h too; slow media must not hold them up, nor they
	 * media */
	TRANSFER_WEBHOOK,
	TRANSFER_POOL_COUNT
};

/* Names the test app of a call to the sandbox inside the service; set by the transport alone. */
#define TRANSFER_TEST_APP_HEADER "Posthorn-Test-App"

struct transfer_header {
	struct str name;
	struct str value;
};

struct transfer_request {
	uint64_t id; /* the caller's, back in the result; unique among running ones */
	enum transfer_pool pool;
	enum transfer_reach reach; /* TRANSFER_PLATFORM only */
	/* The app it is made for: one app has a share of the pool, however many it asks for. Copied
	 * by start(). Empty: its host has the share, as for the platforms' */
	struct str owner;
	const char *method;
	struct str url;
	const struct transfer_header *headers;
	size_t header_count;
	struct str body; /* copied by start() */
	/* stream this file range after body and before body_tail; NULL = body alone */
	const char *body_path;
	int64_t body_offset_bytes;
	int64_t body_length_bytes;
	struct str body_tail; /* with body_path only; copied by start() */
	int64_t timeout_ms;   /* whole transfer; > 0 */
	/* 0 = none. At or after this instant (clock_boot_us) no byte may leave: the result is
	 * NEVER_SENT (rules.md 2.2 rule 2) */
	int64_t send_deadline_boot_us;
	/* own connection, not reused afterwards: libcurl re-sends a POST when a reused one dies */
	bool fresh_connection;
	int64_t response_max_bytes; /* more ends the transfer as LOST; 0 = 4 MiB */
	/* fetch: write the body there instead of memory (created, truncated) */
	const char *save_path;
	/* fetch: save_path holds the body's beginning, and the headers ask for the rest (Range,
	 * If-Range): an answer 206 that goes on there is added, any other 2xx begins again. NULL =
	 * none */
	const struct save_mark *save_from;
	/* fetch: what all such files may take together (save.h); must outlive the transfer. NULL =
	 * no limit */
	struct save_room *save_room;
	/* fetch only: follow this many 3xx, each checked by the guard; no https -> http */
	int redirects_max;
	int64_t low_speed_bytes_s; /* fetch only: slower than this for 30 s ends it; 0 = no check */
};

enum transfer_outcome {
	TRANSFER_ANSWERED, /* a whole answer: status, headers, body complete by its own framing */
	/* provably no byte of the request left: name, connect, TLS or the guard refused, or past
	 * send_deadline */
	TRANSFER_NEVER_SENT,
	TRANSFER_LOST /* all else: reset, timeout, truncated, too large, unreadable */
};

/* Why there is no answer, for messages and decisions on media. */
enum transfer_problem {
	TRANSFER_OK,
	TRANSFER_REFUSED_BY_GUARD, /* final: the address is not allowed */
	TRANSFER_NAME_NOT_RESOLVED,
	TRANSFER_CONNECT_FAILED,
	TRANSFER_TLS_FAILED,
	TRANSFER_TIMED_OUT,
	TRANSFER_TOO_SLOW,
	TRANSFER_TOO_LARGE,
	TRANSFER_CONNECTION_BROKEN,
	TRANSFER_DISK_FAILED, /* save_path could not be written */
	TRANSFER_BAD_REDIRECT,
	TRANSFER_OTHER
};

struct transfer_result {
	uint64_t id;
	enum transfer_outcome outcome;
	enum transfer_problem problem;
	int status;
	const struct transfer_header *headers;
	size_t header_count;
	struct str body; /* with save_path: no more than the beginning of a refusal's */
	/* with save_path: what stands there now, however it ended (save.h); NULL = not known */
	const struct save_mark *saved;
	/* of what stands there, to go on with it: a strong ETag; empty = none */
	struct str saved_etag;
	int64_t received_bytes;
	int64_t duration_us;
	/* a sentence without URL query or secrets; empty when ANSWERED */
	struct str error_text;
};

struct transport_ops {
	/* Takes the request (everything copied) and begins. It reports every failure as a result of
	 * poll(), never from here and never before start() has returned. */
	void (*start)(void *context, const struct transfer_request *request);
	/* Waits up to timeout_ms (0 = not at all) for results or wake(), and gives up to max of
	 * them; the texts live in arena. Returns how many. */
	size_t (*poll)(void *context, struct arena *arena, int64_t timeout_ms,
		       struct transfer_result *results, size_t max);
	/* Makes a running or the next poll() return early. From any thread. */
	void (*wake)(void *context);
	/* Running transfers. */
	size_t (*running)(void *context);
};

struct transport {
	const struct transport_ops *ops;
	void *context;
};

static inline void transport_start(const struct transport *t,
				   const struct transfer_request *request)
{
	t->ops->start(t->context, request);
}

static inline size_t transport_poll(const struct transport *t, struct arena *arena,
				    int64_t timeout_ms, struct transfer_result *results, size_t max)
{
	return t->ops->poll(t->context, arena, timeout_ms, results, max);
}

static inline void transport_wake(const struct transport *t)
{
	t->ops->wake(t->context);
}
