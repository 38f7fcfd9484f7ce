/* SPDX-License-Identifier: Apache-2.0
 * See store_words.h. A post's place in the index is called its doc: the millisecond of its creation
 * times 4096, and a number among those of that time. So the newest are read first, whatever the
 * order in which they came in, and a post's doc is found by its creation time. The app of a post
 * stands among its words as one that nobody can type. */
#include "store_words.h"

#include "arena.h"
#include "buf.h"
#include "thread.h"

#include "post_words.h"
#include "store_private.h"

#define DOCS_PER_MS 4096
#define CONTENT_ARENA_BYTES ((size_t)16 << 20)
#define FORGET_ARENA_BYTES ((size_t)64 << 20) /* of STORE_WORDS_BATCH posts */
#define APP_WORD_BYTES 48
/* A step of writing parts anew, in pages of 4 KiB. */
#define PURGE_PAGES 250
/* Names in meta: the kind of words, and whether something was erased: 1 = a purge is to begin, 2 =
 * it is under way. */
#define FORMAT_NAME "words_format"
#define PURGE_NAME "words_purge"

enum purge { PURGE_NONE, PURGE_WANTED, PURGE_RUNS };

struct str store_words_app(struct arena *arena, struct str app_id)
{
	struct buf out;
	buf_init(&out, arena, APP_WORD_BYTES);
	buf_add_char(&out, '_');
	for (size_t i = 0; i < app_id.len; i++) {
		if (app_id.ptr[i] != '-')
			buf_add_char(&out, app_id.ptr[i]);
	}
	return buf_str(&out);
}

int64_t store_words_first_doc(int64_t created_at_us)
{
	return created_at_us / US_PER_MS * DOCS_PER_MS;
}

/* ---- the bell ---- */

enum err_kind store_words_bell_open(struct words_bell *bell, struct error *err)
{
	return thread_condition_init(&bell->lock, &bell->rang, err);
}

void store_words_bell_close(struct words_bell *bell)
{
	pthread_cond_destroy(&bell->rang);
	pthread_mutex_destroy(&bell->lock);
}

void store_words_leave(struct store_tx *tx)
{
	tx->sql->has_left_words = true;
}

static void wake_waiting(struct words_bell *bell, bool is_closed)
{
	pthread_mutex_lock(&bell->lock);
	bell->is_closed = bell->is_closed || is_closed;
	pthread_cond_signal(&bell->rang);
	pthread_mutex_unlock(&bell->lock);
}

/* While nobody listens, the next ones cost nothing. */
void store_words_ring(struct store *store)
{
	if (!atomic_exchange(&store->words_bell.is_rung, true))
		wake_waiting(&store->words_bell, false);
}

void store_words_wait_end(struct store *store)
{
	wake_waiting(&store->words_bell, true);
}

bool store_words_wait(struct store *store, int64_t timeout_ms)
{
	struct words_bell *bell = &store->words_bell;
	const struct timespec deadline = thread_deadline(timeout_ms * US_PER_MS);
	bool is_in_time = true;
	pthread_mutex_lock(&bell->lock);
	while (!atomic_load(&bell->is_rung) && !bell->is_closed && is_in_time) {
		if (timeout_ms > 0)
			is_in_time = thread_wait_until(&bell->rang, &bell->lock, &deadline);
		else
			pthread_cond_wait(&bell->rang, &bell->lock);
	}
	const bool is_rung = atomic_exchange(&bell->is_rung, false);
	pthread_mutex_unlock(&bell->lock);
	return is_rung;
}

/* ---- one post ---- */

struct worded_post {
	struct str id;
	int64_t ordinal;
	int64_t created_at_us;
	struct str content; /* as stored */
};

/* The app's word and those of the content; empty when it has none, or cannot be read. */
static struct str words_of(struct arena *arena, struct str app_id, struct str content)
{
	struct post_content parsed = {0};
	struct arena *scratch = arena_new("words of a post", CONTENT_ARENA_BYTES);
	struct str words = {0};
	if (post_content_read(scratch, content, &parsed, NULL) == ERR_NONE)
		words = post_words_of(scratch, &parsed);
	if (!str_is_empty(words))
		words = str_format(arena, STR_FMT " " STR_FMT,
				   STR_ARG(store_words_app(arena, app_id)), STR_ARG(words));
	arena_free(&scratch);
	return words;
}

static struct sql_call *add_call(struct arena *arena, struct sql_call ***end, enum sql_name name,
				 const struct sql_value values[static 3])
{
	struct sql_value *kept = ARENA_ARRAY(arena, struct sql_value, 3);
	struct sql_call *call = ARENA_ARRAY(arena, struct sql_call, 1);
	for (size_t i = 0; i < 3; i++)
		kept[i] = values[i];
	call->query.name = name;
	call->query.args = (struct sql_args){kept, 3};
	**end = call;
	*end = &call->next;
	return call;
}

/* Two statements at the end of a list that is run as one. */
static void add_post(struct arena *arena, struct sql_call ***end, struct str app_id,
		     const struct worded_post *post)
{
	const struct str words = words_of(arena, app_id, post->content);
	const struct sql_value values[] = {sql_int(store_words_first_doc(post->created_at_us)),
					   sql_text(post->id), sql_text(words)};
	if (str_is_empty(words))
		return;
	struct sql_call *place = add_call(arena, end, SQL_WORDS_DOC_ADD, values);
	place->query.args.count = 2;
	add_call(arena, end, SQL_WORDS_ADD, values);
}

static void drop_post(struct arena *arena, struct sql_call ***end, struct str app_id,
		      const struct worded_post *post)
{
	const struct str words = words_of(arena, app_id, post->content);
	const struct sql_value values[] = {sql_int(store_words_first_doc(post->created_at_us)),
					   sql_text(post->id), sql_text(words)};
	if (str_is_empty(words))
		return;
	add_call(arena, end, SQL_WORDS_DROP, values);
	struct sql_call *place = add_call(arena, end, SQL_WORDS_DOC_DROP, values);
	place->query.args.count = 2;
}

static void worded_read(struct sql_cursor *cursor, void *out)
{
	struct worded_post *post = out;
	post->id = sql_take_text(cursor);
	post->ordinal = sql_take_int(cursor);
	post->created_at_us = sql_take_int(cursor);
	post->content = sql_take_text(cursor);
}

/* ---- filling it ---- */

struct waiting_app {
	struct str id;
	int64_t last_ordinal;
};

static void waiting_read(struct sql_cursor *cursor, void *out)
{
	struct waiting_app *app = out;
	app->id = sql_take_text(cursor);
	app->last_ordinal = sql_take_int(cursor);
}

struct indexing {
	struct waiting_app app;
	int64_t posts;
};

/* Ordinals of an app are given without gaps and in the order of commits: all posts up to the last
 * that was seen are there. */
static enum err_kind index_posts(struct store_tx *tx, struct indexing *i, int64_t after,
				 struct error *err)
{
	const int64_t batch_end = after + STORE_WORDS_BATCH;
	const int64_t to = batch_end < i->app.last_ordinal ? batch_end : i->app.last_ordinal;
	struct worded_post *posts = NULL;
	size_t count = 0;
	struct sql_call *first = NULL;
	struct sql_call **end = &first;
	enum err_kind kind =
		sql_list(tx->sql, tx->arena,
			 SQL_ROWS(SQL_WORDS_POSTS,
				  SQL_ARGS(sql_text(i->app.id), sql_int(after), sql_int(to)),
				  worded_read, struct worded_post),
			 (void **)&posts, &count, err);
	if (kind != ERR_NONE)
		return kind;
	for (size_t at = 0; at < count; at++)
		add_post(tx->arena, &end, i->app.id, &posts[at]);
	if (first != NULL)
		kind = sql_run_all(tx->sql, tx->arena, first, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_WORDS_MARK_SET,
			       SQL_ARGS(sql_text(i->app.id), sql_int(to)), NULL, err);
	i->posts = to - after;
	return kind;
}

static void number_read(struct sql_cursor *cursor, void *out)
{
	*(int64_t *)out = sql_take_int(cursor);
}

static enum err_kind index_app(struct store_tx *tx, void *argument, struct error *err)
{
	struct indexing *i = argument;
	const struct sql_args args = SQL_ARGS(sql_text(i->app.id));
	int64_t after = 0;
	i->posts = 0;
	enum err_kind kind = sql_run(tx->sql, SQL_WORDS_MARK_MAKE, args, NULL, err);
	if (kind == ERR_NONE)
		kind = sql_find(tx->sql, tx->arena, SQL_ROW(SQL_WORDS_MARK_TAKE, args, number_read),
				&after, "mark", err);
	if (kind == ERR_NOT_FOUND)
		return ERR_NONE;
	return kind == ERR_NONE && after < i->app.last_ordinal ? index_posts(tx, i, after, err)
							       : kind;
}

enum err_kind store_words_index(struct store *store, int64_t *posts_out, struct error *err)
{
	struct arena *arena = arena_new("waiting words", (size_t)64 << 10);
	struct indexing indexing = {0};
	enum err_kind kind =
		store_find(store, arena, SQL_ROW(SQL_WORDS_WAITING, SQL_NO_ARGS, waiting_read),
			   &indexing.app, "waiting app", err);
	if (kind == ERR_NONE)
		kind = store_write_beside(store, index_app, &indexing, err);
	else if (kind == ERR_NOT_FOUND)
		kind = ERR_NONE;
	*posts_out = kind == ERR_NONE ? indexing.posts : 0;
	arena_free(&arena);
	return kind;
}

enum err_kind store_words_waiting(struct store *store, struct str app_id, int64_t *posts_out,
				  struct error *err)
{
	return store_number(store, SQL_WORDS_WAITING_OF, SQL_ARGS(sql_text(app_id)), posts_out,
			    err);
}

/* ---- posts that change ---- */

/* Is it in the index? The mark stays as it is until the transaction ends. */
static enum err_kind is_indexed(struct store_tx *tx, struct str app_id, int64_t ordinal, bool *out,
				struct error *err)
{
	const struct sql_args args = SQL_ARGS(sql_text(app_id));
	int64_t mark = 0;
	enum err_kind kind = sql_run(tx->sql, SQL_WORDS_MARK_MAKE, args, NULL, err);
	if (kind == ERR_NONE)
		kind = sql_number(tx->sql, SQL_WORDS_MARK_LOCK, args, &mark, err);
	*out = mark >= ordinal;
	return kind;
}

static enum err_kind find_post(struct store_tx *tx, struct str post_id, struct worded_post *out,
			       struct error *err)
{
	return sql_find(tx->sql, tx->arena,
			SQL_ROW(SQL_WORDS_POST, SQL_ARGS(sql_text(post_id)), worded_read), out,
			"post", err);
}

static enum err_kind want_purge(struct store_tx *tx, struct error *err)
{
	if (sql_is_shared(tx->sql))
		return ERR_NONE;
	store_words_leave(tx);
	return sql_run(tx->sql, SQL_META_PUT, SQL_ARGS(sql_word(PURGE_NAME), sql_int(PURGE_WANTED)),
		       NULL, err);
}

enum err_kind store_words_change(struct store_tx *tx, struct str app_id, struct str post_id,
				 struct str content, struct error *err)
{
	struct worded_post post = {0};
	bool is_in = false;
	struct sql_call *first = NULL;
	struct sql_call **end = &first;
	enum err_kind kind = find_post(tx, post_id, &post, err);
	if (kind == ERR_NONE)
		kind = is_indexed(tx, app_id, post.ordinal, &is_in, err);
	if (kind != ERR_NONE || !is_in)
		return kind;
	drop_post(tx->arena, &end, app_id, &post);
	post.content = content;
	add_post(tx->arena, &end, app_id, &post);
	return first != NULL ? sql_run_all(tx->sql, tx->arena, first, err) : ERR_NONE;
}

enum err_kind store_words_forget(struct store_tx *tx, struct str app_id, struct str post_id,
				 struct error *err)
{
	const enum err_kind kind = store_words_change(tx, app_id, post_id, STR(""), err);
	return kind == ERR_NONE ? want_purge(tx, err) : kind;
}

/* Of posts whose words have to be told to the index, some at a time: their texts may be long. */
static enum err_kind forget_some(struct store_tx *tx, struct sql_args range, struct str app_id,
				 struct error *err)
{
	struct arena *scratch = arena_new("posts to forget", FORGET_ARENA_BYTES);
	struct worded_post *posts = NULL;
	size_t count = 0;
	struct sql_call *first = NULL;
	struct sql_call **end = &first;
	enum err_kind kind = sql_list(
		tx->sql, scratch, SQL_ROWS(SQL_WORDS_POSTS, range, worded_read, struct worded_post),
		(void **)&posts, &count, err);
	for (size_t i = 0; i < count && kind == ERR_NONE; i++)
		drop_post(scratch, &end, app_id, &posts[i]);
	if (kind == ERR_NONE && first != NULL)
		kind = sql_run_all(tx->sql, scratch, first, err);
	arena_free(&scratch);
	return kind;
}

enum err_kind store_words_forget_posts(struct store_tx *tx, struct str app_id, int64_t after,
				       int64_t to, struct error *err)
{
	const struct sql_value app = sql_text(app_id);
	bool is_in = false;
	enum err_kind kind = is_indexed(tx, app_id, after + 1, &is_in, err);
	if (kind != ERR_NONE || !is_in)
		return kind;
	if (sql_is_shared(tx->sql)) {
		const struct sql_args range = SQL_ARGS(app, sql_int(after), sql_int(to));
		kind = sql_run(tx->sql, SQL_WORDS_DROP_RANGE, range, NULL, err);
		return kind == ERR_NONE
			       ? sql_run(tx->sql, SQL_WORDS_DOCS_DROP_RANGE, range, NULL, err)
			       : kind;
	}
	for (int64_t at = after; at < to && kind == ERR_NONE; at += STORE_WORDS_BATCH) {
		const int64_t end = at + STORE_WORDS_BATCH < to ? at + STORE_WORDS_BATCH : to;
		kind = forget_some(tx, SQL_ARGS(app, sql_int(at), sql_int(end)), app_id, err);
	}
	return kind == ERR_NONE ? want_purge(tx, err) : kind;
}

/* ---- bytes of what was erased ---- */

struct purging {
	enum purge purge;
	bool is_more;
};

/* The first step puts all parts into one merge, the others go on with it. One that writes nothing
 * found it done. */
static enum err_kind purge_step(struct store_tx *tx, void *argument, struct error *err)
{
	struct purging *p = argument;
	int64_t before = 0, after = 0, state = 0;
	const struct sql_value name = sql_word(PURGE_NAME);
	enum err_kind kind = sql_number(tx->sql, SQL_META_GET, SQL_ARGS(name), &state, err);
	p->is_more = false;
	if (kind != ERR_NONE || state == PURGE_NONE)
		return kind;
	const int64_t pages = state == PURGE_WANTED ? -PURGE_PAGES : PURGE_PAGES;
	kind = sql_number(tx->sql, SQL_WORDS_CHANGES, SQL_NO_ARGS, &before, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_WORDS_MERGE, SQL_ARGS(sql_int(pages)), NULL, err);
	if (kind == ERR_NONE)
		kind = sql_number(tx->sql, SQL_WORDS_CHANGES, SQL_NO_ARGS, &after, err);
	if (kind != ERR_NONE)
		return kind;
	p->is_more = state == PURGE_WANTED || after - before >= 2;
	return sql_run(tx->sql, SQL_META_PUT,
		       SQL_ARGS(name, sql_int(p->is_more ? PURGE_RUNS : PURGE_NONE)), NULL, err);
}

enum err_kind store_words_purge(struct store *store, bool *is_more_out, struct error *err)
{
	struct purging purging = {0};
	int64_t state = 0;
	*is_more_out = false;
	if (sql_is_shared(store->sql))
		return ERR_NONE;
	enum err_kind kind =
		store_number(store, SQL_META_GET, SQL_ARGS(sql_word(PURGE_NAME)), &state, err);
	if (kind == ERR_NONE && state != PURGE_NONE)
		kind = store_write_beside(store, purge_step, &purging, err);
	*is_more_out = kind == ERR_NONE && purging.is_more;
	return kind;
}

/* ---- from the beginning ---- */

static enum err_kind empty(struct store_tx *tx, void *argument, struct error *err)
{
	static const enum sql_name statements[] = {SQL_WORDS_EMPTY, SQL_WORDS_DOCS_EMPTY,
						   SQL_WORDS_MARKS_EMPTY};
	enum err_kind kind = ERR_NONE;
	(void)argument;
	store_words_leave(tx);
	for (size_t i = 0; i < sizeof(statements) / sizeof(statements[0]) && kind == ERR_NONE; i++)
		kind = sql_run(tx->sql, statements[i], SQL_NO_ARGS, NULL, err);
	return kind == ERR_NONE
		       ? sql_run(tx->sql, SQL_META_PUT,
				 SQL_ARGS(sql_word(FORMAT_NAME), sql_int(POST_WORDS_FORMAT)), NULL,
				 err)
		       : kind;
}

enum err_kind store_words_rebuild(struct store *store, struct error *err)
{
	return store_write(store, empty, NULL, err);
}

enum err_kind store_words_open(struct store *store, struct error *err)
{
	int64_t format = 0;
	const enum err_kind kind =
		store_number(store, SQL_META_GET, SQL_ARGS(sql_word(FORMAT_NAME)), &format, err);
	return kind == ERR_NONE && format != POST_WORDS_FORMAT ? store_words_rebuild(store, err)
							       : kind;
}
