/* SPDX-License-Identifier: Apache-2.0
 * Conformance: retry of many. What is found and what never is, runs side by side, and runs that are
 * cut off: whatever is tried, each platform post is retried once. */
#include "fixture.h"

#include <pthread.h>
#include <stdlib.h>

#include "store_post_change.h"
#include "store_post_resolve.h"
#include "store_retry_many.h"

static const struct failure refused = {
	.class = FAILURE_PERMANENT, .code = FAILURE_CODE_CONTENT_REJECTED, .message = STR("No.")};
static const struct failure unknown = {.class = FAILURE_PERMANENT,
				       .code = FAILURE_CODE_OUTCOME_UNKNOWN,
				       .message = STR("Nobody knows.")};

static struct retry_many all_of(const struct app_row *app)
{
	return (struct retry_many){.app_id = app->id, .since_us = NOW - US_PER_DAY, .now_us = NOW};
}

static struct retry_many unknown_of(const struct app_row *app)
{
	struct retry_many many = all_of(app);
	many.error_codes[many.code_count++] = STR("OUTCOME_UNKNOWN");
	many.republish = true;
	return many;
}

static struct retry_many_result count(struct fixture *fx, const struct retry_many *many)
{
	struct error err = {0};
	struct retry_many_result result = {0};
	ok(store_retry_many_count(fx->store, fx->arena, many, &result, &err), &err);
	return result;
}

static struct retry_many_result run(struct fixture *fx, const struct retry_many *many)
{
	struct error err = {0};
	struct retry_many_result result = {0};
	ok(store_retry_many(fx->store, fx->arena, many, &result, &err), &err);
	return result;
}

static bool is_of(const struct retry_many_result *result, struct str post_id)
{
	for (size_t i = 0; i < result->post_count; i++) {
		if (str_equal(result->post_ids[i], post_id))
			return true;
	}
	return false;
}

static void fail_at(struct fixture *fx, const struct failure *failure, int64_t at_us)
{
	const struct delivery_work work = claim_one(fx, at_us);
	struct delivery_save failed = save_of(&work, DELIVERY_FAILED, at_us);
	failed.failure = failure;
	save_ok(fx, &failed);
}

static struct str failed_post(struct fixture *fx, const struct app_row *app,
			      const struct account_row *account, const struct failure *failure)
{
	const struct str post_id = post_now(fx, app, account);
	fail_at(fx, failure, NOW);
	return post_id;
}

/* Works off what is open, so that the fixture finds nothing left; published says how many. */
static size_t publish_all(struct fixture *fx)
{
	size_t published = 0;
	for (;;) {
		const struct claimed claimed = claim(fx, NOW, CLAIM_MAX);
		if (claimed.count == 0)
			return published;
		for (size_t i = 0; i < claimed.count; i++) {
			const struct delivery_save done =
				save_of(&claimed.work[i], DELIVERY_PUBLISHED, NOW);
			save_ok(fx, &done);
			published++;
		}
	}
}

static void each_filter_says_which(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct app_row other = make_app(fx);
	const struct account_row one = make_account(fx, &app, "u", PLATFORM_X);
	const struct account_row two = make_account(fx, &app, "u", PLATFORM_TIKTOK);
	const struct account_row foreign = make_account(fx, &other, "u", PLATFORM_X);
	const struct str first = failed_post(fx, &app, &one, &refused);
	failed_post(fx, &app, &one, &unknown);
	const struct str third = failed_post(fx, &app, &two, &refused);
	failed_post(fx, &other, &foreign, &refused);

	struct retry_many many = all_of(&app);
	struct retry_many_result found = count(fx, &many);
	assert_int_equal(found.count, 2);
	assert_int_equal(found.post_count, 2);
	assert_true(is_of(&found, first) && is_of(&found, third));
	assert_false(found.has_more);

	many.account_ids = &two.id;
	many.account_count = 1;
	found = count(fx, &many);
	assert_int_equal(found.count, 1);
	assert_true(str_equal(found.post_ids[0], third));
	many.error_codes[many.code_count++] = STR("RATE_LIMITED");
	assert_int_equal(count(fx, &many).count, 0);
	many.error_codes[many.code_count++] = STR("CONTENT_REJECTED");
	assert_int_equal(count(fx, &many).count, 1);
	many.account_ids = &foreign.id;
	assert_int_equal(count(fx, &many).count, 0);
	many = all_of(&app);
	many.since_us = NOW;
	assert_int_equal(count(fx, &many).count, 2); /* at or after */
	many.since_us = NOW + 1;
	assert_int_equal(count(fx, &many).count, 0);

	many = all_of(&app);
	assert_int_equal(run(fx, &many).count, 2);
	assert_int_equal(run(fx, &many).count, 0);
	assert_int_equal(get_post(fx, &app, first).state, POST_PENDING);
	assert_int_equal(publish_all(fx), 2);
	assert_int_equal(count(fx, &many).count, 0);
	many = all_of(&other);
	assert_int_equal(count(fx, &many).count, 1);
}

static enum err_kind do_reauth(struct store_tx *tx, void *argument, struct error *err)
{
	const struct account_row *account = argument;
	return store_account_set_state(tx, account->id, ACCOUNT_REAUTH_REQUIRED, STR("gone"), NOW,
				       err);
}

static void what_was_cancelled_or_cannot_go_out_is_never_found(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	struct account_row gone = make_account(fx, &app, "u", PLATFORM_X);
	const struct account_row fine = make_account(fx, &app, "u", PLATFORM_TIKTOK);
	const struct retry_many many = all_of(&app);
	struct error err = {0};
	struct post_change_result cancelled = {0};
	const struct str post_id = post_now(fx, &app, &fine);
	ok(store_post_cancel(fx->store, app.id, post_id, &cancelled, &err), &err);
	failed_post(fx, &app, &gone, &refused);
	assert_int_equal(count(fx, &many).count, 1);
	ok(store_write(fx->store, do_reauth, &gone, &err), &err);
	assert_int_equal(count(fx, &many).count, 0);
	assert_int_equal(run(fx, &many).count, 0);
	/* One that was cancelled by the deliverer, which held it. */
	static const struct failure ended = {.class = FAILURE_PERMANENT,
					     .code = FAILURE_CODE_CANCELLED,
					     .message = STR("Cancelled.")};
	failed_post(fx, &app, &fine, &ended);
	assert_int_equal(count(fx, &many).count, 0);
}

/* A post of which one part is missing, and one whose preview image was refused. */
static void missing_parts_are_found_and_nothing_that_is_whole(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_YOUTUBE);
	const struct retry_many many = all_of(&app);
	static const struct {
		enum delivery_next next;
		const struct failure *failure;
		const char *warnings;
		size_t found;
	} cases[] = {
		{DELIVERY_PUBLISHED, NULL, "", 0},
		{DELIVERY_PUBLISHED, NULL, "[{\"code\":\"v\",\"repeatable\":false}]", 0},
		{DELIVERY_PUBLISHED, NULL, "[{\"code\":\"t\",\"repeatable\":true}]", 1},
		{DELIVERY_PARTIAL, &refused, "", 1},
		{DELIVERY_PARTIAL, &unknown, "", 0},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct str post_id = post_now(fx, &app, &account);
		const struct delivery_work work = claim_one(fx, NOW);
		struct delivery_save save = save_of(&work, cases[i].next, NOW);
		save.failure = cases[i].failure;
		save.parts = STR("[{\"state\":\"published\",\"remote_id\":\"r\",\"url\":null},"
				 "{\"state\":\"failed\",\"remote_id\":null,\"url\":null}]");
		save.warnings = str_of(cases[i].warnings);
		save_ok(fx, &save);
		const struct retry_many_result found = run(fx, &many);
		assert_int_equal(found.count, cases[i].found);
		if (found.count > 0) {
			assert_true(str_equal(found.post_ids[0], post_id));
			assert_int_equal(publish_all(fx), 1);
		}
	}
}

static void an_unknown_outcome_needs_the_word_and_its_number(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	const struct str post_id = failed_post(fx, &app, &account, &unknown);
	failed_post(fx, &app, &account, &refused);
	struct retry_many many = unknown_of(&app);
	struct error err = {0};
	many.republish = false;
	assert_int_equal(run(fx, &many).count, 0);
	many.republish = true;
	many.has_expected = true;
	many.expected = 2;
	const struct retry_many_result changed = run(fx, &many);
	assert_true(changed.is_count_changed);
	assert_int_equal(changed.count, 1);
	assert_int_equal(claim(fx, NOW, CLAIM_MAX).count, 0);
	many.expected = 1;
	assert_int_equal(run(fx, &many).count, 1);
	assert_true(run(fx, &many).is_count_changed);
	fail_at(fx, &unknown, NOW);
	/* What a person has seen is known. */
	const struct post_appeared appeared = {.app_id = app.id,
					       .post_id = post_id,
					       .account_id = account.id,
					       .remote_id = STR("r-seen"),
					       .now_us = NOW};
	assert_int_equal(count(fx, &many).count, 1);
	ok(store_post_appeared(fx->store, &appeared, &err), &err);
	assert_int_equal(count(fx, &many).count, 0);
}

#define MANY 130 /* more than two transactions hold */
#define RUNS 6

struct runner {
	struct fixture *fx;
	struct arena *arena;
	struct retry_many many;
	struct retry_many_result result;
	enum err_kind kind;
};

static void *run_beside(void *argument)
{
	struct runner *runner = argument;
	struct error err = {0};
	runner->kind = store_retry_many(runner->fx->store, runner->arena, &runner->many,
					&runner->result, &err);
	return NULL;
}

/* Begins runs at one moment; returns how many platform posts they retried together. */
static size_t run_together(struct fixture *fx, const struct retry_many *many, size_t *changed_out)
{
	struct runner runners[RUNS] = {0};
	pthread_t threads[RUNS];
	size_t retried = 0;
	*changed_out = 0;
	for (size_t i = 0; i < RUNS; i++) {
		runners[i] = (struct runner){
			.fx = fx, .arena = arena_new("runner", 8 << 20), .many = *many};
		assert_int_equal(pthread_create(&threads[i], NULL, run_beside, &runners[i]), 0);
	}
	for (size_t i = 0; i < RUNS; i++) {
		assert_int_equal(pthread_join(threads[i], NULL), 0);
		assert_int_equal(runners[i].kind, ERR_NONE);
		if (runners[i].result.is_count_changed)
			++*changed_out;
		else
			retried += runners[i].result.count;
		arena_free(&runners[i].arena);
	}
	return retried;
}

static void runs_side_by_side_retry_each_once(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	size_t changed = 0;
	for (size_t i = 0; i < MANY; i++)
		failed_post(fx, &app, &account, &unknown);
	struct retry_many many = unknown_of(&app);
	assert_int_equal(count(fx, &many).count, MANY);
	assert_int_equal(run_together(fx, &many, &changed), MANY);
	assert_int_equal(changed, 0);
	assert_int_equal(publish_all(fx), MANY);

	for (size_t i = 0; i < MANY; i++)
		failed_post(fx, &app, &account, &unknown);
	many.has_expected = true;
	many.expected = MANY;
	assert_int_equal(run_together(fx, &many, &changed), MANY);
	assert_int_equal(changed, RUNS - 1); /* one of them had the number */
	assert_int_equal(publish_all(fx), MANY);
}

/* Somebody else touches one of the first, and one far behind, between finding and writing. */
static void what_was_retried_since_it_was_found_is_left_alone(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	struct error err = {0};
	struct post_retry_result one = {0};
	struct str posts[3];
	for (size_t i = 0; i < 3; i++)
		posts[i] = failed_post(fx, &app, &account, &unknown);
	const struct retry_many many = unknown_of(&app);
	const struct post_retry wish = {
		.app_id = app.id, .post_id = posts[1], .republish = true, .now_us = NOW};
	ok(store_post_retry(fx->store, fx->arena, &wish, &one, &err), &err);
	const struct retry_many_result result = run(fx, &many);
	assert_int_equal(result.count, 2);
	assert_true(is_of(&result, posts[0]) && is_of(&result, posts[2]));
	assert_int_equal(publish_all(fx), 3);
}

static void a_call_has_an_end_and_the_next_goes_on(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	struct account_row accounts[20];
	const size_t posts = (RETRY_MANY_MAX + 40) / 20;
	for (size_t i = 0; i < 20; i++)
		accounts[i] = make_account(fx, &app, "u", PLATFORM_X);
	for (size_t i = 0; i < posts; i++) {
		const struct post_accept accept = make_post(fx, &app, accounts, 20);
		assert_int_equal(accept_post(fx, &accept).outcome, POST_ACCEPTED);
		const struct claimed claimed = claim(fx, NOW, CLAIM_MAX);
		assert_int_equal(claimed.count, 20);
		for (size_t k = 0; k < 20; k++) {
			struct delivery_save failed =
				save_of(&claimed.work[k], DELIVERY_FAILED, NOW);
			failed.failure = &refused;
			save_ok(fx, &failed);
		}
	}
	const struct retry_many many = all_of(&app);
	struct retry_many_result result = run(fx, &many);
	assert_int_equal(result.count, RETRY_MANY_MAX);
	assert_true(result.has_more);
	result = run(fx, &many);
	assert_int_equal(result.count, 40);
	assert_false(result.has_more);
	assert_int_equal(publish_all(fx), RETRY_MANY_MAX + 40);
}

int run_retry_many_tests(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(each_filter_says_which),
		STORE_TEST(what_was_cancelled_or_cannot_go_out_is_never_found),
		STORE_TEST(missing_parts_are_found_and_nothing_that_is_whole),
		STORE_TEST(an_unknown_outcome_needs_the_word_and_its_number),
		STORE_TEST(runs_side_by_side_retry_each_once),
		STORE_TEST(what_was_retried_since_it_was_found_is_left_alone),
		STORE_TEST(a_call_has_an_end_and_the_next_goes_on),
	};
	return cmocka_run_group_tests_name("store: retry of many", tests, fixture_open,
					   fixture_close);
}
