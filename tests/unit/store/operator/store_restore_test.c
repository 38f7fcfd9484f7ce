/* SPDX-License-Identifier: Apache-2.0
 * What may be put back, where the former database goes, and what a refusal leaves. That a service
 * started on it asks before it publishes is tests/fault/test_restore.py. */
#include "store_restore.h"

#include <sqlite3.h>

#include "world.h"

#include "store_backup.h"
#include "store_guard.h"

static const char *path_in(struct world *w, const char *name)
{
	return str_z(w->arena, str_format(w->arena, "%s/%s", w->directory, name));
}

static enum err_kind restore(struct world *w, const char *name, struct store_restored *out,
			     struct error *err)
{
	const struct store_restore wish = {.from = path_in(w, name),
					   .database_path = path_in(w, "test.db"),
					   .clock = &w->clock.clock};
	return store_restore(&wish, out, err);
}

static void open_again(struct world *w)
{
	struct error err = {0};
	const struct store_config config = {.url = w->url,
					    .clock = &w->clock.clock,
					    .epoch_path = path_in(w, "epoch"),
					    .is_owner = true};
	ok(store_open(&config, &w->store, &err), &err);
}

static void make_backup(struct world *w, const char *name)
{
	struct error err = {0};
	int64_t size_bytes = 0;
	ok(store_backup(w->store, path_in(w, name), FAKE_NOW_US, &size_bytes, &err), &err);
}

static bool is_there(struct world *w, const char *name)
{
	return access(path_in(w, name), F_OK) == 0;
}

static void a_backup_takes_the_place_of_the_database(void **state)
{
	struct world *w = *state;
	struct error err = {0};
	struct store_restored restored;
	struct guard_start told = {0};
	struct post_row post;
	const struct account_row account = world_account(w, PLATFORM_X, 0, NULL);
	const struct str kept = world_post(w, WORLD_TEXT("kept"), &account, 1);
	make_backup(w, "backup.db");
	const struct str lost = world_post(w, WORLD_TEXT("lost"), &account, 1);
	store_close(&w->store);
	for (int i = 1; i <= 2; i++) {
		ok(restore(w, "backup.db", &restored, &err), &err);
		assert_true(restored.size_bytes > 4096);
		assert_string_equal(restored.former_path,
				    path_in(w, i == 1 ? "test.db.before-1" : "test.db.before-2"));
		assert_true(is_there(w, i == 1 ? "test.db.before-1" : "test.db.before-2"));
	}
	assert_false(is_there(w, "test.db.restoring"));
	assert_false(is_there(w, "test.db.restoring.lock"));
	assert_false(is_there(w, "test.db-wal"));
	open_again(w);
	ok(store_post_get(w->store, w->arena, w->app.id, kept, &post, &err), &err);
	assert_int_equal(store_post_get(w->store, w->arena, w->app.id, lost, &post, &err),
			 ERR_NOT_FOUND);
	/* Without any file beside it: it says so itself, once. */
	ok(store_guard_start(w->store, 1, FAKE_NOW_US, &told, &err), &err);
	assert_int_equal(told.finding, EPOCH_ARMED);
	assert_int_equal(told.marked_count, 1);
	ok(store_guard_start(w->store, 1, FAKE_NOW_US, &told, &err), &err);
	assert_int_equal(told.finding, EPOCH_SAME);
}

/* The log of a database that was killed goes with it. */
static void the_former_log_goes_aside_too(void **state)
{
	struct world *w = *state;
	struct error err = {0};
	struct store_restored restored;
	make_backup(w, "backup.db");
	store_close(&w->store);
	FILE *log = fopen(path_in(w, "test.db-wal"), "w");
	assert_non_null(log);
	assert_true(fputs("a log", log) >= 0);
	fclose(log);
	ok(restore(w, "backup.db", &restored, &err), &err);
	assert_true(is_there(w, "test.db.before-1-wal"));
	assert_false(is_there(w, "test.db-wal"));
	open_again(w);
}

static void a_database_that_is_gone_can_be_put_back(void **state)
{
	struct world *w = *state;
	struct error err = {0};
	struct store_restored restored;
	make_backup(w, "backup.db");
	store_close(&w->store);
	unlink(path_in(w, "test.db"));
	ok(restore(w, "backup.db", &restored, &err), &err);
	assert_string_equal(restored.former_path, "");
	open_again(w);
}

static void write_file(struct world *w, const char *name, const char *text)
{
	FILE *file = fopen(path_in(w, name), "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	fclose(file);
}

static void make_other_database(struct world *w, const char *name)
{
	sqlite3 *db = NULL;
	assert_int_equal(sqlite3_open(path_in(w, name), &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "CREATE TABLE posts (id TEXT)", NULL, NULL, NULL),
			 SQLITE_OK);
	sqlite3_close(db);
}

static void refused(struct world *w, const char *name, enum err_kind wanted, const char *words)
{
	struct error err = {0};
	struct store_restored restored;
	assert_int_equal(restore(w, name, &restored, &err), wanted);
	if (strstr(err.text, words) == NULL)
		fail_msg("%s: \"%s\" does not say \"%s\"", name, err.text, words);
	assert_false(is_there(w, "test.db.restoring"));
	assert_false(is_there(w, "test.db.before-1"));
}

static void what_cannot_be_put_back_changes_nothing(void **state)
{
	struct world *w = *state;
	make_backup(w, "backup.db");
	refused(w, "backup.db", ERR_CONFLICT, "stop it first");
	store_close(&w->store);
	write_file(w, "letter.txt",
		   "Dear Posthorn, this is a text of more than 100 bytes, because "
		   "SQLite takes a shorter file for one that is still empty.");
	make_other_database(w, "other.db");
	write_file(w, "empty.db", "");
	refused(w, "nowhere.db", ERR_INVALID, "nowhere.db");
	refused(w, "", ERR_INVALID, "not a file");
	refused(w, "test.db", ERR_INVALID, "the database itself");
	refused(w, "letter.txt", ERR_INVALID, "no Posthorn backup");
	refused(w, "other.db", ERR_INVALID, "no Posthorn backup");
	refused(w, "empty.db", ERR_INVALID, "no Posthorn backup");
	open_again(w);
}

/* A page in the middle, as a bad disk leaves it. */
static void a_backup_that_is_not_sound_is_refused(void **state)
{
	struct world *w = *state;
	static const char rubbish[4096] = "not a page of a database";
	make_backup(w, "backup.db");
	store_close(&w->store);
	FILE *file = fopen(path_in(w, "backup.db"), "r+");
	assert_non_null(file);
	for (long page = 20; page < 30; page++) {
		assert_int_equal(fseek(file, page * 4096, SEEK_SET), 0);
		assert_int_equal(fwrite(rubbish, sizeof(rubbish), 1, file), 1);
	}
	fclose(file);
	refused(w, "backup.db", ERR_INTERNAL, "not sound");
	open_again(w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(a_backup_takes_the_place_of_the_database),
		WORLD_TEST(the_former_log_goes_aside_too),
		WORLD_TEST(a_database_that_is_gone_can_be_put_back),
		WORLD_TEST(what_cannot_be_put_back_changes_nothing),
		WORLD_TEST(a_backup_that_is_not_sound_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
