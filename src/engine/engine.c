/* SPDX-License-Identifier: Apache-2.0
 * The turn loop. struct engine owns the tasks that wait for their first turn (ready), those asleep,
 * and those whose transfer is under way (found by transfer id in a small hash table). A turn moves
 * tasks: event -> planned -> saved -> carried out. */
#include "engine.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "arena.h"
#include "clock.h"
#include "histogram.h"
#include "log.h"

#include "clock_watch.h"
#include "engine_call.h"

#define RESULTS_MAX 128
/* With this many transfers under way, answers come in swarms: waiting some milliseconds more makes
 * one commit instead of several (bench/, deliver: 55 deliveries in a transaction instead of 38 with
 * 4 rounds). */
#define SWARM_MIN 16
#define SWARM_ROUNDS 16
#define SWARM_WAIT_MS 1
#define TURN_ARENA_MAX_BYTES ((size_t)1 << 30) /* RESULTS_MAX answers of 4 MiB, and their trees */
#define TABLE_SIZE 4096 /* power of two, above tasks_max's default: chains stay short */
#define COMMIT_RETRY_MS 250
/* When the next work is due costs questions to the store. While answers are on their way, the turn
 * that they make claims anyway: it is only asked when none has come for so long, ... */
#define DUE_PATIENCE_MS 20
/* ... or when it was not asked for so long. */
#define DUE_ASKED_AT_LEAST_US US_PER_S

struct list {
	struct task *head;
	struct task **tail;
	size_t count;
};

struct engine {
	struct engine_config config;
	struct task_source sources[ENGINE_SOURCES_MAX];
	size_t source_count;
	struct list ready;    /* START not yet given */
	struct list sleeping; /* unsorted: short sleeps only, few */
	struct task *in_flight[TABLE_SIZE];
	struct list planned; /* decided in this turn */
	struct list begun;   /* claimed and decided in this turn's transaction */
	bool is_split;       /* the last such transaction failed: the next only claims */
	size_t task_count;
	uint64_t last_transfer_id;
	struct arena *arena; /* this turn's */
	atomic_bool is_woken;
	atomic_bool is_stopping;
	bool is_draining; /* no new work is claimed */
	struct clock_watch clock_watch;
	bool is_clock_unconfirmed; /* nothing is claimed meanwhile */
	/* 0 = only when woken. By the boot clock, since the wall clock may be set back */
	int64_t next_claim_boot_us;
	/* A claim was made since the sources were asked when they are due next. */
	bool is_due_unknown;
	int64_t due_asked_boot_us;
	int64_t planned_boot_us; /* when this turn's decisions began to be made */
	_Atomic int64_t last_turn_boot_us;
	_Atomic int64_t turn_count;
	_Atomic int64_t task_count_shown; /* task_count at the end of the last turn */
	struct histogram calls[PLATFORM_ID_MAX][ENGINE_CALL_KINDS];
};

static void list_init(struct list *list)
{
	list->head = NULL;
	list->tail = &list->head;
	list->count = 0;
}

static void list_push(struct list *list, struct task *task)
{
	task->next = NULL;
	*list->tail = task;
	list->tail = &task->next;
	list->count++;
}

static struct task *list_pop(struct list *list)
{
	struct task *task = list->head;
	if (task == NULL)
		return NULL;
	list->head = task->next;
	if (list->head == NULL)
		list->tail = &list->head;
	list->count--;
	return task;
}

/* Moves all of more to the end of list. */
static void list_append(struct list *list, struct list *more)
{
	if (more->head == NULL)
		return;
	*list->tail = more->head;
	list->tail = more->tail;
	list->count += more->count;
	list_init(more);
}

static void probe(const struct engine *engine, const char *point)
{
	if (engine->config.probe != NULL)
		engine->config.probe(engine->config.probe_context, point);
}

enum err_kind engine_new(const struct engine_config *config, struct engine **engine_out,
			 struct error *err)
{
	struct engine *engine = calloc(1, sizeof(*engine));
	if (engine == NULL)
		return error_set(err, ERR_INTERNAL, "no memory for the engine");
	engine->config = *config;
	if (engine->config.tasks_max == 0)
		engine->config.tasks_max = 1024;
	if (engine->config.claim_max == 0)
		engine->config.claim_max = 128;
	if (engine->config.idle_poll_ms == 0)
		engine->config.idle_poll_ms = 5000;
	engine->arena = arena_new("engine turn", TURN_ARENA_MAX_BYTES);
	list_init(&engine->ready);
	list_init(&engine->sleeping);
	list_init(&engine->planned);
	list_init(&engine->begun);
	atomic_store(&engine->is_woken, true); /* claim once what a former run left */
	atomic_store(&engine->last_turn_boot_us, clock_boot_us(config->clock));
	*engine_out = engine;
	return ERR_NONE;
}

static void task_release(struct engine *engine, struct task *task)
{
	engine->task_count--;
	task->ops->free(task);
}

static void list_release(struct engine *engine, struct list *list)
{
	struct task *task;
	while ((task = list_pop(list)) != NULL)
		task_release(engine, task);
}

void engine_free(struct engine **engine_pointer)
{
	struct engine *engine = *engine_pointer;
	if (engine == NULL)
		return;
	list_release(engine, &engine->ready);
	list_release(engine, &engine->sleeping);
	list_release(engine, &engine->planned);
	list_release(engine, &engine->begun);
	for (size_t i = 0; i < TABLE_SIZE; i++) {
		while (engine->in_flight[i] != NULL) {
			struct task *task = engine->in_flight[i];
			engine->in_flight[i] = task->next;
			task_release(engine, task);
		}
	}
	arena_free(&engine->arena);
	free(engine);
	*engine_pointer = NULL;
}

void engine_add_source(struct engine *engine, const struct task_source *source)
{
	assert(engine->source_count < ENGINE_SOURCES_MAX);
	engine->sources[engine->source_count++] = *source;
}

void engine_task_start(struct engine *engine, struct task *task)
{
	task->engine = engine;
	task->transfer_id = 0;
	engine->task_count++;
	list_push(&engine->ready, task);
}

void engine_wake(struct engine *engine)
{
	/* Whoever came first has told the transport, and the next turn sees to all. */
	if (!atomic_exchange(&engine->is_woken, true))
		transport_wake(&engine->config.transport);
}

void engine_wake_for(struct engine *engine, int64_t due_us)
{
	const int64_t soon_us =
		clock_now_us(engine->config.clock) + 2 * engine->config.idle_poll_ms * US_PER_MS;
	if (due_us <= soon_us)
		engine_wake(engine);
}

void engine_stop(struct engine *engine)
{
	atomic_store(&engine->is_stopping, true);
	transport_wake(&engine->config.transport);
}

int64_t engine_last_turn_boot_us(const struct engine *engine)
{
	return atomic_load(&engine->last_turn_boot_us);
}

struct engine_figures engine_figures(const struct engine *engine)
{
	return (struct engine_figures){
		.turns = atomic_load(&engine->turn_count),
		.tasks = atomic_load(&engine->task_count_shown),
		.last_turn_boot_us = atomic_load(&engine->last_turn_boot_us),
	};
}

const struct histogram *engine_calls(const struct engine *engine, enum platform_id platform,
				     enum call_kind kind)
{
	return &engine->calls[platform - 1][kind];
}

bool engine_is_draining(const struct engine *engine)
{
	return engine->is_draining;
}

size_t engine_task_count(const struct engine *engine)
{
	return engine->task_count;
}

/* ---- transfers ---- */

static struct task **table_slot(struct engine *engine, uint64_t transfer_id)
{
	return &engine->in_flight[transfer_id & (TABLE_SIZE - 1)];
}

static void table_put(struct engine *engine, struct task *task)
{
	struct task **slot = table_slot(engine, task->transfer_id);
	task->next = *slot;
	*slot = task;
}

static struct task *table_take(struct engine *engine, uint64_t transfer_id)
{
	for (struct task **link = table_slot(engine, transfer_id); *link != NULL;
	     link = &(*link)->next) {
		if ((*link)->transfer_id == transfer_id) {
			struct task *task = *link;
			*link = task->next;
			return task;
		}
	}
	return NULL;
}

static void call_transfer(struct engine *engine, struct task *task)
{
	const struct task_plan *plan = &task->plan;
	struct transfer_request request = engine_call_request(
		engine->arena, &plan->call, plan->media_path, engine->planned_boot_us);
	request.id = task->transfer_id;
	request.reach = task->reach;
	if (task->reach == TRANSFER_TEST)
		request.owner = task->test_app_id;
	transport_start(&engine->config.transport, &request);
}

/* ---- the turn, step by step ---- */

static void task_decide(struct engine *engine, struct task *task, const struct task_event *event)
{
	memset(&task->plan, 0, sizeof(task->plan));
	task->ops->plan(task, engine->arena, event, &task->plan);
}

static void task_plan(struct engine *engine, struct task *task, const struct task_event *event)
{
	task_decide(engine, task, event);
	list_push(&engine->planned, task);
}

static void plan_result(struct engine *engine, const struct transfer_result *result)
{
	struct task *task = table_take(engine, result->id);
	if (task == NULL)
		return;
	struct task_event event = {.duration_us = result->duration_us};
	if (task->is_fetch) {
		event.kind = TASK_EVENT_FETCHED;
		event.fetched = result;
	} else {
		event.kind = TASK_EVENT_REPLY;
		event.verdict = engine_call_judge(task->call_kind, result);
		event.reply = engine_call_reply(engine->arena, result);
		if (task->platform != PLATFORM_NONE)
			histogram_note(&engine->calls[task->platform - 1][task->call_kind],
				       HISTOGRAM_CALLS, result->duration_us);
	}
	task->transfer_id = 0;
	task_plan(engine, task, &event);
}

static void plan_sleepers(struct engine *engine, int64_t boot_us)
{
	struct list still = {0};
	list_init(&still);
	struct task *task;
	while ((task = list_pop(&engine->sleeping)) != NULL) {
		if (task->wake_at_us > boot_us) {
			list_push(&still, task);
			continue;
		}
		const struct task_event event = {.kind = TASK_EVENT_WOKEN};
		task->is_sleeping = false;
		task_plan(engine, task, &event);
	}
	engine->sleeping = still;
	if (still.head == NULL)
		list_init(&engine->sleeping);
}

static void plan_new(struct engine *engine, struct list *decided)
{
	struct task *task;
	while ((task = list_pop(&engine->ready)) != NULL) {
		const struct task_event event = {.kind = TASK_EVENT_START};
		task_decide(engine, task, &event);
		list_push(decided, task);
	}
}

struct turn {
	struct engine *engine;
	bool with_claims;
	size_t claim_max;
	size_t begun_counts[ENGINE_SOURCES_MAX];
};

/* CONFLICT is the task's own; anything else fails the transaction. */
static bool is_fatal(enum err_kind kind)
{
	return kind != ERR_NONE && kind != ERR_CONFLICT;
}

static enum err_kind save_first_half(struct task *task, void *tx, struct error *err)
{
	return task->ops->save != NULL ? task->ops->save(task, tx, err) : ERR_NONE;
}

static enum err_kind save_second_half(struct task *task, void *tx, struct error *err)
{
	if (task->save_result != ERR_NONE || task->ops->save_end == NULL)
		return task->save_result;
	return task->ops->save_end(task, tx, err);
}

static enum err_kind save_all(const struct list *decided, void *tx, struct error *err)
{
	for (struct task *task = decided->head; task != NULL; task = task->next) {
		task->save_result = save_first_half(task, tx, err);
		if (is_fatal(task->save_result))
			return task->save_result;
	}
	for (struct task *task = decided->head; task != NULL; task = task->next) {
		task->save_result = save_second_half(task, tx, err);
		if (is_fatal(task->save_result))
			return task->save_result;
	}
	return ERR_NONE;
}

static bool begins_at_once(const struct engine *engine, const struct task_source *source)
{
	return source->claim_begun != NULL && !engine->is_split;
}

/* Claimed tasks decide their first step at once, so that claim and first intent are one write. */
static enum err_kind claim_begun(struct turn *turn, size_t index, void *tx, struct error *err)
{
	struct engine *engine = turn->engine;
	const struct task_source *source = &engine->sources[index];
	struct list begun;
	list_init(&begun);
	enum err_kind kind = source->claim_begun(source->context, tx, turn->claim_max, err);
	if (kind != ERR_NONE)
		return kind;
	turn->begun_counts[index] = source->claimed(source->context);
	plan_new(engine, &begun);
	kind = save_all(&begun, tx, err);
	list_append(&engine->begun, &begun);
	return kind;
}

/* Saves every decision of the turn and claims new work, all in one transaction. */
static enum err_kind turn_command(void *tx, void *argument, struct error *err)
{
	struct turn *turn = argument;
	struct engine *engine = turn->engine;
	list_release(engine, &engine->begun); /* of a run that was rolled back */
	enum err_kind kind = save_all(&engine->planned, tx, err);
	for (size_t i = 0; turn->with_claims && i < engine->source_count && kind == ERR_NONE; i++) {
		const struct task_source *source = &engine->sources[i];
		if (begins_at_once(engine, source))
			kind = claim_begun(turn, i, tx, err);
		else
			kind = source->claim(source->context, tx, turn->claim_max, err);
	}
	return kind;
}

static enum err_kind save_one(void *tx, void *argument, struct error *err)
{
	struct task *task = argument;
	task->save_result = save_first_half(task, tx, err);
	task->save_result = save_second_half(task, tx, err);
	return task->save_result == ERR_CONFLICT ? ERR_NONE : task->save_result;
}

static void sleep_ms(int64_t ms)
{
	const struct timespec pause = {.tv_sec = (time_t)(ms / 1000),
				       .tv_nsec = (long)(ms % 1000) * 1000000L};
	nanosleep(&pause, NULL);
}

static enum err_kind engine_write(struct engine *engine, const struct engine_writing *writing,
				  struct error *err)
{
	return engine->config.store.write(engine->config.store.context, writing, err);
}

/* Of all that was decided in this turn; the array is the turn's. */
static void add_scopes(struct engine *engine, struct engine_writing *writing)
{
	size_t count = 0;
	for (const struct task *task = engine->planned.head; task != NULL; task = task->next)
		count += task->scope_count;
	struct str *scopes = ARENA_ARRAY(engine->arena, struct str, count);
	writing->scopes = scopes;
	for (const struct task *task = engine->planned.head; task != NULL; task = task->next) {
		for (size_t i = 0; i < task->scope_count; i++)
			scopes[writing->scope_count++] = task->scopes[i];
	}
}

/* One bad row must not hold up the others: each decision gets its own transaction. One that still
 * fails is given up here (its lease runs out, and it is claimed again). */
static void save_each(struct engine *engine)
{
	enum err_kind kind = ERR_NONE;
	for (struct task *task = engine->planned.head; task != NULL; task = task->next) {
		struct error err = {0};
		/* A stopping engine does not wait for a store that cannot write, not even once for
		 * each task. */
		const bool is_hopeless = kind == ERR_TEMPORARY && atomic_load(&engine->is_stopping);
		const struct engine_writing writing = {save_one, task, task->scopes,
						       task->scope_count};
		while (!is_hopeless &&
		       (kind = engine_write(engine, &writing, &err)) == ERR_TEMPORARY &&
		       !atomic_load(&engine->is_stopping))
			sleep_ms(COMMIT_RETRY_MS);
		if (kind == ERR_NONE)
			continue;
		task->save_result = kind;
		LOG(engine->config.log, ERROR, "checkpoint_failed",
		    log_str("error", str_of(err.text)));
	}
}

/* Returns whether claims were made. While the store cannot write, the commit is repeated for ever:
 * answers of platforms must not be forgotten, and nothing new is claimed meanwhile
 * (rules.md 2.4 C5). */
static bool turn_commit(struct turn *turn)
{
	struct engine *engine = turn->engine;
	struct engine_writing writing = {.command = turn_command, .argument = turn};
	add_scopes(engine, &writing);
	while (true) {
		struct error err = {0};
		const enum err_kind kind = engine_write(engine, &writing, &err);
		if (kind == ERR_NONE)
			return turn->with_claims;
		LOG(engine->config.log, ERROR, "turn_commit_failed",
		    log_str("error", str_of(err.text)));
		turn->with_claims = false;
		list_release(engine, &engine->begun);
		engine->is_split = true;
		if (kind != ERR_TEMPORARY || atomic_load(&engine->is_stopping)) {
			save_each(engine);
			return false;
		}
		if (engine->planned.head == NULL)
			return false;
		sleep_ms(COMMIT_RETRY_MS);
	}
}

/* The same instant by the clock that never jumps. */
static int64_t boot_us_of(const struct clock *clock, int64_t at_us)
{
	return clock_boot_us(clock) + (at_us - clock_now_us(clock));
}

static void carry_out(struct engine *engine, struct task *task)
{
	switch (task->plan.action) {
	case TASK_SEND:
		task->transfer_id = ++engine->last_transfer_id;
		task->call_kind = task->plan.call.kind;
		task->is_fetch = false;
		table_put(engine, task);
		probe(engine, "before_send");
		call_transfer(engine, task);
		probe(engine, "after_send");
		return;
	case TASK_FETCH:
		task->transfer_id = ++engine->last_transfer_id;
		task->is_fetch = true;
		task->plan.fetch.id = task->transfer_id;
		table_put(engine, task);
		transport_start(&engine->config.transport, &task->plan.fetch);
		return;
	case TASK_SLEEP:
		task->is_sleeping = true;
		task->wake_at_us = boot_us_of(engine->config.clock, task->plan.wake_at_us);
		list_push(&engine->sleeping, task);
		return;
	case TASK_END:
		task_release(engine, task);
		return;
	}
}

static void carry_out_all(struct engine *engine)
{
	struct task *task;
	while ((task = list_pop(&engine->planned)) != NULL) {
		if (task->ops->saved != NULL)
			task->ops->saved(task, task->save_result);
		if (task->save_result == ERR_NONE)
			carry_out(engine, task);
		else
			task_release(engine, task);
	}
}

static size_t claim_capacity(const struct engine *engine)
{
	if (engine->task_count >= engine->config.tasks_max)
		return 0;
	const size_t room = engine->config.tasks_max - engine->task_count;
	return room < engine->config.claim_max ? room : engine->config.claim_max;
}

static bool may_claim(const struct engine *engine)
{
	return !engine->is_draining && !engine->is_clock_unconfirmed && claim_capacity(engine) > 0;
}

static bool claim_is_due(struct engine *engine, int64_t boot_us)
{
	if (!may_claim(engine))
		return false;
	if (atomic_exchange(&engine->is_woken, false))
		return true;
	return engine->next_claim_boot_us != 0 && engine->next_claim_boot_us <= boot_us;
}

/* Makes tasks of claimed work that has not begun yet, and notes when to claim again: at once where
 * a source gave all that it was asked for, else that is asked later. */
static void take_claimed(const struct turn *turn, int64_t boot_us)
{
	struct engine *engine = turn->engine;
	engine->next_claim_boot_us = boot_us + engine->config.idle_poll_ms * US_PER_MS;
	for (size_t i = 0; i < engine->source_count; i++) {
		const struct task_source *source = &engine->sources[i];
		const size_t count = begins_at_once(engine, source)
					     ? turn->begun_counts[i]
					     : source->claimed(source->context);
		if (count >= turn->claim_max)
			engine->next_claim_boot_us = boot_us;
	}
	engine->is_due_unknown = true;
	engine->is_split = false;
}

static void learn_due(struct engine *engine, int64_t boot_us)
{
	engine->is_due_unknown = false;
	engine->due_asked_boot_us = boot_us;
	for (size_t i = 0; i < engine->source_count; i++) {
		const struct task_source *source = &engine->sources[i];
		const int64_t due_us = source->next_due_us(source->context);
		const int64_t due_boot_us = boot_us_of(engine->config.clock, due_us);
		if (due_us != 0 && due_boot_us < engine->next_claim_boot_us)
			engine->next_claim_boot_us = due_boot_us > boot_us ? due_boot_us : boot_us;
	}
}

static int64_t poll_wait_ms(struct engine *engine, int64_t wait_ms, int64_t boot_us)
{
	if (engine->ready.head != NULL || (atomic_load(&engine->is_woken) && may_claim(engine)))
		return 0;
	int64_t until_us = boot_us + wait_ms * US_PER_MS;
	if (engine->next_claim_boot_us != 0 && engine->next_claim_boot_us < until_us &&
	    may_claim(engine))
		until_us = engine->next_claim_boot_us;
	for (const struct task *task = engine->sleeping.head; task != NULL; task = task->next) {
		if (task->wake_at_us < until_us)
			until_us = task->wake_at_us;
	}
	/* Rounded up: a wait of 0 ms would spin until the instant is reached. */
	return until_us <= boot_us ? 0 : (until_us - boot_us + US_PER_MS - 1) / US_PER_MS;
}

/* Polls until nothing more comes. Each round also lets the other transfers progress. */
static size_t gather(struct engine *engine, int64_t wait_ms, struct transfer_result *results)
{
	const struct transport *transport = &engine->config.transport;
	size_t count = transport_poll(transport, engine->arena, wait_ms, results, RESULTS_MAX);
	size_t more = count;
	for (int i = 0; i < SWARM_ROUNDS && more > 0 && count < RESULTS_MAX; i++) {
		if (transport->ops->running(transport->context) < SWARM_MIN)
			break;
		more = transport_poll(transport, engine->arena, SWARM_WAIT_MS, results + count,
				      RESULTS_MAX - count);
		count += more;
	}
	return count;
}

/* As gather(), until the next work is due. */
static size_t await(struct engine *engine, int64_t wait_ms, struct transfer_result *results)
{
	const struct transport *transport = &engine->config.transport;
	const int64_t boot_us = clock_boot_us(engine->config.clock);
	const bool is_asked_soon = boot_us < engine->due_asked_boot_us + DUE_ASKED_AT_LEAST_US;
	int64_t ms = poll_wait_ms(engine, wait_ms, boot_us);
	const bool is_at_once = ms == 0 && wait_ms > 0;
	if (!engine->is_due_unknown || !may_claim(engine) || (is_at_once && is_asked_soon))
		return gather(engine, ms, results);
	if (is_asked_soon && transport->ops->running(transport->context) > 0) {
		ms = ms < DUE_PATIENCE_MS ? ms : DUE_PATIENCE_MS;
		const size_t count = gather(engine, ms, results);
		if (count > 0 || atomic_load(&engine->is_woken) ||
		    atomic_load(&engine->is_stopping))
			return count;
	}
	learn_due(engine, clock_boot_us(engine->config.clock));
	return gather(engine, poll_wait_ms(engine, wait_ms, clock_boot_us(engine->config.clock)),
		      results);
}

static void watch_clock(struct engine *engine, int64_t boot_us)
{
	const bool is_unconfirmed = !clock_watch_check(&engine->clock_watch,
						       clock_now_us(engine->config.clock), boot_us);
	if (is_unconfirmed != engine->is_clock_unconfirmed)
		LOG(engine->config.log, WARN,
		    is_unconfirmed ? "clock_jumped_ahead" : "clock_confirmed",
		    log_int("ahead_of_boot_s", engine->clock_watch.ahead_us / US_PER_S));
	engine->is_clock_unconfirmed = is_unconfirmed;
}

bool engine_turn(struct engine *engine, int64_t wait_ms)
{
	arena_clear(engine->arena);
	const struct clock *clock = engine->config.clock;
	struct transfer_result *results =
		ARENA_ARRAY(engine->arena, struct transfer_result, RESULTS_MAX);
	const size_t count = await(engine, wait_ms, results);
	const int64_t boot_us = clock_boot_us(clock);
	engine->planned_boot_us = boot_us;
	watch_clock(engine, boot_us);
	if (count > 0)
		probe(engine, "after_reply");
	for (size_t i = 0; i < count; i++)
		plan_result(engine, &results[i]);
	plan_sleepers(engine, boot_us);
	plan_new(engine, &engine->planned);

	/* A turn that writes also claims: the work it gives back or finishes may make other work
	 * due, and the transaction is paid for. */
	const bool with_claims = claim_is_due(engine, boot_us) ||
				 (engine->planned.head != NULL && may_claim(engine));
	if (with_claims || engine->planned.head != NULL) {
		probe(engine, "before_commit");
		struct turn turn = {.engine = engine,
				    .with_claims = with_claims,
				    .claim_max = claim_capacity(engine)};
		const bool has_claimed = turn_commit(&turn);
		probe(engine, "after_commit");
		list_append(&engine->planned, &engine->begun);
		carry_out_all(engine);
		if (has_claimed)
			take_claimed(&turn, boot_us);
		else if (with_claims)
			engine->next_claim_boot_us = boot_us + COMMIT_RETRY_MS * US_PER_MS;
	}
	atomic_store(&engine->last_turn_boot_us, clock_boot_us(clock));
	atomic_store(&engine->task_count_shown, (int64_t)engine->task_count);
	atomic_fetch_add(&engine->turn_count, 1);
	return !atomic_load(&engine->is_stopping);
}

void engine_run(struct engine *engine, int64_t drain_ms)
{
	while (engine_turn(engine, engine->config.idle_poll_ms))
		;
	engine->is_draining = true;
	const struct transport *transport = &engine->config.transport;
	const int64_t until_us = clock_boot_us(engine->config.clock) + drain_ms * US_PER_MS;
	while (transport->ops->running(transport->context) > 0 &&
	       clock_boot_us(engine->config.clock) < until_us)
		engine_turn(engine, 50);
}
