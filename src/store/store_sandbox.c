/* SPDX-License-Identifier: Apache-2.0
 * See store_sandbox.h. Whoever writes has locked the lease's row first, and so comes before or
 * after any change of hands; who takes over reads afterwards. */
#include "store_sandbox.h"

#include "arena.h"
#include "buf.h"

#include "store_app_end.h"
#include "store_private.h"

#define PIECE_BYTES ((size_t)1 << 20)
#define PIECES_READ 16
#define ENDED_MAX 1000

/* ---- the lease ---- */

struct lease_seen {
	struct sandbox_lease lease;
	int64_t until_us;
};

static void lease_read(struct sql_cursor *cursor, void *out)
{
	struct lease_seen *seen = out;
	seen->lease.node_id = sql_take_text(cursor);
	seen->lease.address = sql_take_text(cursor);
	seen->lease.pass = sql_take_blob(cursor);
	seen->lease.fence = sql_take_int(cursor);
	seen->until_us = sql_take_int(cursor);
}

enum err_kind store_sandbox_lease_get(struct store *store, struct arena *arena,
				      struct sandbox_lease *out, struct error *err)
{
	struct lease_seen seen = {0};
	const enum err_kind kind =
		store_find(store, arena, SQL_ROW(SQL_SANDBOX_LEASE_GET, SQL_NO_ARGS, lease_read),
			   &seen, "lease", err);
	*out = seen.lease;
	out->left_us = seen.until_us - clock_now_us(store->clock);
	return kind == ERR_NOT_FOUND ? ERR_NONE : kind;
}

static enum err_kind take(struct store_tx *tx, void *argument, struct error *err)
{
	struct sandbox_lease *lease = argument;
	const struct store *store = tx->store;
	const int64_t now_us = clock_now_us(store->clock);
	enum err_kind kind =
		sql_run(tx->sql, SQL_SANDBOX_LEASE_MAKE, SQL_ARGS(sql_blob(STR(""))), NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run_one(tx->sql, SQL_SANDBOX_LEASE_TAKE,
				   SQL_ARGS(sql_word(store->node_id), sql_text(lease->address),
					    sql_blob(lease->pass), sql_int(now_us),
					    sql_int(now_us + lease->left_us)),
				   ERR_CONFLICT, "lease to be had", err);
	return kind == ERR_NONE ? sql_number(tx->sql, SQL_SANDBOX_LEASE_FENCE, SQL_NO_ARGS,
					     &lease->fence, err)
				: kind;
}

enum err_kind store_sandbox_lease_take(struct store *store, struct sandbox_lease *lease,
				       struct error *err)
{
	return store_write_beside(store, take, lease, err);
}

enum err_kind store_sandbox_lease_renew(struct store *store, int64_t fence, int64_t left_us,
					struct error *err)
{
	const int64_t until_us = left_us > 0 ? clock_now_us(store->clock) + left_us : 0;
	return store_run(store, SQL_SANDBOX_LEASE_RENEW,
			 SQL_ARGS(sql_int(fence), sql_int(until_us)), ERR_CONFLICT, "lease of ours",
			 err);
}

/* ---- journals ---- */

struct piece {
	int64_t number;
	struct str bytes;
};

static void piece_read(struct sql_cursor *cursor, void *out)
{
	struct piece *piece = out;
	piece->number = sql_take_int(cursor);
	piece->bytes = sql_take_blob(cursor);
}

enum err_kind store_sandbox_journal_read(struct store *store, struct arena *arena,
					 struct str app_id, struct str *bytes_out,
					 struct error *err)
{
	struct piece *pieces = NULL;
	size_t count = PIECES_READ;
	int64_t after = 0;
	struct buf all;
	buf_init(&all, arena, SIZE_MAX);
	while (count == PIECES_READ) {
		const enum err_kind kind = store_list(
			store, arena,
			SQL_ROWS(SQL_SANDBOX_JOURNAL_READ,
				 SQL_ARGS(sql_text(app_id), sql_int(after), sql_int(PIECES_READ)),
				 piece_read, struct piece),
			(void **)&pieces, &count, err);
		if (kind != ERR_NONE)
			return kind;
		for (size_t i = 0; i < count; i++)
			buf_add(&all, pieces[i].bytes);
		after = count > 0 ? pieces[count - 1].number : after;
	}
	if (all.is_over)
		return error_set(err, ERR_TOO_LARGE, "the sandbox's journal is too large");
	*bytes_out = buf_str(&all);
	return ERR_NONE;
}

static enum err_kind write_part(struct store_tx *tx, void *argument, struct error *err)
{
	const struct sandbox_journal_part *part = argument;
	const struct sql_value id = sql_text(part->app_id);
	enum err_kind kind =
		sql_run_one(tx->sql, SQL_SANDBOX_LEASE_LOCK, SQL_ARGS(sql_int(part->fence)),
			    ERR_CONFLICT, "lease of ours", err);
	if (kind == ERR_NONE && part->is_all)
		kind = sql_run(tx->sql, SQL_SANDBOX_JOURNAL_DELETE, SQL_ARGS(id), NULL, err);
	for (size_t at = 0; kind == ERR_NONE && at < part->bytes.len; at += PIECE_BYTES)
		kind = sql_run(tx->sql, SQL_SANDBOX_JOURNAL_ADD,
			       SQL_ARGS(id, sql_blob(str_slice(part->bytes, at, at + PIECE_BYTES))),
			       NULL, err);
	return kind;
}

enum err_kind store_sandbox_journal_write(struct store *store,
					  const struct sandbox_journal_part *part,
					  struct error *err)
{
	return store_write_beside(store, write_part, (void *)part, err);
}

/* ---- what is over ---- */

enum err_kind store_sandbox_ended(struct store *store, struct arena *arena, int64_t since_us,
				  struct str **ids_out, size_t *count_out, struct error *err)
{
	return store_list(
		store, arena,
		SQL_ROWS(SQL_SANDBOX_ENDED,
			 SQL_ARGS(sql_int(APP_END_DONE), sql_int(since_us), sql_int(ENDED_MAX)),
			 store_text_read, struct str),
		(void **)ids_out, count_out, err);
}
