/* SPDX-License-Identifier: Apache-2.0
 * Connections: from pending to success or failed, which are final. Secrets used on the way are
 * cleared with the last step. Accounts are store_account.c. */
#include "store_connection.h"

#include "store_private.h"

void store_connection_read(struct sql_cursor *cursor, void *out)
{
	struct connection_row *connection = out;
	connection->id = sql_take_text(cursor);
	connection->app_id = sql_take_text(cursor);
	connection->platform = (enum platform_id)sql_take_int(cursor);
	connection->user_id = sql_take_text(cursor);
	connection->redirect_url = sql_take_text(cursor);
	connection->name = sql_take_text(cursor);
	connection->email = sql_take_text(cursor);
	connection->state_hash = sql_take_text(cursor);
	connection->callback_url = sql_take_text(cursor);
	connection->pkce_sealed = sql_take_blob(cursor);
	connection->state = connection_state_of_name(sql_take_text(cursor));
	connection->error = sql_take_text(cursor);
	connection->error_description = sql_take_text(cursor);
	connection->code_sealed = sql_take_blob(cursor);
	connection->flow = sql_take_text(cursor);
	connection->flow_sealed = sql_take_blob(cursor);
	connection->created_at_us = sql_take_int(cursor);
	connection->finished_at_us = sql_take_int(cursor);
	connection->uses_candidate = sql_take_bool(cursor);
	connection->browser_hash = sql_take_text(cursor);
}

enum err_kind store_connection_create(struct store *store, const struct connection_row *c,
				      struct error *err)
{
	return store_run(store, SQL_CONNECTION_INSERT,
			 SQL_ARGS(sql_text(c->id), sql_text(c->app_id), sql_int(c->platform),
				  sql_text(c->user_id), sql_text(c->redirect_url),
				  sql_text(c->name), sql_text(c->email), sql_text(c->state_hash),
				  sql_text(c->callback_url), sql_blob(c->pkce_sealed),
				  sql_word(connection_state_name(c->state)), sql_text(c->error),
				  sql_text(c->error_description), sql_blob(c->code_sealed),
				  sql_text(c->flow), sql_blob(c->flow_sealed),
				  sql_int(c->created_at_us), sql_int(c->finished_at_us),
				  sql_int(c->uses_candidate)),
			 ERR_NONE, "", err);
}

/* Expiry is not written; each reader sees it. */
static void show_expired(struct connection_row *connection, int64_t now_us)
{
	const int64_t expired_at_us = connection->created_at_us + CONNECTION_VALID_US;
	if (connection->state != CONNECTION_PENDING || now_us < expired_at_us)
		return;
	connection->state = CONNECTION_FAILED;
	connection->error = str_of(connection_error_code(CONNECTION_ERROR_EXPIRED));
	connection->error_description = str_of(connection_error_sentence(CONNECTION_ERROR_EXPIRED));
	connection->finished_at_us = expired_at_us;
}

enum err_kind store_connection_find(struct store *store, struct arena *arena, struct str app_id,
				    struct str connection_id, int64_t now_us,
				    struct connection_row *out, struct error *err)
{
	const enum err_kind kind =
		store_find(store, arena,
			   SQL_ROW(SQL_CONNECTION_FIND,
				   SQL_ARGS(sql_text(connection_id), sql_text(app_id),
					    sql_int(now_us - CONNECTION_KEPT_US)),
				   store_connection_read),
			   out, "connection", err);
	if (kind == ERR_NONE)
		show_expired(out, now_us);
	return kind;
}

enum err_kind store_connection_find_by_state(struct store *store, struct arena *arena,
					     struct str state_hash, enum platform_id platform,
					     int64_t now_us, struct connection_row *out,
					     struct error *err)
{
	return store_find(store, arena,
			  SQL_ROW(SQL_CONNECTION_FIND_BY_STATE,
				  SQL_ARGS(sql_text(state_hash), sql_int(platform),
					   sql_int(now_us - CONNECTION_VALID_US)),
				  store_connection_read),
			  out, "connection", err);
}

enum err_kind store_connection_consume_state(struct store *store, struct str connection_id,
					     struct str state_hash, struct str code_sealed,
					     struct str browser_hash, struct error *err)
{
	const struct sql_value values[] = {sql_text(connection_id), sql_text(state_hash),
					   sql_blob(code_sealed), sql_text(browser_hash),
					   sql_word(store->node_id)};
	const bool is_shared = store_is_shared(store);
	return store_run(store, is_shared ? SQL_CONNECTION_CONSUME_FOR : SQL_CONNECTION_CONSUME,
			 (struct sql_args){values, is_shared ? 5 : 4}, ERR_CONFLICT,
			 "connection with this state", err);
}

/* A code is exchanged once: what another node is at is left to it. */
static enum err_kind list_of_node(struct store *store, struct arena *arena, int64_t now_us,
				  struct connection_row **out, size_t *count_out, struct error *err)
{
	const enum err_kind kind =
		store_run(store, SQL_CONNECTIONS_TAKE_OVER,
			  SQL_ARGS(sql_word(store->node_id), sql_int(now_us - NODE_DEAD_US)),
			  ERR_NONE, "", err);
	if (kind != ERR_NONE)
		return kind;
	return store_list(
		store, arena,
		SQL_ROWS(SQL_CONNECTION_LIST_OF_NODE,
			 SQL_ARGS(sql_int(now_us - CONNECTION_VALID_US), sql_word(store->node_id)),
			 store_connection_read, struct connection_row),
		(void **)out, count_out, err);
}

enum err_kind store_connection_list_started(struct store *store, struct arena *arena,
					    int64_t now_us, struct connection_row **out,
					    size_t *count_out, struct error *err)
{
	const int64_t expired_us = now_us - CONNECTION_VALID_US;
	const enum err_kind kind =
		store_run(store, SQL_CONNECTIONS_FORGET,
			  SQL_ARGS(sql_int(expired_us), sql_blob(STR(""))), ERR_NONE, "", err);
	if (kind != ERR_NONE)
		return kind;
	if (store_is_shared(store))
		return list_of_node(store, arena, now_us, out, count_out, err);
	return store_list(store, arena,
			  SQL_ROWS(SQL_CONNECTION_LIST_STARTED, SQL_ARGS(sql_int(expired_us)),
				   store_connection_read, struct connection_row),
			  (void **)out, count_out, err);
}

enum err_kind store_connection_save_flow(struct store_tx *tx, struct str connection_id,
					 struct str flow, struct str flow_sealed, struct error *err)
{
	return sql_run_one(tx->sql, SQL_CONNECTION_SAVE_FLOW,
			   SQL_ARGS(sql_text(connection_id), sql_text(flow), sql_blob(flow_sealed)),
			   ERR_CONFLICT, "pending connection", err);
}

struct ending {
	enum connection_state state;
	int64_t made_after_us; /* an older connection is shown as expired already: that is final */
	struct str error;
	struct str description;
};

static enum err_kind finish(struct store_tx *tx, struct str connection_id,
			    const struct ending *ending, int64_t now_us, struct error *err)
{
	const enum err_kind kind = sql_run_one(
		tx->sql, SQL_CONNECTION_FINISH,
		SQL_ARGS(sql_text(connection_id), sql_word(connection_state_name(ending->state)),
			 sql_text(ending->error), sql_text(ending->description), sql_int(now_us),
			 sql_blob(STR("")), sql_int(ending->made_after_us)),
		ERR_CONFLICT, "pending connection", err);
	return kind == ERR_NONE ? event_add_connection(tx, connection_id, err) : kind;
}

enum err_kind store_connection_fail(struct store_tx *tx, struct str connection_id, struct str error,
				    struct str description, int64_t now_us, struct error *err)
{
	const struct ending ending = {
		.state = CONNECTION_FAILED, .error = error, .description = description};
	return finish(tx, connection_id, &ending, now_us, err);
}

static void place_read(struct sql_cursor *cursor, void *out)
{
	struct account_row *place = out;
	place->app_id = sql_take_text(cursor);
	place->platform = (enum platform_id)sql_take_int(cursor);
	place->user_id = sql_take_text(cursor);
}

/* Where an account belongs is the connection's to say, not the answer's that was parsed. */
static struct account_row placed(const struct account_row *account, const struct account_row *place)
{
	struct account_row result = *account;
	result.app_id = place->app_id;
	result.platform = place->platform;
	result.user_id = place->user_id;
	return result;
}

static enum err_kind link_account(struct store_tx *tx, struct str connection_id, size_t ordinal,
				  struct str account_id, struct error *err)
{
	return sql_run(
		tx->sql, SQL_CONNECTION_ACCOUNT_INSERT,
		SQL_ARGS(sql_text(connection_id), sql_int((int64_t)ordinal), sql_text(account_id)),
		NULL, err);
}

struct known_account {
	struct str id;
	bool is_connected;
};

static void known_account_read(struct sql_cursor *cursor, void *out)
{
	struct known_account *known = out;
	known->id = sql_take_text(cursor);
	known->is_connected = sql_take_bool(cursor);
}

/* Secrets are sealed under the id that the caller knew: a row that has another one by now must not
 * get them. Looked at before anything is written, because the caller's transaction goes on after a
 * CONFLICT. */
static enum err_kind ids_are_current(struct store_tx *tx, const struct account_row *place,
				     const struct account_row *accounts, size_t count,
				     size_t *new_count_out, struct error *err)
{
	*new_count_out = 0;
	for (size_t i = 0; i < count; i++) {
		struct known_account known = {0};
		enum err_kind kind =
			sql_find(tx->sql, tx->arena,
				 SQL_ROW(SQL_ACCOUNT_KNOWN,
					 SQL_ARGS(sql_text(place->app_id), sql_int(place->platform),
						  sql_text(place->user_id),
						  sql_text(accounts[i].platform_account_id)),
					 known_account_read),
				 &known, "account", err);
		if (kind != ERR_NONE && kind != ERR_NOT_FOUND)
			return kind;
		if (kind == ERR_NONE && !str_equal(known.id, accounts[i].id))
			return error_set(err, ERR_CONFLICT, "an account was connected meanwhile");
		*new_count_out += kind == ERR_NOT_FOUND || !known.is_connected;
	}
	return ERR_NONE;
}

static enum err_kind put_accounts(struct store_tx *tx, struct str connection_id,
				  const struct account_row *place,
				  const struct account_row *accounts, size_t count, int64_t now_us,
				  struct error *err)
{
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < count && kind == ERR_NONE; i++) {
		const struct account_row account = placed(&accounts[i], place);
		kind = account_put(tx, connection_id, &account, now_us, err);
		if (kind == ERR_NONE)
			kind = store_lane_share(tx, &account, err);
		if (kind == ERR_NONE)
			kind = link_account(tx, connection_id, i, account.id, err);
	}
	return kind;
}

enum err_kind store_connection_succeed(struct store_tx *tx, struct str connection_id,
				       const struct account_row *accounts, size_t count,
				       int64_t now_us, bool *is_over_quota_out, struct error *err)
{
	const struct ending success = {.state = CONNECTION_SUCCESS,
				       .made_after_us = now_us - CONNECTION_VALID_US};
	const enum connection_error full = CONNECTION_ERROR_QUOTA_EXCEEDED;
	size_t new_count = 0;
	bool is_full = false;
	struct account_row place = {0};
	enum err_kind kind = sql_find(
		tx->sql, tx->arena,
		SQL_ROW(SQL_CONNECTION_PLACE, SQL_ARGS(sql_text(connection_id)), place_read),
		&place, "connection", err);
	if (kind == ERR_NONE)
		kind = ids_are_current(tx, &place, accounts, count, &new_count, err);
	if (kind == ERR_NONE)
		kind = store_quota_check_accounts(tx, place.app_id, new_count, &is_full, err);
	if (is_over_quota_out != NULL)
		*is_over_quota_out = is_full;
	if (kind == ERR_NONE && is_full)
		return store_connection_fail(tx, connection_id, str_of(connection_error_code(full)),
					     str_of(connection_error_sentence(full)), now_us, err);
	if (kind == ERR_NONE)
		kind = finish(tx, connection_id, &success, now_us, err);
	return kind == ERR_NONE
		       ? put_accounts(tx, connection_id, &place, accounts, count, now_us, err)
		       : kind;
}

/* ---- confirmation ---- */

enum err_kind store_connection_set_confirm(struct store *store, struct str connection_id,
					   struct str confirm_hash, struct error *err)
{
	return store_run(store, SQL_CONNECTION_SET_CONFIRM,
			 SQL_ARGS(sql_text(connection_id), sql_text(confirm_hash)), ERR_CONFLICT,
			 "connection", err);
}

enum err_kind store_connection_trust(struct store *store, struct str connection_id,
				     struct error *err)
{
	return store_run(store, SQL_CONNECTION_CONFIRM, SQL_ARGS(sql_text(connection_id)), ERR_NONE,
			 "", err);
}

struct confirmation {
	struct str app_id;
	struct str connection_id;
	struct str user_id;
	struct str confirm_hash;
};

struct confirmable {
	struct str user_id;
	struct str confirm_hash;
};

static void confirmable_read(struct sql_cursor *cursor, void *out)
{
	struct confirmable *confirmable = out;
	confirmable->user_id = sql_take_text(cursor);
	confirmable->confirm_hash = sql_take_text(cursor);
}

static enum err_kind confirm(struct store_tx *tx, void *argument, struct error *err)
{
	const struct confirmation *c = argument;
	struct confirmable now = {0};
	const enum err_kind kind =
		sql_find(tx->sql, tx->arena,
			 SQL_ROW(SQL_CONNECTION_CONFIRMABLE,
				 SQL_ARGS(sql_text(c->connection_id), sql_text(c->app_id)),
				 confirmable_read),
			 &now, "successful connection", err);
	if (kind != ERR_NONE)
		return kind;
	if (str_is_empty(now.confirm_hash) || !str_equal(now.confirm_hash, c->confirm_hash) ||
	    !str_equal(now.user_id, c->user_id))
		return error_set(err, ERR_CONFLICT, "another token or user");
	return sql_run(tx->sql, SQL_CONNECTION_CONFIRM, SQL_ARGS(sql_text(c->connection_id)), NULL,
		       err);
}

enum err_kind store_connection_confirm(struct store *store, struct str app_id,
				       struct str connection_id, struct str user_id,
				       struct str confirm_hash, struct error *err)
{
	struct confirmation confirmation = {app_id, connection_id, user_id, confirm_hash};
	return store_write(store, confirm, &confirmation, err);
}
