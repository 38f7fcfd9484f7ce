/* SPDX-License-Identifier: Apache-2.0
 * Bytes that can be read anywhere without being in memory: what a parser of large files is given
 * instead of a file. Pure as far as read_at is. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

struct byte_source {
	int64_t size_bytes;
	/* Reads len bytes from at (both inside the source) into out. False when they cannot be
	 * had. */
	bool (*read_at)(void *context, int64_t at, char *out, size_t len);
	void *context;
};

/* The len bytes from at on; false when they are not all there. */
static inline bool byte_source_read(const struct byte_source *source, int64_t at, char *out,
				    size_t len)
{
	return at >= 0 && at <= source->size_bytes && (int64_t)len <= source->size_bytes - at &&
	       source->read_at(source->context, at, out, len);
}

static inline bool byte_source_read_str(void *context, int64_t at, char *out, size_t len)
{
	const struct str *bytes = context;
	for (size_t i = 0; i < len; i++)
		out[i] = bytes->ptr[(size_t)at + i];
	return true;
}

/* Of bytes in memory; bytes must outlive it. */
static inline struct byte_source byte_source_of(const struct str *bytes)
{
	return (struct byte_source){(int64_t)bytes->len, byte_source_read_str,
				    (void *)(uintptr_t)bytes};
}
