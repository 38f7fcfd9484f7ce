/* SPDX-License-Identifier: Apache-2.0
 * Putting a backup back in the place of a SQLite database that nobody has open. */
#pragma once

#include <limits.h>
#include <stdint.h>

#include "err.h"

struct clock;

struct store_restore {
	const char *from;          /* the backup: a file made by us or by another tool */
	const char *database_path; /* what it takes the place of; need not be there */
	const struct clock *clock;
};

struct store_restored {
	int64_t size_bytes;
	/* where the former database is now, with "-wal" beside it where there was a log; "" = there
	 * was none */
	char former_path[PATH_MAX];
};

/* Copies the backup beside the database, proves the copy sound, brings it to this program's schema,
 * arms the restore guard in it, and only then gives it the database's name; the former database
 * keeps its content under another one. When it fails, everything is as it was, except after a crash
 * between the last two steps: then there is no database until it is run again. Blocks on the disk.
 * CONFLICT: a service or a command has the database open; INVALID: the file is not there, is no
 * Posthorn backup, is the database itself, or needs a newer program; INTERNAL: it is not sound;
 * TEMPORARY: disk. */
enum err_kind store_restore(const struct store_restore *wish, struct store_restored *out,
			    struct error *err);
