/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes sandbox_html_add_text of sandbox/sandbox_core.h, which every page that shows foreign text
 * goes through: what comes out can neither open a tag nor close an attribute, whichever quotes it
 * stands in, and a browser that reads it back sees the text that went in. */
#include "sandbox_core.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "buf.h"
#include "count_of.h"

#define TEXT_MAX_BYTES ((size_t)1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* HTML's own reading of the five references that we write. Any other '&' would be a fault. */
static char character_at(struct str text, size_t *at)
{
	static const struct {
		const char *reference;
		char character;
	} references[] = {
		{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''},
	};
	const struct str rest = str_slice(text, *at, text.len);
	if (rest.ptr[0] != '&') {
		(*at)++;
		return rest.ptr[0];
	}
	for (size_t i = 0; i < COUNT_OF(references); i++) {
		const struct str reference = str_of(references[i].reference);
		if (!str_has_prefix(rest, reference))
			continue;
		*at += reference.len;
		return references[i].character;
	}
	abort(); /* an ampersand that begins no reference of ours */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_new("fuzz", (size_t)64 << 20);
	const struct str text = {(const char *)data, size};
	struct buf out;
	buf_init(&out, arena, TEXT_MAX_BYTES);
	sandbox_html_add_text(&out, text);
	const struct str escaped = buf_str(&out);
	size_t at = 0;
	for (size_t i = 0; i < text.len; i++) {
		assert(at < escaped.len);
		assert(strchr("<>\"'", escaped.ptr[at]) == NULL || escaped.ptr[at] == '\0');
		assert(character_at(escaped, &at) == text.ptr[i]);
	}
	assert(at == escaped.len);
	arena_free(&arena);
	return 0;
}
