/* SPDX-License-Identifier: Apache-2.0
 * The words of connections and of their errors. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "check_words.h"

#include "connection.h"

static void connection_errors_are_the_api_s(void **state)
{
	static const char *const codes[] = {"access_denied",       "expired",     "exchange_failed",
					    "missing_permissions", "no_accounts", "platform_error",
					    "quota_exceeded"};
	(void)state;
	assert_int_equal(CONNECTION_ERROR_COUNT, 1 + COUNT_OF(codes));
	for (size_t i = 0; i < COUNT_OF(codes); i++) {
		const enum connection_error error = (enum connection_error)(i + 1);
		assert_string_equal(connection_error_code(error), codes[i]);
		assert_true(str_has_suffix(str_of(connection_error_sentence(error)), STR(".")));
	}
	assert_string_equal(connection_error_code(CONNECTION_ERROR_NONE), "");
}

static void words_are_the_api_s(void **state)
{
	(void)state;
	CHECK_WORDS(connection_state, CONNECTION_STATE_COUNT, "pending", "success", "failed");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(words_are_the_api_s),
					   cmocka_unit_test(connection_errors_are_the_api_s)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
