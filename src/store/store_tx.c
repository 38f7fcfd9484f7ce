/* SPDX-License-Identifier: Apache-2.0
 * A command's transaction: what many of its rows change in the same few others is gathered and
 * written once, at the end. */
#include "arena.h"

#include "store_private.h"
#include "writer.h"

enum err_kind store_tx_work_now(struct store_tx *tx, struct error *err)
{
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < tx->late_app_count && kind == ERR_NONE; i++)
		kind = sql_run(tx->sql, SQL_WORK_DUE,
			       SQL_ARGS(sql_text(tx->late_apps[i]), sql_int(NEVER_US)), NULL, err);
	tx->late_app_count = 0;
	return kind;
}

enum err_kind store_tx_work_later(struct store_tx *tx, struct str app_id, struct error *err)
{
	for (size_t i = tx->late_app_count; i > 0; i--) {
		if (str_equal(tx->late_apps[i - 1], app_id))
			return ERR_NONE;
	}
	enum err_kind kind = ERR_NONE;
	if (tx->late_app_count == LATE_APPS_MAX)
		kind = store_tx_work_now(tx, err);
	tx->late_apps[tx->late_app_count++] = str_copy(tx->arena, app_id);
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
