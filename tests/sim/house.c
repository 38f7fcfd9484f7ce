/* SPDX-License-Identifier: Apache-2.0
 * See house.h. */
#include "house.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <sqlite3.h>

#include "count_of.h"
#include "uuid.h"

#include "seal.h"

#include "platform.h"

#include "store_app.h"
#include "store_connection.h"
#include "store_credential.h"
#include "store_guard.h"
#include "store_private.h"
#include "store_removal.h"

#include "spool.h"

#include "engine.h"

#include "delivery.h"

#include "shared.h"

#define FILE_MAX_BYTES ((size_t)64 << 20)

struct house {
	struct sim *sim;
	const struct ground *ground;
	struct network_end end;
	bool is_node; /* one of several */
	struct house_node node;
	struct clock machine_clock; /* a node's own; what it goes by is the database's */
	struct seal *seal;
	struct store *store;
	struct spool *spool;
	struct engine *engine;
	struct deliverer *deliverer;
	struct platform_settings settings;
	sqlite3 *eye;        /* looks at the file, never writes; opened when it is first needed */
	sqlite3_stmt *count; /* of unfinished deliveries */
	int64_t unfinished;
	int64_t counted_commit; /* unfinished was counted then */
	int64_t beat_at_us;     /* when the restore guard's epoch is raised next */
	/* The accounts' refresh tokens when it last decided to send something. */
	struct str decided_tokens[WORLD_HOMES_MAX * WORLD_LOGINS_MAX];
	int64_t decided_true_us;
	jmp_buf grave;
	bool is_in_turn;
	bool takes_leave; /* it stops as it was told to */
	struct house_file before_db,
		before_wal; /* MUTANT_SEND_BEFORE_COMMIT: as they were before the last commit */
	struct str accounts[WORLD_HOMES_MAX * WORLD_LOGINS_MAX];
	size_t account_count;
};

/* The engine's pause between two tries to commit, which must not take real time. The clock of the
 * seed at work; the only thing here that is not handed down, because the linker's wrap of
 * nanosleep() has no argument for it. */
static struct house *sleeper;

int __wrap_nanosleep(const struct timespec *time, struct timespec *rest);

enum err_kind __real_store_removal_save(struct store_tx *tx, const struct delivery_save *save,
					bool is_unsupported, struct error *err);
enum err_kind __wrap_store_removal_save(struct store_tx *tx, const struct delivery_save *save,
					bool is_unsupported, struct error *err);

enum err_kind __wrap_store_removal_save(struct store_tx *tx, const struct delivery_save *save,
					bool is_unsupported, struct error *err)
{
	struct delivery_save mutated = *save;
	if (sleeper != NULL && sleeper->sim->mutant == MUTANT_DELETE_WITHOUT_INTENT)
		mutated.call_state = CALL_STATE_NONE;
	return __real_store_removal_save(tx, &mutated, is_unsupported, err);
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *rest)
{
	(void)rest;
	if (sleeper != NULL)
		network_end_pass(&sleeper->end, NETWORK_WAIT_ASLEEP,
				 time->tv_sec * US_PER_S + time->tv_nsec / 1000);
	return 0;
}

static void must(enum err_kind kind, const struct error *err, const char *what)
{
	if (kind == ERR_NONE)
		return;
	fprintf(stderr, "simulation: %s: %s: %s\n", what, err_kind_slug(kind), err->text);
	abort();
}

static void must_sql(int code, sqlite3 *db, const char *what)
{
	if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW)
		return;
	fprintf(stderr, "simulation: %s: %s\n", what, sqlite3_errmsg(db));
	abort();
}

/* ---- files ---- */

static void path_in(const struct ground *ground, const char *name, char out[128])
{
	snprintf(out, 128, "%s/%s", ground->directory, name);
}

/* What a node has for itself. */
static void own_path(const struct house *house, const char *name, char out[128])
{
	if (house->is_node)
		snprintf(out, 128, "%s/node%zu/%s", house->ground->directory, house->node.index,
			 name);
	else
		path_in(house->ground, name, out);
}

static struct house_file file_read(const char *path)
{
	struct house_file copy = {0};
	struct stat status;
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return copy;
	if (fstat(fd, &status) != 0 || status.st_size > (off_t)FILE_MAX_BYTES)
		abort();
	copy.bytes = malloc((size_t)status.st_size + 1);
	if (copy.bytes == NULL || read(fd, copy.bytes, (size_t)status.st_size) != status.st_size)
		abort();
	copy.size = (size_t)status.st_size;
	close(fd);
	return copy;
}

static void file_write(const char *path, const char *bytes, size_t size)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
		abort();
	close(fd);
}

static void remove_database(const struct ground *ground)
{
	static const char *const names[] = {"sim.db", "sim.db-wal", "sim.db-shm", "sim.db.lock",
					    "sim.db-journal"};
	char path[128];
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		path_in(ground, names[i], path);
		unlink(path);
	}
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place)
{
	(void)status;
	(void)type;
	(void)place;
	return remove(path);
}

static void remove_tree(const char *path)
{
	nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* A seed begins without what an earlier one fetched: seeds share nothing, and every folder of a
 * spool is looked into at every start. */
static void remove_spool(const struct ground *ground)
{
	char path[128];
	path_in(ground, "spool", path);
	remove_tree(path);
}

static void make_own_directory(const struct house *house)
{
	char path[128];
	own_path(house, "", path);
	remove_tree(path);
	if (mkdir(path, 0700) != 0)
		abort();
}

/* ---- the ground ---- */

static void seal_open_fixed(struct seal **seal)
{
	static const uint8_t key[SEAL_KEY_BYTES] = "the key of the simulated house!";
	struct error err = {0};
	must(seal_open_key(key, seal, &err), &err, "seal");
}

/* What the database itself tells the judge: rows that left a terminal state, how often a call came
 * into doubt, and who was at work beside whom. */
static const char watchers[] =
	"CREATE TABLE sim_left (id TEXT NOT NULL, was TEXT NOT NULL, became TEXT NOT NULL,"
	" code TEXT NOT NULL);"
	"CREATE TABLE sim_counts (doubts INTEGER NOT NULL);"
	"INSERT INTO sim_counts VALUES (0);"
	"CREATE TRIGGER sim_final BEFORE UPDATE ON deliveries"
	/* An id that the platform told later takes the place of none. */
	" WHEN OLD.is_final = 1 AND (NEW.state <> OLD.state OR (OLD.remote_id <> ''"
	" AND (NEW.remote_id <> OLD.remote_id OR NEW.parts <> OLD.parts)))"
	" BEGIN INSERT INTO sim_left VALUES (OLD.id, OLD.state, NEW.state, OLD.error_code); END;"
	"CREATE TABLE sim_back (id TEXT NOT NULL, was INTEGER NOT NULL, became INTEGER NOT NULL);"
	"CREATE TRIGGER sim_removed BEFORE UPDATE ON removals"
	" WHEN OLD.status IN (2, 4) AND NEW.status <> OLD.status"
	" BEGIN INSERT INTO sim_back VALUES (OLD.delivery_id, OLD.status, NEW.status); END;"
	"CREATE TRIGGER sim_doubt AFTER UPDATE OF call_state ON deliveries"
	" WHEN NEW.call_state = 2 AND OLD.call_state <> 2"
	" BEGIN UPDATE sim_counts SET doubts = doubts + 1; END;"
	/* Posts of one platform account that are at work together, and those that gave it up. */
	"CREATE TABLE sim_both (id TEXT NOT NULL, other TEXT NOT NULL);"
	"CREATE TRIGGER sim_begun AFTER UPDATE OF state ON deliveries"
	" WHEN NEW.state = 'processing' AND OLD.state <> 'processing'"
	" BEGIN INSERT INTO sim_both SELECT NEW.id, d.id FROM deliveries d"
	" JOIN accounts a ON a.id = d.account_id JOIN accounts o ON o.id = NEW.account_id"
	" WHERE d.state = 'processing' AND d.id <> NEW.id AND a.platform = o.platform"
	" AND a.platform_account_id = o.platform_account_id; END;"
	"CREATE TABLE sim_yielded (id TEXT NOT NULL);"
	"CREATE TRIGGER sim_yield AFTER UPDATE OF state ON deliveries WHEN NEW.state = 'retrying'"
	" BEGIN INSERT INTO sim_yielded VALUES (NEW.id); END;";

static void make_app(struct store *store, const struct sim *sim)
{
	struct error err = {0};
	const struct app_row app = {
		.id = STR(HOUSE_APP_ID),
		.name = STR("Simulated"),
		.client_id = STR("phc_sim"),
		.client_secret_hash = STR("hash"),
		.state = APP_ACTIVE,
		.created_at_us = SIM_START_US,
	};
	const struct str owner = STR("01990000-0000-7000-8000-000000000002");
	must(store_app_create(store, &app, STR("owner@sim.example"), owner, &err), &err, "app");
	(void)sim;
}

static void make_credentials(struct store *store, struct sim *sim)
{
	struct seal *seal = NULL;
	struct error err = {0};
	seal_open_fixed(&seal);
	for (int id = 1; id <= PLATFORM_ID_MAX; id++) {
		const char *slug = platform_id_slug((enum platform_id)id);
		const struct str row = str_format(sim->arena, HOUSE_APP_ID "/%s", slug);
		const struct seal_place place = {STR("platform_credentials"), STR("client_secret"),
						 row};
		const struct credential_row credential = {
			.app_id = STR(HOUSE_APP_ID),
			.platform = (enum platform_id)id,
			.client_id = str_format(sim->arena, "client-%s", slug),
			.client_secret_sealed = seal_secret(seal, sim->arena, &place,
							    STR("client secret"), &sim->random),
			.updated_at_us = SIM_START_US,
		};
		must(store_credential_put(store, &credential, &err), &err, "credential");
	}
	seal_free(&seal);
}

static void set_watchers(const char *path)
{
	sqlite3 *db = NULL;
	must_sql(sqlite3_open(path, &db), db, "open");
	must_sql(sqlite3_exec(db, watchers, NULL, NULL, NULL), db, "watchers");
	must_sql(sqlite3_exec(db, "PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL), db,
		 "checkpoint");
	sqlite3_close(db);
}

static void url_of(const struct ground *ground, bool is_shared, char out[160])
{
	snprintf(out, 160, "%s%s/sim.db", is_shared ? SHARED_URL : "sqlite:", ground->directory);
}

void ground_open(struct ground *ground)
{
	struct totals totals = {0};
	struct sim sim;
	struct store *store = NULL;
	struct error err = {0};
	char url[160];
	char path[128];
	snprintf(ground->directory, sizeof(ground->directory), "%s/posthorn-sim-XXXXXX",
		 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	if (mkdtemp(ground->directory) == NULL)
		abort();
	url_of(ground, false, url);
	sim_begin(&sim, 0, MUTANT_NONE, false, &totals);
	const struct store_config config = {.url = url, .clock = &sim.clock, .is_owner = true};
	must(store_open(&config, &store, &err), &err, "store");
	make_app(store, &sim);
	make_credentials(store, &sim);
	store_close(&store);
	sim_end(&sim);
	path_in(ground, "sim.db", path);
	set_watchers(path);
	const struct house_file copy = file_read(path);
	ground->database = copy.bytes;
	ground->database_bytes = copy.size;
	remove_database(ground);
}

void ground_close(struct ground *ground)
{
	remove_tree(ground->directory);
	free(ground->database);
}

/* ---- ports ---- */

static const char *const crash_names[] = {"before_commit", "after_commit", "before_send",
					  "after_send",    "after_reply",  "while waiting"};

/* Between the same two lines of two nodes anything may happen in the other one. */
static void let_others_go_on(struct house *house)
{
	struct sim *sim = house->sim;
	if (house->is_node && sim_chance(sim, 200))
		network_end_pass(&house->end, NETWORK_WAIT_ASLEEP,
				 dice_between(&sim->dice, 0, 200) * US_PER_MS);
}

/* Around a call's timeout, the silence that other nodes notice, the lease, and far beyond. */
int64_t house_draw_stop_us(struct dice *dice)
{
	static const int64_t most_s[] = {10, 45, 150, 1200};
	return dice_between(dice, 1, most_s[dice_below(dice, 4)]) * US_PER_S;
}

/* 0 = none. Only several nodes make something of each other's pauses: there they are frequent. */
static int64_t draw_pause_us(struct house *house)
{
	struct sim *sim = house->sim;
	if (house->is_node)
		return sim_chance(sim, 30) ? house_draw_stop_us(&sim->dice) : 0;
	if (!sim->weather.has_pauses || !sim_chance(sim, 8))
		return 0;
	return dice_between(&sim->dice, 1, dice_permille(&sim->dice, 300) ? 900 : 40) * US_PER_S;
}

static struct str stored_refresh_token(struct house *house, struct str account_id)
{
	struct sim *sim = house->sim;
	const struct str app_id = STR(HOUSE_APP_ID);
	const struct seal_place place = {STR("accounts"), STR("refresh_token"), account_id};
	struct account_row row;
	struct str token = STR("");
	struct error err = {0};
	bool is_found = false;
	must(store_account_get_many(house->store, sim->arena, app_id, &account_id, 1, &row,
				    &is_found, &err),
	     &err, "account");
	if (row.refresh_token_sealed.len > 0)
		must(seal_open_secret(house->seal, sim->arena, &place, row.refresh_token_sealed,
				      &token, &err),
		     &err, "token");
	return token;
}

static const struct house *first_of(const struct house *house)
{
	return house->node.first != NULL ? house->node.first : house;
}

/* What a node has decided to send goes out within ONCE_SEND_MS of it (engine_call.c), also when it
 * stands still before and another one stores what an older call has brought. */
#define DECIDED_US (15 * US_PER_S)

static void note_decided_tokens(struct house *house)
{
	const struct house *first = first_of(house);
	for (size_t i = 0; i < first->account_count; i++)
		house->decided_tokens[i] = stored_refresh_token(house, first->accounts[i]);
	house->decided_true_us = house->sim->true_us;
}

/* What we send to be refreshed is what is stored: a token that a newer one has replaced is never
 * used again, but by a call that was decided before it was replaced. */
static void saw_refresh(void *context, struct str refresh_token)
{
	struct house *house = context;
	const struct house *first = first_of(house);
	const bool is_decided_fresh = house->is_node && house->decided_true_us != 0 &&
				      house->sim->true_us - house->decided_true_us <= DECIDED_US;
	for (size_t i = 0; i < first->account_count; i++) {
		if (str_equal(stored_refresh_token(house, first->accounts[i]), refresh_token))
			return;
		if (is_decided_fresh && str_equal(house->decided_tokens[i], refresh_token))
			return;
	}
	sim_violation(house->sim, "a refresh with a token that is not the stored one");
}

static void open_eye(struct house *house);

/* Nothing is deleted before the intent is in the database, and nothing of which it is known there
 * that it is removed. */
static void saw_deletion(void *context, struct str remote_id)
{
	struct house *house = context;
	sqlite3_stmt *row = NULL;
	if (house->eye == NULL)
		open_eye(house);
	must_sql(sqlite3_prepare_v2(
			 house->eye,
			 "SELECT COALESCE(MAX(r.status), 0), COALESCE(MAX(r.is_call_open), 0)"
			 " FROM deliveries d JOIN removals r ON r.delivery_id = d.id"
			 " WHERE INSTR(d.parts, '\"' || ?1 || '\"') > 0",
			 -1, &row, NULL),
		 house->eye, "look");
	sqlite3_bind_text(row, 1, remote_id.ptr, (int)remote_id.len, SQLITE_STATIC);
	must_sql(sqlite3_step(row), house->eye, "look");
	const int status = sqlite3_column_int(row, 0);
	const bool is_open = sqlite3_column_int(row, 1) != 0;
	sqlite3_finalize(row);
	if (status != POST_REMOVAL_PENDING || !is_open)
		sim_removal_violation(house->sim,
				      "I8 " STR_FMT
				      " is deleted while its removal is %d and its intent %d",
				      STR_ARG(remote_id), status, is_open);
}

static void probe(void *context, const char *point)
{
	struct house *house = context;
	struct sim *sim = house->sim;
	const int64_t us = draw_pause_us(house);
	if (house->is_node && strcmp(point, "before_send") == 0)
		note_decided_tokens(house);
	if (us > 0) {
		sim_trace(sim, "PAUSE %lld s at %s", (long long)(us / US_PER_S), point);
		sim->totals->pauses++;
		network_end_pass(&house->end, NETWORK_WAIT_STOPPED, us);
	}
	let_others_go_on(house);
	if (!sim_chance(sim, sim->weather.crash_permille))
		return;
	for (size_t i = 0; i < COUNT_OF(crash_names); i++) {
		if (strcmp(point, crash_names[i]) == 0 && house->is_in_turn)
			longjmp(house->grave, (int)i + 1);
	}
}

struct wrapped_command {
	engine_command command;
	void *argument;
	bool is_undone;
};

static enum err_kind run_wrapped(struct store_tx *tx, void *argument, struct error *err)
{
	const struct wrapped_command *wrapped = argument;
	const enum err_kind kind = wrapped->command(tx, wrapped->argument, err);
	if (kind == ERR_NONE && wrapped->is_undone)
		return error_set(err, ERR_TEMPORARY, "simulated: the disk is full");
	return kind;
}

/* The last moment at which nothing of this turn is durable; only the mutant wants it back. */
static void remember_files(struct house *house)
{
	char path[128];
	if (house->sim->mutant != MUTANT_SEND_BEFORE_COMMIT)
		return;
	free(house->before_db.bytes);
	free(house->before_wal.bytes);
	path_in(house->ground, "sim.db", path);
	house->before_db = file_read(path);
	path_in(house->ground, "sim.db-wal", path);
	house->before_wal = file_read(path);
}

/* A commit fails before, or in the middle, or it is there and we are told that it failed. */
static enum err_kind write_port(void *context, const struct engine_writing *writing,
				struct error *err)
{
	enum { FAIL_BEFORE, FAIL_UNDONE, FAIL_DONE };
	struct house *house = context;
	struct sim *sim = house->sim;
	struct wrapped_command wrapped = {writing->command, writing->argument, false};
	const struct store_turn turn = {.command = run_wrapped,
					.argument = &wrapped,
					.app_ids = writing->scopes,
					.app_count = writing->scope_count};
	const bool fails = sim_chance(sim, sim->weather.commit_fault_permille);
	const int64_t how = fails ? dice_below(&sim->dice, 3) : -1;
	sim->totals->commit_faults += fails;
	if (how == FAIL_BEFORE)
		return error_set(err, ERR_TEMPORARY, "simulated: the database is busy");
	wrapped.is_undone = how == FAIL_UNDONE;
	remember_files(house);
	const enum err_kind kind = store_write_turn(house->store, &turn, err);
	sim->commit_count++;
	sim_trace(sim, "commit %s%s", err_kind_slug(kind),
		  how == FAIL_DONE ? " (told as failed)" : "");
	if (kind == ERR_NONE && how == FAIL_DONE)
		return error_set(err, ERR_TEMPORARY, "simulated: nobody knows");
	return kind;
}

/* ---- opening and closing ---- */

static void open_eye(struct house *house)
{
	char path[128];
	path_in(house->ground, "sim.db", path);
	must_sql(sqlite3_open_v2(path, &house->eye, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX,
				 NULL),
		 house->eye, "look");
	must_sql(sqlite3_prepare_v2(house->eye,
				    "SELECT COUNT(*) FROM deliveries d WHERE d.is_final = 0"
				    " AND NOT EXISTS (SELECT 1 FROM holds h"
				    " WHERE h.delivery_id = d.id AND h.state = 2)"
				    " UNION ALL SELECT COUNT(*) FROM removals r"
				    " JOIN deliveries d ON d.id = r.delivery_id"
				    " WHERE r.due_at_us > 0 AND d.is_final = 1"
				    " UNION ALL SELECT COUNT(*) FROM late_ids",
				    -1, &house->count, NULL),
		 house->eye, "look");
}

static void open_engine(struct house *house)
{
	static const int64_t polls_ms[] = {300000, 600000, 3600000};
	struct error err = {0};
	const struct engine_config config = {
		.transport = network_transport(&house->end),
		.store = {write_port, house},
		.clock = house_clock(house),
		.idle_poll_ms =
			house->is_node ? house->node.idle_poll_ms : polls_ms[house->sim->seed % 3],
		.probe = probe,
		.probe_context = house,
	};
	must(engine_new(&config, &house->engine, &err), &err, "engine");
	const struct deliverer_config deliverer = {
		.store = house->store,
		.seal = house->seal,
		.spool = house->spool,
		.engine = house->engine,
		.clock = house_clock(house),
		.random = &house->sim->random,
		.settings = &house->settings,
	};
	must(deliverer_new(&deliverer, &house->deliverer, &err), &err, "deliverer");
}

static void drop_before(struct house *house)
{
	free(house->before_db.bytes);
	free(house->before_wal.bytes);
	house->before_db = house->before_wal = (struct house_file){0};
}

/* As cli/service.c: before anything is delivered, and every minute from then on. */
#define BEAT_US US_PER_MINUTE
#define LINEAGE 1

static void start_guard(struct house *house)
{
	struct guard_start start = {0};
	struct error err = {0};
	must(store_guard_start(house->store, LINEAGE, clock_now_us(house_clock(house)), &start,
			       &err),
	     &err, "guard");
	house->beat_at_us = house->sim->true_us + BEAT_US;
	house->sim->totals->looked_for += start.look_count;
	if (start.look_count > 0)
		sim_trace(house->sim, "LOOKED FOR %lld", (long long)start.look_count);
	if (!epoch_means_restore(start.finding))
		return;
	sim_trace(house->sim, "NOTICED %d: %lld held", (int)start.finding,
		  (long long)start.marked_count);
	house->sim->totals->held += start.marked_count;
}

static void beat(struct house *house)
{
	struct error err = {0};
	if (house->sim->true_us < house->beat_at_us)
		return;
	drop_before(house); /* the mutant loses the engine's commit, not this one */
	must(store_guard_beat(house->store, clock_now_us(house_clock(house)), &err), &err, "beat");
	house->beat_at_us = house->sim->true_us + BEAT_US;
}

static void open_all(struct house *house)
{
	struct error err = {0};
	char url[160];
	char spool[128];
	char epoch[128];
	char node[128];
	url_of(house->ground, house->is_node, url);
	own_path(house, "spool", spool);
	own_path(house, "epoch", epoch);
	own_path(house, "node", node);
	const struct store_config store = {.url = url,
					   .clock = house->is_node ? &house->machine_clock
								   : &house->sim->clock,
					   .is_owner = true,
					   .epoch_path = epoch,
					   .node_path = house->is_node ? node : NULL};
	const struct spool_config spool_config = {.directory = spool};
	must(store_open(&store, &house->store, &err), &err, "store");
	start_guard(house);
	must(spool_open(&spool_config, &house->spool, &err), &err, "spool");
	open_engine(house);
	house->sim->commit_count++;
}

static void close_all(struct house *house)
{
	engine_free(&house->engine);
	deliverer_free(&house->deliverer);
	spool_close(&house->spool);
	sqlite3_finalize(house->count);
	sqlite3_close(house->eye);
	house->count = NULL;
	house->eye = NULL;
	if (house->store != NULL && !house->takes_leave)
		house->store->is_node_begun = false; /* the dead say nothing */
	store_close(&house->store);
}

/* ---- a node's own clocks ---- */

static int64_t machine_boot_us(void *context)
{
	const struct house *house = context;
	const int64_t true_us = clock_boot_us(&house->sim->clock);
	return true_us + house->node.boot_skew_us + true_us / 1000000 * house->node.drift_ppm;
}

static int64_t machine_now_us(void *context)
{
	const struct house *house = context;
	return SIM_START_US + machine_boot_us(context) + house->node.wall_skew_us;
}

/* The nodes' database has a clock for all of them. */
const struct clock *house_clock(const struct house *house)
{
	return house->is_node ? store_clock(house->store) : &house->sim->clock;
}

/* ---- the house ---- */

static struct house *make(struct sim *sim, const struct ground *ground, struct network *network)
{
	struct house *house = calloc(1, sizeof(*house));
	if (house == NULL)
		abort();
	house->sim = sim;
	house->ground = ground;
	house->end = (struct network_end){.network = network,
					  .clock = &sim->clock,
					  .saw_refresh = saw_refresh,
					  .saw_deletion = saw_deletion,
					  .saw_context = house};
	house->settings = (struct platform_settings){STR("v25.0"), STR("202609")};
	seal_open_fixed(&house->seal);
	return house;
}

static void lay_ground(const struct ground *ground)
{
	char path[128];
	remove_database(ground);
	remove_spool(ground);
	path_in(ground, "epoch", path);
	unlink(path);
	path_in(ground, "epoch-commit", path);
	unlink(path);
	path_in(ground, "sim.db", path);
	file_write(path, ground->database, ground->database_bytes);
}

struct house *house_new(struct sim *sim, const struct ground *ground, struct network *network)
{
	struct house *house = make(sim, ground, network);
	lay_ground(ground);
	open_all(house);
	sleeper = house;
	return house;
}

struct house *house_new_node(struct sim *sim, const struct ground *ground, struct network *network,
			     const struct house_node *node)
{
	struct house *house = make(sim, ground, network);
	house->is_node = true;
	house->node = *node;
	house->machine_clock = (struct clock){machine_now_us, machine_boot_us, house};
	house->end.clock = &house->machine_clock;
	house->end.wait = node->wait;
	house->end.wait_context = node->context;
	if (node->index == 0)
		lay_ground(ground);
	make_own_directory(house);
	open_all(house);
	return house;
}

void house_free(struct house **house_pointer)
{
	struct house *house = *house_pointer;
	close_all(house);
	sleeper = NULL;
	seal_free(&house->seal);
	drop_before(house);
	if (house->node.index == 0)
		remove_database(house->ground);
	free(house);
	*house_pointer = NULL;
}

struct store *house_store(struct house *house)
{
	return house->store;
}

struct network_end *house_end(struct house *house)
{
	return &house->end;
}

void house_take_turn(struct house *house)
{
	sleeper = house;
}

/* ---- accounts ---- */

struct arrival {
	struct str connection_id;
	struct account_row account;
};

static enum err_kind arrive(struct store_tx *tx, void *argument, struct error *err)
{
	const struct arrival *arrival = argument;
	return store_connection_succeed(tx, arrival->connection_id, &arrival->account, 1,
					SIM_START_US, NULL, err);
}

static struct str sealed(struct house *house, struct str id, const char *column, struct str text)
{
	const struct seal_place place = {STR("accounts"), str_of(column), id};
	return str_is_empty(text) ? STR("")
				  : seal_secret(house->seal, house->sim->arena, &place, text,
						&house->sim->random);
}

struct str house_connect(struct house *house, const struct house_login *login)
{
	const struct home *home = login->home;
	const struct str user = login->number == 0 ? STR("user") : STR("another");
	struct sim *sim = house->sim;
	struct error err = {0};
	const struct str id = uuid_str(sim->arena, uuid_v7(SIM_START_US, &sim->random));
	const struct connection_row connection = {
		.id = str_format(sim->arena, "conn_" STR_FMT, STR_ARG(id)),
		.app_id = STR(HOUSE_APP_ID),
		.platform = home->platform,
		.user_id = user,
		.redirect_url = STR("https://customer.example/back"),
		.state_hash = id,
		.callback_url = STR("https://posthorn.example/callback"),
		.state = CONNECTION_PENDING,
		.created_at_us = SIM_START_US,
	};
	struct arrival arrival = {
		.connection_id = connection.id,
		.account =
			{
				.id = id,
				.app_id = STR(HOUSE_APP_ID),
				.platform = home->platform,
				.user_id = user,
				.platform_account_id = home->id,
				.username = home->username,
				.type = home->type,
				.state = ACCOUNT_ACTIVE,
				.access_token_sealed =
					sealed(house, id, "access_token", login->access_token),
				.refresh_token_sealed = sealed(house, id, "refresh_token",
							       home->refresh_tokens[login->number]),
				.extra = STR("{}"),
				.expires_at_us = login->expires_at_us,
			},
	};
	must(store_connection_create(house->store, &connection, &err), &err, "connection");
	must(store_write(house->store, arrive, &arrival, &err), &err, "account");
	house->accounts[house->account_count++] = id;
	return id;
}

/* ---- living and dying ---- */

void house_wake(struct house *house)
{
	/* the mutant loses the engine's commit, not the one that came with the news */
	drop_before(house);
	deliverer_wake(house->deliverer);
}

void house_wake_removals(struct house *house)
{
	drop_before(house);
	deliverer_wake_removals(house->deliverer);
}

static void put_back(const struct ground *ground, const struct house_file *database,
		     const struct house_file *wal)
{
	char path[128];
	remove_database(ground);
	path_in(ground, "sim.db", path);
	file_write(path, database->bytes, database->size);
	path_in(ground, "sim.db-wal", path);
	if (wal->size > 0)
		file_write(path, wal->bytes, wal->size);
}

static void forget_last_commit(struct house *house)
{
	if (house->before_db.bytes != NULL)
		put_back(house->ground, &house->before_db, &house->before_wal);
}

void house_crash(struct house *house, const char *where)
{
	struct sim *sim = house->sim;
	const int64_t down_us =
		dice_between(&sim->dice, 100, dice_permille(&sim->dice, 200) ? 900000 : 5000) *
		US_PER_MS;
	sim_trace(sim, "CRASH %s, down %lld ms", where, (long long)(down_us / US_PER_MS));
	sim->totals->crashes++;
	close_all(house);
	forget_last_commit(house);
	drop_before(house);
	network_forget(&house->end);
	network_end_pass(&house->end, NETWORK_WAIT_DOWN, down_us);
	if (house->is_node && dice_permille(&sim->dice, 150) &&
	    house->node.may_move(house->node.context)) {
		sim_trace(sim, "MOVED to another machine");
		sim->totals->moves++;
		make_own_directory(house);
	}
	house->takes_leave = false;
	open_all(house);
}

_Noreturn void house_end_turn(struct house *house, bool leaves)
{
	house->takes_leave = leaves;
	longjmp(house->grave, COUNT_OF(crash_names));
}

/* ---- copies ---- */

static void copy_by_backup(struct house *house, struct house_file *out)
{
	sqlite3 *from = NULL;
	sqlite3 *to = NULL;
	char path[128];
	char backup_path[128];
	path_in(house->ground, "sim.db", path);
	path_in(house->ground, "backup.db", backup_path);
	unlink(backup_path);
	must_sql(sqlite3_open_v2(path, &from, SQLITE_OPEN_READONLY, NULL), from, "backup");
	must_sql(sqlite3_open(backup_path, &to), to, "backup");
	sqlite3_backup *backup = sqlite3_backup_init(to, "main", from, "main");
	if (backup == NULL)
		abort();
	must_sql(sqlite3_backup_step(backup, -1), to, "backup");
	must_sql(sqlite3_backup_finish(backup), to, "backup");
	sqlite3_close(to);
	sqlite3_close(from);
	*out = file_read(backup_path);
	unlink(backup_path);
}

void house_copy(struct house *house, enum house_copy_way way, struct house_copy *copy_out)
{
	char path[128];
	*copy_out = (struct house_copy){.is_taken = true};
	switch (way) {
	case HOUSE_COPY_FILES:
		path_in(house->ground, "sim.db", path);
		copy_out->database = file_read(path);
		path_in(house->ground, "sim.db-wal", path);
		copy_out->wal = file_read(path);
		break;
	case HOUSE_COPY_BACKUP:
		copy_by_backup(house, &copy_out->database);
		break;
	case HOUSE_COPY_WAY_COUNT:
		abort();
	}
	sim_trace(house->sim, "COPY %d", (int)way);
}

void house_copy_free(struct house_copy *copy)
{
	free(copy->database.bytes);
	free(copy->wal.bytes);
	*copy = (struct house_copy){0};
}

void house_restore(struct house *house, const struct house_copy *copy)
{
	sim_trace(house->sim, "RESTORE");
	house->sim->totals->restores++;
	/* It is killed: what it knows of its last commit stays as it is. */
	char path[128];
	path_in(house->ground, "epoch-commit", path);
	struct house_file mark = file_read(path);
	close_all(house);
	put_back(house->ground, &copy->database, &copy->wal);
	file_write(path, mark.bytes, mark.size);
	free(mark.bytes);
	drop_before(house);
	network_forget(&house->end);
	network_end_pass(&house->end, NETWORK_WAIT_DOWN, 5 * US_PER_S);
	open_all(house);
}

bool house_turn(struct house *house, int64_t wait_ms)
{
	const int grave = setjmp(house->grave);
	if (grave != 0) {
		house->is_in_turn = false;
		house_crash(house, crash_names[grave - 1]);
		return false;
	}
	beat(house);
	house->is_in_turn = true;
	engine_turn(house->engine, wait_ms);
	house->is_in_turn = false;
	beat(house); /* by the clock of the turn, before anybody sets it */
	return true;
}

int64_t house_unfinished(struct house *house)
{
	if (house->eye != NULL && house->counted_commit == house->sim->commit_count)
		return house->unfinished;
	if (house->eye == NULL)
		open_eye(house);
	house->unfinished = 0;
	for (int row = 0; row < 3; row++) {
		must_sql(sqlite3_step(house->count), house->eye, "count");
		house->unfinished += sqlite3_column_int64(house->count, 0);
	}
	sqlite3_reset(house->count);
	house->counted_commit = house->sim->commit_count;
	return house->unfinished;
}

sqlite3 *house_shut(struct house *house)
{
	close_all(house);
	open_eye(house);
	return house->eye;
}
