/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes codec/httpdate.h: a date that parses is formatted and parsed to the same instant; a wait
 * is between 0 and 24 hours. */
#include "httpdate.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "clock.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_new("fuzz", 65536);
	const struct str text = {(const char *)data, size};
	int64_t us;
	int64_t again_us;
	int64_t ms;
	/* A leap second on the last of December 9999 leads into a year of five digits, which has no
	 * such text. */
	if (httpdate_parse(text, &us) && us < INT64_C(253402300800000000)) {
		assert(httpdate_parse(httpdate_format(arena, us), &again_us));
		assert(again_us == us);
	}
	if (httpdate_parse_retry_after(text, INT64_C(1795239880000000), &ms))
		assert(ms >= 0 && ms <= US_PER_DAY / US_PER_MS);

	/* Any 8 bytes as an instant. */
	if (size >= sizeof(us)) {
		memcpy(&us, data, sizeof(us));
		(void)httpdate_format(arena, us);
	}
	arena_free(&arena);
	return 0;
}
