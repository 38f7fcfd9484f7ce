/* SPDX-License-Identifier: Apache-2.0
 * See store_second_factor.h. */
#include "store_second_factor.h"

#include "store_private.h"

static void factor_read(struct sql_cursor *cursor, void *out)
{
	struct second_factor *factor = out;
	factor->secret_sealed = sql_take_blob(cursor);
	factor->last_step = sql_take_int(cursor);
	factor->codes_left = sql_take_int(cursor);
}

enum err_kind store_second_factor_find(struct store *store, struct arena *arena,
				       struct str admin_id, struct second_factor *out,
				       struct error *err)
{
	return store_find(
		store, arena,
		SQL_ROW(SQL_SECOND_FACTOR_FIND, SQL_ARGS(sql_text(admin_id)), factor_read), out,
		"second factor", err);
}

static enum err_kind put_codes(struct store_tx *tx, struct str admin_id,
			       const struct str code_hashes[RECOVERY_CODES], struct error *err)
{
	enum err_kind kind = sql_run(tx->sql, SQL_RECOVERY_CODES_DELETE,
				     SQL_ARGS(sql_text(admin_id)), NULL, err);
	for (size_t i = 0; i < RECOVERY_CODES && kind == ERR_NONE; i++)
		kind = sql_run(tx->sql, SQL_RECOVERY_CODE_INSERT,
			       SQL_ARGS(sql_text(admin_id), sql_text(code_hashes[i])), NULL, err);
	return kind;
}

static enum err_kind turn_on(struct store_tx *tx, void *argument, struct error *err)
{
	const struct second_factor_start *s = argument;
	enum err_kind kind = sql_run(
		tx->sql, SQL_SECOND_FACTOR_INSERT,
		SQL_ARGS(sql_text(s->admin_id), sql_blob(s->secret_sealed), sql_int(s->last_step)),
		NULL, err);
	if (kind == ERR_NONE)
		kind = put_codes(tx, s->admin_id, s->code_hashes, err);
	if (kind != ERR_NONE)
		return kind;
	return sql_run(tx->sql, SQL_SESSIONS_DELETE_OTHERS,
		       SQL_ARGS(sql_text(s->admin_id), sql_text(s->session_hash)), NULL, err);
}

enum err_kind store_second_factor_turn_on(struct store *store,
					  const struct second_factor_start *start,
					  struct error *err)
{
	struct second_factor_start copy = *start;
	return store_write(store, turn_on, &copy, err);
}

struct code_change {
	struct str admin_id;
	const struct str *code_hashes;
};

static enum err_kind set_codes(struct store_tx *tx, void *argument, struct error *err)
{
	const struct code_change *change = argument;
	int64_t count = 0;
	const enum err_kind kind = sql_number(tx->sql, SQL_SECOND_FACTOR_COUNT,
					      SQL_ARGS(sql_text(change->admin_id)), &count, err);
	if (kind == ERR_NONE && count == 0)
		return error_set(err, ERR_NOT_FOUND, "no such second factor");
	return kind == ERR_NONE ? put_codes(tx, change->admin_id, change->code_hashes, err) : kind;
}

enum err_kind store_second_factor_set_codes(struct store *store, struct str admin_id,
					    const struct str code_hashes[RECOVERY_CODES],
					    struct error *err)
{
	struct code_change change = {admin_id, code_hashes};
	return store_write(store, set_codes, &change, err);
}

enum err_kind store_second_factor_use_step(struct store *store, struct str admin_id, int64_t step,
					   struct error *err)
{
	return store_run(store, SQL_SECOND_FACTOR_USE, SQL_ARGS(sql_text(admin_id), sql_int(step)),
			 ERR_FORBIDDEN, "code that is unused", err);
}

enum err_kind store_second_factor_use_code(struct store *store, struct str admin_id,
					   struct str code_hash, struct error *err)
{
	return store_run(store, SQL_RECOVERY_CODE_USE,
			 SQL_ARGS(sql_text(admin_id), sql_text(code_hash)), ERR_FORBIDDEN,
			 "recovery code", err);
}

static enum err_kind turn_off(struct store_tx *tx, void *argument, struct error *err)
{
	const struct sql_value admin_id = sql_text(*(const struct str *)argument);
	const enum err_kind kind =
		sql_run_one(tx->sql, SQL_SECOND_FACTOR_DELETE, SQL_ARGS(admin_id), ERR_NOT_FOUND,
			    "second factor", err);
	if (kind != ERR_NONE)
		return kind;
	return sql_run(tx->sql, SQL_RECOVERY_CODES_DELETE, SQL_ARGS(admin_id), NULL, err);
}

enum err_kind store_second_factor_turn_off(struct store *store, struct str admin_id,
					   struct error *err)
{
	return store_write(store, turn_off, &admin_id, err);
}
