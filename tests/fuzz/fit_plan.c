/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes fit/fit_plan.h with every order that can be read: a plan that is made keeps to the order
 * and to what a JPEG can be, whatever the picture claims of its size. The input is 8 bytes of
 * width, 8 of height, one of shrink, and the order. */
#include "fit_plan.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HEAD_BYTES 17

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int64_t number_at(const uint8_t *data)
{
	int64_t number;
	memcpy(&number, data, sizeof(number));
	return number;
}

static void check_side(int32_t side, int32_t inner)
{
	assert(side >= 1 && side <= FIT_SIDE_MAX);
	assert(inner >= 1);
}

static void check_limits(const struct fit_order *order, const struct fit_plan *plan)
{
	const int64_t width = plan->width, height = plan->height;
	assert(order->width_max == 0 || width <= order->width_max);
	assert(order->height_max == 0 || height <= order->height_max);
	assert(order->pixels_max == 0 || width * height <= order->pixels_max);
	assert(order->shorter_side_max == 0 ||
	       (width < height ? width : height) <= order->shorter_side_max);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fit_order order;
	struct fit_plan plan = {0};
	if (size < HEAD_BYTES ||
	    !fit_order_read((struct str){(const char *)data + HEAD_BYTES, size - HEAD_BYTES},
			    &order))
		return 0;
	const double shrink = (data[16] + 1) / 256.0;
	if (!fit_plan_make(&order, number_at(data), number_at(data + 8), shrink, &plan))
		return 0;
	check_side(plan.width, plan.inner_width);
	check_side(plan.height, plan.inner_height);
	check_limits(&order, &plan);
	/* Cropped on one side at most, and padded on one side at most, never both. */
	assert((plan.inner_width > plan.width) + (plan.inner_height > plan.height) <= 1);
	const bool is_padded = plan.inner_width < plan.width || plan.inner_height < plan.height;
	const bool is_cropped = plan.inner_width > plan.width || plan.inner_height > plan.height;
	assert(!(is_padded && is_cropped));
	assert(order.shape == FIT_SHAPE_PADDED || !is_padded);
	assert(order.shape == FIT_SHAPE_CROPPED || !is_cropped);
	return 0;
}
