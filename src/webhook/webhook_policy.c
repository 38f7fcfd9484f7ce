/* SPDX-License-Identifier: Apache-2.0
 * See webhook_policy.h. */
#include "webhook_policy.h"

#define DAY_MS INT64_C(86400000)

static const int64_t waits_ms[WEBHOOK_ATTEMPTS_MAX - 1] = {30000,   300000,   1800000,
							   7200000, 28800000, DAY_MS};

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
