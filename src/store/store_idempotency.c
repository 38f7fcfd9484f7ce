/* SPDX-License-Identifier: Apache-2.0
 * Rows of idempotency_keys. */
#include "store_idempotency.h"

#include "arena.h"

#include "store_private.h"

struct finding {
	struct arena *arena;
	struct str app_id;
	struct str key;
	struct idempotency *out;
};

static void kept_read(struct sql_cursor *cursor, void *out)
{
	struct idempotency *kept = out;
	kept->body_hash = sql_take_text(cursor);
	kept->answer = sql_take_text(cursor);
}

static enum err_kind find(struct sql_connection *sql, void *argument, struct error *err)
{
	struct finding *f = argument;
	f->out->key = f->key;
	return sql_find(sql, f->arena,
			SQL_ROW(SQL_IDEMPOTENCY_FIND,
				SQL_ARGS(sql_text(f->app_id), sql_text(f->key)), kept_read),
			f->out, "key", err);
}

enum err_kind store_idempotency_find(struct store *store, struct arena *arena, struct str app_id,
				     struct str key, struct idempotency *out, struct error *err)
{
	struct finding f = {arena, app_id, key, out};
	return store_read(store, find, &f, err);
}

enum err_kind store_idempotency_look(struct store_tx *tx, struct arena *arena, struct str app_id,
				     struct str key, struct idempotency *out, struct error *err)
{
	struct finding f = {arena, app_id, key, out};
	return find(tx->sql, &f, err);
}

enum err_kind store_idempotency_keep(struct store_tx *tx, struct str app_id,
				     const struct idempotency *kept, struct error *err)
{
	return sql_run(tx->sql, SQL_IDEMPOTENCY_KEEP,
		       SQL_ARGS(sql_text(app_id), sql_text(kept->key), sql_text(kept->body_hash),
				sql_text(kept->answer)),
		       NULL, err);
}
