/* SPDX-License-Identifier: Apache-2.0
 * The gate: who may call, how limits move, and which states follow which. */
#include "gate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "clock.h"
#include "count_of.h"

#define NOW (1000 * US_PER_S)
#define APP_MAX 8
#define PLATFORM_MAX 12

static const struct str app_a = {"app-a", 5};
static const struct str app_b = {"app-b", 5};
static const struct str whole = {"", 0};

static struct gate *make(int64_t time_scale)
{
	const struct gate_config config = {
		.time_scale = time_scale, .app_max = APP_MAX, .platform_max = PLATFORM_MAX};
	return gate_new(&config);
}

static bool enter(struct gate *gate, struct str app, int64_t at_us)
{
	int64_t wait_us = 0;
	return gate_enter(gate, PLATFORM_X, app, at_us, &wait_us);
}

static int64_t refused_for_us(struct gate *gate, struct str app, int64_t at_us)
{
	int64_t wait_us = 0;
	assert_false(gate_enter(gate, PLATFORM_X, app, at_us, &wait_us));
	return wait_us;
}

static void call(struct gate *gate, struct str app, enum gate_outcome outcome, int64_t at_us)
{
	assert_true(enter(gate, app, at_us));
	gate_leave(gate, PLATFORM_X, app, outcome, 0, at_us);
}

/* So many calls at once, which then end alike. */
static void volley(struct gate *gate, struct str app, int count, enum gate_outcome outcome,
		   int64_t at_us)
{
	for (int i = 0; i < count; i++)
		assert_true(enter(gate, app, at_us));
	for (int i = 0; i < count; i++)
		gate_leave(gate, PLATFORM_X, app, outcome, 0, at_us);
}

static struct gate_view look(struct gate *gate, struct str app)
{
	return gate_view_of(gate, PLATFORM_X, app);
}

static void an_app_and_a_platform_have_limits(void **state)
{
	(void)state;
	struct gate *gate = make(1);
	for (int i = 0; i < APP_MAX; i++)
		assert_true(enter(gate, app_a, NOW));
	assert_int_equal(gate_room(gate, PLATFORM_X, app_a, NOW), 0);
	assert_int_equal(refused_for_us(gate, app_a, NOW), US_PER_S);
	assert_int_equal(gate_room(gate, PLATFORM_X, app_b, NOW), PLATFORM_MAX - APP_MAX);
	assert_int_equal(gate_shared_room(gate, PLATFORM_X, app_b, NOW), PLATFORM_MAX - APP_MAX);
	assert_int_equal(gate_shared_room(gate, PLATFORM_X, app_a, NOW), PLATFORM_MAX - APP_MAX);
	for (int i = APP_MAX; i < PLATFORM_MAX; i++)
		assert_true(enter(gate, app_b, NOW));
	refused_for_us(gate, app_b, NOW);
	/* Another platform has room of its own. */
	assert_int_equal(gate_room(gate, PLATFORM_LINKEDIN, app_a, NOW), APP_MAX);
	gate_leave(gate, PLATFORM_X, app_a, GATE_WORKED, 0, NOW);
	assert_true(enter(gate, app_b, NOW));
	gate_free(&gate);
	assert_null(gate);
}

static void a_limit_halves_once_for_calls_that_fail_together(void **state)
{
	(void)state;
	struct gate *gate = make(1);
	volley(gate, app_a, 4, GATE_LIMITED, NOW);
	assert_int_equal(look(gate, app_a).state, GATE_THROTTLED);
	assert_int_equal(look(gate, app_a).limit, APP_MAX / 2);
	/* A call begun after that has something new to say. */
	call(gate, app_a, GATE_LIMITED, NOW);
	assert_int_equal(look(gate, app_a).limit, APP_MAX / 4);
	/* An app's own limit is not the platform's business, nor another app's. */
	assert_int_equal(look(gate, whole).state, GATE_READY);
	assert_int_equal(look(gate, whole).limit, PLATFORM_MAX);
	assert_int_equal(gate_room(gate, PLATFORM_X, app_b, NOW), APP_MAX);
	gate_free(&gate);
}

static void a_limit_grows_by_one_for_a_window_of_successes(void **state)
{
	(void)state;
	struct gate *gate = make(1);
	call(gate, app_a, GATE_LIMITED, NOW);
	for (uint32_t limit = APP_MAX / 2; limit < APP_MAX; limit++) {
		assert_int_equal(look(gate, app_a).limit, limit);
		for (uint32_t i = 0; i + 1 < limit; i++)
			call(gate, app_a, GATE_WORKED, NOW);
		assert_int_equal(look(gate, app_a).limit, limit);
		call(gate, app_a, GATE_WORKED, NOW);
		assert_int_equal(look(gate, app_a).state, GATE_READY);
	}
	for (int i = 0; i < 100; i++)
		call(gate, app_a, GATE_WORKED, NOW);
	assert_int_equal(look(gate, app_a).limit, APP_MAX);
	gate_free(&gate);
}

static void a_limit_never_reaches_nothing(void **state)
{
	(void)state;
	struct gate *gate = make(1);
	for (int i = 0; i < 7; i++)
		call(gate, app_a, GATE_BROKE, NOW);
	assert_int_equal(look(gate, app_a).limit, 1);
	assert_int_equal(look(gate, app_a).state, GATE_THROTTLED);
	assert_int_equal(gate_room(gate, PLATFORM_X, app_a, NOW), 1);
	gate_free(&gate);
}

static void nothing_but_failures_close_the_platform(void **state)
{
	(void)state;
	struct gate *gate = make(1);
	for (int i = 0; i < 8; i++)
		call(gate, i % 2 ? app_a : app_b, GATE_BROKE, NOW);
	assert_int_equal(look(gate, whole).state, GATE_SUSPENDED);
	assert_int_equal(look(gate, app_a).state, GATE_THROTTLED);
	assert_int_equal(refused_for_us(gate, app_a, NOW + US_PER_S), 29 * US_PER_S);
	assert_int_equal(gate_room(gate, PLATFORM_X, app_b, NOW + US_PER_S), 0);
	assert_int_equal(gate_room(gate, PLATFORM_TIKTOK, app_b, NOW + US_PER_S), APP_MAX);
	gate_free(&gate);
}

static void one_success_between_failures_keeps_it_open(void **state)
{
	(void)state;
	struct gate *gate = make(1);
	for (int i = 0; i < 30; i++) {
		for (int j = 0; j < 7; j++)
			call(gate, app_a, GATE_BROKE, NOW);
		call(gate, app_a, GATE_WORKED, NOW);
	}
	assert_int_not_equal(look(gate, whole).state, GATE_SUSPENDED);
	assert_int_not_equal(look(gate, app_a).state, GATE_SUSPENDED);
	gate_free(&gate);
}

static int64_t suspend(struct gate *gate)
{
	for (int i = 0; i < 8; i++)
		call(gate, app_a, GATE_BROKE, NOW);
	return look(gate, whole).reopens_boot_us;
}

static void a_closed_place_is_tried_by_one_call_and_waits_longer_each_time(void **state)
{
	(void)state;
	static const int64_t waits_s[] = {30, 60, 120, 240, 480, 600, 600};
	struct gate *gate = make(1);
	int64_t at_us = NOW;
	int64_t reopens_us = suspend(gate);
	for (size_t i = 0; i < COUNT_OF(waits_s); i++) {
		assert_int_equal(reopens_us - at_us, waits_s[i] * US_PER_S);
		at_us = reopens_us;
		refused_for_us(gate, app_a, at_us - 1);
		assert_true(enter(gate, app_a, at_us));
		refused_for_us(gate, app_a, at_us);
		refused_for_us(gate, app_b, at_us);
		gate_leave(gate, PLATFORM_X, app_a, GATE_BROKE, 0, at_us);
		reopens_us = look(gate, whole).reopens_boot_us;
	}
	/* It comes back with care: one at first, then more. */
	at_us = reopens_us;
	call(gate, app_a, GATE_WORKED, at_us);
	assert_int_equal(look(gate, whole).state, GATE_READY);
	assert_int_equal(look(gate, app_a).state, GATE_READY);
	assert_int_equal(look(gate, whole).limit, 2);
	/* And the next closing begins with the short wait. */
	for (int i = 0; i < 8; i++)
		call(gate, app_b, GATE_BROKE, at_us);
	assert_int_equal(look(gate, whole).reopens_boot_us - at_us, 30 * US_PER_S);
	gate_free(&gate);
}

static void calls_of_before_say_nothing_about_a_closed_place(void **state)
{
	(void)state;
	struct gate *gate = make(1);
	for (int i = 0; i < 8; i++)
		assert_true(enter(gate, app_a, NOW));
	for (int i = 0; i < 3; i++)
		assert_true(enter(gate, app_b, NOW));
	for (int i = 0; i < 8; i++)
		gate_leave(gate, PLATFORM_X, app_a, GATE_BROKE, 0, NOW);
	const int64_t reopens_us = look(gate, whole).reopens_boot_us;
	assert_int_equal(reopens_us, NOW + 30 * US_PER_S);
	/* Late failures do not close it for longer, even after it has opened. */
	gate_leave(gate, PLATFORM_X, app_b, GATE_BROKE, 0, NOW + US_PER_S);
	gate_leave(gate, PLATFORM_X, app_b, GATE_BROKE, 0, reopens_us + US_PER_S);
	assert_int_equal(look(gate, whole).reopens_boot_us, reopens_us);
	/* A late success proves that it works. */
	gate_leave(gate, PLATFORM_X, app_b, GATE_WORKED, 0, reopens_us + US_PER_S);
	assert_int_equal(look(gate, whole).state, GATE_READY);
	gate_free(&gate);
}

struct advice_row {
	const char *name;
	enum gate_outcome outcome;
	int64_t retry_after_us;
	int64_t wait_us;
};

static const struct advice_row advices[] = {
	{"without advice", GATE_REFUSED, 0, 30 * US_PER_S},
	{"less than ours", GATE_REFUSED, 5 * US_PER_S, 30 * US_PER_S},
	{"more than ours", GATE_REFUSED, 90 * US_PER_S, 90 * US_PER_S},
	{"a day", GATE_REFUSED, US_PER_DAY, 600 * US_PER_S},
	{"nonsense", GATE_REFUSED, -1, 30 * US_PER_S},
	{"endless", GATE_REFUSED, INT64_MAX, 600 * US_PER_S},
};

static void an_app_that_is_refused_waits_alone(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(advices); i++) {
		struct gate *gate = make(1);
		assert_true(enter(gate, app_a, NOW));
		gate_leave(gate, PLATFORM_X, app_a, advices[i].outcome, advices[i].retry_after_us,
			   NOW);
		if (look(gate, app_a).reopens_boot_us - NOW != advices[i].wait_us)
			fail_msg("%s", advices[i].name);
		assert_int_equal(look(gate, app_a).state, GATE_SUSPENDED);
		assert_int_equal(look(gate, whole).state, GATE_READY);
		assert_int_equal(gate_room(gate, PLATFORM_X, app_b, NOW), APP_MAX);
		assert_int_equal(gate_room(gate, PLATFORM_FACEBOOK, app_a, NOW), APP_MAX);
		gate_free(&gate);
	}
}

static void limits_in_a_row_close_the_apps_place(void **state)
{
	(void)state;
	struct gate *gate = make(1);
	for (int i = 0; i < 8; i++)
		call(gate, app_a, GATE_LIMITED, NOW);
	assert_int_equal(look(gate, app_a).state, GATE_SUSPENDED);
	assert_int_equal(look(gate, whole).state, GATE_READY);
	gate_free(&gate);
}

static void waits_are_divided_by_the_time_scale(void **state)
{
	(void)state;
	struct gate *gate = make(100);
	assert_int_equal(suspend(gate) - NOW, 30 * US_PER_S / 100);
	gate_free(&gate);
}

static void a_call_that_was_not_made_says_nothing(void **state)
{
	(void)state;
	struct gate *gate = make(1);
	for (int i = 0; i < 7; i++)
		call(gate, app_a, GATE_BROKE, NOW);
	const uint32_t limit = look(gate, whole).limit;
	for (int i = 0; i < 50; i++)
		call(gate, app_a, GATE_UNUSED, NOW);
	assert_int_equal(look(gate, whole).limit, limit);
	assert_int_equal(look(gate, whole).state, GATE_THROTTLED);
	/* The eighth failure in a row closes it, as if nothing had been in between. */
	call(gate, app_a, GATE_BROKE, NOW);
	assert_int_equal(look(gate, whole).state, GATE_SUSPENDED);
	gate_free(&gate);
}

/* From READY anywhere, from anywhere to READY: seen from outside, over a long mixed course. */
static void only_ready_leads_to_trouble(void **state)
{
	(void)state;
	struct gate *gate = make(1);
	uint32_t seed = 12345;
	int64_t at_us = NOW;
	int seen[GATE_STATE_COUNT] = {0};
	for (int i = 0; i < 20000; i++) {
		seed = seed * 1664525u + 1013904223u;
		const enum gate_outcome outcome = (enum gate_outcome)(seed >> 24 & 3);
		const bool is_bad_time = (i / 500) % 2 == 1;
		at_us += 200 * US_PER_MS;
		const struct gate_view before = look(gate, app_a);
		if (!enter(gate, app_a, at_us))
			continue;
		gate_leave(gate, PLATFORM_X, app_a, is_bad_time ? outcome : GATE_WORKED, 0, at_us);
		const struct gate_view after = look(gate, app_a);
		seen[after.state]++;
		assert_true(after.limit >= 1 && after.limit <= APP_MAX);
		assert_int_equal(after.in_flight, 0);
		/* A suspended place that was tried has either opened or closed again. */
		if (before.state == GATE_SUSPENDED && after.state == GATE_SUSPENDED)
			assert_true(after.reopens_boot_us > at_us ||
				    look(gate, whole).state == GATE_SUSPENDED);
		assert_false(before.state == GATE_SUSPENDED && after.state == GATE_THROTTLED);
	}
	for (int i = 0; i < GATE_STATE_COUNT; i++)
		assert_true(seen[i] > 0);
	gate_free(&gate);
}

static void many_apps_need_no_more_memory(void **state)
{
	(void)state;
	struct gate *gate = make(1);
	char name[32];
	/* Somebody inside, and an app that is closed, while 50,000 others come and go. */
	assert_true(enter(gate, app_a, NOW));
	for (int i = 0; i < 50000; i++) {
		snprintf(name, sizeof(name), "app-%d", i);
		call(gate, str_of(name), GATE_WORKED, NOW + i);
	}
	assert_int_equal(look(gate, app_a).in_flight, 1);
	gate_leave(gate, PLATFORM_X, app_a, GATE_WORKED, 0, NOW);
	assert_int_equal(look(gate, whole).in_flight, 0);
	gate_free(&gate);
}

static void ids_longer_than_a_place_holds_are_cut(void **state)
{
	(void)state;
	struct gate *gate = make(1);
	char name[200];
	memset(name, 'a', sizeof(name));
	const struct str app = {name, sizeof(name)};
	call(gate, app, GATE_REFUSED, NOW);
	assert_int_equal(look(gate, app).state, GATE_SUSPENDED);
	gate_free(&gate);
}

/* A test app's failures say nothing about the platform, nor the platform's about it. */
static void what_is_apart_is_counted_apart(void **state)
{
	(void)state;
	struct gate *gate = make(1);
	gate_set_apart(gate, PLATFORM_X, app_b, 60);
	for (int i = 0; i < 8; i++)
		call(gate, app_b, GATE_BROKE, NOW);
	assert_int_equal(gate_shared_room(gate, PLATFORM_X, app_b, NOW), UINT32_MAX);
	assert_int_equal(gate_view_of(gate, PLATFORM_X, app_b).state, GATE_SUSPENDED);
	assert_int_equal(gate_view_of(gate, PLATFORM_X, whole).state, GATE_READY);
	assert_int_equal(gate_view_of(gate, PLATFORM_X, whole).limit, PLATFORM_MAX);
	assert_true(enter(gate, app_a, NOW));
	gate_leave(gate, PLATFORM_X, app_a, GATE_WORKED, 0, NOW);
	/* its waits are shorter by its own scale */
	assert_in_range(refused_for_us(gate, app_b, NOW), 1, US_PER_S);
	call(gate, app_b, GATE_WORKED, NOW + US_PER_S);
	for (int i = 0; i < 8; i++)
		call(gate, app_a, GATE_BROKE, NOW + US_PER_S);
	assert_int_equal(gate_view_of(gate, PLATFORM_X, whole).state, GATE_SUSPENDED);
	assert_int_equal(gate_closing_of(gate, PLATFORM_X, app_b, NOW + US_PER_S).reason,
			 GATE_OPEN);
	assert_true(enter(gate, app_b, NOW + US_PER_S));
	gate_leave(gate, PLATFORM_X, app_b, GATE_WORKED, 0, NOW + US_PER_S);
	gate_free(&gate);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_apart_is_counted_apart),
		cmocka_unit_test(an_app_and_a_platform_have_limits),
		cmocka_unit_test(a_limit_halves_once_for_calls_that_fail_together),
		cmocka_unit_test(a_limit_grows_by_one_for_a_window_of_successes),
		cmocka_unit_test(a_limit_never_reaches_nothing),
		cmocka_unit_test(nothing_but_failures_close_the_platform),
		cmocka_unit_test(one_success_between_failures_keeps_it_open),
		cmocka_unit_test(a_closed_place_is_tried_by_one_call_and_waits_longer_each_time),
		cmocka_unit_test(calls_of_before_say_nothing_about_a_closed_place),
		cmocka_unit_test(an_app_that_is_refused_waits_alone),
		cmocka_unit_test(limits_in_a_row_close_the_apps_place),
		cmocka_unit_test(waits_are_divided_by_the_time_scale),
		cmocka_unit_test(a_call_that_was_not_made_says_nothing),
		cmocka_unit_test(only_ready_leads_to_trouble),
		cmocka_unit_test(many_apps_need_no_more_memory),
		cmocka_unit_test(ids_longer_than_a_place_holds_are_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
