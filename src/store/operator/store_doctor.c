/* SPDX-License-Identifier: Apache-2.0
 * See store_doctor.h. */
#include "store_doctor.h"

#include "store_private.h"

enum err_kind store_integrity_check(struct store *store, struct arena *arena,
				    struct str *problem_out, struct error *err)
{
	const enum err_kind kind =
		store_find(store, arena, SQL_ROW(SQL_INTEGRITY, SQL_NO_ARGS, store_text_read),
			   problem_out, "answer of the integrity check", err);
	if (kind == ERR_NONE && str_equal_z(*problem_out, "ok"))
		*problem_out = STR("");
	return kind;
}

#define ROUND_TRIPS 9

enum err_kind store_round_trip(struct store *store, int64_t *us_out, struct error *err)
{
	int64_t sorted_us[ROUND_TRIPS];
	*us_out = 0;
	if (!sql_is_shared(store->sql))
		return ERR_NONE;
	for (size_t i = 0; i < ROUND_TRIPS; i++) {
		const int64_t from_us = clock_boot_us(store->own_clock);
		int64_t now_us = 0;
		const enum err_kind kind =
			store_number(store, SQL_DATABASE_NOW, SQL_NO_ARGS, &now_us, err);
		if (kind != ERR_NONE)
			return kind;
		const int64_t took_us = clock_boot_us(store->own_clock) - from_us;
		size_t place = i;
		for (; place > 0 && sorted_us[place - 1] > took_us; place--)
			sorted_us[place] = sorted_us[place - 1];
		sorted_us[place] = took_us;
	}
	*us_out = sorted_us[ROUND_TRIPS / 2];
	return ERR_NONE;
}

struct use_row {
	int64_t platform;
	int64_t reauth_count;
};

static enum err_kind use_read(struct sql_connection *sql, void *argument, struct error *err)
{
	struct platform_use *use = argument;
	struct sql_cursor cursor;
	*use = (struct platform_use){0};
	sql_select(&cursor, sql, SQL_PLATFORM_USE, NULL, SQL_NO_ARGS, err);
	while (sql_next(&cursor)) {
		struct use_row row;
		row.platform = sql_take_int(&cursor);
		row.reauth_count = sql_take_int(&cursor);
		if (row.platform <= 0 || row.platform > PLATFORM_ID_MAX)
			continue;
		use->is_used[row.platform] = true;
		use->reauth_count[row.platform] = row.reauth_count;
	}
	return sql_end(&cursor);
}

enum err_kind store_platform_use(struct store *store, struct platform_use *out, struct error *err)
{
	return store_read(store, use_read, out, err);
}

static enum err_kind failing_read(struct sql_connection *sql, void *argument, struct error *err)
{
	struct webhooks_failing *failing = argument;
	struct sql_cursor cursor;
	*failing = (struct webhooks_failing){0};
	sql_select(&cursor, sql, SQL_WEBHOOKS_FAILING, NULL, SQL_NO_ARGS, err);
	while (sql_next(&cursor)) {
		failing->webhooks = sql_take_int(&cursor);
		failing->waiting = sql_take_int(&cursor);
		failing->oldest_us = sql_take_int(&cursor);
		failing->disabled = sql_take_int(&cursor);
	}
	return sql_end(&cursor);
}

enum err_kind store_webhooks_failing(struct store *store, struct webhooks_failing *out,
				     struct error *err)
{
	return store_read(store, failing_read, out, err);
}
