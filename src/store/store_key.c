/* SPDX-License-Identifier: Apache-2.0
 * See store_key.h. */
#include "store_key.h"

#include "store_app.h"
#include "store_private.h"

static void key_read(struct sql_cursor *cursor, void *out)
{
	struct key_row *key = out;
	key->id = sql_take_text(cursor);
	key->app_id = sql_take_text(cursor);
	key->name = sql_take_text(cursor);
	key->token_hash = sql_take_text(cursor);
	key->scopes = scope_set_read(sql_take_text(cursor));
	key->created_at_us = sql_take_int(cursor);
	key->expires_at_us = sql_take_int(cursor);
	key->last_used_at_us = sql_take_int(cursor);
}

static enum err_kind key_create(struct store_tx *tx, void *argument, struct error *err)
{
	const struct key_row *key = argument;
	const struct sql_value app_id = sql_text(key->app_id);
	int64_t count = 0;
	enum err_kind kind = sql_run(
		tx->sql, SQL_KEYS_EXPIRE,
		SQL_ARGS(app_id, sql_int(key->created_at_us - KEY_EXPIRED_KEPT_S * US_PER_S)), NULL,
		err);
	if (kind == ERR_NONE)
		kind = sql_number(tx->sql, SQL_KEY_COUNT, SQL_ARGS(app_id), &count, err);
	if (kind != ERR_NONE)
		return kind;
	if (count >= KEYS_PER_APP_MAX)
		return error_set(err, ERR_CONFLICT, "the app has %d keys", KEYS_PER_APP_MAX);
	return sql_run(tx->sql, SQL_KEY_INSERT,
		       SQL_ARGS(sql_text(key->id), app_id, sql_text(key->name),
				sql_text(key->token_hash),
				sql_text(scope_set_text(tx->arena, key->scopes, " ")),
				sql_int(key->created_at_us), sql_int(key->expires_at_us)),
		       NULL, err);
}

enum err_kind store_key_create(struct store *store, const struct key_row *key, struct error *err)
{
	struct key_row copy = *key;
	return store_write(store, key_create, &copy, err);
}

enum err_kind store_key_list(struct store *store, struct arena *arena, struct str app_id,
			     struct key_row **out, size_t *count_out, struct error *err)
{
	return store_list(
		store, arena,
		SQL_ROWS(SQL_KEY_LIST, SQL_ARGS(sql_text(app_id)), key_read, struct key_row),
		(void **)out, count_out, err);
}

struct key_found {
	struct app_row app;
	struct key_row key;
};

static void found_read(struct sql_cursor *cursor, void *out)
{
	struct key_found *found = out;
	store_app_read(cursor, &found->app);
	key_read(cursor, &found->key);
}

enum err_kind store_key_find(struct store *store, struct arena *arena, struct str token_hash,
			     int64_t now_us, struct key_row *key_out, struct app_row *app_out,
			     struct error *err)
{
	struct key_found found = {0};
	const enum err_kind kind = store_find(
		store, arena,
		SQL_ROW(SQL_KEY_FIND, SQL_ARGS(sql_text(token_hash), sql_int(now_us)), found_read),
		&found, "key", err);
	*key_out = found.key;
	*app_out = found.app;
	return kind;
}

enum err_kind store_key_touch(struct store *store, struct str key_id, int64_t now_us,
			      struct error *err)
{
	return store_run(store, SQL_KEY_TOUCH,
			 SQL_ARGS(sql_text(key_id), sql_int(now_us),
				  sql_int(now_us - KEY_USE_WRITTEN_EVERY_S * US_PER_S + 1)),
			 ERR_NONE, "", err);
}

enum err_kind store_key_revoke(struct store *store, struct str app_id, struct str key_id,
			       struct error *err)
{
	return store_run(store, SQL_KEY_DELETE, SQL_ARGS(sql_text(key_id), sql_text(app_id)),
			 ERR_NOT_FOUND, "key", err);
}
