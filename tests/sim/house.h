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
	bool has_restores; /* copies are put back, in every fourth seed */
};

#define HOUSE_APP_ID "01990000-0000-7000-8000-000000000001"

void ground_open(struct ground *ground);
void ground_close(struct ground *ground);

struct house *house_new(struct sim *sim, const struct ground *ground, struct network *network);
void house_free(struct house **house);

/* The account of that home, with these tokens. Returns its id here. */
struct str house_connect(struct house *house, const struct home *home, struct str access_token,
			 int64_t expires_at_us);
struct store *house_store(struct house *house);
/* There is new work. */
void house_wake(struct house *house);
/* One turn, at most so long. False when it died in it; then it stands again. */
bool house_turn(struct house *house, int64_t wait_ms);
/* Dies and starts again. */
void house_crash(struct house *house, const char *where);

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
/* Deliveries neither published nor failed, those left out that wait for the operator. */
int64_t house_unfinished(struct house *house);
/* Closes everything and opens the file for who wants to look. The house is not used any more, but
 * to be freed. */
struct sqlite3 *house_shut(struct house *house);
