/* SPDX-License-Identifier: Apache-2.0
 * Arenas. The accounting (ceiling, reserve, cleanups) is shared. The storage has two versions:
 * blocks that double, and one malloc per object for sanitizer builds (POSTHORN_ARENA_PER_OBJECT).
 * used_bytes counts alike in both, so that a test of a ceiling means the same in either. */
#include "arena.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "thread.h"

#define ALIGNMENT _Alignof(max_align_t)
/* Ten seconds: longer than a body may stand still, and than a request waits for a commit. */
#define SCARCE_TRIES 1000
#define SCARCE_PAUSE_MS 10
#define SPARE_LEAST_PART 32

struct cleanup {
	struct cleanup *next;
	void (*run)(void *object);
	void *object;
};

#ifdef POSTHORN_ARENA_PER_OBJECT

/* The pointers are kept apart from the objects, so that no underflow of an object can hit them
 * unseen. */
struct storage {
	void **objects;
	size_t count;
	size_t capacity;
};

static bool storage_reserve(struct storage *storage)
{
	if (storage->count < storage->capacity)
		return true;
	const size_t capacity = storage->capacity > 0 ? storage->capacity * 2 : 16;
	void **objects = reallocarray(storage->objects, capacity, sizeof(*objects));
	if (objects == NULL)
		return false;
	storage->objects = objects;
	storage->capacity = capacity;
	return true;
}

static void *storage_alloc(struct storage *storage, size_t size_bytes)
{
	if (!storage_reserve(storage))
		return NULL;
	void *object = calloc(1, size_bytes > 0 ? size_bytes : 1);
	if (object != NULL)
		storage->objects[storage->count++] = object;
	return object;
}

/* Each object is a malloc of its own here. */
static bool storage_has_room(struct storage *storage, size_t size_bytes)
{
	(void)storage, (void)size_bytes;
	return true;
}

static void storage_clear(struct storage *storage)
{
	while (storage->count > 0)
		free(storage->objects[--storage->count]);
}

static void storage_free(struct storage *storage)
{
	storage_clear(storage);
	free(storage->objects);
}

#else

/* Most requests need a few KiB; beyond 256 KiB doubling would only waste. */
#define FIRST_BLOCK_BYTES ((size_t)4096)
#define BLOCK_BYTES_MAX ((size_t)256 * 1024)

struct block {
	struct block *next; /* the one made before */
	size_t capacity;
	size_t used;
	_Alignas(max_align_t) unsigned char bytes[];
};

struct storage {
	struct block *newest;
};

static size_t round_up(size_t size_bytes)
{
	return (size_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t next_block_bytes(const struct storage *storage, size_t size_bytes)
{
	size_t capacity = FIRST_BLOCK_BYTES;
	if (storage->newest != NULL)
		capacity = storage->newest->capacity * 2;
	if (capacity > BLOCK_BYTES_MAX)
		capacity = BLOCK_BYTES_MAX;
	return capacity > size_bytes ? capacity : size_bytes;
}

static bool storage_reserve(struct storage *storage, size_t size_bytes)
{
	const struct block *newest = storage->newest;
	if (newest != NULL && newest->capacity - newest->used >= size_bytes)
		return true;
	const size_t capacity = next_block_bytes(storage, size_bytes);
	struct block *block = malloc(sizeof(*block) + capacity);
	if (block == NULL)
		return false;
	*block = (struct block){.next = storage->newest, .capacity = capacity};
	storage->newest = block;
	return true;
}

static void *storage_alloc(struct storage *storage, size_t size_bytes)
{
	const size_t rounded = round_up(size_bytes > 0 ? size_bytes : 1);
	if (!storage_reserve(storage, rounded))
		return NULL;
	void *object = storage->newest->bytes + storage->newest->used;
	storage->newest->used += rounded;
	return memset(object, 0, rounded);
}

static bool storage_has_room(struct storage *storage, size_t size_bytes)
{
	return storage_reserve(storage, round_up(size_bytes));
}

static void storage_clear(struct storage *storage)
{
	while (storage->newest != NULL && storage->newest->next != NULL) {
		struct block *older = storage->newest->next;
		free(storage->newest);
		storage->newest = older;
	}
	if (storage->newest != NULL)
		storage->newest->used = 0;
}

static void storage_free(struct storage *storage)
{
	storage_clear(storage);
	free(storage->newest);
}

#endif

struct arena {
	const char *name;
	size_t ceiling_bytes;
	size_t used_bytes;
	struct cleanup *cleanups; /* last registered first */
	struct storage storage;
};

__attribute__((noreturn)) static void die(const char *name, const char *what, size_t size_bytes)
{
	fprintf(stderr, "posthorn: arena %s: %s (%zu)\n", name, what, size_bytes);
	abort();
}

/* ---- spare memory ---- */

/* Memory is the process's, and so is what is left of it: this is the one place where the program
 * keeps state beside main (docs/adr/0011). */
static struct {
	pthread_mutex_t mutex;
	void *bytes;           /* never touched: it costs address space and no memory */
	_Atomic bool is_spent; /* written under the mutex */
} spare = {.mutex = PTHREAD_MUTEX_INITIALIZER};

bool arena_spare_keep(size_t size_bytes)
{
	pthread_mutex_lock(&spare.mutex);
	if (size_bytes == 0) {
		free(spare.bytes);
		spare.bytes = NULL;
	}
	/* The allocator may hold more than before, so that less is left: better that than none. */
	for (size_t size = size_bytes; spare.bytes == NULL && size > size_bytes / SPARE_LEAST_PART;
	     size /= 2)
		spare.bytes = malloc(size);
	const bool is_kept = size_bytes == 0 || spare.bytes != NULL;
	if (is_kept)
		atomic_store(&spare.is_spent, false);
	pthread_mutex_unlock(&spare.mutex);
	return is_kept;
}

bool arena_spare_is_spent(void)
{
	return atomic_load(&spare.is_spent);
}

/* Gives the spare memory back to the system. False when there never was any; true as well when
 * another thread has just given it back. */
static bool spare_spend(void)
{
	pthread_mutex_lock(&spare.mutex);
	if (spare.bytes != NULL) {
		free(spare.bytes);
		spare.bytes = NULL;
		atomic_store(&spare.is_spent, true);
	}
	const bool is_spent = atomic_load(&spare.is_spent);
	pthread_mutex_unlock(&spare.mutex);
	return is_spent;
}

/* ---- arenas ---- */

struct arena *arena_try_new(const char *name, size_t ceiling_bytes)
{
	assert(ceiling_bytes > 0);
	/* Above a quarter of the address space the sums below could wrap. */
	assert(ceiling_bytes < SIZE_MAX / 4);
	struct arena *arena = calloc(1, sizeof(*arena));
	if (arena == NULL)
		return NULL;
	arena->name = name;
	arena->ceiling_bytes = ceiling_bytes;
	return arena;
}

struct arena *arena_new(const char *name, size_t ceiling_bytes)
{
	struct arena *arena = arena_try_new(name, ceiling_bytes);
	for (int i = 0; i < SCARCE_TRIES && arena == NULL && spare_spend(); i++) {
		if (i > 0)
			thread_sleep_ms(SCARCE_PAUSE_MS);
		arena = arena_try_new(name, ceiling_bytes);
	}
	if (arena == NULL)
		die(name, "no memory for itself, bytes", sizeof(*arena));
	return arena;
}

static void run_cleanups(struct arena *arena)
{
	/* A cleanup may register another: the list is read again each time. */
	while (arena->cleanups != NULL) {
		const struct cleanup *cleanup = arena->cleanups;
		arena->cleanups = cleanup->next;
		cleanup->run(cleanup->object);
	}
}

void arena_clear(struct arena *arena)
{
	run_cleanups(arena);
	storage_clear(&arena->storage);
	arena->used_bytes = 0;
}

void arena_free(struct arena **arena)
{
	if (*arena == NULL)
		return;
	run_cleanups(*arena);
	storage_free(&(*arena)->storage);
	free(*arena);
	*arena = NULL;
}

/* An empty object counts one byte: endless empty objects are growth. */
static size_t counted_bytes(size_t size_bytes)
{
	return size_bytes > 0 ? size_bytes : 1;
}

static bool is_below(const struct arena *arena, size_t size_bytes, size_t limit_bytes)
{
	return arena->used_bytes <= limit_bytes &&
	       counted_bytes(size_bytes) <= limit_bytes - arena->used_bytes;
}

/* NULL past limit_bytes or when the system has no more. */
static void *alloc_below(struct arena *arena, size_t size_bytes, size_t limit_bytes)
{
	if (!is_below(arena, size_bytes, limit_bytes))
		return NULL;
	void *object = storage_alloc(&arena->storage, size_bytes);
	if (object != NULL)
		arena->used_bytes += counted_bytes(size_bytes);
	return object;
}

void *arena_try_alloc(struct arena *arena, size_t size_bytes)
{
	return alloc_below(arena, size_bytes, arena->ceiling_bytes);
}

/* The system has no more: spends the spare memory, and where that is not enough waits for others,
 * who get no new work now, to end. NULL when nobody did for a long time, or there never was any. */
static void *alloc_scarce(struct arena *arena, size_t size_bytes, size_t limit_bytes)
{
	void *object = NULL;
	for (int i = 0; i < SCARCE_TRIES && object == NULL && spare_spend(); i++) {
		if (i > 0)
			thread_sleep_ms(SCARCE_PAUSE_MS);
		object = alloc_below(arena, size_bytes, limit_bytes);
	}
	return object;
}

void *arena_alloc(struct arena *arena, size_t size_bytes)
{
	const size_t limit_bytes = arena->ceiling_bytes + arena->ceiling_bytes / 4;
	void *object = alloc_below(arena, size_bytes, limit_bytes);
	if (object == NULL && is_below(arena, size_bytes, limit_bytes))
		object = alloc_scarce(arena, size_bytes, limit_bytes);
	if (object == NULL)
		die(arena->name, "no room for more bytes", size_bytes);
	return object;
}

bool arena_try_room(struct arena *arena, size_t size_bytes)
{
	return storage_has_room(&arena->storage, size_bytes);
}

void *arena_alloc_array(struct arena *arena, size_t count, size_t size_bytes)
{
	size_t total_bytes;
	if (__builtin_mul_overflow(count, size_bytes, &total_bytes))
		die(arena->name, "an array of too many", count);
	return arena_alloc(arena, total_bytes);
}

void arena_on_clear(struct arena *arena, void (*cleanup)(void *object), void *object)
{
	struct cleanup *entry = ARENA_NEW(arena, struct cleanup);
	*entry = (struct cleanup){.next = arena->cleanups, .run = cleanup, .object = object};
	arena->cleanups = entry;
}

size_t arena_used_bytes(const struct arena *arena)
{
	return arena->used_bytes;
}
