/* SPDX-License-Identifier: Apache-2.0
 * The guide has its words for every platform. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "platform_guide.h"

static void assert_sentence(const char *text)
{
	assert_non_null(text);
	assert_true(strlen(text) > 15);
	assert_int_equal(text[strlen(text) - 1], '.');
}

static void every_platform_has_its_words(void **state)
{
	(void)state;
	assert_null(platform_guide_of(PLATFORM_NONE));
	for (int id = 1; id <= PLATFORM_ID_MAX; id++) {
		const struct platform_guide *guide = platform_guide_of((enum platform_id)id);
		size_t steps = 0;
		assert_non_null(guide);
		assert_true(strlen(guide->client_id_label) > 3 &&
			    strlen(guide->client_secret_label) > 3);
		assert_int_equal(strncmp(guide->console_url, "https://", 8), 0);
		assert_sentence(guide->where);
		assert_sentence(guide->review);
		for (; guide->steps[steps] != NULL; steps++)
			assert_sentence(guide->steps[steps]);
		assert_true(steps >= 3 && steps <= GUIDE_STEPS_MAX);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(every_platform_has_its_words)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
