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
#define NAME_BYTES 64 /* a UUID */
#define ASKERS_MAX 8  /* the others are not told how far it is */
#define CHUNK_BYTES 65536

enum job_state { JOB_FREE, JOB_WAITS, JOB_RUNS, JOB_IS_OVER };

struct job {
	enum job_state state;
	uint64_t number; /* rises: the oldest first */
	char key[FITTER_KEY_BYTES];
	char *in_path;
	char *out_path;
	char owner[NAME_BYTES];
	char askers[ASKERS_MAX][NAME_BYTES];
	size_t asker_count;
	bool has_order;
	struct fit_order order;
	bool has_film;
	struct film_order film;
	int64_t at_ms; /* of a film: how far it is */
	struct fitter_result result;
};

struct fitter {
	struct fitter_worker worker;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_t threads[FITTER_THREADS_MAX];
	size_t threads_max;
	size_t thread_count;
	bool is_ending;
	uint64_t next_number;
	struct job jobs[JOBS_MAX];
};

/* ---- a thread ---- */

static bool hash_file(int fd, char hex[65])
{
	unsigned char chunk[CHUNK_BYTES];
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

struct noting {
	struct fitter *fitter;
	struct job *job;
};

static bool note(void *context, int64_t at_ms)
{
	const struct noting *noting = context;
	pthread_mutex_lock(&noting->fitter->lock);
	noting->job->at_ms = at_ms;
	const bool is_wanted = !noting->fitter->is_ending;
	pthread_mutex_unlock(&noting->fitter->lock);
	return is_wanted;
}

static bool is_made(const struct job *job)
{
	const struct fitter_answer *answer = &job->result.answer;
	return job->result.end == FITTER_ANSWERED &&
	       (job->has_film ? answer->film.outcome == FILM_DONE
			      : answer->picture.outcome == FIT_DONE);
}

static void run_on(struct fitter *fitter, struct job *job, int in, int out)
{
	struct noting noting = {fitter, job};
	const struct fitter_work work = {.in_fd = in,
					 .out_fd = out,
					 .order = job->has_order ? &job->order : NULL,
					 .film = job->has_film ? &job->film : NULL,
					 .note = note,
					 .note_context = &noting};
	job->result.end = fitter->worker.run(fitter->worker.context, &work, &job->result.answer);
	/* An answer without a file is the word of a child that something took over. */
	if (is_made(job) && (fsync(out) != 0 || !hash_file(out, job->result.sha256)))
		job->result.end = FITTER_DIED;
}

/* A file of its own: a child that outlived an earlier service may still write to the last one. */
static int make_file(const char *path)
{
	unlink(path);
	return open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

static void run(struct fitter *fitter, struct job *job)
{
	job->result = (struct fitter_result){.end = FITTER_DIED};
	const int in = open(job->in_path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	const int out = make_file(job->out_path);
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

static size_t running_of(const struct fitter *fitter, const char *owner)
{
	size_t count = 0;
	for (size_t i = 0; i < JOBS_MAX; i++) {
		const struct job *job = &fitter->jobs[i];
		count += job->state == JOB_RUNS && strcmp(job->owner, owner) == 0;
	}
	return count;
}

/* Lock held. The oldest of those whose owner has the least done now, or NULL. */
static struct job *find_next(struct fitter *fitter)
{
	struct job *next = NULL;
	size_t least = 0;
	for (size_t i = 0; i < JOBS_MAX; i++) {
		struct job *job = &fitter->jobs[i];
		if (job->state != JOB_WAITS)
			continue;
		const size_t running = running_of(fitter, job->owner);
		if (next == NULL || running < least ||
		    (running == least && job->number < next->number)) {
			next = job;
			least = running;
		}
	}
	return next;
}

static void *serve(void *context)
{
	struct fitter *fitter = context;
	pthread_mutex_lock(&fitter->lock);
	while (!fitter->is_ending) {
		struct job *job = find_next(fitter);
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

struct fitter *fitter_new(const struct fitter_worker *worker, size_t threads)
{
	struct fitter *fitter = calloc(1, sizeof(*fitter));
	if (fitter == NULL)
		return NULL;
	fitter->worker = *worker;
	fitter->threads_max = threads < FITTER_THREADS_MAX ? threads : FITTER_THREADS_MAX;
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

static bool has_asker(const struct job *job, struct str asker)
{
	for (size_t i = 0; i < job->asker_count; i++) {
		if (str_equal_z(asker, job->askers[i]))
			return true;
	}
	return false;
}

static void note_asker(struct job *job, struct str asker)
{
	if (job->asker_count < ASKERS_MAX && !has_asker(job, asker))
		snprintf(job->askers[job->asker_count++], NAME_BYTES, STR_FMT, STR_ARG(asker));
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
			    .has_order = wanted->order != NULL,
			    .has_film = wanted->film != NULL};
	if (job->in_path == NULL || job->out_path == NULL)
		abort(); /* the same rule as arena_alloc */
	if (wanted->order != NULL)
		job->order = *wanted->order;
	if (wanted->film != NULL)
		job->film = *wanted->film;
	snprintf(job->owner, sizeof(job->owner), STR_FMT, STR_ARG(wanted->owner));
	note_asker(job, wanted->asker);
	snprintf(job->key, sizeof(job->key), STR_FMT, STR_ARG(wanted->key));
	if (fitter->thread_count < fitter->threads_max &&
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
	} else {
		note_asker(there, job->asker);
	}
	pthread_mutex_unlock(&fitter->lock);
	return state;
}

static int percent_of(const struct job *job)
{
	if (!job->has_film || job->film.duration_ms <= 0)
		return -1;
	const int64_t percent = job->at_ms * 100 / job->film.duration_ms;
	return percent < 0 ? 0 : percent < 99 ? (int)percent : 99;
}

bool fitter_find(struct fitter *fitter, struct str asker, struct fitter_progress *progress_out)
{
	bool is_found = false;
	pthread_mutex_lock(&fitter->lock);
	for (size_t i = 0; i < JOBS_MAX && !is_found; i++) {
		const struct job *job = &fitter->jobs[i];
		is_found = (job->state == JOB_WAITS || job->state == JOB_RUNS) &&
			   has_asker(job, asker);
		if (is_found)
			*progress_out =
				(struct fitter_progress){job->state == JOB_RUNS, percent_of(job)};
	}
	pthread_mutex_unlock(&fitter->lock);
	return is_found;
}
