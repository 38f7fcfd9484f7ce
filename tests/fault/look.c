/* SPDX-License-Identifier: Apache-2.0
 * What the test of the containment does inside a running service: loaded with LD_PRELOAD, it waits
 * for a file TRY in the data directory, tries what a fault would try, and writes what came of it
 * beside it. Not part of the product. */
#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void try_all(const char *data, const char *outside, FILE *out)
{
	char path[4096];
	char *const words[] = {(char *)"true", NULL};
	int fd = open(outside, O_RDONLY | O_CLOEXEC);
	fprintf(out, "read %d\n", fd < 0 ? errno : 0);
	snprintf(path, sizeof(path), "%s.new", outside);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	fprintf(out, "write %d\n", fd < 0 ? errno : 0);
	fd = open("/etc/shadow", O_RDONLY | O_CLOEXEC);
	fprintf(out, "shadow %d\n", fd < 0 ? errno : 0);
	fd = open("/etc/resolv.conf", O_RDONLY | O_CLOEXEC);
	fprintf(out, "resolver %d\n", fd < 0 ? errno : 0);
	snprintf(path, sizeof(path), "%s/made", data);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	fprintf(out, "data %d\n", fd < 0 ? errno : 0);
	fprintf(out, "ptrace %d\n", syscall(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0) < 0 ? errno : 0);
	fprintf(out, "fork %d\n", syscall(SYS_fork) < 0 ? errno : 0);
	fprintf(out, "dumpable %d\n", prctl(PR_GET_DUMPABLE, 0, 0, 0, 0));
	execve("/bin/true", words, words + 1);
	fprintf(out, "execve %d\n", errno);
}

/* The service calls it in every turn of its engine, and after each request. */
int clock_gettime(clockid_t clock, struct timespec *out)
{
	static _Atomic int is_done;
	const char *data = getenv("LOOK_DATA");
	const char *outside = getenv("LOOK_OUTSIDE");
	char path[4096];
	const int result = (int)syscall(SYS_clock_gettime, clock, out);
	if (data == NULL || outside == NULL || is_done)
		return result;
	snprintf(path, sizeof(path), "%s/TRY", data);
	if (access(path, F_OK) != 0 || is_done++ != 0)
		return result;
	snprintf(path, sizeof(path), "%s/tried.part", data);
	FILE *file = fopen(path, "we");
	if (file == NULL)
		return result;
	try_all(data, outside, file);
	fclose(file);
	char done[4096];
	snprintf(done, sizeof(done), "%s/tried", data);
	rename(path, done);
	return result;
}
