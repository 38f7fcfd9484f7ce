/* SPDX-License-Identifier: Apache-2.0
 * Does a platform answer at all? One GET of nothing in particular, on the engine and through its
 * transport, so that what is found out is true of deliveries too. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "platform_id.h"
#include "str.h"

struct arena;
struct connector;

struct reach {
	/* in: which to ask; none where none may be asked (connector_config.closed_why) */
	bool is_wanted[PLATFORM_ID_MAX + 1];
	bool is_answered[PLATFORM_ID_MAX + 1];
	struct str why[PLATFORM_ID_MAX + 1]; /* when not answered: a sentence, in arena */
};

/* Asks all that are wanted at once, and blocks for at most wait_ms. Any answer will do, also one
 * that says no. */
void connector_reach(struct connector *connector, struct arena *arena, int64_t wait_ms,
		     struct reach *reach);
