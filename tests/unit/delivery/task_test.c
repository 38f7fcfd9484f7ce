/* SPDX-License-Identifier: Apache-2.0
 * One delivery as the engine's task, with the real adapter of X against scripted answers: its
 * intent is durable before the call, its lease may be lost, and a stopping service gives it
 * back. */
#include "delivery.h"

#include "world.h"

#include "evidence.h"

#define TWEETS "POST https://api.x.com/2/tweets"
#define CREATED "{\"data\":{\"id\":\"1001\",\"text\":\"hello\"}}"

static struct account_row x_account(struct world *w)
{
	return world_account(w, PLATFORM_X, 0, WORLD_REFRESH_TOKEN);
}

static struct str x_post(struct world *w)
{
	const struct account_row account = x_account(w);
	return world_post(w, WORLD_TEXT("hello"), &account, 1);
}

static void a_post_is_published(void **state)
{
	struct world *w = *state;
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED);
	const struct str post = x_post(w);
	world_run(w);
	assert_published(w, post, "1001");
	const struct delivery_row row = world_delivery(w, post, 0);
	assert_str(row.url, "https://x.com/ann/status/1001");
	assert_int_equal(row.attempts, 1);
	assert_int_equal(fake_count(&w->transport, TWEETS), 1);
	assert_string_equal(fake_nth(&w->transport, TWEETS, 0)->authorization,
			    "Bearer " WORLD_ACCESS_TOKEN);
	assert_int_equal(engine_task_count(w->engine), 0);
	size_t count = 0;
	const struct timeline_row *rows = world_timeline(w, post, &count);
	assert_int_equal(count, 1);
	assert_str(rows[0].entry.stage, "create");
	assert_str(rows[0].entry.host_path, "api.x.com/2/tweets");
	assert_int_equal(rows[0].entry.status, 201);
	assert_str(rows[0].entry.excerpt, "");
}

/* rules.md 2.2 rule 1: looked at from within start(), as the crash would find it. */
static void look_at_row(void *context, const struct fake_sent *sent)
{
	struct world *w = context;
	struct error err = {0};
	struct delivery_backlog backlog = {0};
	(void)sent;
	ok(store_delivery_backlog(w->store, clock_now_us(&w->clock.clock), &backlog, &err), &err);
	w->serial = backlog.in_flight_count == 1 ? 777 : 0;
}

static void the_intent_is_durable_before_the_call(void **state)
{
	struct world *w = *state;
	const struct str post = x_post(w);
	w->transport.on_start = look_at_row;
	w->transport.on_start_context = w;
	world_run(w);
	assert_int_equal(w->serial, 777);
	assert_state(w, post, "processing");
}

/* ---- apps, accounts, leases, stops ---- */

static void a_suspended_apps_posts_wait(void **state)
{
	struct world *w = *state;
	struct error err = {0};
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED);
	ok(store_app_set_state(w->store, w->app.id, APP_SUSPENDED, &err), &err);
	const struct str post = x_post(w);
	world_pass(w, US_PER_HOUR);
	assert_int_equal(w->transport.sent_count, 0);
	ok(store_app_set_state(w->store, w->app.id, APP_ACTIVE, &err), &err);
	deliverer_wake(w->deliverer);
	world_run(w);
	assert_published(w, post, "1001");
}

/* rules.md 2.2 rule 4: another holder came meanwhile; ours stops, and the answer it got is
 * kept. */
static void a_lost_lease_ends_the_task_and_keeps_the_evidence(void **state)
{
	struct world *w = *state;
	const struct str post = x_post(w);
	world_run(w);
	assert_int_equal(fake_count(&w->transport, TWEETS), 1);
	const struct str delivery = world_delivery(w, post, 0).id;
	/* Another process holds it: the lease is over, and somebody claims. */
	fake_clock_advance(&w->clock, US_PER_HOUR);
	FAKE_ANSWER(&w->transport, .match = "GET https://api.x.com/2/users/",
		    .body = "{\"data\":[]}", .times = 9);
	world_turns(w, 2); /* our own engine is the other one */
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED);
	world_turns(w, 2);
	struct error err = {0};
	struct evidence_row *evidence = NULL;
	size_t count = 0;
	ok(evidence_list(w->store, w->arena, delivery, &evidence, &count, &err), &err);
	assert_int_equal(count, 1);
	assert_str(evidence[0].remote_id, "1001");
	assert_int_equal(fake_count(&w->transport, TWEETS), 1);
}

static void an_answer_survives_a_store_that_fails_for_a_while(void **state)
{
	struct world *w = *state;
	const struct str post = x_post(w);
	world_run(w);
	w->fail_kind = ERR_TEMPORARY;
	w->fail_count = 3;
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED);
	world_run(w);
	assert_published(w, post, "1001");
	assert_int_equal(w->fail_count, 0);
}

static void stop_when_sent(void *context, const struct fake_sent *sent)
{
	struct world *w = context;
	(void)sent;
	engine_stop(w->engine);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED);
}

static void a_draining_service_gives_the_delivery_back(void **state)
{
	struct world *w = *state;
	const struct account_row account = x_account(w);
	const struct str post =
		world_post(w,
			   "{\"mode\":\"basic\",\"containers\":[{\"content\":\"one\",\"media\":[]},"
			   "{\"content\":\"two\",\"media\":[]}]}",
			   &account, 1);
	w->transport.on_start = stop_when_sent;
	w->transport.on_start_context = w;
	engine_run(w->engine, 1000);
	w->transport.on_start = NULL;
	assert_int_equal(fake_count(&w->transport, TWEETS), 1); /* the second part was not begun */
	assert_int_equal(engine_task_count(w->engine), 0);
	world_crash(w);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201,
		    .body = "{\"data\":{\"id\":\"1002\"}}");
	world_run(w);
	assert_published(w, post, "1001");
	assert_int_equal(fake_count(&w->transport, TWEETS), 2);
}

/* An id longer than any that a platform gives must not make a row that cannot be written: the post
 * is looked up, and told by the id that it is found with. */
static void an_endless_id_does_not_block_the_delivery(void **state)
{
	struct world *w = *state;
	char *id = calloc(1, 100001);
	assert_non_null(id);
	memset(id, '7', 100000);
	const struct str body = str_format(w->arena, "{\"data\":{\"id\":\"%s\"}}", id);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = str_z(w->arena, body));
	FAKE_ANSWER(&w->transport, .match = "GET https://api.x.com/2/users/",
		    .body = "{\"data\":[{\"id\":\"2002\",\"text\":\"hello\","
			    "\"created_at\":\"2027-01-15T08:00:00.000Z\"}]}");
	const struct str post = x_post(w);
	world_run(w);
	world_pass(w, 2 * US_PER_S);
	world_pass(w, 9 * US_PER_S);
	assert_published(w, post, "2002");
	assert_int_equal(fake_count(&w->transport, TWEETS), 1);
	free(id);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(a_post_is_published),
		WORLD_TEST(the_intent_is_durable_before_the_call),
		WORLD_TEST(a_suspended_apps_posts_wait),
		WORLD_TEST(a_lost_lease_ends_the_task_and_keeps_the_evidence),
		WORLD_TEST(an_answer_survives_a_store_that_fails_for_a_while),
		WORLD_TEST(a_draining_service_gives_the_delivery_back),
		WORLD_TEST(an_endless_id_does_not_block_the_delivery),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
