/* SPDX-License-Identifier: Apache-2.0
 * What a flow remembers, and that it comes back from its two texts as it was. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "arena.h"
#include "count_of.h"

#include "flow.h"

static struct arena *arena;

static int set_up(void **state)
{
	(void)state;
	arena = arena_new("flow", 64 * 1024 * 1024);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(&arena);
	return 0;
}

static void variables_are_copied_and_replaced(void **state)
{
	struct flow flow;
	char name[] = "part2_media_id";
	char value[] = "123";
	(void)state;
	flow_init(&flow, arena, 0);
	flow_set(&flow, name, str_of(value));
	name[0] = value[0] = '?';
	assert_true(str_equal_z(flow_get(&flow, "part2_media_id"), "123"));
	flow_set(&flow, "part2_media_id", STR("456"));
	assert_int_equal(flow.var_count, 1);
	assert_true(str_equal_z(flow_get(&flow, "part2_media_id"), "456"));
	assert_true(str_is_empty(flow_get(&flow, "other")));
	flow_unset(&flow, "other");
	flow_unset(&flow, "part2_media_id");
	assert_int_equal(flow.var_count, 0);
}

static void numbers_are_kept_as_text(void **state)
{
	struct flow flow;
	(void)state;
	flow_init(&flow, arena, 0);
	assert_int_equal(flow_get_int(&flow, "n", -7), -7);
	flow_set_int(&flow, "n", INT64_MIN);
	assert_true(flow_get_int(&flow, "n", 0) == INT64_MIN);
	flow_set(&flow, "n", STR("not a number"));
	assert_int_equal(flow_get_int(&flow, "n", 3), 3);
	flow_unset(&flow, "n");
	assert_int_equal(flow_count(&flow, "n"), 1);
	assert_int_equal(flow_count(&flow, "n"), 2);
}

static void a_part_done_clears_the_stage_and_keeps_variables(void **state)
{
	struct flow flow;
	(void)state;
	flow_init(&flow, arena, 2);
	flow_set_stage(&flow, "create");
	flow.probe = STR("look");
	flow_set(&flow, "a", STR("1"));
	assert_true(str_equal_z(flow.stage, "create"));
	assert_int_equal(flow_part(&flow), 0);
	flow_part_done(&flow, STR("id"), STR("https://x.com/1"));
	assert_int_equal(flow_part(&flow), 1);
	assert_true(str_equal_z(flow.stage, ""));
	assert_true(str_is_empty(flow.probe));
	assert_true(str_equal_z(flow_get(&flow, "a"), "1"));
	flow_set_stage(&flow, "create");
	flow_restart_part(&flow);
	assert_true(str_equal_z(flow.stage, ""));
	assert_int_equal(flow.var_count, 0);
	assert_int_equal(flow_part(&flow), 1);
	flow_part_done(&flow, (struct str){0}, (struct str){0});
	assert_int_equal(flow_part(&flow), 2);
}

static void both_texts_read_back_as_they_were(void **state)
{
	struct flow flow;
	struct flow again;
	(void)state;
	flow_init(&flow, arena, 3);
	flow_part_done(&flow, STR("1053_77"), STR("https://www.facebook.com/\"q\""));
	flow_set_stage(&flow, "poll");
	flow.probe = STR("media");
	flow_set(&flow, "container", STR("\xc3\xa9\n\x01"));
	flow_set_secret(&flow, "token", STR("SECRET"));
	const struct str text = flow_write(arena, &flow);
	const struct str secrets = flow_write_secrets(arena, &flow);
	assert_int_equal(str_find(text, STR("SECRET"), 0), SIZE_MAX);
	assert_int_equal(str_find(secrets, STR("container"), 0), SIZE_MAX);
	assert_int_equal(flow_read(&again, arena, text, secrets, 9, NULL), ERR_NONE);
	assert_int_equal(again.part_count, 3);
	assert_true(again.parts[0].is_done);
	assert_false(again.parts[1].is_done);
	assert_true(str_equal_z(again.parts[0].remote_id, "1053_77"));
	assert_true(str_equal_z(again.parts[0].url, "https://www.facebook.com/\"q\""));
	assert_true(str_equal_z(again.stage, "poll"));
	assert_true(str_equal_z(again.probe, "media"));
	assert_true(str_equal_z(flow_get(&again, "container"), "\xc3\xa9\n\x01"));
	assert_true(str_equal_z(flow_get(&again, "token"), "SECRET"));
	assert_true(str_equal(flow_write(arena, &again), text));
	assert_true(str_equal(flow_write_secrets(arena, &again), secrets));
}

static void empty_texts_give_an_empty_flow(void **state)
{
	struct flow flow;
	(void)state;
	assert_int_equal(flow_read(&flow, arena, (struct str){0}, (struct str){0}, 4, NULL),
			 ERR_NONE);
	assert_int_equal(flow.part_count, 4);
	assert_int_equal(flow.var_count, 0);
	assert_true(str_equal_z(flow.stage, ""));
}

static void broken_texts_are_refused(void **state)
{
	static const char *const rows[][2] = {
		{"{", ""},
		{"{\"version\":2}", ""},
		{"{\"version\":1,\"parts\":{}}", ""},
		{"{\"version\":1,\"parts\":[{},{},{},{},{},{},{},{},{},{},{}]}", ""},
		{"{\"version\":1,\"vars\":[]}", ""},
		{"{\"version\":1,\"vars\":{\"a\":1}}", ""},
		{"", "["},
		{"", "[]"},
		{"", "{\"a\":null}"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct flow flow;
		struct error err = {0};
		if (flow_read(&flow, arena, str_of(rows[i][0]), str_of(rows[i][1]), 1, &err) ==
			    ERR_NONE ||
		    err.text[0] == '\0')
			fail_msg("%s | %s", rows[i][0], rows[i][1]);
	}
}

static void too_many_variables_are_refused(void **state)
{
	struct flow flow;
	struct flow again;
	(void)state;
	flow_init(&flow, arena, 0);
	for (int i = 0; i < FLOW_VARS_MAX; i++)
		flow_set_int(&flow, str_z(arena, str_format(arena, "v%d", i)), i);
	const struct str text = flow_write(arena, &flow);
	assert_int_equal(flow_read(&again, arena, text, (struct str){0}, 0, NULL), ERR_NONE);
	assert_int_equal(again.var_count, FLOW_VARS_MAX);
	assert_int_not_equal(flow_read(&again, arena, text, STR("{\"one\":\"more\"}"), 0, NULL),
			     ERR_NONE);
}

static void huge_values_are_cut(void **state)
{
	struct flow flow;
	const size_t size = 1024 * 1024;
	char *bytes = arena_alloc(arena, size);
	(void)state;
	memset(bytes, 'a', size);
	flow_init(&flow, arena, 1);
	flow_set(&flow, "a", (struct str){bytes, size});
	flow_part_done(&flow, (struct str){bytes, size}, (struct str){bytes, size});
	assert_true(flow_get(&flow, "a").len < size * 3 / 4);
	assert_true(flow_write(arena, &flow).len < 2 * size);
}

static const struct flow_warning thumbnail = {.code = {"thumbnail_refused", 17},
					      .field = {"media.0.thumbnail_url", 21},
					      .message = {"No.", 3},
					      .is_repeatable = true};

static struct flow again_of(const struct flow *flow)
{
	struct flow again;
	const struct str text = flow_write(arena, flow);
	assert_int_equal(flow_read(&again, arena, text, (struct str){0}, 1, NULL), ERR_NONE);
	return again;
}

static void warnings_are_kept_until_they_are_settled(void **state)
{
	struct flow flow;
	(void)state;
	flow_init(&flow, arena, 1);
	flow_warn(&flow, &thumbnail);
	flow_warn(&flow, &thumbnail);
	assert_int_equal(flow.warning_count, 1);
	assert_false(flow_wants(&flow, FLOW_THUMBNAIL_REFUSED));
	flow_part_done(&flow, STR("1"), STR(""));
	flow_see(&flow, POST_VISIBILITY_PRIVATE, POST_VISIBILITY_PUBLIC, STR("field"), STR("No."));
	flow_set_stage(&flow, "somewhere");
	flow_want_missing(&flow);
	struct flow again = again_of(&flow);
	assert_true(str_is_empty(again.stage));
	assert_int_equal(again.visibility, POST_VISIBILITY_PRIVATE);
	assert_int_equal(again.warning_count, 2);
	assert_true(flow_wants(&again, FLOW_THUMBNAIL_REFUSED));
	assert_false(flow_wants(&again, FLOW_VISIBILITY_RESTRICTED));
	flow_warn(&again, &thumbnail);
	assert_false(flow_wants(&again, FLOW_THUMBNAIL_REFUSED));
	flow_unwarn(&again, FLOW_THUMBNAIL_REFUSED);
	flow_see(&again, POST_VISIBILITY_PUBLIC, POST_VISIBILITY_PUBLIC, STR("field"), STR("No."));
	assert_int_equal(again.warning_count, 0);
}

static void a_first_part_that_begins_again_forgets_its_warnings(void **state)
{
	struct flow flow;
	(void)state;
	flow_init(&flow, arena, 2);
	flow_warn(&flow, &thumbnail);
	flow_restart_part(&flow);
	assert_int_equal(flow.warning_count, 0);
	flow_warn(&flow, &thumbnail);
	flow_part_done(&flow, STR("1"), STR(""));
	flow_restart_part(&flow);
	assert_int_equal(flow.warning_count, 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(variables_are_copied_and_replaced),
		TEST(numbers_are_kept_as_text),
		TEST(a_part_done_clears_the_stage_and_keeps_variables),
		TEST(both_texts_read_back_as_they_were),
		TEST(empty_texts_give_an_empty_flow),
		TEST(broken_texts_are_refused),
		TEST(too_many_variables_are_refused),
		TEST(huge_values_are_cut),
		TEST(warnings_are_kept_until_they_are_settled),
		TEST(a_first_part_that_begins_again_forgets_its_warnings),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
