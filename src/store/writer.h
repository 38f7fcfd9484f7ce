/* SPDX-License-Identifier: Apache-2.0
 * Group commit. Threads hand in commands; one of them becomes the leader and runs whoever waits, up
 * to WRITER_GROUP_MAX, in one transaction, each command isolated by a savepoint, then commits and
 * wakes all. The others follow: they sleep until their command is durable. So the cost of a sync
 * is shared by all who came meanwhile (STACK.md C: groups of 32 and more), and nobody waits for a
 * timer. The leader also tidies up (checkpoints) after the answers are out. */
#pragma once

#include "store.h"

#define WRITER_GROUP_MAX 128 /* STACK.md C: more gains little and makes the worst commit longer */

struct sql_connection;
struct writer;

/* sql stays the caller's; store is what commands find in their transaction. */
struct writer *writer_new(struct store *store, struct sql_connection *sql);
/* For a shared database: transactions beside others of their kind. Only for writer_run_for(). */
struct writer *writer_new_shared(struct store *store, struct sql_connection *sql);
/* No command may be under way. */
void writer_free(struct writer **writer);
/* As store_write(). */
enum err_kind writer_run(struct writer *writer, store_command command, void *argument,
			 struct error *err);
/* A command that locks what key names before all else. Those of a group run in the order of their
 * keys, so that transactions side by side never wait for each other in a ring. */
enum err_kind writer_run_for(struct writer *writer, struct str key, store_command command,
			     void *argument, struct error *err);
