/* SPDX-License-Identifier: Apache-2.0
 * Judges whether the posts of one platform account took turns, those of all users who have
 * connected it: one at a time (L2), and in the order of their times (L3). */
#pragma once

#include "script.h"
#include "sim.h"
#include "world.h"

struct sqlite3;

void turns_check(struct sim *sim, const struct script *script, const struct world *world,
		 struct sqlite3 *db);
