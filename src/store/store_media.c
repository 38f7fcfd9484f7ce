/* SPDX-License-Identifier: Apache-2.0
 * Rows of uploaded files, and their expiry. */
#include "store_media.h"

#include "arena.h"

#include "store_private.h"

static void media_row_read(struct sql_cursor *cursor, void *out)
{
	struct media_row *media = out;
	media->id = sql_take_text(cursor);
	media->app_id = sql_take_text(cursor);
	media->file_name = sql_take_text(cursor);
	media->mime_type = sql_take_text(cursor);
	media->sha256 = sql_take_text(cursor);
	media->size_bytes = sql_take_int(cursor);
	media->width = sql_take_int(cursor);
	media->height = sql_take_int(cursor);
	media->duration_ms = sql_take_int(cursor);
	media->is_animated = sql_take_bool(cursor);
	media->is_telling = sql_take_bool(cursor);
	media->created_at_us = sql_take_int(cursor);
	media->used_at_us = sql_take_int(cursor);
	media->is_needed = sql_take_bool(cursor);
}

enum err_kind store_media_find(struct store *store, struct arena *arena, struct str app_id,
			       struct str media_id, struct media_row *out, struct error *err)
{
	return store_find(store, arena,
			  SQL_ROW(SQL_MEDIA_FIND, SQL_ARGS(sql_text(media_id), sql_text(app_id)),
				  media_row_read),
			  out, "file", err);
}

enum err_kind store_media_is_coming(struct store *store, struct str app_id, struct str media_id,
				    bool *is_out, struct error *err)
{
	int64_t count = 0;
	const enum err_kind kind =
		store_number(store, SQL_MEDIA_IS_COMING,
			     SQL_ARGS(sql_text(media_id), sql_text(app_id)), &count, err);
	*is_out = count > 0;
	return kind;
}

struct media_listing {
	struct arena *arena;
	const struct media_filter *filter;
	struct media_row *rows;
	size_t count;
	int64_t total;
};

static enum err_kind list(struct sql_connection *sql, void *argument, struct error *err)
{
	struct media_listing *l = argument;
	const struct media_filter *f = l->filter;
	const struct sql_value app = sql_text(f->app_id), user = sql_text(f->user_id);
	const struct sql_value limit = sql_int(f->per_page);
	const struct sql_value offset = sql_int((f->page - 1) * f->per_page);
	const bool is_all = str_is_empty(f->user_id);
	const struct sql_args all = SQL_ARGS(app, limit, offset);
	const struct sql_args of_user = SQL_ARGS(app, user, limit, offset);
	const enum err_kind kind =
		is_all ? sql_number(sql, SQL_MEDIA_COUNT, SQL_ARGS(app), &l->total, err)
		       : sql_number(sql, SQL_MEDIA_OF_USER_COUNT, SQL_ARGS(app, user), &l->total,
				    err);
	if (kind != ERR_NONE)
		return kind;
	return sql_list(sql, l->arena,
			SQL_ROWS(is_all ? SQL_MEDIA_LIST : SQL_MEDIA_OF_USER,
				 is_all ? all : of_user, media_row_read, struct media_row),
			(void **)&l->rows, &l->count, err);
}

enum err_kind store_media_list(struct store *store, struct arena *arena,
			       const struct media_filter *filter, struct media_row **out,
			       size_t *count_out, int64_t *total_out, struct error *err)
{
	struct media_listing l = {.arena = arena, .filter = filter};
	const enum err_kind kind = store_read(store, list, &l, err);
	*out = l.rows;
	*count_out = l.count;
	*total_out = l.total;
	return kind;
}

enum err_kind store_media_same(struct store *store, struct arena *arena, struct str sha256,
			       struct str not_id, struct str *id_out, struct error *err)
{
	return store_find(store, arena,
			  SQL_ROW(SQL_MEDIA_SAME, SQL_ARGS(sql_text(sha256), sql_text(not_id)),
				  store_text_read),
			  id_out, "file", err);
}

/* ---- deleting ---- */

struct deleting {
	struct str app_id;
	struct str media_id;
	enum media_delete_outcome outcome;
};

/* The app's other transactions wait: none begins to use the file meanwhile. */
static enum err_kind find_locked(struct store_tx *tx, struct str app_id, struct str media_id,
				 struct media_row *out, struct error *err)
{
	const enum err_kind kind = store_tx_lock_app(tx, app_id, err);
	return kind == ERR_NONE ? sql_find(tx->sql, tx->arena,
					   SQL_ROW(SQL_MEDIA_FIND,
						   SQL_ARGS(sql_text(media_id), sql_text(app_id)),
						   media_row_read),
					   out, "file", err)
				: kind;
}

static enum err_kind delete_one(struct store_tx *tx, void *argument, struct error *err)
{
	struct deleting *d = argument;
	struct media_row row = {0};
	const enum err_kind kind = find_locked(tx, d->app_id, d->media_id, &row, err);
	d->outcome = row.is_needed ? MEDIA_IN_USE : MEDIA_DELETED;
	return kind == ERR_NONE && !row.is_needed ? store_media_drop(tx, d->media_id, err) : kind;
}

enum err_kind store_media_delete(struct store *store, struct str app_id, struct str media_id,
				 enum media_delete_outcome *outcome_out, struct error *err)
{
	struct deleting d = {.app_id = app_id, .media_id = media_id};
	const enum err_kind kind = store_write(store, delete_one, &d, err);
	if (kind == ERR_NONE)
		*outcome_out = d.outcome;
	return kind;
}

/* ---- expiry ---- */

struct unused {
	struct str id;
	struct str app_id;
};

static void unused_read(struct sql_cursor *cursor, void *out)
{
	struct unused *unused = out;
	unused->id = sql_take_text(cursor);
	unused->app_id = sql_take_text(cursor);
}

struct expiring {
	int64_t before_us;
	int64_t now_us;
	int64_t max;
	int64_t seen;
};

/* Whether it is needed is looked at once nobody can begin to use it. */
static enum err_kind expire_one(struct store_tx *tx, const struct expiring *e,
				const struct unused *unused, struct error *err)
{
	struct media_row row = {0};
	enum err_kind kind = find_locked(tx, unused->app_id, unused->id, &row, err);
	if (kind == ERR_NOT_FOUND || (kind == ERR_NONE && row.used_at_us >= e->before_us))
		return ERR_NONE;
	if (kind != ERR_NONE)
		return kind;
	return row.is_needed ? sql_run(tx->sql, SQL_MEDIA_USE_AT,
				       SQL_ARGS(sql_text(row.id), sql_int(e->now_us)), NULL, err)
			     : store_media_drop(tx, row.id, err);
}

static enum err_kind expire(struct store_tx *tx, void *argument, struct error *err)
{
	struct expiring *e = argument;
	struct unused *rows = NULL;
	size_t count = 0;
	enum err_kind kind = sql_list(tx->sql, tx->arena,
				      SQL_ROWS(SQL_MEDIA_UNUSED_SINCE,
					       SQL_ARGS(sql_int(e->before_us), sql_int(e->max)),
					       unused_read, struct unused),
				      (void **)&rows, &count, err);
	e->seen = (int64_t)count;
	for (size_t i = 0; i < count && kind == ERR_NONE; i++)
		kind = expire_one(tx, e, &rows[i], err);
	return kind;
}

enum err_kind store_media_expire(struct store *store, int64_t before_us, int64_t now_us,
				 int64_t max, int64_t *seen_out, struct error *err)
{
	struct expiring e = {.before_us = before_us, .now_us = now_us, .max = max};
	const enum err_kind kind = store_write(store, expire, &e, err);
	*seen_out = kind == ERR_NONE ? e.seen : 0;
	return kind;
}

/* ---- files without rows ---- */

enum err_kind store_media_gone_list(struct store *store, struct arena *arena, int64_t max,
				    struct str **names_out, size_t *count_out, struct error *err)
{
	return store_list(
		store, arena,
		SQL_ROWS(SQL_MEDIA_GONE_LIST, SQL_ARGS(sql_int(max)), store_text_read, struct str),
		(void **)names_out, count_out, err);
}

enum err_kind store_media_gone_end(struct store *store, struct str name, struct error *err)
{
	return store_run(store, SQL_MEDIA_GONE_END, SQL_ARGS(sql_text(name)), ERR_NONE, "file",
			 err);
}

enum err_kind store_media_name_is_known(struct store *store, struct str name, bool *is_out,
					struct error *err)
{
	int64_t count = 0;
	const enum err_kind kind =
		store_number(store, SQL_MEDIA_NAME_KNOWN, SQL_ARGS(sql_text(name)), &count, err);
	*is_out = count > 0;
	return kind;
}

struct used {
	int64_t bytes;
	int64_t files;
};

static void used_read(struct sql_cursor *cursor, void *out)
{
	struct used *used = out;
	used->bytes = sql_take_int(cursor);
	used->files = sql_take_int(cursor);
}

enum err_kind store_media_used(struct store *store, struct arena *arena, struct str app_id,
			       int64_t *bytes_out, int64_t *files_out, struct error *err)
{
	struct used used = {0};
	const enum err_kind kind = store_find(
		store, arena, SQL_ROW(SQL_MEDIA_USED, SQL_ARGS(sql_text(app_id)), used_read), &used,
		"app", err);
	*bytes_out = used.bytes;
	*files_out = used.files;
	return kind;
}
