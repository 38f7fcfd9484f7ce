/* SPDX-License-Identifier: Apache-2.0
 * A post's state is what its deliveries say (model/post.h); written here and nowhere else. */
#include "store_private.h"

struct states {
	struct counted_post post;
	enum post_state stored;
	enum post_state deliveries[POST_ACCOUNTS_MAX];
	size_t count;
};

static enum err_kind states_read(struct store_tx *tx, struct str post_id, struct states *states,
				 struct error *err)
{
	struct sql_cursor cursor;
	sql_select(&cursor, tx->sql, SQL_POST_STATES, tx->arena, SQL_ARGS(sql_text(post_id)), err);
	while (states->count < POST_ACCOUNTS_MAX && sql_next(&cursor)) {
		states->post.app_id = sql_take_text(&cursor);
		states->stored = post_state_of_name(sql_take_text(&cursor));
		states->post.date_us = sql_take_int(&cursor);
		states->post.ordinal = sql_take_int(&cursor);
		states->deliveries[states->count++] = post_state_of_name(sql_take_text(&cursor));
	}
	return sql_end(&cursor);
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
	enum err_kind kind = sql_run(tx->sql, SQL_POST_SET_STATUS,
				     SQL_ARGS(id, name, sql_word(status_to)), NULL, err);
	if (kind == ERR_NONE)
		kind = counters_move(tx, post, status_from, status_to, err);
	if (kind != ERR_NONE || !post_state_is_final(to))
		return kind;
	return event_add(tx, post->app_id, EVENT_POST_COMPLETED, post_id, post_id, err);
}

enum err_kind post_state_refresh(struct store_tx *tx, struct str post_id, struct error *err)
{
	struct states states = {0};
	enum err_kind kind = states_read(tx, post_id, &states, err);
	if (kind != ERR_NONE)
		return kind;
	if (states.count == 0)
		return error_set(err, ERR_INTERNAL, "the post has no deliveries");
	const enum post_state state = post_state_of_deliveries(states.deliveries, states.count);
	return change(tx, post_id, &states.post, states.stored, state, err);
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
