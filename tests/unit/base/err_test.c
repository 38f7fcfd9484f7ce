/* SPDX-License-Identifier: Apache-2.0
 * Tests of base/err.h: filling, adding context, one line of whole characters, and the table of
 * kinds. */
#include "err.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void fills_the_whole_struct(void **state)
{
	(void)state;
	struct error err = {.kind = ERR_AUTH, .native = 5, .retry_after_ms = 9, .text = "old"};
	assert_int_equal(error_set(&err, ERR_NOT_FOUND, "no post %d", 12), ERR_NOT_FOUND);
	assert_int_equal(err.kind, ERR_NOT_FOUND);
	assert_int_equal(err.native, 0);
	assert_int_equal(err.retry_after_ms, 0);
	assert_string_equal(err.text, "no post 12");
	assert_int_equal(error_set_native(&err, ERR_TEMPORARY, 28, "full"), ERR_TEMPORARY);
	assert_int_equal(err.native, 28);
}

static void takes_no_struct(void **state)
{
	(void)state;
	assert_int_equal(error_set(NULL, ERR_INVALID, "x"), ERR_INVALID);
	assert_int_equal(error_set_native(NULL, ERR_INTERNAL, 1, "x"), ERR_INTERNAL);
	assert_int_not_equal(error_add(NULL, "x"), ERR_NONE);
}

static void puts_context_before(void **state)
{
	(void)state;
	struct error err;
	error_set_native(&err, ERR_TEMPORARY, 7, "disk full");
	err.retry_after_ms = 300;
	assert_int_equal(error_add(&err, "media %d", 3), ERR_TEMPORARY);
	assert_int_equal(error_add(&err, "post"), ERR_TEMPORARY);
	assert_string_equal(err.text, "post: media 3: disk full");
	assert_int_equal(err.native, 7);
	assert_int_equal(err.retry_after_ms, 300);
}

static void may_quote_its_own_text(void **state)
{
	(void)state;
	struct error err;
	error_set(&err, ERR_INVALID, "inner");
	error_set(&err, ERR_CONFLICT, "outer (%s)", err.text);
	assert_string_equal(err.text, "outer (inner)");
}

static void text_is_one_line(void **state)
{
	(void)state;
	struct error err;
	error_set(&err, ERR_INVALID, "a\nb\r\tc\x1b[31m\x7f");
	assert_string_equal(err.text, "a b  c [31m ");
	error_add(&err, "x\ny");
	assert_string_equal(err.text, "x y: a b  c [31m ");
}

/* Every length around the end of the text, for characters of 1 to 4 bytes. */
static void a_cut_text_ends_between_characters(void **state)
{
	(void)state;
	static const char *const characters[] = {"x", "\xc3\xa4", "\xe2\x82\xac",
						 "\xf0\x9f\x93\xaf"};
	for (size_t width = 1; width <= 4; width++) {
		for (int pad = 240; pad < 262; pad++) {
			struct error err;
			error_set(&err, ERR_INVALID, "%*s%s%s", pad, "", characters[width - 1],
				  characters[width - 1]);
			const size_t len = strlen(err.text);
			assert_true(len < sizeof(err.text));
			if ((size_t)pad < sizeof(err.text))
				assert_int_equal((len - (size_t)pad) % width, 0);
			error_set(&err, ERR_INVALID, "%s%s", characters[width - 1],
				  characters[width - 1]);
			error_add(&err, "%*s", pad, "");
			const size_t head = (size_t)pad + 2;
			if (head < sizeof(err.text))
				assert_int_equal((strlen(err.text) - head) % width, 0);
		}
	}
}

static void every_kind_has_a_row(void **state)
{
	(void)state;
	for (int kind = ERR_NONE + 1; kind < ERR_KIND_COUNT; kind++)
		assert_true(strlen(err_kind_slug((enum err_kind)kind)) > 0);
	assert_string_equal(err_kind_slug(ERR_LIMITED), "rate_limited");
	assert_string_equal(err_kind_slug(ERR_NONE), "none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fills_the_whole_struct),
		cmocka_unit_test(takes_no_struct),
		cmocka_unit_test(puts_context_before),
		cmocka_unit_test(may_quote_its_own_text),
		cmocka_unit_test(text_is_one_line),
		cmocka_unit_test(a_cut_text_ends_between_characters),
		cmocka_unit_test(every_kind_has_a_row),
	};
	return cmocka_run_group_tests_name("err", tests, NULL, NULL);
}
