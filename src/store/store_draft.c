/* SPDX-License-Identifier: Apache-2.0
 * Rows of drafts, and their bytes in the app's quota. */
#include "store_draft.h"

#include "arena.h"

#include "store_private.h"
#include "store_quota.h"

static void draft_read(struct sql_cursor *cursor, void *out)
{
	struct draft_row *draft = out;
	draft->id = sql_take_text(cursor);
	draft->app_id = sql_take_text(cursor);
	draft->body = sql_take_text(cursor);
	draft->created_by = sql_take_text(cursor);
	draft->created_at_us = sql_take_int(cursor);
	draft->updated_at_us = sql_take_int(cursor);
	draft->review_reason = sql_take_text(cursor);
	draft->review_by = sql_take_text(cursor);
	draft->review_at_us = sql_take_int(cursor);
}

/* What a command writes, and of what it was made. */
struct drafting {
	const struct draft_row *draft;
	struct str body;
	int64_t now_us;
	struct draft_result result;
};

/* The counter holds the new bytes already: what is over takes the whole command back. */
static enum err_kind count_bytes(struct store_tx *tx, struct drafting *d, int64_t more,
				 struct error *err)
{
	bool is_over = false;
	const enum err_kind kind =
		store_quota_count_bytes(tx, d->draft->app_id, more, &is_over, &d->result.over, err);
	if (kind != ERR_NONE || !is_over)
		return kind;
	d->result.outcome = DRAFT_OVER_QUOTA;
	return error_set(err, ERR_TOO_LARGE, "a quota of the app is full");
}

static enum err_kind run(struct store *store, store_command command, struct drafting *d,
			 struct draft_result *result_out, struct error *err)
{
	enum err_kind kind = store_write_of_app(store, d->draft->app_id, command, d, err);
	if (kind == ERR_TOO_LARGE && d->result.outcome == DRAFT_OVER_QUOTA) {
		store_quota_note_refusal(store, d->result.over.quota);
		kind = ERR_NONE;
	}
	if (kind == ERR_NONE)
		*result_out = d->result;
	return kind;
}

static enum err_kind create(struct store_tx *tx, void *argument, struct error *err)
{
	struct drafting *d = argument;
	const struct draft_row *draft = d->draft;
	d->result = (struct draft_result){.outcome = DRAFT_DONE};
	enum err_kind kind = count_bytes(tx, d, (int64_t)draft->body.len, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_DRAFT_INSERT,
			       SQL_ARGS(sql_text(draft->id), sql_text(draft->app_id),
					sql_text(draft->body), sql_text(draft->created_by),
					sql_int(draft->created_at_us)),
			       NULL, err);
	if (kind == ERR_NONE)
		kind = store_media_use(tx, draft->app_id, draft->id, &draft->media, err);
	if (kind != ERR_NONE)
		return kind;
	return event_add(tx, draft->app_id, EVENT_DRAFT_CREATED, draft->id, STR(""), err);
}

enum err_kind store_draft_create(struct store *store, const struct draft_row *draft,
				 struct draft_result *result_out, struct error *err)
{
	struct drafting d = {.draft = draft};
	return run(store, create, &d, result_out, err);
}

struct finding {
	struct arena *arena;
	struct str app_id;
	struct str draft_id;
	struct draft_row *out;
};

static enum err_kind find(struct sql_connection *sql, void *argument, struct error *err)
{
	struct finding *f = argument;
	return sql_find(sql, f->arena,
			SQL_ROW(SQL_DRAFT_FIND,
				SQL_ARGS(sql_text(f->draft_id), sql_text(f->app_id)), draft_read),
			f->out, "draft", err);
}

enum err_kind store_draft_find(struct store *store, struct arena *arena, struct str app_id,
			       struct str draft_id, struct draft_row *out, struct error *err)
{
	struct finding f = {arena, app_id, draft_id, out};
	return store_read(store, find, &f, err);
}

struct draft_listing {
	struct arena *arena;
	struct str app_id;
	int64_t page;
	int64_t per_page;
	struct draft_row *rows;
	size_t count;
	int64_t total;
};

static enum err_kind list(struct sql_connection *sql, void *argument, struct error *err)
{
	struct draft_listing *l = argument;
	const struct sql_value app_id = sql_text(l->app_id);
	const enum err_kind kind =
		sql_number(sql, SQL_DRAFT_COUNT, SQL_ARGS(app_id), &l->total, err);
	if (kind != ERR_NONE)
		return kind;
	return sql_list(sql, l->arena,
			SQL_ROWS(SQL_DRAFT_LIST,
				 SQL_ARGS(app_id, sql_int(l->per_page),
					  sql_int((l->page - 1) * l->per_page)),
				 draft_read, struct draft_row),
			(void **)&l->rows, &l->count, err);
}

enum err_kind store_draft_list(struct store *store, struct arena *arena, struct str app_id,
			       int64_t page, int64_t per_page, struct draft_row **out,
			       size_t *count_out, int64_t *total_out, struct error *err)
{
	struct draft_listing l = {
		.arena = arena, .app_id = app_id, .page = page, .per_page = per_page};
	const enum err_kind kind = store_read(store, list, &l, err);
	*out = l.rows;
	*count_out = l.count;
	*total_out = l.total;
	return kind;
}

/* DONE when the draft is as it was read. */
static enum err_kind compare(struct store_tx *tx, struct drafting *d, struct error *err)
{
	struct draft_row now = {0};
	struct finding f = {tx->arena, d->draft->app_id, d->draft->id, &now};
	const enum err_kind kind = find(tx->sql, &f, err);
	const bool is_same = str_equal(now.body, d->draft->body);
	d->result = (struct draft_result){.outcome = is_same ? DRAFT_DONE : DRAFT_CHANGED_BEFORE};
	return kind;
}

static enum err_kind change(struct store_tx *tx, void *argument, struct error *err)
{
	struct drafting *d = argument;
	enum err_kind kind = compare(tx, d, err);
	if (kind != ERR_NONE || d->result.outcome != DRAFT_DONE)
		return kind;
	kind = count_bytes(tx, d, (int64_t)d->body.len - (int64_t)d->draft->body.len, err);
	if (kind == ERR_NONE)
		kind = store_media_unuse(tx, d->draft->id, err);
	if (kind == ERR_NONE)
		kind = store_media_use(tx, d->draft->app_id, d->draft->id, &d->draft->media, err);
	return kind == ERR_NONE ? sql_run(tx->sql, SQL_DRAFT_CHANGE,
					  SQL_ARGS(sql_text(d->draft->id), sql_text(d->body),
						   sql_int(d->now_us)),
					  NULL, err)
				: kind;
}

enum err_kind store_draft_change(struct store *store, const struct draft_row *read, struct str body,
				 int64_t now_us, struct draft_result *result_out, struct error *err)
{
	struct drafting d = {.draft = read, .body = body, .now_us = now_us};
	return run(store, change, &d, result_out, err);
}

enum err_kind store_draft_body(struct store_tx *tx, struct str app_id, struct str draft_id,
			       struct str *body_out, struct error *err)
{
	struct draft_row now = {0};
	struct finding f = {tx->arena, app_id, draft_id, &now};
	const enum err_kind kind = find(tx->sql, &f, err);
	*body_out = now.body;
	return kind;
}

static enum err_kind erase(struct store_tx *tx, void *argument, struct error *err)
{
	struct drafting *d = argument;
	enum err_kind kind = compare(tx, d, err);
	if (kind != ERR_NONE || d->result.outcome != DRAFT_DONE)
		return kind;
	kind = count_bytes(tx, d, -(int64_t)d->draft->body.len, err);
	if (kind == ERR_NONE)
		kind = store_media_unuse(tx, d->draft->id, err);
	return kind == ERR_NONE ? sql_run(tx->sql, SQL_DRAFT_DELETE,
					  SQL_ARGS(sql_text(d->draft->id)), NULL, err)
				: kind;
}

enum err_kind store_draft_delete(struct store *store, const struct draft_row *read,
				 struct draft_result *result_out, struct error *err)
{
	struct drafting d = {.draft = read};
	return run(store, erase, &d, result_out, err);
}

static enum err_kind reject(struct store_tx *tx, void *argument, struct error *err)
{
	struct drafting *d = argument;
	const struct draft_row *draft = d->draft;
	enum err_kind kind = compare(tx, d, err);
	if (kind != ERR_NONE || d->result.outcome != DRAFT_DONE)
		return kind;
	kind = sql_run_one(tx->sql, SQL_DRAFT_REJECT,
			   SQL_ARGS(sql_text(draft->id), sql_text(draft->app_id),
				    sql_text(draft->review_reason), sql_text(draft->review_by),
				    sql_int(draft->review_at_us)),
			   ERR_NOT_FOUND, "draft", err);
	if (kind != ERR_NONE)
		return kind;
	return event_add(tx, draft->app_id, EVENT_DRAFT_REJECTED, draft->id, STR(""), err);
}

enum err_kind store_draft_reject(struct store *store, const struct draft_row *read,
				 struct draft_result *result_out, struct error *err)
{
	struct drafting d = {.draft = read};
	return run(store, reject, &d, result_out, err);
}
