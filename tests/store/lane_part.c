/* SPDX-License-Identifier: Apache-2.0
 * Conformance: one platform account that several users of an app have connected is one lane. */
#include "fixture.h"

#include "count_of.h"

#include "store_post_change.h"
#include "store_removal.h"

#define OUT "[{\"state\":\"published\",\"remote_id\":\"r1\",\"url\":\"https://x.example/1\"}]"

/* Two users of an app with the same platform account, and one with another. */
struct town {
	struct app_row app;
	struct account_row ann;
	struct account_row bob;
	struct account_row carl;
};

static struct town make_town(struct fixture *fx)
{
	struct town town = {.app = make_app(fx)};
	town.ann = make_account(fx, &town.app, "ann", PLATFORM_X);
	town.carl = make_account(fx, &town.app, "carl", PLATFORM_X);
	town.bob = make_same_account(fx, &town.app, "bob", &town.ann);
	return town;
}

static struct str post_due(struct fixture *fx, const struct town *town,
			   const struct account_row *account, int64_t ago_us)
{
	struct post_accept accept = make_post(fx, &town->app, account, 1);
	accept.now_us = NOW - US_PER_MINUTE;
	accept.scheduled_at_us = NOW - ago_us;
	accept_post(fx, &accept);
	return accept.post_id;
}

static void end(struct fixture *fx, const struct delivery_work *work, enum delivery_next next)
{
	struct delivery_save save = save_of(work, next, NOW);
	if (next == DELIVERY_PUBLISHED) {
		save.parts = STR(OUT);
		save.remote_id = STR("r1");
	}
	save_ok(fx, &save);
}

static int64_t next_due(struct fixture *fx)
{
	struct error err = {0};
	int64_t due_us = -1;
	ok(store_delivery_next_due(fx->store, &due_us, &err), &err);
	return due_us;
}

static void their_posts_go_one_at_a_time_oldest_first(void **state)
{
	struct fixture *fx = *state;
	const struct town town = make_town(fx);
	const struct str ids[] = {
		post_due(fx, &town, &town.bob, 4), post_due(fx, &town, &town.ann, 3),
		post_due(fx, &town, &town.bob, 2), post_due(fx, &town, &town.ann, 1)};
	const struct str apart = post_due(fx, &town, &town.carl, 1);
	struct claimed claimed = claim(fx, NOW, CLAIM_MAX);
	assert_int_equal(claimed.count, 2); /* and the one that has nothing to do with them */
	const size_t other = str_equal(claimed.work[0].post_id, apart) ? 0 : 1;
	assert_true(str_equal(claimed.work[other].post_id, apart));
	end(fx, &claimed.work[other], DELIVERY_PUBLISHED);
	struct delivery_work work = claimed.work[1 - other];
	for (size_t i = 0; i < COUNT_OF(ids); i++) {
		assert_true(str_equal(work.post_id, ids[i]));
		assert_int_equal(claim(fx, NOW, CLAIM_MAX).count, 0);
		end(fx, &work, DELIVERY_PUBLISHED);
		if (i + 1 < COUNT_OF(ids))
			work = claim_one(fx, NOW);
	}
	assert_int_equal(next_due(fx), 0);
}

/* Nothing is due while they wait: an engine that is told otherwise asks without end. */
static void who_stands_behind_is_not_due(void **state)
{
	struct fixture *fx = *state;
	const struct town town = make_town(fx);
	post_due(fx, &town, &town.ann, 2);
	const struct delivery_work first = claim_one(fx, NOW);
	const struct str second = post_due(fx, &town, &town.bob, 1);
	assert_int_equal(claim(fx, NOW, CLAIM_MAX).count, 0);
	assert_int_equal(next_due(fx), first.lease_until_us);
	struct delivery_save wait = save_of(&first, DELIVERY_WAIT, NOW);
	wait.due_at_us = NOW + US_PER_S;
	save_ok(fx, &wait);
	assert_int_equal(next_due(fx), NOW + US_PER_S);
	assert_int_equal(claim(fx, NOW, CLAIM_MAX).count, 0);

	const struct delivery_work again = claim_one(fx, NOW + US_PER_S);
	assert_true(str_equal(again.id, first.id));
	end(fx, &again, DELIVERY_FAILED);
	assert_true(str_equal(claim_one(fx, NOW).post_id, second));
}

static void a_lost_lease_is_taken_up_and_the_others_go_on_waiting(void **state)
{
	struct fixture *fx = *state;
	const struct town town = make_town(fx);
	const struct str first_id = post_due(fx, &town, &town.ann, 2);
	const struct str second_id = post_due(fx, &town, &town.bob, 1);
	const struct delivery_work first = claim_one(fx, NOW);
	const struct delivery_work again = claim_one(fx, first.lease_until_us);
	assert_true(str_equal(again.post_id, first_id));
	assert_int_equal(again.fence, first.fence + 1);

	fixture_reopen(fx); /* the leases are void */
	const struct delivery_work third = claim_one(fx, NOW);
	assert_true(str_equal(third.post_id, first_id));
	assert_int_equal(claim(fx, NOW, CLAIM_MAX).count, 0);
	end(fx, &third, DELIVERY_PUBLISHED);
	assert_true(str_equal(claim_one(fx, NOW).post_id, second_id));
}

/* Who connects it while the other works stands behind. */
static void a_third_joins(void **state)
{
	struct fixture *fx = *state;
	const struct town town = make_town(fx);
	post_due(fx, &town, &town.ann, 2);
	const struct delivery_work first = claim_one(fx, NOW);
	const struct account_row dora = make_same_account(fx, &town.app, "dora", &town.bob);
	const struct str second_id = post_due(fx, &town, &dora, 1);
	assert_int_equal(claim(fx, NOW, CLAIM_MAX).count, 0);
	assert_int_equal(next_due(fx), first.lease_until_us);
	end(fx, &first, DELIVERY_PUBLISHED);
	assert_true(str_equal(claim_one(fx, NOW).post_id, second_id));
}

static void what_is_cancelled_gives_way(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	struct post_change_result result = {0};
	const struct town town = make_town(fx);
	const struct str first_id = post_due(fx, &town, &town.ann, 2);
	const struct str second_id = post_due(fx, &town, &town.bob, 1);
	assert_true(str_equal(claim_one(fx, NOW).post_id, first_id));
	ok(store_post_cancel(fx->store, town.app.id, first_id, &result, &err), &err);
	assert_int_equal(result.outcome, POST_CHANGED);
	assert_true(str_equal(claim_one(fx, NOW).post_id, second_id));
}

/* A post of the other's is no proof that one's own is out. */
static void what_one_published_is_bound_for_all(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct town town = make_town(fx);
	const struct account_row *const accounts[] = {&town.ann, &town.bob, &town.carl};
	post_due(fx, &town, &town.ann, 1);
	const struct delivery_work work = claim_one(fx, NOW);
	end(fx, &work, DELIVERY_PUBLISHED);
	for (size_t i = 0; i < COUNT_OF(accounts); i++) {
		bool is_bound = false;
		ok(store_delivery_remote_id_is_bound(fx->store, accounts[i]->id, STR("r1"), STR(""),
						     &is_bound, &err),
		   &err);
		assert_int_equal(is_bound, i < 2);
	}
}

static enum err_kind end_removal(struct store_tx *tx, void *argument, struct error *err)
{
	return store_removal_save(tx, argument, false, err);
}

static void a_removal_keeps_the_order_too(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	struct post_unpublish_result result = {0};
	const struct town town = make_town(fx);
	const struct str post_id = post_due(fx, &town, &town.ann, 1);
	const struct delivery_work first = claim_one(fx, NOW);
	end(fx, &first, DELIVERY_PUBLISHED);
	const struct post_unpublish wish = {
		.app_id = town.app.id, .post_id = post_id, .now_us = NOW};
	ok(store_post_unpublish(fx->store, fx->arena, &wish, &result, &err), &err);

	post_due(fx, &town, &town.bob, 1);
	const struct delivery_work second = claim_one(fx, NOW);
	assert_int_equal(claim_after(fx, AFTER_REMOVAL, NOW).count, 0);
	end(fx, &second, DELIVERY_PUBLISHED);
	const struct claimed_after c = claim_after(fx, AFTER_REMOVAL, NOW);
	assert_int_equal(c.count, 1);
	post_due(fx, &town, &town.bob, 1);
	assert_int_equal(claim(fx, NOW, CLAIM_MAX).count, 0);
	struct delivery_save done = save_of(&c.work[0].delivery, DELIVERY_PUBLISHED, NOW);
	done.work = &c.work[0].delivery;
	done.flow = STR("{}");
	ok(store_write(fx->store, end_removal, &done, &err), &err);
	assert_true(str_equal(claim_one(fx, NOW).account.id, town.bob.id));
}

/* Another app's account is another lane: its own limits, and its own customers. */
static void another_app_has_a_lane_of_its_own(void **state)
{
	struct fixture *fx = *state;
	const struct town town = make_town(fx);
	const struct app_row app = make_app(fx);
	const struct account_row elsewhere = make_same_account(fx, &app, "ann", &town.ann);
	post_due(fx, &town, &town.ann, 1);
	post_now(fx, &app, &elsewhere);
	assert_int_equal(claim(fx, NOW, CLAIM_MAX).count, 2);
}

int run_lane_tests(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(their_posts_go_one_at_a_time_oldest_first),
		STORE_TEST(who_stands_behind_is_not_due),
		STORE_TEST(a_lost_lease_is_taken_up_and_the_others_go_on_waiting),
		STORE_TEST(a_third_joins),
		STORE_TEST(what_is_cancelled_gives_way),
		STORE_TEST(what_one_published_is_bound_for_all),
		STORE_TEST(a_removal_keeps_the_order_too),
		STORE_TEST(another_app_has_a_lane_of_its_own),
	};
	return cmocka_run_group_tests_name("store: lanes", tests, fixture_open, fixture_close);
}
