/* SPDX-License-Identifier: Apache-2.0
 * See store_dashboard.h. */
#include "store_dashboard.h"

#include "arena.h"
#include "buf.h"

#include "json_write.h"

#include "post_words.h"

#include "store_post_rows.h"
#include "store_private.h"

#define LIST_MAX_BYTES ((size_t)65536)
/* Posts that are looked into for one page: 4 to 9 ms a window at 400,000 posts (2 cores,
 * 2026-11-22). */
#define WINDOW_POSTS 5000
#define WINDOWS_MAX 20
/* The same of posts that words find: each is a row of its own to be read. */
#define WINDOW_WORDED 250
#define QUESTION_MAX_BYTES ((size_t)4096)
/* A post's doc is at most so much later than its time (store_words.c). */
#define WORD_SPREAD_US (17 * US_PER_MS)

/* ---- pages ---- */

static void place_read(struct sql_cursor *cursor, void *out)
{
	struct dashboard_place *place = out;
	place->ordinal = sql_take_int(cursor);
	place->created_at_us = sql_take_int(cursor);
}

struct finding {
	struct arena *arena;
	const struct dashboard_filter *filter;
	struct dashboard_page page;
};

/* Adds those in [from, below) after the ones found so far. */
static enum err_kind find_within(struct sql_connection *sql, struct finding *f, int64_t below,
				 int64_t from, struct error *err)
{
	const struct dashboard_filter *filter = f->filter;
	struct dashboard_place *places = NULL;
	size_t count = 0;
	const enum err_kind kind = sql_list(
		sql, f->arena,
		SQL_ROWS(SQL_DASHBOARD_PAGE,
			 SQL_ARGS(sql_text(filter->app_id), sql_int(below), sql_int(from),
				  sql_int(filter->date_from_us),
				  sql_int(filter->date_to_us != 0 ? filter->date_to_us : INT64_MAX),
				  sql_int(filter->platform_mask), sql_text(filter->user_id),
				  sql_text(filter->account_id), sql_text(filter->error_code),
				  sql_text(filter->status),
				  sql_int(filter->max - (int64_t)f->page.count)),
			 place_read, *places),
		(void **)&places, &count, err);
	for (size_t i = 0; kind == ERR_NONE && i < count; i++)
		f->page.places[f->page.count++] = places[i];
	f->page.looked_down_to = from;
	return kind;
}

static bool is_helped_by_index(const struct dashboard_filter *filter)
{
	return str_is_empty(filter->user_id) && str_is_empty(filter->account_id) &&
	       str_is_empty(filter->error_code);
}

/* ---- by words ---- */

/* The app's word and those that were asked for, as the database's index is asked. Words hold no
 * quote and no sign. */
static struct str question_of(struct sql_connection *sql, struct finding *f)
{
	struct post_word words[POST_WORDS_ASKED_MAX];
	const bool is_shared = sql_is_shared(sql);
	const char *quote = is_shared ? "'" : "\"";
	const char *begin = is_shared ? ":*" : "*";
	const size_t count = post_words_asked(f->arena, f->filter->text, words);
	struct buf out;
	if (count == 0)
		return STR("");
	const struct str app = store_words_app(f->arena, f->filter->app_id);
	buf_init(&out, f->arena, QUESTION_MAX_BYTES);
	buf_addf(&out, "%s" STR_FMT "%s", quote, STR_ARG(app), quote);
	for (size_t i = 0; i < count; i++)
		buf_addf(&out, "%s%s" STR_FMT "%s%s", is_shared ? " & " : " AND ", quote,
			 STR_ARG(words[i].text), quote, words[i].is_begin ? begin : "");
	return buf_str(&out);
}

struct worded_place {
	int64_t doc;
	struct dashboard_place place;
	bool fits;
};

static void worded_read(struct sql_cursor *cursor, void *out)
{
	struct worded_place *worded = out;
	worded->doc = sql_take_int(cursor);
	worded->place.ordinal = sql_take_int(cursor);
	worded->place.created_at_us = sql_take_int(cursor);
	worded->fits = sql_take_bool(cursor);
}

/* The next that the words find, and of these those that fit. *doc: where to go on; 0 = nowhere. */
static enum err_kind find_worded(struct sql_connection *sql, struct finding *f, struct str question,
				 int64_t *doc, struct error *err)
{
	const struct dashboard_filter *filter = f->filter;
	struct worded_place *found = NULL;
	size_t count = 0;
	const enum err_kind kind = sql_list(
		sql, f->arena,
		SQL_ROWS(SQL_DASHBOARD_WORDS,
			 SQL_ARGS(sql_text(filter->app_id), sql_int(filter->below_ordinal),
				  sql_int(*doc), sql_int(filter->date_from_us),
				  sql_int(filter->date_to_us != 0 ? filter->date_to_us : INT64_MAX),
				  sql_int(filter->platform_mask), sql_text(filter->user_id),
				  sql_text(filter->account_id), sql_text(question),
				  sql_text(filter->error_code), sql_text(filter->status),
				  sql_int(WINDOW_WORDED)),
			 worded_read, *found),
		(void **)&found, &count, err);
	for (size_t i = 0; i < count && (int64_t)f->page.count < filter->max; i++) {
		f->page.looked_down_to = found[i].place.ordinal;
		if (found[i].fits)
			f->page.places[f->page.count++] = found[i].place;
	}
	*doc = count == WINDOW_WORDED ? found[count - 1].doc : 0;
	return kind;
}

/* All that the filter asks for beside words is looked at in what they find. */
static enum err_kind find_by_words(struct sql_connection *sql, struct finding *f, struct error *err)
{
	const struct str question = question_of(sql, f);
	int64_t doc = INT64_MAX, created_at_us = 0;
	enum err_kind kind = ERR_NONE;
	f->page.looked_down_to = 0;
	if (str_is_empty(question))
		return ERR_NONE;
	if (f->filter->below_ordinal != INT64_MAX) {
		kind = sql_number(
			sql, SQL_DASHBOARD_CREATED_AT,
			SQL_ARGS(sql_text(f->filter->app_id), sql_int(f->filter->below_ordinal)),
			&created_at_us, err);
		doc = store_words_first_doc(created_at_us + WORD_SPREAD_US);
	}
	for (int i = 0; i < WINDOWS_MAX && kind == ERR_NONE && doc > 0 &&
			(int64_t)f->page.count < f->filter->max;
	     i++)
		kind = find_worded(sql, f, question, &doc, err);
	if (doc == 0 && (int64_t)f->page.count < f->filter->max)
		f->page.looked_down_to = 0;
	return kind;
}

/* ---- the others ---- */

static enum err_kind find_places(struct sql_connection *sql, void *argument, struct error *err)
{
	struct finding *f = argument;
	int64_t last = 0;
	f->page.count = 0;
	if (!str_is_empty(f->filter->text))
		return find_by_words(sql, f, err);
	enum err_kind kind = sql_number(sql, SQL_DASHBOARD_LAST_ORDINAL,
					SQL_ARGS(sql_text(f->filter->app_id)), &last, err);
	int64_t below = f->filter->below_ordinal <= last ? f->filter->below_ordinal : last + 1;
	f->page.looked_down_to = below;
	if (kind == ERR_NONE && is_helped_by_index(f->filter))
		return find_within(sql, f, below, 1, err);
	for (int i = 0; i < WINDOWS_MAX && kind == ERR_NONE && below > 1 &&
			(int64_t)f->page.count < f->filter->max;
	     i++) {
		const int64_t from = below > WINDOW_POSTS + 1 ? below - WINDOW_POSTS : 1;
		kind = find_within(sql, f, below, from, err);
		below = from;
	}
	return kind;
}

enum err_kind store_dashboard_find(struct store *store, struct arena *arena,
				   const struct dashboard_filter *filter,
				   struct dashboard_page *out, struct error *err)
{
	struct finding finding = {.arena = arena, .filter = filter};
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
	if (!is_helped_by_index(filter) || !str_is_empty(filter->text) ||
	    filter->platform_mask != 0)
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

/* ---- outcomes ---- */

static void outcome_read(struct sql_cursor *cursor, void *out)
{
	struct dashboard_outcome *outcome = out;
	outcome->is_published = sql_take_int(cursor) == EVENT_POST_PUBLISH_SUCCEEDED;
	outcome->at_us = sql_take_int(cursor);
	outcome->platform = (enum platform_id)sql_take_int(cursor);
	outcome->account_id = sql_take_text(cursor);
	outcome->handle = sql_take_text(cursor);
	outcome->error_code = sql_take_text(cursor);
	outcome->published_at_us = sql_take_int(cursor);
	outcome->date_us = sql_take_int(cursor);
}

struct reach {
	int64_t count;
	int64_t oldest_us;
};

static void reach_read(struct sql_cursor *cursor, void *out)
{
	struct reach *reach = out;
	reach->count = sql_take_int(cursor);
	reach->oldest_us = sql_take_int(cursor);
}

struct looking_back {
	struct arena *arena;
	struct str app_id;
	int64_t since_us;
	struct reach reach;
	struct dashboard_outcome *outcomes;
	size_t count;
};

static enum err_kind look_back(struct sql_connection *sql, void *argument, struct error *err)
{
	struct looking_back *l = argument;
	const enum err_kind kind = sql_find(
		sql, l->arena,
		SQL_ROW(SQL_DASHBOARD_OUTCOMES_REACH,
			SQL_ARGS(sql_text(l->app_id), sql_int(DASHBOARD_EVENTS_MAX)), reach_read),
		&l->reach, "events", err);
	if (kind != ERR_NONE)
		return kind;
	return sql_list(sql, l->arena,
			SQL_ROWS(SQL_DASHBOARD_OUTCOMES,
				 SQL_ARGS(sql_text(l->app_id), sql_int(l->since_us),
					  sql_int(DASHBOARD_EVENTS_MAX),
					  sql_int(EVENT_POST_PUBLISH_SUCCEEDED),
					  sql_int(EVENT_POST_PUBLISH_FAILED)),
				 outcome_read, struct dashboard_outcome),
			(void **)&l->outcomes, &l->count, err);
}

enum err_kind store_dashboard_outcomes(struct store *store, struct arena *arena, struct str app_id,
				       int64_t since_us, struct dashboard_outcome **out,
				       size_t *count_out, bool *is_partial_out, struct error *err)
{
	struct looking_back looking = {.arena = arena, .app_id = app_id, .since_us = since_us};
	const enum err_kind kind = store_read(store, look_back, &looking, err);
	if (kind != ERR_NONE)
		return kind;
	*out = looking.outcomes;
	*count_out = looking.count;
	*is_partial_out =
		looking.reach.count == DASHBOARD_EVENTS_MAX && looking.reach.oldest_us > since_us;
	return ERR_NONE;
}
