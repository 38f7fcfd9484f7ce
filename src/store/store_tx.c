/* SPDX-License-Identifier: Apache-2.0
 * A command's transaction: what many of its rows change in the same few others is gathered and
 * written once, at the end. */
#include <assert.h>

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
	for (const struct late_app *late = tx->late_apps; late != NULL && kind == ERR_NONE;
	     late = late->next)
		kind = write_app(tx, late, err);
	tx->late_apps = NULL;
	return kind;
}

static struct late_app *late_app(struct store_tx *tx, struct str app_id)
{
	assert(store_tx_has_app(tx, app_id));
	for (struct late_app *late = tx->late_apps; late != NULL; late = late->next) {
		if (str_equal(late->app_id, app_id))
			return late;
	}
	struct late_app *late = ARENA_NEW(tx->arena, struct late_app);
	*late = (struct late_app){.app_id = str_copy(tx->arena, app_id), .next = tx->late_apps};
	tx->late_apps = late;
	return late;
}

void store_tx_work_later(struct store_tx *tx, struct str app_id)
{
	late_app(tx, app_id)->has_new_lanes = true;
}

void store_tx_use_later(struct store_tx *tx, struct str app_id, int64_t pending_posts,
			int64_t webhook_backlog)
{
	struct late_app *late = late_app(tx, app_id);
	late->pending_posts += pending_posts;
	late->webhook_backlog += webhook_backlog;
}

static enum err_kind write_late(struct store_tx *tx, struct error *err)
{
	assert(tx->savings.first == NULL);
	/* The counters' answers are waited for, and all that was sent before comes with them. */
	const enum err_kind kind = store_tx_work_now(tx, err);
	return kind == ERR_NONE ? counters_write(tx, err) : kind;
}

enum err_kind store_tx_run(const struct writer_config *config, struct arena *arena,
			   writer_command command, void *argument, struct error *err)
{
	struct store_tx tx = {.sql = config->sql,
			      .store = config->context,
			      .is_alone = !config->is_shared,
			      .arena = arena};
	enum err_kind kind = command(&tx, argument, err);
	if (kind == ERR_NONE)
		kind = write_late(&tx, err);
	if (kind == ERR_NONE)
		store_tx_count_outcomes(&tx);
	return kind;
}

void store_tx_ended(const struct writer_config *config)
{
	struct store *store = config->context;
	if (config->sql->has_left_words)
		store_words_ring(store);
	config->sql->has_left_words = false;
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
	struct error broken = {0};
	/* What is left to the end would otherwise hold what is undone here. */
	enum err_kind kind = write_late(tx, err);
	const struct store_tx before = *tx;
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_ISOLATE, SQL_NO_ARGS, NULL, err);
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

bool store_tx_is_alone(const struct store_tx *tx)
{
	return tx->is_alone;
}

void store_tx_want_alone(struct store_tx *tx)
{
	atomic_store(&tx->store->wants_turn_alone, true);
}

/* All at once, and before anything else is read or written: so nobody who holds what another waits
 * for waits for him. What a claim takes beside these it takes only when nobody has it. */
enum err_kind store_tx_lock_turn(struct store_tx *tx, const struct store_turn *turn,
				 struct error *err)
{
	struct store *store = tx->store;
	const struct node_share share = store_node_share_of(store);
	const bool claims = atomic_load(&store->is_claiming);
	struct str list = {0};
	if (tx->is_alone)
		return ERR_NONE;
	const enum err_kind kind =
		store_list_text(tx->arena, turn->app_ids, turn->app_count, &list, err);
	if (kind != ERR_NONE)
		return kind;
	for (size_t i = 0; i < turn->app_count; i++)
		store_tx_note_locked(tx, turn->app_ids[i]);
	return sql_run(tx->sql, SQL_APPS_LOCK,
		       SQL_ARGS(sql_text(list), sql_int(claims ? clock_now_us(store->clock) : -1),
				sql_int(share.count), sql_int(share.index)),
		       NULL, err);
}

void store_tx_note_locked(struct store_tx *tx, struct str app_id)
{
	if (store_tx_has_app(tx, app_id))
		return;
	struct locked_app *locked = ARENA_NEW(tx->arena, struct locked_app);
	*locked = (struct locked_app){str_copy(tx->arena, app_id), tx->locked};
	tx->locked = locked;
}

enum err_kind store_tx_take_app(struct store_tx *tx, struct str app_id, bool *is_taken_out,
				struct error *err)
{
	struct str taken = {0};
	*is_taken_out = store_tx_has_app(tx, app_id);
	if (*is_taken_out)
		return ERR_NONE;
	const enum err_kind kind =
		sql_find(tx->sql, tx->arena,
			 SQL_ROW(SQL_APP_TAKE, SQL_ARGS(sql_text(app_id)), store_text_read), &taken,
			 "app", err);
	if (kind != ERR_NONE)
		return kind == ERR_NOT_FOUND ? ERR_NONE : kind;
	store_tx_note_locked(tx, app_id);
	*is_taken_out = true;
	return ERR_NONE;
}

bool store_tx_has_app(const struct store_tx *tx, struct str app_id)
{
	const struct locked_app *locked = tx->locked;
	while (locked != NULL && !str_equal(locked->app_id, app_id))
		locked = locked->next;
	return tx->is_alone || locked != NULL;
}

enum err_kind store_tx_lock_app(struct store_tx *tx, struct str app_id, struct error *err)
{
	store_tx_note_locked(tx, app_id);
	return sql_is_shared(tx->sql)
		       ? sql_run(tx->sql, SQL_WORK_LOCK, SQL_ARGS(sql_text(app_id)), NULL, err)
		       : ERR_NONE;
}
