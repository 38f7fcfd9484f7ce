/* SPDX-License-Identifier: Apache-2.0
 * When to try again: the schedules of retries, probes and rate limits, with jitter and an end.
 * Pure; times are in milliseconds unless a name says otherwise. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "failure.h"

struct random_source;

#define POLICY_ATTEMPTS_MAX 5 /* design.md 3 */
#define POLICY_PROBES_MAX 5
/* How long rate limits and a platform that cannot be asked are waited out: longer than any daily
 * quota. */
#define POLICY_PATIENCE_US (INT64_C(48) * 3600 * 1000000)

/* The wait before try number attempt + 1, after attempt tries have failed (1 = the first failed);
 * -1 = no further try, also when the platform asks for more patience than there is. At least
 * retry_after_ms (0 = no advice); jitter adds up to a fifth and at most five minutes, so that
 * many deliveries do not return at the same instant. */
int64_t policy_retry_wait_ms(int attempt, int64_t retry_after_ms,
			     const struct random_source *random);
/* The wait before the probe with this number (0 = first); -1 = no further probe
 * (rules.md 2.3: 5 s, 30 s, 2 min, 10 min). */
int64_t policy_probe_wait_ms(int probe);
/* What was waited for before the probe with this number, from the end of the call in doubt: the
 * first waits and its own. Numbers beyond the last probe count as the last. */
int64_t policy_probes_waited_ms(int probe);
/* The wait before a published post's id is looked for again, after so many looks (0 = before the
 * first). They grow to an hour. */
int64_t policy_late_id_wait_ms(int looks);
/* How long it is looked for after the post was published (tiktok.md 2.6: hours, now and then). */
#define POLICY_LATE_ID_US (INT64_C(24) * 3600 * 1000000)
/* The wait after a rate limit: the platform's advice (failure.retry_after_ms), or one that grows
 * with the number of limits met, 1 for the first: from failure.retry_floor_ms on and no longer than
 * failure.retry_reset_ms, which the third limit waits for. With jitter; never negative. */
int64_t policy_rate_wait_ms(int64_t met, const struct failure *failure,
			    const struct random_source *random);
