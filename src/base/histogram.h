/* SPDX-License-Identifier: Apache-2.0
 * How long things took, counted in buckets: noted by any thread without a lock, read while others
 * note. What is read may lack what is being noted at that moment. Zero is an empty one. */
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define HISTOGRAM_BOUNDS_MAX 12

/* Which bounds the buckets have; a histogram is noted and read with the same. */
enum histogram_scale {
	HISTOGRAM_COMMITS,  /* 1 ms to 10 s */
	HISTOGRAM_REQUESTS, /* 5 ms to 10 s, a few: there are many of them */
	HISTOGRAM_CALLS,    /* 10 ms to 5 min */
	HISTOGRAM_LATENESS, /* 100 ms to a day */
	HISTOGRAM_SCALE_COUNT
};

struct histogram {
	/* by bucket, not added up; the last is of what is above all bounds */
	_Atomic uint64_t counts[HISTOGRAM_BOUNDS_MAX + 1];
	_Atomic uint64_t sum_us;
};

/* The upper bounds in microseconds, ascending. Returns how many. */
size_t histogram_bounds(enum histogram_scale scale, const int64_t **bounds_us_out);
/* Counts one. Less than nothing (a clock was set back) counts as 0. Any thread; never blocks. */
void histogram_note(struct histogram *histogram, enum histogram_scale scale, int64_t duration_us);
