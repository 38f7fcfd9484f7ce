/* SPDX-License-Identifier: Apache-2.0
 * See spool_sweeper.h. */
#include "spool_sweeper.h"

#include "clock.h"

#include "store_delivery.h"

#include "spool.h"

#include "engine.h"

#define POST_ID_BYTES 36 /* a key begins with the post's id */

/* A file is kept when that is unknown. */
static bool is_needed(void *context, struct str key)
{
	const struct spool_sweeper *sweeper = context;
	bool is_unfinished = true;
	const enum err_kind kind = store_post_is_unfinished(
		sweeper->store, str_slice(key, 0, POST_ID_BYTES), &is_unfinished, NULL);
	return kind != ERR_NONE || is_unfinished;
}

static enum err_kind claim_nothing(void *context, void *tx, size_t max, struct error *err)
{
	(void)context;
	(void)tx;
	(void)max;
	(void)err;
	return ERR_NONE;
}

static size_t sweep(void *context)
{
	struct spool_sweeper *sweeper = context;
	const int64_t now_us = clock_now_us(sweeper->clock);
	if (now_us < sweeper->next_us)
		return 0;
	spool_sweep(sweeper->spool, is_needed, sweeper);
	sweeper->next_us = now_us + sweeper->every_us;
	return 0;
}

static int64_t next_due_us(void *context)
{
	return ((const struct spool_sweeper *)context)->next_us;
}

void spool_sweeper_add(struct spool_sweeper *sweeper, struct engine *engine)
{
	sweeper->next_us = clock_now_us(sweeper->clock) + sweeper->every_us;
	const struct task_source source = {claim_nothing, sweep, next_due_us, sweeper, NULL};
	engine_add_source(engine, &source);
}
