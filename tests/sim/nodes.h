/* SPDX-License-Identifier: Apache-2.0
 * Several nodes of Posthorn on one database (shared.h), in the seeds that draw them. Each is a
 * house of its own with its engine, store, data directory, clocks and gates. It runs until it
 * waits, for an answer, for a sleep to end, stopped in the middle of a turn; then another one goes
 * on at that instant. So a node may come back to a call after its lease was taken over, while the
 * one that took it stands still itself. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "house.h"
#include "network.h"
#include "sim.h"

struct nodes;
struct sqlite3;

/* Does this seed have nodes? Seeds in which copies may be put back have not. */
bool nodes_are_in(uint64_t seed);

struct nodes *nodes_new(struct sim *sim, const struct ground *ground, struct network *network);
/* Ends all nodes where they stand. */
void nodes_free(struct nodes **nodes);
/* The first; for what needs a house before anything runs, and after all has ended. */
struct house *nodes_first(struct nodes *nodes);
/* One that can be talked to now, or NULL. */
struct house *nodes_any_awake(struct nodes *nodes);
/* They live until then. */
void nodes_run(struct nodes *nodes, int64_t until_us);
/* What they had to do with each other, out of their database: for the totals. */
void nodes_tally(struct sim *sim, struct sqlite3 *db);
