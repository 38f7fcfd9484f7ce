/* SPDX-License-Identifier: Apache-2.0
 * See store_session.h. */
#include "store_session.h"

#include "store_private.h"

static void admin_read(struct sql_cursor *cursor, void *out)
{
	struct admin_row *admin = out;
	admin->id = sql_take_text(cursor);
	admin->email = sql_take_text(cursor);
	admin->password_hash = sql_take_text(cursor);
	admin->created_at_us = sql_take_int(cursor);
}

static void session_read(struct sql_cursor *cursor, void *out)
{
	struct session_row *session = out;
	session->token_hash = sql_take_text(cursor);
	session->is_secure = sql_take_bool(cursor);
	session->address = sql_take_text(cursor);
	session->user_agent = sql_take_text(cursor);
	session->created_at_us = sql_take_int(cursor);
	session->last_seen_us = sql_take_int(cursor);
	admin_read(cursor, &session->admin);
}

/* ---- admins ---- */

static enum err_kind count_passwords(struct sql_connection *sql, struct str except_email,
				     int64_t *count_out, struct error *err)
{
	return sql_number(sql, SQL_ADMIN_PASSWORDS_COUNT, SQL_ARGS(sql_text(except_email)),
			  count_out, err);
}

struct putting {
	struct arena *arena;
	const struct admin_row *admin;
	enum admin_condition condition;
	struct admin_row stored;
};

static enum err_kind write_admin(struct store_tx *tx, const struct admin_row *admin, bool is_known,
				 struct error *err)
{
	if (is_known)
		return sql_run(tx->sql, SQL_ADMIN_SET_PASSWORD,
			       SQL_ARGS(sql_text(admin->id), sql_text(admin->password_hash)), NULL,
			       err);
	return sql_run(tx->sql, SQL_ADMIN_INSERT,
		       SQL_ARGS(sql_text(admin->id), sql_text(admin->email),
				sql_text(admin->password_hash), sql_int(admin->created_at_us)),
		       NULL, err);
}

static enum err_kind put_admin(struct store_tx *tx, void *argument, struct error *err)
{
	struct putting *p = argument;
	struct admin_row known = {0};
	int64_t others = 0;
	p->stored = *p->admin;
	enum err_kind kind =
		sql_find(tx->sql, p->arena, SQL_ADMIN_FIND, SQL_ARGS(sql_text(p->admin->email)),
			 admin_read, &known, "admin", err);
	const bool is_known = kind == ERR_NONE;
	if (kind != ERR_NONE && kind != ERR_NOT_FOUND)
		return kind;
	kind = count_passwords(tx->sql, STR(""), &others, err);
	if (kind != ERR_NONE)
		return kind;
	if (known.password_hash.len > 0 || (p->condition == ADMIN_IF_FIRST && others > 0))
		return error_set(err, ERR_CONFLICT, "there is an admin with a password already");
	if (is_known) {
		p->stored = known;
		p->stored.password_hash = p->admin->password_hash;
	}
	return write_admin(tx, &p->stored, is_known, err);
}

enum err_kind store_admin_put(struct store *store, struct arena *arena,
			      const struct admin_row *admin, enum admin_condition condition,
			      struct admin_row *admin_out, struct error *err)
{
	struct putting putting = {.arena = arena, .admin = admin, .condition = condition};
	const enum err_kind kind = store_write(store, put_admin, &putting, err);
	if (kind == ERR_NONE)
		*admin_out = putting.stored;
	return kind;
}

enum err_kind store_admin_any(struct store *store, bool *any_out, struct error *err)
{
	int64_t count = 0;
	const enum err_kind kind = store_number(store, SQL_ADMIN_PASSWORDS_COUNT,
						SQL_ARGS(sql_text(STR(""))), &count, err);
	if (kind == ERR_NONE)
		*any_out = count > 0;
	return kind;
}

struct removing {
	struct str email;
	bool keep_one;
};

static enum err_kind remove_admin(struct store_tx *tx, void *argument, struct error *err)
{
	const struct removing *r = argument;
	struct admin_row admin = {0};
	int64_t others = 0;
	enum err_kind kind =
		sql_find(tx->sql, tx->arena, SQL_ADMIN_FIND, SQL_ARGS(sql_text(r->email)),
			 admin_read, &admin, "admin", err);
	if (kind == ERR_NONE)
		kind = count_passwords(tx->sql, r->email, &others, err);
	if (kind == ERR_NONE && r->keep_one && others == 0)
		return error_set(err, ERR_CONFLICT, "nobody else could sign in");
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_SESSIONS_DELETE_OF, SQL_ARGS(sql_text(admin.id)), NULL,
			       err);
	if (kind != ERR_NONE)
		return kind;
	return sql_run(tx->sql, SQL_ADMIN_DELETE, SQL_ARGS(sql_text(r->email)), NULL, err);
}

enum err_kind store_admin_remove(struct store *store, struct str email, bool keep_one,
				 struct error *err)
{
	struct removing removing = {email, keep_one};
	return store_write(store, remove_admin, &removing, err);
}

struct handing_over {
	struct str app_id;
	struct str email;
};

static enum err_kind hand_over(struct store_tx *tx, void *argument, struct error *err)
{
	const struct handing_over *h = argument;
	struct admin_row admin = {0};
	const enum err_kind kind =
		sql_find(tx->sql, tx->arena, SQL_ADMIN_FIND, SQL_ARGS(sql_text(h->email)),
			 admin_read, &admin, "admin", err);
	if (kind != ERR_NONE)
		return kind;
	return sql_run_one(tx->sql, SQL_APP_SET_OWNER,
			   SQL_ARGS(sql_text(h->app_id), sql_text(admin.id)), ERR_NOT_FOUND, "app",
			   err);
}

enum err_kind store_app_set_owner(struct store *store, struct str app_id, struct str email,
				  struct error *err)
{
	struct handing_over handing_over = {app_id, email};
	return store_write(store, hand_over, &handing_over, err);
}

/* ---- sessions ---- */

static enum err_kind insert_session(struct store_tx *tx, const struct session_row *session,
				    struct error *err)
{
	const struct sql_value admin_id = sql_text(session->admin.id);
	const enum err_kind kind =
		sql_run(tx->sql, SQL_SESSION_INSERT,
			SQL_ARGS(sql_text(session->token_hash), admin_id,
				 sql_int(session->is_secure), sql_text(session->address),
				 sql_text(session->user_agent), sql_int(session->created_at_us)),
			NULL, err);
	if (kind != ERR_NONE)
		return kind;
	return sql_run(tx->sql, SQL_SESSIONS_TRIM,
		       SQL_ARGS(admin_id, sql_int(SESSIONS_PER_ADMIN_MAX)), NULL, err);
}

struct beginning {
	const struct session_row *session;
	struct str ended_hash;
	const struct session_limits *limits;
};

static enum err_kind begin_session(struct store_tx *tx, void *argument, struct error *err)
{
	const struct beginning *b = argument;
	enum err_kind kind = sql_run(
		tx->sql, SQL_SESSIONS_EXPIRE,
		SQL_ARGS(sql_int(b->limits->begun_after_us), sql_int(b->limits->seen_after_us)),
		NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_SESSION_DELETE, SQL_ARGS(sql_text(b->ended_hash)), NULL,
			       err);
	return kind == ERR_NONE ? insert_session(tx, b->session, err) : kind;
}

enum err_kind store_session_begin(struct store *store, const struct session_row *session,
				  struct str ended_hash, const struct session_limits *limits,
				  struct error *err)
{
	struct beginning beginning = {session, ended_hash, limits};
	return store_write(store, begin_session, &beginning, err);
}

enum err_kind store_session_find(struct store *store, struct arena *arena, struct str token_hash,
				 const struct session_limits *limits, struct session_row *out,
				 struct error *err)
{
	return store_find(store, arena, SQL_SESSION_FIND,
			  SQL_ARGS(sql_text(token_hash), sql_int(limits->begun_after_us),
				   sql_int(limits->seen_after_us)),
			  session_read, out, "session", err);
}

enum err_kind store_session_list(struct store *store, struct arena *arena, struct str admin_id,
				 const struct session_limits *limits, struct session_row **out,
				 size_t *count_out, struct error *err)
{
	return store_list(store, arena, SQL_SESSION_LIST,
			  SQL_ARGS(sql_text(admin_id), sql_int(limits->begun_after_us),
				   sql_int(limits->seen_after_us)),
			  session_read, sizeof(struct session_row), (void **)out, count_out, err);
}

enum err_kind store_session_touch(struct store *store, struct str token_hash, int64_t now_us,
				  struct error *err)
{
	return store_run(store, SQL_SESSION_TOUCH, SQL_ARGS(sql_text(token_hash), sql_int(now_us)),
			 ERR_NONE, "", err);
}

enum err_kind store_session_end(struct store *store, struct str token_hash, struct error *err)
{
	return store_run(store, SQL_SESSION_DELETE, SQL_ARGS(sql_text(token_hash)), ERR_NONE, "",
			 err);
}

struct renewing {
	const struct session_row *session;
	struct str password_hash;
};

static enum err_kind renew_session(struct store_tx *tx, void *argument, struct error *err)
{
	const struct renewing *r = argument;
	const struct sql_value admin_id = sql_text(r->session->admin.id);
	enum err_kind kind = sql_run_one(tx->sql, SQL_ADMIN_SET_PASSWORD,
					 SQL_ARGS(admin_id, sql_text(r->password_hash)),
					 ERR_NOT_FOUND, "admin", err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_SESSIONS_DELETE_OF, SQL_ARGS(admin_id), NULL, err);
	return kind == ERR_NONE ? insert_session(tx, r->session, err) : kind;
}

enum err_kind store_session_renew(struct store *store, const struct session_row *session,
				  struct str password_hash, struct error *err)
{
	struct renewing renewing = {session, password_hash};
	return store_write(store, renew_session, &renewing, err);
}
