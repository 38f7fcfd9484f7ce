/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes base/timetext.h: an instant that parses is formatted and parsed to the same; any number
 * formats without harm. */
#include "timetext.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_new("fuzz", 65536);
	const struct str text = {(const char *)data, size};
	struct civil_date date;
	int64_t us;
	int64_t again_us;
	if (timetext_parse_instant(text, &us)) {
		assert(us >= 0);
		assert(timetext_parse_instant(timetext_format_instant(arena, us), &again_us));
		assert(again_us == us);
	}
	if (timetext_parse_date(text, &date)) {
		const struct civil_date again = timetext_date(timetext_date_us(date));
		assert(again.year == date.year && again.month == date.month &&
		       again.day == date.day);
	}
	if (size >= sizeof(us)) {
		memcpy(&us, data, sizeof(us));
		const struct str formatted = timetext_format_instant(arena, us);
		if (timetext_parse_instant(formatted, &again_us))
			assert(again_us == us);
	}
	arena_free(&arena);
	return 0;
}
