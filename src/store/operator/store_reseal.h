/* SPDX-License-Identifier: Apache-2.0
 * Every sealed value of the database, page by page, so that all can be sealed again under another
 * master key while the service works. The store cannot open them: the caller opens and seals, and
 * the store puts the new value in the place of the old one if that is still there. A walk may stop
 * anywhere and begin again: each value is either the old one or the new one, and both open. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "str.h"

struct arena;
struct store;

/* A column that holds sealed values: where it stands, and as which column it is sealed
 * (seal_place). */
struct sealed_column {
	const char *table;
	const char *name;
	const char *sealed_table;
	const char *sealed_name;
};

/* The columns in the order of the walk, from 0; NULL: there are no more. */
const struct sealed_column *store_sealed_column(size_t number);

/* The last row that a walk has seen; all 0 begins one. */
struct sealed_cursor {
	size_t column; /* the walk has ended when store_sealed_column() has none of it */
	struct str id; /* of the row, or of its app */
	int64_t platform;
};

struct sealed_record {
	size_t column;
	struct str id; /* of the row, or of its app */
	int64_t platform;
	struct str row_id; /* of its seal_place */
	struct str sealed; /* as it is stored */
	struct str again;  /* the caller's: what takes its place; empty = it stays */
};

/* The records of the next rows, at most rows_max, that do not begin with head (seal_record_head()),
 * and moves the cursor past them. None does not mean that the walk has ended. */
enum err_kind store_sealed_list(struct store *store, struct arena *arena, struct str head,
				size_t rows_max, struct sealed_cursor *cursor,
				struct sealed_record **out, size_t *count_out, struct error *err);
/* Writes what has an again, where the record is as it was: all of them or none. replaced_out: how
 * many; the others have changed meanwhile and are as new as what changed them. */
enum err_kind store_sealed_replace(struct store *store, const struct sealed_record *records,
				   size_t count, int64_t *replaced_out, struct error *err);

struct sealed_count {
	struct str head; /* seal_key_number_of_record() knows whose it is */
	int64_t records;
};

/* How many records begin alike: a row for each key in use. Reads every account, connection and
 * delivery. */
enum err_kind store_sealed_count(struct store *store, struct arena *arena,
				 struct sealed_count **out, size_t *count_out, struct error *err);
