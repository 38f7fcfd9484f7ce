/* SPDX-License-Identifier: Apache-2.0
 * See ask.h. The waiting thread and the task share a ticket: the last of them to drop it frees
 * it. */
#include "ask.h"

#include <string.h>

#include "utf8.h"

#include "request_limits.h"

#include "answer.h"

#define TICKET_ARENA_MAX_BYTES (8192 + HTTP_URL_MAX_BYTES)

struct ticket {
	struct arena *arena; /* it lies in it */
	unsigned holders;    /* under the connector's mutex */
	bool is_done;
	bool is_good;
	enum failure_class class;
	enum failure_code code;
	char message[512];
	char avatar_url[HTTP_URL_MAX_BYTES + 1];
};

struct ask_task {
	struct connect_task base; /* first */
	struct ticket *ticket;
};

static void ticket_drop(struct connector *connector, struct ticket *ticket)
{
	struct arena *arena = ticket->arena;
	pthread_mutex_lock(&connector->mutex);
	const bool is_last = --ticket->holders == 0;
	pthread_mutex_unlock(&connector->mutex);
	if (is_last)
		arena_free(&arena);
}

static void ticket_write(struct ask_task *a, const struct step *step)
{
	struct connector *connector = a->base.connector;
	struct ticket *ticket = a->ticket;
	const bool is_good = step->kind == STEP_DONE;
	struct str message = is_good ? STR("") : drive_failure_text(&a->base, &step->failure);
	message = utf8_cut_bytes(message, sizeof(ticket->message) - 1);
	const struct str avatar_url =
		is_good ? answer_url(&a->base.env, step->avatar_url) : STR("");
	pthread_mutex_lock(&connector->mutex);
	if (!str_is_empty(message))
		memcpy(ticket->message, message.ptr, message.len);
	ticket->message[message.len] = '\0';
	if (!str_is_empty(avatar_url))
		memcpy(ticket->avatar_url, avatar_url.ptr, avatar_url.len);
	ticket->avatar_url[avatar_url.len] = '\0';
	ticket->is_good = is_good;
	ticket->class = step->failure.class;
	ticket->code = step->failure.code;
	ticket->is_done = true;
	pthread_mutex_unlock(&connector->mutex);
}

static void ask_plan(struct task *task, struct arena *arena, const struct task_event *event,
		     struct task_plan *plan)
{
	struct ask_task *a = (struct ask_task *)task;
	drive_event(&a->base, arena, event, plan);
	if (a->base.is_finished)
		ticket_write(a, a->base.step);
}

static void ask_saved(struct task *task, enum err_kind kind)
{
	(void)kind; /* nothing was stored; ask_plan() has written the ticket */
	struct ask_task *a = (struct ask_task *)task;
	if (a->base.is_finished)
		connector_announce(a->base.connector);
}

static void ask_free(struct task *task)
{
	struct ask_task *a = (struct ask_task *)task;
	struct arena *arena = a->base.arena;
	ticket_drop(a->base.connector, a->ticket);
	arena_free(&arena); /* a lies in it */
}

static const struct task_ops ask_ops = {.plan = ask_plan, .saved = ask_saved, .free = ask_free};

struct connect_task *ask_new(struct connector *connector, enum platform_id platform,
			     enum operation operation)
{
	struct arena *arena = arena_new("ask", CONNECT_ARENA_MAX_BYTES);
	struct arena *ticket_arena = arena_new("ask ticket", TICKET_ARENA_MAX_BYTES);
	struct ask_task *a = ARENA_NEW(arena, struct ask_task);
	struct ticket *ticket = ARENA_NEW(ticket_arena, struct ticket);
	struct connect_task *t = &a->base;
	t->task.ops = &ask_ops;
	t->connector = connector;
	t->arena = arena;
	t->platform = platform_of(platform);
	t->operation = operation;
	t->time_scale = connector->config.time_scale;
	flow_init(&t->flow, t->arena, 0);
	t->env.settings = connector->config.settings;
	ticket->arena = ticket_arena;
	ticket->holders = 2;
	a->ticket = ticket;
	return t;
}

void ask_drop(struct connect_task *task)
{
	ticket_drop(task->connector, ((struct ask_task *)task)->ticket);
	ask_free(&task->task);
}

void ask_run(struct connect_task *task, struct arena *arena, int64_t wait_ms,
	     struct ask_outcome *outcome_out)
{
	struct connector *connector = task->connector;
	struct ticket *ticket = ((struct ask_task *)task)->ticket;
	const char *closed_why = connector->config.closed_why;
	if (closed_why != NULL) {
		*outcome_out = (struct ask_outcome){.message = str_of(closed_why)};
		ask_drop(task);
		return;
	}
	connector_enqueue(connector, task);

	const int64_t deadline_us = clock_boot_us(connector->config.clock) + wait_ms * US_PER_MS;
	pthread_mutex_lock(&connector->mutex);
	while (!ticket->is_done && connector_wait(connector, deadline_us))
		;
	*outcome_out = (struct ask_outcome){.message = STR("The platform did not answer in time.")};
	if (ticket->is_done)
		*outcome_out = (struct ask_outcome){
			.is_answered = true,
			.is_good = ticket->is_good,
			.class = ticket->class,
			.code = ticket->code,
			.message = str_copy(arena, str_of(ticket->message)),
			.avatar_url = str_copy(arena, str_of(ticket->avatar_url))};
	pthread_mutex_unlock(&connector->mutex);
	ticket_drop(connector, ticket);
}
