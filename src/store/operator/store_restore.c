/* SPDX-License-Identifier: Apache-2.0
 * The names beside the database: posthorn.db.restoring is the copy until it is whole, and
 * posthorn.db.before-NUMBER the former database. Nothing is ever replaced or removed but the
 * former database's index (-shm), which SQLite makes again, and what an earlier try left. */
#include "store_restore.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "count_of.h"

#include "lock_file.h"
#include "sql_sqlite_backup.h"
#include "store.h"
#include "store_guard.h"

#define NAME_MAX_BYTES PATH_MAX

static enum err_kind failed(const char *what, const char *path, struct error *err)
{
	const int code = errno;
	return error_set_native(err, ERR_TEMPORARY, code, "cannot %s %s: %s", what, path,
				strerror(code));
}

static enum err_kind name_of(const char *path, const char *end, char out[NAME_MAX_BYTES],
			     struct error *err)
{
	const int length = snprintf(out, NAME_MAX_BYTES, "%s%s", path, end);
	return length > 0 && length < NAME_MAX_BYTES
		       ? ERR_NONE
		       : error_set(err, ERR_INVALID, "the path of the database is too long");
}

/* ---- the copy ---- */

static void remove_copy(const char *path)
{
	static const char *const ends[] = {"", "-wal", "-shm", "-journal", ".lock"};
	char name[NAME_MAX_BYTES];
	for (size_t i = 0; i < COUNT_OF(ends); i++) {
		if (name_of(path, ends[i], name, NULL) == ERR_NONE)
			unlink(name);
	}
}

static enum err_kind make_empty(const char *path, struct error *err)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return failed("make", path, err);
	close(fd);
	return ERR_NONE;
}

/* Opening it brings it to this program's schema. */
static enum err_kind arm(const char *path, const struct clock *clock, struct error *err)
{
	char url[NAME_MAX_BYTES + 16];
	struct store *store = NULL;
	snprintf(url, sizeof(url), "sqlite:%s", path);
	const struct store_config config = {.url = url, .clock = clock, .is_owner = true};
	enum err_kind kind = store_open(&config, &store, err);
	if (kind == ERR_NONE)
		kind = store_guard_arm(store, err);
	store_close(&store);
	return kind;
}

static enum err_kind sync_path(const char *path, int flags, struct error *err)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | flags);
	if (fd < 0)
		return failed("open", path, err);
	const enum err_kind kind = fsync(fd) == 0 ? ERR_NONE : failed("sync", path, err);
	close(fd);
	return kind;
}

static enum err_kind make_copy(const struct store_restore *wish, const char *path,
			       struct error *err)
{
	remove_copy(path);
	enum err_kind kind = make_empty(path, err);
	if (kind == ERR_NONE)
		kind = sql_sqlite_copy_back(wish->from, path, err);
	if (kind == ERR_NONE)
		kind = arm(path, wish->clock, err);
	if (kind == ERR_NONE)
		kind = sync_path(path, 0, err);
	return kind;
}

/* ---- the names ---- */

/* "PATH.before-N" with the first N that is free. */
static enum err_kind former_name(const char *path, char out[NAME_MAX_BYTES], struct error *err)
{
	char end[32];
	struct stat status;
	for (int number = 1; number < INT_MAX; number++) {
		snprintf(end, sizeof(end), ".before-%d", number);
		const enum err_kind kind = name_of(path, end, out, err);
		if (kind != ERR_NONE || lstat(out, &status) != 0)
			return kind;
	}
	return error_set(err, ERR_TEMPORARY, "no name is free beside %s", path);
}

static enum err_kind rename_there(const char *from, const char *to, struct error *err)
{
	if (rename(from, to) == 0 || errno == ENOENT)
		return ERR_NONE;
	return failed("rename", from, err);
}

/* The log first: without it the former database is older, and never damaged. */
static enum err_kind set_former_aside(const char *path, const char *former, struct error *err)
{
	char log[NAME_MAX_BYTES];
	char index[NAME_MAX_BYTES];
	char former_log[NAME_MAX_BYTES];
	enum err_kind kind = name_of(path, "-wal", log, err);
	if (kind == ERR_NONE)
		kind = name_of(path, "-shm", index, err);
	if (kind == ERR_NONE)
		kind = name_of(former, "-wal", former_log, err);
	if (kind == ERR_NONE)
		kind = rename_there(log, former_log, err);
	if (kind == ERR_NONE)
		kind = rename_there(path, former, err);
	if (kind == ERR_NONE)
		unlink(index);
	return kind;
}

static enum err_kind sync_directory_of(const char *path, struct error *err)
{
	char directory[NAME_MAX_BYTES] = ".";
	const char *slash = strrchr(path, '/');
	if (slash != NULL)
		snprintf(directory, sizeof(directory), "%.*s", (int)(slash - path) + 1, path);
	return sync_path(directory, O_DIRECTORY, err);
}

static enum err_kind give_name(const char *copy, const char *path, struct store_restored *out,
			       struct error *err)
{
	struct stat status;
	enum err_kind kind = former_name(path, out->former_path, err);
	if (kind == ERR_NONE)
		kind = set_former_aside(path, out->former_path, err);
	if (kind == ERR_NONE && rename(copy, path) != 0)
		kind = failed("rename", copy, err);
	if (kind != ERR_NONE)
		return kind;
	out->size_bytes = stat(path, &status) == 0 ? status.st_size : 0;
	if (lstat(out->former_path, &status) != 0)
		out->former_path[0] = '\0';
	return sync_directory_of(path, err);
}

/* ---- the whole ---- */

static enum err_kind check_file(const struct store_restore *wish, struct error *err)
{
	struct stat from;
	struct stat to;
	if (stat(wish->from, &from) != 0) {
		const int code = errno;
		return error_set_native(err, ERR_INVALID, code, "cannot open %s: %s", wish->from,
					strerror(code));
	}
	if (!S_ISREG(from.st_mode))
		return error_set(err, ERR_INVALID, "%s is not a file", wish->from);
	if (stat(wish->database_path, &to) == 0 && from.st_dev == to.st_dev &&
	    from.st_ino == to.st_ino)
		return error_set(err, ERR_INVALID,
				 "%s is the database itself: name the backup to put back",
				 wish->from);
	return ERR_NONE;
}

static enum err_kind restore_locked(const struct store_restore *wish, struct store_restored *out,
				    struct error *err)
{
	char copy[NAME_MAX_BYTES];
	enum err_kind kind = name_of(wish->database_path, ".restoring", copy, err);
	if (kind != ERR_NONE)
		return kind;
	kind = make_copy(wish, copy, err);
	if (kind == ERR_NONE)
		kind = give_name(copy, wish->database_path, out, err);
	remove_copy(copy);
	return kind;
}

enum err_kind store_restore(const struct store_restore *wish, struct store_restored *out,
			    struct error *err)
{
	int lock_fd = -1;
	*out = (struct store_restored){0};
	enum err_kind kind = check_file(wish, err);
	if (kind == ERR_NONE)
		kind = lock_file_take(wish->database_path, &lock_fd, err);
	if (kind == ERR_NONE)
		kind = restore_locked(wish, out, err);
	lock_file_release(&lock_fd);
	return kind;
}
