/* SPDX-License-Identifier: Apache-2.0
 * Tokens of the account: refreshed in time and once, kept, and marked dead only when they are. */
#include "delivery.h"

#include "world.h"

#include "delivery_private.h"

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

/* rules.md T1, x.md 1.4: each refresh token works once, so that the first delivery due uses it
 * up for all. A second connection of the same person has a pair of its own. */
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

/* rules.md T2: the refresh token is spent, the pair that came for it never arrived. */
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

/* rules.md T1: seven of eight accounts were flagged wrongly elsewhere, because nobody looked
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

int main(void)
{
	const struct CMUnitTest tests[] = {
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
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
