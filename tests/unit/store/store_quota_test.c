/* SPDX-License-Identifier: Apache-2.0
 * Whose limit counts: the app's own, else the settings'. What fills each quota is
 * tests/store/quota_part.c, for every database. */
#include "store_quota.h"

#include "opened_store.h"

#include "store_app.h"

static int begin(void **state)
{
	static const struct quota_limits quotas = {{[QUOTA_ACCOUNTS] = 7, [QUOTA_POST_BYTES] = 9}};
	const struct app_row app = {.id = STR("app"),
				    .client_id = STR("client"),
				    .client_secret_hash = STR("hash"),
				    .state = APP_ACTIVE};
	struct error err = {0};
	struct opened *o = opened_begin(&quotas);
	assert_int_equal(store_app_create(o->store, &app, STR("a@b.example"), STR("admin"), &err),
			 ERR_NONE);
	*state = o;
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
						opened_teardown),
		cmocka_unit_test_setup_teardown(refusals_are_counted_by_quota, begin,
						opened_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
