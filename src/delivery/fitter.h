/* SPDX-License-Identifier: Apache-2.0
 * Pictures that are being fitted (src/fit, codec/strip.h): a few threads that wait for confined
 * children, so that the engine's thread never does. It asks again until the work is finished. What
 * is made is a file at a path that the asker chose; nothing here knows posts or the spool. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "fit_order.h"
#include "str.h"

struct fitter;

#define FITTER_KEY_BYTES 128

struct fitter_work {
	int in_fd;
	int out_fd;
	const struct fit_order *order; /* NULL: only without what it tells (strip.h) */
};

enum fitter_end {
	FITTER_ANSWERED,
	FITTER_DIED,    /* the decoder died on it, or took too long */
	FITTER_MISSING, /* there is no posthorn-fit */
	FITTER_GONE     /* there is no spawner any more */
};

struct fitter_worker {
	/* Any thread; blocks for up to 30 s. NULL: nothing can be fitted here. */
	enum fitter_end (*run)(void *context, const struct fitter_work *work,
			       struct fit_answer *answer_out);
	void *context;
};

struct fitter_job {
	struct str key; /* names the result: at most FITTER_KEY_BYTES - 1 */
	const char *in_path;
	const char *out_path;          /* made 0600; replaced */
	const struct fit_order *order; /* as in fitter_work */
};

enum fitter_state {
	FITTER_UNDER_WAY, /* ask again soon */
	FITTER_FINISHED   /* *result_out is filled, and the job forgotten */
};

struct fitter_result {
	enum fitter_end end;
	struct fit_answer answer;
	char sha256[65]; /* hex, of what was made when it is DONE; it is synced */
};

/* NULL without memory. The caller frees it with fitter_free(), which waits for what is under
 * way. */
struct fitter *fitter_new(const struct fitter_worker *worker);
void fitter_free(struct fitter **fitter);
/* Begins the job, unless one of that key is there. Never blocks. One thread asks. */
enum fitter_state fitter_ask(struct fitter *fitter, const struct fitter_job *job,
			     struct fitter_result *result_out);
