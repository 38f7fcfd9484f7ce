/* SPDX-License-Identifier: Apache-2.0
 * See http_pool.h. One mutex guards the queue. */
#include "http_pool.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "thread.h"

struct http_pool {
	pthread_mutex_t lock;
	pthread_cond_t has_work;
	const char *name;
	size_t stack_bytes;
	struct http_job *first;
	struct http_job *last;
	size_t queued;
	unsigned idle; /* threads that wait for a job */
	bool is_stopping;
	unsigned threads_max;
	unsigned thread_count;
	pthread_t threads[]; /* threads_max */
};

/* Lock held. NULL: the pool is stopping and nothing is left to do. */
static struct http_job *job_take(struct http_pool *pool)
{
	while (pool->first == NULL && !pool->is_stopping) {
		pool->idle++;
		pthread_cond_wait(&pool->has_work, &pool->lock);
		pool->idle--;
	}
	struct http_job *job = pool->first;
	if (job == NULL)
		return NULL;
	pool->first = job->next;
	pool->queued--;
	return job;
}

static void *pool_run(void *context)
{
	struct http_pool *pool = context;
	struct http_job *job;
	pthread_mutex_lock(&pool->lock);
	while ((job = job_take(pool)) != NULL) {
		pthread_mutex_unlock(&pool->lock);
		job->run(job);
		pthread_mutex_lock(&pool->lock);
	}
	pthread_mutex_unlock(&pool->lock);
	return NULL;
}

/* Lock held. */
static enum err_kind thread_add(struct http_pool *pool, struct error *err)
{
	const struct thread_config config = {.name = pool->name,
					     .stack_bytes = pool->stack_bytes,
					     .run = pool_run,
					     .context = pool};
	const enum err_kind kind = thread_start(&config, &pool->threads[pool->thread_count], err);
	if (kind == ERR_NONE)
		pool->thread_count++;
	return kind;
}

enum err_kind http_pool_new(const char *name, unsigned threads_max, size_t stack_bytes,
			    struct http_pool **pool_out, struct error *err)
{
	struct http_pool *pool = calloc(1, sizeof(*pool) + threads_max * sizeof(pthread_t));
	if (pool == NULL)
		return error_set(err, ERR_TEMPORARY, "no memory for the %s threads", name);
	pool->name = name;
	pool->threads_max = threads_max;
	pool->stack_bytes = stack_bytes;
	enum err_kind kind = thread_condition_init(&pool->lock, &pool->has_work, err);
	if (kind != ERR_NONE) {
		free(pool);
		return kind;
	}
	pthread_mutex_lock(&pool->lock);
	kind = thread_add(pool, err);
	pthread_mutex_unlock(&pool->lock);
	*pool_out = pool;
	if (kind != ERR_NONE)
		http_pool_free(pool_out);
	return kind;
}

/* Lock held. */
static void enqueue(struct http_pool *pool, struct http_job *job)
{
	struct error ignored = {0};
	job->next = NULL;
	if (pool->first == NULL)
		pool->first = job;
	else
		pool->last->next = job;
	pool->last = job;
	pool->queued++;
	if (pool->queued > pool->idle && pool->thread_count < pool->threads_max)
		(void)thread_add(pool, &ignored); /* without it the others do the work */
}

bool http_pool_hand(struct http_pool *pool, struct http_job *job)
{
	pthread_mutex_lock(&pool->lock);
	const bool is_taken = !pool->is_stopping;
	if (is_taken)
		enqueue(pool, job);
	const bool must_wake = pool->idle > 0;
	pthread_mutex_unlock(&pool->lock);
	if (is_taken && must_wake)
		pthread_cond_signal(&pool->has_work);
	return is_taken;
}

void http_pool_stop(struct http_pool *pool)
{
	if (pool == NULL)
		return;
	pthread_mutex_lock(&pool->lock);
	pool->is_stopping = true;
	pthread_cond_broadcast(&pool->has_work);
	pthread_mutex_unlock(&pool->lock);
	while (pool->thread_count > 0) /* no new one starts any more */
		pthread_join(pool->threads[--pool->thread_count], NULL);
}

void http_pool_free(struct http_pool **pool)
{
	if (*pool == NULL)
		return;
	http_pool_stop(*pool);
	pthread_cond_destroy(&(*pool)->has_work);
	pthread_mutex_destroy(&(*pool)->lock);
	free(*pool);
	*pool = NULL;
}
