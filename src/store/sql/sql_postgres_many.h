/* SPDX-License-Identifier: Apache-2.0
 * Statements of sql_statements.def that PostgreSQL runs for many rows at once. What is made of one
 * is the same statement over a table of its parameters, one row for each time it was to run, so
 * that the server plans, starts and ends it once. The text of the one follows from the text of the
 * other: there is no second set. docs/adr/0025. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "sql.h"

/* Rows in one statement; few enough that each is compared with all before it. */
#define SQL_MANY_ROWS_MAX 128
/* Of their parameters; a row with more goes alone. */
#define SQL_MANY_BYTES_MAX ((size_t)1 << 20)

struct sql_many;

/* What the driver is handed, at most SQL_ARGS_MAX parameters: an array each. */
struct sql_many_bound {
	unsigned types[SQL_ARGS_MAX];
	const char *values[SQL_ARGS_MAX];
	int lengths[SQL_ARGS_MAX];
	size_t count;
};

/* Can it be run for many rows at once? */
bool sql_many_is_joined(enum sql_name name);
/* Of such a statement: is how many rows each of its parameters' rows wrote told? Then it returns
 * the places of those that wrote one, from 1 on; else each wrote one. */
bool sql_many_returns_places(enum sql_name name);
/* text: the statement with its parameters as ?1, ?2 ..., types: those of its parameters. Returns
 * the statement over many rows, NUL-terminated, in arena. A text that cannot be made so is our bug
 * and asserts. */
char *sql_many_text(struct arena *arena, const char *text, struct sql_args types);
/* What a row's parameters take. */
size_t sql_many_bytes(struct sql_args args);
/* The parameters of count rows as arrays, in arena. False: the arena is full. */
bool sql_many_bind(struct arena *arena, const struct sql_args *rows, size_t count,
		   struct sql_many_bound *bound);
/* Do the two rows of a statement write the same row of a table? Then they are not one statement,
 * which writes a row once. */
bool sql_many_are_the_same(enum sql_name name, struct sql_args a, struct sql_args b);

/* ---- statements that nobody waits for ---- */

struct sql_many_batch {
	enum sql_name name;
	size_t count;
	struct sql_args rows[SQL_MANY_ROWS_MAX];
};

/* Never NULL. The caller frees it with sql_many_free(), which sets *many to NULL. */
struct sql_many *sql_many_new(void);
void sql_many_free(struct sql_many **many);
/* Keeps a copy of a statement that is to run later, with others of its kind: with the last of them,
 * unless that would change its order to another to which it matters. False: what is kept has to run
 * first, and be cleared; then there is room for it, if it is not too large. */
bool sql_many_add(struct sql_many *many, enum sql_name name, struct sql_args args);
/* What is kept, in its order; NULL = no more. */
const struct sql_many_batch *sql_many_batch(const struct sql_many *many, size_t i);
/* For what running it needs. Cleared with it. */
struct arena *sql_many_arena(struct sql_many *many);
void sql_many_clear(struct sql_many *many);
