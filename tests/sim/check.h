/* SPDX-License-Identifier: Apache-2.0
 * The judge: holds what was accepted against what the world can see and what we say of it
 * (rules.md 3, I1 to I7). */
#pragma once

#include "script.h"
#include "sim.h"
#include "world.h"

struct sqlite3;

void check_all(struct sim *sim, const struct script *script, const struct world *world,
	       struct sqlite3 *db);
