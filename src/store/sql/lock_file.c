/* SPDX-License-Identifier: Apache-2.0
 * flock(2), not fcntl(2): a lock of the open file, so that two stores in one process exclude each
 * other too, and it is gone with the process however that ends. */
#include "lock_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static long owner_pid(int fd)
{
	char text[32] = {0};
	if (pread(fd, text, sizeof(text) - 1, 0) <= 0)
		return 0;
	return strtol(text, NULL, 10);
}

static enum err_kind refused(int fd, int code, const char *database_path, struct error *err)
{
	if (code != EWOULDBLOCK)
		return error_set_native(err, ERR_TEMPORARY, code, "cannot lock %s", database_path);
	return error_set_native(err, ERR_CONFLICT, code,
				"the database %s is in use by process %ld; stop it first",
				database_path, owner_pid(fd));
}

/* Only for people: the lock itself is flock's. */
static void write_pid(int fd)
{
	if (ftruncate(fd, 0) == 0)
		dprintf(fd, "%ld\n", (long)getpid());
}

enum err_kind lock_file_take(const char *database_path, int *fd_out, struct error *err)
{
	char path[PATH_MAX];
	const int length = snprintf(path, sizeof(path), "%s.lock", database_path);
	if (length < 0 || (size_t)length >= sizeof(path))
		return error_set(err, ERR_INVALID, "the database path is too long");
	const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return error_set_native(err, ERR_TEMPORARY, errno, "cannot make %s: %s", path,
					strerror(errno));
	if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
		const enum err_kind kind = refused(fd, errno, database_path, err);
		close(fd);
		return kind;
	}
	write_pid(fd);
	*fd_out = fd;
	return ERR_NONE;
}

void lock_file_release(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}
