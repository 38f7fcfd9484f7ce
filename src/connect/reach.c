/* SPDX-License-Identifier: Apache-2.0
 * See reach.h. The waiting thread and the tasks share a ticket: the last of them to drop it frees
 * it. */
#include "reach.h"

#include <stdlib.h>
#include <string.h>

#include "connect_private.h"

#include "utf8.h"

struct ticket {
	unsigned holders; /* under the connector's mutex, as all of it */
	unsigned asked;   /* not answered yet */
	bool is_answered[PLATFORM_ID_MAX + 1];
	char why[PLATFORM_ID_MAX + 1][256];
};

struct reach_task {
	struct connect_task base; /* first */
	struct ticket *ticket;
	int64_t timeout_ms;
};

static void ticket_drop(struct connector *connector, struct ticket *ticket)
{
	pthread_mutex_lock(&connector->mutex);
	const bool is_last = --ticket->holders == 0;
	pthread_mutex_unlock(&connector->mutex);
	if (is_last)
		free(ticket);
}

/* The host's own front page: where the consent page is, which every platform has. */
static struct str front_page(struct arena *arena, const struct platform *platform)
{
	struct str rest = str_of(platform->oauth->authorize_url);
	struct str host;
	str_skip(&rest, STR("https://"));
	str_take_field(&rest, '/', &host);
	return str_format(arena, "https://" STR_FMT "/", STR_ARG(host));
}

static void take_reply(struct reach_task *r, const struct reply *reply)
{
	struct connector *connector = r->base.connector;
	struct ticket *ticket = r->ticket;
	const enum platform_id id = r->base.platform->id;
	const struct str why = utf8_cut_bytes(reply->transport_error, sizeof(ticket->why[id]) - 1);
	pthread_mutex_lock(&connector->mutex);
	ticket->is_answered[id] = reply->outcome == REPLY_ANSWERED;
	if (!str_is_empty(why))
		memcpy(ticket->why[id], why.ptr, why.len);
	ticket->asked--;
	pthread_mutex_unlock(&connector->mutex);
}

static void reach_plan(struct task *task, struct arena *arena, const struct task_event *event,
		       struct task_plan *plan)
{
	struct reach_task *r = (struct reach_task *)task;
	if (event->kind == TASK_EVENT_REPLY) {
		take_reply(r, event->reply);
		r->base.is_finished = true;
		plan->action = TASK_END;
		return;
	}
	plan->action = TASK_SEND;
	plan->call = (struct call){.kind = CALL_READ,
				   .method = "GET",
				   .url = front_page(arena, r->base.platform),
				   .timeout_ms = r->timeout_ms};
}

static void reach_saved(struct task *task, enum err_kind kind)
{
	(void)kind; /* nothing was stored */
	struct reach_task *r = (struct reach_task *)task;
	if (r->base.is_finished)
		connector_announce(r->base.connector);
}

static void reach_free(struct task *task)
{
	struct reach_task *r = (struct reach_task *)task;
	struct arena *arena = r->base.arena;
	ticket_drop(r->base.connector, r->ticket);
	free(r);
	arena_free(&arena);
}

static const struct task_ops reach_ops = {
	.plan = reach_plan, .saved = reach_saved, .free = reach_free};

static void ask(struct connector *connector, enum platform_id id, int64_t wait_ms,
		struct ticket *ticket)
{
	struct reach_task *r = calloc(1, sizeof(*r));
	if (r == NULL)
		/* as in arena_alloc: no memory for a small object ends the program */
		abort();
	r->base.task.ops = &reach_ops;
	r->base.task.reach = TRANSFER_REAL;
	r->base.connector = connector;
	r->base.arena = arena_new("reach", CONNECT_ARENA_MAX_BYTES);
	r->base.platform = platform_of(id);
	r->ticket = ticket;
	r->timeout_ms = wait_ms;
	pthread_mutex_lock(&connector->mutex);
	ticket->holders++;
	ticket->asked++;
	pthread_mutex_unlock(&connector->mutex);
	connector_enqueue(connector, &r->base);
}

static void read_ticket(const struct ticket *ticket, struct arena *arena, struct reach *reach)
{
	for (size_t id = 1; id <= PLATFORM_ID_MAX; id++) {
		const struct str why = str_of(ticket->why[id]);
		reach->is_answered[id] = ticket->is_answered[id];
		reach->why[id] = str_is_empty(why) ? STR("It did not answer in time.")
						   : str_copy(arena, why);
	}
}

void connector_reach(struct connector *connector, struct arena *arena, int64_t wait_ms,
		     struct reach *reach)
{
	if (connector->config.closed_why != NULL)
		memset(reach->is_wanted, 0, sizeof(reach->is_wanted));
	struct ticket *ticket = calloc(1, sizeof(*ticket));
	if (ticket == NULL)
		abort();
	ticket->holders = 1;
	for (size_t id = 1; id <= PLATFORM_ID_MAX; id++) {
		if (reach->is_wanted[id])
			ask(connector, (enum platform_id)id, wait_ms, ticket);
	}
	/* a little longer, so that the call's own words are there */
	const int64_t deadline_us =
		clock_boot_us(connector->config.clock) + (wait_ms + 500) * US_PER_MS;
	pthread_mutex_lock(&connector->mutex);
	while (ticket->asked > 0 && connector_wait(connector, deadline_us))
		;
	read_ticket(ticket, arena, reach);
	pthread_mutex_unlock(&connector->mutex);
	ticket_drop(connector, ticket);
}
