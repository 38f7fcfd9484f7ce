/* SPDX-License-Identifier: Apache-2.0
 * Brings a database to the schema this program knows: migrations/NNNN_name.sql, embedded at build
 * time, run in order, forward only, each in its own transaction with its row in schema_migrations;
 * an empty database is made in one. Beside it meta has `oldest_program`: programs that know the
 * schema up to that number, or further, can work with the database; older ones refuse it, or
 * stop. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "err.h"

struct sql_connection;

struct migration {
	int number; /* from 1, without gaps */
	const char *name;
	const char *text;
	/* As the file's line "-- oldest_program: N" says; without one, the migration's number. */
	int oldest_program;
};

#define MIGRATE_OLDEST_PROGRAM "oldest_program" /* in meta */

/* Made by embed_sql.py. */
extern const struct migration migrations[];
extern const size_t migrations_count;

/* NONE, or INVALID with what to do: programs as old as this one cannot work with a database for
 * which meta says so. */
enum err_kind migrate_check_program(int64_t oldest_program, struct error *err);

/* INVALID when the database is too new for this program (migrate_check_program). Running it again
 * changes nothing. */
enum err_kind migrate(struct sql_connection *sql, int *version_out, struct error *err);
