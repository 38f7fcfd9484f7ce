/* SPDX-License-Identifier: Apache-2.0
 * What saves that had lost their fence left behind. The service writes it for the operator's own
 * queries and never reads it. */
#pragma once

#include "store_private.h"

struct evidence_row {
	int64_t at_us;
	int64_t fence;
	struct str remote_id;
	struct str url;
	struct str parts;
};

static inline void evidence_read(struct sql_cursor *cursor, void *out)
{
	struct evidence_row *row = out;
	row->at_us = sql_take_int(cursor);
	row->fence = sql_take_int(cursor);
	row->remote_id = sql_take_text(cursor);
	row->url = sql_take_text(cursor);
	row->parts = sql_take_text(cursor);
}

/* Of one delivery, oldest first. */
static inline enum err_kind evidence_list(struct store *store, struct arena *arena,
					  struct str delivery_id, struct evidence_row **out,
					  size_t *count_out, struct error *err)
{
	return store_list(store, arena,
			  SQL_ROWS(SQL_EVIDENCE_LIST, SQL_ARGS(sql_text(delivery_id)),
				   evidence_read, struct evidence_row),
			  (void **)out, count_out, err);
}
