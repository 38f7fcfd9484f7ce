/* SPDX-License-Identifier: Apache-2.0
 * What differs between two answers, for the audit trail. */
#include "admin_fixture.h"

#include "admin_difference.h"

static const struct json *parsed(struct arena *arena, const char *text)
{
	const struct json *json = NULL;
	if (text != NULL)
		assert_int_equal(json_parse(arena, str_of(text), NULL, &json, NULL, NULL),
				 ERR_NONE);
	return json;
}

static void what_differs_is_written(void **state)
{
	static const struct {
		const char *before;
		const char *after;
		const char *before_out;
		const char *after_out;
	} rows[] = {
		{NULL, NULL, "", ""},
		{"{\"a\":1}", "{\"a\":1}", "", ""},
		{NULL, "{\"a\":1}", "", "{\"a\":1}"},
		{"{\"a\":1}", NULL, "{\"a\":1}", ""},
		{"{\"a\":1,\"b\":2}", "{\"a\":1,\"b\":3}", "{\"b\":2}", "{\"b\":3}"},
		{"{\"a\":{\"b\":1,\"c\":2}}", "{\"a\":{\"b\":1,\"c\":null}}", "{\"a\":{\"c\":2}}",
		 "{\"a\":{\"c\":null}}"},
		{"{\"a\":1}", "{\"a\":1,\"b\":2}", "{}", "{\"b\":2}"},
		{"{\"d\":[{\"i\":1},{\"i\":2}]}", "{\"d\":[{\"i\":2},{\"i\":3}]}",
		 "{\"d\":[{\"i\":1}]}", "{\"d\":[{\"i\":3}]}"},
		{"{\"d\":[]}", "{\"d\":[1]}", "{\"d\":[]}", "{\"d\":[1]}"},
		{"{\"d\":[1]}", "{\"d\":{\"e\":1}}", "{\"d\":[1]}", "{\"d\":{\"e\":1}}"},
	};
	struct fixture *fx = *state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct str before, after;
		admin_difference(fx->arena, parsed(fx->arena, rows[i].before),
				 parsed(fx->arena, rows[i].after), &before, &after);
		if (!str_equal_z(before, rows[i].before_out) ||
		    !str_equal_z(after, rows[i].after_out))
			fail_msg("row %zu: " STR_FMT " and " STR_FMT, i, STR_ARG(before),
				 STR_ARG(after));
	}
}

static void what_is_long_is_a_number(void **state)
{
	struct fixture *fx = *state;
	struct str before, after;
	struct buf text;
	buf_init(&text, fx->arena, 1 << 20);
	buf_add_z(&text, "{\"a\":\"");
	for (size_t i = 0; i < ADMIN_DIFFERENCE_MAX_BYTES; i++)
		buf_add_z(&text, "x");
	buf_add_z(&text, "\"}");
	admin_difference(fx->arena, parsed(fx->arena, str_z(fx->arena, buf_str(&text))),
			 parsed(fx->arena, "{\"a\":\"y\"}"), &before, &after);
	assert_true(str_equal_z(before, "{\"bytes\":4104}"));
	assert_true(str_equal_z(after, "{\"a\":\"y\"}"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ADMIN_TEST(what_differs_is_written),
		ADMIN_TEST(what_is_long_is_a_number),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
