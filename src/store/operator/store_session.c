/* SPDX-License-Identifier: Apache-2.0
 * See store_session.h. */
#include "store_session.h"

#include "store_private.h"

static void session_read(struct sql_cursor *cursor, void *out)
{
	struct session_row *session = out;
	session->token_hash = sql_take_text(cursor);
	session->is_secure = sql_take_bool(cursor);
	session->address = sql_take_text(cursor);
	session->user_agent = sql_take_text(cursor);
	session->created_at_us = sql_take_int(cursor);
	session->last_seen_us = sql_take_int(cursor);
	store_admin_read(cursor, &session->admin);
}

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
	return store_find(store, arena,
			  SQL_ROW(SQL_SESSION_FIND,
				  SQL_ARGS(sql_text(token_hash), sql_int(limits->begun_after_us),
					   sql_int(limits->seen_after_us)),
				  session_read),
			  out, "session", err);
}

enum err_kind store_session_list(struct store *store, struct arena *arena, struct str admin_id,
				 const struct session_limits *limits, struct session_row **out,
				 size_t *count_out, struct error *err)
{
	return store_list(store, arena,
			  SQL_ROWS(SQL_SESSION_LIST,
				   SQL_ARGS(sql_text(admin_id), sql_int(limits->begun_after_us),
					    sql_int(limits->seen_after_us)),
				   session_read, struct session_row),
			  (void **)out, count_out, err);
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

enum err_kind store_session_end_of(struct store *store, struct str admin_id, struct str session_id,
				   struct error *err)
{
	return store_run(store, SQL_SESSION_DELETE_OF,
			 SQL_ARGS(sql_text(admin_id), sql_text(session_id)), ERR_NOT_FOUND,
			 "session", err);
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
