/* SPDX-License-Identifier: Apache-2.0
 * Posts accepted, as many as came together (docs/adr/0012). Three steps: one question for all that
 * the group has to know; what becomes of each is decided in memory, in the order of the group, as
 * if each were alone; then everything is written, and what posts share is written once. With a
 * database on a network that makes two waits, whatever the size of the group: for the answer, and
 * for the COMMIT. */
#include "store_post.h"

#include "arena.h"
#include "buf.h"
#include "clock.h"
#include "count_of.h"
#include "fnv.h"

#include "json_write.h"

#include "store_look.h"
#include "store_private.h"
#include "store_quota.h"

/* Requests at the same moment commit in another order than they read the clock. The order of
 * acceptance is the one that lists go by, so a creation time is moved up to its predecessor's when
 * it is that little behind. More than that is a clock that was set back: then the clock is told as
 * it is. */
#define CREATED_ORDER_US US_PER_S
/* Of 128 posts of 100 accounts each: their ids, places and quotes. */
#define LOOK_TEXT_MAX_BYTES ((size_t)4 << 20)

struct acceptance {
	const struct post_accept *accept;
	struct arena *arena; /* its caller's */
	struct post_accept_result result;
};

/* An app's row of app_work: as it becomes, post by post, and by how much. */
struct group_app {
	struct str id;
	bool is_found;
	int64_t last_ordinal;
	int64_t last_created_at_us;
	int64_t pending_posts;
	int64_t post_bytes;
	int64_t own_quotas[2]; /* of those two */
	int64_t offered_due_us;
	int64_t more_scheduled;
	int64_t more_posts;
	int64_t more_bytes;
};

struct group_account {
	struct str id;
	struct str app_id; /* of its row */
	bool is_usable;
	struct group_app *offered_to; /* NULL = no post of the group is for it */
	enum platform_id platform;
	int64_t due_at_us; /* the earliest */
};

struct group_post {
	struct acceptance *of;
	struct group_app *app;
	uint32_t *accounts;    /* places in the group's */
	uint32_t request_hash; /* of request_id */
	struct str first;      /* STATE[ID of the post that has the request_id; empty = none */
	bool was_answered;     /* its Idempotency-Key is used: the answer is in the result */
	struct str draft;      /* the body of its draft as it is now */
	bool has_draft;
	bool has_media; /* all uploaded files that it names are there */
	bool is_accepted;
	enum post_state state;
	struct counted_post counted; /* with its ordinal, and the date that lists show */
	int64_t created_at_us;
};

struct group {
	struct store_tx *tx;
	struct group_post *posts;
	size_t post_count;
	struct group_app *apps;
	size_t app_count;
	struct group_account *accounts;
	size_t account_count;
	uint32_t *slots; /* by hash: place in accounts + 1 */
	size_t slot_mask;
};

static int64_t due_at_us(const struct post_accept *accept)
{
	return accept->scheduled_at_us != 0 ? accept->scheduled_at_us : accept->now_us;
}

/* ---- who and what ---- */

static struct group_app *app_of(struct group *group, struct str id)
{
	for (size_t i = group->app_count; i > 0; i--) {
		if (str_equal(group->apps[i - 1].id, id))
			return &group->apps[i - 1];
	}
	struct group_app *app = &group->apps[group->app_count++];
	*app = (struct group_app){.id = id, .offered_due_us = NEVER_US};
	return app;
}

static uint32_t account_of(struct group *group, struct str id)
{
	size_t slot = fnv_hash(id) & group->slot_mask;
	for (; group->slots[slot] != 0; slot = (slot + 1) & group->slot_mask) {
		const uint32_t place = group->slots[slot] - 1;
		if (str_equal(group->accounts[place].id, id))
			return place;
	}
	group->accounts[group->account_count] = (struct group_account){.id = id};
	group->slots[slot] = (uint32_t)++group->account_count;
	return group->slots[slot] - 1;
}

static void add_post(struct group *group, struct acceptance *of)
{
	const struct post_accept *accept = of->accept;
	struct group_post *post = &group->posts[group->post_count++];
	of->result = (struct post_accept_result){.outcome = POST_ACCEPTED};
	*post = (struct group_post){
		.of = of,
		.app = app_of(group, accept->app_id),
		.accounts = ARENA_ARRAY(group->tx->arena, uint32_t, accept->target_count),
		.request_hash = fnv_hash(accept->request_id),
		.state = accept->scheduled_at_us != 0 ? POST_SCHEDULED : POST_PENDING,
	};
	for (size_t i = 0; i < accept->target_count; i++)
		post->accounts[i] = account_of(group, accept->targets[i].account_id);
}

static void fill_group(struct group *group, void *const arguments[], size_t count)
{
	struct arena *arena = group->tx->arena;
	size_t targets = 0;
	for (size_t i = 0; i < count; i++)
		targets += ((const struct acceptance *)arguments[i])->accept->target_count;
	group->slot_mask = 7;
	while (group->slot_mask < 2 * targets)
		group->slot_mask = 2 * group->slot_mask + 1;
	group->slots = ARENA_ARRAY(arena, uint32_t, group->slot_mask + 1);
	group->accounts = ARENA_ARRAY(arena, struct group_account, targets);
	group->apps = ARENA_ARRAY(arena, struct group_app, count);
	group->posts = ARENA_ARRAY(arena, struct group_post, count);
	for (size_t i = 0; i < count; i++)
		add_post(group, arguments[i]);
}

/* ---- what has to be known ---- */

static void read_app(struct sql_cursor *cursor, void *out)
{
	struct group_app *app = out;
	app->is_found = true;
	app->last_ordinal = sql_take_int(cursor);
	app->last_created_at_us = sql_take_int(cursor);
	app->pending_posts = sql_take_int(cursor);
	app->post_bytes = sql_take_int(cursor);
	app->own_quotas[0] = sql_take_int(cursor);
	app->own_quotas[1] = sql_take_int(cursor);
}

/* STATE[APP */
static void read_account(struct sql_cursor *cursor, void *out)
{
	struct group_account *account = out;
	struct str state = {0};
	account->app_id = sql_take_text(cursor);
	if (str_take_field(&account->app_id, '[', &state))
		account->is_usable = account_state_is_usable(account_state_of_name(state));
}

/* Fills out when there is a row. */
static enum err_kind look_for(struct group *group, const struct sql_query *query, void *out,
			      struct error *err)
{
	const enum err_kind kind =
		sql_find(group->tx->sql, group->tx->arena, query, out, "row", err);
	return kind == ERR_NOT_FOUND ? ERR_NONE : kind;
}

static enum err_kind look_one_by_one(struct group *group, struct error *err)
{
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < group->app_count && kind == ERR_NONE; i++) {
		struct group_app *app = &group->apps[i];
		kind = look_for(group,
				SQL_ROW(SQL_ACCEPT_APP, SQL_ARGS(sql_text(app->id)), read_app), app,
				err);
	}
	for (size_t i = 0; i < group->account_count && kind == ERR_NONE; i++) {
		struct group_account *account = &group->accounts[i];
		kind = look_for(group,
				SQL_ROW(SQL_ACCEPT_ACCOUNT_STATE, SQL_ARGS(sql_text(account->id)),
					read_account),
				account, err);
	}
	for (size_t i = 0; i < group->post_count && kind == ERR_NONE; i++) {
		struct group_post *post = &group->posts[i];
		kind = look_for(group,
				SQL_ROW(SQL_ACCEPT_FIRST_POST,
					SQL_ARGS(sql_text(post->app->id),
						 sql_text(post->of->accept->request_id)),
					store_text_read),
				&post->first, err);
	}
	return kind;
}

struct lists {
	struct buf apps;
	struct buf accounts;
	struct buf requests;
};

static void begin_list(struct json_writer *w, struct buf *out, struct arena *arena)
{
	buf_init(out, arena, LOOK_TEXT_MAX_BYTES);
	json_writer_init(w, out);
	json_begin_array(w);
}

static enum err_kind write_lists(const struct group *group, struct lists *lists, struct error *err)
{
	struct arena *arena = group->tx->arena;
	struct json_writer w;
	begin_list(&w, &lists->apps, arena);
	for (size_t i = 0; i < group->app_count; i++)
		json_put_str(&w, group->apps[i].id);
	json_end_array(&w);
	begin_list(&w, &lists->accounts, arena);
	for (size_t i = 0; i < group->account_count; i++) {
		json_begin_array(&w);
		json_put_int(&w, (int64_t)i);
		json_put_str(&w, group->accounts[i].id);
		json_end_array(&w);
	}
	json_end_array(&w);
	begin_list(&w, &lists->requests, arena);
	for (size_t i = 0; i < group->post_count; i++) {
		json_begin_array(&w);
		json_put_int(&w, (int64_t)i);
		json_put_str(&w, group->posts[i].app->id);
		json_put_str(&w, group->posts[i].of->accept->request_id);
		json_end_array(&w);
	}
	json_end_array(&w);
	if (lists->apps.is_over || lists->accounts.is_over || lists->requests.is_over)
		return error_set(err, ERR_TOO_LARGE, "too many posts at once");
	return ERR_NONE;
}

static enum err_kind look_at_once(struct group *group, struct error *err)
{
	enum { OF_APP, OF_ACCOUNT, OF_REQUEST };
	struct lists lists;
	struct sql_cursor cursor;
	enum err_kind kind = write_lists(group, &lists, err);
	if (kind != ERR_NONE)
		return kind;
	sql_select(&cursor, group->tx->sql, SQL_ACCEPT_LOOK, group->tx->arena,
		   SQL_ARGS(sql_text(buf_str(&lists.apps)), sql_text(buf_str(&lists.accounts)),
			    sql_text(buf_str(&lists.requests))),
		   err);
	while (sql_next(&cursor)) {
		const int64_t of = sql_take_int(&cursor);
		const int64_t place = sql_take_int(&cursor);
		if (of == OF_APP)
			read_app(&cursor, app_of(group, sql_take_text(&cursor)));
		else if (of == OF_ACCOUNT)
			read_account(&cursor, &group->accounts[place]);
		else if (of == OF_REQUEST)
			store_text_read(&cursor, &group->posts[place].first);
	}
	return sql_end(&cursor);
}

/* Few posts have a key or a draft: these are asked about one by one. */
static enum err_kind look_at_key(struct group *group, struct group_post *post, struct error *err)
{
	const struct post_accept *accept = post->of->accept;
	if (accept->idempotency == NULL)
		return ERR_NONE;
	const enum err_kind kind =
		store_idempotency_look(group->tx, post->of->arena, post->app->id,
				       accept->idempotency->key, &post->of->result.kept, err);
	post->was_answered = kind == ERR_NONE;
	return kind == ERR_NOT_FOUND ? ERR_NONE : kind;
}

static enum err_kind look_at_draft(struct group *group, struct group_post *post, struct error *err)
{
	const struct post_accept *accept = post->of->accept;
	if (str_is_empty(accept->draft_id))
		return ERR_NONE;
	const enum err_kind kind =
		store_draft_body(group->tx, post->app->id, accept->draft_id, &post->draft, err);
	post->has_draft = kind == ERR_NONE;
	return kind == ERR_NOT_FOUND ? ERR_NONE : kind;
}

static enum err_kind look_at_extras(struct group *group, struct error *err)
{
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < group->post_count && kind == ERR_NONE; i++) {
		kind = look_at_key(group, &group->posts[i], err);
		if (kind == ERR_NONE)
			kind = look_at_draft(group, &group->posts[i], err);
		if (kind == ERR_NONE)
			kind = store_media_are_there(group->tx, group->posts[i].app->id,
						     &group->posts[i].of->accept->media,
						     &group->posts[i].has_media, err);
	}
	return kind;
}

static enum err_kind look(struct group *group, struct error *err)
{
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < group->app_count && kind == ERR_NONE; i++)
		kind = store_tx_lock_app(group->tx, group->apps[i].id, err);
	if (kind != ERR_NONE)
		return kind;
	kind = sql_is_shared(group->tx->sql) ? look_at_once(group, err)
					     : look_one_by_one(group, err);
	return kind == ERR_NONE ? look_at_extras(group, err) : kind;
}

/* ---- what becomes of each ---- */

static bool is_same_key(const struct group_post *one, const struct group_post *other)
{
	const struct idempotency *a = one->of->accept->idempotency;
	const struct idempotency *b = other->of->accept->idempotency;
	return a != NULL && b != NULL && one->app == other->app && str_equal(a->key, b->key);
}

/* Calls with the same key at the same time get the answer of the one that came first. */
static bool is_answered(const struct group *group, struct group_post *post)
{
	struct arena *arena = post->of->arena;
	for (const struct group_post *other = group->posts; other != post; other++) {
		if (!other->is_accepted || !is_same_key(post, other))
			continue;
		const struct idempotency *first = other->of->accept->idempotency;
		post->of->result.kept = (struct idempotency){
			.key = str_copy(arena, first->key),
			.body_hash = str_copy(arena, first->body_hash),
			.answer = str_copy(arena, first->answer),
		};
		return true;
	}
	return post->was_answered;
}

/* POST_ACCEPTED: it is as it was read, or there is none to be. */
static enum post_accept_outcome judge_draft(const struct group *group,
					    const struct group_post *post)
{
	const struct post_accept *accept = post->of->accept;
	if (str_is_empty(accept->draft_id))
		return POST_ACCEPTED;
	for (const struct group_post *other = group->posts; other != post; other++) {
		if (other->is_accepted && str_equal(other->of->accept->draft_id, accept->draft_id))
			return POST_DRAFT_GONE;
	}
	if (!post->has_draft)
		return POST_DRAFT_GONE;
	return str_equal(post->draft, accept->draft_body) ? POST_ACCEPTED : POST_DRAFT_CHANGED;
}

/* The post that has the request_id: stored, or of this group. The first found wins; a request that
 * was refused has none. */
static bool is_duplicate(const struct group *group, struct group_post *post)
{
	const struct post_accept *accept = post->of->accept;
	struct post_accept_result *result = &post->of->result;
	struct str state = {0};
	struct str first = post->first;
	if (!str_is_empty(first) && str_take_field(&first, '[', &state)) {
		result->duplicate_state = post_state_of_name(state);
		result->duplicate_post_id = str_copy(post->of->arena, first);
		return true;
	}
	for (const struct group_post *other = group->posts; other != post; other++) {
		if (!other->is_accepted || other->request_hash != post->request_hash ||
		    other->app != post->app ||
		    !str_equal(other->of->accept->request_id, accept->request_id))
			continue;
		result->duplicate_state = other->state;
		result->duplicate_post_id = str_copy(post->of->arena, other->of->accept->post_id);
		return true;
	}
	return false;
}

/* A missing account is reported only for a request that is not a duplicate (api-decisions.md 6 has
 * accounts first, but they were good when the caller looked; the first post is the better
 * answer). */
static bool is_account_gone(const struct group *group, struct group_post *post)
{
	for (size_t i = 0; i < post->of->accept->target_count; i++) {
		const struct group_account *account = &group->accounts[post->accounts[i]];
		if (account->is_usable && str_equal(account->app_id, post->app->id))
			continue;
		post->of->result.account_index = i;
		return true;
	}
	return false;
}

/* A draft's bytes are counted until it is a post. */
static int64_t more_bytes_of(const struct group_post *post)
{
	return (int64_t)post->of->accept->content.len - (int64_t)post->of->accept->draft_body.len;
}

static bool is_over_quota(const struct group *group, struct group_post *post)
{
	const struct group_app *app = post->app;
	const struct quota_wish wishes[] = {
		{QUOTA_PENDING_POSTS, app->own_quotas[0], app->pending_posts, 1},
		{QUOTA_POST_BYTES, app->own_quotas[1], app->post_bytes, more_bytes_of(post)},
	};
	for (size_t i = 0; i < COUNT_OF(wishes); i++) {
		if (store_quota_is_over(group->tx->store, &wishes[i], &post->of->result.over))
			return true;
	}
	return false;
}

static void offer_to_accounts(struct group *group, const struct group_post *post)
{
	const struct post_accept *accept = post->of->accept;
	for (size_t i = 0; i < accept->target_count; i++) {
		struct group_account *account = &group->accounts[post->accounts[i]];
		if (account->offered_to != NULL && account->due_at_us <= due_at_us(accept))
			continue;
		account->offered_to = post->app;
		account->platform = accept->targets[i].platform;
		account->due_at_us = due_at_us(accept);
	}
}

static void number(struct group_post *post)
{
	const struct post_accept *accept = post->of->accept;
	struct group_app *app = post->app;
	const bool is_behind = app->last_created_at_us > accept->now_us &&
			       app->last_created_at_us - accept->now_us <= CREATED_ORDER_US;
	if (!is_behind)
		app->last_created_at_us = accept->now_us;
	post->created_at_us = app->last_created_at_us;
	post->counted = (struct counted_post){
		.app_id = app->id,
		.date_us = accept->scheduled_at_us != 0 ? accept->scheduled_at_us
							: post->created_at_us,
		.ordinal = ++app->last_ordinal,
	};
	post->of->result.created_at_us = post->created_at_us;
	if (post->state == POST_SCHEDULED)
		app->more_scheduled += (int64_t)accept->target_count;
	app->more_posts++;
	app->more_bytes += more_bytes_of(post);
	app->pending_posts++;
	app->post_bytes += more_bytes_of(post);
}

static enum err_kind decide(struct group *group, struct error *err)
{
	for (size_t i = 0; i < group->post_count; i++) {
		struct group_post *post = &group->posts[i];
		struct post_accept_result *result = &post->of->result;
		if (!post->app->is_found)
			return error_set(err, ERR_NOT_FOUND, "no such app");
		if (is_answered(group, post)) {
			result->outcome = POST_ANSWERED_BEFORE;
		} else if (is_duplicate(group, post)) {
			result->outcome = POST_DUPLICATE;
		} else if (is_account_gone(group, post)) {
			result->outcome = POST_ACCOUNT_GONE;
		} else if (judge_draft(group, post) != POST_ACCEPTED) {
			result->outcome = judge_draft(group, post);
		} else if (!post->has_media) {
			result->outcome = POST_MEDIA_GONE;
		} else if (is_over_quota(group, post)) {
			result->outcome = POST_OVER_QUOTA;
		} else {
			post->is_accepted = true;
			number(post);
			offer_to_accounts(group, post);
		}
	}
	return ERR_NONE;
}

/* ---- writing ---- */

/* An account that is busy, or has something due earlier, is not due any earlier by this. Where an
 * answer is a way across a network it is not waited for: then the app may be looked at in vain. */
static enum err_kind write_offers(struct group *group, struct error *err)
{
	struct sql_connection *sql = group->tx->sql;
	for (size_t i = 0; i < group->account_count; i++) {
		const struct group_account *account = &group->accounts[i];
		int64_t changes = 0;
		if (account->offered_to == NULL)
			continue;
		const enum err_kind kind =
			sql_run(sql, SQL_LANE_OFFER,
				SQL_ARGS(sql_text(account->id), sql_text(account->offered_to->id),
					 sql_int(account->due_at_us),
					 sql_int(INT64_C(1) << account->platform)),
				&changes, err);
		if (kind != ERR_NONE)
			return kind;
		if ((changes > 0 || sql_is_shared(sql)) &&
		    account->due_at_us < account->offered_to->offered_due_us)
			account->offered_to->offered_due_us = account->due_at_us;
	}
	return ERR_NONE;
}

static enum err_kind write_apps(struct group *group, struct error *err)
{
	for (size_t i = 0; i < group->app_count; i++) {
		const struct group_app *app = &group->apps[i];
		if (app->more_posts == 0)
			continue;
		const enum err_kind kind =
			sql_run(group->tx->sql, SQL_WORK_ACCEPT,
				SQL_ARGS(sql_text(app->id), sql_int(app->last_ordinal),
					 sql_int(app->last_created_at_us),
					 sql_int(app->offered_due_us), sql_int(app->more_scheduled),
					 sql_int(app->more_posts), sql_int(app->more_bytes)),
				NULL, err);
		if (kind != ERR_NONE)
			return kind;
		store_words_leave(group->tx);
	}
	return ERR_NONE;
}

static int64_t platform_mask(const struct post_accept *accept)
{
	int64_t mask = 0;
	for (size_t i = 0; i < accept->target_count; i++)
		mask |= INT64_C(1) << accept->targets[i].platform;
	return mask;
}

static enum err_kind insert_post(struct store_tx *tx, const struct group_post *post,
				 struct error *err)
{
	const struct post_accept *accept = post->of->accept;
	return sql_run(tx->sql, SQL_POST_INSERT,
		       SQL_ARGS(sql_text(accept->post_id), sql_text(accept->app_id),
				sql_int(post->counted.ordinal), sql_text(accept->request_id),
				sql_text(accept->targets[0].user_id),
				sql_word(post_state_name(post->state)),
				sql_word(post_state_status(post->state)), sql_int(accept->mode),
				sql_int(platform_mask(accept)), sql_int(accept->scheduled_at_us),
				sql_int(post->created_at_us), sql_int(post->counted.date_us),
				sql_text(accept->content), sql_int(accept->max_lateness_s),
				sql_text(accept->cause)),
		       NULL, err);
}

static enum err_kind insert_delivery(struct store_tx *tx, const struct group_post *post,
				     size_t index, struct error *err)
{
	const struct post_accept *accept = post->of->accept;
	const struct post_target *target = &accept->targets[index];
	return sql_run(tx->sql, SQL_DELIVERY_INSERT,
		       SQL_ARGS(sql_text(target->delivery_id), sql_text(accept->post_id),
				sql_int((int64_t)index), sql_text(accept->app_id),
				sql_text(target->account_id), sql_int(target->platform),
				sql_word(post_state_name(post->state)), sql_int(due_at_us(accept)),
				sql_blob(STR("")), sql_int(post->counted.ordinal)),
		       NULL, err);
}

static enum err_kind write_extras(struct store_tx *tx, const struct group_post *post,
				  struct error *err)
{
	const struct post_accept *accept = post->of->accept;
	enum err_kind kind = ERR_NONE;
	if (!str_is_empty(accept->draft_id))
		kind = sql_run(tx->sql, SQL_DRAFT_DELETE, SQL_ARGS(sql_text(accept->draft_id)),
			       NULL, err);
	if (kind == ERR_NONE && !str_is_empty(accept->draft_id))
		kind = store_media_unuse(tx, accept->draft_id, err);
	if (kind == ERR_NONE)
		kind = store_media_use(tx, accept->app_id, accept->post_id, &accept->media, err);
	if (kind == ERR_NONE && accept->look_at_us != 0)
		kind = store_look_ask(tx, accept->app_id, accept->post_id, accept->look_at_us, err);
	if (kind == ERR_NONE && accept->idempotency != NULL)
		kind = store_idempotency_keep(tx, accept->app_id, accept->idempotency, err);
	return kind;
}

static enum err_kind write_posts(struct group *group, struct error *err)
{
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < group->post_count && kind == ERR_NONE; i++) {
		const struct group_post *post = &group->posts[i];
		if (!post->is_accepted)
			continue;
		kind = insert_post(group->tx, post, err);
		for (size_t k = 0; k < post->of->accept->target_count && kind == ERR_NONE; k++)
			kind = insert_delivery(group->tx, post, k, err);
		if (kind == ERR_NONE)
			kind = write_extras(group->tx, post, err);
	}
	return kind;
}

struct count {
	const struct group_post *first;
	int64_t posts;
};

static struct count *count_of(struct count *counts, size_t count, const struct group_post *post)
{
	for (size_t i = count; i > 0; i--) {
		const struct group_post *first = counts[i - 1].first;
		if (first->state == post->state &&
		    counters_are_the_same(&first->counted, &post->counted))
			return &counts[i - 1];
	}
	return NULL;
}

/* Posts of one app and day stand in the same rows. */
static enum err_kind write_counters(struct group *group, struct error *err)
{
	struct count *counts = ARENA_ARRAY(group->tx->arena, struct count, group->post_count);
	size_t count = 0;
	for (size_t i = 0; i < group->post_count; i++) {
		const struct group_post *post = &group->posts[i];
		if (!post->is_accepted)
			continue;
		struct count *same = count_of(counts, count, post);
		if (same == NULL)
			counts[count++] = (struct count){post, 1};
		else
			same->posts++;
	}
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < count && kind == ERR_NONE; i++)
		kind = counters_add_several(group->tx, &counts[i].first->counted,
					    post_state_status(counts[i].first->state),
					    counts[i].posts, err);
	return kind;
}

static enum err_kind accept_group(struct store_tx *tx, void *const arguments[], size_t count,
				  struct error *err)
{
	struct group group = {.tx = tx};
	fill_group(&group, arguments, count);
	enum err_kind kind = look(&group, err);
	if (kind == ERR_NONE)
		kind = decide(&group, err);
	if (kind == ERR_NONE)
		kind = write_offers(&group, err);
	if (kind == ERR_NONE)
		kind = write_apps(&group, err);
	if (kind == ERR_NONE)
		kind = write_posts(&group, err);
	return kind == ERR_NONE ? write_counters(&group, err) : kind;
}

/* See store_delivery_mend_due(). */
static void note_clock(struct store *store, int64_t now_us)
{
	const int64_t ahead_us = now_us - clock_boot_us(store->clock);
	int64_t most_us = atomic_load(&store->accepted_ahead_us);
	while (ahead_us > most_us &&
	       !atomic_compare_exchange_weak(&store->accepted_ahead_us, &most_us, ahead_us))
		;
}

enum err_kind store_post_accept(struct store *store, struct arena *arena,
				const struct post_accept *accept,
				struct post_accept_result *result_out, struct error *err)
{
	if (accept->target_count == 0 || accept->target_count > POST_ACCOUNTS_MAX)
		return error_set(err, ERR_INVALID, "a post has 1 to %d accounts",
				 POST_ACCOUNTS_MAX);
	if (store_is_damaged(store))
		return error_set(err, ERR_TEMPORARY,
				 "the database is damaged: nothing is accepted until it is mended");
	struct acceptance acceptance = {.accept = accept, .arena = arena};
	note_clock(store, accept->now_us);
	const enum err_kind kind =
		store_write_batched(store, accept->app_id, accept_group, &acceptance, err);
	if (kind != ERR_NONE)
		return kind;
	if (acceptance.result.outcome == POST_OVER_QUOTA)
		store_quota_note_refusal(store, acceptance.result.over.quota);
	*result_out = acceptance.result;
	return ERR_NONE;
}
