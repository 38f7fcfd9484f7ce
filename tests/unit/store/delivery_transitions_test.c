/* SPDX-License-Identifier: Apache-2.0 */
#include "delivery_transitions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void only_these_changes_are_legal(void **state)
{
	(void)state;
	/* By change and from: what it becomes, '.' = not legal. */
	static const char expected[DELIVERY_CHANGE_COUNT][POST_STATE_COUNT + 1] = {
		/*                               p s w r P F */
		[DELIVERY_CHANGE_CLAIM] = "wwww..",    [DELIVERY_CHANGE_KEEP] = "..w...",
		[DELIVERY_CHANGE_WAIT] = "..w...",     [DELIVERY_CHANGE_RETRY] = "..r...",
		[DELIVERY_CHANGE_PUBLISH] = "..P...",  [DELIVERY_CHANGE_FAIL] = "..F...",
		[DELIVERY_CHANGE_CANCEL] = "FFFF..",   [DELIVERY_CHANGE_RESCHEDULE] = "ss....",
		[DELIVERY_CHANGE_RELEASE] = "pp....",  [DELIVERY_CHANGE_TRY_AGAIN] = "....pp",
		[DELIVERY_CHANGE_APPEARED] = "....PP", [DELIVERY_CHANGE_PUBLISH_PART] = "..P...",
		[DELIVERY_CHANGE_EDIT] = "ps....",
	};
	static const char letters[] = "pswrPF";
	for (int change = 0; change < DELIVERY_CHANGE_COUNT; change++) {
		for (int from = 0; from < POST_STATE_COUNT; from++) {
			const struct delivery_transition *row = delivery_transition_find(
				(enum post_state)from, (enum delivery_change)change);
			const char found = row != NULL ? letters[row->to] : '.';
			if (found != expected[change][from])
				fail_msg("%s from %s: '%c' instead of '%c'",
					 delivery_change_name((enum delivery_change)change),
					 post_state_name((enum post_state)from), found,
					 expected[change][from]);
		}
	}
}

/* I5 of rules.md 3, with its two exceptions. */
static void what_is_final_stays_but_for_a_persons_word(void **state)
{
	(void)state;
	size_t found = 0;
	for (size_t i = 0; i < delivery_transition_count; i++) {
		const struct delivery_transition *row = &delivery_transitions[i];
		if (!post_state_is_final(row->from))
			continue;
		found++;
		assert_true(row->change == DELIVERY_CHANGE_TRY_AGAIN ||
			    row->change == DELIVERY_CHANGE_APPEARED);
	}
	assert_int_equal(found, 4);
}

static void every_row_is_told_once_and_why(void **state)
{
	(void)state;
	for (size_t i = 0; i < delivery_transition_count; i++) {
		const struct delivery_transition *row = &delivery_transitions[i];
		assert_true(delivery_transition_find(row->from, row->change) == row);
		assert_true(strlen(row->reason) > 10);
		assert_int_equal(row->reason[strlen(row->reason) - 1], '.');
	}
	for (int change = 0; change < DELIVERY_CHANGE_COUNT; change++)
		assert_non_null(delivery_change_name((enum delivery_change)change));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_these_changes_are_legal),
		cmocka_unit_test(what_is_final_stays_but_for_a_persons_word),
		cmocka_unit_test(every_row_is_told_once_and_why),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
