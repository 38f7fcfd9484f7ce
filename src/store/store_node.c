/* SPDX-License-Identifier: Apache-2.0
 * See store_node.h. The parts that only store.c needs are in store_private.h.
 *
 * The file that keeps a node's id has two lines: "ID" and "PLACE STARTED_US". PLACE is a hash of
 * where the node's lock file is (boot of the machine, file system, inode): a copy of the directory,
 * on this machine or on another, is somewhere else. STARTED_US is what the node's row said of its
 * last start. Whoever has the lock, and finds both as they were, is the only one with this id. */
#include "store_node.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"
#include "log.h"
#include "random.h"
#include "uuid.h"

#include "file_error.h"
#include "migrate.h"
#include "store_private.h"

#define FORGOTTEN_US US_PER_DAY
#define FILE_BYTES_MAX 256
#define CLOCK_ROUND_TRIP_MAX_US US_PER_S

/* ---- the id ---- */

static void draw_id(char *id)
{
	struct arena *arena = arena_new("node id", 4096);
	const struct str text =
		uuid_str(arena, uuid_v7(clock_now_us(clock_system()), random_system()));
	snprintf(id, NODE_ID_BYTES_MAX, STR_FMT, STR_ARG(text));
	arena_free(&arena);
}

static bool is_id(const char *id, size_t length)
{
	return length >= 32 && length < NODE_ID_BYTES_MAX &&
	       strspn(id, "0123456789abcdef-") == length;
}

/* Without an id in it, this is another node. */
static enum err_kind read_file(struct store *store, const char *path, struct error *err)
{
	char text[FILE_BYTES_MAX] = "";
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return ERR_NONE;
	if (fd < 0)
		return file_error("open", path, err);
	const ssize_t length = read(fd, text, sizeof(text) - 1);
	const enum err_kind kind = length < 0 ? file_error("read", path, err) : ERR_NONE;
	close(fd);
	const size_t id_length = strcspn(text, "\n");
	if (kind != ERR_NONE || !is_id(text, id_length))
		return kind;
	snprintf(store->node_id, sizeof(store->node_id), "%.*s", (int)id_length, text);
	if (sscanf(text + id_length, "%" SCNx64 " %" SCNd64, &store->node_file.place,
		   &store->node_file.started_us) != 2)
		store->node_file = (struct node_file){0};
	return ERR_NONE;
}

enum err_kind node_id_open(struct store *store, const char *path, struct error *err)
{
	const enum err_kind kind = path != NULL ? read_file(store, path, err) : ERR_NONE;
	if (kind == ERR_NONE && store->node_id[0] == '\0')
		draw_id(store->node_id);
	return kind;
}

static uint64_t mixed(uint64_t sum, const void *bytes, size_t size)
{
	const unsigned char *each = bytes;
	for (size_t i = 0; i < size; i++) /* FNV-1a */
		sum = (sum ^ each[i]) * UINT64_C(0x100000001b3);
	return sum;
}

/* 0 = not known. Clones of a machine differ in nothing but their boot. */
static uint64_t place_of(int lock_fd)
{
	char boot[64] = "";
	struct stat status;
	const int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	const ssize_t length = fd >= 0 ? read(fd, boot, sizeof(boot)) : -1;
	if (fd >= 0)
		close(fd);
	if (length <= 0 || fstat(lock_fd, &status) != 0)
		return 0;
	uint64_t sum = mixed(UINT64_C(0xcbf29ce484222325), boot, (size_t)length);
	sum = mixed(sum, &status.st_dev, sizeof(status.st_dev));
	return mixed(sum, &status.st_ino, sizeof(status.st_ino));
}

struct seen {
	int64_t started_us; /* 0 = there is no such row */
	int64_t silent_us;
};

static void seen_read(struct sql_cursor *cursor, void *out)
{
	struct seen *seen = out;
	seen->started_us = sql_take_int(cursor);
	seen->silent_us = sql_take_int(cursor);
}

enum err_kind store_node_id_judge(struct store *store, struct error *err)
{
	struct seen seen = {0};
	const struct node_file *file = &store->node_file;
	const enum err_kind kind =
		sql_find(store->sql, NULL,
			 SQL_ROW(SQL_NODE_SEEN, SQL_ARGS(sql_word(store->node_id)), seen_read),
			 &seen, "node", err);
	if (kind != ERR_NONE && kind != ERR_NOT_FOUND)
		return kind;
	const bool is_here = file->place != 0 && file->place == place_of(store->lock_fd);
	if (is_here && (seen.started_us == 0 || seen.started_us == file->started_us))
		return ERR_NONE;
	if (seen.started_us != 0 && seen.silent_us < NODE_DEAD_US)
		LOG(store->log, WARN, "node_is_a_copy",
		    log_str("former_id", str_of(store->node_id)),
		    log_str("why", STR("the data directory was copied, or another process started "
				       "with its id: this is a new node")));
	draw_id(store->node_id);
	return ERR_NONE;
}

enum err_kind store_node_id_keep(struct store *store, const char *path, struct error *err)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return file_error("make", path, err);
	const bool is_written = dprintf(fd, "%s\n%" PRIx64 " %" PRId64 "\n", store->node_id,
					place_of(store->lock_fd), store->node_started_us) > 0 &&
				fsync(fd) == 0;
	const enum err_kind kind = is_written ? ERR_NONE : file_error("write", path, err);
	close(fd);
	return kind;
}

bool store_is_shared(const struct store *store)
{
	return sql_is_shared(store->sql);
}

struct str store_node_id(const struct store *store)
{
	return str_of(store->node_id);
}

/* ---- the clock ---- */

static int64_t shared_now_us(void *context)
{
	const struct store *store = context;
	return clock_boot_us(store->own_clock) + atomic_load(&store->clock_offset_us);
}

static int64_t shared_boot_us(void *context)
{
	const struct store *store = context;
	return clock_boot_us(store->own_clock);
}

/* An answer that took long says little about when it was given. */
static enum err_kind clock_set(struct store *store, struct error *err)
{
	int64_t now_us = 0;
	const int64_t before_us = clock_boot_us(store->own_clock);
	const enum err_kind kind = store_number(store, SQL_DATABASE_NOW, SQL_NO_ARGS, &now_us, err);
	const int64_t after_us = clock_boot_us(store->own_clock);
	if (kind == ERR_NONE && after_us - before_us < CLOCK_ROUND_TRIP_MAX_US)
		atomic_store(&store->clock_offset_us,
			     now_us - before_us - (after_us - before_us) / 2);
	return kind;
}

enum err_kind node_clock_open(struct store *store, struct error *err)
{
	atomic_store(&store->clock_offset_us,
		     clock_now_us(store->own_clock) - clock_boot_us(store->own_clock));
	store->shared_clock = (struct clock){shared_now_us, shared_boot_us, store};
	const enum err_kind kind = clock_set(store, err);
	if (kind == ERR_NONE)
		store->clock = &store->shared_clock;
	return kind;
}

/* ---- which apps are whose ---- */

/* Who has not been heard of for two beats and a bit has no share; what is left to a dead one is
 * taken by the others after CLAIM_NEGLECT_US all the same (store_claim.c). */
#define SHARE_DEAD_US (12 * US_PER_S)

struct share_seen {
	int64_t count;
	int64_t before;
	int64_t own;
};

static void share_read(struct sql_cursor *cursor, void *out)
{
	struct share_seen *seen = out;
	seen->count = sql_take_int(cursor);
	seen->before = sql_take_int(cursor);
	seen->own = sql_take_int(cursor);
}

/* Changes only who looks first: the apps' locks keep nodes apart that see it differently. */
static enum err_kind share_set(struct store *store, struct error *err)
{
	struct share_seen seen = {0};
	const int64_t dead_us = clock_now_us(store->clock) - SHARE_DEAD_US;
	const enum err_kind kind = store_find(
		store, NULL,
		SQL_ROW(SQL_NODE_SHARE, SQL_ARGS(sql_word(store->node_id), sql_int(dead_us)),
			share_read),
		&seen, "node", err);
	const bool has_share = kind == ERR_NONE && seen.own > 0;
	const uint64_t share = has_share ? (uint64_t)seen.count << 32 | (uint64_t)seen.before : 0;
	atomic_store(&store->share, share);
	return kind;
}

struct node_share store_node_share_of(const struct store *store)
{
	const uint64_t share = atomic_load(&store->share);
	if (share == 0)
		return (struct node_share){.count = 1, .index = 0};
	return (struct node_share){.count = (uint32_t)(share >> 32), .index = (uint32_t)share};
}

/* ---- lanes of nodes that are gone ---- */

struct taking {
	struct str node_id; /* whose former self is gone for certain; "" = nobody's */
	int64_t count;
};

static enum err_kind count_left(struct store_tx *tx, struct taking *taking, struct error *err)
{
	const int64_t dead_us = clock_now_us(tx->store->clock) - NODE_DEAD_US;
	return sql_number(tx->sql, SQL_LANES_LEFT_COUNT,
			  SQL_ARGS(sql_text(taking->node_id), sql_int(dead_us)), &taking->count,
			  err);
}

/* Over all apps: nobody else writes meanwhile. */
static enum err_kind take_over(struct store_tx *tx, void *argument, struct error *err)
{
	struct taking *taking = argument;
	const int64_t dead_us = clock_now_us(tx->store->clock) - NODE_DEAD_US;
	const struct sql_args args = SQL_ARGS(sql_text(taking->node_id), sql_int(dead_us));
	enum err_kind kind = count_left(tx, taking, err);
	if (kind != ERR_NONE || taking->count == 0)
		return kind;
	kind = sql_run(tx->sql, SQL_LANES_LEFT_LEASES, args, NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_LANES_LEFT_FREE, args, NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_WORK_VOID, SQL_ARGS(sql_int(NEVER_US)), NULL, err);
	return kind;
}

/* Events and webhook deliveries do not say whose they are; their leases are short. */
static enum err_kind void_when_alone(struct store_tx *tx, struct error *err)
{
	const int64_t dead_us = clock_now_us(tx->store->clock) - NODE_DEAD_US;
	int64_t others = 0;
	enum err_kind kind =
		sql_number(tx->sql, SQL_NODE_COUNT_ALIVE,
			   SQL_ARGS(sql_word(tx->store->node_id), sql_int(dead_us)), &others, err);
	if (kind != ERR_NONE || others > 0)
		return kind;
	kind = sql_run(tx->sql, SQL_EVENTS_VOID, SQL_NO_ARGS, NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_WEBHOOK_LEASES_VOID, SQL_NO_ARGS, NULL, err);
	return kind;
}

static enum err_kind put(struct store_tx *tx, const struct node_row *node, struct error *err)
{
	struct store *store = tx->store;
	return sql_run(tx->sql, SQL_NODE_PUT,
		       SQL_ARGS(sql_word(store->node_id), sql_text(node->name),
				sql_text(node->role), sql_text(node->address),
				sql_text(node->version), sql_int(store->node_started_us),
				sql_text(node->key_names)),
		       NULL, err);
}

enum err_kind node_begin(struct store_tx *tx, void *argument, struct error *err)
{
	(void)argument;
	const struct node_row unnamed = {.role = STR("command")};
	struct taking taking = {.node_id = str_of(tx->store->node_id)};
	enum err_kind kind = put(tx, &unnamed, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_REMOVALS_LEFT, SQL_ARGS(sql_word(tx->store->node_id)),
			       NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_LATE_IDS_LEFT, SQL_ARGS(sql_word(tx->store->node_id)),
			       NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_LOOKS_LEFT, SQL_ARGS(sql_word(tx->store->node_id)),
			       NULL, err);
	if (kind == ERR_NONE)
		kind = take_over(tx, &taking, err);
	return kind == ERR_NONE ? void_when_alone(tx, err) : kind;
}

enum err_kind node_end(struct store_tx *tx, void *argument, struct error *err)
{
	(void)argument;
	return sql_run(tx->sql, SQL_NODE_DELETE,
		       SQL_ARGS(sql_word(tx->store->node_id), sql_int(tx->store->node_started_us)),
		       NULL, err);
}

static enum err_kind tell(struct store_tx *tx, void *argument, struct error *err)
{
	return put(tx, argument, err);
}

enum err_kind store_node_tell(struct store *store, const struct node_row *node, struct error *err)
{
	if (!store_is_shared(store))
		return ERR_NONE;
	atomic_store(&store->is_claiming, !str_equal_z(node->role, "api"));
	enum err_kind kind = store_write(store, tell, (void *)node, err);
	return kind == ERR_NONE ? share_set(store, err) : kind;
}

/* Our row may have been lost with the newest part of the database. A later start than ours is
 * another process's. */
static enum err_kind who_has_our_row(struct store_tx *tx, struct error *err)
{
	const struct store *store = tx->store;
	int64_t started_us = 0;
	const enum err_kind kind = sql_number(tx->sql, SQL_NODE_STARTED,
					      SQL_ARGS(sql_word(store->node_id)), &started_us, err);
	if (kind == ERR_NONE && started_us > store->node_started_us)
		return error_set(err, ERR_CONFLICT,
				 "another process runs with the node id of this one, %s: its data "
				 "directory was copied; start this node again, and it takes an id "
				 "of its own",
				 store->node_id);
	return kind == ERR_NONE ? error_set(err, ERR_NOT_FOUND, "no such node") : kind;
}

/* This program may have become too old for the database. */
static enum err_kind check_program(struct store_tx *tx, struct error *err)
{
	int64_t oldest = 0;
	const enum err_kind kind = sql_number(
		tx->sql, SQL_META_GET, SQL_ARGS(sql_word(MIGRATE_OLDEST_PROGRAM)), &oldest, err);
	if (kind != ERR_NONE || migrate_check_program(oldest, err) == ERR_NONE)
		return kind;
	if (err != NULL)
		err->kind = ERR_CONFLICT;
	return ERR_CONFLICT;
}

static enum err_kind beat(struct store_tx *tx, void *argument, struct error *err)
{
	struct taking *taking = argument;
	const struct store *store = tx->store;
	const int64_t now_us = clock_now_us(store->clock);
	enum err_kind kind = check_program(tx, err);
	if (kind == ERR_NONE)
		kind = sql_run_one(tx->sql, SQL_NODE_BEAT,
				   SQL_ARGS(sql_word(store->node_id), sql_int(now_us),
					    sql_int(store->node_started_us)),
				   ERR_NOT_FOUND, "node", err);
	if (kind == ERR_NOT_FOUND)
		kind = who_has_our_row(tx, err);
	if (kind == ERR_NONE)
		kind = count_left(tx, taking, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_NODES_FORGET, SQL_ARGS(sql_int(now_us - FORGOTTEN_US)),
			       NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_MARKS_FORGET, SQL_ARGS(sql_word("/%")), NULL, err);
	return kind;
}

enum err_kind store_node_beat(struct store *store, int64_t *taken_out, struct error *err)
{
	struct taking taking = {0};
	*taken_out = 0;
	if (!store_is_shared(store))
		return ERR_NONE;
	enum err_kind kind = clock_set(store, err);
	if (kind == ERR_NONE)
		kind = store_write_beside(store, beat, &taking, err);
	if (kind == ERR_NONE)
		kind = share_set(store, err);
	if (kind == ERR_NONE && taking.count > 0)
		kind = store_write(store, take_over, &taking, err);
	if (kind == ERR_NONE)
		*taken_out = taking.count;
	return kind;
}

static void node_read(struct sql_cursor *cursor, void *out)
{
	struct node_row *node = out;
	node->id = sql_take_text(cursor);
	node->name = sql_take_text(cursor);
	node->role = sql_take_text(cursor);
	node->address = sql_take_text(cursor);
	node->version = sql_take_text(cursor);
	node->key_names = sql_take_text(cursor);
	node->started_at_us = sql_take_int(cursor);
	node->beat_at_us = sql_take_int(cursor);
	node->busy_count = sql_take_int(cursor);
}

enum err_kind store_node_list(struct store *store, struct arena *arena, struct node_row **out,
			      size_t *count_out, struct error *err)
{
	const int64_t dead_us = clock_now_us(store->clock) - NODE_DEAD_US;
	const enum err_kind kind = store_list(
		store, arena, SQL_ROWS(SQL_NODE_LIST, SQL_NO_ARGS, node_read, struct node_row),
		(void **)out, count_out, err);
	for (size_t i = 0; kind == ERR_NONE && i < *count_out; i++)
		(*out)[i].is_alive = (*out)[i].beat_at_us > dead_us;
	return kind;
}
