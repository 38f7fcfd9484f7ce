/* SPDX-License-Identifier: Apache-2.0
 * Claiming. Works on lanes (one row an account) and goes round the apps, so that its cost depends
 * on how much is claimed and not on how much waits: each round gives every app that has work an
 * equal share of what is left, beginning after the app that was served last. */
#include "store_delivery.h"

#include "arena.h"
#include "log.h"

#include "delivery_transitions.h"
#include "store_alarm.h"
#include "store_private.h"

/* How long what cannot be claimed is left alone. */
#define PUT_OFF_US (10 * US_PER_MINUTE)
/* The beginning of the parts as record.c of delivery/ writes them, for LIKE. */
#define FIRST_PART_OUT "[{\"state\":\"published\"%"
/* Apps looked at in one claim; the others are first in the next. */
#define CLAIM_APPS_MAX 128
/* A clock that was set back by less holds nothing up that anybody would notice. */
#define SET_BACK_MIN_US US_PER_S

struct claim_app {
	struct str id;
	size_t claimed;
	int64_t was_scheduled; /* of those claimed */
	bool has_more;         /* lanes may be due still */
	bool is_put_off;       /* its lanes cannot be read */
	bool has_slots;        /* the next is known */
	uint32_t slots[PLATFORM_ID_MAX + 1];
	int64_t given_up; /* platforms without slots for too long, as a mask */
};

struct claim {
	struct store_tx *tx;
	struct arena *arena; /* the caller's, for the work */
	const struct delivery_claim *wish;
	int64_t lease_until_us;
	struct claim_app *apps;
	size_t app_count;
	struct delivery_work *work;
	size_t count;
	bool is_full; /* the caller's arena holds no more */
};

struct due_lane {
	struct str account_id;
	struct str busy_delivery_id;
	int64_t next_due_us;
	int64_t platform_mask;
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
}

/* A delivery as it was found, with its post. */
struct found {
	struct delivery_work work;
	struct post_now post;
};

static void work_read(struct sql_cursor *cursor, void *out)
{
	struct found *found = out;
	struct delivery_work *work = &found->work;
	work->id = sql_take_text(cursor);
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
	work->content = sql_take_text(cursor);
	work->credential_client_id = sql_take_text(cursor);
	work->credential_secret_sealed = sql_take_blob(cursor);
	work->app_id = sql_take_text(cursor);
	work->app_state = app_state_of_name(sql_take_text(cursor));
	work->retry_unknown_once = sql_take_bool(cursor);
	work->max_lateness_s = sql_take_int(cursor);
	work->tiktok_privacy = (enum app_tiktok_privacy)sql_take_int(cursor);
	work->is_app_deleted = sql_take_bool(cursor);
	work->hold = (enum hold_state)sql_take_int(cursor);
	work->hold_due_at_us = sql_take_int(cursor);
	post_now_read(cursor, &found->post);
	account_read(cursor, &work->account);
	work->post_date_us = found->post.counted.date_us;
	work->post_ordinal = found->post.counted.ordinal;
	work->post_delivery_count = found->post.delivery_count;
}

static enum err_kind list_apps_after(struct claim *claim, struct str after, size_t max,
				     struct claim_app **out, size_t *count_out, struct error *err)
{
	return sql_list(claim->tx->sql, claim->tx->arena,
			SQL_ROWS(SQL_WORK_LIST_DUE,
				 SQL_ARGS(sql_text(after), sql_int(claim->wish->now_us),
					  sql_int((int64_t)max)),
				 claim_app_read, struct claim_app),
			(void **)out, count_out, err);
}

/* The apps with work, from the one after the last served round to it. */
static enum err_kind list_apps(struct claim *claim, struct error *err)
{
	const struct store *store = claim->tx->store;
	const struct str last = {store->claim_app_id, store->claim_app_id_length};
	struct claim_app *apps = ARENA_ARRAY(claim->tx->arena, struct claim_app, CLAIM_APPS_MAX);
	struct claim_app *found = NULL;
	size_t count = 0;
	enum err_kind kind = list_apps_after(claim, last, CLAIM_APPS_MAX, &found, &count, err);
	for (size_t i = 0; i < count; i++)
		apps[claim->app_count++] = found[i];
	count = 0;
	if (kind == ERR_NONE && claim->app_count < CLAIM_APPS_MAX)
		kind = list_apps_after(claim, STR(""), CLAIM_APPS_MAX - claim->app_count, &found,
				       &count, err);
	for (size_t i = 0; i < count && str_compare(found[i].id, last) <= 0; i++)
		apps[claim->app_count++] = found[i];
	claim->apps = apps;
	return kind;
}

/* The lane says more than there is (its delivery went another way): set right. */
static enum err_kind lane_correct(struct claim *claim, const struct due_lane *lane,
				  struct error *err)
{
	return sql_run(claim->tx->sql, SQL_LANE_FREE,
		       SQL_ARGS(sql_text(lane->account_id), sql_text(lane->busy_delivery_id),
				sql_int(NEVER_US)),
		       NULL, err);
}

/* The delivery that is begun, else the oldest that is due; empty when there is none. */
static enum err_kind lane_choose(struct claim *claim, const struct due_lane *lane,
				 struct str *delivery_id_out, struct error *err)
{
	*delivery_id_out = lane->busy_delivery_id;
	if (!str_is_empty(lane->busy_delivery_id))
		return ERR_NONE;
	const enum err_kind kind =
		sql_find(claim->tx->sql, claim->tx->arena,
			 SQL_ROW(SQL_LANE_OLDEST,
				 SQL_ARGS(sql_text(lane->account_id), sql_int(claim->wish->now_us)),
				 store_text_read),
			 delivery_id_out, "delivery", err);
	return kind == ERR_NOT_FOUND ? ERR_NONE : kind;
}

enum err_kind delivery_claim_row(struct store_tx *tx, const struct delivery_work *work,
				 struct error *err)
{
	const struct delivery_before before = {work->id, work->fence - 1, work->state};
	return delivery_state_change(tx, &before, DELIVERY_CHANGE_CLAIM, SQL_DELIVERY_CLAIM,
				     SQL_ARGS(sql_int(work->lease_until_us)), err);
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

static enum err_kind take_delivery(struct claim *claim, const struct due_lane *lane,
				   const struct found *found, struct error *err)
{
	const struct delivery_work *work = &found->work;
	enum err_kind kind =
		claim->wish->leaves_rows ? ERR_NONE : delivery_claim_row(claim->tx, work, err);
	if (kind == ERR_NONE)
		kind = lane_take(claim, lane->account_id, work->id, err);
	if (kind == ERR_NONE && work->state != POST_PROCESSING)
		kind = post_state_follow(claim->tx, work->post_id, &found->post, POST_PROCESSING,
					 err);
	return kind;
}

/* Is what the caller's arena could not hold put off? Not when nothing at all fits. */
static enum err_kind work_find(struct claim *claim, struct str delivery_id, struct found *found,
			       struct error *err)
{
	const enum err_kind kind = sql_find(
		claim->tx->sql, claim->arena,
		SQL_ROW(SQL_DELIVERY_WORK,
			SQL_ARGS(sql_text(delivery_id), sql_word(FIRST_PART_OUT)), work_read),
		found, "delivery", err);
	found->work.lease_until_us = claim->lease_until_us;
	claim->is_full = kind == ERR_TOO_LARGE && claim->count > 0;
	return kind;
}

static enum err_kind claim_lane(struct claim *claim, struct claim_app *app,
				const struct due_lane *lane, struct error *err)
{
	struct str delivery_id = {0};
	struct found found = {0};
	const struct delivery_work *work = &found.work;
	enum err_kind kind = lane_choose(claim, lane, &delivery_id, err);
	if (kind != ERR_NONE)
		return kind;
	if (str_is_empty(delivery_id))
		return lane_correct(claim, lane, err);
	kind = work_find(claim, delivery_id, &found, err);
	if (claim->is_full)
		return ERR_NONE;
	if (kind != ERR_NONE)
		return kind;
	if (delivery_transition_find(work->state, DELIVERY_CHANGE_CLAIM) == NULL)
		return lane_correct(claim, lane, err);
	kind = take_delivery(claim, lane, &found, err);
	if (kind != ERR_NONE)
		return kind;
	claim->work[claim->count++] = *work;
	app->claimed++;
	app->was_scheduled += work->state == POST_SCHEDULED;
	return ERR_NONE;
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
	return claim_lane(one->claim, one->app, one->lane, err);
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

static void slots_ask(const struct claim *claim, struct claim_app *app)
{
	const struct delivery_claim *wish = claim->wish;
	for (int i = 1; i <= PLATFORM_ID_MAX; i++) {
		const enum platform_id platform = (enum platform_id)i;
		app->slots[i] = wish->slots == NULL ? UINT32_MAX
						    : wish->slots(wish->context, app->id, platform);
		if (app->slots[i] == 0 &&
		    (wish->gives_up == NULL || wish->gives_up(wish->context, app->id, platform)))
			app->given_up |= INT64_C(1) << i;
	}
	app->has_slots = true;
}

static int64_t open_platforms(const struct claim_app *app)
{
	int64_t mask = 0;
	for (int i = 1; i <= PLATFORM_ID_MAX; i++)
		mask |= app->slots[i] > 0 ? INT64_C(1) << i : 0;
	return mask;
}

static int64_t overdue_us(const struct claim *claim)
{
	return claim->wish->slots != NULL ? claim->wish->overdue_us : INT64_MIN;
}

/* Takes a slot; false when there is none left. */
static bool slot_take(const struct claim *claim, struct claim_app *app, const struct due_lane *lane)
{
	if (lane->next_due_us <= overdue_us(claim) && (lane->platform_mask & app->given_up) != 0)
		return true;
	for (int i = 1; i <= PLATFORM_ID_MAX; i++) {
		if (lane->platform_mask == INT64_C(1) << i && app->slots[i] > 0) {
			app->slots[i]--;
			return true;
		}
	}
	return false;
}

static enum err_kind claim_of_app(struct claim *claim, struct claim_app *app, size_t share,
				  struct error *err)
{
	struct due_lane *lanes = NULL;
	size_t lane_count = 0;
	if (!app->has_slots)
		slots_ask(claim, app);
	enum err_kind kind =
		sql_list(claim->tx->sql, claim->tx->arena,
			 SQL_ROWS(SQL_LANES_LIST_DUE,
				  SQL_ARGS(sql_text(app->id), sql_int(claim->wish->now_us),
					   sql_int((int64_t)share), sql_int(open_platforms(app)),
					   sql_int(overdue_us(claim)), sql_int(app->given_up)),
				  lane_read, *lanes),
			 (void **)&lanes, &lane_count, err);
	app->has_more = lane_count == share;
	for (size_t i = 0; i < lane_count && kind == ERR_NONE && !claim->is_full; i++) {
		if (!slot_take(claim, app, &lanes[i]))
			continue;
		kind = claim->wish->isolates ? claim_lane_alone(claim, app, &lanes[i], err)
					     : claim_lane(claim, app, &lanes[i], err);
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
static enum err_kind claim_round(struct claim *claim, size_t sharers, struct error *err)
{
	const size_t left = claim->wish->max - claim->count;
	const size_t share = left / sharers > 0 ? left / sharers : 1;
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < claim->app_count && kind == ERR_NONE; i++) {
		if (claim->count == claim->wish->max || claim->is_full)
			break;
		if (!claim->apps[i].has_more)
			continue;
		const size_t room = claim->wish->max - claim->count;
		const size_t most = share < room ? share : room;
		kind = claim->wish->isolates ? claim_of_app_alone(claim, &claim->apps[i], most, err)
					     : claim_of_app(claim, &claim->apps[i], most, err);
		remember_served(claim->tx->store, claim->apps[i].id);
	}
	return kind;
}

/* The row of each app that was looked at learns when it is due next. */
static enum err_kind note_work(struct claim *claim, struct error *err)
{
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < claim->app_count && kind == ERR_NONE; i++) {
		const struct claim_app *app = &claim->apps[i];
		const int64_t later_us = claim->wish->now_us + PUT_OFF_US;
		kind = sql_run(claim->tx->sql,
			       app->is_put_off ? SQL_WORK_PUT_OFF : SQL_WORK_CLAIMED,
			       SQL_ARGS(sql_text(app->id), sql_int(app->was_scheduled),
					sql_int(app->is_put_off ? later_us : NEVER_US)),
			       NULL, err);
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
	size_t sharers = claim.app_count;
	while (kind == ERR_NONE && sharers > 0 && claim.count < wish->max && !claim.is_full) {
		kind = claim_round(&claim, sharers, err);
		sharers = count_apps_with_more(&claim);
	}
	if (kind == ERR_NONE)
		kind = note_work(&claim, err);
	if (kind != ERR_NONE)
		return kind;
	if (wish->takes_all != NULL)
		*wish->takes_all = claim.count < wish->max && !claim.is_full &&
				   claim.app_count < CLAIM_APPS_MAX;
	*out = claim.work;
	*count_out = claim.count;
	return ERR_NONE;
}

enum err_kind store_delivery_next_due(struct store *store, int64_t *due_at_us_out,
				      struct error *err)
{
	return store_number(store, SQL_WORK_NEXT_DUE, SQL_ARGS(sql_int(NEVER_US)), due_at_us_out,
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
