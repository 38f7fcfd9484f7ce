/* SPDX-License-Identifier: Apache-2.0
 * See store_node.h. The parts that only store.c needs are in store_private.h. */
#include "store_node.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "arena.h"
#include "log.h"
#include "random.h"
#include "uuid.h"

#include "file_error.h"
#include "store_private.h"

#define FORGOTTEN_US US_PER_DAY
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
	return length >= 32 && strspn(id, "0123456789abcdef-") == length;
}

static enum err_kind make_file(const char *path, char *id, struct error *err)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return file_error("make", path, err);
	draw_id(id);
	const bool is_written = dprintf(fd, "%s\n", id) > 0 && fsync(fd) == 0;
	const enum err_kind kind = is_written ? ERR_NONE : file_error("write", path, err);
	close(fd);
	return kind;
}

/* A file without an id is written again: then this is another node. */
static enum err_kind read_or_make(const char *path, char *id, struct error *err)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno != ENOENT)
		return file_error("open", path, err);
	ssize_t length = 0;
	if (fd >= 0) {
		length = read(fd, id, NODE_ID_BYTES_MAX - 1);
		close(fd);
	}
	if (length < 0)
		return file_error("read", path, err);
	id[length] = '\0';
	id[strcspn(id, "\n")] = '\0';
	return is_id(id, strlen(id)) ? ERR_NONE : make_file(path, id, err);
}

enum err_kind node_id_open(struct store *store, const char *path, struct error *err)
{
	if (path != NULL)
		return read_or_make(path, store->node_id, err);
	draw_id(store->node_id);
	return ERR_NONE;
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

/* ---- lanes of nodes that are gone ---- */

struct taking {
	struct str node_id; /* whose former self is gone for certain; "" = nobody's */
	int64_t count;
};

static enum err_kind take_over(struct store_tx *tx, struct taking *taking, struct error *err)
{
	const int64_t dead_us = clock_now_us(tx->store->clock) - NODE_DEAD_US;
	const struct sql_args args = SQL_ARGS(sql_text(taking->node_id), sql_int(dead_us));
	enum err_kind kind = sql_number(tx->sql, SQL_LANES_LEFT_COUNT, args, &taking->count, err);
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
				sql_text(node->version), sql_int(store->node_started_us)),
		       NULL, err);
}

enum err_kind node_begin(struct store_tx *tx, void *argument, struct error *err)
{
	(void)argument;
	const struct node_row unnamed = {.role = STR("command")};
	struct taking taking = {.node_id = str_of(tx->store->node_id)};
	enum err_kind kind = put(tx, &unnamed, err);
	if (kind == ERR_NONE)
		kind = take_over(tx, &taking, err);
	return kind == ERR_NONE ? void_when_alone(tx, err) : kind;
}

enum err_kind node_end(struct store_tx *tx, void *argument, struct error *err)
{
	(void)argument;
	return sql_run(tx->sql, SQL_NODE_DELETE, SQL_ARGS(sql_word(tx->store->node_id)), NULL, err);
}

static enum err_kind tell(struct store_tx *tx, void *argument, struct error *err)
{
	return put(tx, argument, err);
}

enum err_kind store_node_tell(struct store *store, const struct node_row *node, struct error *err)
{
	return store_is_shared(store) ? store_write(store, tell, (void *)node, err) : ERR_NONE;
}

static enum err_kind beat(struct store_tx *tx, void *argument, struct error *err)
{
	struct taking *taking = argument;
	const struct store *store = tx->store;
	const int64_t now_us = clock_now_us(store->clock);
	enum err_kind kind = sql_run_one(tx->sql, SQL_NODE_BEAT,
					 SQL_ARGS(sql_word(store->node_id), sql_int(now_us),
						  sql_int(store->node_started_us)),
					 ERR_CONFLICT, "node with this id and start", err);
	if (kind == ERR_NONE)
		kind = take_over(tx, taking, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_NODES_FORGET, SQL_ARGS(sql_int(now_us - FORGOTTEN_US)),
			       NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run(tx->sql, SQL_MARKS_FORGET, SQL_NO_ARGS, NULL, err);
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
		kind = store_write(store, beat, &taking, err);
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
