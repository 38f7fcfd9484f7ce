/* SPDX-License-Identifier: Apache-2.0
 * What keeps a fault inside a process: limits of its own that nothing lifts again. Files by
 * Landlock, system calls by seccomp; each says whether this kernel has it, and without it the
 * process goes on. Builds with sanitizers take none of both (CONTAIN_IS_BUILT): their reports need
 * a symbolizer and ptrace. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "err.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CONTAIN_IS_BUILT 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
	__has_feature(memory_sanitizer)
#define CONTAIN_IS_BUILT 0
#else
#define CONTAIN_IS_BUILT 1
#endif
#else
#define CONTAIN_IS_BUILT 1
#endif

/* For the whole process and what it starts: no new privileges, no core dumps, files for its own
 * user only. Not to be read by other processes of that user either, but in a build with
 * sanitizers. */
void contain_process(void);

enum contain_access {
	CONTAIN_READ,        /* files and directories, with all below */
	CONTAIN_WRITE,       /* everything but to execute, and to make devices */
	CONTAIN_READ_EXECUTE /* programs */
};

struct contain_path {
	const char *path; /* one that is not there is passed over */
	enum contain_access access;
};

/* From here on this thread, and the threads that it starts, reach the files below these paths, and
 * no others; what is open stays open. Call it before any other thread runs. *version_out: of
 * Landlock; 0 = this kernel has none, or it is switched off, and nothing is changed. INTERNAL: the
 * kernel refused. */
enum err_kind contain_files(const struct contain_path *paths, size_t count, int *version_out,
			    struct error *err);

enum contain_calls {
	CONTAIN_SERVICE, /* no program is started, no process made, nothing of the system changed */
	CONTAIN_SPAWNER, /* programs and processes are; no network */
	CONTAIN_DECODER, /* no program, process or network: a library that decodes */
	CONTAIN_PARSER /* reads what is open, computes, writes to what is open; else it is killed */
};

/* For every thread. What is refused fails with EPERM. False: this kernel has no seccomp filters. */
bool contain_calls(enum contain_calls which);
/* For a process that is about to become this program, once, by execve() with the same pointer: as
 * CONTAIN_DECODER from then on. */
bool contain_program_calls(const char *program);
