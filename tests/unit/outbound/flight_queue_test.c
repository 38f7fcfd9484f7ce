/* SPDX-License-Identifier: Apache-2.0 */
#include "flight_queue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define TOTAL_MAX 6
#define SHARE_MAX 4

struct house {
	struct flight_env env;
	struct flight_queue *queue;
};

static struct flight *the_one;

static bool is_the_one(struct flight *flight)
{
	return flight == the_one;
}

static int set_up(void **state)
{
	static struct house house;
	house = (struct house){.queue = flight_queue_new(TOTAL_MAX, SHARE_MAX)};
	the_one = NULL;
	*state = &house;
	return 0;
}

static int tear_down(void **state)
{
	struct house *house = *state;
	flight_queue_free(&house->queue);
	return 0;
}

static struct flight *new_flight(struct house *house)
{
	struct flight *flight = flight_new(&house->env, TRANSFER_MEDIA, NULL);
	assert_non_null(flight);
	return flight;
}

/* How many of count begin at once; the others wait. */
static size_t enter(struct house *house, const char *key, size_t count, struct flight **running)
{
	size_t begun = 0;
	for (size_t i = 0; i < count; i++) {
		struct flight *flight = new_flight(house);
		if (flight_queue_enter(house->queue, flight, str_of(key), 100))
			running[begun++] = flight;
	}
	return begun;
}

static void leave(struct house *house, struct flight *flight)
{
	flight_queue_leave(house->queue, flight);
	flight_free(&flight);
}

static void one_share_never_takes_the_whole_pool(void **state)
{
	struct house *house = *state;
	struct flight *greedy[600];
	struct flight *modest[2];
	assert_int_equal(enter(house, "greedy", 600, greedy), SHARE_MAX);
	assert_int_equal(flight_queue_waiting(house->queue), 600 - SHARE_MAX);
	assert_int_equal(enter(house, "modest", 2, modest), 2);
	assert_null(flight_queue_next(house->queue, 1)); /* the pool is full */
	leave(house, modest[0]);
	assert_null(flight_queue_next(house->queue, 1)); /* the share is */
	leave(house, greedy[0]);
	struct flight *next = flight_queue_next(house->queue, 1);
	assert_non_null(next);
	leave(house, next);
	for (size_t i = 1; i < SHARE_MAX; i++)
		leave(house, greedy[i]);
	leave(house, modest[1]);
}

static void a_free_place_goes_to_the_share_that_runs_the_fewest(void **state)
{
	struct house *house = *state;
	struct flight *a[8];
	struct flight *b[8];
	struct flight *c[1];
	assert_int_equal(enter(house, "a", 8, a), 4);
	assert_int_equal(enter(house, "b", 8, b), 2);
	assert_int_equal(enter(house, "c", 1, c), 0); /* full */
	leave(house, a[0]);
	c[0] = flight_queue_next(house->queue, 1);
	assert_non_null(c[0]);
	leave(house, a[1]);
	/* a runs two, b runs two, and a has waited longer */
	a[0] = flight_queue_next(house->queue, 1);
	assert_non_null(a[0]);
	leave(house, c[0]);
	/* c has none waiting; b runs two, a three */
	b[2] = flight_queue_next(house->queue, 1);
	assert_non_null(b[2]);
	leave(house, b[0]);
	leave(house, b[1]);
	assert_int_equal(flight_queue_waiting(house->queue), 4 + 6 - 2);
	leave(house, b[2]);
	b[0] = flight_queue_next(house->queue, 1);
	b[1] = flight_queue_next(house->queue, 1);
	b[2] = flight_queue_next(house->queue, 1);
	assert_null(flight_queue_next(house->queue, 1));
	for (size_t i = 0; i < 3; i++)
		leave(house, b[i]);
	leave(house, a[0]);
	leave(house, a[2]);
	leave(house, a[3]);
}

static void keys_of_one_hash_are_two_shares(void **state)
{
	struct house *house = *state;
	struct flight *running[2 * SHARE_MAX];
	/* more keys than buckets: some fall together, and none is another's */
	for (int i = 0; i < 300; i++) {
		char key[8];
		snprintf(key, sizeof(key), "k%d", i);
		assert_int_equal(enter(house, key, 1, running), 1);
		leave(house, running[0]);
	}
	assert_int_equal(enter(house, "", SHARE_MAX + 1, running), SHARE_MAX);
	for (size_t i = 0; i < SHARE_MAX; i++)
		leave(house, running[i]);
}

static void waiting_ones_are_told_and_taken_out(void **state)
{
	struct house *house = *state;
	struct flight *a[5];
	assert_int_equal(flight_queue_waiting_since_us(house->queue), 0);
	assert_int_equal(enter(house, "a", 5, a), 4);
	assert_int_equal(flight_queue_waiting_since_us(house->queue), 100);
	the_one = new_flight(house);
	assert_false(flight_queue_enter(house->queue, the_one, STR("a"), 50));
	assert_int_equal(flight_queue_waiting(house->queue), 2);
	assert_ptr_equal(flight_queue_expire(house->queue, is_the_one), the_one);
	assert_null(flight_queue_expire(house->queue, is_the_one));
	flight_free(&the_one);
	assert_int_equal(flight_queue_waiting(house->queue), 1);
	for (size_t i = 0; i < 4; i++)
		leave(house, a[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_share_never_takes_the_whole_pool, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_free_place_goes_to_the_share_that_runs_the_fewest,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(keys_of_one_hash_are_two_shares, set_up, tear_down),
		cmocka_unit_test_setup_teardown(waiting_ones_are_told_and_taken_out, set_up,
						tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
