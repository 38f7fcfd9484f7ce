/* SPDX-License-Identifier: Apache-2.0
 * See store_admin.h. */
#include "store_admin.h"

#include "count_of.h"

#include "store_private.h"

static const char *const role_names[] = {[ADMIN_OWNER] = "owner", [ADMIN_ROOT] = "root"};

const char *store_admin_role_name(enum admin_role role)
{
	return role_names[role];
}

bool store_admin_role_of_name(struct str name, enum admin_role *role_out)
{
	for (size_t i = 0; i < COUNT_OF(role_names); i++) {
		if (!str_equal_z(name, role_names[i]))
			continue;
		*role_out = (enum admin_role)i;
		return true;
	}
	return false;
}

void store_admin_read(struct sql_cursor *cursor, void *out)
{
	struct admin_row *admin = out;
	admin->id = sql_take_text(cursor);
	admin->email = sql_take_text(cursor);
	admin->password_hash = sql_take_text(cursor);
	admin->created_at_us = sql_take_int(cursor);
	(void)store_admin_role_of_name(sql_take_text(cursor), &admin->role);
	admin->has_second_factor = sql_take_int(cursor) > 0;
}

enum err_kind store_admin_find(struct store *store, struct arena *arena, struct str email,
			       struct admin_row *out, struct error *err)
{
	return store_find(store, arena,
			  SQL_ROW(SQL_ADMIN_FIND, SQL_ARGS(sql_text(email)), store_admin_read), out,
			  "admin", err);
}

enum err_kind store_admin_list(struct store *store, struct arena *arena, struct admin_row **out,
			       size_t *count_out, struct error *err)
{
	return store_list(store, arena,
			  SQL_ROWS(SQL_ADMIN_LIST, SQL_NO_ARGS, store_admin_read, struct admin_row),
			  (void **)out, count_out, err);
}

static enum err_kind count_passwords(struct sql_connection *sql, struct str except_email,
				     int64_t *count_out, struct error *err)
{
	return sql_number(sql, SQL_ADMIN_PASSWORDS_COUNT, SQL_ARGS(sql_text(except_email)),
			  count_out, err);
}

static enum err_kind write_role(struct store_tx *tx, struct str email, enum admin_role role,
				struct error *err)
{
	return sql_run_one(tx->sql, SQL_ADMIN_SET_ROLE,
			   SQL_ARGS(sql_text(email), sql_word(store_admin_role_name(role))),
			   ERR_NOT_FOUND, "admin", err);
}

static enum err_kind write_admin(struct store_tx *tx, const struct admin_row *admin, bool is_known,
				 struct error *err)
{
	const enum err_kind kind =
		is_known ? sql_run(tx->sql, SQL_ADMIN_SET_PASSWORD,
				   SQL_ARGS(sql_text(admin->id), sql_text(admin->password_hash)),
				   NULL, err)
			 : sql_run(tx->sql, SQL_ADMIN_INSERT,
				   SQL_ARGS(sql_text(admin->id), sql_text(admin->email),
					    sql_text(admin->password_hash),
					    sql_int(admin->created_at_us)),
				   NULL, err);
	return kind == ERR_NONE ? write_role(tx, admin->email, admin->role, err) : kind;
}

enum err_kind store_admin_put_row(struct store_tx *tx, void *argument, struct error *err)
{
	struct admin_putting *p = argument;
	struct admin_row known = {0};
	int64_t others = 0;
	p->stored = *p->admin;
	enum err_kind kind = sql_find(
		tx->sql, p->arena,
		SQL_ROW(SQL_ADMIN_FIND, SQL_ARGS(sql_text(p->admin->email)), store_admin_read),
		&known, "admin", err);
	const bool is_known = kind == ERR_NONE;
	if (kind != ERR_NONE && kind != ERR_NOT_FOUND)
		return kind;
	kind = count_passwords(tx->sql, STR(""), &others, err);
	if (kind != ERR_NONE)
		return kind;
	if (!str_is_empty(known.password_hash) || (p->condition == ADMIN_IF_FIRST && others > 0))
		return error_set(err, ERR_CONFLICT, "an admin with a password already exists");
	if (is_known) {
		p->stored = known;
		p->stored.password_hash = p->admin->password_hash;
	}
	if (p->admin->role == ADMIN_ROOT || (others == 0 && !str_is_empty(p->admin->password_hash)))
		p->stored.role = ADMIN_ROOT;
	return write_admin(tx, &p->stored, is_known, err);
}

enum err_kind store_admin_put(struct store *store, struct arena *arena,
			      const struct admin_row *admin, enum admin_condition condition,
			      struct admin_row *admin_out, struct error *err)
{
	struct admin_putting putting = {.arena = arena, .admin = admin, .condition = condition};
	const enum err_kind kind = store_write(store, store_admin_put_row, &putting, err);
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

static enum err_kind keep_a_root(struct store_tx *tx, struct str except_email, struct error *err)
{
	int64_t others = 0;
	const enum err_kind kind = sql_number(tx->sql, SQL_ADMIN_ROOTS_COUNT,
					      SQL_ARGS(sql_text(except_email)), &others, err);
	if (kind == ERR_NONE && others == 0)
		return error_set(err, ERR_CONFLICT, "nobody else is root and can sign in");
	return kind;
}

struct role_change {
	struct str email;
	enum admin_role role;
	bool keep_one;
};

static enum err_kind change_role(struct store_tx *tx, void *argument, struct error *err)
{
	const struct role_change *change = argument;
	enum err_kind kind = write_role(tx, change->email, change->role, err);
	if (kind == ERR_NONE && change->keep_one && change->role != ADMIN_ROOT)
		kind = keep_a_root(tx, change->email, err);
	return kind;
}

enum err_kind store_admin_set_role(struct store *store, struct str email, enum admin_role role,
				   bool keep_one, struct error *err)
{
	struct role_change change = {email, role, keep_one};
	return store_write(store, change_role, &change, err);
}

struct removing {
	struct str email;
	struct str heir_email; /* empty = the apps are held */
	bool keep_one;
};

/* Without an admin nothing of an app goes out, and its tokens and keys are dead. */
static enum err_kind hold_apps(struct store_tx *tx, const struct admin_row *admin,
			       struct error *err)
{
	static const enum sql_name statements[] = {SQL_OWNER_TOKENS_END, SQL_OWNER_KEYS_END,
						   SQL_OWNER_WORK_HOLD};
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < COUNT_OF(statements) && kind == ERR_NONE; i++)
		kind = sql_run(tx->sql, statements[i], SQL_ARGS(sql_text(admin->id)), NULL, err);
	return kind;
}

static enum err_kind pass_on_apps(struct store_tx *tx, const struct admin_row *admin,
				  struct str heir_email, struct error *err)
{
	struct admin_row heir = {0};
	if (str_is_empty(heir_email))
		return hold_apps(tx, admin, err);
	const enum err_kind kind =
		sql_find(tx->sql, tx->arena,
			 SQL_ROW(SQL_ADMIN_FIND, SQL_ARGS(sql_text(heir_email)), store_admin_read),
			 &heir, "heir", err);
	if (kind == ERR_NOT_FOUND || str_equal(heir.id, admin->id))
		return error_set(err, ERR_INVALID, "no other admin has the heir's email");
	if (kind != ERR_NONE)
		return kind;
	return sql_run(tx->sql, SQL_OWNER_HAND_OVER,
		       SQL_ARGS(sql_text(admin->id), sql_text(heir.id)), NULL, err);
}

static enum err_kind remove_admin(struct store_tx *tx, void *argument, struct error *err)
{
	const struct removing *r = argument;
	static const enum sql_name ends[] = {SQL_SESSIONS_DELETE_OF, SQL_ADMIN_LINKS_END_OF,
					     SQL_SECOND_FACTOR_DELETE, SQL_RECOVERY_CODES_DELETE};
	struct admin_row admin = {0};
	enum err_kind kind =
		sql_find(tx->sql, tx->arena,
			 SQL_ROW(SQL_ADMIN_FIND, SQL_ARGS(sql_text(r->email)), store_admin_read),
			 &admin, "admin", err);
	if (kind == ERR_NONE && r->keep_one)
		kind = keep_a_root(tx, r->email, err);
	if (kind == ERR_NONE)
		kind = pass_on_apps(tx, &admin, r->heir_email, err);
	for (size_t i = 0; i < COUNT_OF(ends) && kind == ERR_NONE; i++)
		kind = sql_run(tx->sql, ends[i], SQL_ARGS(sql_text(admin.id)), NULL, err);
	if (kind != ERR_NONE)
		return kind;
	return sql_run(tx->sql, SQL_ADMIN_DELETE, SQL_ARGS(sql_text(r->email)), NULL, err);
}

enum err_kind store_admin_remove(struct store *store, struct str email, struct str heir_email,
				 bool keep_one, struct error *err)
{
	struct removing removing = {email, heir_email, keep_one};
	return store_write(store, remove_admin, &removing, err);
}
