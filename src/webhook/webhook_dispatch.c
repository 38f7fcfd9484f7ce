/* SPDX-License-Identifier: Apache-2.0
 * Events become webhook deliveries: each body is made once and kept, so that every try and every
 * webhook gets the same bytes. */
#include "webhook_private.h"

#include <stdlib.h>

#include "webhook_sign.h"

/* WEBHOOK_CLAIM_MAX posts of the largest kind */
#define DISPATCH_ARENA_MAX_BYTES ((size_t)512 << 20)

struct webhook_dispatch {
	struct task task; /* first: the engine's handle */
	struct webhooker *webhooker;
	struct arena *arena;
	struct event_row *events;
	struct str *bodies;
	struct str *app_ids; /* of the events */
	size_t count;
};

static struct str make_body(struct webhook_dispatch *d, const struct event_row *event)
{
	const struct event_data_port *port = &d->webhooker->config.port;
	struct str data = STR("");
	struct error err = {0};
	if (port->data(port->context, d->arena, event, &data, &err) != ERR_NONE)
		LOG(d->webhooker->config.log, WARN, "event_without_data",
		    log_str("event", event->id), log_str("error", str_of(err.text)));
	return webhook_envelope(d->arena, event, data);
}

static void dispatch_plan(struct task *task, struct arena *arena, const struct task_event *event,
			  struct task_plan *plan)
{
	struct webhook_dispatch *d = (struct webhook_dispatch *)task;
	(void)arena, (void)event;
	for (size_t i = 0; i < d->count; i++)
		d->bodies[i] = make_body(d, &d->events[i]);
	plan->action = TASK_END;
}

static enum err_kind dispatch_save(struct task *task, void *tx, struct error *err)
{
	struct webhook_dispatch *d = (struct webhook_dispatch *)task;
	const int64_t now_us = clock_now_us(d->webhooker->config.clock);
	for (size_t i = 0; i < d->count; i++) {
		const enum err_kind kind =
			store_event_dispatch(tx, &d->events[i], d->bodies[i], now_us, err);
		if (kind != ERR_NONE &&
		    kind != ERR_CONFLICT) /* somebody else handed it over: good */
			return kind;
	}
	return ERR_NONE;
}

static void dispatch_free(struct task *task)
{
	struct webhook_dispatch *d = (struct webhook_dispatch *)task;
	arena_free(&d->arena);
	free(d);
}

static const struct task_ops dispatch_ops = {
	.plan = dispatch_plan, .save = dispatch_save, .free = dispatch_free};

static struct event_row copy_event(struct arena *arena, const struct event_row *event)
{
	struct event_row copy = *event;
	copy.id = str_copy(arena, event->id);
	copy.app_id = str_copy(arena, event->app_id);
	copy.subject_id = str_copy(arena, event->subject_id);
	copy.post_id = str_copy(arena, event->post_id);
	copy.body = str_copy(arena, event->body);
	return copy;
}

struct task *webhook_dispatch_new(struct webhooker *webhooker, const struct event_row *events,
				  size_t count)
{
	struct webhook_dispatch *d = calloc(1, sizeof(*d));
	if (d == NULL)
		/* the same rule as arena_alloc: no memory for a small object ends the program */
		abort();
	d->task.ops = &dispatch_ops;
	d->webhooker = webhooker;
	d->arena = arena_new("webhook dispatch", DISPATCH_ARENA_MAX_BYTES);
	d->events = ARENA_ARRAY(d->arena, struct event_row, count);
	d->bodies = ARENA_ARRAY(d->arena, struct str, count);
	d->app_ids = ARENA_ARRAY(d->arena, struct str, count);
	d->count = count;
	for (size_t i = 0; i < count; i++) {
		d->events[i] = copy_event(d->arena, &events[i]);
		d->app_ids[i] = d->events[i].app_id;
	}
	d->task.scopes = d->app_ids;
	d->task.scope_count = count;
	return &d->task;
}
