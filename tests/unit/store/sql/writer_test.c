/* SPDX-License-Identifier: Apache-2.0
 * Group commit: many threads, failures that stay alone, commits that fail, and a process killed in
 * the middle. The commands write names into the table meta. */
#include "writer.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "arena.h"
#include "clock.h"

#include "sql.h"
#include "store_private.h"

#define THREADS 64
#define COMMANDS 40

struct place {
	char path[64];
	struct sql_connection *sql;
	struct writer *writer;
	int64_t queue_limit_ms;
};

static void place_name(struct place *place)
{
	snprintf(place->path, sizeof(place->path), "/tmp/writer-test-%d.db", (int)getpid());
}

static void place_remove(const struct place *place)
{
	static const char *const ends[] = {"", "-wal", "-shm", ".lock"};
	for (size_t i = 0; i < 4; i++) {
		char path[80];
		snprintf(path, sizeof(path), "%s%s", place->path, ends[i]);
		unlink(path);
	}
}

static enum err_kind run_in_tx(const struct writer_config *config, struct arena *arena,
			       writer_command command, void *argument, struct error *err)
{
	struct store_tx tx = {.sql = config->sql, .arena = arena};
	return command(&tx, argument, err);
}

static void place_open(struct place *place)
{
	struct error err = {0};
	place_name(place);
	place_remove(place);
	const struct sql_config sql_config = {
		.path = place->path, .role = SQL_ROLE_OWNER, .cache_bytes = 1 << 20};
	assert_int_equal(sql_driver_sqlite.open(&sql_config, &place->sql, &err), ERR_NONE);
	assert_int_equal(place->sql->driver->run_script(
				 place->sql,
				 STR("CREATE TABLE meta (name TEXT NOT NULL PRIMARY KEY,"
				     " number BIGINT NOT NULL)"),
				 &err),
			 ERR_NONE);
	const struct writer_config config = {
		.sql = place->sql, .run = run_in_tx, .queue_limit_ms = place->queue_limit_ms};
	place->writer = writer_new(&config);
}

static void place_close(struct place *place)
{
	writer_free(&place->writer);
	sql_driver_sqlite.close(&place->sql);
	place_remove(place);
}

static enum err_kind put(struct store_tx *tx, const char *name, int64_t number, struct error *err)
{
	return sql_run(tx->sql, SQL_META_PUT, SQL_ARGS(sql_word(name), sql_int(number)), NULL, err);
}

static int64_t count_rows(const char *path)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *statement = NULL;
	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, "SELECT COUNT(*) FROM meta", -1, &statement, NULL),
			 SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	const int64_t count = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	sqlite3_close(db);
	return count;
}

struct worker {
	pthread_t thread;
	struct writer *writer;
	int number;
	int wrong;
};

struct task {
	int worker;
	int index;
};

static bool shall_fail(const struct task *task)
{
	return (task->worker * 7 + task->index) % 5 == 0;
}

/* Writes first, then fails: what it wrote must go. */
static enum err_kind write_and_maybe_fail(struct store_tx *tx, void *argument, struct error *err)
{
	const struct task *task = argument;
	char name[64];
	snprintf(name, sizeof(name), "%d/%d", task->worker, task->index);
	const enum err_kind kind = put(tx, name, 1, err);
	if (kind != ERR_NONE)
		return kind;
	return shall_fail(task) ? error_set(err, ERR_LIMITED, "not %s", name) : ERR_NONE;
}

static void *work(void *argument)
{
	struct worker *worker = argument;
	for (int i = 0; i < COMMANDS; i++) {
		struct task task = {worker->number, i};
		struct error err = {0};
		const enum err_kind kind =
			writer_run(worker->writer, write_and_maybe_fail, &task, &err);
		const enum err_kind expected = shall_fail(&task) ? ERR_LIMITED : ERR_NONE;
		worker->wrong += kind != expected;
		worker->wrong += expected == ERR_LIMITED && strncmp(err.text, "not ", 4) != 0;
	}
	return NULL;
}

static void failures_of_many_threads_stay_alone(void **state)
{
	(void)state;
	struct place place = {0};
	struct worker workers[THREADS];
	int64_t expected = 0;
	place_open(&place);
	for (int i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){.writer = place.writer, .number = i};
		for (int k = 0; k < COMMANDS; k++)
			expected += !shall_fail(&(struct task){i, k});
		pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		assert_int_equal(workers[i].wrong, 0);
	}
	assert_int_equal(count_rows(place.path), expected);
	place_close(&place);
}

static void a_failed_command_alone_leaves_nothing(void **state)
{
	(void)state;
	struct place place = {0};
	struct error err = {0};
	place_open(&place);
	struct task task = {0, 0};
	assert_true(shall_fail(&task));
	assert_int_equal(writer_run(place.writer, write_and_maybe_fail, &task, &err), ERR_LIMITED);
	assert_int_equal(writer_run(place.writer, write_and_maybe_fail, &task, NULL), ERR_LIMITED);
	assert_int_equal(count_rows(place.path), 0);
	task.index = 1;
	assert_int_equal(writer_run(place.writer, write_and_maybe_fail, &task, &err), ERR_NONE);
	assert_int_equal(count_rows(place.path), 1);
	place_close(&place);
}

/* A gate lets a test make a group: the first command holds the lead until all wait behind it. */
struct gate {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool is_open;
};

static enum err_kind wait_at_gate(struct store_tx *tx, void *argument, struct error *err)
{
	(void)tx;
	(void)err;
	struct gate *gate = argument;
	pthread_mutex_lock(&gate->lock);
	while (!gate->is_open)
		pthread_cond_wait(&gate->changed, &gate->lock);
	pthread_mutex_unlock(&gate->lock);
	return ERR_NONE;
}

static void open_gate(struct gate *gate)
{
	pthread_mutex_lock(&gate->lock);
	gate->is_open = true;
	pthread_cond_broadcast(&gate->changed);
	pthread_mutex_unlock(&gate->lock);
}

struct caller {
	pthread_t thread;
	struct writer *writer;
	store_command command;
	void *argument;
	struct error err;
	enum err_kind kind;
};

static void *call(void *argument)
{
	struct caller *caller = argument;
	caller->kind = writer_run(caller->writer, caller->command, caller->argument, &caller->err);
	return NULL;
}

static void call_start(struct caller *caller, struct writer *writer, store_command command,
		       void *argument)
{
	*caller = (struct caller){.writer = writer, .command = command, .argument = argument};
	pthread_create(&caller->thread, NULL, call, caller);
}

/* SQLite ends the transaction by itself on some errors; ROLLBACK from inside does the same. */
static enum err_kind lose_transaction(struct store_tx *tx, void *argument, struct error *err)
{
	(void)argument;
	tx->sql->driver->run_script(tx->sql, STR("ROLLBACK"), err);
	return ERR_NONE;
}

static enum err_kind put_argument(struct store_tx *tx, void *argument, struct error *err)
{
	return put(tx, argument, 1, err);
}

static void run_group_with(struct place *place, store_command bad, struct caller callers[3])
{
	static char names[2][8] = {"first", "last"};
	struct gate gate = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
	struct caller leader;
	call_start(&leader, place->writer, wait_at_gate, &gate);
	usleep(50000);
	call_start(&callers[0], place->writer, put_argument, names[0]);
	usleep(50000);
	call_start(&callers[1], place->writer, bad, NULL);
	usleep(50000);
	call_start(&callers[2], place->writer, put_argument, names[1]);
	usleep(50000);
	open_gate(&gate);
	pthread_join(leader.thread, NULL);
	assert_int_equal(leader.kind, ERR_NONE);
	for (size_t i = 0; i < 3; i++)
		pthread_join(callers[i].thread, NULL);
}

static void when_the_transaction_is_lost_nobody_is_promised(void **state)
{
	(void)state;
	struct place place = {0};
	struct caller callers[3];
	place_open(&place);
	run_group_with(&place, lose_transaction, callers);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(callers[i].kind, ERR_TEMPORARY);
		assert_true(callers[i].err.text[0] != '\0');
	}
	assert_int_equal(count_rows(place.path), 0);
	struct task task = {0, 1};
	struct error err = {0};
	assert_int_equal(writer_run(place.writer, write_and_maybe_fail, &task, &err), ERR_NONE);
	place_close(&place);
}

/* ---- what only databases with several nodes do: a driver that says so ---- */

static int tries_left;

static bool may_run_again(const struct sql_connection *connection)
{
	(void)connection;
	return tries_left-- > 0;
}

static enum err_kind lose_while_tries_are_left(struct store_tx *tx, void *argument,
					       struct error *err)
{
	return tries_left > 0 ? lose_transaction(tx, argument, err) : ERR_NONE;
}

/* A connection that was lost is nobody's fault: the group is run again, and everyone is
 * answered. */
static void a_lost_transaction_is_run_again(void **state)
{
	(void)state;
	struct sql_driver forgiving = sql_driver_sqlite;
	struct place place = {0};
	struct caller callers[3];
	place_open(&place);
	forgiving.may_run_again = may_run_again;
	place.sql->driver = &forgiving;
	tries_left = 2;
	run_group_with(&place, lose_while_tries_are_left, callers);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(callers[i].kind, ERR_NONE);
	assert_int_equal(count_rows(place.path), 2);
	tries_left = 100; /* not for ever */
	run_group_with(&place, lose_while_tries_are_left, callers);
	assert_int_equal(callers[0].kind, ERR_TEMPORARY);
	place_close(&place);
}

struct keyed {
	pthread_t thread;
	struct writer *writer;
	const char *key;
};

static char key_order[16];

static enum err_kind note_keys(struct store_tx *tx, void *const arguments[], size_t count,
			       struct error *err)
{
	(void)tx;
	(void)err;
	for (size_t i = 0; i < count; i++) {
		const size_t length = strlen(key_order);
		key_order[length] = *(const char *)arguments[i];
		key_order[length + 1] = '\0';
	}
	return ERR_NONE;
}

static void *call_for_key(void *argument)
{
	struct keyed *keyed = argument;
	struct error err = {0};
	assert_int_equal(writer_run_batched(keyed->writer, str_of(keyed->key), note_keys,
					    (void *)keyed->key, &err),
			 ERR_NONE);
	return NULL;
}

/* Five commands: the one that holds the lead, and four that come one after the other behind it. */
static void run_keys(struct writer *shared, const char *const keys[4])
{
	struct gate gate = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
	struct caller leader;
	struct keyed callers[4];
	key_order[0] = '\0';
	call_start(&leader, shared, wait_at_gate, &gate);
	for (size_t i = 0; i < 4; i++) {
		usleep(30000);
		callers[i] = (struct keyed){.writer = shared, .key = keys[i]};
		pthread_create(&callers[i].thread, NULL, call_for_key, &callers[i]);
	}
	usleep(200000);
	open_gate(&gate);
	pthread_join(leader.thread, NULL);
	for (size_t i = 0; i < 4; i++)
		pthread_join(callers[i].thread, NULL);
}

/* Locks are then taken in one order by all, and nobody waits in a ring. A thread that a busy
 * machine starts too late is not of the group: then it is tried again. */
static void commands_with_keys_run_in_the_order_of_their_keys(void **state)
{
	(void)state;
	static const char *const keys[] = {"c", "a", "d", "b"};
	struct place place = {0};
	place_open(&place);
	const struct writer_config config = {.sql = place.sql, .is_shared = true, .run = run_in_tx};
	struct writer *shared = writer_new(&config);
	for (int tries = 0; tries < 10 && strcmp(key_order, "abcd") != 0; tries++)
		run_keys(shared, keys);
	assert_string_equal(key_order, "abcd");
	writer_free(&shared);
	place_close(&place);
}

struct batched {
	pthread_t thread;
	struct writer *writer;
	const char *name;
	struct error err;
	enum err_kind kind;
};

/* How many each run had, in the order of the runs. */
static char run_sizes[32];

/* All are written, then the whole fails for one. */
static enum err_kind put_all(struct store_tx *tx, void *const arguments[], size_t count,
			     struct error *err)
{
	const size_t length = strlen(run_sizes);
	enum err_kind kind = ERR_NONE;
	run_sizes[length] = (char)('0' + count);
	run_sizes[length + 1] = '\0';
	for (size_t i = 0; i < count && kind == ERR_NONE; i++)
		kind = put(tx, arguments[i], 1, err);
	for (size_t i = 0; i < count && kind == ERR_NONE; i++) {
		if (strcmp(arguments[i], "bad") == 0)
			kind = error_set(err, ERR_LIMITED, "bad");
	}
	return kind;
}

static void *call_batched(void *argument)
{
	struct batched *batched = argument;
	batched->kind = writer_run_batched(batched->writer, STR(""), put_all,
					   (void *)(uintptr_t)batched->name, &batched->err);
	return NULL;
}

/* A plain command among them when plain is not NULL. */
static void run_batch(struct place *place, struct batched batched[4], char *plain)
{
	static const char *const names[] = {"a", "b", "c", "d"};
	struct gate gate = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
	struct caller leader;
	struct caller other;
	run_sizes[0] = '\0';
	call_start(&leader, place->writer, wait_at_gate, &gate);
	for (size_t i = 0; i < 4; i++) {
		usleep(30000);
		if (i == 2 && plain != NULL)
			call_start(&other, place->writer, put_argument, plain);
		batched[i].writer = place->writer;
		batched[i].name = batched[i].name != NULL ? batched[i].name : names[i];
		pthread_create(&batched[i].thread, NULL, call_batched, &batched[i]);
	}
	usleep(200000);
	open_gate(&gate);
	pthread_join(leader.thread, NULL);
	for (size_t i = 0; i < 4; i++)
		pthread_join(batched[i].thread, NULL);
	if (plain == NULL)
		return;
	pthread_join(other.thread, NULL);
	assert_int_equal(other.kind, ERR_NONE);
}

static void a_batch_runs_at_once(void **state)
{
	(void)state;
	struct place place = {0};
	struct batched batched[4] = {{0}};
	place_open(&place);
	run_batch(&place, batched, NULL);
	assert_string_equal(run_sizes, "4");
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(batched[i].kind, ERR_NONE);
	assert_int_equal(count_rows(place.path), 4);
	run_batch(&place, batched, (char[]){"plain"});
	assert_string_equal(run_sizes, "4");
	assert_int_equal(count_rows(place.path), 5);
	place_close(&place);
}

/* Nothing of the common run is kept; who is at fault fails alone, with and without others beside
 * the batch. */
static void a_batch_that_fails_is_run_one_by_one(void **state)
{
	(void)state;
	for (int with_plain = 0; with_plain < 2; with_plain++) {
		struct place place = {0};
		struct batched batched[4] = {[1] = {.name = "bad"}};
		place_open(&place);
		run_batch(&place, batched, with_plain ? (char[]){"plain"} : NULL);
		assert_string_equal(run_sizes, with_plain ? "41111" : "441111");
		for (size_t i = 0; i < 4; i++)
			assert_int_equal(batched[i].kind, i == 1 ? ERR_LIMITED : ERR_NONE);
		assert_string_equal(batched[1].err.text, "bad");
		assert_int_equal(count_rows(place.path), 3 + with_plain);
		place_close(&place);
	}
}

static sqlite3 *handle_of(struct sql_connection *sql)
{
	struct sql_cursor cursor;
	struct error err = {0};
	sql_select(&cursor, sql, SQL_META_PUT, NULL, SQL_ARGS(sql_word("x"), sql_int(0)), &err);
	sqlite3 *db = sqlite3_db_handle(cursor.statement);
	sql_end(&cursor);
	return db;
}

static enum err_kind put_big(struct store_tx *tx, void *argument, struct error *err)
{
	static char big[400000];
	(void)argument;
	memset(big, 'b', sizeof(big) - 1);
	return put(tx, big, 1, err);
}

/* The file may not grow: as when the disk is full. */
static void a_full_disk_is_temporary_and_passes(void **state)
{
	(void)state;
	struct place place = {0};
	struct caller callers[3];
	struct error err = {0};
	place_open(&place);
	sqlite3 *db = handle_of(place.sql);
	assert_int_equal(sqlite3_exec(db, "PRAGMA max_page_count=40", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(writer_run(place.writer, put_big, NULL, &err), ERR_TEMPORARY);
	run_group_with(&place, put_big, callers);
	assert_int_equal(callers[1].kind, ERR_TEMPORARY);
	/* The others' fate is one: kept, or told that it was not. */
	int64_t kept = 0;
	kept += callers[0].kind == ERR_NONE;
	kept += callers[2].kind == ERR_NONE;
	assert_int_equal(count_rows(place.path), kept);
	sqlite3_exec(db, "PRAGMA max_page_count=100000", NULL, NULL, NULL);
	assert_int_equal(writer_run(place.writer, put_big, NULL, &err), ERR_NONE);
	assert_int_equal(count_rows(place.path), kept + 1);
	place_close(&place);
}

static int refuse_commit(void *context)
{
	(void)context;
	return 1;
}

static void when_the_commit_fails_nobody_is_promised(void **state)
{
	(void)state;
	struct place place = {0};
	struct caller callers[3];
	struct error err = {0};
	place_open(&place);
	sqlite3 *db = handle_of(place.sql);
	sqlite3_commit_hook(db, refuse_commit, NULL);
	struct gate gate = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, true};
	static char name[] = "n";
	for (size_t i = 0; i < 3; i++)
		call_start(&callers[i], place.writer, i == 1 ? wait_at_gate : put_argument,
			   i == 1 ? (void *)&gate : name);
	for (size_t i = 0; i < 3; i++)
		pthread_join(callers[i].thread, NULL);
	assert_int_equal(callers[0].kind, ERR_TEMPORARY);
	assert_int_equal(callers[2].kind, ERR_TEMPORARY);
	assert_int_equal(count_rows(place.path), 0);
	sqlite3_commit_hook(db, NULL, NULL);
	assert_int_equal(writer_run(place.writer, put_argument, name, &err), ERR_NONE);
	assert_int_equal(count_rows(place.path), 1);
	place_close(&place);
}

/* The child answers each durable command with its number on a pipe, as a server answers. */
struct acknowledger {
	pthread_t thread;
	struct store *store;
	int fd;
	int number;
};

struct acknowledged {
	int worker;
	int index;
};

static enum err_kind put_acknowledged(struct store_tx *tx, void *argument, struct error *err)
{
	const struct acknowledged *each = argument;
	char name[64];
	snprintf(name, sizeof(name), "%d/%d", each->worker, each->index);
	return put(tx, name, 1, err);
}

static void *write_for_ever(void *argument)
{
	struct acknowledger *a = argument;
	for (int i = 0;; i++) {
		struct error err = {0};
		struct acknowledged each = {a->number, i};
		if (store_write(a->store, put_acknowledged, &each, &err) != ERR_NONE)
			_exit(2);
		if (write(a->fd, &each, sizeof(each)) != sizeof(each))
			_exit(3);
	}
	return NULL;
}

static void child_main(const char *url, int fd)
{
	struct error err = {0};
	struct store *store = NULL;
	struct acknowledger workers[8];
	const struct store_config config = {.url = url, .clock = clock_system(), .is_owner = true};
	if (store_open(&config, &store, &err) != ERR_NONE)
		_exit(1);
	for (int i = 0; i < 8; i++) {
		workers[i] = (struct acknowledger){.store = store, .fd = fd, .number = i};
		pthread_create(&workers[i].thread, NULL, write_for_ever, &workers[i]);
	}
	pause();
	_exit(0);
}

static bool row_is_there(sqlite3_stmt *statement, const struct acknowledged *each)
{
	char name[64];
	snprintf(name, sizeof(name), "%d/%d", each->worker, each->index);
	sqlite3_reset(statement);
	sqlite3_bind_text(statement, 1, name, -1, SQLITE_TRANSIENT);
	return sqlite3_step(statement) == SQLITE_ROW;
}

static void kill_mid_writes(struct place *place, useconds_t after_us)
{
	char url[80];
	int fds[2];
	snprintf(url, sizeof(url), "sqlite:%s", place->path);
	assert_int_equal(pipe(fds), 0);
	const pid_t child = fork();
	if (child == 0)
		child_main(url, fds[1]);
	close(fds[1]);
	struct acknowledged *all = calloc(1000000, sizeof(*all));
	size_t count = 0;
	assert_int_equal(read(fds[0], &all[count++], sizeof(*all)), sizeof(*all));
	usleep(after_us);
	assert_int_equal(kill(child, SIGKILL), 0);
	while (count < 1000000 && read(fds[0], &all[count], sizeof(*all)) == sizeof(*all))
		count++;
	close(fds[0]);
	assert_int_equal(waitpid(child, NULL, 0), child);

	struct error err = {0};
	struct store *store = NULL;
	const struct store_config config = {.url = url, .clock = clock_system(), .is_owner = true};
	if (store_open(&config, &store, &err) != ERR_NONE)
		fail_msg("%s", err.text);
	store_close(&store);
	sqlite3 *db = NULL;
	sqlite3_stmt *statement = NULL;
	assert_int_equal(sqlite3_open_v2(place->path, &db, SQLITE_OPEN_READWRITE, NULL), 0);
	assert_int_equal(
		sqlite3_prepare_v2(db, "SELECT 1 FROM meta WHERE name = ?1", -1, &statement, NULL),
		0);
	for (size_t i = 0; i < count; i++)
		assert_true(row_is_there(statement, &all[i]));
	sqlite3_finalize(statement);
	assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA integrity_check", -1, &statement, NULL), 0);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	assert_string_equal(sqlite3_column_text(statement, 0), "ok");
	sqlite3_finalize(statement);
	sqlite3_close(db);
	free(all);
}

static void what_was_acknowledged_survives_a_kill(void **state)
{
	(void)state;
	static const useconds_t moments_us[] = {1000, 20000, 150000, 300000};
	for (size_t i = 0; i < 4; i++) {
		struct place place = {0};
		place_name(&place);
		place_remove(&place);
		kill_mid_writes(&place, moments_us[i]);
		place_remove(&place);
	}
}

/* ---- a leader that does not come back for long ---- */

struct slow {
	struct place *place;
	atomic_bool is_begun;
	atomic_bool may_end;
};

static enum err_kind be_slow(struct store_tx *tx, void *argument, struct error *err)
{
	struct slow *slow = argument;
	atomic_store(&slow->is_begun, true);
	while (!atomic_load(&slow->may_end))
		usleep(1000);
	return put(tx, "slow", 1, err);
}

static void *lead_slowly(void *argument)
{
	struct slow *slow = argument;
	assert_int_equal(writer_run(slow->place->writer, be_slow, slow, NULL), ERR_NONE);
	return NULL;
}

static enum err_kind put_quick(struct store_tx *tx, void *argument, struct error *err)
{
	return put(tx, argument, 1, err);
}

static void *wait_patiently(void *argument)
{
	struct place *place = argument;
	assert_int_equal(writer_run_patiently(place->writer, put_quick, (char[]){"patient"}, NULL),
			 ERR_NONE);
	return NULL;
}

static void who_waits_too_long_leaves_and_nothing_is_written(void **state)
{
	(void)state;
	struct error err = {0};
	struct place place = {.queue_limit_ms = 50};
	pthread_t leader;
	pthread_t patient;
	place_open(&place);
	struct slow slow = {.place = &place};
	assert_int_equal(pthread_create(&leader, NULL, lead_slowly, &slow), 0);
	while (!atomic_load(&slow.is_begun))
		usleep(1000);
	assert_int_equal(pthread_create(&patient, NULL, wait_patiently, &place), 0);
	assert_int_equal(writer_run(place.writer, put_quick, (char[]){"first"}, &err),
			 ERR_TEMPORARY);
	assert_int_equal(writer_run(place.writer, put_quick, (char[]){"second"}, &err),
			 ERR_TEMPORARY);
	atomic_store(&slow.may_end, true);
	pthread_join(leader, NULL);
	pthread_join(patient, NULL);
	assert_int_equal(writer_run(place.writer, put_quick, (char[]){"third"}, &err), ERR_NONE);
	assert_int_equal(count_rows(place.path), 3);
	place_close(&place);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		/* First: it forks, and must do so before there are threads. */
		cmocka_unit_test(what_was_acknowledged_survives_a_kill),
		cmocka_unit_test(a_failed_command_alone_leaves_nothing),
		cmocka_unit_test(failures_of_many_threads_stay_alone),
		cmocka_unit_test(when_the_transaction_is_lost_nobody_is_promised),
		cmocka_unit_test(a_lost_transaction_is_run_again),
		cmocka_unit_test(commands_with_keys_run_in_the_order_of_their_keys),
		cmocka_unit_test(a_batch_runs_at_once),
		cmocka_unit_test(a_batch_that_fails_is_run_one_by_one),
		cmocka_unit_test(when_the_commit_fails_nobody_is_promised),
		cmocka_unit_test(a_full_disk_is_temporary_and_passes),
		cmocka_unit_test(who_waits_too_long_leaves_and_nothing_is_written),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
