/* SPDX-License-Identifier: Apache-2.0
 * Counting by key in fixed windows of a minute. The table has a fixed size: a key that finds no place evicts the oldest window of
 * its bucket, so a flood of keys can at worst forget counts, never memory. */
#include "api_private.h"

#include <pthread.h>
#include <stdlib.h>

#define BUCKETS 1024
#define BUCKET_PLACES 4
#define WINDOW_US US_PER_MINUTE

struct place {
	uint64_t key; /* 0 = free */
	int64_t window_start_us;
	int64_t count;
};

struct limiter {
	int64_t per_minute;
	const struct clock *clock;
	pthread_mutex_t mutex;
	struct place places[BUCKETS][BUCKET_PLACES];
};

struct limiter *limiter_new(int64_t per_minute, const struct clock *clock)
{
	struct limiter *limiter = calloc(1, sizeof(*limiter));
	if (limiter == NULL)
		abort(); /* at start: the same rule as arena_alloc */
	limiter->per_minute = per_minute;
	limiter->clock = clock;
	pthread_mutex_init(&limiter->mutex, NULL);
	return limiter;
}

void limiter_free(struct limiter **limiter)
{
	if (*limiter == NULL)
		return;
	pthread_mutex_destroy(&(*limiter)->mutex);
	free(*limiter);
	*limiter = NULL;
}

/* FNV-1a, 64 bits. Two keys that collide share a count; with 64 bits that is not worth preventing. */
static uint64_t key_hash(struct str key)
{
	uint64_t hash = UINT64_C(14695981039346656037);
	for (size_t i = 0; i < key.len; i++)
		hash = (hash ^ (unsigned char)key.ptr[i]) * UINT64_C(1099511628211);
	return hash != 0 ? hash : 1;
}

static struct place *place_find(struct limiter *limiter, uint64_t key, int64_t now_us)
{
	struct place *bucket = limiter->places[key % BUCKETS];
	struct place *oldest = &bucket[0];
	for (size_t i = 0; i < BUCKET_PLACES; i++) {
		if (bucket[i].key == key && now_us - bucket[i].window_start_us < WINDOW_US)
			return &bucket[i];
		if (bucket[i].key == key || bucket[i].window_start_us < oldest->window_start_us)
			oldest = &bucket[i];
	}
	*oldest = (struct place){.key = key, .window_start_us = now_us};
	return oldest;
}

static struct limit_state limiter_add(struct limiter *limiter, struct str key, int64_t amount)
{
	if (limiter->per_minute <= 0)
		return (struct limit_state){.is_over = false};
	int64_t now_us = clock_boot_us(limiter->clock);
	pthread_mutex_lock(&limiter->mutex);
	struct place *place = place_find(limiter, key_hash(key), now_us);
	int64_t before = place->count;
	place->count += amount;
	int64_t left_us = place->window_start_us + WINDOW_US - now_us;
	pthread_mutex_unlock(&limiter->mutex);
	int64_t remaining = limiter->per_minute - before - amount;
	return (struct limit_state){
		.is_over = before >= limiter->per_minute,
		.limit = limiter->per_minute,
		.remaining = remaining > 0 ? remaining : 0,
		.reset_s = (left_us + US_PER_S - 1) / US_PER_S,
	};
}

struct limit_state limiter_count(struct limiter *limiter, struct str key)
{
	return limiter_add(limiter, key, 1);
}

struct limit_state limiter_look(struct limiter *limiter, struct str key)
{
	return limiter_add(limiter, key, 0);
}
