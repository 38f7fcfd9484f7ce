/* SPDX-License-Identifier: Apache-2.0
 * Conformance: what an app may have at most. Each quota fills, says so, refuses without a trace and
 * is free again; requests at once never take more than there is. */
#include "fixture.h"

#include <pthread.h>

#include "count_of.h"

#include "store_event.h"
#include "store_figures.h"
#include "store_quota.h"

static void set_quota(struct fixture *fx, const struct app_row *app, enum quota quota,
		      int64_t limit)
{
	struct error err = {0};
	int64_t own[QUOTA_COUNT];
	for (enum quota each = 0; each < QUOTA_COUNT; each++)
		own[each] = each == quota ? limit : QUOTA_INHERITED;
	ok(store_quota_set(fx->store, app->id, own, &err), &err);
}

static int64_t used(struct fixture *fx, const struct app_row *app, enum quota quota)
{
	struct quota_row rows[QUOTA_COUNT];
	struct error err = {0};
	ok(store_quota_list(fx->store, fx->arena, app->id, rows, &err), &err);
	return rows[quota].used;
}

static void assert_over(const struct quota_over *over, enum quota quota, int64_t limit,
			int64_t used_before)
{
	assert_int_equal(over->quota, quota);
	assert_int_equal(over->limit, limit);
	assert_int_equal(over->used, used_before);
}

static int64_t total(struct fixture *fx, const struct app_row *app)
{
	const struct post_filter filter = {.app_id = app->id, .page = 1, .per_page = 10};
	return list_posts(fx, &filter).total;
}

static void publish_one(struct fixture *fx)
{
	const struct delivery_work work = claim_one(fx, NOW);
	const struct delivery_save done = save_of(&work, DELIVERY_PUBLISHED, NOW);
	save_ok(fx, &done);
}

static void limits_are_the_settings_or_the_apps_own(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	struct quota_row rows[QUOTA_COUNT];
	int64_t own[QUOTA_COUNT];
	for (enum quota quota = 0; quota < QUOTA_COUNT; quota++)
		own[quota] = 100 + quota;
	own[QUOTA_ACCOUNTS] = QUOTA_INHERITED;
	ok(store_quota_set(fx->store, app.id, own, &err), &err);
	ok(store_quota_list(fx->store, fx->arena, app.id, rows, &err), &err);
	for (enum quota quota = 0; quota < QUOTA_COUNT; quota++) {
		assert_int_equal(rows[quota].own, own[quota]);
		assert_int_equal(rows[quota].limit, quota == QUOTA_ACCOUNTS ? 0 : own[quota]);
		assert_int_equal(rows[quota].used, 0);
	}
	assert_int_equal(store_quota_set(fx->store, new_uuid(fx), own, &err), ERR_NOT_FOUND);
	assert_int_equal(store_quota_list(fx->store, fx->arena, new_uuid(fx), rows, &err),
			 ERR_NOT_FOUND);
}

/* Other tests of this store leave apps and accounts too: what is asked is what ours add. */
static void holdings_are_counted_by_platform_and_state(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	struct store_holdings before;
	struct store_holdings after;
	const struct app_row app = make_app(fx);
	set_quota(fx, &app, QUOTA_ACCOUNTS, 2);
	ok(store_holdings_read(fx->store, fx->arena, NOW, &before, &err), &err);
	const struct account_row gone = make_account(fx, &app, "user-1", PLATFORM_X);
	make_account(fx, &app, "user-2", PLATFORM_X);
	ok(store_holdings_read(fx->store, fx->arena, NOW, &after, &err), &err);
	assert_int_equal(after.quota_used_bp[QUOTA_ACCOUNTS], 10000);
	assert_int_equal(after.accounts[PLATFORM_X - 1][ACCOUNT_ACTIVE],
			 before.accounts[PLATFORM_X - 1][ACCOUNT_ACTIVE] + 2);
	ok(store_account_disconnect(fx->store, gone.id, NOW, &err), &err);
	ok(store_holdings_read(fx->store, fx->arena, NOW, &after, &err), &err);
	assert_int_equal(after.accounts[PLATFORM_X - 1][ACCOUNT_DISCONNECTED],
			 before.accounts[PLATFORM_X - 1][ACCOUNT_DISCONNECTED] + 1);
	assert_int_equal(after.accounts[PLATFORM_X - 1][ACCOUNT_ACTIVE],
			 before.accounts[PLATFORM_X - 1][ACCOUNT_ACTIVE] + 1);
}

static void pending_posts_fill_and_become_free(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "user-1", PLATFORM_X);
	const int64_t refusals = store_quota_refusals(fx->store, QUOTA_PENDING_POSTS);
	set_quota(fx, &app, QUOTA_PENDING_POSTS, 2);
	struct post_accept later = make_post(fx, &app, &account, 1);
	later.scheduled_at_us = NOW + US_PER_DAY;
	assert_int_equal(accept_post(fx, &later).outcome, POST_ACCEPTED);
	post_now(fx, &app, &account);
	assert_int_equal(used(fx, &app, QUOTA_PENDING_POSTS), 2);
	const struct post_accept third = make_post(fx, &app, &account, 1);
	const struct post_accept_result refused = accept_post(fx, &third);
	assert_int_equal(refused.outcome, POST_OVER_QUOTA);
	assert_over(&refused.over, QUOTA_PENDING_POSTS, 2, 2);
	assert_int_equal(store_quota_refusals(fx->store, QUOTA_PENDING_POSTS), refusals + 1);
	assert_int_equal(total(fx, &app), 2);
	assert_int_equal(used(fx, &app, QUOTA_PENDING_POSTS), 2);
	/* what is known already is told, not refused */
	struct post_accept again = make_post(fx, &app, &account, 1);
	again.request_id = later.request_id;
	assert_int_equal(accept_post(fx, &again).outcome, POST_DUPLICATE);
	publish_one(fx);
	assert_int_equal(used(fx, &app, QUOTA_PENDING_POSTS), 1);
	assert_int_equal(accept_post(fx, &third).outcome, POST_ACCEPTED);
	publish_one(fx);
	set_quota(fx, &app, QUOTA_PENDING_POSTS, 0); /* no limit */
	for (int i = 0; i < 3; i++)
		post_now(fx, &app, &account);
	for (int i = 0; i < 3; i++)
		publish_one(fx);
	assert_int_equal(used(fx, &app, QUOTA_PENDING_POSTS), 1);
}

static void stored_bytes_are_counted_as_bytes(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "user-1", PLATFORM_X);
	struct post_accept post = make_post(fx, &app, &account, 1);
	post.content = STR("{\"content\":\"gr\xc3\xbc\xc3\x9f\x65\"}");
	const int64_t bytes = (int64_t)post.content.len;
	set_quota(fx, &app, QUOTA_POST_BYTES, bytes * 2 - 1);
	assert_int_equal(accept_post(fx, &post).outcome, POST_ACCEPTED);
	assert_int_equal(used(fx, &app, QUOTA_POST_BYTES), bytes);
	publish_one(fx);
	assert_int_equal(used(fx, &app, QUOTA_POST_BYTES), bytes); /* it stays stored */
	struct post_accept second = make_post(fx, &app, &account, 1);
	second.content = post.content;
	const struct post_accept_result refused = accept_post(fx, &second);
	assert_int_equal(refused.outcome, POST_OVER_QUOTA);
	assert_over(&refused.over, QUOTA_POST_BYTES, bytes * 2 - 1, bytes);
	set_quota(fx, &app, QUOTA_POST_BYTES, bytes * 2);
	assert_int_equal(accept_post(fx, &second).outcome, POST_ACCEPTED);
	publish_one(fx);
}

#define RACERS 8
#define POSTS_EACH 6
#define PLACES 11

struct racer {
	struct fixture *fx;
	pthread_t thread;
	struct arena *arena;
	struct post_accept posts[POSTS_EACH];
	size_t accepted;
};

static void *race(void *argument)
{
	struct racer *racer = argument;
	for (size_t i = 0; i < POSTS_EACH; i++) {
		struct post_accept_result result = {0};
		struct error err = {0};
		if (store_post_accept(racer->fx->store, racer->arena, &racer->posts[i], &result,
				      &err) == ERR_NONE)
			racer->accepted += result.outcome == POST_ACCEPTED;
	}
	return NULL;
}

static void requests_at_once_take_no_more_than_there_is(void **state)
{
	struct fixture *fx = *state;
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "user-1", PLATFORM_X);
	struct racer racers[RACERS] = {{0}};
	size_t accepted = 0;
	set_quota(fx, &app, QUOTA_PENDING_POSTS, PLACES);
	for (size_t i = 0; i < RACERS; i++) {
		racers[i].fx = fx;
		racers[i].arena = arena_new("racer", (size_t)1 << 20);
		for (size_t k = 0; k < POSTS_EACH; k++)
			racers[i].posts[k] = make_post(fx, &app, &account, 1);
	}
	for (size_t i = 0; i < RACERS; i++)
		pthread_create(&racers[i].thread, NULL, race, &racers[i]);
	for (size_t i = 0; i < RACERS; i++) {
		pthread_join(racers[i].thread, NULL);
		accepted += racers[i].accepted;
		arena_free(&racers[i].arena);
	}
	assert_int_equal(accepted, PLACES);
	assert_int_equal(total(fx, &app), PLACES);
	for (size_t i = 0; i < PLACES; i++)
		publish_one(fx);
	assert_int_equal(used(fx, &app, QUOTA_PENDING_POSTS), 0);
}

/* ---- accounts ---- */

struct arrival {
	struct str connection_id;
	const struct account_row *account;
	bool is_over;
};

static enum err_kind arrive(struct store_tx *tx, void *argument, struct error *err)
{
	struct arrival *arrival = argument;
	return store_connection_succeed(tx, arrival->connection_id, arrival->account, 1, NOW,
					&arrival->is_over, err);
}

static struct connection_row connect(struct fixture *fx, const struct app_row *app,
				     const struct account_row *account, bool *is_over_out)
{
	struct error err = {0};
	const struct connection_row made =
		make_connection(fx, app, str_z(fx->arena, account->user_id), account->platform);
	struct arrival arrival = {made.id, account, false};
	struct connection_row ended = {0};
	ok(store_write(fx->store, arrive, &arrival, &err), &err);
	ok(store_connection_find(fx->store, fx->arena, app->id, made.id, NOW, &ended, &err), &err);
	*is_over_out = arrival.is_over;
	return ended;
}

static bool may_connect(struct fixture *fx, const struct app_row *app, const char *user_id,
			struct quota_over *over)
{
	struct error err = {0};
	bool is_over = false;
	ok(store_quota_check_connect(fx->store, fx->arena, app->id, PLATFORM_X, str_of(user_id),
				     &is_over, over, &err),
	   &err);
	return !is_over;
}

static void accounts_fill_and_become_free(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	struct quota_over over;
	bool is_over = false;
	set_quota(fx, &app, QUOTA_ACCOUNTS, 2);
	const struct account_row first = make_account(fx, &app, "user-1", PLATFORM_X);
	make_account(fx, &app, "user-2", PLATFORM_X);
	assert_false(may_connect(fx, &app, "user-3", &over));
	assert_over(&over, QUOTA_ACCOUNTS, 2, 2);
	assert_true(may_connect(fx, &app, "user-1", &over)); /* to connect it again */
	struct account_row third = first;
	third.id = new_uuid(fx);
	third.user_id = STR("user-3");
	const struct connection_row failed = connect(fx, &app, &third, &is_over);
	assert_true(is_over);
	assert_int_equal(failed.state, CONNECTION_FAILED);
	assert_true(str_is(failed.error, "quota_exceeded"));
	assert_true(str_is_empty(failed.code_sealed));
	assert_int_equal(used(fx, &app, QUOTA_ACCOUNTS), 2);
	assert_int_equal(connect(fx, &app, &first, &is_over).state, CONNECTION_SUCCESS);
	ok(store_account_disconnect(fx->store, first.id, NOW, &err), &err);
	assert_int_equal(used(fx, &app, QUOTA_ACCOUNTS), 1);
	assert_true(may_connect(fx, &app, "user-3", &over));
	assert_int_equal(connect(fx, &app, &third, &is_over).state, CONNECTION_SUCCESS);
	/* the one that was disconnected would be one more again */
	assert_int_equal(connect(fx, &app, &first, &is_over).state, CONNECTION_FAILED);
	assert_int_equal(used(fx, &app, QUOTA_ACCOUNTS), 2);
}

/* ---- the webhook backlog ---- */

static struct str no_body(struct arena *arena, const struct event_row *event)
{
	(void)arena, (void)event;
	return STR("{}");
}

static enum err_kind send_test(struct fixture *fx, const struct webhook_row *webhook,
			       struct quota_over *over)
{
	struct error err = {0};
	const struct event_row event = {.id = new_uuid(fx),
					.app_id = webhook->app_id,
					.kind = EVENT_TEST,
					.subject_id = webhook->id,
					.created_at_us = NOW};
	return store_webhook_test(fx->store, &event, no_body, over, &err);
}

static struct webhook_delivery_row newest(struct fixture *fx, const struct webhook_row *webhook)
{
	struct error err = {0};
	struct webhook_delivery_row *log = NULL;
	size_t count = 0;
	ok(store_webhook_log(fx->store, fx->arena, webhook->id, 0, 1, &log, &count, &err), &err);
	assert_int_equal(count, 1);
	return log[0];
}

static enum err_kind save_call(struct store_tx *tx, void *argument, struct error *err)
{
	return store_webhook_save(tx, argument, err);
}

static void end_newest(struct fixture *fx, const struct webhook_row *webhook,
		       enum webhook_delivery_state outcome, struct str disable_reason)
{
	struct error err = {0};
	struct webhook_save call = {.id = newest(fx, webhook).id,
				    .app_id = webhook->app_id,
				    .webhook_id = webhook->id,
				    .attempts = 1,
				    .state = outcome,
				    .due_at_us = NOW,
				    .log = STR("[{}]"),
				    .now_us = NOW,
				    .disable_reason = disable_reason};
	ok(store_write(fx->store, save_call, &call, &err), &err);
}

static void the_webhook_backlog_fills_and_becomes_free(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct webhook_row webhook = make_webhook(fx, &app);
	struct quota_over over = {0};
	set_quota(fx, &app, QUOTA_WEBHOOK_BACKLOG, 2);
	assert_int_equal(send_test(fx, &webhook, &over), ERR_NONE);
	assert_int_equal(send_test(fx, &webhook, &over), ERR_NONE);
	assert_int_equal(send_test(fx, &webhook, &over), ERR_TOO_LARGE);
	assert_over(&over, QUOTA_WEBHOOK_BACKLOG, 2, 2);
	assert_int_equal(used(fx, &app, QUOTA_WEBHOOK_BACKLOG), 2);
	end_newest(fx, &webhook, WEBHOOK_PENDING, STR("")); /* it is tried again: still there */
	assert_int_equal(used(fx, &app, QUOTA_WEBHOOK_BACKLOG), 2);
	struct webhook_delivery_row row = newest(fx, &webhook);
	struct webhook_save done = {.id = row.id,
				    .app_id = app.id,
				    .webhook_id = webhook.id,
				    .attempts = row.attempts + 1,
				    .state = WEBHOOK_SUCCEEDED,
				    .log = STR("[{}]"),
				    .now_us = NOW,
				    .disable_reason = STR("")};
	ok(store_write(fx->store, save_call, &done, &err), &err);
	assert_int_equal(used(fx, &app, QUOTA_WEBHOOK_BACKLOG), 1);
	ok(store_webhook_resend(fx->store, webhook.id, row.id, NOW, &over, &err), &err);
	assert_int_equal(used(fx, &app, QUOTA_WEBHOOK_BACKLOG), 2);
	set_quota(fx, &app, QUOTA_WEBHOOK_BACKLOG, 3);
	assert_int_equal(send_test(fx, &webhook, &over), ERR_NONE);
	/* one answers 410: the webhook is disabled, and nothing waits for it any more */
	end_newest(fx, &webhook, WEBHOOK_FAILED, STR("gone"));
	assert_int_equal(used(fx, &app, QUOTA_WEBHOOK_BACKLOG), 0);
	const struct webhook_row second = make_webhook(fx, &app);
	assert_int_equal(send_test(fx, &second, &over), ERR_NONE);
	assert_int_equal(used(fx, &app, QUOTA_WEBHOOK_BACKLOG), 1);
	ok(store_webhook_delete(fx->store, app.id, second.id, &err), &err);
	assert_int_equal(used(fx, &app, QUOTA_WEBHOOK_BACKLOG), 0);
	ok(store_webhook_delete(fx->store, app.id, webhook.id, &err), &err);
}

static void events_beyond_the_backlog_are_told_as_not_sent(void **state)
{
	struct fixture *fx = *state;
	struct error err = {0};
	const struct app_row app = make_app(fx);
	const struct account_row account = make_account(fx, &app, "user-1", PLATFORM_X);
	const struct webhook_row first = make_webhook(fx, &app);
	const struct webhook_row second = make_webhook(fx, &app);
	struct quota_over over = {0};
	hand_over_events(fx); /* others' tests leave some */
	set_quota(fx, &app, QUOTA_WEBHOOK_BACKLOG, 3);
	post_now(fx, &app, &account);
	publish_one(fx); /* two events, for two webhooks */
	hand_over_events(fx);
	assert_int_equal(used(fx, &app, QUOTA_WEBHOOK_BACKLOG), 3);
	size_t failed = 0;
	const struct webhook_row *const webhooks[] = {&first, &second};
	for (size_t i = 0; i < COUNT_OF(webhooks); i++) {
		struct webhook_delivery_row *log = NULL;
		size_t count = 0;
		ok(store_webhook_log(fx->store, fx->arena, webhooks[i]->id, 0, 10, &log, &count,
				     &err),
		   &err);
		assert_int_equal(count, 2);
		for (size_t k = 0; k < count; k++) {
			if (log[k].state != WEBHOOK_FAILED)
				continue;
			failed++;
			assert_true(str_find(log[k].log, STR("webhook_backlog"), 0) != SIZE_MAX);
			/* a person may send it once there is room */
			assert_int_equal(store_webhook_resend(fx->store, webhooks[i]->id, log[k].id,
							      NOW, &over, &err),
					 ERR_TOO_LARGE);
			set_quota(fx, &app, QUOTA_WEBHOOK_BACKLOG, 4);
			ok(store_webhook_resend(fx->store, webhooks[i]->id, log[k].id, NOW, &over,
						&err),
			   &err);
		}
	}
	assert_int_equal(failed, 1);
	ok(store_webhook_delete(fx->store, app.id, first.id, &err), &err);
	ok(store_webhook_delete(fx->store, app.id, second.id, &err), &err);
	assert_int_equal(used(fx, &app, QUOTA_WEBHOOK_BACKLOG), 0);
}

int run_quota_tests(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(limits_are_the_settings_or_the_apps_own),
		STORE_TEST(holdings_are_counted_by_platform_and_state),
		STORE_TEST(pending_posts_fill_and_become_free),
		STORE_TEST(stored_bytes_are_counted_as_bytes),
		STORE_TEST(requests_at_once_take_no_more_than_there_is),
		STORE_TEST(accounts_fill_and_become_free),
		STORE_TEST(the_webhook_backlog_fills_and_becomes_free),
		STORE_TEST(events_beyond_the_backlog_are_told_as_not_sent),
	};
	return cmocka_run_group_tests_name("quotas", tests, fixture_open, fixture_close);
}
