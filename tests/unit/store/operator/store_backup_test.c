/* SPDX-License-Identifier: Apache-2.0
 * Names, leftovers and refusals of backups; what they are good for is store_guard_test.c's. */
#include "store_backup.h"

#include "world.h"

static enum err_kind back_up(struct world *w, const char *path, struct error *err)
{
	int64_t size_bytes = -1;
	const enum err_kind kind = store_backup(w->store, path, FAKE_NOW_US, &size_bytes, err);
	struct stat info;
	if (kind == ERR_NONE) {
		assert_int_equal(stat(path, &info), 0);
		assert_int_equal(size_bytes, info.st_size);
		assert_int_equal(info.st_mode & 0777, 0600);
	} else if (path[0] == '/') {
		assert_int_not_equal(size_bytes, 4096);
	}
	return kind;
}

static const char *path_in(struct world *w, const char *name)
{
	return str_z(w->arena, str_format(w->arena, "%s/%s", w->directory, name));
}

static int64_t posts_in(struct world *w, const char *path)
{
	struct error err = {0};
	struct store *store = NULL;
	struct post_row *posts = NULL;
	size_t count = 0;
	int64_t total = 0;
	const struct store_config config = {
		.url = str_z(w->arena, str_format(w->arena, "sqlite:%s", path)),
		.clock = &w->clock.clock,
		.is_owner = true};
	const struct post_filter filter = {.app_id = w->app.id, .page = 1, .per_page = 1};
	ok(store_open(&config, &store, &err), &err);
	ok(store_post_list(store, w->arena, &filter, &posts, &count, &total, &err), &err);
	store_close(&store);
	return total;
}

static void a_backup_is_a_database_of_its_own(void **state)
{
	struct world *w = *state;
	struct error err = {0};
	const char *path = path_in(w, "copy.db");
	const struct account_row account = world_account(w, PLATFORM_X, 0, NULL);
	for (int i = 0; i < 3; i++)
		world_post(w, WORLD_TEXT("hello"), &account, 1);
	ok(back_up(w, path, &err), &err);
	world_post(w, WORLD_TEXT("later"), &account, 1);
	assert_int_equal(access(path_in(w, "copy.db.tmp"), F_OK), -1);
	assert_int_equal(access(path_in(w, "copy.db-wal"), F_OK), -1);
	assert_int_equal(posts_in(w, path), 3);
}

static void a_backup_replaces_nothing(void **state)
{
	struct world *w = *state;
	struct error err = {0};
	const char *path = path_in(w, "copy.db");
	ok(back_up(w, path, &err), &err);
	assert_int_equal(back_up(w, path, &err), ERR_CONFLICT);
	assert_non_null(strstr(err.text, "never overwrites"));
	unlink(path);
	assert_int_equal(symlink("/nowhere", path), 0); /* not through a dangling link either */
	assert_int_equal(back_up(w, path, &err), ERR_CONFLICT);
	FILE *left = fopen(path_in(w, "other.db.tmp"), "w");
	assert_non_null(left);
	fclose(left);
	assert_int_equal(back_up(w, path_in(w, "other.db"), &err), ERR_CONFLICT);
	assert_non_null(strstr(err.text, "other.db.tmp"));
	assert_int_equal(access(path_in(w, "other.db.tmp"), F_OK),
			 0); /* whose it is, is not known */
}

static void what_is_no_place_for_one_is_told(void **state)
{
	struct world *w = *state;
	struct error err = {0};
	assert_int_equal(back_up(w, "relative.db", &err), ERR_INVALID);
	assert_int_equal(back_up(w, path_in(w, "missing/copy.db"), &err), ERR_INVALID);
	char *longest = arena_alloc(w->arena, 5000);
	memset(longest, 'a', 4999);
	longest[0] = '/';
	longest[4999] = '\0';
	assert_int_equal(back_up(w, longest, &err), ERR_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(a_backup_is_a_database_of_its_own),
		WORLD_TEST(a_backup_replaces_nothing),
		WORLD_TEST(what_is_no_place_for_one_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
