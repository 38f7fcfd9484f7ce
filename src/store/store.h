/* SPDX-License-Identifier: Apache-2.0
 * The store: everything Posthorn knows, durably. Its verbs speak of the domain and stand by
 * aggregate in store_app.h, store_connection.h, store_post.h, store_delivery.h and the other
 * headers of this folder. Beneath is sql.h, with one set of statements and a driver per database.
 *
 * Writing: every verb that writes is a command of a group commit. One writer takes those that wait
 * into one transaction (each isolated by a savepoint), commits durably (synchronous=FULL), then
 * lets all return. On PostgreSQL transactions that keep to some apps run beside those of other
 * apps, and the rest is alone (docs/adr/0017). A verb returns after its commit, so an answer given
 * after it is a promise kept. The engine writes a whole turn as one command with
 * store_write_turn().
 *
 * Reading: on read-only connections, one per calling thread at a time. A read sees every commit
 * that returned before it began.
 *
 * All functions may block on the disk and may be called from any thread. Instants are microseconds
 * UTC, 0 = none. Texts that come out live in the arena that was handed in; NOT_FOUND leaves out
 * untouched. Secrets come and go sealed: the store never sees them open. Errors common to all:
 * TEMPORARY (disk full, busy, I/O: nothing was promised), UNCERTAIN (PostgreSQL: the reply to the
 * COMMIT was lost and the database stayed away: it may be written), TOO_LARGE (the arena is full),
 * INTERNAL. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "err.h"
#include "quota.h"
#include "str.h"

struct arena;
struct clock;
struct log;
struct store;
struct store_tx;

struct store_config {
	const char *url; /* "sqlite:PATH" or "postgres://..." */
	const struct clock *clock;
	const struct log *log;
	const char *epoch_path; /* the restore guard's file (store_guard.h); NULL = no guard */
	/* keeps the id of this node of a shared database (store_node.h); NULL =  another one at
	 * each start */
	const char *node_path;
	unsigned readers_max; /* 0 = 16 read connections */
	/* take the lock file and void old leases: the serving process. A command line that runs
	 * beside a dead service is owner too, for its moment */
	bool is_owner;
	/* SQLite with synchronous=NORMAL, which forgets the newest commits at a power cut: never
	 * but in the test that proves that such a loss is seen (tests/fault/test_power_cut.py) */
	bool is_sync_relaxed;
	struct quota_limits quotas; /* of apps without their own (store_quota.h); 0 = no limit */
};

/* Opens (makes) the database, takes the lock, runs migrations. CONFLICT when another process owns
 * the file (err->text says which). */
enum err_kind store_open(const struct store_config *config, struct store **store_out,
			 struct error *err);
/* No verb may be running. Nulls the pointer; NULL inside is fine. Blocks. */
void store_close(struct store **store);

/* Runs command inside a group-committed transaction and returns after the commit. command returns
 * NONE to keep what it did, anything else to roll its own part back; that kind is returned. It may
 * run again when the transaction as a whole had to be rolled back: it must only touch tx and its
 * own argument. It must not call other store functions than those that take tx. */
typedef enum err_kind (*store_command)(struct store_tx *tx, void *argument, struct error *err);
enum err_kind store_write(struct store *store, store_command command, void *argument,
			  struct error *err);
/* A turn of an engine (store_write_turn). */
struct store_turn {
	store_command command;
	void *argument;
	/* Whose rows it changes, beside those that it claims; in any order, with repetitions. */
	const struct str *app_ids;
	size_t app_count;
};
/* As store_write_patiently(). Where several nodes share the database the turn runs beside theirs:
 * it has the apps that it names, and those that it claims from, for itself until it ends
 * (docs/adr/0017). */
enum err_kind store_write_turn(struct store *store, const struct store_turn *turn,
			       struct error *err);
/* Does nobody else write until tx ends? Always where one process owns the database. */
bool store_tx_is_alone(const struct store_tx *tx);
/* The next turn of this store shall be alone: for what goes over all apps. */
void store_tx_want_alone(struct store_tx *tx);
/* As store_write(). On PostgreSQL that one gives up within 20 s when the database does not answer
 * (TEMPORARY, or UNCERTAIN when only the COMMIT is missing): a request waits for it. This one waits
 * longer, for what should not be done twice. */
enum err_kind store_write_patiently(struct store *store, store_command command, void *argument,
				    struct error *err);

/* Runs command inside tx so that its failure undoes no more than its own part: tx can go on then.
 * TEMPORARY means that it cannot. */
enum err_kind store_tx_isolate(struct store_tx *tx, store_command command, void *argument,
			       struct error *err);

/* Nothing that was deleted is in the database's files any more when it returns NONE: SQLite's log
 * is cut to nothing (what a row leaves in a page is overwritten at once), PostgreSQL's dead rows
 * are vacuumed. Blocks. TEMPORARY: somebody still reads an old state; ask again. */
enum err_kind store_wipe(struct store *store, struct error *err);
/* Is the database reachable and writable? For /readyz. */
enum err_kind store_check(struct store *store, struct error *err);
/* Has the database said that its content is damaged (its pages, not what we wrote into them)? Then
 * nothing new is accepted, until another start has found it sound. */
bool store_is_damaged(const struct store *store);
/* Counts again what lists go by, from the posts. Blocks the writer: a second or so for a
 * million. */
enum err_kind store_counters_rebuild(struct store *store, struct error *err);
/* The same, but only when counters were found to be wrong: by this process, or (is_start)
 * before. */
enum err_kind store_counters_mend(struct store *store, bool is_start, bool *is_mended_out,
				  struct error *err);
/* Does the database keep what it has committed when its machine stops? *why_out: "", or a sentence
 * for people in arena. */
enum err_kind store_durability(struct store *store, struct arena *arena, struct str *why_out,
			       struct error *err);
/* Are there sealed values, which nobody opens without the master key that sealed them? */
enum err_kind store_holds_secrets(struct store *store, bool *holds_out, struct error *err);
/* The time to go by: the database's where several nodes share it, else the config's clock. As long
 * as the store. */
const struct clock *store_clock(const struct store *store);
/* Schema version in use (number of the last migration). */
int store_schema_version(struct store *store);
