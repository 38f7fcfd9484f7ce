/* SPDX-License-Identifier: Apache-2.0
 * Posts read back one by one. They are accepted in store_post_accept.c; lists are
 * store_post_list.c. */
#include "store_post.h"

#include "arena.h"
#include "clock.h"

#include "store_post_rows.h"
#include "store_private.h"

struct request_finding {
	struct arena *arena;
	struct str app_id;
	struct str request_id;
	struct post_accept_result *out;
};

static void first_post_read(struct sql_cursor *cursor, void *out)
{
	struct post_accept_result *result = out;
	result->duplicate_post_id = sql_take_text(cursor);
	result->duplicate_state = post_state_of_name(sql_take_text(cursor));
	result->outcome = POST_DUPLICATE;
}

static enum err_kind find_of_request(struct sql_connection *sql, void *argument, struct error *err)
{
	const struct request_finding *f = argument;
	return sql_find(sql, f->arena,
			SQL_ROW(SQL_POST_OF_REQUEST,
				SQL_ARGS(sql_text(f->app_id), sql_text(f->request_id)),
				first_post_read),
			f->out, "post", err);
}

enum err_kind store_post_of_request(struct store *store, struct arena *arena, struct str app_id,
				    struct str request_id, struct post_accept_result *out,
				    struct error *err)
{
	struct request_finding f = {arena, app_id, request_id, out};
	return store_read(store, find_of_request, &f, err);
}

void post_read(struct sql_cursor *cursor, void *out)
{
	struct post_row *post = out;
	post->id = sql_take_text(cursor);
	post->app_id = sql_take_text(cursor);
	post->request_id = sql_take_text(cursor);
	post->external_user_id = sql_take_text(cursor);
	post->state = post_state_of_name(sql_take_text(cursor));
	post->mode = (enum post_mode)sql_take_int(cursor);
	post->scheduled_at_us = sql_take_int(cursor);
	post->created_at_us = sql_take_int(cursor);
	post->max_lateness_s = sql_take_int(cursor);
	post->content = sql_take_text(cursor);
}

/* Shown when it is planned; a delivery under way, never begun, or held has no next try. */
static int64_t next_attempt_at_us(enum post_state state, int64_t due)
{
	if (due == NEVER_US)
		return 0;
	return state == POST_RETRYING || state == POST_SCHEDULED ? due : 0;
}

static void delivery_read(struct sql_cursor *cursor, void *out)
{
	struct delivery_of_post *row = out;
	struct delivery_row *delivery = &row->delivery;
	row->post_id = sql_take_text(cursor);
	delivery->id = sql_take_text(cursor);
	delivery->account_id = sql_take_text(cursor);
	delivery->platform = (enum platform_id)sql_take_int(cursor);
	delivery->handle = sql_take_text(cursor);
	delivery->state = post_state_of_name(sql_take_text(cursor));
	delivery->scheduled_at_us = sql_take_int(cursor);
	delivery->remote_id = sql_take_text(cursor);
	delivery->url = sql_take_text(cursor);
	delivery->published_at_us = sql_take_int(cursor);
	delivery->attempts = (int)sql_take_int(cursor);
	delivery->next_attempt_at_us = next_attempt_at_us(delivery->state, sql_take_int(cursor));
	delivery->error_code = sql_take_text(cursor);
	delivery->error_message = sql_take_text(cursor);
	delivery->platform_code = sql_take_text(cursor);
	delivery->platform_message = sql_take_text(cursor);
	delivery->error_is_transient = sql_take_bool(cursor);
	delivery->parts = sql_take_text(cursor);
	delivery->visibility = sql_take_text(cursor);
	delivery->warnings = sql_take_text(cursor);
	delivery->removal.status = (enum post_removal)sql_take_int(cursor);
	delivery->removal.removed_at_us = sql_take_int(cursor);
	delivery->removal.error_code = sql_take_text(cursor);
	delivery->removal.error_message = sql_take_text(cursor);
	delivery->removal.platform_code = sql_take_text(cursor);
	delivery->removal.platform_message = sql_take_text(cursor);
	delivery->removal.error_is_transient = sql_take_bool(cursor);
}

/* Deals the deliveries, which stand in the order of the posts, out to them. */
static void deal(struct arena *arena, struct post_row *posts, size_t post_count,
		 const struct delivery_of_post *rows, size_t row_count)
{
	struct delivery_row *deliveries = ARENA_ARRAY(arena, struct delivery_row, row_count);
	size_t row = 0;
	for (size_t i = 0; i < post_count; i++) {
		posts[i].deliveries = deliveries + row;
		for (; row < row_count && str_equal(rows[row].post_id, posts[i].id); row++) {
			deliveries[row] = rows[row].delivery;
			posts[i].delivery_count++;
		}
	}
}

enum err_kind store_post_add_deliveries(struct sql_connection *sql, struct arena *arena,
					struct post_row *posts, size_t count, struct error *err)
{
	struct str list = {0};
	struct delivery_of_post *rows = NULL;
	size_t row_count = 0;
	struct str *ids = ARENA_ARRAY(arena, struct str, count);
	for (size_t i = 0; i < count; i++)
		ids[i] = posts[i].id;
	enum err_kind kind = store_list_text(arena, ids, count, &list, err);
	if (kind == ERR_NONE)
		kind = sql_list(sql, arena,
				SQL_ROWS(SQL_DELIVERY_LIST_OF_POSTS, SQL_ARGS(sql_text(list)),
					 delivery_read, *rows),
				(void **)&rows, &row_count, err);
	if (kind == ERR_NONE)
		deal(arena, posts, count, rows, row_count);
	return kind;
}

struct standing_of_delivery {
	struct str delivery_id;
	struct delivery_standing standing;
};

static void standing_read(struct sql_cursor *cursor, void *out)
{
	struct standing_of_delivery *row = out;
	row->delivery_id = sql_take_text(cursor);
	row->standing.due_at_us = sql_take_int(cursor);
	row->standing.is_held = sql_take_bool(cursor);
	row->standing.is_uncertain = sql_take_bool(cursor);
	row->standing.is_call_open = sql_take_bool(cursor);
	row->standing.is_leased = sql_take_bool(cursor);
	row->standing.is_suspended = sql_take_bool(cursor);
	row->standing.is_ownerless = sql_take_bool(cursor);
	row->standing.is_paused = sql_take_bool(cursor);
	row->standing.ahead = sql_take_int(cursor);
}

static enum err_kind add_standings(struct sql_connection *sql, struct arena *arena,
				   struct post_row *post, int64_t now_us, struct error *err)
{
	struct standing_of_delivery *rows = NULL;
	size_t count = 0;
	const enum err_kind kind = sql_list(sql, arena,
					    SQL_ROWS(SQL_DELIVERY_STANDINGS,
						     SQL_ARGS(sql_text(post->id), sql_int(now_us)),
						     standing_read, *rows),
					    (void **)&rows, &count, err);
	for (size_t i = 0; kind == ERR_NONE && i < count; i++) {
		for (size_t k = 0; k < post->delivery_count; k++) {
			if (str_equal(post->deliveries[k].id, rows[i].delivery_id))
				post->deliveries[k].standing = rows[i].standing;
		}
	}
	return kind;
}

struct getting {
	struct arena *arena;
	int64_t now_us;
	struct str app_id;
	struct str post_id;
	struct post_row post;
};

static enum err_kind post_get(struct sql_connection *sql, void *argument, struct error *err)
{
	struct getting *getting = argument;
	enum err_kind kind = sql_find(
		sql, getting->arena,
		SQL_ROW(SQL_POST_FIND,
			SQL_ARGS(sql_text(getting->post_id), sql_text(getting->app_id)), post_read),
		&getting->post, "post", err);
	if (kind == ERR_NONE)
		kind = store_post_add_deliveries(sql, getting->arena, &getting->post, 1, err);
	if (kind != ERR_NONE || post_state_is_final(getting->post.state))
		return kind;
	return add_standings(sql, getting->arena, &getting->post, getting->now_us, err);
}

enum err_kind store_post_get(struct store *store, struct arena *arena, struct str app_id,
			     struct str post_id, struct post_row *out, struct error *err)
{
	struct getting getting = {.arena = arena,
				  .now_us = clock_now_us(store->clock),
				  .app_id = app_id,
				  .post_id = post_id};
	const enum err_kind kind = store_read(store, post_get, &getting, err);
	if (kind == ERR_NONE)
		*out = getting.post;
	return kind;
}

/* ---- outcome ---- */

/* The parts as the deliverer writes them: each begins with its state. */
static bool has_part(const struct delivery_row *delivery, const char *beginning)
{
	return str_find(delivery->parts, str_of(beginning), 0) != SIZE_MAX;
}

/* A picture that was changed for the platform lacks nothing, nor does a post that is out and whose
 * id the platform does not tell. */
static bool is_lack(struct str code)
{
	return !str_has_prefix(code, STR("media_fitted\"")) &&
	       !str_has_prefix(code, STR("platform_post_id_missing\""));
}

static bool has_lack(struct str warnings)
{
	static const char code[] = "\"code\":\"";
	for (size_t at = 0; (at = str_find(warnings, STR("\"code\":\""), at)) != SIZE_MAX;) {
		at += sizeof(code) - 1;
		if (is_lack(str_slice(warnings, at, warnings.len)))
			return true;
	}
	return false;
}

enum post_outcome store_post_delivery_outcome(const struct delivery_row *delivery)
{
	const bool is_first_out = str_has_prefix(delivery->parts, STR("[{\"state\":\"published\""));
	if (delivery->state != POST_PUBLISHED)
		return is_first_out ? POST_OUTCOME_PARTIAL : POST_OUTCOME_NONE;
	const bool is_short = !str_is_empty(delivery->error_code) || has_lack(delivery->warnings) ||
			      has_part(delivery, "{\"state\":\"failed\"") ||
			      has_part(delivery, "{\"state\":\"pending\"");
	return is_short ? POST_OUTCOME_PARTIAL : POST_OUTCOME_ALL;
}

enum post_outcome store_post_outcome_of(const struct post_row *post)
{
	size_t all = 0;
	size_t none = 0;
	for (size_t i = 0; i < post->delivery_count; i++) {
		const enum post_outcome outcome = store_post_delivery_outcome(&post->deliveries[i]);
		all += outcome == POST_OUTCOME_ALL;
		none += outcome == POST_OUTCOME_NONE;
	}
	if (none == post->delivery_count)
		return POST_OUTCOME_NONE;
	return all == post->delivery_count ? POST_OUTCOME_ALL : POST_OUTCOME_PARTIAL;
}

const char *store_post_outcome_name(enum post_outcome outcome)
{
	static const char *const names[] = {"none", "partial", "all"};
	return names[outcome];
}
