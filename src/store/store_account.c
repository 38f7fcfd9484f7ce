/* SPDX-License-Identifier: Apache-2.0
 * Accounts: read by the API and by claims, written by connections and by the engine's turns. */
#include "store_connection.h"

#include "arena.h"
#include "count_of.h"

#include "store_private.h"

#define DISCONNECT_BATCH 200 /* scheduled deliveries that one transaction ends */

void account_read(struct sql_cursor *cursor, void *out)
{
	struct account_row *account = out;
	account->id = sql_take_text(cursor);
	account->app_id = sql_take_text(cursor);
	account->platform = (enum platform_id)sql_take_int(cursor);
	account->user_id = sql_take_text(cursor);
	account->connection_id = sql_take_text(cursor);
	account->platform_account_id = sql_take_text(cursor);
	account->username = sql_take_text(cursor);
	account->name = sql_take_text(cursor);
	account->email = sql_take_text(cursor);
	account->avatar_url = sql_take_text(cursor);
	account->type = account_type_of_name(sql_take_text(cursor));
	account->state = account_state_of_name(sql_take_text(cursor));
	account->access_token_sealed = sql_take_blob(cursor);
	account->refresh_token_sealed = sql_take_blob(cursor);
	account->extra = sql_take_text(cursor);
	account->extra_sealed = sql_take_blob(cursor);
	account->scopes = sql_take_text(cursor);
	account->expires_at_us = sql_take_int(cursor);
	account->refresh_expires_at_us = sql_take_int(cursor);
	account->token_version = sql_take_int(cursor);
	account->last_refresh_at_us = sql_take_int(cursor);
	account->last_error = sql_take_text(cursor);
	account->created_at_us = sql_take_int(cursor);
	account->updated_at_us = sql_take_int(cursor);
	account->is_unconfirmed = sql_take_bool(cursor);
	account->ends_at_us = sql_take_int(cursor);
}

enum err_kind account_put(struct store_tx *tx, struct str connection_id,
			  const struct account_row *a, int64_t now_us, struct error *err)
{
	return sql_run(tx->sql, SQL_ACCOUNT_PUT,
		       SQL_ARGS(sql_text(a->id), sql_text(a->app_id), sql_int(a->platform),
				sql_text(a->user_id), sql_text(connection_id),
				sql_text(a->platform_account_id), sql_text(a->username),
				sql_text(a->name), sql_text(a->email), sql_text(a->avatar_url),
				sql_word(account_type_name(a->type)),
				sql_word(account_state_name(a->state)),
				sql_blob(a->access_token_sealed), sql_blob(a->refresh_token_sealed),
				sql_text(a->extra), sql_blob(a->extra_sealed), sql_text(a->scopes),
				sql_int(a->expires_at_us), sql_int(a->refresh_expires_at_us),
				sql_int(now_us), sql_int(a->is_unconfirmed),
				sql_int(a->ends_at_us)),
		       NULL, err);
}

static struct sql_args identity(const struct account_row *a, struct sql_value values[4])
{
	values[0] = sql_text(a->app_id);
	values[1] = sql_int(a->platform);
	values[2] = sql_text(a->user_id);
	values[3] = sql_text(a->platform_account_id);
	return (struct sql_args){values, 4};
}

enum err_kind store_account_id_for(struct store *store, struct arena *arena, struct str app_id,
				   enum platform_id platform, struct str user_id,
				   struct str platform_account_id, struct str *id_out,
				   struct error *err)
{
	const struct account_row account = {.app_id = app_id,
					    .platform = platform,
					    .user_id = user_id,
					    .platform_account_id = platform_account_id};
	struct sql_value values[4];
	struct str id = {0};
	const enum err_kind kind =
		store_find(store, arena,
			   SQL_ROW(SQL_ACCOUNT_ID_FOR, identity(&account, values), store_text_read),
			   &id, "account", err);
	if (kind != ERR_NONE && kind != ERR_NOT_FOUND)
		return kind;
	*id_out = id;
	return ERR_NONE;
}

enum err_kind store_account_list_of_connection(struct store *store, struct arena *arena,
					       struct str connection_id, struct account_row **out,
					       size_t *count_out, struct error *err)
{
	return store_list(store, arena,
			  SQL_ROWS(SQL_ACCOUNT_LIST_OF_CONNECTION,
				   SQL_ARGS(sql_text(connection_id)), account_read,
				   struct account_row),
			  (void **)out, count_out, err);
}

/* In one question, for where an answer is far. */
static enum err_kind get_many(struct store *store, struct arena *arena, struct str app_id,
			      const struct str *ids, size_t count, struct account_row *out,
			      bool *found, struct error *err)
{
	struct str *wanted = ARENA_ARRAY(arena, struct str, count);
	struct account_row *rows = NULL;
	struct str list = {0};
	size_t wanted_count = 0;
	size_t row_count = 0;
	for (size_t i = 0; i < count; i++) {
		found[i] = false;
		if (str_find_char(ids[i], '\0', 0) == SIZE_MAX) /* no text with one is stored */
			wanted[wanted_count++] = ids[i];
	}
	enum err_kind kind = store_list_text(arena, wanted, wanted_count, &list, err);
	if (kind == ERR_NONE)
		kind = store_list(store, arena,
				  SQL_ROWS(SQL_ACCOUNT_FIND_MANY,
					   SQL_ARGS(sql_text(list), sql_text(app_id)), account_read,
					   struct account_row),
				  (void **)&rows, &row_count, err);
	for (size_t i = 0; i < count && kind == ERR_NONE; i++) {
		for (size_t k = 0; k < row_count && !found[i]; k++) {
			found[i] = str_equal(rows[k].id, ids[i]);
			if (found[i])
				out[i] = rows[k];
		}
	}
	return kind;
}

/* All from the cache, or all of one state of the database. */
enum err_kind store_account_get_many(struct store *store, struct arena *arena, struct str app_id,
				     const struct str *ids, size_t count, struct account_row *out,
				     bool *found, struct error *err)
{
#define TEXT(member) offsetof(struct account_row, member)
	static const size_t texts[] = {TEXT(id),
				       TEXT(app_id),
				       TEXT(user_id),
				       TEXT(connection_id),
				       TEXT(platform_account_id),
				       TEXT(username),
				       TEXT(name),
				       TEXT(email),
				       TEXT(avatar_url),
				       TEXT(access_token_sealed),
				       TEXT(refresh_token_sealed),
				       TEXT(extra),
				       TEXT(extra_sealed),
				       TEXT(scopes),
				       TEXT(last_error)};
#undef TEXT
	static const struct access_shape shape = {sizeof(struct account_row), texts,
						  COUNT_OF(texts)};
	struct access_question question = store_access_question(store, &shape, STR(""));
	size_t hits = 0;
	for (; hits < count; hits++) {
		question.key = ids[hits];
		if (!access_cache_get(store->access, &question, arena, &out[hits]) ||
		    !str_equal(out[hits].app_id, app_id))
			break;
		found[hits] = true;
	}
	if (hits == count)
		return ERR_NONE;
	const enum err_kind kind = get_many(store, arena, app_id, ids, count, out, found, err);
	for (size_t i = 0; i < count && kind == ERR_NONE; i++) {
		question.key = ids[i];
		if (found[i])
			access_cache_put(store->access, &question, &out[i]);
	}
	return kind;
}

enum err_kind store_account_save_token(struct store_tx *tx, const struct account_tokens *token,
				       int64_t now_us, struct error *err)
{
	return sql_run_one(tx->sql, SQL_ACCOUNT_SAVE_TOKEN,
			   SQL_ARGS(sql_text(token->account_id), sql_int(token->token_version),
				    sql_blob(token->access_token_sealed),
				    sql_blob(token->refresh_token_sealed),
				    sql_int(token->expires_at_us),
				    sql_int(token->refresh_expires_at_us), sql_int(now_us),
				    sql_int(token->ends_at_us)),
			   ERR_CONFLICT, "account with this token", err);
}

enum err_kind store_account_save_extra(struct store_tx *tx, struct str account_id,
				       int64_t token_version, struct str extra, int64_t now_us,
				       struct error *err)
{
	return sql_run_one(tx->sql, SQL_ACCOUNT_SAVE_EXTRA,
			   SQL_ARGS(sql_text(account_id), sql_int(token_version), sql_text(extra),
				    sql_int(now_us)),
			   ERR_CONFLICT, "account with this token", err);
}

enum err_kind store_account_set_state(struct store_tx *tx, struct str account_id,
				      enum account_state state, struct str last_error,
				      int64_t now_us, struct error *err)
{
	const enum err_kind kind =
		state == ACCOUNT_REAUTH_REQUIRED ? event_add_reauth(tx, account_id, err) : ERR_NONE;
	if (kind != ERR_NONE)
		return kind;
	return sql_run_one(tx->sql, SQL_ACCOUNT_SET_STATE,
			   SQL_ARGS(sql_text(account_id), sql_word(account_state_name(state)),
				    sql_text(last_error), sql_int(now_us)),
			   ERR_NOT_FOUND, "account", err);
}

/* ---- pictures ---- */

enum err_kind store_account_set_avatar(struct store_tx *tx, struct str account_id,
				       struct str avatar_url, int64_t now_us, struct error *err)
{
	return sql_run(tx->sql, SQL_ACCOUNT_SET_AVATAR,
		       SQL_ARGS(sql_text(account_id), sql_text(avatar_url), sql_int(now_us)), NULL,
		       err);
}

static void id_read(struct sql_cursor *cursor, void *out)
{
	*(struct str *)out = sql_take_text(cursor);
}

enum err_kind store_account_have_avatars(struct store *store, struct arena *arena,
					 const struct str *ids, size_t count, bool *have_out,
					 struct error *err)
{
	struct str list = {0};
	struct str *found = NULL;
	size_t found_count = 0;
	enum err_kind kind = store_list_text(arena, ids, count, &list, err);
	if (kind == ERR_NONE)
		kind = store_list(store, arena,
				  SQL_ROWS(SQL_ACCOUNT_HAVE_AVATARS, SQL_ARGS(sql_text(list)),
					   id_read, *found),
				  (void **)&found, &found_count, err);
	for (size_t i = 0; i < count && kind == ERR_NONE; i++) {
		have_out[i] = false;
		for (size_t k = 0; k < found_count && !have_out[i]; k++)
			have_out[i] = str_equal(found[k], ids[i]);
	}
	return kind;
}

/* ---- accounts that end ---- */

struct ending {
	struct str account_id;
	struct str app_id;
	int64_t ends_at_us;
};

static void ending_read(struct sql_cursor *cursor, void *out)
{
	struct ending *ending = out;
	ending->account_id = sql_take_text(cursor);
	ending->app_id = sql_take_text(cursor);
	ending->ends_at_us = sql_take_int(cursor);
}

/* An account that was first met within the last days is told of once. */
static enum err_kind tell_ending(struct store_tx *tx, const struct ending *ending, int64_t now_us,
				 struct error *err)
{
	const bool is_soon = ending->ends_at_us < now_us + ACCOUNT_EXPIRING_SOON_US;
	const enum err_kind kind = event_add(tx, ending->app_id, EVENT_ACCOUNT_EXPIRING,
					     ending->account_id, STR(""), err);
	if (kind != ERR_NONE)
		return kind;
	return sql_run(tx->sql, SQL_ACCOUNT_ENDING_TOLD,
		       SQL_ARGS(sql_text(ending->account_id), sql_int(is_soon ? 2 : 1)), NULL, err);
}

enum err_kind store_account_tell_endings(struct store_tx *tx, int64_t now_us, int64_t max,
					 size_t *told_out, struct error *err)
{
	struct ending *rows = NULL;
	size_t count = 0;
	enum err_kind kind = sql_list(
		tx->sql, tx->arena,
		SQL_ROWS(SQL_ACCOUNT_ENDING,
			 SQL_ARGS(sql_int(now_us), sql_int(now_us + ACCOUNT_EXPIRING_US),
				  sql_int(now_us + ACCOUNT_EXPIRING_SOON_US), sql_int(max)),
			 ending_read, *rows),
		(void **)&rows, &count, err);
	for (size_t i = 0; i < count && kind == ERR_NONE; i++)
		kind = tell_ending(tx, &rows[i], now_us, err);
	*told_out = kind == ERR_NONE ? count : 0;
	return kind;
}

/* ---- disconnect ---- */

struct disconnecting {
	struct str account_id;
	int64_t now_us;
	size_t ended; /* by the last transaction */
};

struct scheduled_delivery {
	struct str post_id;
	struct str app_id;
};

static void scheduled_delivery_read(struct sql_cursor *cursor, void *out)
{
	struct scheduled_delivery *scheduled = out;
	scheduled->post_id = sql_take_text(cursor);
	scheduled->app_id = sql_take_text(cursor);
}

static enum err_kind disconnect(struct store_tx *tx, void *argument, struct error *err)
{
	struct disconnecting *d = argument;
	struct scheduled_delivery *rows = NULL;
	size_t count = 0;
	enum err_kind kind = sql_run_one(
		tx->sql, SQL_ACCOUNT_DISCONNECT,
		SQL_ARGS(sql_text(d->account_id), sql_blob(STR("")), sql_int(d->now_us)),
		ERR_NOT_FOUND, "account", err);
	if (kind == ERR_NONE)
		kind = sql_list(
			tx->sql, tx->arena,
			SQL_ROWS(SQL_CHANGE_SCHEDULED_OF,
				 SQL_ARGS(sql_text(d->account_id), sql_int(DISCONNECT_BATCH)),
				 scheduled_delivery_read, *rows),
			(void **)&rows, &count, err);
	for (size_t i = 0; i < count && kind == ERR_NONE; i++)
		kind = store_post_change_disconnected(tx, rows[i].app_id, rows[i].post_id,
						      d->account_id, err);
	d->ended = count;
	return kind;
}

enum err_kind store_account_disconnect(struct store *store, struct str account_id, int64_t now_us,
				       struct error *err)
{
	struct disconnecting disconnecting = {.account_id = account_id, .now_us = now_us};
	enum err_kind kind;
	do
		kind = store_write(store, disconnect, &disconnecting, err);
	while (kind == ERR_NONE && disconnecting.ended == DISCONNECT_BATCH);
	return kind;
}

/* ---- lists ---- */

struct account_listing {
	struct arena *arena;
	const struct account_filter *filter;
	struct account_row **out;
	size_t *count_out;
	int64_t *total_out;
};

static enum err_kind list_accounts(struct sql_connection *sql, void *argument, struct error *err)
{
	const struct account_listing *l = argument;
	const struct account_filter *f = l->filter;
	const bool has_state = f->state != ACCOUNT_STATE_COUNT;
	const struct sql_value values[] = {
		sql_text(f->app_id),
		sql_text(f->user_id),
		sql_int(f->platform),
		sql_word(has_state ? account_state_name(f->state) : ""),
		sql_int(f->now_us + ACCOUNT_EXPIRING_US),
		sql_int(f->per_page),
		sql_int((f->page - 1) * f->per_page),
	};
	const enum err_kind kind =
		sql_number(sql, SQL_ACCOUNT_COUNT, (struct sql_args){values, 5}, l->total_out, err);
	if (kind != ERR_NONE)
		return kind;
	const struct sql_args args = {values, COUNT_OF(values)};
	return sql_list(sql, l->arena,
			SQL_ROWS(SQL_ACCOUNT_LIST, args, account_read, struct account_row),
			(void **)l->out, l->count_out, err);
}

enum err_kind store_account_list(struct store *store, struct arena *arena,
				 const struct account_filter *filter, struct account_row **out,
				 size_t *count_out, int64_t *total_out, struct error *err)
{
	struct account_listing listing = {arena, filter, out, count_out, total_out};
	return store_read(store, list_accounts, &listing, err);
}
