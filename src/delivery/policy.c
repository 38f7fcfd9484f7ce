/* SPDX-License-Identifier: Apache-2.0
 * See policy.h. */
#include "policy.h"

#include "count_of.h"
#include "random.h"

/* design.md 3: tries at 0, 30 s, 2, 10 and 30 minutes. */
static const int64_t retry_waits_ms[POLICY_ATTEMPTS_MAX - 1] = {30000, 120000, 600000, 1800000};
/* The first probe comes quickly, because most platforms show a post at once; the last one late,
 * because some lag by minutes. */
static const int64_t probe_waits_ms[POLICY_PROBES_MAX] = {2000, 5000, 30000, 120000, 600000};
/* A wait may end at a reset that the platform named: some minutes past it keep deliveries apart. */
#define JITTER_MAX_MS (5 * 60 * 1000)
static const int64_t late_id_waits_ms[] = {60000,   120000,  300000, 600000,
					   1200000, 1800000, 3600000};
static const int64_t rate_waits_ms[] = {60000, 300000, 900000, 3600000};

/* The platform's advice, cut to just above our patience, so that no sum overflows. */
static int64_t bounded(int64_t retry_after_ms)
{
	const int64_t most_ms = POLICY_PATIENCE_US / 1000 + 1;
	return retry_after_ms < most_ms ? retry_after_ms : most_ms;
}

static int64_t with_jitter(int64_t wait_ms, const struct random_source *random)
{
	const int64_t fifth_ms = wait_ms / 5;
	const int64_t most_ms = fifth_ms < JITTER_MAX_MS ? fifth_ms : JITTER_MAX_MS;
	return wait_ms + (int64_t)random_below(random, (uint64_t)most_ms + 1);
}

int64_t policy_retry_wait_ms(int attempt, int64_t retry_after_ms,
			     const struct random_source *random)
{
	if (attempt < 1 || attempt >= POLICY_ATTEMPTS_MAX ||
	    bounded(retry_after_ms) > POLICY_PATIENCE_US / 1000)
		return -1;
	const int64_t wait_ms = retry_waits_ms[attempt - 1];
	return with_jitter(wait_ms < retry_after_ms ? retry_after_ms : wait_ms, random);
}

int64_t policy_probe_wait_ms(int probe)
{
	return probe >= 0 && probe < POLICY_PROBES_MAX ? probe_waits_ms[probe] : -1;
}

int64_t policy_probes_waited_ms(int probe)
{
	int64_t waited_ms = 0;
	for (int i = 0; i <= probe && i < POLICY_PROBES_MAX; i++)
		waited_ms += probe_waits_ms[i];
	return waited_ms;
}

int64_t policy_late_id_wait_ms(int looks)
{
	const int last = COUNT_OF(late_id_waits_ms) - 1;
	return late_id_waits_ms[looks < 0 ? 0 : looks < last ? looks : last];
}

/* The schedule, joined where it is as long as the floor. */
static int64_t growing_wait_ms(int64_t met, int64_t floor_ms)
{
	const int64_t last = COUNT_OF(rate_waits_ms) - 1;
	int64_t first = 0;
	while (first < last && rate_waits_ms[first] < floor_ms)
		first++;
	int64_t index = met < 1 ? first : first + (met - 1 < last ? met - 1 : last);
	index = index < last ? index : last;
	return rate_waits_ms[index] < floor_ms ? floor_ms : rate_waits_ms[index];
}

int64_t policy_rate_wait_ms(int64_t met, const struct failure *failure,
			    const struct random_source *random)
{
	const int64_t reset_ms = failure->retry_reset_ms;
	if (failure->retry_after_ms > 0)
		return with_jitter(bounded(failure->retry_after_ms), random);
	const int64_t wait_ms = growing_wait_ms(met, bounded(failure->retry_floor_ms));
	const bool is_reset = reset_ms > 0 && (met > 2 || wait_ms > reset_ms);
	return with_jitter(is_reset ? bounded(reset_ms) : wait_ms, random);
}
