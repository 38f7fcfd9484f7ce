/* SPDX-License-Identifier: Apache-2.0
 * What is done for a delivery after its end: it is taken back (store_removal.h), or its id is
 * looked for (store_late_id.h). Each is one row beside the delivery, which stays as it is. It is
 * claimed by the deliverer with a lease and a fence of its own, begins when its delivery is final,
 * and holds its account's lane while it works, so that nothing else refreshes the account's tokens
 * meanwhile. Saving is each kind's own. */
#pragma once

#include <stddef.h>

#include "store_delivery.h"

enum after_kind { AFTER_REMOVAL, AFTER_LATE_ID, AFTER_KIND_COUNT };

/* A claimed row. */
struct after_work {
	enum after_kind kind;
	/* of the delivery; fence, attempts and looks are the row's, flow too once it has one (else
	 * the delivery's, without its secrets); due_at_us is when a removal was asked for, and when
	 * a late id was to be looked for */
	struct delivery_work delivery;
	bool is_new; /* it has no flow of its own; a late id never has */
	/* a deletion was begun, and nobody knows what came of it: in this removal, or in the one
	 * before it, which ended so */
	bool is_call_open;
	int64_t until_us;           /* of a late id: when it is given up */
	struct str parts;           /* of the delivery */
	int64_t post_created_at_us; /* when the post was accepted */
};

struct after_claim {
	enum after_kind kind;
	int64_t now_us;
	int64_t lease_us;
	size_t max;
};

/* Claims due rows of that kind, one at a time for each account; those whose delivery is not final,
 * whose account is busy, and what is paused or suspended wait. What can only end (its account is
 * disconnected, its app deleted) does not. Writes an array in arena. */
enum err_kind store_after_claim(struct store_tx *tx, struct arena *arena,
				const struct after_claim *claim, struct after_work **out,
				size_t *count_out, struct error *err);
/* When the next one of any kind can be claimed, as things stand; 0 = none. */
enum err_kind store_after_next_due(struct store *store, int64_t *due_at_us_out, struct error *err);
