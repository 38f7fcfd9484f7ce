/* SPDX-License-Identifier: Apache-2.0
 * The thin SQL layer under the store: prepared statements, values by position, rows one by one. One
 * set of statements (sql_statements.def) serves every driver; a statement is written once with ?1,
 * ?2 ... and in the few places where databases differ names a {dialect word}, which the driver's
 * table replaces. Values are always bound, never written into a statement. Nothing outside store/
 * sees this. A connection is used by one thread at a time.
 * Kinds: TEMPORARY (full, busy, I/O, no connection), CONFLICT (a unique value is taken), NOT_FOUND
 * (a row that is referred to is not there), TOO_LARGE (the caller's arena is full), INVALID (a text
 * that the database cannot hold), UNCERTAIN (of a COMMIT alone: nobody knows), INTERNAL (corrupt,
 * our bug). */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "str.h"

struct arena;

enum sql_name {
#define SQL(name, text) SQL_##name,
#include "sql_statements.def"
#undef SQL
	SQL_NAME_COUNT
};

struct sql_statement {
	const char *name; /* for messages */
	const char *text;
};

extern const struct sql_statement sql_statements[SQL_NAME_COUNT];

enum sql_type { SQL_TYPE_INT, SQL_TYPE_TEXT, SQL_TYPE_BLOB };

/* A parameter. There is no NULL: empty means none throughout the schema. */
struct sql_value {
	enum sql_type type;
	int64_t number;
	struct str bytes;
};

struct sql_args {
	const struct sql_value *values;
	size_t count;
};

#define SQL_ARGS_MAX 40
#define SQL_ARGS(...) \
	((struct sql_args){(const struct sql_value[]){__VA_ARGS__}, \
			   sizeof((const struct sql_value[]){__VA_ARGS__}) / \
				   sizeof(struct sql_value)})
#define SQL_NO_ARGS ((struct sql_args){NULL, 0})

static inline struct sql_value sql_int(int64_t number)
{
	return (struct sql_value){.type = SQL_TYPE_INT, .number = number};
}

static inline struct sql_value sql_text(struct str text)
{
	return (struct sql_value){.type = SQL_TYPE_TEXT, .bytes = text};
}

static inline struct sql_value sql_word(const char *word)
{
	return sql_text(str_of(word));
}

static inline struct sql_value sql_blob(struct str bytes)
{
	return (struct sql_value){.type = SQL_TYPE_BLOB, .bytes = bytes};
}

/* What a connection is for. */
enum sql_role {
	SQL_ROLE_OWNER,  /* writes, and keeps the file tidy (checkpoints) */
	SQL_ROLE_WRITER, /* writes beside an owner in another process; never checkpoints */
	SQL_ROLE_READER
};

struct sql_config {
	const char *path; /* a file, or the URL of a PostgreSQL database */
	enum sql_role role;
	int64_t cache_bytes;
	int busy_timeout_ms;
	bool is_sync_relaxed; /* store.h */
	/* Set when the database says that its content is damaged; NULL = nobody asks. */
	atomic_bool *is_damaged;
	int64_t limit_ms; /* sql_driver.set_limit, from the start; 0 = none */
	/* OWNER of a file: where the commit mark stands (commit_mark.h); NULL = none */
	const char *mark_path;
};

/* {word} -> text; in text the mark @ stands for the word's argument ({word ?1}). */
struct sql_dialect_word {
	const char *word;
	const char *text;
};

struct sql_connection {
	const struct sql_driver *driver;
	atomic_bool *is_damaged; /* sql_config */
	/* Apps, admins, tokens, keys or accounts were written; who asks sets it back. */
	bool has_changed_access;
	/* Something was left to the index of words (store_words.h); who asks sets it back. */
	bool has_left_words;
	/* Of a file's owner: its next tidy() empties the write-ahead log, cuts it to nothing, and
	 * takes this back when it could. */
	atomic_bool wants_empty_log;
};

struct sql_cursor {
	struct sql_connection *connection;
	enum sql_name name;
	void *statement;     /* the driver's */
	struct arena *arena; /* texts are copied here */
	struct error *err;
	enum err_kind kind;
	int column; /* the next to be taken */
	bool is_open;
	bool has_row;    /* at least one row was given */
	int64_t changes; /* rows written; set when it ends */
};

struct sql_call;

/* Two numbers, 0 = unknown. */
struct sql_history {
	int64_t server;   /* changes when a replica is promoted, or a server is recovered */
	int64_t database; /* changes when a dump is put back: what is kept is told from a copy */
};

struct sql_driver {
	enum err_kind (*open)(const struct sql_config *config, struct sql_connection **out,
			      struct error *err);
	/* Frees all statements and nulls the pointer; NULL is fine. */
	void (*close)(struct sql_connection **connection);
	/* Statements without parameters, separated by semicolons: migrations. */
	enum err_kind (*run_script)(struct sql_connection *connection, struct str script,
				    struct error *err);
	/* Sets cursor->statement, ready for the first step. Values stay the caller's and must live
	 * until the cursor ends. */
	enum err_kind (*start)(struct sql_cursor *cursor, struct sql_args args);
	/* NONE with *has_row_out, or what went wrong (cursor->err says more). */
	enum err_kind (*step)(struct sql_cursor *cursor, bool *has_row_out);
	/* A view valid until the next step. A NULL is empty and 0. */
	struct sql_value (*column)(struct sql_cursor *cursor, enum sql_type type, int column);
	/* Releases the statement for its next use; returns the number of rows written. */
	int64_t (*finish)(struct sql_cursor *cursor);
	/* A consistent copy of the whole database, proven sound, in a file that is there and empty.
	 * Holds up no writer. NULL: the database brings its own tool for that. */
	enum err_kind (*backup)(struct sql_connection *connection, const char *path,
				struct error *err);
	/* Was the database put back from a copy since it was last open here, by what the driver
	 * keeps beside it? NULL: it keeps nothing. */
	bool (*is_put_back)(const struct sql_connection *connection);
	/* What follows from that is durable: do not say it again. */
	void (*settle_put_back)(struct sql_connection *connection);
	/* Housekeeping between transactions; errors are left to the next transaction to meet. */
	void (*tidy)(struct sql_connection *connection);

	/* The rest is for databases with several nodes; NULL where one process owns the
	 * database. */

	/* As start, but does not wait: the rows are there after settle(). */
	enum err_kind (*ask)(struct sql_cursor *cursor, struct sql_args args);
	/* How many of these calls, from the first on, can be one statement: at least 1. */
	size_t (*count_joined)(const struct sql_call *first);
	/* As ask, for the first count calls as one statement. Its rows, where it has any, are the
	 * places of the calls that wrote one, from 1 on; without rows, each wrote one. */
	enum err_kind (*ask_joined)(struct sql_cursor *cursor, const struct sql_call *first,
				    size_t count, bool *has_places_out);
	/* Waits for the answers of what was only sent so far, and returns the first failure. */
	enum err_kind (*settle)(struct sql_connection *connection, struct error *err);
	/* Names the row by which this connection looks up what became of a COMMIT whose answer was
	 * lost. Every connection that writes has its own. After the migrations. */
	enum err_kind (*set_mark)(struct sql_connection *connection, struct str mark,
				  struct error *err);
	/* Did the last transaction end, without a trace, for a reason that is none of its
	 * statements': a lost connection, a deadlock? Then all of it may be run again. */
	bool (*may_run_again)(const struct sql_connection *connection);
	/* Of the server and the database we are connected to. */
	struct sql_history (*history)(const struct sql_connection *connection);
	/* From now on, until it is called again, nothing on this connection waits for longer than
	 * limit_ms in all: what is not done by then fails as if the connection were lost. 0 = the
	 * statements' own limits hold, and a lost COMMIT is looked up with patience. */
	void (*set_limit)(struct sql_connection *connection, int64_t limit_ms);
	/* Was nothing heard for seconds, in what was done since set_limit()? A server that is gone,
	 * or refuses, is no such case. */
	bool (*is_hung)(const struct sql_connection *connection);
	/* How often an answer was waited for so far: each is a way there and back. */
	int64_t (*waits)(const struct sql_connection *connection);
};

extern const struct sql_driver sql_driver_sqlite;
extern const struct sql_driver sql_driver_postgres;

/* By the path: "postgres://" and "postgresql://" begin the one, everything else is a file. */
const struct sql_driver *sql_driver_of(const char *path);
/* Do other nodes work on the same database? */
static inline bool sql_is_shared(const struct sql_connection *connection)
{
	return connection->driver->set_mark != NULL;
}

/* For drivers. */
static inline void sql_note_damage(const struct sql_connection *connection)
{
	if (connection->is_damaged != NULL)
		atomic_store(connection->is_damaged, true);
}

/* The cursor's life: select, next until false, end. Columns are taken in the order of the
 * SELECT. */
void sql_select(struct sql_cursor *cursor, struct sql_connection *connection, enum sql_name name,
		struct arena *arena, struct sql_args args, struct error *err);
/* The next row; false at the end, or after an error that sql_end() returns. */
bool sql_next(struct sql_cursor *cursor);
/* The next column of the row. Texts and blobs are copies in the cursor's arena; when it is full
 * they are empty, and sql_end() returns TOO_LARGE. */
struct str sql_take_text(struct sql_cursor *cursor);
struct str sql_take_blob(struct sql_cursor *cursor);
int64_t sql_take_int(struct sql_cursor *cursor);
bool sql_take_bool(struct sql_cursor *cursor);
/* NONE, or what ended it early. May be called at any time. */
enum err_kind sql_end(struct sql_cursor *cursor);

/* A statement without rows. changes_out may be NULL. */
enum err_kind sql_run(struct sql_connection *connection, enum sql_name name, struct sql_args args,
		      int64_t *changes_out, struct error *err);
/* As sql_run; when no row was written, returns when_none with the text "no such <what>". */
enum err_kind sql_run_one(struct sql_connection *connection, enum sql_name name,
			  struct sql_args args, enum err_kind when_none, const char *what,
			  struct error *err);
/* One integer: the first column of the first row; 0 when there is no row. */
enum err_kind sql_number(struct sql_connection *connection, enum sql_name name,
			 struct sql_args args, int64_t *number_out, struct error *err);

/* Fills one row, out, from a cursor. */
typedef void (*sql_row_reader)(struct sql_cursor *cursor, void *out);

/* A question with rows for an answer. */
struct sql_query {
	enum sql_name name;
	struct sql_args args;
	sql_row_reader read;
	size_t row_bytes; /* of what read fills; only lists need it */
};
#define SQL_ROW(name, args, read) (&(const struct sql_query){name, args, read, 0})
#define SQL_ROWS(name, args, read, row_type) \
	(&(const struct sql_query){name, args, read, sizeof(row_type)})

/* Reads the first row into out, its texts into arena. NOT_FOUND, with the text "no such <what>",
 * when there is none. */
enum err_kind sql_find(struct sql_connection *connection, struct arena *arena,
		       const struct sql_query *query, void *out, const char *what,
		       struct error *err);
/* Reads all rows into an array in arena. */
enum err_kind sql_list(struct sql_connection *connection, struct arena *arena,
		       const struct sql_query *query, void **out, size_t *count_out,
		       struct error *err);

/* One of several statements that are run together. */
struct sql_call {
	struct sql_query query; /* read NULL: a statement without rows */
	struct sql_call *next;
	/* What came of it. */
	int64_t changes;
	void *rows;
	size_t row_count;
};

/* Runs them in their order, up to the first that fails; their values must live until then. Where a
 * statement is a round trip, all of them together are one. Rows are read into arena. */
enum err_kind sql_run_all(struct sql_connection *connection, struct arena *arena,
			  struct sql_call *first, struct error *err);

/* text with every {word} replaced from words (ended by a NULL word), NUL-terminated, in arena. An
 * unknown word is our bug and asserts. */
char *sql_expand(struct arena *arena, const struct sql_dialect_word *words, struct str text);
