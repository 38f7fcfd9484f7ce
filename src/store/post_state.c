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

enum err_kind post_state_refresh(struct store_tx *tx, struct str post_id, struct error *err)
{
	struct states states = {0};
	enum err_kind kind = states_read(tx, post_id, &states, err);
	if (kind != ERR_NONE)
		return kind;
	if (states.count == 0)
		return error_set(err, ERR_INTERNAL, "a post without deliveries");
	const enum post_state state = post_state_of_deliveries(states.deliveries, states.count);
	if (state == states.stored)
		return ERR_NONE;
	const char *status_from = post_state_status(states.stored);
	const char *status_to = post_state_status(state);
	kind = sql_run(
		tx->sql, SQL_POST_SET_STATE,
		SQL_ARGS(sql_text(post_id), sql_word(post_state_name(state)), sql_word(status_to)),
		NULL, err);
	if (kind != ERR_NONE || strcmp(status_from, status_to) == 0)
		return kind;
	return counters_move(tx, &states.post, status_from, status_to, err);
}
