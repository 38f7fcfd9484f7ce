/* SPDX-License-Identifier: Apache-2.0
 * Conformance: ids that a platform tells later. Asked for with the end of a delivery, claimed one
 * at a time for each account and never beside a delivery of it, written by who holds the fence, and
 * never a change of what was published. */
#include "fixture.h"

#include "count_of.h"

#include "store_event.h"
#include "store_late_id.h"

#define DUE (NOW + US_PER_MINUTE)
#define UNTIL (NOW + US_PER_DAY)
#define NAMELESS "[{\"state\":\"published\",\"remote_id\":null,\"url\":\"https://t.example/@a\"}]"
#define NAMED "[{\"state\":\"published\",\"remote_id\":\"75\",\"url\":\"https://t.example/75\"}]"

static struct str published(struct fixture *fx, const struct app_row *app,
			    const struct account_row *account)
{
	const struct str post_id = post_now(fx, app, account);
	const struct delivery_work work = claim_one(fx, NOW);
	struct delivery_save done = save_of(&work, DELIVERY_PUBLISHED, NOW);
	done.parts = STR(NAMELESS);
	done.remote_id = STR("");
	done.url = STR("https://t.example/@a");
	done.warnings = STR("[{\"code\":\"platform_post_id_missing\"}]");
	done.late_id.due_us = DUE;
	done.late_id.until_us = UNTIL;
	save_ok(fx, &done);
	return post_id;
}

static enum err_kind save_command(struct store_tx *tx, void *argument, struct error *err)
{
	return store_late_id_save(tx, argument, err);
}

static enum err_kind end(struct fixture *fx, const struct after_work *work, const char *remote_id,
			 int64_t now_us)
{
	struct error err = {0};
	struct delivery_save save = save_of(
		&work->delivery, remote_id != NULL ? DELIVERY_PUBLISHED : DELIVERY_WAIT, now_us);
	save.work = &work->delivery;
	save.flow = STR("{\"version\":1}");
	save.due_at_us = now_us + US_PER_HOUR;
	save.looks = work->delivery.looks + 1;
	save.parts = STR(NAMED);
	save.url = STR("https://t.example/75");
	save.remote_id = remote_id != NULL ? str_of(remote_id) : STR("");
	save.warnings = STR("");
	return store_write(fx->store, save_command, &save, &err);
}

static struct delivery_row row_of(struct fixture *fx, const struct app_row *app, struct str post_id)
{
	return get_post(fx, app, post_id).deliveries[0];
}

static void an_id_is_looked_for_until_it_is_found(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	int64_t due_us = 0;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_TIKTOK);
	const struct str post_id = published(fx, &app, &account);
	assert_int_equal(store_post_delivery_outcome(&(struct delivery_row){0}), POST_OUTCOME_NONE);
	const struct delivery_row before = row_of(fx, &app, post_id);
	assert_int_equal(store_post_delivery_outcome(&before), POST_OUTCOME_ALL);
	ok(store_after_next_due(fx->store, &due_us, &err), &err);
	assert_true(due_us > 0 &&
		    due_us <= DUE); /* the rows of other parts of the suite wait too */
	assert_int_equal(claim_after(fx, AFTER_LATE_ID, DUE - 1).count, 0);
	struct claimed_after c = claim_after(fx, AFTER_LATE_ID, DUE);
	assert_int_equal(c.count, 1);
	assert_int_equal(c.work[0].until_us, UNTIL);
	assert_int_equal(c.work[0].delivery.looks, 0);
	assert_int_equal(claim_after(fx, AFTER_LATE_ID, DUE).count, 0); /* the lease */
	ok(end(fx, &c.work[0], NULL, DUE), NULL);
	c = claim_after(fx, AFTER_LATE_ID, DUE + US_PER_HOUR);
	assert_int_equal(c.work[0].delivery.looks, 1);
	ok(end(fx, &c.work[0], "75", DUE + US_PER_HOUR), NULL);

	const struct delivery_row row = row_of(fx, &app, post_id);
	assert_int_equal(row.state, POST_PUBLISHED);
	assert_int_equal(row.published_at_us, before.published_at_us);
	assert_true(str_is(row.remote_id, "75") && str_is(row.url, "https://t.example/75"));
	assert_true(str_is(row.parts, NAMED) && str_is(row.warnings, ""));
	assert_int_equal(claim_after(fx, AFTER_LATE_ID, UNTIL).count, 0);
	assert_int_equal(end(fx, &c.work[0], "76", UNTIL), ERR_CONFLICT);
	assert_true(str_is(row_of(fx, &app, post_id).remote_id, "75"));
}

static void what_is_given_up_says_so_and_makes_no_event(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_TIKTOK);
	const struct str post_id = published(fx, &app, &account);
	const struct claimed_after c = claim_after(fx, AFTER_LATE_ID, UNTIL);
	ok(end(fx, &c.work[0], "", UNTIL), NULL);
	assert_true(str_is(row_of(fx, &app, post_id).remote_id, ""));
	assert_int_equal(row_of(fx, &app, post_id).state, POST_PUBLISHED);
	assert_int_equal(claim_after(fx, AFTER_LATE_ID, UNTIL + US_PER_DAY).count, 0);
}

static void an_account_does_one_thing_at_a_time(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_TIKTOK);
	published(fx, &app, &account);
	post_now(fx, &app, &account);
	const struct delivery_work work = claim_one(fx, NOW);
	assert_int_equal(claim_after(fx, AFTER_LATE_ID, DUE).count, 0); /* the account is busy */
	const struct delivery_save done = save_of(&work, DELIVERY_PUBLISHED, NOW);
	save_ok(fx, &done);
	post_now(fx, &app, &account);
	const struct claimed_after c = claim_after(fx, AFTER_LATE_ID, DUE);
	assert_int_equal(c.count, 1);
	assert_int_equal(claim(fx, DUE, CLAIM_MAX).count, 0); /* and so it is for posts */
	ok(end(fx, &c.work[0], NULL, DUE), NULL);
	assert_int_equal(claim(fx, DUE, CLAIM_MAX).count, 1);
}

/* A dead node's look is taken by another when its lease is over; the dead one cannot save. */
static void a_lost_lease_cannot_save(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_TIKTOK);
	const struct str post_id = published(fx, &app, &account);
	const struct claimed_after dead = claim_after(fx, AFTER_LATE_ID, DUE);
	const struct claimed_after alive = claim_after(fx, AFTER_LATE_ID, DUE + LEASE_US);
	assert_int_equal(alive.count, 1);
	assert_int_equal(end(fx, &dead.work[0], "66", DUE + LEASE_US), ERR_CONFLICT);
	assert_true(str_is(row_of(fx, &app, post_id).remote_id, ""));
	ok(store_late_id_set_aside(fx->store, alive.work[0].delivery.id, &err), &err);
	assert_int_equal(end(fx, &alive.work[0], "75", DUE + LEASE_US), ERR_CONFLICT);
	assert_int_equal(row_of(fx, &app, post_id).state, POST_PUBLISHED);
}

int run_late_id_tests(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(an_id_is_looked_for_until_it_is_found),
		STORE_TEST(what_is_given_up_says_so_and_makes_no_event),
		STORE_TEST(an_account_does_one_thing_at_a_time),
		STORE_TEST(a_lost_lease_cannot_save),
	};
	return cmocka_run_group_tests_name("store: late ids", tests, fixture_open, fixture_close);
}
