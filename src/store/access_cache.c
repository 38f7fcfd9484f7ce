/* SPDX-License-Identifier: Apache-2.0
 * See access_cache.h. A row has one place, by its key; who comes last has it. */
#include "access_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "clock.h"
#include "fnv.h"

#define PLACES 1024
#define ROW_MAX_BYTES ((size_t)8 << 10)
/* A row is read again after so long, in case that somebody else writes to the file. */
#define KEPT_US (10 * US_PER_S)

/* bytes: the row, the key, the texts with a NUL after each. */
struct place {
	const struct access_shape *shape; /* NULL = empty */
	uint64_t generation;
	int64_t until_boot_us;
	size_t key_bytes;
	size_t text_bytes;
	char *bytes;
};

struct access_cache {
	pthread_mutex_t lock;
	struct place places[PLACES];
};

struct access_cache *access_cache_new(void)
{
	struct access_cache *cache = calloc(1, sizeof(*cache));
	if (cache != NULL)
		pthread_mutex_init(&cache->lock, NULL);
	return cache;
}

void access_cache_free(struct access_cache **cache)
{
	if (*cache == NULL)
		return;
	for (size_t i = 0; i < PLACES; i++)
		free((*cache)->places[i].bytes);
	pthread_mutex_destroy(&(*cache)->lock);
	free(*cache);
	*cache = NULL;
}

static struct place *place_of(struct access_cache *cache, struct str key)
{
	return &cache->places[fnv_hash(key) % PLACES];
}

static struct str *text_of(const struct access_shape *shape, void *row, size_t index)
{
	return (struct str *)(void *)((char *)row + shape->texts[index]);
}

static bool is_answer(const struct place *place, const struct access_question *question)
{
	const struct access_shape *shape = question->shape;
	return place->shape == shape && place->generation == question->generation &&
	       place->until_boot_us > question->now_boot_us &&
	       str_equal((struct str){place->bytes + shape->row_bytes, place->key_bytes},
			 question->key);
}

/* Lock held. */
static bool copy_out(const struct place *place, struct arena *arena, void *row_out)
{
	const struct access_shape *shape = place->shape;
	const char *from = place->bytes + shape->row_bytes + place->key_bytes;
	char *texts = arena_try_alloc(arena, place->text_bytes);
	if (texts == NULL)
		return false;
	memcpy(texts, from, place->text_bytes);
	memcpy(row_out, place->bytes, shape->row_bytes);
	for (size_t i = 0; i < shape->text_count; i++) {
		struct str *text = text_of(shape, row_out, i);
		text->ptr = texts + (text->ptr - from);
	}
	return true;
}

bool access_cache_get(struct access_cache *cache, const struct access_question *question,
		      struct arena *arena, void *row_out)
{
	if (cache == NULL || question->generation == 0)
		return false;
	const struct place *place = place_of(cache, question->key);
	pthread_mutex_lock(&cache->lock);
	const bool is_there = is_answer(place, question) && copy_out(place, arena, row_out);
	pthread_mutex_unlock(&cache->lock);
	return is_there;
}

static void fill(struct place *place, const struct access_question *question, const void *row)
{
	const struct access_shape *shape = question->shape;
	char *at = place->bytes + shape->row_bytes;
	memcpy(place->bytes, row, shape->row_bytes);
	memcpy(at, question->key.ptr, question->key.len);
	at += question->key.len;
	for (size_t i = 0; i < shape->text_count; i++) {
		struct str *text = text_of(shape, place->bytes, i);
		if (!str_is_empty(*text))
			memcpy(at, text->ptr, text->len);
		at[text->len] = '\0';
		text->ptr = at;
		at += text->len + 1;
	}
}

void access_cache_put(struct access_cache *cache, const struct access_question *question,
		      const void *row)
{
	const struct access_shape *shape = question->shape;
	if (cache == NULL || question->generation == 0 || str_is_empty(question->key))
		return;
	struct place made = {.shape = shape,
			     .generation = question->generation,
			     .until_boot_us = question->now_boot_us + KEPT_US,
			     .key_bytes = question->key.len,
			     .text_bytes = shape->text_count};
	for (size_t i = 0; i < shape->text_count; i++)
		made.text_bytes += text_of(shape, (void *)(uintptr_t)row, i)->len;
	const size_t bytes = shape->row_bytes + made.key_bytes + made.text_bytes;
	made.bytes = bytes <= ROW_MAX_BYTES ? malloc(bytes) : NULL;
	if (made.bytes == NULL)
		return;
	fill(&made, question, row);
	struct place *place = place_of(cache, question->key);
	pthread_mutex_lock(&cache->lock);
	char *old = place->bytes;
	*place = made;
	pthread_mutex_unlock(&cache->lock);
	free(old);
}
