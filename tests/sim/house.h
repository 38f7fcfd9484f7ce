/* SPDX-License-Identifier: Apache-2.0
 * Posthorn in the simulation: the real store on a real SQLite file, the real engine, deliverer,
 * adapters, seal and spool, put together as cli/service.c does it. It can die at every probe point
 * of the engine and between any two turns; what a dead house leaves is its directory, from which
 * the next one starts. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "account.h"
#include "platform_id.h"

#include "store.h"

#include "network.h"
#include "sim.h"

struct house;
struct sqlite3;

/* Made once for all seeds: a migrated database with the app, as bytes. */
struct ground {
	char directory[64];
	char *database;
	size_t database_bytes;
};

#define HOUSE_APP_ID "01990000-0000-7000-8000-000000000001"

void ground_open(struct ground *ground);
void ground_close(struct ground *ground);

/* One of several nodes on one database. */
struct house_node {
	size_t index;              /* 0 is made first, and finds an empty ground */
	const struct house *first; /* NULL for 0: the one at which accounts are connected */
	int64_t wall_skew_us;      /* of its machine's clocks */
	int64_t boot_skew_us;
	int64_t drift_ppm;
	int64_t idle_poll_ms;
	/* As in struct network_end; while it opens, nothing waits. */
	void (*wait)(void *context, enum network_wait how, int64_t until_us);
	/* May it come back from a crash with an empty data directory, as another node? */
	bool (*may_move)(void *context);
	void *context;
};

struct house *house_new(struct sim *sim, const struct ground *ground, struct network *network);
struct house *house_new_node(struct sim *sim, const struct ground *ground, struct network *network,
			     const struct house_node *node);
void house_free(struct house **house);

/* How a user of the app connected the account of a home. */
struct house_login {
	const struct home *home;
	size_t number;
	struct str access_token;
	int64_t expires_at_us; /* 0 = not said */
};
/* Returns the account's id here. */
struct str house_connect(struct house *house, const struct house_login *login);
struct store *house_store(struct house *house); /* NULL while it is down */
const struct clock *house_clock(const struct house *house);
struct network_end *house_end(struct house *house);
/* What the engine sleeps from here on is this house's time. */
void house_take_turn(struct house *house);
/* How long a node of several stands still. */
int64_t house_draw_stop_us(struct dice *dice);
/* There is new work. */
void house_wake(struct house *house);
/* There is something to take back. */
void house_wake_removals(struct house *house);
/* One turn, at most so long. False when it died in it; then it stands again. */
bool house_turn(struct house *house, int64_t wait_ms);
/* Dies and starts again. */
void house_crash(struct house *house, const char *where);
/* From within its turn: dies in it, or (leaves) stops as it is told to. Does not return. */
_Noreturn void house_end_turn(struct house *house, bool leaves);

/* How a copy of the database is made. */
enum house_copy_way {
	HOUSE_COPY_FILES,  /* cp of the database and its write-ahead log */
	HOUSE_COPY_BACKUP, /* SQLite's own backup into one file */
	HOUSE_COPY_WAY_COUNT
};

/* Files in memory; zeroed = none. */
struct house_file {
	char *bytes;
	size_t size;
};

struct house_copy {
	bool is_taken;
	struct house_file database;
	struct house_file wal;
};

/* Takes a copy between two turns. Free it with house_copy_free(). */
void house_copy(struct house *house, enum house_copy_way way, struct house_copy *copy_out);
void house_copy_free(struct house_copy *copy);
/* Dies, finds the copy in the place of its database, and starts again. */
void house_restore(struct house *house, const struct house_copy *copy);
/* Deliveries neither published nor failed, those left out that wait for the operator, and removals
 * under way. */
int64_t house_unfinished(struct house *house);
/* Closes everything and opens the file for who wants to look. The house is not used any more, but
 * to be freed. */
struct sqlite3 *house_shut(struct house *house);
