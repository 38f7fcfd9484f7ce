/* SPDX-License-Identifier: Apache-2.0
 * The six platforms by number, slug and name. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "count_of.h"

#include "platform_id.h"

static void numbers_slugs_and_names_are_the_api_s(void **state)
{
	static const struct {
		int id;
		const char *slug;
		const char *name;
	} rows[] = {
		{1, "instagram", "Instagram"}, {2, "facebook", "Facebook"}, {3, "x", "X"},
		{4, "linkedin", "LinkedIn"},   {5, "youtube", "YouTube"},   {6, "tiktok", "TikTok"},
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		assert_int_equal(platform_id_of_slug(str_of(rows[i].slug)), rows[i].id);
		assert_string_equal(platform_id_slug((enum platform_id)rows[i].id), rows[i].slug);
		assert_string_equal(platform_id_name((enum platform_id)rows[i].id), rows[i].name);
	}
}

static void twitter_is_x(void **state)
{
	(void)state;
	assert_int_equal(platform_id_of_slug(STR("twitter")), PLATFORM_X);
}

static void unknown_slugs_and_numbers_are_none(void **state)
{
	static const char *const slugs[] = {"", "X", "Facebook", "facebook ", "threads", "xx"};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(slugs); i++)
		assert_int_equal(platform_id_of_slug(str_of(slugs[i])), PLATFORM_NONE);
	assert_int_equal(platform_id_of_slug((struct str){0}), PLATFORM_NONE);
	assert_string_equal(platform_id_slug(PLATFORM_NONE), "");
	assert_string_equal(platform_id_slug((enum platform_id)7), "");
	assert_string_equal(platform_id_name((enum platform_id) - 1), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_slugs_and_names_are_the_api_s),
		cmocka_unit_test(twitter_is_x),
		cmocka_unit_test(unknown_slugs_and_numbers_are_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
