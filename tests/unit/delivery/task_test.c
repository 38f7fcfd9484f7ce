/* SPDX-License-Identifier: Apache-2.0
 * The course of one delivery, with the real adapters of X and Facebook against scripted answers:
 * published, retried, limited, refreshed, refused, given back. What is in doubt is
 * resolve_test.c. */
#include "delivery.h"

#include "world.h"

#define TWEETS "POST https://api.x.com/2/tweets"
#define TOKEN "POST https://api.x.com/2/oauth2/token"
#define CREATED "{\"data\":{\"id\":\"1001\",\"text\":\"hello\"}}"
#define NEW_TOKEN \
	"{\"token_type\":\"bearer\",\"expires_in\":7200,\"access_token\":\"the-new-access-" \
	"token\",\"refresh_token\":\"the-new-refresh-token\"}"

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

/* RELIABILITY.md 2.2 rule 1: looked at from within start(), as the crash would find it. */
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

static void a_thread_is_published_part_by_part(void **state)
{
	struct world *w = *state;
	const struct account_row account = x_account(w);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201,
		    .body = "{\"data\":{\"id\":\"1002\"}}");
	const struct str post =
		world_post(w,
			   "{\"mode\":\"basic\",\"containers\":[{\"content\":\"one\",\"media\":[]},"
			   "{\"content\":\"two\",\"media\":[]}]}",
			   &account, 1);
	world_run(w);
	assert_published(w, post, "1001");
	assert_non_null(strstr(fake_nth(&w->transport, TWEETS, 1)->body,
			       "\"in_reply_to_tweet_id\":\"1001\""));
	assert_non_null(strstr(str_z(w->arena, world_delivery(w, post, 0).parts),
			       "\"remote_id\":\"1002\""));
}

/* The root stays published and tells so, whatever becomes of its comment (RELIABILITY.md K2). */
static void a_refused_comment_leaves_the_root(void **state)
{
	struct world *w = *state;
	const struct account_row account = x_account(w);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 403,
		    .body = "{\"title\":\"Forbidden\",\"detail\":\"no\"}");
	const struct str post =
		world_post(w,
			   "{\"mode\":\"basic\",\"containers\":[{\"content\":\"one\",\"media\":[]},"
			   "{\"content\":\"two\",\"media\":[]}]}",
			   &account, 1);
	world_run(w);
	assert_failed(w, post, "PLATFORM_REJECTED");
	const struct delivery_row row = world_delivery(w, post, 0);
	assert_str(row.remote_id, "1001");
	assert_str(row.parts, "[{\"state\":\"published\",\"remote_id\":\"1001\",\"url\":\"https://"
			      "x.com/ann/status/1001\"},"
			      "{\"state\":\"failed\",\"remote_id\":null,\"url\":null}]");
}

/* DESIGN.md section 3: 5 tries at 0, 30 s, 2, 10 and 30 min, each at most a fifth later. */
static void what_was_never_sent_is_tried_five_times(void **state)
{
	struct world *w = *state;
	static const int64_t waits_s[] = {30, 120, 600, 1800};
	FAKE_ANSWER(&w->transport, .match = TWEETS, .outcome = TRANSFER_NEVER_SENT,
		    .problem = TRANSFER_CONNECT_FAILED, .error_text = "connect failed",
		    .times = 99);
	const struct str post = x_post(w);
	world_run(w);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(fake_count(&w->transport, TWEETS), i + 1);
		assert_state(w, post, "retrying");
		assert_str(world_delivery(w, post, 0).error_code, "PLATFORM_UNAVAILABLE");
		world_pass(w, waits_s[i] * US_PER_S - 1);
		assert_int_equal(fake_count(&w->transport, TWEETS), i + 1);
		world_pass(w, waits_s[i] * US_PER_S / 5 + 1);
	}
	assert_int_equal(fake_count(&w->transport, TWEETS), 5);
	assert_failed(w, post, "PLATFORM_UNAVAILABLE");
	assert_int_equal(world_delivery(w, post, 0).attempts, 5);
	world_pass(w, 10 * US_PER_DAY);
	assert_int_equal(fake_count(&w->transport, TWEETS), 5);
}

static void a_rate_limit_waits_as_told_and_costs_no_try(void **state)
{
	struct world *w = *state;
	const int64_t reset_s = FAKE_NOW_US / US_PER_S + 900;
	const char *reset = str_z(w->arena, str_format(w->arena, "%lld", (long long)reset_s));
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 429,
		    .body = "{\"title\":\"Too Many Requests\"}",
		    .header_name = "x-rate-limit-reset", .header_value = reset);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED);
	const struct str post = x_post(w);
	world_run(w);
	assert_state(w, post, "retrying");
	assert_int_equal(world_delivery(w, post, 0).attempts, 0);
	world_pass(w, 899 * US_PER_S);
	assert_int_equal(fake_count(&w->transport, TWEETS), 1);
	world_pass(w, 200 * US_PER_S);
	assert_published(w, post, "1001");
}

static void patience_with_rate_limits_ends(void **state)
{
	struct world *w = *state;
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 429,
		    .body = "{\"title\":\"Too Many Requests\"}", .times = 250);
	const struct str post = x_post(w);
	world_run(w);
	for (int i = 0; i < 60 && world_delivery(w, post, 0).state != POST_FAILED; i++)
		world_pass(w, US_PER_HOUR);
	assert_failed(w, post, "RATE_LIMITED");
	assert_true(clock_now_us(&w->clock.clock) - FAKE_NOW_US >= 46 * US_PER_HOUR);
	assert_true(clock_now_us(&w->clock.clock) - FAKE_NOW_US <= 49 * US_PER_HOUR);
}

static void an_app_failure_is_retried_and_then_told(void **state)
{
	struct world *w = *state;
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 403,
		    .body = "{\"title\":\"Client Forbidden\",\"detail\":\"no project\","
			    "\"type\":\"https://api.x.com/2/problems/client-forbidden\"}",
		    .times = 9);
	const struct account_row account = x_account(w);
	const struct str post = world_post(w, WORLD_TEXT("hello"), &account, 1);
	world_run(w);
	for (int i = 0; i < 6; i++)
		world_pass(w, US_PER_HOUR);
	assert_failed(w, post, "PERMISSION_MISSING");
	assert_int_equal(fake_count(&w->transport, TWEETS), 5);
	assert_int_equal(world_account_now(w, &account).state, ACCOUNT_ACTIVE);
}

/* x.md section 4, 402: credits are bought sooner or later; nobody's tries are used up on that, for
 * as long as there is patience. */
static void used_up_credits_burn_no_tries(void **state)
{
	struct world *w = *state;
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 402,
		    .body = "{\"title\":\"CreditsDepleted\",\"detail\":\"no credits\"}",
		    .times = 500);
	const struct account_row account = x_account(w);
	const struct str post = world_post(w, WORLD_TEXT("hello"), &account, 1);
	world_run(w);
	for (int i = 0; i < 12; i++)
		world_pass(w, US_PER_HOUR);
	assert_true(fake_count(&w->transport, TWEETS) > 5);
	assert_int_equal(world_delivery(w, post, 0).attempts, 0);
	assert_true(world_delivery(w, post, 0).state != POST_FAILED);
	for (int i = 0; i < 60 && world_delivery(w, post, 0).state != POST_FAILED; i++)
		world_pass(w, US_PER_HOUR);
	assert_failed(w, post, "QUOTA_EXHAUSTED");
	assert_true(clock_now_us(&w->clock.clock) - FAKE_NOW_US >= 46 * US_PER_HOUR);
}

/* ---- tokens ---- */

static void a_token_about_to_end_is_refreshed_before_use(void **state)
{
	struct world *w = *state;
	const struct account_row account =
		world_account(w, PLATFORM_X, FAKE_NOW_US + 4 * US_PER_MINUTE, WORLD_REFRESH_TOKEN);
	FAKE_ANSWER(&w->transport, .match = TOKEN, .body = NEW_TOKEN);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED);
	const struct str post = world_post(w, WORLD_TEXT("hello"), &account, 1);
	world_run(w);
	assert_published(w, post, "1001");
	assert_string_equal(fake_nth(&w->transport, "POST", 0)->url,
			    "https://api.x.com/2/oauth2/token");
	assert_true(fake_nth(&w->transport, TOKEN, 0)->fresh_connection);
	assert_string_equal(fake_nth(&w->transport, TWEETS, 0)->authorization,
			    "Bearer the-new-access-token");
	const struct account_row now = world_account_now(w, &account);
	assert_int_equal(now.expires_at_us, FAKE_NOW_US + 7200 * US_PER_S);
	const struct seal_place place = {STR("accounts"), STR("refresh_token"), account.id};
	struct str stored = STR("");
	struct error err = {0};
	ok(seal_open_secret(w->seal, w->arena, &place, now.refresh_token_sealed, &stored, &err),
	   &err);
	assert_str(stored, "the-new-refresh-token");
}

/* RELIABILITY.md T1, x.md 1.4: each refresh token works once, so that whoever is due with the first
 * uses one up for all. A second connection of the same person has a pair of its own. */
static void deliveries_due_at_once_use_a_refresh_token_once(void **state)
{
	struct world *w = *state;
	const struct account_row accounts[] = {
		world_account(w, PLATFORM_X, FAKE_NOW_US + 4 * US_PER_MINUTE, WORLD_REFRESH_TOKEN),
		world_account(w, PLATFORM_X, FAKE_NOW_US + 4 * US_PER_MINUTE, WORLD_REFRESH_TOKEN),
	};
	struct str posts[6];
	FAKE_ANSWER(&w->transport, .match = TOKEN, .body = NEW_TOKEN, .times = 9);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED, .times = 9);
	for (size_t i = 0; i < 6; i++)
		posts[i] = world_post(w, WORLD_TEXT("hello"), &accounts[i % 2], 1);
	world_run(w);
	for (size_t i = 0; i < 6; i++)
		assert_published(w, posts[i], "1001");
	assert_int_equal(fake_count(&w->transport, TOKEN), 2);
	for (size_t i = 0; i < 6; i++)
		assert_string_equal(fake_nth(&w->transport, TWEETS, i)->authorization,
				    "Bearer the-new-access-token");
}

static void a_fresh_token_is_left_alone(void **state)
{
	struct world *w = *state;
	const struct account_row account =
		world_account(w, PLATFORM_X, FAKE_NOW_US + 6 * US_PER_MINUTE, WORLD_REFRESH_TOKEN);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED);
	const struct str post = world_post(w, WORLD_TEXT("hello"), &account, 1);
	world_run(w);
	assert_published(w, post, "1001");
	assert_int_equal(fake_count(&w->transport, TOKEN), 0);
}

static void a_refused_token_is_refreshed_once_and_the_stage_repeated(void **state)
{
	struct world *w = *state;
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 401,
		    .body = "{\"title\":\"Unauthorized\"}");
	FAKE_ANSWER(&w->transport, .match = TOKEN, .body = NEW_TOKEN);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED);
	const struct str post = x_post(w);
	world_run(w);
	assert_published(w, post, "1001");
	assert_int_equal(fake_count(&w->transport, TOKEN), 1);
	assert_int_equal(fake_count(&w->transport, TWEETS), 2);
}

static void a_fresh_token_refused_again_means_reconnect(void **state)
{
	struct world *w = *state;
	const struct account_row account = x_account(w);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 401,
		    .body = "{\"title\":\"Unauthorized\"}", .times = 9);
	FAKE_ANSWER(&w->transport, .match = TOKEN, .body = NEW_TOKEN, .times = 9);
	const struct str post = world_post(w, WORLD_TEXT("hello"), &account, 1);
	world_run(w);
	assert_failed(w, post, "ACCOUNT_REAUTH_REQUIRED");
	assert_int_equal(fake_count(&w->transport, TOKEN), 1);
	assert_int_equal(world_account_now(w, &account).state, ACCOUNT_REAUTH_REQUIRED);
}

static void a_refused_refresh_means_reconnect(void **state)
{
	struct world *w = *state;
	const struct account_row account = x_account(w);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 401,
		    .body = "{\"title\":\"Unauthorized\"}");
	FAKE_ANSWER(&w->transport, .match = TOKEN, .status = 400,
		    .body = "{\"error\":\"invalid_request\"}");
	const struct str post = world_post(w, WORLD_TEXT("hello"), &account, 1);
	world_run(w);
	assert_failed(w, post, "ACCOUNT_REAUTH_REQUIRED");
	const struct account_row now = world_account_now(w, &account);
	assert_int_equal(now.state, ACCOUNT_REAUTH_REQUIRED);
	assert_true(now.last_error.len > 0);
}

/* RELIABILITY.md T2: the refresh token is spent, the pair that came for it never arrived. */
static void a_lost_answer_is_told_apart_from_a_dead_token(void **state)
{
	struct world *w = *state;
	const struct account_row account = x_account(w);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 401,
		    .body = "{\"title\":\"Unauthorized\"}", .times = 2);
	FAKE_ANSWER(&w->transport, .match = TOKEN, .outcome = TRANSFER_LOST);
	FAKE_ANSWER(&w->transport, .match = TOKEN, .status = 400,
		    .body = "{\"error\":\"invalid_request\"}");
	const struct str post = world_post(w, WORLD_TEXT("hello"), &account, 1);
	world_run(w);
	assert_state(w, post, "retrying");
	assert_int_equal(world_account_now(w, &account).state, ACCOUNT_ACTIVE);
	world_pass(w, US_PER_MINUTE);
	assert_failed(w, post, "ACCOUNT_REAUTH_REQUIRED");
	assert_true(str_has_prefix(world_account_now(w, &account).last_error,
				   STR("The answer to an earlier refresh was lost")));
}

/* RELIABILITY.md T1: seven of eight accounts were flagged wrongly elsewhere, because nobody looked
 * again. */
static void an_account_connected_again_meanwhile_is_not_flagged(void **state)
{
	struct world *w = *state;
	struct account_row account = x_account(w);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 401,
		    .body = "{\"title\":\"Unauthorized\"}");
	const struct str post = world_post(w, WORLD_TEXT("hello"), &account, 1);
	world_run(w);
	assert_int_equal(fake_count(&w->transport, TOKEN), 1);
	world_connect(w, &account, "token-of-the-second-connection",
		      "refresh-of-the-second-connection");
	FAKE_ANSWER(&w->transport, .match = TOKEN, .status = 400,
		    .body = "{\"error\":\"invalid_request\"}");
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED);
	world_run(w);
	assert_int_equal(world_account_now(w, &account).state, ACCOUNT_ACTIVE);
	world_pass(w, US_PER_MINUTE);
	assert_published(w, post, "1001");
	assert_string_equal(fake_nth(&w->transport, TWEETS, 1)->authorization,
			    "Bearer token-of-the-second-connection");
}

/* The same, when our own refresh had come back late and its token was not stored. */
static void a_refresh_that_came_too_late_does_not_hide_the_new_connection(void **state)
{
	struct world *w = *state;
	struct account_row account = x_account(w);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 401,
		    .body = "{\"title\":\"Unauthorized\"}");
	const struct str post = world_post(w, WORLD_TEXT("hello"), &account, 1);
	world_run(w);
	world_connect(w, &account, "token-of-the-second-connection",
		      "refresh-of-the-second-connection");
	FAKE_ANSWER(&w->transport, .match = TOKEN, .body = NEW_TOKEN);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 401,
		    .body = "{\"title\":\"Unauthorized\"}");
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED);
	world_run(w);
	assert_int_equal(world_account_now(w, &account).state, ACCOUNT_ACTIVE);
	world_pass(w, US_PER_MINUTE);
	assert_published(w, post, "1001");
	assert_string_equal(fake_nth(&w->transport, TWEETS, 2)->authorization,
			    "Bearer token-of-the-second-connection");
}

/* Seed 67810 of the simulation, x.md 1.4: while a call was under way the account got new tokens,
 * from another task or another connection. The refresh token that this one has read may have been
 * used, and is not sent. */
static void a_refresh_token_that_is_not_the_last_is_not_sent(void **state)
{
	struct world *w = *state;
	struct account_row account = x_account(w);
	const struct str post = world_post(w, WORLD_TEXT("hello"), &account, 1);
	world_run(w);
	assert_int_equal(fake_count(&w->transport, TWEETS), 1);
	world_connect(w, &account, "token-of-the-second-connection",
		      "refresh-of-the-second-connection");
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 401,
		    .body = "{\"title\":\"Unauthorized\"}");
	FAKE_ANSWER(&w->transport, .match = TOKEN, .body = NEW_TOKEN, .times = 9);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED);
	world_run(w);
	world_pass(w, 3 * US_PER_MINUTE);
	assert_int_equal(fake_count(&w->transport, TOKEN), 0);
	assert_published(w, post, "1001");
	assert_string_equal(fake_nth(&w->transport, TWEETS, 1)->authorization,
			    "Bearer token-of-the-second-connection");
}

static void a_refresh_that_fails_in_passing_is_retried(void **state)
{
	struct world *w = *state;
	const struct account_row account =
		world_account(w, PLATFORM_X, FAKE_NOW_US + US_PER_MINUTE, WORLD_REFRESH_TOKEN);
	FAKE_ANSWER(&w->transport, .match = TOKEN, .status = 503);
	FAKE_ANSWER(&w->transport, .match = TOKEN, .body = NEW_TOKEN);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED);
	const struct str post = world_post(w, WORLD_TEXT("hello"), &account, 1);
	world_run(w);
	assert_state(w, post, "retrying");
	assert_int_equal(world_account_now(w, &account).state, ACCOUNT_ACTIVE);
	world_pass(w, US_PER_MINUTE);
	assert_published(w, post, "1001");
}

static void an_expired_token_without_refresh_ends_the_delivery(void **state)
{
	struct world *w = *state;
	const struct account_row account =
		world_account(w, PLATFORM_FACEBOOK, FAKE_NOW_US - 1, NULL);
	const struct str post = world_post(w, WORLD_TEXT("hello"), &account, 1);
	world_run(w);
	assert_failed(w, post, "ACCOUNT_REAUTH_REQUIRED");
	assert_int_equal(w->transport.sent_count, 0);
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

static void a_disconnected_account_gets_nothing(void **state)
{
	struct world *w = *state;
	const struct account_row account = x_account(w);
	const struct str post = world_post(w, WORLD_TEXT("hello"), &account, 1);
	world_set_account_state(w, &account, ACCOUNT_DISCONNECTED);
	world_run(w);
	assert_failed(w, post, "ACCOUNT_REAUTH_REQUIRED");
	assert_int_equal(w->transport.sent_count, 0);
}

/* RELIABILITY.md 2.2 rule 4: another holder came meanwhile; ours stops, and what it was told is
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
	ok(store_evidence_list(w->store, w->arena, delivery, &evidence, &count, &err), &err);
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

/* ---- what is stored cannot be read ---- */

static void a_key_that_does_not_fit_fails_with_a_reason(void **state)
{
	struct world *w = *state;
	const struct str post = x_post(w);
	struct error err = {0};
	const uint8_t other[SEAL_KEY_BYTES] = {9};
	world_stop_parts(w);
	seal_free(&w->seal);
	ok(seal_open_key(other, &w->seal, &err), &err);
	world_start_parts(w);
	world_run(w);
	assert_failed(w, post, "INTERNAL_ERROR");
	assert_int_equal(w->transport.sent_count, 0);
}

/* The post is out there in part, and with a call in doubt: neither may be forgotten. */
static void an_unreadable_delivery_in_doubt_is_told_as_unknown(void **state)
{
	struct world *w = *state;
	const struct account_row account = x_account(w);
	const struct str post =
		world_post(w,
			   "{\"mode\":\"basic\",\"containers\":[{\"content\":\"one\",\"media\":[]},"
			   "{\"content\":\"two\",\"media\":[]}]}",
			   &account, 1);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED);
	world_run(w);
	assert_int_equal(fake_count(&w->transport, TWEETS), 2);
	struct error err = {0};
	const uint8_t other[SEAL_KEY_BYTES] = {9};
	world_stop_parts(w);
	fake_transport_forget(&w->transport);
	seal_free(&w->seal);
	ok(seal_open_key(other, &w->seal, &err), &err);
	world_start_parts(w);
	world_run(w);
	assert_failed(w, post, "OUTCOME_UNKNOWN");
	const struct delivery_row row = world_delivery(w, post, 0);
	assert_str(row.remote_id, "1001");
	assert_non_null(strstr(str_z(w->arena, row.parts), "\"remote_id\":\"1001\""));
}

/* An id longer than any that a platform gives must not make a row that cannot be written. */
static void an_endless_id_does_not_block_the_delivery(void **state)
{
	struct world *w = *state;
	char *id = calloc(1, 100001);
	assert_non_null(id);
	memset(id, '7', 100000);
	const struct str body = str_format(w->arena, "{\"data\":{\"id\":\"%s\"}}", id);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = str_z(w->arena, body));
	const struct str post = x_post(w);
	world_run(w);
	assert_state(w, post, "published");
	free(id);
}

/* Meta repeats the token in its complaint. */
static void a_token_in_the_platforms_words_is_not_told(void **state)
{
	struct world *w = *state;
	FAKE_ANSWER(&w->transport, .match = "/feed", .status = 400,
		    .body = "{\"error\":{\"message\":\"Malformed value " WORLD_ACCESS_TOKEN
			    "!\",\"type\":\"OAuthException\",\"code\":100}}");
	const struct account_row account = world_account(w, PLATFORM_FACEBOOK, 0, NULL);
	const struct str post = world_post(w, WORLD_TEXT("hello"), &account, 1);
	world_run(w);
	const struct delivery_row row = world_delivery(w, post, 0);
	assert_string_equal(post_state_name(row.state), "failed");
	assert_non_null(strstr(str_z(w->arena, row.platform_message), "Malformed value ***!"));
	assert_null(strstr(str_z(w->arena, row.error_message), WORLD_ACCESS_TOKEN));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(a_post_is_published),
		WORLD_TEST(the_intent_is_durable_before_the_call),
		WORLD_TEST(a_thread_is_published_part_by_part),
		WORLD_TEST(a_refused_comment_leaves_the_root),
		WORLD_TEST(what_was_never_sent_is_tried_five_times),
		WORLD_TEST(a_rate_limit_waits_as_told_and_costs_no_try),
		WORLD_TEST(patience_with_rate_limits_ends),
		WORLD_TEST(an_app_failure_is_retried_and_then_told),
		WORLD_TEST(used_up_credits_burn_no_tries),
		WORLD_TEST(a_token_about_to_end_is_refreshed_before_use),
		WORLD_TEST(deliveries_due_at_once_use_a_refresh_token_once),
		WORLD_TEST(a_fresh_token_is_left_alone),
		WORLD_TEST(a_refused_token_is_refreshed_once_and_the_stage_repeated),
		WORLD_TEST(a_fresh_token_refused_again_means_reconnect),
		WORLD_TEST(a_refused_refresh_means_reconnect),
		WORLD_TEST(a_lost_answer_is_told_apart_from_a_dead_token),
		WORLD_TEST(an_account_connected_again_meanwhile_is_not_flagged),
		WORLD_TEST(a_refresh_that_came_too_late_does_not_hide_the_new_connection),
		WORLD_TEST(a_refresh_token_that_is_not_the_last_is_not_sent),
		WORLD_TEST(a_refresh_that_fails_in_passing_is_retried),
		WORLD_TEST(an_expired_token_without_refresh_ends_the_delivery),
		WORLD_TEST(a_suspended_apps_posts_wait),
		WORLD_TEST(a_disconnected_account_gets_nothing),
		WORLD_TEST(a_lost_lease_ends_the_task_and_keeps_the_evidence),
		WORLD_TEST(an_answer_survives_a_store_that_fails_for_a_while),
		WORLD_TEST(a_draining_service_gives_the_delivery_back),
		WORLD_TEST(a_key_that_does_not_fit_fails_with_a_reason),
		WORLD_TEST(an_unreadable_delivery_in_doubt_is_told_as_unknown),
		WORLD_TEST(an_endless_id_does_not_block_the_delivery),
		WORLD_TEST(a_token_in_the_platforms_words_is_not_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
