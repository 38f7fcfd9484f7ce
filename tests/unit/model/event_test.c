/* SPDX-License-Identifier: Apache-2.0
 * Event kinds, there and back. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "count_of.h"

#include "event.h"

/* Stored by number and sent by word: neither may change. */
static void kinds_are_the_api_s_in_their_order(void **state)
{
	static const char *const words[] = {
		"post.publish.succeeded",
		"post.publish.failed",
		"post.completed",
		"connection.completed",
		"account.reauth_required",
		"test",
		"user.erased",
		"account.expiring",
		"draft.created",
		"draft.rejected",
		"post.removed",
		"post.removal_failed",
		"post.media_problem",
		"post.id_found",
	};
	(void)state;
	assert_int_equal(EVENT_KIND_COUNT, COUNT_OF(words));
	for (int kind = 0; kind < EVENT_KIND_COUNT; kind++) {
		assert_string_equal(event_kind_name((enum event_kind)kind), words[kind]);
		assert_int_equal(event_kind_of_name(str_of(words[kind])), kind);
	}
	assert_int_equal(EVENT_MASK_ALL, 0x3fff);
}

static void unknown_words_are_none(void **state)
{
	(void)state;
	assert_int_equal(event_kind_of_name(STR("")), EVENT_KIND_COUNT);
	assert_int_equal(event_kind_of_name(STR("Test")), EVENT_KIND_COUNT);
	assert_int_equal(event_kind_of_name(STR("post.completed ")), EVENT_KIND_COUNT);
	assert_string_equal(event_kind_name(EVENT_KIND_COUNT), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_are_the_api_s_in_their_order),
		cmocka_unit_test(unknown_words_are_none),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
