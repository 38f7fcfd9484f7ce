/* SPDX-License-Identifier: Apache-2.0
 * The end of an app when there is nothing to end. What it does to its work is
 * tests/store/app_end_part.c, for every database. */
#include "store_app_end.h"

#include "opened_store.h"

#include "store_app.h"

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
	return cmocka_run_group_tests(tests, opened_setup, opened_teardown);
}
