/* SPDX-License-Identifier: Apache-2.0
 * Can the wall clock be trusted? It is compared from turn to turn with the clock that never jumps
 * (rules.md 2.4 S2). A step forward of more than 30 s would make scheduled posts due too early:
 * until some turns have confirmed it, nothing new is begun. A step back only makes posts late (S3),
 * and is accepted. Pure: the time is a parameter. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct clock_watch {
	bool has_checked;
	bool is_unconfirmed;
	int64_t ahead_us;        /* wall clock minus boot clock, at the last check */
	int64_t stepped_boot_us; /* when the unconfirmed step was seen */
	int turns;               /* checks since then that agreed */
};

/* Call once a turn. Returns false while a step forward of the wall clock is not confirmed. */
bool clock_watch_check(struct clock_watch *watch, int64_t now_us, int64_t boot_us);
