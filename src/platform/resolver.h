/* SPDX-License-Identifier: Apache-2.0
 * The answers of one look of a resolver (rules.md 2.3). Pure. */
#pragma once

#include <stdint.h>

#include "str.h"

#include "platform.h"

/* Ends the look with that answer and clears the probe. Returns NULL, as the stage functions do. */
const char *resolver_end(struct flow *flow, struct step *step, enum step_kind kind);
/* A look with a list: resolver_matches_begin(), resolver_match_add() for each candidate,
 * resolver_matches_end(), which makes it STEP_UNKNOWN when there was none. */
void resolver_matches_begin(struct flow *flow, struct step *step);
const char *resolver_matches_end(struct step *step);
/* Past STEP_MATCHES_MAX they are left out, since two are already too many to choose from. */
void resolver_match_add(struct step *step, struct str remote_id, struct str url);
/* Are both texts the same to a reader: blanks at both ends and the form of line ends do not
 * count. */
bool resolver_texts_equal(struct arena *arena, struct str a, struct str b);

/* What appeared since then may be ours: the start of the part's first call in doubt, less 2 minutes
 * since their clock and ours may differ (rules.md 2.3, "Match rule"). Remembers that start,
 * since a call may come into doubt twice. */
int64_t resolver_since_us(const struct env *env, struct flow *flow);
/* The start of the current part's first call in doubt; 0 when there was none. */
int64_t resolver_uncertain_us(const struct flow *flow);
/* Was our clock set since the flow's first publish call? Then no time since then can be told. The
 * keeper of the flow notes it. */
#define FLOW_CLOCK_MOVED "delivery.clock_moved"
bool resolver_clock_has_moved(const struct flow *flow);
/* Is the instant, as milliseconds since 1970 or as RFC 3339 text, since then? Not for what cannot
 * be read. */
bool resolver_is_since_ms(const struct env *env, struct flow *flow, int64_t created_ms);
bool resolver_is_since(const struct env *env, struct flow *flow, struct str created_at);
