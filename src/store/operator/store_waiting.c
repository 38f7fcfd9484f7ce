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

static void waiting_group_read(struct sql_cursor *cursor, void *out)
{
	struct store_waiting_group *group = out;
	struct delivery_standing *standing = &group->delivery.standing;
	group->app_id = sql_take_text(cursor);
	group->delivery.platform = (enum platform_id)sql_take_int(cursor);
	group->delivery.state = post_state_of_name(sql_take_text(cursor));
	group->delivery.error_code = sql_take_text(cursor);
	standing->is_held = sql_take_bool(cursor);
	standing->is_uncertain = sql_take_bool(cursor);
	standing->is_call_open = sql_take_bool(cursor);
	standing->is_leased = sql_take_bool(cursor);
	standing->is_suspended = sql_take_bool(cursor);
	standing->is_paused = sql_take_bool(cursor);
	standing->due_at_us = sql_take_bool(cursor) ? 0 : NEVER_US;
	standing->ahead = sql_take_int(cursor);
	group->count = sql_take_int(cursor);
}

enum err_kind store_waiting_groups_list(struct store *store, struct arena *arena, int64_t now_us,
					struct store_waiting_group **out, size_t *count_out,
					struct error *err)
{
	return store_list(store, arena,
			  SQL_ROWS(SQL_WAITING_GROUPS,
				   SQL_ARGS(sql_int(now_us), sql_int(STORE_WAITING_POSTS_MAX),
					    sql_int(STORE_WAITING_POSTS_MAX)),
				   waiting_group_read, struct store_waiting_group),
			  (void **)out, count_out, err);
}

enum err_kind store_scheduled_count(struct store *store, int64_t *count_out, struct error *err)
{
	return store_number(store, SQL_BACKLOG_SCHEDULED, SQL_NO_ARGS, count_out, err);
}
