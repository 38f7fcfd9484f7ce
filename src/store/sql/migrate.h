/* SPDX-License-Identifier: Apache-2.0
 * Brings a database to the schema this program knows: migrations/NNNN_name.sql, embedded at build
 * time, run in order, forward only, each in its own transaction with its row in
 * schema_migrations. */
#pragma once

#include <stddef.h>

#include "err.h"

struct sql_connection;

struct migration {
	int number; /* from 1, without gaps */
	const char *name;
	const char *text;
};

/* Made by embed_sql.py. */
extern const struct migration migrations[];
extern const size_t migrations_count;

/* INVALID when the database is newer than this program. Running it again changes nothing. */
enum err_kind migrate(struct sql_connection *sql, int *version_out, struct error *err);
