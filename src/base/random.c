/* SPDX-License-Identifier: Apache-2.0
 * The kernel's randomness, and numbers made of any source. */
#include "random.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/types.h>

/* An honest source is rejected once with a chance below one half, 64 times in a row below 2^-64. */
#define REFUSALS_MAX 64

static void system_fill(void *context, void *out, size_t size_bytes)
{
	(void)context;
	unsigned char *at = out;
	while (size_bytes > 0) {
		const ssize_t got = getrandom(at, size_bytes, 0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			fputs("posthorn: the kernel gives no randomness\n", stderr);
			abort();
		}
		at += got;
		size_bytes -= (size_t)got;
	}
}

const struct random_source *random_system(void)
{
	static const struct random_source system_source = {system_fill, NULL};
	return &system_source;
}

uint64_t random_below(const struct random_source *source, uint64_t limit)
{
	assert(limit > 0);
	/* The top 2^64 mod limit values would make small remainders likelier: they are drawn again.
	 * The bound keeps a source that is stuck (a test's constant) from hanging us. */
	const uint64_t surplus = (UINT64_MAX % limit + 1) % limit;
	uint64_t value = 0;
	for (int i = 0; i < REFUSALS_MAX; i++) {
		random_fill(source, &value, sizeof(value));
		if (value <= UINT64_MAX - surplus)
			break;
	}
	return value % limit;
}
