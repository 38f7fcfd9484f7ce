/* SPDX-License-Identifier: Apache-2.0
 * The spawner: jobs that answer, that die, that hang, and programs; a fault costs one answer. The
 * test program is its own spawner. */
#include "spawner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "count_of.h"

#include "contain.h"

enum job {
	JOB_READ,
	JOB_DIE,
	JOB_HANG,
	JOB_SILENT,
	JOB_OPEN,
	JOB_LOOK,
	JOB_CAT,
	JOB_STEPS,
	JOB_COUNT
};

static size_t read_file(int file, char *answer)
{
	const ssize_t count = pread(file, answer, SPAWNER_ANSWER_BYTES, 0);
	return count > 0 ? (size_t)count : 0;
}

static size_t die(int file, char *answer)
{
	(void)file;
	(void)answer;
	signal(SIGABRT, SIG_DFL);
	raise(SIGKILL);
	return 0;
}

static size_t hang(int file, char *answer)
{
	const volatile int forever = 1;
	(void)file;
	(void)answer;
	while (forever)
		;
	return 0;
}

static size_t say_nothing(int file, char *answer)
{
	(void)file;
	(void)answer;
	return 0;
}

static size_t open_file(int file, char *answer)
{
	(void)file;
	answer[0] = open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0 ? 'y' : 'n';
	return 1;
}

/* Which descriptors are open, and which variables there are. */
static size_t look_around(int file, char *answer)
{
	char byte;
	(void)file;
	answer[0] = pread(3, &byte, 1, 0) == 1 ? 'y' : 'n';
	answer[1] = getenv("SPAWNER_TEST_SECRET") == NULL ? 'n' : 'y';
	answer[2] = pread(4, &byte, 1, 0) == 1 ? 'y' : 'n';
	return 3;
}

/* Three packets on the way, then the answer: whether it started a program. */
static size_t go_in_steps(int file, char *answer)
{
	char *const words[] = {(char *)(uintptr_t) "true", NULL};
	int status = 1;
	(void)file;
	for (int i = 0; i < 3; i++) {
		if (write(STDOUT_FILENO, "step", 4) != 4)
			return 0;
		usleep(20000);
	}
	const pid_t child = fork();
	if (child == 0) {
		execve("/bin/true", words, words + 1);
		_exit(1);
	}
	answer[0] = waitpid(child, &status, 0) == child && status == 0 ? 'y' : 'n';
	return 1;
}

static const struct spawner_job jobs[JOB_COUNT] = {
	[JOB_READ] = {.run = read_file, .seconds = 5, .memory_bytes = (size_t)64 << 20},
	[JOB_DIE] = {.run = die, .seconds = 5, .memory_bytes = (size_t)64 << 20},
	[JOB_HANG] = {.run = hang, .seconds = 1, .memory_bytes = (size_t)64 << 20},
	[JOB_SILENT] = {.run = say_nothing, .seconds = 5, .memory_bytes = (size_t)64 << 20},
	[JOB_OPEN] = {.run = open_file, .seconds = 5, .memory_bytes = (size_t)64 << 20},
	[JOB_LOOK] = {.run = look_around, .seconds = 5, .memory_bytes = (size_t)64 << 20},
	[JOB_STEPS] = {.run = go_in_steps,
		       .starts_program = true,
		       .seconds = 5,
		       .memory_bytes = (size_t)64 << 20},
	[JOB_CAT] = {.program = "/bin/cat", .seconds = 5, .memory_bytes = (size_t)64 << 20},
};

struct world {
	struct spawner *spawner;
	int file;
};

static int begin(void **state)
{
	char path[] = "/tmp/posthorn-spawner-XXXXXX";
	struct world *world = calloc(1, sizeof(*world));
	struct error err = {0};
	if (world == NULL)
		return -1;
	setenv("SPAWNER_TEST_SECRET", "1", 1);
	world->file = mkstemp(path);
	unlink(path);
	if (write(world->file, "a picture", 9) != 9 ||
	    spawner_start("/proc/self/exe", &world->spawner, &err) != ERR_NONE)
		return -1;
	*state = world;
	return 0;
}

static int end(void **state)
{
	struct world *world = *state;
	spawner_stop(&world->spawner);
	spawner_stop(&world->spawner);
	close(world->file);
	free(world);
	return 0;
}

static enum spawner_end ask(struct world *world, enum job job, char *answer, size_t *size)
{
	lseek(world->file, 0, SEEK_SET);
	return spawner_run(world->spawner, job, &world->file, 1, answer, size);
}

static void assert_reads(struct world *world)
{
	char answer[SPAWNER_ANSWER_BYTES];
	size_t size = 0;
	assert_int_equal(ask(world, JOB_READ, answer, &size), SPAWNER_ANSWERED);
	assert_int_equal(size, 9);
	assert_memory_equal(answer, "a picture", 9);
}

static void a_job_reads_its_file(void **state)
{
	assert_reads(*state);
}

static void a_program_reads_its_file_too(void **state)
{
	char answer[SPAWNER_ANSWER_BYTES];
	size_t size = 0;
	assert_int_equal(ask(*state, JOB_CAT, answer, &size), SPAWNER_ANSWERED);
	assert_int_equal(size, 9);
	assert_memory_equal(answer, "a picture", 9);
}

static void a_job_that_dies_hangs_or_is_silent_costs_its_own_answer(void **state)
{
	static const enum job bad[] = {JOB_DIE, JOB_HANG, JOB_SILENT, JOB_COUNT};
	char answer[SPAWNER_ANSWER_BYTES];
	size_t size = 0;
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		assert_int_equal(ask(*state, bad[i], answer, &size), SPAWNER_FAILED);
		assert_reads(*state);
	}
}

static void a_job_that_opens_a_file_is_killed(void **state)
{
	char answer[SPAWNER_ANSWER_BYTES];
	size_t size = 0;
	const enum spawner_end ended = ask(*state, JOB_OPEN, answer, &size);
	if (!CONTAIN_IS_BUILT)
		skip();
	assert_int_equal(ended, SPAWNER_FAILED);
}

static void a_job_has_the_files_that_it_is_given_and_nothing_else(void **state)
{
	struct world *world = *state;
	const int files[] = {world->file, world->file};
	char answer[SPAWNER_ANSWER_BYTES];
	size_t size = 0;
	assert_int_equal(ask(world, JOB_LOOK, answer, &size), SPAWNER_ANSWERED);
	assert_memory_equal(answer, "nnn", 3);
	assert_int_equal(spawner_run(world->spawner, JOB_LOOK, files, 2, answer, &size),
			 SPAWNER_ANSWERED);
	assert_memory_equal(answer, "ynn", 3);
}

static void many_askers_wait_for_their_own(void **state)
{
	for (int i = 0; i < 100; i++)
		assert_reads(*state);
}

struct ear {
	int steps;
	int steps_max; /* gives up after so many */
	char answer;
};

static enum spawner_heard hear(void *context, const char *packet, size_t size)
{
	struct ear *ear = context;
	if (size == 4)
		return ++ear->steps < ear->steps_max ? SPAWNER_GO_ON : SPAWNER_GIVE_UP;
	ear->answer = size == 1 ? packet[0] : ear->answer;
	return size == 1 ? SPAWNER_HAS_ANSWER : SPAWNER_GO_ON;
}

static enum spawner_end watch(struct world *world, enum job job, struct ear *ear,
			      int64_t longest_ms)
{
	const struct spawner_order order = {job, &world->file, 1};
	const struct spawner_watch watch = {longest_ms, hear, ear};
	return spawner_watch(world->spawner, &order, &watch);
}

static void a_job_that_takes_long_says_how_far_it_is(void **state)
{
	struct ear ear = {.steps_max = 9};
	assert_int_equal(watch(*state, JOB_STEPS, &ear, 5000), SPAWNER_ANSWERED);
	assert_int_equal(ear.steps, 3);
	assert_int_equal(ear.answer, 'y');
}

static void a_job_is_given_up_when_its_asker_or_its_time_says_so(void **state)
{
	struct ear ear = {.steps_max = 2};
	assert_int_equal(watch(*state, JOB_STEPS, &ear, 5000), SPAWNER_FAILED);
	assert_int_equal(ear.steps, 2);
	ear = (struct ear){.steps_max = 9};
	assert_int_equal(watch(*state, JOB_HANG, &ear, 100), SPAWNER_FAILED);
	assert_int_equal(watch(*state, JOB_DIE, &ear, 5000), SPAWNER_FAILED);
	assert_reads(*state);
}

static void without_a_spawner_nobody_answers(void **state)
{
	struct world *world = *state;
	struct spawner *none = NULL;
	struct error err = {0};
	char answer[SPAWNER_ANSWER_BYTES];
	size_t size = 0;
	assert_int_equal(spawner_start("/nowhere/at/all", &none, &err), ERR_NONE);
	enum spawner_end ended = SPAWNER_FAILED;
	for (int i = 0; i < 100 && ended != SPAWNER_GONE; i++) {
		ended = spawner_run(none, JOB_READ, &world->file, 1, answer, &size);
		usleep(10000);
	}
	assert_int_equal(ended, SPAWNER_GONE);
	spawner_stop(&none);
}

#define SPAWNER_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], SPAWNER_WORD) == 0)
		return spawner_serve(jobs, COUNT_OF(jobs));
	const struct CMUnitTest tests[] = {
		SPAWNER_TEST(a_job_reads_its_file),
		SPAWNER_TEST(a_program_reads_its_file_too),
		SPAWNER_TEST(a_job_that_dies_hangs_or_is_silent_costs_its_own_answer),
		SPAWNER_TEST(a_job_that_opens_a_file_is_killed),
		SPAWNER_TEST(a_job_has_the_files_that_it_is_given_and_nothing_else),
		SPAWNER_TEST(many_askers_wait_for_their_own),
		SPAWNER_TEST(a_job_that_takes_long_says_how_far_it_is),
		SPAWNER_TEST(a_job_is_given_up_when_its_asker_or_its_time_says_so),
		SPAWNER_TEST(without_a_spawner_nobody_answers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
