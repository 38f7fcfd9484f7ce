/* SPDX-License-Identifier: Apache-2.0
 * See store_identity.h. The words are rows of meta. */
#include "store_identity.h"

#include "clock.h"
#include "log.h"

#include "store_guard.h"
#include "store_private.h"

#define NAME_KEY "master_key"
#define NAME_MODE "mode"
#define NAME_EPOCH "epoch_number" /* store_guard.c's */

static enum err_kind meta_get(struct store_tx *tx, const char *name, int64_t *out,
			      struct error *err)
{
	return sql_number(tx->sql, SQL_META_GET, SQL_ARGS(sql_word(name)), out, err);
}

static enum err_kind meta_put(struct store_tx *tx, const char *name, int64_t number,
			      struct error *err)
{
	return sql_run(tx->sql, SQL_META_PUT, SQL_ARGS(sql_word(name), sql_int(number)), NULL, err);
}

static enum err_kind count_other_nodes(struct store_tx *tx, int64_t *count_out, struct error *err)
{
	const int64_t alive_since_us = clock_now_us(tx->store->clock) - NODE_DEAD_US;
	*count_out = 0;
	if (!sql_is_shared(tx->sql))
		return ERR_NONE;
	return sql_number(tx->sql, SQL_NODE_COUNT_ALIVE,
			  SQL_ARGS(sql_word(tx->store->node_id), sql_int(alive_since_us)),
			  count_out, err);
}

/* ---- the master key ---- */

static void head_read(struct sql_cursor *cursor, void *out)
{
	*(struct str *)out = sql_take_blob(cursor);
}

enum err_kind store_key_find_other(struct store *store, struct arena *arena,
				   const struct store_keys *keys, struct str *head_out,
				   struct error *err)
{
	struct sql_value heads[STORE_KEYS_MAX];
	*head_out = STR("");
	for (size_t i = 0; i < STORE_KEYS_MAX; i++)
		heads[i] = sql_blob(keys->heads[i < keys->count ? i : 0]);
	const struct sql_args args = {heads, STORE_KEYS_MAX};
	const enum err_kind kind =
		store_find(store, arena, SQL_ROW(SQL_SEALED_OTHERWISE, args, head_read), head_out,
			   "sealed record", err);
	return kind == ERR_NOT_FOUND ? ERR_NONE : kind;
}

struct key_agreement {
	const struct store_keys *keys;
	int64_t known;
};

static bool has_key(const struct store_keys *keys, int64_t number)
{
	for (size_t i = 0; i < keys->count; i++) {
		if (keys->numbers[i] == number)
			return true;
	}
	return false;
}

static enum err_kind key_agree(struct store_tx *tx, void *argument, struct error *err)
{
	struct key_agreement *agreement = argument;
	const int64_t ours = agreement->keys->numbers[0];
	int64_t others = 0;
	enum err_kind kind = meta_get(tx, NAME_KEY, &agreement->known, err);
	if (kind != ERR_NONE || agreement->known == ours)
		return kind;
	if (agreement->known != 0 && !has_key(agreement->keys, agreement->known))
		kind = count_other_nodes(tx, &others, err);
	if (kind != ERR_NONE || others > 0)
		return kind;
	agreement->known = ours;
	return meta_put(tx, NAME_KEY, ours, err);
}

enum err_kind store_key_agree(struct store *store, const struct store_keys *keys,
			      int64_t *known_out, struct error *err)
{
	struct key_agreement agreement = {.keys = keys};
	const enum err_kind kind = store_write(store, key_agree, &agreement, err);
	*known_out = agreement.known;
	return kind;
}

/* ---- live or sandbox ---- */

const char *store_mode_name(enum store_mode mode)
{
	static const char *const names[] = {[STORE_MODE_NONE] = "",
					    [STORE_MODE_LIVE] = "live",
					    [STORE_MODE_SANDBOX] = "sandbox"};
	return names[mode];
}

static enum store_mode mode_of_number(int64_t number)
{
	return number == STORE_MODE_LIVE      ? STORE_MODE_LIVE
	       : number == STORE_MODE_SANDBOX ? STORE_MODE_SANDBOX
					      : STORE_MODE_NONE;
}

enum err_kind store_mode_read(struct store *store, enum store_mode *mode_out, struct error *err)
{
	int64_t number = 0;
	const enum err_kind kind =
		store_number(store, SQL_META_GET, SQL_ARGS(sql_word(NAME_MODE)), &number, err);
	*mode_out = mode_of_number(number);
	return kind;
}

/* Deliveries first, since the marks remember when each was due; then the lanes, which learn from
 * them. */
static enum err_kind mode_change(struct store_tx *tx, struct mode_start *start, struct error *err)
{
	static const struct str reason = {
		"The service was started in the other mode (live or sandbox). Connect the account "
		"again.",
		sizeof("The service was started in the other mode (live or sandbox). Connect the "
		       "account again.") -
			1};
	enum err_kind kind = sql_run(tx->sql, SQL_MODE_HOLD, SQL_ARGS(sql_int(HOLD_HELD)),
				     &start->held_count, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_MODE_HOLD_ASKING,
			       SQL_ARGS(sql_int(HOLD_HELD), sql_int(HOLD_ASKING)), NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_MODE_NEVER_DUE,
			       SQL_ARGS(sql_int(NEVER_US), sql_int(HOLD_HELD)), NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_MODE_LANES, SQL_ARGS(sql_int(NEVER_US)), NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_WORK_VOID, SQL_ARGS(sql_int(NEVER_US)), NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run(
			tx->sql, SQL_MODE_ACCOUNTS,
			SQL_ARGS(sql_text(reason), sql_blob(STR("")), sql_int(start->now_us)), NULL,
			err);
	return kind;
}

/* A database without the word and without accounts belongs to nobody yet. */
static enum err_kind judge_unknown(struct store_tx *tx, struct mode_start *start, struct error *err)
{
	int64_t accounts = 0;
	const enum err_kind kind =
		sql_number(tx->sql, SQL_MODE_ACCOUNT_COUNT, SQL_NO_ARGS, &accounts, err);
	start->finding = accounts == 0 || start->is_told ? MODE_AGREED : MODE_UNKNOWN;
	return kind;
}

static enum err_kind judge_other(struct store_tx *tx, struct mode_start *start, struct error *err)
{
	int64_t others = 0;
	if (!start->may_change) {
		start->finding = MODE_OTHER;
		return ERR_NONE;
	}
	enum err_kind kind = count_other_nodes(tx, &others, err);
	start->finding = others > 0 ? MODE_IN_USE : MODE_CHANGED;
	if (kind == ERR_NONE && start->finding == MODE_CHANGED)
		kind = mode_change(tx, start, err);
	return kind;
}

static enum err_kind mode_start(struct store_tx *tx, void *argument, struct error *err)
{
	struct mode_start *start = argument;
	int64_t number = 0;
	enum err_kind kind = meta_get(tx, NAME_MODE, &number, err);
	const enum store_mode known = mode_of_number(number);
	start->finding = MODE_AGREED;
	start->held_count = 0;
	if (kind != ERR_NONE || known == start->wish)
		return kind;
	kind = known == STORE_MODE_NONE ? judge_unknown(tx, start, err)
					: judge_other(tx, start, err);
	if (kind != ERR_NONE || (start->finding != MODE_AGREED && start->finding != MODE_CHANGED))
		return kind;
	return meta_put(tx, NAME_MODE, (int64_t)start->wish, err);
}

enum err_kind store_mode_start(struct store *store, struct mode_start *start, struct error *err)
{
	return store_write(store, mode_start, start, err);
}

/* ---- anything at all ---- */

enum err_kind store_is_new(struct store *store, bool *is_new_out, struct error *err)
{
	int64_t count = 0;
	const enum err_kind kind = store_number(store, SQL_ANYTHING_COUNT,
						SQL_ARGS(sql_word(NAME_EPOCH)), &count, err);
	*is_new_out = count == 0;
	return kind;
}
