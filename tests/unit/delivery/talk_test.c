/* SPDX-License-Identifier: Apache-2.0
 * The conversation with the adapter: every kind of step in every conversation, and its end. */
#include "stages.h"

#include "delivery.h"

#include "world.h"

#include "delivery_private.h"

#define TWEETS "POST https://api.x.com/2/tweets"
#define CREATED "{\"data\":{\"id\":\"1001\",\"text\":\"hello\"}}"

static struct account_row x_account(struct world *w)
{
	return world_account(w, PLATFORM_X, 0, WORLD_REFRESH_TOKEN);
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

/* The root stays published and says so, even if its comment fails (rules.md K2). */
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
	assert_partial(w, post, "PLATFORM_REJECTED");
	const struct delivery_row row = world_delivery(w, post, 0);
	assert_str(row.remote_id, "1001");
	assert_str(row.parts, "[{\"state\":\"published\",\"remote_id\":\"1001\",\"url\":\"https://"
			      "x.com/ann/status/1001\"},"
			      "{\"state\":\"failed\",\"remote_id\":null,\"url\":null}]");
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

/* ---- every step in every conversation, with an adapter made for it ---- */

#define STEP_KINDS (STEP_UNKNOWN + 1)

static struct {
	enum delivery_mode mode; /* whose first step is of that kind; later ones are waits */
	enum step_kind kind;
	int asked[MODE_COUNT];
} script;

static void take_script(enum delivery_mode mode, struct step *step)
{
	const bool is_it = mode == script.mode && script.asked[mode]++ == 0;
	if (mode != script.mode)
		script.asked[mode]++;
	*step = (struct step){
		.kind = is_it ? script.kind : STEP_WAIT,
		.call = {.kind = CALL_READ, .method = "GET", .url = STR("https://a.example/")},
		.failure = {.class = FAILURE_PERMANENT, .message = STR("no")},
		.wait_ms = 1000,
	};
}

static const char *script_publish(const struct env *env, struct flow *flow, struct step *step)
{
	(void)env;
	(void)flow;
	take_script(MODE_PUBLISH, step);
	return NULL;
}

static const char *script_refresh(const struct env *env, struct flow *flow, struct step *step)
{
	(void)env;
	(void)flow;
	take_script(MODE_REFRESH, step);
	return NULL;
}

static const char *script_resolve(const struct env *env, struct flow *flow, struct step *step)
{
	(void)env;
	(void)flow;
	take_script(script.mode == MODE_HOLD_PROBE ? MODE_HOLD_PROBE : MODE_RESOLVE, step);
	return NULL;
}

/* Says again and again that the part may go on, and never goes on. */
static const char *script_forever(const struct env *env, struct flow *flow, struct step *step)
{
	(void)env;
	(void)flow;
	*step = (struct step){.kind = STEP_LANDED};
	return NULL;
}

#define STAGES(ask) ((const struct stage[]){{"script", ask, NULL}, {.name = NULL}})

struct expected {
	enum delivery_next next;
	int published; /* how often the publish conversation is asked */
};

#define KEEP DELIVERY_KEEP
#define WAIT DELIVERY_WAIT
#define RETRY DELIVERY_RETRY
#define FAILED DELIVERY_FAILED

/* By conversation and kind of step, in the order of enum step_kind: send, wait, media, done, fail,
 * uncertain, landed, matches, send again, unknown. A media file that the post does not have ends
 * it, and so does "done" with parts left. */
static const struct expected expected[MODE_COUNT][STEP_KINDS] = {
	[MODE_PUBLISH] = {{KEEP, 1},
			  {WAIT, 1},
			  {FAILED, 1},
			  {FAILED, 1},
			  {FAILED, 1},
			  {WAIT, 1},
			  {WAIT, 2},
			  {WAIT, 1},
			  {WAIT, 2},
			  {WAIT, 1}},
	[MODE_REFRESH] = {{KEEP, 0},
			  {WAIT, 0},
			  {FAILED, 0},
			  {WAIT, 1},
			  {FAILED, 0},
			  {FAILED, 0},
			  {FAILED, 0},
			  {FAILED, 0},
			  {FAILED, 0},
			  {FAILED, 0}},
	[MODE_RESOLVE] = {{KEEP, 0},
			  {WAIT, 0},
			  {FAILED, 0},
			  {WAIT, 0},
			  {WAIT, 0},
			  {WAIT, 0},
			  {WAIT, 1},
			  {WAIT, 0},
			  {WAIT, 1},
			  {WAIT, 0}},
	[MODE_HOLD_PROBE] = {{KEEP, 0},
			     {RETRY, 0},
			     {FAILED, 0},
			     {RETRY, 0},
			     {RETRY, 0},
			     {RETRY, 0},
			     {RETRY, 0},
			     {RETRY, 0},
			     {RETRY, 0},
			     {RETRY, 0}},
};

static struct delivery_work work_for(struct world *w, enum delivery_mode mode)
{
	struct delivery_work work = {
		.id = STR("d"),
		.post_id = STR("p"),
		.state = POST_PROCESSING,
		.content = STR(WORLD_TEXT("hello")),
		.credential_client_id = STR("client"),
		.app_id = w->app.id,
		.account = {.id = STR("a"), .platform = PLATFORM_X, .state = ACCOUNT_ACTIVE},
	};
	if (mode == MODE_RESOLVE)
		work.call_state = CALL_STATE_IN_DOUBT;
	if (mode == MODE_HOLD_PROBE)
		work.hold = HOLD_ASKING;
	if (mode == MODE_REFRESH) {
		work.account.expires_at_us = FAKE_NOW_US + US_PER_S;
		work.account.refresh_token_sealed =
			world_sealed(w, "accounts", "refresh_token", STR("a"), "refresh");
	}
	if (mode == MODE_RESOLVE || mode == MODE_HOLD_PROBE)
		work.call_started_at_us = work.hold_due_at_us = FAKE_NOW_US;
	return work;
}

static void every_step_has_its_handler(void **state)
{
	struct world *w = *state;
	struct platform platform = *platform_of(PLATFORM_X);
	platform.stages[OPERATION_PUBLISH] = STAGES(script_publish);
	platform.stages[OPERATION_REFRESH] = STAGES(script_refresh);
	platform.stages[OPERATION_RESOLVE] = STAGES(script_resolve);
	platform.publish_learn = NULL;
	/* A removal writes another row: tests/api/test_unpublish.py. */
	for (enum delivery_mode mode = 0; mode < MODE_REMOVE; mode++) {
		for (enum step_kind kind = 0; kind < STEP_KINDS; kind++) {
			const struct delivery_work work = work_for(w, mode);
			const struct task_event start = {.kind = TASK_EVENT_START};
			struct task_plan plan = {0};
			struct delivery_task *t = delivery_task_new(w->deliverer, &work);
			memset(&script, 0, sizeof(script));
			script.mode = mode;
			script.kind = kind;
			t->task.engine = w->engine;
			t->platform = &platform;
			t->task.ops->plan(&t->task, w->arena, &start, &plan);
			if (t->save.next != expected[mode][kind].next ||
			    script.asked[MODE_PUBLISH] != expected[mode][kind].published)
				fail_msg("mode %d, step %d: next %d, publish asked %d times", mode,
					 kind, t->save.next, script.asked[MODE_PUBLISH]);
			assert_int_equal(plan.action, kind == STEP_SEND ? TASK_SEND : TASK_END);
			assert_true(script.asked[mode] > 0);
			t->task.ops->free(&t->task);
		}
	}
}

static void an_adapter_that_never_finishes_is_stopped(void **state)
{
	struct world *w = *state;
	struct platform platform = *platform_of(PLATFORM_X);
	const struct delivery_work work = work_for(w, MODE_PUBLISH);
	const struct task_event start = {.kind = TASK_EVENT_START};
	struct task_plan plan = {0};
	struct delivery_task *t = delivery_task_new(w->deliverer, &work);
	platform.stages[OPERATION_PUBLISH] = STAGES(script_forever);
	platform.publish_learn = NULL;
	t->task.engine = w->engine;
	t->platform = &platform;
	t->task.ops->plan(&t->task, w->arena, &start, &plan);
	assert_int_equal(t->save.next, DELIVERY_FAILED);
	assert_int_equal(t->turn.failure.code, FAILURE_CODE_INTERNAL_ERROR);
	t->task.ops->free(&t->task);
}

/* ---- max_lateness ---- */

static void what_could_not_begin_in_time_expires(void **state)
{
	struct world *w = *state;
	const struct account_row account = world_account(w, PLATFORM_X, 0, NULL);
	const struct account_row other = world_account(w, PLATFORM_X, 0, NULL);
	FAKE_ANSWER(&w->transport, .match = "POST https://api.x.com/2/tweets", .status = 201,
		    .body = "{\"data\":{\"id\":\"1001\"}}", .times = 2);
	w->max_lateness_s = 3600;
	const struct str late = world_post(w, WORLD_TEXT("late"), &account, 1);
	w->max_lateness_s = 0;
	const struct str patient = world_post(w, WORLD_TEXT("patient"), &other, 1);
	fake_clock_advance(&w->clock, 3601 * US_PER_S);
	world_crash(w);
	world_run(w);
	assert_failed(w, late, "EXPIRED");
	assert_state(w, patient, "published");
	assert_int_equal(fake_count(&w->transport, "POST https://api.x.com/2/tweets"), 1);
	w->max_lateness_s = 3600;
	const struct str timely = world_post(w, WORLD_TEXT("timely"), &account, 1);
	fake_clock_advance(&w->clock, 3600 * US_PER_S);
	world_crash(w);
	world_run(w);
	assert_state(w, timely, "published");
}

static void what_has_begun_never_expires(void **state)
{
	struct world *w = *state;
	const struct account_row account = world_account(w, PLATFORM_X, 0, NULL);
	FAKE_ANSWER(&w->transport, .match = "POST https://api.x.com/2/tweets", .status = 429,
		    .body = "{}");
	w->max_lateness_s = 60;
	const struct str post = world_post(w, WORLD_TEXT("hello"), &account, 1);
	world_run(w);
	assert_state(w, post, "retrying");
	fake_clock_advance(&w->clock, US_PER_DAY);
	world_crash(w);
	FAKE_ANSWER(&w->transport, .match = "POST https://api.x.com/2/tweets", .status = 201,
		    .body = "{\"data\":{\"id\":\"1001\"}}");
	world_run(w);
	assert_state(w, post, "published");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(every_step_has_its_handler),
		WORLD_TEST(an_adapter_that_never_finishes_is_stopped),
		WORLD_TEST(a_thread_is_published_part_by_part),
		WORLD_TEST(a_refused_comment_leaves_the_root),
		WORLD_TEST(a_disconnected_account_gets_nothing),
		WORLD_TEST(a_token_in_the_platforms_words_is_not_told),
		WORLD_TEST(what_could_not_begin_in_time_expires),
		WORLD_TEST(what_has_begun_never_expires),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
