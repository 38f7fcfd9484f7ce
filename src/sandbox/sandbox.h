/* SPDX-License-Identifier: Apache-2.0
 * The sandbox: one HTTP listener that plays all six platforms for development, demos and tests
 * (design.md, "Sandbox contract"). It is an independent reading of the documents in platforms/ and
 * shares no code with the service's adapters. It keeps everything in memory and in one private
 * temporary directory until it is reset or closed. What a platform file of the sandbox builds on is
 * sandbox_private.h; cli/ needs only this header. Its handlers run on the listener's threads. */
#pragma once

#include "err.h"
#include "str.h"

struct clock;
struct log;
struct random_source;
struct sandbox;

struct sandbox_config {
	const char *listen;    /* "127.0.0.1:0"; port 0 picks a free one */
	const struct log *log; /* NULL = silent */
	const struct clock
		*clock; /* NULL = clock_system(); POST /_sandbox/clock moves on from it */
	const struct random_source
		*random;  /* NULL = random_system(); ids, codes and tokens come from it */
	unsigned threads; /* 0 = 64: calls that hang on purpose hold one each */
	unsigned hang_ms; /* 0 = 60,000: how long timeout_after keeps a caller waiting */
};

/* Listens, makes the temporary directory (0700, under TMPDIR or /tmp) and starts to answer.
 * Returns NONE; INVALID (address not readable), TEMPORARY (address in use, no temporary directory)
 * with err->text. The caller owns *sandbox_out and closes it. */
enum err_kind sandbox_open(const struct sandbox_config *config, struct sandbox **sandbox_out,
			   struct error *err);
/* "http://127.0.0.1:40123"; valid until close. */
struct str sandbox_base_url(const struct sandbox *sandbox);
/* Stops listening, wakes calls that hang on purpose, removes the temporary directory, frees, nulls.
 * NULL is fine. */
void sandbox_close(struct sandbox **sandbox);
