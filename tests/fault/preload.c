/* SPDX-License-Identifier: Apache-2.0
 * What the fault tests do to a running service below libc: errors of the disk that holds the
 * database (the k-th matching call fails, once or from then on), a stop right after a flush, and a
 * clock that is ahead. Loaded with LD_PRELOAD; the test and the process share a small file (struct
 * control, mapped by both), so that everything can be switched while the service runs. Not part of
 * the product.
 *
 * Only raw system calls are used, no dlsym(): a sanitizer's own wrappers are bypassed and nothing
 * here allocates. */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The same order in fault_harness.py. */
struct control {
	/* the at-th matching call from now is the first to meet the effect; 0 = none */
	_Atomic int32_t at;
	_Atomic int32_t is_sticky; /* all later ones too */
	_Atomic int32_t error;     /* errno; 0 = do the call, then stop the process (SIGSTOP) */
	_Atomic int32_t calls;     /* bits of enum call_bit: which calls match */
	_Atomic int32_t seen;      /* matching calls so far */
	_Atomic int32_t hits;      /* that met the effect */
	_Atomic int32_t clock_s;   /* the wall clock is so far ahead */
};

enum call_bit { CALL_WRITE = 1, CALL_FLUSH = 2, CALL_TRUNCATE = 4 };

static struct control *control;

__attribute__((constructor)) static void preload_begin(void)
{
	const char *path = getenv("FAULT_CONTROL");
	int fd = path != NULL ? open(path, O_RDWR | O_CLOEXEC) : -1;
	if (fd < 0)
		return;
	void *mapped =
		mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (mapped != MAP_FAILED)
		control = mapped;
}

static int ends_with(const char *text, size_t length, const char *ending)
{
	size_t size = strlen(ending);
	return length >= size && memcmp(text + length - size, ending, size) == 0;
}

static int is_store_file(int fd)
{
	char link[64], path[4096];
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t length = readlink(link, path, sizeof(path));
	if (length <= 0)
		return 0;
	return ends_with(path, (size_t)length, ".db") || ends_with(path, (size_t)length, "-wal") ||
	       ends_with(path, (size_t)length, "-shm") ||
	       ends_with(path, (size_t)length, "-journal");
}

/* Does this call meet the effect? */
static int is_hit(int fd, enum call_bit bit)
{
	if (control == NULL || control->at == 0 || (control->calls & (int32_t)bit) == 0 ||
	    !is_store_file(fd))
		return 0;
	int32_t number = atomic_fetch_add(&control->seen, 1) + 1;
	int32_t at = control->at;
	if (number != at && !(control->is_sticky && number > at))
		return 0;
	control->hits++;
	return 1;
}

static long refuse(void)
{
	errno = control->error;
	return -1;
}

/* After the call: a stop where the caller has its flush and has done nothing with it. */
static void stop_here(void)
{
	if (control->error == 0)
		syscall(SYS_kill, getpid(), SIGSTOP);
}

ssize_t write(int fd, const void *data, size_t size)
{
	int hit = is_hit(fd, CALL_WRITE);
	return hit && control->error != 0 ? refuse() : syscall(SYS_write, fd, data, size);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t offset)
{
	int hit = is_hit(fd, CALL_WRITE);
	return hit && control->error != 0 ? refuse()
					  : syscall(SYS_pwrite64, fd, data, size, offset);
}

ssize_t pwrite(int fd, const void *data, size_t size, off_t offset)
{
	return pwrite64(fd, data, size, offset);
}

static int flush(int fd, long number)
{
	int hit = is_hit(fd, CALL_FLUSH);
	if (hit && control->error != 0)
		return (int)refuse();
	int result = (int)syscall(number, fd);
	if (hit)
		stop_here();
	return result;
}

int fsync(int fd)
{
	return flush(fd, SYS_fsync);
}

int fdatasync(int fd)
{
	return flush(fd, SYS_fdatasync);
}

int ftruncate64(int fd, off64_t size)
{
	int hit = is_hit(fd, CALL_TRUNCATE);
	return hit && control->error != 0 ? (int)refuse() : (int)syscall(SYS_ftruncate, fd, size);
}

int ftruncate(int fd, off_t size)
{
	return ftruncate64(fd, size);
}

int clock_gettime(clockid_t clock, struct timespec *out)
{
	int result = (int)syscall(SYS_clock_gettime, clock, out);
	if (result == 0 && clock == CLOCK_REALTIME && control != NULL)
		out->tv_sec += control->clock_s;
	return result;
}
