/* SPDX-License-Identifier: Apache-2.0
 * How many posts of an app have a status, by buckets of three scales, kept in the transaction that
 * changes a post. By days it answers a list's total (3 to 6 us against 48 ns for every row counted,
 * dependencies.md C); by ordinal, coarse and fine, it finds a page deep in a list without reading
 * what is skipped: at 1,000,000 posts a walk of 123 coarse buckets, 64 fine ones and 128 index
 * entries. */
#include "store_alarm.h"
#include "store_private.h"

#include <assert.h>

#include "arena.h"
#include "clock.h"
#include "count_of.h"
#include "fnv.h"
#include "log.h"

#define FINE_POSTS 128
#define FINE_PER_COARSE 64
#define COARSE_POSTS (FINE_POSTS * FINE_PER_COARSE)

/* In meta: 1 while counters are known to be wrong. */
#define WRONG_MARK "counters_wrong"

enum scale { SCALE_DAYS, SCALE_FINE, SCALE_COARSE, SCALE_COUNT };

static int64_t bucket_of(enum scale scale, const struct counted_post *post)
{
	const int64_t buckets[SCALE_COUNT] = {
		[SCALE_DAYS] = post->date_us / US_PER_DAY,
		[SCALE_FINE] = post->ordinal / FINE_POSTS,
		[SCALE_COARSE] = post->ordinal / COARSE_POSTS,
	};
	return buckets[scale];
}

enum err_kind counters_add(struct store_tx *tx, const struct counted_post *post, const char *status,
			   struct error *err)
{
	return counters_add_several(tx, post, status, 1, err);
}

bool counters_are_the_same(const struct counted_post *a, const struct counted_post *b)
{
	for (enum scale scale = 0; scale < SCALE_COUNT; scale++) {
		if (bucket_of(scale, a) != bucket_of(scale, b))
			return false;
	}
	return str_equal(a->app_id, b->app_id);
}

enum err_kind counters_add_several(struct store_tx *tx, const struct counted_post *post,
				   const char *status, int64_t count, struct error *err)
{
	assert(store_tx_has_app(tx, post->app_id));
	return sql_run(tx->sql, SQL_COUNTERS_UP,
		       SQL_ARGS(sql_text(post->app_id), sql_word(status),
				sql_int(bucket_of(SCALE_DAYS, post)),
				sql_int(bucket_of(SCALE_FINE, post)),
				sql_int(bucket_of(SCALE_COARSE, post)), sql_int(count)),
		       NULL, err);
}

/* A counter that is missing, or says less than it must, is a fault of the lists alone: nothing else
 * fails for it. That it was so is written down, for store_counters_mend(). */
static enum err_kind note_wrong(struct store_tx *tx, const struct late_counter *late,
				struct error *err)
{
	static const char message[] =
		"The numbers that lists of posts go by were wrong. They are counted again by "
		"themselves; posthorn doctor --repair does it now.";
	const int64_t now_us = clock_now_us(tx->store->clock);
	atomic_store(&tx->store->has_wrong_counters, true);
	LOG(tx->store->log, ERROR, "counter_wrong", log_str("app", late->app_id),
	    log_int("scale", late->scale), log_str("status", str_of(late->status)),
	    log_int("bucket", late->bucket));
	const enum err_kind kind = sql_run(tx->sql, SQL_META_PUT,
					   SQL_ARGS(sql_word(WRONG_MARK), sql_int(1)), NULL, err);
	if (kind != ERR_NONE)
		return kind;
	return store_alarm_raise_in(tx, STR("counters"), str_of(message), now_us, err);
}

static bool is_tally(const struct late_counter *late)
{
	return late->scale >= LATE_TALLIES;
}

static struct sql_call *make_call(struct store_tx *tx, enum sql_name name, struct sql_args args)
{
	struct sql_value *kept = ARENA_ARRAY(tx->arena, struct sql_value, args.count);
	struct sql_call *call = ARENA_NEW(tx->arena, struct sql_call);
	memcpy(kept, args.values, args.count * sizeof(kept[0]));
	call->query = (struct sql_query){name, {kept, args.count}, NULL, 0};
	return call;
}

static struct sql_call *call_of(struct store_tx *tx, const struct late_counter *late)
{
	const bool is_up = late->change > 0;
	const struct sql_value app = sql_text(late->app_id), bucket = sql_int(late->bucket),
			       word = sql_word(late->status),
			       by = sql_int(is_up ? late->change : -late->change);
	if (is_tally(late))
		return make_call(tx, is_up ? SQL_TALLY_UP : SQL_TALLY_DOWN,
				 SQL_ARGS(app, bucket, sql_int(late->scale - LATE_TALLIES),
					  sql_int(late->part), word, by, sql_int(late->most_us)));
	return make_call(tx, is_up ? SQL_COUNTER_UP : SQL_COUNTER_DOWN,
			 SQL_ARGS(app, sql_int(late->scale), word, bucket, by));
}

/* Those that fall stand before those that rise, and counters apart from tallies: the same statement
 * for many is one. */
static struct sql_call *list_calls(struct store_tx *tx, struct late_counter *late)
{
	enum { LISTS = 4 };
	struct sql_call *first[LISTS] = {NULL};
	struct sql_call **ends[LISTS] = {&first[0], &first[1], &first[2], &first[3]};
	for (; late != NULL; late = late->next) {
		if (late->change == 0)
			continue;
		struct sql_call ***end = &ends[(late->change > 0 ? 2 : 0) + is_tally(late)];
		late->call = **end = call_of(tx, late);
		*end = &late->call->next;
	}
	for (size_t i = LISTS - 1; i > 0; i--)
		*ends[i - 1] = first[i];
	return first[0];
}

/* All of them are one round trip; which of them found no row is asked of each. */
enum err_kind counters_write(struct store_tx *tx, struct error *err)
{
	struct late_counter *late = tx->late_counters != NULL ? tx->late_counters->first : NULL;
	struct sql_call *first = list_calls(tx, late);
	tx->late_counters = NULL;
	if (first == NULL)
		return ERR_NONE;
	enum err_kind kind = sql_run_all(tx->sql, tx->arena, first, err);
	for (; late != NULL && kind == ERR_NONE; late = late->next) {
		/* A tally's hour may be over and removed. */
		if (late->call != NULL && late->call->changes == 0 && !is_tally(late))
			kind = note_wrong(tx, late, err);
	}
	return kind;
}

static size_t place_of(const struct late_counter *counter)
{
	const uint32_t own = (uint32_t)counter->scale << 5 ^ (uint32_t)counter->bucket << 3 ^
			     (uint32_t)counter->part;
	return (fnv_hash(counter->app_id) ^ own ^ (unsigned char)counter->status[0]) % LATE_PLACES;
}

static bool is_same(const struct late_counter *a, const struct late_counter *b)
{
	return a->scale == b->scale && a->bucket == b->bucket && a->part == b->part &&
	       strcmp(a->status, b->status) == 0 && str_equal(a->app_id, b->app_id);
}

void counters_change_later(struct store_tx *tx, const struct late_counter *wanted)
{
	assert(store_tx_has_app(tx, wanted->app_id));
	if (tx->late_counters == NULL)
		tx->late_counters = ARENA_NEW(tx->arena, struct late_counters);
	struct late_counters *all = tx->late_counters;
	struct late_counter **place = &all->places[place_of(wanted)];
	for (struct late_counter *late = *place; late != NULL; late = late->similar) {
		if (is_same(late, wanted)) {
			late->change += wanted->change;
			if (wanted->most_us > late->most_us)
				late->most_us = wanted->most_us;
			return;
		}
	}
	struct late_counter *late = ARENA_NEW(tx->arena, struct late_counter);
	*late = *wanted;
	late->app_id = str_copy(tx->arena, wanted->app_id);
	late->similar = *place;
	*place = late;
	if (all->last != NULL)
		all->last->next = late;
	else
		all->first = late;
	all->last = late;
}

static void change_all_later(struct store_tx *tx, const struct counted_post *post,
			     const char *status, int64_t change)
{
	for (int scale = 0; scale < SCALE_COUNT; scale++) {
		const struct late_counter wanted = {
			.app_id = post->app_id,
			.scale = scale,
			.status = status,
			.bucket = bucket_of((enum scale)scale, post),
			.change = change,
		};
		counters_change_later(tx, &wanted);
	}
}

void counters_remove(struct store_tx *tx, const struct counted_post *post, const char *status)
{
	change_all_later(tx, post, status, -1);
}

/* Does a post of this status count in pending_posts? */
static int is_open(const char *status)
{
	return strcmp(status, "pending") == 0 || strcmp(status, "scheduled") == 0;
}

void counters_move(struct store_tx *tx, const struct counted_post *post, const char *status_from,
		   const char *status_to)
{
	change_all_later(tx, post, status_from, -1);
	change_all_later(tx, post, status_to, 1);
	const int64_t pending = is_open(status_to) - is_open(status_from);
	if (pending != 0)
		store_tx_use_later(tx, post->app_id, pending, 0);
}

enum err_kind counters_total(struct sql_connection *sql, struct str app_id, struct str status,
			     int64_t from_us, int64_t to_us, int64_t *total_out, struct error *err)
{
	/* Without dates the coarse scale has fewer rows than there may be days. */
	const bool has_dates = from_us != 0 || to_us != 0;
	const int64_t scale = has_dates ? SCALE_DAYS : SCALE_COARSE;
	const int64_t from = from_us / US_PER_DAY;
	const int64_t to = to_us != 0 ? to_us / US_PER_DAY : INT64_MAX;
	if (str_is_empty(status))
		return sql_number(
			sql, SQL_COUNTERS_TOTAL,
			SQL_ARGS(sql_text(app_id), sql_int(scale), sql_int(from), sql_int(to)),
			total_out, err);
	return sql_number(sql, SQL_COUNTERS_TOTAL_STATUS,
			  SQL_ARGS(sql_text(app_id), sql_int(scale), sql_int(from), sql_int(to),
				   sql_text(status)),
			  total_out, err);
}

/* A search in the buckets [from, to) of a scale, newest first. */
struct walk {
	struct str app_id;
	struct str status;
	enum scale scale;
	int64_t from;
	int64_t to;
};

static void walk_select(struct sql_cursor *cursor, struct sql_connection *sql,
			const struct walk *walk, struct error *err)
{
	const struct sql_value values[] = {sql_text(walk->app_id), sql_int(walk->scale),
					   sql_int(walk->from), sql_int(walk->to),
					   sql_text(walk->status)};
	const bool is_all = str_is_empty(walk->status);
	const struct sql_args args = {values, is_all ? 4 : 5};
	sql_select(cursor, sql, is_all ? SQL_COUNTERS_WALK : SQL_COUNTERS_WALK_STATUS, NULL, args,
		   err);
}

/* The bucket that holds the post after *skip others; *skip is then what remains inside it. -1 when
 * there are not so many. */
static enum err_kind walk_to(struct sql_connection *sql, const struct walk *walk, int64_t *skip,
			     int64_t *bucket_out, struct error *err)
{
	struct sql_cursor cursor;
	*bucket_out = -1;
	walk_select(&cursor, sql, walk, err);
	while (*bucket_out < 0 && sql_next(&cursor)) {
		const int64_t bucket = sql_take_int(&cursor);
		const int64_t count = sql_take_int(&cursor);
		if (*skip < count)
			*bucket_out = bucket;
		else
			*skip -= count;
	}
	return sql_end(&cursor);
}

enum err_kind counters_seek(struct sql_connection *sql, struct str app_id, struct str status,
			    int64_t offset, struct counted_place *place_out, struct error *err)
{
	struct walk walk = {app_id, status, SCALE_COARSE, 0, INT64_MAX};
	int64_t skip = offset;
	int64_t bucket = 0;
	*place_out = (struct counted_place){.ordinal_below = INT64_MAX, .skip = offset};
	if (offset < FINE_POSTS)
		return ERR_NONE;
	enum err_kind kind = walk_to(sql, &walk, &skip, &bucket, err);
	if (kind != ERR_NONE || bucket < 0)
		return kind;
	walk.scale = SCALE_FINE;
	walk.from = bucket * FINE_PER_COARSE;
	walk.to = walk.from + FINE_PER_COARSE;
	kind = walk_to(sql, &walk, &skip, &bucket, err);
	if (kind != ERR_NONE || bucket < 0)
		return kind;
	*place_out =
		(struct counted_place){.ordinal_below = (bucket + 1) * FINE_POSTS, .skip = skip};
	return ERR_NONE;
}

/* ---- counting again ---- */

static enum err_kind rebuild_ordinals(struct store_tx *tx, enum scale scale, int64_t posts,
				      struct error *err)
{
	return sql_run(tx->sql, SQL_COUNTERS_REBUILD_ORDINALS,
		       SQL_ARGS(sql_int(scale), sql_int(posts)), NULL, err);
}

static enum err_kind rebuild(struct store_tx *tx, void *argument, struct error *err)
{
	(void)argument;
	enum err_kind kind = sql_run(tx->sql, SQL_COUNTERS_DELETE, SQL_NO_ARGS, NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_COUNTERS_REBUILD_DAYS, SQL_ARGS(sql_int(US_PER_DAY)),
			       NULL, err);
	if (kind == ERR_NONE)
		kind = rebuild_ordinals(tx, SCALE_FINE, FINE_POSTS, err);
	if (kind == ERR_NONE)
		kind = rebuild_ordinals(tx, SCALE_COARSE, COARSE_POSTS, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_WORK_RECOUNT, SQL_NO_ARGS, NULL, err);
	if (kind == ERR_NONE)
		kind = store_tally_rebuild(tx, err);
	if (kind != ERR_NONE)
		return kind;
	return sql_run(tx->sql, SQL_META_PUT, SQL_ARGS(sql_word(WRONG_MARK), sql_int(0)), NULL,
		       err);
}

enum err_kind store_counters_rebuild(struct store *store, struct error *err)
{
	const enum err_kind kind = store_write(store, rebuild, NULL, err);
	if (kind == ERR_NONE)
		atomic_store(&store->has_wrong_counters, false);
	return kind;
}

enum err_kind store_counters_mend(struct store *store, bool is_start, bool *is_mended_out,
				  struct error *err)
{
	int64_t mark = 0;
	*is_mended_out = false;
	if (is_start) {
		const enum err_kind kind = store_number(store, SQL_META_GET,
							SQL_ARGS(sql_word(WRONG_MARK)), &mark, err);
		if (kind != ERR_NONE)
			return kind;
	}
	if (mark == 0 && !atomic_load(&store->has_wrong_counters))
		return ERR_NONE;
	*is_mended_out = true;
	return store_counters_rebuild(store, err);
}
