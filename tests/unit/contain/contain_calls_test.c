/* SPDX-License-Identifier: Apache-2.0
 * The filters of system calls, in a child each time: what each refuses, and that threads, files and
 * sockets go on. */
#include "contain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NO_FILTERS 77

static int status_of_child(int (*run)(void))
{
	int status = 0;
	const pid_t child = fork();
	if (child == 0) {
		contain_process();
		_exit(run());
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static void expect_done(int status)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_FILTERS)
		skip();
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static bool is_refused(long result)
{
	return result == -1 && errno == EPERM;
}

static bool is_execve_refused(void)
{
	char *const words[] = {(char *)(uintptr_t) "true", NULL};
	return is_refused(execve("/bin/true", words, words + 1));
}

static void *do_nothing(void *context)
{
	return context;
}

static int as_service(void)
{
	pthread_t thread;
	if (!contain_calls(CONTAIN_SERVICE))
		return NO_FILTERS;
	if (!is_execve_refused())
		return 1;
	if (!is_refused(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)))
		return 2;
	if (!is_refused(ptrace(PTRACE_TRACEME, 0, NULL, NULL)))
		return 3;
	if (!is_refused(mount("none", "/mnt", "tmpfs", 0, NULL)))
		return 4;
	if (!is_refused(syscall(SYS_bpf, 0, NULL, 0)))
		return 5;
	if (!is_refused(ioctl(STDIN_FILENO, TIOCSTI, "x")))
		return 6;
	if (pthread_create(&thread, NULL, do_nothing, NULL) != 0 || pthread_join(thread, NULL) != 0)
		return 7;
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	return fd >= 0 && close(fd) == 0 ? 0 : 8;
}

static int as_spawner(void)
{
	int status = 0;
	if (!contain_calls(CONTAIN_SPAWNER))
		return NO_FILTERS;
	if (!is_refused(socket(AF_INET, SOCK_STREAM, 0)))
		return 1;
	if (!is_refused(ptrace(PTRACE_TRACEME, 0, NULL, NULL)))
		return 2;
	const pid_t child = fork();
	if (child == 0) {
		char *const words[] = {(char *)(uintptr_t) "true", NULL};
		execve("/bin/true", words, words + 1);
		_exit(1);
	}
	return waitpid(child, &status, 0) == child && status == 0 ? 0 : 3;
}

static int as_parser(void)
{
	int ends[2];
	char byte = 'x';
	if (pipe(ends) != 0)
		return 1;
	if (!contain_calls(CONTAIN_PARSER))
		return NO_FILTERS;
	/* Not by functions that a sanitizer has made its own. */
	const bool is_good = syscall(SYS_write, ends[1], &byte, 1) == 1 &&
			     syscall(SYS_read, ends[0], &byte, 1) == 1;
	syscall(SYS_exit_group, is_good ? 0 : 2);
	return 3;
}

static int as_parser_that_opens(void)
{
	if (!contain_calls(CONTAIN_PARSER))
		return NO_FILTERS;
	return open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0 ? 1 : 0;
}

/* Another place with the same word is another program. */
static int as_a_program_to_be(void)
{
	static char other[] = "/bin/true";
	static const char program[] = "/bin/true";
	char *const words[] = {(char *)(uintptr_t) "true", NULL};
	if (!contain_program_calls(program))
		return NO_FILTERS;
	if (!is_refused(execve(other, words, words + 1)))
		return 1;
	if (!is_refused(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)))
		return 2;
	if (!is_refused(socket(AF_INET, SOCK_STREAM, 0)))
		return 3;
	execve(program, words, words + 1);
	return 4;
}

static void a_process_becomes_the_one_program_that_it_was_told(void **state)
{
	(void)state;
	expect_done(status_of_child(as_a_program_to_be));
}

static void the_service_starts_no_program_and_makes_no_process(void **state)
{
	(void)state;
	expect_done(status_of_child(as_service));
}

static void the_spawner_starts_programs_and_has_no_network(void **state)
{
	(void)state;
	expect_done(status_of_child(as_spawner));
}

static void a_parser_reads_and_writes_what_is_open(void **state)
{
	(void)state;
	expect_done(status_of_child(as_parser));
}

static void a_parser_that_opens_a_file_is_killed(void **state)
{
	(void)state;
	const int status = status_of_child(as_parser_that_opens);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_FILTERS)
		skip();
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGSYS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_becomes_the_one_program_that_it_was_told),
		cmocka_unit_test(the_service_starts_no_program_and_makes_no_process),
		cmocka_unit_test(the_spawner_starts_programs_and_has_no_network),
		cmocka_unit_test(a_parser_reads_and_writes_what_is_open),
		cmocka_unit_test(a_parser_that_opens_a_file_is_killed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
