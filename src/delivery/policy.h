/* SPDX-License-Identifier: Apache-2.0
 * When to try again: the retry schedule, the resolver's schedule, their jitter and their ends.
 * Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "failure.h"

struct random_source;

#define POLICY_ATTEMPTS_MAX 5 /* DESIGN.md section 3 */
#define POLICY_PROBES_MAX 5
/* rate limits and a platform that cannot be asked: longer than any daily quota, then give up */
#define POLICY_PATIENCE_US (INT64_C(48) * 3600 * 1000000)

/* Wait before try number attempt + 1, when attempt tries have failed (1 = the first failed); -1 =
 * no further try, also when the platform wants more patience than there is. At least
 * retry_after_ms; jitter is up to a fifth more, so that many deliveries do not return in one
 * instant. */
int64_t policy_retry_wait_ms(int attempt, int64_t retry_after_ms,
			     const struct random_source *random);
/* Wait before the resolver's probe with this number (0 = first); -1 = no further probe
 * (RELIABILITY.md 2.3: 5 s, 30 s, 2 min, 10 min). */
int64_t policy_probe_wait_ms(int probe);
/* Wait after a rate limit without advice grows with the number of limits met. */
int64_t policy_rate_wait_ms(int64_t met, int64_t retry_after_ms,
			    const struct random_source *random);
