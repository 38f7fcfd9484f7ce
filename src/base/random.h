/* SPDX-License-Identifier: Apache-2.0
 * Randomness as a parameter. random_system() reads the kernel (getrandom); tests and the simulation
 * pass their own. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct random_source {
	/* never fails: without randomness the program ends */
	void (*fill)(void *context, void *out, size_t size_bytes);
	void *context;
};

/* The kernel's. Any thread. */
const struct random_source *random_system(void);

static inline void random_fill(const struct random_source *source, void *out, size_t size_bytes)
{
	source->fill(source->context, out, size_bytes);
}

/* Uniform in [0, limit); limit > 0. */
uint64_t random_below(const struct random_source *source, uint64_t limit);
