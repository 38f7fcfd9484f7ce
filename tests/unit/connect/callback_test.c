/* SPDX-License-Identifier: Apache-2.0
 * The way back: what a state opens, and what the browser is told. The platform is X; what the
 * exchange makes of its answers is exchange_test.c. */
#include "count_of.h"

#include "connect_fixture.h"

#include "utf8.h"

static void a_code_becomes_an_account(void **state)
{
	struct world *w = *state;
	struct driver driver;
	const struct connect_begun begun = begin(w);
	answer_exchange(w);
	driver_start(&driver, w);
	const struct connect_return out =
		callback(w, w->arena, with_state(w, &begun, "&code=the-code"), WAIT_MS);
	driver_stop(&driver);
	assert_int_equal(out.kind, CONNECT_RETURN_REDIRECT);
	const struct str expected = str_format(
		w->arena, "https://customer.example/back?connection_id=" STR_FMT "&status=success",
		STR_ARG(begun.connection_id));
	assert_str(out.url, str_z(w->arena, expected));
	const struct fake_sent *token = fake_nth(&w->transport, TOKEN, 0);
	assert_non_null(strstr(token->body, "code=the-code"));
	assert_non_null(strstr(token->body, "code_verifier="));
	assert_non_null(
		strstr(token->body,
		       "redirect_uri=https%3A%2F%2Fposthorn.example%2Fv1%2Foauth%2Fx%2Fcallback"));
	assert_true(token->fresh_connection);
}

static void what_the_customer_had_in_its_url_stays(void **state)
{
	struct world *w = *state;
	struct driver driver;
	const struct connect_begun begun =
		begin_to(w, "https://customer.example/back?a=1&status=mine&error=mine&b=%26");
	answer_exchange(w);
	driver_start(&driver, w);
	const struct connect_return out = callback(
		w, w->arena,
		with_state(w, &begun, "&code=c&evil=%0d%0aX&redirect_url=https://evil.example"),
		WAIT_MS);
	driver_stop(&driver);
	const struct str expected = str_format(
		w->arena,
		"https://customer.example/back?a=1&b=%%26&connection_id=" STR_FMT "&status=success",
		STR_ARG(begun.connection_id));
	assert_str(out.url, str_z(w->arena, expected));
}

static void a_wrong_door_stays_shut(void **state)
{
	struct world *w = *state;
	struct form form = {0};
	struct connect_return out = {0};
	struct error err = {0};
	const struct connect_begun begun = begin(w);
	assert_int_equal(callback(w, w->arena, STR(""), 0).kind, CONNECT_RETURN_INVALID);
	assert_int_equal(callback(w, w->arena, STR("code=c"), 0).kind, CONNECT_RETURN_INVALID);
	assert_int_equal(callback(w, w->arena, STR("state=&code=c"), 0).kind,
			 CONNECT_RETURN_INVALID);
	assert_int_equal(callback(w, w->arena, STR("state=guess&code=c"), 0).kind,
			 CONNECT_RETURN_INVALID);
	/* The right state at another platform's door. */
	ok(form_parse(w->arena, with_state(w, &begun, "&code=c"), 0, &form, &err), &err);
	ok(connector_callback(w->connector, w->arena, PLATFORM_YOUTUBE, &form, 0, &out, &err),
	   &err);
	assert_int_equal(out.kind, CONNECT_RETURN_INVALID);
	assert_int_equal(w->transport.sent_count, 0);
	/* Too late. */
	fake_clock_advance(&w->clock, CONNECTION_VALID_US);
	assert_int_equal(callback(w, w->arena, with_state(w, &begun, "&code=c"), 0).kind,
			 CONNECT_RETURN_INVALID);
}

static void of_many_callbacks_at_once_one_is_taken(void **state)
{
	struct world *w = *state;
	struct driver driver;
	struct caller callers[16];
	int taken = 0;
	const struct connect_begun begun = begin(w);
	answer_exchange(w);
	driver_start(&driver, w);
	for (size_t i = 0; i < 16; i++) {
		callers[i] = (struct caller){
			.w = w,
			.query = with_state(w, &begun,
					    i % 2 == 0 ? "&code=c" : "&error=access_denied")};
		assert_int_equal(pthread_create(&callers[i].thread, NULL, call_back, &callers[i]),
				 0);
	}
	for (size_t i = 0; i < 16; i++) {
		pthread_join(callers[i].thread, NULL);
		taken += callers[i].kind != CONNECT_RETURN_INVALID;
	}
	driver_stop(&driver);
	assert_int_equal(taken, 1);
	assert_true(fake_count(&w->transport, TOKEN) <= 1);
	assert_int_equal(callback(w, w->arena, with_state(w, &begun, "&code=c"), 0).kind,
			 CONNECT_RETURN_INVALID);
}

static void many_connections_at_once_all_end(void **state)
{
	struct world *w = *state;
	struct driver driver;
	struct caller callers[24];
	/* All bring the same account: who comes second in a moment seals again under its id, and
	 * asks once more. */
	FAKE_ANSWER(&w->transport, .match = TOKEN, .body = GRANT, .times = 24);
	FAKE_ANSWER(&w->transport, .match = ME, .body = USER, .times = 1000);
	for (size_t i = 0; i < 24; i++) {
		const struct connect_begun begun = begin(w);
		callers[i] = (struct caller){.w = w, .query = with_state(w, &begun, "&code=c")};
	}
	driver_start(&driver, w);
	for (size_t i = 0; i < 24; i++)
		assert_int_equal(pthread_create(&callers[i].thread, NULL, call_back, &callers[i]),
				 0);
	for (size_t i = 0; i < 24; i++) {
		pthread_join(callers[i].thread, NULL);
		assert_int_equal(callers[i].kind, CONNECT_RETURN_REDIRECT);
	}
	driver_stop(&driver);
}

struct refusal {
	const char *name;
	const char *query;
	const char *error;
	const char *words;
};

static const struct refusal refusals[] = {
	{"denied", "&error=access_denied", "access_denied", "(access_denied)"},
	{"denied, in the platform's words",
	 "&error=access_denied&error_description=The+user+said+no", "access_denied",
	 "(The user said no)"},
	{"another error", "&error=server_error", "platform_error", "(server_error)"},
	{"Meta's way", "&error_code=200&error_message=App+not+live", "platform_error",
	 "(App not live)"},
	{"code and error together", "&code=stolen&error=access_denied", "access_denied",
	 "(access_denied)"},
	{"a scope, where the platform has no word for that", "&error=unauthorized_scope_error",
	 "platform_error", "(unauthorized_scope_error)"},
	{"neither", "", "platform_error", ""},
	{"an empty code", "&code=", "platform_error", ""},
};

static void a_refusal_is_told_and_nothing_is_asked(void **state)
{
	struct world *w = *state;
	for (size_t i = 0; i < COUNT_OF(refusals); i++) {
		const struct connect_begun begun = begin(w);
		const struct connect_return out =
			callback(w, w->arena, with_state(w, &begun, refusals[i].query), 0);
		assert_int_equal(out.kind, CONNECT_RETURN_REDIRECT);
		const struct str expected =
			str_format(w->arena,
				   "https://customer.example/back?connection_id=" STR_FMT
				   "&status=failed&error=%s",
				   STR_ARG(begun.connection_id), refusals[i].error);
		if (!str_equal(out.url, expected))
			fail_msg("%s: " STR_FMT, refusals[i].name, STR_ARG(out.url));
		if (str_find(row_of(w, &begun).error_description, str_of(refusals[i].words), 0) ==
		    SIZE_MAX)
			fail_msg("%s: " STR_FMT, refusals[i].name,
				 STR_ARG(row_of(w, &begun).error_description));
	}
	world_run(w);
	assert_int_equal(w->transport.sent_count, 0);
}

/* 499 letters and one of two bytes: cut between characters. */
static void long_words_are_cut_between_characters(void **state)
{
	struct world *w = *state;
	char words[600];
	memset(words, 'a', 499);
	snprintf(words + 499, sizeof(words) - 499, "%s", "%C3%A9%C3%A9");
	const struct connect_begun begun = begin(w);
	const struct str rest = str_format(w->arena, "&error=x&error_description=%s", words);
	callback(w, w->arena, with_state(w, &begun, str_z(w->arena, rest)), 0);
	const struct str seen = row_of(w, &begun).error_description;
	assert_true(utf8_is_valid(seen));
	assert_true(str_find(seen, STR("aaa)"), 0) != SIZE_MAX);
}

static struct connect_return await_as(struct world *w, const struct connect_begun *begun,
				      struct str browser_token)
{
	struct connect_return out = {0};
	struct error err = {0};
	ok(connector_await(w->connector, w->arena, begun->connection_id, browser_token, 0, &out,
			   &err),
	   &err);
	return out;
}

static void who_cannot_wait_asks_again(void **state)
{
	struct world *w = *state;
	struct connect_return out = {0};
	struct error err = {0};
	const struct connect_begun begun = begin(w);
	out = callback(w, w->arena, with_state(w, &begun, "&code=c"), 0);
	assert_int_equal(out.kind, CONNECT_RETURN_PENDING);
	assert_true(str_equal(out.connection_id, begun.connection_id));
	const struct str token = out.browser_token;
	out = await_as(w, &begun, token);
	assert_int_equal(out.kind, CONNECT_RETURN_PENDING);
	answer_exchange(w);
	world_run(w);
	out = await_as(w, &begun, token);
	assert_int_equal(out.kind, CONNECT_RETURN_REDIRECT);
	ok(connector_await(w->connector, w->arena, STR("conn_unknown"), token, 0, &out, &err),
	   &err);
	assert_int_equal(out.kind, CONNECT_RETURN_INVALID);
}

/* api-decisions.md 5: whoever asks without the cookie learns nothing, and takes nothing away. */
static void another_browser_learns_nothing(void **state)
{
	static const char *const strangers[] = {"", "pcr_guessed", "conn_1"};
	struct world *w = *state;
	struct app_row app = w->app;
	app.connect_confirmation = true;
	struct error err = {0};
	ok(store_app_set_settings(w->store, &app, &err), &err);
	const struct connect_begun begun = begin(w);
	const struct str token =
		callback(w, w->arena, with_state(w, &begun, "&code=c"), 0).browser_token;
	for (size_t i = 0; i < COUNT_OF(strangers); i++)
		assert_int_equal(await_as(w, &begun, str_of(strangers[i])).kind,
				 CONNECT_RETURN_INVALID);
	answer_exchange(w);
	world_run(w);
	for (size_t i = 0; i < COUNT_OF(strangers); i++)
		assert_int_equal(await_as(w, &begun, str_of(strangers[i])).kind,
				 CONNECT_RETURN_INVALID);
	const struct str named = STR("confirmation_token=pcf_");
	assert_true(str_find(await_as(w, &begun, token).url, named, 0) != SIZE_MAX);
	const struct connect_return again = await_as(w, &begun, token);
	assert_int_equal(again.kind, CONNECT_RETURN_REDIRECT);
	assert_true(str_find(again.url, STR("confirmation_token"), 0) == SIZE_MAX);
}

static void a_wait_ends_by_itself(void **state)
{
	struct world *w = *state;
	const struct connect_begun begun = begin(w);
	w->clock.has_real_boot = true;
	const int64_t before_us = clock_boot_us(&w->clock.clock);
	assert_int_equal(callback(w, w->arena, with_state(w, &begun, "&code=c"), 50).kind,
			 CONNECT_RETURN_PENDING);
	assert_true(clock_boot_us(&w->clock.clock) - before_us >= 50 * US_PER_MS);
}

/* Every end of every exchange wakes all who wait: looking each time must not fill the request's
 * memory. */
static void who_waits_among_many_does_not_grow(void **state)
{
	struct world *w = *state;
	struct driver driver;
	const struct connect_begun begun = begin(w);
	struct caller caller = {.w = w, .query = with_state(w, &begun, "&code=c")};
	driver_start(&driver, w);
	assert_int_equal(pthread_create(&caller.thread, NULL, call_back, &caller), 0);
	for (int i = 0; i < 1000; i++) {
		connector_announce(w->connector);
		usleep(200);
	}
	answer_exchange(w);
	pthread_join(caller.thread, NULL);
	driver_stop(&driver);
	assert_int_equal(caller.kind, CONNECT_RETURN_REDIRECT);
	assert_true(caller.used_bytes < 32768);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(a_code_becomes_an_account),
		WORLD_TEST(what_the_customer_had_in_its_url_stays),
		WORLD_TEST(a_wrong_door_stays_shut),
		WORLD_TEST(of_many_callbacks_at_once_one_is_taken),
		WORLD_TEST(many_connections_at_once_all_end),
		WORLD_TEST(a_refusal_is_told_and_nothing_is_asked),
		WORLD_TEST(long_words_are_cut_between_characters),
		WORLD_TEST(who_cannot_wait_asks_again),
		WORLD_TEST(another_browser_learns_nothing),
		WORLD_TEST(a_wait_ends_by_itself),
		WORLD_TEST(who_waits_among_many_does_not_grow),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
