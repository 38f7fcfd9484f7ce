/* SPDX-License-Identifier: Apache-2.0
 * What the verbs answer when there is nothing to change. What they do is tests/store/change_part.c,
 * for every database. */
#include "store_post_change.h"

#include "opened_store.h"

static void an_unknown_post_is_not_found(void **state)
{
	struct opened *o = *state;
	static const char *const ids[] = {"", "x", "01a1fcda-7451-7617-8dc3-203f49eaf280",
					  "' OR 1=1 --"};
	for (size_t i = 0; i < COUNT_OF(ids); i++) {
		struct error err = {0};
		struct post_change_result result = {.state = POST_STATE_COUNT};
		struct post_retry_result retried = {.account_count = 77};
		const struct str id = str_of(ids[i]);
		const struct post_retry retry = {.app_id = STR("app"), .post_id = id};
		assert_int_equal(store_post_cancel(o->store, STR("app"), id, &result, &err),
				 ERR_NOT_FOUND);
		const struct post_edit edit = {.app_id = STR("app"), .post_id = id};
		assert_int_equal(store_post_edit(o->store, &edit, &result, &err), ERR_NOT_FOUND);
		assert_int_equal(store_post_retry(o->store, o->arena, &retry, &retried, &err),
				 ERR_NOT_FOUND);
		assert_int_equal(result.state, POST_STATE_COUNT);
		assert_int_equal(retried.account_count, 77);
	}
}

static void a_retry_names_no_more_accounts_than_a_post_has(void **state)
{
	struct opened *o = *state;
	struct error err = {0};
	struct post_retry_result result = {0};
	static struct str ids[POST_ACCOUNTS_MAX + 1];
	const struct post_retry retry = {.app_id = STR("app"),
					 .post_id = STR("post"),
					 .account_ids = ids,
					 .account_count = POST_ACCOUNTS_MAX + 1};
	assert_int_equal(store_post_retry(o->store, o->arena, &retry, &result, &err), ERR_INVALID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(an_unknown_post_is_not_found, opened_setup,
						opened_teardown),
		cmocka_unit_test_setup_teardown(a_retry_names_no_more_accounts_than_a_post_has,
						opened_setup, opened_teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
