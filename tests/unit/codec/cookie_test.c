/* SPDX-License-Identifier: Apache-2.0
 * Tests of codec/cookie.h: which cookie is found in what a browser, or somebody else, sends. */
#include "cookie.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "count_of.h"

static void finds_the_first_of_that_name(void **state)
{
	static const struct {
		const char *header;
		const char *value; /* NULL = not there */
	} rows[] = {
		{"id=1", "1"},
		{"a=b; id=1; c=d", "1"},
		{"a=b;id=1", "1"},
		{" id=1 ; c=d", "1"},
		{"id=1; id=2", "1"},
		{"id=", ""},
		{"id= 1 ", "1"},
		{"id=a=b", "a=b"},
		{"id=\"1\"", "\"1\""},
		{"id", NULL},
		{"id ;", NULL},
		{"id =1", NULL},
		{"xid=1", NULL},
		{"idx=1", NULL},
		{"ID=1", NULL},
		{"a=id=1", NULL},
		{"", NULL},
		{";;;", NULL},
		{"=1; id", NULL},
		{"a=\"x; id=1", "1"}, /* quotes hide nothing: RFC 6265, 5.2 */
	};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct str value = {0};
		const bool is_there = cookie_find(str_of(rows[i].header), STR("id"), &value);
		const bool is_right = is_there == (rows[i].value != NULL) &&
				      (!is_there || str_equal_z(value, rows[i].value));
		if (!is_right)
			print_error("%s\n", rows[i].header);
		assert_true(is_right);
	}
}

static void no_header_holds_none(void **state)
{
	struct str value = {0};
	(void)state;
	assert_false(cookie_find((struct str){0}, STR("id"), &value));
	assert_null(value.ptr);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_first_of_that_name),
		cmocka_unit_test(no_header_holds_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
