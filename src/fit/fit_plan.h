/* SPDX-License-Identifier: Apache-2.0
 * How large the picture is that an order asks for: numbers only, no pixels. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "fit_order.h"

struct fit_plan {
	/* of what is written */
	int32_t width;
	int32_t height;
	/* of the picture in it: equal, smaller (padded), or larger on one side (cropped) */
	int32_t inner_width;
	int32_t inner_height;
};

/* width, height: as shown. shrink: 1 = no smaller than it must be; less shrinks further, for bytes.
 * False: no size is as the order says, or there is nothing to show. */
bool fit_plan_make(const struct fit_order *order, int64_t width, int64_t height, double shrink,
		   struct fit_plan *plan_out);
