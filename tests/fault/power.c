/* SPDX-License-Identifier: Apache-2.0
 * Keeps a journal of what a process does to the files below POWER_ROOT, and of what it has synced:
 * from it power.py makes the directory that a power cut would have left. Loaded with LD_PRELOAD;
 * the journal is the file POWER_JOURNAL. POWER_CUT_AT=N kills the process when its N-th sync is
 * done, POWER_CUT_BEFORE=1 besides: when it is about to begin. Not part of the product.
 *
 * A change is written down after it was made, a sync after it returned, both under one lock, so
 * that a sync in the journal stands behind exactly those changes that were made before it began.
 * Only raw system calls are used, as in preload.c. What goes past these functions (a mapping,
 * another system call) is not seen; power.py compares the journal with the directory to find that
 * out. */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define PATH_BYTES 4096
#define JOURNAL_FD_MIN 900 /* out of the way of what the program opens */

/* The same numbers and the same layout in power.py. */
enum operation {
	OPERATION_CREATE = 1,
	OPERATION_WRITE = 2,
	OPERATION_RESIZE = 3,
	OPERATION_SYNC = 4,
	OPERATION_RENAME = 5,
	OPERATION_UNLINK = 6,
	OPERATION_MAKE_DIRECTORY = 7,
	OPERATION_REMOVE_DIRECTORY = 8,
	OPERATION_LINK = 9,
};

struct record {
	uint32_t operation, path_bytes, other_bytes, data_bytes;
	uint64_t inode;
	int64_t offset; /* of a write; the size for RESIZE */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int journal_fd = -1;
static const char *root;
static size_t root_bytes;
static long syncs_left; /* until the cut; 0 = none */
static int cuts_before;

__attribute__((constructor)) static void power_begin(void)
{
	const char *path = getenv("POWER_JOURNAL");
	const char *cut_at = getenv("POWER_CUT_AT");
	root = getenv("POWER_ROOT");
	if (path == NULL || root == NULL)
		return;
	root_bytes = strlen(root);
	syncs_left = cut_at != NULL ? atol(cut_at) : 0;
	cuts_before = getenv("POWER_CUT_BEFORE") != NULL;
	const long fd = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_APPEND | O_CREAT, 0600);
	journal_fd = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, JOURNAL_FD_MIN);
	syscall(SYS_close, fd);
}

static int ends_with(const char *text, const char *ending)
{
	const size_t length = strlen(text), size = strlen(ending);
	return length >= size && strcmp(text + length - size, ending) == 0;
}

/* The log's index and the lock are made anew by each start: what is in them means nothing to it. */
static int is_below_root(const char *path)
{
	return journal_fd >= 0 && strncmp(path, root, root_bytes) == 0 &&
	       (path[root_bytes] == '/' || path[root_bytes] == '\0') && !ends_with(path, "-shm") &&
	       !ends_with(path, ".lock");
}

/* The path of an open file below the root. */
static int find_path(int fd, char path[PATH_BYTES])
{
	char link[64];
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	const long length = syscall(SYS_readlink, link, path, PATH_BYTES - 1);
	path[length > 0 ? length : 0] = '\0';
	return is_below_root(path);
}

/* A name as a call gives it, perhaps relative to an open directory. */
static int make_path(int directory_fd, const char *name, char path[PATH_BYTES])
{
	char directory[PATH_BYTES] = "";
	if (name[0] != '/' && (directory_fd == AT_FDCWD || !find_path(directory_fd, directory)))
		return 0;
	const int length = name[0] == '/' ? snprintf(path, PATH_BYTES, "%s", name)
					  : snprintf(path, PATH_BYTES, "%s/%s", directory, name);
	return length < PATH_BYTES && is_below_root(path);
}

static uint64_t inode_of_file(int fd)
{
	struct stat status = {0};
	syscall(SYS_fstat, fd, &status);
	return status.st_ino;
}

/* 0 = it is not there. */
static uint64_t inode_of_path(const char *path)
{
	struct stat status = {0};
	const long result = syscall(SYS_newfstatat, AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW);
	return result == 0 ? status.st_ino : 0;
}

static void note(struct record record, const char *path, const char *other, const void *data)
{
	record.path_bytes = (uint32_t)strlen(path);
	record.other_bytes = (uint32_t)strlen(other);
	const struct iovec parts[] = {
		{&record, sizeof(record)},
		{(void *)path, record.path_bytes},
		{(void *)other, record.other_bytes},
		{(void *)data, record.data_bytes},
	};
	syscall(SYS_writev, journal_fd, parts, 4);
}

/* ---- files ---- */

static int open_and_note(const char *name, int flags, mode_t mode)
{
	char path[PATH_BYTES];
	pthread_mutex_lock(&lock);
	const int was_there = inode_of_path(name) != 0;
	const int fd = (int)syscall(SYS_openat, AT_FDCWD, name, flags, mode);
	const int error = errno;
	if (fd >= 0 && find_path(fd, path)) {
		if (!was_there)
			note((struct record){.operation = OPERATION_CREATE,
					     .inode = inode_of_file(fd)},
			     path, "", NULL);
		else if ((flags & O_TRUNC) != 0)
			note((struct record){.operation = OPERATION_RESIZE,
					     .inode = inode_of_file(fd)},
			     path, "", NULL);
	}
	pthread_mutex_unlock(&lock);
	errno = error;
	return fd;
}

static int open_any(const char *name, int flags, mode_t mode)
{
	if (journal_fd >= 0 && (flags & (O_CREAT | O_TRUNC)) != 0)
		return open_and_note(name, flags, mode);
	return (int)syscall(SYS_openat, AT_FDCWD, name, flags, mode);
}

int open64(const char *name, int flags, ...)
{
	va_list arguments;
	va_start(arguments, flags);
	const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
	va_end(arguments);
	return open_any(name, flags, mode);
}

int open(const char *name, int flags, ...)
{
	va_list arguments;
	va_start(arguments, flags);
	const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
	va_end(arguments);
	return open_any(name, flags, mode);
}

/* Where write() will put it: raw lseek and fcntl, since nobody else moves the offset meanwhile. */
static int64_t next_offset(int fd)
{
	const long flags = syscall(SYS_fcntl, fd, F_GETFL);
	struct stat status = {0};
	if (flags < 0 || (flags & O_APPEND) == 0)
		return syscall(SYS_lseek, fd, 0, SEEK_CUR);
	syscall(SYS_fstat, fd, &status);
	return status.st_size;
}

static ssize_t write_and_note(int fd, const void *data, size_t size, int64_t offset)
{
	char path[PATH_BYTES];
	if (!find_path(fd, path))
		return offset >= 0 ? syscall(SYS_pwrite64, fd, data, size, offset)
				   : syscall(SYS_write, fd, data, size);
	pthread_mutex_lock(&lock);
	struct record record = {
		.operation = OPERATION_WRITE,
		.inode = inode_of_file(fd),
		.offset = offset >= 0 ? offset : next_offset(fd),
	};
	const long result = offset >= 0 ? syscall(SYS_pwrite64, fd, data, size, offset)
					: syscall(SYS_write, fd, data, size);
	const int error = errno;
	record.data_bytes = result > 0 ? (uint32_t)result : 0;
	if (result > 0)
		note(record, path, "", data);
	pthread_mutex_unlock(&lock);
	errno = error;
	return result;
}

ssize_t write(int fd, const void *data, size_t size)
{
	return journal_fd >= 0 ? write_and_note(fd, data, size, -1)
			       : syscall(SYS_write, fd, data, size);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset)
{
	return journal_fd >= 0 ? write_and_note(fd, data, size, offset)
			       : syscall(SYS_pwrite64, fd, data, size, offset);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset)
{
	return pwrite64(fd, data, size, offset);
}

int ftruncate64(int fd, off64_t size)
{
	char path[PATH_BYTES];
	if (journal_fd < 0 || !find_path(fd, path))
		return (int)syscall(SYS_ftruncate, fd, size);
	pthread_mutex_lock(&lock);
	const int result = (int)syscall(SYS_ftruncate, fd, size);
	const int error = errno;
	if (result == 0)
		note((struct record){.operation = OPERATION_RESIZE,
				     .inode = inode_of_file(fd),
				     .offset = size},
		     path, "", NULL);
	pthread_mutex_unlock(&lock);
	errno = error;
	return result;
}

int ftruncate(int fd, off_t size)
{
	return ftruncate64(fd, size);
}

/* ---- syncs: of a file its content, of a directory its names ---- */

static void cut_here(int is_before)
{
	if (syncs_left > 0 && is_before == cuts_before && --syncs_left == 0)
		syscall(SYS_kill, getpid(), SIGKILL);
}

static int sync_and_note(int fd, long number)
{
	char path[PATH_BYTES];
	if (journal_fd < 0 || !find_path(fd, path))
		return (int)syscall(number, fd);
	pthread_mutex_lock(&lock);
	cut_here(1);
	const int result = (int)syscall(number, fd);
	const int error = errno;
	if (result == 0)
		note((struct record){.operation = OPERATION_SYNC, .inode = inode_of_file(fd)}, path,
		     "", NULL);
	cut_here(0);
	pthread_mutex_unlock(&lock);
	errno = error;
	return result;
}

int fsync(int fd)
{
	return sync_and_note(fd, SYS_fsync);
}

int fdatasync(int fd)
{
	return sync_and_note(fd, SYS_fdatasync);
}

/* ---- names ---- */

/* Whoever made the change says how it went; inode is of what now has the name. */
static int note_names(int result, enum operation operation, const char *path, const char *other)
{
	const int error = errno;
	if (result == 0)
		note((struct record){.operation = operation,
				     .inode = inode_of_path(other[0] != '\0' ? other : path)},
		     path, other, NULL);
	pthread_mutex_unlock(&lock);
	errno = error;
	return result;
}

int rename(const char *from, const char *to)
{
	char path[PATH_BYTES], other[PATH_BYTES];
	if (!make_path(AT_FDCWD, from, path) || !make_path(AT_FDCWD, to, other))
		return (int)syscall(SYS_rename, from, to);
	pthread_mutex_lock(&lock);
	return note_names((int)syscall(SYS_rename, from, to), OPERATION_RENAME, path, other);
}

int link(const char *from, const char *to)
{
	char path[PATH_BYTES], other[PATH_BYTES];
	if (!make_path(AT_FDCWD, from, path) || !make_path(AT_FDCWD, to, other))
		return (int)syscall(SYS_link, from, to);
	pthread_mutex_lock(&lock);
	return note_names((int)syscall(SYS_link, from, to), OPERATION_LINK, path, other);
}

int unlinkat(int directory_fd, const char *name, int flags)
{
	char path[PATH_BYTES];
	if (!make_path(directory_fd, name, path))
		return (int)syscall(SYS_unlinkat, directory_fd, name, flags);
	const enum operation operation =
		(flags & AT_REMOVEDIR) != 0 ? OPERATION_REMOVE_DIRECTORY : OPERATION_UNLINK;
	pthread_mutex_lock(&lock);
	return note_names((int)syscall(SYS_unlinkat, directory_fd, name, flags), operation, path,
			  "");
}

int unlink(const char *name)
{
	return unlinkat(AT_FDCWD, name, 0);
}

int rmdir(const char *name)
{
	return unlinkat(AT_FDCWD, name, AT_REMOVEDIR);
}

int mkdir(const char *name, mode_t mode)
{
	char path[PATH_BYTES];
	if (!make_path(AT_FDCWD, name, path))
		return (int)syscall(SYS_mkdir, name, mode);
	pthread_mutex_lock(&lock);
	return note_names((int)syscall(SYS_mkdir, name, mode), OPERATION_MAKE_DIRECTORY, path, "");
}
