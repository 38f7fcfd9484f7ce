/* SPDX-License-Identifier: Apache-2.0
 * Tests of delivery/fitter.h: work beside the asker, once for a key, and nothing believed without a
 * file. */
#include "fitter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "count_of.h"

static char directory[] = "/tmp/posthorn-fitter-XXXXXX";
static char in_path[64];
static char out_path[64];
static atomic_int runs;
static enum fitter_end next_end;
static struct fitter_answer next_answer;
static const char *next_bytes;

static enum fitter_end work(void *context, const struct fitter_work *given,
			    struct fitter_answer *answer_out)
{
	(void)context;
	runs++;
	if (next_bytes != NULL)
		assert_int_equal(write(given->out_fd, next_bytes, strlen(next_bytes)),
				 strlen(next_bytes));
	*answer_out = next_answer;
	return next_end;
}

static struct fitter *new_fitter(void)
{
	const struct fitter_worker worker = {work, NULL};
	struct fitter *fitter = fitter_new(&worker, 1);
	assert_non_null(fitter);
	return fitter;
}

static struct fitter_result ask(struct fitter *fitter, const char *key)
{
	const struct fitter_job job = {
		.key = str_of(key), .in_path = in_path, .out_path = out_path};
	struct fitter_result result;
	int tries = 0;
	while (fitter_ask(fitter, &job, &result) == FITTER_UNDER_WAY) {
		assert_true(tries++ < 5000);
		usleep(1000);
	}
	return result;
}

static void what_is_made_is_hashed(void **state)
{
	(void)state;
	struct fitter *fitter = new_fitter();
	runs = 0;
	next_end = FITTER_ANSWERED;
	next_answer = (struct fitter_answer){.picture = {FIT_DONE, 2, 3, 90}};
	next_bytes = "abc";
	const struct fitter_result result = ask(fitter, "a");
	assert_int_equal(result.end, FITTER_ANSWERED);
	assert_int_equal(result.answer.picture.width, 2);
	assert_string_equal(result.sha256,
			    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	assert_int_equal(runs, 1);
	/* Told once: who asks again begins again. */
	ask(fitter, "a");
	assert_int_equal(runs, 2);
	fitter_free(&fitter);
	assert_null(fitter);
	fitter_free(&fitter);
}

static void an_answer_without_a_file_is_not_believed(void **state)
{
	(void)state;
	struct fitter *fitter = new_fitter();
	next_end = FITTER_ANSWERED;
	next_answer = (struct fitter_answer){.picture = {FIT_DONE, 2, 3, 90}};
	next_bytes = NULL;
	assert_int_equal(ask(fitter, "a").end, FITTER_DIED);
	next_answer.picture.outcome = FIT_BROKEN;
	assert_int_equal(ask(fitter, "a").answer.picture.outcome, FIT_BROKEN);
	unlink(in_path);
	assert_int_equal(ask(fitter, "a").end, FITTER_DIED);
	fclose(fopen(in_path, "w"));
	fitter_free(&fitter);
}

static void results_that_nobody_fetches_give_way(void **state)
{
	(void)state;
	struct fitter *fitter = new_fitter();
	next_end = FITTER_ANSWERED;
	next_answer = (struct fitter_answer){.picture = {.outcome = FIT_BROKEN}};
	next_bytes = NULL;
	for (int i = 0; i < 200; i++) {
		char key[16];
		struct fitter_result result;
		snprintf(key, sizeof(key), "k%d", i);
		const struct fitter_job job = {
			.key = str_of(key), .in_path = in_path, .out_path = out_path};
		(void)fitter_ask(fitter, &job, &result);
		usleep(200);
	}
	assert_int_equal(ask(fitter, "last").answer.picture.outcome, FIT_BROKEN);
	fitter_free(&fitter);
}

static void without_a_worker_nothing_is_fitted(void **state)
{
	(void)state;
	const struct fitter_worker none = {NULL, NULL};
	struct fitter *fitter = fitter_new(&none, 1);
	assert_int_equal(ask(fitter, "a").end, FITTER_MISSING);
	fitter_free(&fitter);
}

/* ---- films ---- */

#define FILM_PATH_BYTES 80

struct stage {
	pthread_mutex_t lock;
	int64_t at_ms; /* what the worker says; -1 = it ends */
	bool ends_one; /* whoever reads it */
	bool was_given_up;
};

static enum fitter_end work_on_film(void *context, const struct fitter_work *given,
				    struct fitter_answer *answer_out)
{
	struct stage *stage = context;
	assert_non_null(given->film);
	*answer_out = (struct fitter_answer){.film = {FILM_BROKEN, 0}};
	pthread_mutex_lock(&stage->lock);
	while (stage->at_ms >= 0 && !stage->ends_one) {
		const int64_t at_ms = stage->at_ms;
		pthread_mutex_unlock(&stage->lock);
		const bool is_wanted = given->note(given->note_context, at_ms);
		usleep(1000);
		pthread_mutex_lock(&stage->lock);
		stage->was_given_up = stage->was_given_up || !is_wanted;
		if (!is_wanted)
			break;
	}
	stage->ends_one = false;
	pthread_mutex_unlock(&stage->lock);
	return FITTER_ANSWERED;
}

static void set_at(struct stage *stage, int64_t at_ms)
{
	pthread_mutex_lock(&stage->lock);
	stage->at_ms = at_ms;
	pthread_mutex_unlock(&stage->lock);
}

static const struct film_order two_seconds = {.duration_ms = 2000, .seconds_max = 10};

/* As in the service, each job has a file of its own: two that are begun at once would otherwise
 * remove each other's. */
static void film_path(const char *key, char path_out[FILM_PATH_BYTES])
{
	snprintf(path_out, FILM_PATH_BYTES, "%s-%s", out_path, key);
}

static enum fitter_state ask_film(struct fitter *fitter, const char *key, const char *owner,
				  struct fitter_result *result)
{
	char path[FILM_PATH_BYTES];
	film_path(key, path);
	const struct fitter_job job = {.key = str_of(key),
				       .owner = str_of(owner),
				       .asker = str_of(key),
				       .in_path = in_path,
				       .out_path = path,
				       .film = &two_seconds};
	return fitter_ask(fitter, &job, result);
}

static void wait_for_percent(struct fitter *fitter, const char *asker, int percent)
{
	struct fitter_progress progress = {.percent = -2};
	for (int i = 0; i < 5000 && (!progress.is_running || progress.percent != percent); i++) {
		assert_true(fitter_find(fitter, str_of(asker), &progress));
		usleep(1000);
	}
	assert_int_equal(progress.percent, percent);
}

static void a_film_says_how_far_it_is(void **state)
{
	(void)state;
	struct stage stage = {.lock = PTHREAD_MUTEX_INITIALIZER, .at_ms = 500};
	const struct fitter_worker worker = {work_on_film, &stage};
	struct fitter *fitter = fitter_new(&worker, 1);
	struct fitter_result result;
	struct fitter_progress progress;
	assert_false(fitter_find(fitter, STR("a"), &progress));
	assert_int_equal(ask_film(fitter, "a", "app", &result), FITTER_UNDER_WAY);
	wait_for_percent(fitter, "a", 25);
	set_at(&stage, 1500);
	wait_for_percent(fitter, "a", 75);
	/* Never all of it: that says the result. */
	set_at(&stage, 2100);
	wait_for_percent(fitter, "a", 99);
	assert_int_equal(ask_film(fitter, "b", "app", &result), FITTER_UNDER_WAY);
	assert_true(fitter_find(fitter, STR("b"), &progress));
	assert_false(progress.is_running);
	set_at(&stage, -1);
	while (ask_film(fitter, "a", "app", &result) == FITTER_UNDER_WAY)
		usleep(1000);
	assert_int_equal(result.answer.film.outcome, FILM_BROKEN);
	assert_false(fitter_find(fitter, STR("a"), &progress));
	fitter_free(&fitter);
}

static void who_ends_gives_its_films_up(void **state)
{
	(void)state;
	struct stage stage = {.lock = PTHREAD_MUTEX_INITIALIZER, .at_ms = 500};
	const struct fitter_worker worker = {work_on_film, &stage};
	struct fitter *fitter = fitter_new(&worker, 1);
	struct fitter_result result;
	assert_int_equal(ask_film(fitter, "a", "app", &result), FITTER_UNDER_WAY);
	wait_for_percent(fitter, "a", 25);
	fitter_free(&fitter);
	assert_true(stage.was_given_up);
}

/* One is still at work for the first app: the next place goes to the other, which asked last. */
static void an_app_with_many_films_does_not_take_all_places(void **state)
{
	(void)state;
	struct stage stage = {.lock = PTHREAD_MUTEX_INITIALIZER, .at_ms = 500};
	const struct fitter_worker worker = {work_on_film, &stage};
	struct fitter *fitter = fitter_new(&worker, 2);
	struct fitter_result result;
	struct fitter_progress progress;
	ask_film(fitter, "a", "many", &result);
	ask_film(fitter, "b", "many", &result);
	wait_for_percent(fitter, "a", 25);
	wait_for_percent(fitter, "b", 25);
	ask_film(fitter, "c", "many", &result);
	ask_film(fitter, "d", "other", &result);
	pthread_mutex_lock(&stage.lock);
	stage.ends_one = true;
	pthread_mutex_unlock(&stage.lock);
	wait_for_percent(fitter, "d", 25);
	assert_true(fitter_find(fitter, STR("c"), &progress) && !progress.is_running);
	fitter_free(&fitter);
}

static int set_up(void **state)
{
	(void)state;
	if (mkdtemp(directory) == NULL)
		return 1;
	snprintf(in_path, sizeof(in_path), "%s/in", directory);
	snprintf(out_path, sizeof(out_path), "%s/out", directory);
	FILE *file = fopen(in_path, "w");
	return file == NULL || fclose(file) != 0;
}

static int tear_down(void **state)
{
	(void)state;
	static const char *const films[] = {"a", "b", "c", "d"};
	for (size_t i = 0; i < COUNT_OF(films); i++) {
		char path[FILM_PATH_BYTES];
		film_path(films[i], path);
		unlink(path);
	}
	unlink(in_path);
	unlink(out_path);
	return rmdir(directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_made_is_hashed),
		cmocka_unit_test(an_answer_without_a_file_is_not_believed),
		cmocka_unit_test(results_that_nobody_fetches_give_way),
		cmocka_unit_test(without_a_worker_nothing_is_fitted),
		cmocka_unit_test(a_film_says_how_far_it_is),
		cmocka_unit_test(who_ends_gives_its_films_up),
		cmocka_unit_test(an_app_with_many_films_does_not_take_all_places),
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
