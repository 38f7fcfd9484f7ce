/* SPDX-License-Identifier: Apache-2.0
 * Conformance: the end of an app, each step alone, as after a crash between them. */
#include "fixture.h"

#include "count_of.h"

#include "store_app_end.h"
#include "store_key.h"

#define POSTS 5

struct step {
	int64_t at_us;
	int64_t max;
	int64_t done;
};

static enum err_kind run_go_on(struct store_tx *tx, void *argument, struct error *err)
{
	struct step *step = argument;
	return store_app_end_go_on(tx, step->at_us, step->max, &step->done, err);
}

static enum err_kind run_erase(struct store_tx *tx, void *argument, struct error *err)
{
	struct step *step = argument;
	return store_app_end_erase(tx, step->at_us, step->max, &step->done, err);
}

static int64_t go_on(struct fixture *fx, int64_t max)
{
	struct error err = {0};
	struct step step = {NOW, max, 0};
	ok(store_write(fx->store, run_go_on, &step, &err), &err);
	return step.done;
}

static int64_t erase(struct fixture *fx, int64_t before_us)
{
	struct error err = {0};
	struct step step = {before_us, 2, 0};
	ok(store_write(fx->store, run_erase, &step, &err), &err);
	return step.done;
}

static void begin_end(struct fixture *fx, const struct app_row *app)
{
	struct error err = {0};
	ok(store_app_end_begin(fx->store, app->id, NOW, &err), &err);
}

static struct account_row get_account(struct fixture *fx, const struct account_row *account)
{
	struct error err = {0};
	struct account_row row = {0};
	bool found = false;
	ok(store_account_get_many(fx->store, fx->arena, account->app_id, &account->id, 1, &row,
				  &found, &err),
	   &err);
	assert_true(found);
	return row;
}

static void deleting_ends_what_was_not_begun(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx), other = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	const struct account_row others = make_account(fx, &other, "u", PLATFORM_X);
	struct str posts[POSTS];
	struct app_row found = {0};
	for (size_t i = 0; i < POSTS; i++)
		posts[i] = post_now(fx, &app, &account);
	const struct str kept = post_now(fx, &other, &others);
	ok(store_token_issue(fx->store, app.id, app.id, NOW + 9, NOW, &err), &err);
	begin_end(fx, &app);
	assert_int_equal(store_token_find(fx->store, fx->arena, app.id, NOW, &found, &err),
			 ERR_NOT_FOUND);
	assert_int_equal(
		store_app_find_by_client_id(fx->store, fx->arena, app.client_id, &found, &err),
		ERR_NOT_FOUND);
	assert_int_equal(store_app_set_state(fx->store, app.id, APP_ACTIVE, &err), ERR_NOT_FOUND);
	assert_int_equal(go_on(fx, 2), 2);
	assert_int_equal(get_account(fx, &account).state, ACCOUNT_ACTIVE);
	assert_int_equal(go_on(fx, 100), POSTS - 2);
	assert_int_equal(go_on(fx, 100), 0);
	assert_int_equal(get_account(fx, &account).state, ACCOUNT_DISCONNECTED);
	assert_int_equal(get_account(fx, &others).state, ACCOUNT_ACTIVE);
	for (size_t i = 0; i < POSTS; i++) {
		const struct post_row post = get_post(fx, &app, posts[i]);
		assert_int_equal(post.state, POST_FAILED);
		assert_true(str_is(post.deliveries[0].error_code, "CANCELLED"));
	}
	assert_true(str_equal(claim_one(fx, NOW).post_id, kept));
}

/* Who works on it cannot save what it would begin next; what is in doubt is claimed again. */
static void what_is_begun_stays_until_it_is_resolved(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	const struct str post_id = post_now(fx, &app, &account);
	const struct delivery_work work = claim_one(fx, NOW);
	struct delivery_save begun = save_of(&work, DELIVERY_KEEP, NOW);
	assert_false(work.is_app_deleted);
	begun.call_state = CALL_STATE_STARTED;
	begun.call_started_at_us = NOW;
	save_ok(fx, &begun);
	ok(store_app_set_state(fx->store, app.id, APP_SUSPENDED, &err), &err);
	begin_end(fx, &app);
	assert_int_equal(save(fx, &begun, &err), ERR_CONFLICT);
	assert_int_equal(go_on(fx, 100), 0);
	assert_int_equal(get_account(fx, &account).state, ACCOUNT_ACTIVE);
	const int64_t later_us = NOW + LEASE_US * 10;
	const struct delivery_work again = claim_one(fx, later_us);
	assert_true(again.is_app_deleted && again.call_state == CALL_STATE_STARTED);
	struct delivery_save found = save_of(&again, DELIVERY_PUBLISHED, later_us);
	found.remote_id = STR("17");
	save_ok(fx, &found);
	assert_int_equal(go_on(fx, 100), 0);
	assert_int_equal(get_account(fx, &account).state, ACCOUNT_DISCONNECTED);
	assert_int_equal(get_post(fx, &app, post_id).state, POST_PUBLISHED);
}

static void contents_are_erased_and_ids_stay(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	struct str posts[POSTS];
	size_t steps = 0;
	for (size_t i = 0; i < POSTS; i++)
		posts[i] = post_now(fx, &app, &account);
	begin_end(fx, &app);
	ok(store_app_end_cancel_all(fx->store, NOW, &err), &err);
	assert_int_equal(erase(fx, NOW), 0);
	assert_false(str_is_empty(get_post(fx, &app, posts[0]).content));
	while (erase(fx, NOW + 1) > 0)
		assert_true(++steps < 100);
	for (size_t i = 0; i < POSTS; i++) {
		const struct post_row post = get_post(fx, &app, posts[i]);
		assert_true(str_is_empty(post.content) && str_is_empty(post.external_user_id));
		assert_int_equal(post.state, POST_FAILED);
		assert_true(str_equal(post.deliveries[0].account_id, account.id));
	}
	const struct account_row erased = get_account(fx, &account);
	assert_true(str_is_empty(erased.username) && str_equal(erased.user_id, account.id));
}

int run_app_end_tests(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(deleting_ends_what_was_not_begun),
		STORE_TEST(what_is_begun_stays_until_it_is_resolved),
		STORE_TEST(contents_are_erased_and_ids_stay),
	};
	return cmocka_run_group_tests_name("store: end of an app", tests, fixture_open,
					   fixture_close);
}
