/* SPDX-License-Identifier: Apache-2.0
 * The codes of RFC 4226 appendix D and RFC 6238 appendix B, and when one is good. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arena.h"
#include "count_of.h"

#include "totp.h"

#define SECRET STR("12345678901234567890")
#define SECOND INT64_C(1000000)

static void the_codes_of_the_rfcs(void **state)
{
	static const uint32_t counted[] = {755224, 287082, 359152, 969429, 338314,
					   254676, 287922, 162583, 399871, 520489};
	static const struct {
		int64_t at_s;
		uint32_t code; /* the last six of its eight digits */
	} timed[] = {{59, 287082},       {1111111109, 81804},  {1111111111, 50471},
		     {1234567890, 5924}, {2000000000, 279037}, {INT64_C(20000000000), 353130}};
	(void)state;
	for (size_t i = 0; i < COUNT_OF(counted); i++)
		assert_int_equal(totp_code(SECRET, (int64_t)i), counted[i]);
	for (size_t i = 0; i < COUNT_OF(timed); i++)
		assert_int_equal(totp_code(SECRET, timed[i].at_s / 30), timed[i].code);
}

static bool is_good(const char *text, int64_t at_s, int64_t last_step)
{
	int64_t step = -1;
	return totp_check(SECRET, str_of(text), at_s * SECOND, last_step, &step) &&
	       step > last_step;
}

static void a_code_is_good_around_its_step_and_once(void **state)
{
	(void)state;
	assert_true(is_good("287082", 59, 0)); /* of step 1 */
	assert_true(is_good("287082", 30, 0));
	assert_true(is_good("287082", 0, 0));
	assert_true(is_good("287082", 89, 0));
	assert_false(is_good("287082", 90, 0));
	assert_false(is_good("287082", 59, 1)); /* used */
	assert_false(is_good("755224", 0, 0));
	for (const char **wrong = (const char *[]){"", "28708", "2870820", "287083", "28708x",
						   "+87082", " 87082", "-287082", NULL};
	     *wrong != NULL; wrong++)
		assert_false(is_good(*wrong, 59, 0));
}

static void a_secret_as_text(void **state)
{
	struct arena *arena = arena_new("test", 4096);
	(void)state;
	assert_true(
		str_equal_z(totp_secret_text(arena, SECRET), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"));
	assert_true(str_equal_z(totp_secret_text(arena, STR("foobar")), "MZXW6YTBOI"));
	assert_true(str_equal_z(totp_secret_text(arena, STR("f")), "MY"));
	assert_true(str_is_empty(totp_secret_text(arena, STR(""))));
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_codes_of_the_rfcs),
		cmocka_unit_test(a_code_is_good_around_its_step_and_once),
		cmocka_unit_test(a_secret_as_text),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
