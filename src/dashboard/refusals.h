/* SPDX-License-Identifier: Apache-2.0
 * Refused sign-ins in the audit trail: one row an hour for each key (network and admin), which
 * counts on, and one for all keys beyond REFUSALS_KEYS_MAX. So strangers write at most
 * REFUSALS_KEYS_MAX + 1 rows an hour, however much they try. Each wrong password is written at
 * once, so that how long the answer takes says nothing of what is in the trail already. What was
 * turned away unread is written at 1, 2, 4, 8 and so on, when its hour is over and a further one is
 * noted, and at an ordinary end of the service: after a crash a row may say half of it. In memory,
 * per process. Thread-safe. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "str.h"

#define REFUSALS_KEYS_MAX 64
#define REFUSALS_WINDOW_US (3600 * INT64_C(1000000))

struct audit_row;
struct clock;
struct refusals;
struct store;

/* NULL: out of memory. Both must outlive it. The caller frees it with refusals_free(). */
struct refusals *refusals_new(struct store *store, const struct clock *clock);
/* Writes the counts that are not written yet. Frees and sets NULL; takes NULL. */
void refusals_free(struct refusals **refusals);
struct refusal {
	struct str key;
	const struct audit_row *row; /* at_us, actor, source, action, object, outcome */
	bool is_unread;              /* turned away before the password was looked at */
};

/* Counts one. *times_out: what its row says now, 0 when nothing was written this time. May block on
 * the disk. */
enum err_kind refusals_note(struct refusals *refusals, const struct refusal *refusal,
			    int64_t *times_out, struct error *err);
