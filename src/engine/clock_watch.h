/* SPDX-License-Identifier: Apache-2.0
 * Is the wall clock to be believed? Compared from turn to turn with the clock that never jumps
 * (RELIABILITY.md 2.4 S2). A step forward of more than 30 s makes scheduled posts due that are not:
 * until it has stood the test of some turns, nothing new is begun. A step back makes posts late and
 * nothing wrong (S3), and is taken as it is. Pure: the time is a parameter. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct clock_watch {
	bool has_looked;
	bool is_in_doubt;
	int64_t ahead_us;        /* wall clock less boot clock, at the last look */
	int64_t doubted_boot_us; /* since when */
	int turns;               /* looks since then that agreed */
};

/* Once a turn. False: the wall clock went ahead lately and that is not confirmed yet. */
bool clock_watch_look(struct clock_watch *watch, int64_t now_us, int64_t boot_us);
