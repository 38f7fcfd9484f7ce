/* SPDX-License-Identifier: Apache-2.0
 * What the verbs of the audit trail answer when there is nothing to find, and how long a page is.
 * What they do is tests/store/audit_part.c, for every database. */
#include "store_audit.h"

#include "world.h"

static void rows_that_are_not_there(void **state)
{
	struct world *w = *state;
	struct error err = {0};
	const struct audit_row row = {.seq = 7, .outcome = AUDIT_DONE};
	assert_int_equal(store_audit_end(w->store, &row, &err), ERR_NOT_FOUND);
	assert_int_equal(store_audit_count(w->store, 7, 2, FAKE_NOW_US, &err), ERR_NOT_FOUND);
}

static void a_page_has_an_end(void **state)
{
	struct world *w = *state;
	struct error err = {0};
	struct audit_row *rows = NULL;
	size_t count = 0;
	int64_t seq = 0;
	const struct audit_row row = {.at_us = FAKE_NOW_US, .action = STR("app.create")};
	const struct audit_filter filter = {.max = SIZE_MAX};
	for (int i = 0; i < AUDIT_PAGE_MAX + 1; i++)
		ok(store_audit_add(w->store, &row, &seq, &err), &err);
	ok(store_audit_list(w->store, w->arena, &filter, &rows, &count, &err), &err);
	assert_int_equal(count, AUDIT_PAGE_MAX);
	assert_int_equal(rows[0].seq, seq);
	assert_int_equal(rows[0].outcome, AUDIT_BEGUN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(rows_that_are_not_there),
		WORLD_TEST(a_page_has_an_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
