/* SPDX-License-Identifier: Apache-2.0
 * A clock that stands still until a test moves it. Not a simulation of time: nothing wakes up by
 * itself. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>

#include "clock.h"

/* 2027-01-15T08:00:00Z */
#define FAKE_NOW_US INT64_C(1800000000000000)

struct fake_clock {
	struct clock clock;
	_Atomic int64_t now_us;
	_Atomic int64_t boot_us;
	bool has_real_boot; /* for tests in which threads wait for each other */
};

static inline int64_t fake_clock_now(void *context)
{
	return atomic_load(&((struct fake_clock *)context)->now_us);
}

static inline int64_t fake_clock_boot(void *context)
{
	struct fake_clock *clock = context;
	return clock->has_real_boot ? clock_boot_us(clock_system()) : atomic_load(&clock->boot_us);
}

static inline void fake_clock_init(struct fake_clock *clock)
{
	clock->clock = (struct clock){fake_clock_now, fake_clock_boot, clock};
	clock->now_us = FAKE_NOW_US;
	clock->boot_us = 1000 * US_PER_S;
	clock->has_real_boot = false;
}

static inline void fake_clock_advance(struct fake_clock *clock, int64_t us)
{
	atomic_fetch_add(&clock->now_us, us);
	atomic_fetch_add(&clock->boot_us, us);
}
