/* SPDX-License-Identifier: Apache-2.0
 * Every problem has a name of its own. */
#include "transfer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void slugs_are_there_and_differ(void **state)
{
	(void)state;
	for (int i = TRANSFER_OK; i <= TRANSFER_OTHER; i++) {
		const char *slug = transfer_problem_slug((enum transfer_problem)i);
		assert_non_null(slug);
		for (int j = TRANSFER_OK; j < i; j++)
			assert_string_not_equal(slug,
						transfer_problem_slug((enum transfer_problem)j));
	}
	assert_string_equal(transfer_problem_slug(TRANSFER_OTHER), "other");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(slugs_are_there_and_differ)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
