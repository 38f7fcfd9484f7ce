/* SPDX-License-Identifier: Apache-2.0
 * See store_tally.h. The rows of a turn are few, since its deliveries share the hour, the platform
 * and mostly the lateness: they are gathered like the counters (counters.c) and written once. */
#include "store_tally.h"

#include "arena.h"

#include "event.h"
#include "failure.h"

#include "store_private.h"

#define ONE_APP_ARENA_BYTES ((size_t)64 << 20) /* its distinct rows of TALLIES_KEPT_US */
#define BINS_PER_OCTAVE_BITS 2

/* Four bins to each doubling: the exponent, and the two bits behind the highest. */
static int bin_of(int64_t lateness_us)
{
	if (lateness_us < 1 << BINS_PER_OCTAVE_BITS)
		return lateness_us > 0 ? (int)lateness_us : 0;
	const int exponent = 63 - __builtin_clzll((unsigned long long)lateness_us);
	const int64_t next_bits = lateness_us >> (exponent - BINS_PER_OCTAVE_BITS);
	return (exponent << BINS_PER_OCTAVE_BITS) +
	       (int)(next_bits & ((1 << BINS_PER_OCTAVE_BITS) - 1));
}

static void change_later(struct store_tx *tx, const struct tally_end *end,
			 struct late_counter counter)
{
	counter.app_id = end->app_id;
	counter.bucket = end->at_us / US_PER_HOUR;
	counters_change_later(tx, &counter);
}

void store_tally_published(struct store_tx *tx, const struct tally_end *end)
{
	const int64_t late_us = end->lateness_us > 0 ? end->lateness_us : 0;
	change_later(tx, end,
		     (struct late_counter){.scale = LATE_TALLIES + TALLY_PUBLISHED,
					   .status = "",
					   .part = end->platform,
					   .change = 1});
	if (!end->is_first)
		return;
	change_later(tx, end,
		     (struct late_counter){.scale = LATE_TALLIES + TALLY_LATENESS,
					   .status = "",
					   .part = bin_of(late_us),
					   .most_us = late_us,
					   .change = 1});
}

static void change_failed(struct store_tx *tx, const struct tally_end *end, const char *code,
			  int64_t by)
{
	change_later(tx, end,
		     (struct late_counter){.scale = LATE_TALLIES + TALLY_FAILED,
					   .status = code,
					   .part = end->platform,
					   .change = by});
}

void store_tally_failed(struct store_tx *tx, const struct tally_end *end)
{
	change_failed(tx, end, failure_code_name(end->code), 1);
}

enum err_kind store_tally_tried_again(struct store_tx *tx, const struct tally_end *end,
				      struct str delivery_id, struct error *err)
{
	struct tally_end failed = *end;
	enum err_kind kind = ERR_NONE;
	if (end->at_us == 0)
		kind = sql_number(
			tx->sql, SQL_TALLY_FAILED_AT,
			SQL_ARGS(sql_text(delivery_id), sql_int(EVENT_POST_PUBLISH_FAILED)),
			&failed.at_us, err);
	if (kind != ERR_NONE || failed.at_us == 0)
		return kind;
	change_failed(tx, &failed, failure_code_name(end->code), -1);
	change_failed(tx, &failed, "", 1);
	return ERR_NONE;
}

/* ---- the question ---- */

static void tally_read(struct sql_cursor *cursor, void *out)
{
	struct tally *tally = out;
	tally->hour = sql_take_int(cursor);
	tally->kind = (enum tally_kind)sql_take_int(cursor);
	tally->part = sql_take_int(cursor);
	tally->code = sql_take_text(cursor);
	tally->count = sql_take_int(cursor);
	tally->most_us = sql_take_int(cursor);
}

enum err_kind store_tally_list(struct store *store, struct arena *arena, struct str app_id,
			       int64_t from_hour, struct tally **out, size_t *count_out,
			       struct error *err)
{
	return store_list(store, arena,
			  SQL_ROWS(SQL_TALLY_LIST, SQL_ARGS(sql_text(app_id), sql_int(from_hour)),
				   tally_read, struct tally),
			  (void **)out, count_out, err);
}

/* ---- counting again ---- */

struct ended {
	bool is_published;
	struct tally_end end;
};

static void ended_read(struct sql_cursor *cursor, struct ended *ended)
{
	ended->is_published = sql_take_int(cursor) == EVENT_POST_PUBLISH_SUCCEEDED;
	ended->end.at_us = sql_take_int(cursor);
	ended->end.platform = (enum platform_id)sql_take_int(cursor);
	ended->end.is_first = sql_take_bool(cursor);
	ended->end.lateness_us = sql_take_int(cursor);
	ended->end.code = failure_code_of_name(sql_take_text(cursor));
}

static enum err_kind count_app(struct store_tx *tx, struct str app_id, int64_t since_us,
			       struct error *err)
{
	struct sql_cursor cursor;
	sql_select(&cursor, tx->sql, SQL_TALLY_EVENTS, tx->arena,
		   SQL_ARGS(sql_text(app_id), sql_int(since_us),
			    sql_int(EVENT_POST_PUBLISH_SUCCEEDED),
			    sql_int(EVENT_POST_PUBLISH_FAILED)),
		   err);
	while (sql_next(&cursor)) {
		struct ended ended = {.end.app_id = app_id};
		ended_read(&cursor, &ended);
		if (ended.is_published)
			store_tally_published(tx, &ended.end);
		else
			store_tally_failed(tx, &ended.end);
	}
	const enum err_kind kind = sql_end(&cursor);
	return kind == ERR_NONE ? counters_write(tx, err) : kind;
}

/* App by app: what one has is gathered in memory of its own. */
static enum err_kind count_app_apart(struct store_tx *tx, struct str app_id, int64_t since_us,
				     struct error *err)
{
	struct arena *arena = tx->arena;
	tx->arena = arena_new("tallies", ONE_APP_ARENA_BYTES);
	const enum err_kind kind = count_app(tx, app_id, since_us, err);
	arena_free(&tx->arena);
	tx->arena = arena;
	return kind;
}

enum err_kind store_tally_rebuild(struct store_tx *tx, struct error *err)
{
	const int64_t since_us = clock_now_us(tx->store->clock) - TALLIES_KEPT_US;
	struct str *apps = NULL;
	size_t count = 0;
	enum err_kind kind = sql_run(tx->sql, SQL_TALLIES_DELETE, SQL_NO_ARGS, NULL, err);
	if (kind == ERR_NONE)
		kind = sql_list(tx->sql, tx->arena,
				SQL_ROWS(SQL_TALLY_APPS, SQL_NO_ARGS, store_text_read, struct str),
				(void **)&apps, &count, err);
	for (size_t i = 0; i < count && kind == ERR_NONE; i++)
		kind = count_app_apart(tx, apps[i], since_us, err);
	return kind;
}
