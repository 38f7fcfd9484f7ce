/* SPDX-License-Identifier: Apache-2.0
 * See store_quota.h. */
#include "store_quota.h"

#include "arena.h"

#include "store_private.h"

void store_quota_note_refusal(struct store *store, enum quota quota)
{
	atomic_fetch_add(&store->quota_refusals[quota], 1);
}

int64_t store_quota_refusals(const struct store *store, enum quota quota)
{
	return atomic_load(&store->quota_refusals[quota]);
}

void store_quota_set_limits(struct store *store, const struct quota_limits *limits)
{
	for (size_t i = 0; i < QUOTA_COUNT; i++)
		store->quotas[i] = limits->of[i];
}

static int64_t limit_of(const struct store *store, enum quota quota, int64_t own)
{
	return own != QUOTA_INHERITED ? own : store->quotas[quota];
}

bool store_quota_is_over(struct store *store, const struct quota_wish *wish,
			 struct quota_over *over_out)
{
	const int64_t limit = limit_of(store, wish->quota, wish->own);
	if (limit == 0 || wish->used + wish->more <= limit)
		return false;
	*over_out = (struct quota_over){wish->quota, limit, wish->used};
	return true;
}

/* ---- lists ---- */

static void work_read(struct sql_cursor *cursor, void *out)
{
	struct quota_row *rows = out;
	rows[QUOTA_PENDING_POSTS].used = sql_take_int(cursor);
	rows[QUOTA_POST_BYTES].used = sql_take_int(cursor);
	rows[QUOTA_WEBHOOK_BACKLOG].used = sql_take_int(cursor);
	for (enum quota quota = 0; quota < QUOTA_COUNT; quota++)
		rows[quota].own = sql_take_int(cursor);
	rows[QUOTA_MEDIA_BYTES].used = sql_take_int(cursor);
	rows[QUOTA_MEDIA_FILES].used = sql_take_int(cursor);
}

enum err_kind store_quota_list(struct store *store, struct arena *arena, struct str app_id,
			       struct quota_row out[QUOTA_COUNT], struct error *err)
{
	memset(out, 0, sizeof(*out) * QUOTA_COUNT);
	enum err_kind kind = store_find(
		store, arena, SQL_ROW(SQL_QUOTA_FIND, SQL_ARGS(sql_text(app_id)), work_read), out,
		"app", err);
	if (kind == ERR_NONE)
		kind = store_number(store, SQL_QUOTA_ACCOUNTS, SQL_ARGS(sql_text(app_id)),
				    &out[QUOTA_ACCOUNTS].used, err);
	for (enum quota quota = 0; quota < QUOTA_COUNT; quota++)
		out[quota].limit = limit_of(store, quota, out[quota].own);
	return kind;
}

enum err_kind store_quota_limits(struct store *store, struct arena *arena, struct str app_id,
				 struct quota_limits *out, struct error *err)
{
	struct quota_row rows[QUOTA_COUNT] = {{0}};
	const enum err_kind kind = store_find(
		store, arena, SQL_ROW(SQL_QUOTA_FIND, SQL_ARGS(sql_text(app_id)), work_read), rows,
		"app", err);
	for (enum quota quota = 0; kind == ERR_NONE && quota < QUOTA_COUNT; quota++)
		out->of[quota] = limit_of(store, quota, rows[quota].own);
	return kind;
}

enum err_kind store_quota_set(struct store *store, struct str app_id,
			      const int64_t own[QUOTA_COUNT], struct error *err)
{
	struct sql_value values[QUOTA_COUNT + 1] = {sql_text(app_id)};
	for (enum quota quota = 0; quota < QUOTA_COUNT; quota++)
		values[quota + 1] = sql_int(own[quota]);
	return store_run(store, SQL_QUOTA_SET, (struct sql_args){values, QUOTA_COUNT + 1},
			 ERR_NOT_FOUND, "app", err);
}

/* ---- accounts ---- */

enum err_kind store_quota_check_connect(struct store *store, struct arena *arena, struct str app_id,
					enum platform_id platform, struct str user_id,
					bool *is_over_out, struct quota_over *over_out,
					struct error *err)
{
	struct quota_row rows[QUOTA_COUNT];
	int64_t known = 0;
	*is_over_out = false;
	enum err_kind kind = store_quota_list(store, arena, app_id, rows, err);
	if (kind == ERR_NONE)
		kind = store_number(
			store, SQL_QUOTA_ACCOUNTS_OF_USER,
			SQL_ARGS(sql_text(app_id), sql_int(platform), sql_text(user_id)), &known,
			err);
	const struct quota_wish wish = {QUOTA_ACCOUNTS, rows[QUOTA_ACCOUNTS].own,
					rows[QUOTA_ACCOUNTS].used, 1};
	if (kind != ERR_NONE || known > 0)
		return kind;
	*is_over_out = store_quota_is_over(store, &wish, over_out);
	if (*is_over_out)
		store_quota_note_refusal(store, QUOTA_ACCOUNTS);
	return ERR_NONE;
}

enum err_kind store_quota_check_accounts(struct store_tx *tx, struct str app_id, size_t more,
					 bool *is_over_out, struct error *err)
{
	struct quota_row rows[QUOTA_COUNT] = {{0}};
	struct quota_over over;
	*is_over_out = false;
	if (more == 0)
		return ERR_NONE;
	enum err_kind kind = store_tx_lock_app(tx, app_id, err);
	if (kind == ERR_NONE)
		kind = sql_find(tx->sql, tx->arena,
				SQL_ROW(SQL_QUOTA_FIND, SQL_ARGS(sql_text(app_id)), work_read),
				rows, "app", err);
	if (kind == ERR_NONE)
		kind = sql_number(tx->sql, SQL_QUOTA_ACCOUNTS, SQL_ARGS(sql_text(app_id)),
				  &rows[QUOTA_ACCOUNTS].used, err);
	const struct quota_wish wish = {QUOTA_ACCOUNTS, rows[QUOTA_ACCOUNTS].own,
					rows[QUOTA_ACCOUNTS].used, (int64_t)more};
	if (kind == ERR_NONE)
		*is_over_out = store_quota_is_over(tx->store, &wish, &over);
	return kind;
}

/* ---- the webhook backlog ---- */

enum err_kind store_quota_backlog_room(struct store_tx *tx, struct str app_id, int64_t *room_out,
				       struct quota_over *over_out, struct error *err)
{
	struct quota_row rows[QUOTA_COUNT] = {{0}};
	enum err_kind kind = store_tx_work_now(tx, err); /* what this command has changed so far */
	if (kind == ERR_NONE)
		kind = store_tx_lock_app(tx, app_id, err);
	if (kind == ERR_NONE)
		kind = sql_find(tx->sql, tx->arena,
				SQL_ROW(SQL_QUOTA_FIND, SQL_ARGS(sql_text(app_id)), work_read),
				rows, "app", err);
	if (kind != ERR_NONE)
		return kind;
	const struct quota_row *row = &rows[QUOTA_WEBHOOK_BACKLOG];
	const int64_t limit = limit_of(tx->store, QUOTA_WEBHOOK_BACKLOG, row->own);
	*room_out = limit == 0 ? INT64_MAX : limit > row->used ? limit - row->used : 0;
	*over_out = (struct quota_over){QUOTA_WEBHOOK_BACKLOG, limit, row->used};
	return ERR_NONE;
}

enum err_kind store_quota_count_bytes(struct store_tx *tx, struct str app_id, int64_t more,
				      bool *is_over_out, struct quota_over *over_out,
				      struct error *err)
{
	struct quota_wish wish = {.quota = QUOTA_POST_BYTES, .more = more};
	struct sql_cursor cursor;
	sql_select(&cursor, tx->sql, SQL_WORK_EDIT, tx->arena,
		   SQL_ARGS(sql_text(app_id), sql_int(more)), err);
	if (sql_next(&cursor)) {
		wish.used = sql_take_int(&cursor) - more;
		wish.own = sql_take_int(&cursor);
	}
	const enum err_kind kind = sql_end(&cursor);
	*is_over_out =
		kind == ERR_NONE && more > 0 && store_quota_is_over(tx->store, &wish, over_out);
	return kind;
}
