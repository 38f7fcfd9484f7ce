/* SPDX-License-Identifier: Apache-2.0
 * Alarms: what keeps posts from going out and only the operator can mend, such as a platform's
 * version that has ended. They are shown by the doctor, and emptied at every start, since it takes
 * another setting to mend them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "str.h"

struct arena;
struct store;
struct store_tx;

struct alarm_row {
	struct str name;    /* "linkedin" */
	struct str message; /* a sentence */
	int64_t first_at_us;
	int64_t last_at_us;
	int64_t times;
};

/* Makes or renews the alarm of that name. Blocks until it is durable. TEMPORARY. */
enum err_kind store_alarm_raise(struct store *store, struct str name, struct str message,
				int64_t now_us, struct error *err);
/* The same inside a command. */
enum err_kind store_alarm_raise_in(struct store_tx *tx, struct str name, struct str message,
				   int64_t now_us, struct error *err);
/* By name. */
enum err_kind store_alarm_list(struct store *store, struct arena *arena, struct alarm_row **out,
			       size_t *count_out, struct error *err);
/* Removes all alarms. */
enum err_kind store_alarm_clear(struct store *store, struct error *err);
