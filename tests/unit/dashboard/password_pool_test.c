/* SPDX-License-Identifier: Apache-2.0
 * Right, wrong and unknown passwords; and that no more are worked on at once than was said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "arena.h"

#include "digest.h"

#include "password_pool.h"

#define THREADS 8

static void right_wrong_and_unknown(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 1 << 16);
	struct password_pool *pool = password_pool_new(1, 0);
	const struct str hash = password_pool_hash(pool, arena, STR("correct horse"));
	assert_true(str_has_prefix(hash, STR("$argon2id$v=19$m=19456,t=2,p=1$")));
	assert_true(digest_password_verify(hash, STR("correct horse")));
	assert_int_equal(
		password_pool_check(pool, PASSWORD_OF_STRANGER, hash, STR("correct horse")),
		PASSWORD_RIGHT);
	assert_int_equal(password_pool_check(pool, PASSWORD_OF_STRANGER, hash, STR("correct hors")),
			 PASSWORD_WRONG);
	assert_int_equal(password_pool_check(pool, PASSWORD_OF_STRANGER, hash, STR("")),
			 PASSWORD_WRONG);
	assert_int_equal(
		password_pool_check(pool, PASSWORD_OF_STRANGER, STR(""), STR("correct horse")),
		PASSWORD_WRONG);
	assert_int_equal(password_pool_check(pool, PASSWORD_OF_STRANGER, STR(""), STR("")),
			 PASSWORD_WRONG);
	password_pool_free(&pool);
	assert_null(pool);
	password_pool_free(&pool);
	arena_free(&arena);
}

static void nobody_may_enter(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 1 << 16);
	struct password_pool *pool = password_pool_new(0, 0);
	assert_int_equal(password_pool_check(pool, PASSWORD_OF_STRANGER, STR(""), STR("x")),
			 PASSWORD_BUSY);
	assert_int_equal(password_pool_hash(pool, arena, STR("x")).len, 0);
	password_pool_free(&pool);
	arena_free(&arena);
}

struct many {
	struct password_pool *pool;
	pthread_barrier_t start;
	enum password_verdict verdicts[THREADS];
};

struct one {
	struct many *many;
	size_t index;
};

static void *check_once(void *argument)
{
	const struct one *one = argument;
	pthread_barrier_wait(&one->many->start);
	one->many->verdicts[one->index] =
		password_pool_check(one->many->pool, PASSWORD_OF_STRANGER, STR(""), STR("guess"));
	return NULL;
}

static size_t run_many(struct password_pool *pool)
{
	struct many many = {.pool = pool};
	pthread_t threads[THREADS];
	struct one ones[THREADS];
	size_t busy = 0;
	pthread_barrier_init(&many.start, NULL, THREADS);
	for (size_t i = 0; i < THREADS; i++) {
		ones[i] = (struct one){&many, i};
		assert_int_equal(pthread_create(&threads[i], NULL, check_once, &ones[i]), 0);
	}
	for (size_t i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		busy += many.verdicts[i] == PASSWORD_BUSY;
	}
	pthread_barrier_destroy(&many.start);
	return busy;
}

/* With room to wait for all but one running nobody is refused; without any, whoever comes while one
 * runs is. */
static void who_waits_is_served(void **state)
{
	(void)state;
	struct password_pool *pool = password_pool_new(1, THREADS);
	assert_int_equal(run_many(pool), 0);
	password_pool_free(&pool);
	pool = password_pool_new(1, 0);
	const size_t busy = run_many(pool);
	assert_true(busy < THREADS); /* the first of them at least */
	/* free again */
	assert_int_equal(password_pool_check(pool, PASSWORD_OF_STRANGER, STR(""), STR("x")),
			 PASSWORD_WRONG);
	password_pool_free(&pool);
}

struct flood {
	struct password_pool *pool;
	_Atomic bool must_stop;
	_Atomic unsigned served;
};

static void *flood_run(void *argument)
{
	struct flood *flood = argument;
	while (!atomic_load(&flood->must_stop)) {
		if (password_pool_check(flood->pool, PASSWORD_OF_STRANGER, STR(""), STR("x")) !=
		    PASSWORD_BUSY)
			atomic_fetch_add(&flood->served, 1);
	}
	return NULL;
}

/* However many strangers there are: nobody who is known waits for a place, even where nobody may
 * wait. */
static void strangers_never_take_the_last_place(void **state)
{
	(void)state;
	struct flood flood = {.pool = password_pool_new(2, 0)};
	pthread_t threads[THREADS];
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, flood_run, &flood), 0);
	while (atomic_load(&flood.served) == 0)
		sched_yield();
	for (int i = 0; i < 10; i++)
		assert_int_equal(
			password_pool_check(flood.pool, PASSWORD_OF_KNOWN, STR(""), STR("x")),
			PASSWORD_WRONG);
	atomic_store(&flood.must_stop, true);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	password_pool_free(&flood.pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(right_wrong_and_unknown),
		cmocka_unit_test(nobody_may_enter),
		cmocka_unit_test(who_waits_is_served),
		cmocka_unit_test(strangers_never_take_the_last_place),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
