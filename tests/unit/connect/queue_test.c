/* SPDX-License-Identifier: Apache-2.0
 * The way to the engine's thread and back: tasks run in order, none is lost at the end, and a
 * waiter misses no announcement. */
#include "connect_fixture.h"

#define TASKS 3

struct note {
	struct connect_task base; /* first */
	int number;
	int *ended;   /* how many have run */
	int *freed;   /* how many were freed */
	int *in_turn; /* still in order */
};

static void note_plan(struct task *task, struct arena *arena, const struct task_event *event,
		      struct task_plan *plan)
{
	struct note *note = (struct note *)task;
	(void)arena, (void)event;
	*note->in_turn += note->number == *note->ended;
	*note->ended += 1;
	plan->action = TASK_END;
}

static void note_free(struct task *task)
{
	*((struct note *)task)->freed += 1;
}

static const struct task_ops note_ops = {.plan = note_plan, .free = note_free};

static void enqueue_notes(struct world *w, struct note notes[TASKS], int counts[3])
{
	for (int i = 0; i < TASKS; i++) {
		notes[i] = (struct note){.base.task.ops = &note_ops,
					 .base.connector = w->connector,
					 .number = i,
					 .ended = &counts[0],
					 .freed = &counts[1],
					 .in_turn = &counts[2]};
		connector_enqueue(w->connector, &notes[i].base);
	}
}

static void tasks_run_in_order(void **state)
{
	struct world *w = *state;
	struct note notes[TASKS];
	int counts[3] = {0};
	enqueue_notes(w, notes, counts);
	world_run(w);
	assert_int_equal(counts[0], TASKS);
	assert_int_equal(counts[1], TASKS);
	assert_int_equal(counts[2], TASKS);
}

static void a_task_that_is_never_taken_is_freed(void **state)
{
	struct world *w = *state;
	struct note notes[TASKS];
	int counts[3] = {0};
	enqueue_notes(w, notes, counts);
	connector_queue_clear(w->connector);
	assert_null(w->connector->queue);
	assert_int_equal(counts[0], 0);
	assert_int_equal(counts[1], TASKS);
}

static void an_announcement_between_reading_and_waiting_is_not_missed(void **state)
{
	struct world *w = *state;
	w->clock.has_real_boot = true;
	const uint64_t before = connector_generation(w->connector);
	connector_announce(w->connector);
	assert_int_equal(connector_generation(w->connector), before + 1);
	/* Would end the test by its own time limit. */
	assert_true(connector_wait_after(w->connector, before,
					 clock_boot_us(&w->clock.clock) + US_PER_DAY));
}

static void a_wait_ends_at_its_deadline(void **state)
{
	struct world *w = *state;
	w->clock.has_real_boot = true;
	const int64_t until_us = clock_boot_us(&w->clock.clock) + 30 * US_PER_MS;
	assert_false(
		connector_wait_after(w->connector, connector_generation(w->connector), until_us));
	assert_true(clock_boot_us(&w->clock.clock) >= until_us);
}

static void an_app_has_so_many_waits_and_no_more(void **state)
{
	struct world *w = *state;
	struct connect_wait mine[4] = {{.app_id = STR("a")},
				       {.app_id = STR("a")},
				       {.app_id = STR("a")},
				       {.app_id = STR("b")}};
	struct error err = {0};
	w->connector->config.waits_of_app_max = 2;
	assert_int_equal(connector_wait_begin(w->connector, &mine[0], &err), ERR_NONE);
	assert_int_equal(connector_wait_begin(w->connector, &mine[1], &err), ERR_NONE);
	assert_int_equal(connector_wait_begin(w->connector, &mine[2], &err), ERR_LIMITED);
	assert_non_null(strstr(err.text, "2 calls of this app wait for a platform already."));
	assert_int_equal(connector_wait_begin(w->connector, &mine[3], &err), ERR_NONE);
	connector_wait_end(w->connector, &mine[0]);
	assert_int_equal(connector_wait_begin(w->connector, &mine[2], &err), ERR_NONE);
	connector_wait_end(w->connector, &mine[3]);
	connector_wait_end(w->connector, &mine[1]);
	connector_wait_end(w->connector, &mine[2]);
	assert_null(w->connector->waits);
	w->connector->config.waits_of_app_max = 0;
	assert_int_equal(connector_wait_begin(w->connector, &mine[0], &err), ERR_NONE);
	connector_wait_end(w->connector, &mine[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(tasks_run_in_order),
		WORLD_TEST(a_task_that_is_never_taken_is_freed),
		WORLD_TEST(an_announcement_between_reading_and_waiting_is_not_missed),
		WORLD_TEST(a_wait_ends_at_its_deadline),
		WORLD_TEST(an_app_has_so_many_waits_and_no_more),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
