/* SPDX-License-Identifier: Apache-2.0
 * Time as a parameter. Everything that needs the time takes a struct clock; clock_system() reads
 * the machine's, tests and the simulation pass their own. Instants are microseconds since 1970 UTC,
 * 0 = none. */
#pragma once

#include <stdint.h>

struct clock {
	int64_t (*now_us)(void *context); /* wall clock, UTC */
	/* never jumps, counts through sleep (CLOCK_BOOTTIME): for deadlines */
	int64_t (*boot_us)(void *context);
	void *context;
};

#define NS_PER_US INT64_C(1000)
#define NS_PER_S INT64_C(1000000000)
#define US_PER_MS INT64_C(1000)
#define US_PER_S INT64_C(1000000)
#define US_PER_MINUTE (60 * US_PER_S)
#define US_PER_HOUR (60 * US_PER_MINUTE)
#define US_PER_DAY (24 * US_PER_HOUR)

/* The machine's clocks. Any thread. */
const struct clock *clock_system(void);

static inline int64_t clock_now_us(const struct clock *clock)
{
	return clock->now_us(clock->context);
}

static inline int64_t clock_boot_us(const struct clock *clock)
{
	return clock->boot_us(clock->context);
}
