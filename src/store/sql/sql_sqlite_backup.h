/* SPDX-License-Identifier: Apache-2.0
 * SQLite's online backup: a whole, consistent copy of an open database, while it is written. */
#pragma once

#include "err.h"

struct sqlite3;

/* Copies into the empty file at path and proves the copy sound. The copy is one file that needs no
 * log beside it. Blocks as long as reading the database takes; writers go on meanwhile, though
 * their log grows. TEMPORARY: disk; INTERNAL: the copy (so the database) is not sound. */
enum err_kind sql_sqlite_backup(struct sqlite3 *source, const char *path, struct error *err);

/* Copies the database file from, with the log that may lie beside it, into the empty file at path,
 * and proves the copy sound. Blocks as above. INVALID: it is no Posthorn database; TEMPORARY: disk;
 * INTERNAL: it is not sound. */
enum err_kind sql_sqlite_copy_back(const char *from, const char *path, struct error *err);
