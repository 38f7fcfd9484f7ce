/* SPDX-License-Identifier: Apache-2.0
 * See store_alarm.h. */
#include "store_alarm.h"

#include "store_private.h"

static void alarm_read(struct sql_cursor *cursor, void *out)
{
	struct alarm_row *alarm = out;
	alarm->name = sql_take_text(cursor);
	alarm->message = sql_take_text(cursor);
	alarm->first_at_us = sql_take_int(cursor);
	alarm->last_at_us = sql_take_int(cursor);
	alarm->times = sql_take_int(cursor);
}

enum err_kind store_alarm_raise(struct store *store, struct str name, struct str message,
				int64_t now_us, struct error *err)
{
	return store_run(store, SQL_ALARM_RAISE,
			 SQL_ARGS(sql_text(name), sql_text(message), sql_int(now_us)), ERR_NONE, "",
			 err);
}

enum err_kind store_alarm_raise_in(struct store_tx *tx, struct str name, struct str message,
				   int64_t now_us, struct error *err)
{
	return sql_run(tx->sql, SQL_ALARM_RAISE,
		       SQL_ARGS(sql_text(name), sql_text(message), sql_int(now_us)), NULL, err);
}

enum err_kind store_alarm_list(struct store *store, struct arena *arena, struct alarm_row **out,
			       size_t *count_out, struct error *err)
{
	return store_list(store, arena,
			  SQL_ROWS(SQL_ALARM_LIST, SQL_NO_ARGS, alarm_read, struct alarm_row),
			  (void **)out, count_out, err);
}

enum err_kind store_alarm_clear(struct store *store, struct error *err)
{
	return store_run(store, SQL_ALARM_CLEAR, SQL_NO_ARGS, ERR_NONE, "", err);
}
