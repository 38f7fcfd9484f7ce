/* SPDX-License-Identifier: Apache-2.0
 * The words of scopes, and sets of them as text. */
#include "arena_fixture.h"

#include "scope.h"

static void words_are_the_contract_s(void **state)
{
	(void)state;
	static const char *const words[] = {"read",     "drafts", "publish",  "remove",
					    "accounts", "media",  "webhooks", "people"};
	assert_int_equal(SCOPE_COUNT, 8);
	for (enum scope scope = 0; scope < SCOPE_COUNT; scope++) {
		assert_string_equal(scope_name(scope), words[scope]);
		assert_int_equal(scope_find(str_of(words[scope])), scope);
	}
	assert_string_equal(scope_name(SCOPE_COUNT), "");
	assert_int_equal(scope_find(STR("Read")), SCOPE_COUNT);
	assert_int_equal(scope_find(STR("")), SCOPE_COUNT);
}

static void every_set_is_read_as_it_was_written(void **state)
{
	(void)state;
	for (unsigned set = SCOPES_NONE; set <= SCOPES_ANY; set++)
		assert_int_equal(scope_set_read(scope_set_text(arena, set, " ")), set);
	assert_true(str_equal_z(scope_set_text(arena, SCOPES_PUBLISH | SCOPES_READ, ", "),
				"read, publish"));
	assert_true(str_equal_z(scope_set_text(arena, SCOPES_NONE, " "), ""));
}

/* A newer program may have written a word that this one does not know. */
static void unknown_words_allow_nothing(void **state)
{
	(void)state;
	assert_int_equal(scope_set_read(STR("read everything publish,media")), SCOPES_READ);
	assert_int_equal(scope_set_read(STR("  read  ")), SCOPES_READ);
	assert_int_equal(scope_set_read(STR("")), SCOPES_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_the_contract_s),
		cmocka_unit_test_setup_teardown(every_set_is_read_as_it_was_written, setup,
						teardown),
		cmocka_unit_test(unknown_words_allow_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
