/* SPDX-License-Identifier: Apache-2.0
 * See webhook_policy.h. */
#include "webhook_policy.h"

#define S_MS INT64_C(1000)
#define MINUTE_MS (60 * S_MS)
#define HOUR_MS (60 * MINUTE_MS)
#define DAY_MS (24 * HOUR_MS)

static const int64_t waits_ms[WEBHOOK_ATTEMPTS_MAX - 1] = {
	30 * S_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 8 * HOUR_MS, DAY_MS};

int64_t webhook_retry_wait_ms(int attempt, int64_t retry_after_ms)
{
	if (attempt < 1 || attempt >= WEBHOOK_ATTEMPTS_MAX)
		return -1;
	const int64_t wait_ms = waits_ms[attempt - 1];
	if (retry_after_ms <= wait_ms)
		return wait_ms;
	return retry_after_ms < DAY_MS ? retry_after_ms : DAY_MS;
}

bool webhook_status_is_taken(int status)
{
	return status >= 200 && status <= 299;
}
