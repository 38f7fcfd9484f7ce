/* SPDX-License-Identifier: Apache-2.0
 * See store_outcome.h. */
#include "store_outcome.h"

#include <assert.h>

#include "arena.h"

#include "store_private.h"

const char *store_outcome_name(enum delivery_outcome outcome)
{
	static const char *const names[OUTCOME_COUNT] = {
		[OUTCOME_PUBLISHED] = "published", [OUTCOME_PARTIAL] = "partial",
		[OUTCOME_FAILED] = "failed",       [OUTCOME_UNKNOWN] = "unknown",
		[OUTCOME_CANCELLED] = "cancelled",
	};
	assert((unsigned)outcome < OUTCOME_COUNT);
	return names[outcome];
}

enum delivery_outcome store_outcome_of(enum failure_code code)
{
	if (code == FAILURE_CODE_OUTCOME_UNKNOWN)
		return OUTCOME_UNKNOWN;
	return code == FAILURE_CODE_CANCELLED ? OUTCOME_CANCELLED : OUTCOME_FAILED;
}

void store_outcome_note(struct store *store, enum platform_id platform,
			enum delivery_outcome outcome, enum failure_code code)
{
	assert(platform >= 1 && platform <= PLATFORM_ID_MAX);
	const enum failure_code shown = outcome == OUTCOME_PUBLISHED ? FAILURE_CODE_NONE : code;
	atomic_fetch_add_explicit(&store->outcomes[platform - 1][outcome][shown], 1,
				  memory_order_relaxed);
}

int64_t store_outcome_count(const struct store *store, enum platform_id platform,
			    enum delivery_outcome outcome, enum failure_code code)
{
	return atomic_load_explicit(&store->outcomes[platform - 1][outcome][code],
				    memory_order_relaxed);
}

const struct histogram *store_commits(const struct store *store)
{
	return &store->commits;
}

void store_tx_note_outcome(struct store_tx *tx, const struct tally_end *end)
{
	struct noted_outcome *noted = ARENA_NEW(tx->arena, struct noted_outcome);
	*noted = (struct noted_outcome){end->platform, end->code, tx->outcomes};
	tx->outcomes = noted;
	store_tally_failed(tx, end);
}

void store_tx_count_outcomes(const struct store_tx *tx)
{
	for (const struct noted_outcome *noted = tx->outcomes; noted != NULL; noted = noted->next)
		store_outcome_note(tx->store, noted->platform, store_outcome_of(noted->code),
				   noted->code);
}
