/* SPDX-License-Identifier: Apache-2.0
 * Text to pointer: a hash table whose nodes live in the caller's arena and whose bucket array it
 * owns itself. Not thread-safe. Keys are not chosen by strangers to hurt us (the sandbox is a
 * development tool), so the hash is a plain FNV-1a. */
#pragma once

#include <stddef.h>

#include "str.h"

struct arena;
struct table_node;

struct table {
	struct arena *arena; /* nodes and keys */
	struct table_node **buckets;
	size_t bucket_count; /* a power of two, or 0 */
	size_t count;
};

void sandbox_table_init(struct table *table, struct arena *arena);
/* Frees the bucket array; the nodes go with the arena. */
void sandbox_table_fini(struct table *table);
/* Puts or replaces; the key is copied. */
void sandbox_table_put(struct table *table, struct str key, void *value);
/* NULL when absent. */
void *sandbox_table_get(const struct table *table, struct str key);
