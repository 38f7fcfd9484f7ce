/* SPDX-License-Identifier: Apache-2.0
 * See store_audit.h. */
#include "store_audit.h"

#include "count_of.h"

#include "store_private.h"

static const char *const outcome_names[] = {
	[AUDIT_BEGUN] = "begun",
	[AUDIT_DONE] = "done",
	[AUDIT_REFUSED] = "refused",
	[AUDIT_FAILED] = "failed",
};

const char *store_audit_outcome_name(enum audit_outcome outcome)
{
	return outcome_names[outcome];
}

static enum audit_outcome outcome_of(struct str name)
{
	for (size_t i = 0; i < COUNT_OF(outcome_names); i++) {
		if (str_equal_z(name, outcome_names[i]))
			return (enum audit_outcome)i;
	}
	return AUDIT_BEGUN;
}

static struct sql_value outcome_value(enum audit_outcome outcome)
{
	return sql_text(str_of(store_audit_outcome_name(outcome)));
}

static void audit_read(struct sql_cursor *cursor, void *out)
{
	struct audit_row *row = out;
	row->seq = sql_take_int(cursor);
	row->at_us = sql_take_int(cursor);
	row->actor = sql_take_text(cursor);
	row->source = sql_take_text(cursor);
	row->action = sql_take_text(cursor);
	row->object = sql_take_text(cursor);
	row->app_id = sql_take_text(cursor);
	row->outcome = outcome_of(sql_take_text(cursor));
	row->before = sql_take_text(cursor);
	row->after = sql_take_text(cursor);
	row->times = sql_take_int(cursor);
	row->last_at_us = sql_take_int(cursor);
	row->client_id = sql_take_text(cursor);
}

struct adding {
	const struct audit_row *row;
	int64_t seq;
};

static enum err_kind add(struct store_tx *tx, void *argument, struct error *err)
{
	struct adding *adding = argument;
	const struct audit_row *row = adding->row;
	return sql_number(tx->sql, SQL_AUDIT_ADD,
			  SQL_ARGS(sql_int(row->at_us), sql_text(row->actor), sql_text(row->source),
				   sql_text(row->action), sql_text(row->object),
				   sql_text(row->app_id), outcome_value(row->outcome)),
			  &adding->seq, err);
}

enum err_kind store_audit_add(struct store *store, const struct audit_row *row, int64_t *seq_out,
			      struct error *err)
{
	struct adding adding = {.row = row};
	const enum err_kind kind = store_write(store, add, &adding, err);
	*seq_out = adding.seq;
	return kind;
}

enum err_kind store_audit_end(struct store *store, const struct audit_row *row, struct error *err)
{
	return store_run(store, SQL_AUDIT_END,
			 SQL_ARGS(sql_int(row->seq), sql_text(row->object), sql_text(row->app_id),
				  outcome_value(row->outcome), sql_text(row->before),
				  sql_text(row->after)),
			 ERR_NOT_FOUND, "audit row that is open", err);
}

enum err_kind store_audit_count(struct store *store, int64_t seq, int64_t times, int64_t last_at_us,
				struct error *err)
{
	return store_run(store, SQL_AUDIT_COUNT,
			 SQL_ARGS(sql_int(seq), sql_int(times), sql_int(last_at_us)), ERR_NOT_FOUND,
			 "audit row of refused calls", err);
}

enum err_kind store_audit_list(struct store *store, struct arena *arena,
			       const struct audit_filter *filter, struct audit_row **out,
			       size_t *count_out, struct error *err)
{
	const int64_t before_seq = filter->before_seq != 0 ? filter->before_seq : INT64_MAX;
	const size_t max = filter->max < AUDIT_PAGE_MAX ? filter->max : AUDIT_PAGE_MAX;
	return store_list(store, arena,
			  SQL_ROWS(SQL_AUDIT_LIST,
				   SQL_ARGS(sql_int(before_seq), sql_int(filter->since_us),
					    sql_text(filter->actor), sql_text(filter->action),
					    sql_text(filter->client_id), sql_text(filter->owner_id),
					    sql_int((int64_t)max), sql_word("admin ")),
				   audit_read, struct audit_row),
			  (void **)out, count_out, err);
}
