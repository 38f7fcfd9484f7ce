/* SPDX-License-Identifier: Apache-2.0
 * Rows that say who may do what (tokens with their app, accounts), kept between the requests
 * that ask for them, where one process owns the database (docs/adr/0013). A row is good as long
 * as the generation that it was read at: store->access_generation, which rises when a transaction
 * that wrote apps, admins, tokens, keys or accounts has ended, before its caller hears of it. So
 * what was revoked is refused from the answer on. Rows hold sealed secrets only. Threads may
 * share it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "str.h"

struct arena;
struct access_cache;

/* A kind of rows: where its texts lie in it. */
struct access_shape {
	size_t row_bytes;
	const size_t *texts; /* offsets of struct str */
	size_t text_count;
};

struct access_question {
	const struct access_shape *shape;
	struct str key;
	uint64_t generation; /* loaded before the row was read; 0 = nothing is kept */
	int64_t now_boot_us;
};

/* NULL when out of memory: then nothing is kept. */
struct access_cache *access_cache_new(void);
/* Nulls the pointer; NULL inside is fine. */
void access_cache_free(struct access_cache **cache);
/* The row, its texts copied into arena; false when it is not there. */
bool access_cache_get(struct access_cache *cache, const struct access_question *question,
		      struct arena *arena, void *row_out);
/* Keeps a copy, in the place of another. A row of more than 8 KiB is not kept. */
void access_cache_put(struct access_cache *cache, const struct access_question *question,
		      const void *row);
