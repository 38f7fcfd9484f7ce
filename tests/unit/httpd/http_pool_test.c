/* SPDX-License-Identifier: Apache-2.0
 * The pool of handlers' threads: jobs run side by side up to the maximum, a job that hangs holds up
 * no other, and a pool that stops runs what it has taken. */
#include "http_pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdatomic.h>

#include "count_of.h"
#include "thread.h"

#define STACK_BYTES ((size_t)1 << 20)
#define PATIENCE_MS 10000

struct gate {
	_Atomic int inside;
	_Atomic int done;
	_Atomic bool is_open;
};

struct work {
	struct http_job job;
	struct gate *gate;
	bool must_wait;
};

static void run(struct http_job *job)
{
	const struct work *work = (struct work *)job;
	atomic_fetch_add(&work->gate->inside, 1);
	while (work->must_wait && !atomic_load(&work->gate->is_open))
		thread_sleep_ms(1);
	atomic_fetch_add(&work->gate->done, 1);
}

static bool becomes(const _Atomic int *number, int wanted)
{
	for (int i = 0; i < PATIENCE_MS && atomic_load(number) != wanted; i++)
		thread_sleep_ms(1);
	return atomic_load(number) == wanted;
}

static struct http_pool *pool_of(unsigned threads)
{
	struct http_pool *pool = NULL;
	struct error err = {0};
	assert_int_equal(http_pool_new("testing", threads, STACK_BYTES, &pool, &err), ERR_NONE);
	return pool;
}

static void jobs_run_side_by_side_up_to_the_maximum(void **state)
{
	struct http_pool *pool = pool_of(4);
	struct gate gate = {0};
	struct work works[10];
	(void)state;
	for (size_t i = 0; i < COUNT_OF(works); i++) {
		works[i] = (struct work){.job.run = run, .gate = &gate, .must_wait = true};
		assert_true(http_pool_hand(pool, &works[i].job));
	}
	assert_true(becomes(&gate.inside, 4));
	thread_sleep_ms(20);
	assert_int_equal(atomic_load(&gate.inside), 4);
	atomic_store(&gate.is_open, true);
	assert_true(becomes(&gate.done, COUNT_OF(works)));
	http_pool_free(&pool);
	assert_null(pool);
	http_pool_free(&pool);
}

static void a_job_that_hangs_holds_up_no_other(void **state)
{
	struct http_pool *pool = pool_of(2);
	struct gate hanging = {0};
	struct gate others = {0};
	struct work first = {.job.run = run, .gate = &hanging, .must_wait = true};
	(void)state;
	assert_true(http_pool_hand(pool, &first.job));
	for (int i = 1; i <= 100; i++) {
		struct work work = {.job.run = run, .gate = &others};
		assert_true(http_pool_hand(pool, &work.job));
		assert_true(becomes(&others.done, i));
	}
	assert_int_equal(atomic_load(&hanging.done), 0);
	atomic_store(&hanging.is_open, true);
	http_pool_free(&pool);
	assert_int_equal(atomic_load(&hanging.done), 1);
}

static void a_pool_that_stops_runs_what_it_has_and_takes_no_more(void **state)
{
	struct http_pool *pool = pool_of(1);
	struct gate gate = {.is_open = true};
	struct work works[50];
	struct work late = {.job.run = run, .gate = &gate};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(works); i++) {
		works[i] = (struct work){.job.run = run, .gate = &gate};
		assert_true(http_pool_hand(pool, &works[i].job));
	}
	http_pool_stop(pool);
	assert_int_equal(atomic_load(&gate.done), COUNT_OF(works));
	assert_false(http_pool_hand(pool, &late.job));
	http_pool_free(&pool);
	assert_int_equal(atomic_load(&gate.done), COUNT_OF(works));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jobs_run_side_by_side_up_to_the_maximum),
		cmocka_unit_test(a_job_that_hangs_holds_up_no_other),
		cmocka_unit_test(a_pool_that_stops_runs_what_it_has_and_takes_no_more),
	};
	return cmocka_run_group_tests_name("handlers' threads", tests, NULL, NULL);
}
