/* SPDX-License-Identifier: Apache-2.0
 * In one step, not page by page: a backup that lets go between steps starts over whenever somebody
 * writes, and would never end beside a busy service. In WAL mode the one long read holds up
 * nobody. */
#include "sql_sqlite_backup.h"

#include <stdbool.h>
#include <string.h>

#include <sqlite3.h>

#define ALL_PAGES (-1)

static enum err_kind failed(sqlite3 *db, const char *what, struct error *err)
{
	const int code = sqlite3_extended_errcode(db);
	const enum err_kind kind = (code & 0xff) == SQLITE_CORRUPT ? ERR_INTERNAL : ERR_TEMPORARY;
	return error_set_native(err, kind, code, "backup: %s: %s", what, sqlite3_errmsg(db));
}

static enum err_kind copy(sqlite3 *source, sqlite3 *target, struct error *err)
{
	sqlite3_backup *backup = sqlite3_backup_init(target, "main", source, "main");
	if (backup == NULL)
		return failed(target, "cannot begin", err);
	const int code = sqlite3_backup_step(backup, ALL_PAGES);
	sqlite3_backup_finish(backup);
	if (code == SQLITE_DONE)
		return ERR_NONE;
	return error_set_native(err, ERR_TEMPORARY, code, "backup: cannot copy: %s",
				sqlite3_errstr(code));
}

/* The copy has the source's mode, which would leave a log and an index of it beside the file. */
static enum err_kind make_one_file(sqlite3 *target, struct error *err)
{
	if (sqlite3_exec(target, "PRAGMA journal_mode=DELETE", NULL, NULL, NULL) == SQLITE_OK)
		return ERR_NONE;
	return failed(target, "cannot merge the log", err);
}

static enum err_kind prove(sqlite3 *target, struct error *err)
{
	sqlite3_stmt *check = NULL;
	if (sqlite3_prepare_v2(target, "PRAGMA integrity_check(1)", -1, &check, NULL) != SQLITE_OK)
		return failed(target, "cannot check", err);
	enum err_kind kind = ERR_NONE;
	const int code = sqlite3_step(check);
	const char *said = code == SQLITE_ROW ? (const char *)sqlite3_column_text(check, 0) : NULL;
	if (said == NULL)
		kind = failed(target, "cannot check", err);
	else if (strcmp(said, "ok") != 0)
		kind = error_set(err, ERR_INTERNAL, "backup: the database is not sound: %.150s",
				 said);
	sqlite3_finalize(check);
	return kind;
}

enum err_kind sql_sqlite_backup(struct sqlite3 *source, const char *path, struct error *err)
{
	sqlite3 *target = NULL;
	enum err_kind kind = ERR_NONE;
	if (sqlite3_open_v2(path, &target, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) !=
	    SQLITE_OK)
		kind = failed(target, "cannot open the file", err);
	if (kind == ERR_NONE)
		kind = copy(source, target, err);
	if (kind == ERR_NONE)
		kind = make_one_file(target, err);
	if (kind == ERR_NONE)
		kind = prove(target, err);
	sqlite3_close(target);
	return kind;
}

/* ---- the way back ---- */

/* Every version of ours has made these. */
static const char ours[] = "SELECT COUNT(*) FROM sqlite_schema WHERE type = 'table'"
			   " AND name IN ('schema_migrations', 'meta', 'posts', 'deliveries')";
#define OURS_COUNT 4

static enum err_kind check_is_ours(sqlite3 *source, const char *from, struct error *err)
{
	sqlite3_stmt *count = NULL;
	int code = sqlite3_prepare_v2(source, ours, -1, &count, NULL);
	if (code == SQLITE_OK)
		code = sqlite3_step(count);
	const bool is_ours = code == SQLITE_ROW && sqlite3_column_int(count, 0) == OURS_COUNT;
	sqlite3_finalize(count);
	if (is_ours)
		return ERR_NONE;
	if (code == SQLITE_ROW || (code & 0xff) == SQLITE_NOTADB)
		return error_set(err, ERR_INVALID, "this is no Posthorn backup: %s", from);
	if ((code & 0xff) == SQLITE_CORRUPT)
		return error_set(err, ERR_INTERNAL, "this backup is not sound: %s", from);
	return failed(source, "cannot read the file", err);
}

enum err_kind sql_sqlite_copy_back(const char *from, const char *path, struct error *err)
{
	sqlite3 *source = NULL;
	enum err_kind kind = ERR_NONE;
	if (sqlite3_open_v2(from, &source, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL) !=
	    SQLITE_OK)
		kind = failed(source, "cannot open the file", err);
	if (kind == ERR_NONE)
		kind = check_is_ours(source, from, err);
	if (kind == ERR_NONE)
		kind = sql_sqlite_backup(source, path, err);
	sqlite3_close(source);
	return kind;
}
