/* SPDX-License-Identifier: Apache-2.0
 * What a platform answers, held against the transcripts that are built in. */
#include "live_check_compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "buf.h"
#include "count_of.h"

static const struct live_call tweet = {.platform = STR("x"),
				       .method = STR("POST"),
				       .host_path = STR("api.x.com/2/tweets"),
				       .status = 201};

static void check(struct live_call call, const char *answer, size_t count, const char *said)
{
	struct arena *arena = arena_new("test", 1 << 22);
	struct buf out;
	buf_init(&out, arena, 1 << 16);
	call.answer = str_of(answer);
	const size_t found = live_check_compare(arena, &call, &out);
	if (found != count || !str_equal_z(buf_str(&out), said))
		fail_msg("%zu: " STR_FMT, found, STR_ARG(buf_str(&out)));
	arena_free(&arena);
}

static void what_stands_in_a_transcript_is_no_difference(void **state)
{
	(void)state;
	check(tweet, "{\"data\":{\"id\":\"1\",\"text\":\"Hello\"}}", 0, "");
}

static void names_are_missed_and_found(void **state)
{
	(void)state;
	check(tweet, "{\"data\":{}}", 1, "    the answer has no `data.id`\n");
	check(tweet, "{\"data\":{\"id\":7}}", 0, "");
	check(tweet, "{\"data\":[]}", 2,
	      "    `data` is a list, and an object in the transcripts\n"
	      "    the answer has no `data.id`\n");
	check(tweet, "{\"data\":{\"id\":\"1\"},\"meta\":{}}", 0, "    new: `meta`\n");
	struct live_call look = tweet;
	look.method = STR("GET");
	look.host_path = STR("api.x.com/2/tweets/10");
	look.status = 200;
	check(look, "<html>", 1, "    the answer is no JSON, or too long to be kept\n");
	check(tweet, "<html>", 0, ""); /* a transcript has such an answer */
}

static void calls_and_statuses_are_known_or_not(void **state)
{
	(void)state;
	struct live_call other = tweet;
	other.host_path = STR("api.x.com/2/somewhere");
	check(other, "{}", 1, "    no transcript has this call\n");
	other = (struct live_call){.platform = STR("facebook"),
				   .method = STR("DELETE"),
				   .host_path = STR("graph.facebook.com/v25.0/998877_1"),
				   .status = 200};
	check(other, "{\"success\":true}", 0, "");
	other.status = 418;
	struct arena *arena = arena_new("test", 1 << 22);
	struct buf out;
	buf_init(&out, arena, 1 << 16);
	assert_int_equal(live_check_compare(arena, &other, &out), 1);
	assert_true(str_find(buf_str(&out), STR("the status 418 is in no transcript"), 0) !=
		    SIZE_MAX);
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_stands_in_a_transcript_is_no_difference),
		cmocka_unit_test(names_are_missed_and_found),
		cmocka_unit_test(calls_and_statuses_are_known_or_not),
	};
	return cmocka_run_group_tests_name("live check: compare", tests, NULL, NULL);
}
