/* SPDX-License-Identifier: Apache-2.0
 * How deliveries ended in this process, for /metrics: counters in memory, from 0 at each start. A
 * transaction that is lost at its very end may leave one too many. */
#pragma once

#include <stdint.h>

#include "failure.h"
#include "platform_id.h"

struct histogram;
struct store;

enum delivery_outcome {
	OUTCOME_PUBLISHED,
	OUTCOME_PARTIAL, /* the first part is visible, a later one was given up */
	OUTCOME_FAILED,
	OUTCOME_UNKNOWN,
	OUTCOME_CANCELLED,
	OUTCOME_COUNT
};

/* The word of a label: "published". */
const char *store_outcome_name(enum delivery_outcome outcome);
/* What a failure with this code counts as. */
enum delivery_outcome store_outcome_of(enum failure_code code);
/* Counts one; code is read for no OUTCOME_PUBLISHED. Any thread; never blocks. */
void store_outcome_note(struct store *store, enum platform_id platform,
			enum delivery_outcome outcome, enum failure_code code);
int64_t store_outcome_count(const struct store *store, enum platform_id platform,
			    enum delivery_outcome outcome, enum failure_code code);
/* How long transactions took that were kept, from their beginning to their durability
 * (HISTOGRAM_COMMITS). As long as the store. */
const struct histogram *store_commits(const struct store *store);
