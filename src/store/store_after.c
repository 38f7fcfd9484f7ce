/* SPDX-License-Identifier: Apache-2.0
 * See store_after.h. */
#include "store_after.h"

#include "arena.h"

#include "store_private.h"

static const struct {
	enum sql_name due;
	enum sql_name claim;
} statements[AFTER_KIND_COUNT] = {
	[AFTER_REMOVAL] = {SQL_REMOVALS_DUE, SQL_REMOVAL_CLAIM},
	[AFTER_LATE_ID] = {SQL_LATE_IDS_DUE, SQL_LATE_ID_CLAIM},
};

static void work_read(struct sql_cursor *cursor, void *out)
{
	struct after_work *after = out;
	struct delivery_work *work = &after->delivery;
	struct str own_flow = {0};
	work->id = sql_take_text(cursor);
	work->fence = sql_take_int(cursor) + 1; /* as this claim will set it */
	work->attempts = (int)sql_take_int(cursor);
	work->looks = (int)sql_take_int(cursor);
	after->is_call_open = sql_take_bool(cursor);
	after->until_us = sql_take_int(cursor);
	work->due_at_us = sql_take_int(cursor);
	own_flow = sql_take_text(cursor);
	work->flow = sql_take_text(cursor);
	after->parts = sql_take_text(cursor);
	work->post_id = sql_take_text(cursor);
	work->content = sql_take_text(cursor);
	after->post_created_at_us = sql_take_int(cursor);
	work->credential_client_id = sql_take_text(cursor);
	work->credential_secret_sealed = sql_take_blob(cursor);
	work->app_id = sql_take_text(cursor);
	work->app_state = app_state_of_name(sql_take_text(cursor));
	work->world.is_test = sql_take_bool(cursor);
	work->world.time_scale = sql_take_int(cursor);
	work->is_app_deleted = sql_take_bool(cursor);
	work->is_recorded = sql_take_bool(cursor);
	account_read(cursor, &work->account);
	work->state = POST_PUBLISHED;
	after->is_new = str_is_empty(own_flow);
	if (!after->is_new)
		work->flow = own_flow;
}

/* What it can only end for makes no call. */
static bool needs_lane(const struct after_work *after)
{
	return after->delivery.account.state != ACCOUNT_DISCONNECTED &&
	       !after->delivery.is_app_deleted;
}

static struct sql_value node_of(const struct store_tx *tx)
{
	return sql_word(sql_is_shared(tx->sql) ? tx->store->node_id : "");
}

/* False: somebody else was faster, or works on the same platform account for another user. */
static enum err_kind take_lane(struct store_tx *tx, const struct after_work *after,
			       int64_t until_us, bool *is_taken_out, struct error *err)
{
	const struct str account_id = after->delivery.account.id;
	bool is_behind = false;
	int64_t changes = 0;
	*is_taken_out = false;
	enum err_kind kind =
		store_lane_stand_behind(tx, account_id, after->delivery.id, &is_behind, err);
	if (kind == ERR_NONE && !is_behind)
		kind = sql_run(tx->sql, SQL_AFTER_LANE_TAKE,
			       SQL_ARGS(sql_text(account_id), sql_text(after->delivery.id),
					sql_int(until_us), node_of(tx)),
			       &changes, err);
	*is_taken_out = kind == ERR_NONE && changes > 0;
	if (*is_taken_out || is_behind)
		store_tx_work_later(tx, after->delivery.app_id);
	return kind;
}

static enum err_kind take(struct store_tx *tx, const struct after_claim *claim,
			  struct after_work *after, bool *is_taken_out, struct error *err)
{
	const int64_t until_us = claim->now_us + claim->lease_us;
	int64_t changes = 0;
	enum err_kind kind = store_tx_take_app(tx, after->delivery.app_id, is_taken_out, err);
	if (kind == ERR_NONE && *is_taken_out && needs_lane(after))
		kind = take_lane(tx, after, until_us, is_taken_out, err);
	if (kind != ERR_NONE || !*is_taken_out)
		return kind;
	kind = sql_run(tx->sql, statements[claim->kind].claim,
		       SQL_ARGS(sql_text(after->delivery.id), sql_int(after->delivery.fence - 1),
				sql_int(until_us), node_of(tx)),
		       &changes, err);
	after->kind = claim->kind;
	after->delivery.lease_until_us = until_us;
	*is_taken_out = kind == ERR_NONE && changes > 0;
	return kind;
}

enum err_kind store_after_claim(struct store_tx *tx, struct arena *arena,
				const struct after_claim *claim, struct after_work **out,
				size_t *count_out, struct error *err)
{
	struct after_work *found = NULL;
	size_t count = 0;
	size_t taken = 0;
	enum err_kind kind =
		sql_list(tx->sql, arena,
			 SQL_ROWS(statements[claim->kind].due,
				  SQL_ARGS(sql_int(claim->now_us), sql_int((int64_t)claim->max)),
				  work_read, struct after_work),
			 (void **)&found, &count, err);
	for (size_t i = 0; i < count && kind == ERR_NONE; i++) {
		bool is_taken = false;
		kind = take(tx, claim, &found[i], &is_taken, err);
		if (is_taken)
			found[taken++] = found[i];
	}
	*out = found;
	*count_out = kind == ERR_NONE ? taken : 0;
	return kind;
}

enum err_kind store_after_next_due(struct store *store, int64_t *due_at_us_out, struct error *err)
{
	return store_number(store, SQL_AFTER_NEXT_DUE, SQL_NO_ARGS, due_at_us_out, err);
}

enum err_kind store_after_lane_save(struct store_tx *tx, const struct delivery_save *save,
				    struct error *err)
{
	const struct str account_id = save->work->account.id;
	const enum err_kind kind =
		save->next == DELIVERY_KEEP
			? sql_run(tx->sql, SQL_LANE_KEEP,
				  SQL_ARGS(sql_text(account_id), sql_text(save->id),
					   sql_int(save->lease_until_us)),
				  NULL, err)
			: store_lane_free(tx, account_id, save->id, err);
	if (kind == ERR_NONE)
		store_tx_work_later(tx, save->work->app_id);
	return kind;
}
