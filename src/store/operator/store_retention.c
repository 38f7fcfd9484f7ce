/* SPDX-License-Identifier: Apache-2.0
 * See store_retention.h. */
#include "store_retention.h"

#include "count_of.h"

#include "store_app_end.h"
#include "store_event.h"
#include "store_private.h"
#include "store_tally.h"

static enum err_kind end_apps(struct store_tx *tx, const struct store_retention *retention,
			      int64_t now_us, int64_t max, int64_t *removed_out, struct error *err)
{
	int64_t cancelled = 0, erased = 0;
	enum err_kind kind = store_app_end_go_on(tx, now_us, max, &cancelled, err);
	if (kind == ERR_NONE && retention->deleted_us > 0)
		kind = store_app_end_erase(tx, now_us - retention->deleted_us, max, &erased, err);
	*removed_out += cancelled + erased;
	return kind;
}

static enum err_kind forget_erasures(struct store_tx *tx, int64_t before_us, int64_t max,
				     int64_t *removed_out, struct error *err)
{
	static const enum sql_name statements[] = {SQL_ERASURES_EXPIRE, SQL_ERASURES_FORGET};
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < COUNT_OF(statements) && kind == ERR_NONE; i++) {
		int64_t removed = 0;
		kind = sql_run(tx->sql, statements[i], SQL_ARGS(sql_int(before_us), sql_int(max)),
			       &removed, err);
		*removed_out += removed;
	}
	return kind;
}

enum err_kind store_retention_expire(struct store_tx *tx, const struct store_retention *retention,
				     int64_t now_us, int64_t max, int64_t *removed_out,
				     struct error *err)
{
	const struct {
		enum sql_name name;
		int64_t kept_us;
	} kinds[] = {
		{SQL_TIMELINE_EXPIRE, retention->timeline_us},
		{SQL_EVIDENCE_EXPIRE, retention->timeline_us},
		{SQL_CONNECTIONS_EXPIRE, retention->connections_us},
		{SQL_AUDIT_EXPIRE, retention->audit_us},
	};
	*removed_out = 0;
	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		int64_t removed = 0;
		if (kinds[i].kept_us == 0)
			continue;
		const enum err_kind kind = sql_run(
			tx->sql, kinds[i].name,
			SQL_ARGS(sql_int(now_us - kinds[i].kept_us), sql_int(max)), &removed, err);
		if (kind != ERR_NONE)
			return kind;
		*removed_out += removed;
	}
	int64_t events = 0, tallies = 0;
	enum err_kind kind =
		sql_run(tx->sql, SQL_TALLIES_EXPIRE,
			SQL_ARGS(sql_int((now_us - TALLIES_KEPT_US) / US_PER_HOUR), sql_int(max)),
			&tallies, err);
	if (kind != ERR_NONE)
		return kind;
	*removed_out += tallies;
	kind = end_apps(tx, retention, now_us, max, removed_out, err);
	if (kind != ERR_NONE || retention->events_us == 0)
		return kind;
	kind = forget_erasures(tx, now_us - retention->events_us, max, removed_out, err);
	if (kind != ERR_NONE)
		return kind;
	kind = store_event_expire(tx, now_us - retention->events_us, max, &events, err);
	*removed_out += events;
	return kind;
}
