/* SPDX-License-Identifier: Apache-2.0
 * The commit mark: a small file beside a SQLite database that says which commit was the last one
 * there. The epoch (epoch_file.h) is raised once a minute; the mark follows every commit, so that
 * a copy put back is noticed however young it is. It costs no disk access: it is a mapped page,
 * which the kernel keeps when the process is killed. After a power cut it may be older than the
 * database, never newer in what it proves; then it notices less, and holds nothing back wrongly.
 *
 * What it knows of the last commit is where it stands in the write-ahead log: the two salts of the
 * log's header, which change each time the log begins again, and the number of frames
 * (https://www.sqlite.org/fileformat2.html, "WAL File Format"). What it knows of the database file
 * is its size and the second in which it was last written, which only a checkpoint changes.
 *
 * A finding stays until commit_mark_settle(), also when another program of ours opens the database
 * in between. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "err.h"

struct commit_mark;

enum commit_finding {
	COMMIT_UNKNOWN, /* no mark, or the last run ended cleanly: the epoch alone decides */
	COMMIT_SAME,    /* killed, and the last commit is there */
	COMMIT_MISSING, /* killed, and commits that were there are not: a copy was put back */
	/* a copy was put in the place of the database file, and the log of the former one still
	 * lies beside it: SQLite would play that over the copy and damage it */
	COMMIT_FOREIGN_LOG
};

/* Compares the mark with the files, before anything opens the database. Changes nothing. Blocks on
 * the disk. TEMPORARY: a file is there and cannot be read. */
enum err_kind commit_mark_compare(const char *mark_path, const char *database_path,
				  enum commit_finding *out, struct error *err);

/* Makes or takes over the mark of a database that this process alone writes, when it is open in WAL
 * mode and found was what commit_mark_compare() said before. Returns it in *mark_out, to be closed
 * with commit_mark_close(). Blocks on the disk. TEMPORARY: the file cannot be made. */
enum err_kind commit_mark_open(const char *mark_path, const char *database_path,
			       enum commit_finding found, struct commit_mark **mark_out,
			       struct error *err);
/* After every commit, from the connection that writes: the log has so many frames now. */
void commit_mark_commit(struct commit_mark *mark, int frame_count);
/* Around every checkpoint, by the same thread. Durable when they return. */
void commit_mark_checkpoint_begin(struct commit_mark *mark);
void commit_mark_checkpoint_end(struct commit_mark *mark);
/* Before the log is cut to nothing: until the next commit nothing can be proven by it. Begins a
 * checkpoint, which commit_mark_checkpoint_end() ends. */
void commit_mark_forget(struct commit_mark *mark);
/* Was COMMIT_MISSING found when the database was opened, or before, and not settled since? */
bool commit_mark_is_missing(const struct commit_mark *mark);
/* What follows from the finding is durable. */
void commit_mark_settle(struct commit_mark *mark);
/* Before the database is closed, which folds the log into the file and removes it. NULL is fine. */
void commit_mark_closing(struct commit_mark *mark);
/* The database is closed. Frees the mark; NULL is fine. */
void commit_mark_close(struct commit_mark **mark);
