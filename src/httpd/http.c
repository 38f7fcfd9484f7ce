/* SPDX-License-Identifier: Apache-2.0
 * Requests and responses: preparing, reading, writing. Matching and dispatch are http_router.c. */
#include "http.h"

#include <string.h>

#include "arena.h"
#include "clock.h"
#include "random.h"
#include "uuid.h"

#include "cidr.h"

#define TRACEPARENT_CHARS 55

/* api-decisions.md 1: 1 to 64 of these. */
static bool is_request_id(struct str s)
{
	static const char allowed[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '\0' || strchr(allowed, s.ptr[i]) == NULL)
			return false;
	}
	return !str_is_empty(s) && s.len <= HTTP_REQUEST_ID_MAX;
}

static void request_id_set(struct http_request *request, const struct random_source *random)
{
	const struct str *given = http_request_header(request, "X-Request-Id");
	if (given != NULL && http_request_header_count(request, "X-Request-Id") == 1 &&
	    is_request_id(*given)) {
		memcpy(request->request_id, given->ptr, given->len);
		request->request_id[given->len] = '\0';
		return;
	}
	const struct uuid uuid = uuid_v7(clock_now_us(clock_system()), random);
	memcpy(request->request_id, uuid.text, sizeof(uuid.text));
}

static bool is_hex(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		const bool is_digit = s.ptr[i] >= '0' && s.ptr[i] <= '9';
		if (!is_digit && (s.ptr[i] < 'a' || s.ptr[i] > 'f'))
			return false;
	}
	return true;
}

static bool is_all_zero(struct str s)
{
	return strspn(s.ptr, "0") >= s.len; /* what follows in the header ends it */
}

/* VERSION-TRACE-PARENT-FLAGS (W3C Trace Context, 3.2): later versions may have more behind it. A
 * value that breaks the rules is as if it were not there. */
static void trace_id_set(struct http_request *request)
{
	const struct str *given = http_request_header(request, "traceparent");
	if (given == NULL || http_request_header_count(request, "traceparent") != 1 ||
	    given->len < TRACEPARENT_CHARS)
		return;
	const struct str version = str_slice(*given, 0, 2);
	const struct str trace = str_slice(*given, 3, 3 + HTTP_TRACE_ID_CHARS);
	const struct str parent = str_slice(*given, 36, 52);
	const struct str flags = str_slice(*given, 53, 55);
	const bool has_dashes =
		given->ptr[2] == '-' && given->ptr[35] == '-' && given->ptr[52] == '-';
	const bool is_first = str_equal(version, STR("00"));
	if (!has_dashes || !is_hex(version) || !is_hex(trace) || !is_hex(parent) ||
	    !is_hex(flags) || is_all_zero(trace) || is_all_zero(parent) ||
	    str_equal(version, STR("ff")) || (is_first && given->len != TRACEPARENT_CHARS) ||
	    (given->len > TRACEPARENT_CHARS && given->ptr[TRACEPARENT_CHARS] != '-'))
		return;
	memcpy(request->trace_id, trace.ptr, trace.len);
	request->trace_id[trace.len] = '\0';
}

/* Without scheme and host, when the target came in absolute form. */
static struct str target_path(struct str target)
{
	struct str rest = target;
	if (!str_skip(&rest, STR("http://")) && !str_skip(&rest, STR("https://")))
		return target;
	const size_t slash = str_find_char(rest, '/', 0);
	return slash == SIZE_MAX ? STR("/") : str_slice(rest, slash, rest.len);
}

struct str http_request_network(const struct http_request *request)
{
	uint8_t address[CIDR_ADDRESS_BYTES];
	if (!cidr_address_parse(request->remote_address, address) || cidr_address_is_v4(address))
		return request->remote_address;
	memset(address + 8, 0, 8);
	return str_concat(request->arena, cidr_address_text(request->arena, address), STR("/64"));
}

void http_request_prepare(struct http_request *request, const struct random_source *random)
{
	const struct str target = target_path(request->target);
	const size_t mark = str_find_char(target, '?', 0);
	request->is_head = str_equal(request->method, STR("HEAD"));
	request->path = str_slice(target, 0, mark);
	request->query_text =
		mark == SIZE_MAX ? (struct str){0} : str_slice(target, mark + 1, target.len);
	request->query = (struct form){0};
	request->has_bad_query = form_parse(request->arena, request->query_text, 0, &request->query,
					    NULL) != ERR_NONE;
	if (request->has_bad_query)
		request->query = (struct form){0};
	request_id_set(request, random);
	trace_id_set(request);
}

void http_response_init(struct http_response *response, struct arena *arena, size_t body_max_bytes)
{
	*response = (struct http_response){.arena = arena, .truncate_at_bytes = -1};
	buf_init(&response->body, arena, body_max_bytes);
}

const struct str *http_request_header(const struct http_request *request, const char *name)
{
	for (size_t i = 0; i < request->header_count; i++) {
		if (str_equal_nocase(request->headers[i].name, str_of(name)))
			return &request->headers[i].value;
	}
	return NULL;
}

size_t http_request_header_count(const struct http_request *request, const char *name)
{
	size_t count = 0;
	for (size_t i = 0; i < request->header_count; i++) {
		if (str_equal_nocase(request->headers[i].name, str_of(name)))
			count++;
	}
	return count;
}

struct str http_request_capture(const struct http_request *request, const char *name)
{
	for (size_t i = 0; i < request->capture_count; i++) {
		if (str_equal_z(request->captures[i].name, name))
			return request->captures[i].value;
	}
	return (struct str){0};
}

static bool splits_header(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '\r' || s.ptr[i] == '\n' || s.ptr[i] == '\0')
			return true;
	}
	return false;
}

void http_response_header(struct http_response *response, const char *name, struct str value)
{
	if (splits_header(value) || splits_header(str_of(name)))
		return;
	if (response->header_count == HTTP_RESPONSE_HEADERS_MAX)
		return;
	response->headers[response->header_count++] = (struct http_header){
		.name = str_copy(response->arena, str_of(name)),
		.value = str_copy(response->arena, value),
	};
}

/* A handler that begins one answer and then decides on another must not leave two content types. */
static void header_drop(struct http_response *response, const char *name)
{
	size_t kept = 0;
	for (size_t i = 0; i < response->header_count; i++) {
		if (!str_equal_nocase(response->headers[i].name, str_of(name)))
			response->headers[kept++] = response->headers[i];
	}
	response->header_count = kept;
}

struct buf *http_response_text(struct http_response *response, int status, const char *content_type)
{
	response->status = status;
	header_drop(response, "Content-Type");
	http_response_header(response, "Content-Type", str_of(content_type));
	buf_init(&response->body, response->arena, response->body.max_bytes);
	return &response->body;
}

struct buf *http_response_json(struct http_response *response, int status)
{
	return http_response_text(response, status, "application/json");
}
