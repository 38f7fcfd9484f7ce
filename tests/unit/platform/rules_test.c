/* SPDX-License-Identifier: Apache-2.0
 * Types by default, lengths by unit, and rules that hold for every platform. What one platform
 * allows is in its own test. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "count_of.h"

#include "platform.h"

#include "rules_fixture.h"

static struct arena *arena;

static int set_up(void **state)
{
	(void)state;
	arena = arena_new("rules", 64 * 1024 * 1024);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

/* The type of a post without one where the platform has that type now, or NONE (api-decisions.md
 * 6). */
static enum post_type if_there(enum platform_id id, enum post_type type)
{
	for (const struct type_rule *rule = platform_of(id)->rules->types;
	     rule->type != POST_TYPE_NONE; rule++) {
		if (rule->type == type)
			return type;
	}
	return POST_TYPE_NONE;
}

static void types_by_default(void **state)
{
	static const struct {
		enum platform_id platform;
		const char *body;
		enum post_type want;
	} rows[] = {
		{PLATFORM_X, "{\"content\":\"a\"}", POST_TYPE_POST},
		{PLATFORM_FACEBOOK, "{\"media\":[" IMAGE "," IMAGE "]}", POST_TYPE_POST},
		{PLATFORM_INSTAGRAM, "{\"media\":[" IMAGE "]}", POST_TYPE_POST},
		{PLATFORM_INSTAGRAM, "{\"media\":[" VIDEO "]}", POST_TYPE_VIDEO},
		{PLATFORM_INSTAGRAM, "{\"media\":[" IMAGE "," IMAGE "]}", POST_TYPE_CAROUSEL},
		{PLATFORM_INSTAGRAM, "{\"media\":[" IMAGE "," VIDEO "]}", POST_TYPE_CAROUSEL},
		{PLATFORM_INSTAGRAM, "{\"media\":[" VIDEO "," VIDEO "]}", POST_TYPE_CAROUSEL},
		{PLATFORM_LINKEDIN, "{\"content\":\"a\"}", POST_TYPE_POST},
		{PLATFORM_LINKEDIN, "{\"media\":[" IMAGE "]}", POST_TYPE_POST},
		{PLATFORM_LINKEDIN, "{\"media\":[" IMAGE "," IMAGE "]}", POST_TYPE_CAROUSEL},
		{PLATFORM_YOUTUBE, "{\"media\":[" VIDEO "]}", POST_TYPE_VIDEO},
		{PLATFORM_TIKTOK, "{\"media\":[" VIDEO "]}", POST_TYPE_VIDEO},
		{PLATFORM_TIKTOK, "{\"media\":[" IMAGE "]}", POST_TYPE_CAROUSEL},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		const struct post_content post = rules_post(arena, rows[i].body);
		if (rules_post_type(platform_of(rows[i].platform), &post) !=
		    if_there(rows[i].platform, rows[i].want))
			fail_msg("%s %s", platform_id_slug(rows[i].platform), rows[i].body);
	}
}

static void a_given_type_wins_where_the_platform_has_it(void **state)
{
	const struct post_content post = rules_post(
		arena, "{\"content\":\"a\",\"type\":\"carousel\",\"media\":[" IMAGE "]}");
	(void)state;
	assert_int_equal(rules_post_type(platform_of(PLATFORM_FACEBOOK), &post),
			 POST_TYPE_CAROUSEL);
	assert_int_equal(rules_post_type(platform_of(PLATFORM_X), &post), POST_TYPE_NONE);
}

static void lengths_by_unit(void **state)
{
	const struct str text = STR("a\xc3\xa9\xf0\x9f\x90\xb1");
	(void)state;
	assert_int_equal(rules_bytes.length(text), 7);
	assert_int_equal(rules_code_points.length(text), 3);
	assert_int_equal(rules_utf16_units.length(text), 4);
	assert_int_equal(platform_of(PLATFORM_X)->rules->text_unit->length(text), 4);
}

static void fields_are_named_by_mode(void **state)
{
	const struct post_content basic = rules_post(arena, "{\"content\":\"a\"}");
	const struct post_content advanced =
		rules_post(arena, "{\"containers\":[{\"content\":\"a\"},{\"content\":\"b\"}]}");
	(void)state;
	assert_true(str_equal_z(rules_field(arena, &basic, 0, "media.0.url"), "media.0.url"));
	assert_true(
		str_equal_z(rules_field(arena, &advanced, 1, "content"), "containers.1.content"));
}

static void options_are_found_by_slug(void **state)
{
	const struct post_content post = rules_post(
		arena, "{\"content\":\"a\",\"platforms\":{\"twitter\":{\"nullcast\":true}}}");
	(void)state;
	assert_true(json_bool(json_get(rules_options(&post, PLATFORM_X), "nullcast"), false));
	assert_null(rules_options(&post, PLATFORM_FACEBOOK));
}

static void comments_where_there_are_none_break_a_rule(void **state)
{
	(void)state;
	for (int id = 1; id <= PLATFORM_ID_MAX; id++) {
		const struct str told = rules_told(arena, (enum platform_id)id,
						   "{\"containers\":[{\"content\":\"a\"},"
						   "{\"content\":\"b\"}]}");
		const bool is_told = str_find(told, STR("containers.1 comments_not_supported 0 1"),
					      0) != SIZE_MAX;
		assert_int_equal(is_told,
				 platform_of((enum platform_id)id)->rules->comments_max == 0);
	}
}

static void unknown_options_are_warnings_everywhere(void **state)
{
	(void)state;
	for (int id = 1; id <= PLATFORM_ID_MAX; id++) {
		const char *slug = platform_id_slug((enum platform_id)id);
		const char *type =
			post_type_name(platform_of((enum platform_id)id)->rules->types[0].type);
		const struct str body = str_format(arena,
						   "{\"content\":\"a\",\"type\":\"%s\","
						   "\"platforms\":{\"%s\":{\"no_such_option\":1}}}",
						   type, slug);
		const struct str told = rules_told(arena, (enum platform_id)id, str_z(arena, body));
		const struct str want =
			str_format(arena, "! platforms.%s.no_such_option ignored", slug);
		if (str_find(told, want, 0) == SIZE_MAX)
			fail_msg("%s: " STR_FMT, slug, STR_ARG(told));
	}
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(types_by_default),
		TEST(a_given_type_wins_where_the_platform_has_it),
		TEST(lengths_by_unit),
		TEST(fields_are_named_by_mode),
		TEST(options_are_found_by_slug),
		TEST(comments_where_there_are_none_break_a_rule),
		TEST(unknown_options_are_warnings_everywhere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
