/* SPDX-License-Identifier: Apache-2.0
 * Lists of posts. A page is found in three steps: how many match (from the counters where they can
 * tell), which ordinals the page has (from an index alone), then the rows of those few. */
#include "arena.h"
#include "buf.h"
#include "clock.h"

#include "json_write.h"

#include "store_post_rows.h"
#include "store_private.h"

#define PAGE_LIST_MAX_BYTES 65536

struct listing {
	struct arena *arena;
	const struct post_filter *filter;
	/* The filter, resolved. */
	int64_t from_us;
	int64_t to_us;
	int64_t platform_mask;
	bool has_accounts; /* account_list finds the posts */
	struct str account_list;
	bool has_more_accounts; /* and these must be among them too */
	struct str more_account_list;
	bool has_accounts_only; /* there is no other condition */
	struct str status_list;
	/* The answer. */
	struct post_row *posts;
	size_t count;
	int64_t total;
};

/* The app's accounts among the wanted ids, or of the wanted users. Another app's account must not
 * get further: its ordinals mean other posts. */
static enum err_kind find_accounts(struct sql_connection *sql, struct listing *l,
				   enum sql_name name, const struct str *wanted,
				   size_t wanted_count, struct str *list_out, struct error *err)
{
	struct str list = {0};
	struct str *ids = NULL;
	size_t count = 0;
	enum err_kind kind = store_list_text(l->arena, wanted, wanted_count, &list, err);
	if (kind == ERR_NONE)
		kind = sql_list(sql, l->arena,
				SQL_ROWS(name,
					 SQL_ARGS(sql_text(l->filter->app_id), sql_text(list)),
					 store_text_read, *ids),
				(void **)&ids, &count, err);
	if (kind != ERR_NONE)
		return kind;
	return store_list_text(l->arena, ids, count, list_out, err);
}

/* Accounts given by id lead, those of users are checked; users alone lead. */
static enum err_kind read_accounts(struct sql_connection *sql, struct listing *l, struct error *err)
{
	const struct post_filter *filter = l->filter;
	const struct str all[] = {STR("pending"), STR("scheduled"), STR("published"),
				  STR("failed")};
	const bool is_all = str_is_empty(filter->status);
	l->account_list = l->more_account_list = STR("[]");
	enum err_kind kind = store_list_text(l->arena, is_all ? all : &filter->status,
					     is_all ? 4 : 1, &l->status_list, err);
	if (kind == ERR_NONE && filter->account_id_count > 0)
		kind = find_accounts(sql, l, SQL_ACCOUNT_IDS_OF_APP, filter->account_ids,
				     filter->account_id_count, &l->account_list, err);
	if (kind == ERR_NONE && filter->user_id_count > 0)
		kind = find_accounts(
			sql, l, SQL_ACCOUNT_IDS_OF_USERS, filter->user_ids, filter->user_id_count,
			l->has_more_accounts ? &l->more_account_list : &l->account_list, err);
	return kind;
}

static bool has_dates(const struct post_filter *filter)
{
	return filter->date_from_us != 0 || filter->date_to_us != 0;
}

static void read_filter(struct listing *l)
{
	const struct post_filter *filter = l->filter;
	const bool is_all = str_is_empty(filter->status);
	l->from_us = filter->date_from_us;
	l->to_us = filter->date_to_us != 0 ? filter->date_to_us : INT64_MAX;
	l->platform_mask = filter->platform != PLATFORM_NONE ? INT64_C(1) << filter->platform : 0;
	l->has_accounts = filter->account_id_count > 0 || filter->user_id_count > 0;
	l->has_more_accounts = filter->account_id_count > 0 && filter->user_id_count > 0;
	l->has_accounts_only = l->has_accounts && !l->has_more_accounts && is_all &&
			       !has_dates(filter) && l->platform_mask == 0;
}

static bool is_whole_day(int64_t us)
{
	return us % US_PER_DAY == 0;
}

static bool counters_can_tell(const struct listing *l)
{
	return !l->has_accounts && l->platform_mask == 0 && is_whole_day(l->filter->date_from_us) &&
	       is_whole_day(l->filter->date_to_us);
}

static enum err_kind count_accounts(struct sql_connection *sql, struct listing *l,
				    struct error *err)
{
	if (l->has_accounts_only)
		return sql_number(sql, SQL_COUNT_ACCOUNTS_ONLY, SQL_ARGS(sql_text(l->account_list)),
				  &l->total, err);
	return sql_number(sql, SQL_COUNT_ACCOUNTS,
			  SQL_ARGS(sql_text(l->filter->app_id), sql_int(l->from_us),
				   sql_int(l->to_us), sql_int(l->platform_mask),
				   sql_text(l->status_list), sql_text(l->account_list),
				   sql_int(l->has_more_accounts), sql_text(l->more_account_list)),
			  &l->total, err);
}

static enum err_kind count(struct sql_connection *sql, struct listing *l, struct error *err)
{
	const struct post_filter *filter = l->filter;
	if (counters_can_tell(l))
		return counters_total(sql, filter->app_id, filter->status, filter->date_from_us,
				      filter->date_to_us, &l->total, err);
	if (l->has_accounts)
		return count_accounts(sql, l, err);
	const bool is_all = str_is_empty(filter->status);
	const struct sql_value values[] = {sql_text(filter->app_id), sql_int(l->from_us),
					   sql_int(l->to_us), sql_int(l->platform_mask),
					   sql_text(filter->status)};
	return sql_number(sql, is_all ? SQL_COUNT_FILTERED : SQL_COUNT_STATUS_FILTERED,
			  (struct sql_args){values, is_all ? 4 : 5}, &l->total, err);
}

/* The ordinals of a page, as a JSON array. */
static enum err_kind collect(struct sql_connection *sql, struct listing *l, enum sql_name name,
			     struct sql_args args, struct str *list_out, struct error *err)
{
	struct buf out;
	struct json_writer w;
	struct sql_cursor cursor;
	buf_init(&out, l->arena, PAGE_LIST_MAX_BYTES);
	json_writer_init(&w, &out);
	json_begin_array(&w);
	sql_select(&cursor, sql, name, l->arena, args, err);
	while (sql_next(&cursor))
		json_put_int(&w, sql_take_int(&cursor));
	json_end_array(&w);
	const enum err_kind kind = sql_end(&cursor);
	if (kind == ERR_NONE && out.is_over)
		return error_set(err, ERR_TOO_LARGE, "the page is too long");
	*list_out = buf_str(&out);
	return kind;
}

/* Without dates, platform and accounts the counters lead to any page at the same cost. */
static enum err_kind page_plain(struct sql_connection *sql, struct listing *l, int64_t offset,
				struct str *list_out, struct error *err)
{
	const struct post_filter *filter = l->filter;
	struct counted_place place = {0};
	const enum err_kind kind =
		counters_seek(sql, filter->app_id, filter->status, offset, &place, err);
	if (kind != ERR_NONE)
		return kind;
	const bool is_all = str_is_empty(filter->status);
	const struct sql_value values[] = {sql_text(filter->app_id), sql_int(place.ordinal_below),
					   sql_int(filter->per_page), sql_int(place.skip),
					   sql_text(filter->status)};
	return collect(sql, l, is_all ? SQL_PAGE : SQL_PAGE_STATUS,
		       (struct sql_args){values, is_all ? 4 : 5}, list_out, err);
}

static enum err_kind page_filtered(struct sql_connection *sql, struct listing *l, int64_t offset,
				   struct str *list_out, struct error *err)
{
	const struct post_filter *filter = l->filter;
	const bool is_all = str_is_empty(filter->status);
	const struct sql_value values[] = {sql_text(filter->app_id),  sql_int(l->from_us),
					   sql_int(l->to_us),         sql_int(l->platform_mask),
					   sql_int(filter->per_page), sql_int(offset),
					   sql_text(filter->status)};
	return collect(sql, l, is_all ? SQL_PAGE_FILTERED : SQL_PAGE_STATUS_FILTERED,
		       (struct sql_args){values, is_all ? 6 : 7}, list_out, err);
}

static enum err_kind page_accounts(struct sql_connection *sql, struct listing *l, int64_t offset,
				   struct str *list_out, struct error *err)
{
	const struct post_filter *filter = l->filter;
	if (l->has_accounts_only)
		return collect(sql, l, SQL_PAGE_ACCOUNTS_ONLY,
			       SQL_ARGS(sql_text(l->account_list), sql_int(filter->per_page),
					sql_int(offset)),
			       list_out, err);
	return collect(sql, l, SQL_PAGE_ACCOUNTS,
		       SQL_ARGS(sql_text(filter->app_id), sql_int(l->from_us), sql_int(l->to_us),
				sql_int(l->platform_mask), sql_text(l->status_list),
				sql_text(l->account_list), sql_int(l->has_more_accounts),
				sql_text(l->more_account_list), sql_int(filter->per_page),
				sql_int(offset)),
		       list_out, err);
}

static enum err_kind page(struct sql_connection *sql, struct listing *l, int64_t offset,
			  struct str *list_out, struct error *err)
{
	if (l->has_accounts)
		return page_accounts(sql, l, offset, list_out, err);
	if (l->platform_mask != 0 || has_dates(l->filter))
		return page_filtered(sql, l, offset, list_out, err);
	return page_plain(sql, l, offset, list_out, err);
}

/* False when the page lies beyond the end, or the numbers are none. */
static bool page_offset(const struct listing *l, int64_t *offset_out)
{
	const int64_t before = l->filter->page - 1;
	if (before < 0 || l->filter->per_page <= 0 || before > l->total / l->filter->per_page)
		return false;
	*offset_out = before * l->filter->per_page;
	return *offset_out < l->total;
}

static enum err_kind read_posts(struct sql_connection *sql, struct listing *l, int64_t offset,
				struct error *err)
{
	struct str ordinals = {0};
	enum err_kind kind = page(sql, l, offset, &ordinals, err);
	if (kind == ERR_NONE)
		kind = sql_list(sql, l->arena,
				SQL_ROWS(SQL_POST_LIST_BY_ORDINALS,
					 SQL_ARGS(sql_text(l->filter->app_id), sql_text(ordinals)),
					 post_read, struct post_row),
				(void **)&l->posts, &l->count, err);
	if (kind == ERR_NONE)
		kind = store_post_add_deliveries(sql, l->arena, l->posts, l->count, err);
	return kind;
}

static enum err_kind list(struct sql_connection *sql, void *argument, struct error *err)
{
	struct listing *l = argument;
	int64_t offset = 0;
	read_filter(l);
	enum err_kind kind = l->has_accounts ? read_accounts(sql, l, err) : ERR_NONE;
	if (kind == ERR_NONE)
		kind = count(sql, l, err);
	if (kind == ERR_NONE && page_offset(l, &offset))
		kind = read_posts(sql, l, offset, err);
	return kind;
}

enum err_kind store_post_list(struct store *store, struct arena *arena,
			      const struct post_filter *filter, struct post_row **out,
			      size_t *count_out, int64_t *total_out, struct error *err)
{
	struct listing listing = {.arena = arena, .filter = filter};
	const enum err_kind kind = store_read(store, list, &listing, err);
	if (kind != ERR_NONE)
		return kind;
	*out = listing.posts;
	*count_out = listing.count;
	*total_out = listing.total;
	return ERR_NONE;
}
