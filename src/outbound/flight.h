/* SPDX-License-Identifier: Apache-2.0
 * One transfer under way: a copy of its request, the libcurl handle that carries it, what has come
 * back, and the judgement of how it ended. Private to outbound/: transfer_curl.c owns the pools,
 * the waiting and the life of flights; nothing here waits. */
#pragma once

#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "transfer.h"

struct arena;
struct clock;
struct flight;
struct guard;

/* Shared by all flights of a transport; outlives them. */
struct flight_env {
	const struct guard *guard; /* NULL: only TRANSFER_PLATFORM may leave */
	const struct clock *clock; /* for send_deadline only */
	char *sandbox_url;
	char *test_socket; /* transfer_curl.h */
	char *test_url;
	char *egress_proxy; /* transfer_curl.h; may hold a password */
	bool https_only;    /* TRANSFER_PLATFORM, without a sandbox */
	char *user_agent;
	int64_t connect_timeout_ms;
	const char *(*resolve)(void *context, const char *host);
	void *resolve_context;
};

struct flight_share;

/* For lists of the owner, and for flight_queue.h. */
struct flight_link {
	struct flight *previous;
	struct flight *next;
	struct flight_share *share; /* whose place it has or waits for; NULL = neither */
	int64_t since_us;           /* it runs, or waits (flight_monotonic_us) */
};

/* CLOCK_MONOTONIC: waiting and durations follow the kernel's clock, not struct clock. */
int64_t flight_monotonic_us(void);

/* env must outlive the flight. NULL when out of memory. */
struct flight *flight_new(const struct flight_env *env, enum transfer_pool pool, CURLSH *share);
/* Nulls the pointer; NULL inside is fine. It must not be in a multi. */
void flight_free(struct flight **flight);
/* Forgets the transfer so that the flight can carry another. */
void flight_reset(struct flight *flight);

/* Copies the request and makes the handle ready. False when the transfer has failed already:
 * flight_result() says why. */
bool flight_prepare(struct flight *flight, const struct transfer_request *request);
/* The handle, to be added to a multi of flight_pool(). Its CURLOPT_PRIVATE is the flight. */
CURL *flight_easy(struct flight *flight);
/* As they were given to flight_new(); link is the caller's to use. */
enum transfer_pool flight_pool(const struct flight *flight);
struct flight_link *flight_link(struct flight *flight);
/* Tells libcurl how much time is left; false when there is none, and the transfer has failed. */
bool flight_is_in_time(struct flight *flight);
/* The handle has ended and was taken out of its multi. True when it is ready for the next hop of a
 * redirect. */
bool flight_end(struct flight *flight, CURLcode code);
/* Whose share of the pool it takes: its request's owner, else the host. A view, as above. */
struct str flight_owner(const struct flight *flight);
/* Is it a fetch that is too slow for one that has run this long (pace.h)? Then it has failed, and
 * must be taken out of its multi. */
bool flight_end_if_slow(struct flight *flight, int64_t running_us, int64_t time_scale);
/* The multi did not take the handle. */
void flight_fail(struct flight *flight);
/* Writes the result with its texts in arena. False when arena has no room for them; the result is
 * then LOST and TOO_LARGE. */
bool flight_result(struct flight *flight, struct arena *arena, struct transfer_result *result_out);
