/* SPDX-License-Identifier: Apache-2.0
 * What YouTube's adapter works out by itself, shown for its tests. Everybody else wants platform.h.
 * Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "str.h"

#include "sniff.h"

struct arena;
struct json;

/* A multiple of 262,144 (youtube.md 2.2). */
#define YOUTUBE_CHUNK_BYTES (INT64_C(8) * 1024 * 1024)
#define YOUTUBE_SHORT_MAX_MS (180 * 1000) /* 2.5 */

/* The title: the one given, else the first line of content that is not blank, cut to 100
 * characters. May be empty. */
struct str youtube_title(struct str given, struct str content);

/* Bytes that the next PUT of a session carries: everything when it fits in a chunk, else a
 * chunk. */
struct youtube_range {
	int64_t first;
	int64_t length_bytes;
	bool is_last;
};
struct youtube_range youtube_range_next(int64_t offset_bytes, int64_t size_bytes);

/* "bytes=0-N" of a 308: how many bytes the server has, N + 1; 0 for a missing or unreadable
 * header. */
int64_t youtube_received_bytes(struct str range);

/* Characters of a list of tags as YouTube counts them: a comma between two, two quotes around one
 * with a blank (3). */
int64_t youtube_tags_length(const struct json *tags);

/* Square or taller and at most 180 s: YouTube shows it as a Short (2.5). False when the file does
 * not say. */
bool youtube_is_short(const struct sniff *sniff);
