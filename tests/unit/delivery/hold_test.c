/* SPDX-License-Identifier: Apache-2.0
 * Deliveries of a restored database: looked for first, taken over when found, else held, and never
 * published meanwhile; then the operator decides. And the quarantine. */
#include "count_of.h"

#include "delivery.h"

#include "world.h"

#include "delivery_private.h"
#include "store_private.h"

#define TWEETS "POST https://api.x.com/2/tweets"
#define LOOK "GET https://api.x.com/2/users/"
#define CREATED "{\"data\":{\"id\":\"1001\",\"text\":\"hello\"}}"
#define SHOWN(id, text) \
	"{\"id\":\"" id "\",\"text\":\"" text "\",\"created_at\":\"2027-01-15T08:00:00.000Z\"}"
#define REPLY(id, text, to) \
	"{\"id\":\"" id "\",\"text\":\"" text "\",\"created_at\":\"2027-01-15T08:00:00.000Z\"," \
	"\"referenced_tweets\":[{\"type\":\"replied_to\",\"id\":\"" to "\"}]}"
#define LIST(items) "{\"data\":[" items "]}"
#define NOTHING "{\"meta\":{\"result_count\":0}}"
#define THREAD \
	"{\"mode\":\"advanced\",\"containers\":[{\"content\":\"hello\",\"media\":[]}," \
	"{\"content\":\"second\",\"media\":[]}]}"

static enum err_kind mark_in_tx(struct store_tx *tx, void *argument, struct error *err)
{
	const int64_t *now_us = argument;
	return sql_run(tx->sql, SQL_HOLD_MARK, SQL_ARGS(sql_int(*now_us), sql_int(HOLD_ASKING)),
		       NULL, err);
}

/* As store_guard_start() does when it finds a restored database. */
static void mark_all(struct world *w)
{
	struct error err = {0};
	int64_t now_us = clock_now_us(&w->clock.clock);
	ok(store_write(w->store, mark_in_tx, &now_us, &err), &err);
}

static struct str x_post(struct world *w, const char *content)
{
	const struct account_row account = world_account(w, PLATFORM_X, 0, WORLD_REFRESH_TOKEN);
	const struct str post = world_post(w, content, &account, 1);
	mark_all(w);
	return post;
}

static int64_t count_of(struct world *w, enum hold_state state)
{
	struct hold_counts counts;
	struct error err = {0};
	ok(store_hold_counts(w->store, &counts, &err), &err);
	assert_int_equal(counts.of[PLATFORM_NONE][state], counts.of[PLATFORM_X][state]);
	return counts.of[PLATFORM_NONE][state];
}

static void pass_all(struct world *w)
{
	world_run(w);
	for (int i = 0; i < 8; i++)
		world_pass(w, 31 * US_PER_S);
}

static void what_is_found_is_taken_over(void **state)
{
	struct world *w = *state;
	FAKE_ANSWER(&w->transport, .match = LOOK, .body = LIST(SHOWN("2002", "hello")));
	const struct str post = x_post(w, WORLD_TEXT("hello"));
	pass_all(w);
	assert_published(w, post, "2002");
	assert_int_equal(fake_count(&w->transport, TWEETS), 0);
	assert_int_equal(count_of(w, HOLD_ADOPTED), 1);
	assert_int_equal(count_of(w, HOLD_ASKING), 0);
}

static void what_is_never_found_is_held(void **state)
{
	struct world *w = *state;
	FAKE_ANSWER(&w->transport, .match = LOOK, .body = NOTHING, .times = 99);
	const struct str post = x_post(w, WORLD_TEXT("hello"));
	pass_all(w);
	const struct delivery_row row = world_delivery(w, post, 0);
	assert_string_equal(post_state_name(row.state), "retrying");
	assert_str(row.error_code, "OUTCOME_UNKNOWN");
	assert_int_equal(row.next_attempt_at_us, 0);
	assert_int_equal(row.attempts, 0);
	assert_int_equal(fake_count(&w->transport, LOOK), 3);
	assert_int_equal(count_of(w, HOLD_HELD), 1);
	world_crash(w);
	world_pass(w, 30 * US_PER_DAY);
	assert_int_equal(fake_count(&w->transport, TWEETS), 0);
	assert_int_equal(fake_count(&w->transport, LOOK), 3);
	int64_t due_us = -1;
	struct error err = {0};
	ok(store_delivery_oldest_due(w->store, clock_now_us(&w->clock.clock), &due_us, &err), &err);
	assert_int_equal(due_us, 0); /* what is held is not late */
}

static void let_go(struct world *w, bool is_release)
{
	struct error err = {0};
	int64_t count = 0;
	const int64_t now_us = clock_now_us(&w->clock.clock);
	ok(is_release ? store_hold_release(w->store, PLATFORM_FACEBOOK, now_us, &count, &err)
		      : store_hold_condemn(w->store, PLATFORM_FACEBOOK, now_us, &count, &err),
	   &err);
	assert_int_equal(count, 0);
	ok(is_release ? store_hold_release(w->store, PLATFORM_NONE, now_us, &count, &err)
		      : store_hold_condemn(w->store, PLATFORM_X, now_us, &count, &err),
	   &err);
	assert_int_equal(count, 1);
	deliverer_wake(w->deliverer);
	pass_all(w);
}

static void what_is_released_is_published_once(void **state)
{
	struct world *w = *state;
	FAKE_ANSWER(&w->transport, .match = LOOK, .body = NOTHING, .times = 99);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED);
	const struct str post = x_post(w, WORLD_TEXT("hello"));
	pass_all(w);
	let_go(w, true);
	assert_published(w, post, "1001");
	assert_int_equal(fake_count(&w->transport, TWEETS), 1);
	assert_int_equal(count_of(w, HOLD_HELD), 0);
}

static void what_is_failed_says_why(void **state)
{
	struct world *w = *state;
	FAKE_ANSWER(&w->transport, .match = LOOK, .body = NOTHING, .times = 99);
	const struct str post = x_post(w, WORLD_TEXT("hello"));
	pass_all(w);
	let_go(w, false);
	assert_failed(w, post, "OUTCOME_UNKNOWN");
	assert_true(str_find(world_delivery(w, post, 0).error_message, STR("operator"), 0) !=
		    SIZE_MAX);
	assert_int_equal(fake_count(&w->transport, TWEETS), 0);
	assert_int_equal(count_of(w, HOLD_CONDEMNED), 0);
}

/* A thread of which only the first part is found: that part is known, the rest is held; released,
 * only the rest is sent. */
static void every_part_is_looked_for(void **state)
{
	struct world *w = *state;
	FAKE_ANSWER(&w->transport, .match = LOOK, .body = LIST(SHOWN("2002", "hello")),
		    .times = 99);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED);
	const struct str post = x_post(w, THREAD);
	pass_all(w);
	assert_int_equal(fake_count(&w->transport, TWEETS), 0);
	assert_int_equal(count_of(w, HOLD_HELD), 1);
	assert_str(world_delivery(w, post, 0).remote_id, "2002");
	let_go(w, true);
	assert_published(w, post, "2002");
	assert_int_equal(fake_count(&w->transport, TWEETS), 1);
}

static void a_whole_thread_is_taken_over(void **state)
{
	struct world *w = *state;
	FAKE_ANSWER(&w->transport, .match = LOOK,
		    .body = LIST(SHOWN("2002", "hello") "," REPLY("2003", "second", "2002")),
		    .times = 99);
	const struct str post = x_post(w, THREAD);
	pass_all(w);
	assert_published(w, post, "2002");
	assert_int_equal(fake_count(&w->transport, TWEETS), 0);
}

/* Two with the same words: which is whose cannot be known. */
static void two_candidates_prove_nothing(void **state)
{
	struct world *w = *state;
	FAKE_ANSWER(&w->transport, .match = LOOK,
		    .body = LIST(SHOWN("2002", "hello") "," SHOWN("2003", "hello")), .times = 99);
	x_post(w, WORLD_TEXT("hello"));
	pass_all(w);
	assert_int_equal(count_of(w, HOLD_HELD), 1);
}

struct stored_flow {
	struct world *w;
	struct str delivery_id;
	struct str flow;
};

static enum err_kind read_flow_in_tx(struct store_tx *tx, void *argument, struct error *err)
{
	struct stored_flow *stored = argument;
	struct arena *arena = stored->w->arena;
	struct sql_cursor cursor;
	sql_select(&cursor, tx->sql, SQL_DELIVERY_ACCOUNT, arena,
		   SQL_ARGS(sql_text(stored->delivery_id)), err);
	assert_true(sql_next(&cursor));
	const struct str account_id = sql_take_text(&cursor);
	const struct str list = str_format(arena, "[\"" STR_FMT "\"]", STR_ARG(account_id));
	assert_int_equal(sql_end(&cursor), ERR_NONE);
	sql_select(&cursor, tx->sql, SQL_LANES_WORK, arena,
		   SQL_ARGS(sql_text(list), sql_int(INT64_MAX), sql_word("")), err);
	assert_true(sql_next(&cursor));
	sql_take_text(&cursor); /* account, id, whether all is there, post, fence, state, tries */
	assert_true(str_equal(sql_take_text(&cursor), stored->delivery_id));
	sql_take_int(&cursor);
	sql_take_text(&cursor);
	sql_take_int(&cursor);
	sql_take_text(&cursor);
	sql_take_int(&cursor);
	stored->flow = sql_take_text(&cursor);
	return sql_end(&cursor);
}

/* A member's posts on LinkedIn cannot be listed; the adapter would send once more, and let the
 * platform refuse it. Not here. */
static void what_can_only_be_proven_by_a_repeat_is_held(void **state)
{
	struct world *w = *state;
	struct hold_counts counts;
	struct error err = {0};
	const struct account_row account = world_account(w, PLATFORM_LINKEDIN, 0, NULL);
	const struct str post = world_post(w, WORLD_TEXT("hello"), &account, 1);
	mark_all(w);
	pass_all(w);
	ok(store_hold_counts(w->store, &counts, &err), &err);
	assert_int_equal(counts.of[PLATFORM_LINKEDIN][HOLD_HELD], 1);
	assert_int_equal(w->transport.sent_count, 0);
	struct stored_flow stored = {.w = w, .delivery_id = world_delivery(w, post, 0).id};
	ok(store_write(w->store, read_flow_in_tx, &stored, &err), &err);
	assert_true(str_find(stored.flow, STR("repeats"), 0) == SIZE_MAX); /* no trace of looks */
}

/* ---- after an unclean end ---- */

static const struct fake_answer refusals[] = {
	{.match = LOOK, .status = 503, .body = "oops", .times = 99},
	{.match = LOOK, .outcome = TRANSFER_LOST, .times = 99},
	{.match = LOOK, .status = 429, .body = "{}", .times = 99},
	{.match = LOOK, .status = 403, .body = "{}", .times = 99},
};

static enum err_kind look_in_tx(struct store_tx *tx, void *argument, struct error *err)
{
	const int64_t *now_us = argument;
	return sql_run(tx->sql, SQL_HOLD_LOOK, SQL_ARGS(sql_int(*now_us), sql_int(HOLD_LOOKING)),
		       NULL, err);
}

/* As store_guard_start() does after a gap. */
static struct str overdue_post(struct world *w, const char *content)
{
	struct error err = {0};
	int64_t now_us = clock_now_us(&w->clock.clock);
	const struct account_row account = world_account(w, PLATFORM_X, 0, WORLD_REFRESH_TOKEN);
	const struct str post = world_post(w, content, &account, 1);
	ok(store_write(w->store, look_in_tx, &now_us, &err), &err);
	fake_clock_advance(&w->clock, US_PER_MINUTE);
	return post;
}

static void after_an_unclean_end_what_is_not_found_goes_out(void **state)
{
	struct world *w = *state;
	FAKE_ANSWER(&w->transport, .match = LOOK, .body = NOTHING, .times = 99);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED);
	const struct str post = overdue_post(w, WORLD_TEXT("hello"));
	world_run(w);
	assert_published(w, post, "1001");
	assert_int_equal(fake_count(&w->transport, LOOK), 1);
	assert_int_equal(fake_count(&w->transport, TWEETS), 1);
	for (enum hold_state hold = HOLD_ASKING; hold < HOLD_STATE_COUNT; hold++)
		assert_int_equal(count_of(w, hold), 0);
}

static void after_an_unclean_end_what_is_found_is_taken_over(void **state)
{
	struct world *w = *state;
	FAKE_ANSWER(&w->transport, .match = LOOK, .body = LIST(SHOWN("2002", "hello")));
	const struct str post = overdue_post(w, WORLD_TEXT("hello"));
	world_run(w);
	assert_published(w, post, "2002");
	assert_int_equal(fake_count(&w->transport, TWEETS), 0);
	assert_int_equal(count_of(w, HOLD_ADOPTED), 1);
}

/* It was a restore after all. */
static void the_rest_of_a_thread_that_is_found_is_held(void **state)
{
	struct world *w = *state;
	FAKE_ANSWER(&w->transport, .match = LOOK, .body = LIST(SHOWN("2002", "hello")),
		    .times = 99);
	const struct str post = overdue_post(w, THREAD);
	pass_all(w);
	assert_int_equal(fake_count(&w->transport, TWEETS), 0);
	assert_int_equal(count_of(w, HOLD_HELD), 1);
	assert_str(world_delivery(w, post, 0).remote_id, "2002");
}

static void after_an_unclean_end_nobody_waits_for_a_refused_look(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(refusals); i++) {
		void *inner = NULL;
		world_setup(&inner);
		struct world *w = inner;
		fake_add(&w->transport, refusals[i]);
		FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED);
		const struct str post = overdue_post(w, WORLD_TEXT("hello"));
		pass_all(w);
		for (int hour = 0; hour < 4; hour++)
			world_pass(w, US_PER_HOUR);
		assert_published(w, post, "1001");
		assert_int_equal(fake_count(&w->transport, TWEETS), 1);
		world_teardown(&inner);
	}
}

static void what_has_begun_is_not_looked_for(void **state)
{
	struct world *w = *state;
	struct error err = {0};
	FAKE_ANSWER(&w->transport, .match = TWEETS, .outcome = TRANSFER_LOST);
	const struct account_row account = world_account(w, PLATFORM_X, 0, WORLD_REFRESH_TOKEN);
	world_post(w, WORLD_TEXT("hello"), &account, 1);
	world_run(w);
	int64_t now_us = clock_now_us(&w->clock.clock) + US_PER_DAY;
	ok(store_write(w->store, look_in_tx, &now_us, &err), &err);
	assert_int_equal(count_of(w, HOLD_LOOKING), 0);
}

/* The net below all of it. */
static void no_publish_call_is_made_while_asking(void **state)
{
	(void)state;
	static const enum call_kind kinds[] = {CALL_READ, CALL_PREPARE, CALL_PUBLISH};
	for (enum hold_state hold = HOLD_NONE; hold < HOLD_STATE_COUNT; hold++) {
		for (size_t i = 0; i < 3; i++) {
			const struct delivery_task t = {.work = {.hold = hold},
							.hold = {.is_probing = true}};
			const bool is_asked = hold == HOLD_ASKING || hold == HOLD_LOOKING;
			const struct call call = {.kind = kinds[i]};
			assert_true(hold_forbids(&t, &call) ==
				    (is_asked && kinds[i] == CALL_PUBLISH));
		}
	}
}

static void who_cannot_be_asked_proves_nothing(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(refusals); i++) {
		void *inner = NULL;
		world_setup(&inner);
		struct world *w = inner;
		fake_add(&w->transport, refusals[i]);
		x_post(w, WORLD_TEXT("hello"));
		pass_all(w);
		for (int hour = 0; hour < 4; hour++)
			world_pass(w, US_PER_HOUR);
		if (count_of(w, HOLD_HELD) != 1)
			fail_msg("row %zu is not held", i);
		assert_int_equal(fake_count(&w->transport, TWEETS), 0);
		world_teardown(&inner);
	}
}

static void a_disconnected_account_is_not_asked(void **state)
{
	struct world *w = *state;
	const struct account_row account = world_account(w, PLATFORM_X, 0, WORLD_REFRESH_TOKEN);
	world_post(w, WORLD_TEXT("hello"), &account, 1);
	mark_all(w);
	world_set_account_state(w, &account, ACCOUNT_DISCONNECTED);
	pass_all(w);
	assert_int_equal(fake_count(&w->transport, LOOK), 0);
	assert_int_equal(count_of(w, HOLD_HELD), 1);
}

/* The app's permission to repeat what is not known is none to publish a backup again. */
static void retry_once_does_not_count_here(void **state)
{
	struct world *w = *state;
	world_add_app(w, true);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .outcome = TRANSFER_LOST, .times = 9);
	FAKE_ANSWER(&w->transport, .match = LOOK, .body = NOTHING, .times = 99);
	const struct account_row account = world_account(w, PLATFORM_X, 0, WORLD_REFRESH_TOKEN);
	world_post(w, WORLD_TEXT("hello"), &account, 1);
	world_run(w); /* in doubt, as the backup has it */
	fake_clock_advance(&w->clock, 11 * US_PER_S);
	mark_all(w);
	world_crash(w);
	pass_all(w);
	assert_int_equal(fake_count(&w->transport, TWEETS), 1);
	assert_int_equal(count_of(w, HOLD_HELD), 1);
}

static void what_is_accepted_afterwards_goes_on(void **state)
{
	struct world *w = *state;
	FAKE_ANSWER(&w->transport, .match = LOOK, .body = NOTHING, .times = 99);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED);
	const struct account_row account = world_account(w, PLATFORM_X, 0, WORLD_REFRESH_TOKEN);
	world_post(w, WORLD_TEXT("old"), &account, 1);
	mark_all(w);
	const struct str fresh = world_post(w, WORLD_TEXT("hello"), &account, 1);
	pass_all(w);
	assert_published(w, fresh, "1001");
	assert_int_equal(fake_count(&w->transport, TWEETS), 1);
}

static void stepped(void *context, const struct delivery_work *work)
{
	int *depth = context;
	*depth += work != NULL ? 1 : -1;
	assert_in_range(*depth, 0, 1);
	depth[1]++;
}

static void each_step_is_announced_and_ended(void **state)
{
	struct world *w = *state;
	int stepped_counts[2] = {0};
	w->deliverer->config.stepping = stepped;
	w->deliverer->config.stepping_context = stepped_counts;
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED);
	const struct account_row account = world_account(w, PLATFORM_X, 0, WORLD_REFRESH_TOKEN);
	const struct str post = world_post(w, WORLD_TEXT("hello"), &account, 1);
	pass_all(w);
	assert_published(w, post, "1001");
	assert_int_equal(stepped_counts[0], 0);
	assert_true(stepped_counts[1] >= 4);
}

static void the_poisoned_is_set_aside_untouched(void **state)
{
	struct world *w = *state;
	struct error err = {0};
	bool is_marked = false;
	int stepped_counts[2] = {0};
	w->deliverer->config.stepping = stepped;
	w->deliverer->config.stepping_context = stepped_counts;
	const struct account_row account = world_account(w, PLATFORM_X, 0, WORLD_REFRESH_TOKEN);
	const struct str post = world_post(w, "{not even content", &account, 1);
	ok(store_hold_poison(w->store, world_delivery(w, post, 0).id, &is_marked, &err), &err);
	pass_all(w);
	assert_failed(w, post, "INTERNAL_ERROR");
	assert_str(world_delivery(w, post, 0).error_message,
		   "This delivery stopped the service three times; it was set aside.");
	assert_int_equal(stepped_counts[1], 0); /* a quarantined delivery is not blamed again */
	assert_int_equal(w->transport.sent_count, 0);
	assert_int_equal(count_of(w, HOLD_SET_ASIDE), 1);
}

/* It died with a call open: nobody may say that it was not published. */
static void the_poisoned_in_doubt_is_unknown(void **state)
{
	struct world *w = *state;
	struct error err = {0};
	bool is_marked = false;
	const struct account_row account = world_account(w, PLATFORM_X, 0, WORLD_REFRESH_TOKEN);
	const struct str post = world_post(w, WORLD_TEXT("hello"), &account, 1);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .outcome = TRANSFER_LOST);
	world_run(w);
	ok(store_hold_poison(w->store, world_delivery(w, post, 0).id, &is_marked, &err), &err);
	pass_all(w);
	assert_failed(w, post, "OUTCOME_UNKNOWN");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(what_is_found_is_taken_over),
		WORLD_TEST(what_is_never_found_is_held),
		WORLD_TEST(what_is_released_is_published_once),
		WORLD_TEST(what_is_failed_says_why),
		WORLD_TEST(every_part_is_looked_for),
		WORLD_TEST(a_whole_thread_is_taken_over),
		WORLD_TEST(two_candidates_prove_nothing),
		WORLD_TEST(what_can_only_be_proven_by_a_repeat_is_held),
		WORLD_TEST(after_an_unclean_end_what_is_not_found_goes_out),
		WORLD_TEST(after_an_unclean_end_what_is_found_is_taken_over),
		WORLD_TEST(the_rest_of_a_thread_that_is_found_is_held),
		cmocka_unit_test(after_an_unclean_end_nobody_waits_for_a_refused_look),
		WORLD_TEST(what_has_begun_is_not_looked_for),
		cmocka_unit_test(no_publish_call_is_made_while_asking),
		cmocka_unit_test(who_cannot_be_asked_proves_nothing),
		WORLD_TEST(a_disconnected_account_is_not_asked),
		WORLD_TEST(retry_once_does_not_count_here),
		WORLD_TEST(what_is_accepted_afterwards_goes_on),
		WORLD_TEST(each_step_is_announced_and_ended),
		WORLD_TEST(the_poisoned_is_set_aside_untouched),
		WORLD_TEST(the_poisoned_in_doubt_is_unknown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
