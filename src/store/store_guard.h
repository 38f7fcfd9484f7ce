/* SPDX-License-Identifier: Apache-2.0
 * The restore guard (rules.md 2.6) and the quarantine. A database put back from a backup
 * believes that all it published since is still to be published. The guard notices (epoch_file.h)
 * and marks every delivery that is due: the deliverer asks the platform about each before it may
 * publish anything; what cannot be proven waits for the operator's word. One that had failed is
 * marked too, for the person who retries it. Marks are rows of `holds`; what a mark means for the
 * work is delivery/hold.c's. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "platform_id.h"
#include "str.h"

#include "epoch_file.h"

struct store;
struct store_tx;

enum hold_state {
	HOLD_NONE,
	HOLD_ASKING, /* the platform is asked first; no publish call may be made */
	HOLD_HELD,   /* not provable: never due, until the operator releases or fails it */
	/* found at the platform and published by that; shown until the next restore */
	HOLD_ADOPTED,
	HOLD_CONDEMNED, /* the operator failed it: the deliverer ends it with OUTCOME_UNKNOWN */
	HOLD_POISONED,  /* stopped the service again and again: the deliverer ends it untouched */
	HOLD_SET_ASIDE, /* was poisoned, and has ended; shown by doctor */
	/* had failed when the database was restored: a retry asks the platform first, because
	 * another one may have published it in the history that is lost */
	HOLD_ENDED,
	/* overdue after an end that was no stop: the platform is asked once, and what it does not
	 * show goes out */
	HOLD_LOOKING,
	HOLD_STATE_COUNT
};

struct guard_start {
	enum epoch_finding finding;
	int64_t marked_count; /* deliveries that are now HOLD_ASKING because of it */
	int64_t look_count;   /* no sign of a restore, but an unclean end: now HOLD_LOOKING */
};

/* Once, after store_open() and before anything is delivered: compares the database with the file
 * store_config.epoch_path, marks what is due when the database was restored, and raises the epoch
 * in both. new_lineage: a random number above 0, for a database that has none. Blocks on the
 * disk. */
enum err_kind store_guard_start(struct store *store, int64_t new_lineage, int64_t now_us,
				struct guard_start *out, struct error *err);
/* Raises the epoch: database first, then file, so that only a restored database is ever older than
 * the file. Every minute, after each backup, and before the store is closed. Does nothing beside a
 * database whose restore was not yet noticed by a start. Any thread; blocks. */
enum err_kind store_guard_beat(struct store *store, int64_t now_us, struct error *err);
/* The last beat of a run that ends as it should. */
enum err_kind store_guard_end(struct store *store, int64_t now_us, struct error *err);

/* The next start takes the database as put back, whatever the files beside it say. Blocks. */
enum err_kind store_guard_arm(struct store *store, struct error *err);

/* [platform][state]; PLATFORM_NONE holds the sums. */
struct hold_counts {
	int64_t of[PLATFORM_ID_MAX + 1][HOLD_STATE_COUNT];
};
/* All of them, at one moment. */
enum err_kind store_hold_counts(struct store *store, struct hold_counts *out, struct error *err);
/* The sum of one state, quickly. */
enum err_kind store_hold_count(struct store *store, enum hold_state state, int64_t *count_out,
			       struct error *err);
/* Held deliveries (not those still being asked about) become due now, or at the time they are
 * scheduled for, as if they had never been held, or (condemn) due now to be failed. PLATFORM_NONE =
 * of all platforms. */
enum err_kind store_hold_release(struct store *store, enum platform_id platform, int64_t now_us,
				 int64_t *count_out, struct error *err);
enum err_kind store_hold_condemn(struct store *store, enum platform_id platform, int64_t now_us,
				 int64_t *count_out, struct error *err);
/* Marks an unfinished delivery HOLD_POISONED; false: there is none of that id. */
enum err_kind store_hold_poison(struct store *store, struct str delivery_id, bool *is_marked_out,
				struct error *err);

/* In the transaction that saves the delivery. HOLD_NONE takes the mark away. */
enum err_kind store_hold_set(struct store_tx *tx, struct str delivery_id, enum hold_state state,
			     struct error *err);
