/* SPDX-License-Identifier: Apache-2.0
 * Moving a whole database from SQLite to PostgreSQL: every table, row by row, in transactions that
 * also say how far they got, so that a move that was cut off goes on where it was. At the end both
 * sides are read again and compared, by the number of rows and by a digest over all of them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "err.h"

struct clock;
struct log;

struct store_move_config {
	const char *from_url; /* "sqlite:PATH"; nobody else may have it open */
	const char *to_url;   /* "postgres://..."; empty, or of a move that was cut off */
	const struct clock *clock;
	const struct log *log;
};

struct store_moved {
	int64_t tables;
	int64_t rows;    /* there are now */
	int64_t resumed; /* of them there were before */
};

/* Blocks as long as it takes. The source keeps its rows; it is opened as by a start (schema,
 * leases). INVALID: not these two kinds; NOT_FOUND: no source; CONFLICT: the source is in use, or
 * the target holds something else; INTERNAL: the two differ in the end (the text names the
 * table). */
enum err_kind store_move(const struct store_move_config *config, struct store_moved *out,
			 struct error *err);
