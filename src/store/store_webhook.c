/* SPDX-License-Identifier: Apache-2.0
 * Webhooks, and what is on its way to them. How a try is made is webhook/'s. */
#include "store_event.h"

#include "arena.h"

#include "store_private.h"
#include "store_quota.h"

static void webhook_read(struct sql_cursor *cursor, void *out)
{
	struct webhook_row *webhook = out;
	webhook->id = sql_take_text(cursor);
	webhook->app_id = sql_take_text(cursor);
	webhook->url = sql_take_text(cursor);
	webhook->event_mask = sql_take_int(cursor);
	webhook->is_enabled = sql_take_bool(cursor);
	webhook->disabled_reason = sql_take_text(cursor);
	webhook->secret_sealed = sql_take_blob(cursor);
	webhook->old_secret_sealed = sql_take_blob(cursor);
	webhook->old_secret_until_us = sql_take_int(cursor);
	webhook->failing_since_us = sql_take_int(cursor);
	webhook->created_at_us = sql_take_int(cursor);
	webhook->updated_at_us = sql_take_int(cursor);
}

/* ---- the webhooks ---- */

static enum err_kind create(struct store_tx *tx, void *argument, struct error *err)
{
	const struct webhook_row *w = argument;
	int64_t count = 0;
	const enum err_kind kind =
		sql_number(tx->sql, SQL_WEBHOOK_COUNT, SQL_ARGS(sql_text(w->app_id)), &count, err);
	if (kind != ERR_NONE)
		return kind;
	if (count >= WEBHOOKS_PER_APP_MAX)
		return error_set(err, ERR_TOO_LARGE, "the app already has %d webhooks",
				 WEBHOOKS_PER_APP_MAX);
	return sql_run(tx->sql, SQL_WEBHOOK_INSERT,
		       SQL_ARGS(sql_text(w->id), sql_text(w->app_id), sql_text(w->url),
				sql_int(w->event_mask), sql_int(w->is_enabled),
				sql_blob(w->secret_sealed), sql_blob(STR("")),
				sql_int(w->created_at_us)),
		       NULL, err);
}

enum err_kind store_webhook_create(struct store *store, const struct webhook_row *webhook,
				   struct error *err)
{
	struct webhook_row copy = *webhook;
	return store_write(store, create, &copy, err);
}

enum err_kind store_webhook_list(struct store *store, struct arena *arena, struct str app_id,
				 struct webhook_row **out, size_t *count_out, struct error *err)
{
	return store_list(store, arena,
			  SQL_ROWS(SQL_WEBHOOK_LIST, SQL_ARGS(sql_text(app_id)), webhook_read,
				   struct webhook_row),
			  (void **)out, count_out, err);
}

enum err_kind store_webhook_find(struct store *store, struct arena *arena, struct str app_id,
				 struct str webhook_id, struct webhook_row *out, struct error *err)
{
	return store_find(store, arena,
			  SQL_ROW(SQL_WEBHOOK_FIND,
				  SQL_ARGS(sql_text(webhook_id), sql_text(app_id)), webhook_read),
			  out, "webhook", err);
}

enum err_kind store_webhook_update(struct store *store, const struct webhook_row *w,
				   struct error *err)
{
	return store_run(store, SQL_WEBHOOK_UPDATE,
			 SQL_ARGS(sql_text(w->id), sql_text(w->app_id), sql_text(w->url),
				  sql_int(w->event_mask), sql_int(w->is_enabled),
				  sql_int(w->updated_at_us)),
			 ERR_NOT_FOUND, "webhook", err);
}

enum err_kind store_webhook_rotate(struct store *store, const struct webhook_row *w,
				   struct error *err)
{
	return store_run(store, SQL_WEBHOOK_ROTATE,
			 SQL_ARGS(sql_text(w->id), sql_text(w->app_id), sql_blob(w->secret_sealed),
				  sql_blob(w->old_secret_sealed), sql_int(w->old_secret_until_us),
				  sql_int(w->updated_at_us)),
			 ERR_NOT_FOUND, "webhook", err);
}

/* What still had to be sent to the webhook fails. */
static enum err_kind give_up(struct store_tx *tx, struct str app_id, struct str webhook_id,
			     struct error *err)
{
	int64_t count = 0;
	const enum err_kind kind =
		sql_run(tx->sql, SQL_WEBHOOK_DELIVERIES_GIVE_UP,
			SQL_ARGS(sql_text(webhook_id), sql_int(WEBHOOK_FAILED)), &count, err);
	if (kind == ERR_NONE)
		store_tx_use_later(tx, app_id, 0, -count);
	return kind;
}

/* One delivery more: TOO_LARGE when the app's backlog is full. */
static enum err_kind take_place(struct store_tx *tx, struct str app_id, struct quota_over *over_out,
				struct error *err)
{
	int64_t room = 0;
	struct quota_over over;
	const enum err_kind kind = store_quota_backlog_room(tx, app_id, &room, &over, err);
	if (kind != ERR_NONE)
		return kind;
	if (over_out != NULL)
		*over_out = over;
	if (room == 0)
		return error_set(err, ERR_TOO_LARGE, "the app's webhook backlog is full");
	store_tx_use_later(tx, app_id, 0, 1);
	return ERR_NONE;
}

struct naming {
	struct str app_id;
	struct str webhook_id;
};

static enum err_kind delete (struct store_tx *tx, void *argument, struct error *err) {
	const struct naming *naming = argument;
	enum err_kind kind = sql_run_one(tx->sql, SQL_WEBHOOK_DELETE,
					 SQL_ARGS(sql_text(naming->webhook_id),
						  sql_text(naming->app_id)),
					 ERR_NOT_FOUND, "webhook", err);
	if (kind == ERR_NONE) kind = give_up(tx, naming->app_id, naming->webhook_id, err);
	if (kind != ERR_NONE) return kind;
	return sql_run(tx->sql, SQL_WEBHOOK_LOG_DELETE, SQL_ARGS(sql_text(naming->webhook_id)),
		       NULL, err);
}

enum err_kind store_webhook_delete(struct store *store, struct str app_id, struct str webhook_id,
				   struct error *err)
{
	struct naming naming = {app_id, webhook_id};
	return store_write(store, delete, &naming, err);
}

struct testing {
	const struct event_row *event;
	event_body_maker body;
	struct quota_over *over_out;
};

static enum err_kind test(struct store_tx *tx, void *argument, struct error *err)
{
	const struct testing *testing = argument;
	const struct event_row *event = testing->event;
	struct event_row numbered = *event;
	struct webhook_row webhook = {0};
	enum err_kind kind =
		sql_find(tx->sql, tx->arena,
			 SQL_ROW(SQL_WEBHOOK_FIND,
				 SQL_ARGS(sql_text(event->subject_id), sql_text(event->app_id)),
				 webhook_read),
			 &webhook, "webhook", err);
	if (kind != ERR_NONE)
		return kind;
	if (!webhook.is_enabled)
		return error_set(err, ERR_CONFLICT, "the webhook is disabled");
	kind = take_place(tx, event->app_id, testing->over_out, err);
	if (kind != ERR_NONE)
		return kind;
	kind = sql_number(tx->sql, SQL_EVENT_ADD_TEST,
			  SQL_ARGS(sql_text(event->id), sql_text(event->app_id),
				   sql_int(event->kind), sql_text(event->subject_id),
				   sql_int(event->created_at_us)),
			  &numbered.seq, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_EVENT_KEEP_BODY,
			       SQL_ARGS(sql_int(numbered.seq),
					sql_text(testing->body(tx->arena, &numbered))),
			       NULL, err);
	if (kind != ERR_NONE)
		return kind;
	return sql_run(tx->sql, SQL_WEBHOOK_DELIVERY_INSERT,
		       SQL_ARGS(sql_text(webhook.id), sql_text(webhook.app_id),
				sql_int(numbered.seq), sql_int(event->created_at_us)),
		       NULL, err);
}

static enum err_kind count_refusal(struct store *store, enum err_kind kind)
{
	if (kind == ERR_TOO_LARGE)
		store_quota_note_refusal(store, QUOTA_WEBHOOK_BACKLOG);
	return kind;
}

enum err_kind store_webhook_test(struct store *store, const struct event_row *event,
				 event_body_maker body, struct quota_over *over_out,
				 struct error *err)
{
	struct testing testing = {event, body, over_out};
	return count_refusal(store, store_write_of_app(store, event->app_id, test, &testing, err));
}

/* ---- on the way ---- */

static void work_read(struct sql_cursor *cursor, void *out)
{
	struct webhook_work *work = out;
	work->id = sql_take_int(cursor);
	work->attempts = (int)sql_take_int(cursor);
	work->log = sql_take_text(cursor);
	event_read(cursor, &work->event);
}

struct claiming {
	struct store_tx *tx;
	struct arena *arena;
	const struct webhook_claim *wish;
	struct webhook_claimed *out;
};

static enum err_kind lease_events(struct claiming *c, struct error *err)
{
	const int64_t until_us = c->wish->now_us + c->wish->lease_us;
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < c->out->event_count && kind == ERR_NONE; i++)
		kind = sql_run(c->tx->sql, SQL_EVENT_LEASE,
			       SQL_ARGS(sql_int(c->out->events[i].seq), sql_int(until_us)), NULL,
			       err);
	return kind;
}

static enum err_kind take_work(struct claiming *c, const struct webhook_row *webhook,
			       const struct sql_call *call, struct error *err)
{
	const int64_t until_us = c->wish->now_us + c->wish->lease_us;
	struct webhook_work *rows = call->rows;
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < call->row_count && kind == ERR_NONE; i++) {
		if (c->out->work_count == c->wish->max)
			break;
		rows[i].webhook = *webhook;
		c->out->work[c->out->work_count++] = rows[i];
		kind = sql_run(c->tx->sql, SQL_WEBHOOK_LEASE,
			       SQL_ARGS(sql_int(rows[i].id), sql_int(until_us)), NULL, err);
	}
	return kind;
}

/* One question for all of them. */
static enum err_kind claim_work(struct claiming *c, const struct webhook_row *webhooks,
				size_t count, struct error *err)
{
	struct sql_call *calls = ARENA_ARRAY(c->arena, struct sql_call, count + 1);
	struct sql_call *first = NULL;
	for (size_t i = count; i-- > 0;) {
		const size_t slots = c->wish->slots(c->wish->context, webhooks[i].id);
		const size_t most = slots < c->wish->max ? slots : c->wish->max;
		struct sql_value *values = ARENA_ARRAY(c->arena, struct sql_value, 3);
		values[0] = sql_text(webhooks[i].id);
		values[1] = sql_int(c->wish->now_us);
		values[2] = sql_int((int64_t)most);
		if (most == 0)
			continue;
		calls[i] = (struct sql_call){
			.query = {SQL_WEBHOOK_WORK, {values, 3}, work_read, sizeof(*c->out->work)},
			.next = first};
		first = &calls[i];
	}
	enum err_kind kind =
		first != NULL ? sql_run_all(c->tx->sql, c->arena, first, err) : ERR_NONE;
	for (size_t i = 0; i < count && kind == ERR_NONE; i++)
		kind = take_work(c, &webhooks[i], &calls[i], err);
	return kind;
}

enum err_kind store_webhook_claim(struct store_tx *tx, struct arena *arena,
				  const struct webhook_claim *wish, struct webhook_claimed *out,
				  struct error *err)
{
	struct claiming claiming = {tx, arena, wish, out};
	struct sql_call webhooks = {.query = {SQL_WEBHOOK_LIST_DUE, SQL_ARGS(sql_int(wish->now_us)),
					      webhook_read, sizeof(struct webhook_row)}};
	struct sql_call events = {
		.query = {SQL_EVENT_DUE,
			  SQL_ARGS(sql_int(wish->now_us), sql_int((int64_t)wish->max)), event_read,
			  sizeof(struct event_row)},
		.next = &webhooks};
	*out = (struct webhook_claimed){.work = ARENA_ARRAY(arena, struct webhook_work, wish->max)};
	enum err_kind kind = sql_run_all(tx->sql, arena, &events, err);
	if (kind == ERR_NONE) {
		out->events = events.rows;
		out->event_count = events.row_count;
		kind = lease_events(&claiming, err);
	}
	if (kind == ERR_NONE && webhooks.row_count > 0)
		kind = claim_work(&claiming, webhooks.rows, webhooks.row_count, err);
	if (kind != ERR_NONE)
		*out = (struct webhook_claimed){0};
	return kind;
}

static enum err_kind save_webhook(struct store_tx *tx, const struct webhook_save *save,
				  struct error *err)
{
	const struct sql_value id = sql_text(save->webhook_id);
	const int64_t failing_since_us = save->state == WEBHOOK_SUCCEEDED ? 0 : save->now_us;
	enum err_kind kind = sql_run(tx->sql, SQL_WEBHOOK_SET_FAILING,
				     SQL_ARGS(id, sql_int(failing_since_us)), NULL, err);
	if (kind != ERR_NONE || str_is_empty(save->disable_reason))
		return kind;
	kind = sql_run(tx->sql, SQL_WEBHOOK_DISABLE,
		       SQL_ARGS(id, sql_text(save->disable_reason), sql_int(save->now_us)), NULL,
		       err);
	if (kind != ERR_NONE)
		return kind;
	return give_up(tx, save->app_id, save->webhook_id, err);
}

enum err_kind store_webhook_save(struct store_tx *tx, const struct webhook_save *save,
				 struct error *err)
{
	enum err_kind kind =
		sql_run_one(tx->sql, SQL_WEBHOOK_DELIVERY_SAVE,
			    SQL_ARGS(sql_int(save->id), sql_int(save->attempts - 1),
				     sql_int(save->attempts), sql_int(save->state),
				     sql_int(save->state == WEBHOOK_PENDING ? save->due_at_us : 0),
				     sql_text(save->log)),
			    ERR_CONFLICT, "webhook delivery with this number of attempts", err);
	if (kind == ERR_NONE && save->state != WEBHOOK_PENDING)
		store_tx_use_later(tx, save->app_id, 0, -1);
	return kind == ERR_NONE ? save_webhook(tx, save, err) : kind;
}

struct resending {
	struct str webhook_id;
	int64_t delivery_id;
	int64_t now_us;
	struct quota_over *over_out;
};

static enum err_kind resend(struct store_tx *tx, void *argument, struct error *err)
{
	const struct resending *r = argument;
	const struct sql_value id = sql_int(r->delivery_id);
	const struct sql_value webhook_id = sql_text(r->webhook_id);
	int64_t count = 0;
	struct str app_id = {0};
	enum err_kind kind = sql_number(tx->sql, SQL_WEBHOOK_DELIVERY_EXISTS,
					SQL_ARGS(id, webhook_id), &count, err);
	if (kind != ERR_NONE)
		return kind;
	if (count == 0)
		return error_set(err, ERR_NOT_FOUND, "no such webhook delivery");
	kind = sql_find(tx->sql, tx->arena,
			SQL_ROW(SQL_WEBHOOK_APP, SQL_ARGS(webhook_id), store_text_read), &app_id,
			"webhook", err);
	if (kind == ERR_NONE)
		kind = sql_run_one(tx->sql, SQL_WEBHOOK_RESEND,
				   SQL_ARGS(id, webhook_id, sql_int(r->now_us)), ERR_CONFLICT,
				   "finished webhook delivery", err);
	return kind == ERR_NONE ? take_place(tx, app_id, r->over_out, err) : kind;
}

enum err_kind store_webhook_resend(struct store *store, struct str webhook_id, int64_t delivery_id,
				   int64_t now_us, struct quota_over *over_out, struct error *err)
{
	struct resending resending = {webhook_id, delivery_id, now_us, over_out};
	return count_refusal(store, store_write(store, resend, &resending, err));
}

static void log_read(struct sql_cursor *cursor, void *out)
{
	struct webhook_delivery_row *row = out;
	row->id = sql_take_int(cursor);
	row->event_id = sql_take_text(cursor);
	row->kind = (enum event_kind)sql_take_int(cursor);
	row->state = (enum webhook_delivery_state)sql_take_int(cursor);
	row->attempts = (int)sql_take_int(cursor);
	row->next_attempt_at_us = sql_take_int(cursor);
	row->log = sql_take_text(cursor);
	row->created_at_us = sql_take_int(cursor);
}

const char *store_webhook_state_name(enum webhook_delivery_state state)
{
	static const char *const names[WEBHOOK_DELIVERY_STATE_COUNT] = {
		[WEBHOOK_PENDING] = "pending",
		[WEBHOOK_SUCCEEDED] = "succeeded",
		[WEBHOOK_FAILED] = "failed"};
	return names[state];
}

enum err_kind store_webhook_log(struct store *store, struct arena *arena, struct str webhook_id,
				int64_t below_id, size_t max, struct webhook_delivery_row **out,
				size_t *count_out, struct error *err)
{
	return store_list(store, arena,
			  SQL_ROWS(SQL_WEBHOOK_LOG,
				   SQL_ARGS(sql_text(webhook_id),
					    sql_int(below_id > 0 ? below_id : INT64_MAX),
					    sql_int((int64_t)max)),
				   log_read, struct webhook_delivery_row),
			  (void **)out, count_out, err);
}
