/* SPDX-License-Identifier: Apache-2.0
 * See clock_watch.h. */
#include "clock_watch.h"

#include "clock.h"

#define STEP_US (30 * US_PER_S) /* rules.md S2 */
/* Chosen: longer than a time service takes to undo a wrong step, too short to matter. */
#define CONFIRM_US (10 * US_PER_S)
#define CONFIRM_TURNS 3

bool clock_watch_check(struct clock_watch *watch, int64_t now_us, int64_t boot_us)
{
	const int64_t ahead_us = now_us - boot_us;
	const int64_t step_us = watch->has_checked ? ahead_us - watch->ahead_us : 0;
	watch->has_checked = true;
	watch->ahead_us = ahead_us;
	if (step_us > STEP_US) {
		watch->is_unconfirmed = true;
		watch->stepped_boot_us = boot_us;
		watch->turns = 0;
	} else if (step_us < -STEP_US) {
		watch->is_unconfirmed = false; /* undone, or set back: no post is early by that */
	} else {
		watch->turns++;
	}
	if (watch->is_unconfirmed && watch->turns >= CONFIRM_TURNS &&
	    boot_us - watch->stepped_boot_us >= CONFIRM_US)
		watch->is_unconfirmed = false;
	return !watch->is_unconfirmed;
}
