/* SPDX-License-Identifier: Apache-2.0
 * A sandbox on a free port with a clock of the test's own, and a small HTTP client to talk to it,
 * for the tests of the simulated platforms. Included by one test file each, hence all static. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <curl/curl.h>
#include <sodium.h>

#include "arena.h"
#include "buf.h"
#include "clock.h"
#include "err.h"
#include "str.h"

#include "base64.h"
#include "form.h"
#include "hex.h"
#include "json.h"

#include "sandbox.h"

#define PROBE_START_US (INT64_C(1795240000) * US_PER_S) /* 2026-11-21 */
#define PROBE_BODY_MAX (64u * 1024 * 1024)
#define PROBE_HEADERS_MAX 8

struct probe {
	struct sandbox *sandbox;
	struct arena *arena;
	struct clock clock;
	int64_t now_us;
	CURL *curl;
	bool may_break; /* the next calls may end without an answer: then their status is 0 */
};

struct probe_request {
	const char *method;
	const char *path; /* "/HOST/PATH", or a whole URL of the sandbox */
	struct str bearer;
	const char *headers[PROBE_HEADERS_MAX]; /* "Name: value"; NULL ends */
	const char *content_type; /* NULL: JSON when body begins with '{', else a form */
	struct str body;
};

struct probe_answer {
	long status;
	struct str body;
	struct str headers;      /* as received */
	const struct json *json; /* NULL when the body is none */
};

static inline int64_t probe_now(void *context)
{
	return __atomic_load_n((int64_t *)context, __ATOMIC_SEQ_CST);
}

static inline void probe_advance(struct probe *probe, int64_t us)
{
	__atomic_add_fetch(&probe->now_us, us, __ATOMIC_SEQ_CST);
}

static inline int probe_open(void **state)
{
	struct probe *probe = calloc(1, sizeof(*probe));
	assert_non_null(probe);
	probe->arena = arena_new("probe", (size_t)512 * 1024 * 1024);
	probe->now_us = PROBE_START_US;
	probe->clock = (struct clock){probe_now, probe_now, &probe->now_us};
	const struct sandbox_config config = {
		.listen = "127.0.0.1:0", .clock = &probe->clock, .threads = 4};

	struct error err = {0};
	if (sandbox_open(&config, &probe->sandbox, &err) != ERR_NONE)
		fail_msg("sandbox_open: %s", err.text);
	probe->curl = curl_easy_init();
	assert_non_null(probe->curl);
	*state = probe;
	return 0;
}

static inline int probe_close(void **state)
{
	struct probe *probe = *state;
	curl_easy_cleanup(probe->curl);
	sandbox_close(&probe->sandbox);
	arena_free(&probe->arena);
	free(probe);
	return 0;
}

static inline size_t probe_take(char *data, size_t size, size_t count, void *user)
{
	buf_add(user, (struct str){data, size * count});
	return size * count;
}

static inline struct curl_slist *probe_headers(struct probe *probe,
					       const struct probe_request *request)
{
	struct curl_slist *list = curl_slist_append(NULL, "Expect:");
	const char *type = request->content_type;
	if (type == NULL && request->body.len > 0)
		type = request->body.ptr[0] == '{' ? "application/json"
						   : "application/x-www-form-urlencoded";
	if (type != NULL)
		list = curl_slist_append(
			list,
			str_z(probe->arena, str_format(probe->arena, "Content-Type: %s", type)));
	if (request->bearer.len > 0)
		list = curl_slist_append(
			list, str_z(probe->arena,
				    str_format(probe->arena, "Authorization: Bearer " STR_FMT,
					       STR_ARG(request->bearer))));
	for (size_t i = 0; i < PROBE_HEADERS_MAX && request->headers[i] != NULL; i++)
		list = curl_slist_append(list, request->headers[i]);
	return list;
}

static inline struct probe_answer probe_ask(struct probe *probe, struct probe_request request)
{
	struct curl_slist *headers = probe_headers(probe, &request);
	const struct str base = sandbox_base_url(probe->sandbox);
	struct str url = str_of(request.path);
	if (!str_has_prefix(url, STR("http")))
		url = str_concat(probe->arena, base, url);
	struct buf body;
	buf_init(&body, probe->arena, PROBE_BODY_MAX);
	struct buf head;
	buf_init(&head, probe->arena, 64 * 1024);
	curl_easy_reset(probe->curl);
	curl_easy_setopt(probe->curl, CURLOPT_URL, str_z(probe->arena, url));
	curl_easy_setopt(probe->curl, CURLOPT_CUSTOMREQUEST, request.method);
	curl_easy_setopt(probe->curl, CURLOPT_HTTPHEADER, headers);
	curl_easy_setopt(probe->curl, CURLOPT_WRITEFUNCTION, probe_take);
	curl_easy_setopt(probe->curl, CURLOPT_WRITEDATA, &body);
	curl_easy_setopt(probe->curl, CURLOPT_HEADERFUNCTION, probe_take);
	curl_easy_setopt(probe->curl, CURLOPT_HEADERDATA, &head);
	curl_easy_setopt(probe->curl, CURLOPT_NOPROXY, "*");
	curl_easy_setopt(probe->curl, CURLOPT_TIMEOUT, 60L);
	/* On a connection that was used before libcurl would send it a second time. */
	curl_easy_setopt(probe->curl, CURLOPT_FRESH_CONNECT, probe->may_break ? 1L : 0L);
	if (request.body.ptr != NULL || strcmp(request.method, "GET") != 0) {
		curl_easy_setopt(probe->curl, CURLOPT_POSTFIELDSIZE_LARGE,
				 (curl_off_t)request.body.len);
		curl_easy_setopt(probe->curl, CURLOPT_POSTFIELDS,
				 request.body.len > 0 ? request.body.ptr : "");
	}
	const CURLcode code = curl_easy_perform(probe->curl);
	curl_slist_free_all(headers);
	struct probe_answer answer = {0};
	if (code != CURLE_OK && probe->may_break)
		return answer;
	if (code != CURLE_OK)
		fail_msg("%s %s: %s", request.method, request.path, curl_easy_strerror(code));
	curl_easy_getinfo(probe->curl, CURLINFO_RESPONSE_CODE, &answer.status);
	answer.body = buf_str(&body);
	answer.headers = buf_str(&head);
	if (answer.body.len > 0 && answer.body.ptr[0] == '{')
		assert_int_equal(
			json_parse(probe->arena, answer.body, NULL, &answer.json, NULL, NULL),
			ERR_NONE);
	return answer;
}

/* A header of the answer, empty when absent. */
static inline struct str probe_header(const struct probe_answer *answer, const char *name)
{
	struct str in = answer->headers;
	struct str line;
	while (str_take_field(&in, '\n', &line)) {
		const size_t colon = str_find_char(line, ':', 0);
		if (colon != SIZE_MAX && str_equal_nocase(str_slice(line, 0, colon), str_of(name)))
			return str_trim(str_slice(line, colon + 1, line.len));
	}
	return (struct str){0};
}

/* A parameter of the Location header's query, decoded; empty when absent. */
static inline struct str probe_location_param(struct probe *probe,
					      const struct probe_answer *answer, const char *name)
{
	const struct str location = probe_header(answer, "Location");
	const size_t query = str_find_char(location, '?', 0);
	if (query == SIZE_MAX)
		return (struct str){0};
	struct form form = {0};
	assert_int_equal(form_parse(probe->arena, str_slice(location, query + 1, location.len), 0,
				    &form, NULL),
			 ERR_NONE);
	const struct str *value = form_find(&form, name);
	return value != NULL ? *value : (struct str){0};
}

/* "a=b&c=d" from names and values, ended by a NULL name. */
static inline struct str probe_form(struct probe *probe, const char *name, ...)
{
	struct buf out;
	buf_init(&out, probe->arena, 64 * 1024);
	va_list values;
	va_start(values, name);
	for (; name != NULL; name = va_arg(values, const char *))
		form_add(&out, name, str_of(va_arg(values, const char *)));
	va_end(values);
	return buf_str(&out);
}

static inline const char *probe_z(struct probe *probe, struct str s)
{
	return str_z(probe->arena, s);
}

static inline struct str probe_json_string(const struct probe_answer *answer, const char *key)
{
	return json_string(json_get(answer->json, key));
}

#define assert_str(actual, expected) probe_assert_str((actual), (expected), __FILE__, __LINE__)

static inline void probe_assert_str(struct str actual, const char *expected, const char *file,
				    int line)
{
	if (str_equal_z(actual, expected))
		return;
	print_error("%s:%d: got \"" STR_FMT "\", expected \"%s\"\n", file, line, STR_ARG(actual),
		    expected);
	_fail(file, line);
}

/* The status, and the body in the message when it is another one. */
#define assert_status(answer, expected) \
	probe_assert_status((answer), (expected), __FILE__, __LINE__)

static inline void probe_assert_status(struct probe_answer answer, long expected, const char *file,
				       int line)
{
	if (answer.status == expected)
		return;
	print_error("%s:%d: got %ld, expected %ld: " STR_FMT "\n", file, line, answer.status,
		    expected, STR_ARG(answer.body));
	_fail(file, line);
}

/* The posts of that platform in the ledger: a JSON array of them all is searched. */
static inline size_t probe_ledger(struct probe *probe, const struct json **posts_out, size_t max)
{
	const struct probe_answer answer = probe_ask(
		probe, (struct probe_request){.method = "GET", .path = "/_sandbox/ledger"});
	const struct json *posts = json_get(answer.json, "posts");
	assert_status(answer, 200);
	size_t count = 0;
	for (size_t i = 0; i < posts->count && count < max; i++)
		posts_out[count++] = json_at(posts, i);
	assert_true(posts->count <= max);
	return count;
}

static inline void probe_fault(struct probe *probe, const char *json)
{
	const struct probe_answer answer = probe_ask(
		probe, (struct probe_request){
			       .method = "POST", .path = "/_sandbox/faults", .body = str_of(json)});
	assert_true(answer.status >= 200 && answer.status < 300);
}

static inline struct str probe_sha256_hex(struct probe *probe, struct str bytes)
{
	unsigned char digest[crypto_hash_sha256_BYTES];
	crypto_hash_sha256(digest, (const unsigned char *)bytes.ptr, bytes.len);
	return hex_encode(probe->arena, (struct str){(const char *)digest, sizeof(digest)});
}

static inline struct str probe_sha256_base64url(struct probe *probe, struct str bytes)
{
	unsigned char digest[crypto_hash_sha256_BYTES];
	crypto_hash_sha256(digest, (const unsigned char *)bytes.ptr, bytes.len);
	return base64url_encode(probe->arena, (struct str){(const char *)digest, sizeof(digest)});
}

/* size_bytes of what the sniffer takes for an MP4: a ftyp box and noise that differs everywhere. */
static inline struct str probe_video(struct probe *probe, size_t size_bytes)
{
	static const char head[] = "\0\0\0\x18"
				   "ftypmp42\0\0\0\0mp42isom";
	char *bytes = arena_alloc(probe->arena, size_bytes);
	for (size_t i = 0; i < size_bytes; i++)
		bytes[i] = (char)((i * 2654435761u) >> 13);
	memcpy(bytes, head, size_bytes < 24 ? size_bytes : 24);
	return (struct str){bytes, size_bytes};
}
