/* SPDX-License-Identifier: Apache-2.0
 * The SQLite driver. The rules of the house (rules.md 1.3): one process owns the file, one
 * connection writes and is the only one that checkpoints, no mmap, a commit is on the disk when it
 * returns (WAL with synchronous=FULL), schema contents are not trusted. Every result code is
 * caught in the line after its call. */
#include "sql.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>

#include <sqlite3.h>

#include "arena.h"
#include "count_of.h"

#include "commit_mark.h"
#include "sql_sqlite_backup.h"

/* 16 MiB of log: pages that are written again and again meanwhile (the ends of indexes) are copied
 * into the file once; as in dependencies.md C. */
#define CHECKPOINT_EVERY_PAGES 4000
/* A reader that never ends keeps the log from being reused; past 128 MiB we wait for the readers
 * (busy_timeout) instead of letting it grow. */
#define CHECKPOINT_WAITING_AT_PAGES 32768
/* how long writers wait for readers when the log is emptied on demand */
#define EMPTY_LOG_WAIT_MS 50
#define SCRIPT_ARENA_MAX_BYTES ((size_t)1 << 20)

struct sqlite_connection {
	struct sql_connection base;
	sqlite3 *db;
	int log_pages;            /* in the write-ahead log, as of the last commit */
	int checkpoint_at;        /* so many of them */
	int busy_timeout_ms;      /* sql_config */
	struct commit_mark *mark; /* NULL = none */
	bool is_in_transaction;   /* as we asked for; SQLite may have ended it by itself */
	sqlite3_stmt *statements[SQL_NAME_COUNT];
};

static const struct sql_dialect_word sqlite_words[] = {
	{"blob", "BLOB"},
	{"without_rowid", "WITHOUT ROWID"},
	{"serial_key", "INTEGER PRIMARY KEY AUTOINCREMENT"}, /* numbers are never given twice */
	{"begin_write", "BEGIN IMMEDIATE"},
	{"begin_read", "BEGIN"},
	{"skip_locked", ""},
	/* One process writes, one transaction at a time: nobody has to be waited for. */
	{"skip_locked_of", ""},
	{"for_update", ""},
	{"bytewise", "@"},
	{"hash", "unicode(substr(@, -1))"},
	{"larger", "MAX(@)"},
	{"take_turn", "SELECT @"},
	{"share_turn", "SELECT @"},
	{"bytes", "LENGTH(CAST(@ AS BLOB))"},
	{"integrity", "PRAGMA quick_check(1)"},
	{"setting", "'on'"},
	{"identity", "0"},
	{"now_us", "CAST(strftime('%s', 'now') AS INTEGER) * 1000000"},
	{"postgres", ""},
	{"sqlite", "@"},
	/* The index of words. */
	{"word_doc", "rowid"},
	{"words", "@"},
	/* A JSON array of texts (or of integers) as a list for IN; and of arrays, as rows with a
	 * column value. */
	{"each", "json_each(@)"},
	{"list", "(SELECT value FROM json_each(@))"},
	{"int_list", "(SELECT value FROM json_each(@))"},
	{NULL, NULL},
};

static enum err_kind kind_of_constraint(int extended_code)
{
	switch (extended_code) {
	case SQLITE_CONSTRAINT_UNIQUE:
	case SQLITE_CONSTRAINT_PRIMARYKEY:
	case SQLITE_CONSTRAINT_ROWID:
		return ERR_CONFLICT;
	case SQLITE_CONSTRAINT_FOREIGNKEY:
		return ERR_NOT_FOUND;
	default:
		return ERR_INTERNAL;
	}
}

static enum err_kind kind_of_code(int code)
{
	switch (code & 0xff) {
	case SQLITE_FULL:
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
	case SQLITE_IOERR:
	case SQLITE_NOMEM:
	case SQLITE_CANTOPEN:
	case SQLITE_READONLY: /* the file system was remounted read-only */
	case SQLITE_PROTOCOL:
	case SQLITE_INTERRUPT:
		return ERR_TEMPORARY;
	case SQLITE_TOOBIG:
		return ERR_TOO_LARGE;
	case SQLITE_CONSTRAINT:
		return kind_of_constraint(code);
	default:
		return ERR_INTERNAL;
	}
}

/* The file is at fault, and not the statement that was the first to find out. */
static bool is_of_file(int code)
{
	switch (code & 0xff) {
	case SQLITE_NOTADB:
	case SQLITE_CORRUPT:
	case SQLITE_READONLY:
	case SQLITE_CANTOPEN:
	case SQLITE_IOERR:
		return true;
	default:
		return false;
	}
}

/* SQLite's texts name tables and columns, never values. */
static enum err_kind failed(struct sqlite_connection *connection, int code, const char *what,
			    struct error *err)
{
	if ((code & 0xff) == SQLITE_CORRUPT || (code & 0xff) == SQLITE_NOTADB)
		sql_note_damage(&connection->base);
	const char *path =
		connection->db != NULL ? sqlite3_db_filename(connection->db, "main") : NULL;
	if (is_of_file(code) && path != NULL && path[0] != '\0')
		return error_set_native(err, kind_of_code(code), code, "the database %s: %s", path,
					sqlite3_errmsg(connection->db));
	return error_set_native(err, kind_of_code(code), code, "database: %s: %s", what,
				connection->db != NULL ? sqlite3_errmsg(connection->db)
						       : sqlite3_errstr(code));
}

static int count_log_pages(void *context, sqlite3 *db, const char *schema, int pages)
{
	(void)db;
	(void)schema;
	struct sqlite_connection *own = context;
	if (pages < own->log_pages) /* the log was restarted */
		own->checkpoint_at = CHECKPOINT_EVERY_PAGES;
	own->log_pages = pages;
	if (own->mark != NULL)
		commit_mark_commit(own->mark, pages);
	return SQLITE_OK;
}

static enum err_kind run_pragma(struct sqlite_connection *connection, const char *text,
				struct error *err)
{
	const int code = sqlite3_exec(connection->db, text, NULL, NULL, NULL);
	return code == SQLITE_OK ? ERR_NONE : failed(connection, code, text, err);
}

static enum err_kind set_up(struct sqlite_connection *connection, const struct sql_config *config,
			    struct error *err)
{
	sqlite3 *db = connection->db;
	char cache[64];
	sqlite3_snprintf(sizeof(cache), cache, "PRAGMA cache_size=-%lld",
			 (long long)(config->cache_bytes / 1024));
	const char *const pragmas[] = {
		"PRAGMA journal_mode=WAL",
		config->is_sync_relaxed ? "PRAGMA synchronous=NORMAL" : "PRAGMA synchronous=FULL",
		"PRAGMA mmap_size=0",
		"PRAGMA temp_store=MEMORY",
		"PRAGMA secure_delete=ON", /* what is erased is overwritten (store_user.h) */
		"PRAGMA wal_autocheckpoint=0",
		cache,
	};
	sqlite3_extended_result_codes(db, 1);
	sqlite3_busy_timeout(db, config->busy_timeout_ms);
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FKEY, 1, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, config->role != SQL_ROLE_OWNER,
			  NULL);
	const size_t first = config->role == SQL_ROLE_READER ? 1 : 0; /* WAL is in the file */
	for (size_t i = first; i < COUNT_OF(pragmas); i++) {
		const enum err_kind kind = run_pragma(connection, pragmas[i], err);
		if (kind != ERR_NONE)
			return kind;
	}
	if (config->role == SQL_ROLE_OWNER)
		sqlite3_wal_hook(db, count_log_pages, connection);
	return ERR_NONE;
}

static void sqlite_close(struct sql_connection **connection)
{
	struct sqlite_connection *own = (struct sqlite_connection *)*connection;
	if (own == NULL)
		return;
	for (size_t i = 0; i < SQL_NAME_COUNT; i++)
		sqlite3_finalize(own->statements[i]);
	commit_mark_closing(own->mark);
	const int code = sqlite3_close(own->db);
	assert(code == SQLITE_OK);
	(void)code;
	commit_mark_close(&own->mark);
	free(own);
	*connection = NULL;
}

static bool has_mark(const struct sql_config *config)
{
	return config->role == SQL_ROLE_OWNER && config->mark_path != NULL;
}

/* Before SQLite looks at the files: it would play a log over a file that it does not belong to. */
static enum err_kind find_mark(const struct sql_config *config, enum commit_finding *found_out,
			       struct error *err)
{
	if (!has_mark(config))
		return ERR_NONE;
	const enum err_kind kind =
		commit_mark_compare(config->mark_path, config->path, found_out, err);
	if (kind != ERR_NONE || *found_out != COMMIT_FOREIGN_LOG)
		return kind;
	return error_set(err, ERR_INVALID,
			 "SQLite would mix two databases: put the copy back with `posthorn restore "
			 "FILE` or, if nothing was replaced, remove DATA/epoch-commit. The log is "
			 "that of the former file: %s-wal",
			 config->path);
}

/* SQLite's statistics of its own memory put one mutex of the process around every allocation. Once
 * a first connection is open it refuses to change, and need not. Readers open beside each other,
 * and after a writer. */
static void configure_library(const struct sql_config *config)
{
	if (config->role != SQL_ROLE_READER)
		sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

static enum err_kind sqlite_open(const struct sql_config *config, struct sql_connection **out,
				 struct error *err)
{
	configure_library(config);
	const int mode = config->role == SQL_ROLE_READER
				 ? SQLITE_OPEN_READONLY
				 : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
	struct sqlite_connection *own = calloc(1, sizeof(*own));
	if (own == NULL)
		return error_set(err, ERR_TEMPORARY, "no memory for a database connection");
	own->base.driver = &sql_driver_sqlite;
	own->base.is_damaged = config->is_damaged;
	own->busy_timeout_ms = config->busy_timeout_ms;
	own->checkpoint_at = config->role == SQL_ROLE_OWNER ? CHECKPOINT_EVERY_PAGES : INT_MAX;
	struct sql_connection *connection = &own->base;
	enum commit_finding found = COMMIT_UNKNOWN;
	enum err_kind kind = find_mark(config, &found, err);
	if (kind != ERR_NONE) {
		free(own);
		return kind;
	}
	const int code = sqlite3_open_v2(config->path, &own->db, mode | SQLITE_OPEN_NOMUTEX, NULL);
	kind = code == SQLITE_OK ? ERR_NONE : failed(own, code, "cannot open the file", err);
	if (kind == ERR_NONE)
		kind = set_up(own, config, err);
	if (kind == ERR_NONE && has_mark(config))
		kind = commit_mark_open(config->mark_path, config->path, found, &own->mark, err);
	if (kind != ERR_NONE) {
		sqlite_close(&connection);
		return kind;
	}
	*out = connection;
	return ERR_NONE;
}

static enum err_kind sqlite_run_script(struct sql_connection *connection, struct str script,
				       struct error *err)
{
	struct sqlite_connection *own = (struct sqlite_connection *)connection;
	struct arena *arena = arena_new("sql script", SCRIPT_ARENA_MAX_BYTES);
	const char *text = sql_expand(arena, sqlite_words, script);
	const int code = sqlite3_exec(own->db, text, NULL, NULL, NULL);
	enum err_kind kind = code == SQLITE_OK ? ERR_NONE : failed(own, code, "script", err);
	arena_free(&arena);
	return kind;
}

static int prepare(struct sqlite_connection *own, enum sql_name name)
{
	if (own->statements[name] != NULL)
		return SQLITE_OK;
	struct arena *arena = arena_new("sql text", SCRIPT_ARENA_MAX_BYTES);
	const char *text = sql_expand(arena, sqlite_words, str_of(sql_statements[name].text));
	const int code = sqlite3_prepare_v3(own->db, text, -1, SQLITE_PREPARE_PERSISTENT,
					    &own->statements[name], NULL);
	arena_free(&arena);
	return code;
}

/* A NULL pointer would bind NULL; empty is empty here. */
static int bind(sqlite3_stmt *statement, int index, const struct sql_value *value)
{
	const char *bytes = str_is_empty(value->bytes) ? "" : value->bytes.ptr;
	switch (value->type) {
	case SQL_TYPE_INT:
		return sqlite3_bind_int64(statement, index, value->number);
	case SQL_TYPE_TEXT:
		return sqlite3_bind_text64(statement, index, bytes, value->bytes.len, SQLITE_STATIC,
					   SQLITE_UTF8);
	case SQL_TYPE_BLOB:
		return sqlite3_bind_blob64(statement, index, bytes, value->bytes.len,
					   SQLITE_STATIC);
	}
	return SQLITE_MISUSE;
}

/* After some errors (disk full, I/O) SQLite has rolled the transaction back by itself; what came
 * then would be committed one by one. */
static bool is_transaction_lost(const struct sqlite_connection *own, enum sql_name name)
{
	return own->is_in_transaction && sqlite3_get_autocommit(own->db) && name != SQL_ROLLBACK;
}

static enum err_kind sqlite_start(struct sql_cursor *cursor, struct sql_args args)
{
	struct sqlite_connection *own = (struct sqlite_connection *)cursor->connection;
	const char *name = sql_statements[cursor->name].name;
	if (is_transaction_lost(own, cursor->name))
		return error_set(cursor->err, ERR_TEMPORARY,
				 "database: the transaction was rolled back");
	int code = prepare(own, cursor->name);
	if (code != SQLITE_OK)
		return failed(own, code, name, cursor->err);
	sqlite3_stmt *statement = own->statements[cursor->name];
	assert(!sqlite3_stmt_busy(statement));
	assert((size_t)sqlite3_bind_parameter_count(statement) == args.count);
	for (size_t i = 0; i < args.count; i++) {
		code = bind(statement, (int)i + 1, &args.values[i]);
		if (code != SQLITE_OK)
			return failed(own, code, name, cursor->err);
	}
	cursor->statement = statement;
	return ERR_NONE;
}

static void note_transaction(struct sqlite_connection *own, enum sql_name name)
{
	if (name == SQL_BEGIN_WRITE || name == SQL_BEGIN_READ)
		own->is_in_transaction = true;
	if (name == SQL_COMMIT || name == SQL_ROLLBACK)
		own->is_in_transaction = false;
}

static enum err_kind sqlite_step(struct sql_cursor *cursor, bool *has_row_out)
{
	struct sqlite_connection *own = (struct sqlite_connection *)cursor->connection;
	const int code = sqlite3_step(cursor->statement);
	if (code == SQLITE_DONE || cursor->name == SQL_ROLLBACK)
		note_transaction(own, cursor->name);
	if (code != SQLITE_ROW && code != SQLITE_DONE)
		return failed(own, code, sql_statements[cursor->name].name, cursor->err);
	*has_row_out = code == SQLITE_ROW;
	return ERR_NONE;
}

static struct str text_column(sqlite3_stmt *statement, int column)
{
	const char *text = (const char *)sqlite3_column_text(statement, column);
	return (struct str){text, (size_t)sqlite3_column_bytes(statement, column)};
}

static struct str blob_column(sqlite3_stmt *statement, int column)
{
	const char *bytes = sqlite3_column_blob(statement, column);
	return (struct str){bytes, (size_t)sqlite3_column_bytes(statement, column)};
}

static struct sql_value sqlite_column(struct sql_cursor *cursor, enum sql_type type, int column)
{
	sqlite3_stmt *statement = cursor->statement;
	assert(column < sqlite3_column_count(statement));
	switch (type) {
	case SQL_TYPE_INT:
		return sql_int(sqlite3_column_int64(statement, column));
	case SQL_TYPE_TEXT:
		return sql_text(text_column(statement, column));
	case SQL_TYPE_BLOB:
		return sql_blob(blob_column(statement, column));
	}
	return sql_int(0);
}

/* The bindings point into the caller's memory, so they go too. */
static int64_t sqlite_finish(struct sql_cursor *cursor)
{
	struct sqlite_connection *own = (struct sqlite_connection *)cursor->connection;
	sqlite3_stmt *statement = cursor->statement;
	const int64_t changes = sqlite3_stmt_readonly(statement) ? 0 : sqlite3_changes64(own->db);
	sqlite3_reset(statement);
	sqlite3_clear_bindings(statement);
	return changes;
}

/* A log without a frame proves nothing, so the mark must not ask for one. Readers of an old state,
 * such as a backup, keep the log: nobody waits for them here. */
static void empty_log(struct sqlite_connection *own)
{
	if (own->mark != NULL)
		commit_mark_forget(own->mark);
	sqlite3_busy_timeout(own->db, EMPTY_LOG_WAIT_MS);
	const int code =
		sqlite3_wal_checkpoint_v2(own->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	sqlite3_busy_timeout(own->db, own->busy_timeout_ms);
	if (own->mark != NULL)
		commit_mark_checkpoint_end(own->mark);
	if (code != SQLITE_OK)
		return;
	own->log_pages = 0;
	own->checkpoint_at = CHECKPOINT_EVERY_PAGES;
	atomic_store(&own->base.wants_empty_log, false);
}

/* A checkpoint outside of any transaction, so that no caller's commit pays for it. */
static void sqlite_tidy(struct sql_connection *connection)
{
	struct sqlite_connection *own = (struct sqlite_connection *)connection;
	if (atomic_load(&connection->wants_empty_log))
		empty_log(own);
	if (own->log_pages < own->checkpoint_at)
		return;
	const int mode = own->log_pages < CHECKPOINT_WAITING_AT_PAGES ? SQLITE_CHECKPOINT_PASSIVE
								      : SQLITE_CHECKPOINT_RESTART;
	if (own->mark != NULL)
		commit_mark_checkpoint_begin(own->mark);
	sqlite3_wal_checkpoint_v2(own->db, NULL, mode, NULL, NULL);
	if (own->mark != NULL)
		commit_mark_checkpoint_end(own->mark);
	own->checkpoint_at = own->log_pages + CHECKPOINT_EVERY_PAGES;
}

static enum err_kind sqlite_backup(struct sql_connection *connection, const char *path,
				   struct error *err)
{
	return sql_sqlite_backup(((struct sqlite_connection *)connection)->db, path, err);
}

static bool sqlite_is_put_back(const struct sql_connection *connection)
{
	const struct sqlite_connection *own = (const struct sqlite_connection *)connection;
	return own->mark != NULL && commit_mark_is_missing(own->mark);
}

static void sqlite_settle_put_back(struct sql_connection *connection)
{
	struct sqlite_connection *own = (struct sqlite_connection *)connection;
	if (own->mark != NULL)
		commit_mark_settle(own->mark);
}

const struct sql_driver sql_driver_sqlite = {
	.is_put_back = sqlite_is_put_back,
	.settle_put_back = sqlite_settle_put_back,
	.backup = sqlite_backup,
	.open = sqlite_open,
	.close = sqlite_close,
	.run_script = sqlite_run_script,
	.start = sqlite_start,
	.step = sqlite_step,
	.column = sqlite_column,
	.finish = sqlite_finish,
	.tidy = sqlite_tidy,
};
