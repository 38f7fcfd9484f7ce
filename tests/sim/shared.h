/* SPDX-License-Identifier: Apache-2.0
 * One SQLite file as a database that several nodes share. What nodes do on PostgreSQL hangs on the
 * driver (sql_is_shared()): rows and beats of nodes, lanes that say who works on them, taking over,
 * the database's clock. Here the same code runs over a file, each node with a store of its own. A
 * write transaction of SQLite is alone with its file, as one on PostgreSQL is alone with its turn
 * (docs/adr/0010). What only PostgreSQL has is not here: turns that are shared, sessions that
 * break, another server's history; tests/postgres and tests/fault/test_cluster.py have them. */
#pragma once

#include "sim.h"

/* A store's URL: this and the file's path. */
#define SHARED_URL "shared:"

/* Once for a process: SQLite's idea of "now" can be set. */
void shared_clock_install(void);
/* The database's machine: its clock is the seed's, with its jumps. NULL = the real time. */
void shared_clock_set(const struct sim *sim);
