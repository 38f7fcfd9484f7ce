/* SPDX-License-Identifier: Apache-2.0
 * See verify.h. A ticket is shared by the waiting thread and the task: whichever lets go last frees it. */
#include "verify.h"

#include <stdlib.h>
#include <string.h>

#include "utf8.h"

struct ticket {
	unsigned holders; /* under the connector's mutex */
	bool is_done;
	enum credential_state state;
	char message[512];
};

struct verify_task {
	struct connect_task base; /* first */
	struct ticket *ticket;
};

static void ticket_drop(struct connector *connector, struct ticket *ticket)
{
	pthread_mutex_lock(&connector->mutex);
	bool is_last = --ticket->holders == 0;
	pthread_mutex_unlock(&connector->mutex);
	if (is_last)
		free(ticket);
}

static void ticket_write(struct verify_task *v, enum credential_state state, struct str message)
{
	struct connector *connector = v->base.connector;
	pthread_mutex_lock(&connector->mutex);
	message = utf8_cut_bytes(message, sizeof(v->ticket->message) - 1);
	if (message.len > 0)
		memcpy(v->ticket->message, message.ptr, message.len);
	v->ticket->message[message.len] = '\0';
	v->ticket->state = state;
	v->ticket->is_done = true;
	pthread_mutex_unlock(&connector->mutex);
}

/* Only the platform's own refusal of id or secret makes a credential bad; a platform that cannot be asked says nothing. */
static void take_outcome(struct verify_task *v, const struct step *step)
{
	if (step->kind == STEP_DONE) {
		ticket_write(v, CREDENTIAL_VERIFIED, STR(""));
		return;
	}
	const struct failure *failure = &step->failure;
	bool is_refused = failure->code == FAILURE_CODE_APP_CREDENTIALS_INVALID;
	ticket_write(v, is_refused ? CREDENTIAL_FAILED : CREDENTIAL_PENDING, drive_told(&v->base, failure));
}

static void verify_plan(struct task *task, struct arena *arena, const struct task_event *event, struct task_plan *plan)
{
	struct verify_task *v = (struct verify_task *)task;
	drive_event(&v->base, arena, event, plan);
	if (v->base.is_finished)
		take_outcome(v, v->base.step);
}

static void verify_saved(struct task *task, enum err_kind kind)
{
	(void)kind; /* nothing durable: the ticket was written already */
	struct verify_task *v = (struct verify_task *)task;
	if (v->base.is_finished)
		connector_announce(v->base.connector);
}

static void verify_free(struct task *task)
{
	struct verify_task *v = (struct verify_task *)task;
	struct arena *arena = v->base.arena;
	ticket_drop(v->base.connector, v->ticket);
	free(v);
	arena_free(&arena);
}

static const struct task_ops verify_ops = {verify_plan, NULL, verify_saved, verify_free};

static struct verify_task *verify_new(struct connector *connector, const struct credential_row *credential, struct ticket *ticket)
{
	struct verify_task *v = calloc(1, sizeof(*v));
	if (v == NULL)
		abort(); /* the same rule as arena_alloc: no memory for a small object ends the program */
	struct connect_task *t = &v->base;
	t->task.ops = &verify_ops;
	t->connector = connector;
	t->arena = arena_new("verify", CONNECT_ARENA_MAX_BYTES);
	t->platform = platform_of(credential->platform);
	t->function = t->platform->verify;
	flow_init(&t->flow, t->arena, 0);
	t->env.settings = connector->config.settings;
	t->env.client_id = str_copy(t->arena, credential->client_id);
	t->env.client_secret = connector_client_secret(connector, t->arena, credential);
	t->env.redirect_uri = connector_callback_url(connector, t->arena, credential->platform);
	v->ticket = ticket;
	return v;
}

void verify_run(struct connector *connector, struct arena *arena, const struct credential_row *credential, int64_t wait_ms,
		struct verify_outcome *outcome_out)
{
	struct ticket *ticket = calloc(1, sizeof(*ticket));
	if (ticket == NULL)
		abort();
	ticket->holders = 2;
	connector_enqueue(connector, &verify_new(connector, credential, ticket)->base);

	int64_t deadline_us = clock_boot_us(connector->config.clock) + wait_ms * US_PER_MS;
	pthread_mutex_lock(&connector->mutex);
	while (!ticket->is_done && connector_wait(connector, deadline_us))
		;
	*outcome_out = (struct verify_outcome){CREDENTIAL_PENDING, STR("The platform did not answer in time.")};
	if (ticket->is_done)
		*outcome_out = (struct verify_outcome){ticket->state, str_copy(arena, str_of(ticket->message))};
	pthread_mutex_unlock(&connector->mutex);
	ticket_drop(connector, ticket);
}
