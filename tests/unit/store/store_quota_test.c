/* SPDX-License-Identifier: Apache-2.0
 * Whose limit counts: the app's own, else the settings'. What fills each quota is
 * tests/store/quota_part.c, for every database. */
#include "store_quota.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "arena.h"
#include "clock.h"

#include "store.h"
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
	snprintf(o.path, sizeof(o.path), "/tmp/store-quota-test-%d.db", (int)getpid());
	remove_all(&o);
	snprintf(url, sizeof(url), "sqlite:%s", o.path);
	const struct store_config config = {
		.url = url,
		.clock = clock_system(),
		.is_owner = true,
		.quotas = {{[QUOTA_ACCOUNTS] = 7, [QUOTA_POST_BYTES] = 9}},
	};
	assert_int_equal(store_open(&config, &o.store, &err), ERR_NONE);
	o.arena = arena_new("test", (size_t)1 << 20);
	const struct app_row app = {.id = STR("app"),
				    .client_id = STR("client"),
				    .client_secret_hash = STR("hash"),
				    .state = APP_ACTIVE};
	assert_int_equal(store_app_create(o.store, &app, STR("a@b.example"), STR("admin"), &err),
			 ERR_NONE);
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

static void the_apps_own_limit_goes_before_the_settings(void **state)
{
	struct opened *o = *state;
	struct error err = {0};
	struct quota_limits limits = {{0}};
	int64_t own[QUOTA_COUNT];
	assert_int_equal(store_quota_limits(o->store, o->arena, STR("app"), &limits, &err),
			 ERR_NONE);
	assert_int_equal(limits.of[QUOTA_ACCOUNTS], 7);
	assert_int_equal(limits.of[QUOTA_POST_BYTES], 9);
	assert_int_equal(limits.of[QUOTA_MEDIA_FILES], 0);
	for (enum quota quota = 0; quota < QUOTA_COUNT; quota++)
		own[quota] = QUOTA_INHERITED;
	own[QUOTA_ACCOUNTS] = 0;
	own[QUOTA_MEDIA_FILES] = 5;
	assert_int_equal(store_quota_set(o->store, STR("app"), own, &err), ERR_NONE);
	assert_int_equal(store_quota_limits(o->store, o->arena, STR("app"), &limits, &err),
			 ERR_NONE);
	assert_int_equal(limits.of[QUOTA_ACCOUNTS], 0);
	assert_int_equal(limits.of[QUOTA_POST_BYTES], 9);
	assert_int_equal(limits.of[QUOTA_MEDIA_FILES], 5);
	assert_int_equal(store_quota_limits(o->store, o->arena, STR("nobody"), &limits, &err),
			 ERR_NOT_FOUND);
}

static void refusals_are_counted_by_quota(void **state)
{
	struct opened *o = *state;
	assert_int_equal(store_quota_refusals(o->store, QUOTA_MEDIA_BYTES), 0);
	store_quota_note_refusal(o->store, QUOTA_MEDIA_BYTES);
	store_quota_note_refusal(o->store, QUOTA_MEDIA_BYTES);
	assert_int_equal(store_quota_refusals(o->store, QUOTA_MEDIA_BYTES), 2);
	assert_int_equal(store_quota_refusals(o->store, QUOTA_MEDIA_FILES), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_apps_own_limit_goes_before_the_settings, begin,
						end),
		cmocka_unit_test_setup_teardown(refusals_are_counted_by_quota, begin, end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
