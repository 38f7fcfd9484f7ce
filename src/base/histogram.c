/* SPDX-License-Identifier: Apache-2.0
 * See histogram.h. */
#include "histogram.h"

#include <assert.h>

#include "clock.h"

struct scale {
	int64_t bounds_us[HISTOGRAM_BOUNDS_MAX];
	size_t count;
};

#define MS(n) ((n)*US_PER_MS)
#define S(n) ((n)*US_PER_S)

static const struct scale scales[HISTOGRAM_SCALE_COUNT] = {
	[HISTOGRAM_COMMITS] = {{1000, 2500, MS(5), MS(10), MS(25), MS(50), MS(100), MS(250),
				MS(500), S(1), 2500000, S(10)},
			       12},
	[HISTOGRAM_REQUESTS] = {{MS(5), MS(25), MS(100), MS(500), S(1), 2500000, S(10)}, 7},
	[HISTOGRAM_CALLS] = {{MS(10), MS(50), MS(100), MS(250), MS(500), S(1), 2500000, S(5), S(10),
			      S(30), S(60), S(300)},
			     12},
	[HISTOGRAM_LATENESS] = {{MS(100), MS(500), S(1), 2500000, S(5), S(15), S(60), S(300),
				 S(900), US_PER_HOUR, 6 * US_PER_HOUR, US_PER_DAY},
				12},
};

size_t histogram_bounds(enum histogram_scale scale, const int64_t **bounds_us_out)
{
	assert((unsigned)scale < HISTOGRAM_SCALE_COUNT);
	*bounds_us_out = scales[scale].bounds_us;
	return scales[scale].count;
}

void histogram_note(struct histogram *histogram, enum histogram_scale scale, int64_t duration_us)
{
	const struct scale *bounds = &scales[scale];
	const int64_t us = duration_us > 0 ? duration_us : 0;
	size_t bucket = 0;
	while (bucket < bounds->count && us > bounds->bounds_us[bucket])
		bucket++;
	atomic_fetch_add_explicit(&histogram->counts[bucket], 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&histogram->sum_us, (uint64_t)us, memory_order_relaxed);
}
