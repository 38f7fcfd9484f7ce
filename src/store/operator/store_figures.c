/* SPDX-License-Identifier: Apache-2.0
 * See store_figures.h. */
#include "store_figures.h"

#include "count_of.h"

#include "store_event.h"
#include "store_private.h"

/* One statement gives one figure. */
struct question {
	enum sql_name name;
	size_t offset;      /* of the figure in struct store_figures */
	const char *status; /* ?1, when it is a status */
	bool asks_now;      /* ?1 is now */
	bool is_bounded;    /* the last parameter is the ceiling */
};

#define FIGURE(field) offsetof(struct store_figures, field)

static const struct question questions[] = {
	{SQL_FIGURE_POSTS, FIGURE(posts_pending), .status = "pending"},
	{SQL_FIGURE_POSTS, FIGURE(posts_scheduled), .status = "scheduled"},
	{SQL_FIGURE_POSTS, FIGURE(posts_published), .status = "published"},
	{SQL_FIGURE_POSTS, FIGURE(posts_failed), .status = "failed"},
	{SQL_FIGURE_DUE, FIGURE(deliveries_due), .asks_now = true, .is_bounded = true},
	{SQL_BACKLOG_SCHEDULED, FIGURE(deliveries_scheduled)},
	{SQL_FIGURE_HELD, FIGURE(deliveries_held)},
	{SQL_BACKLOG_OLDEST, FIGURE(oldest_due_us), .asks_now = true},
	{SQL_FIGURE_REMOVALS, FIGURE(removals_pending), .is_bounded = true},
	{SQL_FIGURE_EVENTS, FIGURE(events_pending), .is_bounded = true},
	{SQL_FIGURE_WEBHOOK_DELIVERIES, FIGURE(webhook_deliveries_pending), .is_bounded = true},
	{SQL_FIGURE_ALARMS, FIGURE(alarms)},
};

struct figures_question {
	int64_t now_us;
	struct store_figures *figures;
};

static enum err_kind ask(struct sql_connection *sql, const struct question *question,
			 const struct figures_question *asked, struct error *err)
{
	struct sql_value values[2];
	size_t count = 0;
	if (question->status != NULL)
		values[count++] = sql_word(question->status);
	if (question->asks_now)
		values[count++] = sql_int(asked->now_us);
	if (question->is_bounded)
		values[count++] = sql_int(STORE_FIGURE_MAX);
	int64_t *figure = (int64_t *)(void *)((char *)asked->figures + question->offset);
	return sql_number(sql, question->name, (struct sql_args){values, count}, figure, err);
}

static enum err_kind read_all(struct sql_connection *sql, void *argument, struct error *err)
{
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < COUNT_OF(questions) && kind == ERR_NONE; i++)
		kind = ask(sql, &questions[i], argument, err);
	return kind;
}

enum err_kind store_figures_read(struct store *store, int64_t now_us, struct store_figures *out,
				 struct error *err)
{
	struct figures_question question = {now_us, out};
	*out = (struct store_figures){0};
	enum err_kind kind = store_read(store, read_all, &question, err);
	int64_t next_due_us = 0;
	if (kind == ERR_NONE)
		kind = store_event_next_due(store, &next_due_us, err);
	if (kind == ERR_NONE && next_due_us > 0 && next_due_us < now_us)
		out->webhooks_late_us = now_us - next_due_us;
	return kind;
}

/* ---- holdings ---- */

struct account_count {
	int64_t platform;
	struct str state;
	int64_t count;
};

static void account_count_read(struct sql_cursor *cursor, void *out)
{
	struct account_count *row = out;
	row->platform = sql_take_int(cursor);
	row->state = sql_take_text(cursor);
	row->count = sql_take_int(cursor);
}

static void quota_use_read(struct sql_cursor *cursor, void *out)
{
	int64_t *used_bp = out;
	for (enum quota quota = 0; quota < QUOTA_COUNT; quota++)
		used_bp[quota] = sql_take_int(cursor);
}

static enum err_kind count_accounts(struct store *store, struct arena *arena, int64_t now_us,
				    struct store_holdings *out, struct error *err)
{
	struct account_count *rows = NULL;
	size_t count = 0;
	const enum err_kind kind = store_list(
		store, arena,
		SQL_ROWS(SQL_FIGURE_ACCOUNTS, SQL_ARGS(sql_int(now_us + ACCOUNT_EXPIRING_US)),
			 account_count_read, struct account_count),
		(void **)&rows, &count, err);
	for (size_t i = 0; kind == ERR_NONE && i < count; i++) {
		const enum account_state state = account_state_of_name(rows[i].state);
		if (state != ACCOUNT_STATE_COUNT && rows[i].platform >= 1 &&
		    rows[i].platform <= PLATFORM_ID_MAX)
			out->accounts[rows[i].platform - 1][state] = rows[i].count;
	}
	return kind;
}

enum err_kind store_holdings_read(struct store *store, struct arena *arena, int64_t now_us,
				  struct store_holdings *out, struct error *err)
{
	struct sql_value limits[QUOTA_COUNT];
	*out = (struct store_holdings){0};
	for (enum quota quota = 0; quota < QUOTA_COUNT; quota++)
		limits[quota] = sql_int(store->quotas[quota]);
	const struct sql_query query = {
		SQL_FIGURE_QUOTAS, {limits, QUOTA_COUNT}, quota_use_read, 0};
	const enum err_kind kind =
		store_find(store, arena, &query, out->quota_used_bp, "quotas", err);
	return kind == ERR_NONE ? count_accounts(store, arena, now_us, out, err) : kind;
}
