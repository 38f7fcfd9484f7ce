/* SPDX-License-Identifier: Apache-2.0
 * The answers of one look of a resolver (rules.md 2.3). Pure. */
#pragma once

#include <stdint.h>

#include "str.h"

#include "platform.h"

/* Ends the probe with that answer and clears flow->probe. Returns NULL, as the stage functions
 * do. */
const char *resolver_end(struct flow *flow, struct step *step, enum step_kind kind);
/* A probe with a list: resolver_matches_begin(), resolver_match_add() for each candidate,
 * resolver_matches_end(), which makes it STEP_UNKNOWN when there was none. */
void resolver_matches_begin(struct flow *flow, struct step *step);
const char *resolver_matches_end(struct step *step);
/* Matches past STEP_MATCHES_MAX are dropped: two are already too many to choose from. */
void resolver_match_add(struct step *step, struct str remote_id, struct str url);
/* Are both texts the same to a reader? Blanks at both ends and the form of line ends do not
 * count. */
bool resolver_texts_equal(struct arena *arena, struct str a, struct str b);

/* Anything that appeared since then may be ours: the start of the part's first uncertain call, less
 * 2 minutes because their clock and ours may differ (rules.md 2.3, "Match rule"). Remembers
 * that start in the flow, since a call may become uncertain twice. */
int64_t resolver_since_us(const struct env *env, struct flow *flow);
/* The start of the current part's first uncertain call; 0 = there was none. */
int64_t resolver_uncertain_us(const struct flow *flow);
/* Was our clock set since the flow's first publish call? Then elapsed time since that call is
 * unknown. delivery/ sets the variable. */
#define FLOW_CLOCK_MOVED "delivery.clock_moved"
bool resolver_clock_has_moved(const struct flow *flow);
/* Is the instant, as milliseconds since 1970 or as RFC 3339 text, not before resolver_since_us()?
 * False for an unreadable one. */
bool resolver_is_since_ms(const struct env *env, struct flow *flow, int64_t created_ms);
bool resolver_is_since(const struct env *env, struct flow *flow, struct str created_at);
