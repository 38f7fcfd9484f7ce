/* SPDX-License-Identifier: Apache-2.0
 * The machine's clocks, for everything that is handed a struct clock. */
#include "clock.h"

#include <stddef.h>
#include <stdlib.h>
#include <time.h>

static int64_t read_us(clockid_t id)
{
	struct timespec now;
	/* Both clocks exist since Linux 2.6.39; without the time nothing here can be right. */
	if (clock_gettime(id, &now) != 0)
		abort();
	return (int64_t)now.tv_sec * US_PER_S + now.tv_nsec / NS_PER_US;
}

static int64_t system_now_us(void *context)
{
	(void)context;
	return read_us(CLOCK_REALTIME);
}

static int64_t system_boot_us(void *context)
{
	(void)context;
	return read_us(CLOCK_BOOTTIME);
}

const struct clock *clock_system(void)
{
	static const struct clock system_clock = {system_now_us, system_boot_us, NULL};
	return &system_clock;
}
