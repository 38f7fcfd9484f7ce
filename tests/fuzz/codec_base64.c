/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes codec/base64.h and hex.h: bytes come back, and a text that decodes is the one text of its
 * value. */
#include "base64.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

#include "hex.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_bytes(struct arena *arena, struct str bytes)
{
	struct str again;
	assert(base64_decode(arena, base64_encode(arena, bytes), &again) &&
	       str_equal(again, bytes));
	assert(base64url_decode(arena, base64url_encode(arena, bytes), &again) &&
	       str_equal(again, bytes));
	assert(hex_decode(arena, hex_encode(arena, bytes), &again) && str_equal(again, bytes));
}

static void check_text(struct arena *arena, struct str text)
{
	struct str bytes;
	if (base64_decode(arena, text, &bytes))
		assert(str_equal(base64_encode(arena, bytes), text));
	if (base64url_decode(arena, text, &bytes))
		assert(str_equal(base64url_encode(arena, bytes), text));
	if (hex_decode(arena, text, &bytes))
		assert(str_equal(hex_encode(arena, bytes), text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_new("fuzz", (size_t)64 << 20);
	const struct str in = {(const char *)data, size};
	check_bytes(arena, in);
	check_text(arena, in);
	arena_free(&arena);
	return 0;
}
