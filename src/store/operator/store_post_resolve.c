/* SPDX-License-Identifier: Apache-2.0
 * See store_post_resolve.h. */
#include "store_post_resolve.h"

#include "arena.h"
#include "buf.h"

#include "json.h"
#include "json_write.h"

#include "delivery_transitions.h"
#include "failure.h"
#include "store_private.h"

#define PARTS_MAX_BYTES ((size_t)1 << 20) /* as store_post_change.c */

struct unknown_delivery {
	struct delivery_before before;
	struct str error_code;
	struct str parts;
	enum platform_id platform;
	int64_t failed_at_us;
	int64_t published_at_us;
	int64_t date_us; /* of the post */
};

static void unknown_read(struct sql_cursor *cursor, void *out)
{
	struct unknown_delivery *delivery = out;
	delivery->before.id = sql_take_text(cursor);
	delivery->before.fence = sql_take_int(cursor);
	delivery->before.state = post_state_of_name(sql_take_text(cursor));
	delivery->error_code = sql_take_text(cursor);
	delivery->parts = sql_take_text(cursor);
	delivery->platform = (enum platform_id)sql_take_int(cursor);
	delivery->failed_at_us = sql_take_int(cursor);
	delivery->published_at_us = sql_take_int(cursor);
	delivery->date_us = sql_take_int(cursor);
}

static void write_part(struct json_writer *w, const struct json *part,
		       const struct post_appeared *appeared)
{
	const bool is_it = str_equal_z(json_string(json_get(part, "state")), "failed");
	json_begin_object(w);
	json_member_str(w, "state",
			is_it ? STR("published") : json_string(json_get(part, "state")));
	json_member_str_or_null(w, "remote_id",
				is_it ? appeared->remote_id
				      : json_string(json_get(part, "remote_id")));
	json_member_str_or_null(w, "url",
				is_it ? appeared->url : json_string(json_get(part, "url")));
	json_end_object(w);
}

/* The parts with the one that failed published; few parts fail, since those after a failed one
 * wait. */
static enum err_kind settle_parts(struct arena *arena, struct str text,
				  const struct post_appeared *appeared, struct str *out,
				  struct error *err)
{
	const struct json *parts = NULL;
	struct buf buf;
	struct json_writer w;
	*out = text;
	if (str_is_empty(text))
		return ERR_NONE;
	const enum err_kind kind = json_parse(arena, text, NULL, &parts, NULL, err);
	if (kind != ERR_NONE)
		return kind;
	buf_init(&buf, arena, PARTS_MAX_BYTES);
	json_writer_init(&w, &buf);
	json_begin_array(&w);
	for (size_t i = 0; i < parts->count; i++)
		write_part(&w, json_at(parts, i), appeared);
	json_end_array(&w);
	*out = buf_str(&buf);
	return buf.is_over ? error_set(err, ERR_TOO_LARGE, "the parts are too long") : ERR_NONE;
}

static enum err_kind count_appeared(struct store_tx *tx, const struct unknown_delivery *delivery,
				    const struct post_appeared *appeared, struct error *err)
{
	struct tally_end end = {.app_id = appeared->app_id,
				.platform = delivery->platform,
				.at_us = appeared->now_us,
				.is_first = delivery->published_at_us == 0,
				.lateness_us = appeared->now_us - delivery->date_us};
	store_tally_published(tx, &end);
	end.at_us = delivery->failed_at_us;
	end.code = failure_code_of_name(delivery->error_code);
	return delivery->before.state == POST_FAILED
		       ? store_tally_tried_again(tx, &end, delivery->before.id, err)
		       : ERR_NONE;
}

static enum err_kind write_appeared(struct store_tx *tx, const struct unknown_delivery *delivery,
				    const struct post_appeared *appeared, struct error *err)
{
	const struct sql_value id = sql_text(delivery->before.id);
	struct str parts = {0};
	enum err_kind kind = settle_parts(tx->arena, delivery->parts, appeared, &parts, err);
	if (kind == ERR_NONE)
		kind = delivery_state_change(
			tx, &delivery->before, DELIVERY_CHANGE_APPEARED, SQL_DELIVERY_APPEARED,
			SQL_ARGS(sql_int(appeared->now_us), sql_text(parts),
				 sql_text(appeared->remote_id), sql_text(appeared->url)),
			err);
	if (kind == ERR_NONE)
		kind = count_appeared(tx, delivery, appeared, err);
	if (kind == ERR_NONE && !str_is_empty(appeared->remote_id))
		kind = sql_run(
			tx->sql, SQL_REMOTE_ID_BIND,
			SQL_ARGS(sql_text(appeared->account_id), sql_text(appeared->remote_id), id),
			NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_HOLD_CLEAR, SQL_ARGS(id), NULL, err);
	return kind == ERR_NONE ? post_state_refresh(tx, appeared->post_id, err) : kind;
}

static enum err_kind appear(struct store_tx *tx, void *argument, struct error *err)
{
	const struct post_appeared *appeared = argument;
	struct unknown_delivery delivery = {0};
	const enum err_kind kind =
		sql_find(tx->sql, tx->arena,
			 SQL_ROW(SQL_RESOLVE_FIND,
				 SQL_ARGS(sql_text(appeared->post_id), sql_text(appeared->app_id),
					  sql_text(appeared->account_id)),
				 unknown_read),
			 &delivery, "platform post", err);
	if (kind != ERR_NONE)
		return kind;
	if (!post_state_is_final(delivery.before.state) ||
	    failure_code_of_name(delivery.error_code) != FAILURE_CODE_OUTCOME_UNKNOWN)
		return error_set(err, ERR_CONFLICT, "its outcome is known");
	return write_appeared(tx, &delivery, appeared, err);
}

enum err_kind store_post_appeared(struct store *store, const struct post_appeared *appeared,
				  struct error *err)
{
	struct post_appeared argument = *appeared;
	return store_write(store, appear, &argument, err);
}
