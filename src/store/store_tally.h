/* SPDX-License-Identifier: Apache-2.0
 * Tallies: how the deliveries of an app ended, by the hour in which they did, and how late those
 * were that were published. Written in the transaction that ends a delivery, for what the dashboard
 * shows of the last days; store_retention.c removes them after TALLIES_KEPT_US. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "clock.h"

#include "store.h"

enum tally_kind {
	TALLY_PUBLISHED, /* part: the platform */
	TALLY_FAILED,    /* part: the platform; code: the reason, empty = tried again since */
	TALLY_LATENESS,  /* part: the bin of what lies between due and published */
	TALLY_KIND_COUNT
};

#define TALLIES_KEPT_US (8 * US_PER_DAY)
/* Bins of lateness, ascending: the upper end of one is at most a quarter above its lower end. Less
 * than nothing (a clock was set back) counts as nothing. */
#define TALLY_BINS 256

struct tally {
	int64_t hour; /* since 1970 */
	enum tally_kind kind;
	int64_t part;
	struct str code;
	int64_t count;
	int64_t most_us; /* the highest lateness in this bin */
};

/* Those of the app from that hour on, in the order of hour, kind and part. */
enum err_kind store_tally_list(struct store *store, struct arena *arena, struct str app_id,
			       int64_t from_hour, struct tally **out, size_t *count_out,
			       struct error *err);
