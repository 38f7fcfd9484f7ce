/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes the Range header of httpd/http.h (http_response_file): whatever is asked for, what is sent
 * lies inside the file, and its headers tell the truth about it. */
#include "http.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include "arena.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FILE_BYTES 1000

static struct str header_of(const struct http_response *response, const char *name)
{
	for (size_t i = 0; i < response->header_count; i++)
		if (str_equal_nocase(response->headers[i].name, str_of(name)))
			return response->headers[i].value;
	return (struct str){0};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_new("fuzz", (size_t)1 << 20);
	struct http_response response;
	struct http_request request = {.arena = arena, .method = STR("GET"), .header_count = 1};
	request.headers[0] =
		(struct http_header){STR("Range"), {(const char *)data, size < 4096 ? size : 4096}};
	http_response_init(&response, arena, 4096);
	http_response_file(&response, &request, "video/mp4", STR("\"a\""), dup(STDIN_FILENO),
			   FILE_BYTES);
	assert(response.status == 200 || response.status == 206 || response.status == 416);
	if (response.status == 416) {
		assert(str_equal_z(header_of(&response, "Content-Range"), "bytes */1000"));
	} else {
		assert(response.has_file && response.file_offset_bytes >= 0 &&
		       response.file_length_bytes > 0);
		assert(response.file_offset_bytes + response.file_length_bytes <= FILE_BYTES);
		assert(response.status == 206 || response.file_length_bytes == FILE_BYTES);
	}
	if (response.status == 206) {
		const struct str told = str_format(
			arena, "bytes %" PRId64 "-%" PRId64 "/1000", response.file_offset_bytes,
			response.file_offset_bytes + response.file_length_bytes - 1);
		assert(str_equal(header_of(&response, "Content-Range"), told));
	}
	arena_free(&arena);
	return 0;
}
