/* SPDX-License-Identifier: Apache-2.0
 * See store_look.h. */
#include "store_look.h"

#include "arena.h"

#include "store_private.h"

enum err_kind store_look_ask(struct store_tx *tx, struct str app_id, struct str post_id,
			     int64_t at_us, struct error *err)
{
	const struct sql_value id = sql_text(post_id);
	if (at_us != 0)
		return sql_run(tx->sql, SQL_LOOK_ASK,
			       SQL_ARGS(id, sql_text(app_id), sql_int(at_us)), NULL, err);
	const enum err_kind kind = sql_run(tx->sql, SQL_LOOK_DROP, SQL_ARGS(id), NULL, err);
	return kind == ERR_NONE ? sql_run(tx->sql, SQL_LOOK_FORGET, SQL_ARGS(id), NULL, err) : kind;
}

/* ---- claiming ---- */

static void work_read(struct sql_cursor *cursor, void *out)
{
	struct look_work *work = out;
	work->post_id = sql_take_text(cursor);
	work->app_id = sql_take_text(cursor);
	work->fence = sql_take_int(cursor) + 1; /* as this claim will set it */
	work->tries = (int)sql_take_int(cursor);
	work->content = sql_take_text(cursor);
	work->tiktok_privacy = (enum app_tiktok_privacy)sql_take_int(cursor);
}

static void target_read(struct sql_cursor *cursor, void *out)
{
	struct look_target *target = out;
	target->delivery_id = sql_take_text(cursor);
	target->account_id = sql_take_text(cursor);
	target->platform = (enum platform_id)sql_take_int(cursor);
	target->warnings = sql_take_text(cursor);
	target->account_type = account_type_of_name(sql_take_text(cursor));
	target->account_extra = sql_take_text(cursor);
}

static enum err_kind take(struct store_tx *tx, const struct look_claim *claim,
			  const struct look_work *work, bool *is_taken_out, struct error *err)
{
	int64_t changes = 0;
	enum err_kind kind = store_tx_take_app(tx, work->app_id, is_taken_out, err);
	if (kind != ERR_NONE || !*is_taken_out)
		return kind;
	kind = sql_run(tx->sql, SQL_LOOK_CLAIM,
		       SQL_ARGS(sql_text(work->post_id), sql_int(work->fence - 1),
				sql_int(claim->now_us + claim->lease_us),
				sql_word(sql_is_shared(tx->sql) ? tx->store->node_id : ""),
				sql_int(claim->now_us)),
		       &changes, err);
	*is_taken_out = kind == ERR_NONE && changes > 0;
	return kind;
}

static enum err_kind read_targets(struct store_tx *tx, struct arena *arena, struct look_work *work,
				  struct error *err)
{
	return sql_list(tx->sql, arena,
			SQL_ROWS(SQL_LOOK_TARGETS, SQL_ARGS(sql_text(work->post_id)), target_read,
				 struct look_target),
			(void **)&work->targets, &work->target_count, err);
}

/* Those that this claim took of an app count too. */
static bool has_room(const struct look_claim *claim, const struct look_work *taken, size_t count,
		     struct str app_id)
{
	size_t own = 0;
	for (size_t i = 0; i < count; i++)
		own += str_equal(taken[i].app_id, app_id);
	return claim->slots(claim->context, app_id) > own;
}

enum err_kind store_look_claim(struct store_tx *tx, struct arena *arena,
			       const struct look_claim *claim, struct look_work **out,
			       size_t *count_out, struct error *err)
{
	struct look_work *found = NULL;
	size_t count = 0;
	size_t taken = 0;
	enum err_kind kind = sql_list(
		tx->sql, arena,
		SQL_ROWS(SQL_LOOKS_DUE,
			 SQL_ARGS(sql_int(claim->now_us), sql_int((int64_t)claim->of_app_max),
				  sql_int((int64_t)claim->max)),
			 work_read, struct look_work),
		(void **)&found, &count, err);
	for (size_t i = 0; i < count && kind == ERR_NONE; i++) {
		bool is_taken = false;
		if (!has_room(claim, found, taken, found[i].app_id))
			continue;
		kind = take(tx, claim, &found[i], &is_taken, err);
		if (kind == ERR_NONE && is_taken)
			kind = read_targets(tx, arena, &found[i], err);
		if (is_taken)
			found[taken++] = found[i];
	}
	*out = found;
	*count_out = kind == ERR_NONE ? taken : 0;
	return kind;
}

enum err_kind store_look_next_due(struct store *store, int64_t *due_at_us_out, struct error *err)
{
	return store_number(store, SQL_LOOKS_NEXT_DUE, SQL_NO_ARGS, due_at_us_out, err);
}

/* ---- saving ---- */

static enum err_kind end_row(struct store_tx *tx, const struct look_save *save, struct error *err)
{
	const struct sql_value id = sql_text(save->post_id), fence = sql_int(save->fence);
	int64_t changes = 0;
	const enum err_kind kind =
		save->due_at_us != 0
			? sql_run(tx->sql, SQL_LOOK_AGAIN,
				  SQL_ARGS(id, fence, sql_int(save->due_at_us)), &changes, err)
			: sql_run(tx->sql, SQL_LOOK_END, SQL_ARGS(id, fence), &changes, err);
	return kind == ERR_NONE && changes == 0
		       ? error_set(err, ERR_CONFLICT,
				   "the post was changed, or looked at by others")
		       : kind;
}

enum err_kind store_look_save(struct store_tx *tx, const struct look_save *save, struct error *err)
{
	enum err_kind kind = end_row(tx, save, err);
	for (size_t i = 0; i < save->finding_count && kind == ERR_NONE; i++)
		kind = sql_run(tx->sql, SQL_LOOK_WARN,
			       SQL_ARGS(sql_text(save->findings[i].delivery_id),
					sql_text(save->findings[i].warnings)),
			       NULL, err);
	for (size_t i = 0; i < save->problem_count && kind == ERR_NONE; i++)
		kind = event_add(tx, save->app_id, EVENT_POST_MEDIA_PROBLEM, save->problems[i],
				 save->post_id, err);
	return kind;
}
