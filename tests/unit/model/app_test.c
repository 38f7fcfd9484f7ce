/* SPDX-License-Identifier: Apache-2.0
 * The words of apps and credentials. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "check_words.h"

#include "app.h"

static void words_are_the_api_s(void **state)
{
	(void)state;
	CHECK_WORDS(app_state, APP_STATE_COUNT, "draft", "active", "suspended");
	CHECK_WORDS(credential_state, CREDENTIAL_STATE_COUNT, "pending", "verified", "failed");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(words_are_the_api_s)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
