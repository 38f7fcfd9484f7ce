/* SPDX-License-Identifier: Apache-2.0
 * See store_waiting.h. */
#include "store_waiting.h"

#include "store_private.h"

#define ACCOUNTS_COUNTED_MAX 100000

static void due_accounts_read(struct sql_cursor *cursor, void *out)
{
	struct store_due_accounts *accounts = out;
	accounts->app_id = sql_take_text(cursor);
	accounts->client_id = sql_take_text(cursor);
	const int64_t mask = sql_take_int(cursor);
	for (int id = 1; id <= PLATFORM_ID_MAX; id++) {
		if (mask == INT64_C(1) << id)
			accounts->platform = (enum platform_id)id;
	}
	accounts->oldest_us = sql_take_int(cursor);
	accounts->account_count = sql_take_int(cursor);
}

enum err_kind store_due_accounts_list(struct store *store, struct arena *arena, int64_t now_us,
				      struct store_due_accounts **out, size_t *count_out,
				      struct error *err)
{
	return store_list(store, arena,
			  SQL_ROWS(SQL_WAITING_LANES,
				   SQL_ARGS(sql_int(now_us), sql_int(ACCOUNTS_COUNTED_MAX),
					    sql_int(STORE_DUE_ACCOUNTS_MAX)),
				   due_accounts_read, struct store_due_accounts),
			  (void **)out, count_out, err);
}
