/* SPDX-License-Identifier: Apache-2.0
 * The sandbox: one HTTP listener that simulates all six platforms for development, demos and
 * tests (design.md, "Sandbox contract"). It is an independent reading of the documents in
 * platforms/ and shares no code with the service's adapters. All state is in memory and in one
 * private temporary directory until a reset or the end; or it is kept in a directory, and there
 * again at the next start. cli/ needs only this header; a simulated platform builds on
 * sandbox_private.h. Handlers run on the listener's threads. */
#pragma once

#include "err.h"
#include "str.h"

struct clock;
struct log;
struct random_source;
struct sandbox;

struct sandbox_config {
	const char *listen; /* "127.0.0.1:0"; port 0 picks a free one */
	/* Where its state is kept (a journal of the calls; made when it is missing, the parent is
	 * not); NULL = it is gone at the end */
	const char *directory;
	unsigned kept_calls_max;   /* there; 0 = 20,000. Of more the oldest are forgotten */
	const struct log *log;     /* NULL = silent */
	const struct clock *clock; /* NULL = clock_system(); POST /_sandbox/clock adds to it */
	const struct random_source
		*random;  /* NULL = random_system(); ids, codes and tokens come from it */
	unsigned threads; /* 0 = 64; calls that hang on purpose occupy one each */
	unsigned hang_ms; /* 0 = 60,000: how long timeout_after keeps a caller waiting */
};

/* Creates the temporary directory (0700, under TMPDIR or /tmp) or reads what was kept, listens,
 * and starts to answer. Returns NONE, INVALID (the address does not parse), CONFLICT (another
 * sandbox has the directory) or TEMPORARY (address in use, directory cannot be written), with
 * err->text. The caller owns *sandbox_out and closes it. */
enum err_kind sandbox_open(const struct sandbox_config *config, struct sandbox **sandbox_out,
			   struct error *err);
/* "http://127.0.0.1:40123"; valid until close. */
struct str sandbox_base_url(const struct sandbox *sandbox);
/* Stops listening, wakes calls that hang on purpose, removes the temporary directory (never one
 * that is kept), frees, and sets *sandbox to NULL. Blocks for up to 5 seconds while calls end.
 * NULL is fine. */
void sandbox_close(struct sandbox **sandbox);
