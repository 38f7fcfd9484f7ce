/* SPDX-License-Identifier: Apache-2.0
 * What comes next for a delivery: when it is tried again, how long limits are waited out, when it
 * fails, and that no failure hides an open publish call. */
#include "delivery.h"

#include "world.h"

#include "delivery_private.h"

#define TWEETS "POST https://api.x.com/2/tweets"
#define CREATED "{\"data\":{\"id\":\"1001\",\"text\":\"hello\"}}"

static struct account_row x_account(struct world *w)
{
	return world_account(w, PLATFORM_X, 0, WORLD_REFRESH_TOKEN);
}

static struct str x_post(struct world *w)
{
	const struct account_row account = x_account(w);
	return world_post(w, WORLD_TEXT("hello"), &account, 1);
}

/* Any failure while a call is open becomes OUTCOME_UNKNOWN. Driven by hand: no adapter does
 * this. */
static void no_failure_hides_an_open_call(void **state)
{
	struct world *w = *state;
	static const enum call_state states[] = {CALL_STATE_STARTED, CALL_STATE_IN_DOUBT};
	const struct failure bug = {.class = FAILURE_PERMANENT,
				    .code = FAILURE_CODE_INTERNAL_ERROR,
				    .message = STR("a bug")};
	for (size_t i = 0; i < 2; i++) {
		struct task_plan plan = {0};
		const struct delivery_work work = {.id = STR("d"),
						   .call_state = states[i],
						   .account = {.platform = PLATFORM_X}};
		struct delivery_task *t = delivery_task_new(w->deliverer, &work);
		t->turn.plan = &plan;
		t->turn.arena = w->arena;
		verdict_end_failed(t, &bug);
		assert_int_equal(t->save.next, DELIVERY_FAILED);
		assert_int_equal(t->save.failure->code, FAILURE_CODE_OUTCOME_UNKNOWN);
		t->task.ops->free(&t->task);
	}
}

/* design.md 3: 5 tries at 0, 30 s, 2, 10 and 30 min, each at most a fifth later. */
static void what_was_never_sent_is_tried_five_times(void **state)
{
	struct world *w = *state;
	static const int64_t waits_s[] = {30, 120, 600, 1800};
	FAKE_ANSWER(&w->transport, .match = TWEETS, .outcome = TRANSFER_NEVER_SENT,
		    .problem = TRANSFER_CONNECT_FAILED, .error_text = "connect failed",
		    .times = 99);
	const struct str post = x_post(w);
	world_run(w);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(fake_count(&w->transport, TWEETS), i + 1);
		assert_state(w, post, "retrying");
		assert_str(world_delivery(w, post, 0).error_code, "PLATFORM_UNAVAILABLE");
		world_pass(w, waits_s[i] * US_PER_S - 1);
		assert_int_equal(fake_count(&w->transport, TWEETS), i + 1);
		world_pass(w, waits_s[i] * US_PER_S / 5 + 1);
	}
	assert_int_equal(fake_count(&w->transport, TWEETS), 5);
	assert_failed(w, post, "PLATFORM_UNAVAILABLE");
	assert_int_equal(world_delivery(w, post, 0).attempts, 5);
	world_pass(w, 10 * US_PER_DAY);
	assert_int_equal(fake_count(&w->transport, TWEETS), 5);
}

static void a_rate_limit_waits_as_told_and_costs_no_try(void **state)
{
	struct world *w = *state;
	const int64_t reset_s = FAKE_NOW_US / US_PER_S + 900;
	const char *reset = str_z(w->arena, str_format(w->arena, "%lld", (long long)reset_s));
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 429,
		    .body = "{\"title\":\"Too Many Requests\"}",
		    .header_name = "x-rate-limit-reset", .header_value = reset);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED);
	const struct str post = x_post(w);
	world_run(w);
	assert_state(w, post, "retrying");
	assert_int_equal(world_delivery(w, post, 0).attempts, 0);
	world_pass(w, 899 * US_PER_S);
	assert_int_equal(fake_count(&w->transport, TWEETS), 1);
	world_pass(w, 200 * US_PER_S);
	assert_published(w, post, "1001");
}

static void patience_with_rate_limits_ends(void **state)
{
	struct world *w = *state;
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 429,
		    .body = "{\"title\":\"Too Many Requests\"}", .times = 250);
	const struct str post = x_post(w);
	world_run(w);
	for (int i = 0; i < 60 && world_delivery(w, post, 0).state != POST_FAILED; i++)
		world_pass(w, US_PER_HOUR);
	assert_failed(w, post, "RATE_LIMITED");
	assert_true(clock_now_us(&w->clock.clock) - FAKE_NOW_US >= 46 * US_PER_HOUR);
	assert_true(clock_now_us(&w->clock.clock) - FAKE_NOW_US <= 49 * US_PER_HOUR);
}

static void an_app_failure_is_retried_and_then_told(void **state)
{
	struct world *w = *state;
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 403,
		    .body = "{\"title\":\"Client Forbidden\",\"detail\":\"no project\","
			    "\"type\":\"https://api.x.com/2/problems/client-forbidden\"}",
		    .times = 9);
	const struct account_row account = x_account(w);
	const struct str post = world_post(w, WORLD_TEXT("hello"), &account, 1);
	world_run(w);
	for (int i = 0; i < 6; i++)
		world_pass(w, US_PER_HOUR);
	assert_failed(w, post, "PERMISSION_MISSING");
	assert_int_equal(fake_count(&w->transport, TWEETS), 5);
	assert_int_equal(world_account_now(w, &account).state, ACCOUNT_ACTIVE);
}

/* x.md 4, 402: credits are bought sooner or later; nobody's tries are used up on that, for
 * as long as there is patience. */
static void used_up_credits_burn_no_tries(void **state)
{
	struct world *w = *state;
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 402,
		    .body = "{\"title\":\"CreditsDepleted\",\"detail\":\"no credits\"}",
		    .times = 500);
	const struct account_row account = x_account(w);
	const struct str post = world_post(w, WORLD_TEXT("hello"), &account, 1);
	world_run(w);
	for (int i = 0; i < 12; i++)
		world_pass(w, US_PER_HOUR);
	assert_true(fake_count(&w->transport, TWEETS) > 5);
	assert_int_equal(world_delivery(w, post, 0).attempts, 0);
	assert_true(world_delivery(w, post, 0).state != POST_FAILED);
	for (int i = 0; i < 60 && world_delivery(w, post, 0).state != POST_FAILED; i++)
		world_pass(w, US_PER_HOUR);
	assert_failed(w, post, "QUOTA_EXHAUSTED");
	assert_true(clock_now_us(&w->clock.clock) - FAKE_NOW_US >= 46 * US_PER_HOUR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(no_failure_hides_an_open_call),
		WORLD_TEST(what_was_never_sent_is_tried_five_times),
		WORLD_TEST(a_rate_limit_waits_as_told_and_costs_no_try),
		WORLD_TEST(patience_with_rate_limits_ends),
		WORLD_TEST(an_app_failure_is_retried_and_then_told),
		WORLD_TEST(used_up_credits_burn_no_tries),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
