/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes codec/cookie.h: what is found is a piece of the header without a semicolon, the first of
 * its name wins whatever follows, and nothing that comes before hides a pair or makes one up. */
#include "cookie.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

#define NAME STR("posthorn_session")
#define PAIR STR("posthorn_session=mine")

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_value(struct str header, struct str value)
{
	assert(value.ptr >= header.ptr && value.ptr + value.len <= header.ptr + header.len);
	assert(str_find_char(value, ';', 0) == SIZE_MAX);
	assert(str_equal(str_trim(value), value));
	assert((size_t)(value.ptr - header.ptr) > NAME.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_new("fuzz", (size_t)8 << 20);
	const struct str header = {(const char *)data, size};
	struct str own = {0};
	struct str found = {0};
	const bool is_there = cookie_find(header, NAME, &own);
	if (is_there)
		check_value(header, own);

	const struct str rest = str_concat(arena, STR("; "), header);
	assert(cookie_find(str_concat(arena, PAIR, rest), NAME, &found));
	assert(str_equal_z(found, "mine"));

	const struct str before = str_concat(arena, header, STR(";"));
	assert(cookie_find(str_concat(arena, before, PAIR), NAME, &found));
	assert(is_there ? str_equal(found, own) : str_equal_z(found, "mine"));
	arena_free(&arena);
	return 0;
}
