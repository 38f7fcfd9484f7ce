/* SPDX-License-Identifier: Apache-2.0
 * The file of a backup on its way: FILE.tmp until it is whole and on the disk, then FILE. It never
 * replaces a file. Blocks on the disk. */
#pragma once

#include <limits.h>

#include "err.h"

struct store_backup_file {
	char path[PATH_MAX];
	char temporary[PATH_MAX]; /* "PATH.tmp" */
	int fd;                   /* of temporary; to write */
};

/* Makes the empty temporary file, 0600. *file_out is set on NONE only, and then needs
 * store_backup_file_close(). CONFLICT: one of the two is there; INVALID: the path is not absolute,
 * or its directory is not there; TEMPORARY: disk. */
enum err_kind store_backup_file_begin(const char *path, struct store_backup_file *file_out,
				      struct error *err);
/* Flushes what was written. TEMPORARY: disk. */
enum err_kind store_backup_file_sync(const struct store_backup_file *file, struct error *err);
/* Gives the file its name, on the disk too. After store_backup_file_sync(). */
enum err_kind store_backup_file_end(const struct store_backup_file *file, struct error *err);
/* Closes, and removes the temporary name. One that was closed is fine. */
void store_backup_file_close(struct store_backup_file *file);
