/* SPDX-License-Identifier: Apache-2.0
 * Tests of codec/film.h: every codec has a name, and the profiles of H.264 that are common. */
#include "film.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void every_codec_has_a_name_of_its_own(void **state)
{
	(void)state;
	assert_string_equal(film_codec_name(FILM_CODEC_UNKNOWN), "");
	assert_string_equal(film_codec_name(FILM_CODEC_NONE), "");
	for (int one = FILM_CODEC_OTHER; one < FILM_CODEC_COUNT; one++) {
		const char *name = film_codec_name((enum film_codec)one);
		assert_true(name != NULL && name[0] != '\0');
		for (int other = FILM_CODEC_OTHER; other < one; other++)
			assert_string_not_equal(name, film_codec_name((enum film_codec)other));
	}
}

static void common_profiles_are_told_from_rare_ones(void **state)
{
	(void)state;
	assert_true(film_avc_is_common("\1\x42", 2));  /* Baseline */
	assert_true(film_avc_is_common("\1\x4d", 2));  /* Main */
	assert_true(film_avc_is_common("\1\x64", 2));  /* High */
	assert_false(film_avc_is_common("\1\x6e", 2)); /* High 10 */
	assert_false(film_avc_is_common("\1\x7a", 2)); /* High 4:2:2 */
	assert_false(film_avc_is_common("\1\xf4", 2)); /* High 4:4:4 */
	assert_true(film_avc_is_common("\1", 1));
	assert_true(film_avc_is_common("", 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_codec_has_a_name_of_its_own),
		cmocka_unit_test(common_profiles_are_told_from_rare_ones),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
