/* SPDX-License-Identifier: Apache-2.0
 * Tests of codec/figures.h: a closed text is read whole, in order and within its limits, or not. */
#include "figures.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "count_of.h"

struct pair {
	int64_t one;
	int64_t two;
};

static const struct figure rows[] = {FIGURE(struct pair, one, 9), FIGURE(struct pair, two, 1000)};
static const struct figures pair_figures = {"pair 1\n", rows, COUNT_OF(rows)};

static void what_is_written_is_read(void **state)
{
	(void)state;
	char text[FIGURES_MAX_BYTES];
	const struct pair pair = {9, 1000};
	struct pair read = {0};
	const size_t len = figures_write(&pair_figures, &pair, text);
	assert_true(str_equal((struct str){text, len}, STR("pair 1\none 9\ntwo 1000\n")));
	assert_true(figures_read(&pair_figures, (struct str){text, len}, &read));
	assert_memory_equal(&read, &pair, sizeof(pair));
}

static void anything_else_is_not(void **state)
{
	(void)state;
	static const struct str wrong[] = {
		STR(""),
		STR("pair 2\none 1\ntwo 2\n"),
		STR("pair 1\none 1\n"),
		STR("pair 1\ntwo 2\none 1\n"),
		STR("pair 1\none 1\none 1\ntwo 2\n"),
		STR("pair 1\none 10\ntwo 2\n"),
		STR("pair 1\none -1\ntwo 2\n"),
		STR("pair 1\none 1\ntwo 2"),
		STR("pair 1\none 1\ntwo 2\n\n"),
		STR("pair 1\none 1\ntwo  2\n"),
		STR("pair 1\none 1\ntwo x\n"),
	};
	struct pair read;
	for (size_t i = 0; i < COUNT_OF(wrong); i++)
		assert_false(figures_read(&pair_figures, wrong[i], &read));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(anything_else_is_not),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
