/* SPDX-License-Identifier: Apache-2.0
 * Tests of codec/fit_order.h: what is written is read, and nothing else is. */
#include "fit_order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct fit_order order_full(void)
{
	return (struct fit_order){.bytes_max = 8000000,
				  .width_min = 320,
				  .width_max = 1440,
				  .height_min = 1,
				  .height_max = 2,
				  .shorter_side_max = 1080,
				  .pixels_max = 25000000,
				  .ratio_min_permille = 800,
				  .ratio_max_permille = 1910,
				  .quality = 85,
				  .shape = FIT_SHAPE_CROPPED};
}

static void an_order_is_read_as_written(void **state)
{
	(void)state;
	char text[FIT_TEXT_MAX_BYTES];
	const struct fit_order order = order_full();
	struct fit_order read = {0};
	const size_t len = fit_order_write(&order, text);
	assert_true(fit_order_read((struct str){text, len}, &read));
	assert_memory_equal(&read, &order, offsetof(struct fit_order, shape));
	assert_int_equal(read.shape, order.shape);
	assert_false(fit_order_read((struct str){text, len - 1}, &read));
	for (size_t cut = 0; cut < len; cut++)
		assert_false(fit_order_read((struct str){text, cut}, &read));
}

static void the_longest_order_has_room(void **state)
{
	(void)state;
	char text[FIT_TEXT_MAX_BYTES];
	struct fit_order order = order_full();
	struct fit_order read;
	order.bytes_max = INT64_C(1) << 40;
	order.pixels_max = INT64_C(1) << 40;
	order.width_max = order.height_max = order.shorter_side_max = INT32_MAX;
	assert_true(fit_order_read((struct str){text, fit_order_write(&order, text)}, &read));
}

static void what_an_order_never_says_is_refused(void **state)
{
	(void)state;
	char text[FIT_TEXT_MAX_BYTES];
	struct fit_order order = order_full();
	struct fit_order read;
	order.quality = 101;
	assert_false(fit_order_read((struct str){text, fit_order_write(&order, text)}, &read));
	order.quality = -1;
	assert_false(fit_order_read((struct str){text, fit_order_write(&order, text)}, &read));
	order = order_full();
	order.shape = (enum fit_shape)3;
	assert_false(fit_order_read((struct str){text, fit_order_write(&order, text)}, &read));
}

static void an_answer_is_read_as_written(void **state)
{
	(void)state;
	char text[FIT_TEXT_MAX_BYTES];
	struct fit_answer answer = {FIT_DONE, 1440, 1080, 90};
	struct fit_answer read = {0};
	assert_true(fit_answer_read((struct str){text, fit_answer_write(&answer, text)}, &read));
	assert_int_equal(read.outcome, FIT_DONE);
	assert_int_equal(read.width, 1440);
	assert_int_equal(read.height, 1080);
	assert_int_equal(read.quality, 90);
	assert_false(fit_answer_read((struct str){text, 5}, &read));
	answer.width = 0; /* DONE without a picture */
	assert_false(fit_answer_read((struct str){text, fit_answer_write(&answer, text)}, &read));
	answer.outcome = FIT_BROKEN;
	assert_true(fit_answer_read((struct str){text, fit_answer_write(&answer, text)}, &read));
	answer.outcome = (enum fit_outcome)5;
	assert_false(fit_answer_read((struct str){text, fit_answer_write(&answer, text)}, &read));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_order_is_read_as_written),
		cmocka_unit_test(the_longest_order_has_room),
		cmocka_unit_test(what_an_order_never_says_is_refused),
		cmocka_unit_test(an_answer_is_read_as_written),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
