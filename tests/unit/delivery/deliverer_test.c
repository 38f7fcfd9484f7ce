/* SPDX-License-Identifier: Apache-2.0
 * Claiming: due work becomes tasks, what is scheduled waits for its instant, an account's posts go
 * one after the other, and an idle service holds nothing. */
#include "delivery.h"

#include "sql.h"
#include "store_alarm.h"

#include "damaged_file.h"
#include "damaged_rows.h"
#include "world.h"

#include "delivery_private.h"

#define TWEETS "POST https://api.x.com/2/tweets"
#define CREATED "{\"data\":{\"id\":\"1001\",\"text\":\"hello\"}}"

static void posts_of_one_account_go_one_after_the_other(void **state)
{
	struct world *w = *state;
	const struct account_row account = world_account(w, PLATFORM_X, 0, NULL);
	const struct str first = world_post(w, WORLD_TEXT("first"), &account, 1);
	const struct str second = world_post(w, WORLD_TEXT("second"), &account, 1);
	world_run(w);
	assert_int_equal(fake_count(&w->transport, TWEETS), 1);
	assert_non_null(strstr(fake_nth(&w->transport, TWEETS, 0)->body, "first"));
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED);
	world_run(w);
	assert_published(w, first, "1001");
	/* Without a wake-up: who finishes claims in the same turn. */
	assert_int_equal(fake_count(&w->transport, TWEETS), 2);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201,
		    .body = "{\"data\":{\"id\":\"1002\"}}");
	world_run(w);
	assert_published(w, second, "1002");
}

static void many_accounts_go_side_by_side(void **state)
{
	struct world *w = *state;
	struct str posts[150];
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED, .times = 150);
	for (size_t i = 0; i < 150; i++) {
		const struct account_row account = world_account(w, PLATFORM_X, 0, NULL);
		posts[i] = world_post(w, WORLD_TEXT("hello"), &account, 1);
	}
	world_run(w);
	for (size_t i = 0; i < 150; i++)
		assert_state(w, posts[i], "published");
	assert_int_equal(fake_count(&w->transport, TWEETS), 150);
	assert_int_equal(engine_task_count(w->engine), 0);
}

static void what_is_scheduled_waits_without_a_wake_up(void **state)
{
	struct world *w = *state;
	const struct account_row account = world_account(w, PLATFORM_X, 0, NULL);
	struct error err = {0};
	const struct post_target target = {world_uuid(w), account.id, PLATFORM_X, account.user_id};
	const struct post_accept accept = {
		.app_id = w->app.id,
		.post_id = world_uuid(w),
		.request_id = STR("later"),
		.content = STR(WORLD_TEXT("hello")),
		.now_us = FAKE_NOW_US,
		.scheduled_at_us = FAKE_NOW_US + 90 * US_PER_S,
		.targets = &target,
		.target_count = 1,
	};
	struct post_accept_result result = {0};
	ok(store_post_accept(w->store, w->arena, &accept, &result, &err), &err);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED);
	deliverer_wake(w->deliverer);
	world_run(w);
	world_pass(w, 90 * US_PER_S - 1);
	assert_int_equal(w->transport.sent_count, 0);
	world_pass(w, 1);
	world_pass(w, 5 * US_PER_S); /* at the latest by the idle poll */
	assert_published(w, accept.post_id, "1001");
}

/* design.md 8: an idle service is small. A claim may bring megabytes of content. */
static void an_idle_deliverer_holds_no_content(void **state)
{
	struct world *w = *state;
	const struct account_row account = world_account(w, PLATFORM_X, 0, NULL);
	world_post(w, WORLD_TEXT("hello"), &account, 1);
	engine_turn(w->engine, 0);
	assert_int_equal(engine_task_count(w->engine), 1);
	assert_int_equal(w->deliverer->claimed_count, 0);
	assert_int_equal(arena_used_bytes(w->deliverer->claim_arena), 0);
	world_run(w); /* and the task lives on its own copies */
	assert_int_equal(fake_count(&w->transport, TWEETS), 1);
}

static bool answer_flag(void *context)
{
	return *(const bool *)context;
}

/* rules.md 2.2 rule 1: what a call comes to must find room on the disk. */
static void a_full_disk_stops_claims_until_there_is_room(void **state)
{
	struct world *w = *state;
	const struct account_row account = world_account(w, PLATFORM_X, 0, NULL);
	bool has_room = false;
	w->deliverer->config.has_disk_room = answer_flag;
	w->deliverer->config.disk_context = &has_room;
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED);
	const struct str post = world_post(w, WORLD_TEXT("hello"), &account, 1);
	world_run(w);
	world_pass(w, US_PER_MINUTE);
	assert_state(w, post, "pending");
	assert_int_equal(fake_count(&w->transport, TWEETS), 0);
	has_room = true;
	world_pass(w, US_PER_S);
	assert_published(w, post, "1001");
}

/* Claimed and nothing begun, as after a transaction that had to be made in two. */
static enum err_kind claim_only(struct store_tx *tx, void *argument, struct error *err)
{
	struct world *w = argument;
	struct delivery_work *work = NULL;
	size_t count = 0;
	const struct delivery_claim wish = {
		.now_us = clock_now_us(&w->clock.clock), .lease_us = US_PER_MINUTE, .max = 10};
	return store_delivery_claim(tx, w->arena, &wish, &work, &count, err);
}

static void a_former_runs_work_is_taken_up_unasked(void **state)
{
	struct world *w = *state;
	const struct account_row account = world_account(w, PLATFORM_X, 0, NULL);
	const struct str post = world_post(w, WORLD_TEXT("hello"), &account, 1);
	struct error err = {0};
	ok(store_write(w->store, claim_only, w, &err), &err);
	assert_state(w, post, "processing");
	world_crash(w);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED);
	world_run(w);
	assert_published(w, post, "1001");
}

static void a_store_that_cannot_claim_now_is_asked_again(void **state)
{
	struct world *w = *state;
	const struct account_row account = world_account(w, PLATFORM_X, 0, NULL);
	world_run(w);
	const struct str post = world_post(w, WORLD_TEXT("hello"), &account, 1);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED);
	w->fail_kind = ERR_TEMPORARY;
	w->fail_count = 1;
	world_run(w);
	world_pass(w, 250 * US_PER_MS);
	assert_published(w, post, "1001");
}

static void a_bad_row_stops_itself_only(void **state)
{
	struct world *w = *state;
	struct str posts[4];
	struct account_row accounts[4];
	for (size_t i = 0; i < 4; i++) {
		accounts[i] = world_account(w, PLATFORM_X, 0, NULL);
		posts[i] = world_post(w, WORLD_TEXT("hello"), &accounts[i], 1);
	}
	const struct str id = world_delivery(w, posts[0], 0).id;
	damage_rows(w, str_format(w->arena,
				  "UPDATE deliveries SET flow = '[\"stage\", ' WHERE id = '" STR_FMT
				  "'; DELETE FROM counters; UPDATE lanes SET busy_delivery_id = 'x'"
				  " WHERE account_id = '" STR_FMT "'",
				  STR_ARG(id), STR_ARG(accounts[1].id)));
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED, .times = 4);
	world_run(w);
	world_pass(w, US_PER_S);
	world_pass(w, US_PER_S);
	assert_failed(w, posts[0], "INTERNAL_ERROR");
	assert_state(w, posts[1], "pending");
	assert_state(w, posts[2], "published");
	assert_state(w, posts[3], "published");
	/* Mended, it goes out too. */
	damage_rows(w,
		    str_format(w->arena,
			       "UPDATE lanes SET busy_delivery_id = '' WHERE account_id = '" STR_FMT
			       "'",
			       STR_ARG(accounts[1].id)));
	world_pass(w, 11 * US_PER_MINUTE);
	assert_state(w, posts[1], "published");
}

static enum err_kind try_to_accept(struct world *w, const struct account_row *account)
{
	struct error err = {0};
	const struct post_target target = {world_uuid(w), account->id, account->platform,
					   account->user_id};
	const struct post_accept accept = {.app_id = w->app.id,
					   .post_id = world_uuid(w),
					   .request_id = STR("on a damaged database"),
					   .content = STR(WORLD_TEXT("hello")),
					   .now_us = clock_now_us(&w->clock.clock),
					   .targets = &target,
					   .target_count = 1};
	struct post_accept_result result = {0};
	return store_post_accept(w->store, w->arena, &accept, &result, &err);
}

static bool has_alarm(struct world *w, struct str name)
{
	struct error err = {0};
	struct alarm_row *rows = NULL;
	size_t count = 0;
	ok(store_alarm_list(w->store, w->arena, &rows, &count, &err), &err);
	for (size_t i = 0; i < count; i++) {
		if (str_equal(rows[i].name, name))
			return true;
	}
	return false;
}

/* Pages of the table that cannot be read: what stands on others goes out, nothing new is taken. */
static void a_damaged_page_stops_what_stands_on_it(void **state)
{
	struct world *w = *state;
	struct str posts[3];
	const struct account_row bad = world_account(w, PLATFORM_X, 0, NULL);
	struct str id = {0}; /* of the one that a claim takes first */
	for (size_t i = 0; i < 41; i++) {
		const struct str post = world_post(w, WORLD_TEXT("bad"), &bad, 1);
		const struct str one = world_delivery(w, post, 0).id;
		if (i == 0 || str_compare(one, id) < 0)
			id = one;
	}
	for (size_t i = 0; i < 3; i++) {
		const struct account_row account = world_account(w, PLATFORM_X, 0, NULL);
		posts[i] = world_post(w, WORLD_TEXT("good"), &account, 1);
	}
	world_stop_parts(w);
	fake_transport_forget(&w->transport);
	assert_true(damaged_file_zero(w, id) > 0);
	world_start_parts(w);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED, .times = 50);
	for (int i = 0; i < 8; i++)
		world_pass(w, US_PER_S);
	for (size_t i = 0; i < 3; i++)
		assert_state(w, posts[i], "published");
	assert_true(store_is_damaged(w->store));
	assert_true(has_alarm(w, str_concat(w->arena, STR("account "), bad.id)));
	assert_int_equal(try_to_accept(w, &bad), ERR_TEMPORARY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(posts_of_one_account_go_one_after_the_other),
		WORLD_TEST(many_accounts_go_side_by_side),
		WORLD_TEST(what_is_scheduled_waits_without_a_wake_up),
		WORLD_TEST(an_idle_deliverer_holds_no_content),
		WORLD_TEST(a_full_disk_stops_claims_until_there_is_room),
		WORLD_TEST(a_former_runs_work_is_taken_up_unasked),
		WORLD_TEST(a_store_that_cannot_claim_now_is_asked_again),
		WORLD_TEST(a_bad_row_stops_itself_only),
		WORLD_TEST(a_damaged_page_stops_what_stands_on_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
