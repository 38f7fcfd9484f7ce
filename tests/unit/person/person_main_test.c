/* SPDX-License-Identifier: Apache-2.0
 * A whole run with its real ports: what it says before and without a service. What it does with one
 * is tests/api/test_person.py's. */
#include "person_fixture.h"

#include <fcntl.h>
#include <unistd.h>

#include "person.h"

/* Runs a command line; what it prints goes nowhere. */
static int run(const char *const *words, const char *token)
{
	static char program[] = "posthorn";
	char *argv[DESK_WORDS_MAX] = {program};
	char variable[64];
	int argc = 1;
	fflush(stdout);
	fflush(stderr);
	const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	const int out = dup(STDOUT_FILENO);
	const int err = dup(STDERR_FILENO);
	for (; *words != NULL; words++)
		argv[argc++] = (char *)(uintptr_t)*words;
	snprintf(variable, sizeof(variable), "POSTHORN_TOKEN=%s", token);
	char *const environment[] = {variable, NULL};
	dup2(nowhere, STDOUT_FILENO);
	dup2(nowhere, STDERR_FILENO);
	const int status = person_main(argc, argv, environment, "Posthorn/test");
	fflush(stdout);
	fflush(stderr);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	close(nowhere);
	close(out);
	close(err);
	return status;
}

#define RUN(token, ...) run((const char *const[]){__VA_ARGS__, NULL}, (token))

static void exit_statuses(void **state)
{
	(void)state;
	assert_int_equal(RUN("", "posts", "--help"), PERSON_DONE);
	assert_int_equal(RUN("", "posts"), PERSON_WRONG_USE);
	assert_int_equal(RUN("t", "posts", "--nonsense"), PERSON_WRONG_USE);
	assert_int_equal(RUN("t", "post", "t", "--to", "x", "--media", "a.png"), PERSON_WRONG_USE);
	/* the discard port: nobody listens there */
	assert_int_equal(RUN("t", "posts", "--url", "http://127.0.0.1:9"), PERSON_FAILED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exit_statuses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
