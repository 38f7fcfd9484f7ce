/* SPDX-License-Identifier: Apache-2.0
 * Claiming. Works on lanes (one row an account) and goes round the apps, so that its cost depends
 * on how much is claimed and not on how much waits: each round gives every app that has work an
 * equal share of what is left, beginning after the app that was served last. */
#include "store_delivery.h"

#include "arena.h"
#include "buf.h"
#include "count_of.h"
#include "log.h"

#include "json_write.h"

#include "delivery_transitions.h"
#include "store_alarm.h"
#include "store_private.h"

/* How long what cannot be claimed is left alone. */
#define PUT_OFF_US (10 * US_PER_MINUTE)
/* The beginning of the parts as record.c of delivery/ writes them, for LIKE. */
#define FIRST_PART_OUT "[{\"state\":\"published\"%"
/* Apps looked at in one claim; the others are first in the next. */
#define CLAIM_APPS_MAX 128
#define APPS_TEXT_MAX_BYTES 65536
/* Taken from each app at a time, at least, while others wait: four, and they wait four times as
 * many claims; each is some hundredths of a second. */
#define CLAIM_SHARE_MIN 4
/* An app of another node is left to it for so long after its work is due, or after it was looked at
 * last: then that node is gone, or has no room. */
#define CLAIM_NEGLECT_US (2 * US_PER_S)
/* A claim that may take fewer, and takes them all, is of a node without room; one that takes as
 * many as a turn may goes on with the next turn. */
#define CLAIM_ROOM_MIN 32
/* A clock that was set back by less holds nothing up that anybody would notice. */
#define SET_BACK_MIN_US US_PER_S

struct due_lane;

struct claim_app {
	struct str id;
	struct due_lane *lanes; /* as they were listed in this round */
	size_t lane_count;
	size_t lane_next;      /* the first that nobody has looked at */
	int64_t was_scheduled; /* of those claimed */
	bool has_more;         /* lanes may be due still */
	bool is_looked_at;
	bool is_chosen_from; /* for what it had due there was room */
	bool is_passed_over; /* something was due, and there was no room for it */
	bool is_put_off;     /* its lanes cannot be read */
	bool has_slots;      /* the next three are known */
	uint32_t slots[PLATFORM_ID_MAX + 1];
	int64_t apart;    /* platforms whose limit it shares with no other app, as a mask */
	int64_t given_up; /* platforms without slots for too long, as a mask */
};

struct claim {
	struct store_tx *tx;
	struct arena *arena; /* the caller's, for the work */
	const struct delivery_claim *wish;
	int64_t lease_until_us;
	struct claim_app *apps;
	size_t app_count;
	int64_t has_shared; /* platforms of which the next is known, as a mask */
	uint32_t shared_slots[PLATFORM_ID_MAX + 1];
	struct delivery_work *work;
	size_t count;
	bool is_full; /* the caller's arena holds no more */
};

struct due_lane {
	struct str account_id;
	struct str busy_delivery_id;
	int64_t next_due_us;
	int64_t platform_mask;
	bool is_shared; /* others of the app have connected the same platform account */
};

static void claim_app_read(struct sql_cursor *cursor, void *out)
{
	((struct claim_app *)out)->id = sql_take_text(cursor);
}

static void lane_read(struct sql_cursor *cursor, void *out)
{
	struct due_lane *lane = out;
	lane->account_id = sql_take_text(cursor);
	lane->busy_delivery_id = sql_take_text(cursor);
	lane->next_due_us = sql_take_int(cursor);
	lane->platform_mask = sql_take_int(cursor);
	lane->is_shared = !str_is_empty(sql_take_text(cursor));
}

/* A lane to claim, and the delivery that was found for it, with its post. */
struct pick {
	struct claim_app *app;
	const struct due_lane *lane;
	struct delivery_work work; /* id empty: nothing is due */
	struct post_now post;
	bool is_read;
};

/* Of the lane whose account has been taken already. */
static void work_read(struct sql_cursor *cursor, struct pick *pick)
{
	struct delivery_work *work = &pick->work;
	work->post_id = sql_take_text(cursor);
	work->fence = sql_take_int(cursor) + 1; /* as this claim will set it */
	work->state = post_state_of_name(sql_take_text(cursor));
	work->attempts = (int)sql_take_int(cursor);
	work->flow = sql_take_text(cursor);
	work->flow_sealed = sql_take_blob(cursor);
	work->call_state = (enum call_state)sql_take_int(cursor);
	work->call_started_at_us = sql_take_int(cursor);
	work->looks = (int)sql_take_int(cursor);
	work->republished = sql_take_bool(cursor);
	work->due_at_us = sql_take_int(cursor);
	work->is_out = sql_take_bool(cursor);
	work->published_at_us = sql_take_int(cursor);
	work->content = sql_take_text(cursor);
	work->credential_client_id = sql_take_text(cursor);
	work->credential_secret_sealed = sql_take_blob(cursor);
	work->app_id = sql_take_text(cursor);
	work->app_state = app_state_of_name(sql_take_text(cursor));
	work->retry_unknown_once = sql_take_bool(cursor);
	work->max_lateness_s = sql_take_int(cursor);
	work->cause = sql_take_text(cursor);
	work->tiktok_privacy = (enum app_tiktok_privacy)sql_take_int(cursor);
	work->world.is_test = sql_take_bool(cursor);
	work->world.time_scale = sql_take_int(cursor);
	work->is_app_deleted = sql_take_bool(cursor);
	work->is_recorded = sql_take_bool(cursor);
	work->hold = (enum hold_state)sql_take_int(cursor);
	work->hold_due_at_us = sql_take_int(cursor);
	post_now_read(cursor, &pick->post);
	account_read(cursor, &work->account);
	work->post_date_us = pick->post.counted.date_us;
	work->post_ordinal = pick->post.counted.ordinal;
	work->post_delivery_count = pick->post.delivery_count;
}

/* Where several nodes claim, a node's own apps come first to it, and who claims from an app has
 * locked it. */
static struct sql_query apps_after(const struct claim *claim, struct str after)
{
	const struct node_share share = store_node_share_of(claim->tx->store);
	const int64_t now_us = claim->wish->now_us;
	const bool is_shared = sql_is_shared(claim->tx->sql);
	const struct sql_value values[] = {
		sql_text(after),      sql_int(now_us),      sql_int(CLAIM_APPS_MAX),
		sql_int(share.count), sql_int(share.index), sql_int(now_us - CLAIM_NEGLECT_US)};
	struct sql_value *kept = ARENA_ARRAY(claim->tx->arena, struct sql_value, COUNT_OF(values));
	memcpy(kept, values, sizeof(values));
	return (struct sql_query){is_shared ? SQL_WORK_LIST_DUE_OF_NODE : SQL_WORK_LIST_DUE,
				  {kept, is_shared ? COUNT_OF(values) : 3},
				  claim_app_read,
				  sizeof(struct claim_app)};
}

/* The apps with work, from the one after the last served round to it. */
static enum err_kind list_apps(struct claim *claim, struct error *err)
{
	const struct store *store = claim->tx->store;
	const struct str last = {store->claim_app_id, store->claim_app_id_length};
	struct claim_app *apps = ARENA_ARRAY(claim->tx->arena, struct claim_app, CLAIM_APPS_MAX);
	struct sql_call before = {.query = apps_after(claim, STR(""))};
	struct sql_call after = {.query = apps_after(claim, last), .next = &before};
	claim->apps = apps;
	const enum err_kind kind = sql_run_all(claim->tx->sql, claim->tx->arena, &after, err);
	if (kind != ERR_NONE)
		return kind;
	for (size_t i = 0; i < after.row_count; i++)
		apps[claim->app_count++] = ((struct claim_app *)after.rows)[i];
	const struct claim_app *rest = before.rows;
	for (size_t i = 0; i < before.row_count && claim->app_count < CLAIM_APPS_MAX; i++) {
		if (str_compare(rest[i].id, last) <= 0)
			apps[claim->app_count++] = rest[i];
	}
	for (size_t i = 0; i < claim->app_count; i++)
		store_tx_note_locked(claim->tx, apps[i].id);
	return ERR_NONE;
}

/* The lane says more than there is (its delivery went another way): set right. */
static enum err_kind lane_correct(struct claim *claim, const struct due_lane *lane,
				  struct error *err)
{
	return store_lane_free(claim->tx, lane->account_id, lane->busy_delivery_id, err);
}

enum err_kind store_claim_prepare(struct store_tx *tx, const struct delivery_work *work,
				  struct delivery_changing *out, struct error *err)
{
	const struct delivery_before before = {
		.id = work->id, .fence = work->fence - 1, .state = work->state};
	return delivery_state_prepare(tx, &before, DELIVERY_CHANGE_CLAIM, SQL_DELIVERY_CLAIM,
				      SQL_ARGS(sql_int(work->lease_until_us)), out, err);
}

static enum err_kind claim_row(struct claim *claim, const struct delivery_work *work,
			       struct error *err)
{
	struct delivery_changing claiming = {0};
	struct store_tx *tx = claim->tx;
	enum err_kind kind = store_claim_prepare(tx, work, &claiming, err);
	if (kind == ERR_NONE)
		kind = sql_run_all(tx->sql, tx->arena, &claiming.call, err);
	return kind == ERR_NONE ? delivery_state_judge(tx, &claiming, err) : kind;
}

/* Where others claim too, the lane says who has it. */
static enum err_kind lane_take(struct claim *claim, struct str account_id, struct str delivery_id,
			       struct error *err)
{
	const struct sql_value values[] = {sql_text(account_id), sql_text(delivery_id),
					   sql_int(claim->lease_until_us),
					   sql_word(claim->tx->store->node_id)};
	const bool is_shared = sql_is_shared(claim->tx->sql);
	return sql_run(claim->tx->sql, is_shared ? SQL_LANE_CLAIM_FOR : SQL_LANE_CLAIM,
		       (struct sql_args){values, is_shared ? 4 : 3}, NULL, err);
}

/* The state of a post with several deliveries follows from their rows, once they are written. */
static enum err_kind take_delivery(struct claim *claim, const struct pick *pick, struct error *err)
{
	const struct delivery_work *work = &pick->work;
	const bool leaves_row = claim->wish->leaves_rows;
	const bool leaves_post = leaves_row && pick->post.delivery_count != 1;
	enum err_kind kind = leaves_row ? ERR_NONE : claim_row(claim, work, err);
	if (kind == ERR_NONE)
		kind = lane_take(claim, pick->lane->account_id, work->id, err);
	if (kind == ERR_NONE && work->state != POST_PROCESSING && !leaves_post)
		kind = post_state_follow(claim->tx, work->post_id, &pick->post, POST_PROCESSING,
					 err);
	return kind;
}

/* Rows come mostly in the order of the picks: the search begins behind the one before. */
static struct pick *pick_of(struct pick *picks, size_t count, struct str account_id, size_t *at)
{
	for (size_t i = 0; i < count; i++) {
		struct pick *pick = &picks[(*at + i) % count];
		if (str_equal(pick->lane->account_id, account_id)) {
			*at = (*at + i + 1) % count;
			return pick;
		}
	}
	return NULL;
}

static enum err_kind pick_read(struct claim *claim, struct sql_cursor *cursor, struct pick *pick)
{
	pick->is_read = true;
	pick->work.id = sql_take_text(cursor);
	if (str_is_empty(pick->work.id) && str_is_empty(pick->lane->busy_delivery_id))
		return ERR_NONE;
	if (!sql_take_bool(cursor))
		return error_set(cursor->err, ERR_NOT_FOUND, "no such delivery");
	work_read(cursor, pick);
	pick->work.lease_until_us = claim->lease_until_us;
	return cursor->kind;
}

/* One question for all of them. What the caller's arena cannot hold is left, unless it is the
 * first. */
static enum err_kind picks_find(struct claim *claim, struct pick *picks, size_t count,
				struct error *err)
{
	struct str *ids = ARENA_ARRAY(claim->tx->arena, struct str, count);
	struct str list = {0};
	struct sql_cursor cursor;
	size_t at = 0;
	size_t found = claim->count;
	for (size_t i = 0; i < count; i++)
		ids[i] = picks[i].lane->account_id;
	enum err_kind kind = store_list_text(claim->tx->arena, ids, count, &list, err);
	if (kind != ERR_NONE)
		return kind;
	sql_select(&cursor, claim->tx->sql, SQL_LANES_WORK, claim->arena,
		   SQL_ARGS(sql_text(list), sql_int(claim->wish->now_us), sql_word(FIRST_PART_OUT)),
		   err);
	while (kind == ERR_NONE && sql_next(&cursor)) {
		struct pick *pick = pick_of(picks, count, sql_take_text(&cursor), &at);
		if (pick != NULL)
			kind = pick_read(claim, &cursor, pick);
		if (pick != NULL && kind == ERR_TOO_LARGE)
			pick->is_read = false;
		found += kind == ERR_NONE;
	}
	const enum err_kind ended = sql_end(&cursor);
	kind = kind == ERR_NONE ? ended : kind;
	claim->is_full = kind == ERR_TOO_LARGE && found > 0;
	return claim->is_full ? ERR_NONE : kind;
}

/* It is due, and what it is busy with is not its own. */
static bool is_foreign(const struct pick *pick)
{
	return !str_is_empty(pick->work.id) &&
	       !str_equal(pick->work.account.id, pick->lane->account_id);
}

/* The lane of the same platform account that was due first has been taken, by now or long since. */
static enum err_kind pick_stand_behind(const struct claim *claim, const struct pick *pick,
				       bool *is_behind_out, struct error *err)
{
	const struct due_lane *lane = pick->lane;
	*is_behind_out = false;
	if (!lane->is_shared || (!str_is_empty(lane->busy_delivery_id) && !is_foreign(pick)))
		return ERR_NONE;
	return store_lane_stand_behind(claim->tx, lane->account_id, STR(""), is_behind_out, err);
}

static enum err_kind pick_take(struct claim *claim, const struct pick *pick, struct error *err)
{
	const struct delivery_work *work = &pick->work;
	bool is_behind = false;
	enum err_kind kind = pick_stand_behind(claim, pick, &is_behind, err);
	if (kind != ERR_NONE || is_behind)
		return kind;
	if (str_is_empty(work->id) || is_foreign(pick) ||
	    delivery_transition_find(work->state, DELIVERY_CHANGE_CLAIM) == NULL)
		return lane_correct(claim, pick->lane, err);
	kind = take_delivery(claim, pick, err);
	if (kind != ERR_NONE)
		return kind;
	claim->work[claim->count++] = *work;
	pick->app->was_scheduled += work->state == POST_SCHEDULED;
	return ERR_NONE;
}

static enum err_kind claim_picks(struct claim *claim, struct pick *picks, size_t count,
				 struct error *err)
{
	if (count == 0)
		return ERR_NONE;
	enum err_kind kind = picks_find(claim, picks, count, err);
	for (size_t i = 0; i < count && kind == ERR_NONE; i++) {
		if (picks[i].is_read)
			kind = pick_take(claim, &picks[i], err);
		else if (!claim->is_full)
			kind = lane_correct(claim, picks[i].lane, err);
	}
	return kind;
}

/* ---- what cannot be claimed ---- */

/* Of one account, or one app: named where the operator looks. */
static enum err_kind put_off_alarm(struct claim *claim, const char *what, struct str id,
				   const struct error *why, struct error *err)
{
	struct arena *arena = claim->tx->arena;
	const struct str name = str_format(arena, "%s " STR_FMT, what, STR_ARG(id));
	const struct str message = str_format(
		arena,
		"Its posts are put off for 10 minutes at a time, because the next one cannot be "
		"read from the database: %s. The posts of others go out.",
		why->text);
	LOG(claim->tx->store->log, ERROR, "claim_put_off", log_str("what", name),
	    log_str("error", str_of(why->text)));
	return store_alarm_raise_in(claim->tx, name, message, claim->wish->now_us, err);
}

static enum err_kind put_off_lane(struct claim *claim, const struct due_lane *lane,
				  const struct error *why, struct error *err)
{
	const enum err_kind kind = sql_run(
		claim->tx->sql, SQL_LANE_PUT_OFF,
		SQL_ARGS(sql_text(lane->account_id), sql_int(claim->wish->now_us + PUT_OFF_US)),
		NULL, err);
	return kind == ERR_NONE ? put_off_alarm(claim, "account", lane->account_id, why, err)
				: kind;
}

/* SQLite writes nothing more in a transaction that has read a damaged page, not even after going
 * back to a savepoint: the claim fails, and the next one begins by putting off what it failed
 * by. */
static bool is_spoiled(const struct claim *claim)
{
	return store_is_damaged(claim->tx->store) && !sql_is_shared(claim->tx->sql);
}

static enum err_kind blame(struct claim *claim, struct str id, bool is_app, const struct error *why,
			   struct error *err)
{
	struct claim_culprit *culprit = &claim->tx->store->claim_culprit;
	*culprit = (struct claim_culprit){.is_app = is_app, .why = *why};
	if (id.len <= sizeof(culprit->id)) {
		memcpy(culprit->id, id.ptr, id.len);
		culprit->id_length = id.len;
	}
	*err = *why;
	return err->kind;
}

static enum err_kind put_off_culprit(struct claim *claim, struct error *err)
{
	struct claim_culprit *kept = &claim->tx->store->claim_culprit;
	const struct claim_culprit culprit = *kept;
	const struct str id = {culprit.id, culprit.id_length};
	const struct due_lane lane = {.account_id = id};
	kept->id_length = 0;
	if (!culprit.is_app)
		return put_off_lane(claim, &lane, &culprit.why, err);
	const enum err_kind kind = sql_run(
		claim->tx->sql, SQL_WORK_PUT_OFF,
		SQL_ARGS(sql_text(id), sql_int(0), sql_int(claim->wish->now_us + PUT_OFF_US)), NULL,
		err);
	return kind == ERR_NONE ? put_off_alarm(claim, "app", id, &culprit.why, err) : kind;
}

struct lane_claim {
	struct claim *claim;
	struct claim_app *app;
	const struct due_lane *lane;
};

static enum err_kind claim_lane_command(struct store_tx *tx, void *argument, struct error *err)
{
	(void)tx;
	const struct lane_claim *one = argument;
	struct pick pick = {.app = one->app, .lane = one->lane};
	return claim_picks(one->claim, &pick, 1, err);
}

static enum err_kind claim_lane_alone(struct claim *claim, struct claim_app *app,
				      const struct due_lane *lane, struct error *err)
{
	const struct claim claim_before = *claim;
	const struct claim_app app_before = *app;
	struct lane_claim one = {claim, app, lane};
	struct error why = {0};
	const enum err_kind kind = store_tx_isolate(claim->tx, claim_lane_command, &one, &why);
	if (kind == ERR_TEMPORARY)
		*err = why;
	if (kind == ERR_NONE || kind == ERR_TEMPORARY)
		return kind;
	*claim = claim_before;
	*app = app_before;
	return is_spoiled(claim) ? blame(claim, lane->account_id, false, &why, err)
				 : put_off_lane(claim, lane, &why, err);
}

/* ---- slots ---- */

static int64_t mask_of(int platform)
{
	return INT64_C(1) << platform;
}

static void shared_slots_ask(struct claim *claim, struct claim_app *app, int platform)
{
	const struct delivery_claim *wish = claim->wish;
	const uint32_t slots =
		wish->shared_slots == NULL
			? UINT32_MAX
			: wish->shared_slots(wish->context, app->id, (enum platform_id)platform);
	if (slots == UINT32_MAX) {
		app->apart |= mask_of(platform);
		return;
	}
	if ((claim->has_shared & mask_of(platform)) == 0)
		claim->shared_slots[platform] = slots;
	claim->has_shared |= mask_of(platform);
}

static void slots_ask(struct claim *claim, struct claim_app *app)
{
	const struct delivery_claim *wish = claim->wish;
	for (int i = 1; i <= PLATFORM_ID_MAX; i++) {
		const enum platform_id platform = (enum platform_id)i;
		shared_slots_ask(claim, app, i);
		app->slots[i] = wish->slots == NULL ? UINT32_MAX
						    : wish->slots(wish->context, app->id, platform);
		if (app->slots[i] == 0 &&
		    (wish->gives_up == NULL || wish->gives_up(wish->context, app->id, platform)))
			app->given_up |= mask_of(i);
	}
	app->has_slots = true;
}

static bool is_open(const struct claim *claim, const struct claim_app *app, int platform)
{
	return app->slots[platform] > 0 &&
	       ((app->apart & mask_of(platform)) != 0 || claim->shared_slots[platform] > 0);
}

static int64_t open_platforms(const struct claim *claim, const struct claim_app *app)
{
	int64_t mask = 0;
	for (int i = 1; i <= PLATFORM_ID_MAX; i++)
		mask |= is_open(claim, app, i) ? mask_of(i) : 0;
	return mask;
}

static int64_t overdue_us(const struct claim *claim)
{
	return claim->wish->slots != NULL ? claim->wish->overdue_us : INT64_MIN;
}

/* Takes a slot; false when there is none left. */
static bool slot_take(struct claim *claim, struct claim_app *app, const struct due_lane *lane)
{
	if (lane->next_due_us <= overdue_us(claim) && (lane->platform_mask & app->given_up) != 0)
		return true;
	for (int i = 1; i <= PLATFORM_ID_MAX; i++) {
		if (lane->platform_mask != mask_of(i) || !is_open(claim, app, i))
			continue;
		app->slots[i]--;
		if ((app->apart & mask_of(i)) == 0)
			claim->shared_slots[i]--;
		return true;
	}
	return false;
}

/* Of one app that may have more. */
static enum err_kind list_lanes_of(struct claim *claim, struct claim_app *app, size_t most,
				   struct error *err)
{
	return sql_list(
		claim->tx->sql, claim->tx->arena,
		SQL_ROWS(SQL_LANES_LIST_DUE,
			 SQL_ARGS(sql_text(app->id), sql_int(claim->wish->now_us),
				  sql_int((int64_t)most), sql_int(overdue_us(claim)),
				  sql_int(open_platforms(claim, app)), sql_int(app->given_up)),
			 lane_read, struct due_lane),
		(void **)&app->lanes, &app->lane_count, err);
}

struct placed_lane {
	size_t place; /* of its app */
	struct due_lane lane;
};

static void placed_lane_read(struct sql_cursor *cursor, void *out)
{
	struct placed_lane *placed = out;
	placed->place = (size_t)sql_take_int(cursor);
	lane_read(cursor, &placed->lane);
}

static enum err_kind write_apps(struct claim *claim, const struct claim_app *apps, size_t count,
				struct str *out, struct error *err)
{
	struct buf list;
	struct json_writer w;
	buf_init(&list, claim->tx->arena, APPS_TEXT_MAX_BYTES);
	json_writer_init(&w, &list);
	json_begin_array(&w);
	for (size_t i = 0; i < count; i++) {
		if (!apps[i].has_more)
			continue;
		json_begin_array(&w);
		json_put_int(&w, (int64_t)i);
		json_put_str(&w, apps[i].id);
		json_put_int(&w, open_platforms(claim, &apps[i]));
		json_put_int(&w, apps[i].given_up);
		json_end_array(&w);
	}
	json_end_array(&w);
	*out = buf_str(&list);
	return list.is_over ? error_set(err, ERR_TOO_LARGE, "the apps of a claim are too many")
			    : ERR_NONE;
}

/* They stand in the order of the apps. */
static void deal_lanes(struct claim *claim, struct claim_app *apps,
		       const struct placed_lane *placed, size_t count)
{
	struct due_lane *lanes = ARENA_ARRAY(claim->tx->arena, struct due_lane, count);
	for (size_t i = 0; i < count; i++) {
		struct claim_app *app = &apps[placed[i].place];
		lanes[i] = placed[i].lane;
		if (app->lane_count++ == 0)
			app->lanes = &lanes[i];
	}
}

/* One question for all of them. */
static enum err_kind list_lanes_at_once(struct claim *claim, struct claim_app *apps,
					size_t app_count, size_t most, struct error *err)
{
	struct str list = {0};
	struct placed_lane *placed = NULL;
	size_t count = 0;
	enum err_kind kind = write_apps(claim, apps, app_count, &list, err);
	if (kind == ERR_NONE)
		kind = sql_list(
			claim->tx->sql, claim->tx->arena,
			SQL_ROWS(SQL_LANES_LIST_DUE_OF_APPS,
				 SQL_ARGS(sql_text(list), sql_int(claim->wish->now_us),
					  sql_int((int64_t)most), sql_int(overdue_us(claim))),
				 placed_lane_read, struct placed_lane),
			(void **)&placed, &count, err);
	if (kind == ERR_NONE)
		deal_lanes(claim, apps, placed, count);
	return kind;
}

/* The lanes of all apps that may have more, at most so many of each. */
static enum err_kind list_lanes(struct claim *claim, struct claim_app *apps, size_t app_count,
				size_t most, struct error *err)
{
	const bool is_joined = app_count > 1 && sql_is_shared(claim->tx->sql);
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < app_count; i++) {
		apps[i].lane_count = 0;
		apps[i].is_looked_at = true;
		if (apps[i].has_more && !apps[i].has_slots)
			slots_ask(claim, &apps[i]);
	}
	if (is_joined)
		kind = list_lanes_at_once(claim, apps, app_count, most, err);
	for (size_t i = 0; i < app_count && kind == ERR_NONE; i++) {
		if (apps[i].has_more && !is_joined)
			kind = list_lanes_of(claim, &apps[i], most, err);
		apps[i].lane_next = 0;
		apps[i].has_more = apps[i].has_more && apps[i].lane_count == most;
	}
	return kind;
}

static enum err_kind claim_of_app(struct claim *claim, struct claim_app *app, size_t share,
				  struct error *err)
{
	enum err_kind kind = list_lanes(claim, app, 1, share, err);
	for (size_t i = 0; i < app->lane_count && kind == ERR_NONE && !claim->is_full; i++) {
		if (slot_take(claim, app, &app->lanes[i]))
			kind = claim_lane_alone(claim, app, &app->lanes[i], err);
	}
	return kind;
}

struct app_claim {
	struct claim *claim;
	struct claim_app *app;
	size_t share;
};

static enum err_kind claim_app_command(struct store_tx *tx, void *argument, struct error *err)
{
	(void)tx;
	const struct app_claim *one = argument;
	return claim_of_app(one->claim, one->app, one->share, err);
}

/* The lanes of an app may be what cannot be read. */
static enum err_kind claim_of_app_alone(struct claim *claim, struct claim_app *app, size_t share,
					struct error *err)
{
	const struct claim claim_before = *claim;
	const struct claim_app app_before = *app;
	struct app_claim one = {claim, app, share};
	struct error why = {0};
	const enum err_kind kind = store_tx_isolate(claim->tx, claim_app_command, &one, &why);
	if (kind == ERR_TEMPORARY)
		*err = why;
	if (kind == ERR_NONE || kind == ERR_TEMPORARY)
		return kind;
	*claim = claim_before;
	*app = app_before;
	if (claim->tx->store->claim_culprit.id_length > 0) {
		*err = why;
		return kind;
	}
	if (is_spoiled(claim))
		return blame(claim, app->id, true, &why, err);
	app->has_more = false;
	app->is_put_off = true;
	return put_off_alarm(claim, "app", app->id, &why, err);
}

static void remember_served(struct store *store, struct str app_id)
{
	if (app_id.len > sizeof(store->claim_app_id))
		return;
	memcpy(store->claim_app_id, app_id.ptr, app_id.len);
	store->claim_app_id_length = app_id.len;
}

static size_t count_apps_with_more(const struct claim *claim)
{
	size_t count = 0;
	for (size_t i = 0; i < claim->app_count; i++)
		count += claim->apps[i].has_more;
	return count;
}

/* One round: an equal share for every app that may have more. */
static enum err_kind claim_round_alone(struct claim *claim, size_t share, struct error *err)
{
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < claim->app_count && kind == ERR_NONE; i++) {
		if (claim->count == claim->wish->max || claim->is_full)
			break;
		if (!claim->apps[i].has_more)
			continue;
		const size_t room = claim->wish->max - claim->count;
		kind = claim_of_app_alone(claim, &claim->apps[i], share < room ? share : room, err);
		remember_served(claim->tx->store, claim->apps[i].id);
	}
	return kind;
}

/* Up to share lanes of the app more, as far as there are slots. */
static size_t choose(struct claim *claim, struct claim_app *app, size_t share, struct pick *picks)
{
	size_t count = 0;
	while (count < share && app->lane_next < app->lane_count) {
		const struct due_lane *lane = &app->lanes[app->lane_next++];
		if (slot_take(claim, app, lane))
			picks[count++] = (struct pick){.app = app, .lane = lane};
	}
	if (count > 0)
		remember_served(claim->tx->store, app->id);
	app->is_chosen_from |= count > 0;
	return count;
}

/* How many deliveries there may be room for. Of many apps one tells it for all: they share the
 * platforms' limits. */
static size_t room_of(struct claim *claim, size_t left)
{
	struct claim_app *first = claim->apps;
	size_t room = 0;
	if (!first->has_slots)
		slots_ask(claim, first);
	for (int i = 1; i <= PLATFORM_ID_MAX; i++)
		room += (first->apart & mask_of(i)) != 0 ? left : claim->shared_slots[i];
	return room < left ? room : left;
}

/* The more of its deliveries an app begins and ends together, the fewer rows are written for each.
 * So of many apps with work a claim takes a handful from each of some, and the next goes on with
 * the others. Returns how many apps are looked at: as many as had enough for the room last time,
 * and all when there is no room, for those that have to come to an end. */
static size_t count_wanted(struct claim *claim, size_t left, size_t share)
{
	const size_t lanes = claim->tx->store->claim_lanes_of_app;
	const size_t of_each = lanes < 1 ? 1 : lanes < share ? lanes : share;
	const size_t room = room_of(claim, left);
	return room > 0 ? (room + of_each - 1) / of_each : claim->app_count;
}

static void remember_lanes(struct store *store, const struct claim_app *apps, size_t count)
{
	size_t lanes = 0;
	for (size_t i = 0; i < count; i++)
		lanes += apps[i].lane_count;
	store->claim_lanes_of_app = count > 0 ? lanes / count : 1;
}

/* Up to two shares of each of these apps, as far as there is room. */
static size_t choose_all(struct claim *claim, struct claim_app *apps, size_t app_count,
			 size_t share, struct pick *picks, size_t max)
{
	size_t count = 0;
	for (int shares = 0; shares < 2; shares++) {
		for (size_t i = 0; i < app_count && count < max; i++) {
			const size_t room = max - count;
			count +=
				choose(claim, &apps[i], share < room ? share : room, picks + count);
		}
	}
	if (count == 0)
		remember_served(claim->tx->store, apps[app_count - 1].id);
	for (size_t i = 0; i < app_count; i++) {
		apps[i].has_more |= apps[i].lane_next < apps[i].lane_count;
		apps[i].is_passed_over |= apps[i].lane_count > 0 && !apps[i].is_chosen_from;
	}
	return count;
}

/* The same for all at once: the lanes are one question, and so are their deliveries. When all are
 * looked at, a second share is listed with the first, for what others leave. */
static enum err_kind claim_of_apps(struct claim *claim, struct claim_app *apps, size_t app_count,
				   size_t share, struct error *err)
{
	const bool is_all = app_count == claim->app_count;
	const size_t left = claim->wish->max - claim->count;
	const size_t wanted = is_all ? 2 * share : share;
	struct pick *picks = ARENA_ARRAY(claim->tx->arena, struct pick, left);
	const enum err_kind kind =
		list_lanes(claim, apps, app_count, wanted < left ? wanted : left, err);
	if (kind != ERR_NONE)
		return kind;
	remember_lanes(claim->tx->store, apps, app_count);
	const size_t count = choose_all(claim, apps, app_count, share, picks, left);
	return claim_picks(claim, picks, count, err);
}

/* What a database with round trips leaves after one question is the next turn's. */
static enum err_kind claim_round(struct claim *claim, size_t share, struct error *err)
{
	const bool is_one = sql_is_shared(claim->tx->sql);
	size_t at = 0;
	enum err_kind kind = ERR_NONE;
	while (kind == ERR_NONE && at < claim->app_count && claim->count < claim->wish->max &&
	       !claim->is_full) {
		const size_t rest = claim->app_count - at;
		const size_t wanted = count_wanted(claim, claim->wish->max - claim->count, share);
		const size_t count = wanted < rest ? wanted : rest;
		kind = claim_of_apps(claim, claim->apps + at, count, share, err);
		at = is_one ? claim->app_count : at + count;
	}
	return kind;
}

static enum err_kind claim_rounds(struct claim *claim, struct error *err)
{
	const bool is_one = sql_is_shared(claim->tx->sql) && !claim->wish->isolates;
	size_t sharers = claim->app_count;
	enum err_kind kind = ERR_NONE;
	while (kind == ERR_NONE && sharers > 0 && claim->count < claim->wish->max &&
	       !claim->is_full) {
		const size_t left = claim->wish->max - claim->count;
		const size_t equal = left / sharers;
		const size_t share = equal < CLAIM_SHARE_MIN ? CLAIM_SHARE_MIN : equal;
		kind = claim->wish->isolates ? claim_round_alone(claim, share, err)
					     : claim_round(claim, share, err);
		sharers = is_one ? 0 : count_apps_with_more(claim);
	}
	return kind;
}

static bool is_node_full(const struct claim *claim)
{
	return claim->count == claim->wish->max && claim->wish->max < CLAIM_ROOM_MIN;
}

static enum err_kind note_app(const struct claim *claim, const struct claim_app *app,
			      struct error *err)
{
	struct sql_connection *sql = claim->tx->sql;
	const int64_t now_us = claim->wish->now_us;
	const struct sql_value values[] = {
		sql_text(app->id), sql_int(app->was_scheduled),
		sql_int(app->is_put_off ? now_us + PUT_OFF_US : NEVER_US),
		sql_int(is_node_full(claim) && app->has_more ? 0 : now_us)};
	if (app->is_put_off)
		return sql_run(sql, SQL_WORK_PUT_OFF, (struct sql_args){values, 3}, NULL, err);
	if (sql_is_shared(sql))
		return sql_run(sql, SQL_WORK_SERVED, (struct sql_args){values, 4}, NULL, err);
	return sql_run(sql, SQL_WORK_CLAIMED, (struct sql_args){values, 3}, NULL, err);
}

/* One that was passed over is due as its row says; only other nodes may have to learn that we are
 * full. */
static bool is_news(const struct claim *claim, const struct claim_app *app)
{
	const bool has_news = app->is_chosen_from || !app->is_passed_over;
	return app->is_put_off || (app->is_looked_at && (has_news || is_node_full(claim)));
}

/* The row of each app that was looked at learns when it is due next. */
static enum err_kind note_work(struct claim *claim, struct error *err)
{
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < claim->app_count && kind == ERR_NONE; i++) {
		if (is_news(claim, &claim->apps[i]))
			kind = note_app(claim, &claim->apps[i], err);
	}
	return kind;
}

enum err_kind store_delivery_claim(struct store_tx *tx, struct arena *arena,
				   const struct delivery_claim *wish, struct delivery_work **out,
				   size_t *count_out, struct error *err)
{
	struct claim claim = {.tx = tx,
			      .arena = arena,
			      .wish = wish,
			      .lease_until_us = wish->now_us + wish->lease_us};
	if (wish->isolates && tx->store->claim_culprit.id_length > 0) {
		*out = NULL;
		*count_out = 0;
		return put_off_culprit(&claim, err);
	}
	enum err_kind kind = store_tx_work_now(tx, err);
	if (kind == ERR_NONE)
		kind = list_apps(&claim, err);
	for (size_t i = 0; i < claim.app_count; i++)
		claim.apps[i].has_more = true;
	claim.work = arena_try_alloc(arena, wish->max * sizeof(struct delivery_work));
	if (claim.work == NULL)
		return error_set(err, ERR_TOO_LARGE, "no memory for %zu claims", wish->max);
	if (kind == ERR_NONE)
		kind = claim_rounds(&claim, err);
	if (kind == ERR_NONE)
		kind = note_work(&claim, err);
	if (kind != ERR_NONE)
		return kind;
	if (wish->takes_all != NULL)
		*wish->takes_all = claim.count < wish->max && !claim.is_full &&
				   claim.app_count < CLAIM_APPS_MAX &&
				   count_apps_with_more(&claim) == 0;
	*out = claim.work;
	*count_out = claim.count;
	return ERR_NONE;
}

enum err_kind store_delivery_next_due(struct store *store, int64_t *due_at_us_out,
				      struct error *err)
{
	const struct node_share share = store_node_share_of(store);
	const struct sql_value values[] = {sql_int(NEVER_US), sql_int(share.count),
					   sql_int(share.index), sql_int(CLAIM_NEGLECT_US)};
	if (sql_is_shared(store->sql))
		return store_number(store, SQL_WORK_NEXT_DUE_OF_NODE,
				    (struct sql_args){values, COUNT_OF(values)}, due_at_us_out,
				    err);
	return store_number(store, SQL_WORK_NEXT_DUE, (struct sql_args){values, 1}, due_at_us_out,
			    err);
}

struct at_once {
	int64_t now_us;
	int64_t count;
};

static enum err_kind due_at_once(struct store_tx *tx, void *argument, struct error *err)
{
	struct at_once *at_once = argument;
	const struct sql_value now = sql_int(at_once->now_us);
	enum err_kind kind = sql_run(tx->sql, SQL_AT_ONCE_LANES, SQL_ARGS(now), NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_AT_ONCE_DELIVERIES, SQL_ARGS(now), &at_once->count,
			       err);
	if (kind != ERR_NONE || at_once->count == 0)
		return kind;
	return sql_run(tx->sql, SQL_WORK_VOID, SQL_ARGS(sql_int(NEVER_US)), NULL, err);
}

enum err_kind store_delivery_mend_due(struct store *store, int64_t now_us, bool is_start,
				      int64_t *count_out, struct error *err)
{
	struct at_once at_once = {.now_us = now_us};
	const int64_t ahead_us = now_us - clock_boot_us(store->clock);
	*count_out = 0;
	if (!is_start && atomic_load(&store->accepted_ahead_us) <= ahead_us + SET_BACK_MIN_US)
		return ERR_NONE;
	atomic_store(&store->accepted_ahead_us, ahead_us);
	const enum err_kind kind = store_write(store, due_at_once, &at_once, err);
	if (kind != ERR_NONE)
		atomic_store(&store->accepted_ahead_us, INT64_MAX);
	*count_out = at_once.count;
	return kind;
}
