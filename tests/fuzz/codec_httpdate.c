/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes codec/httpdate.h: a date that parses lies in the years that four digits can say; a wait is
 * between 0 and 24 hours. */
#include "httpdate.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "clock.h"

#define FIRST_US (INT64_C(-62167219200) * US_PER_S) /* 0000-01-01T00:00:00Z */
#define LAST_US (INT64_C(253402300800) * US_PER_S)  /* 10000-01-01T00:00:00Z */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct str text = {(const char *)data, size};
	int64_t us;
	int64_t ms;
	/* A leap second on the last of December 9999 leads into the next year. */
	if (httpdate_parse(text, &us))
		assert(us >= FIRST_US && us <= LAST_US);
	if (httpdate_parse_retry_after(text, INT64_C(1795239880000000), &ms))
		assert(ms >= 0 && ms <= US_PER_DAY / US_PER_MS);
	return 0;
}
