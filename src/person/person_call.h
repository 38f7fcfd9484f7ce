/* SPDX-License-Identifier: Apache-2.0
 * One call of the public API, with what may be repeated of it. A call whose request provably never
 * left is not made; one whose answer was lost may have been taken, and is repeated only when twice
 * is as good as once. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "str.h"

struct arena;
struct json;
struct person;
struct transfer_header;

struct person_request {
	const char *method;
	struct str path; /* with its query: "/v1/posts?page=1" */
	struct str body; /* JSON, or a form as_app; empty = none */
	/* twice is as good as once: GET, DELETE, and a publish with its request_id */
	bool is_repeatable;
	struct str if_match; /* empty = no such header */
	/* with the app's client id and secret instead of the token; the body is a form */
	bool as_app;
	const struct transfer_header *headers; /* beside those of every call; at most 4 */
	size_t header_count;
};

struct person_answer {
	int status;
	struct str body;
	const struct json *json; /* NULL for 204, and for a 202 without a body */
	struct str etag;         /* empty = it has none */
	/* an earlier try may have been taken, though its answer was lost */
	bool was_lost;
};

/* Makes the call with the run's token and waits for the answer, which lives in arena. Blocks: a try
 * takes at most 30 s (GET: 15 s); lost answers of repeatable calls and 502 to 504 are repeated for
 * 30 s, and at least twice; a rate limit is waited for (at most five times a minute). Returns NONE
 * with any answer of the service, whatever its status; TEMPORARY: the service cannot be reached and
 * nothing was taken; UNCERTAIN: no answer, and the call may have been taken; INVALID: what answers
 * there is not Posthorn. err names the URL. */
enum err_kind person_call(struct person *person, struct arena *arena,
			  const struct person_request *request, struct person_answer *answer_out,
			  struct error *err);
/* person_call() with GET. */
enum err_kind person_get(struct person *person, struct arena *arena, struct str path,
			 struct person_answer *answer_out, struct error *err);
/* One try of a call whose request or answer is a file: request has method, headers and what of it
 * is a file; url is the path here. Adds the token. What of headers of the answer is asked for by
 * person_call_header(). */
struct transfer_request;
struct transfer_result;
void person_call_file(struct person *person, struct arena *arena, struct transfer_request *request,
		      struct transfer_result *result_out);
/* As person_call() reads an answer; one without a body is none of JSON. */
enum err_kind person_call_read(struct person *person, struct arena *arena,
			       const struct transfer_result *result,
			       struct person_answer *answer_out, struct error *err);
/* The value of that header; empty = none. */
struct str person_call_header(const struct transfer_result *result, const char *name);
/* One POST of bytes to any address, for listen: no token, no repeat. headers as in transfer.h.
 * *status_out is 0 without an answer, and why_out says why. */
void person_call_hook(struct person *person, struct arena *arena, struct str url,
		      const struct transfer_header *headers, size_t header_count, struct str body,
		      int *status_out, struct str *why_out);
