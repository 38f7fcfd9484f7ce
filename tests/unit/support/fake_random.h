/* SPDX-License-Identifier: Apache-2.0
 * Randomness that is the same in every run and never gives the same bytes twice. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>

#include "random.h"

struct fake_random {
	struct random_source source;
	_Atomic uint64_t state;
};

/* splitmix64 */
static inline void fake_random_fill(void *context, void *out, size_t size_bytes)
{
	struct fake_random *random = context;
	unsigned char *bytes = out;
	for (size_t i = 0; i < size_bytes; i++) {
		uint64_t z = atomic_fetch_add(&random->state, UINT64_C(0x9E3779B97F4A7C15));
		z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
		z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
		bytes[i] = (unsigned char)(z >> 32);
	}
}

static inline void fake_random_init(struct fake_random *random)
{
	random->source = (struct random_source){fake_random_fill, random};
	random->state = 1;
}
