/* SPDX-License-Identifier: Apache-2.0
 * Queries of the dashboard that the public API does not have: pages of posts by any filter, days of
 * a month, how deliveries ended lately; and an event carried once more. All of one app: the caller
 * puts apps together. Every query is bounded, no matter how much is stored. */
#pragma once

#include <stddef.h>

#include "event.h"

#include "account.h"
#include "post.h"

#include "store.h"
#include "store_post.h"

#define DASHBOARD_BEGIN_WORDS_MAX 32

/* What a search for words may cost (store_search.c); tests make it little. */
struct dashboard_costs {
	int64_t begin_posts; /* posts behind what was typed of a word, to be put together */
	size_t begin_words;  /* else words that begin so; at most DASHBOARD_BEGIN_WORDS_MAX */
	int64_t newest_rows; /* of PostgreSQL's index, read before it is asked */
	int64_t walk_posts;  /* posts that are read together */
};

struct dashboard_filter {
	struct str app_id;
	int64_t date_from_us; /* inclusive; 0 = none */
	int64_t date_to_us;   /* exclusive; 0 = none */
	int64_t platform_mask;
	struct str status; /* one of the four words; empty = any, as all texts here */
	struct str user_id;
	struct str account_id;
	struct str text; /* words that all stand in the post (post_words.h) */
	struct str error_code;
	const struct dashboard_costs *costs; /* NULL = the ordinary ones */
	int64_t below_ordinal;               /* INT64_MAX = from the newest */
	int64_t max;
};

struct dashboard_place {
	int64_t ordinal;
	int64_t created_at_us;
};

struct dashboard_page {
	struct dashboard_place *places; /* newest first, at most max */
	size_t count;
	/* all ordinals from here up were looked at; 1 or less = all there are */
	int64_t looked_down_to;
};

/* Where the next posts are. Words are looked for in their index (store_words.h). Filters that no
 * index helps are looked for in so many posts and no more: then count may be below max though there
 * is more (looked_down_to says how far it looked). */
enum err_kind store_dashboard_find(struct store *store, struct arena *arena,
				   const struct dashboard_filter *filter,
				   struct dashboard_page *out, struct error *err);
/* How many posts the filter finds in all, whatever the page: where the counters can tell, which
 * know dates and status; -1 = they cannot. */
enum err_kind store_dashboard_total(struct store *store, const struct dashboard_filter *filter,
				    int64_t *total_out, struct error *err);
/* Those posts of the app with their deliveries, highest ordinal first. */
enum err_kind store_dashboard_posts(struct store *store, struct arena *arena, struct str app_id,
				    const int64_t *ordinals, size_t ordinal_count,
				    struct post_row **out, size_t *count_out, struct error *err);

struct dashboard_day {
	int64_t day; /* since 1970 */
	struct str status;
	int64_t count;
};

/* How many posts by date and status, days [from, to). */
enum err_kind store_dashboard_days(struct store *store, struct arena *arena, struct str app_id,
				   int64_t from_day, int64_t to_day, struct dashboard_day **out,
				   size_t *count_out, struct error *err);

#define DASHBOARD_PUBLISHED_MAX 100000

/* What was published on a platform account, of the newest DASHBOARD_PUBLISHED_MAX of the app. */
struct dashboard_use {
	enum platform_id platform;
	struct str account_id; /* one of them, where several users have connected it */
	struct str handle;
	int64_t published;        /* since since_us */
	int64_t published_lately; /* since lately_us */
};
struct dashboard_use_question {
	struct str app_id;
	int64_t since_us;
	int64_t lately_us;
};

/* By platform account, most published first. */
enum err_kind store_dashboard_uses(struct store *store, struct arena *arena,
				   const struct dashboard_use_question *question,
				   struct dashboard_use **out, size_t *count_out,
				   struct error *err);
