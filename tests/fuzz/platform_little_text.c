/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes platform/linkedin/little_text.h: no reserved character is left bare (linkedin.md 2.9: one
 * of them cuts the post off there), and a reader sees the text as it was given. */
#include "little_text.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "arena.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Texts with a mention or a hashtag keep some of the characters bare, on purpose. */
static bool is_plain(struct str text)
{
	return str_find_char(text, '@', 0) == SIZE_MAX && str_find_char(text, '#', 0) == SIZE_MAX;
}

static void check_bare(struct str little)
{
	for (size_t i = 0; i < little.len; i++) {
		if (little.ptr[i] == '\\')
			i++;
		else
			assert(little.ptr[i] == '\0' ||
			       strchr("|{}@[]()<>#*_~", little.ptr[i]) == NULL);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_new("fuzz", (size_t)16 << 20);
	const struct str text = {(const char *)data, size < 100000 ? size : 100000};
	const struct str little = little_text_escape(arena, text);
	assert(little.len >= text.len && little.len <= 2 * text.len);
	if (is_plain(text)) {
		check_bare(little);
		assert(str_equal(little_text_unescape(arena, little), text));
	}
	assert(little_text_unescape(arena, text).len <= text.len);
	arena_free(&arena);
	return 0;
}
