/* SPDX-License-Identifier: Apache-2.0
 * The end of an app when there is nothing to end. What it does to its work is
 * tests/store/app_end_part.c, for every database. */
#include "store_app_end.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "arena.h"
#include "clock.h"

#include "store_app.h"

struct opened {
	struct store *store;
	struct arena *arena;
	char path[80];
};

static void remove_all(const struct opened *o)
{
	static const char *const ends[] = {"", "-wal", "-shm", ".lock"};
	for (size_t i = 0; i < 4; i++) {
		char path[96];
		snprintf(path, sizeof(path), "%s%s", o->path, ends[i]);
		unlink(path);
	}
}

static int begin(void **state)
{
	static struct opened o;
	struct error err = {0};
	char url[96];
	snprintf(o.path, sizeof(o.path), "/tmp/store-app-end-test-%d.db", (int)getpid());
	remove_all(&o);
	snprintf(url, sizeof(url), "sqlite:%s", o.path);
	const struct store_config config = {.url = url, .clock = clock_system(), .is_owner = true};
	assert_int_equal(store_open(&config, &o.store, &err), ERR_NONE);
	o.arena = arena_new("test", (size_t)1 << 20);
	*state = &o;
	return 0;
}

static int end(void **state)
{
	struct opened *o = *state;
	store_close(&o->store);
	arena_free(&o->arena);
	remove_all(o);
	return 0;
}

static void an_app_is_deleted_once(void **state)
{
	struct opened *o = *state;
	struct error err = {0};
	struct app_row app = {.id = STR("1"),
			      .name = STR("a"),
			      .client_id = STR("phc_1"),
			      .client_secret_hash = STR("x"),
			      .state = APP_ACTIVE};
	assert_int_equal(store_app_end_begin(o->store, app.id, 1, &err), ERR_NOT_FOUND);
	assert_int_equal(store_app_create(o->store, &app, STR("a@example.com"), STR("2"), &err),
			 ERR_NONE);
	assert_int_equal(store_app_end_begin(o->store, app.id, 1, &err), ERR_NONE);
	assert_int_equal(store_app_end_begin(o->store, app.id, 2, &err), ERR_NOT_FOUND);
	assert_int_equal(store_app_find(o->store, o->arena, app.id, &app, &err), ERR_NOT_FOUND);
	assert_int_equal(store_app_end_cancel_all(o->store, 3, &err), ERR_NONE);
	assert_int_equal(store_app_end_cancel_all(o->store, 4, &err), ERR_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_app_is_deleted_once),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
