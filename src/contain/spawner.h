/* SPDX-License-Identifier: Apache-2.0
 * The one process that makes processes. It is started as a program of its own before anything is
 * opened, so it holds no key, no database and nobody's settings; it knows a table of jobs. A job is
 * a function of ours or a program, and works on descriptors that are handed over: its file as
 * standard input, its answer to standard output, and more files from descriptor 3 on. Each runs in
 * a child of its own that is limited and, where it is a function, can do nothing but read and
 * compute. A fault there costs this one answer. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"

#define SPAWNER_ANSWER_BYTES 512
#define SPAWNER_FILES_MAX 4
/* The word that starts the program as its spawner: no command has brackets. */
#define SPAWNER_WORD "(spawner)"

struct spawner_job {
	/* Writes at most SPAWNER_ANSWER_BYTES to answer and returns how many; runs after
	 * contain_calls(CONTAIN_PARSER), so it opens and allocates nothing. NULL: program. */
	size_t (*run)(int file, char *answer);
	/* run starts a program, and contains itself and that. Before its answer it may write
	 * packets to standard output that say how far it is. */
	bool starts_program;
	const char *program; /* its path; run without arguments and environment; NULL: missing */
	unsigned seconds;    /* of time, and of the processor */
	size_t memory_bytes; /* of address space, but in a build with sanitizers */
};

/* What main() does for SPAWNER_WORD: serves the socket that it was started with until the other
 * end goes, and returns the exit status. */
int spawner_serve(const struct spawner_job *jobs, size_t count);

struct spawner;

/* Runs program with SPAWNER_WORD. Before any other thread runs, and before contain_calls().
 * INTERNAL: the process cannot be made. */
enum err_kind spawner_start(const char *program, struct spawner **spawner_out, struct error *err);
/* Ends it; what it runs goes on to its end. NULL inside is fine. */
void spawner_stop(struct spawner **spawner);

enum spawner_end {
	SPAWNER_ANSWERED,
	SPAWNER_FAILED, /* the job died, took too long, or said nothing */
	SPAWNER_GONE    /* there is no spawner any more */
};

/* Runs the job with files[0] as its standard input, and waits for the answer. Any thread. The files
 * stay the caller's. */
enum spawner_end spawner_run(struct spawner *spawner, size_t job, const int *files, size_t count,
			     char answer[SPAWNER_ANSWER_BYTES], size_t *size_out);

struct spawner_order {
	size_t job;
	const int *files; /* as in spawner_run() */
	size_t count;
};

enum spawner_heard { SPAWNER_GO_ON, SPAWNER_HAS_ANSWER, SPAWNER_GIVE_UP };

struct spawner_watch {
	int64_t longest_ms;
	/* Each packet that comes, and an empty one about every second. After GIVE_UP the job is
	 * told by the end of its standard output that nobody waits. */
	enum spawner_heard (*hear)(void *context, const char *packet, size_t size);
	void *context;
};

/* As spawner_run(), for a job that takes long. FAILED: also when it was given up. */
enum spawner_end spawner_watch(struct spawner *spawner, const struct spawner_order *order,
			       const struct spawner_watch *watch);
