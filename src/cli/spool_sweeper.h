/* SPDX-License-Identifier: Apache-2.0
 * When several nodes deliver one post, the node that ends it removes its own copies of the post's
 * files, and the other nodes keep theirs. The sweeper removes those from time to time. It is a
 * source of the engine that never has tasks, because the spool belongs to the engine's thread. */
#pragma once

#include <stdint.h>

struct clock;
struct engine;
struct spool;
struct store;

/* Filled by the caller (but for next_us), who keeps it as long as the engine. */
struct spool_sweeper {
	struct spool *spool;
	struct store *store;
	const struct clock *clock;
	int64_t every_us;
	int64_t next_us;
};

/* Before the engine's first turn. */
void spool_sweeper_add(struct spool_sweeper *sweeper, struct engine *engine);
