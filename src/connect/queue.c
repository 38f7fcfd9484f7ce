/* SPDX-License-Identifier: Apache-2.0
 * Request threads hand tasks to the engine's thread through a queue in memory, and wait for
 * announcements that a task has ended. */
#include "connect_private.h"

#include "thread.h"

void connector_enqueue(struct connector *connector, struct connect_task *task)
{
	pthread_mutex_lock(&connector->mutex);
	struct connect_task **tail = &connector->queue;
	while (*tail != NULL)
		tail = &(*tail)->next_queued;
	*tail = task;
	pthread_mutex_unlock(&connector->mutex);
	engine_wake(connector->config.engine);
}

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
	struct connector *connector = context;
	pthread_mutex_lock(&connector->mutex);
	struct connect_task *task = connector->queue;
	connector->queue = NULL;
	pthread_mutex_unlock(&connector->mutex);
	size_t count = 0;
	while (task != NULL) {
		struct connect_task *next = task->next_queued;
		engine_task_start(connector->config.engine, &task->task);
		task = next;
		count++;
	}
	return count;
}

static int64_t source_next_due_us(void *context)
{
	(void)context;
	return 0;
}

void connector_queue_open(struct connector *connector)
{
	const struct task_source source = {
		.claim = source_claim,
		.claimed = source_claimed,
		.next_due_us = source_next_due_us,
		.context = connector,
	};
	engine_add_source(connector->config.engine, &source);
}

void connector_queue_clear(struct connector *connector)
{
	while (connector->queue != NULL) {
		struct connect_task *task = connector->queue;
		connector->queue = task->next_queued;
		task->task.ops->free(&task->task);
	}
}

/* ---- announcements ---- */

void connector_announce(struct connector *connector)
{
	pthread_mutex_lock(&connector->mutex);
	connector->generation++;
	pthread_cond_broadcast(&connector->changed);
	pthread_mutex_unlock(&connector->mutex);
}

uint64_t connector_generation(struct connector *connector)
{
	pthread_mutex_lock(&connector->mutex);
	const uint64_t generation = connector->generation;
	pthread_mutex_unlock(&connector->mutex);
	return generation;
}

bool connector_wait(struct connector *connector, int64_t deadline_boot_us)
{
	const int64_t left_us = deadline_boot_us - clock_boot_us(connector->config.clock);
	if (left_us <= 0)
		return false;
	const struct timespec deadline = thread_deadline(left_us);
	(void)thread_wait_until(&connector->changed, &connector->mutex, &deadline);
	return true;
}

bool connector_wait_after(struct connector *connector, uint64_t generation,
			  int64_t deadline_boot_us)
{
	bool has_time = true;
	pthread_mutex_lock(&connector->mutex);
	while (connector->generation == generation && has_time)
		has_time = connector_wait(connector, deadline_boot_us);
	pthread_mutex_unlock(&connector->mutex);
	return has_time;
}

/* ---- how many wait ---- */

static unsigned waits_count(const struct connector *connector, struct str app_id)
{
	unsigned count = 0;
	for (const struct connect_wait *each = connector->waits; each != NULL; each = each->next)
		count += str_equal(each->app_id, app_id) ? 1 : 0;
	return count;
}

enum err_kind connector_wait_begin(struct connector *connector, struct connect_wait *wait,
				   struct error *err)
{
	const unsigned max = connector->config.waits_of_app_max;
	pthread_mutex_lock(&connector->mutex);
	const bool has_room = max == 0 || waits_count(connector, wait->app_id) < max;
	if (has_room) {
		wait->next = connector->waits;
		connector->waits = wait;
	}
	pthread_mutex_unlock(&connector->mutex);
	return has_room ? ERR_NONE
			: error_set(err, ERR_LIMITED,
				    "%u calls of this app wait for a platform already. Try again "
				    "when some of them have been answered.",
				    max);
}

void connector_wait_end(struct connector *connector, struct connect_wait *wait)
{
	struct connect_wait **place = &connector->waits;
	pthread_mutex_lock(&connector->mutex);
	while (*place != wait)
		place = &(*place)->next;
	*place = wait->next;
	pthread_mutex_unlock(&connector->mutex);
}
