/* SPDX-License-Identifier: Apache-2.0
 * What only the operator can put right: written to the log and kept for the doctor (store_alarm.h).
 * What becomes of the posts meanwhile is decided by verdict.c. */
#include "delivery_private.h"

#include "store_alarm.h"

#define QUIET_US US_PER_MINUTE

void alarm_forget_all(struct deliverer *deliverer)
{
	struct error err = {0};
	if (store_alarm_clear(deliverer->config.store, &err) != ERR_NONE)
		LOG(deliverer->config.log, WARN, "alarms_not_cleared",
		    log_str("error", str_of(err.text)));
}

void alarm_note_failure(struct delivery_task *t, const struct failure *failure)
{
	struct deliverer *deliverer = t->deliverer;
	int64_t *quiet_until_us = &deliverer->alarm_quiet_until_us[t->platform->id];
	const int64_t boot_us = clock_boot_us(deliverer->config.clock);
	struct error err = {0};
	if (!failure->needs_operator || boot_us < *quiet_until_us)
		return;
	*quiet_until_us = boot_us + QUIET_US;
	LOG(deliverer->config.log, ERROR, "operator_alarm",
	    log_str("platform", str_of(t->platform->slug)), log_str("message", failure->message),
	    log_str("platform_code", failure->platform_code));
	if (store_alarm_raise(deliverer->config.store, str_of(t->platform->slug), failure->message,
			      t->env.now_us, &err) != ERR_NONE)
		LOG(deliverer->config.log, WARN, "alarm_not_kept",
		    log_str("error", str_of(err.text)));
}
