/* SPDX-License-Identifier: Apache-2.0
 * link(2) gives the name, not rename(2): it never replaces what is there. */
#include "store_backup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "readers.h"
#include "store_guard.h"
#include "store_private.h"

static enum err_kind refused(const char *what, const char *path, struct error *err)
{
	const int code = errno;
	if (code == EEXIST)
		return error_set_native(err, ERR_CONFLICT, code,
					"%s already exists; a backup never overwrites a file",
					path);
	return error_set_native(err,
				code == ENOENT || code == ENOTDIR ? ERR_INVALID : ERR_TEMPORARY,
				code, "cannot %s %s: %s", what, path, strerror(code));
}

static enum err_kind check_name(const char *path, struct error *err)
{
	struct stat info;
	if (path[0] != '/')
		return error_set(err, ERR_INVALID, "the path of a backup must be absolute");
	if (lstat(path, &info) != 0)
		return ERR_NONE;
	errno = EEXIST;
	return refused("make", path, err);
}

/* Ours alone, and nobody else's to read: it holds what the database holds. */
static enum err_kind make_empty(const char *path, struct error *err)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 && errno == EEXIST)
		return error_set(err, ERR_CONFLICT,
				 "%s exists: a backup is running, or one was interrupted;"
				 " in that case remove the file",
				 path);
	if (fd < 0)
		return refused("make", path, err);
	close(fd);
	return ERR_NONE;
}

static enum err_kind copy(struct store *store, const char *path, struct error *err)
{
	struct sql_connection *sql = NULL;
	enum err_kind kind = readers_take(store->readers, &sql, err);
	if (kind != ERR_NONE)
		return kind;
	kind = sql->driver->backup != NULL
		       ? sql->driver->backup(sql, path, err)
		       : error_set(err, ERR_INVALID, "use the database's own tools for a backup");
	readers_give_back(store->readers, &sql);
	return kind;
}

static enum err_kind sync_path(const char *path, int flags, struct error *err)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | flags);
	if (fd < 0)
		return refused("open", path, err);
	const enum err_kind kind = fsync(fd) == 0 ? ERR_NONE : refused("sync", path, err);
	close(fd);
	return kind;
}

static enum err_kind give_name(const char *temporary, const char *path, struct error *err)
{
	char directory[PATH_MAX];
	if (link(temporary, path) != 0)
		return refused("make", path, err);
	const size_t length = (size_t)(strrchr(path, '/') - path) + 1;
	memcpy(directory, path, length);
	directory[length] = '\0';
	return sync_path(directory, O_DIRECTORY, err);
}

static enum err_kind fill(struct store *store, const char *temporary, const char *path,
			  int64_t now_us, struct error *err)
{
	enum err_kind kind = copy(store, temporary, err);
	if (kind == ERR_NONE)
		kind = sync_path(temporary, 0, err);
	if (kind == ERR_NONE)
		kind = store_guard_beat(store, now_us, err);
	if (kind == ERR_NONE)
		kind = give_name(temporary, path, err);
	return kind;
}

enum err_kind store_backup(struct store *store, const char *path, int64_t now_us,
			   int64_t *size_bytes_out, struct error *err)
{
	char temporary[PATH_MAX];
	struct stat info;
	enum err_kind kind = check_name(path, err);
	if (kind != ERR_NONE)
		return kind;
	const int length = snprintf(temporary, sizeof(temporary), "%s.tmp", path);
	if (length < 0 || (size_t)length >= sizeof(temporary))
		return error_set(err, ERR_INVALID, "the path of the backup is too long");
	kind = make_empty(temporary, err);
	if (kind != ERR_NONE)
		return kind;
	kind = fill(store, temporary, path, now_us, err);
	unlink(temporary);
	*size_bytes_out = kind == ERR_NONE && stat(path, &info) == 0 ? info.st_size : 0;
	return kind;
}
