/* SPDX-License-Identifier: Apache-2.0
 * Saving a delivery's progress and its timeline, and questions about the work at hand. Claims are
 * store_claim.c. */
#include "store_delivery.h"

#include <assert.h>

#include "arena.h"

#include "json.h"

#include "delivery_transitions.h"
#include "store_late_id.h"
#include "store_private.h"

/* What a save is compared with: the row as its claim left it. The row's remote ids decide nothing:
 * those that are bound already are bound again without effect. */
struct delivery_now {
	struct str post_id;
	struct str app_id;
	struct str account_id;
	int64_t lease_until_us;
	struct post_now post;
};

static struct delivery_now now_of_work(const struct delivery_work *work)
{
	return (struct delivery_now){
		.post_id = work->post_id,
		.app_id = work->app_id,
		.account_id = work->account.id,
		.lease_until_us = work->lease_until_us,
		.post = {.counted = {work->app_id, work->post_date_us, work->post_ordinal},
			 .state = POST_PROCESSING,
			 .delivery_count = work->post_delivery_count},
	};
}

/* What a save does to the row, by what comes next. */
struct outcome {
	enum delivery_change change;
	bool gives_lease_back;
	bool frees_account;
};

static const struct outcome outcomes[] = {
	[DELIVERY_KEEP] = {DELIVERY_CHANGE_KEEP, .gives_lease_back = false, .frees_account = false},
	[DELIVERY_WAIT] = {DELIVERY_CHANGE_WAIT, .gives_lease_back = true, .frees_account = false},
	[DELIVERY_RETRY] = {DELIVERY_CHANGE_RETRY, .gives_lease_back = true, .frees_account = true},
	[DELIVERY_PUBLISHED] = {DELIVERY_CHANGE_PUBLISH, .gives_lease_back = true,
				.frees_account = true},
	[DELIVERY_PARTIAL] = {DELIVERY_CHANGE_PUBLISH_PART, .gives_lease_back = true,
			      .frees_account = true},
	[DELIVERY_FAILED] = {DELIVERY_CHANGE_FAIL, .gives_lease_back = true, .frees_account = true},
};

enum err_kind store_delivery_timeline_add(struct store_tx *tx, const struct delivery_save *save,
					  struct error *err)
{
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < save->timeline_count && kind == ERR_NONE; i++) {
		const struct timeline_entry *entry = &save->timeline[i];
		kind = sql_run(tx->sql, SQL_TIMELINE_INSERT,
			       SQL_ARGS(sql_text(save->id), sql_int(entry->at_us),
					sql_text(entry->stage), sql_text(entry->method),
					sql_text(entry->host_path), sql_int(entry->status),
					sql_int(entry->duration_us), sql_text(entry->verdict),
					sql_text(entry->decision), sql_text(entry->excerpt)),
			       NULL, err);
	}
	return kind;
}

static enum err_kind bind_remote_id(struct store_tx *tx, const struct delivery_save *save,
				    const struct delivery_now *now, struct str remote_id,
				    struct error *err)
{
	if (str_is_empty(remote_id))
		return ERR_NONE;
	return sql_run(tx->sql, SQL_REMOTE_ID_BIND,
		       SQL_ARGS(sql_text(now->account_id), sql_text(remote_id), sql_text(save->id)),
		       NULL, err);
}

/* Whose only id stands in the save beside it. Text with these bytes inside is read as more than
 * one: that only costs a search. */
static bool is_one_part(const struct delivery_save *save)
{
	return !str_is_empty(save->remote_id) && str_find(save->parts, STR("},{"), 0) == SIZE_MAX &&
	       str_find(save->parts, save->remote_id, 0) != SIZE_MAX;
}

/* The ids of comments stand in the parts. */
static enum err_kind bind_parts(struct store_tx *tx, const struct delivery_save *save,
				const struct delivery_now *now, struct error *err)
{
	const struct json *parts = NULL;
	enum err_kind kind = json_parse(tx->arena, save->parts, NULL, &parts, NULL, err);
	for (size_t i = 0; kind == ERR_NONE && i < parts->count; i++) {
		const struct json *id = json_get(json_at(parts, i), "remote_id");
		kind = bind_remote_id(tx, save, now, json_string(id), err);
	}
	return kind;
}

static enum err_kind bind_remote_ids(struct store_tx *tx, const struct delivery_save *save,
				     const struct delivery_now *now, struct error *err)
{
	const enum err_kind kind = bind_remote_id(tx, save, now, save->remote_id, err);
	if (kind != ERR_NONE || str_is_empty(save->parts) || is_one_part(save))
		return kind;
	return bind_parts(tx, save, now, err);
}

/* Too late, but what the platform said is not thrown away. */
static enum err_kind keep_evidence(struct store_tx *tx, const struct delivery_save *save,
				   const struct delivery_now *now, struct error *err)
{
	enum err_kind kind = sql_run(tx->sql, SQL_EVIDENCE_INSERT,
				     SQL_ARGS(sql_text(save->id), sql_int(save->now_us),
					      sql_int(save->fence), sql_text(save->remote_id),
					      sql_text(save->url), sql_text(save->parts)),
				     NULL, err);
	if (kind == ERR_NONE)
		kind = store_delivery_timeline_add(tx, save, err);
	if (kind == ERR_NONE)
		kind = bind_remote_ids(tx, save, now, err);
	if (kind != ERR_NONE)
		return kind;
	return error_set(err, ERR_CONFLICT, "the delivery was claimed again meanwhile");
}

struct reason {
	const struct failure *failure;
	const char *code;
	bool is_transient;
};

static struct reason reason_of(const struct delivery_save *save)
{
	static const struct failure none = {0};
	if (save->failure == NULL)
		return (struct reason){&none, "", false};
	return (struct reason){save->failure, failure_code_name(save->failure->code),
			       failure_is_transient(save->failure->class)};
}

/* A lease is made longer, never shorter: what the claim gave may be enough. */
static int64_t kept_until_us(const struct delivery_save *save, const struct delivery_now *now)
{
	return save->lease_until_us > now->lease_until_us ? save->lease_until_us
							  : now->lease_until_us;
}

/* A save whose row is written together with those of others. */
struct delivery_saving {
	const struct delivery_save *save;
	struct delivery_now now;
	struct delivery_changing claim; /* of a first save that does more than begin */
	struct delivery_changing row;
	bool has_claim;
	bool asks_post; /* the post's state is not this delivery's alone */
	struct delivery_saving *next;
};

/* Work goes on: nothing that an index holds changes. */
static enum err_kind prepare_kept_row(struct store_tx *tx, struct delivery_saving *saving,
				      struct error *err)
{
	const struct delivery_save *save = saving->save;
	const struct delivery_before kept = {
		.id = save->id, .fence = save->fence, .state = POST_PROCESSING, .is_guess = true};
	const struct delivery_before begun = {
		.id = save->id, .fence = save->fence - 1, .state = save->work->state};
	const struct reason reason = reason_of(save);
	return delivery_state_prepare(
		tx, save->is_first ? &begun : &kept,
		save->is_first ? DELIVERY_CHANGE_CLAIM : DELIVERY_CHANGE_KEEP,
		save->is_first ? SQL_DELIVERY_BEGIN : SQL_DELIVERY_KEEP,
		SQL_ARGS(sql_int(kept_until_us(save, &saving->now)), sql_int(save->attempts),
			 sql_text(save->flow), sql_blob(save->flow_sealed),
			 sql_int(save->call_state), sql_int(save->call_started_at_us),
			 sql_int(save->looks), sql_int(save->republished),
			 sql_text(save->remote_id), sql_text(save->url), sql_word(reason.code),
			 sql_text(reason.failure->message), sql_text(reason.failure->platform_code),
			 sql_text(reason.failure->platform_message), sql_int(reason.is_transient),
			 sql_text(save->parts)),
		&saving->row, err);
}

/* What bulk retry goes by: nothing that was cancelled is ever retried by it. */
static int64_t failed_at_us(const struct delivery_save *save)
{
	const bool is_failed = save->next == DELIVERY_FAILED || save->next == DELIVERY_PARTIAL;
	if (save->failure != NULL && save->failure->code == FAILURE_CODE_CANCELLED)
		return 0;
	const bool lacks_something =
		save->next == DELIVERY_PUBLISHED && store_post_has_repeatable(save->warnings);
	return is_failed || lacks_something ? save->now_us : 0;
}

/* Secrets end with the delivery's success. One that failed, or a part of which did, may be tried
 * again by a person, and goes on with the upload it began. */
static enum err_kind prepare_row(struct store_tx *tx, struct delivery_saving *saving,
				 struct error *err)
{
	const struct delivery_save *save = saving->save;
	const struct outcome *outcome = &outcomes[save->next];
	const struct delivery_before before = {.id = save->id,
					       .fence = save->fence,
					       .state = POST_PROCESSING,
					       .is_guess = true,
					       .app_id = saving->now.app_id,
					       .post_id = saving->now.post_id};
	const bool is_published = save->next == DELIVERY_PUBLISHED;
	const bool is_out = is_published || save->next == DELIVERY_PARTIAL;
	const bool is_final = is_out || save->next == DELIVERY_FAILED;
	const struct reason reason = reason_of(save);
	return delivery_state_prepare(
		tx, &before, outcome->change, SQL_DELIVERY_SAVE,
		SQL_ARGS(sql_int(is_final),
			 sql_int(is_final || !outcome->gives_lease_back ? 0 : save->due_at_us),
			 sql_int(outcome->gives_lease_back ? 0 : save->lease_until_us),
			 sql_int(save->attempts), sql_text(save->flow),
			 sql_blob(is_published ? STR("") : save->flow_sealed),
			 sql_int(save->call_state), sql_int(save->call_started_at_us),
			 sql_int(save->looks), sql_int(save->republished),
			 sql_text(save->remote_id), sql_text(save->url),
			 sql_int(is_out ? save->now_us : 0), sql_word(reason.code),
			 sql_text(reason.failure->message), sql_text(reason.failure->platform_code),
			 sql_text(reason.failure->platform_message), sql_int(reason.is_transient),
			 sql_text(save->parts), sql_text(save->visibility),
			 sql_text(save->warnings), sql_int(failed_at_us(save))),
		&saving->row, err);
}

static enum err_kind lane_keep(struct store_tx *tx, const struct delivery_save *save,
			       const struct delivery_now *now, struct error *err)
{
	const bool is_waiting = save->next == DELIVERY_WAIT;
	const int64_t due_us = is_waiting ? save->due_at_us : save->lease_until_us;
	return sql_run(tx->sql, SQL_LANE_KEEP,
		       SQL_ARGS(sql_text(now->account_id), sql_text(save->id), sql_int(due_us)),
		       NULL, err);
}

/* The account's lane, and what its app learns from it. */
static enum err_kind write_lane(struct store_tx *tx, const struct delivery_save *save,
				const struct delivery_now *now, struct error *err)
{
	if (save->next == DELIVERY_KEEP && kept_until_us(save, now) == now->lease_until_us)
		return ERR_NONE;
	const enum err_kind kind = outcomes[save->next].frees_account
					   ? store_lane_free(tx, now->account_id, save->id, err)
					   : lane_keep(tx, save, now, err);
	if (kind != ERR_NONE)
		return kind;
	store_tx_work_later(tx, now->app_id);
	return ERR_NONE;
}

static void count_end(struct store_tx *tx, const struct delivery_save *save)
{
	const struct tally_end end = {.app_id = save->work->app_id,
				      .platform = save->work->account.platform,
				      .at_us = save->now_us,
				      .is_first = save->work->published_at_us == 0,
				      .lateness_us = save->now_us - save->work->post_date_us,
				      .code = save->failure != NULL ? save->failure->code
								    : FAILURE_CODE_NONE};
	if (save->next == DELIVERY_PUBLISHED || save->next == DELIVERY_PARTIAL)
		store_tally_published(tx, &end);
	else if (save->next == DELIVERY_FAILED)
		store_tally_failed(tx, &end);
}

/* Everything that depends on the row, after the row. */
static enum err_kind write_rest(struct store_tx *tx, const struct delivery_saving *saving,
				struct error *err)
{
	const struct delivery_save *save = saving->save;
	const struct delivery_now *now = &saving->now;
	const bool is_same_state = save->next == DELIVERY_KEEP || save->next == DELIVERY_WAIT;
	enum err_kind kind = store_delivery_timeline_add(tx, save, err);
	count_end(tx, save);
	if (kind == ERR_NONE)
		kind = bind_remote_ids(tx, save, now, err);
	if (kind == ERR_NONE)
		kind = write_lane(tx, save, now, err);
	if (kind == ERR_NONE && save->next == DELIVERY_PUBLISHED && save->late_id.until_us != 0)
		kind = store_late_id_ask(tx, save, err);
	if (kind == ERR_NONE && !is_same_state && !saving->asks_post)
		kind = post_state_follow(
			tx, now->post_id, &now->post,
			delivery_transition_find(POST_PROCESSING, outcomes[save->next].change)->to,
			err);
	return kind;
}

static enum err_kind prepare(struct store_tx *tx, struct delivery_saving *saving, struct error *err)
{
	const struct delivery_save *save = saving->save;
	if (save->next == DELIVERY_KEEP)
		return prepare_kept_row(tx, saving, err);
	saving->has_claim = save->is_first;
	const enum err_kind kind =
		save->is_first ? store_claim_prepare(tx, save->work, &saving->claim, err)
			       : ERR_NONE;
	return kind == ERR_NONE ? prepare_row(tx, saving, err) : kind;
}

enum err_kind store_delivery_save_begin(struct store_tx *tx, const struct delivery_save *save,
					struct delivery_saving **out, struct error *err)
{
	const bool is_same_state = save->next == DELIVERY_KEEP || save->next == DELIVERY_WAIT;
	struct delivery_saving *saving = ARENA_NEW(tx->arena, struct delivery_saving);
	*saving = (struct delivery_saving){.save = save, .now = now_of_work(save->work)};
	saving->asks_post =
		save->work->post_delivery_count != 1 && (save->is_first || !is_same_state);
	const enum err_kind kind = prepare(tx, saving, err);
	if (kind != ERR_NONE)
		return kind;
	if (tx->savings.last != NULL)
		tx->savings.last->next = saving;
	else
		tx->savings.first = saving;
	tx->savings.last = saving;
	*out = saving;
	return ERR_NONE;
}

/* The states of their posts are asked behind the rows. */
static enum err_kind ask_posts(struct store_tx *tx, struct sql_call **end, struct error *err)
{
	size_t count = 0;
	for (const struct delivery_saving *each = tx->savings.first; each != NULL;
	     each = each->next)
		count += each->asks_post;
	if (count == 0)
		return ERR_NONE;
	struct str *ids = ARENA_ARRAY(tx->arena, struct str, count);
	count = 0;
	for (const struct delivery_saving *each = tx->savings.first; each != NULL;
	     each = each->next) {
		if (each->asks_post)
			ids[count++] = each->now.post_id;
	}
	tx->savings.posts = *end = ARENA_NEW(tx->arena, struct sql_call);
	return post_states_ask(tx, ids, count, *end, err);
}

static void append(struct sql_call ***end, struct sql_call *call)
{
	**end = call;
	*end = &call->next;
}

/* The rows of all that have begun, and nothing else, as one round trip. */
static enum err_kind write_rows(struct store_tx *tx, struct error *err)
{
	struct sql_call *first = NULL;
	struct sql_call **end = &first;
	for (struct delivery_saving *each = tx->savings.first; each != NULL; each = each->next) {
		if (each->has_claim)
			append(&end, &each->claim.call);
		append(&end, &each->row.call);
	}
	tx->savings.are_written = true;
	const enum err_kind kind = ask_posts(tx, end, err);
	return kind == ERR_NONE ? sql_run_all(tx->sql, tx->arena, first, err) : kind;
}

static enum err_kind judge(struct store_tx *tx, struct delivery_saving *saving, struct error *err)
{
	enum err_kind kind =
		saving->has_claim ? delivery_state_judge(tx, &saving->claim, err) : ERR_NONE;
	if (kind == ERR_NONE)
		kind = delivery_state_judge(tx, &saving->row, err);
	if (kind == ERR_NONE)
		return write_rest(tx, saving, err);
	if (kind != ERR_CONFLICT)
		return kind;
	const struct delivery_save *save = saving->save;
	struct delivery_now now = saving->now;
	kind = sql_find(
		tx->sql, tx->arena,
		SQL_ROW(SQL_DELIVERY_ACCOUNT, SQL_ARGS(sql_text(save->id)), store_text_read),
		&now.account_id, "delivery", err);
	return kind == ERR_NONE ? keep_evidence(tx, save, &now, err) : kind;
}

/* An expired lease is still ours until somebody else claims. A row not in "processing" was released
 * or is final; its fence has no owner. */
enum err_kind store_delivery_save_end(struct store_tx *tx, struct delivery_saving *saving,
				      struct error *err)
{
	assert(saving == tx->savings.first);
	enum err_kind kind = tx->savings.are_written ? ERR_NONE : write_rows(tx, err);
	if (kind == ERR_NONE)
		kind = judge(tx, saving, err);
	tx->savings.first = saving->next;
	if (saving->next != NULL)
		return kind;
	const struct sql_call *posts = tx->savings.posts;
	tx->savings = (struct delivery_savings){0};
	if (posts == NULL || (kind != ERR_NONE && kind != ERR_CONFLICT))
		return kind;
	const enum err_kind told = post_states_write(tx, posts, err);
	return told == ERR_NONE ? kind : told;
}

enum err_kind store_delivery_remote_id_is_bound(struct store *store, struct str account_id,
						struct str remote_id, struct str except_delivery_id,
						bool *is_bound_out, struct error *err)
{
	int64_t count = 0;
	const enum err_kind kind = store_number(
		store, SQL_REMOTE_ID_COUNT,
		SQL_ARGS(sql_text(account_id), sql_text(remote_id), sql_text(except_delivery_id)),
		&count, err);
	if (kind == ERR_NONE)
		*is_bound_out = count > 0;
	return kind;
}

static void timeline_read(struct sql_cursor *cursor, void *out)
{
	struct timeline_row *row = out;
	row->entry.at_us = sql_take_int(cursor);
	row->entry.stage = sql_take_text(cursor);
	row->entry.method = sql_take_text(cursor);
	row->entry.host_path = sql_take_text(cursor);
	row->entry.status = (int)sql_take_int(cursor);
	row->entry.duration_us = sql_take_int(cursor);
	row->entry.verdict = sql_take_text(cursor);
	row->entry.decision = sql_take_text(cursor);
	row->entry.excerpt = sql_take_text(cursor);
	row->delivery_id = sql_take_text(cursor);
	row->account_id = sql_take_text(cursor);
}

enum err_kind store_timeline_list(struct store *store, struct arena *arena, struct str post_id,
				  struct timeline_row **out, size_t *count_out, struct error *err)
{
	return store_list(store, arena,
			  SQL_ROWS(SQL_TIMELINE_LIST, SQL_ARGS(sql_text(post_id)), timeline_read,
				   struct timeline_row),
			  (void **)out, count_out, err);
}

enum err_kind store_post_app_id(struct store *store, struct arena *arena, struct str post_id,
				struct str *app_id_out, struct error *err)
{
	return store_find(store, arena,
			  SQL_ROW(SQL_POST_APP, SQL_ARGS(sql_text(post_id)), store_text_read),
			  app_id_out, "post", err);
}

enum err_kind store_post_is_unfinished(struct store *store, struct str post_id,
				       bool *is_unfinished_out, struct error *err)
{
	int64_t count = 0;
	const enum err_kind kind =
		store_number(store, SQL_POST_UNFINISHED, SQL_ARGS(sql_text(post_id)), &count, err);
	if (kind == ERR_NONE)
		*is_unfinished_out = count > 0;
	return kind;
}

enum err_kind store_delivery_oldest_due(struct store *store, int64_t now_us, int64_t *due_at_us_out,
					struct error *err)
{
	return store_number(store, SQL_BACKLOG_OLDEST, SQL_ARGS(sql_int(now_us)), due_at_us_out,
			    err);
}

struct backlog_question {
	int64_t now_us;
	struct delivery_backlog backlog;
};

static enum err_kind backlog_read(struct sql_connection *sql, void *argument, struct error *err)
{
	struct backlog_question *question = argument;
	struct delivery_backlog *backlog = &question->backlog;
	const struct sql_args now = SQL_ARGS(sql_int(question->now_us));
	enum err_kind kind = sql_number(sql, SQL_BACKLOG_OLDEST, now, &backlog->oldest_due_us, err);
	if (kind == ERR_NONE)
		kind = sql_number(sql, SQL_BACKLOG_DUE, now, &backlog->due_count, err);
	if (kind == ERR_NONE)
		kind = sql_number(sql, SQL_BACKLOG_SCHEDULED, SQL_NO_ARGS,
				  &backlog->scheduled_count, err);
	if (kind == ERR_NONE)
		kind = sql_number(sql, SQL_BACKLOG_LEASED, now, &backlog->in_flight_count, err);
	backlog->due_count -= backlog->in_flight_count; /* what is leased was due */
	return kind;
}

enum err_kind store_delivery_backlog(struct store *store, int64_t now_us,
				     struct delivery_backlog *out, struct error *err)
{
	struct backlog_question question = {.now_us = now_us};
	const enum err_kind kind = store_read(store, backlog_read, &question, err);
	if (kind == ERR_NONE)
		*out = question.backlog;
	return kind;
}
