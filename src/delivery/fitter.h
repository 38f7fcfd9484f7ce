/* SPDX-License-Identifier: Apache-2.0
 * Files that are being fitted (src/fit, codec/strip.h): a few threads that wait for confined
 * children, so that the engine's thread never does. It asks again until the work is finished. What
 * is made is a file at a path that the asker chose; nothing here knows posts or the spool. Pictures
 * and films have a fitter each, since a film takes as long as hundreds of pictures. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "film_order.h"
#include "fit_order.h"
#include "str.h"

struct fitter;

#define FITTER_KEY_BYTES 128
#define FITTER_THREADS_MAX 2

struct fitter_work {
	int in_fd;
	int out_fd;
	/* one of the two, or none: a picture only without what it tells (strip.h) */
	const struct fit_order *order;
	const struct film_order *film;
	/* Of a film: how far it is, at least every second. False: nobody waits, give it up. */
	bool (*note)(void *context, int64_t at_ms);
	void *note_context;
};

enum fitter_end {
	FITTER_ANSWERED,
	FITTER_DIED,    /* the decoder died on it, or took too long */
	FITTER_MISSING, /* there is no posthorn-fit, or no ffmpeg */
	FITTER_GONE     /* there is no spawner any more */
};

struct fitter_answer {
	struct fit_answer picture;
	struct film_answer film;
};

struct fitter_worker {
	/* Any thread; blocks for up to 30 s, for a film as long as its order says. NULL: nothing
	 * can be fitted here. */
	enum fitter_end (*run)(void *context, const struct fitter_work *work,
			       struct fitter_answer *answer_out);
	void *context;
};

struct fitter_job {
	struct str key;   /* names the result: at most FITTER_KEY_BYTES - 1 */
	struct str owner; /* an app: of those that wait, the one for which the least is done goes
			   * first */
	struct str asker; /* for fitter_find() */
	const char *in_path;
	const char *out_path;          /* made 0600; replaced */
	const struct fit_order *order; /* as in fitter_work */
	const struct film_order *film;
};

enum fitter_state {
	FITTER_UNDER_WAY, /* ask again soon */
	FITTER_FINISHED   /* *result_out is filled, and the job forgotten */
};

struct fitter_result {
	enum fitter_end end;
	struct fitter_answer answer;
	char sha256[65]; /* hex, of what was made when it is DONE; it is synced */
};

/* threads: at most FITTER_THREADS_MAX. NULL without memory. The caller frees it with
 * fitter_free(), which gives up films and waits for pictures that are under way. */
struct fitter *fitter_new(const struct fitter_worker *worker, size_t threads);
void fitter_free(struct fitter **fitter);
/* Begins the job, unless one of that key is there. Never blocks. One thread asks. */
enum fitter_state fitter_ask(struct fitter *fitter, const struct fitter_job *job,
			     struct fitter_result *result_out);

struct fitter_progress {
	bool is_running; /* false: it waits for others */
	int percent;     /* -1 = not known */
};
/* How far the job is that this asker last asked for. Any thread. False: it has none. */
bool fitter_find(struct fitter *fitter, struct str asker, struct fitter_progress *progress_out);
