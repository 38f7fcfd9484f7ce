/* SPDX-License-Identifier: Apache-2.0
 * See store_find.h. */
#include "store_find.h"

#include "arena.h"
#include "buf.h"

#include "form.h"
#include "timetext.h"
#include "uuid.h"

#include "store_private.h"

/* A post is accepted within this time after the request came in. */
#define REQUEST_BEFORE_US (2 * US_PER_S)
#define REQUEST_AFTER_US (60 * US_PER_S)
#define CAUSES_MAX 20000
#define ACCOUNTS_MAX 50000
#define V7_VERSION_AT 14
#define V7_TIME_DIGITS 12

/* ---- posts ---- */

/* The term, and where it is an address the parts of it that may be an id: every one between
 * slashes and signs of a query, as it stands and decoded. JSON array. */
static enum err_kind pieces_of(struct arena *arena, struct str term, struct str *list_out,
			       struct error *err)
{
	struct str pieces[FIND_PIECES_MAX] = {term};
	size_t count = 1;
	const bool is_address = str_find(term, STR("://"), 0) != SIZE_MAX;
	size_t begin = is_address ? str_find(term, STR("://"), 0) + 3 : term.len;
	for (size_t at = begin; at <= term.len && count + 2 < FIND_PIECES_MAX; at++) {
		if (at < term.len && str_find_char(STR("/?&=#"), term.ptr[at], 0) == SIZE_MAX)
			continue;
		const struct str piece = str_slice(term, begin, at);
		struct str decoded = {0};
		begin = at + 1;
		if (piece.len < 5)
			continue;
		pieces[count++] = piece;
		if (percent_decode(arena, piece, &decoded) && !str_equal(decoded, piece))
			pieces[count++] = decoded;
	}
	/* an address is the same with and without a slash at its end */
	if (is_address)
		pieces[count++] = str_has_suffix(term, STR("/"))
					  ? str_slice(term, 0, term.len - 1)
					  : str_concat(arena, term, STR("/"));
	return store_list_text(arena, pieces, count, list_out, err);
}

/* The first bytes of a UUIDv7 of that time. */
static struct str id_at(struct arena *arena, int64_t ms)
{
	return str_format(arena, "%08llx-%04llx", (unsigned long long)ms >> 16,
			  (unsigned long long)ms & 0xffff);
}

struct id_range {
	struct str from;
	struct str below;
};

static int hex_value(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Where posts are that a request with this id may have published: ours tell the time, of another's
 * it may be any. */
static struct id_range range_of(struct arena *arena, struct str request_id)
{
	int64_t ms = 0;
	if (!uuid_is_valid(request_id) || request_id.ptr[V7_VERSION_AT] != '7')
		return (struct id_range){STR(""), STR("g")};
	for (size_t i = 0, digits = 0; digits < V7_TIME_DIGITS; i++) {
		if (request_id.ptr[i] == '-')
			continue;
		ms = ms * 16 + hex_value(request_id.ptr[i]);
		digits++;
	}
	const int64_t before_ms = REQUEST_BEFORE_US / US_PER_MS;
	return (struct id_range){id_at(arena, ms > before_ms ? ms - before_ms : 0),
				 id_at(arena, ms + REQUEST_AFTER_US / US_PER_MS)};
}

static void post_read_found(struct sql_cursor *cursor, void *out)
{
	struct found_post *post = out;
	post->app_id = sql_take_text(cursor);
	post->ordinal = sql_take_int(cursor);
	post->account_id = sql_take_text(cursor);
	post->matched = sql_take_text(cursor);
}

/* Sorted by ordinal within an app: what was found in two ways is there twice. */
static size_t without_repeats(struct found_post *posts, size_t count)
{
	size_t kept = 0;
	for (size_t i = 0; i < count; i++) {
		if (kept > 0 && posts[kept - 1].ordinal == posts[i].ordinal &&
		    str_equal(posts[kept - 1].app_id, posts[i].app_id))
			continue;
		posts[kept++] = posts[i];
	}
	return kept;
}

enum err_kind store_find_posts(struct store *store, struct arena *arena,
			       const struct find_query *query, struct found_post **out,
			       size_t *count_out, struct error *err)
{
	struct str pieces = {0}, apps = {0};
	const struct id_range range = range_of(arena, query->term);
	enum err_kind kind = pieces_of(arena, query->term, &pieces, err);
	if (kind == ERR_NONE)
		kind = store_list_text(arena, query->app_ids, query->app_count, &apps, err);
	if (kind == ERR_NONE)
		kind = store_list(
			store, arena,
			SQL_ROWS(SQL_FIND_POSTS,
				 SQL_ARGS(sql_text(query->term), sql_text(pieces), sql_text(apps),
					  sql_text(range.from), sql_text(range.below),
					  sql_int(CAUSES_MAX), sql_int(2 * FIND_MAX)),
				 post_read_found, struct found_post),
			(void **)out, count_out, err);
	if (kind != ERR_NONE)
		return kind;
	*count_out = without_repeats(*out, *count_out);
	if (*count_out > FIND_MAX)
		*count_out = FIND_MAX;
	return ERR_NONE;
}

/* ---- accounts ---- */

static void account_read_found(struct sql_cursor *cursor, void *out)
{
	struct found_account *account = out;
	account->app_id = sql_take_text(cursor);
	account->id = sql_take_text(cursor);
	account->platform = (enum platform_id)sql_take_int(cursor);
	account->username = sql_take_text(cursor);
	account->name = sql_take_text(cursor);
	account->user_id = sql_take_text(cursor);
	account->state = sql_take_text(cursor);
}

enum err_kind store_find_accounts(struct store *store, struct arena *arena,
				  const struct find_query *query, struct found_account **out,
				  size_t *count_out, struct error *err)
{
	struct str apps = {0};
	struct str name = query->term;
	str_skip(&name, STR("@"));
	const enum err_kind kind =
		store_list_text(arena, query->app_ids, query->app_count, &apps, err);
	if (kind != ERR_NONE)
		return kind;
	return store_list(
		store, arena,
		SQL_ROWS(SQL_FIND_ACCOUNTS,
			 SQL_ARGS(sql_text(query->term), sql_text(store_like_pattern(arena, name)),
				  sql_text(apps), sql_int(ACCOUNTS_MAX),
				  sql_text(STR(STORE_LIKE_ESCAPE)), sql_int(FIND_MAX)),
			 account_read_found, struct found_account),
		(void **)out, count_out, err);
}

/* ---- drafts, files, webhooks ---- */

static void thing_read(struct sql_cursor *cursor, void *out)
{
	struct found_thing *thing = out;
	thing->kind = sql_take_text(cursor);
	thing->app_id = sql_take_text(cursor);
	thing->id = sql_take_text(cursor);
}

enum err_kind store_find_things(struct store *store, struct arena *arena,
				const struct find_query *query, struct found_thing **out,
				size_t *count_out, struct error *err)
{
	struct str apps = {0};
	const enum err_kind kind =
		store_list_text(arena, query->app_ids, query->app_count, &apps, err);
	if (kind != ERR_NONE)
		return kind;
	return store_list(store, arena,
			  SQL_ROWS(SQL_FIND_THINGS, SQL_ARGS(sql_text(query->term), sql_text(apps)),
				   thing_read, struct found_thing),
			  (void **)out, count_out, err);
}

/* ---- the webhooks' calls about a post ---- */

static void call_read(struct sql_cursor *cursor, void *out)
{
	struct post_call *call = out;
	call->event_id = sql_take_text(cursor);
	call->kind = (enum event_kind)sql_take_int(cursor);
	call->subject_id = sql_take_text(cursor);
	call->created_at_us = sql_take_int(cursor);
	call->webhook_id = sql_take_text(cursor);
	call->webhook_url = sql_take_text(cursor);
	call->id = sql_take_int(cursor);
	call->state = (enum webhook_delivery_state)sql_take_int(cursor);
	call->attempts = (int)sql_take_int(cursor);
	call->next_attempt_at_us = sql_take_int(cursor);
	call->log = sql_take_text(cursor);
}

enum err_kind store_find_post_calls(struct store *store, struct arena *arena, struct str app_id,
				    struct str post_id, struct post_call **out, size_t *count_out,
				    struct error *err)
{
	return store_list(
		store, arena,
		SQL_ROWS(SQL_FIND_POST_CALLS,
			 SQL_ARGS(sql_text(app_id), sql_text(post_id), sql_int(FIND_CALLS_MAX)),
			 call_read, struct post_call),
		(void **)out, count_out, err);
}
