/* SPDX-License-Identifier: Apache-2.0
 * See store_late_id.h. */
#include "store_late_id.h"

#include <assert.h>

#include "store_private.h"

enum err_kind store_late_id_ask(struct store_tx *tx, const struct delivery_save *save,
				struct error *err)
{
	return sql_run(tx->sql, SQL_LATE_ID_ASK,
		       SQL_ARGS(sql_text(save->id), sql_text(save->work->account.id),
				sql_text(save->work->app_id), sql_int(save->late_id.due_us),
				sql_int(save->late_id.until_us)),
		       NULL, err);
}

static enum err_kind save_row(struct store_tx *tx, const struct delivery_save *save,
			      struct error *err)
{
	const bool is_kept = save->next == DELIVERY_KEEP;
	const struct sql_value id = sql_text(save->id), fence = sql_int(save->fence);
	int64_t changes = 0;
	const enum err_kind kind =
		save->next == DELIVERY_PUBLISHED
			? sql_run(tx->sql, SQL_LATE_ID_END, SQL_ARGS(id, fence), &changes, err)
			: sql_run(tx->sql, SQL_LATE_ID_SAVE,
				  SQL_ARGS(id, fence,
					   sql_int(is_kept ? save->now_us : save->due_at_us),
					   sql_int(is_kept ? save->lease_until_us : 0),
					   sql_int(save->looks)),
				  &changes, err);
	if (kind == ERR_NONE && changes == 0)
		return error_set(err, ERR_CONFLICT, "the look was claimed again meanwhile");
	return kind;
}

/* A delivery that a person has begun again meanwhile keeps what it has. */
static enum err_kind tell(struct store_tx *tx, const struct delivery_save *save, struct error *err)
{
	int64_t changes = 0;
	if (str_is_empty(save->parts))
		return ERR_NONE;
	enum err_kind kind = sql_run(tx->sql, SQL_LATE_ID_TELL,
				     SQL_ARGS(sql_text(save->id), sql_text(save->flow),
					      sql_text(save->remote_id), sql_text(save->url),
					      sql_text(save->parts), sql_text(save->warnings)),
				     &changes, err);
	if (kind != ERR_NONE || changes == 0 || str_is_empty(save->remote_id))
		return kind;
	kind = sql_run(tx->sql, SQL_REMOTE_ID_BIND,
		       SQL_ARGS(sql_text(save->work->account.id), sql_text(save->remote_id),
				sql_text(save->id)),
		       NULL, err);
	return kind == ERR_NONE ? event_add_delivery(tx, EVENT_POST_ID_FOUND, save->id, err) : kind;
}

enum err_kind store_late_id_save(struct store_tx *tx, const struct delivery_save *save,
				 struct error *err)
{
	assert(save->next == DELIVERY_KEEP || save->next == DELIVERY_WAIT ||
	       save->next == DELIVERY_PUBLISHED);
	enum err_kind kind = save_row(tx, save, err);
	if (kind == ERR_NONE)
		kind = store_after_lane_save(tx, save, err);
	if (kind == ERR_NONE)
		kind = store_delivery_timeline_add(tx, save, err);
	if (kind == ERR_NONE && save->next == DELIVERY_PUBLISHED)
		kind = tell(tx, save, err);
	return kind;
}

static enum err_kind forget(struct store_tx *tx, void *argument, struct error *err)
{
	const struct str *id = argument;
	return sql_run(tx->sql, SQL_LATE_ID_FORGET, SQL_ARGS(sql_text(*id)), NULL, err);
}

enum err_kind store_late_id_set_aside(struct store *store, struct str delivery_id,
				      struct error *err)
{
	return store_write(store, forget, &delivery_id, err);
}
