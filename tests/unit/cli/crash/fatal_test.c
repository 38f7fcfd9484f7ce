/* SPDX-License-Identifier: Apache-2.0
 * Deaths in a child process, and what it left in the file. */
#include "fatal.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "count_of.h"

static void die_by_abort(void)
{
	abort();
}

static void die_by_raise(void)
{
	raise(SIGSEGV);
}

static void die_by_kill(void)
{
	kill(getpid(), SIGKILL);
}

static void die_idle(void)
{
	fatal_set_delivery(STR(""));
	abort();
}

static void die_with_a_long_name(void)
{
	fatal_set_delivery(
		STR("0123456789012345678901234567890123456789012345678901234567890123456789"));
	abort();
}

static void die_without_notes(void)
{
	fatal_install(-1);
	abort();
}

static void *abort_elsewhere(void *argument)
{
	(void)argument;
	abort();
}

/* Another thread's mistake is not this delivery's. */
static void die_elsewhere(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, abort_elsewhere, NULL);
	pthread_join(thread, NULL);
}

/* volatile: the compiler must believe in the recursion, and in the pointer. */
static volatile int depth;

static int recurse(int level)
{
	volatile char frame[4096];
	frame[0] = (char)level;
	depth = level;
	return level < 0 ? 0 : recurse(level + 1) + frame[0];
}

static void *recurse_on_own_stack(void *argument)
{
	(void)argument;
	struct fatal_stack *stack = fatal_stack_begin();
	fatal_set_delivery(STR("delivery-1"));
	recurse(1);
	fatal_stack_end(&stack);
	return NULL;
}

static void die_by_recursion(void)
{
	pthread_t thread;
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 1 << 20);
	pthread_create(&thread, &attributes, recurse_on_own_stack, NULL);
	pthread_join(thread, NULL);
}

static const struct {
	const char *name;
	void (*die)(void);
	int signal;
	const char *note;
} deaths[] = {
	{"abort", die_by_abort, SIGABRT, "delivery-1\n"},
	{"a fault somebody raised", die_by_raise, SIGSEGV, "delivery-1\n"},
	{"a stack that is full", die_by_recursion, SIGSEGV, "delivery-1\n"},
	{"SIGKILL", die_by_kill, SIGKILL, ""},
	{"nothing was stepped", die_idle, SIGABRT, ""},
	{"no id of ours", die_with_a_long_name, SIGABRT, ""},
	{"the file is closed already", die_without_notes, SIGABRT, ""},
	{"another thread", die_elsewhere, SIGABRT, ""},
};

static void child(size_t index, int fd)
{
	static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
	for (size_t i = 0; i < COUNT_OF(signals); i++)
		signal(signals[i],
		       SIG_DFL); /* cmocka's handlers would take the death for a failed test */
	fatal_install(fd);
	fatal_install(fd); /* twice is once */
	fatal_set_delivery(STR("delivery-1"));
	deaths[index].die();
	_exit(0);
}

static void each_death_leaves_its_note(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(deaths); i++) {
		char path[] = "/tmp/fatal-test-XXXXXX";
		char note[256] = {0};
		int status = 0;
		const int fd = mkostemp(path, O_APPEND);
		const pid_t pid = fork();
		if (pid == 0)
			child(i, fd);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(pread(fd, note, sizeof(note) - 1, 0) >= 0);
		if (strcmp(note, deaths[i].note) != 0)
			fail_msg("%s: \"%s\" instead of \"%s\"", deaths[i].name, note,
				 deaths[i].note);
		if (!WIFSIGNALED(status) || WTERMSIG(status) != deaths[i].signal)
			fail_msg("%s: ended with %x", deaths[i].name, (unsigned)status);
		close(fd);
		unlink(path);
	}
}

static void a_stack_is_given_back(void **state)
{
	(void)state;
	stack_t before = {0};
	stack_t after = {0};
	sigaltstack(NULL, &before);
	struct fatal_stack *stack = fatal_stack_begin();
	assert_non_null(stack);
	fatal_stack_end(&stack);
	assert_null(stack);
	fatal_stack_end(&stack);
	sigaltstack(NULL, &after);
	assert_ptr_equal(before.ss_sp, after.ss_sp);
	assert_int_equal(before.ss_flags, after.ss_flags);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_death_leaves_its_note),
		cmocka_unit_test(a_stack_is_given_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
