/* SPDX-License-Identifier: Apache-2.0
 * Who asks for looks: threads through a queue in memory, and rows of the store through the engine's
 * claims. One app has a few at work, so that its slow files hold up no other's. */
#include "looker_private.h"

#include <stdlib.h>

#include "thread.h"

#define CLAIM_ARENA_BYTES ((size_t)64 << 20)
#define TICKET_ARENA_BYTES ((size_t)4 << 20)
/* longer than a look may take (looker.c) */
#define LEASE_US (12 * US_PER_MINUTE)
/* what found no room is asked for again */
#define ROOM_POLL_US (250 * US_PER_MS)
/* a fetch ends a moment after its time */
#define GRACE_US (2 * US_PER_S)
#define WAITS_OF_APP_MAX 4
#define WAITS_MAX 16

int64_t looker_time_us(struct arena *arena, const struct post_content *content,
		       int64_t scheduled_at_us, int64_t now_us)
{
	struct look look;
	if (scheduled_at_us == 0 || scheduled_at_us - now_us < LOOK_AHEAD_US)
		return 0;
	look_begin(&look, arena, content);
	return look.file_count > 0 ? now_us : 0;
}

/* ---- a thread that waits ---- */

static enum err_kind wait_begin(struct looker *looker, struct look_wait *wait, struct error *err)
{
	size_t own = 0, all = 0;
	pthread_mutex_lock(&looker->mutex);
	for (const struct look_wait *other = looker->waits; other != NULL; other = other->next) {
		own += str_equal(other->app_id, wait->app_id);
		all++;
	}
	const bool has_room = own < WAITS_OF_APP_MAX && all < WAITS_MAX;
	if (has_room) {
		wait->next = looker->waits;
		looker->waits = wait;
	}
	pthread_mutex_unlock(&looker->mutex);
	return has_room ? ERR_NONE
			: error_set(err, ERR_LIMITED,
				    "Files of %zu other requests are being looked at. Try again "
				    "when some of them have been answered.",
				    all);
}

/* Under the mutex. */
static void wait_end(struct looker *looker, const struct look_wait *wait)
{
	struct look_wait **place = &looker->waits;
	while (*place != wait)
		place = &(*place)->next;
	*place = wait->next;
}

void looker_ticket_drop(struct looker *looker, struct look_ticket *ticket)
{
	struct arena *arena = ticket->arena;
	pthread_mutex_lock(&looker->mutex);
	const bool is_last = --ticket->holders == 0;
	pthread_mutex_unlock(&looker->mutex);
	if (is_last)
		arena_free(&arena); /* the ticket lies in it */
}

void looker_ticket_done(struct looker *looker, struct look_ticket *ticket)
{
	pthread_mutex_lock(&looker->mutex);
	ticket->is_done = true;
	pthread_cond_broadcast(&looker->changed);
	pthread_mutex_unlock(&looker->mutex);
}

/* The addresses alone: the task knows no post. */
static struct look_ticket *ticket_new(const struct look *look)
{
	struct arena *arena = arena_new("look ticket", TICKET_ARENA_BYTES);
	struct look_ticket *ticket = ARENA_NEW(arena, struct look_ticket);
	ticket->arena = arena;
	ticket->holders = 2;
	ticket->look.file_count = look->file_count;
	ticket->look.files = ARENA_ARRAY(arena, struct look_file, look->file_count);
	for (size_t i = 0; i < look->file_count; i++)
		ticket->look.files[i] =
			(struct look_file){.url = str_copy(arena, look->files[i].url)};
	return ticket;
}

static void enqueue(struct looker *looker, struct look_task *t)
{
	pthread_mutex_lock(&looker->mutex);
	t->next = looker->queue;
	looker->queue = t;
	pthread_mutex_unlock(&looker->mutex);
	engine_wake(looker->config.engine);
}

static void take_over(struct look *look, struct arena *arena, const struct look_ticket *ticket)
{
	for (size_t i = 0; i < look->file_count; i++) {
		const struct look_file *from = &ticket->look.files[i];
		struct look_file *file = &look->files[i];
		file->state = from->state;
		file->may_pass = from->may_pass;
		file->seen = from->seen;
		if (!str_is_empty(from->seen.why))
			file->seen.why = str_copy(arena, from->seen.why);
	}
}

enum err_kind looker_ask(struct looker *looker, struct arena *arena,
			 const struct looker_question *question, struct look *look_out,
			 struct error *err)
{
	struct look_wait wait = {.app_id = question->app_id};
	const struct timespec deadline = thread_deadline(question->wait_ms * US_PER_MS + GRACE_US);
	bool has_time = true;
	look_begin(look_out, arena, question->content);
	const enum err_kind kind = wait_begin(looker, &wait, err);
	if (kind != ERR_NONE)
		return kind;
	struct look_ticket *ticket = ticket_new(look_out);
	enqueue(looker, looker_task_of_ticket(looker, ticket, question));
	pthread_mutex_lock(&looker->mutex);
	while (!ticket->is_done && has_time)
		has_time = thread_wait_until(&looker->changed, &looker->mutex, &deadline);
	if (ticket->is_done)
		take_over(look_out, arena, ticket);
	wait_end(looker, &wait);
	pthread_mutex_unlock(&looker->mutex);
	looker_ticket_drop(looker, ticket);
	look_show(look_out);
	return ERR_NONE;
}

/* ---- the source ---- */

static size_t room_of_app(void *context, struct str app_id)
{
	const struct looker *looker = context;
	size_t own = 0;
	for (const struct look_task *t = looker->tasks; t != NULL; t = t->next)
		own += t->ticket == NULL && str_equal(t->app_id, app_id);
	return own < LOOKS_OF_APP_MAX ? LOOKS_OF_APP_MAX - own : 0;
}

static bool may_claim(const struct looker *looker)
{
	const struct looker_config *config = &looker->config;
	const bool is_due = looker->due_us != 0 && looker->due_us <= clock_now_us(config->clock);
	return !config->is_idle && (looker->is_asked || is_due) &&
	       looker->at_work < LOOKS_AT_WORK_MAX &&
	       (config->has_disk_room == NULL || config->has_disk_room(config->disk_context));
}

static enum err_kind source_claim(void *context, void *tx, size_t max, struct error *err)
{
	struct looker *looker = context;
	arena_clear(looker->claim_arena);
	looker->claimed_count = 0;
	if (!may_claim(looker))
		return ERR_NONE;
	const size_t room = LOOKS_AT_WORK_MAX - looker->at_work;
	const struct look_claim claim = {.now_us = clock_now_us(looker->config.clock),
					 .lease_us = LEASE_US,
					 .max = max < room ? max : room,
					 .of_app_max = LOOKS_OF_APP_MAX,
					 .slots = room_of_app,
					 .context = looker};
	return store_look_claim(tx, looker->claim_arena, &claim, &looker->claimed,
				&looker->claimed_count, err);
}

static void start(struct looker *looker, struct look_task *t)
{
	t->next = looker->tasks;
	looker->tasks = t;
	looker->at_work += t->ticket == NULL;
	engine_task_start(looker->config.engine, &t->task);
}

static size_t source_claimed(void *context)
{
	struct looker *looker = context;
	size_t count = looker->claimed_count;
	for (size_t i = 0; i < looker->claimed_count; i++)
		start(looker, looker_task_of_work(looker, &looker->claimed[i]));
	looker->claimed_count = 0;
	arena_clear(looker->claim_arena);
	pthread_mutex_lock(&looker->mutex);
	struct look_task *t = looker->queue;
	looker->queue = NULL;
	pthread_mutex_unlock(&looker->mutex);
	while (t != NULL) {
		struct look_task *next = t->next;
		start(looker, t);
		t = next;
		count++;
	}
	return count;
}

static int64_t source_next_due_us(void *context)
{
	struct looker *looker = context;
	const struct looker_config *config = &looker->config;
	const int64_t poll_us = clock_now_us(config->clock) + ROOM_POLL_US;
	struct error err = {0};
	if (config->is_idle)
		return 0;
	looker->is_asked = false;
	if (store_look_next_due(config->store, &looker->due_us, &err) != ERR_NONE) {
		LOG(config->log, WARN, "next_look_unknown", log_str("error", str_of(err.text)));
		looker->is_asked = true;
		return 0; /* the engine asks again after its idle poll */
	}
	return looker->due_us == 0 || looker->due_us > poll_us ? looker->due_us : poll_us;
}

void looker_gone(struct looker *looker, struct look_task *t)
{
	struct look_task **place = &looker->tasks;
	while (*place != NULL && *place != t)
		place = &(*place)->next;
	if (*place == NULL)
		return; /* it never began */
	*place = t->next;
	looker->at_work -= t->ticket == NULL;
	looker->is_asked = true; /* there may be room for another */
}

void looker_wake(struct looker *looker)
{
	if (looker == NULL)
		return;
	looker->is_asked = true;
	engine_wake(looker->config.engine);
}

enum err_kind looker_new(const struct looker_config *config, struct looker **looker_out,
			 struct error *err)
{
	struct looker *looker = calloc(1, sizeof(*looker));
	if (looker == NULL)
		return error_set(err, ERR_INTERNAL, "no memory for the looker");
	const enum err_kind kind = thread_condition_init(&looker->mutex, &looker->changed, err);
	if (kind != ERR_NONE) {
		free(looker);
		return kind;
	}
	looker->config = *config;
	if (looker->config.time_scale < 1)
		looker->config.time_scale = 1;
	looker->is_asked = true;
	looker->claim_arena = arena_new("look claim", CLAIM_ARENA_BYTES);
	const struct task_source source = {.claim = source_claim,
					   .claimed = source_claimed,
					   .next_due_us = source_next_due_us,
					   .context = looker};
	engine_add_source(config->engine, &source);
	*looker_out = looker;
	return ERR_NONE;
}

void looker_free(struct looker **looker_pointer)
{
	struct looker *looker = *looker_pointer;
	if (looker == NULL)
		return;
	while (looker->queue != NULL) {
		struct look_task *t = looker->queue;
		looker->queue = t->next;
		looker_task_free(t);
	}
	arena_free(&looker->claim_arena);
	pthread_cond_destroy(&looker->changed);
	pthread_mutex_destroy(&looker->mutex);
	free(looker);
	*looker_pointer = NULL;
}
