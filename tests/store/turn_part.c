/* SPDX-License-Identifier: Apache-2.0
 * Conformance: an engine's turn, as one command. What it costs is how often it waits for the
 * database, and that must not grow with how much it writes; what it does must be the same as if
 * each delivery had been written alone. */
#include "fixture.h"

#include <stdio.h>

#include "store_event.h"
#include "store_private.h"

#define TURN_WAITS_MAX 8
#define FEW 2
#define MANY 40

struct turn {
	struct fixture *fx;
	int64_t now_us;
	struct delivery_work work[CLAIM_MAX]; /* under way: saved as published by the next turn */
	size_t count;
	size_t stale; /* how many of them are said to have lost their fence */
	size_t conflicts;
};

static size_t one_slot(void *context, struct str webhook_id)
{
	(void)context;
	(void)webhook_id;
	return 1;
}

/* All that was begun before all that ends, as the engine does it. */
static enum err_kind save_all(struct turn *turn, struct store_tx *tx, enum delivery_next next,
			      bool is_first, struct error *err)
{
	struct arena *arena = turn->fx->arena;
	struct delivery_save *saves = ARENA_ARRAY(arena, struct delivery_save, turn->count);
	struct delivery_saving **savings =
		ARENA_ARRAY(arena, struct delivery_saving *, turn->count);
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < turn->count && kind == ERR_NONE; i++) {
		saves[i] = save_of(&turn->work[i], next, turn->now_us);
		saves[i].is_first = is_first;
		saves[i].fence -= !is_first && i < turn->stale;
		kind = store_delivery_save_begin(tx, &saves[i], &savings[i], err);
	}
	for (size_t i = 0; i < turn->count && kind == ERR_NONE; i++) {
		kind = store_delivery_save_end(tx, savings[i], err);
		turn->conflicts += kind == ERR_CONFLICT;
		kind = kind == ERR_CONFLICT ? ERR_NONE : kind;
	}
	return kind;
}

static enum err_kind run_turn(struct store_tx *tx, void *argument, struct error *err)
{
	struct turn *turn = argument;
	const struct delivery_claim wish = {.now_us = turn->now_us,
					    .lease_us = LEASE_US,
					    .max = CLAIM_MAX,
					    .leaves_rows = true};
	const struct webhook_claim webhooks = {
		.now_us = turn->now_us, .lease_us = LEASE_US, .max = 10, .slots = one_slot};
	struct webhook_claimed claimed;
	struct delivery_work *work = NULL;
	turn->conflicts = 0;
	enum err_kind kind = save_all(turn, tx, DELIVERY_PUBLISHED, false, err);
	if (kind == ERR_NONE)
		kind = store_delivery_claim(tx, turn->fx->arena, &wish, &work, &turn->count, err);
	for (size_t i = 0; i < turn->count && kind == ERR_NONE; i++)
		turn->work[i] = work[i];
	if (kind == ERR_NONE)
		kind = save_all(turn, tx, DELIVERY_KEEP, true, err);
	return kind == ERR_NONE ? store_webhook_claim(tx, turn->fx->arena, &webhooks, &claimed, err)
				: kind;
}

static int64_t waits(const struct fixture *fx)
{
	const struct sql_connection *sql = fx->store->turner_sql;
	return sql != NULL ? sql->driver->waits(sql) : 0;
}

/* Returns how often it waited. */
static int64_t take_turn(struct turn *turn)
{
	struct error err = {0};
	const int64_t before = waits(turn->fx);
	struct str apps[CLAIM_MAX];
	for (size_t i = 0; i < turn->count; i++)
		apps[i] = turn->work[i].app_id;
	const struct store_turn whole = {run_turn, turn, apps, turn->count};
	ok(store_write_turn(turn->fx->store, &whole, &err), &err);
	turn->now_us += US_PER_S;
	return waits(turn->fx) - before;
}

struct pair {
	struct app_row app;
	struct str posts[2]; /* for the first account, and for both */
};

static void fill(struct fixture *fx, struct pair *pairs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		pairs[i].app = make_app(fx);
		const struct account_row accounts[] = {
			make_account(fx, &pairs[i].app, "u", PLATFORM_X),
			make_account(fx, &pairs[i].app, "u", PLATFORM_LINKEDIN)};
		struct post_accept accept = make_post(fx, &pairs[i].app, accounts, 1);
		pairs[i].posts[0] = accept.post_id;
		accept_post(fx, &accept);
		accept = make_post(fx, &pairs[i].app, accounts, 2);
		pairs[i].posts[1] = accept.post_id;
		accept_post(fx, &accept);
	}
}

static void expect_published(struct fixture *fx, const struct pair *pair)
{
	const struct post_filter filter = {
		.app_id = pair->app.id, .status = STR("published"), .page = 1, .per_page = 10};
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(get_post(fx, &pair->app, pair->posts[i]).state, POST_PUBLISHED);
	assert_int_equal(list_posts(fx, &filter).total, 2);
}

/* Three turns: the first post of each account begins; the second of the first account; the end. */
static void deliver(struct fixture *fx, size_t count, int64_t waits_out[3])
{
	struct pair pairs[MANY];
	struct turn turn = {.fx = fx, .now_us = NOW + US_PER_S};
	fill(fx, pairs, count);
	waits_out[0] = take_turn(&turn);
	assert_int_equal(turn.count, 2 * count);
	assert_int_equal(get_post(fx, &pairs[0].app, pairs[0].posts[1]).state, POST_PROCESSING);
	waits_out[1] = take_turn(&turn);
	assert_int_equal(turn.count, count);
	assert_int_equal(turn.conflicts, 0);
	waits_out[2] = take_turn(&turn);
	assert_int_equal(turn.count, 0);
	for (size_t i = 0; i < count; i++)
		expect_published(fx, &pairs[i]);
}

static void a_turn_waits_as_often_for_many_as_for_few(void **state)
{
	struct fixture *fx = *state;
	int64_t few[3];
	int64_t many[3];
	struct turn first = {.fx = fx, .now_us = NOW};
	take_turn(&first); /* of its connection: it learns on which server it is */
	deliver(fx, FEW, few);
	deliver(fx, MANY, many);
	for (size_t i = 0; i < 3; i++) {
		print_message("turn %zu: %d waited round trips for %d apps, %d for %d\n", i + 1,
			      (int)few[i], FEW, (int)many[i], MANY);
		assert_int_equal(many[i], few[i]);
		assert_true(many[i] <= TURN_WAITS_MAX);
	}
}

static void one_that_lost_its_fence_costs_the_others_nothing(void **state)
{
	struct fixture *fx = *state;
	struct pair pairs[3];
	struct turn turn = {.fx = fx, .now_us = NOW + US_PER_S};
	fill(fx, pairs, 3);
	take_turn(&turn);
	turn.stale = 1;
	const struct delivery_work late = turn.work[0];
	take_turn(&turn);
	turn.stale = 0;
	assert_int_equal(turn.conflicts, 1);
	take_turn(&turn);
	size_t open = 0;
	for (size_t i = 0; i < 3; i++)
		for (size_t k = 0; k < 2; k++)
			open += get_post(fx, &pairs[i].app, pairs[i].posts[k]).state !=
				POST_PUBLISHED;
	/* what the stale one was about is still under its claim; with it waits what follows it */
	assert_true(open >= 1 && open <= 2);
	turn.work[0] = late;
	turn.count = 1;
	for (int i = 0; i < 3; i++)
		take_turn(&turn);
	for (size_t i = 0; i < 3; i++)
		expect_published(fx, &pairs[i]);
}

struct half {
	const struct delivery_save *kept;
	const struct delivery_save *undone;
};

static enum err_kind save_and_fail(struct store_tx *tx, void *argument, struct error *err)
{
	const enum err_kind kind = save_in(tx, argument, err);
	return kind == ERR_NONE ? error_set(err, ERR_INTERNAL, "on purpose") : kind;
}

static enum err_kind save_one_undo_one(struct store_tx *tx, void *argument, struct error *err)
{
	const struct half *half = argument;
	struct error why = {0};
	const enum err_kind kind = save_in(tx, half->kept, err);
	if (kind != ERR_NONE)
		return kind;
	assert_int_equal(store_tx_isolate(tx, save_and_fail, (void *)half->undone, &why),
			 ERR_INTERNAL);
	return ERR_NONE;
}

/* Both count in the same buckets: what is left to the end of a command must not keep it. */
static void what_is_undone_is_not_counted_later(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	for (int i = 0; i < 2; i++) {
		const struct account_row account =
			make_account(fx, &app, i == 0 ? "u" : "v", PLATFORM_X);
		post_now(fx, &app, &account);
	}
	const struct claimed claimed = claim(fx, NOW + US_PER_S, CLAIM_MAX);
	assert_int_equal(claimed.count, 2);
	struct delivery_save saves[2];
	for (size_t i = 0; i < 2; i++)
		saves[i] = save_of(&claimed.work[i], DELIVERY_PUBLISHED, NOW + US_PER_S);
	struct half half = {&saves[0], &saves[1]};
	ok(store_write(fx->store, save_one_undo_one, &half, &err), &err);
	struct post_filter filter = {
		.app_id = app.id, .status = STR("published"), .page = 1, .per_page = 10};
	assert_int_equal(list_posts(fx, &filter).total, 1);
	filter.status = STR("pending");
	assert_int_equal(list_posts(fx, &filter).total, 1);
	save_ok(fx, &saves[1]);
	assert_int_equal(list_posts(fx, &filter).total, 0);
}

int run_turn_tests(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(a_turn_waits_as_often_for_many_as_for_few),
		STORE_TEST(one_that_lost_its_fence_costs_the_others_nothing),
		STORE_TEST(what_is_undone_is_not_counted_later),
	};
	return cmocka_run_group_tests_name("store: a turn", tests, fixture_open, fixture_close);
}
