/* SPDX-License-Identifier: Apache-2.0
 * See store_pause.h. Claims pass over paused lanes by themselves (NOT_PAUSED in
 * sql_statements.def). */
#include "store_pause.h"

#include "store_private.h"

static void pause_read(struct sql_cursor *cursor, void *out)
{
	struct pause_row *pause = out;
	pause->platform = (enum platform_id)sql_take_int(cursor);
	pause->app_id = sql_take_text(cursor);
	pause->account_id = sql_take_text(cursor);
	pause->paused_at_us = sql_take_int(cursor);
	pause->actor = sql_take_text(cursor);
	pause->client_id = sql_take_text(cursor);
}

enum err_kind store_pause_add(struct store *store, const struct pause_row *pause, struct error *err)
{
	return store_run_alone(store, SQL_PAUSE_PUT,
			       SQL_ARGS(sql_int(pause->platform), sql_text(pause->app_id),
					sql_text(pause->account_id), sql_int(pause->paused_at_us),
					sql_text(pause->actor)),
			       ERR_NONE, "", err);
}

struct resuming {
	const struct pause_row *pause;
	int64_t now_us;
	int64_t removed;
};

static enum err_kind resume(struct store_tx *tx, void *argument, struct error *err)
{
	struct resuming *resuming = argument;
	const struct pause_row *pause = resuming->pause;
	const struct sql_value platform = sql_int(pause->platform);
	const struct sql_value app = sql_text(pause->app_id);
	const struct sql_value account = sql_text(pause->account_id);
	const enum err_kind kind =
		sql_run(tx->sql, SQL_PAUSE_DELETE, SQL_ARGS(platform, app, account),
			&resuming->removed, err);
	if (kind != ERR_NONE || resuming->removed == 0)
		return kind;
	return sql_run(tx->sql, SQL_PAUSE_LANES_DUE,
		       SQL_ARGS(platform, app, account, sql_int(resuming->now_us)), NULL, err);
}

enum err_kind store_pause_remove(struct store *store, const struct pause_row *pause, int64_t now_us,
				 bool *is_found_out, struct error *err)
{
	struct resuming resuming = {.pause = pause, .now_us = now_us};
	const enum err_kind kind = store_write(store, resume, &resuming, err);
	*is_found_out = resuming.removed > 0;
	return kind;
}

enum err_kind store_pause_list(struct store *store, struct arena *arena, struct pause_row **out,
			       size_t *count_out, struct error *err)
{
	return store_list(store, arena,
			  SQL_ROWS(SQL_PAUSE_LIST, SQL_NO_ARGS, pause_read, struct pause_row),
			  (void **)out, count_out, err);
}

enum err_kind store_pause_count(struct store *store, int64_t *count_out, struct error *err)
{
	return store_number(store, SQL_PAUSE_COUNT, SQL_NO_ARGS, count_out, err);
}

enum err_kind store_pause_next_due(struct store *store, int64_t *due_at_us_out, struct error *err)
{
	return store_number(store, SQL_PAUSE_NEXT_DUE, SQL_ARGS(sql_int(NEVER_US)), due_at_us_out,
			    err);
}

enum err_kind store_pause_account_exists(struct store *store, struct str account_id,
					 struct str app_id, bool *exists_out, struct error *err)
{
	int64_t count = 0;
	const enum err_kind kind =
		store_number(store, SQL_PAUSE_ACCOUNT_EXISTS,
			     SQL_ARGS(sql_text(account_id), sql_text(app_id)), &count, err);
	*exists_out = count > 0;
	return kind;
}

static bool fits(struct str wanted, struct str text)
{
	return str_is_empty(wanted) || str_equal(wanted, text);
}

bool store_pause_applies(const struct pause_row *pauses, size_t count, enum platform_id platform,
			 struct str app_id, struct str account_id)
{
	for (size_t i = 0; i < count; i++) {
		const struct pause_row *pause = &pauses[i];
		if ((pause->platform == PLATFORM_NONE || pause->platform == platform) &&
		    fits(pause->app_id, app_id) && fits(pause->account_id, account_id))
			return true;
	}
	return false;
}
