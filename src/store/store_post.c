/* SPDX-License-Identifier: Apache-2.0
 * Posts: accepted in one command, read back one by one. Lists are store_post_list.c. */
#include "store_post.h"

#include "arena.h"
#include "clock.h"
#include "count_of.h"

#include "store_post_rows.h"
#include "store_private.h"
#include "store_quota.h"

/* Requests at the same moment commit in another order than they read the clock. The order of
 * acceptance is the one that lists go by, so a creation time is moved up to its predecessor's when
 * it is that little behind. More than that is a clock that was set back: then the clock is told as
 * it is. */
#define CREATED_ORDER_US US_PER_S

struct acceptance {
	const struct post_accept *accept;
	struct arena *arena;
	struct post_accept_result result;
	/* Found out on the way. */
	int64_t ordinal;
	int64_t created_at_us;
	int64_t offered_due_us; /* what a free account may be claimed for; else never */
	enum post_state state;
};

static void first_post_read(struct sql_cursor *cursor, void *out)
{
	struct post_accept_result *result = out;
	result->duplicate_post_id = sql_take_text(cursor);
	result->duplicate_state = post_state_of_name(sql_take_text(cursor));
	result->outcome = POST_DUPLICATE;
}

static enum err_kind look_for_first(struct store_tx *tx, struct acceptance *a, struct error *err)
{
	const enum err_kind kind = sql_find(
		tx->sql, tx->arena,
		SQL_ROW(SQL_POST_BY_REQUEST,
			SQL_ARGS(sql_text(a->accept->app_id), sql_text(a->accept->request_id)),
			first_post_read),
		&a->result, "post", err);
	return kind == ERR_NOT_FOUND ? ERR_NONE : kind;
}

/* A missing account is reported only for a request that is not a duplicate (api-decisions.md 6 has
 * accounts first, but they were good when the caller looked; the first post is the better
 * answer). */
static enum err_kind check_accounts(struct store_tx *tx, struct acceptance *a, struct error *err)
{
	for (size_t i = 0; i < a->accept->target_count; i++) {
		struct str state = {0};
		const enum err_kind kind =
			sql_find(tx->sql, tx->arena,
				 SQL_ROW(SQL_ACCOUNT_STATE,
					 SQL_ARGS(sql_text(a->accept->targets[i].account_id),
						  sql_text(a->accept->app_id)),
					 store_text_read),
				 &state, "account", err);
		if (kind != ERR_NONE && kind != ERR_NOT_FOUND)
			return kind;
		if (kind == ERR_NONE && account_state_is_usable(account_state_of_name(state)))
			continue;
		a->result.outcome = POST_ACCOUNT_GONE;
		a->result.account_index = i;
		return ERR_NONE;
	}
	return ERR_NONE;
}

static int64_t due_at_us(const struct post_accept *accept)
{
	return accept->scheduled_at_us != 0 ? accept->scheduled_at_us : accept->now_us;
}

/* The counters hold this post already: what is over takes the whole command back. */
static enum err_kind check_quotas(struct store_tx *tx, struct acceptance *a,
				  struct sql_cursor *cursor, struct error *err)
{
	const int64_t posts = sql_take_int(cursor) - 1;
	const int64_t more_bytes = (int64_t)a->accept->content.len;
	const int64_t bytes = sql_take_int(cursor) - more_bytes;
	const struct quota_wish wishes[] = {
		{QUOTA_PENDING_POSTS, sql_take_int(cursor), posts, 1},
		{QUOTA_POST_BYTES, sql_take_int(cursor), bytes, more_bytes},
	};
	for (size_t i = 0; i < COUNT_OF(wishes); i++) {
		if (!store_quota_is_over(tx->store, &wishes[i], &a->result.over))
			continue;
		a->result.outcome = POST_OVER_QUOTA;
		return error_set(err, ERR_TOO_LARGE, "a quota of the app is full");
	}
	return ERR_NONE;
}

static enum err_kind take_number(struct store_tx *tx, struct acceptance *a, struct error *err)
{
	const struct post_accept *accept = a->accept;
	const int64_t scheduled = a->state == POST_SCHEDULED ? (int64_t)accept->target_count : 0;
	enum err_kind quotas = ERR_NONE;
	struct sql_cursor cursor;
	sql_select(&cursor, tx->sql, SQL_WORK_ACCEPT, tx->arena,
		   SQL_ARGS(sql_text(accept->app_id), sql_int(accept->now_us),
			    sql_int(a->offered_due_us), sql_int(CREATED_ORDER_US),
			    sql_int(scheduled), sql_int((int64_t)accept->content.len)),
		   err);
	if (sql_next(&cursor)) {
		a->ordinal = sql_take_int(&cursor);
		a->created_at_us = sql_take_int(&cursor);
		quotas = check_quotas(tx, a, &cursor, err);
	}
	const enum err_kind kind = sql_end(&cursor);
	if (kind != ERR_NONE || quotas != ERR_NONE)
		return kind != ERR_NONE ? kind : quotas;
	if (cursor.has_row)
		return ERR_NONE;
	return error_set(err, ERR_NOT_FOUND, "no such app");
}

static int64_t platform_mask(const struct post_accept *accept)
{
	int64_t mask = 0;
	for (size_t i = 0; i < accept->target_count; i++)
		mask |= INT64_C(1) << accept->targets[i].platform;
	return mask;
}

static enum err_kind insert_post(struct store_tx *tx, const struct acceptance *a, int64_t date_us,
				 struct error *err)
{
	const struct post_accept *accept = a->accept;
	return sql_run(tx->sql, SQL_POST_INSERT,
		       SQL_ARGS(sql_text(accept->post_id), sql_text(accept->app_id),
				sql_int(a->ordinal), sql_text(accept->request_id),
				sql_text(accept->targets[0].user_id),
				sql_word(post_state_name(a->state)),
				sql_word(post_state_status(a->state)), sql_int(accept->mode),
				sql_int(platform_mask(accept)), sql_int(accept->scheduled_at_us),
				sql_int(a->created_at_us), sql_int(date_us),
				sql_text(accept->content), sql_int(accept->max_lateness_s)),
		       NULL, err);
}

static enum err_kind insert_delivery(struct store_tx *tx, const struct acceptance *a, size_t index,
				     struct error *err)
{
	const struct post_accept *accept = a->accept;
	const struct post_target *target = &accept->targets[index];
	return sql_run(tx->sql, SQL_DELIVERY_INSERT,
		       SQL_ARGS(sql_text(target->delivery_id), sql_text(accept->post_id),
				sql_int((int64_t)index), sql_text(accept->app_id),
				sql_text(target->account_id), sql_int(target->platform),
				sql_word(post_state_name(a->state)), sql_int(due_at_us(accept)),
				sql_blob(STR("")), sql_int(a->ordinal)),
		       NULL, err);
}

/* An account that is busy, or has something due earlier, is not due any earlier by this. Where an
 * answer is a way across a network it is not waited for: then the app may be looked at in vain. */
static enum err_kind offer_to_lanes(struct store_tx *tx, struct acceptance *a, struct error *err)
{
	const struct post_accept *accept = a->accept;
	a->offered_due_us = NEVER_US;
	for (size_t i = 0; i < accept->target_count; i++) {
		int64_t changes = 0;
		const enum err_kind kind =
			sql_run(tx->sql, SQL_LANE_OFFER,
				SQL_ARGS(sql_text(accept->targets[i].account_id),
					 sql_text(accept->app_id), sql_int(due_at_us(accept)),
					 sql_int(INT64_C(1) << accept->targets[i].platform)),
				&changes, err);
		if (kind != ERR_NONE)
			return kind;
		if (changes > 0 || sql_is_shared(tx->sql))
			a->offered_due_us = due_at_us(accept);
	}
	return ERR_NONE;
}

static enum err_kind insert_all(struct store_tx *tx, struct acceptance *a, struct error *err)
{
	const struct post_accept *accept = a->accept;
	enum err_kind kind = offer_to_lanes(tx, a, err);
	if (kind == ERR_NONE)
		kind = take_number(tx, a, err);
	const int64_t date_us =
		accept->scheduled_at_us != 0 ? accept->scheduled_at_us : a->created_at_us;
	const struct counted_post counted = {accept->app_id, date_us, a->ordinal};
	if (kind == ERR_NONE)
		kind = insert_post(tx, a, date_us, err);
	for (size_t i = 0; i < accept->target_count && kind == ERR_NONE; i++)
		kind = insert_delivery(tx, a, i, err);
	if (kind == ERR_NONE)
		kind = counters_add(tx, &counted, post_state_status(a->state), err);
	return kind;
}

static enum err_kind post_accept(struct store_tx *tx, void *argument, struct error *err)
{
	struct acceptance *a = argument;
	a->result = (struct post_accept_result){.outcome = POST_ACCEPTED};
	a->state = a->accept->scheduled_at_us != 0 ? POST_SCHEDULED : POST_PENDING;
	enum err_kind kind = store_tx_lock_app(tx, a->accept->app_id, err);
	if (kind == ERR_NONE)
		kind = look_for_first(tx, a, err);
	if (kind == ERR_NONE && a->result.outcome == POST_ACCEPTED)
		kind = check_accounts(tx, a, err);
	if (kind == ERR_NONE && a->result.outcome == POST_ACCEPTED)
		kind = insert_all(tx, a, err);
	a->result.created_at_us = a->created_at_us;
	/* The transaction's arena ends with this command. */
	if (kind == ERR_NONE && a->result.outcome == POST_DUPLICATE)
		a->result.duplicate_post_id = str_copy(a->arena, a->result.duplicate_post_id);
	return kind;
}

/* See store_delivery_mend_due(). */
static void note_clock(struct store *store, int64_t now_us)
{
	const int64_t ahead_us = now_us - clock_boot_us(store->clock);
	int64_t most_us = atomic_load(&store->accepted_ahead_us);
	while (ahead_us > most_us &&
	       !atomic_compare_exchange_weak(&store->accepted_ahead_us, &most_us, ahead_us))
		;
}

enum err_kind store_post_accept(struct store *store, struct arena *arena,
				const struct post_accept *accept,
				struct post_accept_result *result_out, struct error *err)
{
	if (accept->target_count == 0 || accept->target_count > POST_ACCOUNTS_MAX)
		return error_set(err, ERR_INVALID, "a post has 1 to %d accounts",
				 POST_ACCOUNTS_MAX);
	if (store_is_damaged(store))
		return error_set(err, ERR_TEMPORARY,
				 "the database is damaged: nothing is accepted until it is mended");
	struct acceptance acceptance = {.accept = accept, .arena = arena};
	note_clock(store, accept->now_us);
	enum err_kind kind =
		store_write_of_app(store, accept->app_id, post_accept, &acceptance, err);
	if (kind == ERR_TOO_LARGE && acceptance.result.outcome == POST_OVER_QUOTA) {
		store_quota_note_refusal(store, acceptance.result.over.quota);
		kind = ERR_NONE;
	}
	if (kind == ERR_NONE)
		*result_out = acceptance.result;
	return kind;
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

enum post_outcome store_post_delivery_outcome(const struct delivery_row *delivery)
{
	const bool is_first_out = str_has_prefix(delivery->parts, STR("[{\"state\":\"published\""));
	if (delivery->state != POST_PUBLISHED)
		return is_first_out ? POST_OUTCOME_PARTIAL : POST_OUTCOME_NONE;
	const bool is_short = !str_is_empty(delivery->error_code) ||
			      !str_is_empty(delivery->warnings) ||
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
