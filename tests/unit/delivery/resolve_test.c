/* SPDX-License-Identifier: Apache-2.0
 * Publish calls with an unknown outcome: lost, 5xx, 3xx, unreadable, or cut off by our own death.
 * In every row the promise is the same: the call is not sent again unless the platform has proven
 * that nothing came of it. */
#include "count_of.h"

#include "delivery.h"

#include "world.h"

#include "store_post_change.h"

#include "delivery_private.h"

#define TWEETS "POST https://api.x.com/2/tweets"
#define LOOK "GET https://api.x.com/2/users/"
#define TOKEN "POST https://api.x.com/2/oauth2/token"
#define CREATED "{\"data\":{\"id\":\"1001\",\"text\":\"hello\"}}"
#define SHOWN(id, text) \
	"{\"id\":\"" id "\",\"text\":\"" text "\",\"created_at\":\"2027-01-15T08:00:00.000Z\"}"
#define LIST(items) "{\"data\":[" items "]}"
#define NOTHING "{\"meta\":{\"result_count\":0}}"

/* 1080 by 1080, as far as its header: the platforms' rules look at it before anything is made. */
static const char jpeg[] = "\xff\xd8\xff\xc0\x00\x11\x08\x04\x38\x04\x38\x03"
			   "\x01\x22\x00\x02\x11\x01\x03\x11\x01";

static struct str x_post(struct world *w)
{
	const struct account_row account = world_account(w, PLATFORM_X, 0, WORLD_REFRESH_TOKEN);
	return world_post(w, WORLD_TEXT("hello"), &account, 1);
}

/* X is not asked before 10 s have passed (x.md 5). */
static void pass_first_look(struct world *w)
{
	world_pass(w, 2 * US_PER_S);
	world_pass(w, 9 * US_PER_S);
}

static void pass_all_looks(struct world *w)
{
	static const int steps_s[] = {2, 9, 5, 30, 120, 600};
	for (size_t i = 0; i < COUNT_OF(steps_s); i++)
		world_pass(w, steps_s[i] * US_PER_S);
}

struct doubt_row {
	const char *name;
	struct fake_answer answer;
};

static const struct doubt_row doubts[] = {
	{"lost",
	 {.match = TWEETS,
	  .outcome = TRANSFER_LOST,
	  .problem = TRANSFER_TIMED_OUT,
	  .error_text = "timed out"}},
	{"500", {.match = TWEETS, .status = 500, .body = "oops"}},
	{"503 with Retry-After",
	 {.match = TWEETS, .status = 503, .header_name = "Retry-After", .header_value = "5"}},
	{"302", {.match = TWEETS, .status = 302}},
	{"308", {.match = TWEETS, .status = 308}},
	{"201 that cannot be read", {.match = TWEETS, .status = 201, .body = "{\"data\":"}},
	{"200 without an id", {.match = TWEETS, .status = 200, .body = "{}"}},
};

/* Each row in a world of its own, so that nothing is left over. */
static void in_doubt_is_looked_up_and_never_repeated(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(doubts); i++) {
		void *inner = NULL;
		world_setup(&inner);
		struct world *w = inner;
		fake_add(&w->transport, doubts[i].answer);
		FAKE_ANSWER(&w->transport, .match = LOOK, .body = NOTHING);
		FAKE_ANSWER(&w->transport, .match = LOOK, .body = LIST(SHOWN("2002", "hello")));
		const struct str post = x_post(w);
		world_run(w);
		if (world_delivery(w, post, 0).state != POST_PROCESSING ||
		    fake_count(&w->transport, LOOK) != 0)
			fail_msg("%s: does not wait", doubts[i].name);
		world_pass(w, 2 * US_PER_S);
		if (fake_count(&w->transport, LOOK) != 0)
			fail_msg("%s: looked too early", doubts[i].name);
		world_pass(w, 9 * US_PER_S);
		if (fake_count(&w->transport, LOOK) != 1)
			fail_msg("%s: no look", doubts[i].name);
		world_pass(w, 5 * US_PER_S);
		if (world_delivery(w, post, 0).state != POST_PUBLISHED)
			fail_msg("%s: not published", doubts[i].name);
		assert_str(world_delivery(w, post, 0).remote_id, "2002");
		assert_int_equal(fake_count(&w->transport, TWEETS), 1);
		world_teardown(&inner);
	}
}

static void the_timeline_says_in_doubt(void **state)
{
	struct world *w = *state;
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 200, .body = "{}");
	const struct str post = x_post(w);
	world_run(w);
	size_t count = 0;
	const struct timeline_row *rows = world_timeline(w, post, &count);
	assert_int_equal(count, 1);
	assert_str(rows[0].entry.verdict, "in_doubt");
}

static void what_is_never_found_ends_as_unknown(void **state)
{
	struct world *w = *state;
	FAKE_ANSWER(&w->transport, .match = TWEETS, .outcome = TRANSFER_LOST);
	FAKE_ANSWER(&w->transport, .match = LOOK, .body = NOTHING, .times = 99);
	const struct str post = x_post(w);
	world_run(w);
	pass_all_looks(w);
	assert_failed(w, post, "OUTCOME_UNKNOWN");
	assert_int_equal(fake_count(&w->transport, LOOK), 5);
	assert_int_equal(fake_count(&w->transport, TWEETS), 1);
	world_pass(w, US_PER_DAY);
	assert_int_equal(fake_count(&w->transport, TWEETS), 1);
}

/* The service was down for three days with the call open. The first probe gets no answer: that is
 * no reason to give up, nor to send again. */
static void patience_begins_with_the_first_probe(void **state)
{
	struct world *w = *state;
	world_add_app(w, true);
	const struct str post = x_post(w);
	world_run(w);
	assert_int_equal(fake_count(&w->transport, TWEETS), 1);
	fake_clock_advance(&w->clock, 3 * US_PER_DAY);
	world_crash(w);
	FAKE_ANSWER(&w->transport, .match = LOOK, .status = 503, .body = "{}");
	world_run(w);
	world_pass(w, 11 * US_PER_S);
	assert_int_equal(fake_count(&w->transport, LOOK), 1);
	assert_state(w, post, "processing");
	/* Nor does a second stop use it up. */
	fake_clock_advance(&w->clock, 3 * US_PER_DAY);
	world_crash(w);
	FAKE_ANSWER(&w->transport, .match = LOOK, .status = 503, .body = "{}");
	FAKE_ANSWER(&w->transport, .match = LOOK, .body = LIST(SHOWN("2002", "hello")));
	world_run(w);
	world_pass(w, US_PER_HOUR);
	world_pass(w, US_PER_HOUR);
	assert_published(w, post, "2002");
	assert_int_equal(fake_count(&w->transport, TWEETS), 1);
}

/* And it ends, by time in which the service ran. */
static void patience_with_probes_ends(void **state)
{
	struct world *w = *state;
	FAKE_ANSWER(&w->transport, .match = TWEETS, .outcome = TRANSFER_LOST);
	FAKE_ANSWER(&w->transport, .match = LOOK, .status = 503, .body = "{}", .times = 9999);
	const struct str post = x_post(w);
	world_run(w);
	for (int i = 0; i < 47 * 12; i++)
		world_pass(w, 5 * US_PER_MINUTE);
	assert_state(w, post, "processing");
	for (int i = 0; i < 4 * 12; i++)
		world_pass(w, 5 * US_PER_MINUTE);
	assert_failed(w, post, "OUTCOME_UNKNOWN");
}

static void an_app_may_allow_one_repeat_and_only_one(void **state)
{
	struct world *w = *state;
	world_add_app(w, true);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .outcome = TRANSFER_LOST, .times = 9);
	FAKE_ANSWER(&w->transport, .match = LOOK, .body = NOTHING, .times = 99);
	const struct str post = x_post(w);
	world_run(w);
	pass_all_looks(w);
	assert_int_equal(fake_count(&w->transport, TWEETS), 2);
	pass_all_looks(w);
	world_pass(w, US_PER_HOUR);
	assert_failed(w, post, "OUTCOME_UNKNOWN");
	assert_int_equal(fake_count(&w->transport, TWEETS), 2);
	assert_int_equal(fake_count(&w->transport, LOOK), 10);
}

#define TIKTOK_PULL \
	"{\"mode\":\"advanced\",\"type\":\"carousel\",\"containers\":[{\"content\":\"hello\"," \
	"\"media\":[{\"url\":\"https://customer.example/a.jpg\",\"type\":\"image\"}," \
	"{\"url\":\"https://customer.example/a.jpg\",\"type\":\"image\"}]}]}"
#define TIKTOK_OK ",\"error\":{\"code\":\"ok\"}}"
#define TIKTOK_INIT "/content/init/"

/* Seed 10081 of the simulation: that the repeat came to nothing is proof of the repeat alone. */
static void a_repeat_that_failed_says_nothing_of_the_first_call(void **state)
{
	struct world *w = *state;
	world_add_app(w, true);
	FAKE_ANSWER(&w->transport, .match = "/creator_info/",
		    .body = "{\"data\":{\"creator_username\":\"ann\",\"privacy_level_options\":["
			    "\"SELF_ONLY\"]}" TIKTOK_OK,
		    .times = 99);
	FAKE_ANSWER(&w->transport, .match = "GET https://customer.example/a.jpg", .body = jpeg,
		    .body_len = sizeof(jpeg) - 1, .times = 9);
	FAKE_ANSWER(&w->transport, .match = TIKTOK_INIT, .outcome = TRANSFER_LOST);
	FAKE_ANSWER(&w->transport, .match = TIKTOK_INIT,
		    .body = "{\"data\":{\"publish_id\":\"p\"}" TIKTOK_OK);
	FAKE_ANSWER(
		&w->transport, .match = "/status/fetch/",
		.body = "{\"data\":{\"status\":\"FAILED\",\"fail_reason\":\"spam_risk\"}" TIKTOK_OK,
		.times = 9);
	const struct account_row account = world_account(w, PLATFORM_TIKTOK, 0, NULL);
	const struct str post = world_post(w, TIKTOK_PULL, &account, 1);
	world_run(w);
	for (int i = 0; i < 3; i++)
		pass_all_looks(w);
	assert_int_equal(fake_count(&w->transport, TIKTOK_INIT), 2);
	assert_failed(w, post, "OUTCOME_UNKNOWN");
}

/* rules.md P1, P6: we die between the commit and the answer. */
static void death_with_a_call_open_leads_to_a_look(void **state)
{
	struct world *w = *state;
	const struct str post = x_post(w);
	world_run(w);
	assert_int_equal(fake_count(&w->transport, TWEETS), 1);
	world_crash(w);
	world_run(w);
	FAKE_ANSWER(&w->transport, .match = LOOK, .body = LIST(SHOWN("2002", "hello")));
	pass_first_look(w);
	assert_published(w, post, "2002");
	assert_int_equal(fake_count(&w->transport, TWEETS), 1);
}

/* Dying again and again, at every turn, changes nothing of it. */
static void death_at_every_turn_never_sends_twice(void **state)
{
	struct world *w = *state;
	FAKE_ANSWER(&w->transport, .match = LOOK, .body = NOTHING, .times = 99);
	const struct str post = x_post(w);
	for (int i = 0; i < 40 && world_delivery(w, post, 0).state != POST_FAILED; i++) {
		world_turns(w, 1 + i % 3);
		world_crash(w);
		fake_clock_advance(&w->clock, (i % 7) * 60 * US_PER_S);
	}
	world_run(w);
	pass_all_looks(w);
	assert_failed(w, post, "OUTCOME_UNKNOWN");
	assert_int_equal(fake_count(&w->transport, TWEETS), 1);
}

static void two_that_look_like_ours_prove_nothing(void **state)
{
	struct world *w = *state;
	FAKE_ANSWER(&w->transport, .match = TWEETS, .outcome = TRANSFER_LOST);
	FAKE_ANSWER(&w->transport, .match = LOOK,
		    .body = LIST(SHOWN("2002", "hello") "," SHOWN("2003", "hello")), .times = 99);
	const struct str post = x_post(w);
	world_run(w);
	pass_all_looks(w);
	assert_failed(w, post, "OUTCOME_UNKNOWN");
}

/* What another post of the same account is known by cannot be this one. */
static void a_post_bound_elsewhere_is_left_alone(void **state)
{
	struct world *w = *state;
	const struct account_row account = world_account(w, PLATFORM_X, 0, NULL);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED);
	const struct str first = world_post(w, WORLD_TEXT("hello"), &account, 1);
	world_run(w);
	assert_published(w, first, "1001");
	FAKE_ANSWER(&w->transport, .match = TWEETS, .outcome = TRANSFER_LOST);
	FAKE_ANSWER(&w->transport, .match = LOOK, .body = LIST(SHOWN("1001", "hello")));
	FAKE_ANSWER(&w->transport, .match = LOOK,
		    .body = LIST(SHOWN("1001", "hello") "," SHOWN("1002", "hello")));
	const struct str second = world_post(w, WORLD_TEXT("hello"), &account, 1);
	world_run(w);
	pass_first_look(w);
	assert_state(w, second, "processing");
	world_pass(w, 5 * US_PER_S);
	assert_published(w, second, "1002");
}

/* Two comments with the same words under one post: the first's id is no proof of the second. */
static void an_own_comment_is_not_taken_for_the_next(void **state)
{
	struct world *w = *state;
	const struct account_row account = world_account(w, PLATFORM_FACEBOOK, 0, NULL);
	FAKE_ANSWER(&w->transport, .match = "/feed", .body = "{\"id\":\"1_2\"}");
	FAKE_ANSWER(&w->transport, .match = "POST https://graph.facebook.com/v25.0/1_2/comments",
		    .body = "{\"id\":\"c1\"}");
	FAKE_ANSWER(&w->transport, .match = "POST https://graph.facebook.com/v25.0/1_2/comments",
		    .outcome = TRANSFER_LOST);
	FAKE_ANSWER(&w->transport, .match = "GET https://graph.facebook.com/v25.0/1_2/comments",
		    .body = LIST("{\"id\":\"c1\",\"message\":\"same\",\"created_time\":\"2027-01-"
				 "15T08:00:01+0000\"}"),
		    .times = 99);
	const struct str post = world_post(
		w,
		"{\"mode\":\"basic\",\"containers\":[{\"content\":\"one\",\"media\":[]},"
		"{\"content\":\"same\",\"media\":[]},{\"content\":\"same\",\"media\":[]}]}",
		&account, 1);
	world_run(w);
	pass_all_looks(w);
	assert_partial(w, post, "OUTCOME_UNKNOWN");
	assert_int_equal(
		fake_count(&w->transport, "POST https://graph.facebook.com/v25.0/1_2/comments"), 2);
}

static void a_platform_that_cannot_be_asked_costs_no_look_but_ends(void **state)
{
	struct world *w = *state;
	FAKE_ANSWER(&w->transport, .match = TWEETS, .outcome = TRANSFER_LOST);
	FAKE_ANSWER(&w->transport, .match = LOOK, .status = 503, .times = 250);
	const struct str post = x_post(w);
	world_run(w);
	for (int i = 0; i < 47; i++)
		world_pass(w, US_PER_HOUR);
	assert_state(w, post, "processing");
	for (int i = 0; i < 4; i++)
		world_pass(w, US_PER_HOUR);
	assert_failed(w, post, "OUTCOME_UNKNOWN");
	assert_int_equal(fake_count(&w->transport, TWEETS), 1);
}

/* ---- published again, on a person's word ---- */

static enum post_retry_verdict retried(struct world *w, struct str post, bool republish)
{
	struct error err = {0};
	struct post_retry_result result = {0};
	const struct post_retry retry = {.app_id = w->app.id,
					 .post_id = post,
					 .republish = republish,
					 .now_us = clock_now_us(&w->clock.clock)};
	ok(store_post_retry(w->store, w->arena, &retry, &result, &err), &err);
	deliverer_wake(w->deliverer);
	return result.accounts[0].verdict;
}

static struct str unknown_x_post(struct world *w)
{
	FAKE_ANSWER(&w->transport, .match = TWEETS, .outcome = TRANSFER_LOST);
	FAKE_ANSWER(&w->transport, .match = LOOK, .body = NOTHING, .times = 99);
	const struct str post = x_post(w);
	world_run(w);
	pass_all_looks(w);
	assert_failed(w, post, "OUTCOME_UNKNOWN");
	return post;
}

/* The second call is refused; the first may have published all the same. */
static void a_refused_repeat_hides_no_unknown_outcome(void **state)
{
	struct world *w = *state;
	const struct str post = unknown_x_post(w);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 400,
		    .body = "{\"title\":\"Invalid Request\",\"detail\":\"too odd\"}");
	assert_int_equal(retried(w, post, true), RETRY_AGAIN);
	world_run(w);
	assert_int_equal(fake_count(&w->transport, TWEETS), 2);
	assert_failed(w, post, "OUTCOME_UNKNOWN");
	assert_str(world_delivery(w, post, 0).platform_message, "too odd");
	assert_non_null(
		strstr(str_z(w->arena, world_delivery(w, post, 0).error_message),
		       "whether an earlier call published the post; the last one did not."));
	assert_int_equal(retried(w, post, false), RETRY_OUTCOME_UNKNOWN);
}

/* Nor does one of a later part, which never asks because the token is dead by then. */
static void a_repeat_that_cannot_be_sent_hides_no_unknown_part(void **state)
{
	struct world *w = *state;
	const struct account_row account = world_account(w, PLATFORM_X, 0, WORLD_REFRESH_TOKEN);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 201, .body = CREATED);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .outcome = TRANSFER_LOST);
	FAKE_ANSWER(&w->transport, .match = LOOK, .body = NOTHING, .times = 99);
	const struct str post =
		world_post(w,
			   "{\"mode\":\"basic\",\"containers\":[{\"content\":\"hello\","
			   "\"media\":[]},{\"content\":\"two\",\"media\":[]}]}",
			   &account, 1);
	world_run(w);
	pass_all_looks(w);
	assert_state(w, post, "published");
	assert_str(world_delivery(w, post, 0).error_code, "OUTCOME_UNKNOWN");
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 401,
		    .body = "{\"title\":\"Unauthorized\"}");
	FAKE_ANSWER(&w->transport, .match = TOKEN, .status = 400,
		    .body = "{\"error\":\"invalid_request\"}", .times = 99);
	assert_int_equal(retried(w, post, true), RETRY_AGAIN);
	world_run(w);
	assert_int_equal(world_account_now(w, &account).state, ACCOUNT_REAUTH_REQUIRED);
	assert_state(w, post, "published");
	assert_str(world_delivery(w, post, 0).error_code, "OUTCOME_UNKNOWN");
}

/* Between two tries of the repeat nobody can say "cancelled, nothing is out". */
static void a_repeat_that_waits_cannot_be_cancelled(void **state)
{
	struct world *w = *state;
	struct error err = {0};
	struct post_change_result result = {0};
	const struct str post = unknown_x_post(w);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .status = 429,
		    .body = "{\"title\":\"Too Many Requests\"}", .times = 9);
	assert_int_equal(retried(w, post, true), RETRY_AGAIN);
	world_pass(w, US_PER_S);
	assert_state(w, post, "retrying");
	ok(store_post_cancel(w->store, w->app.id, post, &result, &err), &err);
	assert_int_equal(result.outcome, POST_TOO_LATE);
}

/* ---- tokens and accounts while in doubt ---- */

static void a_look_may_refresh_the_token(void **state)
{
	struct world *w = *state;
	FAKE_ANSWER(&w->transport, .match = TWEETS, .outcome = TRANSFER_LOST);
	FAKE_ANSWER(&w->transport, .match = LOOK, .status = 401,
		    .body = "{\"title\":\"Unauthorized\"}");
	FAKE_ANSWER(&w->transport, .match = TOKEN,
		    .body = "{\"access_token\":\"new-access-token\",\"refresh_token\":\"new\","
			    "\"expires_in\":7200}");
	FAKE_ANSWER(&w->transport, .match = LOOK, .body = LIST(SHOWN("2002", "hello")));
	const struct str post = x_post(w);
	world_run(w);
	pass_first_look(w);
	assert_published(w, post, "2002");
}

static void a_dead_token_while_in_doubt_ends_as_unknown(void **state)
{
	struct world *w = *state;
	const struct account_row account = world_account(w, PLATFORM_X, 0, WORLD_REFRESH_TOKEN);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .outcome = TRANSFER_LOST);
	FAKE_ANSWER(&w->transport, .match = LOOK, .status = 401,
		    .body = "{\"title\":\"Unauthorized\"}", .times = 99);
	FAKE_ANSWER(&w->transport, .match = TOKEN, .status = 400,
		    .body = "{\"error\":\"invalid_request\"}", .times = 99);
	const struct str post = world_post(w, WORLD_TEXT("hello"), &account, 1);
	world_run(w);
	pass_all_looks(w);
	assert_failed(w, post, "OUTCOME_UNKNOWN");
	assert_int_equal(world_account_now(w, &account).state, ACCOUNT_REAUTH_REQUIRED);
}

/* The app's own credentials are refused: that is no fault of the account. */
static void a_refused_app_while_in_doubt_does_not_flag_the_account(void **state)
{
	struct world *w = *state;
	const struct account_row account = world_account(w, PLATFORM_X, 0, WORLD_REFRESH_TOKEN);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .outcome = TRANSFER_LOST);
	FAKE_ANSWER(&w->transport, .match = LOOK, .status = 401,
		    .body = "{\"title\":\"Unauthorized\"}", .times = 99);
	FAKE_ANSWER(&w->transport, .match = TOKEN, .status = 401,
		    .body = "{\"error\":\"invalid_client\"}", .times = 99);
	const struct str post = world_post(w, WORLD_TEXT("hello"), &account, 1);
	world_run(w);
	pass_all_looks(w);
	assert_failed(w, post, "OUTCOME_UNKNOWN");
	assert_int_equal(world_account_now(w, &account).state, ACCOUNT_ACTIVE);
}

/* rules.md P9: never "failed" with a reason that reads as if nothing was published. */
static void a_token_that_ran_out_while_in_doubt_ends_as_unknown(void **state)
{
	struct world *w = *state;
	const struct account_row account =
		world_account(w, PLATFORM_FACEBOOK, FAKE_NOW_US + US_PER_S, NULL);
	FAKE_ANSWER(&w->transport, .match = "/feed", .outcome = TRANSFER_LOST);
	FAKE_ANSWER(&w->transport, .match = "/published_posts", .status = 400,
		    .body = "{\"error\":{\"message\":\"expired\",\"type\":\"OAuthException\","
			    "\"code\":190}}",
		    .times = 99);
	const struct str post = world_post(w, WORLD_TEXT("hello"), &account, 1);
	world_run(w);
	assert_int_equal(fake_count(&w->transport, "/feed"), 1);
	pass_all_looks(w);
	assert_failed(w, post, "OUTCOME_UNKNOWN");
	assert_int_equal(world_account_now(w, &account).state, ACCOUNT_REAUTH_REQUIRED);
	assert_non_null(strstr(str_z(w->arena, world_delivery(w, post, 0).error_message),
			       "could not be asked"));
}

/* The customer connects the account again while the looks go on: what was refused is not what it
 * has any more. */
static void a_token_made_new_between_looks_is_used(void **state)
{
	struct world *w = *state;
	const struct account_row account = world_account(w, PLATFORM_FACEBOOK, 0, NULL);
	FAKE_ANSWER(&w->transport, .match = "/feed", .outcome = TRANSFER_LOST);
	FAKE_ANSWER(&w->transport, .match = "/published_posts", .status = 400,
		    .body = "{\"error\":{\"message\":\"expired\",\"type\":\"OAuthException\","
			    "\"code\":190}}");
	FAKE_ANSWER(&w->transport, .match = "/published_posts",
		    .body = LIST("{\"id\":\"1_2\",\"message\":\"hello\",\"created_time\":"
				 "\"2027-01-15T08:00:01+0000\"}"),
		    .times = 9);
	const struct str post = world_post(w, WORLD_TEXT("hello"), &account, 1);
	world_run(w);
	world_pass(w, 2 * US_PER_S);
	assert_int_equal(world_account_now(w, &account).state, ACCOUNT_REAUTH_REQUIRED);
	world_set_account_state(w, &account, ACCOUNT_ACTIVE);
	pass_all_looks(w);
	assert_published(w, post, "1_2");
}

static void an_account_disconnected_while_in_doubt_ends_as_unknown(void **state)
{
	struct world *w = *state;
	const struct account_row account = world_account(w, PLATFORM_X, 0, NULL);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .outcome = TRANSFER_LOST);
	const struct str post = world_post(w, WORLD_TEXT("hello"), &account, 1);
	world_run(w);
	world_set_account_state(w, &account, ACCOUNT_DISCONNECTED);
	world_pass(w, 2 * US_PER_S);
	assert_failed(w, post, "OUTCOME_UNKNOWN");
	assert_int_equal(fake_count(&w->transport, LOOK), 0);
}

static void an_account_to_be_reconnected_is_still_asked(void **state)
{
	struct world *w = *state;
	const struct account_row account = world_account(w, PLATFORM_X, 0, NULL);
	FAKE_ANSWER(&w->transport, .match = TWEETS, .outcome = TRANSFER_LOST);
	FAKE_ANSWER(&w->transport, .match = LOOK, .body = LIST(SHOWN("2002", "hello")));
	const struct str post = world_post(w, WORLD_TEXT("hello"), &account, 1);
	world_run(w);
	world_set_account_state(w, &account, ACCOUNT_REAUTH_REQUIRED);
	pass_first_look(w);
	assert_published(w, post, "2002");
}

/* ---- strong proof: Instagram's container ---- */

#define IG_POST \
	"{\"mode\":\"basic\",\"containers\":[{\"content\":\"hello\",\"media\":[{\"url\":\"https:/" \
	"/customer.example/a.jpg\"," \
	"\"type\":\"image\"}]}]}"
#define IG_PUBLISH "/media_publish"

static struct str instagram_post(struct world *w)
{
	const struct account_row account = world_account(w, PLATFORM_INSTAGRAM, 0, NULL);
	FAKE_ANSWER(&w->transport, .match = "/content_publishing_limit",
		    .body = "{\"data\":[{\"quota_usage\":0}]}", .times = 99);
	FAKE_ANSWER(&w->transport, .match = "fields=status_code%2Cstatus",
		    .body = "{\"status_code\":\"FINISHED\"}", .times = 99);
	return world_post(w, IG_POST, &account, 1);
}

static void add_container(struct world *w)
{
	FAKE_ANSWER(&w->transport, .match = "/media?", .body = "{\"data\":[]}", .times = 99);
	FAKE_ANSWER(&w->transport, .match = "POST", .body = "{\"id\":\"900\"}");
	FAKE_ANSWER(&w->transport, .match = "GET https://customer.example/a.jpg", .body = jpeg,
		    .body_len = sizeof(jpeg) - 1);
}

static void proven_absent_is_sent_again_with_the_same_container(void **state)
{
	struct world *w = *state;
	add_container(w);
	FAKE_ANSWER(&w->transport, .match = IG_PUBLISH, .status = 500);
	FAKE_ANSWER(&w->transport, .match = "fields=status_code",
		    .body = "{\"status_code\":\"FINISHED\"}", .times = 99);
	FAKE_ANSWER(&w->transport, .match = IG_PUBLISH, .body = "{\"id\":\"1789\"}");
	FAKE_ANSWER(&w->transport, .match = "permalink",
		    .body = "{\"permalink\":\"https://www.instagram.com/p/x/\"}", .times = 9);
	const struct str post = instagram_post(w);
	world_run(w);
	world_pass(w, 2 * US_PER_S);
	assert_int_equal(fake_count(&w->transport, IG_PUBLISH), 1);
	pass_all_looks(w);
	assert_int_equal(fake_count(&w->transport, IG_PUBLISH), 2);
	assert_published(w, post, "1789");
	assert_string_equal(fake_nth(&w->transport, IG_PUBLISH, 0)->body,
			    fake_nth(&w->transport, IG_PUBLISH, 1)->body);
}

/* An answer that waited in a process which stood still is of the time when it was asked for, too
 * early to be believed: the call lands after it (seed 1131 of the simulation). */
static void an_old_answer_proves_no_absence(void **state)
{
	struct world *w = *state;
	add_container(w);
	FAKE_ANSWER(&w->transport, .match = IG_PUBLISH, .outcome = TRANSFER_LOST);
	const struct str post = instagram_post(w);
	world_run(w);
	world_pass(w, 2 * US_PER_S); /* the container is ready */
	assert_int_equal(fake_count(&w->transport, IG_PUBLISH), 1);
	world_pass(w, 2 * US_PER_S); /* the first look */
	assert_int_equal(fake_count(&w->transport, "fields=status_code") -
				 fake_count(&w->transport, "fields=status_code%2Cstatus"),
			 1);
	fake_clock_advance(&w->clock, 10 * US_PER_MINUTE);
	FAKE_ANSWER(&w->transport, .match = "fields=status_code",
		    .body = "{\"status_code\":\"FINISHED\"}");
	world_run(w);
	assert_int_equal(fake_count(&w->transport, IG_PUBLISH), 1);
	FAKE_ANSWER(&w->transport, .match = "fields=status_code",
		    .body = "{\"status_code\":\"FINISHED\"}");
	FAKE_ANSWER(&w->transport, .match = IG_PUBLISH, .body = "{\"id\":\"1789\"}");
	FAKE_ANSWER(&w->transport, .match = "permalink",
		    .body = "{\"permalink\":\"https://www.instagram.com/p/x/\"}", .times = 9);
	pass_all_looks(w);
	assert_int_equal(fake_count(&w->transport, IG_PUBLISH), 2);
	assert_published(w, post, "1789");
}

/* "Never silent": a call that is in doubt and proven absent again and again must end some day. */
static void sending_again_ends(void **state)
{
	struct world *w = *state;
	add_container(w);
	FAKE_ANSWER(&w->transport, .match = IG_PUBLISH, .status = 500, .times = 250);
	FAKE_ANSWER(&w->transport, .match = "fields=status_code",
		    .body = "{\"status_code\":\"FINISHED\"}", .times = 250);
	const struct str post = instagram_post(w);
	world_run(w);
	for (int i = 0; i < 20; i++)
		pass_all_looks(w);
	/* The last probe found nothing, and yet the last call may have come after it. */
	assert_failed(w, post, "OUTCOME_UNKNOWN");
	assert_true(fake_count(&w->transport, IG_PUBLISH) <= 6);
}

/* What the platform gave up can never appear: the last such call fails with the platform's reason,
 * and no person has to look (seed 3019494 of the simulation). */
static void what_is_given_up_there_is_no_unknown_outcome(void **state)
{
	struct world *w = *state;
	FAKE_ANSWER(&w->transport, .match = IG_PUBLISH, .status = 500, .times = 250);
	for (int i = 0; i < 6; i++)
		add_container(w);
	const struct str post = instagram_post(w);
	FAKE_ANSWER(&w->transport, .match = "fields=status_code",
		    .body = "{\"status_code\":\"ERROR\"}", .times = 250);
	world_run(w);
	for (int i = 0; i < 20; i++)
		pass_all_looks(w);
	assert_failed(w, post, "PLATFORM_REJECTED");
	assert_true(fake_count(&w->transport, IG_PUBLISH) <= 6);
}

/* ---- a member's post at LinkedIn: one repeat, while its guard against duplicates is up ---- */

#define LI_POSTS "POST https://api.linkedin.com/rest/posts"

static struct str member_post(struct world *w)
{
	const struct account_row account = world_account(w, PLATFORM_LINKEDIN, 0, NULL);
	return world_post(w, WORLD_TEXT("hello"), &account, 1);
}

/* The outcome of every repeat is unknown again: that proves no absence, even with tries left. */
static void a_guarded_repeat_in_doubt_ends_as_unknown(void **state)
{
	struct world *w = *state;
	FAKE_ANSWER(&w->transport, .match = LI_POSTS, .status = 500, .times = 99);
	const struct str post = member_post(w);
	world_run(w);
	pass_all_looks(w);
	pass_all_looks(w);
	assert_failed(w, post, "OUTCOME_UNKNOWN");
	assert_int_equal(fake_count(&w->transport, LI_POSTS), 2);
}

/* A time scale divides our waits, not the time that the call itself took: 30 s are not 50 minutes,
 * after which no repeat would be safe. */
static void a_long_call_is_no_long_wait(void **state)
{
	struct world *w = *state;
	w->deliverer->config.time_scale = 100;
	const struct str post = member_post(w);
	world_run(w);
	assert_int_equal(fake_count(&w->transport, LI_POSTS), 1);
	fake_clock_advance(&w->clock, 30 * US_PER_S);
	FAKE_ANSWER(&w->transport, .match = LI_POSTS, .outcome = TRANSFER_LOST,
		    .problem = TRANSFER_TIMED_OUT, .error_text = "timed out");
	world_run(w);
	FAKE_ANSWER(&w->transport, .match = LI_POSTS, .status = 201, .header_name = "x-restli-id",
		    .header_value = "urn:li:share:7");
	pass_all_looks(w);
	assert_int_equal(fake_count(&w->transport, LI_POSTS), 2);
	assert_published(w, post, "urn:li:share:7");
}

/* Set back by hours, the clock says that the call is still to come. The container knows that it was
 * not published all the same, and the waits between the looks were long enough to believe it. */
static void a_clock_that_was_set_back_hides_no_proof(void **state)
{
	struct world *w = *state;
	add_container(w);
	FAKE_ANSWER(&w->transport, .match = "fields=status_code",
		    .body = "{\"status_code\":\"FINISHED\"}", .times = 250);
	const struct str post = instagram_post(w);
	world_run(w);
	world_pass(w, 2 * US_PER_S); /* the container is ready */
	assert_int_equal(fake_count(&w->transport, IG_PUBLISH), 1);
	w->clock.now_us -= 3 * US_PER_HOUR; /* the wall clock alone */
	FAKE_ANSWER(&w->transport, .match = IG_PUBLISH, .outcome = TRANSFER_LOST);
	world_run(w);
	FAKE_ANSWER(&w->transport, .match = IG_PUBLISH, .body = "{\"id\":\"m1\"}");
	FAKE_ANSWER(&w->transport, .match = "permalink",
		    .body = "{\"permalink\":\"https://www.instagram.com/p/x/\"}", .times = 9);
	pass_all_looks(w);
	assert_int_equal(fake_count(&w->transport, IG_PUBLISH), 2);
	assert_published(w, post, "m1");
}

/* When the clock was set in between, nobody knows how long ago the call was, and so whether the
 * guard is still up (rules.md S2). */
static void a_clock_that_was_set_allows_no_guarded_repeat(void **state)
{
	static const int64_t steps_us[] = {US_PER_MINUTE, -US_PER_MINUTE};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(steps_us); i++) {
		void *inner = NULL;
		world_setup(&inner);
		struct world *w = inner;
		FAKE_ANSWER(&w->transport, .match = LI_POSTS, .outcome = TRANSFER_LOST);
		FAKE_ANSWER(&w->transport, .match = LI_POSTS, .status = 201,
			    .header_name = "x-restli-id", .header_value = "urn:li:share:7");
		const struct str post = member_post(w);
		world_run(w);
		assert_int_equal(fake_count(&w->transport, LI_POSTS), 1);
		w->clock.now_us += steps_us[i]; /* the wall clock alone */
		world_pass(w, US_PER_MINUTE);
		pass_all_looks(w);
		assert_int_equal(fake_count(&w->transport, LI_POSTS), 1);
		assert_failed(w, post, "OUTCOME_UNKNOWN");
		world_teardown(&inner);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_doubt_is_looked_up_and_never_repeated),
		WORLD_TEST(the_timeline_says_in_doubt),
		WORLD_TEST(patience_begins_with_the_first_probe),
		WORLD_TEST(patience_with_probes_ends),
		WORLD_TEST(what_is_never_found_ends_as_unknown),
		WORLD_TEST(an_app_may_allow_one_repeat_and_only_one),
		WORLD_TEST(a_repeat_that_failed_says_nothing_of_the_first_call),
		WORLD_TEST(death_with_a_call_open_leads_to_a_look),
		WORLD_TEST(death_at_every_turn_never_sends_twice),
		WORLD_TEST(two_that_look_like_ours_prove_nothing),
		WORLD_TEST(a_post_bound_elsewhere_is_left_alone),
		WORLD_TEST(an_own_comment_is_not_taken_for_the_next),
		WORLD_TEST(a_platform_that_cannot_be_asked_costs_no_look_but_ends),
		WORLD_TEST(a_refused_repeat_hides_no_unknown_outcome),
		WORLD_TEST(a_repeat_that_cannot_be_sent_hides_no_unknown_part),
		WORLD_TEST(a_repeat_that_waits_cannot_be_cancelled),
		WORLD_TEST(a_look_may_refresh_the_token),
		WORLD_TEST(a_dead_token_while_in_doubt_ends_as_unknown),
		WORLD_TEST(a_refused_app_while_in_doubt_does_not_flag_the_account),
		WORLD_TEST(a_token_that_ran_out_while_in_doubt_ends_as_unknown),
		WORLD_TEST(a_token_made_new_between_looks_is_used),
		WORLD_TEST(an_account_disconnected_while_in_doubt_ends_as_unknown),
		WORLD_TEST(an_account_to_be_reconnected_is_still_asked),
		WORLD_TEST(proven_absent_is_sent_again_with_the_same_container),
		WORLD_TEST(an_old_answer_proves_no_absence),
		WORLD_TEST(sending_again_ends),
		WORLD_TEST(what_is_given_up_there_is_no_unknown_outcome),
		WORLD_TEST(a_guarded_repeat_in_doubt_ends_as_unknown),
		WORLD_TEST(a_long_call_is_no_long_wait),
		WORLD_TEST(a_clock_that_was_set_back_hides_no_proof),
		cmocka_unit_test(a_clock_that_was_set_allows_no_guarded_repeat),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
