/* SPDX-License-Identifier: Apache-2.0
 * A person's changes. The order within each: read all, decide, write all. docs/adr/0006 says why a
 * post is cancelled whole or not at all. */
#include "store_post_change.h"

#include "arena.h"
#include "buf.h"

#include "json.h"
#include "json_write.h"

#include "delivery_transitions.h"
#include "store_delivery.h"
#include "store_guard.h"
#include "store_look.h"
#include "store_private.h"
#include "store_quota.h"
#include "store_retry_many.h"

#define PARTS_MAX_BYTES ((size_t)1 << 20)

struct changed_delivery {
	struct delivery_before before;
	struct str account_id;
	enum call_state call_state;
	int64_t call_started_at_us;
	struct str parts;
	struct str error_code;
	struct str warnings;
	enum account_state account_state;
	enum hold_state hold;
	bool has_flow;
	enum post_removal removal;
	enum platform_id platform;
	int64_t failed_at_us;
};

/* The post as the command finds it. */
struct change {
	struct store_tx *tx;
	struct str post_id;
	struct counted_post counted;
	enum post_state state;
	int64_t created_at_us;
	int64_t scheduled_at_us;
	struct changed_delivery *deliveries;
	size_t count;
};

static void changed_post_read(struct sql_cursor *cursor, void *out)
{
	struct change *change = out;
	change->counted.app_id = sql_take_text(cursor);
	change->state = post_state_of_name(sql_take_text(cursor));
	change->counted.date_us = sql_take_int(cursor);
	change->counted.ordinal = sql_take_int(cursor);
	change->created_at_us = sql_take_int(cursor);
	change->scheduled_at_us = sql_take_int(cursor);
}

static void changed_delivery_read(struct sql_cursor *cursor, void *out)
{
	struct changed_delivery *delivery = out;
	delivery->before.id = sql_take_text(cursor);
	delivery->account_id = sql_take_text(cursor);
	delivery->before.state = post_state_of_name(sql_take_text(cursor));
	delivery->before.fence = sql_take_int(cursor);
	delivery->call_state = (enum call_state)sql_take_int(cursor);
	delivery->call_started_at_us = sql_take_int(cursor);
	delivery->parts = sql_take_text(cursor);
	delivery->error_code = sql_take_text(cursor);
	delivery->warnings = sql_take_text(cursor);
	delivery->account_state = account_state_of_name(sql_take_text(cursor));
	delivery->hold = (enum hold_state)sql_take_int(cursor);
	delivery->has_flow = sql_take_bool(cursor);
	delivery->removal = (enum post_removal)sql_take_int(cursor);
	delivery->platform = (enum platform_id)sql_take_int(cursor);
	delivery->failed_at_us = sql_take_int(cursor);
}

static enum err_kind change_begin(struct store_tx *tx, struct str app_id, struct str post_id,
				  struct change *change, struct error *err)
{
	*change = (struct change){.tx = tx, .post_id = post_id};
	const enum err_kind kind =
		sql_find(tx->sql, tx->arena,
			 SQL_ROW(SQL_CHANGE_POST, SQL_ARGS(sql_text(post_id), sql_text(app_id)),
				 changed_post_read),
			 change, "post", err);
	if (kind != ERR_NONE)
		return kind;
	return sql_list(tx->sql, tx->arena,
			SQL_ROWS(SQL_CHANGE_DELIVERIES, SQL_ARGS(sql_text(post_id)),
				 changed_delivery_read, struct changed_delivery),
			(void **)&change->deliveries, &change->count, err);
}

/* Finds the account's next delivery, after this one's due time moved or its work ended. A lane that
 * is busy with another delivery learns it when that one is done. */
static enum err_kind lane_renew(const struct change *change,
				const struct changed_delivery *delivery, struct error *err)
{
	const struct str busy_with[] = {delivery->before.id, STR("")};
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < 2 && kind == ERR_NONE; i++)
		kind = store_lane_free(change->tx, delivery->account_id, busy_with[i], err);
	return kind;
}

static int64_t count_scheduled(const struct change *change)
{
	int64_t count = 0;
	for (size_t i = 0; i < change->count; i++)
		count += change->deliveries[i].before.state == POST_SCHEDULED;
	return count;
}

/* The app's work and the post's state follow its deliveries. */
static enum err_kind change_end(const struct change *change, int64_t no_longer_scheduled,
				struct error *err)
{
	const enum err_kind kind =
		sql_run(change->tx->sql, SQL_WORK_CLAIMED,
			SQL_ARGS(sql_text(change->counted.app_id), sql_int(no_longer_scheduled),
				 sql_int(NEVER_US)),
			NULL, err);
	if (kind != ERR_NONE)
		return kind;
	return post_state_refresh(change->tx, change->post_id, err);
}

/* ---- cancel ---- */

/* After a restore nobody knows what was published since (store_guard.h): then CANCELLED would claim
 * too much. */
static bool is_held(const struct changed_delivery *delivery)
{
	return delivery->hold == HOLD_ASKING || delivery->hold == HOLD_HELD ||
	       delivery->hold == HOLD_CONDEMNED;
}

/* Even a part that has no id is marked. */
static enum err_kind has_published_part(const struct change *change,
					const struct changed_delivery *delivery, bool *has_out,
					struct error *err)
{
	const struct json *parts = NULL;
	*has_out = false;
	if (str_is_empty(delivery->parts))
		return ERR_NONE;
	const enum err_kind kind =
		json_parse(change->tx->arena, delivery->parts, NULL, &parts, NULL, err);
	for (size_t i = 0; kind == ERR_NONE && i < parts->count; i++)
		*has_out |=
			str_equal_z(json_string(json_get(json_at(parts, i), "state")), "published");
	return kind;
}

/* CHANGED: it can be cancelled. */
static enum err_kind cancel_outcome(const struct change *change,
				    enum post_change_outcome *outcome_out, struct error *err)
{
	enum err_kind kind = ERR_NONE;
	bool has_published = false;
	*outcome_out = POST_CHANGED;
	for (size_t i = 0; i < change->count && kind == ERR_NONE; i++) {
		const struct changed_delivery *delivery = &change->deliveries[i];
		kind = has_published_part(change, delivery, &has_published, err);
		/* The call on record of a held one may be the question of the restore. */
		const bool has_begun =
			!is_held(delivery) && (delivery->call_state != CALL_STATE_NONE ||
					       delivery->call_started_at_us != 0);
		const bool can_end = delivery_transition_find(delivery->before.state,
							      DELIVERY_CHANGE_CANCEL) != NULL;
		if (!can_end || has_begun || has_published)
			*outcome_out = POST_TOO_LATE;
		else if (is_held(delivery) && *outcome_out == POST_CHANGED)
			*outcome_out = POST_HELD;
	}
	return kind;
}

static bool is_cancelled(const struct change *change)
{
	size_t count = 0;
	for (size_t i = 0; i < change->count; i++)
		count += change->deliveries[i].before.state == POST_FAILED &&
			 str_equal_z(change->deliveries[i].error_code,
				     failure_code_name(FAILURE_CODE_CANCELLED));
	return count == change->count;
}

static void note_failed(const struct change *change, const struct changed_delivery *delivery,
			enum failure_code code)
{
	const struct tally_end end = {.app_id = change->counted.app_id,
				      .platform = delivery->platform,
				      .at_us = clock_now_us(change->tx->store->clock),
				      .code = code};
	store_tx_note_outcome(change->tx, &end);
}

static enum err_kind cancel_delivery(const struct change *change,
				     const struct changed_delivery *delivery, struct error *err)
{
	const enum failure_code code = FAILURE_CODE_CANCELLED;
	const enum err_kind kind = delivery_state_change(
		change->tx, &delivery->before, DELIVERY_CHANGE_CANCEL, SQL_DELIVERY_CANCEL,
		SQL_ARGS(sql_word(failure_code_name(code)), sql_word(failure_code_sentence(code)),
			 sql_int(0)),
		err);
	if (kind != ERR_NONE)
		return kind;
	note_failed(change, delivery, code);
	return lane_renew(change, delivery, err);
}

struct cancelling {
	struct str app_id;
	struct str post_id;
	struct post_change_result result;
};

static enum err_kind cancel(struct store_tx *tx, void *argument, struct error *err)
{
	struct cancelling *cancelling = argument;
	struct change change;
	struct post_change_result *result = &cancelling->result;
	*result = (struct post_change_result){.outcome = POST_CHANGED};
	enum err_kind kind =
		change_begin(tx, cancelling->app_id, cancelling->post_id, &change, err);
	if (kind != ERR_NONE || is_cancelled(&change))
		return kind;
	result->state = change.state;
	kind = cancel_outcome(&change, &result->outcome, err);
	if (kind != ERR_NONE || result->outcome != POST_CHANGED)
		return kind;
	for (size_t i = 0; i < change.count && kind == ERR_NONE; i++)
		kind = cancel_delivery(&change, &change.deliveries[i], err);
	return kind == ERR_NONE ? change_end(&change, count_scheduled(&change), err) : kind;
}

enum err_kind store_post_cancel(struct store *store, struct str app_id, struct str post_id,
				struct post_change_result *result_out, struct error *err)
{
	struct cancelling cancelling = {.app_id = app_id, .post_id = post_id};
	const enum err_kind kind = store_write_of_app(store, app_id, cancel, &cancelling, err);
	if (kind == ERR_NONE)
		*result_out = cancelling.result;
	return kind;
}

enum err_kind store_post_change_disconnected(struct store_tx *tx, struct str app_id,
					     struct str post_id, struct str account_id,
					     struct error *err)
{
	const int64_t now_us = clock_now_us(store_clock(tx->store));
	struct change change;
	enum err_kind kind = change_begin(tx, app_id, post_id, &change, err);
	for (size_t i = 0; i < change.count && kind == ERR_NONE; i++) {
		const struct changed_delivery *delivery = &change.deliveries[i];
		if (!str_equal(delivery->account_id, account_id) ||
		    delivery->before.state != POST_SCHEDULED)
			continue;
		kind = delivery_state_change(
			tx, &delivery->before, DELIVERY_CHANGE_CANCEL, SQL_DELIVERY_CANCEL,
			SQL_ARGS(sql_word(failure_code_name(FAILURE_CODE_ACCOUNT_REAUTH_REQUIRED)),
				 sql_word("The account was disconnected."), sql_int(now_us)),
			err);
		if (kind != ERR_NONE)
			return kind;
		note_failed(&change, delivery, FAILURE_CODE_ACCOUNT_REAUTH_REQUIRED);
		kind = lane_renew(&change, delivery, err);
	}
	return kind == ERR_NONE ? change_end(&change, 1, err) : kind;
}

/* Held since a restore: the deliverer ends it without a call. */
static enum err_kind condemn(const struct change *change, const struct changed_delivery *delivery,
			     int64_t now_us, struct error *err)
{
	enum err_kind kind =
		sql_run(change->tx->sql, SQL_END_CONDEMN,
			SQL_ARGS(sql_text(delivery->before.id), sql_int(now_us)), NULL, err);
	if (kind == ERR_NONE)
		kind = store_hold_set(change->tx, delivery->before.id, HOLD_CONDEMNED, err);
	return kind == ERR_NONE ? lane_renew(change, delivery, err) : kind;
}

static enum err_kind end_one(const struct change *change, const struct changed_delivery *delivery,
			     int64_t now_us, int64_t *changed, struct error *err)
{
	bool has_published = false;
	const bool is_begun =
		delivery->call_state != CALL_STATE_NONE || delivery->call_started_at_us != 0;
	if (delivery_transition_find(delivery->before.state, DELIVERY_CHANGE_CANCEL) == NULL ||
	    delivery->hold == HOLD_CONDEMNED || delivery->hold == HOLD_POISONED)
		return ERR_NONE;
	enum err_kind kind = has_published_part(change, delivery, &has_published, err);
	if (kind != ERR_NONE)
		return kind;
	if (is_held(delivery)) {
		++*changed;
		return condemn(change, delivery, now_us, err);
	}
	if (is_begun || has_published)
		return ERR_NONE;
	++*changed;
	return cancel_delivery(change, delivery, err);
}

enum err_kind store_post_change_ended(struct store_tx *tx, const struct post_end *end,
				      int64_t *changed, struct error *err)
{
	struct change change;
	const int64_t before = *changed;
	int64_t scheduled = 0;
	enum err_kind kind = change_begin(tx, end->app_id, end->post_id, &change, err);
	for (size_t i = 0; i < change.count && kind == ERR_NONE; i++) {
		const struct changed_delivery *delivery = &change.deliveries[i];
		if (!str_is_empty(end->account_id) &&
		    !str_equal(delivery->account_id, end->account_id))
			continue;
		scheduled += delivery->before.state == POST_SCHEDULED;
		kind = end_one(&change, delivery, end->now_us, changed, err);
	}
	if (kind != ERR_NONE || *changed == before)
		return kind;
	return change_end(&change, scheduled, err);
}

/* ---- edit ---- */

/* The post counts under its date (api-decisions.md 8): out of the old day, into the new one. */
static enum err_kind redate(struct change *change, int64_t scheduled_at_us, struct error *err)
{
	const char *status = post_state_status(change->state);
	const int64_t date_us = scheduled_at_us != 0 ? scheduled_at_us : change->created_at_us;
	counters_remove(change->tx, &change->counted, status);
	const enum err_kind kind = sql_run_one(
		change->tx->sql, SQL_POST_RESCHEDULE,
		SQL_ARGS(sql_text(change->post_id), sql_int(scheduled_at_us), sql_int(date_us)),
		ERR_INTERNAL, "post", err);
	change->counted.date_us = date_us;
	return kind == ERR_NONE ? counters_add(change->tx, &change->counted, status, err) : kind;
}

struct editing {
	const struct post_edit *edit;
	struct post_change_result result;
};

/* Work on it leaves a flow or parts: with them the old content may be on its way already. */
static bool is_begun(const struct changed_delivery *delivery)
{
	return (delivery->before.state != POST_SCHEDULED &&
		delivery->before.state != POST_PENDING) ||
	       delivery->call_state != CALL_STATE_NONE || delivery->call_started_at_us != 0 ||
	       delivery->has_flow || !str_is_empty(delivery->parts);
}

static enum post_change_outcome edit_outcome(const struct change *change)
{
	enum post_change_outcome outcome = POST_CHANGED;
	for (size_t i = 0; i < change->count; i++) {
		const struct changed_delivery *delivery = &change->deliveries[i];
		if (!is_held(delivery) && is_begun(delivery))
			return POST_TOO_LATE;
		if (is_held(delivery))
			outcome = POST_HELD;
	}
	return outcome;
}

/* What the new content was made of must be what it replaces. */
static enum err_kind is_as_read(const struct change *change, const struct post_edit *edit,
				bool *is_out, struct error *err)
{
	struct str content = {0};
	const enum err_kind kind = sql_find(
		change->tx->sql, change->tx->arena,
		SQL_ROW(SQL_CHANGE_CONTENT, SQL_ARGS(sql_text(change->post_id)), store_text_read),
		&content, "post", err);
	*is_out = str_equal(content, edit->content_read) &&
		  change->scheduled_at_us == edit->scheduled_read_us;
	return kind;
}

static enum err_kind replace_media(const struct change *change, struct editing *e,
				   struct error *err)
{
	const struct post_edit *edit = e->edit;
	bool are_there = false;
	enum err_kind kind =
		store_media_are_there(change->tx, edit->app_id, &edit->media, &are_there, err);
	if (kind == ERR_NONE && !are_there) {
		e->result.outcome = POST_EDIT_MEDIA_GONE;
		return error_set(err, ERR_CONFLICT, "a file of the post is gone");
	}
	if (kind == ERR_NONE)
		kind = store_media_unuse(change->tx, edit->post_id, err);
	return kind == ERR_NONE
		       ? store_media_use(change->tx, edit->app_id, edit->post_id, &edit->media, err)
		       : kind;
}

static enum err_kind replace_content(const struct change *change, struct editing *e,
				     struct error *err)
{
	const struct post_edit *edit = e->edit;
	const int64_t more = (int64_t)edit->content.len - (int64_t)edit->content_read.len;
	bool is_over = false;
	const enum err_kind kind = store_quota_count_bytes(change->tx, edit->app_id, more, &is_over,
							   &e->result.over, err);
	if (kind != ERR_NONE)
		return kind;
	if (is_over) {
		e->result.outcome = POST_EDIT_OVER_QUOTA;
		return error_set(err, ERR_TOO_LARGE, "a quota of the app is full");
	}
	const enum err_kind named = replace_media(change, e, err);
	if (named != ERR_NONE)
		return named;
	const enum err_kind worded =
		store_words_change(change->tx, edit->app_id, edit->post_id, edit->content, err);
	if (worded != ERR_NONE)
		return worded;
	return sql_run_one(
		change->tx->sql, SQL_POST_EDIT,
		SQL_ARGS(sql_text(change->post_id), sql_text(edit->content), sql_int(edit->mode)),
		ERR_INTERNAL, "post", err);
}

static enum err_kind edit_delivery(const struct change *change, const struct post_edit *edit,
				   const struct changed_delivery *delivery, struct error *err)
{
	const bool is_now = edit->scheduled_at_us == 0;
	enum err_kind kind;
	if (!edit->has_time)
		return delivery_state_change(change->tx, &delivery->before, DELIVERY_CHANGE_EDIT,
					     SQL_DELIVERY_EDIT, SQL_NO_ARGS, err);
	kind = delivery_state_change(
		change->tx, &delivery->before,
		is_now ? DELIVERY_CHANGE_RELEASE : DELIVERY_CHANGE_RESCHEDULE,
		SQL_DELIVERY_RESCHEDULE,
		SQL_ARGS(sql_int(is_now ? edit->now_us : edit->scheduled_at_us)), err);
	return kind == ERR_NONE ? lane_renew(change, delivery, err) : kind;
}

static enum err_kind edit_all(struct change *change, struct editing *e, struct error *err)
{
	const struct post_edit *edit = e->edit;
	enum err_kind kind = replace_content(change, e, err);
	int64_t no_longer = 0;
	if (kind == ERR_NONE && edit->has_time) {
		no_longer = count_scheduled(change) -
			    (edit->scheduled_at_us != 0 ? (int64_t)change->count : 0);
		kind = redate(change, edit->scheduled_at_us, err);
	}
	for (size_t i = 0; i < change->count && kind == ERR_NONE; i++)
		kind = edit_delivery(change, edit, &change->deliveries[i], err);
	if (kind == ERR_NONE)
		kind = store_look_ask(change->tx, edit->app_id, edit->post_id, edit->look_at_us,
				      err);
	return kind == ERR_NONE ? change_end(change, no_longer, err) : kind;
}

static enum err_kind edit(struct store_tx *tx, void *argument, struct error *err)
{
	struct editing *e = argument;
	struct change change;
	bool is_unchanged = true;
	enum err_kind kind = change_begin(tx, e->edit->app_id, e->edit->post_id, &change, err);
	if (kind != ERR_NONE)
		return kind;
	e->result = (struct post_change_result){.outcome = edit_outcome(&change),
						.state = change.state,
						.is_cancelled = is_cancelled(&change)};
	if (e->result.outcome != POST_CHANGED || e->edit->only_asks)
		return ERR_NONE;
	kind = is_as_read(&change, e->edit, &is_unchanged, err);
	if (kind != ERR_NONE)
		return kind;
	if (is_unchanged)
		return edit_all(&change, e, err);
	e->result.outcome = POST_CHANGED_BEFORE;
	return ERR_NONE;
}

enum err_kind store_post_edit(struct store *store, const struct post_edit *wish,
			      struct post_change_result *result_out, struct error *err)
{
	struct editing e = {.edit = wish};
	enum err_kind kind = store_write_of_app(store, wish->app_id, edit, &e, err);
	if (kind == ERR_TOO_LARGE && e.result.outcome == POST_EDIT_OVER_QUOTA) {
		store_quota_note_refusal(store, e.result.over.quota);
		kind = ERR_NONE;
	}
	if (kind == ERR_CONFLICT && e.result.outcome == POST_EDIT_MEDIA_GONE)
		kind = ERR_NONE;
	if (kind == ERR_NONE)
		*result_out = e.result;
	return kind;
}

/* ---- retry ---- */

struct retrying {
	const struct post_retry *retry;
	struct arena *arena;
	struct post_retry_result result; /* its accounts array is large enough for all */
};

static const struct changed_delivery *delivery_to(const struct change *change,
						  struct str account_id)
{
	for (size_t i = 0; i < change->count; i++) {
		if (str_equal(change->deliveries[i].account_id, account_id))
			return &change->deliveries[i];
	}
	return NULL;
}

static bool is_unknown(const struct changed_delivery *delivery)
{
	return delivery->call_state != CALL_STATE_NONE ||
	       failure_code_of_name(delivery->error_code) == FAILURE_CODE_OUTCOME_UNKNOWN;
}

/* As the deliverer writes it. */
bool store_post_has_repeatable(struct str warnings)
{
	return str_find(warnings, STR("\"repeatable\":true}"), 0) != SIZE_MAX;
}

static enum post_retry_verdict judge(const struct changed_delivery *delivery, bool republish)
{
	if (delivery == NULL)
		return RETRY_NOT_A_TARGET;
	if (delivery->removal == POST_REMOVAL_PENDING || delivery->removal == POST_REMOVAL_REMOVED)
		return RETRY_TAKEN_BACK;
	if (delivery->before.state == POST_PUBLISHED && str_is_empty(delivery->error_code) &&
	    !store_post_has_repeatable(delivery->warnings))
		return RETRY_PUBLISHED;
	if (delivery_transition_find(delivery->before.state, DELIVERY_CHANGE_TRY_AGAIN) == NULL)
		return RETRY_UNDER_WAY;
	if (is_unknown(delivery) && !republish)
		return RETRY_OUTCOME_UNKNOWN;
	return account_state_is_usable(delivery->account_state) ? RETRY_AGAIN
								: RETRY_ACCOUNT_UNUSABLE;
}

static bool has_verdict(const struct post_retry_result *result, enum post_retry_verdict verdict)
{
	for (size_t i = 0; i < result->account_count; i++) {
		if (result->accounts[i].verdict == verdict)
			return true;
	}
	return false;
}

static enum post_retry_outcome outcome_of(const struct post_retry_result *result)
{
	if (has_verdict(result, RETRY_NOT_A_TARGET))
		return POST_RETRY_NOT_TARGETS;
	if (has_verdict(result, RETRY_ACCOUNT_UNUSABLE))
		return POST_RETRY_ACCOUNTS_GONE;
	return has_verdict(result, RETRY_AGAIN) ? POST_RETRIED : POST_RETRY_NOTHING;
}

/* Looks at the accounts that were named, or at all. */
static void judge_all(const struct change *change, struct retrying *r)
{
	const struct post_retry *retry = r->retry;
	struct post_retry_result *result = &r->result;
	result->account_count = retry->account_count > 0 ? retry->account_count : change->count;
	for (size_t i = 0; i < result->account_count; i++) {
		const struct str account_id = retry->account_count > 0
						      ? retry->account_ids[i]
						      : change->deliveries[i].account_id;
		const struct changed_delivery *delivery = delivery_to(change, account_id);
		result->accounts[i] = (struct post_retry_account){
			.account_id = str_copy(r->arena, account_id),
			.verdict = judge(delivery, retry->republish),
			.account_state =
				delivery != NULL ? delivery->account_state : ACCOUNT_ACTIVE,
		};
	}
	result->outcome = outcome_of(result);
}

static void write_part(struct json_writer *w, const struct json *part)
{
	json_begin_object(w);
	for (size_t i = 0; i < part->count; i++) {
		const bool is_failed = str_equal_z(part->keys[i], "state") &&
				       str_equal_z(part->items[i].string, "failed");
		json_key_str(w, part->keys[i]);
		if (is_failed)
			json_put_str(w, STR("pending"));
		else
			json_put_value(w, &part->items[i]);
	}
	json_end_object(w);
}

/* The parts with the one that failed pending again. */
static enum err_kind renew_parts(const struct change *change, struct str text, struct str *out,
				 struct error *err)
{
	const struct json *parts = NULL;
	struct buf buf;
	struct json_writer w;
	*out = text;
	if (str_is_empty(text))
		return ERR_NONE;
	const enum err_kind kind = json_parse(change->tx->arena, text, NULL, &parts, NULL, err);
	if (kind != ERR_NONE)
		return kind;
	buf_init(&buf, change->tx->arena, PARTS_MAX_BYTES);
	json_writer_init(&w, &buf);
	json_begin_array(&w);
	for (size_t i = 0; i < parts->count; i++)
		write_part(&w, json_at(parts, i));
	json_end_array(&w);
	*out = buf_str(&buf);
	return buf.is_over ? error_set(err, ERR_TOO_LARGE, "the parts are too long") : ERR_NONE;
}

/* One that had failed when the database was restored: who retries it without taking the risk of a
 * second post has the platform asked first. */
static enum err_kind retry_delivery(const struct change *change, const struct post_retry *retry,
				    const struct changed_delivery *delivery, struct error *err)
{
	const struct tally_end failed = {.app_id = change->counted.app_id,
					 .platform = delivery->platform,
					 .at_us = delivery->failed_at_us,
					 .code = failure_code_of_name(delivery->error_code)};
	struct str parts = {0};
	enum err_kind kind = renew_parts(change, delivery->parts, &parts, err);
	if (kind == ERR_NONE)
		kind = delivery_state_change(change->tx, &delivery->before,
					     DELIVERY_CHANGE_TRY_AGAIN, SQL_DELIVERY_TRY_AGAIN,
					     SQL_ARGS(sql_int(retry->now_us), sql_text(parts)),
					     err);
	if (kind == ERR_NONE && delivery->before.state == POST_FAILED)
		kind = store_tally_tried_again(change->tx, &failed, delivery->before.id, err);
	if (kind == ERR_NONE && delivery->hold == HOLD_ENDED)
		kind = store_hold_set(change->tx, delivery->before.id,
				      retry->republish ? HOLD_NONE : HOLD_ASKING, err);
	return kind == ERR_NONE ? lane_renew(change, delivery, err) : kind;
}

/* A post whose time was still to come becomes an immediate one. */
static enum err_kind make_immediate(struct change *change, const struct post_retry *retry,
				    struct error *err)
{
	return change->scheduled_at_us > retry->now_us ? redate(change, 0, err) : ERR_NONE;
}

static enum err_kind retry(struct store_tx *tx, void *argument, struct error *err)
{
	struct retrying *r = argument;
	struct change change;
	enum err_kind kind = change_begin(tx, r->retry->app_id, r->retry->post_id, &change, err);
	if (kind != ERR_NONE)
		return kind;
	bool is_lost = false;
	judge_all(&change, r);
	if (r->result.outcome != POST_RETRIED)
		return ERR_NONE;
	kind = store_media_is_lost(tx, r->retry->post_id, &is_lost, err);
	if (kind == ERR_NONE && is_lost)
		r->result.outcome = POST_RETRY_MEDIA_EXPIRED;
	if (kind != ERR_NONE || is_lost)
		return kind;
	kind = make_immediate(&change, r->retry, err);
	for (size_t i = 0; i < r->result.account_count && kind == ERR_NONE; i++) {
		const struct post_retry_account *account = &r->result.accounts[i];
		if (account->verdict == RETRY_AGAIN)
			kind = retry_delivery(&change, r->retry,
					      delivery_to(&change, account->account_id), err);
	}
	return kind == ERR_NONE ? change_end(&change, 0, err) : kind;
}

enum err_kind store_post_retry(struct store *store, struct arena *arena,
			       const struct post_retry *wish, struct post_retry_result *result_out,
			       struct error *err)
{
	struct retrying r = {.retry = wish, .arena = arena};
	if (wish->account_count > POST_ACCOUNTS_MAX)
		return error_set(err, ERR_INVALID, "a post has 1 to %d accounts",
				 POST_ACCOUNTS_MAX);
	r.result.accounts = ARENA_ARRAY(arena, struct post_retry_account, POST_ACCOUNTS_MAX);
	const enum err_kind kind = store_write_of_app(store, wish->app_id, retry, &r, err);
	if (kind == ERR_NONE)
		*result_out = r.result;
	return kind;
}

/* NULL: it is not as it was listed, or may not be retried now. */
static const struct changed_delivery *listed_delivery(const struct change *change,
						      const struct post_retry *retry,
						      const struct retry_listed *listed)
{
	for (size_t i = 0; i < change->count; i++) {
		const struct changed_delivery *delivery = &change->deliveries[i];
		if (str_equal(delivery->before.id, listed->delivery_id))
			return delivery->before.fence == listed->fence &&
					       judge(delivery, retry->republish) == RETRY_AGAIN
				       ? delivery
				       : NULL;
	}
	return NULL;
}

enum err_kind store_post_change_retry(struct store_tx *tx, const struct post_retry_listed *listed,
				      size_t *retried_out, struct error *err)
{
	struct change change;
	const struct post_retry *retry = listed->retry;
	*retried_out = 0;
	enum err_kind kind = change_begin(tx, retry->app_id, retry->post_id, &change, err);
	if (kind == ERR_NOT_FOUND)
		return ERR_NONE;
	for (size_t i = 0; i < listed->count && kind == ERR_NONE; i++) {
		const struct changed_delivery *delivery =
			listed_delivery(&change, retry, &listed->listed[i]);
		if (delivery == NULL)
			continue;
		if (*retried_out == 0)
			kind = make_immediate(&change, retry, err);
		if (kind == ERR_NONE)
			kind = retry_delivery(&change, retry, delivery, err);
		++*retried_out;
	}
	return kind == ERR_NONE && *retried_out > 0 ? change_end(&change, 0, err) : kind;
}
