/* SPDX-License-Identifier: Apache-2.0
 * What the verbs of keys answer when there is nothing to find. What they do is
 * tests/store/app_part.c, for every database. */
#include "store_key.h"

#include "opened_store.h"

#include "store_app.h"

static void unknown_keys_are_not_found(void **state)
{
	struct opened *o = *state;
	struct key_row key = {.id = STR("none")};
	struct app_row app = {0};
	struct error err = {0};
	assert_int_equal(store_key_find(o->store, o->arena, STR("none"), 1, &key, &app, &err),
			 ERR_NOT_FOUND);
	assert_true(str_is_empty(key.id) && str_is_empty(app.id));
	assert_int_equal(key.scopes, SCOPES_NONE);
	assert_int_equal(store_key_revoke(o->store, STR(""), STR("none"), &err), ERR_NOT_FOUND);
	assert_int_equal(store_key_touch(o->store, STR("none"), 1, &err), ERR_NONE);
}

static void an_unknown_app_has_none_and_gets_none(void **state)
{
	struct opened *o = *state;
	const struct key_row key = {.id = STR("1"), .app_id = STR("none"), .token_hash = STR("2")};
	struct key_row *keys = NULL;
	size_t count = 1;
	struct error err = {0};
	assert_int_equal(store_key_list(o->store, o->arena, STR("none"), &keys, &count, &err),
			 ERR_NONE);
	assert_int_equal(count, 0);
	assert_int_equal(store_key_create(o->store, &key, &err), ERR_NOT_FOUND);
	assert_int_equal(store_token_revoke(o->store, STR("none"), STR("2"), &err), ERR_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unknown_keys_are_not_found),
		cmocka_unit_test(an_unknown_app_has_none_and_gets_none),
	};
	return cmocka_run_group_tests(tests, opened_setup, opened_teardown);
}
