/* SPDX-License-Identifier: Apache-2.0
 * Tests of base/arena.h: zeroed and aligned objects, the ceiling and its reserve, cleanups, and
 * that what must end the program does. Runs against both ways of storing: blocks, and one malloc an
 * object (sanitizer builds). */
#include "arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* Does it abort, in a child of its own? */
static int aborts(void (*act)(void))
{
	fflush(NULL);
	const pid_t child = fork();
	if (child == 0) {
		if (freopen("/dev/null", "w", stderr) == NULL)
			_exit(1);
		act();
		_exit(0);
	}
	int status = 0;
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void objects_are_zeroed_aligned_and_apart(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 1 << 20);
	unsigned char *before = NULL;
	for (size_t size = 1; size < 9000; size = size * 3 / 2 + 1) {
		unsigned char *object = arena_alloc(arena, size);
		assert_int_equal((uintptr_t)object % _Alignof(max_align_t), 0);
		for (size_t i = 0; i < size; i++)
			assert_int_equal(object[i], 0);
		memset(object, 0xa5, size);
		if (before != NULL)
			assert_int_equal(before[0], 0xa5);
		before = object;
	}
	arena_free(&arena);
	assert_null(arena);
	arena_free(&arena);
}

static void memory_is_zeroed_again_after_clear(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 4096);
	memset(arena_alloc(arena, 1000), 0xff, 1000);
	arena_clear(arena);
	const unsigned char *object = arena_alloc(arena, 1000);
	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(object[i], 0);
	arena_free(&arena);
}

static void empty_objects_are_unique_and_count(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 100);
	void *a = arena_alloc(arena, 0);
	void *b = arena_try_alloc(arena, 0);
	assert_non_null(a);
	assert_non_null(b);
	assert_ptr_not_equal(a, b);
	/* Endless empty objects would be growth without a maximum. */
	size_t more = 0;
	while (arena_try_alloc(arena, 0) != NULL)
		assert_true(++more < 200);
	arena_free(&arena);
}

static void try_stops_at_the_ceiling(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 1000);
	assert_null(arena_try_alloc(arena, 1001));
	assert_null(arena_try_alloc(arena, SIZE_MAX));
	assert_null(arena_try_alloc(arena, SIZE_MAX - 8));
	assert_int_equal(arena_used_bytes(arena), 0);
	assert_non_null(arena_try_alloc(arena, 1000));
	assert_int_equal(arena_used_bytes(arena), 1000);
	assert_null(arena_try_alloc(arena, 1));
	/* The reserve: an error can still be told. */
	memset(arena_alloc(arena, 250), 1, 250);
	assert_null(arena_try_alloc(arena, 1));
	arena_clear(arena);
	assert_int_equal(arena_used_bytes(arena), 0);
	assert_non_null(arena_try_alloc(arena, 1000));
	arena_free(&arena);
}

static void pass_the_reserve(void)
{
	struct arena *arena = arena_new("test", 1000);
	arena_alloc(arena, 1251);
}

static void wrap_an_array(void)
{
	struct arena *arena = arena_new("test", 1000);
	arena_alloc_array(arena, SIZE_MAX / 2 + 2, 2);
}

static void our_bugs_end_the_program(void **state)
{
	(void)state;
	assert_true(aborts(pass_the_reserve));
	assert_true(aborts(wrap_an_array));
}

static void arrays_have_room_for_all(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 4096);
	uint64_t *numbers = ARENA_ARRAY(arena, uint64_t, 100);
	memset(numbers, 0xff, 100 * sizeof(*numbers));
	assert_int_equal(arena_used_bytes(arena), 800);
	assert_non_null(arena_alloc_array(arena, 0, 8));
	arena_free(&arena);
}

struct record {
	char *order; /* lives outside the arena */
	char letter;
};

static void note(void *object)
{
	const struct record *record = object;
	const size_t len = strlen(record->order);
	record->order[len] = record->letter;
}

static void cleanups_run_once_last_first(void **state)
{
	(void)state;
	char order[8] = "";
	struct arena *arena = arena_new("test", 4096);
	for (char letter = 'a'; letter <= 'c'; letter++) {
		/* The record is in the arena: cleanups run before memory goes. */
		struct record *record = ARENA_NEW(arena, struct record);
		*record = (struct record){order, letter};
		arena_on_clear(arena, note, record);
	}
	arena_clear(arena);
	assert_string_equal(order, "cba");
	arena_clear(arena);
	assert_string_equal(order, "cba");
	struct record *record = ARENA_NEW(arena, struct record);
	*record = (struct record){order, 'd'};
	arena_on_clear(arena, note, record);
	arena_free(&arena);
	assert_string_equal(order, "cbad");
}

static void many_small_objects_fill_many_blocks(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 4 << 20);
	for (int frame = 0; frame < 3; frame++) {
		uint32_t *objects[20000];
		for (uint32_t i = 0; i < 20000; i++) {
			objects[i] = arena_alloc(arena, 12);
			objects[i][0] = i;
		}
		for (uint32_t i = 0; i < 20000; i++)
			assert_int_equal(objects[i][0], i);
		arena_clear(arena);
	}
	arena_free(&arena);
}

/* That it is spent where the system has no more is shown by tests/attack (memory): a sanitizer's
 * allocator does not run out. */
static void spare_memory_is_kept_once_and_given_up(void **state)
{
	(void)state;
	assert_false(arena_spare_is_spent());
	assert_true(arena_spare_keep(1 << 20));
	assert_true(arena_spare_keep(1 << 20));
	assert_false(arena_spare_is_spent());
	assert_true(arena_spare_keep(0));
	assert_true(arena_spare_keep(0));
	struct arena *arena = arena_try_new("test", 100);
	assert_non_null(arena);
	assert_true(arena_try_room(arena, 100));
	assert_int_equal(arena_used_bytes(arena), 0);
	assert_non_null(arena_alloc(arena, 100));
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_are_zeroed_aligned_and_apart),
		cmocka_unit_test(memory_is_zeroed_again_after_clear),
		cmocka_unit_test(empty_objects_are_unique_and_count),
		cmocka_unit_test(try_stops_at_the_ceiling),
		cmocka_unit_test(our_bugs_end_the_program),
		cmocka_unit_test(arrays_have_room_for_all),
		cmocka_unit_test(cleanups_run_once_last_first),
		cmocka_unit_test(many_small_objects_fill_many_blocks),
		cmocka_unit_test(spare_memory_is_kept_once_and_given_up),
	};
	return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}
