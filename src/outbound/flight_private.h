/* SPDX-License-Identifier: Apache-2.0
 * The inside of a flight, for the three files that make one up: flight.c makes it ready and takes
 * it from hop to hop, flight_wire.c answers libcurl while bytes move, flight_verdict.c judges and
 * tells how it ended. */
#pragma once

#include <netinet/in.h>

#include "flight.h"
#include "save.h"

struct arena;

struct bytes {
	char *ptr;
	size_t len;
	size_t capacity;
};

struct flight {
	const struct flight_env *env;
	enum transfer_pool pool;
	CURL *easy;
	struct flight_link link;
	struct arena *arena; /* of this transfer */

	/* The request. */
	struct transfer_request request; /* texts in arena */
	struct str url;                  /* of this hop, rewritten */
	struct curl_slist *header_list;  /* nodes in arena */
	struct curl_slist *resolve_list; /* libcurl's */
	/* By a proxy (flight_route.c). Of a call that the guard judges, the first hop only finds
	 * out the address: no connection is made. */
	bool is_by_proxy;
	bool is_looking_up;
	char address[INET6_ADDRSTRLEN];  /* that was found, and allowed; "" = not yet */
	struct curl_slist *address_list; /* libcurl's: what the proxy is asked for */
	int body_fd;
	int64_t body_read_bytes; /* of the whole body: text, file range, text */
	struct save_file save;
	struct save_mark save_from; /* a copy of the request's */
	bool has_save_begun;        /* the answer is one whose body is saved */
	bool is_other_range;        /* and it is not the part that was asked for */
	int hops;
	int64_t started_us; /* monotonic */

	/* What came back. */
	int status;
	bool has_whole_head;
	size_t head_total_bytes; /* of all answers, 1xx and earlier hops too */
	struct bytes head;       /* header lines of the last answer */
	struct bytes body;
	int64_t received_bytes;

	/* How it went. */
	bool has_begun;     /* a byte of a request may have left */
	bool has_begun_hop; /* the same, of this hop's */
	bool is_refused;
	bool is_late;
	bool is_over_size;
	bool is_disk_bad;
	enum transfer_outcome outcome;
	enum transfer_problem problem;
	const char *reason; /* more words for error_text */
	int64_t ended_us;
	char curl_error[CURL_ERROR_SIZE];
};

/* Ends the transfer by our own judgement; false, so that `return flight_give_up(...)` reads well.
 * reason: a literal, libcurl's, or NULL. */
bool flight_give_up(struct flight *flight, enum transfer_problem problem, const char *reason);
/* Must the request not be sent any more (transfer_request.send_deadline_us)? */
bool flight_is_past_send_deadline(const struct flight *flight);
/* Would the guard let a connection to that address in text be made? */
bool flight_guard_allows(const struct flight *flight, const char *ip, int port);
/* First header of that name in the head of the last answer, or empty. Views. */
struct str flight_header(const struct flight *flight, struct str name);
/* Length of a body around a file range, all of it. */
int64_t flight_body_bytes(const struct flight *flight);
/* Sets libcurl's callbacks. */
void flight_wire(struct flight *flight);
/* flight_route.c. Direct, by the proxy, or to look up an address: sets this hop's way. */
void flight_route(struct flight *flight);
/* A hop that only looked up an address has ended: is there one to go on with? */
bool flight_lookup_end(struct flight *flight, CURLcode code);
/* Notes the address that libcurl would connect to, when the guard allows it. */
void flight_lookup_note(struct flight *flight, const struct sockaddr *address);
/* Judges a handle that has ended: true when there is a whole answer. */
bool flight_judge(struct flight *flight, CURLcode code);
