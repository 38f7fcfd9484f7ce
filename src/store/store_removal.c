/* SPDX-License-Identifier: Apache-2.0
 * See store_removal.h. */
#include "store_removal.h"

#include "arena.h"

#include "store_private.h"

/* The beginning of the parts as record.c of delivery/ writes them, for LIKE. */
#define FIRST_PART_OUT "[{\"state\":\"published\"%"
#define UNSUPPORTED_TEXT \
	"This platform gives apps no way to remove a post. Remove it in the platform's own app."
#define SET_ASIDE_TEXT "This removal stopped the service three times; it was set aside."

/* ---- asking ---- */

struct target {
	struct str delivery_id;
	struct str account_id;
	int64_t platform;
	bool is_out;
};

struct asking {
	const struct post_unpublish *wish;
	struct arena *arena;
	struct post_unpublish_result result; /* its accounts array is large enough for all */
};

static void target_read(struct sql_cursor *cursor, void *out)
{
	struct target *target = out;
	target->delivery_id = sql_take_text(cursor);
	target->account_id = sql_take_text(cursor);
	target->platform = sql_take_int(cursor);
	target->is_out = sql_take_bool(cursor);
}

static const struct target *target_to(const struct target *targets, size_t count,
				      struct str account_id)
{
	for (size_t i = 0; i < count; i++) {
		if (str_equal(targets[i].account_id, account_id))
			return &targets[i];
	}
	return NULL;
}

static enum post_unpublish_verdict judge(const struct target *target)
{
	if (target == NULL)
		return UNPUBLISH_NOT_A_TARGET;
	return target->is_out ? UNPUBLISH_ASKED : UNPUBLISH_NOT_OUT;
}

static bool has_verdict(const struct post_unpublish_result *result,
			enum post_unpublish_verdict verdict)
{
	for (size_t i = 0; i < result->account_count; i++) {
		if (result->accounts[i].verdict == verdict)
			return true;
	}
	return false;
}

/* Looks at the accounts that were named, or at all. */
static void judge_all(struct asking *a, const struct target *targets, size_t count)
{
	const struct post_unpublish *wish = a->wish;
	struct post_unpublish_result *result = &a->result;
	const bool is_named = wish->account_count > 0;
	result->account_count = is_named ? wish->account_count : count;
	for (size_t i = 0; i < result->account_count; i++) {
		const struct str id = is_named ? wish->account_ids[i] : targets[i].account_id;
		result->accounts[i] = (struct post_unpublish_account){
			.account_id = str_copy(a->arena, id),
			.verdict = judge(target_to(targets, count, id))};
	}
	result->outcome = has_verdict(result, UNPUBLISH_NOT_A_TARGET) ? POST_UNPUBLISH_NOT_TARGETS
			  : has_verdict(result, UNPUBLISH_ASKED)      ? POST_UNPUBLISHED
								      : POST_UNPUBLISH_NOTHING;
}

static enum err_kind refuse_one(struct store_tx *tx, const struct post_unpublish *wish,
				const struct target *target, struct error *err)
{
	int64_t changes = 0;
	const enum err_kind kind =
		sql_run(tx->sql, SQL_REMOVAL_UNSUPPORTED,
			SQL_ARGS(sql_text(target->delivery_id), sql_int(wish->now_us),
				 sql_word(failure_code_name(FAILURE_CODE_PLATFORM_REJECTED)),
				 sql_word(UNSUPPORTED_TEXT)),
			&changes, err);
	if (kind != ERR_NONE || changes == 0)
		return kind;
	return event_add_delivery(tx, EVENT_POST_REMOVAL_FAILED, target->delivery_id, err);
}

static enum err_kind ask_one(struct store_tx *tx, const struct post_unpublish *wish,
			     const struct target *target, struct error *err)
{
	if ((wish->unsupported_mask >> target->platform) % 2 == 1)
		return refuse_one(tx, wish, target, err);
	return sql_run(tx->sql, SQL_REMOVAL_ASK,
		       SQL_ARGS(sql_text(target->delivery_id), sql_int(wish->now_us)), NULL, err);
}

static enum err_kind ask(struct store_tx *tx, void *argument, struct error *err)
{
	struct asking *a = argument;
	struct target *targets = NULL;
	size_t count = 0;
	int64_t found = 0;
	enum err_kind kind = sql_number(
		tx->sql, SQL_REMOVAL_POST,
		SQL_ARGS(sql_text(a->wish->post_id), sql_text(a->wish->app_id)), &found, err);
	if (kind == ERR_NONE && found == 0)
		return error_set(err, ERR_NOT_FOUND, "no such post");
	if (kind == ERR_NONE)
		kind = sql_list(
			tx->sql, tx->arena,
			SQL_ROWS(SQL_REMOVAL_TARGETS,
				 SQL_ARGS(sql_text(a->wish->post_id), sql_word(FIRST_PART_OUT)),
				 target_read, struct target),
			(void **)&targets, &count, err);
	if (kind != ERR_NONE)
		return kind;
	judge_all(a, targets, count);
	if (a->result.outcome != POST_UNPUBLISHED)
		return ERR_NONE;
	for (size_t i = 0; i < a->result.account_count && kind == ERR_NONE; i++) {
		const struct post_unpublish_account *account = &a->result.accounts[i];
		if (account->verdict == UNPUBLISH_ASKED)
			kind = ask_one(tx, a->wish, target_to(targets, count, account->account_id),
				       err);
	}
	return kind;
}

enum err_kind store_post_unpublish(struct store *store, struct arena *arena,
				   const struct post_unpublish *wish,
				   struct post_unpublish_result *result_out, struct error *err)
{
	struct asking a = {.wish = wish, .arena = arena};
	if (wish->account_count > POST_ACCOUNTS_MAX)
		return error_set(err, ERR_INVALID, "a post has 1 to %d accounts",
				 POST_ACCOUNTS_MAX);
	a.result.accounts = ARENA_ARRAY(arena, struct post_unpublish_account, POST_ACCOUNTS_MAX);
	const enum err_kind kind = store_write(store, ask, &a, err);
	if (kind == ERR_NONE)
		*result_out = a.result;
	return kind;
}

/* ---- saving ---- */

static enum post_removal status_of(const struct delivery_save *save, bool is_unsupported)
{
	switch (save->next) {
	case DELIVERY_KEEP:
	case DELIVERY_WAIT:
	case DELIVERY_RETRY:
		return POST_REMOVAL_PENDING;
	case DELIVERY_PUBLISHED:
		return POST_REMOVAL_REMOVED;
	case DELIVERY_PARTIAL:
	case DELIVERY_FAILED:
		break;
	}
	return is_unsupported ? POST_REMOVAL_UNSUPPORTED : POST_REMOVAL_FAILED;
}

/* What is kept at work keeps its due time: it is claimed again when the lease runs out. */
static int64_t due_of(const struct delivery_save *save, enum post_removal status)
{
	if (status != POST_REMOVAL_PENDING)
		return 0;
	return save->next == DELIVERY_KEEP ? save->now_us : save->due_at_us;
}

static enum err_kind save_row(struct store_tx *tx, const struct delivery_save *save,
			      enum post_removal status, struct error *err)
{
	static const struct failure none = {0};
	const struct failure *failure = save->failure != NULL ? save->failure : &none;
	const bool is_removed = status == POST_REMOVAL_REMOVED;
	const bool is_kept = save->next == DELIVERY_KEEP;
	int64_t changes = 0;
	const enum err_kind kind = sql_run(
		tx->sql, SQL_REMOVAL_SAVE,
		SQL_ARGS(sql_text(save->id), sql_int(save->fence), sql_int(status),
			 sql_int(due_of(save, status)), sql_int(is_kept ? save->lease_until_us : 0),
			 sql_int(save->attempts), sql_int(save->looks),
			 sql_int(save->call_state != CALL_STATE_NONE), sql_text(save->flow),
			 sql_int(is_removed ? save->now_us : 0),
			 sql_word(save->failure != NULL ? failure_code_name(failure->code) : ""),
			 sql_text(failure->message), sql_text(failure->platform_code),
			 sql_text(failure->platform_message),
			 sql_int(save->failure != NULL && failure_is_transient(failure->class))),
		&changes, err);
	if (kind == ERR_NONE && changes == 0)
		return error_set(err, ERR_CONFLICT, "the removal was claimed again meanwhile");
	return kind;
}

enum err_kind store_removal_save(struct store_tx *tx, const struct delivery_save *save,
				 bool is_unsupported, struct error *err)
{
	const enum post_removal status = status_of(save, is_unsupported);
	enum err_kind kind = save_row(tx, save, status, err);
	if (kind == ERR_NONE)
		kind = store_after_lane_save(tx, save, err);
	if (kind == ERR_NONE)
		kind = store_delivery_timeline_add(tx, save, err);
	if (kind != ERR_NONE || status == POST_REMOVAL_PENDING)
		return kind;
	return event_add_delivery(
		tx, status == POST_REMOVAL_REMOVED ? EVENT_POST_REMOVED : EVENT_POST_REMOVAL_FAILED,
		save->id, err);
}

static enum err_kind set_aside(struct store_tx *tx, void *argument, struct error *err)
{
	const struct str *id = argument;
	int64_t changes = 0;
	const enum err_kind kind = sql_run(
		tx->sql, SQL_REMOVAL_SET_ASIDE,
		SQL_ARGS(sql_text(*id), sql_word(failure_code_name(FAILURE_CODE_INTERNAL_ERROR)),
			 sql_word(SET_ASIDE_TEXT)),
		&changes, err);
	if (kind != ERR_NONE || changes == 0)
		return kind;
	return event_add_delivery(tx, EVENT_POST_REMOVAL_FAILED, *id, err);
}

enum err_kind store_removal_set_aside(struct store *store, struct str delivery_id,
				      struct error *err)
{
	return store_write(store, set_aside, &delivery_id, err);
}
