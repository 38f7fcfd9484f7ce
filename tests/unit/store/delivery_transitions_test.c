/* SPDX-License-Identifier: Apache-2.0 */
#include "delivery_transitions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void only_these_changes_are_legal(void **state)
{
	(void)state;
	static const char expected[POST_STATE_COUNT][POST_STATE_COUNT + 1] = {
		/*                      p s w r P F */
		[POST_PENDING] = "..x...",    [POST_SCHEDULED] = "..x...",
		[POST_PROCESSING] = "..xxxx", [POST_RETRYING] = "..x...",
		[POST_PUBLISHED] = "......",  [POST_FAILED] = "......",
	};
	for (int from = 0; from < POST_STATE_COUNT; from++) {
		for (int to = 0; to < POST_STATE_COUNT; to++)
			assert_int_equal(delivery_transition_is_legal((enum post_state)from,
								      (enum post_state)to),
					 expected[from][to] == 'x');
	}
}

static void what_is_final_stays(void **state)
{
	(void)state;
	for (int from = 0; from < POST_STATE_COUNT; from++) {
		if (!post_state_is_final((enum post_state)from))
			continue;
		for (int to = 0; to < POST_STATE_COUNT; to++)
			assert_false(delivery_transition_is_legal((enum post_state)from,
								  (enum post_state)to));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_these_changes_are_legal),
		cmocka_unit_test(what_is_final_stays),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
