/* SPDX-License-Identifier: Apache-2.0
 * Chained buckets, doubled when there are more nodes than buckets. */
#include "sandbox_table.h"

#include <stdint.h>
#include <stdlib.h>

#include "arena.h"

struct table_node {
	struct table_node *next;
	uint64_t hash;
	struct str key;
	void *value;
};

static uint64_t hash_of(struct str key)
{
	uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a, 64 bits */
	for (size_t i = 0; i < key.len; i++)
		hash = (hash ^ (uint8_t)key.ptr[i]) * UINT64_C(1099511628211);
	return hash;
}

void sandbox_table_init(struct table *table, struct arena *arena)
{
	*table = (struct table){.arena = arena};
}

void sandbox_table_fini(struct table *table)
{
	free(table->buckets);
	*table = (struct table){0};
}

static struct table_node *node_find(const struct table *table, struct str key, uint64_t hash)
{
	if (table->bucket_count == 0)
		return NULL;
	struct table_node *node = table->buckets[hash & (table->bucket_count - 1)];
	while (node != NULL && (node->hash != hash || !str_equal(node->key, key)))
		node = node->next;
	return node;
}

/* Without memory for more buckets the chains only get longer. */
static void grow(struct table *table)
{
	const size_t count = table->bucket_count == 0 ? 256 : table->bucket_count * 2;
	struct table_node **buckets = calloc(count, sizeof(*buckets));
	if (buckets == NULL && table->bucket_count == 0)
		abort();
	if (buckets == NULL)
		return;
	for (size_t i = 0; i < table->bucket_count; i++) {
		for (struct table_node *node = table->buckets[i], *next; node != NULL;
		     node = next) {
			next = node->next;
			node->next = buckets[node->hash & (count - 1)];
			buckets[node->hash & (count - 1)] = node;
		}
	}
	free(table->buckets);
	table->buckets = buckets;
	table->bucket_count = count;
}

void sandbox_table_put(struct table *table, struct str key, void *value)
{
	const uint64_t hash = hash_of(key);
	struct table_node *node = node_find(table, key, hash);
	if (node != NULL) {
		node->value = value;
		return;
	}
	if (table->count >= table->bucket_count)
		grow(table);
	node = ARENA_NEW(table->arena, struct table_node);
	node->hash = hash;
	node->key = str_copy(table->arena, key);
	node->value = value;
	node->next = table->buckets[hash & (table->bucket_count - 1)];
	table->buckets[hash & (table->bucket_count - 1)] = node;
	table->count++;
}

void *sandbox_table_get(const struct table *table, struct str key)
{
	const struct table_node *node = node_find(table, key, hash_of(key));
	return node != NULL ? node->value : NULL;
}
