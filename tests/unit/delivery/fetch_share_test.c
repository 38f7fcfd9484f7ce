/* SPDX-License-Identifier: Apache-2.0 */
#include "fetch_share.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void each_app_has_a_share_of_its_own(void **state)
{
	(void)state;
	struct fetch_share *share = fetch_share_new();
	for (uint32_t i = 0; i < FETCH_SHARE_APP_MAX; i++) {
		assert_int_equal(fetch_share_room(share, STR("a")), FETCH_SHARE_APP_MAX - i);
		fetch_share_enter(share, STR("a"));
	}
	assert_int_equal(fetch_share_room(share, STR("a")), 0);
	assert_int_equal(fetch_share_room(share, STR("b")), FETCH_SHARE_APP_MAX);
	fetch_share_enter(share, STR("b"));
	/* what was claimed before the share was full comes too */
	fetch_share_enter(share, STR("a"));
	assert_int_equal(fetch_share_room(share, STR("a")), 0);
	fetch_share_leave(share, STR("a"));
	fetch_share_leave(share, STR("a"));
	assert_int_equal(fetch_share_room(share, STR("a")), 1);
	assert_int_equal(fetch_share_room(share, STR("b")), FETCH_SHARE_APP_MAX - 1);
	fetch_share_leave(share, STR("b"));
	assert_int_equal(fetch_share_room(share, STR("b")), FETCH_SHARE_APP_MAX);
	fetch_share_free(&share);
	assert_null(share);
	fetch_share_free(&share);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_app_has_a_share_of_its_own),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
