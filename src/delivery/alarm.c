/* SPDX-License-Identifier: Apache-2.0
 * What only the operator can put right: written to the log and kept for the doctor (store_alarm.h).
 * What becomes of the posts meanwhile is decided by verdict.c. */
#include "delivery_private.h"

#include <stdio.h>

#include "timetext.h"

#include "version_end.h"

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
	/* A test app's platforms are nobody's fault. */
	if (!failure->needs_operator || t->work.world.is_test || boot_us < *quiet_until_us)
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

static void raise_version_end(struct deliverer *deliverer, const struct version_end *end,
			      int64_t now_us)
{
	char message[300];
	struct error err = {0};
	const struct civil_date date = timetext_date(end->ends_at_us);
	snprintf(message, sizeof(message),
		 "%s: version " STR_FMT " %s on %04d-%02d-%02d; set a newer one with --%s.",
		 end->platforms, STR_ARG(end->version), end->ends_at_us < now_us ? "ended" : "ends",
		 date.year, date.month, date.day, end->setting);
	LOG(deliverer->config.log, ERROR, "operator_alarm", log_str("message", str_of(message)));
	if (store_alarm_raise(deliverer->config.store, str_of(end->setting), str_of(message),
			      now_us, &err) != ERR_NONE)
		LOG(deliverer->config.log, WARN, "alarm_not_kept",
		    log_str("error", str_of(err.text)));
}

void alarm_note_version_ends(struct deliverer *deliverer)
{
	struct version_end ends[VERSION_ENDS_MAX];
	const int64_t boot_us = clock_boot_us(deliverer->config.clock);
	const int64_t now_us = clock_now_us(deliverer->config.clock);
	if (deliverer->config.settings == NULL || boot_us < deliverer->versions_looked_us)
		return;
	deliverer->versions_looked_us = boot_us + US_PER_DAY;
	const size_t count = version_ends(deliverer->config.settings, ends);
	for (size_t i = 0; i < count; i++) {
		if (version_end_is_near(&ends[i], now_us))
			raise_version_end(deliverer, &ends[i], now_us);
	}
}
