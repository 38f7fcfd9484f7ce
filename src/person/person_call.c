/* SPDX-License-Identifier: Apache-2.0
 * See person_call.h. */
#include "person_call.h"

#include "arena.h"
#include "buf.h"

#include "base64.h"
#include "httpdate.h"
#include "json.h"

#include "person_private.h"

#define TRY_TIMEOUT_MS 30000
#define READ_TIMEOUT_MS 15000
#define TRIES_MIN 3           /* also where one of them takes all of the patience */
#define HOOK_TIMEOUT_MS 10000 /* as for webhooks, api-decisions.md 9 */
#define POLL_MS 200
#define PATIENCE_US (30 * US_PER_S)
#define FIRST_PAUSE_MS 250
#define PAUSE_MAX_MS 4000
#define RATE_LIMIT_WAITS_MAX 5
#define RATE_LIMIT_WAIT_MAX_MS 60000
#define ANSWER_MAX_BYTES ((int64_t)16 << 20)
#define ANSWER_NODES_MAX 1000000
#define URL_SHOWN_BYTES 80
#define MORE_HEADERS_MAX 4

/* ---- one try ---- */

static void transfer(struct person *person, struct arena *arena, struct transfer_request *request,
		     struct transfer_result *result)
{
	request->id = ++person->calls;
	request->pool = TRANSFER_PLATFORM;
	request->reach = TRANSFER_REAL;
	request->response_max_bytes = ANSWER_MAX_BYTES;
	transport_start(person->transport, request);
	while (transport_poll(person->transport, arena, POLL_MS, result, 1) == 0 ||
	       result->id != request->id) {
		if (!person->nap(person->context, 0)) {
			*result = (struct transfer_result){.outcome = TRANSFER_LOST,
							   .error_text = STR("it was broken off")};
			return;
		}
	}
}

static struct str authorization(const struct person *person, struct arena *arena, bool as_app)
{
	if (!as_app)
		return str_concat(arena, STR("Bearer "), person->token);
	const struct str pair = str_format(arena, STR_FMT ":" STR_FMT, STR_ARG(person->client_id),
					   STR_ARG(person->client_secret));
	return str_concat(arena, STR("Basic "), base64_encode(arena, pair));
}

static void try_once(struct person *person, struct arena *arena,
		     const struct person_request *request, struct transfer_result *result)
{
	const bool is_get = str_equal_z(str_of(request->method), "GET");
	struct transfer_header headers[4 + MORE_HEADERS_MAX] = {
		{STR("Authorization"), authorization(person, arena, request->as_app)},
		{STR("Accept"), STR("application/json")},
	};
	size_t count = 2;
	if (!str_is_empty(request->body))
		headers[count++] = (struct transfer_header){
			STR("Content-Type"), request->as_app
						     ? STR("application/x-www-form-urlencoded")
						     : STR("application/json")};
	if (!str_is_empty(request->if_match))
		headers[count++] = (struct transfer_header){STR("If-Match"), request->if_match};
	for (size_t i = 0; i < request->header_count && i < MORE_HEADERS_MAX; i++)
		headers[count++] = request->headers[i];
	struct transfer_request transfer_request = {
		.method = request->method,
		.url = str_concat(arena, person->url, request->path),
		.headers = headers,
		.header_count = count,
		.body = request->body,
		.timeout_ms = is_get ? READ_TIMEOUT_MS : TRY_TIMEOUT_MS,
		.fresh_connection = !is_get,
	};
	transfer(person, arena, &transfer_request, result);
}

/* ---- repeats ---- */

/* A proxy, or a service whose database hangs, may answer so although the call is under way. */
static bool is_gone(const struct transfer_result *result)
{
	return result->outcome != TRANSFER_ANSWERED ||
	       (result->status >= 502 && result->status <= 504);
}

/* Empty when it is not there. */
static struct str header_of(const struct transfer_result *result, const char *name)
{
	for (size_t i = 0; i < result->header_count; i++) {
		if (str_equal_nocase(result->headers[i].name, str_of(name)))
			return result->headers[i].value;
	}
	return STR("");
}

static int64_t rate_limit_wait_ms(const struct person *person, const struct transfer_result *result)
{
	int64_t wait_ms = 1000;
	const struct str after = header_of(result, "Retry-After");
	if (!str_is_empty(after))
		httpdate_parse_retry_after(after, clock_now_us(person->clock), &wait_ms);
	return wait_ms < RATE_LIMIT_WAIT_MAX_MS ? wait_ms : RATE_LIMIT_WAIT_MAX_MS;
}

/* Tries until there is an answer, or none is to be had. */
static void try_all(struct person *person, struct arena *arena,
		    const struct person_request *request, struct transfer_result *result,
		    bool *was_lost)
{
	const int64_t until_us = clock_boot_us(person->clock) + PATIENCE_US;
	int64_t pause_ms = FIRST_PAUSE_MS;
	int rate_limits = 0;
	for (int tries = 1;; tries++) {
		try_once(person, arena, request, result);
		const bool is_limited =
			result->outcome == TRANSFER_ANSWERED && result->status == 429;
		if (is_limited && rate_limits++ < RATE_LIMIT_WAITS_MAX) {
			if (!person->nap(person->context, rate_limit_wait_ms(person, result)))
				return;
			continue;
		}
		if (!is_gone(result))
			return;
		*was_lost = *was_lost || result->outcome != TRANSFER_NEVER_SENT;
		const bool is_over = tries >= TRIES_MIN && clock_boot_us(person->clock) >= until_us;
		if (!request->is_repeatable || !*was_lost || is_over ||
		    !person->nap(person->context, pause_ms))
			return;
		pause_ms = 2 * pause_ms < PAUSE_MAX_MS ? 2 * pause_ms : PAUSE_MAX_MS;
	}
}

/* ---- the answer ---- */

static enum err_kind no_answer(const struct person *person, const struct transfer_result *result,
			       bool was_lost, struct error *err)
{
	const struct str url = str_slice(person->url, 0, URL_SHOWN_BYTES);
	const struct str why = str_slice(result->error_text, 0, 80);
	return error_set(err, was_lost ? ERR_UNCERTAIN : ERR_TEMPORARY,
			 "the service at " STR_FMT " does not answer (" STR_FMT
			 "); is it running, and is POSTHORN_URL right?",
			 STR_ARG(url), STR_ARG(str_is_empty(why) ? STR("no answer") : why));
}

static enum err_kind read_answer(const struct person *person, struct arena *arena,
				 const struct transfer_result *result, struct person_answer *out,
				 struct error *err)
{
	const struct json_limits limits = {.nodes_max = ANSWER_NODES_MAX};
	const struct str url = str_slice(person->url, 0, URL_SHOWN_BYTES);
	out->status = result->status;
	out->body = result->body;
	out->etag = header_of(result, "ETag");
	const bool is_empty = str_is_empty(result->body);
	if (result->status == 204 || ((result->status == 201 || result->status == 202) && is_empty))
		return ERR_NONE;
	if (json_parse(arena, result->body, &limits, &out->json, NULL, NULL) == ERR_NONE &&
	    json_is(out->json, JSON_TYPE_OBJECT))
		return ERR_NONE;
	return error_set(err, ERR_INVALID,
			 "what answers at " STR_FMT " is not Posthorn (status %d, no JSON); is "
			 "POSTHORN_URL right?",
			 STR_ARG(url), result->status);
}

enum err_kind person_call(struct person *person, struct arena *arena,
			  const struct person_request *request, struct person_answer *answer_out,
			  struct error *err)
{
	struct transfer_result result = {0};
	*answer_out = (struct person_answer){0};
	try_all(person, arena, request, &result, &answer_out->was_lost);
	if (result.outcome != TRANSFER_ANSWERED)
		return no_answer(person, &result, answer_out->was_lost, err);
	const enum err_kind kind = read_answer(person, arena, &result, answer_out, err);
	/* A proxy's own page: the service was not reached, or its answer was lost. */
	return kind != ERR_NONE && is_gone(&result)
		       ? no_answer(person, &result, answer_out->was_lost, err)
		       : kind;
}

enum err_kind person_get(struct person *person, struct arena *arena, struct str path,
			 struct person_answer *answer_out, struct error *err)
{
	const struct person_request request = {
		.method = "GET", .path = path, .is_repeatable = true};
	return person_call(person, arena, &request, answer_out, err);
}

#define FILE_HEADERS_MAX 8
#define FILE_TIMEOUT_MS (INT64_C(24) * 3600 * 1000)

void person_call_file(struct person *person, struct arena *arena, struct transfer_request *request,
		      struct transfer_result *result_out)
{
	struct transfer_header headers[FILE_HEADERS_MAX + 1] = {
		{STR("Authorization"), authorization(person, arena, false)}};
	size_t count = 1;
	for (size_t i = 0; i < request->header_count && i < FILE_HEADERS_MAX; i++)
		headers[count++] = request->headers[i];
	request->headers = headers;
	request->header_count = count;
	request->url = str_concat(arena, person->url, request->url);
	request->timeout_ms = FILE_TIMEOUT_MS;
	request->fresh_connection = true;
	transfer(person, arena, request, result_out);
}

enum err_kind person_call_read(struct person *person, struct arena *arena,
			       const struct transfer_result *result,
			       struct person_answer *answer_out, struct error *err)
{
	*answer_out = (struct person_answer){0};
	return result->outcome == TRANSFER_ANSWERED
		       ? read_answer(person, arena, result, answer_out, err)
		       : no_answer(person, result, result->outcome != TRANSFER_NEVER_SENT, err);
}

struct str person_call_header(const struct transfer_result *result, const char *name)
{
	for (size_t i = 0; i < result->header_count; i++) {
		if (str_equal_nocase(result->headers[i].name, str_of(name)))
			return result->headers[i].value;
	}
	return (struct str){0};
}

void person_call_hook(struct person *person, struct arena *arena, struct str url,
		      const struct transfer_header *headers, size_t header_count, struct str body,
		      int *status_out, struct str *why_out)
{
	struct transfer_result result = {0};
	struct transfer_request request = {
		.method = "POST",
		.url = url,
		.headers = headers,
		.header_count = header_count,
		.body = body,
		.timeout_ms = HOOK_TIMEOUT_MS,
		.fresh_connection = true,
	};
	transfer(person, arena, &request, &result);
	*status_out = result.outcome == TRANSFER_ANSWERED ? result.status : 0;
	*why_out = result.error_text;
}
