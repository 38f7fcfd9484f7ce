/* SPDX-License-Identifier: Apache-2.0
 * The simulation's own small things: dice, time, the trace. One seed gives one run, one run gives
 * one trace, and the same seed gives the same trace again. Everything that could differ between two
 * runs (time, chance, the order of events) is drawn here. The cast: world.h is the six platforms as
 * they really are, network.h is everything that can go wrong on the way there, house.h is Posthorn
 * itself on a store that can crash, nodes.h several of it on one database, script.h says what
 * customers do, check.h judges the end. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"
#include "clock.h"
#include "random.h"
#include "str.h"

#define SIM_START_US (INT64_C(1790000000) * US_PER_S) /* an instant in 2026 */

struct dice {
	uint64_t state;
};

uint64_t dice_next(struct dice *dice);
/* 0 .. limit - 1 */
int64_t dice_below(struct dice *dice, int64_t limit);
int64_t dice_between(struct dice *dice, int64_t from, int64_t to);
bool dice_permille(struct dice *dice, int64_t permille);

/* Deliberately broken engines, made by wrapping its ports: tests of the test. */
enum mutant {
	MUTANT_NONE,
	MUTANT_SEND_BEFORE_COMMIT,    /* a crash loses the commit that came before the sends */
	MUTANT_RETRY_ON_500,          /* a 5xx to a publish call is taken as never sent */
	MUTANT_LOST_IS_NEVER_SENT,    /* a lost answer to a publish call likewise */
	MUTANT_DELETE_WITHOUT_INTENT, /* that a deletion begins is not written down */
	MUTANT_REMOVE_UNASKED,        /* asked about one account, it takes back all */
	MUTANT_LOST_IS_REMOVED,       /* a lost answer to a deletion is taken as a good one */
	MUTANT_COUNT
};

const char *mutant_name(enum mutant mutant);

/* What makes one seed harder than another; drawn first. */
struct weather {
	int64_t fault_permille; /* of calls to platforms */
	int64_t crash_permille; /* of probe points */
	int64_t commit_fault_permille;
	int64_t late_permille; /* of posts that the platform shows late */
	bool has_clock_jumps;
	bool has_pauses;
	bool has_dishonest_reads; /* looks are answered with refusals and rubbish too */
	bool x_knows_duplicates;
	bool facebook_knows_duplicates;
	bool ids_are_numbers;
	bool retry_unknown_once; /* the app's setting */
	bool has_people;         /* people.h */
	bool has_restore;
};

struct totals {
	int64_t seeds, violations, doubled, lost, dishonest;
	int64_t accepted, deliveries, parts, published, partial, failed, unknown, unknown_visible;
	int64_t calls, publish_calls, faults, crashes, in_doubt, commit_faults, jumps, pauses,
		refreshes, cancels, retries, edits, too_late, drafts, drafts_left, repeats,
		restores, held, told_as_copied, looked_for;
	/* of posts that were taken back, by platform post */
	int64_t nameless; /* TikTok's posts that were given up without an id */
	int64_t unpublishes, removed, removals_failed, removals_unknown, unsupported, removals_lost,
		removed_by_hand, deletions, removed_and_seen, removed_wrongly, after_removal;
	/* with several nodes */
	int64_t node_seeds, stops, moves, takeovers, lost_fences;
	int64_t twin_seeds; /* with accounts that two users have connected */
	/* pairs of posts of one platform account whose order was judged, and those of two users */
	int64_t orders, twin_orders;
	int64_t simulated_us;
	int64_t failed_by_code[64];
};

struct sim {
	uint64_t seed;
	enum mutant mutant;
	bool prints;
	struct dice dice;         /* the world's, the script's, the faults' */
	struct dice product_dice; /* behind the product's random source */
	struct weather weather;
	bool is_healed;         /* no more faults */
	struct arena *arena;    /* as long as the seed */
	int64_t true_us;        /* the world's time; never jumps */
	int64_t wall_offset_us; /* what our wall clock is wrong by */
	int64_t wall_offset_least_us;
	int64_t wall_offset_most_us;
	int64_t commit_count; /* of all engines */
	uint64_t hash;
	struct totals *totals;
	int violation_count; /* of this seed */
	struct clock clock;
	struct random_source random;
};

void sim_begin(struct sim *sim, uint64_t seed, enum mutant mutant, bool prints,
	       struct totals *totals);
void sim_end(struct sim *sim);
/* One line of the trace: hashed always, printed on demand. */
void sim_trace(struct sim *sim, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A broken promise. */
void sim_violation(struct sim *sim, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Likewise, of those about taking back: it is counted apart. */
#define sim_removal_violation(sim, ...) \
	((sim)->totals->removed_wrongly++, sim_violation(sim, __VA_ARGS__))
bool sim_chance(struct sim *sim, int64_t permille);
