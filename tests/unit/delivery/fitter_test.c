/* SPDX-License-Identifier: Apache-2.0
 * Tests of delivery/fitter.h: work beside the asker, once for a key, and nothing believed without a
 * file. */
#include "fitter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char directory[] = "/tmp/posthorn-fitter-XXXXXX";
static char in_path[64];
static char out_path[64];
static atomic_int runs;
static enum fitter_end next_end;
static struct fit_answer next_answer;
static const char *next_bytes;

static enum fitter_end work(void *context, const struct fitter_work *given,
			    struct fit_answer *answer_out)
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
	struct fitter *fitter = fitter_new(&worker);
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
	next_answer = (struct fit_answer){FIT_DONE, 2, 3, 90};
	next_bytes = "abc";
	const struct fitter_result result = ask(fitter, "a");
	assert_int_equal(result.end, FITTER_ANSWERED);
	assert_int_equal(result.answer.width, 2);
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
	next_answer = (struct fit_answer){FIT_DONE, 2, 3, 90};
	next_bytes = NULL;
	assert_int_equal(ask(fitter, "a").end, FITTER_DIED);
	next_answer.outcome = FIT_BROKEN;
	assert_int_equal(ask(fitter, "a").answer.outcome, FIT_BROKEN);
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
	next_answer = (struct fit_answer){.outcome = FIT_BROKEN};
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
	assert_int_equal(ask(fitter, "last").answer.outcome, FIT_BROKEN);
	fitter_free(&fitter);
}

static void without_a_worker_nothing_is_fitted(void **state)
{
	(void)state;
	const struct fitter_worker none = {NULL, NULL};
	struct fitter *fitter = fitter_new(&none);
	assert_int_equal(ask(fitter, "a").end, FITTER_MISSING);
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
	};
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
