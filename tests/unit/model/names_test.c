/* SPDX-License-Identifier: Apache-2.0
 * Looking up the words of an enum. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "names.h"

static const char *const words[] = {"one", NULL, "three"};

static void values_have_words_inside_the_table_only(void **state)
{
	(void)state;
	assert_string_equal(NAME_OF(words, 0), "one");
	assert_string_equal(NAME_OF(words, 1), "");
	assert_string_equal(NAME_OF(words, 2), "three");
	assert_string_equal(NAME_OF(words, 3), "");
	assert_string_equal(NAME_OF(words, -1), "");
}

static void words_are_found_exactly(void **state)
{
	(void)state;
	assert_int_equal(NAME_FIND(words, STR("three")), 2);
	assert_int_equal(NAME_FIND(words, STR("Three")), 3);
	assert_int_equal(NAME_FIND(words, STR("thre")), 3);
	assert_int_equal(NAME_FIND(words, STR("")), 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_have_words_inside_the_table_only),
		cmocka_unit_test(words_are_found_exactly),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
