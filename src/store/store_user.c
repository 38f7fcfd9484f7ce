/* SPDX-License-Identifier: Apache-2.0
 * See store_user.h. */
#include "store_user.h"

#include "arena.h"
#include "count_of.h"
#include "random.h"
#include "uuid.h"

#include "store_media.h"
#include "store_private.h"

/* What one transaction does. */
#define CANCEL_BATCH 100
#define DELIVERY_BATCH 100
#define EVENT_BATCH 500
/* The parts of a delivery of which something is out, for LIKE. */
#define PART_OUT "%\"state\":\"published\"%"

/* What stands where a person's words were. */
#define NO_CONTENT "{\"mode\":\"basic\",\"containers\":[{\"content\":\"\",\"media\":[]}]}"
#define NO_PARTS "[{\"state\":\"published\",\"remote_id\":null,\"url\":null}]"
#define NO_MESSAGE "The details were erased with the user's data."

/* ---- what is stored ---- */

struct connection_listing {
	struct arena *arena;
	const struct user_filter *filter;
	struct connection_row **out;
	size_t *count_out;
	int64_t *total_out;
};

static enum err_kind list_connections(struct sql_connection *sql, void *argument, struct error *err)
{
	const struct connection_listing *l = argument;
	const struct user_filter *f = l->filter;
	const enum err_kind kind = sql_number(
		sql, SQL_USER_CONNECTION_COUNT,
		SQL_ARGS(sql_text(f->app_id), sql_text(f->user_id), sql_int(PLATFORM_NONE)),
		l->total_out, err);
	if (kind != ERR_NONE)
		return kind;
	return sql_list(
		sql, l->arena,
		SQL_ROWS(SQL_USER_CONNECTION_LIST,
			 SQL_ARGS(sql_text(f->app_id), sql_text(f->user_id), sql_int(f->per_page),
				  sql_int((f->page - 1) * f->per_page)),
			 store_connection_read, struct connection_row),
		(void **)l->out, l->count_out, err);
}

enum err_kind store_user_connections(struct store *store, struct arena *arena,
				     const struct user_filter *filter, struct connection_row **out,
				     size_t *count_out, int64_t *total_out, struct error *err)
{
	struct connection_listing listing = {arena, filter, out, count_out, total_out};
	return store_read(store, list_connections, &listing, err);
}

static void person_account_read(struct sql_cursor *cursor, void *out)
{
	struct person_account *account = out;
	account->id = sql_take_text(cursor);
	account->user_id = sql_take_text(cursor);
	account->state = account_state_of_name(sql_take_text(cursor));
}

/* As graph_account_extra() (platform/meta) notes the person; empty = anyone. */
static struct str person_pattern(struct arena *arena, struct str person_id)
{
	return str_is_empty(person_id)
		       ? STR("")
		       : str_format(arena, "%%\"user_id\":\"" STR_FMT "\"%%", STR_ARG(person_id));
}

enum err_kind store_user_of_person(struct store *store, struct arena *arena, struct str app_id,
				   enum platform_id platform, struct str person_id,
				   struct person_account **out, size_t *count_out,
				   struct error *err)
{
	return store_list(store, arena,
			  SQL_ROWS(SQL_USER_OF_PERSON,
				   SQL_ARGS(sql_text(app_id), sql_int(platform),
					    sql_text(person_pattern(arena, person_id))),
				   person_account_read, struct person_account),
			  (void **)out, count_out, err);
}

/* ---- begin ---- */

struct beginning {
	const struct user_erasing *erasing;
	struct user_counts counts;
};

static enum err_kind count_all(struct store_tx *tx, struct sql_args args,
			       struct user_counts *counts, struct error *err)
{
	const struct {
		enum sql_name name;
		size_t arg_count;
		int64_t *out;
	} numbers[] = {
		{SQL_USER_ACCOUNT_COUNT, 4, &counts->accounts},
		{SQL_USER_CONNECTION_COUNT, 3, &counts->connections},
		{SQL_USER_POST_COUNT, 4, &counts->posts},
	};
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < COUNT_OF(numbers) && kind == ERR_NONE; i++)
		kind = sql_number(tx->sql, numbers[i].name,
				  (struct sql_args){args.values, numbers[i].arg_count},
				  numbers[i].out, err);
	return kind;
}

/* The trail names the user: that they were erased is what it is for. */
static enum err_kind audit(struct store_tx *tx, const struct user_erasing *e, int64_t *seq_out,
			   struct error *err)
{
	if (str_is_empty(e->actor))
		return ERR_NONE;
	return sql_number(
		tx->sql, SQL_AUDIT_ADD,
		SQL_ARGS(sql_int(e->now_us), sql_text(e->actor), sql_text(e->source),
			 sql_word("user.erase"),
			 sql_text(str_format(tx->arena, "user " STR_FMT, STR_ARG(e->user_id))),
			 sql_text(e->app_id), sql_word("begun")),
		seq_out, err);
}

static enum err_kind insert(struct store_tx *tx, const struct user_erasing *e,
			    const struct sql_value values[4], struct error *err)
{
	const struct sql_value id =
		sql_text(uuid_str(tx->arena, uuid_v7(e->now_us, random_system())));
	int64_t audit_seq = 0;
	enum err_kind kind = audit(tx, e, &audit_seq, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_ERASURE_INSERT,
			       SQL_ARGS(id, values[0], values[1], values[2], sql_text(e->code_hash),
					sql_int(audit_seq), sql_int(e->now_us), sql_int(0)),
			       NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_ERASURE_ACCOUNTS_INSERT,
			       SQL_ARGS(values[0], values[1], values[2], values[3], id), NULL, err);
	return kind == ERR_NONE
		       ? sql_run(tx->sql, SQL_ERASURE_CONNECTIONS_FAIL,
				 SQL_ARGS(values[0], values[1], values[2], sql_blob(STR(""))), NULL,
				 err)
		       : kind;
}

static enum err_kind begin(struct store_tx *tx, void *argument, struct error *err)
{
	struct beginning *beginning = argument;
	const struct user_erasing *e = beginning->erasing;
	const struct sql_value values[] = {sql_text(e->app_id), sql_text(e->user_id),
					   sql_int(e->platform),
					   sql_text(person_pattern(tx->arena, e->person_id))};
	int64_t open = 0;
	beginning->counts = (struct user_counts){0};
	enum err_kind kind =
		count_all(tx, (struct sql_args){values, COUNT_OF(values)}, &beginning->counts, err);
	if (kind == ERR_NONE)
		kind = sql_number(tx->sql, SQL_ERASURE_OPEN,
				  SQL_ARGS(values[0], values[1], values[2], sql_text(e->code_hash)),
				  &open, err);
	const bool is_nothing =
		beginning->counts.accounts == 0 && beginning->counts.connections == 0;
	return kind != ERR_NONE || open > 0 || is_nothing ? kind : insert(tx, e, values, err);
}

enum err_kind store_user_erase_begin(struct store *store, const struct user_erasing *erasing,
				     struct user_counts *counts_out, struct error *err)
{
	struct beginning beginning = {.erasing = erasing};
	const enum err_kind kind = store_write(store, begin, &beginning, err);
	if (kind == ERR_NONE)
		*counts_out = beginning.counts;
	return kind;
}

/* ---- confirmation codes ---- */

struct noting {
	enum platform_id platform;
	struct str code_hash;
	int64_t now_us;
};

static enum err_kind note_code(struct store_tx *tx, void *argument, struct error *err)
{
	const struct noting *n = argument;
	int64_t known = 0;
	const enum err_kind kind =
		sql_number(tx->sql, SQL_ERASURE_CODE_KNOWN,
			   SQL_ARGS(sql_text(n->code_hash), sql_int(n->platform)), &known, err);
	if (kind != ERR_NONE || known > 0)
		return kind;
	return sql_run(tx->sql, SQL_ERASURE_INSERT,
		       SQL_ARGS(sql_text(uuid_str(tx->arena, uuid_v7(n->now_us, random_system()))),
				sql_word(""), sql_word(""), sql_int(n->platform),
				sql_text(n->code_hash), sql_int(0), sql_int(n->now_us),
				sql_int(n->now_us)),
		       NULL, err);
}

enum err_kind store_user_note_code(struct store *store, enum platform_id platform,
				   struct str code_hash, int64_t now_us, struct error *err)
{
	struct noting noting = {platform, code_hash, now_us};
	return store_write(store, note_code, &noting, err);
}

enum err_kind store_user_code_state(struct store *store, enum platform_id platform,
				    struct str code_hash, enum erasure_state *state_out,
				    struct error *err)
{
	const struct sql_args args = SQL_ARGS(sql_text(code_hash), sql_int(platform));
	int64_t known = 0, open = 0;
	enum err_kind kind = store_number(store, SQL_ERASURE_CODE_KNOWN, args, &known, err);
	if (kind == ERR_NONE)
		kind = store_number(store, SQL_ERASURE_CODE_OPEN, args, &open, err);
	*state_out = known == 0 ? ERASURE_UNKNOWN : open > 0 ? ERASURE_RUNS : ERASURE_ENDED;
	return kind;
}

/* ---- the work ---- */

static void erasure_read(struct sql_cursor *cursor, void *out)
{
	struct erasure *erasure = out;
	erasure->id = sql_take_text(cursor);
	erasure->app_id = sql_take_text(cursor);
	erasure->user_id = sql_take_text(cursor);
	erasure->platform = (enum platform_id)sql_take_int(cursor);
	erasure->audit_seq = sql_take_int(cursor);
	erasure->after_seq = sql_take_int(cursor);
}

enum err_kind store_erasure_list(struct store *store, struct arena *arena, size_t max,
				 struct erasure **out, size_t *count_out, struct error *err)
{
	return store_list(store, arena,
			  SQL_ROWS(SQL_ERASURE_LIST, SQL_ARGS(sql_int((int64_t)max)), erasure_read,
				   struct erasure),
			  (void **)out, count_out, err);
}

enum err_kind store_erasure_connected(struct store *store, struct arena *arena,
				      struct str erasure_id, size_t max, struct account_row **out,
				      size_t *count_out, struct error *err)
{
	return store_list(store, arena,
			  SQL_ROWS(SQL_ERASURE_CONNECTED,
				   SQL_ARGS(sql_text(erasure_id), sql_int((int64_t)max)),
				   account_read, struct account_row),
			  (void **)out, count_out, err);
}

static void erased_user_read(struct sql_cursor *cursor, void *out)
{
	struct erased_user *erased = out;
	erased->user_id = sql_take_text(cursor);
	erased->platform = (enum platform_id)sql_take_int(cursor);
	erased->finished_at_us = sql_take_int(cursor);
}

enum err_kind store_erasure_find(struct store *store, struct arena *arena, struct str erasure_id,
				 struct erased_user *out, struct error *err)
{
	return store_find(
		store, arena,
		SQL_ROW(SQL_ERASURE_FIND, SQL_ARGS(sql_text(erasure_id)), erased_user_read), out,
		"erasure", err);
}

struct working {
	const struct erasure *erasure;
	int64_t now_us;
	enum erasure_step step;
	int64_t after_seq;
};

struct open_post {
	struct str post_id;
	struct str account_id;
};

static void open_post_read(struct sql_cursor *cursor, void *out)
{
	struct open_post *post = out;
	post->post_id = sql_take_text(cursor);
	post->account_id = sql_take_text(cursor);
}

/* What was not begun is cancelled; what is in the middle of a post is woken, since it ends at its
 * next turn without the account's tokens. *changed_out: cancelled. */
static enum err_kind end_posts(struct store_tx *tx, const struct working *w, int64_t *changed_out,
			       struct error *err)
{
	const struct sql_value id = sql_text(w->erasure->id);
	struct open_post *posts = NULL;
	size_t count = 0;
	enum err_kind kind =
		sql_list(tx->sql, tx->arena,
			 SQL_ROWS(SQL_ERASURE_OPEN_POSTS,
				  SQL_ARGS(id, sql_int(CANCEL_BATCH), sql_word(PART_OUT)),
				  open_post_read, struct open_post),
			 (void **)&posts, &count, err);
	for (size_t i = 0; i < count && kind == ERR_NONE; i++) {
		const struct post_end end = {.app_id = w->erasure->app_id,
					     .post_id = posts[i].post_id,
					     .account_id = posts[i].account_id,
					     .now_us = w->now_us};
		kind = store_post_change_ended(tx, &end, changed_out, err);
	}
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_ERASURE_RETRIES_DUE, SQL_ARGS(id, sql_int(w->now_us)),
			       NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_ERASURE_LANES_DUE, SQL_ARGS(id, sql_int(w->now_us)),
			       NULL, err);
	if (kind == ERR_NONE)
		store_tx_work_later(tx, w->erasure->app_id);
	return kind;
}

/* An account, and how far it is. */
struct place {
	struct str account_id;
	int64_t after_due_us;
	struct str after_id;
};

static void place_read(struct sql_cursor *cursor, void *out)
{
	struct place *place = out;
	place->account_id = sql_take_text(cursor);
	place->after_due_us = sql_take_int(cursor);
	place->after_id = sql_take_text(cursor);
}

struct ended_delivery {
	struct str id;
	struct str post_id;
	int64_t due_at_us;
};

static void ended_delivery_read(struct sql_cursor *cursor, void *out)
{
	struct ended_delivery *delivery = out;
	delivery->id = sql_take_text(cursor);
	delivery->post_id = sql_take_text(cursor);
	delivery->due_at_us = sql_take_int(cursor);
}

/* The text goes with its last user. */
static enum err_kind erase_post(struct store_tx *tx, const struct erasure *erasure,
				struct str account_id, struct str post_id, struct error *err)
{
	const struct sql_value post = sql_text(post_id);
	int64_t others = 0, bytes = 0;
	enum err_kind kind = sql_number(tx->sql, SQL_ERASURE_POST_OTHERS,
					SQL_ARGS(post, sql_text(account_id)), &others, err);
	if (kind != ERR_NONE)
		return kind;
	if (others > 0)
		return erasure->platform == PLATFORM_NONE
			       ? sql_run(tx->sql, SQL_ERASURE_POST_USER,
					 SQL_ARGS(post, sql_text(erasure->user_id)), NULL, err)
			       : ERR_NONE;
	kind = sql_number(tx->sql, SQL_ERASURE_POST_BYTES, SQL_ARGS(post), &bytes, err);
	if (kind == ERR_NONE)
		kind = store_media_erase_owner(tx, post_id, err);
	if (kind == ERR_NONE)
		kind = store_words_forget(tx, erasure->app_id, post_id, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_ERASURE_POST, SQL_ARGS(post, sql_word(NO_CONTENT)),
			       NULL, err);
	return kind == ERR_NONE ? sql_run(tx->sql, SQL_ERASURE_WORK,
					  SQL_ARGS(sql_text(erasure->app_id),
						   sql_int(bytes - (int64_t)strlen(NO_CONTENT))),
					  NULL, err)
				: kind;
}

static enum err_kind erase_delivery(struct store_tx *tx, const struct erasure *erasure,
				    struct str account_id, const struct ended_delivery *delivery,
				    struct error *err)
{
	const struct sql_value id = sql_text(delivery->id);
	enum err_kind kind = sql_run(tx->sql, SQL_ERASURE_TIMELINE, SQL_ARGS(id), NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_ERASURE_EVIDENCE, SQL_ARGS(id), NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_ERASURE_REMOVAL, SQL_ARGS(id, sql_word(NO_MESSAGE)),
			       NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_LATE_ID_FORGET, SQL_ARGS(id), NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run(
			tx->sql, SQL_ERASURE_DELIVERY,
			SQL_ARGS(id, sql_blob(STR("")), sql_word(NO_MESSAGE), sql_word(NO_PARTS)),
			NULL, err);
	return kind == ERR_NONE ? erase_post(tx, erasure, account_id, delivery->post_id, err)
				: kind;
}

static enum err_kind erase_draft_media(struct store_tx *tx, struct sql_args args, struct error *err)
{
	struct str *ids = NULL;
	size_t count = 0;
	enum err_kind kind =
		sql_list(tx->sql, tx->arena,
			 SQL_ROWS(SQL_ERASURE_DRAFT_IDS, args, store_text_read, struct str),
			 (void **)&ids, &count, err);
	for (size_t i = 0; i < count && kind == ERR_NONE; i++)
		kind = store_media_erase_owner(tx, ids[i], err);
	return kind;
}

/* A draft goes with the first of its users: it was never published, and the words in it may be
 * anybody's. */
static enum err_kind erase_drafts(struct store_tx *tx, const struct erasure *erasure,
				  struct str account_id, struct error *err)
{
	const struct sql_args args = SQL_ARGS(
		sql_text(erasure->app_id),
		sql_text(str_format(tx->arena, "%%\"" STR_FMT "\"%%", STR_ARG(account_id))));
	int64_t bytes = 0;
	enum err_kind kind = erase_draft_media(tx, args, err);
	if (kind == ERR_NONE)
		kind = sql_number(tx->sql, SQL_ERASURE_DRAFT_BYTES, args, &bytes, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_ERASURE_DRAFTS, args, NULL, err);
	return kind == ERR_NONE
		       ? sql_run(tx->sql, SQL_ERASURE_WORK,
				 SQL_ARGS(sql_text(erasure->app_id), sql_int(bytes)), NULL, err)
		       : kind;
}

/* A batch of the account's posts, and with the last one its drafts and its names. */
static enum err_kind erase_account(struct store_tx *tx, const struct erasure *erasure,
				   const struct place *place, struct error *err)
{
	const struct sql_value account = sql_text(place->account_id);
	struct ended_delivery *rows = NULL;
	size_t count = 0;
	enum err_kind kind =
		sql_list(tx->sql, tx->arena,
			 SQL_ROWS(SQL_ERASURE_DELIVERIES,
				  SQL_ARGS(account, sql_int(place->after_due_us),
					   sql_text(place->after_id), sql_int(DELIVERY_BATCH)),
				  ended_delivery_read, struct ended_delivery),
			 (void **)&rows, &count, err);
	for (size_t i = 0; i < count && kind == ERR_NONE; i++)
		kind = erase_delivery(tx, erasure, place->account_id, &rows[i], err);
	if (kind != ERR_NONE)
		return kind;
	const bool is_last = count < DELIVERY_BATCH;
	const struct ended_delivery reached =
		count > 0 ? rows[count - 1] : (struct ended_delivery){.id = STR("")};
	kind = sql_run(tx->sql, SQL_ERASURE_ACCOUNT_AFTER,
		       SQL_ARGS(sql_text(erasure->id), account, sql_int(reached.due_at_us),
				sql_text(reached.id), sql_int(is_last)),
		       NULL, err);
	if (kind == ERR_NONE && is_last)
		kind = erase_drafts(tx, erasure, place->account_id, err);
	return kind == ERR_NONE && is_last
		       ? sql_run(tx->sql, SQL_ERASURE_ACCOUNT, SQL_ARGS(account), NULL, err)
		       : kind;
}

/* Also events of posts that other users have a part in: they carry this user's handle. */
static enum err_kind erase_events(struct store_tx *tx, const struct erasure *e, int64_t to_seq,
				  struct error *err)
{
	const struct sql_args args = SQL_ARGS(
		sql_text(e->app_id), sql_int(e->after_seq), sql_int(to_seq), sql_text(e->id),
		sql_text(e->user_id), sql_int(e->platform), sql_word("%"));
	int64_t open = 0;
	enum err_kind kind = sql_number(tx->sql, SQL_ERASURE_WEBHOOKS_OPEN, args, &open, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_ERASURE_WEBHOOKS, args, NULL, err);
	if (kind == ERR_NONE)
		store_tx_use_later(tx, e->app_id, 0, -open);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_ERASURE_EVENTS, args, NULL, err);
	return kind == ERR_NONE ? sql_run(tx->sql, SQL_ERASURE_AFTER_SEQ,
					  SQL_ARGS(sql_text(e->id), sql_int(to_seq)), NULL, err)
				: kind;
}

/* Last of all, since events are found by them. */
static enum err_kind erase_connections(struct store_tx *tx, const struct erasure *e,
				       struct error *err)
{
	const struct sql_args args =
		SQL_ARGS(sql_text(e->app_id), sql_text(e->user_id), sql_int(e->platform));
	const enum err_kind kind =
		sql_run(tx->sql, SQL_ERASURE_CONNECTION_ACCOUNTS, args, NULL, err);
	return kind == ERR_NONE ? sql_run(tx->sql, SQL_ERASURE_CONNECTIONS, args, NULL, err) : kind;
}

static enum err_kind go_on(struct store_tx *tx, void *argument, struct error *err)
{
	struct working *w = argument;
	const struct erasure *e = w->erasure;
	const struct sql_value id = sql_text(e->id);
	struct place place = {0};
	int64_t left = 0, to_seq = 0, cancelled = 0;
	w->step = ERASURE_STEP_MORE;
	w->after_seq = e->after_seq;
	enum err_kind kind = end_posts(tx, w, &cancelled, err);
	if (kind != ERR_NONE || cancelled > 0)
		return kind;
	kind = sql_find(tx->sql, tx->arena,
			SQL_ROW(SQL_ERASURE_ACCOUNT_NEXT, SQL_ARGS(id), place_read), &place,
			"account", err);
	if (kind == ERR_NONE)
		return erase_account(tx, e, &place, err);
	if (kind == ERR_NOT_FOUND)
		kind = sql_number(tx->sql, SQL_ERASURE_ACCOUNTS_LEFT, SQL_ARGS(id), &left, err);
	if (kind == ERR_NONE && left > 0)
		w->step = ERASURE_STEP_WAITS;
	if (kind != ERR_NONE || left > 0)
		return kind;
	kind = sql_number(
		tx->sql, SQL_ERASURE_EVENTS_REACH,
		SQL_ARGS(sql_text(e->app_id), sql_int(e->after_seq), sql_int(EVENT_BATCH)), &to_seq,
		err);
	if (kind != ERR_NONE)
		return kind;
	if (to_seq > 0) {
		w->after_seq = to_seq;
		return erase_events(tx, e, to_seq, err);
	}
	w->step = ERASURE_STEP_DONE;
	return erase_connections(tx, e, err);
}

enum err_kind store_erasure_go_on(struct store *store, struct erasure *erasure, int64_t now_us,
				  enum erasure_step *step_out, struct error *err)
{
	struct working working = {.erasure = erasure, .now_us = now_us};
	const enum err_kind kind = store_write(store, go_on, &working, err);
	if (kind != ERR_NONE)
		return kind;
	*step_out = working.step;
	erasure->after_seq = working.after_seq;
	return ERR_NONE;
}

static enum err_kind finish(struct store_tx *tx, void *argument, struct error *err)
{
	const struct working *w = argument;
	const struct erasure *e = w->erasure;
	const struct sql_value id = sql_text(e->id);
	enum err_kind kind = sql_run_one(tx->sql, SQL_ERASURE_END, SQL_ARGS(id, sql_int(w->now_us)),
					 ERR_CONFLICT, "erasure under way", err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_ERASURE_FORGET, SQL_ARGS(id), NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_ERASURE_AUDIT_END, SQL_ARGS(sql_int(e->audit_seq)),
			       NULL, err);
	return kind == ERR_NONE ? event_add(tx, e->app_id, EVENT_USER_ERASED, e->id, STR(""), err)
				: kind;
}

enum err_kind store_erasure_finish(struct store *store, const struct erasure *erasure,
				   int64_t now_us, struct error *err)
{
	struct working working = {.erasure = erasure, .now_us = now_us};
	return store_write(store, finish, &working, err);
}
