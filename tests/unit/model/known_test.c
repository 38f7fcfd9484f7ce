/* SPDX-License-Identifier: Apache-2.0
 * Unknown names and what is suggested for them. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "arena.h"
#include "buf.h"
#include "count_of.h"

#include "form.h"
#include "json.h"

#include "known.h"

static struct arena *arena;

static int set_up(void **state)
{
	(void)state;
	arena = arena_new("known", 64 * 1024 * 1024);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static const char *const *post_names(void)
{
	static const char *const names[] = {"request_id", "account_ids",  "content",
					    "media",      "containers",   "platforms",
					    "type",       "scheduled_at", NULL};
	return names;
}

/* "field: sentence" of each problem, one a line. */
static const char *told(const struct problems *problems)
{
	struct buf out;
	buf_init(&out, arena, 1 << 20);
	for (size_t i = 0; i < problems->count; i++)
		buf_addf(&out, "%s" STR_FMT ": " STR_FMT, i > 0 ? "\n" : "",
			 STR_ARG(problems->items[i].field), STR_ARG(problems->items[i].message));
	return str_z(arena, buf_str(&out));
}

static const char *fields(const char *body, const char *parent, const char *const *known)
{
	const struct json *json = NULL;
	struct problems problems;
	problems_init(&problems, arena);
	assert_int_equal(json_parse(arena, str_of(body), NULL, &json, NULL, NULL), ERR_NONE);
	known_check(&problems, json, str_of(parent), known);
	return told(&problems);
}

static const char *parameters(const char *text, const char *const *known)
{
	struct form form;
	struct problems problems;
	problems_init(&problems, arena);
	assert_int_equal(form_parse(arena, str_of(text), 0, &form, NULL), ERR_NONE);
	known_check_query(&problems, &form, known);
	return told(&problems);
}

static void known_names_pass(void **state)
{
	(void)state;
	assert_string_equal(fields("{\"content\":1,\"media\":null}", "", post_names()), "");
	assert_string_equal(fields("{}", "", KNOWN_NONE), "");
	assert_string_equal(fields("[1]", "", KNOWN_NONE), "");
	assert_string_equal(parameters("", KNOWN_NONE), "");
	assert_string_equal(parameters("ids=1&ids[]=2&ids%5B7%5D=3&a=1&a=2", KNOWN("a", "ids[]")),
			    "");
}

static void near_names_are_suggested(void **state)
{
	static const char *const rows[][2] = {
		{"contnet", "content"},
		{"conten", "content"},
		{"contents", "content"},
		{"Content", "content"},
		{"schedule_at", "scheduled_at"},
		{"scheduledAt", "scheduled_at"},
		{"scheduled-at", "scheduled_at"},
		{"scheduled", "scheduled_at"},
		{"sheduled_at", "scheduled_at"},
		{"account_id", "account_ids"},
		{"requestid", "request_id"},
		{"meda", "media"},
		{"tpye", "type"},
		{"container", "containers"},
		{"plattforms", "platforms"},
		{"scheduledFor", "scheduled_at"},
		{"text", "content"},
		{"image_urls", "media"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const char *body = str_z(arena, str_format(arena, "{\"%s\":1}", rows[i][0]));
		const char *said =
			str_z(arena, str_format(arena, "%s: Unknown field. Did you mean %s?",
						rows[i][0], rows[i][1]));
		assert_string_equal(fields(body, "", post_names()), said);
	}
}

static void far_names_are_not(void **state)
{
	static const char *const names[] = {"a", "xy", "tags", "colour", "sc", "\\u00fc"};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		const char *body = str_z(arena, str_format(arena, "{\"%s\":1}", names[i]));
		const char *said = fields(body, "", KNOWN("content", "scheduled_at"));
		assert_non_null(strstr(said, ": Unknown field."));
		assert_null(strstr(said, "mean"));
	}
	assert_string_equal(fields("{\"text\":1}", "", KNOWN("url")), "text: Unknown field.");
}

static void the_level_decides(void **state)
{
	(void)state;
	assert_string_equal(fields("{\"caption\":1}", "media.0", KNOWN("url", "alt_text")),
			    "media.0.caption: Unknown field. Did you mean alt_text?");
	assert_string_equal(fields("{\"caption\":1}", "containers.2", KNOWN("content", "media")),
			    "containers.2.caption: Unknown field. Did you mean content?");
	assert_non_null(strstr(fields("{\"status\":1}", "", post_names()), "/v1/posts/validate"));
	assert_string_equal(fields("{\"status\":1}", "", KNOWN("url", "enabled")),
			    "status: Unknown field. Did you mean enabled?");
}

static void parameters_are_named_once(void **state)
{
	(void)state;
	assert_string_equal(parameters("state=a&state=b&status[]=c", KNOWN("status", "page")),
			    "state: Unknown parameter. Did you mean status?\n"
			    "status[]: Unknown parameter. Did you mean status?");
}

static void a_flood_is_bounded(void **state)
{
	struct buf body;
	(void)state;
	buf_init(&body, arena, 1 << 20);
	buf_add_z(&body, "{");
	for (int i = 0; i < 5000; i++)
		buf_addf(&body, "%s\"conten%d\":0", i > 0 ? "," : "", i);
	buf_add_z(&body, "}");
	const struct json *json = NULL;
	struct problems problems;
	problems_init(&problems, arena);
	assert_int_equal(json_parse(arena, buf_str(&body), NULL, &json, NULL, NULL), ERR_NONE);
	known_check(&problems, json, STR(""), post_names());
	assert_int_equal(problems.count, PROBLEMS_MAX);
	assert_int_equal(problems.seen_count, 5000);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static void the_nearest_alone(void **state)
{
	(void)state;
	assert_string_equal(known_nearest(STR("scheduledat"), post_names()), "scheduled_at");
	assert_string_equal(known_nearest(STR("contnet"), post_names()), "content");
	/* no other service's words here */
	assert_null(known_nearest(STR("caption"), post_names()));
	assert_null(known_nearest(STR("zzz"), post_names()));
	assert_null(known_nearest(STR("zzz"), KNOWN_NONE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(known_names_pass),  TEST(near_names_are_suggested),  TEST(far_names_are_not),
		TEST(the_level_decides), TEST(parameters_are_named_once), TEST(a_flood_is_bounded),
		TEST(the_nearest_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
