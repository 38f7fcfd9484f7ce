/* SPDX-License-Identifier: Apache-2.0
 * See fit_plan.h. First the shape, then one factor for both sides, then the shape once more in
 * whole pixels: platforms judge it by multiplication, so 1.9104 is not 1.91. */
#include "fit_plan.h"

#include <math.h>

#define PERMILLE 1000

struct size {
	double width;
	double height;
};

static double least(double a, double b)
{
	return a < b ? a : b;
}

static double most(double a, double b)
{
	return a > b ? a : b;
}

static bool is_too_narrow(const struct fit_order *order, double width, double height)
{
	return width * PERMILLE < (double)order->ratio_min_permille * height;
}

static bool is_too_wide(const struct fit_order *order, double width, double height)
{
	return order->ratio_max_permille > 0 &&
	       width * PERMILLE > (double)order->ratio_max_permille * height;
}

static struct size shaped(const struct fit_order *order, struct size size)
{
	const bool is_padded = order->shape == FIT_SHAPE_PADDED;
	if (order->shape == FIT_SHAPE_KEPT)
		return size;
	if (is_too_narrow(order, size.width, size.height)) {
		const double ratio = (double)order->ratio_min_permille / PERMILLE;
		return is_padded ? (struct size){size.height * ratio, size.height}
				 : (struct size){size.width, size.width / ratio};
	}
	if (is_too_wide(order, size.width, size.height)) {
		const double ratio = (double)order->ratio_max_permille / PERMILLE;
		return is_padded ? (struct size){size.width, size.width / ratio}
				 : (struct size){size.height * ratio, size.height};
	}
	return size;
}

/* At most this much of the size; 1 where there is no limit. */
static double within(double value, int64_t max)
{
	return max > 0 && value > (double)max ? (double)max / value : 1;
}

static double scale_of(const struct fit_order *order, struct size size)
{
	double scale =
		least(within(size.width, order->width_max), within(size.height, order->height_max));
	scale = least(scale, within(least(size.width, size.height), order->shorter_side_max));
	scale = least(scale, sqrt(within(size.width * size.height, order->pixels_max)));
	scale = least(scale, within(most(size.width, size.height), FIT_SIDE_MAX));
	const double wanted = most((double)order->width_min / size.width,
				   (double)order->height_min / size.height);
	return most(scale, wanted);
}

/* The nearest whole pixels that have the shape. */
static void round_shape(const struct fit_order *order, struct fit_plan *plan)
{
	if (order->shape == FIT_SHAPE_KEPT)
		return;
	if (is_too_narrow(order, plan->width, plan->height))
		plan->height =
			(int32_t)((int64_t)plan->width * PERMILLE / order->ratio_min_permille);
	if (is_too_wide(order, plan->width, plan->height))
		plan->width =
			(int32_t)((int64_t)plan->height * order->ratio_max_permille / PERMILLE);
}

static bool is_as_ordered(const struct fit_order *order, const struct fit_plan *plan)
{
	const int64_t width = plan->width;
	const int64_t height = plan->height;
	const int64_t shorter = width < height ? width : height;
	return width >= 1 && height >= 1 && width >= order->width_min &&
	       height >= order->height_min &&
	       (order->width_max == 0 || width <= order->width_max) &&
	       (order->height_max == 0 || height <= order->height_max) &&
	       (order->shorter_side_max == 0 || shorter <= order->shorter_side_max) &&
	       (order->pixels_max == 0 || width * height <= order->pixels_max) &&
	       width <= FIT_SIDE_MAX && height <= FIT_SIDE_MAX &&
	       (order->shape == FIT_SHAPE_KEPT ||
		(!is_too_narrow(order, plan->width, plan->height) &&
		 !is_too_wide(order, plan->width, plan->height)));
}

static int32_t whole(double value)
{
	const double rounded = floor(value + 1e-6);
	return rounded < 1 ? 1 : rounded > FIT_SIDE_MAX * 2.0 ? FIT_SIDE_MAX * 2 : (int32_t)rounded;
}

/* The picture inside fills the whole (cropped), or stands in it (padded). */
static void place_inside(const struct fit_order *order, double ratio, struct fit_plan *plan)
{
	const bool is_wider = ratio * plan->height > plan->width;
	plan->inner_width = plan->width;
	plan->inner_height = plan->height;
	if (order->shape == FIT_SHAPE_KEPT)
		return;
	if (is_wider == (order->shape == FIT_SHAPE_PADDED))
		plan->inner_height = whole(plan->width / ratio + 0.5);
	else
		plan->inner_width = whole(plan->height * ratio + 0.5);
}

bool fit_plan_make(const struct fit_order *order, int64_t width, int64_t height, double shrink,
		   struct fit_plan *plan_out)
{
	if (width < 1 || height < 1)
		return false;
	const struct size size = shaped(order, (struct size){(double)width, (double)height});
	const double scale = scale_of(order, size) * shrink;
	struct fit_plan plan = {.width = whole(size.width * scale),
				.height = whole(size.height * scale)};
	/* What is enlarged must not lose its last pixel to the rounding. */
	if (scale > 1 && plan.width < order->width_min)
		plan.width = (int32_t)order->width_min;
	if (scale > 1 && plan.height < order->height_min)
		plan.height = (int32_t)order->height_min;
	round_shape(order, &plan);
	if (!is_as_ordered(order, &plan))
		return false;
	place_inside(order, (double)width / (double)height, &plan);
	*plan_out = plan;
	return true;
}
