/* SPDX-License-Identifier: Apache-2.0
 * Webhooks at work, turn by turn: what a finished post becomes, the schedule by the clock, a
 * process that dies between, the limit in flight, disabling, and retention. */
#include "webhook.h"

#include "damaged_file.h"
#include "world.h"

#include "store_alarm.h"
#include "store_event.h"

#include "webhook_private.h"
#include "webhook_sign.h"

#define TWEETS "POST https://api.x.com/2/tweets"
#define CREATED "{\"data\":{\"id\":\"1001\",\"text\":\"hello\"}}"
#define HOOK "POST https://customer.example/hook"

struct fixture {
	struct world *w;
	struct webhooker *webhooker;
	struct webhook_row webhook;
	int data_calls;
};

static enum err_kind data(void *context, struct arena *arena, const struct event_row *event,
			  struct str *json_out, struct error *err)
{
	struct fixture *fx = context;
	(void)arena, (void)event, (void)err;
	fx->data_calls++;
	*json_out = STR("{\"n\":1}");
	return ERR_NONE;
}

static void open_webhooker(struct fixture *fx)
{
	struct error err = {0};
	const struct webhooker_config config = {
		.retention = {.events_us = EVENT_KEPT_US},
		.store = fx->w->store,
		.seal = fx->w->seal,
		.engine = fx->w->engine,
		.clock = &fx->w->clock.clock,
		.random = &fx->w->random.source,
		.log = &fx->w->log,
		.port = {data, fx},
	};
	ok(webhooker_new(&config, &fx->webhooker, &err), &err);
}

static void add_webhook(struct fixture *fx, int64_t event_mask)
{
	struct world *w = fx->w;
	struct error err = {0};
	fx->webhook = (struct webhook_row){
		.id = world_uuid(w),
		.app_id = w->app.id,
		.url = STR("https://customer.example/hook"),
		.event_mask = event_mask,
		.is_enabled = true,
		.created_at_us = FAKE_NOW_US,
	};
	const struct str secret = webhook_secret_make(w->arena, &w->random.source);
	fx->webhook.secret_sealed =
		world_sealed(w, "webhooks", "secret", fx->webhook.id, str_z(w->arena, secret));
	ok(store_webhook_create(w->store, &fx->webhook, &err), &err);
}

static int setup(void **state)
{
	struct fixture *fx = calloc(1, sizeof(*fx));
	void *world = NULL;
	assert_non_null(fx);
	world_setup(&world);
	fx->w = world;
	open_webhooker(fx);
	add_webhook(fx, INT64_C(1) << EVENT_POST_COMPLETED);
	*state = fx;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fx = *state;
	void *world = fx->w;
	engine_free(&fx->w->engine);
	webhooker_free(&fx->webhooker);
	world_teardown(&world);
	free(fx);
	return 0;
}

/* The process dies; the next one opens the same files. */
static void crash(struct fixture *fx)
{
	engine_free(&fx->w->engine);
	webhooker_free(&fx->webhooker);
	world_crash(fx->w);
	open_webhooker(fx);
}

static void publish_one(struct fixture *fx)
{
	struct world *w = fx->w;
	const struct account_row account = world_account(w, PLATFORM_X, 0, NULL);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED);
	const struct str post = world_post(w, WORLD_TEXT("hello"), &account, 1);
	world_run(w);
	assert_state(w, post, "published");
}

static size_t calls(struct fixture *fx)
{
	return fake_count(&fx->w->transport, HOOK);
}

static struct webhook_delivery_row last(struct fixture *fx)
{
	struct webhook_delivery_row *rows = NULL;
	size_t count = 0;
	struct error err = {0};
	ok(store_webhook_log(fx->w->store, fx->w->arena, fx->webhook.id, 0, 100, &rows, &count,
			     &err),
	   &err);
	assert_true(count > 0);
	return rows[0];
}

static void answer(struct fixture *fx, int status)
{
	FAKE_ANSWER(&fx->w->transport, .match = HOOK, .status = status, .body = "ok");
	world_run(fx->w);
}

static void pass(struct fixture *fx, int64_t ms)
{
	fake_clock_advance(&fx->w->clock, ms * US_PER_MS);
	world_run(fx->w);
}

static void a_finished_post_is_carried_there(void **state)
{
	struct fixture *fx = *state;
	publish_one(fx);
	assert_int_equal(calls(fx), 1);
	const struct fake_sent *sent = fake_nth(&fx->w->transport, HOOK, 0);
	assert_int_equal(sent->pool, TRANSFER_WEBHOOK);
	assert_int_equal(sent->timeout_ms, 10000);
	assert_non_null(strstr(sent->body, "\"event\":\"post.completed\""));
	assert_non_null(strstr(sent->body, "\"data\":{\"n\":1}"));
	answer(fx, 200);
	assert_int_equal(last(fx).state, WEBHOOK_SUCCEEDED);
	assert_int_equal(last(fx).attempts, 1);
	pass(fx, INT64_C(86400000));
	assert_int_equal(calls(fx), 1);
	assert_int_equal(fx->data_calls, 3); /* connection, publish and completed: each body once */
}

static void failures_follow_the_schedule_to_its_end(void **state)
{
	static const int64_t waits_ms[] = {30000, 300000, 1800000, 7200000, 28800000, 86400000};
	struct fixture *fx = *state;
	publish_one(fx);
	for (size_t i = 0; i < 6; i++) {
		answer(fx, 500);
		assert_int_equal(last(fx).state, WEBHOOK_PENDING);
		assert_int_equal(calls(fx), i + 1);
		pass(fx, waits_ms[i] - 1);
		assert_int_equal(calls(fx), i + 1);
		pass(fx, 1);
		assert_int_equal(calls(fx), i + 2);
	}
	answer(fx, 500);
	assert_int_equal(last(fx).state, WEBHOOK_FAILED);
	assert_int_equal(last(fx).attempts, 7);
	pass(fx, INT64_C(10) * 86400000);
	assert_int_equal(calls(fx), 7);
}

static void what_was_under_way_is_sent_again_after_a_crash(void **state)
{
	struct fixture *fx = *state;
	publish_one(fx);
	crash(fx);
	world_run(fx->w);
	assert_int_equal(calls(fx), 2);
	assert_string_equal(fake_nth(&fx->w->transport, HOOK, 1)->body,
			    fake_nth(&fx->w->transport, HOOK, 0)->body);
	answer(fx, 204);
	assert_int_equal(last(fx).state, WEBHOOK_SUCCEEDED);
	crash(fx);
	world_run(fx->w);
	assert_int_equal(calls(fx), 2);
}

static void a_failed_commit_loses_nothing(void **state)
{
	struct fixture *fx = *state;
	publish_one(fx);
	fx->w->fail_kind = ERR_TEMPORARY;
	fx->w->fail_count = 2;
	answer(fx, 200);
	pass(fx, 1000);
	crash(fx);
	answer(fx, 200);
	assert_int_equal(last(fx).state, WEBHOOK_SUCCEEDED);
}

static void four_at_once_for_one_webhook(void **state)
{
	struct fixture *fx = *state;
	for (int i = 0; i < 6; i++)
		publish_one(fx);
	assert_int_equal(calls(fx), 4);
	answer(fx, 200);
	assert_int_equal(calls(fx), 5);
	for (int i = 0; i < 6; i++)
		answer(fx, 200);
	assert_int_equal(calls(fx), 6);
}

/* Whoever sends an event again and again finds the newest tries in its log, which stays whole. */
static void a_log_keeps_the_newest_tries(void **state)
{
	struct fixture *fx = *state;
	const struct json *log = NULL;
	struct quota_over over;
	struct error err = {0};
	publish_one(fx);
	for (int i = 0; i < 200; i++) {
		answer(fx, 200);
		ok(store_webhook_resend(fx->w->store, fx->webhook.id, last(fx).id,
					fx->w->clock.now_us, &over, &err),
		   &err);
		webhooker_wake(fx->webhooker);
		world_run(fx->w);
	}
	answer(fx, 299);
	ok(json_parse(fx->w->arena, last(fx).log, NULL, &log, NULL, &err), &err);
	assert_int_equal(log->count, 20);
	assert_int_equal(json_int(json_get(json_at(log, 19), "status"), 0), 299);
	assert_int_equal(json_int(json_get(json_at(log, 18), "status"), 0), 200);
}

static struct webhook_row webhook_now(struct fixture *fx)
{
	struct webhook_row row = {0};
	struct error err = {0};
	ok(store_webhook_find(fx->w->store, fx->w->arena, fx->w->app.id, fx->webhook.id, &row,
			      &err),
	   &err);
	return row;
}

static void gone_ends_all_that_waits(void **state)
{
	struct fixture *fx = *state;
	for (int i = 0; i < 6; i++)
		publish_one(fx);
	answer(fx, 410);
	assert_false(webhook_now(fx).is_enabled);
	pass(fx, INT64_C(86400000));
	assert_int_equal(calls(fx), 4); /* those under way; none after */
	publish_one(fx);
	assert_int_equal(calls(fx), 4);
}

static void five_days_of_failures_disable(void **state)
{
	struct fixture *fx = *state;
	publish_one(fx);
	answer(fx, 500);
	assert_int_not_equal(webhook_now(fx).failing_since_us, 0);
	fake_clock_advance(&fx->w->clock, 5 * US_PER_DAY + US_PER_MINUTE);
	world_run(fx->w);
	answer(fx, 500);
	assert_false(webhook_now(fx).is_enabled);
	assert_true(webhook_now(fx).disabled_reason.len > 0);
}

static void a_success_forgets_the_failures(void **state)
{
	struct fixture *fx = *state;
	publish_one(fx);
	answer(fx, 500);
	pass(fx, 30000);
	answer(fx, 200);
	assert_int_equal(webhook_now(fx).failing_since_us, 0);
	assert_true(webhook_now(fx).is_enabled);
}

static void a_secret_of_another_key_sends_nothing(void **state)
{
	struct fixture *fx = *state;
	struct webhook_row spoilt = fx->webhook;
	struct error err = {0};
	spoilt.secret_sealed = STR("not sealed by us");
	ok(store_webhook_rotate(fx->w->store, &spoilt, &err), &err);
	publish_one(fx);
	assert_int_equal(calls(fx), 0);
	assert_int_equal(last(fx).attempts, 1);
	assert_non_null(strstr(str_z(fx->w->arena, last(fx).log), "secret"));
}

static size_t event_count(struct fixture *fx)
{
	struct event_row *rows = NULL;
	size_t count = 0;
	struct error err = {0};
	ok(store_event_list(fx->w->store, fx->w->arena, fx->w->app.id, 0, 100, &rows, &count, &err),
	   &err);
	return count;
}

static void events_are_kept_for_thirty_days(void **state)
{
	struct fixture *fx = *state;
	publish_one(fx);
	answer(fx, 200);
	assert_int_equal(event_count(fx), 3);
	fake_clock_advance(&fx->w->clock, EVENT_KEPT_US - US_PER_HOUR);
	webhooker_wake(fx->webhooker);
	world_run(fx->w);
	assert_int_equal(event_count(fx), 3);
	fake_clock_advance(&fx->w->clock, 2 * US_PER_HOUR);
	webhooker_wake(fx->webhooker);
	world_run(fx->w);
	assert_int_equal(event_count(fx), 0);
}

#define WEBHOOK_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static size_t count_alarms(struct fixture *fx)
{
	struct error err = {0};
	struct alarm_row *rows = NULL;
	size_t count = 0;
	ok(store_alarm_list(fx->w->store, fx->w->arena, &rows, &count, &err), &err);
	size_t found = 0;
	for (size_t i = 0; i < count; i++)
		found += str_equal_z(rows[i].name, "events");
	return found;
}

/* Nothing more can be written in the transaction that read the page: the alarm comes in the
 * next. */
static void a_damaged_page_raises_the_alarm(void **state)
{
	struct fixture *fx = *state;
	struct world *w = fx->w;
	publish_one(fx);
	answer(fx, 500);
	engine_free(&w->engine);
	webhooker_free(&fx->webhooker);
	world_stop_parts(w);
	assert_true(damaged_file_zero(w, fx->webhook.url) > 0);
	world_start_parts(w);
	open_webhooker(fx);
	for (int i = 0; i < 8; i++)
		pass(fx, 10000);
	assert_int_equal(count_alarms(fx), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WEBHOOK_TEST(a_finished_post_is_carried_there),
		WEBHOOK_TEST(failures_follow_the_schedule_to_its_end),
		WEBHOOK_TEST(what_was_under_way_is_sent_again_after_a_crash),
		WEBHOOK_TEST(a_failed_commit_loses_nothing),
		WEBHOOK_TEST(four_at_once_for_one_webhook),
		WEBHOOK_TEST(a_log_keeps_the_newest_tries),
		WEBHOOK_TEST(gone_ends_all_that_waits),
		WEBHOOK_TEST(five_days_of_failures_disable),
		WEBHOOK_TEST(a_success_forgets_the_failures),
		WEBHOOK_TEST(a_secret_of_another_key_sends_nothing),
		WEBHOOK_TEST(events_are_kept_for_thirty_days),
		WEBHOOK_TEST(a_damaged_page_raises_the_alarm),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
