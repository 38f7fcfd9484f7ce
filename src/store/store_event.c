/* SPDX-License-Identifier: Apache-2.0
 * Events: added by the verbs that change something, listed for the feed, handed to webhooks once.
 * Webhooks themselves are store_webhook.c. */
#include "store_event.h"

#include <assert.h>

#include "buf.h"
#include "clock.h"
#include "count_of.h"
#include "random.h"
#include "uuid.h"

#include "json_write.h"

#include "store_private.h"
#include "store_quota.h"

#define REFUSAL_LOG_MAX_BYTES 1024

static struct sql_value new_event_id(struct store_tx *tx, int64_t now_us)
{
	return sql_text(uuid_str(tx->arena, uuid_v7(now_us, random_system())));
}

enum err_kind event_add_delivery(struct store_tx *tx, enum event_kind kind, struct str delivery_id,
				 struct error *err)
{
	const int64_t now_us = clock_now_us(tx->store->clock);
	return sql_run(tx->sql, SQL_EVENT_ADD_DELIVERY,
		       SQL_ARGS(new_event_id(tx, now_us), sql_int(kind), sql_text(delivery_id),
				sql_int(now_us)),
		       NULL, err);
}

enum err_kind event_add(struct store_tx *tx, struct str app_id, enum event_kind kind,
			struct str subject_id, struct str post_id, struct error *err)
{
	const int64_t now_us = clock_now_us(tx->store->clock);
	assert(store_tx_has_app(tx, app_id)); /* an app's events are numbered as they commit */
	return sql_run(tx->sql, SQL_EVENT_ADD,
		       SQL_ARGS(new_event_id(tx, now_us), sql_text(app_id), sql_int(kind),
				sql_text(subject_id), sql_text(post_id), sql_int(now_us)),
		       NULL, err);
}

enum err_kind event_add_connection(struct store_tx *tx, struct str connection_id, struct error *err)
{
	const int64_t now_us = clock_now_us(tx->store->clock);
	return sql_run(tx->sql, SQL_EVENT_ADD_CONNECTION,
		       SQL_ARGS(new_event_id(tx, now_us), sql_int(EVENT_CONNECTION_COMPLETED),
				sql_text(connection_id), sql_int(now_us)),
		       NULL, err);
}

enum err_kind event_add_reauth(struct store_tx *tx, struct str account_id, struct error *err)
{
	const int64_t now_us = clock_now_us(tx->store->clock);
	return sql_run(tx->sql, SQL_EVENT_ADD_REAUTH,
		       SQL_ARGS(new_event_id(tx, now_us), sql_int(EVENT_ACCOUNT_REAUTH_REQUIRED),
				sql_text(account_id), sql_int(now_us)),
		       NULL, err);
}

void event_read(struct sql_cursor *cursor, void *out)
{
	struct event_row *event = out;
	event->seq = sql_take_int(cursor);
	event->id = sql_take_text(cursor);
	event->app_id = sql_take_text(cursor);
	event->kind = (enum event_kind)sql_take_int(cursor);
	event->subject_id = sql_take_text(cursor);
	event->post_id = sql_take_text(cursor);
	event->created_at_us = sql_take_int(cursor);
	event->body = sql_take_text(cursor);
}

enum err_kind store_event_list(struct store *store, struct arena *arena, struct str app_id,
			       int64_t after_seq, size_t max, struct event_row **out,
			       size_t *count_out, struct error *err)
{
	return store_list(
		store, arena,
		SQL_ROWS(SQL_EVENT_LIST,
			 SQL_ARGS(sql_text(app_id), sql_int(after_seq), sql_int((int64_t)max)),
			 event_read, struct event_row),
		(void **)out, count_out, err);
}

/* Beyond the app's quota a webhook delivery is over before its first try: the log says why, and the
 * event stays in the feed. */
static enum err_kind refuse_deliveries(struct store_tx *tx, const struct event_row *event,
				       int64_t now_us, struct error *err)
{
	int64_t refused = 0;
	struct buf log;
	struct json_writer w;
	buf_init(&log, tx->arena, REFUSAL_LOG_MAX_BYTES);
	json_writer_init(&w, &log);
	json_begin_array(&w);
	json_begin_object(&w);
	json_member_instant(&w, "at", now_us);
	json_member_null(&w, "status");
	json_member_int(&w, "duration_ms", 0);
	json_member_str(&w, "error",
			STR("Not sent: the app's quota of webhook calls that still have to be made "
			    "(webhook_backlog) is full. The event is in GET /v1/events."));
	json_end_object(&w);
	json_end_array(&w);
	const enum err_kind kind =
		sql_run(tx->sql, SQL_WEBHOOK_DELIVERIES_REFUSE,
			SQL_ARGS(sql_int(event->seq), sql_text(event->app_id),
				 sql_int(INT64_C(1) << event->kind), sql_int(now_us),
				 sql_int(WEBHOOK_FAILED), sql_text(buf_str(&log))),
			&refused, err);
	if (refused > 0)
		store_quota_note_refusal(tx->store, QUOTA_WEBHOOK_BACKLOG);
	return kind;
}

static enum err_kind begin_deliveries(struct store_tx *tx, const struct event_row *event,
				      int64_t now_us, struct error *err)
{
	int64_t room = 0;
	int64_t begun = 0;
	struct quota_over over;
	enum err_kind kind = store_quota_backlog_room(tx, event->app_id, &room, &over, err);
	if (kind == ERR_NONE && room > 0)
		kind = sql_run(tx->sql, SQL_WEBHOOK_DELIVERIES_BEGIN,
			       SQL_ARGS(sql_int(event->seq), sql_text(event->app_id),
					sql_int(INT64_C(1) << event->kind), sql_int(now_us),
					sql_int(room)),
			       &begun, err);
	if (kind == ERR_NONE)
		store_tx_use_later(tx, event->app_id, 0, begun);
	return kind == ERR_NONE && room <= WEBHOOKS_PER_APP_MAX
		       ? refuse_deliveries(tx, event, now_us, err)
		       : kind;
}

enum err_kind store_event_dispatch(struct store_tx *tx, const struct event_row *event,
				   struct str body, int64_t now_us, struct error *err)
{
	const enum err_kind kind = sql_run_one(tx->sql, SQL_EVENT_DISPATCH,
					       SQL_ARGS(sql_int(event->seq), sql_text(body)),
					       ERR_CONFLICT, "waiting event", err);
	return kind == ERR_NONE ? begin_deliveries(tx, event, now_us, err) : kind;
}

enum err_kind store_event_next_due(struct store *store, int64_t *due_at_us_out, struct error *err)
{
	return store_number(store, SQL_EVENT_NEXT_DUE, SQL_NO_ARGS, due_at_us_out, err);
}

struct open_of_app {
	struct str app_id;
	int64_t count;
};

static void open_of_app_read(struct sql_cursor *cursor, void *out)
{
	struct open_of_app *row = out;
	row->app_id = sql_take_text(cursor);
	row->count = sql_take_int(cursor);
}

/* What has waited until it is too old leaves the backlog: of a webhook that its app disabled. */
static enum err_kind forget_open(struct store_tx *tx, int64_t before_us, int64_t max,
				 struct error *err)
{
	struct open_of_app *rows = NULL;
	size_t count = 0;
	enum err_kind kind = sql_list(tx->sql, tx->arena,
				      SQL_ROWS(SQL_WEBHOOK_LOG_EXPIRE_OPEN,
					       SQL_ARGS(sql_int(before_us), sql_int(max)),
					       open_of_app_read, *rows),
				      (void **)&rows, &count, err);
	for (size_t i = 0; kind == ERR_NONE && i < count; i++)
		store_tx_use_later(tx, rows[i].app_id, 0, -rows[i].count);
	return kind;
}

enum err_kind store_event_expire(struct store_tx *tx, int64_t before_us, int64_t max,
				 int64_t *removed_out, struct error *err)
{
	static const enum sql_name statements[] = {SQL_WEBHOOK_LOG_EXPIRE, SQL_EVENT_EXPIRE};
	*removed_out = 0;
	const enum err_kind forgotten = forget_open(tx, before_us, max, err);
	if (forgotten != ERR_NONE)
		return forgotten;
	for (size_t i = 0; i < COUNT_OF(statements); i++) {
		int64_t removed = 0;
		const enum err_kind kind =
			sql_run(tx->sql, statements[i], SQL_ARGS(sql_int(before_us), sql_int(max)),
				&removed, err);
		if (kind != ERR_NONE)
			return kind;
		*removed_out += removed;
	}
	return ERR_NONE;
}
