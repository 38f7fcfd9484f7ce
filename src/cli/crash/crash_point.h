/* SPDX-License-Identifier: Apache-2.0
 * Dying at a named point, for tests/fault: POSTHORN_CRASH_POINT=NAME:COUNT in the environment kills
 * the process with SIGKILL when it passes the point NAME for the COUNT-th time; with
 * POSTHORN_CRASH_STOPS set it stops there instead, until SIGCONT. The points are the engine's
 * (engine.h, probe). Only in builds with -DPOSTHORN_CRASH_POINTS=1 (the sanitizer build of ./dev
 * test); other builds ignore the variable. */
#pragma once

#include <stdbool.h>

struct delivery_work;

struct crash_point {
	char name[64]; /* empty = none */
	long countdown;
	bool stops;              /* SIGSTOP instead of SIGKILL */
	const char *poison_text; /* NULL = none */
};

/* Is POSTHORN_RELAXED_SYNC set: may the database lose its newest commits in a power cut? This is
 * the broken service that the power-cut test must catch. Always false in other builds. */
bool crash_point_relaxes_sync(void);
/* Reads the environment. */
void crash_point_init(struct crash_point *point);
/* For deliverer_config.stepping: aborts on a delivery whose post has the text of
 * POSTHORN_POISON_TEXT; work may be NULL. */
void crash_point_step(const struct crash_point *point, const struct delivery_work *work);
/* For engine_config.probe: context is a struct crash_point. */
void crash_point_pass(void *context, const char *name);
