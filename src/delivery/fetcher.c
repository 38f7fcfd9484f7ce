/* SPDX-License-Identifier: Apache-2.0
 * See fetcher.h. The waiting thread and the engine's task share a fetch; the last of them to drop
 * it removes the file. */
#include "fetcher.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "arena.h"
#include "clock.h"
#include "thread.h"

#include "engine.h"

#define FETCH_ARENA_BYTES ((size_t)64 << 10)
#define REDIRECTS_MAX 3 /* rules.md 4.1 */
#define LOW_SPEED_BYTES_S 1024
#define GRACE_MS 2000 /* the transfer ends first */

struct fetched {
	struct task task; /* first: the engine's handle */
	struct fetcher *fetcher;
	struct fetched *next_queued;
	struct fetched *next; /* of all */
	struct arena *arena;  /* it lies in it */
	struct str app_id;
	struct str url;
	const char *path;
	int64_t max_bytes;
	int64_t timeout_ms;
	/* under the fetcher's mutex */
	unsigned holders;
	bool is_done;
	enum err_kind kind;
	struct error err;
};

struct fetcher {
	struct fetcher_config config;
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	struct fetched *queue;
	struct fetched *all;
};

/* ---- a fetch ---- */

static void leave(struct fetcher *fetcher, const struct fetched *fetched)
{
	struct fetched **place = &fetcher->all;
	while (*place != NULL && *place != fetched)
		place = &(*place)->next;
	if (*place != NULL)
		*place = fetched->next;
}

static void drop(struct fetched *fetched)
{
	struct fetcher *fetcher = fetched->fetcher;
	pthread_mutex_lock(&fetcher->mutex);
	const bool is_last = --fetched->holders == 0;
	if (is_last)
		leave(fetcher, fetched);
	pthread_mutex_unlock(&fetcher->mutex);
	if (!is_last)
		return;
	struct arena *arena = fetched->arena;
	unlink(fetched->path);
	arena_free(&arena);
}

void fetcher_close_fetched(struct fetched **fetched)
{
	if (*fetched != NULL)
		drop(*fetched);
	*fetched = NULL;
}

static enum err_kind judge_answer(const struct transfer_result *result, struct error *err)
{
	if (result->status >= 200 && result->status < 300)
		return ERR_NONE;
	const bool is_gone = result->status == 404 || result->status == 410;
	const bool may_pass = result->status == 429 || result->status >= 500;
	return error_set(err,
			 is_gone    ? ERR_NOT_FOUND
			 : may_pass ? ERR_TEMPORARY
				    : ERR_INVALID,
			 "The address answered with status %d instead of a file.", result->status);
}

static enum err_kind judge(const struct transfer_result *result, struct error *err)
{
	if (result->outcome == TRANSFER_ANSWERED)
		return judge_answer(result, err);
	if (result->problem == TRANSFER_REFUSED_BY_GUARD)
		return error_set(err, ERR_FORBIDDEN,
				 "The address is not public: files are fetched from public "
				 "addresses only.");
	if (result->problem == TRANSFER_TOO_LARGE)
		return error_set(err, ERR_TOO_LARGE, "The file is too large.");
	return error_set(err, ERR_TEMPORARY, "The file could not be fetched: " STR_FMT,
			 STR_ARG(result->error_text));
}

static void finish(struct fetched *fetched, const struct transfer_result *result)
{
	struct fetcher *fetcher = fetched->fetcher;
	pthread_mutex_lock(&fetcher->mutex);
	fetched->kind = judge(result, &fetched->err);
	fetched->is_done = true;
	pthread_cond_broadcast(&fetcher->changed);
	pthread_mutex_unlock(&fetcher->mutex);
}

/* ---- the engine's task ---- */

static void plan(struct task *task, struct arena *arena, const struct task_event *event,
		 struct task_plan *plan)
{
	struct fetched *fetched = (struct fetched *)task;
	(void)arena;
	plan->action = TASK_END;
	if (event->kind == TASK_EVENT_FETCHED)
		finish(fetched, event->fetched);
	if (event->kind != TASK_EVENT_START)
		return;
	plan->action = TASK_FETCH;
	plan->fetch = (struct transfer_request){
		.pool = TRANSFER_MEDIA,
		.owner = fetched->app_id,
		.method = "GET",
		.url = fetched->url,
		.timeout_ms = fetched->timeout_ms,
		.response_max_bytes = fetched->max_bytes,
		.save_path = fetched->path,
		.redirects_max = REDIRECTS_MAX,
		.low_speed_bytes_s = LOW_SPEED_BYTES_S,
	};
}

static void free_task(struct task *task)
{
	drop((struct fetched *)task);
}

static const struct task_ops ops = {.plan = plan, .free = free_task};

/* ---- a source of the engine ---- */

/* The queue is in memory: there is nothing to write. */
static enum err_kind source_claim(void *context, void *tx, size_t max, struct error *err)
{
	(void)context;
	(void)tx;
	(void)max;
	(void)err;
	return ERR_NONE;
}

static size_t source_claimed(void *context)
{
	struct fetcher *fetcher = context;
	pthread_mutex_lock(&fetcher->mutex);
	struct fetched *fetched = fetcher->queue;
	fetcher->queue = NULL;
	pthread_mutex_unlock(&fetcher->mutex);
	size_t count = 0;
	for (struct fetched *next; fetched != NULL; fetched = next, count++) {
		next = fetched->next_queued;
		engine_task_start(fetcher->config.engine, &fetched->task);
	}
	return count;
}

static int64_t source_next_due_us(void *context)
{
	(void)context;
	return 0;
}

/* ---- waiting ---- */

static struct fetched *fetched_new(struct fetcher *fetcher, const struct fetch_wish *wish)
{
	struct arena *arena = arena_new("fetch", FETCH_ARENA_BYTES);
	struct fetched *fetched = ARENA_NEW(arena, struct fetched);
	fetched->task.ops = &ops;
	fetched->fetcher = fetcher;
	fetched->arena = arena;
	fetched->app_id = str_copy(arena, wish->app_id);
	fetched->url = str_copy(arena, wish->url);
	fetched->path = str_z(arena, str_of(wish->path));
	fetched->max_bytes = wish->max_bytes;
	fetched->timeout_ms = wish->wait_ms;
	fetched->holders = 2;
	return fetched;
}

/* False: the app has as many as it may. The mutex is held. */
static bool enqueue(struct fetcher *fetcher, struct fetched *fetched)
{
	unsigned count = 0;
	for (const struct fetched *each = fetcher->all; each != NULL; each = each->next)
		count += str_equal(each->app_id, fetched->app_id) ? 1 : 0;
	if (count >= fetcher->config.of_app_max)
		return false;
	fetched->next = fetcher->all;
	fetcher->all = fetched;
	fetched->next_queued = fetcher->queue;
	fetcher->queue = fetched;
	return true;
}

static enum err_kind wait_for(struct fetcher *fetcher, struct fetched *fetched, struct error *err)
{
	const struct timespec deadline =
		thread_deadline((fetched->timeout_ms + GRACE_MS) * US_PER_MS);
	while (!fetched->is_done &&
	       thread_wait_until(&fetcher->changed, &fetcher->mutex, &deadline))
		;
	if (!fetched->is_done)
		return error_set(err, ERR_TEMPORARY, "The file was not here in time.");
	*err = fetched->err;
	return fetched->kind;
}

enum err_kind fetcher_run(struct fetcher *fetcher, const struct fetch_wish *wish,
			  struct fetched **fetched_out, struct error *err)
{
	struct fetched *fetched = fetched_new(fetcher, wish);
	*fetched_out = NULL;
	pthread_mutex_lock(&fetcher->mutex);
	if (!enqueue(fetcher, fetched)) {
		pthread_mutex_unlock(&fetcher->mutex);
		fetched->holders = 1;
		drop(fetched);
		return error_set(err, ERR_LIMITED,
				 "%u files are being fetched for this app already. Try again when "
				 "one of them is here.",
				 fetcher->config.of_app_max);
	}
	engine_wake(fetcher->config.engine);
	const enum err_kind kind = wait_for(fetcher, fetched, err);
	pthread_mutex_unlock(&fetcher->mutex);
	if (kind != ERR_NONE)
		drop(fetched);
	else
		*fetched_out = fetched;
	return kind;
}

/* ---- all of it ---- */

enum err_kind fetcher_new(const struct fetcher_config *config, struct fetcher **fetcher_out,
			  struct error *err)
{
	struct fetcher *fetcher = calloc(1, sizeof(*fetcher));
	if (fetcher == NULL)
		return error_set(err, ERR_INTERNAL, "no memory for the fetcher");
	fetcher->config = *config;
	const enum err_kind kind = thread_condition_init(&fetcher->mutex, &fetcher->changed, err);
	if (kind != ERR_NONE) {
		free(fetcher);
		return kind;
	}
	const struct task_source source = {
		.claim = source_claim,
		.claimed = source_claimed,
		.next_due_us = source_next_due_us,
		.context = fetcher,
	};
	engine_add_source(config->engine, &source);
	*fetcher_out = fetcher;
	return ERR_NONE;
}

void fetcher_free(struct fetcher **pointer)
{
	struct fetcher *fetcher = *pointer;
	if (fetcher == NULL)
		return;
	while (fetcher->queue != NULL) {
		struct fetched *fetched = fetcher->queue;
		fetcher->queue = fetched->next_queued;
		drop(fetched);
	}
	pthread_cond_destroy(&fetcher->changed);
	pthread_mutex_destroy(&fetcher->mutex);
	free(fetcher);
	*pointer = NULL;
}
