/* SPDX-License-Identifier: Apache-2.0
 * Posts on the engine: claims due deliveries, drives each through its platform's publish flow,
 * refreshes tokens, retries what may be retried, asks the platform about publish calls in doubt,
 * and ends every delivery published or failed with a reason. The promise it keeps
 * (RELIABILITY.md 2.1): at most one automatic publish per post, account and part. Files: source.c
 * claims; task.c one delivery's course, task_load.c what it begins with; resolve.c publish calls in
 * doubt; media.c files from customers, hosted.h our copies of them for platforms that fetch; hold.c
 * what may not simply go on (restored databases, the quarantine); policy.c when to try again;
 * gate.c and room.c how much may be under way at once; alarm.c what only the operator can mend;
 * record.c timeline and excerpts. All of it runs on the engine's thread. */
#pragma once

#include <stdint.h>

#include "err.h"

#include "platform.h"

struct clock;
struct deliverer;
struct delivery_work;
struct engine;
struct hosted;
struct log;
struct random_source;
struct seal;
struct spool;
struct store;

struct deliverer_config {
	struct store *store;
	struct seal *seal;
	struct spool *spool;
	const struct hosted
		*hosted; /* gives files an address that platforms can fetch; NULL = none */
	struct engine *engine;
	const struct clock *clock;
	const struct random_source *random;
	const struct log *log;
	const struct platform_settings *settings;
	/* Called before a delivery is stepped, and with NULL after it: who dies in between knows on
	 * what. Engine's thread. NULL = none. */
	void (*stepping)(void *context, const struct delivery_work *work);
	void *stepping_context;
	/* Asked before each claim: false while the disk has no room to write down what calls come
	 * to. Nothing is claimed then. Engine's thread. NULL = always. */
	bool (*has_disk_room)(void *context);
	void *disk_context;
	int64_t time_scale; /* 0 = 1; every wait is divided by it (sandbox mode only) */
};

/* Registers with the engine; call before its first turn. Sweeps the spool. */
enum err_kind deliverer_new(const struct deliverer_config *config, struct deliverer **deliverer_out,
			    struct error *err);
void deliverer_free(struct deliverer **deliverer);
/* How many deliveries are worked on now. Any thread. */
int64_t deliverer_in_flight(const struct deliverer *deliverer);
/* There is new work. Any thread. */
void deliverer_wake(struct deliverer *deliverer);
