/* SPDX-License-Identifier: Apache-2.0
 * The database's epoch stands in meta under three names. */
#include "store_guard.h"

#include <pthread.h>

#include "clock.h"
#include "log.h"

#include "store_private.h"
#include "store_late_id.h"
#include "store_removal.h"

#define NAME_NUMBER "epoch_number"
#define NAME_AT_US "epoch_at_us"
#define NAME_LINEAGE "epoch_lineage"
#define NAME_ARMED "restore_armed"
#define NAME_RUNNING "guard_running" /* until it is stopped */
#define NAME_SERVER "server_lineage"
#define NAME_DATABASE "database_identity"
/* Longer than a publish call may take that was begun before the other server took over. */
#define FAILOVER_GRACE_US US_PER_MINUTE
/* The epoch's time is as old as this, or a little older where a beat was late. */
#define BETWEEN_BEATS_US (2 * US_PER_MINUTE)
/* A run that was not stopped and ended so long ago may be one of a volume that was rolled back. */
#define GAP_MIN_US (5 * US_PER_MINUTE)

/* ---- the epoch ---- */

static enum err_kind meta_get(struct store_tx *tx, const char *name, int64_t *out,
			      struct error *err)
{
	return sql_number(tx->sql, SQL_META_GET, SQL_ARGS(sql_word(name)), out, err);
}

static enum err_kind meta_put(struct store_tx *tx, const char *name, int64_t number,
			      struct error *err)
{
	return sql_run(tx->sql, SQL_META_PUT, SQL_ARGS(sql_word(name), sql_int(number)), NULL, err);
}

static enum err_kind epoch_get(struct store_tx *tx, struct epoch *out, struct error *err)
{
	*out = (struct epoch){0};
	enum err_kind kind = meta_get(tx, NAME_NUMBER, &out->number, err);
	if (kind == ERR_NONE)
		kind = meta_get(tx, NAME_AT_US, &out->at_us, err);
	if (kind == ERR_NONE)
		kind = meta_get(tx, NAME_LINEAGE, &out->lineage, err);
	out->is_there = out->number > 0;
	return kind;
}

static int64_t larger(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Above both, and never back in time even if the clock is set back. */
static enum err_kind epoch_raise(struct store_tx *tx, struct epoch *epoch, const struct epoch *file,
				 int64_t now_us, struct error *err)
{
	epoch->is_there = true;
	epoch->number = larger(epoch->number, file->number) + 1;
	epoch->at_us = larger(now_us, larger(epoch->at_us, file->at_us));
	enum err_kind kind = meta_put(tx, NAME_NUMBER, epoch->number, err);
	if (kind == ERR_NONE)
		kind = meta_put(tx, NAME_AT_US, epoch->at_us, err);
	if (kind == ERR_NONE)
		kind = meta_put(tx, NAME_LINEAGE, epoch->lineage, err);
	return kind;
}

/* ---- marks ---- */

static enum err_kind run_marks(struct store_tx *tx, const enum sql_name *names, size_t count,
			       struct sql_args args, struct error *err)
{
	enum err_kind kind = ERR_NONE;
	for (size_t i = 0; i < count && kind == ERR_NONE; i++)
		kind = sql_run(tx->sql, names[i], args, NULL, err);
	return kind;
}

/* Marks of one restore. */
struct marking {
	int64_t until_us; /* what was due by then may have gone out since */
	int64_t since_us; /* the lost history began no earlier */
	int64_t ask_us;   /* the platforms are asked from then on; lateness is this run's */
	int64_t count;    /* of those marked as due */
};

/* All that is due, however long: what is open in an old backup may have gone out since (docs/adr,
 * "A restored database is held"). */
static enum err_kind mark_due(struct store_tx *tx, struct marking *marking, struct error *err)
{
	static const enum sql_name names[] = {SQL_HOLD_ASK_DUE, SQL_HOLD_ASK_LANES};
	enum err_kind kind =
		sql_run(tx->sql, SQL_HOLD_FORGET, SQL_ARGS(sql_int(HOLD_ADOPTED)), NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_HOLD_MARK,
			       SQL_ARGS(sql_int(marking->until_us), sql_int(HOLD_ASKING)),
			       &marking->count, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_HOLD_MARK_ENDED,
			       SQL_ARGS(sql_int(HOLD_ENDED), sql_int(marking->since_us)), NULL,
			       err);
	if (kind == ERR_NONE)
		kind = run_marks(tx, names, 2,
				 SQL_ARGS(sql_int(marking->ask_us), sql_int(HOLD_ASKING)), err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_WORK_VOID, SQL_ARGS(sql_int(NEVER_US)), NULL, err);
	return kind;
}

/* The latest instant at which the lost history may have published something. Behind the epoch's
 * time the clock was set back since; by how much it had gone on meanwhile nobody wrote down. */
static int64_t latest_us(int64_t epoch_at_us, int64_t now_us)
{
	return epoch_at_us > now_us ? epoch_at_us + BETWEEN_BEATS_US : now_us;
}

/* A replica that was promoted may lack what was committed last: deliveries that have gone out look
 * as if they had not. Due deliveries are asked about, after the calls that are still in flight. */
static enum err_kind history_is_another(struct store_tx *tx, const char *event, struct error *err)
{
	const int64_t now_us = clock_now_us(tx->store->clock);
	struct epoch known = {0};
	enum err_kind kind = epoch_get(tx, &known, err);
	struct marking marking = {.until_us = latest_us(known.at_us, now_us),
				  .since_us = known.at_us,
				  .ask_us = now_us + FAILOVER_GRACE_US};
	if (kind == ERR_NONE)
		kind = mark_due(tx, &marking, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_HOLD_ASK_FENCE,
			       SQL_ARGS(sql_int(marking.until_us), sql_int(HOLD_ASKING)), NULL,
			       err);
	if (kind == ERR_NONE)
		LOG(tx->store->log, WARN, event, log_int("deliveries_held", marking.count));
	return kind;
}

/* 0 = unknown. */
static bool is_another(int64_t known, int64_t now)
{
	return known != 0 && now != 0 && known != now;
}

enum err_kind guard_judge_server(struct store_tx *tx, void *argument, struct error *err)
{
	const struct sql_history *now = argument;
	struct sql_history known = {0};
	enum err_kind kind = meta_get(tx, NAME_SERVER, &known.server, err);
	if (kind == ERR_NONE)
		kind = meta_get(tx, NAME_DATABASE, &known.database, err);
	if (kind == ERR_NONE && is_another(known.server, now->server))
		kind = history_is_another(tx, "database_failed_over", err);
	else if (kind == ERR_NONE && is_another(known.database, now->database))
		kind = history_is_another(tx, "database_restored", err);
	if (kind == ERR_NONE && now->server != 0 && now->server != known.server)
		kind = meta_put(tx, NAME_SERVER, now->server, err);
	if (kind == ERR_NONE && now->database != 0 && now->database != known.database)
		kind = meta_put(tx, NAME_DATABASE, now->database, err);
	return kind;
}

struct starting {
	struct epoch database;
	struct epoch file;
	int64_t now_us;
	bool is_end;
	struct guard_start told;
};

/* No file, or one that first_file() has just made while another node was as quick. */
static bool is_newcomer(const struct starting *starting)
{
	return starting->told.finding == EPOCH_FILE_MISSING ||
	       (starting->told.finding == EPOCH_OTHER_DATABASE && starting->file.number == 0);
}

/* A node that is new has no file. Beside others that work there is nothing to be found out by
 * it. */
static enum err_kind join(struct store_tx *tx, struct starting *starting, struct error *err)
{
	int64_t others = 0;
	const enum err_kind kind =
		sql_number(tx->sql, SQL_NODE_COUNT_ALIVE,
			   SQL_ARGS(sql_word(tx->store->node_id),
				    sql_int(clock_now_us(tx->store->clock) - NODE_DEAD_US)),
			   &others, err);
	if (kind == ERR_NONE && others > 0) {
		starting->file = starting->database;
		starting->told.finding = EPOCH_SAME;
	}
	return kind;
}

static bool is_put_back(const struct sql_connection *sql)
{
	return sql->driver->is_put_back != NULL && sql->driver->is_put_back(sql);
}

/* Was it said by hand, or by store_restore(), that the database was put back? Said once. */
static enum err_kind take_arming(struct store_tx *tx, bool *is_armed_out, struct error *err)
{
	int64_t armed = 0;
	const enum err_kind kind = meta_get(tx, NAME_ARMED, &armed, err);
	*is_armed_out = armed != 0;
	return kind == ERR_NONE && armed != 0 ? meta_put(tx, NAME_ARMED, 0, err) : kind;
}

static enum err_kind mark_restored(struct store_tx *tx, struct starting *starting,
				   struct error *err)
{
	const struct epoch *database = &starting->database;
	const struct epoch *file = &starting->file;
	const bool is_ours = file->lineage == database->lineage;
	const int64_t epoch_at_us =
		is_ours ? larger(file->at_us, database->at_us) : database->at_us;
	struct marking marking = {.until_us = latest_us(epoch_at_us, starting->now_us),
				  .since_us = database->at_us,
				  .ask_us = starting->now_us};
	const enum err_kind kind = mark_due(tx, &marking, err);
	starting->told.marked_count = marking.count;
	return kind;
}

/* Nothing shows that the database was put back. Yet it may have been, with all that could show it:
 * what was due meanwhile and has not begun is looked for once. */
static enum err_kind look_after_gap(struct store_tx *tx, struct starting *starting,
				    struct error *err)
{
	int64_t running = 0;
	const bool has_gap = starting->database.at_us != 0 &&
			     starting->now_us - starting->database.at_us > GAP_MIN_US;
	const enum err_kind kind = meta_get(tx, NAME_RUNNING, &running, err);
	if (kind != ERR_NONE || running == 0 || !has_gap)
		return kind;
	return sql_run(tx->sql, SQL_HOLD_LOOK,
		       SQL_ARGS(sql_int(starting->now_us), sql_int(HOLD_LOOKING)),
		       &starting->told.look_count, err);
}

static enum err_kind start_in_tx(struct store_tx *tx, void *argument, struct error *err)
{
	struct starting *starting = argument;
	const int64_t lineage = starting->file.lineage;
	bool is_armed = false;
	enum err_kind kind = epoch_get(tx, &starting->database, err);
	if (kind == ERR_NONE)
		kind = take_arming(tx, &is_armed, err);
	if (kind != ERR_NONE)
		return kind;
	starting->told = (struct guard_start){0};
	starting->told.finding = epoch_compare(&starting->database, &starting->file);
	if (sql_is_shared(tx->sql) && is_newcomer(starting))
		kind = join(tx, starting, err);
	if (!epoch_means_restore(starting->told.finding) && is_put_back(tx->sql))
		starting->told.finding = EPOCH_PUT_BACK;
	if (!epoch_means_restore(starting->told.finding) && is_armed)
		starting->told.finding = EPOCH_ARMED;
	if (kind == ERR_NONE && epoch_means_restore(starting->told.finding))
		kind = mark_restored(tx, starting, err);
	else if (kind == ERR_NONE)
		kind = look_after_gap(tx, starting, err);
	if (kind == ERR_NONE)
		kind = meta_put(tx, NAME_RUNNING, 1, err);
	if (starting->database.lineage == 0)
		starting->database.lineage = lineage;
	if (kind == ERR_NONE)
		kind = epoch_raise(tx, &starting->database, &starting->file, starting->now_us, err);
	return kind;
}

/* The file comes first where there is none: then a crash here never looks like a restore. */
static enum err_kind first_file(struct store *store, struct epoch *file, int64_t new_lineage,
				struct error *err)
{
	const struct epoch first = {.is_there = true, .lineage = new_lineage};
	int64_t number = 0;
	enum err_kind kind =
		store_number(store, SQL_META_GET, SQL_ARGS(sql_word(NAME_NUMBER)), &number, err);
	if (kind != ERR_NONE || number > 0 || file->is_there)
		return kind;
	kind = epoch_file_write(store->epoch_path, &first, err);
	if (kind == ERR_NONE)
		*file = first;
	return kind;
}

static enum err_kind guard_start(struct store *store, int64_t new_lineage,
				 struct starting *starting, struct error *err)
{
	enum err_kind kind = epoch_file_read(store->epoch_path, &starting->file, err);
	if (kind == ERR_NONE)
		kind = first_file(store, &starting->file, new_lineage, err);
	if (kind == ERR_NONE)
		kind = store_write_patiently(store, start_in_tx, starting, err);
	if (kind == ERR_NONE)
		kind = epoch_file_write(store->epoch_path, &starting->database, err);
	if (kind == ERR_NONE && store->sql->driver->settle_put_back != NULL)
		store->sql->driver->settle_put_back(store->sql);
	return kind;
}

enum err_kind store_guard_start(struct store *store, int64_t new_lineage, int64_t now_us,
				struct guard_start *out, struct error *err)
{
	struct starting starting = {.now_us = now_us};
	if (store->epoch_path == NULL)
		return error_set(err, ERR_INTERNAL, "the store was opened without an epoch file");
	pthread_mutex_lock(&store->epoch_lock);
	const enum err_kind kind = guard_start(store, new_lineage, &starting, err);
	store->is_guarded = kind == ERR_NONE;
	pthread_mutex_unlock(&store->epoch_lock);
	*out = starting.told;
	return kind;
}

static enum err_kind beat_in_tx(struct store_tx *tx, void *argument, struct error *err)
{
	struct starting *beat = argument;
	enum err_kind kind = epoch_get(tx, &beat->database, err);
	if (kind == ERR_NONE && tx->store->is_guarded)
		kind = meta_put(tx, NAME_RUNNING, beat->is_end ? 0 : 1, err);
	if (kind != ERR_NONE)
		return kind;
	beat->told.finding = epoch_compare(&beat->database, &beat->file);
	if (!tx->store->is_guarded && beat->told.finding != EPOCH_SAME)
		return ERR_NONE; /* the next start must see it as it is */
	return epoch_raise(tx, &beat->database, &beat->file, beat->now_us, err);
}

static enum err_kind beat(struct store *store, struct starting *starting, struct error *err)
{
	enum err_kind kind = epoch_file_read(store->epoch_path, &starting->file, err);
	if (kind == ERR_NONE)
		kind = store_write(store, beat_in_tx, starting, err);
	if (kind == ERR_NONE && (store->is_guarded || starting->told.finding == EPOCH_SAME))
		kind = epoch_file_write(store->epoch_path, &starting->database, err);
	return kind;
}

static enum err_kind beat_alone(struct store *store, struct starting *starting, struct error *err)
{
	if (store->epoch_path == NULL)
		return ERR_NONE;
	pthread_mutex_lock(&store->epoch_lock);
	const enum err_kind kind = beat(store, starting, err);
	pthread_mutex_unlock(&store->epoch_lock);
	return kind;
}

enum err_kind store_guard_beat(struct store *store, int64_t now_us, struct error *err)
{
	struct starting starting = {.now_us = now_us};
	return beat_alone(store, &starting, err);
}

enum err_kind store_guard_end(struct store *store, int64_t now_us, struct error *err)
{
	struct starting starting = {.now_us = now_us, .is_end = true};
	return beat_alone(store, &starting, err);
}

static enum err_kind arm_in_tx(struct store_tx *tx, void *argument, struct error *err)
{
	(void)argument;
	return meta_put(tx, NAME_ARMED, 1, err);
}

enum err_kind store_guard_arm(struct store *store, struct error *err)
{
	return store_write(store, arm_in_tx, NULL, err);
}

/* ---- what is held ---- */

struct hold_count_row {
	int64_t platform;
	int64_t state;
	int64_t count;
};

static void hold_count_read(struct sql_cursor *cursor, void *out)
{
	struct hold_count_row *row = out;
	row->platform = sql_take_int(cursor);
	row->state = sql_take_int(cursor);
	row->count = sql_take_int(cursor);
}

static enum err_kind counts_read(struct sql_connection *sql, void *argument, struct error *err)
{
	struct hold_counts *counts = argument;
	struct sql_cursor cursor;
	sql_select(&cursor, sql, SQL_HOLD_COUNTS, NULL, SQL_NO_ARGS, err);
	while (sql_next(&cursor)) {
		struct hold_count_row row;
		hold_count_read(&cursor, &row);
		if (row.platform <= 0 || row.platform > PLATFORM_ID_MAX || row.state <= 0 ||
		    row.state >= HOLD_STATE_COUNT)
			continue;
		counts->of[row.platform][row.state] = row.count;
		counts->of[PLATFORM_NONE][row.state] += row.count;
	}
	return sql_end(&cursor);
}

enum err_kind store_hold_counts(struct store *store, struct hold_counts *out, struct error *err)
{
	*out = (struct hold_counts){0};
	return store_read(store, counts_read, out, err);
}

enum err_kind store_hold_count(struct store *store, enum hold_state state, int64_t *count_out,
			       struct error *err)
{
	return store_number(store, SQL_HOLD_COUNT, SQL_ARGS(sql_int(state)), count_out, err);
}

struct letting_go {
	enum sql_name last; /* what becomes of the marks */
	enum platform_id platform;
	int64_t now_us;
	int64_t count;
};

/* Due first, then the lanes that learn from it, the marks last: they say which rows are meant. */
static enum err_kind let_go(struct store_tx *tx, void *argument, struct error *err)
{
	struct letting_go *going = argument;
	const struct sql_value platform = sql_int(going->platform);
	enum err_kind kind = sql_run(tx->sql, SQL_HOLD_ENDED, SQL_NO_ARGS, NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_HOLD_DUE,
			       SQL_ARGS(platform, sql_int(going->now_us),
					sql_int(going->last == SQL_HOLD_RELEASE)),
			       NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_HOLD_LANES, SQL_ARGS(platform, sql_int(NEVER_US)), NULL,
			       err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_WORK_VOID, SQL_ARGS(sql_int(NEVER_US)), NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, going->last, SQL_ARGS(platform), &going->count, err);
	return kind;
}

enum err_kind store_hold_release(struct store *store, enum platform_id platform, int64_t now_us,
				 int64_t *count_out, struct error *err)
{
	struct letting_go going = {
		.last = SQL_HOLD_RELEASE, .platform = platform, .now_us = now_us};
	const enum err_kind kind = store_write(store, let_go, &going, err);
	*count_out = going.count;
	return kind;
}

enum err_kind store_hold_condemn(struct store *store, enum platform_id platform, int64_t now_us,
				 int64_t *count_out, struct error *err)
{
	struct letting_go going = {
		.last = SQL_HOLD_CONDEMN, .platform = platform, .now_us = now_us};
	const enum err_kind kind = store_write(store, let_go, &going, err);
	*count_out = going.count;
	return kind;
}

enum err_kind store_hold_poison(struct store *store, struct str delivery_id, bool *is_marked_out,
				struct error *err)
{
	const enum err_kind kind = store_run_alone(
		store, SQL_HOLD_POISON, SQL_ARGS(sql_text(delivery_id), sql_int(HOLD_POISONED)),
		ERR_NOT_FOUND, "unfinished delivery", err);
	*is_marked_out = kind == ERR_NONE;
	if (kind != ERR_NOT_FOUND)
		return kind;
	const enum err_kind ended = store_late_id_set_aside(store, delivery_id, err);
	return ended == ERR_NONE ? store_removal_set_aside(store, delivery_id, err) : ended;
}

enum err_kind store_hold_set(struct store_tx *tx, struct str delivery_id, enum hold_state state,
			     struct error *err)
{
	if (state == HOLD_NONE)
		return sql_run(tx->sql, SQL_HOLD_CLEAR, SQL_ARGS(sql_text(delivery_id)), NULL, err);
	return sql_run(tx->sql, SQL_HOLD_SET, SQL_ARGS(sql_text(delivery_id), sql_int(state)), NULL,
		       err);
}
