/* SPDX-License-Identifier: Apache-2.0
 * A command's transaction: what many of its rows change in the same few others is gathered and
 * written once, at the end. */
#include "arena.h"

#include "store_private.h"
#include "writer.h"

static enum err_kind write_app(struct store_tx *tx, const struct late_app *late, struct error *err)
{
	const struct sql_value values[] = {sql_text(late->app_id), sql_int(late->pending_posts),
					   sql_int(late->webhook_backlog), sql_int(NEVER_US)};
	if (late->has_new_lanes)
		return sql_run(tx->sql, SQL_WORK_DUE, (struct sql_args){values, 4}, NULL, err);
	if (late->pending_posts == 0 && late->webhook_backlog == 0)
		return ERR_NONE;
	return sql_run(tx->sql, SQL_WORK_USE, (struct sql_args){values, 3}, NULL, err);
}

enum err_kind store_tx_work_now(struct store_tx *tx, struct error *err)
{
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < tx->late_app_count && kind == ERR_NONE; i++)
		kind = write_app(tx, &tx->late_apps[i], err);
	tx->late_app_count = 0;
	return kind;
}

static enum err_kind late_app(struct store_tx *tx, struct str app_id, struct late_app **out,
			      struct error *err)
{
	for (size_t i = tx->late_app_count; i > 0; i--) {
		*out = &tx->late_apps[i - 1];
		if (str_equal((*out)->app_id, app_id))
			return ERR_NONE;
	}
	enum err_kind kind = ERR_NONE;
	if (tx->late_app_count == LATE_APPS_MAX)
		kind = store_tx_work_now(tx, err);
	*out = &tx->late_apps[tx->late_app_count++];
	**out = (struct late_app){.app_id = str_copy(tx->arena, app_id)};
	return kind;
}

enum err_kind store_tx_work_later(struct store_tx *tx, struct str app_id, struct error *err)
{
	struct late_app *late = NULL;
	const enum err_kind kind = late_app(tx, app_id, &late, err);
	late->has_new_lanes = true;
	return kind;
}

enum err_kind store_tx_use_later(struct store_tx *tx, struct str app_id, int64_t pending_posts,
				 int64_t webhook_backlog, struct error *err)
{
	struct late_app *late = NULL;
	const enum err_kind kind = late_app(tx, app_id, &late, err);
	late->pending_posts += pending_posts;
	late->webhook_backlog += webhook_backlog;
	return kind;
}

static enum err_kind finish(struct store_tx *tx, struct error *err)
{
	const enum err_kind kind = counters_write(tx, err);
	return kind == ERR_NONE ? store_tx_work_now(tx, err) : kind;
}

enum err_kind store_tx_run(const struct writer_config *config, struct arena *arena,
			   writer_command command, void *argument, struct error *err)
{
	struct store_tx tx = {.sql = config->sql, .store = config->context, .arena = arena};
	const enum err_kind kind = command(&tx, argument, err);
	return kind == ERR_NONE ? finish(&tx, err) : kind;
}

void store_tx_ended(const struct writer_config *config)
{
	struct store *store = config->context;
	if (!config->sql->has_changed_access)
		return;
	config->sql->has_changed_access = false;
	atomic_fetch_add(&store->access_generation, 1);
}

static enum err_kind undo(struct store_tx *tx, const struct store_tx *before, struct error *err)
{
	const enum err_kind kind = sql_run(tx->sql, SQL_ISOLATE_UNDO, SQL_NO_ARGS, NULL, err);
	*tx = *before;
	return kind;
}

enum err_kind store_tx_isolate(struct store_tx *tx, store_command command, void *argument,
			       struct error *err)
{
	const struct store_tx before = *tx;
	struct error broken = {0};
	enum err_kind kind = sql_run(tx->sql, SQL_ISOLATE, SQL_NO_ARGS, NULL, err);
	if (kind != ERR_NONE)
		return ERR_TEMPORARY;
	kind = command(tx, argument, err);
	if (kind == ERR_NONE && tx->sql->driver->settle != NULL)
		kind = tx->sql->driver->settle(tx->sql, err);
	if (kind == ERR_TEMPORARY)
		return kind;
	if (kind != ERR_NONE && undo(tx, &before, &broken) != ERR_NONE)
		return error_set(err, ERR_TEMPORARY, "%s", broken.text);
	if (sql_run(tx->sql, SQL_ISOLATE_KEEP, SQL_NO_ARGS, NULL, &broken) != ERR_NONE)
		return error_set(err, ERR_TEMPORARY, "%s", broken.text);
	return kind;
}

enum err_kind store_tx_lock_app(struct store_tx *tx, struct str app_id, struct error *err)
{
	return sql_is_shared(tx->sql)
		       ? sql_run(tx->sql, SQL_WORK_LOCK, SQL_ARGS(sql_text(app_id)), NULL, err)
		       : ERR_NONE;
}
