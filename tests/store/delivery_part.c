/* SPDX-License-Identifier: Apache-2.0
 * Conformance: claims, saves, timeline, and what is asked about the work at hand. */
#include "fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "count_of.h"

#include "sql.h"
#include "store_alarm.h"
#include "store_pause.h"
#include "store_retention.h"
#include "store_waiting.h"

#include "evidence.h"
#include "store_event.h"
#include "store_figures.h"

static int64_t next_due(struct fixture *fx)
{
	struct error err = {0};
	int64_t due_us = -1;
	ok(store_delivery_next_due(fx->store, &due_us, &err), &err);
	return due_us;
}

static struct delivery_backlog backlog(struct fixture *fx, int64_t now_us)
{
	struct error err = {0};
	struct delivery_backlog out = {0};
	int64_t oldest_us = -1;
	ok(store_delivery_backlog(fx->store, now_us, &out, &err), &err);
	ok(store_delivery_oldest_due(fx->store, now_us, &oldest_us, &err), &err);
	assert_int_equal(oldest_us, out.oldest_due_us);
	struct store_due_accounts *accounts = NULL;
	size_t count = 0;
	ok(store_due_accounts_list(fx->store, fx->arena, now_us, &accounts, &count, &err), &err);
	assert_int_equal(count > 0 ? accounts[0].oldest_us : 0, out.oldest_due_us);
	return out;
}

static void a_claim_brings_everything_a_step_needs(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	const struct credential_row credential = {.app_id = app.id,
						  .platform = PLATFORM_X,
						  .client_id = STR("client"),
						  .client_secret_sealed = STR("se\0cret")};
	ok(store_credential_put(fx->store, &credential, &err), &err);
	app.retry_unknown_once = true;
	ok(store_app_set_settings(fx->store, &app, &err), &err);
	const struct post_accept accept = make_post(fx, &app, &account, 1);
	accept_post(fx, &accept);

	const struct delivery_work work = claim_one(fx, NOW);
	assert_true(str_equal(work.id, accept.targets[0].delivery_id));
	assert_true(str_equal(work.post_id, accept.post_id));
	assert_int_equal(work.fence, 1);
	assert_int_equal(work.state, POST_PENDING);
	assert_int_equal(work.attempts, 0);
	assert_int_equal(work.call_state, CALL_STATE_NONE);
	assert_int_equal(work.due_at_us, NOW);
	assert_true(str_is_empty(work.flow) && str_is_empty(work.flow_sealed));
	assert_true(str_equal(work.content, accept.content));
	assert_true(str_equal(work.account.id, account.id));
	assert_true(str_equal(work.account.access_token_sealed, STR("access\0sealed")));
	assert_int_equal(work.account.token_version, 1);
	assert_true(str_is(work.credential_client_id, "client"));
	assert_true(str_equal(work.credential_secret_sealed, STR("se\0cret")));
	assert_true(str_equal(work.app_id, app.id));
	assert_int_equal(work.app_state, APP_ACTIVE);
	assert_true(work.retry_unknown_once);

	const struct post_row post = get_post(fx, &app, accept.post_id);
	assert_int_equal(post.state, POST_PROCESSING);
	assert_int_equal(post.deliveries[0].state, POST_PROCESSING);
	assert_int_equal(claim(fx, NOW, CLAIM_MAX).count, 0);
}

static void work_without_a_credential_is_claimed_too(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	post_now(fx, &app, &account);
	const struct delivery_work work = claim_one(fx, NOW);
	assert_true(str_is_empty(work.credential_client_id));
	assert_true(str_is_empty(work.credential_secret_sealed));
}

static enum err_kind do_reauth(struct store_tx *tx, void *argument, struct error *err)
{
	const struct account_row *account = argument;
	return store_account_set_state(tx, account->id, ACCOUNT_REAUTH_REQUIRED, STR("gone"), NOW,
				       err);
}

/* The delivery layer fails it with a reason; left alone it would be silent for ever. */
static void work_of_an_unusable_account_is_claimed(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	post_now(fx, &app, &account);
	ok(store_write(fx->store, do_reauth, &account, &err), &err);
	assert_int_equal(claim_one(fx, NOW).account.state, ACCOUNT_REAUTH_REQUIRED);
}

static void a_scheduled_post_waits_for_its_time(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	struct post_accept accept = make_post(fx, &app, &account, 1);
	accept.scheduled_at_us = NOW + US_PER_HOUR;
	accept_post(fx, &accept);
	assert_int_equal(next_due(fx), NOW + US_PER_HOUR);
	assert_int_equal(claim(fx, NOW + US_PER_HOUR - 1, CLAIM_MAX).count, 0);
	assert_int_equal(claim_one(fx, NOW + US_PER_HOUR).state, POST_SCHEDULED);
	assert_int_equal(get_post(fx, &app, accept.post_id).state, POST_PROCESSING);
}

static void an_account_gives_one_at_a_time_oldest_first(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	static const int64_t due[] = {300, 100, 200};
	struct str ids[3];
	for (size_t i = 0; i < 3; i++) {
		struct post_accept accept = make_post(fx, &app, &account, 1);
		accept.now_us = NOW - US_PER_MINUTE;
		accept.scheduled_at_us = NOW - due[i] * US_PER_S / 10;
		accept_post(fx, &accept);
		ids[i] = accept.post_id;
	}
	static const size_t expected[] = {0, 2, 1};
	for (size_t i = 0; i < 3; i++) {
		const struct delivery_work work = claim_one(fx, NOW);
		assert_true(str_equal(work.post_id, ids[expected[i]]));
		assert_int_equal(claim(fx, NOW, CLAIM_MAX).count, 0);
		const struct delivery_save done = save_of(&work, DELIVERY_PUBLISHED, NOW);
		save_ok(fx, &done);
	}
	assert_int_equal(claim(fx, NOW, CLAIM_MAX).count, 0);
	assert_int_equal(next_due(fx), 0);
}

static void a_begun_delivery_keeps_its_account_busy_while_it_waits(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	post_now(fx, &app, &account);
	post_now(fx, &app, &account);
	const struct delivery_work work = claim_one(fx, NOW);
	struct delivery_save wait = save_of(&work, DELIVERY_WAIT, NOW);
	wait.call_state = CALL_STATE_IN_DOUBT;
	wait.call_started_at_us = NOW - 5;
	wait.looks = 2;
	wait.republished = true;
	wait.attempts = 3;
	save_ok(fx, &wait);
	assert_int_equal(get_post(fx, &app, work.post_id).deliveries[0].state, POST_PROCESSING);
	assert_int_equal(next_due(fx), wait.due_at_us);
	assert_int_equal(claim(fx, wait.due_at_us - 1, CLAIM_MAX).count, 0);
	const struct delivery_work again = claim_one(fx, wait.due_at_us);
	assert_true(str_equal(again.id, work.id));
	assert_int_equal(again.fence, 2);
	assert_int_equal(again.state, POST_PROCESSING);
	assert_int_equal(again.call_state, CALL_STATE_IN_DOUBT);
	assert_int_equal(again.call_started_at_us, NOW - 5);
	assert_int_equal(again.looks, 2);
	assert_true(again.republished);
	assert_int_equal(again.attempts, 3);
	assert_true(str_is(again.flow, "{\"stage\":\"x\"}"));
	assert_true(str_equal(again.flow_sealed, STR("flow\0sealed")));
}

static void a_delivery_to_be_retried_leaves_its_account_free(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	const struct failure failure = {.class = FAILURE_TRANSIENT,
					.code = FAILURE_CODE_PLATFORM_UNAVAILABLE,
					.message = STR("It did not answer."),
					.platform_code = STR("503"),
					.platform_message = STR("busy")};
	post_now(fx, &app, &account);
	const struct delivery_work work = claim_one(fx, NOW);
	const struct str second = post_now(fx, &app, &account);
	assert_int_equal(claim(fx, NOW, CLAIM_MAX).count, 0);
	struct delivery_save retry = save_of(&work, DELIVERY_RETRY, NOW);
	retry.failure = &failure;
	retry.attempts = 1;
	save_ok(fx, &retry);

	const struct post_row post = get_post(fx, &app, work.post_id);
	const struct delivery_row *delivery = &post.deliveries[0];
	assert_int_equal(post.state, POST_RETRYING);
	assert_int_equal(delivery->state, POST_RETRYING);
	assert_int_equal(delivery->attempts, 1);
	assert_int_equal(delivery->next_attempt_at_us, retry.due_at_us);
	assert_true(str_is(delivery->error_code, "PLATFORM_UNAVAILABLE"));
	assert_true(str_is(delivery->error_message, "It did not answer."));
	assert_true(str_is(delivery->platform_code, "503"));
	assert_true(str_is(delivery->platform_message, "busy"));
	assert_true(delivery->error_is_transient);

	const struct delivery_work other = claim_one(fx, NOW);
	assert_true(str_equal(other.post_id, second));
	const struct delivery_save done = save_of(&other, DELIVERY_PUBLISHED, NOW);
	save_ok(fx, &done);
	assert_int_equal(next_due(fx), retry.due_at_us);
	const struct delivery_work again = claim_one(fx, retry.due_at_us);
	assert_true(str_equal(again.id, work.id));
	assert_int_equal(again.state, POST_RETRYING);
}

static void a_published_delivery_says_where(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	post_now(fx, &app, &account);
	const struct delivery_work work = claim_one(fx, NOW);
	struct delivery_save keep = save_of(&work, DELIVERY_KEEP, NOW + 1);
	keep.remote_id = STR("remote-7");
	keep.parts = STR("[{\"state\":\"published\",\"remote_id\":\"remote-7\",\"url\":null}]");
	save_ok(fx, &keep);
	struct delivery_save done = save_of(&work, DELIVERY_PUBLISHED, NOW + 2);
	done.url = STR("https://x.example/7");
	save_ok(fx, &done);

	const struct post_row post = get_post(fx, &app, work.post_id);
	const struct delivery_row *delivery = &post.deliveries[0];
	assert_int_equal(post.state, POST_PUBLISHED);
	assert_int_equal(delivery->published_at_us, NOW + 2);
	assert_true(str_is(delivery->remote_id, "remote-7"));
	assert_true(str_equal(delivery->parts, keep.parts));
	assert_true(str_is(delivery->url, "https://x.example/7"));
	assert_int_equal(delivery->next_attempt_at_us, 0);
}

static void a_post_fails_when_all_are_final_and_one_failed(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row accounts[] = {make_account(fx, &app, "u", PLATFORM_X),
					       make_account(fx, &app, "u", PLATFORM_TIKTOK)};
	const struct failure failure = {.class = FAILURE_PERMANENT,
					.code = FAILURE_CODE_CONTENT_REJECTED,
					.message = STR("No.")};
	const struct post_accept accept = make_post(fx, &app, accounts, 2);
	accept_post(fx, &accept);
	const struct claimed claimed = claim(fx, NOW, CLAIM_MAX);
	assert_int_equal(claimed.count, 2);
	struct delivery_save failed = save_of(&claimed.work[0], DELIVERY_FAILED, NOW);
	failed.failure = &failure;
	save_ok(fx, &failed);
	assert_int_equal(get_post(fx, &app, accept.post_id).state, POST_PROCESSING);
	const struct delivery_save done = save_of(&claimed.work[1], DELIVERY_PUBLISHED, NOW);
	save_ok(fx, &done);
	const struct post_row post = get_post(fx, &app, accept.post_id);
	assert_int_equal(post.state, POST_FAILED);
	assert_int_equal(post.deliveries[0].state + post.deliveries[1].state,
			 POST_FAILED + POST_PUBLISHED);
	assert_int_equal(claim(fx, NOW + US_PER_DAY, CLAIM_MAX).count, 0);
}

static void a_kept_lease_is_longer_and_a_lost_one_is_claimed_again(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	post_now(fx, &app, &account);
	const struct delivery_work work = claim_one(fx, NOW);
	assert_int_equal(next_due(fx), NOW + LEASE_US);
	struct delivery_save keep = save_of(&work, DELIVERY_KEEP, NOW);
	keep.lease_until_us = NOW + 2 * LEASE_US;
	keep.call_state = CALL_STATE_STARTED;
	save_ok(fx, &keep);
	assert_int_equal(claim(fx, NOW + LEASE_US, CLAIM_MAX).count, 0);
	const struct delivery_work again = claim_one(fx, NOW + 2 * LEASE_US);
	assert_int_equal(again.fence, work.fence + 1);
	assert_int_equal(again.call_state, CALL_STATE_STARTED);
}

static size_t evidence_count(struct fixture *fx, struct str delivery_id, struct evidence_row *last)
{
	struct error err = {0};
	struct evidence_row *rows = NULL;
	size_t count = 0;
	ok(evidence_list(fx->store, fx->arena, delivery_id, &rows, &count, &err), &err);
	if (count > 0)
		*last = rows[count - 1];
	return count;
}

struct late {
	const struct delivery_save *save;
	enum err_kind kind;
};

/* As a turn does: the conflict is noted, what was done stays. */
static enum err_kind do_late_save(struct store_tx *tx, void *argument, struct error *err)
{
	struct late *late = argument;
	late->kind = save_in(tx, late->save, err);
	return late->kind == ERR_CONFLICT ? ERR_NONE : late->kind;
}

static void save_too_late(struct fixture *fx, const struct delivery_save *each)
{
	struct error err = {0};
	struct late late = {.save = each};
	ok(store_write(fx->store, do_late_save, &late, &err), &err);
	assert_int_equal(late.kind, ERR_CONFLICT);
}

static size_t timeline_count(struct fixture *fx, struct str post_id, struct timeline_row **rows)
{
	struct error err = {0};
	size_t count = 0;
	ok(store_timeline_list(fx->store, fx->arena, post_id, rows, &count, &err), &err);
	return count;
}

static bool is_bound(struct fixture *fx, struct str account_id, const char *remote_id,
		     struct str except)
{
	struct error err = {0};
	bool bound = false;
	ok(store_delivery_remote_id_is_bound(fx->store, account_id, str_of(remote_id), except,
					     &bound, &err),
	   &err);
	return bound;
}

static void a_lost_fence_changes_nothing_but_leaves_evidence(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	post_now(fx, &app, &account);
	const struct delivery_work old = claim_one(fx, NOW);
	const struct delivery_work new = claim_one(fx, NOW + LEASE_US);
	const struct timeline_entry call = {.at_us = NOW + 3,
					    .stage = STR("publish"),
					    .method = STR("POST"),
					    .host_path = STR("api.x.example/posts"),
					    .status = 201,
					    .duration_us = 77,
					    .verdict = STR("done"),
					    .decision = STR("published"),
					    .excerpt = STR("ex")};
	struct delivery_save late = save_of(&old, DELIVERY_PUBLISHED, NOW + LEASE_US + 1);
	late.remote_id = STR("late-1");
	late.timeline = &call;
	late.timeline_count = 1;
	save_too_late(fx, &late);

	const struct post_row post = get_post(fx, &app, old.post_id);
	assert_int_equal(post.state, POST_PROCESSING);
	assert_true(str_is_empty(post.deliveries[0].remote_id));
	struct evidence_row evidence = {0};
	assert_int_equal(evidence_count(fx, old.id, &evidence), 1);
	assert_true(str_is(evidence.remote_id, "late-1"));
	assert_int_equal(evidence.fence, old.fence);
	assert_int_equal(evidence.at_us, NOW + LEASE_US + 1);
	struct timeline_row *rows = NULL;
	assert_int_equal(timeline_count(fx, old.post_id, &rows), 1);
	assert_true(str_is(rows[0].entry.stage, "publish"));
	assert_true(is_bound(fx, account.id, "late-1", STR("other")));
	assert_false(is_bound(fx, account.id, "late-1", old.id));

	const struct delivery_save done = save_of(&new, DELIVERY_PUBLISHED, NOW + LEASE_US + 2);
	save_ok(fx, &done);
	save_too_late(fx, &done);
	assert_int_equal(evidence_count(fx, old.id, &evidence), 2);
}

static void what_was_given_back_or_is_final_is_nobodys(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	static const enum delivery_next endings[] = {DELIVERY_RETRY, DELIVERY_PUBLISHED,
						     DELIVERY_PARTIAL, DELIVERY_FAILED};
	for (size_t i = 0; i < COUNT_OF(endings); i++) {
		const struct app_row app = make_app(fx);
		const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
		const struct str post_id = post_now(fx, &app, &account);
		const struct delivery_work work = claim_one(fx, NOW);
		struct delivery_save end = save_of(&work, endings[i], NOW);
		end.due_at_us = NOW + 90 * US_PER_DAY;
		save_ok(fx, &end);
		const enum post_state before = get_post(fx, &app, post_id).state;
		for (int next = DELIVERY_KEEP; next <= DELIVERY_FAILED; next++) {
			const struct delivery_save late =
				save_of(&work, (enum delivery_next)next, NOW + 1);
			assert_int_equal(save(fx, &late, &err), ERR_CONFLICT);
		}
		assert_int_equal(get_post(fx, &app, post_id).state, before);
	}
	const struct delivery_work nothing = {0};
	const struct delivery_save unknown = {.id = STR("none"), .fence = 1, .work = &nothing};
	assert_int_equal(save(fx, &unknown, &err), ERR_NOT_FOUND);
}

static void a_delivery_that_nobody_claimed_cannot_be_saved(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	const struct post_accept accept = make_post(fx, &app, &account, 1);
	accept_post(fx, &accept);
	const struct delivery_work never = {.id = accept.targets[0].delivery_id, .fence = 0};
	const struct delivery_save forged = save_of(&never, DELIVERY_PUBLISHED, NOW);
	assert_int_equal(save(fx, &forged, &err), ERR_CONFLICT);
	assert_int_equal(get_post(fx, &app, accept.post_id).state, POST_PENDING);
}

static void a_remote_id_is_bound_with_its_comments(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	const struct account_row other = make_account(fx, &app, "u", PLATFORM_X);
	post_now(fx, &app, &account);
	const struct delivery_work work = claim_one(fx, NOW);
	struct delivery_save keep = save_of(&work, DELIVERY_KEEP, NOW);
	keep.remote_id = STR("root-1");
	keep.parts = STR("[{\"state\":\"published\",\"remote_id\":\"root-1\",\"url\":null},"
			 "{\"state\":\"published\",\"remote_id\":\"comment-1\",\"url\":null},"
			 "{\"state\":\"pending\",\"remote_id\":null,\"url\":null}]");
	save_ok(fx, &keep);
	save_ok(fx, &keep);
	assert_true(is_bound(fx, account.id, "root-1", STR("")));
	assert_true(is_bound(fx, account.id, "comment-1", STR("")));
	assert_false(is_bound(fx, account.id, "comment-1", work.id));
	assert_false(is_bound(fx, account.id, "comment-2", STR("")));
	assert_false(is_bound(fx, other.id, "root-1", STR("")));
}

static void the_timeline_is_told_oldest_first(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	const struct str post_id = post_now(fx, &app, &account);
	const struct delivery_work work = claim_one(fx, NOW);
	const struct timeline_entry entries[] = {
		{.at_us = NOW + 2, .stage = STR("b"), .status = 500, .excerpt = STR("e\"x")},
		{.at_us = NOW + 1, .stage = STR("a"), .method = STR("GET")},
		{.at_us = NOW + 2, .stage = STR("c")}};
	struct delivery_save keep = save_of(&work, DELIVERY_KEEP, NOW);
	keep.timeline = entries;
	keep.timeline_count = 3;
	save_ok(fx, &keep);
	struct timeline_row *rows = NULL;
	assert_int_equal(timeline_count(fx, post_id, &rows), 3);
	assert_true(str_is(rows[0].entry.stage, "a") && str_is(rows[1].entry.stage, "b") &&
		    str_is(rows[2].entry.stage, "c"));
	assert_int_equal(rows[1].entry.status, 500);
	assert_true(str_is(rows[1].entry.excerpt, "e\"x"));
	assert_true(str_equal(rows[0].delivery_id, work.id));
	assert_true(str_equal(rows[0].account_id, account.id));
	assert_int_equal(timeline_count(fx, STR("none"), &rows), 0);
}

static void unfinished_is_until_the_last_is_final(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	bool is_unfinished = false;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	const struct str post_id = post_now(fx, &app, &account);
	ok(store_post_is_unfinished(fx->store, post_id, &is_unfinished, &err), &err);
	assert_true(is_unfinished);
	const struct delivery_work work = claim_one(fx, NOW);
	const struct delivery_save failed = save_of(&work, DELIVERY_FAILED, NOW);
	save_ok(fx, &failed);
	ok(store_post_is_unfinished(fx->store, post_id, &is_unfinished, &err), &err);
	assert_false(is_unfinished);
}

/* One app with a thousand posts on a hundred accounts, another with one post that came last. */
static void a_backlog_of_one_app_does_not_hold_up_another(void **state)
{
	struct fixture *fx = *state;
	const struct app_row big = make_app(fx);
	const struct app_row small = make_app(fx);
	const struct app_row medium = make_app(fx);
	struct account_row accounts[40];
	for (size_t i = 0; i < 40; i++) {
		accounts[i] = make_account(fx, &big, "u", PLATFORM_X);
		for (size_t k = 0; k < 5; k++)
			post_now(fx, &big, &accounts[i]);
	}
	const struct account_row others[] = {make_account(fx, &medium, "u", PLATFORM_X),
					     make_account(fx, &medium, "u", PLATFORM_X),
					     make_account(fx, &medium, "u", PLATFORM_X),
					     make_account(fx, &medium, "u", PLATFORM_X)};
	for (size_t i = 0; i < 4; i++)
		post_now(fx, &medium, &others[i]);
	const struct account_row last = make_account(fx, &small, "u", PLATFORM_X);
	post_now(fx, &small, &last);

	const struct claimed claimed = claim(fx, NOW, 12);
	size_t of_big = 0;
	size_t of_medium = 0;
	size_t of_small = 0;
	for (size_t i = 0; i < claimed.count; i++) {
		of_big += str_equal(claimed.work[i].app_id, big.id);
		of_medium += str_equal(claimed.work[i].app_id, medium.id);
		of_small += str_equal(claimed.work[i].app_id, small.id);
	}
	assert_int_equal(of_small, 1);
	assert_int_equal(of_medium, 4);
	assert_int_equal(of_big, 7);
	/* What others left is given out; an account still gives only one. */
	assert_int_equal(claim(fx, NOW, CLAIM_MAX).count, 33);
	assert_int_equal(claim(fx, NOW, CLAIM_MAX).count, 0);
}

/* Claims of one: the turn goes round. */
static void small_claims_take_turns(void **state)
{
	struct fixture *fx = *state;
	struct app_row apps[3];
	size_t served[3] = {0};
	for (size_t i = 0; i < 3; i++) {
		apps[i] = make_app(fx);
		for (size_t k = 0; k < 4; k++) {
			const struct account_row account =
				make_account(fx, &apps[i], "u", PLATFORM_X);
			post_now(fx, &apps[i], &account);
		}
	}
	for (size_t i = 0; i < 6; i++) {
		const struct claimed claimed = claim(fx, NOW, 1);
		assert_int_equal(claimed.count, 1);
		for (size_t k = 0; k < 3; k++)
			served[k] += str_equal(claimed.work[0].app_id, apps[k].id);
	}
	for (size_t k = 0; k < 3; k++)
		assert_int_equal(served[k], 2);
}

static void a_suspended_app_is_passed_over_until_it_is_back(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	post_now(fx, &app, &account);
	ok(store_app_set_state(fx->store, app.id, APP_SUSPENDED, &err), &err);
	assert_int_equal(claim(fx, NOW, CLAIM_MAX).count, 0);
	assert_int_equal(next_due(fx), 0);
	assert_int_equal(backlog(fx, NOW).oldest_due_us, 0);
	ok(store_app_set_state(fx->store, app.id, APP_ACTIVE, &err), &err);
	assert_int_equal(next_due(fx), NOW);
	claim_one(fx, NOW);
}

/* Held work goes on with the new owner; a suspension outlives the change of owner. */
static void an_app_without_an_admin_is_held_until_it_has_one(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct app_row heirs = make_app(fx);
	struct app_row owned = {0}, heir = {0};
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	const struct str post_id = post_now(fx, &app, &account);
	ok(store_app_find(fx->store, fx->arena, app.id, &owned, &err), &err);
	ok(store_app_find(fx->store, fx->arena, heirs.id, &heir, &err), &err);
	ok(store_admin_remove(fx->store, owned.owner_email, STR(""), false, &err), &err);
	assert_int_equal(claim(fx, NOW, CLAIM_MAX).count, 0);
	assert_int_equal(next_due(fx), 0);
	const struct post_row post = get_post(fx, &app, post_id);
	assert_true(post.deliveries[0].standing.is_suspended);
	assert_true(post.deliveries[0].standing.is_ownerless);
	ok(store_app_set_state(fx->store, app.id, APP_ACTIVE, &err), &err);
	assert_int_equal(claim(fx, NOW, CLAIM_MAX).count, 0);
	ok(store_app_set_state(fx->store, app.id, APP_SUSPENDED, &err), &err);
	ok(store_app_set_owner(fx->store, app.id, heir.owner_email, &err), &err);
	assert_int_equal(claim(fx, NOW, CLAIM_MAX).count, 0);
	ok(store_app_set_state(fx->store, app.id, APP_ACTIVE, &err), &err);
	assert_int_equal(next_due(fx), NOW);
	claim_one(fx, NOW);
}

static void an_heir_takes_the_apps_over_as_they_are(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct app_row heirs = make_app(fx);
	struct app_row owned = {0}, heir = {0};
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	post_now(fx, &app, &account);
	ok(store_app_find(fx->store, fx->arena, app.id, &owned, &err), &err);
	ok(store_app_find(fx->store, fx->arena, heirs.id, &heir, &err), &err);
	ok(store_token_issue(fx->store, app.id, app.id, NOW + 9, NOW, &err), &err);
	assert_int_equal(store_admin_remove(fx->store, owned.owner_email, STR("x@none.example"),
					    false, &err),
			 ERR_INVALID);
	assert_int_equal(
		store_admin_remove(fx->store, owned.owner_email, owned.owner_email, false, &err),
		ERR_INVALID);
	ok(store_admin_remove(fx->store, owned.owner_email, heir.owner_email, false, &err), &err);
	ok(store_app_find(fx->store, fx->arena, app.id, &owned, &err), &err);
	assert_true(str_equal(owned.owner_email, heir.owner_email));
	ok(store_token_find(fx->store, fx->arena, app.id, NOW, &owned, &err), &err);
	claim_one(fx, NOW);
}

/* Room for two of the first app on LinkedIn, none on X; for all of others. */
struct room_asked {
	struct str app_id;
	uint32_t linkedin;
	size_t questions;
};

static uint32_t room_of(void *context, struct str app_id, enum platform_id platform)
{
	struct room_asked *asked = context;
	asked->questions++;
	if (!str_equal(app_id, asked->app_id))
		return 1000;
	return platform == PLATFORM_LINKEDIN ? asked->linkedin : 0;
}

struct room_call {
	struct fixture *fx;
	struct delivery_claim wish;
	struct claimed claimed;
};

static enum err_kind run_room_claim(struct store_tx *tx, void *argument, struct error *err)
{
	struct room_call *call = argument;
	return store_delivery_claim(tx, call->fx->arena, &call->wish, &call->claimed.work,
				    &call->claimed.count, err);
}

static struct claimed claim_within(struct fixture *fx, struct room_asked *asked, int64_t overdue_us)
{
	struct error err = {0};
	struct room_call call = {.fx = fx,
				 .wish = {.now_us = NOW,
					  .lease_us = LEASE_US,
					  .max = 10,
					  .slots = room_of,
					  .context = asked,
					  .overdue_us = overdue_us}};
	ok(store_write(fx->store, run_room_claim, &call, &err), &err);
	return call.claimed;
}

/* A claim that leaves the row to the first save, which may be any: it ends as if both had been
 * written one after the other. */
struct first_row {
	enum delivery_next next;
	enum post_state state;
	enum err_kind second; /* what a save after it gets */
};

struct first_call {
	struct fixture *fx;
	enum delivery_next next;
	struct delivery_work work;
	struct delivery_save save;
};

static enum err_kind claim_and_save(struct store_tx *tx, void *argument, struct error *err)
{
	struct first_call *call = argument;
	struct room_asked asked = {.linkedin = 10};
	const struct delivery_claim wish = {.now_us = NOW,
					    .lease_us = LEASE_US,
					    .max = 10,
					    .slots = room_of,
					    .context = &asked,
					    .overdue_us = INT64_MIN,
					    .leaves_rows = true};
	struct delivery_work *work = NULL;
	size_t count = 0;
	enum err_kind kind = store_delivery_claim(tx, call->fx->arena, &wish, &work, &count, err);
	if (kind != ERR_NONE)
		return kind;
	assert_int_equal(count, 1);
	call->work = work[0];
	call->save = save_of(&call->work, call->next, NOW + 1);
	call->save.due_at_us = NOW + US_PER_DAY;
	call->save.is_first = true;
	call->save.call_state = CALL_STATE_STARTED;
	call->save.call_started_at_us = NOW + 1;
	return save_in(tx, &call->save, err);
}

static void a_first_save_claims_the_row_that_was_left(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	static const struct first_row rows[] = {
		{DELIVERY_KEEP, POST_PROCESSING, ERR_NONE},
		{DELIVERY_WAIT, POST_PROCESSING, ERR_NONE},
		{DELIVERY_RETRY, POST_RETRYING, ERR_CONFLICT},
		{DELIVERY_PUBLISHED, POST_PUBLISHED, ERR_CONFLICT},
		{DELIVERY_PARTIAL, POST_PUBLISHED, ERR_CONFLICT},
		{DELIVERY_FAILED, POST_FAILED, ERR_CONFLICT},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct app_row app = make_app(fx);
		const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
		const struct str post_id = post_now(fx, &app, &account);
		struct first_call call = {.fx = fx, .next = rows[i].next};
		ok(store_write(fx->store, claim_and_save, &call, &err), &err);
		assert_int_equal(get_post(fx, &app, post_id).deliveries[0].state, rows[i].state);
		call.save.is_first = false;
		call.save.next = DELIVERY_FAILED;
		assert_int_equal(save(fx, &call.save, &err), rows[i].second);
		if (rows[i].next == DELIVERY_RETRY)
			claim_one(fx, NOW + 2 * US_PER_DAY);
	}
}

/* What the first save said of the open call is there for who takes over. */
static void a_first_save_is_found_by_the_next_owner(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	post_now(fx, &app, &account);
	struct first_call call = {.fx = fx, .next = DELIVERY_KEEP};
	ok(store_write(fx->store, claim_and_save, &call, &err), &err);
	fixture_reopen(fx);
	const struct delivery_work next = claim_one(fx, NOW + 2);
	assert_int_equal(next.fence, call.work.fence + 1);
	assert_int_equal(next.call_state, CALL_STATE_STARTED);
	assert_int_equal(next.call_started_at_us, NOW + 1);
	call.save.is_first = false;
	assert_int_equal(save(fx, &call.save, &err), ERR_CONFLICT);
}

static void a_claim_stays_within_the_room_there_is(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct app_row other = make_app(fx);
	struct room_asked asked = {.app_id = app.id, .linkedin = 2};
	size_t count[PLATFORM_ID_MAX + 1] = {0};
	size_t count_other = 0;
	for (int i = 0; i < 3; i++) {
		const struct account_row x = make_account(fx, &app, "x", PLATFORM_X);
		const struct account_row linkedin = make_account(fx, &app, "l", PLATFORM_LINKEDIN);
		const struct account_row others = make_account(fx, &other, "x", PLATFORM_X);
		post_now(fx, &app, &x);
		post_now(fx, &app, &linkedin);
		post_now(fx, &other, &others);
	}
	const struct claimed first = claim_within(fx, &asked, 0);
	for (size_t i = 0; i < first.count; i++) {
		if (str_equal(first.work[i].app_id, app.id))
			count[first.work[i].account.platform]++;
		else
			count_other++;
	}
	assert_int_equal(count[PLATFORM_LINKEDIN], 2);
	assert_int_equal(count[PLATFORM_X], 0);
	assert_int_equal(count_other, 3);
	/* The third waits while there is no room, and is found when there is. */
	asked.linkedin = 0;
	assert_int_equal(claim_within(fx, &asked, 0).count, 0);
	asked.linkedin = 1;
	assert_int_equal(claim_within(fx, &asked, 0).count, 1);
	/* What is overdue comes whatever the room. */
	assert_int_equal(claim_within(fx, &asked, NOW - 1).count, 0);
	assert_int_equal(claim_within(fx, &asked, NOW).count, 3);
}

#define SHARERS 4
#define SHARED_ROOM 6

struct sharing {
	struct str apart; /* this app shares with none */
};

static uint32_t room_for_each(void *context, struct str app_id, enum platform_id platform)
{
	(void)context;
	(void)app_id;
	(void)platform;
	return SHARED_ROOM;
}

static uint32_t room_for_all(void *context, struct str app_id, enum platform_id platform)
{
	const struct sharing *sharing = context;
	if (str_equal(app_id, sharing->apart))
		return UINT32_MAX;
	return platform == PLATFORM_X ? SHARED_ROOM : 0;
}

static struct claimed claim_shared(struct fixture *fx, struct sharing *sharing, size_t max)
{
	struct error err = {0};
	struct room_call call = {.fx = fx,
				 .wish = {.now_us = NOW,
					  .lease_us = LEASE_US,
					  .max = max,
					  .slots = room_for_each,
					  .shared_slots = room_for_all,
					  .context = sharing,
					  .overdue_us = INT64_MIN}};
	ok(store_write(fx->store, run_room_claim, &call, &err), &err);
	return call.claimed;
}

static size_t count_of_app(const struct claimed *claimed, struct str app_id)
{
	size_t count = 0;
	for (size_t i = 0; i < claimed->count; i++)
		count += str_equal(claimed->work[i].app_id, app_id);
	return count;
}

/* Each app has room enough, and so has the platform for one of them, but not for all. */
static void apps_share_the_room_of_a_platform(void **state)
{
	struct fixture *fx = *state;
	struct app_row apps[SHARERS];
	const struct app_row apart = make_app(fx);
	struct sharing sharing = {apart.id};
	const struct account_row linkedin = make_account(fx, &apart, "l", PLATFORM_LINKEDIN);
	post_now(fx, &apart, &linkedin);
	for (size_t i = 0; i < SHARERS; i++) {
		apps[i] = make_app(fx);
		for (int n = 0; n < 3; n++) {
			const struct account_row x = make_account(fx, &apps[i], "x", PLATFORM_X);
			post_now(fx, &apps[i], &x);
		}
		const struct account_row full = make_account(fx, &apps[i], "l", PLATFORM_LINKEDIN);
		post_now(fx, &apps[i], &full);
	}
	size_t of_app[SHARERS] = {0};
	size_t of_apart = 0;
	/* Who found no room is first in the next. */
	for (int claims = 0; claims < 6; claims++) {
		const struct claimed claimed = claim_shared(fx, &sharing, 100);
		const size_t alone = count_of_app(&claimed, apart.id);
		assert_true(claimed.count - alone <= SHARED_ROOM);
		of_apart += alone;
		for (size_t i = 0; i < SHARERS; i++)
			of_app[i] += count_of_app(&claimed, apps[i].id);
	}
	assert_int_equal(of_apart, 1);
	for (size_t i = 0; i < SHARERS; i++)
		assert_int_equal(of_app[i], 3);
}

/* ---- retention ---- */

struct expiring {
	struct store_retention retention;
	int64_t now_us;
	int64_t removed;
};

static enum err_kind run_expiry(struct store_tx *tx, void *argument, struct error *err)
{
	struct expiring *e = argument;
	return store_retention_expire(tx, &e->retention, e->now_us, 1000, &e->removed, err);
}

static size_t timeline_of(struct fixture *fx, struct str post_id)
{
	struct error err = {0};
	struct timeline_row *rows = NULL;
	size_t count = 0;
	ok(store_timeline_list(fx->store, fx->arena, post_id, &rows, &count, &err), &err);
	return count;
}

static void what_is_old_is_removed_and_the_post_stays(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	const struct str post_id = post_now(fx, &app, &account);
	const struct delivery_work work = claim_one(fx, NOW);
	struct delivery_save done = save_of(&work, DELIVERY_PUBLISHED, NOW + 1);
	const struct timeline_entry entry = {.at_us = NOW, .stage = STR("publish")};
	done.timeline = &entry;
	done.timeline_count = 1;
	ok(save(fx, &done, &err), &err);
	struct expiring e = {.retention = {.timeline_us = 90 * US_PER_DAY,
					   .connections_us = 30 * US_PER_DAY,
					   .events_us = 30 * US_PER_DAY},
			     .now_us = NOW + 90 * US_PER_DAY};
	ok(store_write(fx->store, run_expiry, &e, &err), &err);
	assert_int_equal(timeline_of(fx, post_id), 1);
	e.now_us += 1;
	e.retention.timeline_us = 0;
	ok(store_write(fx->store, run_expiry, &e, &err), &err);
	assert_int_equal(timeline_of(fx, post_id), 1);
	e.retention.timeline_us = 90 * US_PER_DAY;
	ok(store_write(fx->store, run_expiry, &e, &err), &err);
	assert_int_equal(timeline_of(fx, post_id), 0);
	assert_int_equal(get_post(fx, &app, post_id).state, POST_PUBLISHED);
}

/* Of a delivery that is not final it may still be needed. */
static void evidence_is_kept_until_its_delivery_is_final(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	struct evidence_row row = {0};
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	post_now(fx, &app, &account);
	const struct delivery_work old = claim_one(fx, NOW);
	const struct delivery_work now = claim_one(fx, NOW + LEASE_US);
	const struct delivery_save late = save_of(&old, DELIVERY_PUBLISHED, NOW + LEASE_US);
	struct expiring e = {.retention = {.timeline_us = US_PER_DAY},
			     .now_us = NOW + LEASE_US + US_PER_DAY + 1};
	save_too_late(fx, &late);
	ok(store_write(fx->store, run_expiry, &e, &err), &err);
	assert_int_equal(evidence_count(fx, old.id, &row), 1);
	const struct delivery_save done = save_of(&now, DELIVERY_PUBLISHED, NOW + LEASE_US);
	save_ok(fx, &done);
	e.now_us -= 1;
	ok(store_write(fx->store, run_expiry, &e, &err), &err);
	assert_int_equal(evidence_count(fx, old.id, &row), 1);
	e.now_us += 1;
	ok(store_write(fx->store, run_expiry, &e, &err), &err);
	assert_int_equal(evidence_count(fx, old.id, &row), 0);
}

/* ---- pauses ---- */

static int64_t count_paused(struct fixture *fx)
{
	struct store_waiting_group *groups = NULL;
	size_t count = 0;
	int64_t paused_count = 0;
	struct error err = {0};
	ok(store_waiting_groups_list(fx->store, fx->arena, NOW, &groups, &count, &err), &err);
	for (size_t i = 0; i < count; i++)
		paused_count += groups[i].delivery.standing.is_paused ? groups[i].count : 0;
	return paused_count;
}

static void nothing_new_begins_where_it_is_paused(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct app_row other = make_app(fx);
	const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
	const struct account_row sibling = make_account(fx, &app, "u", PLATFORM_LINKEDIN);
	const struct account_row foreign = make_account(fx, &other, "u", PLATFORM_X);
	const struct pause_row pauses[] = {
		{.platform = PLATFORM_X},
		{.app_id = app.id},
		{.account_id = account.id},
		{.platform = PLATFORM_X, .app_id = app.id, .account_id = account.id},
		{.platform = PLATFORM_NONE},
	};
	/* which of the three accounts each holds back */
	static const bool holds[][3] = {{true, false, true},
					{true, true, false},
					{true, false, false},
					{true, false, false},
					{true, true, true}};
	const struct account_row *accounts[] = {&account, &sibling, &foreign};
	for (size_t i = 0; i < COUNT_OF(pauses); i++) {
		bool is_found = false;
		size_t free_count = 0;
		post_now(fx, &app, &account);
		post_now(fx, &app, &sibling);
		post_now(fx, &other, &foreign);
		ok(store_pause_add(fx->store, &pauses[i], &err), &err);
		ok(store_pause_add(fx->store, &pauses[i], &err), &err);
		int64_t next_due_us = 0;
		ok(store_pause_next_due(fx->store, &next_due_us, &err), &err);
		assert_true((next_due_us != 0 && next_due_us <= NOW) ==
			    (i != COUNT_OF(pauses) - 1));
		const struct claimed claimed = claim(fx, NOW, 10);
		for (size_t k = 0; k < 3; k++) {
			free_count += !holds[i][k];
			assert_int_equal(store_pause_applies(&pauses[i], 1, accounts[k]->platform,
							     accounts[k]->app_id, accounts[k]->id),
					 holds[i][k]);
		}
		assert_int_equal(claimed.count, free_count);
		assert_int_equal(count_paused(fx), 3 - free_count);
		/* What has begun goes on under the pause of everything. */
		const struct pause_row all = {.paused_at_us = NOW};
		ok(store_pause_add(fx->store, &all, &err), &err);
		for (size_t k = 0; k < claimed.count; k++) {
			const struct delivery_save wait =
				save_of(&claimed.work[k], DELIVERY_WAIT, NOW + 1);
			ok(save(fx, &wait, &err), &err);
		}
		const struct claimed again = claim(fx, NOW + US_PER_DAY, 10);
		assert_int_equal(again.count, free_count);
		for (size_t k = 0; k < again.count; k++) {
			const struct delivery_save done =
				save_of(&again.work[k], DELIVERY_PUBLISHED, NOW + 2);
			ok(save(fx, &done, &err), &err);
		}
		assert_int_equal(backlog(fx, NOW).oldest_due_us, 0);
		/* It is the database's: a start changes nothing. */
		fixture_reopen(fx);
		ok(store_pause_remove(fx->store, &all, NOW, &is_found, &err), &err);
		assert_true(is_found);
		if (i + 1 < COUNT_OF(pauses)) {
			assert_int_equal(claim(fx, NOW, 10).count, 0);
			ok(store_pause_remove(fx->store, &pauses[i], NOW, &is_found, &err), &err);
			assert_true(is_found);
		}
		ok(store_pause_remove(fx->store, &pauses[i], NOW, &is_found, &err), &err);
		assert_false(is_found);
		const struct claimed late = claim(fx, NOW, 10);
		assert_int_equal(late.count, 3 - free_count);
		for (size_t k = 0; k < late.count; k++) {
			const struct delivery_save done =
				save_of(&late.work[k], DELIVERY_PUBLISHED, NOW + 2);
			ok(save(fx, &done, &err), &err);
		}
	}
}

/* ---- rows that are not as they should be ---- */

/* Text past the store, as a fault of a disk or a person would leave it. */
static void damage(struct fixture *fx, const char *script)
{
	struct error err = {0};
	struct str path = str_of(fx->url);
	struct sql_connection *sql = NULL;
	str_skip(&path, STR("sqlite:"));
	const struct sql_config config = {
		.path = path.ptr, .role = SQL_ROLE_WRITER, .busy_timeout_ms = 5000};
	const struct sql_driver *driver = sql_driver_of(path.ptr);
	ok(driver->open(&config, &sql, &err), &err);
	ok(driver->run_script(sql, str_of(script), &err), &err);
	driver->close(&sql);
}

static bool has_alarm(struct fixture *fx, struct str name)
{
	struct error err = {0};
	struct alarm_row *alarms = NULL;
	size_t count = 0;
	ok(store_alarm_list(fx->store, fx->arena, &alarms, &count, &err), &err);
	for (size_t i = 0; i < count; i++) {
		if (str_equal(alarms[i].name, name))
			return true;
	}
	return false;
}

static enum err_kind claim_isolated(struct fixture *fx, int64_t now_us, bool isolates,
				    struct claimed *out)
{
	struct error err = {0};
	struct room_call call = {
		.fx = fx,
		.wish = {.now_us = now_us, .lease_us = LEASE_US, .max = 10, .isolates = isolates}};
	const enum err_kind kind = store_write(fx->store, run_room_claim, &call, &err);
	*out = call.claimed;
	return kind;
}

static void a_lane_that_cannot_be_claimed_stops_itself_only(void **state)
{
	struct fixture *fx = *state;
	struct claimed claimed = {0};
	const struct app_row app = make_app(fx);
	const struct account_row bad = make_account(fx, &app, "u", PLATFORM_X);
	const struct account_row good = make_account(fx, &app, "u", PLATFORM_X);
	const struct str bad_post = post_now(fx, &app, &bad);
	const struct str good_post = post_now(fx, &app, &good);
	const struct str name = str_format(fx->arena, "account " STR_FMT, STR_ARG(bad.id));
	damage(fx, str_z(fx->arena, str_format(fx->arena,
					       "UPDATE lanes SET busy_delivery_id = 'gone'"
					       " WHERE account_id = '" STR_FMT "'",
					       STR_ARG(bad.id))));
	assert_true(claim_isolated(fx, NOW, false, &claimed) != ERR_NONE);
	assert_int_equal(claim_isolated(fx, NOW, true, &claimed), ERR_NONE);
	assert_int_equal(claimed.count, 1);
	assert_true(str_equal(claimed.work[0].post_id, good_post));
	assert_true(has_alarm(fx, name));
	/* The others do not meet it again for a while, then it is tried again. */
	assert_int_equal(claim_isolated(fx, NOW + US_PER_S, false, &claimed), ERR_NONE);
	assert_int_equal(claimed.count, 0);
	damage(fx, str_z(fx->arena, str_format(fx->arena,
					       "UPDATE lanes SET busy_delivery_id = ''"
					       " WHERE account_id = '" STR_FMT "'",
					       STR_ARG(bad.id))));
	assert_int_equal(claim_isolated(fx, NOW + 11 * US_PER_MINUTE, true, &claimed), ERR_NONE);
	bool is_found = false;
	for (size_t i = 0; i < claimed.count; i++)
		is_found |= str_equal(claimed.work[i].post_id, bad_post);
	assert_true(is_found);
}

/* More than a transaction's memory holds. */
#define HUGE_TEXT \
	"{sqlite replace(hex(zeroblob(35000000)), '0', 'x')}{postgres repeat('x', 70000000)}"

static void an_app_whose_lanes_cannot_be_read_stops_itself_only(void **state)
{
	struct fixture *fx = *state;
	struct claimed claimed = {0};
	const struct app_row bad = make_app(fx);
	const struct app_row good = make_app(fx);
	const struct account_row account = make_account(fx, &bad, "u", PLATFORM_X);
	const struct account_row other = make_account(fx, &good, "u", PLATFORM_X);
	post_now(fx, &bad, &account);
	const struct str good_post = post_now(fx, &good, &other);
	damage(fx, str_z(fx->arena, str_format(fx->arena,
					       "UPDATE lanes SET busy_delivery_id = " HUGE_TEXT
					       " WHERE account_id = '" STR_FMT "'",
					       STR_ARG(account.id))));
	assert_true(claim_isolated(fx, NOW, false, &claimed) != ERR_NONE);
	assert_int_equal(claim_isolated(fx, NOW, true, &claimed), ERR_NONE);
	assert_int_equal(claimed.count, 1);
	assert_true(str_equal(claimed.work[0].post_id, good_post));
	assert_true(has_alarm(fx, str_format(fx->arena, "app " STR_FMT, STR_ARG(bad.id))));
	/* The others do not meet it again for a while, then it is tried again. */
	assert_int_equal(claim_isolated(fx, NOW + US_PER_S, false, &claimed), ERR_NONE);
	assert_int_equal(claimed.count, 0);
	damage(fx, "UPDATE lanes SET busy_delivery_id = '' WHERE length(busy_delivery_id) > 100");
	assert_int_equal(claim_isolated(fx, NOW + 11 * US_PER_MINUTE, false, &claimed), ERR_NONE);
	assert_true(claimed.count > 0);
}

/* Lists alone go by them: what is promised does not fail for one. */
static void wrong_counters_stop_nothing_and_are_counted_again(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	static const char *const damages[] = {"DELETE FROM counters",
					      "UPDATE counters SET count = 0"};
	for (size_t i = 0; i < COUNT_OF(damages); i++) {
		bool is_mended = false;
		const struct app_row app = make_app(fx);
		const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
		const struct str post_id = post_now(fx, &app, &account);
		damage(fx, damages[i]);
		const struct delivery_work work = claim_one(fx, NOW);
		const struct delivery_save done = save_of(&work, DELIVERY_PUBLISHED, NOW + 1);
		ok(save(fx, &done, &err), &err);
		assert_int_equal(get_post(fx, &app, post_id).state, POST_PUBLISHED);
		assert_true(has_alarm(fx, STR("counters")));
		/* By who found it, or by the next to start. */
		if (i == 1)
			fixture_reopen(fx);
		ok(store_counters_mend(fx->store, i == 1, &is_mended, &err), &err);
		assert_true(is_mended);
		struct post_filter filter = {.app_id = app.id, .page = 1, .per_page = 1};
		filter.status = STR("published");
		assert_int_equal(list_posts(fx, &filter).total, 1);
		filter.status = STR("pending");
		assert_int_equal(list_posts(fx, &filter).total, 0);
		ok(store_counters_mend(fx->store, true, &is_mended, &err), &err);
		assert_false(is_mended);
	}
}

#define CLAIMERS 4
#define CLAIM_POSTS 200

struct claimer {
	pthread_t thread;
	struct fixture fx;
	char ids[CLAIM_POSTS][40];
	size_t count;
};

static void *claim_until_empty(void *argument)
{
	struct claimer *claimer = argument;
	for (;;) {
		const struct claimed claimed = claim(&claimer->fx, NOW, 7);
		if (claimed.count == 0)
			return NULL;
		for (size_t i = 0; i < claimed.count; i++)
			snprintf(claimer->ids[claimer->count++], 40, STR_FMT,
				 STR_ARG(claimed.work[i].id));
	}
}

static int compare_ids(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void claimers_at_once_never_get_the_same(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	struct claimer *claimers = ARENA_ARRAY(fx->arena, struct claimer, CLAIMERS);
	char(*all)[40] = arena_alloc(fx->arena, sizeof(*all) * CLAIM_POSTS * CLAIMERS);
	size_t count = 0;
	for (size_t i = 0; i < CLAIM_POSTS; i++) {
		const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
		post_now(fx, &app, &account);
	}
	for (size_t i = 0; i < CLAIMERS; i++) {
		claimers[i].fx = *fx;
		claimers[i].fx.arena = arena_new("claimer", (size_t)64 << 20);
		pthread_create(&claimers[i].thread, NULL, claim_until_empty, &claimers[i]);
	}
	for (size_t i = 0; i < CLAIMERS; i++) {
		pthread_join(claimers[i].thread, NULL);
		arena_free(&claimers[i].fx.arena);
		memcpy(all[count], claimers[i].ids, claimers[i].count * 40);
		count += claimers[i].count;
	}
	assert_int_equal(count, CLAIM_POSTS);
	qsort(all, count, 40, compare_ids);
	for (size_t i = 1; i < count; i++)
		assert_string_not_equal(all[i - 1], all[i]);
}

/* A claim that has no room for all takes what fits; the others stay due. */
static void a_claim_takes_what_fits_in_memory(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	char *text = arena_alloc(fx->arena, 50001);
	memset(text, 'x', 50000);
	for (size_t i = 0; i < 6; i++) {
		const struct account_row account = make_account(fx, &app, "u", PLATFORM_X);
		struct post_accept accept = make_post(fx, &app, &account, 1);
		accept.content = (struct str){text, 50000};
		accept_post(fx, &accept);
	}
	struct fixture tight = *fx;
	tight.arena = arena_new("tight", 180000);
	const size_t first = claim(&tight, NOW, 8).count;
	assert_true(first >= 1 && first < 6);
	arena_free(&tight.arena);
	assert_int_equal(claim(fx, NOW, CLAIM_MAX).count, 6 - first);
}

static void the_backlog_is_counted(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row a = make_account(fx, &app, "u", PLATFORM_X);
	const struct account_row b = make_account(fx, &app, "u", PLATFORM_X);
	struct post_accept later = make_post(fx, &app, &b, 1);
	later.scheduled_at_us = NOW + US_PER_HOUR;
	post_now(fx, &app, &a);
	post_now(fx, &app, &a);
	accept_post(fx, &later);
	struct delivery_backlog found = backlog(fx, NOW);
	assert_int_equal(found.oldest_due_us, NOW);
	assert_int_equal(found.due_count, 2);
	assert_int_equal(found.scheduled_count, 1);
	assert_int_equal(found.in_flight_count, 0);

	const struct delivery_work work = claim_one(fx, NOW);
	found = backlog(fx, NOW);
	assert_int_equal(found.oldest_due_us, 0);
	assert_int_equal(found.due_count, 1);
	assert_int_equal(found.in_flight_count, 1);
	const struct delivery_save retry = save_of(&work, DELIVERY_RETRY, NOW);
	save_ok(fx, &retry);
	found = backlog(fx, NOW);
	assert_int_equal(found.oldest_due_us, NOW);
	assert_int_equal(found.in_flight_count, 0);
	assert_int_equal(claim(fx, NOW + US_PER_HOUR, CLAIM_MAX).count, 2);
	assert_int_equal(backlog(fx, NOW).scheduled_count, 0);
}

static void nothing_to_do_is_never_due(void **state)
{
	struct fixture *fx = *state;
	assert_int_equal(next_due(fx), 0);
	assert_int_equal(claim(fx, NOW, CLAIM_MAX).count, 0);
	const struct delivery_backlog found = backlog(fx, NOW);
	assert_int_equal(found.oldest_due_us, 0);
	assert_int_equal(found.due_count, 0);
	assert_int_equal(found.scheduled_count, 0);
}

/* An owner that died held leases; its successor goes on at once, and knows of the open call. */
static void a_new_owner_takes_over_at_once(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row a = make_account(fx, &app, "u", PLATFORM_X);
	const struct account_row b = make_account(fx, &app, "u", PLATFORM_X);
	post_now(fx, &app, &a);
	const struct delivery_work started = claim_one(fx, NOW);
	struct delivery_save keep = save_of(&started, DELIVERY_KEEP, NOW);
	keep.call_state = CALL_STATE_STARTED;
	keep.call_started_at_us = NOW;
	save_ok(fx, &keep);
	post_now(fx, &app, &b);
	const struct delivery_work waiting = claim_one(fx, NOW);
	const struct delivery_save wait = save_of(&waiting, DELIVERY_WAIT, NOW);
	save_ok(fx, &wait);

	fixture_reopen(fx);
	const struct delivery_work again = claim_one(fx, NOW);
	assert_true(str_equal(again.id, started.id));
	assert_int_equal(again.call_state, CALL_STATE_STARTED);
	assert_int_equal(again.call_started_at_us, NOW);
	assert_int_equal(again.fence, started.fence + 1);
	/* The other is due again by now, and so is the first one's lease. */
	const struct claimed later = claim(fx, wait.due_at_us, CLAIM_MAX);
	assert_int_equal(later.count, 2);
	assert_true(str_equal(later.work[0].id, waiting.id) ||
		    str_equal(later.work[1].id, waiting.id));
}

static struct store_figures figures(struct fixture *fx, int64_t now_us)
{
	struct error err = {0};
	struct store_figures out = {.alarms = -1};
	ok(store_figures_read(fx->store, now_us, &out, &err), &err);
	return out;
}

/* Two apps, so that nothing is counted for one alone. */
static void the_figures_follow_every_change(void **state)
{
	struct fixture *fx = *state;
	struct app_row apps[2];
	struct account_row accounts[2];
	const struct store_figures none = figures(fx, NOW);
	for (size_t i = 0; i < 2; i++) {
		apps[i] = make_app(fx);
		accounts[i] = make_account(fx, &apps[i], "u", PLATFORM_X);
		make_webhook(fx, &apps[i]);
		const struct post_accept now = make_post(fx, &apps[i], &accounts[i], 1);
		struct post_accept later = make_post(fx, &apps[i], &accounts[i], 1);
		later.scheduled_at_us = NOW + US_PER_HOUR;
		accept_post(fx, &now);
		accept_post(fx, &later);
	}
	struct store_figures found = figures(fx, NOW + 5);
	assert_int_equal(found.posts_pending - none.posts_pending, 2);
	assert_int_equal(found.posts_scheduled - none.posts_scheduled, 2);
	assert_int_equal(found.deliveries_due - none.deliveries_due, 2);
	assert_int_equal(found.deliveries_scheduled - none.deliveries_scheduled, 2);
	assert_true(found.oldest_due_us > 0 && found.oldest_due_us <= NOW + 5);

	const struct claimed claimed = claim(fx, NOW, CLAIM_MAX);
	assert_int_equal(claimed.count, 2);
	found = figures(fx, NOW + 5);
	/* what is worked on is not due */
	assert_int_equal(found.deliveries_due, none.deliveries_due);
	struct delivery_save save = save_of(&claimed.work[0], DELIVERY_PUBLISHED, NOW + 1);
	save_ok(fx, &save);
	const struct failure failure = {.code = FAILURE_CODE_CONTENT_REJECTED,
					.message = STR("no")};
	save = save_of(&claimed.work[1], DELIVERY_FAILED, NOW + 1);
	save.failure = &failure;
	save_ok(fx, &save);
	found = figures(fx, NOW + 5);
	assert_int_equal(found.posts_pending, none.posts_pending);
	assert_int_equal(found.posts_published - none.posts_published, 1);
	assert_int_equal(found.posts_failed - none.posts_failed, 1);
	/* its own and the post's, twice */
	assert_int_equal(found.events_pending - none.events_pending, 4);
	assert_int_equal(found.webhook_deliveries_pending, none.webhook_deliveries_pending);
	found = figures(fx, NOW + 2 * US_PER_HOUR);
	assert_int_equal(found.deliveries_due - none.deliveries_due, 2);
}

int run_delivery_tests(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(nothing_to_do_is_never_due),
		STORE_TEST(a_claim_brings_everything_a_step_needs),
		STORE_TEST(work_without_a_credential_is_claimed_too),
		STORE_TEST(work_of_an_unusable_account_is_claimed),
		STORE_TEST(a_scheduled_post_waits_for_its_time),
		STORE_TEST(an_account_gives_one_at_a_time_oldest_first),
		STORE_TEST(a_begun_delivery_keeps_its_account_busy_while_it_waits),
		STORE_TEST(a_delivery_to_be_retried_leaves_its_account_free),
		STORE_TEST(a_published_delivery_says_where),
		STORE_TEST(a_post_fails_when_all_are_final_and_one_failed),
		STORE_TEST(a_kept_lease_is_longer_and_a_lost_one_is_claimed_again),
		STORE_TEST(a_lost_fence_changes_nothing_but_leaves_evidence),
		STORE_TEST(what_was_given_back_or_is_final_is_nobodys),
		STORE_TEST(a_delivery_that_nobody_claimed_cannot_be_saved),
		STORE_TEST(a_remote_id_is_bound_with_its_comments),
		STORE_TEST(the_timeline_is_told_oldest_first),
		STORE_TEST(unfinished_is_until_the_last_is_final),
		STORE_TEST(a_backlog_of_one_app_does_not_hold_up_another),
		STORE_TEST(small_claims_take_turns),
		STORE_TEST(a_suspended_app_is_passed_over_until_it_is_back),
		STORE_TEST(an_app_without_an_admin_is_held_until_it_has_one),
		STORE_TEST(an_heir_takes_the_apps_over_as_they_are),
		STORE_TEST(a_first_save_claims_the_row_that_was_left),
		STORE_TEST(a_first_save_is_found_by_the_next_owner),
		STORE_TEST(a_claim_stays_within_the_room_there_is),
		STORE_TEST(apps_share_the_room_of_a_platform),
		STORE_TEST(what_is_old_is_removed_and_the_post_stays),
		STORE_TEST(evidence_is_kept_until_its_delivery_is_final),
		STORE_TEST(nothing_new_begins_where_it_is_paused),
		STORE_TEST(a_lane_that_cannot_be_claimed_stops_itself_only),
		STORE_TEST(an_app_whose_lanes_cannot_be_read_stops_itself_only),
		STORE_TEST(wrong_counters_stop_nothing_and_are_counted_again),
		STORE_TEST(claimers_at_once_never_get_the_same),
		STORE_TEST(a_claim_takes_what_fits_in_memory),
		STORE_TEST(the_backlog_is_counted),
		STORE_TEST(the_figures_follow_every_change),
		STORE_TEST(a_new_owner_takes_over_at_once),
	};
	return cmocka_run_group_tests_name("store: deliveries", tests, fixture_open, fixture_close);
}
