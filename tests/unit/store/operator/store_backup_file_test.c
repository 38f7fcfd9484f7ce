/* SPDX-License-Identifier: Apache-2.0
 * The file of a backup: its two names, its mode, and that it replaces nothing. */
#include "store_backup_file.h"

#include "world.h"

#include <unistd.h>

static const char *path_in(struct world *w, const char *name)
{
	return str_z(w->arena, str_format(w->arena, "%s/%s", w->directory, name));
}

static void a_file_gets_its_name_at_the_end(void **state)
{
	struct world *w = *state;
	struct store_backup_file file;
	struct error err = {0};
	struct stat status;
	const char *path = path_in(w, "one.db");
	ok(store_backup_file_begin(path, &file, &err), &err);
	assert_int_equal(write(file.fd, "x", 1), 1);
	assert_int_not_equal(stat(path, &status), 0);
	ok(store_backup_file_sync(&file, &err), &err);
	ok(store_backup_file_end(&file, &err), &err);
	store_backup_file_close(&file);
	store_backup_file_close(&file);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_size, 1);
	assert_int_equal(status.st_mode & 0777, 0600);
	assert_int_not_equal(stat(file.temporary, &status), 0);
}

static void one_that_is_closed_early_leaves_nothing(void **state)
{
	struct world *w = *state;
	struct store_backup_file file;
	struct error err = {0};
	struct stat status;
	ok(store_backup_file_begin(path_in(w, "two.db"), &file, &err), &err);
	assert_int_equal(store_backup_file_begin(file.path, &file, &err), ERR_CONFLICT);
	store_backup_file_close(&file);
	assert_int_not_equal(stat(file.path, &status), 0);
	assert_int_not_equal(stat(file.temporary, &status), 0);
}

static void what_is_there_is_not_replaced(void **state)
{
	struct world *w = *state;
	struct store_backup_file file;
	struct error err = {0};
	ok(store_backup_file_begin(path_in(w, "three.db"), &file, &err), &err);
	assert_int_equal(link(file.temporary, file.path), 0);
	assert_int_equal(store_backup_file_end(&file, &err), ERR_CONFLICT);
	store_backup_file_close(&file);
	assert_int_equal(store_backup_file_begin(file.path, &file, &err), ERR_CONFLICT);
}

static void only_a_whole_path_will_do(void **state)
{
	struct store_backup_file file;
	struct error err = {0};
	(void)state;
	assert_int_equal(store_backup_file_begin("four.db", &file, &err), ERR_INVALID);
	assert_int_equal(store_backup_file_begin("/nowhere/at/all.db", &file, &err), ERR_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(a_file_gets_its_name_at_the_end),
		WORLD_TEST(one_that_is_closed_early_leaves_nothing),
		WORLD_TEST(what_is_there_is_not_replaced),
		cmocka_unit_test(only_a_whole_path_will_do),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
