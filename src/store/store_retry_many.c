/* SPDX-License-Identifier: Apache-2.0
 * See store_retry_many.h. What is found is remembered with its fence, and a transaction touches
 * only what still has it: so nothing is retried twice, however many runs there are. */
#include "store_retry_many.h"

#include <stdlib.h>

#include "arena.h"

#include "store_post_change.h"
#include "store_private.h"

/* Platform posts of one transaction; the last post is not parted. */
#define BATCH_MAX 50

struct found {
	struct retry_listed *rows;
	size_t count;
	bool has_more;
};

static void listed_read(struct sql_cursor *cursor, void *out)
{
	struct retry_listed *listed = out;
	listed->delivery_id = sql_take_text(cursor);
	listed->post_id = sql_take_text(cursor);
	listed->fence = sql_take_int(cursor);
}

/* Ids of posts begin with the time at which they were made. */
static int by_post(const void *a, const void *b)
{
	const struct retry_listed *one = a;
	const struct retry_listed *other = b;
	const int order = str_compare(one->post_id, other->post_id);
	return order != 0 ? order : str_compare(one->delivery_id, other->delivery_id);
}

static enum err_kind find(struct store *store, struct arena *arena, const struct retry_many *many,
			  struct found *found, struct error *err)
{
	struct str codes = {0};
	struct str accounts = {0};
	enum err_kind kind =
		store_list_text(arena, many->error_codes, many->code_count, &codes, err);
	if (kind == ERR_NONE)
		kind = store_list_text(arena, many->account_ids, many->account_count, &accounts,
				       err);
	if (kind != ERR_NONE)
		return kind;
	const struct sql_value values[] = {
		sql_text(many->app_id), sql_int(many->since_us),  sql_int(many->code_count == 0),
		sql_text(codes),        sql_int(many->republish), sql_int(RETRY_MANY_MAX + 1),
		sql_text(accounts)};
	const bool is_of_some = many->account_count > 0;
	const struct sql_query query = {is_of_some ? SQL_RETRY_LIST_OF : SQL_RETRY_LIST,
					{values, is_of_some ? 7 : 6},
					listed_read,
					sizeof(struct retry_listed)};
	kind = store_list(store, arena, &query, (void **)&found->rows, &found->count, err);
	if (kind != ERR_NONE)
		return kind;
	found->has_more = found->count > RETRY_MANY_MAX;
	if (found->has_more)
		found->count = RETRY_MANY_MAX;
	if (found->count > 0)
		qsort(found->rows, found->count, sizeof(*found->rows), by_post);
	return ERR_NONE;
}

/* The rows of one post stand together. */
static size_t count_of_post(const struct retry_listed *rows, size_t count)
{
	size_t own = 1;
	while (own < count && str_equal(rows[own].post_id, rows->post_id))
		own++;
	return own;
}

static void note(struct retry_many_result *out, struct str post_id, size_t count)
{
	if (count == 0)
		return;
	out->post_ids[out->post_count++] = post_id;
	out->count += count;
}

enum err_kind store_retry_many_count(struct store *store, struct arena *arena,
				     const struct retry_many *many, struct retry_many_result *out,
				     struct error *err)
{
	struct found found = {0};
	const enum err_kind kind = find(store, arena, many, &found, err);
	if (kind != ERR_NONE)
		return kind;
	*out = (struct retry_many_result){
		.post_ids = ARENA_ARRAY(arena, struct str, found.count),
		.has_more = found.has_more,
	};
	for (size_t i = 0; i < found.count;) {
		const size_t own = count_of_post(found.rows + i, found.count - i);
		note(out, found.rows[i].post_id, own);
		i += own;
	}
	return ERR_NONE;
}

/* ---- a run ---- */

/* One transaction's part of what was found. It may run again: it counts from the start then. */
struct batch {
	const struct retry_many *many;
	const struct retry_listed *rows;
	size_t count;
	bool needs_all; /* CONFLICT when one is not as it was found */
	size_t *counts; /* out: retried, by the post's first row */
};

static enum err_kind retry_batch(struct store_tx *tx, void *argument, struct error *err)
{
	struct batch *batch = argument;
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < batch->count && kind == ERR_NONE;) {
		const size_t own = count_of_post(batch->rows + i, batch->count - i);
		const struct post_retry retry = {.app_id = batch->many->app_id,
						 .post_id = batch->rows[i].post_id,
						 .republish = batch->many->republish,
						 .now_us = batch->many->now_us};
		const struct post_retry_listed listed = {&retry, batch->rows + i, own};
		kind = store_post_change_retry(tx, &listed, &batch->counts[i], err);
		if (kind == ERR_NONE && batch->needs_all && batch->counts[i] < own)
			kind = error_set(err, ERR_CONFLICT, "others than were counted");
		i += own;
	}
	return kind;
}

static size_t batch_size(const struct found *found, size_t from)
{
	size_t size = 0;
	while (from + size < found->count && size < BATCH_MAX)
		size += count_of_post(found->rows + from + size, found->count - from - size);
	return size;
}

static bool is_as_expected(const struct retry_many *many, size_t count)
{
	return !many->has_expected || (int64_t)count == many->expected;
}

static enum err_kind run(struct store *store, const struct retry_many *many,
			 const struct found *found, struct retry_many_result *out,
			 struct error *err)
{
	for (size_t from = 0; from < found->count;) {
		size_t counts[BATCH_MAX + POST_ACCOUNTS_MAX] = {0};
		struct batch batch = {.many = many,
				      .rows = found->rows + from,
				      .count = batch_size(found, from),
				      .needs_all = many->has_expected && from == 0,
				      .counts = counts};
		const enum err_kind kind = store_write(store, retry_batch, &batch, err);
		if (kind != ERR_NONE)
			return kind;
		for (size_t i = 0; i < batch.count; i++)
			note(out, batch.rows[i].post_id, counts[i]);
		from += batch.count;
	}
	return ERR_NONE;
}

enum err_kind store_retry_many(struct store *store, struct arena *arena,
			       const struct retry_many *many, struct retry_many_result *out,
			       struct error *err)
{
	struct found found = {0};
	enum err_kind kind = find(store, arena, many, &found, err);
	if (kind != ERR_NONE)
		return kind;
	*out = (struct retry_many_result){
		.post_ids = ARENA_ARRAY(arena, struct str, found.count),
		.has_more = found.has_more,
		.count = found.count,
	};
	out->is_count_changed = !is_as_expected(many, found.count);
	if (out->is_count_changed)
		return ERR_NONE;
	out->count = 0;
	kind = run(store, many, &found, out, err);
	if (kind != ERR_CONFLICT)
		return kind;
	/* Somebody else began with the same: what is left now is another count. */
	*out = (struct retry_many_result){.is_count_changed = true};
	kind = find(store, arena, many, &found, err);
	out->count = found.count;
	return kind;
}
