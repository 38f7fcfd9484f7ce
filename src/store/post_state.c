/* SPDX-License-Identifier: Apache-2.0
 * A post's state is what its deliveries say (model/post.h); written here and nowhere else. */
#include "arena.h"

#include "store_media.h"
#include "store_private.h"

/* A post beside one of its deliveries. */
struct standing {
	struct str post_id;
	struct counted_post post;
	enum post_state stored;
	enum post_state delivery;
};

static void standing_read(struct sql_cursor *cursor, void *out)
{
	struct standing *standing = out;
	standing->post_id = sql_take_text(cursor);
	standing->post.app_id = sql_take_text(cursor);
	standing->stored = post_state_of_name(sql_take_text(cursor));
	standing->post.date_us = sql_take_int(cursor);
	standing->post.ordinal = sql_take_int(cursor);
	standing->delivery = post_state_of_name(sql_take_text(cursor));
}

void post_now_read(struct sql_cursor *cursor, void *out)
{
	struct post_now *post = out;
	post->counted.app_id = sql_take_text(cursor);
	post->counted.date_us = sql_take_int(cursor);
	post->counted.ordinal = sql_take_int(cursor);
	post->state = post_state_of_name(sql_take_text(cursor));
	post->delivery_count = sql_take_int(cursor);
}

/* The status stands in an index: where it stays, the index is left alone. */
static enum err_kind change(struct store_tx *tx, struct str post_id,
			    const struct counted_post *post, enum post_state from,
			    enum post_state to, struct error *err)
{
	if (from == to)
		return ERR_NONE;
	const char *status_from = post_state_status(from);
	const char *status_to = post_state_status(to);
	const struct sql_value id = sql_text(post_id);
	const struct sql_value name = sql_word(post_state_name(to));
	if (strcmp(status_from, status_to) == 0)
		return sql_run(tx->sql, SQL_POST_SET_STATE, SQL_ARGS(id, name), NULL, err);
	const enum err_kind kind = sql_run(tx->sql, SQL_POST_SET_STATUS,
					   SQL_ARGS(id, name, sql_word(status_to)), NULL, err);
	counters_move(tx, post, status_from, status_to);
	if (kind != ERR_NONE || !post_state_is_final(to))
		return kind;
	const enum err_kind touched = store_media_touch(tx, post_id, err);
	if (touched != ERR_NONE)
		return touched;
	return event_add(tx, post->app_id, EVENT_POST_COMPLETED, post_id, post_id, err);
}

enum err_kind post_states_ask(struct store_tx *tx, const struct str *post_ids, size_t count,
			      struct sql_call *call, struct error *err)
{
	struct str list = {0};
	struct sql_value *ids = ARENA_NEW(tx->arena, struct sql_value);
	const enum err_kind kind = store_list_text(tx->arena, post_ids, count, &list, err);
	*ids = sql_text(list);
	*call = (struct sql_call){
		.query = {SQL_POST_STATES, {ids, 1}, standing_read, sizeof(struct standing)}};
	return kind;
}

/* The rows of one post stand together. Returns how many they are. */
static size_t count_of_post(const struct standing *rows, size_t count)
{
	size_t own = 1;
	while (own < count && own < POST_ACCOUNTS_MAX &&
	       str_equal(rows[own].post_id, rows->post_id))
		own++;
	return own;
}

enum err_kind post_states_write(struct store_tx *tx, const struct sql_call *call, struct error *err)
{
	const struct standing *rows = call->rows;
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < call->row_count && kind == ERR_NONE;) {
		enum post_state states[POST_ACCOUNTS_MAX];
		const size_t count = count_of_post(rows + i, call->row_count - i);
		for (size_t k = 0; k < count; k++)
			states[k] = rows[i + k].delivery;
		kind = change(tx, rows[i].post_id, &rows[i].post, rows[i].stored,
			      post_state_of_deliveries(states, count), err);
		i += count;
	}
	return kind;
}

enum err_kind post_state_refresh(struct store_tx *tx, struct str post_id, struct error *err)
{
	struct sql_call call;
	enum err_kind kind = post_states_ask(tx, &post_id, 1, &call, err);
	if (kind == ERR_NONE)
		kind = sql_run_all(tx->sql, tx->arena, &call, err);
	if (kind != ERR_NONE)
		return kind;
	if (call.row_count == 0)
		return error_set(err, ERR_INTERNAL, "the post has no deliveries");
	return post_states_write(tx, &call, err);
}

enum err_kind post_state_follow(struct store_tx *tx, struct str post_id,
				const struct post_now *post, enum post_state delivery_state,
				struct error *err)
{
	if (post->delivery_count != 1)
		return post_state_refresh(tx, post_id, err);
	const enum post_state state = post_state_of_deliveries(&delivery_state, 1);
	return change(tx, post_id, &post->counted, post->state, state, err);
}
