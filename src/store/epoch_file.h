/* SPDX-License-Identifier: Apache-2.0
 * The epoch: a number that only grows, kept in the database and, beside it, in a small file. A
 * database that was put back from a backup has the number of its day; the file has today's. Here is
 * the file, and what the two together say; when the number is raised is store_guard.c's. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "err.h"

struct epoch {
	bool is_there;
	int64_t number;
	int64_t at_us;   /* when it was raised to that number; never goes back either */
	int64_t lineage; /* drawn once for a database and its copies */
};

enum epoch_finding {
	EPOCH_FIRST,          /* neither was ever written: a new installation, or an upgrade */
	EPOCH_SAME,           /* the database is the one that the file was written beside */
	EPOCH_DATABASE_OLDER, /* the file has seen more than the database knows */
	EPOCH_FILE_MISSING,   /* the database was kept beside a file, and there is none */
	EPOCH_OTHER_DATABASE, /* the file was written beside another database */
	EPOCH_PUT_BACK,       /* the numbers agree, but a copy was put back (commit_mark.h) */
	EPOCH_ARMED           /* `posthorn restore` said so */
};

/* Pure. */
enum epoch_finding epoch_compare(const struct epoch *database, const struct epoch *file);
/* Must what is due be held, with this finding? */
bool epoch_means_restore(enum epoch_finding finding);
/* One sentence for people. */
const char *epoch_sentence(enum epoch_finding finding);

/* A file that is not there, or is no epoch file, leaves is_there false. May block. TEMPORARY: it
 * cannot be read. */
enum err_kind epoch_file_read(const char *path, struct epoch *out, struct error *err);
/* Durable, and whole or not at all, when it returns. May block. One caller at a time. */
enum err_kind epoch_file_write(const char *path, const struct epoch *epoch, struct error *err);
