/* SPDX-License-Identifier: Apache-2.0
 * May an app have another file fetched, and why did a fetch bring nothing? In sentences, for those
 * who fetch files of posts. Engine's thread. */
#pragma once

#include "err.h"
#include "str.h"

struct arena;
struct spool;
struct store;
struct transfer_result;

struct fetch_room {
	struct store *store;
	struct spool *spool;
	struct str app_id;
	struct str key; /* of the file */
};

/* Empty when it may; the key's files are the app's from then on. A store that cannot be asked
 * limits nothing. */
struct str fetch_room_refusal(struct arena *arena, const struct fetch_room *room);
/* err: what spool_fetch_finish() said. */
struct str fetch_failure_text(struct arena *arena, const struct transfer_result *result,
			      const struct error *err);
