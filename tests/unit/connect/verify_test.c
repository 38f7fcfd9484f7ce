/* SPDX-License-Identifier: Apache-2.0
 * Checking a credential with somebody waiting: what each answer makes of it, and that nothing is
 * left over when nobody waits any more. The leak checker of the sanitizer build is part of these
 * tests. */
#include "count_of.h"

#include "connect_fixture.h"

#include "utf8.h"

#define GOOD \
	"{\"error\":\"invalid_request\",\"error_description\":\"Value passed for the token was " \
	"invalid.\"}"

static struct verify_outcome verify(struct world *w, int64_t wait_ms)
{
	struct verify_outcome outcome = {0};
	struct error err = {0};
	ok(connector_verify(w->connector, w->arena, w->app.id, PLATFORM_X, wait_ms, &outcome, &err),
	   &err);
	return outcome;
}

static struct credential_row stored(struct world *w)
{
	struct credential_row row = {0};
	struct error err = {0};
	ok(store_credential_find(w->store, w->arena, w->app.id, PLATFORM_X, &row, &err), &err);
	return row;
}

static void set_stored(struct world *w, enum credential_state state)
{
	struct error err = {0};
	ok(store_credential_set_state(w->store, w->app.id, PLATFORM_X, STR("client-id"), state,
				      STR(""), FAKE_NOW_US, &err),
	   &err);
}

struct outcome_row {
	const char *name;
	struct fake_answer answer;
	enum credential_state before;
	enum credential_state told;
	enum credential_state after;
	const char *words;
};

static const struct outcome_row outcomes[] = {
	{"good",
	 {.match = TOKEN, .status = 400, .body = GOOD},
	 CREDENTIAL_PENDING,
	 CREDENTIAL_VERIFIED,
	 CREDENTIAL_VERIFIED,
	 ""},
	{"good, was bad",
	 {.match = TOKEN, .status = 400, .body = GOOD},
	 CREDENTIAL_FAILED,
	 CREDENTIAL_VERIFIED,
	 CREDENTIAL_VERIFIED,
	 ""},
	{"refused",
	 {.match = TOKEN,
	  .status = 401,
	  .body = "{\"error\":\"unauthorized_client\",\"error_description\":\"Missing valid "
		  "authorization header\"}"},
	 CREDENTIAL_VERIFIED,
	 CREDENTIAL_FAILED,
	 CREDENTIAL_FAILED,
	 "Missing valid authorization header"},
	{"an answer that tells nothing",
	 {.match = TOKEN, .status = 404, .body = "?"},
	 CREDENTIAL_PENDING,
	 CREDENTIAL_PENDING,
	 CREDENTIAL_PENDING,
	 "does not say whether"},
	{"the same, was good",
	 {.match = TOKEN, .status = 404, .body = "?"},
	 CREDENTIAL_VERIFIED,
	 CREDENTIAL_PENDING,
	 CREDENTIAL_VERIFIED,
	 "does not say whether"},
};

static void an_answer_decides(void **state)
{
	struct world *w = *state;
	struct driver driver;
	driver_start(&driver, w);
	for (size_t i = 0; i < COUNT_OF(outcomes); i++) {
		set_stored(w, outcomes[i].before);
		fake_add(&w->transport, outcomes[i].answer);
		const struct verify_outcome seen = verify(w, WAIT_MS);
		if (seen.state != outcomes[i].told || stored(w).state != outcomes[i].after)
			fail_msg("%s: %s, %s", outcomes[i].name, credential_state_name(seen.state),
				 credential_state_name(stored(w).state));
		if (str_find(seen.message, str_of(outcomes[i].words), 0) == SIZE_MAX)
			fail_msg("%s: " STR_FMT, outcomes[i].name, STR_ARG(seen.message));
	}
	driver_stop(&driver);
}

static void the_first_good_credential_brings_a_draft_live(void **state)
{
	struct world *w = *state;
	struct driver driver;
	struct error err = {0};
	struct app_row app = {0};
	ok(store_app_set_state(w->store, w->app.id, APP_DRAFT, &err), &err);
	FAKE_ANSWER(&w->transport, .match = TOKEN, .status = 400, .body = GOOD, .times = 2);
	driver_start(&driver, w);
	verify(w, WAIT_MS);
	ok(store_app_find(w->store, w->arena, w->app.id, &app, &err), &err);
	assert_int_equal(app.state, APP_ACTIVE);
	ok(store_app_set_state(w->store, w->app.id, APP_SUSPENDED, &err), &err);
	verify(w, WAIT_MS);
	driver_stop(&driver);
	ok(store_app_find(w->store, w->arena, w->app.id, &app, &err), &err);
	assert_int_equal(app.state, APP_SUSPENDED); /* but it does not undo a suspension */
}

static void no_credential_is_no_check(void **state)
{
	struct world *w = *state;
	struct verify_outcome outcome = {0};
	struct error err = {0};
	assert_int_equal(connector_verify(w->connector, w->arena, STR("no-such-app"), PLATFORM_X, 0,
					  &outcome, &err),
			 ERR_NOT_FOUND);
}

/* Nobody waits any more when the answer comes: it is forgotten, and so is its ticket. */
static void a_late_answer_is_forgotten(void **state)
{
	struct world *w = *state;
	set_stored(w, CREDENTIAL_PENDING);
	assert_int_equal(verify(w, 0).state, CREDENTIAL_PENDING);
	FAKE_ANSWER(&w->transport, .match = TOKEN, .status = 400, .body = GOOD);
	world_run(w);
	assert_int_equal(fake_count(&w->transport, TOKEN), 1);
	assert_int_equal(engine_task_count(w->engine), 0);
	assert_int_equal(stored(w).state, CREDENTIAL_PENDING);
}

/* Ended at every place a check can be: in the queue, at work, asleep. */
static void a_check_cut_off_by_the_end_leaves_nothing(void **state)
{
	struct world *w = *state;
	for (int turns = 0; turns < 5; turns++) {
		verify(w, 0);
		if (turns == 4)
			FAKE_ANSWER(&w->transport, .match = TOKEN, .status = 503);
		world_turns(w, turns);
		world_crash(w);
	}
}

/* The master key is not the one that sealed the secret: nothing is asked, nothing is stored. */
static void an_unreadable_secret_is_not_an_empty_one(void **state)
{
	struct world *w = *state;
	struct verify_outcome outcome = {0};
	struct error err = {0};
	restart_with_another_key(w);
	FAKE_ANSWER(&w->transport, .match = TOKEN, .status = 401, .body = "{}");
	assert_int_equal(
		connector_verify(w->connector, w->arena, w->app.id, PLATFORM_X, 0, &outcome, &err),
		ERR_INTERNAL);
	assert_string_equal(err.text, "The client secret of the X credential cannot be opened with "
				      "this master key.");
	world_run(w);
	assert_int_equal(w->transport.sent_count, 0);
	assert_int_equal(stored(w).state, CREDENTIAL_VERIFIED);
}

struct waiter {
	pthread_t thread;
	struct world *w;
	enum credential_state seen;
};

static void *wait_for_check(void *context)
{
	struct waiter *waiter = context;
	struct arena *arena = arena_new("waiter", 1 << 22);
	struct verify_outcome outcome = {0};
	struct error err = {0};
	connector_verify(waiter->w->connector, arena, waiter->w->app.id, PLATFORM_X, WAIT_MS,
			 &outcome, &err);
	waiter->seen = outcome.state;
	arena_free(&arena);
	return NULL;
}

static void many_wait_at_once(void **state)
{
	struct world *w = *state;
	struct driver driver;
	struct waiter waiters[16];
	FAKE_ANSWER(&w->transport, .match = TOKEN, .status = 400, .body = GOOD, .times = 16);
	driver_start(&driver, w);
	for (size_t i = 0; i < 16; i++) {
		waiters[i] = (struct waiter){.w = w};
		assert_int_equal(
			pthread_create(&waiters[i].thread, NULL, wait_for_check, &waiters[i]), 0);
	}
	for (size_t i = 0; i < 16; i++) {
		pthread_join(waiters[i].thread, NULL);
		assert_int_equal(waiters[i].seen, CREDENTIAL_VERIFIED);
	}
	driver_stop(&driver);
	assert_int_equal(fake_count(&w->transport, TOKEN), 16);
}

/* 3-byte characters up to past what a ticket holds: the message is cut between two of them. And no
 * secret is in it. */
static void messages_are_cut_and_clean(void **state)
{
	struct world *w = *state;
	struct driver driver;
	char body[1400];
	size_t length = (size_t)snprintf(
		body, sizeof(body),
		"{\"error\":\"invalid_client\",\"error_description\":\"" WORLD_CLIENT_SECRET " ");
	for (int i = 0; i < 300; i++)
		length += (size_t)snprintf(body + length, sizeof(body) - length, "\xe2\x82\xac");
	snprintf(body + length, sizeof(body) - length, "\"}");
	FAKE_ANSWER(&w->transport, .match = TOKEN, .status = 401, .body = body);
	driver_start(&driver, w);
	const struct verify_outcome seen = verify(w, WAIT_MS);
	driver_stop(&driver);
	assert_true(utf8_is_valid(seen.message));
	assert_true(str_find(seen.message, STR("\xe2\x82\xac"), 0) != SIZE_MAX);
	assert_true(str_find(seen.message, STR(WORLD_CLIENT_SECRET), 0) == SIZE_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(an_answer_decides),
		WORLD_TEST(the_first_good_credential_brings_a_draft_live),
		WORLD_TEST(no_credential_is_no_check),
		WORLD_TEST(a_late_answer_is_forgotten),
		WORLD_TEST(a_check_cut_off_by_the_end_leaves_nothing),
		WORLD_TEST(an_unreadable_secret_is_not_an_empty_one),
		WORLD_TEST(many_wait_at_once),
		WORLD_TEST(messages_are_cut_and_clean),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
