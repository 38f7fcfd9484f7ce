/* SPDX-License-Identifier: Apache-2.0
 * Files as answers: whole, and the ranges of RFC 9110 14. */
#include "http.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <unistd.h>

#include "arena.h"
#include "count_of.h"

#define ETAG "\"abc\""

struct row {
	const char *range; /* NULL = none */
	const char *only_if;
	int status;
	int64_t offset, length;
	const char *content_range; /* of a file of 1,000 bytes */
};

static const struct row rows[] = {
	{NULL, NULL, 200, 0, 1000, ""},
	{"bytes=0-", NULL, 206, 0, 1000, "bytes 0-999/1000"},
	{"bytes=0-0", NULL, 206, 0, 1, "bytes 0-0/1000"},
	{"bytes=10-19", NULL, 206, 10, 10, "bytes 10-19/1000"},
	{"bytes=990-5000", NULL, 206, 990, 10, "bytes 990-999/1000"},
	{"bytes=999-", NULL, 206, 999, 1, "bytes 999-999/1000"},
	{"bytes=-10", NULL, 206, 990, 10, "bytes 990-999/1000"},
	{"bytes=-5000", NULL, 206, 0, 1000, "bytes 0-999/1000"},
	{"bytes=0-18446744073709551615", NULL, 206, 0, 1000, "bytes 0-999/1000"},
	{"bytes=1000-", NULL, 416, 0, 0, "bytes */1000"},
	{"bytes=18446744073709551615-", NULL, 416, 0, 0, "bytes */1000"},
	{"bytes=-0", NULL, 416, 0, 0, "bytes */1000"},
	{"bytes=5-10", ETAG, 206, 5, 6, "bytes 5-10/1000"},
	/* Not a range that we know: as if the header were not there. */
	{"bytes=5-10", "\"other\"", 200, 0, 1000, ""},
	{"bytes=5-10", "Sat, 21 Nov 2026 09:00:00 GMT", 200, 0, 1000, ""},
	{"bytes=10-5", NULL, 200, 0, 1000, ""},
	{"bytes=0-1,5-6", NULL, 200, 0, 1000, ""},
	{"bytes=", NULL, 200, 0, 1000, ""},
	{"bytes=-", NULL, 200, 0, 1000, ""},
	{"bytes=a-b", NULL, 200, 0, 1000, ""},
	{"bytes=1-b", NULL, 200, 0, 1000, ""},
	{"bytes=1", NULL, 200, 0, 1000, ""},
	{"bytes=--1", NULL, 200, 0, 1000, ""},
	{"bytes=99999999999999999999-", NULL, 200, 0, 1000, ""},
	{"items=0-1", NULL, 200, 0, 1000, ""},
	{"", NULL, 200, 0, 1000, ""},
};

static struct str header_of(const struct http_response *response, const char *name)
{
	for (size_t i = 0; i < response->header_count; i++) {
		if (str_equal_nocase(response->headers[i].name, str_of(name)))
			return response->headers[i].value;
	}
	return STR("");
}

static void ask(struct arena *arena, const struct row *row, struct http_response *response,
		int64_t size_bytes)
{
	struct http_request *request = ARENA_NEW(arena, struct http_request);
	request->arena = arena;
	if (row->range != NULL)
		request->headers[request->header_count++] =
			(struct http_header){STR("range"), str_of(row->range)};
	if (row->only_if != NULL)
		request->headers[request->header_count++] =
			(struct http_header){STR("If-Range"), str_of(row->only_if)};
	http_response_init(response, arena, 1000);
	http_response_file(response, request, "video/mp4", STR(ETAG), open("/dev/null", O_RDONLY),
			   size_bytes);
}

static void ranges_are_answered(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct arena *arena = arena_new("test", 1 << 20);
		struct http_response response;
		ask(arena, &rows[i], &response, 1000);
		const bool is_there = response.status != 416;
		if (response.status != rows[i].status || response.has_file != is_there ||
		    (is_there && response.file_offset_bytes != rows[i].offset) ||
		    response.file_length_bytes != rows[i].length ||
		    !str_equal_z(header_of(&response, "Content-Range"), rows[i].content_range))
			fail_msg("%s: %d, %lld bytes from %lld, " STR_FMT, rows[i].range,
				 response.status, (long long)response.file_length_bytes,
				 (long long)response.file_offset_bytes,
				 STR_ARG(header_of(&response, "Content-Range")));
		assert_true(str_equal_z(header_of(&response, "Accept-Ranges"), "bytes"));
		assert_true(str_equal_z(header_of(&response, "ETag"), ETAG));
		assert_true(str_equal_z(header_of(&response, "Content-Type"), "video/mp4"));
		arena_free(&arena);
	}
}

static void a_file_is_closed_with_the_answer(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 1 << 20);
	struct http_response response;
	ask(arena, &rows[0], &response, 1000);
	assert_true(fcntl(response.file_fd, F_GETFD) >= 0);
	const int fd = response.file_fd;
	arena_free(&arena);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
}

static void an_empty_file_is_an_empty_answer(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 1 << 20);
	struct http_response response;
	ask(arena, &rows[0], &response, 0);
	assert_int_equal(response.status, 200);
	assert_int_equal(response.file_length_bytes, 0);
	ask(arena, &rows[1], &response, 0);
	assert_int_equal(response.status, 416);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_are_answered),
		cmocka_unit_test(a_file_is_closed_with_the_answer),
		cmocka_unit_test(an_empty_file_is_an_empty_answer),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
