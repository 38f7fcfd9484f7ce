/* SPDX-License-Identifier: Apache-2.0
 * Group commit. Threads hand in commands. One of them becomes the leader and runs those that wait,
 * up to WRITER_GROUP_MAX, in one transaction; then it commits and wakes all. The others sleep until
 * their command is durable. So all who came meanwhile share the cost of one sync (dependencies.md
 * C: groups of 32 and more), and nobody waits for a timer. The leader also tidies up (checkpoints)
 * after the answers are out.
 *
 * A command that fails takes nobody along: a savepoint isolates it. Commands of one batch run as
 * one, without savepoints between them (docs/adr/0012); when that fails, nothing of it is kept and
 * each is run again alone. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "str.h"

/* dependencies.md C: more gains little and makes the worst commit longer */
#define WRITER_GROUP_MAX 128

struct arena;
struct clock;
struct histogram;
struct sql_connection;
struct store_tx;
struct writer;

/* As store_command (store.h). */
typedef enum err_kind (*writer_command)(struct store_tx *tx, void *argument, struct error *err);
/* Several commands at once. What becomes of each stands in its argument; another result than NONE
 * undoes all, and each is run again with a count of 1, from the beginning. */
typedef enum err_kind (*writer_batch)(struct store_tx *tx, void *const arguments[], size_t count,
				      struct error *err);

struct writer_config {
	struct sql_connection *sql; /* stays the caller's; used by the leader alone */
	/* Transactions run beside others of their kind on a shared database: each locks what it
	 * touches (store_tx_lock_app()). */
	bool is_shared;
	/* Runs command in the transaction that has begun on config->sql, with all it leaves to its
	 * end. What it puts into arena is gone when it returns. */
	enum err_kind (*run)(const struct writer_config *config, struct arena *arena,
			     writer_command command, void *argument, struct error *err);
	/* The first command of a transaction on a server or a database with another history
	 * (sql_driver.history), which is alone then; argument is a pointer to it (struct
	 * sql_history). NULL: nothing that is written here depends on it. */
	writer_command judge;
	/* A command leaves the queue after queue_limit_ms, and its group has group_limit_ms
	 * (sql_driver.set_limit), unless it was handed in by writer_run_patiently(). 0 = no
	 * limits. */
	int64_t queue_limit_ms;
	int64_t group_limit_ms;
	/* A group's transaction is over, one way or the other, and nobody has heard of it yet. May
	 * be NULL. */
	void (*ended)(const struct writer_config *config);
	void *context; /* of run and ended */
	/* Told how long each transaction took that was kept (HISTOGRAM_COMMITS). NULL = none. */
	struct histogram *commits;
	const struct clock *clock; /* with commits */
};

/* Copies config. NULL when out of memory. */
struct writer *writer_new(const struct writer_config *config);
/* No command may be under way. Nulls the pointer; NULL inside is fine. */
void writer_free(struct writer **writer);
/* Runs command in a group and returns after its commit, or after nothing of it was kept. Blocks.
 * Returns what command returned, or the transaction's failure: TEMPORARY (nothing was written),
 * UNCERTAIN (it is not known). err may be NULL. */
enum err_kind writer_run(struct writer *writer, writer_command command, void *argument,
			 struct error *err);
/* As writer_run(), without the limits of the config: for what must not be given up. */
enum err_kind writer_run_patiently(struct writer *writer, writer_command command, void *argument,
				   struct error *err);
/* As writer_run(), for a command that locks what the key names, and nothing before: commands run in
 * the order of their keys, as those of a batch do. */
enum err_kind writer_run_keyed(struct writer *writer, struct str key, writer_command command,
			       void *argument, struct error *err);
/* As writer_run(), for one of a batch, which first of all locks what the keys name: arguments stand
 * in the order of their keys, so that transactions side by side never wait for each other in a
 * ring. */
enum err_kind writer_run_batched(struct writer *writer, struct str key, writer_batch batch,
				 void *argument, struct error *err);
