/* SPDX-License-Identifier: Apache-2.0
 * Files fetched for a caller who waits, outside of any post: an address becomes a file on the disk.
 * The transfer is the engine's, through the guard, as those of posts are. */
#pragma once

#include <stdint.h>

#include "err.h"
#include "str.h"

struct arena;
struct clock;
struct engine;
struct fetcher;

struct fetcher_config {
	struct engine *engine;
	const struct clock *clock;
	unsigned of_app_max; /* fetches of one app at once */
};

/* Registers with the engine; before its first turn. The caller frees it after the engine.
 * INTERNAL: no memory. */
enum err_kind fetcher_new(const struct fetcher_config *config, struct fetcher **fetcher_out,
			  struct error *err);
/* Takes NULL inside, and nulls. */
void fetcher_free(struct fetcher **fetcher);

struct fetch_wish {
	struct str app_id;
	struct str url;
	const char *path; /* made, and removed by fetcher_close_fetched() */
	int64_t max_bytes;
	int64_t wait_ms;
};

struct fetched; /* holds the file */

/* Blocks for wait_ms and a moment. NONE: the file is there until fetcher_close_fetched(). Else
 * err->text is a sentence for people, without the URL: FORBIDDEN: the guard refused the address;
 * TOO_LARGE: beyond max_bytes; NOT_FOUND: 404 or 410; INVALID: another answer; TEMPORARY: no whole
 * answer in time; LIMITED: of_app_max are under way, and nothing was fetched. Any thread. */
enum err_kind fetcher_run(struct fetcher *fetcher, const struct fetch_wish *wish,
			  struct fetched **fetched_out, struct error *err);
/* Takes NULL inside, and nulls. */
void fetcher_close_fetched(struct fetched **fetched);
