/* SPDX-License-Identifier: Apache-2.0
 * See store_dashboard.h. */
#include "store_dashboard.h"

#include "arena.h"
#include "buf.h"
#include "clock.h"
#include "count_of.h"

#include "json_write.h"

#include "store_post_rows.h"
#include "store_private.h"
#include "store_search.h"

#define LIST_MAX_BYTES ((size_t)65536)
/* Posts that failed so, or are of an account, are looked at together, so many times. */
#define WINDOW_CANDIDATES 250
#define WINDOWS_MAX 20
/* A clock that was set back may have dated a post before it was made, by so much. */
#define MADE_LATER_US US_PER_HOUR

/* ---- pages ---- */

static void place_read(struct sql_cursor *cursor, void *out)
{
	struct dashboard_place *place = out;
	place->ordinal = sql_take_int(cursor);
	place->created_at_us = sql_take_int(cursor);
}

/* Of the four statuses, in the order of DASHBOARD_PAGE. */
static const char *const statuses[] = {"pending", "scheduled", "published", "failed"};
#define STATUS_COUNT COUNT_OF(statuses)

struct finding {
	struct arena *arena;
	const struct dashboard_filter *filter;
	bool trusts_counters;
	struct dashboard_page page;
};

/* What a page has to look for between two dates: else it would read an app's whole order for a day
 * that is long past, or has no post. */
struct span {
	int64_t below;                 /* ordinals */
	int64_t at_most[STATUS_COUNT]; /* posts */
};

static bool are_whole_days(const struct dashboard_filter *filter)
{
	return filter->date_from_us % US_PER_DAY == 0 && filter->date_to_us % US_PER_DAY == 0;
}

/* How many there are of each status: exact, whatever else the filter leaves out. */
static enum err_kind count_span(struct sql_connection *sql, const struct finding *f,
				struct span *span, struct error *err)
{
	const struct dashboard_filter *filter = f->filter;
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < STATUS_COUNT && kind == ERR_NONE; i++) {
		int64_t total = 0;
		kind = counters_total(sql, filter->app_id, str_of(statuses[i]),
				      filter->date_from_us, filter->date_to_us, &total, err);
		if (total < filter->max)
			span->at_most[i] = total;
	}
	return kind;
}

/* No post was made after its date, and ordinals grow with the time of making: the first that was
 * made when the span is over is found by halves. */
static enum err_kind end_span(struct sql_connection *sql, const struct dashboard_filter *filter,
			      struct span *span, struct error *err)
{
	int64_t low = 1, high = 0;
	enum err_kind kind = sql_number(sql, SQL_DASHBOARD_LAST_ORDINAL,
					SQL_ARGS(sql_text(filter->app_id)), &high, err);
	high++;
	while (kind == ERR_NONE && low < high) {
		const int64_t middle = low + (high - low) / 2;
		int64_t created_at_us = 0;
		kind = sql_number(sql, SQL_DASHBOARD_CREATED_AT,
				  SQL_ARGS(sql_text(filter->app_id), sql_int(middle)),
				  &created_at_us, err);
		if (created_at_us == 0)
			return kind; /* no such post: nothing is known of those around it */
		if (created_at_us < filter->date_to_us + MADE_LATER_US)
			low = middle + 1;
		else
			high = middle;
	}
	if (kind == ERR_NONE && high < span->below)
		span->below = high;
	return kind;
}

static enum err_kind find_span(struct sql_connection *sql, const struct finding *f,
			       struct span *span, struct error *err)
{
	const struct dashboard_filter *filter = f->filter;
	const bool has_dates = filter->date_from_us != 0 || filter->date_to_us != 0;
	for (size_t i = 0; i < STATUS_COUNT; i++)
		span->at_most[i] = filter->max;
	enum err_kind kind = has_dates && f->trusts_counters && are_whole_days(filter)
				     ? count_span(sql, f, span, err)
				     : ERR_NONE;
	if (kind == ERR_NONE && filter->date_to_us != 0)
		kind = end_span(sql, filter, span, err);
	return kind;
}

/* Those in the app's order, which has them all. */
static enum err_kind find_in_order(struct sql_connection *sql, struct finding *f, struct error *err)
{
	const struct dashboard_filter *filter = f->filter;
	struct span span = {.below = filter->below_ordinal};
	struct dashboard_place *places = NULL;
	size_t count = 0;
	enum err_kind kind = find_span(sql, f, &span, err);
	if (kind != ERR_NONE)
		return kind;
	kind = sql_list(
		sql, f->arena,
		SQL_ROWS(SQL_DASHBOARD_PAGE,
			 SQL_ARGS(sql_text(filter->app_id), sql_int(span.below), sql_int(1),
				  sql_int(filter->date_from_us),
				  sql_int(filter->date_to_us != 0 ? filter->date_to_us : INT64_MAX),
				  sql_int(filter->platform_mask), sql_text(filter->user_id),
				  sql_text(filter->account_id), sql_text(filter->error_code),
				  sql_text(filter->status), sql_int(filter->max),
				  sql_int(span.at_most[0]), sql_int(span.at_most[1]),
				  sql_int(span.at_most[2]), sql_int(span.at_most[3])),
			 place_read, *places),
		(void **)&places, &count, err);
	for (size_t i = 0; kind == ERR_NONE && i < count; i++)
		f->page.places[f->page.count++] = places[i];
	f->page.looked_down_to = 1;
	return kind;
}

/* Its own order of posts finds them. */
static bool is_of_app(const struct dashboard_filter *filter)
{
	return str_is_empty(filter->user_id) && str_is_empty(filter->account_id) &&
	       str_is_empty(filter->error_code);
}

/* ---- by how they failed, and by accounts ---- */

struct candidate {
	struct dashboard_place place;
	bool fits;
};

static void candidate_read(struct sql_cursor *cursor, void *out)
{
	struct candidate *candidate = out;
	place_read(cursor, &candidate->place);
	candidate->fits = sql_take_bool(cursor);
}

/* The next candidates below, and of these those that fit. */
static enum err_kind find_among(struct sql_connection *sql, struct finding *f, struct error *err)
{
	const struct dashboard_filter *filter = f->filter;
	const enum sql_name name = !str_is_empty(filter->error_code) ? SQL_DASHBOARD_FAILED
								     : SQL_DASHBOARD_OF_ACCOUNTS;
	struct candidate *found = NULL;
	size_t count = 0;
	const enum err_kind kind = sql_list(
		sql, f->arena,
		SQL_ROWS(name,
			 SQL_ARGS(sql_text(filter->app_id), sql_int(f->page.looked_down_to),
				  sql_int(0), sql_int(filter->date_from_us),
				  sql_int(filter->date_to_us != 0 ? filter->date_to_us : INT64_MAX),
				  sql_int(filter->platform_mask), sql_text(filter->user_id),
				  sql_text(filter->account_id), sql_text(STR("")),
				  sql_text(filter->error_code), sql_text(filter->status),
				  sql_int(WINDOW_CANDIDATES)),
			 candidate_read, *found),
		(void **)&found, &count, err);
	for (size_t i = 0; i < count && (int64_t)f->page.count < filter->max; i++) {
		f->page.looked_down_to = found[i].place.ordinal;
		if (found[i].fits)
			f->page.places[f->page.count++] = found[i].place;
	}
	if (count < WINDOW_CANDIDATES && (int64_t)f->page.count < filter->max)
		f->page.looked_down_to = 0;
	return kind;
}

static enum err_kind find_places(struct sql_connection *sql, void *argument, struct error *err)
{
	struct finding *f = argument;
	f->page.count = 0;
	f->page.looked_down_to = f->filter->below_ordinal;
	if (!str_is_empty(f->filter->text))
		return store_search(sql, f->arena, f->filter, &f->page, err);
	if (is_of_app(f->filter))
		return find_in_order(sql, f, err);
	enum err_kind kind = ERR_NONE;
	for (int i = 0; i < WINDOWS_MAX && kind == ERR_NONE && f->page.looked_down_to > 1 &&
			(int64_t)f->page.count < f->filter->max;
	     i++)
		kind = find_among(sql, f, err);
	return kind;
}

enum err_kind store_dashboard_find(struct store *store, struct arena *arena,
				   const struct dashboard_filter *filter,
				   struct dashboard_page *out, struct error *err)
{
	struct finding finding = {.arena = arena,
				  .filter = filter,
				  .trusts_counters = !atomic_load(&store->has_wrong_counters)};
	finding.page.places = ARENA_ARRAY(arena, struct dashboard_place, (size_t)filter->max);
	const enum err_kind kind = store_read(store, find_places, &finding, err);
	if (kind == ERR_NONE)
		*out = finding.page;
	return kind;
}

struct totalling {
	const struct dashboard_filter *filter;
	int64_t *total_out;
};

static enum err_kind read_total(struct sql_connection *sql, void *argument, struct error *err)
{
	const struct totalling *t = argument;
	return counters_total(sql, t->filter->app_id, t->filter->status, t->filter->date_from_us,
			      t->filter->date_to_us, t->total_out, err);
}

enum err_kind store_dashboard_total(struct store *store, const struct dashboard_filter *filter,
				    int64_t *total_out, struct error *err)
{
	struct totalling totalling = {filter, total_out};
	*total_out = -1;
	if (!is_of_app(filter) || !str_is_empty(filter->text) || filter->platform_mask != 0)
		return ERR_NONE;
	return store_read(store, read_total, &totalling, err);
}

struct fetching {
	struct arena *arena;
	struct str app_id;
	struct str ordinals; /* JSON array */
	struct post_row *posts;
	size_t count;
};

static enum err_kind fetch_posts(struct sql_connection *sql, void *argument, struct error *err)
{
	struct fetching *f = argument;
	const enum err_kind kind =
		sql_list(sql, f->arena,
			 SQL_ROWS(SQL_POST_LIST_BY_ORDINALS,
				  SQL_ARGS(sql_text(f->app_id), sql_text(f->ordinals)), post_read,
				  struct post_row),
			 (void **)&f->posts, &f->count, err);
	return kind == ERR_NONE ? store_post_add_deliveries(sql, f->arena, f->posts, f->count, err)
				: kind;
}

enum err_kind store_dashboard_posts(struct store *store, struct arena *arena, struct str app_id,
				    const int64_t *ordinals, size_t ordinal_count,
				    struct post_row **out, size_t *count_out, struct error *err)
{
	struct fetching fetching = {.arena = arena, .app_id = app_id};
	struct buf list;
	struct json_writer w;
	buf_init(&list, arena, LIST_MAX_BYTES);
	json_writer_init(&w, &list);
	json_begin_array(&w);
	for (size_t i = 0; i < ordinal_count; i++)
		json_put_int(&w, ordinals[i]);
	json_end_array(&w);
	if (list.is_over)
		return error_set(err, ERR_TOO_LARGE, "too many posts at once");
	fetching.ordinals = buf_str(&list);
	const enum err_kind kind = store_read(store, fetch_posts, &fetching, err);
	if (kind != ERR_NONE)
		return kind;
	*out = fetching.posts;
	*count_out = fetching.count;
	return ERR_NONE;
}

/* ---- days ---- */

static void day_read(struct sql_cursor *cursor, void *out)
{
	struct dashboard_day *day = out;
	day->day = sql_take_int(cursor);
	day->status = sql_take_text(cursor);
	day->count = sql_take_int(cursor);
}

enum err_kind store_dashboard_days(struct store *store, struct arena *arena, struct str app_id,
				   int64_t from_day, int64_t to_day, struct dashboard_day **out,
				   size_t *count_out, struct error *err)
{
	return store_list(store, arena,
			  SQL_ROWS(SQL_DASHBOARD_DAYS,
				   SQL_ARGS(sql_text(app_id), sql_int(from_day), sql_int(to_day)),
				   day_read, struct dashboard_day),
			  (void **)out, count_out, err);
}

/* ---- what accounts published ---- */

static void use_read(struct sql_cursor *cursor, void *out)
{
	struct dashboard_use *use = out;
	use->platform = (enum platform_id)sql_take_int(cursor);
	use->account_id = sql_take_text(cursor);
	use->handle = sql_take_text(cursor);
	use->published = sql_take_int(cursor);
	use->published_lately = sql_take_int(cursor);
}

enum err_kind store_dashboard_uses(struct store *store, struct arena *arena,
				   const struct dashboard_use_question *question,
				   struct dashboard_use **out, size_t *count_out, struct error *err)
{
	return store_list(
		store, arena,
		SQL_ROWS(SQL_DASHBOARD_USES,
			 SQL_ARGS(sql_text(question->app_id), sql_int(question->since_us),
				  sql_int(DASHBOARD_PUBLISHED_MAX), sql_int(question->lately_us)),
			 use_read, struct dashboard_use),
		(void **)out, count_out, err);
}
