/* SPDX-License-Identifier: Apache-2.0
 * The table. It is small on purpose: the fewer ways, the fewer surprises. */
#include "delivery_transitions.h"

#include <assert.h>

/* Row: from, column: to. Processing to itself is work going on, or taken up again after a lease
 * ran out. Published and failed are final. */
static const bool is_legal[POST_STATE_COUNT][POST_STATE_COUNT] = {
	[POST_PENDING] = {[POST_PROCESSING] = true},
	[POST_SCHEDULED] = {[POST_PROCESSING] = true},
	[POST_PROCESSING] = {[POST_PROCESSING] = true,
			     [POST_RETRYING] = true,
			     [POST_PUBLISHED] = true,
			     [POST_FAILED] = true},
	[POST_RETRYING] = {[POST_PROCESSING] = true},
	[POST_PUBLISHED] = {0},
	[POST_FAILED] = {0},
};

bool delivery_transition_is_legal(enum post_state from, enum post_state to)
{
	assert((unsigned)from < POST_STATE_COUNT);
	assert((unsigned)to < POST_STATE_COUNT);
	return is_legal[from][to];
}
