/* SPDX-License-Identifier: Apache-2.0
 * The words of states and account types, there and back. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "count_of.h"

#include "account.h"

#define CHECK_WORDS(prefix, count, ...) \
	do { \
		static const char *const wanted[] = {__VA_ARGS__}; \
		assert_int_equal(COUNT_OF(wanted), count); \
		for (int i = 0; i < count; i++) { \
			assert_string_equal(prefix##_name((enum prefix)i), wanted[i]); \
			assert_int_equal(prefix##_of_name(str_of(wanted[i])), i); \
		} \
		assert_int_equal(prefix##_of_name(STR("")), count); \
		assert_int_equal(prefix##_of_name(STR("nonsense")), count); \
		assert_string_equal(prefix##_name((enum prefix)count), ""); \
	} while (0)

static void words_are_the_api_s(void **state)
{
	(void)state;
	CHECK_WORDS(app_state, APP_STATE_COUNT, "draft", "active", "suspended");
	CHECK_WORDS(credential_state, CREDENTIAL_STATE_COUNT, "pending", "verified", "failed");
	CHECK_WORDS(connection_state, CONNECTION_STATE_COUNT, "pending", "success", "failed");
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
