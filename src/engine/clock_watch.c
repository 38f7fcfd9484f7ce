/* SPDX-License-Identifier: Apache-2.0
 * See clock_watch.h. */
#include "clock_watch.h"

#include "clock.h"

#define STEP_US (30 * US_PER_S) /* RELIABILITY.md S2 */
/* Chosen: longer than a time service takes to take back a wrong step, shorter than anybody
 * minds. */
#define CONFIRM_US (10 * US_PER_S)
#define CONFIRM_TURNS 3

static void doubt(struct clock_watch *watch, int64_t boot_us)
{
	watch->is_in_doubt = true;
	watch->doubted_boot_us = boot_us;
	watch->turns = 0;
}

bool clock_watch_look(struct clock_watch *watch, int64_t now_us, int64_t boot_us)
{
	const int64_t ahead_us = now_us - boot_us;
	const int64_t step_us = watch->has_looked ? ahead_us - watch->ahead_us : 0;
	watch->has_looked = true;
	watch->ahead_us = ahead_us;
	if (step_us > STEP_US)
		doubt(watch, boot_us);
	else if (step_us < -STEP_US)
		watch->is_in_doubt = false; /* taken back, or set back: no post is early by that */
	else
		watch->turns++;
	if (watch->is_in_doubt && watch->turns >= CONFIRM_TURNS &&
	    boot_us - watch->doubted_boot_us >= CONFIRM_US)
		watch->is_in_doubt = false;
	return !watch->is_in_doubt;
}
