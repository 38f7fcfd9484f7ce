/* SPDX-License-Identifier: Apache-2.0 */
#include "quota.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "arena.h"

static void names_are_those_of_the_api(void **state)
{
	(void)state;
	assert_string_equal(quota_name(QUOTA_PENDING_POSTS), "pending_posts");
	assert_string_equal(quota_name(QUOTA_WEBHOOK_BACKLOG), "webhook_backlog");
}

static void the_message_says_what_is_full_and_what_to_do(void **state)
{
	(void)state;
	struct arena *arena = arena_new("test", 4096);
	const struct quota_over over = {QUOTA_ACCOUNTS, 3, 3};
	assert_true(str_equal_z(
		quota_message(arena, &over),
		"The app has 3 connected accounts, and its quota is 3. Disconnect accounts that "
		"are not needed, or ask the operator for a larger quota."));
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_those_of_the_api),
		cmocka_unit_test(the_message_says_what_is_full_and_what_to_do),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
