/* SPDX-License-Identifier: Apache-2.0
 * See pace.h. */
#include "pace.h"

#include "clock.h"
#include "count_of.h"

/* The latest row that fits counts. A video of 4 GiB at the last speed takes nine hours, more than a
 * fetch may last (spool.c): nothing that could end well is ended by this. */
static const struct {
	int64_t after_us;
	int64_t bytes_s;
} paces[] = {
	{US_PER_MINUTE, 4 << 10},
	{2 * US_PER_MINUTE, 16 << 10},
	{5 * US_PER_MINUTE, 64 << 10},
	{30 * US_PER_MINUTE, 128 << 10},
};

bool pace_is_too_slow(int64_t bytes, int64_t running_us, int64_t time_scale)
{
	const int64_t judged_us = running_us * time_scale;
	int64_t bytes_s = 0;
	for (size_t i = 0; i < COUNT_OF(paces) && judged_us >= paces[i].after_us; i++)
		bytes_s = paces[i].bytes_s;
	return bytes < running_us / US_PER_S * bytes_s;
}
