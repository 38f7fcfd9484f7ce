/* SPDX-License-Identifier: Apache-2.0
 * The words of states and account types, there and back. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "check_words.h"

#include "clock.h"

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

#define NOW (1000 * US_PER_DAY)

static void only_an_active_account_is_shown_as_expiring(void **state)
{
	(void)state;
	static const struct {
		enum account_state state;
		int64_t ends_at_us;
		enum account_state shown;
	} rows[] = {
		{ACCOUNT_ACTIVE, 0, ACCOUNT_ACTIVE},
		{ACCOUNT_ACTIVE, NOW + 15 * US_PER_DAY, ACCOUNT_ACTIVE},
		{ACCOUNT_ACTIVE, NOW + 14 * US_PER_DAY, ACCOUNT_ACTIVE},
		{ACCOUNT_ACTIVE, NOW + 14 * US_PER_DAY - 1, ACCOUNT_EXPIRING},
		{ACCOUNT_ACTIVE, NOW - 1, ACCOUNT_EXPIRING},
		{ACCOUNT_REAUTH_REQUIRED, NOW, ACCOUNT_REAUTH_REQUIRED},
		{ACCOUNT_DISCONNECTED, NOW, ACCOUNT_DISCONNECTED},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(account_state_shown(rows[i].state, rows[i].ends_at_us, NOW),
				 rows[i].shown);
}

static void an_account_ends_with_what_ends_first(void **state)
{
	(void)state;
	assert_int_equal(account_ends_at_us(false, 5, 9, 0), 5);
	assert_int_equal(account_ends_at_us(true, 5, 9, 0), 9);
	assert_int_equal(account_ends_at_us(true, 5, 0, 0), 0);
	assert_int_equal(account_ends_at_us(true, 5, 0, 7), 7);
	assert_int_equal(account_ends_at_us(false, 5, 0, 7), 5);
	assert_int_equal(account_ends_at_us(false, 9, 0, 7), 7);
	assert_int_equal(account_ends_at_us(false, 0, 0, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_the_api_s),
		cmocka_unit_test(only_active_and_expiring_accounts_are_usable),
		cmocka_unit_test(only_an_active_account_is_shown_as_expiring),
		cmocka_unit_test(an_account_ends_with_what_ends_first),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
