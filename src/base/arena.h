/* SPDX-License-Identifier: Apache-2.0
 * Memory of one frame: a request, a turn, a test. The frame makes the arena, passes it down and
 * frees it; callees never free. An arena has a ceiling. Sizes that come from outside are requested
 * with arena_try_alloc(), which returns NULL past the ceiling; small internal allocations use
 * arena_alloc(), which never returns NULL: past the ceiling and its reserve (a quarter more, so
 * that an error can still be reported) it ends the program with the arena's name, because that is
 * our bug (docs/adr/0002). In sanitizer builds each object is a malloc of its own, so that
 * AddressSanitizer sees every edge. Not thread-safe.
 *
 * When the system itself has no more memory, arena_alloc() gives it back the process's spare memory
 * (arena_spare_keep()), so that what is under way can end; until that is set aside again, who
 * accepts new work refuses it (docs/adr/0011). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct arena;

/* name: a literal, for the message of a full arena. 0 < ceiling_bytes < SIZE_MAX / 4. Never NULL;
 * the caller frees it. */
struct arena *arena_new(const char *name, size_t ceiling_bytes);
/* As arena_new(), but NULL when the system has no memory for it. */
struct arena *arena_try_new(const char *name, size_t ceiling_bytes);
/* Runs the cleanups, frees the arena with every object and sets the pointer to NULL; a NULL inside
 * is fine. */
void arena_free(struct arena **arena);
/* Runs the cleanups and frees every object, but keeps the arena (and its first block) for the next
 * frame. */
void arena_clear(struct arena *arena);

/* Zeroed, aligned for any type; size 0 gives a valid unique pointer. Never NULL. */
void *arena_alloc(struct arena *arena, size_t size_bytes) __attribute__((malloc, returns_nonnull));
/* As arena_alloc, but NULL when the ceiling would be passed. */
void *arena_try_alloc(struct arena *arena, size_t size_bytes) __attribute__((malloc));
/* Takes memory for the next size_bytes of objects, so that arena_alloc() needs none from the system
 * for them. False: the system has none. */
bool arena_try_room(struct arena *arena, size_t size_bytes);
/* As arena_alloc, for count objects of size_bytes; the product is checked for overflow. */
void *arena_alloc_array(struct arena *arena, size_t count, size_t size_bytes)
	__attribute__((malloc, returns_nonnull));
/* Runs cleanup(object) when the arena is cleared or freed, the last registered first: for what is
 * not memory. */
void arena_on_clear(struct arena *arena, void (*cleanup)(void *object), void *object);
/* What all objects asked for, without padding; an empty object counts one byte. */
size_t arena_used_bytes(const struct arena *arena);

/* Sets size_bytes of spare memory aside, for arena_alloc() when the system has no more. False:
 * there is no memory for a part of it now. Does nothing when it is set aside already. size_bytes is
 * the same at every call; 0 gives it up. Thread-safe. */
bool arena_spare_keep(size_t size_bytes);
/* Was the spare memory needed, and not set aside again since? Thread-safe. */
bool arena_spare_is_spent(void);

#define ARENA_NEW(arena, type) ((type *)arena_alloc((arena), sizeof(type)))
#define ARENA_ARRAY(arena, type, count) ((type *)arena_alloc_array((arena), (count), sizeof(type)))
