/* SPDX-License-Identifier: Apache-2.0
 * See fitter.h. A table of jobs under one lock; a thread takes the first that waits. A result that
 * nobody fetches any more gives way when its place is needed, with its file. */
#include "fitter.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sodium.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JOBS_MAX 64
#define THREADS_MAX 2
#define CHUNK_BYTES 65536

enum job_state { JOB_FREE, JOB_WAITS, JOB_RUNS, JOB_IS_OVER };

struct job {
	enum job_state state;
	uint64_t number; /* rises: the oldest first */
	char key[FITTER_KEY_BYTES];
	char *in_path;
	char *out_path;
	bool is_strip;
	struct fit_order order;
	struct fitter_result result;
};

struct fitter {
	struct fitter_worker worker;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_t threads[THREADS_MAX];
	size_t thread_count;
	bool is_ending;
	uint64_t next_number;
	struct job jobs[JOBS_MAX];
};

/* ---- a thread ---- */

static bool hash_file(int fd, char hex[65])
{
	static _Thread_local unsigned char chunk[CHUNK_BYTES];
	unsigned char hash[crypto_hash_sha256_BYTES];
	crypto_hash_sha256_state state;
	off_t at = 0;
	ssize_t count;
	crypto_hash_sha256_init(&state);
	while ((count = pread(fd, chunk, sizeof(chunk), at)) > 0) {
		crypto_hash_sha256_update(&state, chunk, (size_t)count);
		at += count;
	}
	crypto_hash_sha256_final(&state, hash);
	sodium_bin2hex(hex, 65, hash, sizeof(hash));
	return count == 0 && at > 0;
}

static void run_on(const struct fitter *fitter, struct job *job, int in, int out)
{
	const struct fitter_work work = {in, out, job->is_strip ? NULL : &job->order};
	job->result.end = fitter->worker.run(fitter->worker.context, &work, &job->result.answer);
	const bool is_made =
		job->result.end == FITTER_ANSWERED && job->result.answer.outcome == FIT_DONE;
	/* An answer without a file is the word of a child that something took over. */
	if (is_made && (fsync(out) != 0 || !hash_file(out, job->result.sha256)))
		job->result.end = FITTER_DIED;
}

static void run(const struct fitter *fitter, struct job *job)
{
	job->result = (struct fitter_result){.end = FITTER_DIED};
	const int in = open(job->in_path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	const int out =
		open(job->out_path, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (in >= 0 && out >= 0)
		run_on(fitter, job, in, out);
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
}

/* Lock held. The oldest in that state, or NULL. */
static struct job *find_oldest(struct fitter *fitter, enum job_state state)
{
	struct job *oldest = NULL;
	for (size_t i = 0; i < JOBS_MAX; i++) {
		struct job *job = &fitter->jobs[i];
		if (job->state == state && (oldest == NULL || job->number < oldest->number))
			oldest = job;
	}
	return oldest;
}

static void *serve(void *context)
{
	struct fitter *fitter = context;
	pthread_mutex_lock(&fitter->lock);
	while (!fitter->is_ending) {
		struct job *job = find_oldest(fitter, JOB_WAITS);
		if (job == NULL) {
			pthread_cond_wait(&fitter->changed, &fitter->lock);
			continue;
		}
		job->state = JOB_RUNS;
		pthread_mutex_unlock(&fitter->lock);
		run(fitter, job);
		pthread_mutex_lock(&fitter->lock);
		job->state = JOB_IS_OVER;
	}
	pthread_mutex_unlock(&fitter->lock);
	return NULL;
}

/* ---- its owner ---- */

static void clear(struct job *job)
{
	free(job->in_path);
	free(job->out_path);
	*job = (struct job){0};
}

struct fitter *fitter_new(const struct fitter_worker *worker)
{
	struct fitter *fitter = calloc(1, sizeof(*fitter));
	if (fitter == NULL)
		return NULL;
	fitter->worker = *worker;
	pthread_mutex_init(&fitter->lock, NULL);
	pthread_cond_init(&fitter->changed, NULL);
	return fitter;
}

void fitter_free(struct fitter **fitter_pointer)
{
	struct fitter *fitter = *fitter_pointer;
	if (fitter == NULL)
		return;
	pthread_mutex_lock(&fitter->lock);
	fitter->is_ending = true;
	pthread_cond_broadcast(&fitter->changed);
	pthread_mutex_unlock(&fitter->lock);
	for (size_t i = 0; i < fitter->thread_count; i++)
		pthread_join(fitter->threads[i], NULL);
	for (size_t i = 0; i < JOBS_MAX; i++)
		clear(&fitter->jobs[i]);
	pthread_cond_destroy(&fitter->changed);
	pthread_mutex_destroy(&fitter->lock);
	free(fitter);
	*fitter_pointer = NULL;
}

/* Lock held. NULL: all places are taken by what waits or runs. */
static struct job *find_place(struct fitter *fitter)
{
	struct job *place = find_oldest(fitter, JOB_FREE);
	if (place != NULL)
		return place;
	place = find_oldest(fitter, JOB_IS_OVER);
	if (place != NULL) {
		unlink(place->out_path);
		clear(place);
	}
	return place;
}

/* Lock held. Without a thread the job waits, and the next one tries again. */
static void begin(struct fitter *fitter, const struct fitter_job *wanted)
{
	struct job *job = find_place(fitter);
	if (job == NULL)
		return;
	*job = (struct job){.state = JOB_WAITS,
			    .number = fitter->next_number++,
			    .in_path = strdup(wanted->in_path),
			    .out_path = strdup(wanted->out_path),
			    .is_strip = wanted->order == NULL};
	if (job->in_path == NULL || job->out_path == NULL)
		abort(); /* the same rule as arena_alloc */
	if (wanted->order != NULL)
		job->order = *wanted->order;
	snprintf(job->key, sizeof(job->key), STR_FMT, STR_ARG(wanted->key));
	if (fitter->thread_count < THREADS_MAX &&
	    pthread_create(&fitter->threads[fitter->thread_count], NULL, serve, fitter) == 0)
		fitter->thread_count++;
	pthread_cond_signal(&fitter->changed);
}

/* Lock held. */
static struct job *find_key(struct fitter *fitter, struct str key)
{
	for (size_t i = 0; i < JOBS_MAX; i++) {
		struct job *job = &fitter->jobs[i];
		if (job->state != JOB_FREE && str_equal_z(key, job->key))
			return job;
	}
	return NULL;
}

enum fitter_state fitter_ask(struct fitter *fitter, const struct fitter_job *job,
			     struct fitter_result *result_out)
{
	enum fitter_state state = FITTER_UNDER_WAY;
	assert(job->key.len < FITTER_KEY_BYTES);
	if (fitter->worker.run == NULL) {
		*result_out = (struct fitter_result){.end = FITTER_MISSING};
		return FITTER_FINISHED;
	}
	pthread_mutex_lock(&fitter->lock);
	struct job *there = find_key(fitter, job->key);
	if (there == NULL) {
		begin(fitter, job);
	} else if (there->state == JOB_IS_OVER) {
		*result_out = there->result;
		clear(there);
		state = FITTER_FINISHED;
	}
	pthread_mutex_unlock(&fitter->lock);
	return state;
}
