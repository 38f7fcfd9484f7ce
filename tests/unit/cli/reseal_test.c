/* SPDX-License-Identifier: Apache-2.0
 * master-key create and reseal; no service runs. A change of the key with everything in the
 * database, killed again and again, is tests/fault/test_reseal.py. */
#include "cli_fixture.h"

static int run(struct fixture *fx, int (*function)(const struct command *), const char *operand)
{
	struct arguments arguments = {.words = {"master-key", "create", operand}, .word_count = 3};
	const struct command command = {fx->arena, &fx->settings, &arguments};
	return function(&command);
}

static const char *key_path(struct fixture *fx, const char *name)
{
	return str_z(fx->arena, str_format(fx->arena, "%s/%s", fx->directory, name));
}

static void a_key_is_made_once(void **state)
{
	struct fixture *fx = *state;
	const char *path = key_path(fx, "new.key");
	struct stat first;
	struct stat second;
	assert_int_equal(run(fx, reseal_create_key, path), 0);
	assert_int_equal(stat(path, &first), 0);
	assert_int_equal(first.st_mode & 07777, 0600);
	assert_int_equal(run(fx, reseal_create_key, path), 1);
	assert_int_equal(stat(path, &second), 0);
	assert_true(first.st_ino == second.st_ino);
	assert_int_equal(run(fx, reseal_create_key, key_path(fx, "no/new.key")), 1);
}

static void an_empty_database_has_nothing_to_seal_again(void **state)
{
	struct fixture *fx = *state;
	assert_int_equal(run(fx, reseal_command, NULL), 0);
	assert_true(is_there(fx, "posthorn.db"));
}

static void an_old_key_that_is_not_there_is_an_error(void **state)
{
	struct fixture *fx = *state;
	struct service *service = NULL;
	struct error err = {0};
	fixture_flag(fx, "old-master-key-file", key_path(fx, "none.key"));
	assert_int_equal(service_open(&fx->settings, SERVICE_COMMAND, &service, &err),
			 ERR_INTERNAL);
	assert_non_null(strstr(err.text, "old-master-key-file"));
	assert_non_null(strstr(err.text, "none.key"));
	assert_int_equal(run(fx, reseal_command, NULL), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLI_TEST(a_key_is_made_once),
		CLI_TEST(an_empty_database_has_nothing_to_seal_again),
		CLI_TEST(an_old_key_that_is_not_there_is_an_error),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
