/* SPDX-License-Identifier: Apache-2.0
 * struct writer is the queue; struct waiting is one caller's command, on that caller's stack. A
 * leader runs exactly one group, in which its own command is the first, then hands the lead to
 * whoever is first in the queue by then. */
#include "writer.h"

#include <pthread.h>
#include <stdlib.h>

#include "arena.h"

#include "sql.h"
#include "store_private.h"

#define TX_ARENA_MAX_BYTES ((size_t)64 << 20)

struct waiting {
	store_command command;
	void *argument;
	struct error *err;
	enum err_kind kind;
	bool is_done;
	bool is_leader;
	pthread_cond_t woken;
	struct waiting *next;
};

struct writer {
	pthread_mutex_t lock; /* the queue's */
	struct waiting *first;
	struct waiting *last;
	bool has_leader;
	/* Below: the leader's. */
	struct store *store;
	struct sql_connection *sql;
	struct arena *arena; /* of one command */
};

struct writer *writer_new(struct store *store, struct sql_connection *sql)
{
	struct writer *writer = calloc(1, sizeof(*writer));
	if (writer == NULL)
		return NULL;
	pthread_mutex_init(&writer->lock, NULL);
	writer->store = store;
	writer->sql = sql;
	writer->arena = arena_new("store transaction", TX_ARENA_MAX_BYTES);
	return writer;
}

void writer_free(struct writer **writer)
{
	if (*writer == NULL)
		return;
	arena_free(&(*writer)->arena);
	pthread_mutex_destroy(&(*writer)->lock);
	free(*writer);
	*writer = NULL;
}

static enum err_kind run_command(struct writer *writer, struct waiting *waiting)
{
	struct store_tx tx = {.sql = writer->sql, .store = writer->store, .arena = writer->arena};
	enum err_kind kind = waiting->command(&tx, waiting->argument, waiting->err);
	if (kind == ERR_NONE)
		kind = store_tx_finish(&tx, waiting->err);
	arena_clear(writer->arena);
	return kind;
}

/* Returns NONE when the transaction can go on, whatever became of the command. A database that had
 * to give up the whole transaction (disk full) no longer knows the savepoint. */
static enum err_kind run_isolated(struct writer *writer, struct waiting *waiting, struct error *err)
{
	enum err_kind kind = sql_run(writer->sql, SQL_SAVEPOINT, SQL_NO_ARGS, NULL, err);
	if (kind != ERR_NONE)
		return kind;
	waiting->kind = run_command(writer, waiting);
	if (waiting->kind != ERR_NONE)
		kind = sql_run(writer->sql, SQL_SAVEPOINT_UNDO, SQL_NO_ARGS, NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run(writer->sql, SQL_SAVEPOINT_KEEP, SQL_NO_ARGS, NULL, err);
	return kind;
}

/* A command that is alone needs no savepoint: its failure is the transaction's. */
static enum err_kind run_commands(struct writer *writer, struct waiting *group, struct error *err)
{
	if (group->next == NULL) {
		group->kind = run_command(writer, group);
		return ERR_NONE;
	}
	for (struct waiting *each = group; each != NULL; each = each->next) {
		const enum err_kind kind = run_isolated(writer, each, err);
		if (kind != ERR_NONE)
			return kind;
	}
	return ERR_NONE;
}

static bool is_any_kept(const struct waiting *group)
{
	for (; group != NULL; group = group->next) {
		if (group->kind == ERR_NONE)
			return true;
	}
	return false;
}

/* Nothing of the group was kept. Who failed by itself keeps its own reason. */
static void fail_group(struct waiting *group, const struct error *why)
{
	for (; group != NULL; group = group->next) {
		if (group->kind == ERR_NONE)
			group->kind = error_set_native(group->err, ERR_TEMPORARY, why->native,
						       "nothing was written: %.200s", why->text);
	}
}

static void run_group(struct writer *writer, struct waiting *group)
{
	struct error why = {0};
	enum err_kind kind = sql_run(writer->sql, SQL_BEGIN_WRITE, SQL_NO_ARGS, NULL, &why);
	if (kind != ERR_NONE) {
		fail_group(group, &why);
		return;
	}
	kind = run_commands(writer, group, &why);
	if (kind == ERR_NONE && is_any_kept(group)) {
		kind = sql_run(writer->sql, SQL_COMMIT, SQL_NO_ARGS, NULL, &why);
		if (kind == ERR_NONE)
			return;
	}
	struct error ignored = {0}; /* fails when the database rolled back by itself */
	sql_run(writer->sql, SQL_ROLLBACK, SQL_NO_ARGS, NULL, &ignored);
	fail_group(group, &why);
}

/* Cuts the first of the queue off, own command first. Lock held. */
static struct waiting *take_group(struct writer *writer)
{
	struct waiting *group = writer->first;
	struct waiting *last = group;
	for (unsigned count = 1; count < WRITER_GROUP_MAX && last->next != NULL; count++)
		last = last->next;
	writer->first = last->next;
	if (writer->first == NULL)
		writer->last = NULL;
	last->next = NULL;
	return group;
}

/* Lock held: a follower cannot leave (and take its struct with it) before we let go. */
static void wake_group(struct waiting *group)
{
	while (group != NULL) {
		struct waiting *next = group->next;
		group->is_done = true;
		pthread_cond_signal(&group->woken);
		group = next;
	}
}

/* Lock held. */
static void hand_over(struct writer *writer)
{
	writer->has_leader = writer->first != NULL;
	if (writer->has_leader) {
		writer->first->is_leader = true;
		pthread_cond_signal(&writer->first->woken);
	}
}

/* Lock held on entry and on return. */
static void lead(struct writer *writer)
{
	struct waiting *group = take_group(writer);
	pthread_mutex_unlock(&writer->lock);
	run_group(writer, group);
	pthread_mutex_lock(&writer->lock);
	wake_group(group);
	pthread_mutex_unlock(&writer->lock);
	writer->sql->driver->tidy(writer->sql);
	pthread_mutex_lock(&writer->lock);
	hand_over(writer);
}

/* Lock held. */
static void enqueue(struct writer *writer, struct waiting *waiting)
{
	if (writer->last != NULL)
		writer->last->next = waiting;
	else
		writer->first = waiting;
	writer->last = waiting;
	if (!writer->has_leader)
		waiting->is_leader = writer->has_leader = true;
}

enum err_kind writer_run(struct writer *writer, store_command command, void *argument,
			 struct error *err)
{
	struct error unread = {0};
	struct waiting waiting = {
		.command = command, .argument = argument, .err = err != NULL ? err : &unread};
	pthread_cond_init(&waiting.woken, NULL);
	pthread_mutex_lock(&writer->lock);
	enqueue(writer, &waiting);
	while (!waiting.is_done && !waiting.is_leader)
		pthread_cond_wait(&waiting.woken, &writer->lock);
	if (waiting.is_leader)
		lead(writer);
	pthread_mutex_unlock(&writer->lock);
	pthread_cond_destroy(&waiting.woken);
	return waiting.kind;
}
