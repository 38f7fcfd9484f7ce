/* SPDX-License-Identifier: Apache-2.0
 * The words of states and account types, there and back. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "check_words.h"

#include "account.h"

static void words_are_the_api_s(void **state)
{
	(void)state;
	CHECK_WORDS(account_state, ACCOUNT_STATE_COUNT, "active", "expiring", "reauth_required",
		    "disconnected");
	CHECK_WORDS(account_type, ACCOUNT_TYPE_COUNT, "personal", "page", "business", "creator",
		    "organization", "channel");
}

static void only_active_and_expiring_accounts_are_usable(void **state)
{
	(void)state;
	assert_true(account_state_is_usable(ACCOUNT_ACTIVE));
	assert_true(account_state_is_usable(ACCOUNT_EXPIRING));
	assert_false(account_state_is_usable(ACCOUNT_REAUTH_REQUIRED));
	assert_false(account_state_is_usable(ACCOUNT_DISCONNECTED));
	assert_false(account_state_is_usable(ACCOUNT_STATE_COUNT));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_the_api_s),
		cmocka_unit_test(only_active_and_expiring_accounts_are_usable),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
