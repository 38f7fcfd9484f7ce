/* SPDX-License-Identifier: Apache-2.0
 * Error tables, and the clocks that quotas run by. */
#include "refusal.h"

#include "arena_fixture.h"
#include "clock.h"
#include "count_of.h"
#include "timetext.h"

static int64_t instant(const char *text)
{
	int64_t us = 0;
	assert_true(timetext_parse_instant(str_of(text), &us));
	return us;
}

static int64_t midnight_us(int64_t now_us)
{
	/* the wait is rounded up to a millisecond */
	const int64_t us = now_us + refusal_wait_ms(WAIT_MIDNIGHT_PACIFIC, now_us) * US_PER_MS;
	return us - us % US_PER_MS;
}

static void midnight_pacific_follows_the_summer_time_rules(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		const char *now;
		const char *midnight;
	} rows[] = {
		{"winter", "2026-01-15T12:00:00Z", "2026-01-16T08:00:00Z"},
		{"summer", "2026-07-15T12:00:00Z", "2026-07-16T07:00:00Z"},
		{"winter, evening there", "2026-01-16T07:59:59Z", "2026-01-16T08:00:00Z"},
		{"winter, midnight itself is the day before's end", "2026-01-16T08:00:00Z",
		 "2026-01-17T08:00:00Z"},
		{"summer, midnight itself", "2026-07-16T07:00:00Z", "2026-07-17T07:00:00Z"},
		{"a microsecond before", "2026-07-16T06:59:59.999999Z", "2026-07-16T07:00:00Z"},
		{"the day before spring's change", "2026-03-07T20:00:00Z", "2026-03-08T08:00:00Z"},
		{"spring's day, before the change", "2026-03-08T09:59:59Z", "2026-03-09T07:00:00Z"},
		{"spring's day, at the change", "2026-03-08T10:00:00Z", "2026-03-09T07:00:00Z"},
		{"the day before autumn's change", "2026-10-31T20:00:00Z", "2026-11-01T07:00:00Z"},
		{"autumn's day, before the change", "2026-11-01T08:59:59Z", "2026-11-02T08:00:00Z"},
		{"autumn's day, the hour that comes twice", "2026-11-01T09:30:00Z",
		 "2026-11-02T08:00:00Z"},
		{"a year whose March begins on a Sunday", "2026-03-01T12:00:00Z",
		 "2026-03-02T08:00:00Z"},
		{"a year whose November begins on a Saturday", "2025-11-02T08:30:00Z",
		 "2025-11-03T08:00:00Z"},
		{"a year whose March begins on a Monday", "2027-03-14T10:00:00Z",
		 "2027-03-15T07:00:00Z"},
		{"the same, a day before", "2027-03-13T10:00:00Z", "2027-03-14T08:00:00Z"},
		{"new year, by our clock already", "2027-01-01T03:00:00Z", "2027-01-01T08:00:00Z"},
		{"leap day", "2028-02-29T12:00:00Z", "2028-03-01T08:00:00Z"},
	};
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const int64_t got = midnight_us(instant(rows[i].now));
		if (got != instant(rows[i].midnight))
			fail_msg("%s: got " STR_FMT ", want %s", rows[i].name,
				 STR_ARG(timetext_format_instant(arena, got)), rows[i].midnight);
	}
}

static void midnight_pacific_is_always_ahead_by_a_day_at_most(void **state)
{
	(void)state;
	const int64_t start = instant("2026-01-01T00:00:00Z");
	for (int64_t hour = 0; hour < 3 * 366 * 24; hour++) {
		const int64_t now = start + hour * US_PER_HOUR + 1;
		const int64_t ahead = midnight_us(now) - now;
		assert_true(ahead > 0 && ahead <= 25 * US_PER_HOUR);
	}
}

static void waits_are_what_their_names_say(void **state)
{
	(void)state;
	const int64_t now = instant("2026-11-21T22:30:00Z");
	assert_int_equal(refusal_wait_ms(WAIT_BY_SCHEDULE, now), 0);
	assert_int_equal(refusal_wait_ms(WAIT_MINUTE, now), 60000);
	assert_int_equal(refusal_wait_ms(WAIT_QUARTER_TO_MIDNIGHT_UTC, now), 15 * 60000);
	assert_int_equal(refusal_wait_ms(WAIT_DAY, now), 86400000);
	assert_int_equal(refusal_wait_ms(WAIT_MIDNIGHT_UTC, now), 90 * 60000);
	assert_int_equal(refusal_wait_ms(WAIT_MIDNIGHT_PACIFIC, now), (90 + 8 * 60) * 60000);
}

static const struct refusal table[] = {
	{429, NULL, "per day", FAILURE_RATE_LIMITED, FAILURE_CODE_QUOTA_EXHAUSTED, WAIT_DAY,
	 "Day."},
	{429, NULL, NULL, FAILURE_RATE_LIMITED, FAILURE_CODE_RATE_LIMITED, WAIT_MINUTE, "Minute."},
	{0, "gone", NULL, FAILURE_PERMANENT, FAILURE_CODE_PLATFORM_REJECTED, WAIT_MINUTE, "Gone."},
	{0, NULL, NULL, FAILURE_PERMANENT, FAILURE_CODE_CONTENT_REJECTED, WAIT_BY_SCHEDULE,
	 "Last."},
	{0},
};

static void the_first_row_that_fits_wins(void **state)
{
	(void)state;
	struct refusal_facts day = {.status = 429, .message = STR("10 per day")};
	struct refusal_facts minute = {.status = 429, .message = STR("slow")};
	struct refusal_facts gone = {
		.status = 400, .markers = {STR("x"), STR("gone")}, .marker_count = 2};
	struct refusal_facts other = {.status = 400};
	assert_ptr_equal(refusal_find(table, &day), &table[0]);
	assert_ptr_equal(refusal_find(table, &minute), &table[1]);
	assert_ptr_equal(refusal_find(table, &gone), &table[2]);
	assert_ptr_equal(refusal_find(table, &other), &table[3]);
}

static struct step failed(const struct refusal_facts *facts, const char *retry_after)
{
	const struct env env = {.arena = arena, .now_us = instant("2026-11-21T00:00:00Z")};
	const struct reply_header header = {STR("retry-after"), str_of(retry_after)};
	const struct reply reply = {.status = facts->status, .headers = &header, .header_count = 1};
	struct step step = {0};
	refusal_fail(table, &env, facts, &reply, &step);
	assert_int_equal(step.kind, STEP_FAIL);
	return step;
}

static void advice_of_the_platform_goes_before_the_row(void **state)
{
	(void)state;
	const struct refusal_facts minute = {.status = 429};
	assert_int_equal(failed(&minute, "7").failure.retry_after_ms, 7000);
	assert_int_equal(failed(&minute, "7").failure.retry_floor_ms, 0);
	assert_int_equal(failed(&minute, "soon").failure.retry_after_ms, 0);
	assert_int_equal(failed(&minute, "soon").failure.retry_floor_ms, 60000);
	assert_int_equal(failed(&minute, "").failure.retry_floor_ms, 60000);
	const struct refusal_facts gone = {
		.status = 410, .markers = {STR("gone")}, .marker_count = 1};
	assert_int_equal(failed(&gone, "7").failure.retry_after_ms, 0);
}

static void a_wait_is_an_end_or_a_floor(void **state)
{
	(void)state;
	const int64_t now = instant("2026-11-21T22:30:00Z");
	struct failure failure = {0};
	refusal_advise(WAIT_MIDNIGHT_UTC, now, &failure);
	assert_int_equal(failure.retry_after_ms, 90 * 60000);
	assert_int_equal(failure.retry_floor_ms + failure.retry_reset_ms, 0);
	refusal_advise(WAIT_MINUTE, now, &failure);
	assert_int_equal(failure.retry_after_ms + failure.retry_reset_ms, 0);
	assert_int_equal(failure.retry_floor_ms, 60000);
	refusal_advise(WAIT_QUARTER_TO_MIDNIGHT_UTC, now, &failure);
	assert_int_equal(failure.retry_after_ms, 0);
	assert_int_equal(failure.retry_floor_ms, 15 * 60000);
	assert_int_equal(failure.retry_reset_ms, 90 * 60000);
}

static void what_the_platform_said_is_kept_and_cut_between_characters(void **state)
{
	(void)state;
	char words[600];
	for (size_t i = 0; i < sizeof(words); i += 3)
		memcpy(words + i, "\xe2\x82\xac", 3);
	const struct refusal_facts facts = {
		.status = 400,
		.markers = {STR("E17"), STR("gone")},
		.marker_count = 2,
		.message = {words, sizeof(words)},
	};
	const struct step step = failed(&facts, "");
	assert_true(str_equal_z(step.failure.platform_code, "E17"));
	assert_int_equal(step.failure.platform_message.len, 498);
	assert_true(str_equal_z(step.failure.message, "Gone."));
}

static void markers_are_bounded_and_never_empty(void **state)
{
	(void)state;
	struct refusal_facts facts = {0};
	refusal_marker_add(&facts, STR(""));
	assert_int_equal(facts.marker_count, 0);
	for (int i = 0; i < 3 * REFUSAL_MARKERS_MAX; i++)
		refusal_marker_add(&facts, STR("x"));
	assert_int_equal(facts.marker_count, REFUSAL_MARKERS_MAX);
}

static void only_what_can_be_read_is_certain(void **state)
{
	(void)state;
	const struct refusal_facts rows[] = {{.status = 400, .is_readable = true},
					     {.status = 401},
					     {.status = 429},
					     {.status = 400},
					     {.status = 403}};
	const bool want[] = {true, true, true, false, false};
	for (size_t i = 0; i < COUNT_OF(want); i++)
		assert_int_equal(refusal_is_certain(&rows[i]), want[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(midnight_pacific_follows_the_summer_time_rules,
						setup, teardown),
		cmocka_unit_test(midnight_pacific_is_always_ahead_by_a_day_at_most),
		cmocka_unit_test(waits_are_what_their_names_say),
		cmocka_unit_test(a_wait_is_an_end_or_a_floor),
		cmocka_unit_test(the_first_row_that_fits_wins),
		cmocka_unit_test_setup_teardown(advice_of_the_platform_goes_before_the_row, setup,
						teardown),
		cmocka_unit_test_setup_teardown(
			what_the_platform_said_is_kept_and_cut_between_characters, setup, teardown),
		cmocka_unit_test(markers_are_bounded_and_never_empty),
		cmocka_unit_test(only_what_can_be_read_is_certain),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
