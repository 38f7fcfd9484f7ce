/* SPDX-License-Identifier: Apache-2.0
 * See store_app_end.h. */
#include "store_app_end.h"

#include "count_of.h"

#include "store_media.h"
#include "store_private.h"

#define CANCEL_BATCH 200
#define ERASE_BATCH 250 /* their words are told to the index one by one */
#define APPS_MAX 100
/* The parts of a delivery of which something is out, for LIKE. */
#define PART_OUT "%\"state\":\"published\"%"

static enum err_kind run_all(struct store_tx *tx, const enum sql_name *statements, size_t count,
			     struct sql_args args, struct error *err)
{
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < count && kind == ERR_NONE; i++)
		kind = sql_run(tx->sql, statements[i], args, NULL, err);
	return kind;
}

/* ---- begin ---- */

struct ending {
	struct str app_id;
	int64_t now_us;
};

static enum err_kind begin(struct store_tx *tx, void *argument, struct error *err)
{
	static const enum sql_name statements[] = {SQL_TOKEN_DELETE,
						   SQL_END_KEYS,
						   SQL_END_CANDIDATES,
						   SQL_END_PAUSES,
						   SQL_END_WEBHOOK_DELIVERIES,
						   SQL_END_WEBHOOK_BACKLOG,
						   SQL_END_FENCES,
						   SQL_WORK_PAUSE};
	static const enum sql_name due[] = {SQL_END_RETRIES_DUE, SQL_END_LANES_DUE};
	const struct ending *ending = argument;
	const struct sql_value id = sql_text(ending->app_id);
	enum err_kind kind =
		sql_run_one(tx->sql, SQL_END_BEGIN, SQL_ARGS(id, sql_int(ending->now_us)),
			    ERR_NOT_FOUND, "app", err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_END_CONNECTIONS, SQL_ARGS(id, sql_blob(STR(""))), NULL,
			       err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_END_WEBHOOKS,
			       SQL_ARGS(id, sql_word("The app was deleted.")), NULL, err);
	if (kind == ERR_NONE)
		kind = run_all(tx, statements, COUNT_OF(statements), SQL_ARGS(id), err);
	if (kind == ERR_NONE)
		kind = run_all(tx, due, COUNT_OF(due), SQL_ARGS(id, sql_int(ending->now_us)), err);
	return kind == ERR_NONE ? sql_run(tx->sql, SQL_WORK_CLAIMED,
					  SQL_ARGS(id, sql_int(0), sql_int(NEVER_US)), NULL, err)
				: kind;
}

enum err_kind store_app_end_begin(struct store *store, struct str app_id, int64_t now_us,
				  struct error *err)
{
	struct ending ending = {app_id, now_us};
	return store_write(store, begin, &ending, err);
}

/* ---- go on ---- */

static enum err_kind list_apps(struct store_tx *tx, enum app_end stage, int64_t before_us,
			       struct str **out, size_t *count_out, struct error *err)
{
	return sql_list(tx->sql, tx->arena,
			SQL_ROWS(SQL_END_LIST,
				 SQL_ARGS(sql_int(stage), sql_int(before_us), sql_int(APPS_MAX)),
				 store_text_read, struct str),
			(void **)out, count_out, err);
}

static enum err_kind cancel_posts(struct store_tx *tx, struct str app_id, int64_t now_us,
				  int64_t max, int64_t *changed, struct error *err)
{
	struct str *posts = NULL;
	size_t count = 0;
	enum err_kind kind =
		sql_list(tx->sql, tx->arena,
			 SQL_ROWS(SQL_END_OPEN_POSTS,
				  SQL_ARGS(sql_text(app_id), sql_int(max), sql_word(PART_OUT)),
				  store_text_read, struct str),
			 (void **)&posts, &count, err);
	for (size_t i = 0; i < count && kind == ERR_NONE; i++) {
		const struct post_end end = {
			.app_id = app_id, .post_id = posts[i], .now_us = now_us};
		kind = store_post_change_ended(tx, &end, changed, err);
	}
	return kind;
}

/* Whoever is in doubt keeps the tokens that it is resolved with. */
static enum err_kind disconnect_idle(struct store_tx *tx, struct str app_id, int64_t now_us,
				     struct error *err)
{
	const struct sql_value id = sql_text(app_id);
	int64_t open = 0;
	enum err_kind kind = sql_run(tx->sql, SQL_END_ACCOUNTS,
				     SQL_ARGS(id, sql_blob(STR("")), sql_int(now_us)), NULL, err);
	if (kind == ERR_NONE)
		kind = sql_number(tx->sql, SQL_END_OPEN_COUNT, SQL_ARGS(id), &open, err);
	if (kind != ERR_NONE || open > 0)
		return kind;
	kind = sql_run(tx->sql, SQL_SANDBOX_JOURNAL_DELETE, SQL_ARGS(id), NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_END_CREDENTIALS, SQL_ARGS(id), NULL, err);
	return kind == ERR_NONE ? sql_run(tx->sql, SQL_END_STAGE,
					  SQL_ARGS(id, sql_int(APP_END_DONE)), NULL, err)
				: kind;
}

enum err_kind store_app_end_go_on(struct store_tx *tx, int64_t now_us, int64_t max,
				  int64_t *changed_out, struct error *err)
{
	struct str *apps = NULL;
	size_t count = 0;
	*changed_out = 0;
	enum err_kind kind = list_apps(tx, APP_END_BEGUN, NEVER_US, &apps, &count, err);
	for (size_t i = 0; i < count && kind == ERR_NONE && *changed_out < max; i++) {
		kind = cancel_posts(tx, apps[i], now_us, max - *changed_out, changed_out, err);
		if (kind == ERR_NONE)
			kind = disconnect_idle(tx, apps[i], now_us, err);
	}
	return kind;
}

struct cancelling {
	int64_t now_us;
	int64_t changed;
};

static enum err_kind cancel_some(struct store_tx *tx, void *argument, struct error *err)
{
	struct cancelling *cancelling = argument;
	return store_app_end_go_on(tx, cancelling->now_us, CANCEL_BATCH, &cancelling->changed, err);
}

enum err_kind store_app_end_cancel_all(struct store *store, int64_t now_us, struct error *err)
{
	struct cancelling cancelling = {.now_us = now_us};
	enum err_kind kind;
	do
		kind = store_write(store, cancel_some, &cancelling, err);
	while (kind == ERR_NONE && cancelling.changed > 0);
	return kind;
}

/* ---- erase ---- */

static enum err_kind erase_posts(struct store_tx *tx, struct str app_id, int64_t after, int64_t max,
				 struct error *err)
{
	static const enum sql_name statements[] = {SQL_ERASE_TIMELINE, SQL_ERASE_EVIDENCE,
						   SQL_ERASE_HOLDS,    SQL_ERASE_REMOVALS,
						   SQL_ERASE_LATE_IDS, SQL_ERASE_POSTS};
	const struct sql_value id = sql_text(app_id);
	const struct sql_value from = sql_int(after), to = sql_int(after + max);
	enum err_kind kind = store_words_forget_posts(tx, app_id, after, after + max, err);
	if (kind == ERR_NONE)
		kind = run_all(tx, statements, COUNT_OF(statements), SQL_ARGS(id, from, to), err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_ERASE_DELIVERIES,
			       SQL_ARGS(id, from, to, sql_blob(STR(""))), NULL, err);
	return kind == ERR_NONE ? sql_run(tx->sql, SQL_ERASE_REACH, SQL_ARGS(id, to), NULL, err)
				: kind;
}

static enum err_kind erase_rest(struct store_tx *tx, struct str app_id, int64_t max,
				struct error *err)
{
	static const enum sql_name statements[] = {
		SQL_ERASE_WEBHOOK_LOG, SQL_ERASE_WEBHOOKS,
		SQL_ERASE_EVENTS,      SQL_ERASE_CONNECTION_ACCOUNTS,
		SQL_ERASE_CONNECTIONS, SQL_ERASE_ACCOUNTS,
		SQL_ERASE_IDEMPOTENCY, SQL_ERASE_DRAFTS,
		SQL_ERASE_TALLIES,     SQL_ERASE_WORK};
	const struct sql_value id = sql_text(app_id);
	bool is_media_left = false;
	enum err_kind kind = store_media_erase_app(tx, app_id, max, &is_media_left, err);
	if (kind != ERR_NONE || is_media_left)
		return kind;
	kind = run_all(tx, statements, COUNT_OF(statements), SQL_ARGS(id), err);
	return kind == ERR_NONE ? sql_run(tx->sql, SQL_END_STAGE,
					  SQL_ARGS(id, sql_int(APP_END_ERASED)), NULL, err)
				: kind;
}

enum err_kind store_app_end_erase(struct store_tx *tx, int64_t before_us, int64_t max,
				  int64_t *erased_out, struct error *err)
{
	struct str *apps = NULL;
	size_t count = 0;
	int64_t after = 0;
	*erased_out = 0;
	enum err_kind kind = list_apps(tx, APP_END_DONE, before_us, &apps, &count, err);
	if (kind != ERR_NONE || count == 0)
		return kind;
	kind = sql_number(tx->sql, SQL_ERASE_REACHED, SQL_ARGS(sql_text(apps[0])), &after, err);
	if (kind != ERR_NONE)
		return kind;
	*erased_out = 1;
	const int64_t posts = max < ERASE_BATCH ? max : ERASE_BATCH;
	return after >= 0 ? erase_posts(tx, apps[0], after, posts, err)
			  : erase_rest(tx, apps[0], max, err);
}
