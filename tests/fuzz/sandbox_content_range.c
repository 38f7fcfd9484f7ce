/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes sandbox/text/sandbox_content_range.h: what is read is a range of bytes that can be, and
 * written again it reads as the same. */
#include "sandbox_content_range.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct str written(struct arena *arena, const struct content_range *range)
{
	const struct str total =
		range->total < 0 ? STR("*") : str_format(arena, "%" PRId64, range->total);
	if (range->is_query)
		return str_format(arena, "bytes */" STR_FMT, STR_ARG(total));
	return str_format(arena, "bytes %" PRId64 "-%" PRId64 "/" STR_FMT, range->first,
			  range->last, STR_ARG(total));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_new("fuzz", (size_t)1 << 20);
	struct content_range range = {0};
	struct content_range again = {0};
	if (sandbox_content_range_parse((struct str){(const char *)data, size}, &range)) {
		if (range.is_query) {
			assert(sandbox_content_range_bytes(&range) == 0);
		} else {
			assert(range.first >= 0 && range.last >= range.first);
			assert(range.total == -1 || range.last < range.total);
			assert(sandbox_content_range_bytes(&range) == range.last - range.first + 1);
		}
		assert(sandbox_content_range_parse(written(arena, &range), &again));
		assert(range.is_query == again.is_query && range.total == again.total);
		assert(range.is_query || (range.first == again.first && range.last == again.last));
	}
	arena_free(&arena);
	return 0;
}
