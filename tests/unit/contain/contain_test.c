/* SPDX-License-Identifier: Apache-2.0
 * Landlock, in a child each time: what is refused stays refused. */
#include "contain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "count_of.h"

#define NO_LANDLOCK 77

struct place {
	char inside[64];
	char outside[64];
	char note[96];  /* a file that is there, inside */
	char other[96]; /* and outside */
};

static void put_file(char *path, size_t size, const char *directory)
{
	snprintf(path, size, "%s/note", directory);
	const int fd = open(path, O_WRONLY | O_CREAT, 0600);
	assert_int_equal(write(fd, "x", 1), 1);
	close(fd);
}

static int make_place(void **state)
{
	struct place *place = calloc(1, sizeof(*place));
	snprintf(place->inside, sizeof(place->inside), "/tmp/posthorn-in-XXXXXX");
	snprintf(place->outside, sizeof(place->outside), "/tmp/posthorn-out-XXXXXX");
	if (place == NULL || mkdtemp(place->inside) == NULL || mkdtemp(place->outside) == NULL)
		return -1;
	put_file(place->note, sizeof(place->note), place->inside);
	put_file(place->other, sizeof(place->other), place->outside);
	*state = place;
	return 0;
}

static int remove_place(void **state)
{
	struct place *place = *state;
	unlink(place->note);
	unlink(place->other);
	rmdir(place->inside);
	rmdir(place->outside);
	free(place);
	return 0;
}

/* The errno of an open, 0 when it succeeds. */
static int errno_of_open(const char *path, int flags)
{
	const int fd = open(path, flags | O_CLOEXEC, 0600);
	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

/* Runs in a child; its result is the exit status. */
static int in_child(int (*run)(const struct place *place), const struct place *place)
{
	int status = 0;
	const pid_t child = fork();
	if (child == 0)
		_exit(run(place));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int with_inside(const struct place *place, enum contain_access access)
{
	const struct contain_path paths[] = {{place->inside, access},
					     {"/nowhere/at/all", CONTAIN_READ}};
	int version = 0;
	contain_process();
	if (contain_files(paths, COUNT_OF(paths), &version, NULL) != ERR_NONE)
		return 99;
	return version == 0 ? NO_LANDLOCK : 0;
}

static int write_inside(const struct place *place)
{
	const int begun = with_inside(place, CONTAIN_WRITE);
	if (begun != 0)
		return begun;
	char made[128];
	char moved[128];
	snprintf(made, sizeof(made), "%s/made", place->inside);
	snprintf(moved, sizeof(moved), "%s/moved", place->inside);
	if (errno_of_open(made, O_RDWR | O_CREAT) != 0 || rename(made, moved) != 0 ||
	    truncate(moved, 5) != 0 || unlink(moved) != 0)
		return 1;
	if (errno_of_open(place->other, O_RDONLY) != EACCES)
		return 2;
	if (errno_of_open("/etc/shadow", O_RDONLY) != EACCES)
		return 3;
	return errno_of_open(place->outside, O_DIRECTORY) == EACCES ? 0 : 4;
}

static int read_inside(const struct place *place)
{
	const int begun = with_inside(place, CONTAIN_READ);
	if (begun != 0)
		return begun;
	char made[128];
	snprintf(made, sizeof(made), "%s/made", place->inside);
	if (errno_of_open(place->note, O_RDONLY) != 0)
		return 1;
	if (errno_of_open(place->note, O_WRONLY) != EACCES)
		return 2;
	if (errno_of_open(made, O_WRONLY | O_CREAT) != EACCES)
		return 3;
	return unlink(place->note) != 0 && errno == EACCES ? 0 : 4;
}

static int execute_inside(const struct place *place)
{
	const int begun = with_inside(place, CONTAIN_WRITE);
	if (begun != 0)
		return begun;
	char *const words[] = {(char *)(uintptr_t) "note", NULL};
	chmod(place->note, 0700);
	execve(place->note, words, words + 1);
	return errno == EACCES ? 0 : 1;
}

static void expect_done(int status)
{
	if (status == NO_LANDLOCK)
		skip();
	assert_int_equal(status, 0);
}

static void what_may_be_written_may_be_made_moved_and_removed(void **state)
{
	expect_done(in_child(write_inside, *state));
}

static void what_may_be_read_is_not_written(void **state)
{
	expect_done(in_child(read_inside, *state));
}

static void nothing_is_executed_where_it_was_written(void **state)
{
	expect_done(in_child(execute_inside, *state));
}

static int look_at_process(const struct place *place)
{
	struct rlimit core = {1, 1};
	char made[128];
	struct stat status;
	contain_process();
	getrlimit(RLIMIT_CORE, &core);
	if (core.rlim_cur != 0 || core.rlim_max != 0)
		return 1;
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		return 2;
	if (CONTAIN_IS_BUILT && prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0)
		return 3;
	snprintf(made, sizeof(made), "%s/made", place->inside);
	close(open(made, O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
	const bool is_ours = stat(made, &status) == 0 && (status.st_mode & 077) == 0;
	unlink(made);
	return is_ours ? 0 : 4;
}

static void a_process_has_no_cores_no_new_privileges_and_private_files(void **state)
{
	assert_int_equal(in_child(look_at_process, *state), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_may_be_written_may_be_made_moved_and_removed,
						make_place, remove_place),
		cmocka_unit_test_setup_teardown(what_may_be_read_is_not_written, make_place,
						remove_place),
		cmocka_unit_test_setup_teardown(nothing_is_executed_where_it_was_written,
						make_place, remove_place),
		cmocka_unit_test_setup_teardown(
			a_process_has_no_cores_no_new_privileges_and_private_files, make_place,
			remove_place),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
