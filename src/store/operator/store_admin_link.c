/* SPDX-License-Identifier: Apache-2.0
 * See store_admin_link.h. */
#include "store_admin_link.h"

#include "store_private.h"

static const char *const kind_names[] = {[ADMIN_LINK_SETUP] = "setup",
					 [ADMIN_LINK_PASSWORD] = "password",
					 [ADMIN_LINK_SIGN_IN] = "sign_in"};

/* One call. */
struct link_call {
	struct arena *arena;
	const struct admin_link *link;
	int64_t now_us;
	struct str email;
	const struct admin_row *given;
	struct str password_hash;
	struct admin_row admin; /* out */
};

static struct sql_value kind_of(const struct admin_link *link)
{
	return sql_word(kind_names[link->kind]);
}

/* ---- making them ---- */

static enum err_kind insert_link(struct store_tx *tx, const struct link_call *c, struct error *err)
{
	const struct sql_value kind = kind_of(c->link);
	const struct sql_value admin_id = sql_text(c->admin.id);
	const bool ends_others = c->link->kind != ADMIN_LINK_SETUP;
	const enum err_kind result =
		sql_run(tx->sql, SQL_ADMIN_LINKS_END,
			SQL_ARGS(ends_others ? kind : sql_word(""), admin_id, sql_int(c->now_us)),
			NULL, err);
	if (result != ERR_NONE)
		return result;
	return sql_run(tx->sql, SQL_ADMIN_LINK_INSERT,
		       SQL_ARGS(sql_text(c->link->token_hash), kind, admin_id,
				sql_int(c->link->expires_at_us)),
		       NULL, err);
}

static enum err_kind add_setup(struct store_tx *tx, void *argument, struct error *err)
{
	int64_t passwords = 0;
	const enum err_kind kind = sql_number(tx->sql, SQL_ADMIN_PASSWORDS_COUNT,
					      SQL_ARGS(sql_word("")), &passwords, err);
	if (kind == ERR_NONE && passwords > 0)
		return error_set(err, ERR_CONFLICT, "an admin with a password already exists");
	return kind == ERR_NONE ? insert_link(tx, argument, err) : kind;
}

enum err_kind store_admin_link_add_setup(struct store *store, const struct admin_link *link,
					 int64_t now_us, struct error *err)
{
	struct link_call call = {.link = link, .now_us = now_us};
	return store_write(store, add_setup, &call, err);
}

static enum err_kind add_of_admin(struct store_tx *tx, void *argument, struct error *err)
{
	struct link_call *c = argument;
	const enum err_kind kind =
		sql_find(tx->sql, c->arena,
			 SQL_ROW(SQL_ADMIN_FIND, SQL_ARGS(sql_text(c->email)), store_admin_read),
			 &c->admin, "admin", err);
	return kind == ERR_NONE ? insert_link(tx, c, err) : kind;
}

static enum err_kind run(struct store *store, store_command command, struct link_call *call,
			 struct admin_row *admin_out, struct error *err)
{
	const enum err_kind kind = store_write(store, command, call, err);
	if (kind == ERR_NONE)
		*admin_out = call->admin;
	return kind;
}

enum err_kind store_admin_link_add(struct store *store, struct arena *arena,
				   const struct admin_link *link, struct str email, int64_t now_us,
				   struct admin_row *admin_out, struct error *err)
{
	struct link_call call = {.arena = arena, .link = link, .now_us = now_us, .email = email};
	return run(store, add_of_admin, &call, admin_out, err);
}

static enum err_kind invite(struct store_tx *tx, void *argument, struct error *err)
{
	struct link_call *c = argument;
	struct admin_putting putting = {
		.arena = c->arena, .admin = c->given, .condition = ADMIN_IF_NEW};
	enum err_kind kind = store_admin_put_row(tx, &putting, err);
	c->admin = putting.stored;
	c->admin.role = c->given->role;
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_ADMIN_SET_ROLE,
			       SQL_ARGS(sql_text(c->admin.email),
					sql_word(store_admin_role_name(c->admin.role))),
			       NULL, err);
	return kind == ERR_NONE ? insert_link(tx, c, err) : kind;
}

enum err_kind store_admin_link_invite(struct store *store, struct arena *arena,
				      const struct admin_link *link,
				      const struct admin_row *invited, int64_t now_us,
				      struct admin_row *admin_out, struct error *err)
{
	struct link_call call = {.arena = arena, .link = link, .now_us = now_us, .given = invited};
	return run(store, invite, &call, admin_out, err);
}

/* ---- using them ---- */

static enum err_kind not_good(struct error *err)
{
	return error_set(err, ERR_FORBIDDEN, "the link is not good, or no longer");
}

enum err_kind store_admin_link_find(struct store *store, struct arena *arena,
				    const struct admin_link *link, int64_t now_us,
				    struct admin_row *admin_out, struct error *err)
{
	const enum err_kind kind = store_find(
		store, arena,
		SQL_ROW(SQL_ADMIN_LINK_OWNER,
			SQL_ARGS(sql_text(link->token_hash), kind_of(link), sql_int(now_us)),
			store_admin_read),
		admin_out, "link", err);
	return kind == ERR_NOT_FOUND ? not_good(err) : kind;
}

/* Of several transactions that delete the row one has deleted it. */
static enum err_kind use_up(struct store_tx *tx, const struct link_call *c, struct error *err)
{
	const enum err_kind kind = sql_run_one(
		tx->sql, SQL_ADMIN_LINK_USE,
		SQL_ARGS(sql_text(c->link->token_hash), kind_of(c->link), sql_int(c->now_us)),
		ERR_FORBIDDEN, "link", err);
	return kind == ERR_FORBIDDEN ? not_good(err) : kind;
}

static enum err_kind set_up(struct store_tx *tx, void *argument, struct error *err)
{
	struct link_call *c = argument;
	struct admin_putting putting = {
		.arena = c->arena, .admin = c->given, .condition = ADMIN_IF_FIRST};
	enum err_kind kind = use_up(tx, c, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_ADMIN_LINKS_END,
			       SQL_ARGS(kind_of(c->link), sql_word(""), sql_int(c->now_us)), NULL,
			       err);
	if (kind == ERR_NONE)
		kind = store_admin_put_row(tx, &putting, err);
	c->admin = putting.stored;
	return kind;
}

enum err_kind store_admin_link_set_up(struct store *store, struct arena *arena,
				      const struct admin_link *link, int64_t now_us,
				      const struct admin_row *first, struct admin_row *admin_out,
				      struct error *err)
{
	struct link_call call = {.arena = arena, .link = link, .now_us = now_us, .given = first};
	return run(store, set_up, &call, admin_out, err);
}

static enum err_kind sign_in(struct store_tx *tx, void *argument, struct error *err)
{
	struct link_call *c = argument;
	const enum err_kind kind = sql_find(tx->sql, c->arena,
					    SQL_ROW(SQL_ADMIN_LINK_OWNER,
						    SQL_ARGS(sql_text(c->link->token_hash),
							     kind_of(c->link), sql_int(c->now_us)),
						    store_admin_read),
					    &c->admin, "link", err);
	if (kind == ERR_NOT_FOUND)
		return not_good(err);
	return kind == ERR_NONE ? use_up(tx, c, err) : kind;
}

enum err_kind store_admin_link_sign_in(struct store *store, struct arena *arena,
				       const struct admin_link *link, int64_t now_us,
				       struct admin_row *admin_out, struct error *err)
{
	struct link_call call = {.arena = arena, .link = link, .now_us = now_us};
	return run(store, sign_in, &call, admin_out, err);
}

/* Who is the first with a password is root, in this way too. */
static enum err_kind set_password(struct store_tx *tx, void *argument, struct error *err)
{
	struct link_call *c = argument;
	int64_t others = 0;
	enum err_kind kind = sign_in(tx, c, err);
	if (kind == ERR_NONE)
		kind = sql_number(tx->sql, SQL_ADMIN_PASSWORDS_COUNT,
				  SQL_ARGS(sql_text(c->admin.email)), &others, err);
	if (kind == ERR_NONE && others == 0)
		c->admin.role = ADMIN_ROOT;
	c->admin.password_hash = c->password_hash;
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_ADMIN_SET_PASSWORD,
			       SQL_ARGS(sql_text(c->admin.id), sql_text(c->password_hash)), NULL,
			       err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_ADMIN_SET_ROLE,
			       SQL_ARGS(sql_text(c->admin.email),
					sql_word(store_admin_role_name(c->admin.role))),
			       NULL, err);
	if (kind != ERR_NONE)
		return kind;
	return sql_run(tx->sql, SQL_SESSIONS_DELETE_OF, SQL_ARGS(sql_text(c->admin.id)), NULL, err);
}

enum err_kind store_admin_link_set_password(struct store *store, struct arena *arena,
					    const struct admin_link *link, int64_t now_us,
					    struct str password_hash, struct admin_row *admin_out,
					    struct error *err)
{
	struct link_call call = {
		.arena = arena, .link = link, .now_us = now_us, .password_hash = password_hash};
	return run(store, set_password, &call, admin_out, err);
}
