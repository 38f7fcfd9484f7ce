/* SPDX-License-Identifier: Apache-2.0
 * See media_bring.h. A table of jobs under one lock; what found no place is asked for again. */
#include "media_bring.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "arena.h"
#include "thread.h"

#include "media_files.h"

#define JOBS_MAX 64
#define THREADS_MAX 4
#define ID_BYTES 64
#define STACK_BYTES ((size_t)256 << 10)
#define WORK_ARENA_BYTES ((size_t)256 << 10)

enum job_state { JOB_FREE, JOB_WAITS, JOB_RUNS, JOB_IS_OVER };

struct job {
	enum job_state state;
	char id[ID_BYTES];
	enum err_kind kind;
	uint64_t number; /* rises: the oldest that is over gives way */
};

struct media_bringer {
	const struct media_files *files;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_t threads[THREADS_MAX];
	size_t thread_count;
	bool is_ending;
	uint64_t next_number;
	struct job jobs[JOBS_MAX];
};

/* Lock held. */
static struct job *find_oldest(struct media_bringer *bringer, enum job_state state)
{
	struct job *oldest = NULL;
	for (size_t i = 0; i < JOBS_MAX; i++) {
		struct job *job = &bringer->jobs[i];
		if (job->state == state && (oldest == NULL || job->number < oldest->number))
			oldest = job;
	}
	return oldest;
}

static enum err_kind bring(const struct media_bringer *bringer, const char *id)
{
	struct arena *arena = arena_new("media brought", WORK_ARENA_BYTES);
	struct error err = {0};
	const enum err_kind kind = media_file_bring(bringer->files, arena, str_of(id), &err);
	arena_free(&arena);
	return kind;
}

static void *serve(void *context)
{
	struct media_bringer *bringer = context;
	pthread_mutex_lock(&bringer->lock);
	while (!bringer->is_ending) {
		struct job *job = find_oldest(bringer, JOB_WAITS);
		if (job == NULL) {
			pthread_cond_wait(&bringer->changed, &bringer->lock);
			continue;
		}
		job->state = JOB_RUNS;
		pthread_mutex_unlock(&bringer->lock);
		const enum err_kind kind = bring(bringer, job->id);
		pthread_mutex_lock(&bringer->lock);
		job->kind = kind;
		job->state = JOB_IS_OVER;
	}
	pthread_mutex_unlock(&bringer->lock);
	return NULL;
}

struct media_bringer *media_bringer_new(const struct media_files *files)
{
	struct media_bringer *bringer = calloc(1, sizeof(*bringer));
	if (bringer == NULL)
		return NULL;
	bringer->files = files;
	pthread_mutex_init(&bringer->lock, NULL);
	pthread_cond_init(&bringer->changed, NULL);
	return bringer;
}

void media_bringer_free(struct media_bringer **bringer_pointer)
{
	struct media_bringer *bringer = *bringer_pointer;
	if (bringer == NULL)
		return;
	pthread_mutex_lock(&bringer->lock);
	bringer->is_ending = true;
	pthread_cond_broadcast(&bringer->changed);
	pthread_mutex_unlock(&bringer->lock);
	for (size_t i = 0; i < bringer->thread_count; i++)
		pthread_join(bringer->threads[i], NULL);
	pthread_cond_destroy(&bringer->changed);
	pthread_mutex_destroy(&bringer->lock);
	free(bringer);
	*bringer_pointer = NULL;
}

/* Lock held. */
static void begin(struct media_bringer *bringer, struct str media_id)
{
	const struct thread_config config = {"media", STACK_BYTES, serve, bringer};
	struct error err = {0};
	struct job *job = find_oldest(bringer, JOB_FREE);
	if (job == NULL)
		job = find_oldest(bringer, JOB_IS_OVER);
	if (job == NULL)
		return;
	*job = (struct job){.state = JOB_WAITS, .number = bringer->next_number++};
	snprintf(job->id, sizeof(job->id), STR_FMT, STR_ARG(media_id));
	if (bringer->thread_count < THREADS_MAX &&
	    thread_start(&config, &bringer->threads[bringer->thread_count], &err) == ERR_NONE)
		bringer->thread_count++;
	pthread_cond_signal(&bringer->changed);
}

static enum media_bring_state state_of(enum err_kind kind)
{
	if (kind == ERR_NONE)
		return MEDIA_BRING_DONE;
	return kind == ERR_NOT_FOUND ? MEDIA_BRING_GONE : MEDIA_BRING_FAILED;
}

enum media_bring_state media_bringer_ask(struct media_bringer *bringer, struct str media_id)
{
	enum media_bring_state state = MEDIA_BRING_UNDER_WAY;
	struct job *there = NULL;
	pthread_mutex_lock(&bringer->lock);
	for (size_t i = 0; i < JOBS_MAX; i++) {
		struct job *job = &bringer->jobs[i];
		if (job->state != JOB_FREE && str_equal_z(media_id, job->id))
			there = job;
	}
	if (there == NULL) {
		begin(bringer, media_id);
	} else if (there->state == JOB_IS_OVER) {
		state = state_of(there->kind);
		*there = (struct job){.state = JOB_FREE};
	}
	pthread_mutex_unlock(&bringer->lock);
	return state;
}
