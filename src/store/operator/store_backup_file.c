/* SPDX-License-Identifier: Apache-2.0
 * link(2) gives the name, not rename(2): it never replaces what is there. */
#include "store_backup_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
static enum err_kind make_empty(const char *path, int *fd_out, struct error *err)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 && errno == EEXIST)
		return error_set(err, ERR_CONFLICT,
				 "%s exists: a backup is running, or one was interrupted;"
				 " in that case remove the file",
				 path);
	if (fd < 0)
		return refused("make", path, err);
	*fd_out = fd;
	return ERR_NONE;
}

enum err_kind store_backup_file_begin(const char *path, struct store_backup_file *file_out,
				      struct error *err)
{
	struct store_backup_file file = {.fd = -1};
	const int length = snprintf(file.path, sizeof(file.path), "%s", path);
	const int more = snprintf(file.temporary, sizeof(file.temporary), "%s.tmp", path);
	if (length < 0 || (size_t)length >= sizeof(file.path) || more < 0 ||
	    (size_t)more >= sizeof(file.temporary))
		return error_set(err, ERR_INVALID, "the path of the backup is too long");
	enum err_kind kind = check_name(path, err);
	if (kind == ERR_NONE)
		kind = make_empty(file.temporary, &file.fd, err);
	if (kind == ERR_NONE)
		*file_out = file;
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

enum err_kind store_backup_file_sync(const struct store_backup_file *file, struct error *err)
{
	return fsync(file->fd) == 0 ? ERR_NONE : refused("sync", file->temporary, err);
}

enum err_kind store_backup_file_end(const struct store_backup_file *file, struct error *err)
{
	return give_name(file->temporary, file->path, err);
}

void store_backup_file_close(struct store_backup_file *file)
{
	if (file->fd < 0)
		return;
	close(file->fd);
	file->fd = -1;
	unlink(file->temporary);
}
