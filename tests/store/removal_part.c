/* SPDX-License-Identifier: Apache-2.0
 * Conformance: published posts that are taken back. Asked for once, claimed one at a time for each
 * account and never beside a delivery of it, written by who holds the fence. */
#include "fixture.h"

#include "count_of.h"

#include "store_post_change.h"
#include "store_removal.h"

#define OUT "[{\"state\":\"published\",\"remote_id\":\"r1\",\"url\":\"https://x.example/1\"}]"

static struct str published(struct fixture *fx, const struct app_row *app,
			    const struct account_row *account)
{
	const struct str post_id = post_now(fx, app, account);
	const struct delivery_work work = claim_one(fx, NOW);
	struct delivery_save done = save_of(&work, DELIVERY_PUBLISHED, NOW);
	done.parts = STR(OUT);
	done.remote_id = STR("r1");
	done.url = STR("https://x.example/1");
	save_ok(fx, &done);
	return post_id;
}

static struct post_unpublish_result ask(struct fixture *fx, const struct app_row *app,
					struct str post_id)
{
	struct error err = {0};
	struct post_unpublish_result result = {0};
	const struct post_unpublish wish = {.app_id = app->id, .post_id = post_id, .now_us = NOW};
	ok(store_post_unpublish(fx->store, fx->arena, &wish, &result, &err), &err);
	return result;
}

struct saving {
	const struct delivery_save *save;
	bool is_unsupported;
};

static enum err_kind save_command(struct store_tx *tx, void *argument, struct error *err)
{
	const struct saving *saving = argument;
	return store_removal_save(tx, saving->save, saving->is_unsupported, err);
}

static enum err_kind end_as(struct fixture *fx, const struct after_work *work,
			    enum delivery_next next, int64_t now_us, enum failure_code code)
{
	struct error err = {0};
	const struct failure failure = {
		.class = FAILURE_PERMANENT, .code = code, .message = STR("No.")};
	struct delivery_save save = save_of(&work->delivery, next, now_us);
	save.work = &work->delivery;
	save.flow = STR("{}");
	save.due_at_us = now_us + US_PER_S;
	save.failure = next == DELIVERY_FAILED ? &failure : NULL;
	struct saving saving = {.save = &save};
	return store_write(fx->store, save_command, &saving, &err);
}

static enum err_kind end(struct fixture *fx, const struct after_work *work, enum delivery_next next,
			 int64_t now_us)
{
	return end_as(fx, work, next, now_us, FAILURE_CODE_PLATFORM_REJECTED);
}

static struct removal_row removal_of(struct fixture *fx, const struct app_row *app,
				     struct str post_id)
{
	return get_post(fx, app, post_id).deliveries[0].removal;
}

static void what_is_out_is_asked_for_once(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	struct post_unpublish_result result = {0};
	const struct app_row app = make_app(fx);
	const struct app_row other = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	const struct str post_id = published(fx, &app, &account);
	const struct post_unpublish foreign = {
		.app_id = other.id, .post_id = post_id, .now_us = NOW};
	assert_int_equal(removal_of(fx, &app, post_id).status, POST_REMOVAL_NONE);
	assert_int_equal(store_post_unpublish(fx->store, fx->arena, &foreign, &result, &err),
			 ERR_NOT_FOUND);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(ask(fx, &app, post_id).outcome, POST_UNPUBLISHED);
		assert_int_equal(removal_of(fx, &app, post_id).status, POST_REMOVAL_PENDING);
	}
	const struct claimed_after first = claim_after(fx, AFTER_REMOVAL, NOW);
	assert_int_equal(first.count, 1);
	assert_true(str_is(first.work[0].parts, OUT) && first.work[0].is_new);
	assert_int_equal(claim_after(fx, AFTER_REMOVAL, NOW + 1).count, 0);
	ok(end(fx, &first.work[0], DELIVERY_PUBLISHED, NOW + 2), NULL);
	const struct removal_row removed = removal_of(fx, &app, post_id);
	assert_int_equal(removed.status, POST_REMOVAL_REMOVED);
	assert_int_equal(removed.removed_at_us, NOW + 2);
	assert_int_equal(ask(fx, &app, post_id).outcome, POST_UNPUBLISHED);
	assert_int_equal(removal_of(fx, &app, post_id).status, POST_REMOVAL_REMOVED);
	assert_int_equal(claim_after(fx, AFTER_REMOVAL, NOW + US_PER_DAY).count, 0);
	assert_int_equal(end(fx, &first.work[0], DELIVERY_PUBLISHED, NOW + 3), ERR_CONFLICT);
}

static void nothing_is_out(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	const struct str post_id = post_now(fx, &app, &account);
	assert_int_equal(ask(fx, &app, post_id).outcome, POST_UNPUBLISH_NOTHING);
	const struct delivery_work work = claim_one(fx, NOW);
	const struct delivery_save failed = save_of(&work, DELIVERY_FAILED, NOW);
	save_ok(fx, &failed);
	assert_int_equal(ask(fx, &app, post_id).outcome, POST_UNPUBLISH_NOTHING);
}

static void an_account_does_one_thing_at_a_time(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	const struct str ids[] = {published(fx, &app, &account), published(fx, &app, &account)};
	const struct str next_id = post_now(fx, &app, &account);
	ask(fx, &app, ids[0]);
	ask(fx, &app, ids[1]);
	const struct delivery_work work = claim_one(fx, NOW);
	assert_true(str_equal(work.post_id, next_id));
	assert_int_equal(claim_after(fx, AFTER_REMOVAL, NOW).count, 0); /* the account is busy */
	const struct delivery_save done = save_of(&work, DELIVERY_PUBLISHED, NOW);
	save_ok(fx, &done);

	const struct str late_id = post_now(fx, &app, &account);
	const struct claimed_after one = claim_after(fx, AFTER_REMOVAL, NOW);
	assert_int_equal(one.count, 1);
	assert_int_equal(claim(fx, NOW, CLAIM_MAX).count, 0); /* and so it is for posts */
	ok(end(fx, &one.work[0], DELIVERY_WAIT, NOW), NULL);
	const struct delivery_work late = claim_one(fx, NOW);
	assert_true(str_equal(late.post_id, late_id));
	const struct delivery_save late_done = save_of(&late, DELIVERY_PUBLISHED, NOW);
	save_ok(fx, &late_done);
	for (int i = 0; i < 2; i++) {
		const struct claimed_after rest =
			claim_after(fx, AFTER_REMOVAL, NOW + 2 * US_PER_S);
		assert_int_equal(rest.count, 1);
		ok(end(fx, &rest.work[0], DELIVERY_PUBLISHED, NOW + 2 * US_PER_S), NULL);
	}
}

/* A dead node's removal is taken by another when its lease is over; the dead one cannot save. */
static void a_lost_lease_cannot_save(void **state)
{
	struct fixture *fx = *state;
	int64_t due_us = 0;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	const struct str post_id = published(fx, &app, &account);
	ask(fx, &app, post_id);
	const struct claimed_after dead = claim_after(fx, AFTER_REMOVAL, NOW);
	assert_int_equal(dead.count, 1);
	ok(store_after_next_due(fx->store, &due_us, &err), &err);
	assert_int_equal(due_us, NOW + LEASE_US);
	const struct claimed_after alive = claim_after(fx, AFTER_REMOVAL, NOW + LEASE_US);
	assert_int_equal(alive.count, 1);
	assert_int_equal(end(fx, &dead.work[0], DELIVERY_PUBLISHED, NOW + LEASE_US), ERR_CONFLICT);
	assert_int_equal(removal_of(fx, &app, post_id).status, POST_REMOVAL_PENDING);
	ok(end(fx, &alive.work[0], DELIVERY_FAILED, NOW + LEASE_US), NULL);
	assert_true(str_is(removal_of(fx, &app, post_id).error_code, "PLATFORM_REJECTED"));
	/* What failed may be asked for again. */
	ask(fx, &app, post_id);
	assert_int_equal(removal_of(fx, &app, post_id).status, POST_REMOVAL_PENDING);
	ok(store_removal_set_aside(fx->store, dead.work[0].delivery.id, &err), &err);
	assert_int_equal(removal_of(fx, &app, post_id).status, POST_REMOVAL_FAILED);
}

/* Until a look has settled it, nothing may be said of the next removal as if the post were there.
 */
static void a_doubt_outlives_its_removal(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	const struct str post_id = published(fx, &app, &account);
	static const enum failure_code codes[] = {FAILURE_CODE_PLATFORM_REJECTED,
						  FAILURE_CODE_OUTCOME_UNKNOWN};
	ask(fx, &app, post_id);
	for (size_t i = 0; i < COUNT_OF(codes); i++) {
		const int64_t now_us = NOW + (int64_t)i * US_PER_S;
		const struct claimed_after before = claim_after(fx, AFTER_REMOVAL, now_us);
		assert_int_equal(before.count, 1);
		ok(end_as(fx, &before.work[0], DELIVERY_FAILED, now_us, codes[i]), NULL);
		ask(fx, &app, post_id);
		const struct claimed_after after = claim_after(fx, AFTER_REMOVAL, now_us);
		assert_int_equal(after.count, 1);
		assert_true(after.work[0].is_new);
		assert_int_equal(after.work[0].is_call_open,
				 codes[i] == FAILURE_CODE_OUTCOME_UNKNOWN);
		ok(end(fx, &after.work[0], DELIVERY_FAILED, now_us), NULL);
		ask(fx, &app, post_id);
	}
}

int run_removal_tests(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(what_is_out_is_asked_for_once),
		STORE_TEST(nothing_is_out),
		STORE_TEST(an_account_does_one_thing_at_a_time),
		STORE_TEST(a_lost_lease_cannot_save),
		STORE_TEST(a_doubt_outlives_its_removal),
	};
	return cmocka_run_group_tests_name("store: removals", tests, fixture_open, fixture_close);
}
