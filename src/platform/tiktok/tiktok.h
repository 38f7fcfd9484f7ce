/* SPDX-License-Identifier: Apache-2.0
 * What tiktok.c works out by itself, shown for its tests. Everybody else wants platform.h. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* How a video is cut (tiktok.md 2.3): count = size / chunk rounded down, and the last
 * chunk takes the rest. */
struct tiktok_chunks {
	int64_t chunk_bytes;
	int64_t count;
};
struct tiktok_chunks tiktok_chunks_of(int64_t size_bytes);

struct tiktok_range {
	int64_t first;
	int64_t length_bytes;
	bool is_last;
};
/* The chunk that holds offset_bytes. */
struct tiktok_range tiktok_range_at(int64_t offset_bytes, int64_t size_bytes);
