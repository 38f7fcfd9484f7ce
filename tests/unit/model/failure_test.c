/* SPDX-License-Identifier: Apache-2.0
 * Failure codes and connection errors, there and back. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "count_of.h"

#include "failure.h"

static void every_failure_code_has_a_name_and_a_sentence(void **state)
{
	(void)state;
	for (int code = 1; code < FAILURE_CODE_COUNT; code++) {
		const struct str name = str_of(failure_code_name((enum failure_code)code));
		const struct str sentence = str_of(failure_code_sentence((enum failure_code)code));
		assert_true(name.len > 0);
		assert_int_equal(failure_code_of_name(name), code);
		assert_true(str_has_suffix(sentence, STR(".")));
	}
	assert_string_equal(failure_code_name(FAILURE_CODE_OUTCOME_UNKNOWN), "OUTCOME_UNKNOWN");
}

static void unknown_failure_codes_are_none(void **state)
{
	(void)state;
	assert_int_equal(failure_code_of_name(STR("")), FAILURE_CODE_NONE);
	assert_int_equal(failure_code_of_name(STR("outcome_unknown")), FAILURE_CODE_NONE);
	assert_string_equal(failure_code_name(FAILURE_CODE_NONE), "");
	assert_string_equal(failure_code_sentence(FAILURE_CODE_COUNT), "");
}

static void only_transient_and_rate_limited_failures_pass(void **state)
{
	(void)state;
	assert_true(failure_is_transient(FAILURE_TRANSIENT));
	assert_true(failure_is_transient(FAILURE_RATE_LIMITED));
	assert_false(failure_is_transient(FAILURE_PERMANENT));
	assert_false(failure_is_transient(FAILURE_TOKEN));
	assert_false(failure_is_transient(FAILURE_REAUTH));
	assert_false(failure_is_transient(FAILURE_APP));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_failure_code_has_a_name_and_a_sentence),
		cmocka_unit_test(unknown_failure_codes_are_none),
		cmocka_unit_test(only_transient_and_rate_limited_failures_pass),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
