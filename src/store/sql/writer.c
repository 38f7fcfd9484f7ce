/* SPDX-License-Identifier: Apache-2.0
 * struct writer is the queue; struct waiting is one caller's command, on that caller's stack. A
 * leader runs exactly one group, in which its own command is the first, then hands the lead to the
 * first in the queue by then. */
#include "writer.h"

#include <pthread.h>
#include <stdlib.h>

#include "arena.h"
#include "thread.h"

#include "sql.h"

#define TX_ARENA_MAX_BYTES ((size_t)64 << 20)
/* How often a group is run when its transaction was lost through no fault of its commands. */
#define GROUP_TRIES 3

struct waiting {
	struct str key; /* empty = none */
	writer_command command;
	void *argument;
	struct error *err;
	enum err_kind kind;
	bool is_patient; /* no limits: writer.h */
	bool is_cut;     /* out of the queue, in a group */
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
	struct writer_config config;
	struct sql_connection *sql;
	struct arena *arena;        /* of one command */
	struct sql_history history; /* that was judged last */
};

struct writer *writer_new(const struct writer_config *config)
{
	struct writer *writer = calloc(1, sizeof(*writer));
	if (writer == NULL)
		return NULL;
	pthread_mutex_init(&writer->lock, NULL);
	writer->config = *config;
	writer->sql = config->sql;
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
	enum err_kind kind = writer->config.run(&writer->config, writer->arena, waiting->command,
						waiting->argument, waiting->err);
	if (kind == ERR_NONE && writer->sql->driver->settle != NULL)
		kind = writer->sql->driver->settle(writer->sql, waiting->err);
	arena_clear(writer->arena);
	return kind;
}

/* Returns NONE when the transaction can go on, even if the command failed. A database that had to
 * give up the whole transaction (disk full) no longer knows the savepoint. */
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

/* Nothing of the group was kept, or nobody knows. A command that failed by itself keeps its own
 * reason. */
static void fail_group(struct waiting *group, const struct error *why)
{
	const bool is_uncertain = why->kind == ERR_UNCERTAIN;
	for (; group != NULL; group = group->next) {
		if (group->kind == ERR_NONE)
			group->kind = error_set_native(
				group->err, is_uncertain ? ERR_UNCERTAIN : ERR_TEMPORARY,
				why->native, "%s: %.200s",
				is_uncertain ? "it is unknown whether this was written"
					     : "nothing was written",
				why->text);
	}
}

/* Before anything else is decided there. */
static enum err_kind judge_server(struct writer *writer, struct sql_history history,
				  struct error *err)
{
	const enum err_kind kind = writer->config.run(&writer->config, writer->arena,
						      writer->config.judge, &history, err);
	arena_clear(writer->arena);
	return kind;
}

/* Is there anything new about it, in a transaction that has begun? */
static bool is_history_new(const struct writer *writer, struct sql_history *history_out)
{
	const struct sql_driver *driver = writer->sql->driver;
	if (driver->history == NULL || writer->config.is_shared)
		return false;
	*history_out = driver->history(writer->sql);
	return history_out->server != writer->history.server ||
	       history_out->database != writer->history.database;
}

/* True: the transaction is over, and every command knows what became of it. False: nothing was
 * kept, for the reason why. */
static bool try_group(struct writer *writer, struct waiting *group, struct error *why)
{
	const enum sql_name begin = writer->config.is_shared ? SQL_BEGIN_SHARED : SQL_BEGIN_WRITE;
	enum err_kind kind = sql_run(writer->sql, begin, SQL_NO_ARGS, NULL, why);
	if (kind != ERR_NONE)
		return false;
	struct sql_history history = {0};
	const bool is_new = is_history_new(writer, &history);
	if (is_new)
		kind = judge_server(writer, history, why);
	if (kind == ERR_NONE)
		kind = run_commands(writer, group, why);
	if (kind == ERR_NONE && is_any_kept(group)) {
		kind = sql_run(writer->sql, SQL_COMMIT, SQL_NO_ARGS, NULL, why);
		if (kind == ERR_NONE && is_new)
			writer->history = history;
		if (kind == ERR_NONE)
			return true;
	}
	struct error ignored = {0}; /* fails when the database rolled back by itself */
	sql_run(writer->sql, SQL_ROLLBACK, SQL_NO_ARGS, NULL, &ignored);
	return false;
}

/* A connection that died while it was idle, or a deadlock, is nothing that callers should hear of:
 * nothing is there of the first run, and commands may run again (store.h). */
static bool is_worth_another(const struct writer *writer)
{
	const struct sql_driver *driver = writer->sql->driver;
	return driver->may_run_again != NULL && driver->may_run_again(writer->sql);
}

static void forget_results(struct waiting *group)
{
	for (; group != NULL; group = group->next)
		group->kind = ERR_NONE;
}

static void run_group(struct writer *writer, struct waiting *group)
{
	struct error why = {0};
	if (writer->sql->driver->set_limit != NULL)
		writer->sql->driver->set_limit(
			writer->sql, group->is_patient ? 0 : writer->config.group_limit_ms);
	bool is_over = try_group(writer, group, &why);
	for (int i = 1; i < GROUP_TRIES && !is_over && is_worth_another(writer); i++) {
		forget_results(group);
		why = (struct error){0};
		is_over = try_group(writer, group, &why);
	}
	if (!is_over)
		fail_group(group, &why);
}

/* Cuts the first of the queue off, own command first; those without limits are not mixed with the
 * others. Lock held. */
static struct waiting *cut_group(struct writer *writer)
{
	struct waiting *group = writer->first;
	struct waiting *last = group;
	group->is_cut = true;
	for (unsigned count = 1; count < WRITER_GROUP_MAX && last->next != NULL &&
				 last->next->is_patient == group->is_patient;
	     count++) {
		last = last->next;
		last->is_cut = true;
	}
	writer->first = last->next;
	if (writer->first == NULL)
		writer->last = NULL;
	last->next = NULL;
	return group;
}

/* By key; those of one key stay in their order. */
static struct waiting *sort_group(struct waiting *group)
{
	struct waiting *sorted = NULL;
	while (group != NULL) {
		struct waiting *each = group;
		struct waiting **place = &sorted;
		group = group->next;
		while (*place != NULL && str_compare((*place)->key, each->key) <= 0)
			place = &(*place)->next;
		each->next = *place;
		*place = each;
	}
	return sorted;
}

static struct waiting *take_group(struct writer *writer)
{
	struct waiting *group = cut_group(writer);
	return writer->config.is_shared ? sort_group(group) : group;
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

enum err_kind writer_run(struct writer *writer, writer_command command, void *argument,
			 struct error *err)
{
	return writer_run_for(writer, STR(""), command, argument, err);
}

/* Lock held. */
static void leave_queue(struct writer *writer, struct waiting *waiting)
{
	struct waiting *before = NULL;
	for (struct waiting *each = writer->first; each != waiting; each = each->next)
		before = each;
	if (before != NULL)
		before->next = waiting->next;
	else
		writer->first = waiting->next;
	if (writer->last == waiting)
		writer->last = before;
}

/* Lock held. In a group a command waits for the group's end, which has a limit of its own. */
static void wait_for_turn(struct writer *writer, struct waiting *waiting)
{
	const bool has_limit = writer->config.queue_limit_ms > 0 && !waiting->is_patient;
	const struct timespec until = thread_deadline(writer->config.queue_limit_ms * 1000);
	while (!waiting->is_done && !waiting->is_leader) {
		if (!has_limit || waiting->is_cut) {
			pthread_cond_wait(&waiting->woken, &writer->lock);
		} else if (!thread_wait_until(&waiting->woken, &writer->lock, &until) &&
			   !waiting->is_cut && !waiting->is_leader) {
			leave_queue(writer, waiting);
			waiting->kind = error_set(waiting->err, ERR_TEMPORARY,
						  "nothing was written: the database does not "
						  "answer");
			return;
		}
	}
}

static void make_condition(pthread_cond_t *condition)
{
	pthread_condattr_t by;
	pthread_condattr_init(&by);
	pthread_condattr_setclock(&by, CLOCK_MONOTONIC);
	pthread_cond_init(condition, &by);
	pthread_condattr_destroy(&by);
}

static enum err_kind run(struct writer *writer, struct waiting *waiting)
{
	struct error unread = {0};
	if (waiting->err == NULL)
		waiting->err = &unread;
	make_condition(&waiting->woken);
	pthread_mutex_lock(&writer->lock);
	enqueue(writer, waiting);
	wait_for_turn(writer, waiting);
	if (waiting->is_leader)
		lead(writer);
	pthread_mutex_unlock(&writer->lock);
	pthread_cond_destroy(&waiting->woken);
	return waiting->kind;
}

enum err_kind writer_run_for(struct writer *writer, struct str key, writer_command command,
			     void *argument, struct error *err)
{
	struct waiting waiting = {.key = key, .command = command, .argument = argument, .err = err};
	return run(writer, &waiting);
}

enum err_kind writer_run_patiently(struct writer *writer, writer_command command, void *argument,
				   struct error *err)
{
	struct waiting waiting = {.command = command,
				  .argument = argument,
				  .err = err,
				  .is_patient = writer->config.queue_limit_ms > 0};
	return run(writer, &waiting);
}
