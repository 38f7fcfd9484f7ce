/* SPDX-License-Identifier: Apache-2.0
 * Where several nodes deliver one post, the node that ends it removes its own copies of the post's
 * files; the others' stay behind. This removes them, from time to time, as a source of the engine
 * that never has work: the spool is the engine's thread's. */
#pragma once

#include <stdint.h>

struct clock;
struct engine;
struct spool;
struct store;

/* Filled by the caller, who keeps it as long as the engine. */
struct spool_sweeper {
	struct spool *spool;
	struct store *store;
	const struct clock *clock;
	int64_t every_us;
	int64_t next_us;
};

/* Before the engine's first turn. */
void spool_sweeper_add(struct spool_sweeper *sweeper, struct engine *engine);
