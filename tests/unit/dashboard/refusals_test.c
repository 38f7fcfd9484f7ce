/* SPDX-License-Identifier: Apache-2.0
 * Refused sign-ins: a flood of them writes few rows, and says how many they were. */
#include "admin_fixture.h"

#include "refusals.h"
#include "store_audit.h"

static int64_t note_either(struct fixture *fx, struct refusals *refusals, const char *key,
			   bool is_unread)
{
	const struct audit_row row = {.at_us = fx->now_us,
				      .source = str_of(key),
				      .action = STR("session.begin"),
				      .outcome = AUDIT_REFUSED};
	int64_t times = -1;
	struct error err = {0};
	const struct refusal refusal = {str_of(key), &row, is_unread};
	ok(refusals_note(refusals, &refusal, &times, &err), &err);
	return times;
}

static int64_t note(struct fixture *fx, struct refusals *refusals, const char *key)
{
	return note_either(fx, refusals, key, true);
}

static size_t list(struct fixture *fx, struct audit_row **rows)
{
	const struct audit_filter filter = {.max = AUDIT_PAGE_MAX};
	size_t count = 0;
	struct error err = {0};
	ok(store_audit_list(fx->store, fx->arena, &filter, rows, &count, &err), &err);
	return count;
}

static void one_row_an_hour_counts_on(void **state)
{
	struct fixture *fx = *state;
	struct audit_row *rows = NULL;
	struct refusals *refusals = refusals_new(fx->store, &fx->clock);
	for (int64_t i = 1; i <= 1000; i++)
		assert_int_equal(note(fx, refusals, "a"), (i & (i - 1)) == 0 ? i : 0);
	assert_int_equal(list(fx, &rows), 1);
	assert_int_equal(rows[0].times, 512);
	fx->now_us += REFUSALS_WINDOW_US;
	assert_int_equal(note(fx, refusals, "a"), 1);
	assert_int_equal(list(fx, &rows), 2);
	assert_int_equal(rows[1].times, 1000);
	assert_int_equal(note(fx, refusals, "a"), 2);
	assert_int_equal(note(fx, refusals, "a"), 0);
	refusals_free(&refusals);
	assert_int_equal(list(fx, &rows), 2);
	assert_int_equal(rows[0].times, 3);
	assert_null(refusals);
	refusals_free(&refusals);
}

static void a_flood_from_everywhere_shares_one_row(void **state)
{
	struct fixture *fx = *state;
	struct audit_row *rows = NULL;
	struct refusals *refusals = refusals_new(fx->store, &fx->clock);
	for (int i = 0; i < 10 * REFUSALS_KEYS_MAX; i++) {
		char key[32];
		snprintf(key, sizeof(key), "192.0.2.%d", i);
		note(fx, refusals, key);
	}
	assert_int_equal(note(fx, refusals, "192.0.2.0"), 2);
	refusals_free(&refusals);
	assert_int_equal(list(fx, &rows), REFUSALS_KEYS_MAX + 1);
	assert_int_equal(rows[0].times, 9 * REFUSALS_KEYS_MAX);
	assert_true(str_is_empty(rows[0].source));
	assert_int_equal(rows[REFUSALS_KEYS_MAX].times, 2);
}

/* Else the time that an answer takes would say whether an e-mail is an admin's. */
static void every_wrong_password_is_written_at_once(void **state)
{
	struct fixture *fx = *state;
	struct audit_row *rows = NULL;
	struct refusals *refusals = refusals_new(fx->store, &fx->clock);
	for (int64_t i = 1; i <= 7; i++) {
		assert_int_equal(note_either(fx, refusals, "a", false), i);
		assert_int_equal(list(fx, &rows), 1);
		assert_int_equal(rows[0].times, i);
	}
	refusals_free(&refusals);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ADMIN_TEST(one_row_an_hour_counts_on),
		ADMIN_TEST(every_wrong_password_is_written_at_once),
		ADMIN_TEST(a_flood_from_everywhere_shares_one_row),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
