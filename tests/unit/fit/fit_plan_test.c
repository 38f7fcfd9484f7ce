/* SPDX-License-Identifier: Apache-2.0
 * Tests of fit/fit_plan.h: sizes within limits, and shapes that hold to the last pixel. */
#include "fit_plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct row {
	struct fit_order order;
	int64_t width, height;
	struct fit_plan plan;
};

static const struct row rows[] = {
	{{0}, 1600, 1200, {1600, 1200, 1600, 1200}},
	{{.width_max = 1440}, 1600, 1200, {1440, 1080, 1440, 1080}},
	{{.height_max = 600}, 1600, 1200, {800, 600, 800, 600}},
	{{.shorter_side_max = 1080}, 4000, 3000, {1440, 1080, 1440, 1080}},
	{{.pixels_max = 3000000}, 4000, 3000, {2000, 1500, 2000, 1500}},
	{{.width_min = 320}, 160, 100, {320, 200, 320, 200}},
	/* A shape that nobody may change stays wrong. */
	{{.ratio_max_permille = 1910}, 4000, 1000, {4000, 1000, 4000, 1000}},
	{{.ratio_min_permille = 800, .ratio_max_permille = 1910, .shape = FIT_SHAPE_PADDED},
	 900,
	 1600,
	 {1280, 1600, 900, 1600}},
	{{.ratio_min_permille = 800, .ratio_max_permille = 1910, .shape = FIT_SHAPE_CROPPED},
	 900,
	 1600,
	 {900, 1125, 900, 1600}},
	{{.ratio_min_permille = 800,
	  .ratio_max_permille = 1910,
	  .shape = FIT_SHAPE_PADDED,
	  .width_max = 1440},
	 4000,
	 1000,
	 {1438, 753, 1438, 360}},
	{{.ratio_min_permille = 800, .ratio_max_permille = 1910, .shape = FIT_SHAPE_CROPPED},
	 4000,
	 1000,
	 {1910, 1000, 4000, 1000}},
};

static void sizes_follow_from_the_order(void **state)
{
	(void)state;
	struct fit_plan plan;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_true(fit_plan_make(&rows[i].order, rows[i].width, rows[i].height, 1, &plan));
		assert_memory_equal(&plan, &rows[i].plan, sizeof(plan));
	}
}

static void every_shape_holds_in_whole_pixels(void **state)
{
	(void)state;
	struct fit_plan plan;
	for (int shape = FIT_SHAPE_PADDED; shape <= FIT_SHAPE_CROPPED; shape++) {
		const struct fit_order order = {.ratio_min_permille = 800,
						.ratio_max_permille = 1910,
						.width_max = 1440,
						.shape = (enum fit_shape)shape};
		for (int64_t width = 321; width < 5000; width += 97) {
			for (int64_t height = 321; height < 5000; height += 89) {
				assert_true(fit_plan_make(&order, width, height, 1, &plan));
				assert_true(plan.width * INT64_C(1000) >=
					    plan.height * INT64_C(800));
				assert_true(plan.width * INT64_C(1000) <=
					    plan.height * INT64_C(1910));
				assert_true(plan.width <= 1440);
			}
		}
	}
}

static void what_cannot_be_is_refused(void **state)
{
	(void)state;
	struct fit_plan plan;
	const struct fit_order thin = {.width_min = 320, .height_max = 1000};
	const struct fit_order small = {.width_min = 320};
	assert_false(fit_plan_make(&thin, 10, 5000, 1, &plan));
	/* Shrinking for bytes ends at the least size. */
	assert_true(fit_plan_make(&small, 640, 480, 0.5, &plan));
	assert_false(fit_plan_make(&small, 640, 480, 0.4, &plan));
}

/* A loader that says so of a broken file must not divide by it. */
static void a_picture_without_a_size_is_refused(void **state)
{
	(void)state;
	struct fit_plan plan;
	const struct fit_order padded = {.ratio_max_permille = 1910, .shape = FIT_SHAPE_PADDED};
	assert_false(fit_plan_make(&padded, 0, 100, 1, &plan));
	assert_false(fit_plan_make(&padded, 100, 0, 1, &plan));
	assert_false(fit_plan_make(&padded, 0, 0, 1, &plan));
	assert_false(fit_plan_make(&padded, -1, 100, 1, &plan));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_follow_from_the_order),
		cmocka_unit_test(every_shape_holds_in_whole_pixels),
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(a_picture_without_a_size_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
