/* SPDX-License-Identifier: Apache-2.0
 * Which post or draft names which uploaded file; and the end of files, with what they count in the
 * app's quota. */
#include "store_media.h"

#include "arena.h"
#include "clock.h"

#include "store_private.h"
#include "store_upload.h"

enum err_kind store_media_are_there(struct store_tx *tx, struct str app_id,
				    const struct media_names *names, bool *are_out,
				    struct error *err)
{
	enum err_kind kind = names->count > 0 ? store_tx_lock_app(tx, app_id, err) : ERR_NONE;
	*are_out = true;
	for (size_t i = 0; i < names->count && kind == ERR_NONE && *are_out; i++) {
		int64_t count = 0;
		kind = sql_number(tx->sql, SQL_MEDIA_IS_THERE,
				  SQL_ARGS(sql_text(names->ids[i]), sql_text(app_id)), &count, err);
		*are_out = count > 0;
	}
	return kind;
}

enum err_kind store_media_touch(struct store_tx *tx, struct str owner_id, struct error *err)
{
	return sql_run(tx->sql, SQL_MEDIA_USE_BY_OWNER,
		       SQL_ARGS(sql_text(owner_id), sql_int(clock_now_us(tx->store->clock))), NULL,
		       err);
}

enum err_kind store_media_unuse(struct store_tx *tx, struct str owner_id, struct error *err)
{
	const enum err_kind kind = store_media_touch(tx, owner_id, err);
	return kind == ERR_NONE ? sql_run(tx->sql, SQL_MEDIA_USES_DELETE,
					  SQL_ARGS(sql_text(owner_id)), NULL, err)
				: kind;
}

enum err_kind store_media_use(struct store_tx *tx, struct str app_id, struct str owner_id,
			      const struct media_names *names, struct error *err)
{
	/* Until this transaction ends nobody deletes a file of the app. */
	enum err_kind kind = names->count > 0 ? store_tx_lock_app(tx, app_id, err) : ERR_NONE;
	for (size_t i = 0; i < names->count && kind == ERR_NONE; i++)
		kind = sql_run(
			tx->sql, SQL_MEDIA_USES_INSERT,
			SQL_ARGS(sql_text(owner_id), sql_text(names->ids[i]), sql_text(app_id)),
			NULL, err);
	return kind == ERR_NONE && names->count > 0 ? store_media_touch(tx, owner_id, err) : kind;
}

enum err_kind store_media_is_lost(struct store_tx *tx, struct str owner_id, bool *is_out,
				  struct error *err)
{
	int64_t count = 0;
	const enum err_kind kind =
		sql_number(tx->sql, SQL_MEDIA_USES_LOST, SQL_ARGS(sql_text(owner_id)), &count, err);
	*is_out = count > 0;
	return kind;
}

/* ---- what counts ---- */

enum err_kind store_media_count(struct store_tx *tx, const struct media_usage *usage,
				bool *is_over_out, struct quota_over *over_out, struct error *err)
{
	struct quota_wish wishes[] = {{.quota = QUOTA_MEDIA_FILES, .more = usage->files},
				      {.quota = QUOTA_MEDIA_BYTES, .more = usage->bytes}};
	struct sql_cursor cursor;
	sql_select(&cursor, tx->sql, SQL_MEDIA_USAGE, tx->arena,
		   SQL_ARGS(sql_text(usage->app_id), sql_int(usage->bytes), sql_int(usage->files)),
		   err);
	if (sql_next(&cursor)) {
		wishes[1].used = sql_take_int(&cursor) - usage->bytes + usage->other_bytes;
		wishes[0].used = sql_take_int(&cursor) - usage->files + usage->other_files;
		wishes[1].own = sql_take_int(&cursor);
		wishes[0].own = sql_take_int(&cursor);
	}
	const enum err_kind kind = sql_end(&cursor);
	*is_over_out = false;
	for (size_t i = 0; kind == ERR_NONE && i < 2 && !*is_over_out; i++)
		*is_over_out =
			wishes[i].more > 0 && store_quota_is_over(tx->store, &wishes[i], over_out);
	return kind;
}

/* ---- the end of files ---- */

struct dropped {
	struct str app_id;
	int64_t size_bytes;
};

static void dropped_read(struct sql_cursor *cursor, void *out)
{
	struct dropped *dropped = out;
	dropped->app_id = sql_take_text(cursor);
	dropped->size_bytes = sql_take_int(cursor);
}

enum err_kind store_media_drop(struct store_tx *tx, struct str media_id, struct error *err)
{
	struct dropped dropped = {0};
	struct quota_over over;
	bool is_over = false;
	const struct sql_args id = SQL_ARGS(sql_text(media_id));
	enum err_kind kind =
		sql_find(tx->sql, tx->arena, SQL_ROW(SQL_MEDIA_DELETE, id, dropped_read), &dropped,
			 "file", err);
	if (kind != ERR_NONE)
		return kind;
	const struct media_usage less = {
		.app_id = dropped.app_id, .bytes = -dropped.size_bytes, .files = -1};
	kind = store_media_count(tx, &less, &is_over, &over, err);
	return kind == ERR_NONE ? sql_run(tx->sql, SQL_MEDIA_GONE, id, NULL, err) : kind;
}

static enum err_kind list(struct store_tx *tx, enum sql_name name, struct sql_args args,
			  struct str **out, size_t *count_out, struct error *err)
{
	return sql_list(tx->sql, tx->arena, SQL_ROWS(name, args, store_text_read, struct str),
			(void **)out, count_out, err);
}

enum err_kind store_media_erase_owner(struct store_tx *tx, struct str owner_id, struct error *err)
{
	struct str *ids = NULL;
	size_t count = 0;
	enum err_kind kind =
		list(tx, SQL_MEDIA_USES_ALONE, SQL_ARGS(sql_text(owner_id)), &ids, &count, err);
	for (size_t i = 0; i < count && kind == ERR_NONE; i++)
		kind = store_media_drop(tx, ids[i], err);
	return kind == ERR_NONE ? sql_run(tx->sql, SQL_MEDIA_USES_DELETE,
					  SQL_ARGS(sql_text(owner_id)), NULL, err)
				: kind;
}

enum err_kind store_media_erase_app(struct store_tx *tx, struct str app_id, int64_t max,
				    bool *left_out, struct error *err)
{
	const struct sql_args args = SQL_ARGS(sql_text(app_id), sql_int(max));
	const struct sql_args app = SQL_ARGS(sql_text(app_id));
	struct str *files = NULL;
	struct str *uploads = NULL;
	size_t file_count = 0, upload_count = 0;
	enum err_kind kind = list(tx, SQL_MEDIA_OF_APP, args, &files, &file_count, err);
	if (kind == ERR_NONE)
		kind = list(tx, SQL_UPLOADS_OF_APP, args, &uploads, &upload_count, err);
	for (size_t i = 0; i < file_count && kind == ERR_NONE; i++)
		kind = store_media_drop(tx, files[i], err);
	for (size_t i = 0; i < upload_count && kind == ERR_NONE; i++)
		kind = store_upload_drop_row(tx, uploads[i], err);
	*left_out = (int64_t)file_count == max || (int64_t)upload_count == max;
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_LINKS_OF_APP, app, NULL, err);
	return kind == ERR_NONE && !*left_out
		       ? sql_run(tx->sql, SQL_MEDIA_USES_OF_APP, app, NULL, err)
		       : kind;
}
