/* SPDX-License-Identifier: Apache-2.0
 * How a flight ended, from libcurl's code and our own notes, and the telling of it. */
#include "flight_private.h"

#include <string.h>

#include "arena.h"
#include "clock.h"
#include "count_of.h"

#define HEADERS_MAX 200

/* Ends the transfer by our own judgement. */
bool flight_give_up(struct flight *flight, enum transfer_problem problem, const char *reason)
{
	flight->outcome = flight->has_begun ? TRANSFER_LOST : TRANSFER_NEVER_SENT;
	flight->problem = problem;
	flight->reason = reason;
	flight->ended_us = flight_monotonic_us();
	return false;
}

static const struct {
	CURLcode code;
	enum transfer_problem problem;
} code_problems[] = {
	{CURLE_COULDNT_RESOLVE_HOST, TRANSFER_NAME_NOT_RESOLVED},
	{CURLE_COULDNT_CONNECT, TRANSFER_CONNECT_FAILED},
	{CURLE_SSL_CONNECT_ERROR, TRANSFER_TLS_FAILED},
	{CURLE_PEER_FAILED_VERIFICATION, TRANSFER_TLS_FAILED},
	{CURLE_SSL_CERTPROBLEM, TRANSFER_TLS_FAILED},
	{CURLE_SSL_CIPHER, TRANSFER_TLS_FAILED},
	{CURLE_SSL_CACERT_BADFILE, TRANSFER_TLS_FAILED},
	{CURLE_SSL_ISSUER_ERROR, TRANSFER_TLS_FAILED},
	{CURLE_FILESIZE_EXCEEDED, TRANSFER_TOO_LARGE},
	{CURLE_PARTIAL_FILE, TRANSFER_CONNECTION_BROKEN},
	{CURLE_GOT_NOTHING, TRANSFER_CONNECTION_BROKEN},
	{CURLE_SEND_ERROR, TRANSFER_CONNECTION_BROKEN},
	{CURLE_RECV_ERROR, TRANSFER_CONNECTION_BROKEN},
	{CURLE_OK, TRANSFER_CONNECTION_BROKEN}, /* ended inside the header */
};

static enum transfer_problem problem_of_code(CURLcode code)
{
	for (size_t i = 0; i < COUNT_OF(code_problems); i++)
		if (code_problems[i].code == code)
			return code_problems[i].problem;
	return TRANSFER_OTHER;
}

/* libcurl has one code for all its timers; the slow one is the only one that goes off before the
 * time is up while bytes flow. */
static enum transfer_problem timeout_problem(const struct flight *flight)
{
	const int64_t elapsed_ms = (flight_monotonic_us() - flight->started_us) / US_PER_MS;
	if (flight->has_begun && flight->request.low_speed_bytes_s > 0 &&
	    elapsed_ms < flight->request.timeout_ms)
		return TRANSFER_TOO_SLOW;
	return TRANSFER_TIMED_OUT;
}

static enum transfer_problem problem_of(const struct flight *flight, CURLcode code)
{
	if (flight->is_refused)
		return TRANSFER_REFUSED_BY_GUARD;
	if (flight->is_late)
		return TRANSFER_TIMED_OUT;
	if (flight->is_over_size)
		return TRANSFER_TOO_LARGE;
	if (flight->is_disk_bad)
		return TRANSFER_DISK_FAILED;
	if (code == CURLE_OPERATION_TIMEDOUT)
		return timeout_problem(flight);
	if (code == CURLE_ABORTED_BY_CALLBACK)
		return TRANSFER_CONNECTION_BROKEN; /* on_prerequest() forbade a second sending */
	return problem_of_code(code);
}

/* libcurl's own words help where certificates are concerned, and name no more than the host. */
static const char *reason_of(struct flight *flight, enum transfer_problem problem, CURLcode code)
{
	if (flight->is_late)
		return "send deadline exceeded";
	if (problem == TRANSFER_DISK_FAILED && flight->save.is_out_of_room)
		return "there is no space for more downloaded files";
	if (problem == TRANSFER_TLS_FAILED && flight->curl_error[0] != '\0' &&
	    !str_has_control(str_of(flight->curl_error)))
		return flight->curl_error;
	return problem == TRANSFER_OTHER ? curl_easy_strerror(code) : NULL;
}

/* An answer is whole when libcurl is content and the header came to its end: libcurl takes a
 * connection that closes inside the header for an empty answer. A body without a length or chunks
 * ends where the connection closes; nothing in HTTP tells such an end from a cut, so it counts as
 * whole. */
bool flight_judge(struct flight *flight, CURLcode code)
{
	if (code != CURLE_OK || !flight->has_whole_head) {
		const enum transfer_problem problem = problem_of(flight, code);
		return flight_give_up(flight, problem, reason_of(flight, problem, code));
	}
	flight->outcome = TRANSFER_ANSWERED;
	flight->problem = TRANSFER_OK;
	flight->ended_us = flight_monotonic_us();
	return true;
}

static const char *const problem_texts[] = {
	[TRANSFER_OK] = "",
	[TRANSFER_REFUSED_BY_GUARD] = "the address is not public",
	[TRANSFER_NAME_NOT_RESOLVED] = "the server's name could not be resolved",
	[TRANSFER_CONNECT_FAILED] = "no connection could be made",
	[TRANSFER_TLS_FAILED] = "no secure connection could be made",
	[TRANSFER_TIMED_OUT] = "it took too long",
	[TRANSFER_TOO_SLOW] = "the server sent too slowly",
	[TRANSFER_TOO_LARGE] = "the answer is too large",
	[TRANSFER_CONNECTION_BROKEN] = "the connection broke before the answer was complete",
	[TRANSFER_DISK_FAILED] = "a local file could not be read or written",
	[TRANSFER_BAD_REDIRECT] = "the server's redirect cannot be followed",
	[TRANSFER_OTHER] = "the transfer failed",
};

static struct str error_text(const struct flight *flight, struct arena *arena)
{
	if (flight->outcome == TRANSFER_ANSWERED)
		return (struct str){0};
	const char *text = problem_texts[flight->problem];
	return flight->reason != NULL ? str_format(arena, "%s: %s", text, flight->reason)
				      : str_of(text);
}

/* The next "Name: value"; a line without a colon, or one that continues another (obsolete), is no
 * header of ours. */
static bool take_header(struct str *lines, struct transfer_header *header_out)
{
	struct str line;
	struct str name;
	while (str_take_field(lines, '\n', &line)) {
		if (str_is_empty(line) || line.ptr[0] == ' ' || line.ptr[0] == '\t' ||
		    !str_take_until(&line, ':', &name))
			continue;
		*header_out = (struct transfer_header){
			.name = str_trim(name),
			.value = str_trim(str_slice(line, 1, line.len)),
		};
		return true;
	}
	return false;
}

static size_t count_headers(struct str lines)
{
	struct transfer_header header;
	size_t count = 0;
	while (count < HEADERS_MAX && take_header(&lines, &header))
		count++;
	return count;
}

static char *try_copy(struct arena *arena, const struct bytes *bytes)
{
	char *copy = arena_try_alloc(arena, bytes->len + 1);
	if (copy != NULL && bytes->len > 0)
		memcpy(copy, bytes->ptr, bytes->len);
	return copy;
}

static bool copy_answer(const struct flight *flight, struct arena *arena,
			struct transfer_result *result)
{
	const size_t count = count_headers((struct str){flight->head.ptr, flight->head.len});
	struct transfer_header *headers = arena_try_alloc(arena, (count + 1) * sizeof(*headers));
	const char *head = try_copy(arena, &flight->head);
	const char *body = try_copy(arena, &flight->body);
	if (headers == NULL || head == NULL || body == NULL)
		return false;
	struct str lines = {head, flight->head.len};
	for (size_t i = 0; i < count; i++)
		(void)take_header(&lines, &headers[i]);
	result->headers = headers;
	result->header_count = count;
	result->body = (struct str){body, flight->body.len};
	return true;
}

struct str flight_header(const struct flight *flight, struct str name)
{
	struct str lines = {flight->head.ptr, flight->head.len};
	struct transfer_header header;
	while (take_header(&lines, &header)) {
		if (str_equal_nocase(header.name, name))
			return header.value;
	}
	return (struct str){0};
}

/* Of the answer that is being saved. A weak one (W/) says nothing about bytes (RFC 9110 8.8.3). */
static struct str saved_etag(const struct flight *flight)
{
	const struct str etag = flight_header(flight, STR("ETag"));
	const bool is_strong = str_has_prefix(etag, STR("\"")) && etag.len > 2 && etag.len < 256;
	return is_strong && flight->has_save_begun && !flight->is_other_range &&
			       !str_has_control(etag)
		       ? etag
		       : (struct str){0};
}

bool flight_result(struct flight *flight, struct arena *arena, struct transfer_result *result_out)
{
	const bool is_answered = flight->outcome == TRANSFER_ANSWERED;
	struct transfer_result result = {
		.id = flight->request.id,
		.outcome = flight->outcome,
		.problem = flight->problem,
		.status = is_answered ? flight->status : 0,
		.received_bytes = flight->received_bytes,
		.duration_us = flight->ended_us - flight->started_us,
		.error_text = error_text(flight, arena),
	};
	if (flight->request.save_path != NULL && flight->save.fd >= 0) {
		struct save_mark *saved = ARENA_NEW(arena, struct save_mark);
		*saved = flight->save.mark;
		result.saved = saved;
		result.saved_etag = str_copy(arena, saved_etag(flight));
	}
	const bool fits = !is_answered || copy_answer(flight, arena, &result);
	if (!fits) {
		result.outcome = TRANSFER_LOST;
		result.problem = TRANSFER_TOO_LARGE;
		result.status = 0;
		result.error_text = str_of(problem_texts[TRANSFER_TOO_LARGE]);
	}
	*result_out = result;
	return fits;
}
