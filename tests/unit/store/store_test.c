/* SPDX-License-Identifier: Apache-2.0
 * Opening: who may, what is refused, what the file is like. What the verbs do is tests/store. */
#include "store.h"

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

#include "clock.h"

#include "migrate.h"

static void remove_all(void)
{
	static const char *const ends[] = {"", "-wal", "-shm", ".lock"};
	for (size_t i = 0; i < 4; i++) {
		char path[80];
		snprintf(path, sizeof(path), "/tmp/store-open-test-%d.db%s", (int)getpid(),
			 ends[i]);
		unlink(path);
	}
}

static int clean(void **state)
{
	(void)state;
	remove_all();
	return 0;
}

static enum err_kind open_at(bool is_owner, struct store **store, struct error *err)
{
	char url[80];
	snprintf(url, sizeof(url), "sqlite:/tmp/store-open-test-%d.db", (int)getpid());
	const struct store_config config = {
		.url = url, .clock = clock_system(), .is_owner = is_owner};
	return store_open(&config, store, err);
}

static void a_file_has_one_owner(void **state)
{
	(void)state;
	struct error err = {0};
	struct store *first = NULL;
	struct store *second = NULL;
	assert_int_equal(open_at(true, &first, &err), ERR_NONE);
	assert_int_equal(open_at(true, &second, &err), ERR_CONFLICT);
	assert_null(second);
	assert_non_null(strstr(err.text, "in use by process"));
	assert_int_equal(open_at(false, &second, &err), ERR_NONE);
	assert_int_equal(store_check(second, &err), ERR_NONE);
	store_close(&second);
	assert_int_equal(store_check(first, &err), ERR_NONE);
	store_close(&first);
	assert_null(first);
	store_close(&first);
	assert_int_equal(open_at(true, &first, &err), ERR_NONE);
	store_close(&first);
}

static void the_file_is_ours_alone(void **state)
{
	(void)state;
	static const char *const ends[] = {"", "-wal", "-shm", ".lock"};
	struct error err = {0};
	struct store *store = NULL;
	assert_int_equal(open_at(true, &store, &err), ERR_NONE);
	assert_int_equal(store_check(store, &err), ERR_NONE);
	for (size_t i = 0; i < 4; i++) {
		char path[80];
		struct stat info;
		snprintf(path, sizeof(path), "/tmp/store-open-test-%d.db%s", (int)getpid(),
			 ends[i]);
		assert_int_equal(stat(path, &info), 0);
		assert_int_equal(info.st_mode & 0777, 0600);
	}
	store_close(&store);
}

static void what_cannot_be_opened_is_told(void **state)
{
	(void)state;
	static const struct {
		const char *url;
		enum err_kind kind;
	} rows[] = {
		{"", ERR_INVALID},
		{"sqlite:", ERR_INVALID},
		{"postgres://h/d", ERR_INVALID},
		{"/tmp/x.db", ERR_INVALID},
		{"sqlite:/nonexistent/x.db", ERR_TEMPORARY},
		{"sqlite:/tmp", ERR_TEMPORARY},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct error err = {0};
		struct store *store = NULL;
		const struct store_config config = {.url = rows[i].url, .clock = clock_system()};
		assert_int_equal(store_open(&config, &store, &err), rows[i].kind);
		assert_null(store);
		assert_true(err.text[0] != '\0');
	}
}

static void many_open_one_after_the_other_without_leaks(void **state)
{
	(void)state;
	for (int i = 0; i < 20; i++) {
		struct error err = {0};
		struct store *store = NULL;
		assert_int_equal(open_at(true, &store, &err), ERR_NONE);
		assert_int_equal(store_schema_version(store), migrations[migrations_count - 1].number);
		assert_int_equal(store_counters_rebuild(store, &err), ERR_NONE);
		store_close(&store);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_file_has_one_owner, clean, clean),
		cmocka_unit_test_setup_teardown(the_file_is_ours_alone, clean, clean),
		cmocka_unit_test(what_cannot_be_opened_is_told),
		cmocka_unit_test_setup_teardown(many_open_one_after_the_other_without_leaks, clean,
						clean),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
