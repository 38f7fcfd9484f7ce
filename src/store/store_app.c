/* SPDX-License-Identifier: Apache-2.0
 * See store_app.h. */
#include "store_app.h"

#include "count_of.h"

#include "store_admin.h"
#include "store_credential.h"
#include "store_private.h"

void store_app_read(struct sql_cursor *cursor, void *out)
{
	struct app_row *app = out;
	app->id = sql_take_text(cursor);
	app->name = sql_take_text(cursor);
	app->client_id = sql_take_text(cursor);
	app->client_secret_hash = sql_take_text(cursor);
	app->state = app_state_of_name(sql_take_text(cursor));
	app->owner_id = sql_take_text(cursor);
	app->owner_email = sql_take_text(cursor);
	app->redirect_urls = sql_take_text(cursor);
	app->retry_unknown_once = sql_take_bool(cursor);
	app->connect_confirmation = sql_take_bool(cursor);
	app->created_at_us = sql_take_int(cursor);
	app->max_lateness_s = sql_take_int(cursor);
	app->tiktok_privacy = (enum app_tiktok_privacy)sql_take_int(cursor);
	app->world.is_test = sql_take_bool(cursor);
	app->world.time_scale = sql_take_int(cursor);
}

static void world_read(struct sql_cursor *cursor, void *out)
{
	struct app_world *world = out;
	world->is_test = sql_take_bool(cursor);
	world->time_scale = sql_take_int(cursor);
}

struct app_creation {
	const struct app_row *app;
	struct str owner_email;
	struct str new_admin_id;
	const struct credential_row *credentials; /* verified */
	size_t credential_count;
};

/* The id of the admin with that email, who is made when there is none. */
static enum err_kind owner_find_or_make(struct store_tx *tx, const struct app_creation *creation,
					struct str *owner_id_out, struct error *err)
{
	struct admin_row admin = {0};
	const enum err_kind kind =
		sql_find(tx->sql, tx->arena,
			 SQL_ROW(SQL_ADMIN_FIND, SQL_ARGS(sql_text(creation->owner_email)),
				 store_admin_read),
			 &admin, "admin", err);
	*owner_id_out = kind == ERR_NONE ? admin.id : creation->new_admin_id;
	if (kind != ERR_NOT_FOUND)
		return kind;
	return sql_run(tx->sql, SQL_ADMIN_INSERT,
		       SQL_ARGS(sql_text(creation->new_admin_id), sql_text(creation->owner_email),
				sql_word(""), sql_int(creation->app->created_at_us)),
		       NULL, err);
}

static enum err_kind app_insert(struct store_tx *tx, const struct app_row *app, struct str owner_id,
				struct error *err)
{
	return sql_run(tx->sql, SQL_APP_INSERT,
		       SQL_ARGS(sql_text(app->id), sql_text(app->name), sql_text(app->client_id),
				sql_text(app->client_secret_hash),
				sql_word(app_state_name(app->state)), sql_text(owner_id),
				sql_text(app->redirect_urls), sql_int(app->retry_unknown_once),
				sql_int(app->connect_confirmation), sql_int(app->created_at_us),
				sql_int(app->max_lateness_s), sql_int(app->tiktok_privacy),
				sql_int(app->world.is_test),
				sql_int(app->world.time_scale > 1 ? app->world.time_scale : 1)),
		       NULL, err);
}

static enum err_kind app_create(struct store_tx *tx, void *argument, struct error *err)
{
	const struct app_creation *creation = argument;
	const struct app_row *app = creation->app;
	struct str owner_id = {0};
	enum err_kind kind = owner_find_or_make(tx, creation, &owner_id, err);
	if (kind == ERR_NONE)
		kind = app_insert(tx, app, owner_id, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_WORK_INSERT,
			       SQL_ARGS(sql_text(app->id), sql_int(app->state == APP_SUSPENDED),
					sql_int(NEVER_US)),
			       NULL, err);
	for (size_t i = 0; i < creation->credential_count && kind == ERR_NONE; i++)
		kind = store_credential_put_verified(tx, &creation->credentials[i], err);
	return kind;
}

enum err_kind store_app_create(struct store *store, const struct app_row *app,
			       struct str owner_email, struct str new_admin_id, struct error *err)
{
	struct app_creation creation = {app, owner_email, new_admin_id, NULL, 0};
	return store_write(store, app_create, &creation, err);
}

enum err_kind store_app_create_test(struct store *store, const struct app_row *app,
				    struct str owner_email, struct str new_admin_id,
				    const struct credential_row *credentials,
				    size_t credential_count, struct error *err)
{
	struct app_creation creation = {app, owner_email, new_admin_id, credentials,
					credential_count};
	return store_write(store, app_create, &creation, err);
}

enum err_kind store_app_world(struct store *store, struct arena *arena, struct str app_id,
			      struct app_world *out, struct error *err)
{
	return store_find(store, arena,
			  SQL_ROW(SQL_APP_WORLD, SQL_ARGS(sql_text(app_id)), world_read), out,
			  "app", err);
}

enum err_kind store_app_find_by_client_id(struct store *store, struct arena *arena,
					  struct str client_id, struct app_row *out,
					  struct error *err)
{
	return store_find(
		store, arena,
		SQL_ROW(SQL_APP_FIND_BY_CLIENT_ID, SQL_ARGS(sql_text(client_id)), store_app_read),
		out, "app", err);
}

enum err_kind store_app_find(struct store *store, struct arena *arena, struct str app_id,
			     struct app_row *out, struct error *err)
{
	return store_find(store, arena,
			  SQL_ROW(SQL_APP_FIND, SQL_ARGS(sql_text(app_id)), store_app_read), out,
			  "app", err);
}

enum err_kind store_app_list(struct store *store, struct arena *arena, struct app_row **out,
			     size_t *count_out, struct error *err)
{
	return store_list(store, arena,
			  SQL_ROWS(SQL_APP_LIST, SQL_NO_ARGS, store_app_read, struct app_row),
			  (void **)out, count_out, err);
}

struct app_change {
	struct str app_id;
	enum app_state state;
	struct str secret_hash;
};

/* A suspended app's deliveries stay due but are not claimed. */
static enum err_kind app_set_state(struct store_tx *tx, void *argument, struct error *err)
{
	const struct app_change *change = argument;
	const enum err_kind kind = sql_run_one(
		tx->sql, SQL_APP_SET_STATE,
		SQL_ARGS(sql_text(change->app_id), sql_word(app_state_name(change->state))),
		ERR_NOT_FOUND, "app", err);
	if (kind != ERR_NONE)
		return kind;
	return sql_run(tx->sql, SQL_WORK_PAUSE, SQL_ARGS(sql_text(change->app_id)), NULL, err);
}

enum err_kind store_app_set_state(struct store *store, struct str app_id, enum app_state state,
				  struct error *err)
{
	struct app_change change = {.app_id = app_id, .state = state};
	return store_write(store, app_set_state, &change, err);
}

static enum err_kind app_set_secret(struct store_tx *tx, void *argument, struct error *err)
{
	const struct app_change *change = argument;
	const enum err_kind kind =
		sql_run_one(tx->sql, SQL_APP_SET_SECRET,
			    SQL_ARGS(sql_text(change->app_id), sql_text(change->secret_hash)),
			    ERR_NOT_FOUND, "app", err);
	if (kind != ERR_NONE)
		return kind;
	return sql_run(tx->sql, SQL_TOKEN_DELETE, SQL_ARGS(sql_text(change->app_id)), NULL, err);
}

enum err_kind store_app_set_secret(struct store *store, struct str app_id, struct str secret_hash,
				   struct error *err)
{
	struct app_change change = {.app_id = app_id, .secret_hash = secret_hash};
	return store_write(store, app_set_secret, &change, err);
}

enum err_kind store_app_set_settings(struct store *store, const struct app_row *app,
				     struct error *err)
{
	return store_run(store, SQL_APP_SET_SETTINGS,
			 SQL_ARGS(sql_text(app->id), sql_text(app->name),
				  sql_text(app->redirect_urls), sql_int(app->retry_unknown_once),
				  sql_int(app->connect_confirmation), sql_int(app->max_lateness_s),
				  sql_int(app->tiktok_privacy)),
			 ERR_NOT_FOUND, "app", err);
}

struct handing_over {
	struct str app_id;
	struct str email;
};

/* What was held for want of an owner goes on; the old tokens do not. */
static enum err_kind hand_over(struct store_tx *tx, void *argument, struct error *err)
{
	static const enum sql_name ends[] = {SQL_OWNERLESS_TOKEN_END, SQL_OWNERLESS_KEYS_END};
	const struct handing_over *h = argument;
	struct admin_row admin = {0};
	enum err_kind kind =
		sql_find(tx->sql, tx->arena,
			 SQL_ROW(SQL_ADMIN_FIND, SQL_ARGS(sql_text(h->email)), store_admin_read),
			 &admin, "admin", err);
	for (size_t i = 0; i < COUNT_OF(ends) && kind == ERR_NONE; i++)
		kind = sql_run(tx->sql, ends[i], SQL_ARGS(sql_text(h->app_id)), NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run_one(tx->sql, SQL_APP_SET_OWNER,
				   SQL_ARGS(sql_text(h->app_id), sql_text(admin.id)), ERR_NOT_FOUND,
				   "app", err);
	if (kind != ERR_NONE)
		return kind;
	return sql_run(tx->sql, SQL_WORK_PAUSE, SQL_ARGS(sql_text(h->app_id)), NULL, err);
}

enum err_kind store_app_set_owner(struct store *store, struct str app_id, struct str email,
				  struct error *err)
{
	struct handing_over handing_over = {app_id, email};
	return store_write(store, hand_over, &handing_over, err);
}

enum err_kind store_token_issue(struct store *store, struct str app_id, struct str token_hash,
				int64_t expires_at_us, int64_t now_us, struct error *err)
{
	return store_run(store, SQL_TOKEN_PUT,
			 SQL_ARGS(sql_text(app_id), sql_text(token_hash), sql_int(expires_at_us),
				  sql_int(now_us)),
			 ERR_NONE, "", err);
}

struct token_found {
	struct app_row app;
	int64_t expires_at_us;
};

static void found_read(struct sql_cursor *cursor, void *out)
{
	struct token_found *found = out;
	store_app_read(cursor, &found->app);
	found->expires_at_us = sql_take_int(cursor);
}

enum err_kind store_token_find(struct store *store, struct arena *arena, struct str token_hash,
			       int64_t now_us, struct app_row *app_out, struct error *err)
{
	static const size_t texts[] = {offsetof(struct app_row, id),
				       offsetof(struct app_row, name),
				       offsetof(struct app_row, client_id),
				       offsetof(struct app_row, client_secret_hash),
				       offsetof(struct app_row, owner_id),
				       offsetof(struct app_row, owner_email),
				       offsetof(struct app_row, redirect_urls)};
	static const struct access_shape shape = {sizeof(struct token_found), texts,
						  COUNT_OF(texts)};
	const struct access_question question = store_access_question(store, &shape, token_hash);
	struct token_found found = {0};
	if (access_cache_get(store->access, &question, arena, &found) &&
	    found.expires_at_us > now_us) {
		*app_out = found.app;
		return ERR_NONE;
	}
	const enum err_kind kind =
		store_find(store, arena,
			   SQL_ROW(SQL_TOKEN_FIND, SQL_ARGS(sql_text(token_hash), sql_int(now_us)),
				   found_read),
			   &found, "token", err);
	if (kind != ERR_NONE)
		return kind;
	access_cache_put(store->access, &question, &found);
	*app_out = found.app;
	return ERR_NONE;
}

struct revocation {
	struct str app_id;
	struct str token_hash;
};

static enum err_kind token_revoke(struct store_tx *tx, void *argument, struct error *err)
{
	static const enum sql_name statements[] = {SQL_TOKEN_REVOKE, SQL_KEY_REVOKE};
	const struct revocation *revocation = argument;
	for (size_t i = 0; i < COUNT_OF(statements); i++) {
		const enum err_kind kind = sql_run(
			tx->sql, statements[i],
			SQL_ARGS(sql_text(revocation->token_hash), sql_text(revocation->app_id)),
			NULL, err);
		if (kind != ERR_NONE)
			return kind;
	}
	return ERR_NONE;
}

enum err_kind store_token_revoke(struct store *store, struct str app_id, struct str token_hash,
				 struct error *err)
{
	struct revocation revocation = {app_id, token_hash};
	return store_write(store, token_revoke, &revocation, err);
}
