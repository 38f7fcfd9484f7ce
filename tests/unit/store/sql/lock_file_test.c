/* SPDX-License-Identifier: Apache-2.0 */
#include "lock_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void path_make(char out[64], const char *end)
{
	snprintf(out, 64, "/tmp/lock-test-%d%s", (int)getpid(), end);
}

static void the_second_is_told_who_is_the_first(void **state)
{
	(void)state;
	char path[64];
	char file[64];
	char pid[32];
	struct error err = {0};
	struct stat info;
	int fd = -1;
	int second = -1;
	path_make(path, "");
	path_make(file, ".lock");
	assert_int_equal(lock_file_take(path, &fd, &err), ERR_NONE);
	assert_int_equal(stat(file, &info), 0);
	assert_int_equal(info.st_mode & 0777, 0600);
	assert_int_equal(lock_file_take(path, &second, &err), ERR_CONFLICT);
	assert_int_equal(second, -1);
	snprintf(pid, sizeof(pid), "process %d;", (int)getpid());
	assert_non_null(strstr(err.text, pid));
	lock_file_release(&fd);
	assert_int_equal(fd, -1);
	lock_file_release(&fd);
	assert_int_equal(lock_file_take(path, &second, &err), ERR_NONE);
	lock_file_release(&second);
	unlink(file);
}

static void a_dead_owner_holds_nothing(void **state)
{
	(void)state;
	char path[64];
	char file[64];
	struct error err = {0};
	int fd = -1;
	path_make(path, "dead");
	path_make(file, "dead.lock");
	const pid_t child = fork();
	if (child == 0)
		_exit(lock_file_take(path, &fd, &err) == ERR_NONE ? 0 : 1);
	int status = -1;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(lock_file_take(path, &fd, &err), ERR_NONE);
	lock_file_release(&fd);
	unlink(file);
}

static void a_directory_that_is_not_there_is_no_conflict(void **state)
{
	(void)state;
	struct error err = {0};
	int fd = -1;
	assert_int_equal(lock_file_take("/nonexistent/x.db", &fd, &err), ERR_TEMPORARY);
	char path[5000];
	memset(path, 'p', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(lock_file_take(path, &fd, &err), ERR_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_second_is_told_who_is_the_first),
		cmocka_unit_test(a_dead_owner_holds_nothing),
		cmocka_unit_test(a_directory_that_is_not_there_is_no_conflict),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
