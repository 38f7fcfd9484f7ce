/* SPDX-License-Identifier: Apache-2.0
 * What a table says of a file: by its bytes, and by what the request says of it. */
#include "media_rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "count_of.h"

#include "platform.h"
#include "rules.h"

static struct arena *arena;

static int set_up(void **state)
{
	(void)state;
	arena = arena_new("media rules", 1 << 20);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static const struct media_rule reel = {
	.what = "a reel",
	.types = MEDIA_TYPE_BIT(SNIFF_MP4) | MEDIA_TYPE_BIT(SNIFF_MOV),
	.types_text = "MP4 or MOV",
	.size_min_bytes = 10,
	.size_max_bytes = 1000,
	.width_min = 100,
	.width_max = 1920,
	.height_min = 50,
	.height_max = 2000,
	.pixels_max = 3000000,
	.ratio_min_permille = 800,
	.ratio_max_permille = 1910,
	.duration_min_ms = 3000,
	.duration_max_ms = 90500,
};

struct row {
	const char *name;
	struct sniff sniff;
	int64_t size_bytes;
	const char *complaint; /* NULL = fine */
};

#define VIDEO(w, h, ms) \
	{ \
		.type = SNIFF_MP4, .mime_type = "video/mp4", .width = (w), .height = (h), \
		.duration_ms = (ms) \
	}

static const struct row rows[] = {
	{"fine", VIDEO(1080, 1350, 90500), 1000, NULL},
	{"fine at the lower ends", VIDEO(100, 100, 3000), 10, NULL},
	{"nothing but the type is known", VIDEO(0, 0, 0), 500, NULL},
	{"of another type",
	 {.type = SNIFF_PNG, .mime_type = "image/png"},
	 500,
	 "A reel must be MP4 or MOV, but this file is image/png."},
	{"of no type",
	 {.type = SNIFF_UNKNOWN, .mime_type = "application/octet-stream"},
	 500,
	 "A reel must be MP4 or MOV, but this file is of an unknown type."},
	{"a byte too many", VIDEO(0, 0, 0), 1001,
	 "A reel must be at most 1000 bytes large, but this file is 1001 bytes large."},
	{"a byte too few", VIDEO(0, 0, 0), 9,
	 "A reel must be at least 10 bytes large, but this file is 9 bytes large."},
	{"too narrow", VIDEO(99, 100, 0), 500,
	 "A reel must be at least 100 pixels wide, but this file is 99 pixels wide."},
	{"too wide", VIDEO(1921, 1100, 0), 500,
	 "A reel must be at most 1920 pixels wide, but this file is 1921 pixels wide."},
	{"too low", VIDEO(100, 49, 0), 500,
	 "A reel must be at least 50 pixels high, but this file is 49 pixels high."},
	{"too high", VIDEO(1700, 2001, 0), 500,
	 "A reel must be at most 2000 pixels high, but this file is 2001 pixels high."},
	{"too many pixels", VIDEO(1900, 1900, 0), 500,
	 "A reel must be at most 3000000 pixels in all, but this file is 3610000 pixels in all."},
	{"a hair too upright", VIDEO(1079, 1350, 0), 500,
	 "A reel must be at least 0.8 times as wide as high, but this file is 1079 x 1350."},
	{"a hair too flat", VIDEO(1081, 565, 0), 500,
	 "A reel must be at most 1.91 times as wide as high, but this file is 1081 x 565."},
	{"too short", VIDEO(0, 0, 2999), 500,
	 "A reel must be at least 3 s long, but this file is 2.999 s long."},
	{"too long", VIDEO(0, 0, 90501), 500,
	 "A reel must be at most 90.5 s long, but this file is 90.501 s long."},
};

static void files_are_measured(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct str want = str_of(rows[i].complaint);
		const struct str got =
			media_rule_complaint(&reel, arena, &rows[i].sniff, rows[i].size_bytes);
		if (!str_equal(want, got))
			fail_msg("%s: " STR_FMT, rows[i].name, STR_ARG(got));
	}
}

static void a_rule_without_limits_takes_everything(void **state)
{
	(void)state;
	const struct media_rule any = {.what = "a file"};
	const struct sniff sniff = {
		.type = SNIFF_UNKNOWN, .width = UINT32_MAX, .height = 1, .duration_ms = INT64_MAX};
	assert_true(str_is_empty(media_rule_complaint(&any, arena, &sniff, INT64_MAX)));
	const struct media_rule large = {
		.what = "a file", .pixels_max = UINT64_MAX, .ratio_max_permille = UINT32_MAX};
	const struct sniff huge = {.width = UINT32_MAX, .height = UINT32_MAX};
	assert_true(str_is_empty(media_rule_complaint(&large, arena, &huge, 1)));
}

static void a_refusal_names_the_file(void **state)
{
	(void)state;
	struct media media[2] = {{.url = STR("https://m.example/1")},
				 {.url = STR("https://m.example/2")}};
	struct container container = {.media = media, .media_count = 2};
	const struct post_content post = {.containers = &container, .container_count = 1};
	const struct media_file files[] = {
		{.is_ready = true, .size_bytes = 100, .sniff = VIDEO(0, 0, 5000)},
		{.is_ready = true, .size_bytes = 100, .sniff = VIDEO(0, 0, 1000)},
		{.is_ready = true, .size_bytes = 5, .sniff = VIDEO(0, 0, 0)},
	};
	const struct env env = {.arena = arena, .post = &post, .media = files};
	struct step step = {.kind = STEP_DONE};
	assert_true(media_rule_check(&reel, &env, 0, &step));
	assert_int_equal(step.kind, STEP_DONE);
	assert_false(media_rule_check(&reel, &env, 1, &step));
	assert_int_equal(step.kind, STEP_FAIL);
	assert_int_equal(step.failure.class, FAILURE_PERMANENT);
	assert_int_equal(step.failure.code, FAILURE_CODE_MEDIA_REJECTED);
	assert_true(str_equal_z(
		step.failure.message,
		"Media file 2: A reel must be at least 3 s long, but this file is 1 s long."));
	assert_false(media_rule_check(&reel, &env, 2, &step));
	assert_true(str_has_prefix(step.failure.message,
				   STR("Further file 1: A reel must be at least 10 bytes")));
}

/* ---- what the request says ---- */

struct said_row {
	const char *mime_type;
	int64_t duration_s;
	const char *field; /* NULL = nothing to say */
	const char *reason;
	int64_t limit;
};

static const struct said_row said_rows[] = {
	{"", -1, NULL, NULL, 0},
	{"video/mp4", 60, NULL, NULL, 0},
	{"Video/QuickTime; codecs=avc1", 3, NULL, NULL, 0},
	{"video/x-m4v", 91, NULL, NULL, 0}, /* 90.5 s may be said as 91 */
	{"video/x-unheard-of", -1, NULL, NULL, 0},
	{"video/webm", -1, "containers.1.media.1.mime_type", "media_type_not_supported", -1},
	{"image/jpg", -1, "containers.1.media.1.mime_type", "media_type_not_supported", -1},
	{"application/vnd.openxmlformats-officedocument.wordprocessingml.document", -1,
	 "containers.1.media.1.mime_type", "media_type_not_supported", -1},
	{"video/mp4", 92, "containers.1.media.1.duration", "media_too_long", 91},
	{"", 2, "containers.1.media.1.duration", "media_too_short", 3},
	{"", 0, "containers.1.media.1.duration", "media_too_short", 3},
};

static void what_is_said_is_measured(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(said_rows); i++) {
		const struct said_row *row = &said_rows[i];
		struct media media[2] = {
			{.duration_s = -1},
			{.mime_type = str_of(row->mime_type), .duration_s = row->duration_s}};
		struct container containers[2] = {{.media = media, .media_count = 1},
						  {.media = media, .media_count = 2}};
		const struct post_content post = {
			.mode = POST_MODE_ADVANCED, .containers = containers, .container_count = 2};
		const struct rules_account account = {.id = STR("acc-1")};
		struct problems problems;
		problems_init(&problems, arena);
		media_rule_check_said(&reel, &post, 2, &account, &problems);
		assert_int_equal(problems.count, row->field != NULL);
		if (row->field == NULL)
			continue;
		assert_int_equal(problems.items[0].kind, PROBLEM_RULE);
		assert_true(str_equal_z(problems.items[0].field, row->field));
		assert_true(str_equal_z(problems.items[0].reason, row->reason));
		assert_true(str_equal_z(problems.items[0].account_id, "acc-1"));
		assert_int_equal(problems.items[0].limit, row->limit);
	}
}

static void no_such_medium_is_no_problem(void **state)
{
	(void)state;
	struct container container = {0};
	const struct post_content post = {.containers = &container, .container_count = 1};
	const struct rules_account account = {.id = STR("acc-1")};
	struct problems problems;
	problems_init(&problems, arena);
	media_rule_check_said(&reel, &post, 0, &account, &problems);
	assert_int_equal(problems.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_are_measured),
		cmocka_unit_test(a_rule_without_limits_takes_everything),
		cmocka_unit_test(a_refusal_names_the_file),
		cmocka_unit_test(what_is_said_is_measured),
		cmocka_unit_test(no_such_medium_is_no_problem),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
