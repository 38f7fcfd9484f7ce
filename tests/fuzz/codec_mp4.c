/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes codec/mp4.h: no boxes crash it, send it round in circles or make it read outside. */
#include "mp4.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define READS_MAX (3 * 4096) /* at most so many for every box that mp4.c looks at */

struct bytes {
	struct str all;
	int reads;
};

static bool read_at(void *context, int64_t at, char *out, size_t len)
{
	struct bytes *bytes = context;
	assert(at >= 0 && (uint64_t)at + len <= bytes->all.len);
	bytes->reads++;
	return byte_source_read_str(&bytes->all, at, out, len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes bytes = {.all = {(const char *)data, size}};
	const struct byte_source source = {(int64_t)size, read_at, &bytes};
	const struct mp4_film film = mp4_probe(&source);
	assert(bytes.reads <= READS_MAX);
	assert(film.duration_ms >= 0);
	assert((film.width == 0) == (film.height == 0));
	assert((film.film.video == FILM_CODEC_UNKNOWN) >= (film.width == 0));
	assert(film.film.frame_rate_milli <= 1000000);
	return 0;
}
