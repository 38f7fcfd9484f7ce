/* SPDX-License-Identifier: Apache-2.0
 * The legal changes of a delivery's state: one table, and the one function that writes a state. The
 * verb that asks for a change sees to its leases, lanes and flows. docs/post-states.md is made from
 * the table. */
#pragma once

#include <stddef.h>

#include "post.h"

#include "sql.h"

struct store_tx;

/* Why a state changes. */
enum delivery_change {
	DELIVERY_CHANGE_CLAIM,
	DELIVERY_CHANGE_KEEP,
	DELIVERY_CHANGE_WAIT,
	DELIVERY_CHANGE_RETRY,
	DELIVERY_CHANGE_PUBLISH,
	DELIVERY_CHANGE_PUBLISH_PART, /* not everything that was asked for */
	DELIVERY_CHANGE_FAIL,
	/* A person's: */
	DELIVERY_CHANGE_CANCEL,
	DELIVERY_CHANGE_RESCHEDULE,
	DELIVERY_CHANGE_RELEASE,   /* the scheduled time became now */
	DELIVERY_CHANGE_EDIT,      /* other content, the same time */
	DELIVERY_CHANGE_TRY_AGAIN, /* out of a final state, as the next */
	DELIVERY_CHANGE_APPEARED,  /* it is there after all */
	DELIVERY_CHANGE_COUNT
};

struct delivery_transition {
	enum post_state from;
	enum delivery_change change;
	enum post_state to;
	const char *reason; /* a sentence for the documents */
};

extern const struct delivery_transition delivery_transitions[];
extern const size_t delivery_transition_count;

/* "claim", "try_again" */
const char *delivery_change_name(enum delivery_change change);
/* The row, or NULL: such a change is not legal. */
const struct delivery_transition *delivery_transition_find(enum post_state from,
							   enum delivery_change change);

/* A delivery as it was read: what is compared before it is set. */
struct delivery_before {
	struct str id;
	int64_t fence;
	enum post_state state;
	/* not read in this transaction: CONFLICT instead of TEMPORARY when it is otherwise */
	bool is_guess;
	/* for events, where they are known; empty = read for it */
	struct str app_id;
	struct str post_id;
};

/* The only writer of deliveries.state. Runs statement with ?1 = id, ?2 = fence, ?3 = the new state,
 * ?4 = the state before, then values; it names all four. Post state and counters are the caller's
 * (post_state_refresh). INTERNAL: the table has no such change, nothing is written. TEMPORARY: the
 * row is not any more as it was read (CONFLICT: as it was guessed to be). */
enum err_kind delivery_state_change(struct store_tx *tx, const struct delivery_before *before,
				    enum delivery_change change, enum sql_name statement,
				    struct sql_args values, struct error *err);

/* The same in three steps, for several deliveries whose rows are written together: prepared, run
 * (sql_run_all), and judged. The texts of before and values must live until then. */
struct delivery_changing {
	struct delivery_before before;
	const struct delivery_transition *row;
	struct sql_call call;
};
enum err_kind delivery_state_prepare(struct store_tx *tx, const struct delivery_before *before,
				     enum delivery_change change, enum sql_name statement,
				     struct sql_args values, struct delivery_changing *out,
				     struct error *err);
enum err_kind delivery_state_judge(struct store_tx *tx, const struct delivery_changing *changing,
				   struct error *err);
