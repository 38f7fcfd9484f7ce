/* SPDX-License-Identifier: Apache-2.0
 * struct writer is the queue; struct waiting is one caller's command, on that caller's stack. A
 * leader runs exactly one group, its own command among it, then hands the lead to the first in the
 * queue by then. A group is cut into runs: commands of one batch together, every other alone. */
#include "writer.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#include "arena.h"
#include "clock.h"
#include "histogram.h"
#include "thread.h"

#include "sql.h"

#define TX_ARENA_MAX_BYTES ((size_t)64 << 20)
/* How often a group is run when its transaction was lost through no fault of its commands. */
#define GROUP_TRIES 3

struct waiting {
	struct str key; /* empty = none */
	writer_command command;
	writer_batch batch; /* instead of command */
	void *argument;
	struct error *err;
	enum err_kind kind;
	bool is_patient; /* no limits: writer.h */
	bool is_cut;     /* out of the queue, in a group */
	bool is_leader;
	/* Told once: to lead, or that all is done. Of its own, so that who wakes has no lock to
	 * wait for. */
	sem_t woken;
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

/* ---- a run: one command, or several of one batch ---- */

struct batch_call {
	writer_batch batch;
	void *arguments[WRITER_GROUP_MAX];
	size_t count;
};

static enum err_kind call_batch(struct store_tx *tx, void *argument, struct error *err)
{
	const struct batch_call *call = argument;
	return call->batch(tx, call->arguments, call->count, err);
}

static enum err_kind call_in_tx(struct writer *writer, writer_command command, void *argument,
				struct error *err)
{
	const enum err_kind kind =
		writer->config.run(&writer->config, writer->arena, command, argument, err);
	arena_clear(writer->arena);
	return kind;
}

/* What was only sent so far may still fail the command. */
static enum err_kind settle(struct writer *writer, struct error *err)
{
	const struct sql_driver *driver = writer->sql->driver;
	return driver->settle != NULL ? driver->settle(writer->sql, err) : ERR_NONE;
}

static enum err_kind run_unsettled(struct writer *writer, const struct waiting *run,
				   const struct waiting *end, struct error *err)
{
	if (run->batch == NULL)
		return call_in_tx(writer, run->command, run->argument, err);
	struct batch_call call = {.batch = run->batch};
	for (const struct waiting *each = run; each != end; each = each->next)
		call.arguments[call.count++] = each->argument;
	return call_in_tx(writer, call_batch, &call, err);
}

static enum err_kind run_settled(struct writer *writer, const struct waiting *run,
				 const struct waiting *end, struct error *err)
{
	const enum err_kind kind = run_unsettled(writer, run, end, err);
	return kind == ERR_NONE ? settle(writer, err) : kind;
}

static struct waiting *end_of_run(struct waiting *run)
{
	struct waiting *end = run->next;
	while (run->batch != NULL && end != NULL && end->batch == run->batch)
		end = end->next;
	return end;
}

/* Returns NONE when the transaction can go on; *kind_out is what became of the run. A database that
 * had to give up the whole transaction (disk full) no longer knows the savepoint. */
static enum err_kind run_in_savepoint(struct writer *writer, const struct waiting *run,
				      const struct waiting *end, enum err_kind *kind_out,
				      struct error *run_err, struct error *err)
{
	enum err_kind kind = sql_run(writer->sql, SQL_SAVEPOINT, SQL_NO_ARGS, NULL, err);
	if (kind != ERR_NONE)
		return kind;
	*kind_out = run_settled(writer, run, end, run_err);
	if (*kind_out != ERR_NONE)
		kind = sql_run(writer->sql, SQL_SAVEPOINT_UNDO, SQL_NO_ARGS, NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run(writer->sql, SQL_SAVEPOINT_KEEP, SQL_NO_ARGS, NULL, err);
	return kind;
}

/* A batch that failed is run again one by one: who is at fault fails alone. */
static enum err_kind run_isolated(struct writer *writer, struct waiting *run, struct waiting *end,
				  struct error *err)
{
	struct error unread = {0};
	enum err_kind kind_of_run = ERR_NONE;
	if (run->next == end)
		return run_in_savepoint(writer, run, end, &run->kind, run->err, err);
	enum err_kind kind = run_in_savepoint(writer, run, end, &kind_of_run, &unread, err);
	if (kind_of_run == ERR_NONE)
		return kind;
	for (; run != end && kind == ERR_NONE; run = run->next)
		kind = run_in_savepoint(writer, run, run->next, &run->kind, run->err, err);
	return kind;
}

/* A command that is alone needs no savepoint: its failure is the transaction's. */
static enum err_kind run_commands(struct writer *writer, struct waiting *group, struct error *err)
{
	struct waiting *end = NULL;
	if (group->next == NULL) {
		group->kind = run_settled(writer, group, NULL, group->err);
		return ERR_NONE;
	}
	for (struct waiting *run = group; run != NULL; run = end) {
		end = end_of_run(run);
		const enum err_kind kind = run_isolated(writer, run, end, err);
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
	return call_in_tx(writer, writer->config.judge, &history, err);
}

/* Is there anything new about it, in a transaction that has begun? */
static bool is_history_new(const struct writer *writer, struct sql_history *history_out)
{
	const struct sql_driver *driver = writer->sql->driver;
	if (driver->history == NULL || writer->config.judge == NULL)
		return false;
	*history_out = driver->history(writer->sql);
	return history_out->server != writer->history.server ||
	       history_out->database != writer->history.database;
}

/* Whoever judges is alone; nothing was done in the transaction that is given up for it. */
static enum err_kind begin_group(struct writer *writer, struct sql_history *history_out,
				 bool *is_new_out, struct error *err)
{
	const enum sql_name begin = writer->config.is_shared ? SQL_BEGIN_SHARED : SQL_BEGIN_WRITE;
	enum err_kind kind = sql_run(writer->sql, begin, SQL_NO_ARGS, NULL, err);
	if (kind != ERR_NONE)
		return kind;
	*is_new_out = is_history_new(writer, history_out);
	if (!*is_new_out || !writer->config.is_shared)
		return ERR_NONE;
	kind = sql_run(writer->sql, SQL_ROLLBACK, SQL_NO_ARGS, NULL, err);
	if (kind == ERR_NONE)
		kind = sql_run(writer->sql, SQL_BEGIN_WRITE, SQL_NO_ARGS, NULL, err);
	if (kind == ERR_NONE) /* it may be another connection by now */
		*is_new_out = is_history_new(writer, history_out);
	return kind;
}

static int64_t clock_of(const struct writer *writer)
{
	return writer->config.commits != NULL ? clock_boot_us(writer->config.clock) : 0;
}

static void note_commit(struct writer *writer, int64_t began_us)
{
	if (writer->config.commits != NULL)
		histogram_note(writer->config.commits, HISTOGRAM_COMMITS,
			       clock_of(writer) - began_us);
}

/* True: the transaction is over, and every command knows what became of it. False: nothing was
 * kept, for the reason why. is_one_run: the group is one batch, which stands or falls as a whole:
 * without a savepoint, and what was only sent is settled by the COMMIT. */
static bool try_group(struct writer *writer, struct waiting *group, bool is_one_run,
		      struct error *why)
{
	struct sql_history history = {0};
	bool is_new = false;
	const int64_t began_us = clock_of(writer);
	enum err_kind kind = begin_group(writer, &history, &is_new, why);
	if (kind != ERR_NONE)
		return false;
	if (is_new)
		kind = judge_server(writer, history, why);
	if (kind == ERR_NONE)
		kind = is_one_run ? run_unsettled(writer, group, NULL, why)
				  : run_commands(writer, group, why);
	if (kind == ERR_NONE && is_any_kept(group)) {
		kind = sql_run(writer->sql, SQL_COMMIT, SQL_NO_ARGS, NULL, why);
		if (kind == ERR_NONE && is_new)
			writer->history = history;
		if (kind == ERR_NONE) {
			note_commit(writer, began_us);
			return true;
		}
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

/* A batch that failed as a whole, and not for want of a connection: who is at fault shall fail
 * alone, in a transaction of the usual kind. */
static bool must_run_apart(const struct writer *writer, bool is_one_run, const struct error *why)
{
	return is_one_run && why->kind != ERR_UNCERTAIN && !is_worth_another(writer);
}

static void run_group(struct writer *writer, struct waiting *group)
{
	struct error why = {0};
	if (writer->sql->driver->set_limit != NULL)
		writer->sql->driver->set_limit(
			writer->sql, group->is_patient ? 0 : writer->config.group_limit_ms);
	bool is_one_run = group->batch != NULL && end_of_run(group) == NULL;
	bool is_over = try_group(writer, group, is_one_run, &why);
	int tries = 1;
	while (!is_over && tries < GROUP_TRIES) {
		if (must_run_apart(writer, is_one_run, &why))
			is_one_run = false;
		else if (is_worth_another(writer))
			tries++;
		else
			break;
		forget_results(group);
		why = (struct error){0};
		is_over = try_group(writer, group, is_one_run, &why);
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

/* Batches first, so that those of one stand together; then by key; those of one key stay in their
 * order. */
static bool is_before(const struct waiting *a, const struct waiting *b)
{
	if ((a->batch != NULL) != (b->batch != NULL))
		return a->batch != NULL;
	return str_compare(a->key, b->key) < 0;
}

static struct waiting *sort_group(struct waiting *group)
{
	struct waiting *sorted = NULL;
	struct waiting *last = NULL;
	while (group != NULL) {
		struct waiting *each = group;
		struct waiting **place = &sorted;
		group = group->next;
		if (last != NULL && !is_before(each, last)) /* as most are */
			place = &last->next;
		while (*place != NULL && !is_before(each, *place))
			place = &(*place)->next;
		each->next = *place;
		*place = each;
		if (each->next == NULL)
			last = each;
	}
	return sorted;
}

/* No lock held: who is told may leave at once, and take its struct with it. */
static void wake_group(struct waiting *group, const struct waiting *own)
{
	while (group != NULL) {
		struct waiting *each = group;
		group = group->next;
		if (each != own)
			sem_post(&each->woken);
	}
}

/* Lock held. Who leads next, to be told without it. */
static struct waiting *hand_over(struct writer *writer)
{
	writer->has_leader = writer->first != NULL;
	if (writer->has_leader)
		writer->first->is_leader = true;
	return writer->first;
}

static void lead(struct writer *writer, const struct waiting *own)
{
	pthread_mutex_lock(&writer->lock);
	struct waiting *group = cut_group(writer);
	pthread_mutex_unlock(&writer->lock);
	group = sort_group(group);
	run_group(writer, group);
	if (writer->config.ended != NULL)
		writer->config.ended(&writer->config);
	wake_group(group, own);
	writer->sql->driver->tidy(writer->sql);
	pthread_mutex_lock(&writer->lock);
	struct waiting *next = hand_over(writer);
	pthread_mutex_unlock(&writer->lock);
	if (next != NULL)
		sem_post(&next->woken);
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

/* The limit is over. True: the command has left, and nothing of it was written. False: it is in a
 * group, or to lead one. */
static bool give_up(struct writer *writer, struct waiting *waiting)
{
	pthread_mutex_lock(&writer->lock);
	const bool may_leave = !waiting->is_cut && !waiting->is_leader;
	if (may_leave)
		leave_queue(writer, waiting);
	pthread_mutex_unlock(&writer->lock);
	return may_leave;
}

/* Until the semaphore is posted; false after the deadline (NULL = none). */
static bool wait_until(sem_t *semaphore, const struct timespec *deadline)
{
	for (;;) {
		const int code = deadline != NULL
					 ? sem_clockwait(semaphore, CLOCK_MONOTONIC, deadline)
					 : sem_wait(semaphore);
		if (code == 0)
			return true;
		if (errno == ETIMEDOUT)
			return false;
	}
}

/* In a group a command waits for the group's end, which has a limit of its own. False: it has left
 * the queue. */
static bool wait_for_turn(struct writer *writer, struct waiting *waiting)
{
	const bool has_limit = writer->config.queue_limit_ms > 0 && !waiting->is_patient;
	const struct timespec until = thread_deadline(writer->config.queue_limit_ms * 1000);
	if (wait_until(&waiting->woken, has_limit ? &until : NULL))
		return true;
	if (!give_up(writer, waiting))
		return wait_until(&waiting->woken, NULL);
	waiting->kind = error_set(waiting->err, ERR_TEMPORARY,
				  "nothing was written: the database does not answer");
	return false;
}

static enum err_kind run(struct writer *writer, struct waiting *waiting)
{
	struct error unread = {0};
	if (waiting->err == NULL)
		waiting->err = &unread;
	sem_init(&waiting->woken, 0, 0);
	pthread_mutex_lock(&writer->lock);
	enqueue(writer, waiting);
	const bool leads_at_once = waiting->is_leader;
	pthread_mutex_unlock(&writer->lock);
	if (leads_at_once || (wait_for_turn(writer, waiting) && waiting->is_leader))
		lead(writer, waiting);
	sem_destroy(&waiting->woken);
	return waiting->kind;
}

enum err_kind writer_run(struct writer *writer, writer_command command, void *argument,
			 struct error *err)
{
	struct waiting waiting = {.command = command, .argument = argument, .err = err};
	return run(writer, &waiting);
}

enum err_kind writer_run_batched(struct writer *writer, struct str key, writer_batch batch,
				 void *argument, struct error *err)
{
	struct waiting waiting = {.key = key, .batch = batch, .argument = argument, .err = err};
	return run(writer, &waiting);
}

enum err_kind writer_run_keyed(struct writer *writer, struct str key, writer_command command,
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
