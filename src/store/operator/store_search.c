/* SPDX-License-Identifier: Apache-2.0
 * See store_search.h. What costs is a word of which only the beginning was typed: SQLite puts
 * all posts of all words that begin so together before it gives the first (2.6 us each), and
 * PostgreSQL so too for a word that many posts hold. So on SQLite a beginning is asked as such
 * while few posts are behind it, else as the few words that begin so, each of which is read from
 * the newest on; and when these are many as well, the posts themselves are read back from the
 * newest. On PostgreSQL the newest rows of the index are read first, and the index is asked when
 * they have too little. */
#include "store_search.h"

#include "arena.h"
#include "buf.h"

#include "post_words.h"

#include "store_private.h"

/* Of what words find, so many are looked at together, so many times. */
#define WINDOW_WORDED 250
#define WINDOWS_MAX 20
/* A post's doc is at most so much later than its time (store_words.c). */
#define WORD_SPREAD_US (17 * US_PER_MS)
/* Posts are read so many at a time, so many times: 10 to 30 us each. */
#define WALK_WINDOWS_MAX 8
#define WALK_ARENA_BYTES ((size_t)64 << 20)
#define QUESTION_MAX_BYTES ((size_t)8192)
/* Above all words that begin alike, and above one word alone. */
#define BEHIND_ALL "\xf4\x8f\xbf\xbf"
#define BEHIND_ONE "\x01"

static const struct dashboard_costs ordinary = {
	.begin_posts = 10000,
	.begin_words = DASHBOARD_BEGIN_WORDS_MAX,
	.newest_rows = 3000,
	.walk_posts = 250,
};

struct search {
	const struct dashboard_costs *costs;
	struct arena *arena;
	const struct dashboard_filter *filter;
	struct dashboard_page *page;
	struct post_word words[POST_WORDS_ASKED_MAX];
	size_t word_count;
	struct str question; /* as the database's index is asked; empty: the posts are read */
	int64_t doc;         /* where to go on; 0 = nowhere */
};

static bool is_full(const struct search *s)
{
	return (int64_t)s->page->count >= s->filter->max;
}

/* ---- the question ---- */

/* Words hold no quote and no sign. */
static void add_word(struct buf *out, struct sql_connection *sql, struct str word, bool is_begin)
{
	const bool is_shared = sql_is_shared(sql);
	const char *quote = is_shared ? "'" : "\"";
	const char *begin = is_shared ? ":*" : "*";
	buf_addf(out, "%s" STR_FMT "%s%s", quote, STR_ARG(word), quote, is_begin ? begin : "");
}

struct beginning {
	struct str words[DASHBOARD_BEGIN_WORDS_MAX];
	size_t count;
	bool is_common; /* behind it are more posts than are put together */
	bool has_more;  /* and more words than are asked for */
};

static enum err_kind look_up_words(struct sql_connection *sql, const struct search *s,
				   struct str begin, struct beginning *out, struct error *err)
{
	struct arena *arena = s->arena;
	struct str from = begin;
	enum err_kind kind = ERR_NONE;
	while (kind == ERR_NONE) {
		struct str next = {0};
		kind = sql_find(sql, arena,
				SQL_ROW(SQL_WORDS_NEXT, SQL_ARGS(sql_text(from)), store_text_read),
				&next, "word", err);
		if (kind != ERR_NONE || !str_has_prefix(next, begin))
			break;
		out->has_more = out->count == s->costs->begin_words;
		if (out->has_more)
			break;
		out->words[out->count++] = next;
		from = str_concat(arena, next, STR(BEHIND_ONE));
	}
	return kind == ERR_NOT_FOUND ? ERR_NONE : kind;
}

static enum err_kind look_up_beginning(struct sql_connection *sql, const struct search *s,
				       struct str begin, struct beginning *out, struct error *err)
{
	struct str end = str_concat(s->arena, begin, STR(BEHIND_ALL));
	int64_t posts = 0;
	if (sql_is_shared(sql))
		return ERR_NONE;
	const enum err_kind kind = sql_number(
		sql, SQL_WORDS_BEHIND,
		SQL_ARGS(sql_text(begin), sql_text(end), sql_int(s->costs->begin_posts + 1)),
		&posts, err);
	out->is_common = posts > s->costs->begin_posts;
	return kind == ERR_NONE && out->is_common ? look_up_words(sql, s, begin, out, err) : kind;
}

static void add_any(struct buf *out, struct sql_connection *sql, const struct beginning *beginning)
{
	buf_add_char(out, '(');
	for (size_t i = 0; i < beginning->count; i++) {
		buf_add(out, i > 0 ? STR(" OR ") : STR(""));
		add_word(out, sql, beginning->words[i], false);
	}
	buf_add_char(out, ')');
}

/* The app's word and those that were asked for. */
static enum err_kind make_question(struct sql_connection *sql, struct search *s, struct error *err)
{
	const struct str and = sql_is_shared(sql) ? STR(" & ") : STR(" AND ");
	struct buf out;
	buf_init(&out, s->arena, QUESTION_MAX_BYTES);
	add_word(&out, sql, store_words_app(s->arena, s->filter->app_id), false);
	for (size_t i = 0; i < s->word_count; i++) {
		const struct post_word *word = &s->words[i];
		struct beginning beginning = {.count = 0};
		const enum err_kind kind =
			word->is_begin ? look_up_beginning(sql, s, word->text, &beginning, err)
				       : ERR_NONE;
		if (kind != ERR_NONE)
			return kind;
		if (beginning.has_more)
			return ERR_NONE;
		buf_add(&out, and);
		if (beginning.is_common)
			add_any(&out, sql, &beginning);
		else
			add_word(&out, sql, word->text, word->is_begin);
	}
	s->question = buf_str(&out);
	return ERR_NONE;
}

/* ---- of the index ---- */

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

/* The next that the words find, and of these those that fit. *count_out: all of them. */
static enum err_kind find_next(struct sql_connection *sql, struct search *s, enum sql_name name,
			       size_t *count_out, struct error *err)
{
	const struct dashboard_filter *filter = s->filter;
	struct worded_place *found = NULL;
	size_t count = 0;
	const enum err_kind kind = sql_list(
		sql, s->arena,
		SQL_ROWS(name,
			 SQL_ARGS(sql_text(filter->app_id), sql_int(filter->below_ordinal),
				  sql_int(s->doc), sql_int(filter->date_from_us),
				  sql_int(filter->date_to_us != 0 ? filter->date_to_us : INT64_MAX),
				  sql_int(filter->platform_mask), sql_text(filter->user_id),
				  sql_text(filter->account_id), sql_text(s->question),
				  sql_text(filter->error_code), sql_text(filter->status),
				  sql_int(name == SQL_DASHBOARD_WORDS ? WINDOW_WORDED
								      : s->costs->newest_rows)),
			 worded_read, struct worded_place),
		(void **)&found, &count, err);
	for (size_t i = 0; i < count && !is_full(s); i++) {
		s->page->looked_down_to = found[i].place.ordinal;
		if (found[i].fits)
			s->page->places[s->page->count++] = found[i].place;
	}
	if (kind == ERR_NONE && count > 0)
		s->doc = found[count - 1].doc;
	*count_out = count;
	return kind;
}

/* A word that is common stands in many of the newest. */
static enum err_kind find_newest(struct sql_connection *sql, struct search *s, struct error *err)
{
	size_t count = 0;
	int64_t last = 0;
	if (!sql_is_shared(sql))
		return ERR_NONE;
	enum err_kind kind = sql_number(
		sql, SQL_WORDS_ROW_BELOW,
		SQL_ARGS(sql_int(s->doc), sql_int(s->costs->newest_rows - 1)), &last, err);
	if (kind == ERR_NONE)
		kind = find_next(sql, s, SQL_DASHBOARD_WORDS_NEWEST, &count, err);
	if (!is_full(s))
		s->doc = last;
	return kind;
}

/* Below the post that the last page ended with. */
static enum err_kind find_beginning(struct sql_connection *sql, struct search *s, struct error *err)
{
	int64_t created_at_us = 0;
	s->doc = INT64_MAX;
	if (s->filter->below_ordinal == INT64_MAX)
		return ERR_NONE;
	const enum err_kind kind =
		sql_number(sql, SQL_DASHBOARD_CREATED_AT,
			   SQL_ARGS(sql_text(s->filter->app_id), sql_int(s->filter->below_ordinal)),
			   &created_at_us, err);
	s->doc = store_words_first_doc(created_at_us + WORD_SPREAD_US);
	return kind;
}

static enum err_kind search_index(struct sql_connection *sql, struct search *s, struct error *err)
{
	enum err_kind kind = find_beginning(sql, s, err);
	if (kind == ERR_NONE)
		kind = find_newest(sql, s, err);
	for (int i = 0; i < WINDOWS_MAX && kind == ERR_NONE && s->doc > 0 && !is_full(s); i++) {
		size_t count = 0;
		kind = find_next(sql, s, SQL_DASHBOARD_WORDS, &count, err);
		if (count < WINDOW_WORDED)
			s->doc = 0;
	}
	if (s->doc == 0 && !is_full(s))
		s->page->looked_down_to = 0;
	return kind;
}

/* ---- of the posts themselves ---- */

struct read_post {
	struct dashboard_place place;
	struct str content;
};

static void read_post_read(struct sql_cursor *cursor, void *out)
{
	struct read_post *post = out;
	post->place.ordinal = sql_take_int(cursor);
	post->place.created_at_us = sql_take_int(cursor);
	post->content = sql_take_text(cursor);
}

static bool holds_words(const struct search *s, struct arena *scratch, struct str content)
{
	struct post_content parsed = {0};
	if (post_content_read(scratch, content, &parsed, NULL) != ERR_NONE)
		return false;
	const struct str text =
		str_format(scratch, " " STR_FMT " ", STR_ARG(post_words_of(scratch, &parsed)));
	for (size_t i = 0; i < s->word_count; i++) {
		const struct str word =
			str_format(scratch, " " STR_FMT "%s", STR_ARG(s->words[i].text),
				   s->words[i].is_begin ? "" : " ");
		if (str_find(text, word, 0) == SIZE_MAX)
			return false;
	}
	return true;
}

static enum err_kind read_window(struct sql_connection *sql, struct search *s, int64_t below,
				 int64_t from, struct error *err)
{
	const struct dashboard_filter *filter = s->filter;
	struct arena *scratch = arena_new("posts that are read", WALK_ARENA_BYTES);
	struct read_post *posts = NULL;
	size_t count = 0;
	const enum err_kind kind = sql_list(
		sql, scratch,
		SQL_ROWS(SQL_DASHBOARD_READ,
			 SQL_ARGS(sql_text(filter->app_id), sql_int(below), sql_int(from),
				  sql_int(filter->date_from_us),
				  sql_int(filter->date_to_us != 0 ? filter->date_to_us : INT64_MAX),
				  sql_int(filter->platform_mask), sql_text(filter->user_id),
				  sql_text(filter->account_id), sql_text(filter->error_code),
				  sql_text(filter->status)),
			 read_post_read, struct read_post),
		(void **)&posts, &count, err);
	for (size_t i = 0; kind == ERR_NONE && i < count && !is_full(s); i++) {
		if (holds_words(s, scratch, posts[i].content))
			s->page->places[s->page->count++] = posts[i].place;
	}
	s->page->looked_down_to = from;
	arena_free(&scratch);
	return kind;
}

static enum err_kind read_posts(struct sql_connection *sql, struct search *s, struct error *err)
{
	int64_t last = 0;
	enum err_kind kind = sql_number(sql, SQL_DASHBOARD_LAST_ORDINAL,
					SQL_ARGS(sql_text(s->filter->app_id)), &last, err);
	int64_t below = s->filter->below_ordinal <= last ? s->filter->below_ordinal : last + 1;
	for (int i = 0; i < WALK_WINDOWS_MAX && kind == ERR_NONE && below > 1 && !is_full(s); i++) {
		const int64_t window = s->costs->walk_posts;
		const int64_t from = below > window + 1 ? below - window : 1;
		kind = read_window(sql, s, below, from, err);
		below = from;
	}
	return kind;
}

enum err_kind store_search(struct sql_connection *sql, struct arena *arena,
			   const struct dashboard_filter *filter, struct dashboard_page *page,
			   struct error *err)
{
	struct search search = {.costs = filter->costs != NULL ? filter->costs : &ordinary,
				.arena = arena,
				.filter = filter,
				.page = page};
	page->looked_down_to = 0;
	search.word_count = post_words_asked(arena, filter->text, search.words);
	if (search.word_count == 0)
		return ERR_NONE;
	const enum err_kind kind = make_question(sql, &search, err);
	if (kind != ERR_NONE)
		return kind;
	return str_is_empty(search.question) ? read_posts(sql, &search, err)
					     : search_index(sql, &search, err);
}
