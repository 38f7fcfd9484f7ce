/* SPDX-License-Identifier: Apache-2.0
 * What is removed by its age: calls in timelines, evidence, connections that led nowhere, events
 * and the log of their webhook deliveries, the audit trail (api-decisions.md 17), and tallies
 * (store_tally.h), whatever is kept else. Posts and their outcome stay. What a deletion of an app
 * that was cut off has left to do is done here too (store_app_end.h). */
#pragma once

#include <stdint.h>

#include "store.h"

/* How long each is kept; 0 = for ever. */
struct store_retention {
	int64_t timeline_us; /* and evidence of deliveries that are final */
	int64_t connections_us;
	int64_t events_us; /* and the webhook log */
	int64_t audit_us;
	int64_t deleted_us; /* contents of deleted apps */
};

/* Removes up to max of each kind that are older. *removed_out: how many in all. */
enum err_kind store_retention_expire(struct store_tx *tx, const struct store_retention *retention,
				     int64_t now_us, int64_t max, int64_t *removed_out,
				     struct error *err);
