/* SPDX-License-Identifier: Apache-2.0
 * Randomness as a parameter. random_system() reads the kernel (getrandom); tests and the simulation
 * hand in their own. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct random_source {
	void (*fill)(void *context, void *out,
		     size_t size_bytes); /* never fails: no randomness ends the program */
	void *context;
};

const struct random_source *random_system(void);

static inline void random_fill(const struct random_source *source, void *out, size_t size_bytes)
{
	source->fill(source->context, out, size_bytes);
}

/* Uniform in [0, limit); limit > 0. */
uint64_t random_below(const struct random_source *source, uint64_t limit);
