/* SPDX-License-Identifier: Apache-2.0
 * Rows of uploads and links. What an upload counts in the app's quota goes over to its file when it
 * ends. */
#include "store_upload.h"

#include "arena.h"

#include "store_private.h"
#include "store_quota.h"

static void upload_read(struct sql_cursor *cursor, void *out)
{
	struct upload_row *upload = out;
	upload->id = sql_take_text(cursor);
	upload->media_id = sql_take_text(cursor);
	upload->app_id = sql_take_text(cursor);
	upload->link_hash = sql_take_text(cursor);
	upload->size_bytes = sql_take_int(cursor);
	upload->offset_bytes = sql_take_int(cursor);
	upload->hash_state = sql_take_blob(cursor);
	upload->file_name = sql_take_text(cursor);
	upload->metadata = sql_take_text(cursor);
	upload->fence = sql_take_int(cursor);
	upload->is_done = sql_take_bool(cursor);
	upload->created_at_us = sql_take_int(cursor);
	upload->expires_at_us = sql_take_int(cursor);
}

/* What it counts in the app's quota: what was announced, or what is there. */
static int64_t counted_bytes(const struct upload_row *upload)
{
	return upload->size_bytes >= 0 ? upload->size_bytes : upload->offset_bytes;
}

struct uploading {
	const struct upload_row *upload;
	const struct media_row *media;
	int64_t other_bytes;
	int64_t other_files;
	struct arena *arena; /* of what is read */
	struct upload_row *out;
	struct upload_result result;
};

/* The counter holds the new numbers already: what is over takes the whole command back. */
static enum err_kind count(struct store_tx *tx, struct uploading *u, int64_t bytes, int64_t files,
			   struct error *err)
{
	bool is_over = false;
	const struct media_usage usage = {u->upload->app_id, bytes, files, u->other_bytes,
					  u->other_files};
	const enum err_kind kind = store_media_count(tx, &usage, &is_over, &u->result.over, err);
	if (kind != ERR_NONE || !is_over)
		return kind;
	u->result.outcome = UPLOAD_OVER_QUOTA;
	return error_set(err, ERR_TOO_LARGE, "a quota of the app is full");
}

/* An outcome that takes the command back is no failure of the verb. */
static enum err_kind run(struct store *store, store_command command, struct uploading *u,
			 struct upload_result *result_out, struct error *err)
{
	enum err_kind kind = store_write(store, command, u, err);
	if (kind == ERR_TOO_LARGE && u->result.outcome == UPLOAD_OVER_QUOTA) {
		store_quota_note_refusal(store, u->result.over.quota);
		kind = ERR_NONE;
	}
	if (kind == ERR_CONFLICT && u->result.outcome == UPLOAD_LINK_USED)
		kind = ERR_NONE;
	if (kind == ERR_NONE)
		*result_out = u->result;
	return kind;
}

struct dropped {
	struct str app_id;
	int64_t counted_bytes;
	bool is_done;
};

static void dropped_read(struct sql_cursor *cursor, void *out)
{
	struct dropped *dropped = out;
	dropped->app_id = sql_take_text(cursor);
	dropped->counted_bytes = sql_take_int(cursor);
	dropped->is_done = sql_take_bool(cursor);
}

enum err_kind store_upload_drop_row(struct store_tx *tx, struct str upload_id, struct error *err)
{
	struct dropped dropped = {0};
	struct quota_over over;
	bool is_over = false;
	const struct sql_args id = SQL_ARGS(sql_text(upload_id));
	enum err_kind kind =
		sql_find(tx->sql, tx->arena, SQL_ROW(SQL_UPLOAD_DELETE, id, dropped_read), &dropped,
			 "upload", err);
	if (kind != ERR_NONE || dropped.is_done)
		return kind;
	const struct media_usage less = {
		.app_id = dropped.app_id, .bytes = -dropped.counted_bytes, .files = -1};
	kind = store_media_count(tx, &less, &is_over, &over, err);
	return kind == ERR_NONE ? sql_run(tx->sql, SQL_MEDIA_GONE, id, NULL, err) : kind;
}

/* ---- begin ---- */

static void link_read(struct sql_cursor *cursor, void *out)
{
	struct link_row *link = out;
	link->token_hash = sql_take_text(cursor);
	link->media_id = sql_take_text(cursor);
	link->app_id = sql_take_text(cursor);
	link->max_bytes = sql_take_int(cursor);
	link->expires_at_us = sql_take_int(cursor);
	link->used_at_us = sql_take_int(cursor);
}

/* Used since it was read: its file is there, and no other upload may come near its name. */
static enum err_kind refuse_used(struct store_tx *tx, struct uploading *u, struct error *err)
{
	struct link_row link = {0};
	if (str_is_empty(u->upload->link_hash))
		return ERR_NONE;
	const enum err_kind kind = sql_find(
		tx->sql, tx->arena,
		SQL_ROW(SQL_LINK_FIND, SQL_ARGS(sql_text(u->upload->link_hash)), link_read), &link,
		"link", err);
	if (kind != ERR_NONE || link.used_at_us == 0)
		return kind;
	u->result.outcome = UPLOAD_LINK_USED;
	return error_set(err, ERR_CONFLICT, "the link was used");
}

static enum err_kind drop_of_link(struct store_tx *tx, struct str link_hash, struct error *err)
{
	struct upload_row other = {0};
	if (str_is_empty(link_hash))
		return ERR_NONE;
	const enum err_kind kind =
		sql_find(tx->sql, tx->arena,
			 SQL_ROW(SQL_UPLOAD_OF_LINK, SQL_ARGS(sql_text(link_hash)), upload_read),
			 &other, "upload", err);
	if (kind == ERR_NOT_FOUND)
		return ERR_NONE;
	return kind == ERR_NONE ? store_upload_drop_row(tx, other.id, err) : kind;
}

static enum err_kind begin(struct store_tx *tx, void *argument, struct error *err)
{
	struct uploading *u = argument;
	const struct upload_row *upload = u->upload;
	u->result = (struct upload_result){.outcome = UPLOAD_WRITTEN};
	enum err_kind kind = refuse_used(tx, u, err);
	if (kind == ERR_NONE)
		kind = drop_of_link(tx, upload->link_hash, err);
	if (kind == ERR_NONE)
		kind = count(tx, u, counted_bytes(upload), 1, err);
	return kind == ERR_NONE
		       ? sql_run(tx->sql, SQL_UPLOAD_INSERT,
				 SQL_ARGS(sql_text(upload->id), sql_text(upload->media_id),
					  sql_text(upload->app_id), sql_text(upload->link_hash),
					  sql_int(upload->size_bytes), sql_blob(upload->hash_state),
					  sql_text(upload->file_name), sql_text(upload->metadata),
					  sql_int(upload->created_at_us),
					  sql_int(upload->expires_at_us)),
				 NULL, err)
		       : kind;
}

enum err_kind store_upload_begin(struct store *store, const struct upload_row *upload,
				 int64_t other_bytes, int64_t other_files,
				 struct upload_result *result_out, struct error *err)
{
	struct uploading u = {
		.upload = upload, .other_bytes = other_bytes, .other_files = other_files};
	return run(store, begin, &u, result_out, err);
}

/* ---- reading, taking, marking ---- */

enum err_kind store_upload_find(struct store *store, struct arena *arena, struct str upload_id,
				struct upload_row *out, struct error *err)
{
	return store_find(store, arena,
			  SQL_ROW(SQL_UPLOAD_FIND, SQL_ARGS(sql_text(upload_id)), upload_read), out,
			  "upload", err);
}

struct taking {
	struct arena *arena;
	struct str upload_id;
	struct upload_row *out;
};

static enum err_kind take(struct store_tx *tx, void *argument, struct error *err)
{
	struct taking *t = argument;
	const struct sql_args id = SQL_ARGS(sql_text(t->upload_id));
	int64_t changes = 0;
	enum err_kind kind = sql_run(tx->sql, SQL_UPLOAD_TAKE, id, &changes, err);
	if (kind == ERR_NONE)
		kind = sql_find(tx->sql, t->arena, SQL_ROW(SQL_UPLOAD_FIND, id, upload_read),
				t->out, "upload", err);
	if (kind == ERR_NONE && changes == 0)
		kind = error_set(err, ERR_CONFLICT, "the upload has ended");
	return kind;
}

enum err_kind store_upload_take(struct store *store, struct arena *arena, struct str upload_id,
				struct upload_row *out, struct error *err)
{
	struct taking t = {arena, upload_id, out};
	return store_write(store, take, &t, err);
}

static enum err_kind mark(struct store_tx *tx, void *argument, struct error *err)
{
	struct uploading *u = argument;
	const struct upload_row *upload = u->upload;
	struct upload_row before = {0};
	u->result = (struct upload_result){.outcome = UPLOAD_WRITTEN};
	enum err_kind kind =
		sql_find(tx->sql, tx->arena,
			 SQL_ROW(SQL_UPLOAD_FIND, SQL_ARGS(sql_text(upload->id)), upload_read),
			 &before, "upload", err);
	if (kind == ERR_NOT_FOUND)
		return error_set(err, ERR_CONFLICT, "the upload is gone");
	if (kind == ERR_NONE)
		kind = sql_run_one(tx->sql, SQL_UPLOAD_MARK,
				   SQL_ARGS(sql_text(upload->id), sql_int(upload->fence),
					    sql_int(upload->offset_bytes),
					    sql_blob(upload->hash_state),
					    sql_int(upload->expires_at_us)),
				   ERR_CONFLICT, "upload of this fence", err);
	const int64_t more_bytes = counted_bytes(upload) - counted_bytes(&before);
	return kind == ERR_NONE && more_bytes != 0 ? count(tx, u, more_bytes, 0, err) : kind;
}

enum err_kind store_upload_mark(struct store *store, const struct upload_row *upload,
				int64_t other_bytes, int64_t other_files,
				struct upload_result *result_out, struct error *err)
{
	struct uploading u = {
		.upload = upload, .other_bytes = other_bytes, .other_files = other_files};
	return run(store, mark, &u, result_out, err);
}

/* ---- end ---- */

static enum err_kind use_link(struct store_tx *tx, struct uploading *u, struct error *err)
{
	int64_t changes = 0;
	if (str_is_empty(u->upload->link_hash))
		return ERR_NONE;
	const enum err_kind kind =
		sql_run(tx->sql, SQL_LINK_USE,
			SQL_ARGS(sql_text(u->upload->link_hash), sql_int(u->media->created_at_us)),
			&changes, err);
	if (kind != ERR_NONE || changes > 0)
		return kind;
	u->result.outcome = UPLOAD_LINK_USED;
	return error_set(err, ERR_CONFLICT, "the link was used");
}

static enum err_kind end(struct store_tx *tx, void *argument, struct error *err)
{
	struct uploading *u = argument;
	const struct upload_row *upload = u->upload;
	const struct media_row *media = u->media;
	u->result = (struct upload_result){.outcome = UPLOAD_WRITTEN};
	enum err_kind kind = use_link(tx, u, err);
	if (kind == ERR_NONE)
		kind = sql_run_one(tx->sql, SQL_UPLOAD_END,
				   SQL_ARGS(sql_text(upload->id), sql_int(upload->fence),
					    sql_int(media->size_bytes), sql_blob(STR(""))),
				   ERR_CONFLICT, "upload of this fence", err);
	if (kind == ERR_NONE)
		kind = count(tx, u, media->size_bytes - counted_bytes(upload), 0, err);
	/* Its part is a file of its own: gone too, should nobody live to remove it. */
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_MEDIA_GONE, SQL_ARGS(sql_text(upload->id)), NULL, err);
	return kind == ERR_NONE
		       ? sql_run(tx->sql, SQL_MEDIA_INSERT,
				 SQL_ARGS(sql_text(media->id), sql_text(media->app_id),
					  sql_text(media->file_name), sql_text(media->mime_type),
					  sql_text(media->sha256), sql_int(media->size_bytes),
					  sql_int(media->width), sql_int(media->height),
					  sql_int(media->duration_ms), sql_int(media->is_animated),
					  sql_int(media->is_telling),
					  sql_int(media->created_at_us)),
				 NULL, err)
		       : kind;
}

enum err_kind store_upload_end(struct store *store, const struct upload_row *upload,
			       const struct media_row *media, struct upload_result *result_out,
			       struct error *err)
{
	struct uploading u = {.upload = upload, .media = media};
	return run(store, end, &u, result_out, err);
}

/* ---- the end of those that are no file ---- */

static enum err_kind drop(struct store_tx *tx, void *argument, struct error *err)
{
	return store_upload_drop_row(tx, *(const struct str *)argument, err);
}

enum err_kind store_upload_drop(struct store *store, struct str upload_id, struct error *err)
{
	return store_write(store, drop, &upload_id, err);
}

struct expiring {
	int64_t now_us;
	int64_t links_before_us;
	int64_t max;
	int64_t removed;
};

static enum err_kind expire(struct store_tx *tx, void *argument, struct error *err)
{
	struct expiring *e = argument;
	struct str *ids = NULL;
	size_t count_of_ids = 0;
	int64_t links = 0;
	enum err_kind kind =
		sql_list(tx->sql, tx->arena,
			 SQL_ROWS(SQL_UPLOADS_ENDED, SQL_ARGS(sql_int(e->now_us), sql_int(e->max)),
				  store_text_read, struct str),
			 (void **)&ids, &count_of_ids, err);
	for (size_t i = 0; i < count_of_ids && kind == ERR_NONE; i++)
		kind = store_upload_drop_row(tx, ids[i], err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_LINKS_EXPIRE,
			       SQL_ARGS(sql_int(e->links_before_us), sql_int(e->max)), &links, err);
	e->removed = (int64_t)count_of_ids + links;
	return kind;
}

enum err_kind store_upload_expire(struct store *store, int64_t now_us, int64_t links_before_us,
				  int64_t max, int64_t *removed_out, struct error *err)
{
	struct expiring e = {.now_us = now_us, .links_before_us = links_before_us, .max = max};
	const enum err_kind kind = store_write(store, expire, &e, err);
	*removed_out = kind == ERR_NONE ? e.removed : 0;
	return kind;
}

/* ---- links ---- */

enum err_kind store_link_create(struct store *store, const struct link_row *link, struct error *err)
{
	return store_run(store, SQL_LINK_INSERT,
			 SQL_ARGS(sql_text(link->token_hash), sql_text(link->media_id),
				  sql_text(link->app_id), sql_int(link->max_bytes),
				  sql_int(link->expires_at_us)),
			 ERR_CONFLICT, "link", err);
}

enum err_kind store_link_find(struct store *store, struct arena *arena, struct str token_hash,
			      struct link_row *out, struct error *err)
{
	return store_find(store, arena,
			  SQL_ROW(SQL_LINK_FIND, SQL_ARGS(sql_text(token_hash)), link_read), out,
			  "link", err);
}
