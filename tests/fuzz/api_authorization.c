/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes the Authorization header: scheme and rest as api/bearer.c reads them, and what api/token.c
 * makes of the rest of Basic. What comes out is always a part of what went in. */
#include "api_private.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "base64.h"
#include "utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_within(struct str part, struct str whole)
{
	return part.len == 0 ||
	       (part.ptr >= whole.ptr && part.ptr + part.len <= whole.ptr + whole.len);
}

/* What decodes is what encodes to the same text: one spelling for one pair of credentials. */
static void check_basic(struct arena *arena, struct str encoded)
{
	struct str text;
	if (!base64_decode(arena, encoded, &text))
		return;
	assert(str_equal(base64_encode(arena, text), encoded));
	(void)utf8_is_valid(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_new("fuzz", (size_t)1 << 20);
	const struct str value = {(const char *)data, size < 16384 ? size : 16384};
	struct http_request request = {.arena = arena, .header_count = 1};
	request.headers[0] = (struct http_header){STR("authorization"), value};
	struct str scheme, rest;
	assert(bearer_authorization(&request, &scheme, &rest));
	assert(is_within(scheme, value) && is_within(rest, value));
	assert(str_find_char(scheme, ' ', 0) == SIZE_MAX);
	check_basic(arena, rest);
	request.headers[request.header_count++] = request.headers[0];
	assert(!bearer_authorization(&request, &scheme, &rest)); /* never one of two */
	arena_free(&arena);
	return 0;
}
