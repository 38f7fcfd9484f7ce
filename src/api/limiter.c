/* SPDX-License-Identifier: Apache-2.0
 * Counting by key in fixed windows of a minute. The table has a fixed size: a key that finds no
 * place takes that of an elapsed window or else of the smallest count of its bucket. So a flood of
 * keys costs no memory, and a caller that invents new keys (client ids that do not exist) never
 * pushes out the larger count of the key they share (their address). */
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
	_Atomic int64_t per_minute;
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

void limiter_set(struct limiter *limiter, int64_t per_minute)
{
	limiter->per_minute = per_minute;
}

bool limiter_is_off(const struct limiter *limiter)
{
	return limiter->per_minute <= 0;
}

/* FNV-1a, 64 bits. Two keys that collide share a count; with 64 bits that is not worth
 * preventing. */
static uint64_t key_hash(struct str key)
{
	uint64_t hash = UINT64_C(14695981039346656037);
	for (size_t i = 0; i < key.len; i++)
		hash = (hash ^ (unsigned char)key.ptr[i]) * UINT64_C(1099511628211);
	return hash != 0 ? hash : 1;
}

static bool is_elapsed(const struct place *place, int64_t now_us)
{
	return place->key == 0 || now_us - place->window_start_us >= WINDOW_US;
}

static struct place *place_find(struct limiter *limiter, uint64_t key, int64_t now_us)
{
	struct place *bucket = limiter->places[key % BUCKETS];
	for (size_t i = 0; i < BUCKET_PLACES; i++) {
		if (bucket[i].key == key && !is_elapsed(&bucket[i], now_us))
			return &bucket[i];
	}
	return NULL;
}

static struct place *place_take(struct limiter *limiter, uint64_t key, int64_t now_us)
{
	struct place *bucket = limiter->places[key % BUCKETS];
	struct place *least = &bucket[0];
	for (size_t i = 0; i < BUCKET_PLACES; i++) {
		if (is_elapsed(&bucket[i], now_us))
			bucket[i] = (struct place){0};
		if (bucket[i].count < least->count)
			least = &bucket[i];
	}
	*least = (struct place){.key = key, .window_start_us = now_us};
	return least;
}

static struct limit_state state_of(const struct limiter *limiter, const struct place *place,
				   int64_t before, int64_t now_us)
{
	const int64_t limit = limiter->per_minute;
	const int64_t count = place != NULL ? place->count : 0;
	const int64_t left_us =
		place != NULL ? place->window_start_us + WINDOW_US - now_us : WINDOW_US;
	return (struct limit_state){
		.is_over = before >= limit,
		.limit = limit,
		.remaining = count < limit ? limit - count : 0,
		.reset_s = (left_us + US_PER_S - 1) / US_PER_S,
	};
}

struct limit_state limiter_count(struct limiter *limiter, struct str key)
{
	if (limiter_is_off(limiter))
		return (struct limit_state){.is_over = false};
	const int64_t now_us = clock_boot_us(limiter->clock);
	const uint64_t hash = key_hash(key);
	pthread_mutex_lock(&limiter->mutex);
	struct place *place = place_find(limiter, hash, now_us);
	if (place == NULL)
		place = place_take(limiter, hash, now_us);
	const int64_t before = place->count++;
	const struct limit_state state = state_of(limiter, place, before, now_us);
	pthread_mutex_unlock(&limiter->mutex);
	return state;
}

struct limit_state limiter_look(struct limiter *limiter, struct str key)
{
	if (limiter_is_off(limiter))
		return (struct limit_state){.is_over = false};
	const int64_t now_us = clock_boot_us(limiter->clock);
	pthread_mutex_lock(&limiter->mutex);
	const struct place *place = place_find(limiter, key_hash(key), now_us);
	const struct limit_state state =
		state_of(limiter, place, place != NULL ? place->count : 0, now_us);
	pthread_mutex_unlock(&limiter->mutex);
	return state;
}
