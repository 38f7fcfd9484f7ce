/* SPDX-License-Identifier: Apache-2.0
 * What waits by plan is not late: a closed gate, a busy account. What has room and is not claimed
 * is late. */
#include "delivery.h"

#include "world.h"

#include "delivery_private.h"
#include "due.h"

#define TWEETS "POST https://api.x.com/2/tweets"
#define CREATED "{\"data\":{\"id\":\"1001\",\"text\":\"hello\"}}"

static void posts_for(struct world *w, size_t count, struct str *posts)
{
	for (size_t i = 0; i < count; i++) {
		const struct account_row account = world_account(w, PLATFORM_X, 0, NULL);
		posts[i] = world_post(w, WORLD_TEXT("hello"), &account, 1);
	}
}

static struct due_backlog due_of(struct world *w)
{
	struct due_backlog due = {0};
	struct error err = {0};
	ok(due_list(w->store, w->deliverer, w->arena, clock_now_us(&w->clock.clock), &due, &err),
	   &err);
	return due;
}

static int64_t late_s(struct world *w)
{
	const struct due_backlog due = due_of(w);
	return due_late_us(&due, w->deliverer, clock_now_us(&w->clock.clock)) / US_PER_S;
}

static void what_waits_at_a_gate_is_not_late(void **state)
{
	struct world *w = *state;
	struct str posts[10];
	FAKE_ANSWER(&w->transport, .match = TWEETS, .outcome = TRANSFER_NEVER_SENT,
		    .problem = TRANSFER_CONNECT_FAILED, .error_text = "refused", .times = 100);
	posts_for(w, 8, posts);
	world_run(w);
	for (int i = 0; i < 120; i++)
		world_pass(w, US_PER_S);
	posts_for(w, 2, &posts[8]);
	world_pass(w, US_PER_S);
	const struct due_backlog due = due_of(w);
	assert_int_equal(due.at_gate_count, 1);
	assert_int_equal(due.at_gates[0].platform, PLATFORM_X);
	assert_int_equal(due.at_gates[0].closing.reason, GATE_PLATFORM_DOWN);
	assert_true(due.at_gates[0].closing.reopens_boot_us > clock_boot_us(&w->clock.clock));
	assert_true(str_equal(due.at_gates[0].client_id, w->app.client_id));
	assert_true(due.at_gates[0].account_count >= 2);
	assert_int_equal(due.oldest_us, 0);
	assert_int_equal(late_s(w), 0);
}

/* A free account offers its oldest post, which may have been due for hours: it is not late, because
 * it could not run before. */
static void what_an_account_was_busy_with_makes_nothing_late(void **state)
{
	struct world *w = *state;
	const struct account_row account = world_account(w, PLATFORM_X, 0, NULL);
	world_post(w, WORLD_TEXT("first"), &account, 1);
	world_post(w, WORLD_TEXT("second"), &account, 1);
	world_run(w);
	for (int i = 0; i < 70; i++)
		world_pass(w, US_PER_S);
	assert_int_equal(late_s(w), 0);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED);
	world_turns(w, 1);
	assert_true(late_s(w) <= 5);
}

static void what_cannot_be_claimed_is_late(void **state)
{
	struct world *w = *state;
	struct str posts[1];
	world_run(w);
	posts_for(w, 1, posts);
	w->fail_kind = ERR_TEMPORARY;
	w->fail_count = 100000;
	for (int i = 0; i < 90; i++)
		world_pass(w, US_PER_S);
	assert_true(late_s(w) >= 89);
	w->fail_count = 0;
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED);
	world_pass(w, 5 * US_PER_S);
	assert_int_equal(late_s(w), 0);
	assert_state(w, posts[0], "published");
}

static void a_node_that_delivers_nothing_does_not_judge(void **state)
{
	struct world *w = *state;
	struct str posts[1];
	posts_for(w, 1, posts);
	fake_clock_advance(&w->clock, 300 * US_PER_S);
	assert_true(late_s(w) >= 299);
	w->deliverer->config.is_idle = true;
	assert_int_equal(late_s(w), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(what_waits_at_a_gate_is_not_late),
		WORLD_TEST(what_an_account_was_busy_with_makes_nothing_late),
		WORLD_TEST(what_cannot_be_claimed_is_late),
		WORLD_TEST(a_node_that_delivers_nothing_does_not_judge),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
