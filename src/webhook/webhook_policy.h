/* SPDX-License-Identifier: Apache-2.0
 * When a webhook is tried again, and when it is given up. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "clock.h"

#define WEBHOOK_ATTEMPTS_MAX 7 /* api-decisions.md 9: 0 s, 30 s, 5 min, 30 min, 2 h, 8 h, 24 h */
/* rules.md W2: failing that long disables it */
#define WEBHOOK_PATIENCE_US (5 * US_PER_DAY)

/* Milliseconds from the failed attempt (from 1) to the next; -1 = no further one. The receiver's
 * Retry-After may make it longer, up to a day. */
int64_t webhook_retry_wait_ms(int attempt, int64_t retry_after_ms);
/* Does the answer mean that it was taken? */
bool webhook_status_is_taken(int status);
