/* SPDX-License-Identifier: Apache-2.0
 * How fast a fetch must be while others wait for its place: the longer it has run, the faster it
 * must have been on average. Pure. Private to outbound/. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is a fetch too slow that has brought so many bytes since it began to run? time_scale > 1: it is
 * judged as if it had run longer by this, for tests. */
bool pace_is_too_slow(int64_t bytes, int64_t running_us, int64_t time_scale);
