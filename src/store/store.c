/* SPDX-License-Identifier: Apache-2.0
 * Opening and closing. The cast: one writing connection behind a struct writer (group commit),
 * reading connections in a struct readers, and for the owner the lock file. */
#include "store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "arena.h"
#include "clock.h"
#include "count_of.h"
#include "log.h"

#include "lock_file.h"
#include "migrate.h"
#include "readers.h"
#include "store_private.h"
#include "store_quota.h"
#include "writer.h"

#define READERS_DEFAULT 16
/* Ceilings; memory is taken as pages are used, so an idle service that was not busy has little of
 * it (design.md 8). Beyond them is the system's file cache. */
#define WRITER_CACHE_BYTES (32 << 20)
#define READER_CACHE_BYTES (1 << 20)
/* The owner is alone with its file; only a backup or a tool can be in the way for a moment. */
#define BUSY_TIMEOUT_MS 5000
/* Of a database on a network, which may hang without a word (docs/postgres.md): together they, and
 * the last try to connect, make a request's limit of 20 s. */
#define READ_LIMIT_MS 8000
#define WRITE_QUEUE_LIMIT_MS 4000
#define WRITE_LIMIT_MS 8000

/* Two servers, or processes, that claim together (docs/postgres.md). */
static bool is_server(const char *url)
{
	return sql_driver_of(url)->set_mark != NULL;
}

static enum err_kind path_of_url(const char *url, char **path_out, struct error *err)
{
	struct str rest = str_of(url);
	if (!is_server(url) && (!str_skip(&rest, STR("sqlite:")) || str_is_empty(rest)))
		return error_set(err, ERR_INVALID,
				 "the database must be given as sqlite:PATH or postgres://...");
	*path_out = strndup(rest.ptr, rest.len);
	if (*path_out == NULL)
		return error_set(err, ERR_TEMPORARY, "no memory to open the database");
	return ERR_NONE;
}

/* Made by us so that nobody else may read it; SQLite gives its log the same mode. Never closes a
 * file that was there: that would drop the locks of this process on it (fcntl(2)). */
static enum err_kind make_file(const char *path, struct error *err)
{
	const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0) {
		close(fd);
		return ERR_NONE;
	}
	const int code = errno;
	if (code == EEXIST)
		return ERR_NONE;
	return error_set_native(err, ERR_TEMPORARY, code, "cannot create the database %s: %s", path,
				strerror(code));
}

/* The leases of an owner that is gone are void: what it had begun is due again. Deliveries keep
 * their call_state, so that an open publish call goes to the resolver. */
static enum err_kind void_leases(struct store_tx *tx, void *argument, struct error *err)
{
	(void)argument;
	enum err_kind kind = sql_run(tx->sql, SQL_LEASES_VOID, SQL_NO_ARGS, NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_LANES_VOID, SQL_NO_ARGS, NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_REMOVALS_VOID, SQL_NO_ARGS, NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_LATE_IDS_VOID, SQL_NO_ARGS, NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_LOOKS_VOID, SQL_NO_ARGS, NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_WORK_VOID, SQL_ARGS(sql_int(NEVER_US)), NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_EVENTS_VOID, SQL_NO_ARGS, NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_WEBHOOK_LEASES_VOID, SQL_NO_ARGS, NULL, err);
	return kind;
}

static enum err_kind set_mark(struct store *store, struct sql_connection *sql, size_t index,
			      struct error *err)
{
	char mark[NODE_ID_BYTES_MAX + 16];
	snprintf(mark, sizeof(mark), "%s/%zu", store->node_id, index);
	return sql->driver->set_mark(sql, str_of(mark), err);
}

/* A connection of its own, and a writer whose transactions run beside others. */
struct beside {
	struct sql_connection **sql;
	struct writer **writer;
	size_t mark;
	writer_command judge;
};

static enum err_kind open_beside(struct store *store, const struct sql_config *config,
				 const struct beside *beside, struct error *err)
{
	enum err_kind kind = store->sql->driver->open(config, beside->sql, err);
	if (kind == ERR_NONE)
		kind = set_mark(store, *beside->sql, beside->mark, err);
	if (kind != ERR_NONE)
		return kind;
	const struct writer_config writer_config = {.sql = *beside->sql,
						    .is_shared = true,
						    .run = store_tx_run,
						    .judge = beside->judge,
						    .ended = store_tx_ended,
						    .queue_limit_ms = WRITE_QUEUE_LIMIT_MS,
						    .group_limit_ms = WRITE_LIMIT_MS,
						    .context = store,
						    .commits = &store->commits,
						    .clock = store->own_clock};
	*beside->writer = writer_new(&writer_config);
	return *beside->writer != NULL
		       ? ERR_NONE
		       : error_set(err, ERR_TEMPORARY, "no memory to open the database");
}

/* The connections that only a database with several nodes has. */
static enum err_kind open_shared(struct store *store, const struct sql_config *config,
				 struct error *err)
{
	struct beside all[ACCEPTERS + 2] = {
		{&store->turner_sql, &store->turner, 0, guard_judge_server},
		{&store->changer_sql, &store->changer, 0, guard_judge_server},
	};
	for (size_t i = 0; i < ACCEPTERS; i++)
		all[2 + i] =
			(struct beside){&store->accepter_sql[i], &store->accepters[i], 0, NULL};
	enum err_kind kind = set_mark(store, store->sql, 0, err);
	for (size_t i = 0; i < COUNT_OF(all) && kind == ERR_NONE; i++) {
		all[i].mark = i + 1;
		kind = open_beside(store, config, &all[i], err);
	}
	return kind;
}

static void close_beside(struct sql_connection **sql, struct writer **writer)
{
	writer_free(writer);
	if (*sql != NULL)
		(*sql)->driver->close(sql);
}

static enum err_kind open_connections(struct store *store, const struct store_config *config,
				      struct error *err)
{
	const struct sql_driver *driver = sql_driver_of(store->path);
	char mark_path[PATH_MAX];
	const int mark_length = snprintf(mark_path, sizeof(mark_path), "%s-commit",
					 config->epoch_path != NULL ? config->epoch_path : "");
	if (mark_length < 0 || (size_t)mark_length >= sizeof(mark_path))
		return error_set(err, ERR_INVALID, "the path of the epoch file is too long");
	struct sql_config sql_config = {
		.mark_path = config->epoch_path != NULL ? mark_path : NULL,
		.path = store->path,
		.role = config->is_owner ? SQL_ROLE_OWNER : SQL_ROLE_WRITER,
		.cache_bytes = WRITER_CACHE_BYTES,
		.busy_timeout_ms = BUSY_TIMEOUT_MS,
		.is_sync_relaxed = config->is_sync_relaxed,
		.is_damaged = &store->is_damaged,
	};
	enum err_kind kind = driver->open(&sql_config, &store->sql, err);
	if (kind == ERR_NONE)
		kind = migrate(store->sql, &store->schema_version, err);
	if (kind == ERR_NONE && store->lock_fd >= 0 && sql_is_shared(store->sql))
		kind = store_node_id_judge(store, err);
	if (kind == ERR_NONE && sql_is_shared(store->sql))
		kind = open_shared(store, &sql_config, err);
	if (kind != ERR_NONE)
		return kind;
	sql_config.role = SQL_ROLE_READER;
	sql_config.cache_bytes = READER_CACHE_BYTES;
	const bool is_shared = sql_is_shared(store->sql);
	sql_config.limit_ms = is_shared ? READ_LIMIT_MS : 0;
	store->readers = readers_new(&sql_config, config->readers_max > 0 ? config->readers_max
									  : READERS_DEFAULT);
	const struct writer_config writer_config = {
		.sql = store->sql,
		.run = store_tx_run,
		.judge = guard_judge_server,
		.ended = store_tx_ended,
		.queue_limit_ms = is_shared ? WRITE_QUEUE_LIMIT_MS : 0,
		.group_limit_ms = is_shared ? WRITE_LIMIT_MS : 0,
		.context = store,
		.commits = &store->commits,
		.clock = store->own_clock};
	store->writer = writer_new(&writer_config);
	if (store->readers == NULL || store->writer == NULL)
		return error_set(err, ERR_TEMPORARY, "no memory to open the database");
	return ERR_NONE;
}

/* A node locks its own file: others may work on the database too. */
static enum err_kind open_node(struct store *store, const struct store_config *config,
			       struct error *err)
{
	enum err_kind kind = ERR_NONE;
	if (config->is_owner && config->node_path != NULL)
		kind = lock_file_take(config->node_path, &store->lock_fd, err);
	if (kind == ERR_NONE)
		kind = node_id_open(store, config->is_owner ? config->node_path : NULL, err);
	if (kind == ERR_NONE)
		kind = open_connections(store, config, err);
	if (kind == ERR_NONE)
		kind = node_clock_open(store, err);
	if (kind != ERR_NONE || !config->is_owner)
		return kind;
	store->node_started_us = clock_now_us(store->clock);
	if (config->node_path != NULL)
		kind = store_node_id_keep(store, config->node_path, err);
	if (kind == ERR_NONE)
		kind = store_write_patiently(store, node_begin, NULL, err);
	store->is_node_begun = kind == ERR_NONE;
	return kind;
}

static enum err_kind open_store(struct store *store, const struct store_config *config,
				struct error *err)
{
	if (is_server(config->url)) {
		const enum err_kind kind = path_of_url(config->url, &store->path, err);
		return kind == ERR_NONE ? open_node(store, config, err) : kind;
	}
	enum err_kind kind = path_of_url(config->url, &store->path, err);
	if (kind == ERR_NONE && config->is_owner)
		kind = lock_file_take(store->path, &store->lock_fd, err);
	if (kind == ERR_NONE)
		kind = make_file(store->path, err);
	if (kind == ERR_NONE)
		kind = open_connections(store, config, err);
	if (kind == ERR_NONE && config->is_owner)
		kind = store_write(store, void_leases, NULL, err);
	return kind;
}

/* A URL may hold a password. */
static struct str shown_path(const struct store *store)
{
	return is_server(store->path) ? STR("postgres") : str_of(store->path);
}

enum err_kind store_open(const struct store_config *config, struct store **store_out,
			 struct error *err)
{
	struct store *store = calloc(1, sizeof(*store));
	if (store == NULL)
		return error_set(err, ERR_TEMPORARY, "no memory to open the database");
	if (store_words_bell_open(&store->words_bell, err) != ERR_NONE) {
		free(store);
		return ERR_TEMPORARY;
	}
	store->clock = store->own_clock = config->clock;
	store->log = config->log;
	store_quota_set_limits(store, &config->quotas);
	store->lock_fd = -1;
	atomic_store(&store->is_claiming, true);
	store->access = access_cache_new();
	pthread_mutex_init(&store->epoch_lock, NULL);
	store->epoch_path = config->epoch_path != NULL ? strdup(config->epoch_path) : NULL;
	const enum err_kind kind = open_store(store, config, err);
	if (kind != ERR_NONE) {
		store_close(&store);
		return kind;
	}
	LOG(store->log, INFO, "store_opened", log_str("path", shown_path(store)),
	    log_int("schema", store->schema_version));
	*store_out = store;
	return ERR_NONE;
}

/* Readers first: the last connection to go folds the log into the file, and only the writer may. */
void store_close(struct store **store_pointer)
{
	struct store *store = *store_pointer;
	if (store == NULL)
		return;
	if (store->is_node_begun)
		store_write(store, node_end, NULL, NULL);
	readers_free(&store->readers);
	writer_free(&store->writer);
	for (size_t i = 0; i < ACCEPTERS; i++)
		close_beside(&store->accepter_sql[i], &store->accepters[i]);
	close_beside(&store->turner_sql, &store->turner);
	close_beside(&store->changer_sql, &store->changer);
	if (store->sql != NULL)
		store->sql->driver->close(&store->sql);
	access_cache_free(&store->access);
	lock_file_release(&store->lock_fd);
	pthread_mutex_destroy(&store->epoch_lock);
	store_words_bell_close(&store->words_bell);
	free(store->epoch_path);
	free(store->path);
	free(store);
	*store_pointer = NULL;
}

const struct clock *store_clock(const struct store *store)
{
	return store->clock;
}

/* ---- wiping ---- */

#define WIPE_TRIES 20
#define WIPE_PAUSE_US (50 * US_PER_MS)

static enum err_kind do_nothing(struct store_tx *tx, void *argument, struct error *err)
{
	(void)tx;
	(void)argument;
	(void)err;
	return ERR_NONE;
}

/* Checkpoints are the writer's: it tidies up after the answers of a group are out. */
static enum err_kind empty_log(struct store *store, struct error *err)
{
	const struct timespec pause = {.tv_nsec = WIPE_PAUSE_US * NS_PER_US};
	atomic_store(&store->sql->wants_empty_log, true);
	for (int i = 0; i < WIPE_TRIES; i++) {
		const enum err_kind kind = store_write(store, do_nothing, NULL, err);
		if (kind != ERR_NONE)
			return kind;
		nanosleep(&pause, NULL);
		if (!atomic_load(&store->sql->wants_empty_log))
			return ERR_NONE;
	}
	return error_set(err, ERR_TEMPORARY,
			 "the write-ahead log cannot be emptied while an old state is read");
}

/* Nobody waits for a vacuum: it has a connection of its own. */
static enum err_kind vacuum(struct store *store, struct error *err)
{
	static const char *const scripts[] = {
		"{postgres SET statement_timeout = 0}",
		"{postgres VACUUM accounts}",
		"{postgres VACUUM connections}",
		"{postgres VACUUM connection_accounts}",
		"{postgres VACUUM posts}",
		"{postgres VACUUM deliveries}",
		"{postgres VACUUM timeline}",
		"{postgres VACUUM evidence}",
		"{postgres VACUUM events}",
		"{postgres VACUUM webhook_deliveries}",
		"{postgres VACUUM word_docs}",
		"{postgres VACUUM post_words}",
	};
	const struct sql_config config = {.path = store->path,
					  .role = SQL_ROLE_WRITER,
					  .busy_timeout_ms = BUSY_TIMEOUT_MS,
					  .is_damaged = &store->is_damaged};
	struct sql_connection *sql = NULL;
	enum err_kind kind = store->sql->driver->open(&config, &sql, err);
	for (size_t i = 0; i < COUNT_OF(scripts) && kind == ERR_NONE; i++)
		kind = sql->driver->run_script(sql, str_of(scripts[i]), err);
	if (sql != NULL)
		sql->driver->close(&sql);
	return kind;
}

enum err_kind store_wipe(struct store *store, struct error *err)
{
	return store_is_shared(store) ? vacuum(store, err) : empty_log(store, err);
}

/* A real write: a full disk or a file system gone read-only shows only then. */
enum err_kind store_check(struct store *store, struct error *err)
{
	const int64_t now_us = clock_now_us(store->clock);
	return store_run(store, SQL_META_PUT, SQL_ARGS(sql_word("checked_at_us"), sql_int(now_us)),
			 ERR_NONE, "", err);
}

static void setting_read(struct sql_cursor *cursor, void *out)
{
	struct str *settings = out;
	settings[0] = sql_take_text(cursor);
	settings[1] = sql_take_text(cursor);
}

enum err_kind store_durability(struct store *store, struct arena *arena, struct str *why_out,
			       struct error *err)
{
	struct str settings[2] = {{0}};
	const enum err_kind kind =
		store_find(store, arena, SQL_ROW(SQL_DATABASE_SETTINGS, SQL_NO_ARGS, setting_read),
			   settings, "settings", err);
	const bool syncs = str_equal_z(settings[0], "on");
	const bool is_whole = str_equal_z(settings[1], "on");
	*why_out = (struct str){0};
	if (kind != ERR_NONE || (syncs && is_whole))
		return kind;
	*why_out = str_format(arena,
			      "the PostgreSQL server runs with%s%s%s: when its machine stops, "
			      "accepted posts are lost or the database is damaged; turn it on",
			      syncs ? "" : " fsync = off", syncs || is_whole ? "" : " and",
			      is_whole ? "" : " full_page_writes = off");
	return ERR_NONE;
}

enum err_kind store_holds_secrets(struct store *store, bool *holds_out, struct error *err)
{
	int64_t count = 0;
	const enum err_kind kind = store_number(store, SQL_SECRETS_COUNT, SQL_NO_ARGS, &count, err);
	if (kind == ERR_NONE)
		*holds_out = count > 0;
	return kind;
}

bool store_is_damaged(const struct store *store)
{
	return atomic_load(&store->is_damaged);
}

int store_schema_version(struct store *store)
{
	return store->schema_version;
}
