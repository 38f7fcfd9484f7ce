/* SPDX-License-Identifier: Apache-2.0
 * Deliveries at the gate: who waits, who does not, and that waiting costs nobody a try. */
#include "count_of.h"

#include "delivery.h"

#include "world.h"

#include "delivery_private.h"

#define TWEETS "POST https://api.x.com/2/tweets"
#define CREATED "{\"data\":{\"id\":\"1001\",\"text\":\"hello\"}}"
#define APP_MAX 128 /* gate.h */

static struct gate_view platform_place(const struct world *w)
{
	return gate_view_of(w->deliverer->gate, PLATFORM_X, STR(""));
}

static struct gate_view own_place(const struct world *w)
{
	return gate_view_of(w->deliverer->gate, PLATFORM_X, w->app.id);
}

static void posts_for(struct world *w, size_t count, struct str *posts)
{
	for (size_t i = 0; i < count; i++) {
		const struct account_row account = world_account(w, PLATFORM_X, 0, NULL);
		posts[i] = world_post(w, WORLD_TEXT("hello"), &account, 1);
	}
}

static void no_more_is_claimed_than_there_is_room(void **state)
{
	struct world *w = *state;
	struct str posts[APP_MAX + 20];
	size_t pending = 0;
	posts_for(w, APP_MAX + 20, posts);
	world_run(w);
	assert_int_equal(fake_count(&w->transport, TWEETS), APP_MAX);
	assert_int_equal(engine_task_count(w->engine), APP_MAX);
	assert_int_equal(own_place(w).in_flight, APP_MAX);
	for (size_t i = 0; i < APP_MAX + 20; i++)
		pending += world_delivery(w, posts[i], 0).state == POST_PENDING;
	assert_int_equal(pending, 20);
	/* What ends makes room, in the same turn. */
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED,
		    .times = APP_MAX + 20);
	world_run(w);
	for (size_t i = 0; i < APP_MAX + 20; i++)
		assert_state(w, posts[i], "published");
	assert_int_equal(own_place(w).in_flight, 0);
	assert_int_equal(platform_place(w).in_flight, 0);
}

static void a_full_engine_does_not_spin(void **state)
{
	struct world *w = *state;
	struct str posts[APP_MAX + 1];
	posts_for(w, APP_MAX + 1, posts);
	world_run(w);
	world_turns(w, 3);
	engine_turn(w->engine, 5000);
	assert_true(atomic_load(&w->transport.last_timeout_ms) >= 100);
}

/* Eight that cannot be reached close the platform; the ninth waits without losing a try. */
static void a_closed_platform_costs_nobody_a_try(void **state)
{
	struct world *w = *state;
	struct str posts[9];
	FAKE_ANSWER(&w->transport, .match = TWEETS, .outcome = TRANSFER_NEVER_SENT,
		    .problem = TRANSFER_CONNECT_FAILED, .error_text = "refused", .times = 8);
	posts_for(w, 8, posts);
	world_run(w);
	assert_int_equal(fake_count(&w->transport, TWEETS), 8);
	assert_int_equal(platform_place(w).state, GATE_SUSPENDED);
	posts_for(w, 1, &posts[8]);
	world_run(w);
	assert_int_equal(fake_count(&w->transport, TWEETS), 8);
	assert_state(w, posts[8], "pending");
	/* After the wait one call goes to see, and then the rest. */
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED, .times = 9);
	for (int i = 0; i < 120; i++)
		world_pass(w, US_PER_S);
	for (size_t i = 0; i < 9; i++)
		assert_state(w, posts[i], "published");
	assert_int_equal(world_delivery(w, posts[8], 0).attempts, 1);
	assert_int_equal(platform_place(w).in_flight, 0);
	assert_int_equal(own_place(w).state, GATE_READY);
}

struct outcome_row {
	const char *name;
	struct fake_answer answer;
	enum gate_state own;
	enum gate_state platform;
};

static const struct outcome_row outcomes[] = {
	{"published", {.match = TWEETS, .status = 201, .body = CREATED}, GATE_READY, GATE_READY},
	{"refused",
	 {.match = TWEETS, .status = 403, .body = "{\"detail\":\"duplicate content\"}"},
	 GATE_READY,
	 GATE_READY},
	{"too many", {.match = TWEETS, .status = 429, .body = "{}"}, GATE_THROTTLED, GATE_READY},
	{"no credits",
	 {.match = TWEETS,
	  .status = 402,
	  .body = "{\"title\":\"CreditsDepleted\",\"status\":402,\"detail\":\"none left\"}"},
	 GATE_SUSPENDED,
	 GATE_READY},
	{"no credits, and no word of it",
	 {.match = TWEETS, .status = 402, .body = "{}"},
	 GATE_SUSPENDED,
	 GATE_READY},
	{"refused without a reason",
	 {.match = TWEETS, .status = 400, .body = "{}"},
	 GATE_THROTTLED,
	 GATE_READY},
	{"taken without an id",
	 {.match = TWEETS, .status = 200, .body = "{}"},
	 GATE_THROTTLED,
	 GATE_READY},
	{"broken", {.match = TWEETS, .status = 503, .body = "{}"}, GATE_THROTTLED, GATE_THROTTLED},
	{"lost", {.match = TWEETS, .outcome = TRANSFER_LOST}, GATE_THROTTLED, GATE_THROTTLED},
};

static void what_a_call_came_to_is_told(void **state)
{
	for (size_t i = 0; i < COUNT_OF(outcomes); i++) {
		struct str post;
		world_setup(state);
		struct world *w = *state;
		fake_add(&w->transport, outcomes[i].answer);
		posts_for(w, 1, &post);
		world_run(w);
		if (own_place(w).state != outcomes[i].own ||
		    platform_place(w).state != outcomes[i].platform)
			fail_msg("%s: app %d, platform %d", outcomes[i].name, own_place(w).state,
				 platform_place(w).state);
		assert_int_equal(own_place(w).in_flight, 0);
		world_teardown(state);
	}
}

/* Refusals that nobody can read leave each delivery in doubt, and close the app's place. */
static void unreadable_refusals_close_the_place(void **state)
{
	struct world *w = *state;
	struct str posts[10];
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 400, .body = "{}", .times = 99);
	posts_for(w, 8, posts);
	world_run(w);
	assert_int_equal(own_place(w).state, GATE_SUSPENDED);
	assert_int_equal(platform_place(w).state, GATE_READY);
	for (size_t i = 0; i < 8; i++)
		assert_state(w, posts[i], "processing");
	posts_for(w, 2, &posts[8]);
	world_run(w);
	assert_int_equal(fake_count(&w->transport, TWEETS), 8);
	assert_state(w, posts[8], "pending");
}

/* Two days behind a closed door, and then a reason: never silent (rules.md 2.1). */
static void waiting_for_room_comes_to_an_end(void **state)
{
	struct world *w = *state;
	struct str post;
	int64_t wait_us = 0;
	posts_for(w, 1, &post);
	/* A call that never comes back holds the only room there is. */
	assert_true(gate_enter(w->deliverer->gate, PLATFORM_X, w->app.id,
			       clock_boot_us(&w->clock.clock), &wait_us));
	gate_leave(w->deliverer->gate, PLATFORM_X, w->app.id, GATE_REFUSED, 0,
		   clock_boot_us(&w->clock.clock));
	fake_clock_advance(&w->clock, 31 * US_PER_S);
	assert_true(gate_enter(w->deliverer->gate, PLATFORM_X, w->app.id,
			       clock_boot_us(&w->clock.clock), &wait_us));
	world_run(w);
	assert_state(w, post, "pending");
	for (int i = 0; i < 48 * 12 - 1; i++)
		world_pass(w, 5 * US_PER_MINUTE);
	assert_state(w, post, "pending");
	for (int i = 0; i < 3; i++)
		world_pass(w, 5 * US_PER_MINUTE);
	assert_failed(w, post, "PLATFORM_UNAVAILABLE");
	assert_int_equal(fake_count(&w->transport, TWEETS), 0);
}

/* The service was down for three days: the platform never refused anything. */
static void downtime_is_no_refusal(void **state)
{
	struct world *w = *state;
	struct str posts[APP_MAX + 72];
	posts_for(w, APP_MAX + 72, posts);
	fake_clock_advance(&w->clock, 3 * US_PER_DAY);
	world_crash(w);
	for (int i = 0; i < 2; i++) {
		world_run(w);
		FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED,
			    .times = APP_MAX + 72);
		world_run(w);
	}
	for (size_t i = 0; i < APP_MAX + 72; i++)
		assert_state(w, posts[i], "published");
}

/* The place was closed before the stop, and still is after it: patience begins again. */
static void what_was_refused_before_a_stop_is_asked_again(void **state)
{
	struct world *w = *state;
	struct str posts[10];
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 429, .body = "{}", .times = 8);
	posts_for(w, 8, posts);
	world_run(w);
	posts_for(w, 2, &posts[8]);
	world_run(w);
	assert_int_equal(own_place(w).state, GATE_SUSPENDED);
	/* Not a crash: the engine stood still, as while the app is suspended. */
	fake_clock_advance(&w->clock, 3 * US_PER_DAY);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 429, .body = "{}");
	world_run(w);
	for (size_t i = 0; i < 10; i++)
		assert_true(world_delivery(w, posts[i], 0).state != POST_FAILED);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED, .times = 10);
	for (int i = 0; i < 500; i++)
		world_pass(w, 15 * US_PER_S);
	for (size_t i = 0; i < 10; i++)
		assert_state(w, posts[i], "published");
}

/* Accepted while the clock was a day ahead, which is then set right. */
static void a_wrong_clock_at_acceptance_holds_nothing_back(void **state)
{
	struct world *w = *state;
	struct str posts[3];
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED, .times = 3);
	world_run(w);
	fake_clock_advance(&w->clock, US_PER_MINUTE);
	atomic_fetch_add(&w->clock.now_us, US_PER_DAY);
	posts_for(w, 2, posts);
	atomic_fetch_sub(&w->clock.now_us, US_PER_DAY);
	world_pass(w, 6 * US_PER_S);
	world_pass(w, 6 * US_PER_S);
	assert_state(w, posts[0], "published");
	assert_state(w, posts[1], "published");
	/* The same with a start between. */
	atomic_fetch_add(&w->clock.now_us, US_PER_DAY);
	posts_for(w, 1, &posts[2]);
	atomic_fetch_sub(&w->clock.now_us, US_PER_DAY);
	world_crash(w);
	world_run(w);
	world_pass(w, 6 * US_PER_S);
	assert_state(w, posts[2], "published");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(no_more_is_claimed_than_there_is_room),
		WORLD_TEST(a_full_engine_does_not_spin),
		WORLD_TEST(a_closed_platform_costs_nobody_a_try),
		cmocka_unit_test(what_a_call_came_to_is_told),
		WORLD_TEST(unreadable_refusals_close_the_place),
		WORLD_TEST(waiting_for_room_comes_to_an_end),
		WORLD_TEST(downtime_is_no_refusal),
		WORLD_TEST(what_was_refused_before_a_stop_is_asked_again),
		WORLD_TEST(a_wrong_clock_at_acceptance_holds_nothing_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
