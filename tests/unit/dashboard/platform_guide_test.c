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

/* meta.md 2.10 */
static void meta_apps_are_of_the_kind_that_works(void **state)
{
	(void)state;
	static const enum platform_id meta[] = {PLATFORM_INSTAGRAM, PLATFORM_FACEBOOK};
	for (size_t i = 0; i < 2; i++) {
		const struct platform_guide *guide = platform_guide_of(meta[i]);
		assert_non_null(strstr(guide->steps[0], "Other, then Business"));
		for (size_t step = 1; guide->steps[step] != NULL; step++)
			assert_null(strstr(guide->steps[step], "use case"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_platform_has_its_words),
		cmocka_unit_test(meta_apps_are_of_the_kind_that_works),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
