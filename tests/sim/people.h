/* SPDX-License-Identifier: Apache-2.0
 * What people do to posts that were accepted: cancel, edit, try again (one or many), publish again
 * at their own risk, say that a post did appear, hand it in once more, take it back; to drafts:
 * change and publish them, or never; and what an operator does to the database: put a copy back.
 * Half of the seeds have people. They draw from dice of their own, so that a seed without them runs
 * as it would run if there were none. */
#pragma once

#include <stdint.h>

#include "house.h"
#include "script.h"
#include "sim.h"
#include "world.h"

struct people;

/* Draws who does what and when. Lives in the seed's arena. */
struct people *people_new(struct sim *sim, struct script *script);
/* Does what is due. Returns when the next thing is due, INT64_MAX when nothing is left. */
int64_t people_act(struct people *people, struct script *script, struct world *world,
		   struct house *house);
/* Files that were kept for putting back are given up. */
void people_free(struct people *people);
