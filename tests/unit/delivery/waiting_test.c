/* SPDX-License-Identifier: Apache-2.0
 * For what a platform post waits, row by row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "clock.h"
#include "count_of.h"

#include "waiting.h"

#define NOW (INT64_C(1800000000) * US_PER_S)
#define SOON (NOW + 30 * US_PER_S)
#define PAST (NOW - 30 * US_PER_S)

struct row {
	const char *name;
	enum post_state state;
	const char *error_code;
	struct delivery_standing standing;
	enum gate_reason gate;
	int64_t reopens_us;
	bool has_media;
	bool is_api_only;
	const char *reason;
	int64_t until_us;
	int64_t ahead;
};

static const struct row rows[] = {
	{.name = "scheduled",
	 .state = POST_SCHEDULED,
	 .standing = {.due_at_us = SOON},
	 .reason = "schedule",
	 .until_us = SOON,
	 .ahead = -1},
	{.name = "behind others",
	 .state = POST_PENDING,
	 .standing = {.due_at_us = PAST, .ahead = 7},
	 .reason = "account_busy",
	 .ahead = 7},
	{.name = "next",
	 .state = POST_PENDING,
	 .standing = {.due_at_us = PAST},
	 .reason = "account_busy",
	 .ahead = 0},
	{.name = "platform down",
	 .state = POST_PENDING,
	 .standing = {.due_at_us = PAST, .ahead = 2},
	 .gate = GATE_PLATFORM_DOWN,
	 .reopens_us = SOON,
	 .reason = "platform_down",
	 .until_us = SOON,
	 .ahead = 2},
	{.name = "platform limit, full",
	 .state = POST_PENDING,
	 .standing = {.due_at_us = PAST},
	 .gate = GATE_PLATFORM_LIMIT,
	 .reason = "platform_limit",
	 .ahead = 0},
	{.name = "app limit",
	 .state = POST_PENDING,
	 .standing = {.due_at_us = PAST},
	 .gate = GATE_APP_LIMIT,
	 .reopens_us = PAST,
	 .reason = "app_limit",
	 .ahead = 0},
	{.name = "one 503",
	 .state = POST_RETRYING,
	 .error_code = "PLATFORM_UNAVAILABLE",
	 .standing = {.due_at_us = SOON},
	 .reason = "retry",
	 .until_us = SOON,
	 .ahead = -1},
	{.name = "a retry that waits for others",
	 .state = POST_RETRYING,
	 .error_code = "PLATFORM_UNAVAILABLE",
	 .standing = {.due_at_us = PAST, .ahead = 1},
	 .reason = "account_busy",
	 .ahead = 1},
	{.name = "429",
	 .state = POST_RETRYING,
	 .error_code = "RATE_LIMITED",
	 .standing = {.due_at_us = SOON},
	 .reason = "platform_limit",
	 .until_us = SOON,
	 .ahead = -1},
	{.name = "no credits",
	 .state = POST_RETRYING,
	 .error_code = "QUOTA_EXHAUSTED",
	 .standing = {.due_at_us = SOON},
	 .reason = "app_limit",
	 .until_us = SOON,
	 .ahead = -1},
	{.name = "uncertain",
	 .state = POST_PROCESSING,
	 .standing = {.due_at_us = SOON, .is_uncertain = true},
	 .reason = "checking",
	 .until_us = SOON,
	 .ahead = -1},
	{.name = "uncertain, being asked",
	 .state = POST_PROCESSING,
	 .standing = {.due_at_us = PAST, .is_uncertain = true, .is_leased = true},
	 .reason = "checking",
	 .ahead = -1},
	{.name = "uncertain while the gate is closed",
	 .state = POST_PROCESSING,
	 .standing = {.due_at_us = PAST, .is_uncertain = true},
	 .gate = GATE_PLATFORM_DOWN,
	 .reopens_us = SOON,
	 .reason = "checking",
	 .ahead = -1},
	{.name = "its owner died",
	 .state = POST_PROCESSING,
	 .standing = {.due_at_us = PAST, .is_call_open = true},
	 .reason = "checking",
	 .ahead = -1},
	{.name = "held",
	 .state = POST_RETRYING,
	 .error_code = "OUTCOME_UNKNOWN",
	 .standing = {.due_at_us = INT64_MAX, .is_held = true},
	 .reason = "held",
	 .ahead = -1},
	{.name = "suspended",
	 .state = POST_PENDING,
	 .standing = {.due_at_us = PAST, .is_suspended = true},
	 .reason = "held",
	 .ahead = -1},
	{.name = "without an admin",
	 .state = POST_PENDING,
	 .standing = {.due_at_us = PAST, .is_suspended = true, .is_ownerless = true},
	 .reason = "held",
	 .ahead = -1},
	{.name = "paused",
	 .state = POST_PENDING,
	 .standing = {.due_at_us = PAST, .is_paused = true, .ahead = 3},
	 .gate = GATE_PLATFORM_DOWN,
	 .reason = "held",
	 .ahead = -1},
	{.name = "paused, being worked on",
	 .state = POST_PROCESSING,
	 .standing = {.due_at_us = PAST, .is_leased = true, .is_paused = true},
	 .reason = "account_busy",
	 .ahead = 0},
	{.name = "processing at the platform",
	 .state = POST_PROCESSING,
	 .standing = {.due_at_us = SOON},
	 .has_media = true,
	 .reason = "media",
	 .until_us = SOON,
	 .ahead = -1},
	{.name = "uploading",
	 .state = POST_PROCESSING,
	 .standing = {.due_at_us = PAST, .is_leased = true},
	 .has_media = true,
	 .reason = "media",
	 .ahead = -1},
	{.name = "a text being sent",
	 .state = POST_PROCESSING,
	 .standing = {.due_at_us = PAST, .is_leased = true},
	 .reason = "account_busy",
	 .ahead = 0},
	{.name = "a node without gates",
	 .state = POST_PENDING,
	 .standing = {.due_at_us = PAST},
	 .is_api_only = true,
	 .reason = "account_busy",
	 .ahead = 0},
	{.name = "published", .state = POST_PUBLISHED, .reason = "", .ahead = -1},
};

static void every_row(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 1 << 16);
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct row *row = &rows[i];
		const struct delivery_row delivery = {
			.state = row->state,
			.error_code = str_of(row->error_code != NULL ? row->error_code : ""),
			.standing = row->standing};
		const struct waiting_facts facts = {.now_us = NOW,
						    .has_media = row->has_media,
						    .is_delivering = !row->is_api_only,
						    .closing = {row->gate, 0},
						    .reopens_us = row->reopens_us};
		const struct waiting waiting = waiting_of(arena, &delivery, &facts);
		const char *reason = waiting_reason_name(waiting.reason);
		if (strcmp(reason, row->reason) != 0 || waiting.until_us != row->until_us ||
		    waiting.ahead != row->ahead)
			fail_msg("%s: %s, until %lld, ahead %lld", row->name, reason,
				 (long long)waiting.until_us, (long long)waiting.ahead);
		assert_true(row->reason[0] == '\0' || waiting.message.len > 0);
	}
	arena_free(&arena);
}

static struct str message_while(struct arena *arena, bool is_running, int percent)
{
	const struct delivery_row delivery = {.state = POST_PROCESSING,
					      .standing = {.due_at_us = PAST, .is_leased = true}};
	const struct waiting_facts facts = {.now_us = NOW,
					    .has_media = true,
					    .is_delivering = true,
					    .is_fitting = true,
					    .fitting = {is_running, percent}};
	const struct waiting waiting = waiting_of(arena, &delivery, &facts);
	assert_int_equal(waiting.reason, WAITING_MEDIA);
	return waiting.message;
}

static void a_film_that_is_being_converted_says_how_far_it_is(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 65536);
	assert_true(str_equal(message_while(arena, true, 37),
			      STR("Its video is being converted for the platform: 37 % is done.")));
	assert_true(str_equal(message_while(arena, true, -1),
			      STR("Its files are being converted for the platform.")));
	assert_true(str_equal(message_while(arena, false, 0),
			      STR("Its video waits to be converted: other videos go first.")));
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row),
		cmocka_unit_test(a_film_that_is_being_converted_says_how_far_it_is),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
